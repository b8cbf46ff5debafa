"""Plans as data: how ops are split into shards and stages and the device of each; and their application to a program.

A plan is a list of steps over disjoint sets of ops. A step of one op assigns it to a device, or splits it into shards
for several; a step of several ops computes them in pipeline stages, so that devices work concurrently; each stage of an
op may be split in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from xdsl.dialects.func import FuncOp

from dialects.graph import shape_of
from dialects.graph.patterns import movement
from dialects.graph.rules import patterns
from interp.walk.entry import block_of, is_graph_op
from lowering.graph.layout import lay_out
from lowering.graph.marks import mark
from lowering.graph.rewriting import apply_patterns
from lowering.partition.shards.chain import chain_region
from lowering.partition.shards.split import Op, split_op


@dataclass(frozen=True)
class OpSharding:
    """The devices of an op, or of each pipeline stage of an op: one device for the whole op, or several devices with a
    shard each along an axis of the result.

    `ends`: the ends of the shards of all devices but the last, as fractions of the extent.
    """

    devices: tuple[str, ...]
    axis: int = 2
    ends: tuple[float, ...] = ()

    def parts(self, extent: int) -> list[range]:
        """The shard of each device, as a range of indices of an axis with this extent; some ranges may be empty."""
        ends = [0, *(round(extent * end) for end in self.ends), extent]
        return [range(begin, end) for begin, end in pairwise(ends)]


@dataclass(frozen=True, eq=False)
class PlanStep:
    """Ops that are planned together, in program order, with the devices and shards of each; `stages` along `axis` if
    they form a pipeline. `ns` is the step's duration as estimated by the planner."""

    ops: tuple[Op, ...]
    shardings: tuple[OpSharding, ...]
    ns: float
    stages: int = 1
    axis: int = 2

    @property
    def kind(self) -> str:
        """The form of the step in one word: `pipeline`, `split`, or, for one unpartitioned op, the name of its
        device."""
        if self.stages > 1:
            return "pipeline"
        devices = self.shardings[0].devices
        return devices[0] if len(devices) == 1 else "split"


def unpartitioned(op: Op, device: str, ns: float) -> PlanStep:
    """The step of a plan that runs an unpartitioned op on one device."""
    return PlanStep((op,), (OpSharding((device,)),), ns)


@dataclass(frozen=True)
class Plan:
    """The steps of a plan for a program, and its name. Ops in no step are placed later, by the policy that carries out
    the plan."""

    name: str
    steps: tuple[PlanStep, ...]

    @property
    def cuts(self) -> Plan:
        """The plan's splits and pipelines alone, without the steps of unpartitioned ops, which are placed later."""
        return Plan(self.name, tuple(step for step in self.steps if step.kind in ("split", "pipeline")))

    def on(self, source: FuncOp, clone: FuncOp) -> list[PlanStep]:
        """The plan's steps for a clone of its function: each op replaced by the corresponding op of the clone."""
        twins = {
            op: twin
            for op, twin in zip(block_of(source).ops, block_of(clone).ops, strict=True)
            if is_graph_op(op) and is_graph_op(twin)
        }
        return [
            PlanStep(tuple(twins[op] for op in step.ops), step.shardings, step.ns, step.stages, step.axis)
            for step in self.steps
        ]


def carry_out(function: FuncOp, steps: Iterable[PlanStep], excerpt: bool = False) -> bool:
    """Rewrite a function of graph ops by a plan, mark each shard with its device, and note the slices and joins that
    are views. False if a step can't be made; the function is then partially rewritten. `excerpt`: as for `lay_out`."""
    if not all(_carry_out(step) for step in steps):
        return False
    apply_patterns(function, patterns(movement.RULES), remove_dead=True, name="plan")
    lay_out(function, excerpt)
    return True


def _carry_out(step: PlanStep) -> bool:
    staged: Sequence[Sequence[Op]] | None = [[op] for op in step.ops]
    if step.stages > 1:
        staged = chain_region(step.ops, step.axis, step.stages)
    if staged is None:
        return False
    return all(
        _mark_shards(shard, sharding)
        for shards, sharding in zip(staged, step.shardings, strict=True)
        for shard in shards
    )


def _mark_shards(op: Op, sharding: OpSharding) -> bool:
    if len(sharding.devices) == 1:
        mark([op], sharding.devices[0])
        return True
    axis = sharding.axis % len(shape_of(op.results[0]))
    parts = sharding.parts(shape_of(op.results[0])[axis])
    given = [device for device, part in zip(sharding.devices, parts, strict=True) if part]
    if len(given) == 1:
        mark([op], given[0])
        return True
    shards = split_op(op, axis, [part for part in parts if part], follow=False)
    for device, shard in zip(given, shards or (), strict=False):
        mark(shard, device)
    return shards is not None
