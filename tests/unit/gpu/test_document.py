"""Check that the tables in docs/gpu.md and README.md are those generated from the classes of kernels, their constants
and the recorded errors."""

import os
from pathlib import Path

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


def row(kind: str, gpu: str, kernel_class: str, rows: int, model: float, op: str = "op") -> Row:
    return Row(kind, "made", gpu, "f16", op, kernel_class, 4 * rows, rows, 50.0, 20.0, model, model, 1.0)


def test_errors_are_means_of_rows_with_the_middle_and_the_worst_group() -> None:
    rows = [row("shipped", "t4", "gemm", 300, 5.0), row("shipped", "l4", "gemm", 100, 9.0)]
    rows += [row("shipped", "p4", "gemm", 10, 20.0), row("shipped", "t4", "gemm", 20, 7.0, "bmm")]
    found = tables(rows)["held-out kernels"].splitlines()
    assert found[2].startswith("| GEMM | 3 | 3 | 1,640 | 410 | 50.0 | 20.0 | 6.3 | 9.0 | 20 p4, f16 |")
    assert found[3].startswith("| batched GEMM | 1 | 1 | 80 | 20 (few) |")


def test_kinds_of_networks_and_of_energies_stand_apart() -> None:
    rows = [row("shipped", "rtx3090", "network", 28, 5.0), row("shipped", "rtx3090", "other network", 8, 23.0)]
    rows += [row("shipped", "h200_sxm", "energy gemm", 399, 28.0), row("shipped", "h200_sxm", "long gemm", 130, 10.0)]
    rows += [row("shipped", "h200_sxm", "energy prefill", 98, 26.0)]
    networks, energy = (tables(rows)[name].splitlines()[2:] for name in ("networks", "energy"))
    assert [line.split(" | ")[5] for line in networks] == ["5.0", "23.0"]
    assert energy == [
        "| GEMM | h200_sxm | 399 | 28.0 | 130 (few) | 10.0 |",
        "| attention, prefill | h200_sxm | 98 (few) | 26.0 | none | none |",
    ]


def test_readme_states_rows_where_they_are_few_and_gpus_left_out() -> None:
    classes = ("gemm", "conv_forward", "conv_backward_data", "prefill", "decode")
    rows = [row("shipped", "t4", each, 84, 14.0) for each in classes] + [row("left out", "l4", "gemm", 500, 33.0)]
    text = readme_cell(rows)
    assert "convolution backward 14 % (worst group 14 %, only 84 rows; a roofline 50 %)" in text
    assert "For a GPU without measurements: GEMM 33 % (worst 33 %)" in text
