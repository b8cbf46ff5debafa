"""The language of calibrations: parsing, error messages, and the search for files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.diagnostics import InputError, notes_to
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.calibration import (
    Calibration,
    Record,
    calibration_of,
    calibration_text,
    read_calibration,
)
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.kernel_class import Constant
from interp.machine.records import RATE_BYTES, Gpu
from interp.machine.sheets.files import load_device
from interp.machine.sheets.search import COMPANIONS, SHIPPED

GEMM = CLASSES["gemm"]
PLAIN = next(constant for constant in GEMM.constants if not constant.unit)
TIMED = next(constant for constant in GEMM.constants if constant.unit == "ns")
HEAD = "calibration gpu mine\n  class gemm f16\n"


def written(constant: Constant, value: float | None = None, unit: str | None = None) -> str:
    number = constant.start if value is None else value
    return f"    {constant.name} {number:g} {constant.unit if unit is None else unit}\n"


def test_calibration_is_read() -> None:
    text = f'calibration gpu mine "a test" # of the language\n\n  class gemm f16 "no fit"\n{written(PLAIN)}'
    found = calibration_of(text, "mine.calibration")
    record = found.records["gemm", "f16"]
    assert (found.owner, found.name, found.description) == ("gpu", "mine", "a test")
    assert (record.origin, record.constants) == ("no fit", {PLAIN.name: PLAIN.start})


def test_a_time_may_be_in_any_unit_of_time() -> None:
    found = calibration_of(HEAD + written(TIMED, 1.5, "us"), "x")
    assert found.records["gemm", "f16"].constants[TIMED.name] == 1500


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "the calibration is empty"),
        ("# nothing\n", "1:1", "the calibration is empty"),
        ("clbration gpu x", "1:1", "met `clbration`, but expected `calibration gpu NAME`"),
        ("calibration", "1:1", "the line ends after `calibration`"),
        ("calibration gpuu x", "1:13", "not of a `gpuu`; did you mean `gpu`?"),
        ("calibration gpu 3x", "1:17", "`3x` is not a name"),
        ("calibration family hoper", "1:20", "did you mean `hopper`?"),
        ("calibration gpu x y", "1:19", "met `y`, but expected a quoted text"),
        ('calibration gpu x "y', "1:19", "does not end on its line"),
        ('calibration gpu x "y" "z"', "1:23", 'met "z", but expected the end of the line'),
        ("calibration gpu x\ncalibration gpu y", "2:1", "a calibration has one heading"),
        ("calibration gpu x\nissue 3", "2:1", "met `issue`, but expected `class NAME ELEMENT`"),
        ("calibration gpu x\nclass gem f16", "2:7", "there is no class of kernels `gem`; did you mean `gemm`?"),
        ("calibration gpu x\nclass gemm f61", "2:12", "`f61` is not an element type; did you mean `f64`?"),
        ("calibration gpu x\nclass gemm", "2:7", "the line ends after `gemm`"),
        (HEAD + "  class gemm f16", "3:3", "gemm f16 appears twice"),
        (HEAD + f"{PLAIN.name}s 0.5", "3:1", f"did you mean `{PLAIN.name}`?"),
        (HEAD + PLAIN.name, "3:1", f"`{PLAIN.name}` has no number"),
        (HEAD + f"{PLAIN.name} much", "3:6" if len(PLAIN.name) == 4 else f"3:{len(PLAIN.name) + 2}", "met `much`"),
        (HEAD + f"{PLAIN.name} 99999", f"3:{len(PLAIN.name) + 2}", "it must lie within"),
        (HEAD + f"{PLAIN.name} 1e999", f"3:{len(PLAIN.name) + 2}", "it must lie within"),
        (HEAD + f"{PLAIN.name} 0.5 ns", f"3:{len(PLAIN.name) + 6}", "is a ratio, without a unit"),
        (HEAD + f"{TIMED.name} 1500", f"3:{len(TIMED.name) + 2}", f"is a number of ns; write it as in `{TIMED.name} "),
        (HEAD + f"{TIMED.name} 1500 B", f"3:{len(TIMED.name) + 7}", "is stated in `B`, but it is a number of ns"),
        (HEAD + written(PLAIN) + written(PLAIN), "4:5", f"`{PLAIN.name}` appears twice, first in line 3"),
    ],
)
def test_errors_have_locations(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        calibration_of(text, "x")
    assert message in caught.value.message
    assert caught.value.place == f"x:{place}"
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (b"calibration gpu \xff", "1:17", "met the byte 0xff"),
        (b" " * (1 << 20 | 1), "", "larger than 1 MiB"),
    ],
)
def test_binary_files_are_rejected(tmp_path: Path, data: bytes, place: str, message: str) -> None:
    path = tmp_path / "x.calibration"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_calibration(path)
    assert message in caught.value.message
    assert caught.value.place == (f"{path}:{place}" if place else str(path))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_calibration(tmp_path / "x.calibration")


@st.composite
def calibrations(draw: st.DrawFn) -> Calibration:
    records: dict[tuple[str, str], Record] = {}
    words = st.text(st.characters(exclude_characters='"', exclude_categories=("C", "Z")), max_size=20)
    for name in draw(st.lists(st.sampled_from(sorted(CLASSES)), unique=True, max_size=3)):
        element = draw(st.sampled_from(sorted(RATE_BYTES)))
        values = {
            constant.name: draw(st.floats(constant.low, constant.high))
            for constant in CLASSES[name].constants
            if draw(st.booleans())
        }
        records[name, element] = Record(name, element, values, draw(words))
    owner, name = draw(st.sampled_from([("gpu", "mine"), ("gpu", "h200_sxm"), ("family", "hopper")]))
    return Calibration(owner, name, records, draw(words), "x")


@given(calibrations())
def test_written_calibrations_are_read_back(calibration: Calibration) -> None:
    text = calibration_text(calibration)
    found = calibration_of(text, "x")
    assert calibration_text(found) == text
    assert (found.owner, found.name, list(found.records)) == (
        calibration.owner,
        calibration.name,
        list(calibration.records),
    )
    assert found.description.strip() == calibration.description.strip()
    for key, record in calibration.records.items():
        assert found.records[key].constants == pytest.approx(record.constants, rel=1e-3)


def read_or_reject(text: str) -> None:
    """Parse a text, which may raise only InputError."""
    complaint = None
    try:
        calibration_of(text, "x")
    except InputError as error:
        complaint = error
    if complaint is not None:
        assert complaint.place is not None
        assert complaint.place.startswith("x:")
        assert complaint.message.strip()
        assert "\n" not in complaint.message


BITS = [*'"#\n\t :.-+é\0', "calibration", "gpu", "family", "class", "gemm", "f16", "ns", "1e9", "us", PLAIN.name, "0.5"]


@given(calibrations(), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(BITS)), max_size=4))
def test_edited_text_is_read_or_rejected(calibration: Calibration, edits: list[tuple[float, int, str]]) -> None:
    text = calibration_text(calibration)
    for where, cut, added in edits:
        at = int(where * len(text))
        text = text[:at] + added + text[at + cut :]
    read_or_reject(text)


@given(st.text())
def test_random_text_is_read_or_rejected(text: str) -> None:
    read_or_reject(text)


def test_shipped_calibrations_have_sheets() -> None:
    for path in (SHIPPED / COMPANIONS).glob("*.calibration"):
        found = read_calibration(path)
        assert found.name == path.stem
        assert found.owner != "gpu" or isinstance(load_device(found.name), Gpu)


def gpu_in(folder: Path, name: str = "mine") -> Gpu:
    """A GPU whose sheet is in a folder."""
    sheet = folder / f"{name}.sheet"
    sheet.write_text(f'device {name} = a100_80_sxm "a variant" with tdp 300 W\n')
    found = load_device(str(sheet))
    assert isinstance(found, Gpu)
    return found


@pytest.mark.parametrize("place", [".", "calibrations"])
def test_calibration_is_found_next_to_the_sheet(tmp_path: Path, place: str) -> None:
    gpu = gpu_in(tmp_path)
    before = constants_for(gpu, "gemm", "f16")
    assert before.origin.startswith("vllm: ")
    (tmp_path / place).mkdir(exist_ok=True)
    (tmp_path / place / "mine.calibration").write_text(
        f'calibration gpu mine\nclass gemm f16 "by hand"\n{written(PLAIN, 0.625)}'
    )
    after = constants_for(gpu, "gemm", "f16")
    assert (after.origin, after.transferred, after.constants[PLAIN.name]) == ("by hand", False, 0.625)
    assert constants_for(gpu, "gemm", "bf16").transferred


def test_calibration_in_the_current_folder_applies_to_a_shipped_sheet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gpu = load_device("p4")
    assert isinstance(gpu, Gpu)
    assert Path(gpu.file).resolve().parent == SHIPPED.resolve()
    text = f'calibration gpu p4\nclass gemm f16 "by hand"\n{written(PLAIN, 0.625)}'
    Path("p4.calibration").write_text(text)
    with notes_to(lambda message, place: None):
        assert constants_for(gpu, "gemm", "f16").origin == "by hand"


def test_calibration_under_another_name_is_rejected(tmp_path: Path) -> None:
    gpu = gpu_in(tmp_path)
    (tmp_path / "mine.calibration").write_text("calibration gpu yours\n")
    with pytest.raises(InputError, match="calibrates the gpu yours, but its file is called mine"):
        constants_for(gpu, "gemm", "f16")


def test_changed_calibration_is_read_again(tmp_path: Path) -> None:
    gpu = gpu_in(tmp_path)
    path = tmp_path / "mine.calibration"
    for value in (0.5, 0.625):
        path.write_text(f"calibration gpu mine\nclass gemm f16\n{written(PLAIN, value)}")
        assert constants_for(gpu, "gemm", "f16").constants[PLAIN.name] == value


def test_calibration_that_hides_a_shipped_one_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p4.calibration").write_text("calibration gpu p4\nclass gemm f32\nclass gemm f16\n")
    gpu = load_device("p4")
    assert isinstance(gpu, Gpu)
    notes: list[tuple[str, str | None]] = []
    monkeypatch.setattr("interp.kinds.gpu.constants.files._noted", set[str]())
    with notes_to(lambda message, place: notes.append((message, place))):
        for _ in range(2):
            constants_for(gpu, "gemm", "f16")
    assert notes == [
        (
            "the constants of p4 for gemm f32 are read from this file instead of the file that ndpir ships",
            "p4.calibration",
        )
    ]
