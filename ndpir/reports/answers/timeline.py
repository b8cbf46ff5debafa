"""The answer of `-t timeline`: totals of a run and of each device and link, and a row for each task, copy, transfer and
wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from interp.kinds.clock import Clock
from interp.simulate.memory.residence import Residence
from interp.simulate.schedule.coverage import costs_line
from interp.simulate.schedule.rows import Order, Row, rows
from interp.simulate.schedule.timeline import Event, Timeline
from ndpir.reports.run import Run


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


def timeline_answer(run: Run, order: Order = "start") -> TimelineAnswer:
    """The timeline of a run. `order`: the order of its rows."""
    return timeline_data(run.timeline, run.clock, order)


def timeline_data(timeline: Timeline, clock: Clock, order: Order = "start") -> TimelineAnswer:
    """The answer for a timeline and the clock that it was simulated with."""
    moves = None if timeline.residence is None else Moves.of(timeline.residence)
    found = tuple(rows(timeline, order))
    resources, costs = resources_of(timeline, clock), costs_line(timeline, clock)
    return TimelineAnswer(Totals.of(timeline), moves, costs, resources, found, kinds_of(timeline))


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
