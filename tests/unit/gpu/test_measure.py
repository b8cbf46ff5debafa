"""The script `measure_gpu.py`, tested without a GPU: its plan, its file, and the import into ndp-calibrate."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.classes import CLASSES
from interp.machine.records import RATE_BYTES, Gpu
from interp.machine.sheets import load_device
from ndpir.calibrate.rows import Remarks, read_rows
from ndpir.cli.calibrate import main

NOT_IN_PYTORCH = {
    *("prefill_narrow", "decode_narrow", "gemm_blocks"),
    *("experts", "experts_ungated", "experts_blocks"),
}
"""Classes that PyTorch 2.5 has no kernels of: attention over a cache of another type, products of scaled blocks, and
experts."""
EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    yield import_module("measure_gpu")
    for name in ("measure_gpu", "measure_gpu_kernels"):
        sys.modules.pop(name, None)


def planned(script: Any, count: int, classes: Sequence[str] = ()) -> list[Any]:
    names = list(classes) or list(script.CLASSES)
    return list(islice(script.plan(names, list(script.WIDTHS), 7), count))


class ModelTimer:
    """A timer that returns our model's times with plausible constants, and 4 us of host time per call."""

    def __init__(self, name: str = "a100_80_sxm") -> None:
        found = load_device(name)
        assert isinstance(found, Gpu)
        self.gpu = found
        self.timed = 0

    def about(self) -> list[str]:
        return ["a model"]

    def time(self, kernel: Any) -> tuple[float, float | None]:
        self.timed += 1
        found = CLASSES[kernel.kernel_class]
        defaults = {column.name: column.default or 0.0 for column in found.columns}
        numbers = {**defaults, **kernel.sizes, "bytes": RATE_BYTES[kernel.element]}
        columns = {name: np.array([float(value)]) for name, value in numbers.items()}
        chip = Chip.of(self.gpu, kernel.element)
        ns = float(found.estimate(columns, chip).ns[0] + chip.launch_ns)
        return (ns + 4e3 * (kernel.way == "eager")) / 1e3, 200.0


def until_never() -> bool:
    return False


def test_rows_have_the_columns_of_their_class(script: Any) -> None:
    kernels = planned(script, 1500)
    assert {kernel.kernel_class for kernel in kernels} == set(CLASSES) - NOT_IN_PYTORCH
    for kernel in kernels:
        columns = {column.name: column for column in CLASSES[kernel.kernel_class].columns}
        needed = {name for name, column in columns.items() if column.default is None}
        assert needed <= set(kernel.sizes) <= set(columns)
        assert kernel.element in RATE_BYTES
        assert all(size >= 0 for size in kernel.sizes.values())


def test_a_plan_is_determined_by_its_seed_and_has_bounded_kernels(script: Any) -> None:
    kernels = planned(script, 300)
    assert kernels == planned(script, 300)
    assert max(script.operands(kernel)[0] for kernel in kernels) < 2e9
    sizes = [kernel.sizes["m"] for kernel in kernels if kernel.kernel_class == "gemm"]
    assert min(sizes) < 50
    assert max(sizes) > 2000


