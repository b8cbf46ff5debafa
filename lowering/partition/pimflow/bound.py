"""A lower bound on the makespan of a plan of whole and split ops, without carrying it out.

Every schedule of a plan is at least as long as the longest path through its shards, each with its time on its device,
and the copies between shards on different devices, each with the latency of its link. A shard waits for those shards
of its operands whose rows it reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dialects.element_types import byte_count
from dialects.graph import ConvOp, FusedOp, MatmulOp, shape_of
from dialects.graph.op import as_tensor
from interp.kinds.clock import Clock
from interp.walk.entry import ahead_of_time, block_of, is_graph_op
from interp.walk.unchanged import lasting, unchanged
from lowering.partition.pimflow.space import convolution_of
from lowering.partition.pimflow.twins import twins
from lowering.partition.plans.part_costs import PartCosts
from lowering.partition.plans.plan import Op, OpSharding, Plan
from lowering.partition.plans.regions import signature
from lowering.partition.shards.parts import full_box, part_of, replaced

COPIES = 4
"""The bytes of all values of a plan that is carried out are at most this multiple of those of all operands and results
of a function's ops, those inside of groups included: an op on two devices has a slice of each operand and a part of
each result on each of them, and the joined result."""


class Shard(NamedTuple):
    """Rows of a value that one device computes (along `axis`; of a value that is not split, all rows), or that may be
    on any device (None), and the earliest time in ns at which they are complete."""

    device: str | None
    axis: int
    rows: range
    ns: float


def least_makespan(function: FuncOp, clock: Clock, plan: Plan, room: Mapping[str, int]) -> float:
    """A lower bound in ns on the makespan of a plan of PIMFlow's; 0 if none is known: if the plan has pipelines, or may
    not fit the devices' memories, which have `room` bytes."""
    if any(step.stages > 1 for step in plan.steps):
        return 0.0
    return _Path(function, clock, plan, room).ns()


class _Path:
    """The shards of a plan. `kept`: the bytes that each device needs for weights."""

    def __init__(self, function: FuncOp, clock: Clock, plan: Plan, room: Mapping[str, int]) -> None:
        self.clock, self.room, self.block = clock, room, block_of(function)
        self.early = ahead_of_time(self.block)
        self.shardings = {step.ops[0]: step.shardings[0] for step in plan.steps}
        self.shards: dict[SSAValue, list[Shard]] = {}
        self.kept = dict.fromkeys(room, 0)
        self.twins = twins()

    def ns(self) -> float:
        kept = self.twins.parts
        with PartCosts(self.clock) as own, PartCosts(self.clock, kept) as costs, unchanged(), lasting(kept.facts):
            for op in self.block.ops:
                if op not in self.early and op.results:
                    made = self._split(op, costs) if len(self._devices(op)) > 1 else self._whole(op, own)
                    self.shards |= dict.fromkeys(op.results, made)
        if not self._fits():
            return 0.0
        last = self.block.last_op
        assert last is not None
        return max((shard.ns for value in last.operands for shard in self.shards.get(value, ())), default=0.0)

    def _devices(self, op: Operation) -> tuple[str, ...]:
        sharding = self.shardings.get(op) if is_graph_op(op) else None
        return () if sharding is None else sharding.devices

    def _whole(self, op: Operation, costs: PartCosts) -> list[Shard]:
        """The result of an op that is not split. Ops that only move elements may be removed, or read less."""
        if not isinstance(op, FusedOp | ConvOp | MatmulOp) or not self._devices(op):
            begin = min((each.ns for value in op.operands for each in self.shards.get(value, ())), default=0.0)
            return [Shard(None, 0, range(0), begin)]
        [device] = self._devices(op)
        begin = max((self._there(each, device) for value in op.operands for each in self._shards(value)), default=0.0)
        return [self._run(op, device, costs, Shard(device, 0, range(0), begin))]

    def _split(self, op: Operation, costs: PartCosts) -> list[Shard]:
        assert isinstance(op, FusedOp | ConvOp | MatmulOp)
        sharding = self.shardings[op]
        layer = convolution_of(op)
        assert layer is not None, "PIMFlow splits convolutions alone"
        [twin] = self.twins.of(signature((op,), self.early), (layer,), self.early)
        found: list[Shard] = []
        for device, rows in zip(sharding.devices, self._rows(op, sharding), strict=True):
            box = replaced(full_box(op.results[0]), sharding.axis, rows)
            part, shard = part_of(op, box), costs.box(twin.op, box)
            if part is None or shard is None:
                return [Shard(None, 0, range(0), 0.0)]
            begin = 0.0
            for value, need in zip(op.operands, part.needs, strict=True):
                if need is None:
                    continue
                for each in self._shards(value):
                    if not each.rows or (len(need) > each.axis and _meet(need[each.axis], each.rows)):
                        begin = max(begin, self._there(each, device))
            found.append(self._run(shard, device, costs, Shard(device, sharding.axis, rows, begin)))
        return found

    def _rows(self, op: Op, sharding: OpSharding) -> list[range]:
        return sharding.parts(shape_of(op.results[0])[sharding.axis])

    def _shards(self, value: SSAValue) -> list[Shard]:
        return self.shards.get(value, [])

    def _there(self, shard: Shard, device: str) -> float:
        """The earliest time at which a shard is on a device."""
        if shard.device is None or shard.device == device:
            return shard.ns
        links = self.clock.machine.links
        link = links.get((shard.device, device)) or links.get((device, shard.device))
        return shard.ns if link is None or link.profile is not None else shard.ns + link.latency_ns

    def _run(self, op: Op, device: str, costs: PartCosts, begun: Shard) -> Shard:
        """The shard that an op or its part makes on a device, if it begins when `begun` says. What the PIM can't run of
        a group runs on the primary device after it."""
        if device == costs.primary:
            return begun._replace(ns=begun.ns + costs.on_primary(op))
        pair = costs.pair(device)
        kept = pair.kept_on_pim(op)
        self.kept[device] = self.room[device] + 1 if kept is None else self.kept[device] + kept
        done = begun._replace(ns=begun.ns + (pair.on_pim(op) or 0.0))
        if self.clock.supports(op, device):
            return done
        if pair.rests_on_pim(op):  # it may run on either device
            return done._replace(device=None)
        return done._replace(device=costs.primary, ns=self._there(done, costs.primary) + pair.left_on_primary(op))

    def _fits(self) -> bool:
        """True if all devices have enough memory, whatever the schedule."""
        values = sum(
            byte_count(as_tensor(value.type)) for op in self.block.walk() for value in (*op.operands, *op.results)
        )
        return all(kept + COPIES * values <= self.room[device] for device, kept in self.kept.items())


def _meet(one: range, other: range) -> bool:
    """True if two ranges of indices may have one in common."""
    return min(one) <= max(other) and min(other) <= max(one) if one and other else False
