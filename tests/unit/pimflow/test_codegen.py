"""The compatible code generator against the command lists and cycles of the published one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.pimflow_compat import compared, main
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from lowering.banks.pimflow.codegen import Layer, channel_kernel, shares, trace_lines

DATA = Path(__file__).parents[2] / "data" / "pimflow"
LAYERS = {
    "pw_144_24_14x14_dropped_comp": Layer(144, 14, 14, 24),
    "fc_1280_1000": Layer(1280, 1, 1, 1000),
    "conv3x3_16_32_14x14_strided_gwrite": Layer(16, 14, 14, 32, 3, 3, 1, 1),
    "conv3x3_64_64_7x7_two_pass": Layer(64, 7, 7, 64, 3, 3, 1, 1),
}


def newton() -> Pim:
    record = load_device("newton_pimflow")
    assert isinstance(record, Pim)
    return record


@pytest.mark.parametrize("name", LAYERS)
def test_commands_equal_the_published_trace(name: str):
    text = (DATA / f"{name}.gw4.ch16.pim").read_text()
    assert text.splitlines() == list(trace_lines(LAYERS[name], newton(), 4))


@pytest.mark.slow
def test_commands_cycles_and_splits_equal_the_published_table():
    rows = list(compared(DATA / "pim_cycles_by_shape.csv"))
    assert len(rows) == 44
    assert {row.verdict for row in rows} == {"equal"}
    assert max(abs(row.energy_error) for row in rows) < 1e-5


def test_work_that_the_published_generator_drops():
    # 9 accesses a pixel are cut into two units of 4: one in nine is lost (its own trace has the same)
    (share,) = shares(LAYERS["pw_144_24_14x14_dropped_comp"], newton(), 4)
    assert share.columns * 2 == 9 - 1


def test_no_more_buffers_are_tried_than_there_are_channels():
    two = load_device("newton_pimflow", {"channels": 2})
    assert isinstance(two, Pim)
    assert all(share.buffers <= 2 for share in shares(Layer(144, 14, 14, 24), two, 4))


def test_the_kernel_is_a_program_that_says_each_command_once():
    kernel = channel_kernel(LAYERS["fc_1280_1000"], newton(), 4)
    kernel.verify()
    assert [op.name for op in kernel.body.block.ops] == ["pim.for", "pim.for"]


def test_a_split_that_leaves_the_pim_too_few_rows_stays_on_the_gpu():
    layer = Layer(64, 7, 7, 64, 3, 3, 1, 1)
    assert layer.split(90) is None
    assert layer.split(50) == (6, Layer(64, 5, 7, 64, 3, 3, 0, 1))
    assert layer.split(0) == (0, layer)


def test_a_table_that_is_none_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert main([str(tmp_path / "x.csv")]) == 1
    assert "x.csv:1: there is no column `I_c`" in capsys.readouterr().err