def test_convolutions_have_sizes_that_libraries_support(script: Any) -> None:
    for kernel in planned(script, 400, ["conv_forward"]):
        z = kernel.sizes
        assert z["c"] % z["groups"] == z["k"] % z["groups"] == 0
        assert z["p"] == (z["h"] + 2 * (z["r"] // 2) - z["r"]) // z["stride"] + 1
        assert z["q"] >= 1


@pytest.mark.slow
def test_ndp_calibrate_reads_all_rows_of_the_file(script: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    assert script.measure(planned(script, 200), ModelTimer(), path, until_never, print) == 200
    remarks = Remarks()
    rows = read_rows(path.read_text(), "mine.csv", remarks)
    assert (rows.total, len(rows.usable), remarks.left_out) == (200, 200, 0)


def test_a_second_run_continues_the_file(script: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    script.measure(planned(script, 50), ModelTimer(), path, until_never, print)
    path.write_text(path.read_text() + "gemm,f16,gra")  # the process was killed while it wrote
    timer = ModelTimer()
    assert script.measure(planned(script, 80), timer, path, until_never, print) == timer.timed == 30
    remarks = Remarks()
    assert len(read_rows(path.read_text(), "mine.csv", remarks).usable) == 80
    assert remarks.left_out == 1


def test_a_file_with_other_columns_is_not_changed(script: Any, tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(SystemExit, match=r"other\.csv:1:1: error: the file has other columns"):
        script.measure(planned(script, 5), ModelTimer(), path, until_never, print)
    assert path.read_text() == "a,b\n1,2\n"


@pytest.mark.slow
def test_a_kind_that_fails_three_times_is_skipped(script: Any, tmp_path: Path) -> None:
    class Failing(ModelTimer):
        def time(self, kernel: Any) -> tuple[float, float | None]:
            if kernel.element == "f8":
                raise RuntimeError("no f8 here\nat ...")
            return super().time(kernel)

    messages: list[str] = []
    script.measure(planned(script, 300, ["gemm"]), Failing(), tmp_path / "mine.csv", until_never, messages.append)
    assert messages == ["gemm f8: skipped from now on, since the first three kernels failed: no f8 here"]


def test_the_time_limit_stops_the_run(script: Any, tmp_path: Path) -> None:
    ticks = iter([False] * 7 + [True])
    written = script.measure(planned(script, 50), ModelTimer(), tmp_path / "mine.csv", lambda: next(ticks), print)
    assert written == 7


@pytest.mark.slow
def test_times_are_reproduced_by_a_fit(
    script: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    kernels = planned(script, 150, ["elementwise"])
    script.measure(kernels, ModelTimer(), Path("mine.csv"), until_never, print)
    assert main(["mine.csv", "--device", "a100_80_sxm"]) == 0
    table = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in table if line.startswith("elementwise")]
    errors = {tuple(row[1:3]): (float(row[5]), float(row[9])) for row in rows}
    for element in ("f32", "f16"):
        error, before = errors[element, "graph"]
        assert error < min(6, before / 2)  # few rows move the constants only as far as they need
    assert Path("a100_80_sxm.calibration").exists()


def test_missing_torch_is_an_error(script: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SystemExit, match="PyTorch is not installed"):
        script.main([str(tmp_path / "mine.csv")])


class Stopping(ModelTimer):
    """A timer that raises KeyboardInterrupt at the fifth kernel."""

    def time(self, kernel: Any) -> tuple[float, float | None]:
        if self.timed == 4:
            raise KeyboardInterrupt
        return super().time(kernel)


def test_an_interrupt_keeps_measured_rows(
    script: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.csv"
    monkeypatch.setattr(script, "_torch", MagicMock())
    monkeypatch.setattr(script, "TorchTimer", MagicMock(return_value=Stopping()))
    assert script.main([str(path)]) == 130
    assert "the same command continues" in capsys.readouterr().err
    assert len(path.read_text().splitlines()) == 2 + 4


@pytest.mark.parametrize("data", [b"class,\xff\n", None])
def test_a_file_that_cant_be_continued_is_an_error(
    script: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: bytes | None
) -> None:
    path = tmp_path / "mine.csv"
    if data is None:
        path.mkdir()
    else:
        path.write_bytes(data)
    monkeypatch.setattr(script, "_torch", MagicMock())
    monkeypatch.setattr(script, "TorchTimer", MagicMock())
    with pytest.raises(SystemExit, match=r"mine\.csv: error: the file can't be read or written"):
        script.main([str(path)])


def test_the_plan_is_printed_without_a_gpu(script: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert script.main(["--plan", "5", "--classes", "decode", "--dtypes", "f16"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("class,element,way,lat_us,power_w,")
    assert [line.startswith("decode,f16,") for line in lines[1:]] == [True] * 5


def test_an_unknown_class_is_an_error(script: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        script.main(["--plan", "5", "--classes", "gem"])
    assert "unknown class `gem`; expected one of gemm," in capsys.readouterr().err


@pytest.mark.slow
def test_all_kernels_call_a_mock_of_torch(script: Any) -> None:
    """Each kernel calls its function of a mock of PyTorch, which computes nothing."""
    torch = MagicMock(__version__="2.5")
    torch.cuda.get_device_properties.return_value.L2_cache_size = 40 << 20
    torch.cuda.Event.return_value.elapsed_time.return_value = 2.0
    torch.cuda.power_draw.return_value = 250_000
    timer = script.TorchTimer(torch, 1e-6)
    found = [timer.time(kernel) for kernel in planned(script, 400)]
    assert all(pair is None or pair[0] > 0 for pair in found)
    assert {pair[1] for pair in found if pair is not None} == {None, 250.0}
    assert [line for line in timer.about() if "bandwidth" in line]
    for call in (torch.mm, torch.bmm, torch._int_mm, torch._scaled_mm, torch.ops.aten.convolution_backward, torch.amax):
        assert call.called
    functional = torch.nn.functional
    for call in (functional.conv2d, functional.scaled_dot_product_attention, functional.rms_norm, functional.gelu):
        assert call.called
