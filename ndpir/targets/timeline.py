"""`-t timeline`: a table of tasks and copies with start, end and costs, followed by totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, ClassVar, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialects.locations import place_of
from interp.cost.clock import Clock
from interp.cost.coverage import costs_line
from interp.figures import BY_COMPONENT, OF_BOARDS, energy, percent, size, table, time
from interp.schedule.simulation import simulate
from interp.schedule.timeline import Event, Timeline
from lowering.banks.templates import clock_for


@dataclass(frozen=True)
class _Line:
    """A row of the table: a task or copy, a transfer between memories, or a wait for one. `body`: the timeline of one
    iteration, for a loop."""

    start_ns: float
    end_ns: float
    ns: float
    on: str
    name: str
    bound: str
    nbytes: int
    energy_nj: float
    place: str
    body: Timeline | None = None


_ORDERS: dict[str, Callable[[_Line], tuple[float, ...]]] = {
    "start": lambda line: (line.start_ns, line.end_ns),
    "time": lambda line: (-line.ns,),
    "energy": lambda line: (-line.energy_nj,),
    "bytes": lambda line: (-line.nbytes,),
    "program": lambda line: (),
}


@dataclass(frozen=True)
class TimelineTarget(Target):
    """A table of tasks and copies: start, end, device or link, source, bound, bytes and energy; then the totals. For a
    program that exceeds the primary device's memory, also transfers to and from the memory behind it, and the tasks'
    waits for them.

    `limit`: the number of rows to show (0: all). `sort`: by start, time, energy, bytes (largest first), or program
    order. `by`: `task` for one row per task, or `kind` for one row per name and device, longest total first. `entry`:
    the function; default: `main`, or the first one.
    """

    name: ClassVar[str] = "timeline"
    NEEDS_MACHINE: ClassVar[bool] = True
    BASELINE: ClassVar[bool] = False
    limit: int = 0
    sort: Literal["start", "time", "energy", "bytes", "program"] = "start"
    by: Literal["task", "kind"] = "task"
    entry: str | None = None

    def __post_init__(self) -> None:
        if self.limit < 0:
            raise ValueError(f"`limit` of timeline is a number of rows from 0 (all) on, not {self.limit}")

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        clock = clock_for(module)
        timeline = simulate(module, clock, self.entry)
        output.write(
            kinds_table(timeline, self.limit) if self.by == "kind" else events_table(timeline, self.sort, self.limit)
        )
        output.write("\n" + totals_text(timeline, clock))


def events_table(timeline: Timeline, sort: str = "start", limit: int = 0) -> str:
    """The table of events, with one row per task, copy, transfer and wait."""
    events = list(_sorted(timeline, sort))
    shown = events[:limit] if limit > 0 else events
    rows = [_row(*each) for each in shown]
    header = ("start", "end", "time", "on", "task", "bound", "bytes", "energy", "source")
    text = table(header, rows, left=(3, 4, 5, 8))
    if len(shown) < len(events):
        text += f"... {len(events) - len(shown)} more (timeline{{limit=0}} shows all)\n"
    return text


def kinds_table(timeline: Timeline, limit: int = 0) -> str:
    """The table of kinds: one row for all tasks or copies of one name on one device or link, with their sums."""
    alike: dict[tuple[str, str], list[tuple[Event, int]]] = {}
    for event, iterations, _ in timeline.tasks():
        alike.setdefault((event.name, event.resource), []).append((event, iterations))
    sums = {key: sum(event.cost.ns * iterations for event, iterations in found) for key, found in alike.items()}
    total = sum(sums.values()) or 1.0
    shown = sorted(alike, key=lambda key: -sums[key])
    rows = [
        (
            time(sums[key]),
            percent(sums[key] / total),
            str(sum(iterations for _, iterations in alike[key])),
            key[1],
            key[0],
            size(sum(event.cost.bytes * iterations for event, iterations in alike[key])),
            energy(sum(event.cost.energy_nj * iterations for event, iterations in alike[key])),
        )
        for key in shown[: limit or None]
    ]
    text = table(("time", "of all", "tasks", "on", "task", "bytes", "energy"), rows, left=(3, 4))
    return text + (f"... {len(shown) - limit} more (timeline{{limit=0}} shows all)\n" if 0 < limit < len(shown) else "")


def _sorted(timeline: Timeline, sort: str, begin_ns: float = 0.0, depth: int = 0) -> Iterator[tuple[_Line, float, int]]:
    """All rows, those of a loop's body after the loop. Each comes with the start in ns of its loop's first iteration,
    which the row's own times are relative to, and with the number of loops around it."""
    for line in sorted(_lines(timeline), key=_ORDERS[sort]):
        yield line, begin_ns, depth
        if line.body is not None:
            yield from _sorted(line.body, sort, begin_ns + line.start_ns, depth + 1)


