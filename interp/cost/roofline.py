"""A processor as a plain roofline: a kernel takes the longer of its arithmetic and its memory traffic, after a launch.

Multiply-accumulates run at the matrix rate of their element type where the sheet has one, all else at the plain rate of
its type (f32's, where the type has none). A fused group is one kernel and is launched once.
"""

from __future__ import annotations

from collections.abc import Sequence

from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from dialects.work import Work
from interp.cost.gpu.kernels import element_name
from interp.cost.record import NOTHING, Cost
from interp.machine.records import Gpu
from interp.program.entry import is_skipped


class Roofline:
    """Costs of graph ops on a processor by its peak rates."""

    board_idle_w: float | None = None

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu

    def costs(self, ops: Sequence[GraphOp | FusedOp]) -> list[Cost]:
        """The cost of each op."""
        works = [(op, Work() if is_skipped(op, self.gpu.skips) else op.work()) for op in ops]
        return [_roofline(op, work, self.gpu) if work.flops or work.bytes else NOTHING for op, work in works]


def _roofline(op: GraphOp | FusedOp, work: Work, gpu: Gpu) -> Cost:
    parts = op.ops if isinstance(op, FusedOp) else (op,)
    compute = 1e9 * sum(_seconds(part, gpu) for part in parts if isinstance(part, GraphOp))
    memory = 1e9 * work.bytes / gpu.bandwidth
    longest = max(compute, memory)
    bound = "launch" if gpu.launch_ns > longest else "compute" if compute > memory else "memory"
    energy = (work.flops * gpu.flop_pj + work.bytes * gpu.byte_pj) / 1e3
    return Cost(gpu.launch_ns + longest, energy, work.bytes, work.flops, bound)


def _seconds(op: GraphOp, gpu: Gpu) -> float:
    """Arithmetic time of one op at peak rates."""
    work = op.work()
    value = op.operands[0] if op.operands else op.results[0]
    element = element_name(value)
    plain = gpu.rates.get(element, gpu.rates["f32"])
    macs = 2 * work.macs
    return macs / gpu.matrix_rates.get(element, plain) + (work.flops - macs) / plain
