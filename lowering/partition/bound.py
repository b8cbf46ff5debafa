"""A bound on every plan of a function on a processor and a PIM: no split, pipeline or overlap ends before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from interp.schedule.jobs import Bound
from interp.schedule.stretches import stretches, within


class PlanCost(NamedTuple):
    """What a node (an op or fused group) takes on each of the two devices, and which earlier nodes it reads.

    `gpu_ns`: the whole node on the processor; `pim_ns`: its contraction alone on the PIM; None: it can't run there.
    """

    gpu_ns: float | None
    pim_ns: float | None
    after: tuple[int, ...] = ()

    @property
    def fastest(self) -> float:
        """Its time when split so that both devices end at once."""
        if self.gpu_ns is None or self.pim_ns is None:
            return min((ns for ns in (self.gpu_ns, self.pim_ns) if ns is not None), default=float("inf"))
        both = self.gpu_ns + self.pim_ns
        return self.gpu_ns * (self.pim_ns / both) if both else 0.0


def plan_bound(nodes: Sequence[PlanCost], pipelined: bool) -> Bound:
    """When any plan of these nodes, in program order, ends at the earliest.

    It holds for every plan that cuts each node at any ratio into any number of parts, gives them to the two devices in
    any way and overlaps whatever it likes, provided that

    - a device runs one part at a time;
    - a part takes at least its share of the whole node's time on that device. Where a clock gives a part less than its
      share (a smaller one may fill a GPU's last wave better), the caller's times have to be the least, over all parts
      that a plan may use, of time divided by share;
    - without `pipelined`, a node starts when all parts of the nodes it reads have ended. With it, a part waits for no
      more than the parts it reads, and stages may be as fine as one likes.

    Load: if a share x of each node runs on the processor, that is busy for sum x gpu, the PIM for sum (1 - x) pim, and
    the plan takes at least the longer of the two. The least over all x is a fractional knapsack: nodes go to the PIM by
    falling gpu / pim until both devices end at once. Exact.

    Path: a node split perfectly takes gpu pim / (gpu + pim), and nodes that read each other follow each other. With
    pipelines they need not: stages of a chain run side by side, and as stages get finer a chain comes as close to its
    load as one likes. So load alone bounds pipelined plans.

    Without pipelines, stretches of the program that can't overlap (interp/schedule/stretches.py) are bounded one by
    one, each by the longer of its load and its path; these add up to no less than the longest path.
    """
    load = _load(nodes)
    if pipelined:
        return Bound(load, "load of both devices, whatever is split or pipelined")
    best = Bound(_path(nodes), "longest chain of nodes, each split perfectly")
    after = [node.after for node in nodes]
    parts = stretches(after, [node.fastest for node in nodes])
    inner = [
        [nodes[i]._replace(after=waits) for i, waits in zip(part, within(part, after), strict=True)] for part in parts
    ]
    in_turn = sum(max(_load(part), _path(part)) for part in inner)
    for other in (
        Bound(load, "load of both devices, whatever is split"),
        Bound(
            in_turn, "stretches of nodes that follow each other, each by its load or longest chain, whatever is split"
        ),
    ):
        if other.ns > best.ns * (1 + 1e-12):
            best = other
    return best


def _load(nodes: Sequence[PlanCost]) -> float:
    """The least over all splits of the longer of both devices' loads."""
    gpu = sum(node.gpu_ns for node in nodes if node.gpu_ns is not None)
    pim = sum(node.fastest for node in nodes if node.gpu_ns is None)
    both = [(node.gpu_ns, node.pim_ns) for node in nodes if node.gpu_ns is not None and node.pim_ns is not None]
    for there, here in sorted(both, key=lambda pair: pair[0] / pair[1] if pair[1] else float("inf"), reverse=True):
        if gpu - there < pim + here:  # whole, it would keep the PIM busy for longer than the processor: the cut is here
            share = (gpu - pim) / (there + here) if gpu > pim else 0.0
            return max(gpu - share * there, pim + share * here)
        gpu, pim = gpu - there, pim + here
    return max(gpu, pim)


def _path(nodes: Sequence[PlanCost]) -> float:
    """The longest chain of nodes, each split perfectly."""
    ends: list[float] = []
    for node in nodes:
        ends.append(node.fastest + max((ends[other] for other in node.after), default=0.0))
    return max(ends, default=0.0)
