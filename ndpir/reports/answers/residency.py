"""The use of memory of a run: the bytes that each device needs, and the bytes that each memory holds over time."""

from __future__ import annotations

from dataclasses import dataclass

from interp.simulate.memory.history import history_of_program
from ndpir.reports.answers.memory import MemoryUse
from ndpir.reports.answers.occupancy import OccupancyAnswer, occupancy_answer
from ndpir.reports.run import Run


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
