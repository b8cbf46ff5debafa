"""Record of the errors that the documents state, one row for each group of measurements: errors.csv beside this file.

`python benchmarks/gpu_accuracy.py … --record` writes the rows of a kind of run, and `python -m benchmarks error_tables`
writes the tables of README.md and docs/gpu.md from them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.gpu.bars import Score
from dialects.diagnostics import FileName, InputError
from dialects.files import write_text

FILE = Path(__file__).with_name("errors.csv")
KINDS = ("shipped", "folds", "library left out", "left out")
"""The kinds of runs: the shipped calibrations on rows that no fit used; refits by folds of shapes; refits without any
row of a library on a chip and its siblings; and refits without any row of the chip that they predict."""


@dataclass(frozen=True)
class Row:
    """The mean absolute errors, in %, on a group of measurements."""

    kind: str
    set: str
    gpu: str
    library: str
    element: str
    op: str
    kernel_class: str
    fitted: int | None
    """Rows of the group that fits used; None if that is not recorded."""
    rows: int
    """Rows that the errors are for."""
    roofline: float | None
    two_constants: float | None
    model: float
    median: float
    bias: float
    """Mean logarithm of the ratio of predicted to measured times, in %."""

    @staticmethod
    def of(kind: str, score: Score) -> Row:
        errors = {name: round(each.mape, 2) for name, each in score.errors.items()}
        key = (score.source, score.gpu, score.library, score.element, score.label, score.kernel_class)
        model = score.model
        others = errors.get("roofline"), errors.get("two constants")
        ends = errors["model"], round(model.median, 2), round(model.bias, 2)
        return Row(kind, *key, score.left_out, model.count, *others, *ends)


NAMES = tuple(Row.__dataclass_fields__)


def read(path: Path = FILE) -> list[Row]:
    """Read the rows of a record."""
    with path.open(newline="", encoding="utf-8") as file:
        return [_row(each) for each in csv.DictReader(file)]


def _row(fields: dict[str, str]) -> Row:
    words = [fields[name] for name in NAMES[:7]]
    counts = [int(fields[name]) if fields[name] else None for name in ("fitted", "rows")]
    errors = [float(fields[name]) if fields[name] else None for name in NAMES[9:]]
    return Row(*words, *counts, *errors)  # pyright: ignore[reportArgumentType]


def write(kind: str, scores: Iterable[Score], path: Path = FILE) -> None:
    """Replace the rows of a kind of run that are for the same classes of kernels as `scores`."""
    fresh = [Row.of(kind, score) for score in scores]
    classes = {row.kernel_class for row in fresh}
    kept = [row for row in (read(path) if path.exists() else []) if row.kind != kind or row.kernel_class not in classes]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(NAMES)
    order = sorted(
        [*kept, *fresh],
        key=lambda row: (KINDS.index(row.kind), row.kernel_class, row.set, row.gpu, row.library, row.element, row.op),
    )
    writer.writerows([("" if value is None else value for value in vars(row).values()) for row in order])
    try:
        write_text(path, text.getvalue())
    except OSError as error:
        raise InputError(
            f"the record can't be written: {(error.strerror or str(error)).lower()}", FileName(path)
        ) from None


def of_kind(rows: Sequence[Row], kind: str) -> list[Row]:
    return [row for row in rows if row.kind == kind]
