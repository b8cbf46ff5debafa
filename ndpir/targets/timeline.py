"""`-t timeline`: when everything happens, as a table for people and CHECK lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, ClassVar, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from interp.cost.clock import Clock
from interp.cost.coverage import costs_line
from interp.figures import BY_COMPONENT, OF_BOARDS, energy, percent, size, table, time
from interp.schedule.simulation import simulate
from interp.schedule.timeline import Event, Timeline
from lowering.banks.templates import clock_for

_ORDERS: dict[str, Callable[[Event], tuple[float, ...]]] = {
    "start": lambda event: (event.start_ns, event.end_ns),
    "time": lambda event: (-event.cost.ns,),
    "energy": lambda event: (-event.cost.energy_nj,),
    "bytes": lambda event: (-event.cost.bytes,),
    "program": lambda event: (),
}


@dataclass(frozen=True)
class TimelineTarget(Target):
    """Each task and copy with its start, end, device or link, source, bound, bytes and energy; then the totals.

    `limit`: how many rows are shown (0: all). `sort`: by start, time, energy, bytes (largest first), or program order.
    `by`: a row a task, or a row for all tasks of a kind, that is of one name on one device, the longest first.
    `entry`: the function, where it is not `main` or the first one.
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
            raise ValueError(f"timeline shows a number of rows from 0 (all) on, not {self.limit}")

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        clock = clock_for(module)
        timeline = simulate(module, clock, self.entry)
        output.write(
            kinds_table(timeline, self.limit) if self.by == "kind" else events_table(timeline, self.sort, self.limit)
        )
        output.write("\n" + totals_text(timeline, clock))


def events_table(timeline: Timeline, sort: str = "start", limit: int = 0) -> str:
    """The rows of the events."""
    events = list(_sorted(timeline, sort))
    shown = events[:limit] if limit > 0 else events
    rows = [_row(*each) for each in shown]
    header = ("start", "end", "time", "on", "task", "bound", "bytes", "energy", "source")
    text = table(header, rows, left=(3, 4, 5, 8))
    if len(shown) < len(events):
        text += f"... {len(events) - len(shown)} more (timeline{{limit=0}} shows all)\n"
    return text


def kinds_table(timeline: Timeline, limit: int = 0) -> str:
    """A row for all tasks and copies of one name on one device or link, with what they take together."""
    alike: dict[tuple[str, str], list[tuple[Event, int]]] = {}
    for event, turns, _ in timeline.tasks():
        alike.setdefault((event.name, event.resource), []).append((event, turns))
    sums = {key: sum(event.cost.ns * turns for event, turns in found) for key, found in alike.items()}
    whole = sum(sums.values()) or 1.0
    shown = sorted(alike, key=lambda key: -sums[key])
    rows = [
        (
            time(sums[key]),
            percent(sums[key] / whole),
            str(sum(turns for _, turns in alike[key])),
            key[1],
            key[0],
            size(sum(event.cost.bytes * turns for event, turns in alike[key])),
            energy(sum(event.cost.energy_nj * turns for event, turns in alike[key])),
        )
        for key in shown[: limit or None]
    ]
    text = table(("time", "of all", "tasks", "on", "task", "bytes", "energy"), rows, left=(3, 4))
    return text + (f"... {len(shown) - limit} more (timeline{{limit=0}} shows all)\n" if 0 < limit < len(shown) else "")


def _sorted(timeline: Timeline, sort: str, begin_ns: float = 0.0, depth: int = 0) -> Iterator[tuple[Event, float, int]]:
    """The events, those of a loop's body behind the loop: each with when all around it begins for the first time, and
    in how many loops it stands."""
    for event in sorted(timeline.events, key=_ORDERS[sort]):
        yield event, begin_ns, depth
        if event.body is not None:
            yield from _sorted(event.body, sort, begin_ns + event.start_ns, depth + 1)


def _row(event: Event, begin_ns: float, depth: int) -> tuple[str, ...]:
    return (
        time(begin_ns + event.start_ns),
        time(begin_ns + event.end_ns),
        time(event.cost.ns),
        event.resource + (f".{event.queue}" if event.queue else ""),
        "  " * depth + event.name,
        event.cost.bound,
        size(event.cost.bytes),
        energy(event.cost.energy_nj),
        event.place,
    )


def totals_text(timeline: Timeline, clock: Clock) -> str:
    """Makespan, bound and gap; then each device and link: how busy it is, its energy, and what memory it needs."""
    lines = [
        f"makespan  {time(timeline.makespan_ns)}",
        f"bound     {time(timeline.bound_ns)}, on any schedule of these tasks and copies ({timeline.bound_by})",
        f"gap       {percent(timeline.gap)}",
        f"energy    {energy(timeline.total_energy_nj)} {BY_COMPONENT}",
        *([f"board     {energy(timeline.board_nj)} {OF_BOARDS}"] if timeline.metered else []),
        f"copied    {size(timeline.bytes_copied)}",
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


def _device_cells(timeline: Timeline, name: str, clock: Clock) -> tuple[str, str, str]:
    need = timeline.memory[name].total
    return energy(timeline.idle_nj[name]), size(need), percent(need / clock.machine.devices[name].memory_bytes)
