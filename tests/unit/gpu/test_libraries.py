"""Libraries of GPU kernels: which records state a library's kernels for a GPU, what stands for kernels that a library
has no measurements of, and when a GPU counts as measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import ndpir
from dialects.diagnostics import InputError
from interp.kinds.gpu.constants.calibration import GENERIC, Calibration, Record, calibration_text
from interp.kinds.gpu.constants.files import known_libraries
from interp.kinds.gpu.constants.known import PLAUSIBLE, constants_for
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device
from interp.machine.sheets.search import library_files
from ndpir.reports.libraries import library_lines, library_uses
from ndpir.reports.run import Run

LAYER = """
func.func @layer(%x: tensor<512x4096xf16>, %w: tensor<4096x1024xf16>) -> tensor<512x1024xf16> {
  %h = graph.matmul %x, %w : tensor<512x4096xf16>, tensor<4096x1024xf16>
  %y = graph.gelu %h : tensor<512x1024xf16>
  func.return %y : tensor<512x1024xf16>
}
"""


@pytest.fixture(autouse=True)
def in_scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(owner: str, name: str, *records: Record) -> None:
    calibration = Calibration(owner, name, {record.key: record for record in records}, "made up")
    Path(f"{name}.calibration").write_text(calibration_text(calibration))


def gpu() -> Gpu:
    """A GPU with a compute capability that no shipped library is measured for."""
    Path("mine.sheet").write_text('device mine = h100_sxm "a variant"\n  capability 9.5\n  library mylib\n')
    found = load_device("mine.sheet")
    assert isinstance(found, Gpu)
    return found


def gemm(origin: str, element: str = "bf16", library: str = "", capability: float = 0.0, **constants: float) -> Record:
    return Record("gemm", element, constants, f"9 kernels; {origin}", library, capability)


def test_kernels_are_those_of_the_library_for_the_compute_capability() -> None:
    write("library", "mylib", gemm("5 % off", capability=9.5, tail=0.3), gemm("9 % off", capability=8.0, tail=0.4))
    known = constants_for(gpu(), "gemm", "bf16")
    assert (known.library, known.constants["tail"], known.transferred) == ("mylib", 0.3, False)
    assert (known.substitute, known.error) == ("", "5 % off")
    assert known.origin == "mylib: 9 kernels; 5 % off"


def test_an_equal_element_type_has_the_same_kernels() -> None:
    write("library", "mylib", gemm("5 % off", capability=9.5, tail=0.3))
    assert constants_for(gpu(), "gemm", "f16").substitute == ""  # the same units compute both at the same rate
    assert constants_for(gpu(), "gemm", "tf32").substitute == "bf16 of mylib"


@pytest.mark.parametrize(
    ("records", "substitute"),
    [
        ({("gpu", "mine"): gemm("8 % off", library="other", tail=0.3)}, "other on mine"),
        ({("library", GENERIC): gemm("8 % off", capability=9.5, tail=0.3)}, "the mean of all libraries"),
        ({("library", "mylib"): gemm("8 % off", tail=0.3)}, "mylib for other compute capabilities"),
    ],
)
def test_substitutes_are_named_with_their_error(records: Mapping[tuple[str, str], Record], substitute: str) -> None:
    write("library", "mylib")
    for owner, record in records.items():
        write(*owner, record)
    known = constants_for(gpu(), "gemm", "bf16")
    assert (known.substitute, known.error, known.constants["tail"]) == (substitute, "8 % off", 0.3)


def test_plausible_values_are_a_substitute_without_error() -> None:
    write("library", "mylib")
    known = constants_for(gpu(), "prefill", "f64")
    assert (known.origin, known.substitute, known.error, known.chip) == (PLAUSIBLE, PLAUSIBLE, "", PLAUSIBLE)


def test_a_gpu_is_measured_for_a_class_by_a_record_of_its_family() -> None:
    write("library", "mylib", gemm("21 % off on 90 where a chip was left out with its siblings"))
    write("gpu", "mine", Record("gemm_blocks", "f8", {"dram": 0.6}, "9 kernels; 3 % off"))
    mine = gpu()
    assert constants_for(mine, "gemm", "bf16").left_out == ""
    assert constants_for(mine, "prefill", "bf16").left_out != ""
    Path("mine.calibration").unlink()
    unmeasured = constants_for(gpu(), "gemm", "bf16")
    assert unmeasured.left_out == "21 % off on 90 where a chip was left out with its siblings"


def test_a_chip_and_its_kernels_have_origins_of_their_own() -> None:
    write("library", "mylib", gemm("5 % off", capability=9.5, tail=0.3))
    write("gpu", "mine", gemm("4 % off", dram=0.6))
    known = constants_for(gpu(), "gemm", "bf16")
    assert (known.constants["tail"], known.constants["dram"]) == (0.3, 0.6)
    assert (known.origin, known.chip) == ("mylib: 9 kernels; 5 % off", "mine: 9 kernels; 4 % off")


def test_an_unknown_library_is_an_error_until_there_is_a_calibration() -> None:
    with pytest.raises(InputError, match="there is no library `mylib`") as caught:
        gpu()
    assert caught.value.place == "mine.sheet:3:3"
    assert "cudnn7, generic," in caught.value.message
    write("library", "mylib")
    assert gpu().library == "mylib"
    Path("mylib.calibration").write_text("calibration gpu mylib\n")  # not that of a library
    with pytest.raises(InputError, match="there is no library `mylib`"):
        gpu()


def test_libraries_are_found_beside_the_sheet(tmp_path: Path) -> None:
    (tmp_path / "sheets" / "calibrations").mkdir(parents=True)
    (tmp_path / "sheets" / "calibrations" / "mylib.calibration").write_text(
        "# a comment\n\ncalibration library mylib\n"
    )
    (tmp_path / "sheets" / "mine.sheet").write_text("device mine = h100_sxm with library mylib\n")
    assert "mylib" in library_files("sheets/mine.sheet")
    assert "mylib" not in library_files()
    assert isinstance(load_device("sheets/mine.sheet"), Gpu)


def test_calibrations_of_one_library_are_listed_as_one() -> None:
    write("library", "vllm", gemm("1 % off", capability=9.5))
    (vllm,) = (library for library in known_libraries() if library.name == "vllm")
    assert ("gemm", "bf16", "capability", "9.5") in vllm.records
    assert ("gemm", "bf16", "capability", "9") in vllm.records


def summary_of(library: str) -> list[str]:
    run = Run(ndpir.compile(ndpir.parse(LAYER), "place", machine="h100_sxm", library=library))
    return list(library_lines(library_uses(run.timeline, run.clock)))


def test_a_summary_names_library_and_substitutes() -> None:
    write("library", "mylib", gemm("5 % off", "f16", capability=9.0, tail=0.3))
    first, *rest = summary_of(library="mylib")
    assert first == "library    mylib on @gpu"
    (substitute,) = (line for line in rest if line.startswith("substitute "))
    assert "is of the mean of all libraries: elementwise f16 (" in substitute
    assert "gemm" not in substitute


def test_parts_of_the_time_add_up() -> None:
    run = Run(ndpir.compile(ndpir.parse(LAYER), "place", machine="b300_sxm", library="sglang"))
    (use,) = library_uses(run.timeline, run.clock)
    assert use.ns == pytest.approx(sum(event.cost.ns for event, _, _ in run.timeline.tasks()))
    assert sum(each.part for each in use.unmeasured) == pytest.approx(1)  # this GPU is in no fit


def test_a_machine_without_models_of_kernels_has_no_library() -> None:
    run = Run(ndpir.compile(ndpir.parse(LAYER), "place", machine="toy_gpu"))
    assert library_uses(run.timeline, run.clock) == ()
    with pytest.raises(ndpir.InputError, match="library needs a GPU whose sheet states `model kernels`"):
        ndpir.compile(ndpir.parse(LAYER), "place", machine="toy_gpu", library="vllm")


def test_a_library_may_be_compared_in_python() -> None:
    rows = [ndpir.compare(ndpir.parse(LAYER), ["h100_sxm"], library=name)[0] for name in ("vllm", "trtllm", "vlm")]
    assert rows[0].makespan_ns != rows[1].makespan_ns
    assert rows[2].error is not None
    assert "there is no library `vlm`" in rows[2].error
