"""The parts of a step's time: attention, products by weights, experts, other kernels, and copies between devices."""

from __future__ import annotations

from dialects.task import RunOp
from interp.simulate.schedule.timeline import Event
from interp.walk.caches import cache_rows

ATTENTION, PRODUCTS, EXPERTS = "attention", "products", "experts"
OTHERS, COPIES, LAUNCHES, HOST = "other kernels", "communication", "launches", "host"
PARTS = (ATTENTION, PRODUCTS, EXPERTS, OTHERS, COPIES, LAUNCHES, HOST)
"""All parts, in the order of reports. Launches are the least times from one kernel to the next, which the other parts
then lack; the host's time is that of an engine for its steps."""


def part_of(event: Event) -> str:
    """The part of a step to which a task or copy belongs. Attention is what reads a cache or computes a softmax."""
    if event.is_copy:
        return COPIES
    reads = event.op.inputs if isinstance(event.op, RunOp) else ()
    if "attention" in event.name or "softmax" in event.name or any(cache_rows(value) is not None for value in reads):
        return ATTENTION
    if "grouped_matmul" in event.name or "experts" in event.name:
        return EXPERTS
    return PRODUCTS if "matmul" in event.name else OTHERS
