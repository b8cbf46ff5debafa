"""Tests of the code generator that reproduces PIMFlow's, against published commands and cycles."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.pimflow_compat import compared, main
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from lowering.banks.pimflow.codegen import Layer, channel_kernel, channel_parts, trace_lines

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
def test_commands_cycles_and_splits_equal_published_ones():
    rows = list(compared(DATA / "pim_cycles_by_shape.csv"))
    assert len(rows) == 44
    assert {row.verdict for row in rows} == {"equal"}
    assert max(abs(row.energy_error) for row in rows) < 1e-5


def test_the_generator_drops_the_same_work_as_the_published_one():
    # The 9 accesses of a pixel are divided into two units of 4, so one of nine is lost, as in the published trace.
    (part,) = channel_parts(LAYERS["pw_144_24_14x14_dropped_comp"], newton(), 4)
    assert part.columns * 2 == 9 - 1


def test_the_number_of_buffers_is_at_most_that_of_channels():
    two = load_device("newton_pimflow", {"channels": 2})
    assert isinstance(two, Pim)
    assert all(part.buffers <= 2 for part in channel_parts(Layer(144, 14, 14, 24), two, 4))


def test_the_kernel_is_a_valid_program_of_loops():
    kernel = channel_kernel(LAYERS["fc_1280_1000"], newton(), 4)
    kernel.verify()
    assert [op.name for op in kernel.body.block.ops] == ["pim.for", "pim.for"]


def test_a_layer_with_too_few_rows_for_the_pim_is_not_split():
    layer = Layer(64, 7, 7, 64, 3, 3, 1, 1)
    assert layer.split(90) is None
    assert layer.split(50) == (6, Layer(64, 5, 7, 64, 3, 3, 0, 1))
    assert layer.split(0) == (0, layer)


def test_a_wrong_table_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert main([str(tmp_path / "x.csv")]) == 1
    assert "x.csv:1: column `I_c` is missing" in capsys.readouterr().err
