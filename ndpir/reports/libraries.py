"""The libraries whose kernels a run's GPUs execute: the kernels that stand for those that a library has no measurements
of, and the classes of kernels for which a GPU itself is not measured, each with its part of the time and its error."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from dialects.graph import FusedOp, GraphOp
from interp.figures import percent
from interp.kinds.clock import Clock
from interp.kinds.gpu.constants.calibration import GENERIC
from interp.kinds.gpu.kernel_clock import KernelClock
from interp.kinds.gpu.timed import Timed
from interp.simulate.schedule.coverage import origin_of
from interp.simulate.schedule.timeline import Timeline
from interp.walk.views import is_view
from interp.walk.work_key import shape_key

SHOWN = 0.01
"""The part of the time of a GPU's kernels from which a summary's text mentions substitutes for a library's kernels."""
UNMEASURED_SHOWN = 0.1
"""The part of the time of a GPU's kernels from which a summary's text says that the GPU itself is not measured."""


@dataclass(frozen=True)
class Substitute:
    """Kernels of one class and element type that stand for those of a library, which has no measured ones for the GPU's
    compute capability."""

    kernel_class: str
    element: str
    kernels: str
    """The kernels that are used instead, in words."""
    ns: float
    part: float
    """`ns` as a fraction of the time of all kernels on the GPU."""
    error: str
    """The error of their times, as their calibration states it; empty if it states none."""


@dataclass(frozen=True)
class Unmeasured:
    """A class of kernels for which a GPU is not measured."""

    kernel_class: str
    ns: float
    part: float
    """`ns` as a fraction of the time of all kernels on the GPU."""
    error: str
    """The class's error where a chip was left out with its siblings, in words."""


@dataclass(frozen=True)
class LibraryUse:
    """The library whose kernels a GPU executes in a run."""

    device: str
    library: str
    """`generic` for the mean over all libraries."""
    ns: float
    """The time of all kernels on the GPU that are timed by models of kernels."""
    substitutes: tuple[Substitute, ...]
    """Substitutes for kernels that the library has no measurements of, those with the most time first."""
    unmeasured: tuple[Unmeasured, ...]
    """The classes of kernels for which the GPU is not measured, those with the most time first."""


def library_uses(timeline: Timeline, clock: Clock) -> tuple[LibraryUse, ...]:
    """The libraries of all GPUs of a machine that are timed by models of kernels."""
    return tuple(
        _use(device, model, _kernels(device, model, timeline, clock))
        for device in clock.machine.devices
        if isinstance(model := clock.model(device), KernelClock)
    )


def _kernels(device: str, model: KernelClock, timeline: Timeline, clock: Clock) -> list[tuple[Timed, int]]:
    """The kernels of a GPU's tasks whose times are not from a profile, each with the number of times that it runs;
    equal ops are timed once."""
    times: dict[Hashable, int] = defaultdict(int)
    ops: dict[Hashable, GraphOp | FusedOp] = {}
    for event, count, _ in timeline.tasks():
        if event.is_copy or event.resource != device or origin_of(event, clock):
            continue
        for op in clock.work_of(event.op, device):
            if isinstance(op, GraphOp | FusedOp) and not is_view(op):
                key = shape_key(op)
                ops.setdefault(key, op)
                times[key] += count
    found = zip(ops, model.kernels(list(ops.values())), strict=True)
    return [(kernel, times[key]) for key, kernels in found for kernel in kernels]


def _use(device: str, model: KernelClock, kernels: list[tuple[Timed, int]]) -> LibraryUse:
    whole = sum(timed.ns * count for timed, count in kernels)
    instead: dict[tuple[str, str, str, str], float] = defaultdict(float)
    unmeasured: dict[tuple[str, str], float] = defaultdict(float)
    for timed, count in kernels:
        known, kernel = timed.known, timed.kernel
        if known.substitute:
            instead[kernel.kernel_class, kernel.element, known.substitute, known.error] += timed.ns * count
        if known.left_out:
            unmeasured[kernel.kernel_class, known.left_out] += timed.ns * count
    return LibraryUse(
        device,
        model.gpu.library or GENERIC,
        whole,
        tuple(
            Substitute(kernel_class, str(element), whose, ns, ns / whole, error)
            for (kernel_class, element, whose, error), ns in sorted(instead.items(), key=lambda each: -each[1])
        ),
        tuple(
            Unmeasured(kernel_class, ns, ns / whole, error)
            for (kernel_class, error), ns in sorted(unmeasured.items(), key=lambda each: -each[1])
        ),
    )


def library_lines(uses: tuple[LibraryUse, ...]) -> Iterator[str]:
    """The lines of a summary on libraries: the library of each GPU, the substitutes for its kernels, and the classes
    for which the GPU is not measured if their kernels take much of the time."""
    if uses:
        yield "library    " + ", ".join(f"{use.library} on @{use.device}" for use in uses)
    for use in uses:
        by_whose: dict[str, list[Substitute]] = defaultdict(list)
        for each in use.substitutes:
            by_whose[each.kernels].append(each)
        for whose, found in by_whose.items():
            if (part := sum(each.part for each in found)) >= SHOWN:
                what = _listed([(f"{each.kernel_class} {each.element}", each.error) for each in found])
                yield f"substitute {percent(part)} of the time of @{use.device}'s kernels is of {whose}: {what}"
        if (part := sum(each.part for each in use.unmeasured)) >= UNMEASURED_SHOWN:
            what = _listed([(each.kernel_class, each.error) for each in use.unmeasured if each.part >= SHOWN])
            yield f"unmeasured {percent(part)} of the time of @{use.device}'s kernels, on this GPU: {what}"


def _listed(found: list[tuple[str, str]]) -> str:
    """Kernels in words, those with the same error together: `norm f16, softmax f16 (12.1 % off on 300 others)`."""
    by_error: dict[str, list[str]] = defaultdict(list)
    for what, error in found:
        by_error[error].append(what)
    return "; ".join(", ".join(each) + (f" ({error})" if error else "") for error, each in by_error.items())
