"""Rows of a timeline as plain data: a row for each task, copy, loop, transfer between memories and wait for memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from dialects.locations import place_of
from interp.schedule.timeline import Timeline

RowKind: TypeAlias = Literal["task", "copy", "loop", "transfer", "wait"]


@dataclass(frozen=True)
class Row:
    """One task, copy or loop, one transfer between memories, or one wait for memory.

    In a loop's body, times are those of the first iteration, and all other numbers those of one iteration.
    """

    kind: RowKind
    name: str
    on: str
    """The resource: a device, `device.queue`, or a link's direction (`gpu->pim`); `loops` for a loop."""
    start_ns: float
    """The start, in ns from the run's start."""
    end_ns: float
    ns: float
    """The time of the work alone; shorter than `end_ns - start_ns` if other work slows it down."""
    bound: str
    """The component that limits the time; of a transfer, the memory behind the device that it moves from or to."""
    bytes: int
    energy_nj: float
    flops: int
    place: str
    """The line of the program that the work comes from (`file:line:col`, or an ONNX node's name)."""
    depth: int = 0
    """The number of loops that contain it."""
    times: int = 1
    """The number of times that it runs: the product of the iterations of all loops around it."""


Order: TypeAlias = Literal["start", "time", "energy", "bytes", "program"]
_ORDERS: dict[Order, Callable[[Row], tuple[float, ...]]] = {
    "start": lambda row: (row.start_ns, row.end_ns),
    "time": lambda row: (-row.ns,),
    "energy": lambda row: (-row.energy_nj,),
    "bytes": lambda row: (-row.bytes,),
    "program": lambda row: (),
}


def rows(timeline: Timeline, order: Order = "start") -> Iterator[Row]:
    """All rows, sorted within each loop; the rows of a loop's body follow the loop's row."""
    return _sorted(timeline, order, Row("loop", "", "", 0.0, 0.0, 0.0, "", 0, 0.0, 0, "", -1, 1))


def _sorted(timeline: Timeline, order: Order, around: Row) -> Iterator[Row]:
    found = sorted(_rows(timeline), key=lambda each: _ORDERS[order](each[0]))
    for row, body, iterations in found:
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


def _rows(timeline: Timeline) -> Iterator[tuple[Row, Timeline | None, int]]:
    """Rows outside of loops, with times from the timeline's start. A loop's row comes with the timeline of one
    iteration and the number of iterations; any other row with None and its number of runs."""
    for event in timeline.events:
        kind: RowKind = "loop" if event.body is not None else "copy" if event.is_copy else "task"
        on, cost = event.resource + (f".{event.queue}" if event.queue else ""), event.cost
        work = cost.ns, cost.bound, cost.bytes, cost.energy_nj, cost.flops, event.place
        yield Row(kind, event.name, on, event.start_ns, event.end_ns, *work), event.body, event.iterations
    if (residence := timeline.residence) is None:
        return
    for stall in residence.stalls:
        event, lasted = None if stall.event is None else timeline.events[stall.event], stall.end_ns - stall.start_ns
        name, on, place = (event.name, event.resource, event.place) if event else (stall.name, residence.device, "")
        named = f"wait for memory ({name})"
        yield Row("wait", named, on, stall.start_ns, stall.end_ns, lasted, "", 0, 0.0, 0, place), None, 1
    for each in residence.transfers:
        ends, moved = (each.start_ns, each.end_ns), (round(each.nbytes), each.energy_nj, 0, place_of(each.op) or "")
        yield Row("transfer", each.name, each.resource, *ends, ends[1] - ends[0], each.tier, *moved), None, 1
