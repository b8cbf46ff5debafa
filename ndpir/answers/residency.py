"""The use of memory of a run: the bytes that each device needs, and, with memories behind the primary device's, the
bytes in each of them over time."""

from __future__ import annotations

from dataclasses import dataclass

from interp.memory.history import Curve, history_of_program
from interp.memory.residence import Residence
from ndpir.answers.memory import MemoryUse
from ndpir.answers.run import Run


@dataclass(frozen=True)
class DeviceNeed:
    """The memory that a program needs on a device."""

    device: str
    capacity_bytes: int
    resident_bytes: int
    """Weights and constants, from the start to the end."""
    live_bytes: int
    """The peak of all other values."""
    bytes: int
    """The sum of both."""


@dataclass(frozen=True)
class MemoryCurve:
    """A quantity over time: points that lines connect; a jump is two points at one time."""

    name: str
    """A memory; or the kind of moves: prefetched, faulted, evicted, written back."""
    capacity_bytes: int | None
    """Null for moves."""
    times_ns: tuple[float, ...]
    bytes: tuple[float, ...]


@dataclass(frozen=True)
class ResidencyAnswer:
    """The use of memory of a run."""

    needs: tuple[DeviceNeed, ...]
    use: MemoryUse | None
    """As in the summary; null unless there are memories behind the primary device's that the program needs."""
    held: tuple[MemoryCurve, ...]
    """The bytes in the primary device's memory and in those behind it; empty if `use` is null."""
    moved: tuple[MemoryCurve, ...]
    """The bytes moved since the start, by kind."""
    stalls_ns: tuple[tuple[float, float], ...]
    """The start and end of each time in which the next task waits for memory."""


def residency_answer(run: Run, use: MemoryUse | None) -> ResidencyAnswer:
    """The use of memory of a run. `use`: the part of the summary on memory."""
    timeline, devices = run.timeline, run.clock.machine.devices
    needs = tuple(
        DeviceNeed(name, devices[name].memory_bytes, need.resident, need.live, need.total)
        for name, need in timeline.memory.items()
        if name in devices
    )
    if timeline.residence is None:
        return ResidencyAnswer(needs, use, (), (), ())
    return _with_history(needs, use, timeline.residence)


def _with_history(needs: tuple[DeviceNeed, ...], use: MemoryUse | None, residence: Residence) -> ResidencyAnswer:
    history = history_of_program(residence)
    held = (_curve(level.name, level.capacity, level.held) for level in history.levels)
    moved = (_curve(word, None, curve) for word, curve in history.moved.items())
    return ResidencyAnswer(needs, use, tuple(held), tuple(moved), history.stalls)


def _curve(name: str, capacity: int | None, curve: Curve) -> MemoryCurve:
    return MemoryCurve(name, capacity, tuple(curve.times.tolist()), tuple(curve.values.tolist()))
