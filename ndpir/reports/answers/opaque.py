"""The opaque operators of a run: operators of ONNX whose meaning is unknown, so that their times are those of their
bytes alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dialects.graph import opaque_in
from interp.figures import first_of, percent, time
from interp.kinds.clock import Clock
from interp.simulate.schedule.timeline import Timeline


@dataclass(frozen=True)
class OpaqueUse:
    """All nodes of one opaque operator in a run; they run on the primary device."""

    operator: str
    """The operator with its domain."""
    times: int
    """The number of times that such nodes run."""
    ns: float
    """The sum of their times, each from the bytes of its operands and results alone, or from a profile."""
    share: float
    """`ns` divided by the sum of the times of all tasks and copies."""


def opaque_uses(timeline: Timeline, clock: Clock) -> tuple[OpaqueUse, ...]:
    """The opaque operators of a run, the longest total time first; none for most programs."""
    count, ns = defaultdict[str, int](int), defaultdict[str, float](float)
    total = 0.0
    for event, times, _ in timeline.tasks():
        total += event.cost.ns * times
        if event.is_copy:
            continue
        for op in clock.work_of(event.op, event.resource):
            if opaque := opaque_in(op):
                count[opaque[0].called] += times
                ns[opaque[0].called] += clock.op_cost(op, event.resource).ns * times
    ordered = sorted(ns, key=lambda name: -ns[name])
    return tuple(OpaqueUse(name, count[name], ns[name], ns[name] / total if total else 0.0) for name in ordered)


def opaque_words(uses: Sequence[OpaqueUse]) -> Iterator[str]:
    """A phrase on the time of opaque operators; none if there are no such operators."""
    if uses:
        ns, share = sum(use.ns for use in uses), percent(sum(use.share for use in uses))
        listed = first_of([f"{use.times} of {use.operator}" for use in uses], MOST_LISTED)
        yield f"{time(ns)} ({share} of all tasks) of operators of which only the bytes are known: {listed}"


MOST_LISTED = 6
"""The largest number of operators that a line names."""
