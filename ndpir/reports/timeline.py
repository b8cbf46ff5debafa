"""`-t timeline`: a table of tasks and copies with start, end and costs, followed by totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from xdsl.dialects.builtin import ModuleOp

from dialects.text.columns import table
from interp.figures import BY_COMPONENT, OF_BOARDS, energy, percent, size, time
from interp.kinds.clock import Clock
from interp.simulate.memory.residence import Residence
from interp.simulate.schedule.coverage import costs_line
from interp.simulate.schedule.rows import Order, Row, rows
from interp.simulate.schedule.timeline import Event, Timeline
from ndpir.reports.answers.opaque import OpaqueUse, opaque_uses, opaque_words
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget


@dataclass(frozen=True)
class Totals:
    """Time and energy of a run, and a lower bound on the time of any schedule of the same tasks and copies."""

    makespan_ns: float
    bound_ns: float
    bound_by: str
    gap: float
    """Makespan divided by the bound, minus 1."""
    energy_nj: float
    """Energy in nJ: the sum over operations, bytes and commands, and over idle power if a sheet states one."""
    board_nj: float | None
    """Energy of whole boards in nJ, static power and losses included; null if no device has a calibrated board."""
    bytes_copied: int
    """Bytes moved over links by copies."""

    @classmethod
    def of(cls, timeline: Timeline) -> Totals:
        """The totals of a timeline."""
        return cls(
            timeline.makespan_ns,
            timeline.bound_ns,
            timeline.bound_by,
            timeline.gap,
            timeline.total_energy_nj,
            timeline.board_nj if timeline.metered else None,
            timeline.bytes_copied,
        )


@dataclass(frozen=True)
class Resource:
    """A device or one direction of a link, with the tasks or copies that it ran: number, busy time, energy."""

    name: str
    kind: Literal["device", "link"]
    tasks: int
    """The number of tasks or copies that the device or link runs; a task in a loop counts once for each iteration."""
    busy_ns: float
    utilisation: float
    """Busy time divided by the makespan."""
    energy_nj: float
    """The energy in nJ of the tasks or copies, without idle power."""
    idle_nj: float | None
    """The energy in nJ of the device's idle power over the makespan; null for a link."""
    memory_bytes: int | None
    """The bytes of the device's memory that the program needs; null for a link."""
    capacity_bytes: int | None


@dataclass(frozen=True)
class Moves:
    """Bytes moved between a device's memory and the memory tiers that extend it, and the time that tasks wait for these
    moves."""

    device: str
    in_bytes: int
    out_bytes: int
    stalled_ns: float
    runs: int
    """The number of runs: the program is run repeatedly until the memory's state repeats, and the last run is shown."""

    @classmethod
    def of(cls, residence: Residence) -> Moves:
        """The moves of a run."""
        inward, outward = residence.moved("prefetch", "fault"), residence.moved("evict", "write back")
        return cls(residence.device, round(inward), round(outward), residence.stalled_ns, residence.runs)


@dataclass(frozen=True)
class Kind:
    """All tasks or copies of one name on one device or link, those in loops counted once for each iteration."""

    name: str
    on: str
    """The device or the direction of a link."""
    tasks: int
    ns: float
    """The sum of the times of these tasks or copies."""
    share: float
    """`ns` divided by the sum of the times of all tasks and copies."""
    bytes: int
    energy_nj: float


@dataclass(frozen=True)
class TimelineAnswer:
    """A run's timeline."""

    totals: Totals
    moves: Moves | None
    costs: str | None
    """The sources of the times, if profiles are in use."""
    resources: tuple[Resource, ...]
    rows: tuple[Row, ...]
    kinds: tuple[Kind, ...]
    """The tasks and copies by name and device or link, the longest total time first."""
    opaque: tuple[OpaqueUse, ...]
    """The operators of which only the bytes are known (`--opaque`), the longest total time first."""


def timeline_answer(run: Run, order: Order = "start") -> TimelineAnswer:
    """The timeline of a run. `order`: the order of its rows."""
    return timeline_data(run.timeline, run.clock, order)


def timeline_data(timeline: Timeline, clock: Clock, order: Order = "start") -> TimelineAnswer:
    """The answer for a timeline and the clock that it was simulated with."""
    moves = None if timeline.residence is None else Moves.of(timeline.residence)
    found = tuple(rows(timeline, order))
    uses = opaque_uses(timeline, clock)
    resources, costs = resources_of(timeline, clock), costs_line(timeline, clock)
    return TimelineAnswer(Totals.of(timeline), moves, costs, resources, found, kinds_of(timeline), uses)


def kinds_of(timeline: Timeline) -> tuple[Kind, ...]:
    """The tasks and copies by name and device or link."""
    alike: dict[tuple[str, str], list[tuple[Event, int]]] = {}
    for event, iterations, _ in timeline.tasks():
        alike.setdefault((event.name, event.resource), []).append((event, iterations))
    sums = {key: sum(event.cost.ns * iterations for event, iterations in found) for key, found in alike.items()}
    total = sum(sums.values()) or 1.0
    return tuple(
        Kind(
            name,
            resource,
            sum(iterations for _, iterations in alike[name, resource]),
            sums[name, resource],
            sums[name, resource] / total,
            sum(event.cost.bytes * iterations for event, iterations in alike[name, resource]),
            sum(event.cost.energy_nj * iterations for event, iterations in alike[name, resource]),
        )
        for name, resource in sorted(alike, key=lambda key: -sums[key])
    )


