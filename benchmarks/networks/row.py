"""A row of a table of complete networks: measured and predicted times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from benchmarks.gpu.measurements import EmptyFields, rows_of
from dialects.diagnostics import InputError

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """A measured network: its name, its measured time, and the times predicted by ndpir and by a roofline."""

    source: str
    gpu: str
    model: str
    what: str
    """The mode, the batch size and other properties that distinguish the rows of one model."""
    group: tuple[str, ...]
    """The name of the group of rows for which a common error is reported."""
    measured_ns: float
    predicted_ns: float
    roofline_ns: float
    origin: str = "graph"
    """The basis of the prediction: the network's graph, or its numbers of MACs and activations."""
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    """The predicted time by kernel class, ns, if it was recorded."""


def read_rows(path: Path, read: Callable[[Mapping[str, str]], T]) -> list[T]:
    """Read the rows of a file; rows with an empty field are skipped, with a note.

    Raises InputError with the line of a row that can't be read."""
    result: list[T] = []
    empty = EmptyFields(path)
    for line, row in rows_of(path):
        try:
            with empty.left_out(row, line):
                result.append(read(row))
        except KeyError as error:
            raise InputError(
                f"column {error} is missing; tests/data/gpu/README.md lists the columns", str(path)
            ) from None
        except ValueError as error:
            raise InputError(f"this row can't be read ({error}); expected numbers", f"{path}:{line}") from None
    empty.report()
    return result
