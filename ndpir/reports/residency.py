"""The use of memory of a run: the bytes that each device needs, and the bytes that each memory holds over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from interp.simulate.memory.history import Curve, Floats, history_of_program
from interp.simulate.schedule.iterations import IteratedPlan
from interp.simulate.schedule.planning import Plan
from ndpir.reports.memory import MemoryUse
from ndpir.reports.run import Run

POINTS = 600
"""The largest number of time intervals of a curve; the curve has the largest value within each interval."""


@dataclass(frozen=True)
class MemoryCurve:
    """The bytes in one memory over time."""

    name: str
    capacity_bytes: int
    resident_bytes: int
    """Bytes of weights and constants, which the memory holds during the entire run. They are included in
    `most_bytes`."""
    peak_bytes: int
    end_ns: float
    """The time between the run's start and the end of the last interval."""
    most_bytes: tuple[int, ...]
    """The largest number of bytes in each interval of time; all intervals have equal lengths."""


@dataclass(frozen=True)
class OccupancyAnswer:
    """The curves of all memories of a run, the primary device's first."""

    curves: tuple[MemoryCurve, ...]
    stalled_ns: float
    """The time for which tasks wait for transfers between memories."""
    moved_bytes: dict[str, int]
    """Bytes moved between memories, by cause: prefetched, faulted, evicted, written back."""


def occupancy_answer(run: Run, points: int = POINTS) -> OccupancyAnswer:
    """The curves of all memories of a run, each over at most `points` intervals of time."""
    timeline, machine = run.timeline, run.clock.machine
    curves: dict[str, MemoryCurve] = {}
    if run.function is not None:
        plan = (Plan if timeline.residence is None else IteratedPlan)(run.module, run.clock)
        plan.entry(run.function)
        begins, ends = [event.start_ns for event in timeline.events], [event.end_ns for event in timeline.events]
        steps = plan.residency.steps(timeline.devices, begins, ends)
    else:
        steps = {}
    for name in timeline.devices:
        need, capacity = timeline.memory[name], machine.devices[name].memory_bytes
        held = _curve(steps.get(name, ()), timeline.makespan_ns)
        curves[name] = _drawn(name, capacity, need.resident, need.total, held, timeline.makespan_ns, points)
    stalled, moved = 0.0, dict[str, int]()
    if (residence := timeline.residence) is not None:
        history = history_of_program(residence)
        stalled, moved = history.stalled_ns, {word: round(curve.end) for word, curve in history.moved.items()}
        for level in history.levels:
            peak = round(level.held.peak)
            curves[level.name] = _drawn(level.name, level.capacity, 0, peak, level.held, timeline.makespan_ns, points)
    return OccupancyAnswer(tuple(curves.values()), stalled, moved)


def _curve(steps: Sequence[tuple[float, int]], end_ns: float) -> Curve:
    """A step function as a curve with two points for each step. `steps`: the time of each step and the bytes after the
    step; before the first step, 0 B."""
    times = np.array([0.0, *(at for at, _ in steps), end_ns])
    levels = np.array([0, *(level for _, level in steps)], float)
    return Curve(np.repeat(times, 2)[1:-1], np.repeat(levels, 2))


def _drawn(name: str, capacity: int, resident: int, peak: int, held: Curve, end_ns: float, points: int) -> MemoryCurve:
    edges: Floats = np.linspace(0.0, end_ns, points + 1) if end_ns else np.array([0.0, 0.0])
    most = tuple(resident + round(float(value)) for value in held.most_in(edges))
    return MemoryCurve(name, capacity, resident, peak, end_ns, most)


@dataclass(frozen=True)
class DeviceNeed:
    """The memory that a program needs on a device."""

    device: str
    capacity_bytes: int
    resident_bytes: int
    """Bytes of weights and constants, which the device holds from the start to the end."""
    live_bytes: int
    """The most bytes of all other values that are live at a time."""
    bytes: int
    """The sum of `resident_bytes` and `live_bytes`."""


@dataclass(frozen=True)
class ResidencyAnswer:
    """The use of memory of a run."""

    needs: tuple[DeviceNeed, ...]
    use: MemoryUse | None
    """The bytes held and moved, and the waits, as in the summary; null unless the program exceeds the primary device's
    memory."""
    occupancy: OccupancyAnswer
    """The bytes in each memory over time."""
    stalls_ns: tuple[tuple[float, float], ...]
    """The start and end of each time in which the next task waits for memory."""


def residency_answer(run: Run, use: MemoryUse | None) -> ResidencyAnswer:
    """The use of memory of a run. `use`: the summary's part on memory, None for a program that does not exceed the
    primary device's memory."""
    timeline, devices = run.timeline, run.clock.machine.devices
    needs = tuple(
        DeviceNeed(name, devices[name].memory_bytes, need.resident, need.live, need.total)
        for name, need in timeline.memory.items()
        if name in devices
    )
    stalls = () if timeline.residence is None else history_of_program(timeline.residence).stalls
    return ResidencyAnswer(needs, use, occupancy_answer(run), stalls)
