"""Rows of a timeline as plain data: a row for each task, copy, loop, transfer between memories and wait for memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias

RowKind: TypeAlias = Literal["task", "copy", "loop", "transfer", "wait"]


@dataclass(frozen=True)
class Row:
    """One task, copy or loop, one transfer between memories, or one wait for memory.

    In a loop's body, times are those of the first iteration, and all other numbers are per iteration.
    """

    kind: RowKind
    name: str
    on: str
    """The resource: a device, `device.queue`, or a link's direction (`gpu->pim`); `loops` for a loop."""
    start_ns: float
    """The start, in ns from the start of the program's run."""
    end_ns: float
    ns: float
    """The duration without slowdown; shorter than `end_ns - start_ns` if concurrent jobs slow it down."""
    bound: str
    """The component that limits the time; for a transfer between memories, the name of the tier that the device's
    memory exchanges bytes with."""
    bytes: int
    energy_nj: float
    flops: int
    place: str
    """The place of the op in the program's source (`file:line:col`, or an ONNX node's name)."""
    depth: int = 0
    """The number of loops that contain the op of the row."""
    times: int = 1
    """The number of times that the task, copy or loop of the row runs: the product of the iteration counts of all loops
    around it."""


Order: TypeAlias = Literal["start", "time", "energy", "bytes", "program"]
_ORDERS: dict[Order, Callable[[Row], tuple[float, ...]]] = {
    "start": lambda row: (row.start_ns, row.end_ns),
    "time": lambda row: (-row.ns,),
    "energy": lambda row: (-row.energy_nj,),
    "bytes": lambda row: (-row.bytes,),
    "program": lambda row: (),
}


class HasEntries(Protocol):
    """The part of a timeline's interface that `rows` uses."""

    def entries(self) -> Iterable[tuple[Row, HasEntries | None, int]]:
        """Rows outside of loops, each as (row, timeline, count). For a loop: the timeline of one iteration and the
        number of iterations; for any other row: None and the number of its runs. Times count from the timeline's
        start."""
        ...


def rows(timeline: HasEntries, order: Order = "start") -> Iterator[Row]:
    """All rows, sorted within each loop; the rows of a loop's body follow the loop's row."""
    return _sorted(timeline, order, Row("loop", "", "", 0.0, 0.0, 0.0, "", 0, 0.0, 0, "", -1, 1))


def _sorted(timeline: HasEntries, order: Order, around: Row) -> Iterator[Row]:
    for row, body, iterations in sorted(timeline.entries(), key=lambda each: _ORDERS[order](each[0])):
        placed = replace(
            row,
            start_ns=around.start_ns + row.start_ns,
            end_ns=around.start_ns + row.end_ns,
            depth=around.depth + 1,
            times=around.times,
        )
        yield placed
        if body is not None:
            yield from _sorted(body, order, replace(placed, times=around.times * iterations))