def _lines(timeline: Timeline) -> Iterator[_Line]:
    """Rows of the events, in program order; then rows of waits for memory, then of transfers between memories."""
    for event in timeline.events:
        on, cost = event.resource + (f".{event.queue}" if event.queue else ""), event.cost
        what = event.name, cost.bound, cost.bytes, cost.energy_nj, event.place, event.body
        yield _Line(event.start_ns, event.end_ns, cost.ns, on, *what)
    if (residence := timeline.residence) is None:
        return
    for stall in residence.stalls:
        event, lasted = None if stall.event is None else timeline.events[stall.event], stall.end_ns - stall.start_ns
        name, on, place = (event.name, event.resource, event.place) if event else (stall.name, residence.device, "")
        yield _Line(stall.start_ns, stall.end_ns, lasted, on, f"wait for memory ({name})", "", 0, 0.0, place)
    for each in residence.transfers:
        what = each.name, each.tier, round(each.nbytes), each.energy_nj, place_of(each.op) or ""
        yield _Line(each.start_ns, each.end_ns, each.end_ns - each.start_ns, each.resource, *what)


def _row(line: _Line, begin_ns: float, depth: int) -> tuple[str, ...]:
    return (
        time(begin_ns + line.start_ns),
        time(begin_ns + line.end_ns),
        time(line.ns),
        line.on,
        "  " * depth + line.name,
        line.bound,
        size(line.nbytes),
        energy(line.energy_nj),
        line.place,
    )


def totals_text(timeline: Timeline, clock: Clock) -> str:
    """Lines on makespan, bound, gap and energy; then a table of devices and links: busy time, energy, and memory
    needed."""
    lines = [
        f"makespan  {time(timeline.makespan_ns)}",
        f"bound     {time(timeline.bound_ns)}, on any schedule of these tasks and copies ({timeline.bound_by})",
        f"gap       {percent(timeline.gap)}",
        f"energy    {energy(timeline.total_energy_nj)} {BY_COMPONENT}",
        *([f"board     {energy(timeline.board_nj)} {OF_BOARDS}"] if timeline.metered else []),
        f"copied    {size(timeline.bytes_copied)}",
        *_residence(timeline),
    ]
    if (costs := costs_line(timeline, clock)) is not None:
        lines.append(f"costs     {costs}")
    rows = [
        (name, time(timeline.busy_ns[name]), percent(timeline.utilisation(name)), energy(timeline.energy_nj[name]))
        + (_device_cells(timeline, name, clock) if name in timeline.devices else ("", "", ""))
        for name in timeline.resources
    ]
    header = ("on", "busy", "of makespan", "energy", "idle energy", "memory", "of capacity")
    return "\n".join(lines) + "\n\n" + table(header, rows, left=(0,))


def _residence(timeline: Timeline) -> list[str]:
    """A line on the bytes moved from and to the memory behind the primary device, and on the time that tasks waited."""
    if (residence := timeline.residence) is None:
        return []
    inward, outward = residence.moved("prefetch", "fault"), residence.moved("evict", "write back")
    run = f" (run {residence.runs} of the program)" if residence.runs > 1 else ""
    return [
        f"memory    {size(round(inward))} into and {size(round(outward))} out of @{residence.device}; tasks wait "
        f"{time(residence.stalled_ns)} for these transfers{run}"
    ]


def _device_cells(timeline: Timeline, name: str, clock: Clock) -> tuple[str, str, str]:
    need = timeline.memory[name].total
    return energy(timeline.idle_nj[name]), size(need), percent(need / clock.machine.devices[name].memory_bytes)
