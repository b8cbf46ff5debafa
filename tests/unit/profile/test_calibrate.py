"""The command `ndp-calibrate`: fits, written files, and messages on measurements and command lines."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.calibration import read_calibration
from interp.kinds.gpu.constants.fit import Fitted
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.kernel_class import KernelClass
from interp.kinds.gpu.power import Activity, board_power
from interp.machine.records import Gpu
from interp.machine.sheets import load_device
from ndpir.calibrate.fit import split
from ndpir.calibrate.rows import Measurement, Remarks, read_rows
from ndpir.cli.calibrate import main

DEVICE = "a100_80_sxm"
HEAD = "class,element,way,rows,cols,read,written,flops,warm,lat_us,power_w\n"


@pytest.fixture(autouse=True)
def in_scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def streams(
    count: int, kernel_class: str = "elementwise", way: str = "graph", seed: int = 1, dram: float = 0.7
) -> list[str]:
    """Rows of a file of measured kernels: `count` kernels with the times that the model computes for constants other
    than the default ones. `way`: the method of measurement; `eager` adds the host's time. `dram`: the share of DRAM
    bandwidth."""
    draw, found = Random(seed), CLASSES[kernel_class]
    chip = Chip.of(gpu_of(DEVICE), "f32")
    lines: list[str] = []
    for _ in range(count):
        cols = round(10 ** draw.uniform(3.5, 8.5))
        sizes = {"rows": 1, "cols": cols, "read": cols * 8, "written": cols * 4, "flops": cols, "warm": 0}
        defaults = {column.name: column.default or 0 for column in found.columns}
        columns = {name: np.array([float(value)]) for name, value in {**defaults, **sizes, "bytes": 4}.items()}
        ns = float(found.estimate(columns, chip, {"dram": dram}).ns[0] + chip.launch_ns) + 6e3 * (way == "eager")
        cells = ",".join(str(value) for value in sizes.values())
        lines.append(f"{kernel_class},f32,{way},{cells},{ns / 1e3:.5g},")
    return lines


def gpu_of(name: str) -> Gpu:
    found = load_device(name)
    assert isinstance(found, Gpu)
    return found


def write(lines: Sequence[str], head: str = HEAD) -> None:
    Path("mine.csv").write_text(head + "\n".join(lines) + "\n")


def rows_of(lines: Sequence[str]) -> list[Measurement]:
    return read_rows(HEAD + "\n".join(lines), "m.csv", Remarks()).usable


@pytest.mark.slow
def test_fit_of_measurements_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    write(streams(120))
    assert main(["mine.csv", "--device", DEVICE]) == 0
    out, err = capsys.readouterr()
    head, row = out.splitlines()
    assert " ".join(head.split()) == "class type way fitted held out MAPE median bias rank before worst at"
    cells = row.split()
    assert cells[:5] == ["elementwise", "f32", "graph", "96", "24"]
    assert float(cells[5]) < 0.5
    assert float(cells[9]) > float(cells[5])
    assert err == f"{DEVICE}.calibration: note: the calibration of {DEVICE} is written\n"
    found = read_calibration(Path(f"{DEVICE}.calibration"))
    assert list(found.records) == [("elementwise", "f32", "of", "vllm")]  # the library of the sheet
    record = found.records["elementwise", "f32", "of", "vllm"]
    assert record.constants["dram"] < 1  # most of the difference is fitted to L2, whose traffic is equal
    assert record.origin.startswith("fitted on 96 kernels of mine.csv; 0.")
    assert record.origin.endswith("% off on 24 others")


@pytest.mark.slow
def test_file_does_not_depend_on_row_order() -> None:
    lines, texts = streams(60), list[str]()
    for _ in range(2):
        write(lines)
        assert main(["mine.csv", "--device", DEVICE, "-o", "a.calibration"]) == 0
        texts.append(Path("a.calibration").read_text())
        Path("a.calibration").unlink()
    assert texts[0] == texts[1]


def test_split_keeps_rows_of_a_shape_together() -> None:
    rows = rows_of([*streams(50), *streams(50, way="eager")])
    fitted, held = split(rows, 0.3, 5)
    assert len(held) == 30
    assert not {row.shape for row in fitted} & {row.shape for row in held}
    again, _ = split(rows[::-1], 0.3, 5)
    assert {row.place for row in again} == {row.place for row in fitted}
    other, _ = split(rows, 0.3, 6)
    assert {row.place for row in other} != {row.place for row in fitted}


@pytest.mark.slow
def test_calibration_is_written_next_to_the_users_sheet() -> None:
    Path("gpus").mkdir()
    Path("gpus/mine.sheet").write_text(f'device mine = {DEVICE} "a variant" with tdp 300 W\n')
    write(streams(60))
    assert main(["mine.csv", "--device", "gpus/mine.sheet"]) == 0
    assert read_calibration(Path("gpus/mine.calibration")).name == "mine"
    assert main(["mine.csv", "--device", "mine", "--sheets", "gpus"]) == 0


@pytest.mark.slow
def test_other_classes_of_the_file_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    write([*streams(60), *streams(60, "copy")])
    assert main(["mine.csv", "--device", DEVICE, "--only", "copy"]) == 0
    assert set(read_calibration(Path(f"{DEVICE}.calibration")).records) == {("copy", "f32", "of", "vllm")}
    assert main(["mine.csv", "--device", DEVICE, "--only", "elementwise"]) == 0
    assert set(read_calibration(Path(f"{DEVICE}.calibration")).records) == {
        ("copy", "f32", "of", "vllm"),
        ("elementwise", "f32", "of", "vllm"),
    }
    kept = "1 classes that are not fitted by this run are kept in the calibration: copy f32 of vllm"
    assert kept in capsys.readouterr().err


def test_fit_without_improvement_is_discarded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def bad_fit(kernel_class: KernelClass, *groups: object, **more: object) -> Fitted:
        return Fitted(kernel_class, {**kernel_class.defaults(), "dram": 0.5}, {}, 0.0)

    monkeypatch.setattr("ndpir.calibrate.fit.fit", bad_fit)
    write(streams(60))
    assert main(["mine.csv", "--device", DEVICE]) == 0
    err = capsys.readouterr().err
    assert "the fit of elementwise f32 predicts no better than the present constants" in err
    assert err.endswith(
        "ndp-calibrate: note: no class is fitted well enough, so nothing is written; measure more shapes\n"
    )
    assert not list(Path().glob("*.calibration"))


def test_fit_that_does_not_describe_the_kernels_is_discarded(capsys: pytest.CaptureFixture[str]) -> None:
    draw, lines = Random(1), [line.split(",") for line in streams(60)]
    write([",".join([*cells[:9], f"{float(cells[9]) * draw.choice((1, 30)):.5g}", ""]) for cells in lines])
    assert main(["mine.csv", "--device", DEVICE]) == 0
    out, err = capsys.readouterr()
    error = float(out.splitlines()[1].split()[5])
    assert error > 50
    assert f"the fit of elementwise f32 is {error:.0f} % off, so the model does not describe these kernels; it" in err
    assert err.endswith("no class is fitted well enough, so nothing is written; measure more shapes\n")
    assert not list(Path().glob("*.calibration"))


CHIP = {constant.name for constant in CLASSES["elementwise"].constants if constant.of_chip}


@pytest.mark.slow
def test_chip_alone_is_fitted_with_kernels_of_a_library(capsys: pytest.CaptureFixture[str]) -> None:
    write(streams(60))
    assert main(["mine.csv", "--device", DEVICE, "--only-chip", "--library", "vllm"]) == 0
    (record,) = read_calibration(Path(f"{DEVICE}.calibration")).records.values()
    assert record.key == ("elementwise", "f32")  # for all libraries
    assert set(record.constants) == CHIP
    row = capsys.readouterr().out.splitlines()[1].split()
    assert float(row[5]) < float(row[9])
    found = constants_for(gpu_of(DEVICE), "elementwise", "f32", "vllm")
    held = constants_for(gpu_of("a100_80_pcie"), "elementwise", "f32", "vllm")
    assert {name: found.constants[name] for name in CHIP} == pytest.approx(record.constants, rel=1e-3)
    assert found.constants["tail"] == held.constants["tail"]  # another GPU of the same compute capability


@pytest.mark.slow
def test_chip_of_an_earlier_fit_is_replaced() -> None:
    write(streams(60))
    assert main(["mine.csv", "--device", DEVICE]) == 0
    write(streams(60, dram=0.5))
    assert main(["mine.csv", "--device", DEVICE, "--only-chip"]) == 0
    records = read_calibration(Path(f"{DEVICE}.calibration")).records
    assert set(records["elementwise", "f32"].constants) == CHIP
    assert CHIP.isdisjoint(records["elementwise", "f32", "of", "vllm"].constants)


@pytest.mark.slow
def test_library_is_calibrated_for_a_compute_capability(capsys: pytest.CaptureFixture[str]) -> None:
    write(streams(60))
    assert main(["mine.csv", "--device", DEVICE, "--as-library", "mylib"]) == 0
    assert capsys.readouterr().err.endswith(
        "mylib.calibration: note: the calibration of mylib is written; ndp-opt --library mylib uses it\n"
    )
    found = read_calibration(Path("mylib.calibration"))
    assert (found.owner, found.name) == ("library", "mylib")
    (record,) = found.records.values()
    assert record.key == ("elementwise", "f32", "capability", "8")
    assert CHIP.isdisjoint(record.constants)
    assert record.origin.startswith(f"fitted on 48 kernels of {DEVICE} in mine.csv; ")
    other = load_device("a100_80_pcie", {"library": "mylib"})  # another GPU of the same compute capability
    assert isinstance(other, Gpu)
    known = constants_for(other, "elementwise", "f32")
    assert (known.library, known.substitute) == ("mylib", "")
    assert known.constants["tail"] == pytest.approx(record.constants["tail"], rel=1e-3)


def test_library_needs_a_compute_capability(capsys: pytest.CaptureFixture[str]) -> None:
    write(streams(60))
    assert main(["mine.csv", "--device", "toy_gpu", "--as-library", "mylib"]) == 1
    said = "error: the sheet of toy_gpu states no compute capability, for which the kernels of a library are; add"
    assert said in capsys.readouterr().err


def test_calibration_of_another_gpu_is_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    Path("x.calibration").write_text("calibration gpu other\n")
    write(streams(60))
    assert main(["mine.csv", "--device", DEVICE, "-o", "x.calibration"]) == 1
    assert capsys.readouterr().err.startswith("x.calibration: error: this file calibrates the gpu other, not ")
    assert Path("x.calibration").read_text() == "calibration gpu other\n"


def test_json_report(capsys: pytest.CaptureFixture[str]) -> None:
    write(streams(60))
    assert main(["mine.csv", "--device", DEVICE, "--format", "json", "--holdout", "0.5", "--seed", "3"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], found["left_out"], found["adjusted"], found["library"]) == (60, 0, "both", "vllm")
    (entry,) = found["classes"]
    assert (entry["class"], entry["fitted"], entry["held_out"]) == ("elementwise", 30, 30)
    assert entry["ways"][0]["mape"] < 1
    assert set(entry["constants"]) == {each.name for each in CLASSES["elementwise"].constants if not each.fixed}


def test_calibration_on_stdout(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD + "\n".join(streams(60))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["-", "--device", DEVICE, "-o", "-"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"calibration gpu {DEVICE} ")
    assert "elementwise  f32" in err
    assert not list(Path().glob("*.calibration"))


@pytest.mark.slow
def test_board_power_is_fitted_to_power_readings(capsys: pytest.CaptureFixture[str]) -> None:
    chip = Chip.of(gpu_of(DEVICE), "f32")
    lines: list[str] = []
    for line in streams(150):
        cells = [float(cell) for cell in line.split(",")[3:10]]
        numbers = dict(zip(("rows", "cols", "read", "written", "flops", "warm"), cells, strict=False))
        defaults = {column.name: column.default or 0 for column in CLASSES["elementwise"].columns}
        columns = {name: np.array([value]) for name, value in {**defaults, **numbers, "bytes": 4.0}.items()}
        estimate = CLASSES["elementwise"].estimate(columns, chip, {"dram": 0.7})
        activity = Activity.of(estimate, np.array([cells[6] * 1e3]))
        lines.append(f"{line}{float(board_power(activity, chip, {'dram': 0.4}).watts[0]):.5g}")
    write(lines)
    assert main(["mine.csv", "--device", DEVICE]) == 0
    row = capsys.readouterr().out.splitlines()[2].split()
    assert row[:5] == ["power", "board", "energy", "120", "30"]
    assert float(row[5]) < 5
    assert float(row[5]) < float(row[9])
    records = read_calibration(Path(f"{DEVICE}.calibration")).records
    assert set(records) == {
        ("elementwise", "f32", "of", "vllm"),
        ("power", "board"),
        ("power.elementwise", "f32"),
    }
    error = records["power.elementwise", "f32"].origin
    assert error.startswith("fitted on 120 readings of mine.csv; energy ")
    assert error.endswith(" % off on 30 others")


def test_too_few_power_readings_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    lines = streams(60)
    write([*lines[:50], *(f"{line}200" for line in lines[50:])])
    assert main(["mine.csv", "--device", DEVICE]) == 0
    assert "power readings are too few" in capsys.readouterr().err


def test_held_out_rows_of_an_unfitted_way_are_ignored(capsys: pytest.CaptureFixture[str]) -> None:
    lines = streams(100)
    rows = rows_of(lines)
    held = split(rows, 0.2, 0)[1][0]  # rows of one shape are in the same part, for all ways of submission
    again = lines[int(held.place.split(":")[1]) - 2].replace(",graph,", ",eager,")
    write([*lines, again.replace(",0,", ",0,9")])
    assert main(["mine.csv", "--device", DEVICE]) == 0
    out, err = capsys.readouterr()
    assert (
        "1 held-out rows of elementwise f32 are of way eager, but no fitted row is; they are left out of the errors"
        in err
    )
    assert len(out.splitlines()) == 2


@pytest.mark.slow
def test_only_eager_measurements_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    write(streams(80, way="eager"))
    assert main(["mine.csv", "--device", DEVICE]) == 0
    assert "elementwise f32 was measured only by single calls" in capsys.readouterr().err


@pytest.mark.slow
def test_host_time_is_fitted(capsys: pytest.CaptureFixture[str]) -> None:
    write([*streams(100), *streams(60, way="eager", seed=2)])
    assert main(["mine.csv", "--device", DEVICE]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.split()[2] for line in out[1:3]] == ["graph", "eager"]
    assert out[3].startswith("the host takes ")
    assert "dispatch eager" in out[3]


@pytest.mark.slow
def test_times_below_the_peaks_limit_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    lines = streams(60)
    fast = "elementwise,f32,graph,1,1000000000,8000000000,4000000000,0,0"
    write([*lines, f"{fast},100,", f"{fast},5000,"])
    assert main(["mine.csv", "--device", DEVICE]) == 0
    err = capsys.readouterr().err
    assert "mine.csv:62:" in err
    assert "100 us is 58.9 times as fast as the datasheet's peaks allow for elementwise (is it in us?); this row" in err
    assert (
        "1 rows of elementwise f32 are faster than the datasheet's peaks allow, this one 1.18 times; they are kept"
        in err
    )
    assert main(["mine.csv", "--device", DEVICE, "--strict"]) == 1
    assert "mine.csv: error: 1 rows of 62 can't be used, so nothing is written" in capsys.readouterr().err


def test_times_in_another_unit_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.split(",") for line in streams(60)]
    write([",".join([*cells[:9], f"{float(cells[9]) * 1000:.5g}", ""]) for cells in lines])
    assert main(["mine.csv", "--device", DEVICE]) == 0
    assert "are times in us, and of this GPU?" in capsys.readouterr().err


def test_too_few_shapes_are_not_fitted(capsys: pytest.CaptureFixture[str]) -> None:
    write(streams(4))
    assert main(["mine.csv", "--device", DEVICE]) == 1
    err = capsys.readouterr().err
    assert "elementwise f32 has only 3 shapes to fit" in err
    assert "mine.csv: error: no class could be fitted, so nothing is written" in err
    assert not list(Path().glob("*.calibration"))


def test_errors_without_held_out_shapes(capsys: pytest.CaptureFixture[str]) -> None:
    write(streams(60))
    assert main(["mine.csv", "--device", DEVICE, "--holdout", "0"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[3:5] == ["60", "none"]
    assert "% off on the same" in Path(f"{DEVICE}.calibration").read_text()


@pytest.mark.parametrize(
    ("words", "status", "expected"),
    [
        ([], 2, "ndp-calibrate: error: a file of measurements and --device are required"),
        (["mine.csv", "--device", "a100_80_sxm", "--only", "gem"], 2, "there is no `gem`; did you mean `gemm`?"),
        (["mine.csv", "--device", "a100_80_sxm", "--holdout", "2"], 2, "expected a fraction from 0 to 0.9"),
        (["mine.csv", "--device", "a100_80_sxm", "--seed", "x"], 2, "expected a whole number from 0 on, but met `x`"),
        (
            ["mine.csv", "--devise", "a100_80_sxm"],
            2,
            "ndp-calibrate: error: unknown flag --devise; did you mean --device?",
        ),
        (
            ["mine.csv", "--device", "a100_80_sxm", "--library", "vlm"],
            2,
            "did you mean `vllm`?; --as-library NAME calibrates a new one",
        ),
        (["mine.csv", "--device", "a100_80_sxm", "--as-library", "generic"], 2, "`generic` is the mean over all"),
        (["mine.csv", "--device", "a100_80_sxm", "--as-library", "a-b"], 2, "`a-b` is not a name of letters, digits"),
        (
            ["mine.csv", "--device", "a100_80_sxm", "--as-library", "x", "--only-chip"],
            2,
            "--only-chip holds the kernels' constants, and --as-library fits only those; give one of them",
        ),
        (["mine.csv", "--device", "a100_81_sxm"], 1, "there is no data sheet `a100_81_sxm`; did you mean"),
        (["mine.csv", "--device", "newton"], 1, "`newton` is a pim, but kernels are measured on a gpu"),
        (["mine.csv", "--device", "on_board"], 1, "`on_board` is a link"),
        (
            ["none.csv", "--device", "a100_80_sxm"],
            1,
            "none.csv: error: can't be read: there is no such file",
        ),
        ([".", "--device", "a100_80_sxm"], 1, ".: error: can't be read: it is a folder"),
        (["bytes.csv", "--device", "a100_80_sxm"], 1, "bytes.csv:1:7: error: byte 0xff is not UTF-8 text"),
        (["mine.csv", "--device", "a100_80_sxm", "-o", "no/x.calibration"], 1, "there is no folder no"),
        (["mine.csv", "--device", "a100_80_sxm", "--sheets", "no"], 1, "there is no folder `no` of sheets"),
        (["mine.csv", "--device", "toy_gpu"], 1, "lacks l2, threads"),
    ],
)
def test_command_line_errors(
    words: Sequence[str], status: int, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(streams(20))
    Path("bytes.csv").write_bytes(b"class,\xff\n")
    assert main(words) == status
    assert expected in capsys.readouterr().err


def lacking(name: str) -> None:
    """A `find_spec` that finds no package."""


def test_missing_scipy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    write(streams(20))
    monkeypatch.setattr("interp.cost.fitting.find_spec", lacking)
    assert main(["mine.csv", "--device", DEVICE]) == 1
    assert capsys.readouterr().err.startswith("ndp-calibrate: error: fits need scipy, which is not installed; `pip ")


def test_list_of_classes_and_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list-classes"]) == 0
    out = capsys.readouterr().out
    for kernel_class in CLASSES.values():
        assert f"\n{kernel_class.name}: {kernel_class.meaning}\n" in out
        for column in kernel_class.columns:
            assert column.meaning in out


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert main(["--version"]) == 0
    assert "ndp-calibrate mine.csv --device h200_sxm" in capsys.readouterr().out
