"""A row of a table of whole networks: what was measured, and what we say."""

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
    """A measured network, and what we say."""

    source: str
    gpu: str
    model: str
    what: str
    """Mode, batch, and what else tells rows of a model apart."""
    group: tuple[str, ...]
    """The groups by which errors are reported."""
    measured_ns: float
    predicted_ns: float
    roofline_ns: float
    origin: str = "graph"
    """The input of the network's timing: its graph, or its MACs and activations."""
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    """Our time by kernel class, ns, where it is kept."""


def read_rows(path: Path, read: Callable[[Mapping[str, str]], T]) -> list[T]:
    """The rows that a reader makes of a file; rows with an empty field are left out, which a note says. Raises
    InputError with the line of one that it can't read."""
    result: list[T] = []
    empty = EmptyFields(path)
    for line, row in rows_of(path):
        try:
            with empty.left_out(row, line):
                result.append(read(row))
        except KeyError as error:
            raise InputError(
                f"there is no column {error}; tests/data/gpu/README.md says which there are", str(path)
            ) from None
        except ValueError as error:
            raise InputError(f"this row can't be read ({error}); numbers are expected", f"{path}:{line}") from None
    empty.tell()
    return result
