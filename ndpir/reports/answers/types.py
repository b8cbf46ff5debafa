"""The arithmetic of a run: the element types of its contractions, so that runs in different types are not compared
unawares."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from xdsl.ir import Operation

from dialects.graph import FusedOp, GraphOp, tensor_of
from dialects.launching import LaunchingOp
from dialects.task import RunOp
from interp.kinds.clock import Clock
from interp.simulate.schedule.timeline import Timeline
from interp.walk.entry import is_contraction

LEAST = 0.01
"""The part of all multiplications below which a type is left out."""


def types_of(timeline: Timeline, clock: Clock) -> str:
    """The types of a run's contractions, those with the most multiplications first: `f16`, `f32 without TF32 and i8`.
    For a run without contractions, the types of its other ops, by flops."""
    multiplied, others = defaultdict[str, int](int), defaultdict[str, int](int)
    for event, times, _ in timeline.tasks():
        if event.is_copy:
            continue
        device = clock.machine.devices[event.resource]
        for op in _kernels(event.op):
            element = str(tensor_of(op.operands[0]).element_type) if op.operands else ""
            if isinstance(op, LaunchingOp) and element:
                multiplied[device.contracts_as(element)] += event.cost.flops * times
            elif isinstance(op, GraphOp) and is_contraction(op):
                multiplied[device.contracts_as(element)] += 2 * op.work().macs * times
            elif isinstance(op, GraphOp) and element:
                others[element] += op.work().flops * times
    found = multiplied if sum(multiplied.values()) else others
    ordered = sorted(found, key=lambda name: -found[name])
    return " and ".join(name for name in ordered if found[name] >= LEAST * sum(found.values()))


def _kernels(op: Operation) -> Iterator[Operation]:
    """The graph ops and launches of a task, of a group, or the op itself."""
    match op:
        case RunOp():
            for inner in op.body.block.ops:
                yield from _kernels(inner)
        case FusedOp():
            yield from op.ops
        case _:
            yield op
