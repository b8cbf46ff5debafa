"""Waits for tasks and copies that would together need more memory at one time than their device has.

Copies start as early as they can, and hold memory of the device meanwhile, as tasks of other devices do that use this
memory. A kernel that fits the memory by itself may not fit together with them. Then the one that starts later waits for
the one that starts earlier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from dialects.task import CopyOp, RunOp
from interp.simulate.program_trace import ProgramTrace
from interp.simulate.schedule.timeline import Event
from lowering.graph.rewriting import rewriter_at

Traced: TypeAlias = tuple[ProgramTrace, tuple[Event, ...]]
"""A program's trace, and the events of its timeline without moves."""


def hold_back(traced: Traced, capacity: int, again: Callable[[], Traced]) -> Traced:
    """Let tasks and copies wait for others until each kernel fits a memory of `capacity` bytes, or no wait helps.
    Returns the trace of the changed program; `again` computes it."""
    while added := list(_pairs(*traced, capacity)):
        for later, earlier in dict.fromkeys(added):
            later.wait_for(earlier)
            rewriter_at(later).notify_op_modified(later)
        traced = again()
    return traced


def _pairs(program: ProgramTrace, events: Sequence[Event], capacity: int) -> Iterator[tuple[RunOp | CopyOp, SSAValue]]:
    """For each kernel that does not fit: the op that should wait for another one, and a value that it can wait for."""
    trace, concurrency = program.trace, program.concurrency
    beside: dict[int, list[int]] = {}
    for event, (first, last) in concurrency.during.items():
        for kernel in range(first, last + 1):
            if trace.working_sets[kernel] > capacity:
                beside.setdefault(kernel, []).append(event)
    for kernel, others in beside.items():
        event = concurrency.events[kernel]
        together = others if event is None else [*others, event]
        together.sort(key=lambda number: (events[number].start_ns, number))
        for place in range(len(together) - 1, 0, -1):
            found = next((pair for each in together[:place] if (pair := _pair(events, together[place], each))), None)
            if found is not None:
                yield found
                break


def _pair(events: Sequence[Event], later: int, earlier: int) -> tuple[RunOp | CopyOp, SSAValue] | None:
    """An event's op and a value that is available when an earlier event ends; None if the one can't wait for the
    other."""
    op, other = events[later].op, events[earlier].op
    streams = earlier in events[later].job.streams or later in events[earlier].job.streams
    if not isinstance(op, RunOp | CopyOp) or not other.results or streams or op.parent is not other.parent:
        return None
    return None if other.results[0] in op.after else (op, other.results[0])