def resources_of(timeline: Timeline, clock: Clock) -> tuple[Resource, ...]:
    """The devices in the machine's order, then the links in order of first use."""
    tasks = dict.fromkeys(timeline.resources, 0)
    for event, times, _ in timeline.tasks():
        tasks[event.resource] += times
    found: list[Resource] = []
    for name in timeline.resources:
        is_device = name in timeline.devices
        found.append(
            Resource(
                name,
                "device" if is_device else "link",
                tasks[name],
                timeline.busy_ns[name],
                timeline.utilisation(name),
                timeline.energy_nj[name],
                timeline.idle_nj[name] if is_device else None,
                timeline.memory[name].total if is_device else None,
                clock.machine.devices[name].memory_bytes if is_device else None,
            )
        )
    return tuple(found)


@dataclass(frozen=True)
class TimelineTarget(AnswerTarget[TimelineAnswer]):
    """A table of tasks and copies: start, end, device or link, source, bound, bytes and energy; then the totals. For a
    program that exceeds the primary device's memory, also transfers to and from the memory behind it, and the tasks'
    waits for these transfers.

    `limit`: the number of rows to show (0: all). `sort`: by start, time, energy, bytes (largest first), or program
    order. `by`: `task` for one row per task, or `kind` for one row per name and device, longest total first. `entry`:
    the function; default: `main`, or else the first function. `json`: the answer as JSON, with all rows of both tables.
    """

    name: ClassVar[str] = "timeline"
    BASELINE: ClassVar[bool] = False
    limit: int = 0
    sort: Order = "start"
    by: Literal["task", "kind"] = "task"
    entry: str | None = None

    def __post_init__(self) -> None:
        if self.limit < 0:
            raise ValueError(f"`limit` of timeline is a number of rows from 0 (all) on, not {self.limit}")

    def answer(self, module: ModuleOp) -> TimelineAnswer:
        return timeline_answer(Run.of(module, self.entry), self.sort)

    def text(self, answer: TimelineAnswer) -> str:
        rows = kinds_table(answer.kinds, self.limit) if self.by == "kind" else rows_table(answer.rows, self.limit)
        return f"{rows}\n{totals_text(answer)}"


def rows_table(rows: Sequence[Row], limit: int = 0) -> str:
    """The table of events, with one row per task, copy, transfer and wait."""
    header = ("start", "end", "time", "on", "task", "bound", "bytes", "energy", "source")
    shown = rows[:limit] if limit > 0 else rows
    text = table(header, [_cells(row) for row in shown], left=(3, 4, 5, 8))
    if len(shown) < len(rows):
        text += f"... {len(rows) - len(shown)} more (timeline{{limit=0}} shows all)\n"
    return text


def _cells(row: Row) -> tuple[str, ...]:
    return (
        time(row.start_ns),
        time(row.end_ns),
        time(row.ns),
        row.on,
        "  " * row.depth + row.name,
        row.bound,
        size(row.bytes),
        energy(row.energy_nj),
        row.place,
    )


def kinds_table(kinds: Sequence[Kind], limit: int = 0) -> str:
    """The table with one row for all tasks or copies of the same name on the same device or link, with their totals."""
    rows = [
        (
            time(kind.ns),
            percent(kind.share),
            str(kind.tasks),
            kind.on,
            kind.name,
            size(kind.bytes),
            energy(kind.energy_nj),
        )
        for kind in kinds[: limit or None]
    ]
    text = table(("time", "of all", "tasks", "on", "task", "bytes", "energy"), rows, left=(3, 4))
    return text + (f"... {len(kinds) - limit} more (timeline{{limit=0}} shows all)\n" if 0 < limit < len(kinds) else "")


def totals_text(answer: TimelineAnswer) -> str:
    """Lines on makespan, bound, gap and energy; then a table of devices and links: busy time, energy, and memory
    needed."""
    totals = answer.totals
    lines = [
        f"makespan  {time(totals.makespan_ns)}",
        f"bound     {time(totals.bound_ns)}, on any schedule of these tasks and copies ({totals.bound_by}"
        f"{_unmoved(answer)})",
        *([f"gap       {percent(totals.gap)}"] if answer.moves is None else []),
        f"energy    {energy(totals.energy_nj)} {BY_COMPONENT}",
        *([f"board     {energy(totals.board_nj)} {OF_BOARDS}"] if totals.board_nj is not None else []),
        f"copied    {size(totals.bytes_copied)}",
        *([_moved(answer.moves)] if answer.moves is not None else []),
        *([f"costs     {answer.costs}"] if answer.costs is not None else []),
        *(f"opaque    {words}" for words in opaque_words(answer.opaque)),
    ]
    rows = [
        (one.name, time(one.busy_ns), percent(one.utilisation), energy(one.energy_nj), *_device_cells(one))
        for one in answer.resources
    ]
    header = ("on", "busy", "of makespan", "energy", "idle energy", "memory", "of capacity")
    return "\n".join(lines) + "\n\n" + table(header, rows, left=(0,))


def _unmoved(answer: TimelineAnswer) -> str:
    return "" if answer.moves is None else "; not counting moves between memories"


def _moved(moves: Moves) -> str:
    """A line on the bytes moved into and out of the primary device's memory, and on the time that tasks wait for these
    transfers."""
    run = f" (run {moves.runs} of the program)" if moves.runs > 1 else ""
    return (
        f"memory    {size(moves.in_bytes)} into and {size(moves.out_bytes)} out of @{moves.device}; tasks wait "
        f"{time(moves.stalled_ns)} for these transfers{run}"
    )


def _device_cells(one: Resource) -> tuple[str, str, str]:
    """The cells of a device's idle energy, and of its used memory in bytes and as a fraction of the capacity; empty for
    a link."""
    if one.idle_nj is None or one.memory_bytes is None or one.capacity_bytes is None:
        return "", "", ""
    return energy(one.idle_nj), size(one.memory_bytes), percent(one.memory_bytes / one.capacity_bytes)
