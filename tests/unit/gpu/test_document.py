"""Check that the tables in docs/gpu.md and README.md are those generated from the classes of kernels, their constants
and the recorded errors."""

import os
from pathlib import Path

import pytest

from benchmarks.gpu.error_tables import documents as error_documents
from benchmarks.gpu.error_tables import readme_cell, tables
from benchmarks.gpu.record import Row
from dialects.files import write_text
from ndpir.pages.generated import outdated
from ndpir.pages.gpu import HEADING, class_tables, documents

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "gpu.md"


def test_the_tables_are_current() -> None:
    if os.environ.get("UPDATE_DOCUMENTS"):
        write_text(DOCUMENT, documents()["docs/gpu.md"])
    _, heading, written = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)
    assert heading
    assert written == class_tables(), "the tables are outdated; run: python -m ndpir.pages.gpu"


def test_the_errors_are_those_recorded() -> None:
    assert not outdated(error_documents()), "the errors are outdated; run: python -m benchmarks error_tables"


def row(
    kind: str, gpu: str, kernel_class: str, rows: int, model: float, op: str = "op", library: str = "pytorch"
) -> Row:
    return Row(kind, "made", gpu, library, "f16", op, kernel_class, 4 * rows, rows, 50.0, 20.0, model, model, 1.0)


@pytest.mark.parametrize("kind", ["folds", "library left out", "left out"])
def test_errors_are_means_of_rows_with_the_best_the_middle_and_the_worst_group(kind: str) -> None:
    rows = [row(kind, "t4", "gemm", 300, 5.0), row(kind, "l4", "gemm", 100, 9.0)]
    rows += [row(kind, "p4", "gemm", 10, 20.0), row(kind, "t4", "gemm", 20, 7.0, "bmm")]
    found = tables(rows)
    assert found[kind].splitlines()[2:] == [
        "| GEMM | 3 | 3 | 410 | 50.0 | 20.0 | 6.3 | 5.0 | 9.0 | 20 p4, f16 |",
        "| batched GEMM | 1 | 1 | 20 (few) | 50.0 | 20.0 | 7.0 | 7.0 | 7.0 | 7 t4, f16 |",
    ]
    others = {"folds", "library left out", "left out"} - {kind}
    assert all(len(found[other].splitlines()) == 2 for other in others)


def test_libraries_are_compared_by_class() -> None:
    rows = [row("folds", "t4", "gemm", 300, 5.0), row("folds", "h100_sxm", "decode", 250, 8.0, library="vllm")]
    rows += [row("folds", "h200_sxm", "decode", 50, 2.0, library="vllm")]
    assert tables(rows)["libraries"].splitlines()[2:] == [
        "| pytorch | 1 | 300 | 5.0 | - | - | - | - | - | - |",
        "| vllm | - | - | - | - | - | - | 2 | 300 | 7.0 |",
    ]


def test_kinds_of_networks_stand_apart() -> None:
    rows = [row("shipped", "rtx3090", "network", 28, 5.0), row("shipped", "rtx3090", "other network", 8, 23.0)]
    networks = tables(rows)["networks"].splitlines()[2:]
    assert [line.split(" | ")[5] for line in networks] == ["5.0", "23.0"]


def test_readme_states_libraries_and_chips_left_out() -> None:
    classes = ("gemm", "conv_forward", "conv_backward_data", "prefill", "decode")
    rows = [row("folds", "t4", each, 84, 14.0) for each in classes] + [row("left out", "l4", "gemm", 500, 33.0)]
    text = readme_cell(rows)
    assert "420 published measurements of 1 libraries on 1 GPUs" in text
    assert "convolution backward 14 % (worst group 14 %; a roofline 50 %)" in text
    assert "For a chip without measurements: GEMM 33 % |" in text
