"""Rooflines: the arithmetic intensity and the rate of the work on each device, and the device's peak rates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation

from dialects.task import OnType
from interp.simulate.schedule.timeline import Timeline
from ndpir.reports.banks.kernels import Launched
from ndpir.reports.run import Run


@dataclass(frozen=True)
class Peak:
    """A peak rate of a device, which its tasks can't exceed."""

    name: str
    flops_per_s: float


@dataclass(frozen=True)
class Point:
    """All tasks of one name on a device that do the same work in the same time."""

    name: str
    tasks: int
    bound: str
    flops: int
    """The flops of one task."""
    bytes: int
    """The bytes of one task, each operand and each result counted once."""
    ns: float
    """The time of one task."""

    @property
    def flops_per_byte(self) -> float:
        """The arithmetic intensity; 0 for a task that moves no bytes."""
        return self.flops / self.bytes if self.bytes else 0.0

    @property
    def flops_per_s(self) -> float:
        return self.flops / self.ns * 1e9 if self.ns else 0.0


@dataclass(frozen=True)
class Roofline:
    """The roofline of one device."""

    device: str
    sheet: str
    peaks: tuple[Peak, ...]
    """The device's peak rates for the element types of its tasks; for a PIM, the rate at which all banks multiply
    without a pause. Empty if the sheet states none."""
    bytes_per_s: float
    """The bandwidth of the device's memory; 0 if its sheet states none."""
    points: tuple[Point, ...]
    """The tasks that compute, grouped as in `Point`; the group with the longest total time first."""


def rooflines(run: Run, kernels: tuple[Launched, ...] = ()) -> tuple[Roofline, ...]:
    """The roofline of each device that runs tasks. `kernels`: the program's bank programs."""
    found = [_roofline(run, name, kernels) for name in run.timeline.devices]
    return tuple(each for each in found if each.points)


def _roofline(run: Run, name: str, kernels: tuple[Launched, ...]) -> Roofline:
    device = run.clock.machine.devices[name]
    peaks = dict(device.peak_rates(sorted(_elements(run.timeline, name))))
    limits = [one.time.flops / one.time.limit_ns * 1e9 for one in kernels if one.device == name and one.time.limit_ns]
    if limits:
        peaks["all banks multiply"] = max(limits)
    sums: dict[tuple[str, str, int, int, float], int] = {}
    for event, times, _ in run.timeline.tasks():
        if event.resource == name and event.cost.flops and event.cost.ns:
            cost = event.cost
            key = event.name, cost.bound, cost.flops, cost.bytes, cost.ns
            sums[key] = sums.get(key, 0) + times
    points = [Point(word, times, bound, flops, size, ns) for (word, bound, flops, size, ns), times in sums.items()]
    points.sort(key=lambda point: -point.ns * point.tasks)
    named = tuple(Peak(word, rate) for word, rate in peaks.items())
    return Roofline(name, device.name, named, device.memory_bandwidth, tuple(points))


def _elements(timeline: Timeline, device: str) -> set[str]:
    """The element types of the results of a device's tasks."""
    return {
        element
        for event, _, _ in timeline.tasks()
        if event.resource == device and not event.is_copy
        for element in _of_results(event.op)
    }


def _of_results(op: Operation) -> Iterator[str]:
    for result in op.results:
        given: Attribute = result.type
        tensor = given.tensor if isinstance(given, OnType) else given  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(tensor, TensorType):
            yield str(tensor.element_type)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
