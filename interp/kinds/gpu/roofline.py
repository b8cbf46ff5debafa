"""A processor as a plain roofline: a kernel takes its launch plus the longer of its arithmetic and its memory traffic.

Multiply-accumulates run at the matrix rate of their element type if the sheet has one, everything else at the plain
rate of its type (f32's, if the type has none). A fused group is one kernel with one launch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dialects.graph.fused import FusedOp
from dialects.graph.op import GraphOp
from dialects.work import Work
from interp.cost.model import CostModel
from interp.figures import size
from interp.kinds.gpu.factors import element_name, first_read
from interp.machine.cost import NOTHING, Cost
from interp.machine.records import Gpu
from interp.walk.entry import is_skipped


class Roofline(CostModel):
    """Costs of graph ops on a processor by its peak rates."""

    by_sheet = True

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu

    def costs(self, ops: Sequence[GraphOp | FusedOp]) -> list[Cost]:
        """The cost of each op."""
        works = [(op, Work() if is_skipped(op, self.gpu.skips) else op.work()) for op in ops]
        return [_roofline(op, work, self.gpu) if work.flops or work.bytes else NOTHING for op, work in works]

    @property
    def description(self) -> str:
        return f"a plain roofline ({self.gpu.name} states `model roofline`)"

    def parts(self, cost: Cost) -> Iterator[tuple[str, float, str]]:
        """The parts of an op's time, as (name, ns, remark): the launch; the memory time; and the longer of the memory
        time and the arithmetic time, which with the launch gives the op's time."""
        yield "launch", self.gpu.launch_ns, ""
        memory = cost.bytes / self.gpu.bandwidth * 1e9
        yield "memory", memory, f"{size(cost.bytes)}, each operand and result once"
        yield "longer of both", cost.ns - self.gpu.launch_ns, f"{cost.flops:,} flops at the peak rate, or memory"


def _roofline(op: GraphOp | FusedOp, work: Work, gpu: Gpu) -> Cost:
    parts = op.works() if isinstance(op, FusedOp) else [(op, work)]
    compute = 1e9 * sum(_seconds(part, each, gpu) for part, each in parts)
    memory = 1e9 * work.bytes / gpu.bandwidth
    longest = max(compute, memory)
    bound = "launch" if gpu.launch_ns > longest else "compute" if compute > memory else "memory"
    energy = (work.flops * gpu.flop_pj + work.bytes * gpu.byte_pj) / 1e3
    return Cost(gpu.launch_ns + longest, energy, work.bytes, work.flops, bound)


def _seconds(op: GraphOp, work: Work, gpu: Gpu) -> float:
    """Arithmetic time of one op at peak rates."""
    element = element_name(first_read(op))
    plain = gpu.rates.get(element, gpu.rates["f32"])
    macs, factors = 2 * work.macs, gpu.multiplies_in(element)
    rate = gpu.matrix_rates.get(factors, gpu.rates.get(factors, gpu.rates["f32"]))
    return macs / rate + (work.flops - macs) / plain
