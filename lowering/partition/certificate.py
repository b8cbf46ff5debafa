"""A lower bound on the makespan of all plans of a function, splits included."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from xdsl.dialects.func import FuncOp

from dialects.graph import ConcatOp, SliceOp, shape_of
from interp.kinds.clock import Clock
from interp.simulate.events.jobs import Bound
from interp.walk.entry import ahead_of_time, block_of, is_graph_op, is_view
from lowering.bounds.relaxation import Busy, least_load
from lowering.partition.plans.part_costs import PartCosts
from lowering.partition.plans.plan import Op, carry_out
from lowering.partition.plans.regions import signature
from lowering.partition.shards.parts import splittable_axes

SHARDS = (2, 4, 8)
"""Numbers n of shards: for each n, the time of an nth of an op is compared with an nth of the op's time."""


def certificate(function: FuncOp, clock: Clock) -> Bound | None:
    """A lower bound on the makespan of every plan that splits, pipelines and overlaps a function's ops; None on a
    machine with one device.

    The bound holds for every plan that splits each op at any ratio into any number of shards, on any of the devices and
    with any overlap, provided that

    - a device runs one shard at a time;
    - a shard that is a fraction f of an op takes at least f times the op's least time on that device, which is
      extrapolated from the whole op and from a half, a quarter and an eighth of it along each axis (a smaller shard may
      fill a GPU's last wave better).

    If fractions of each op run on the devices, each device is busy for the sum of its fractions: minimising the maximum
    of these sums over all fractions is a linear program. Critical paths give no bound: stages of a pipeline overlap,
    and the finer they are, the closer a chain comes to its load. Ops that every plan eliminates (a transpose and its
    inverse, slices that are views) are not counted, nor are copies; of an op that a device runs in part, only that part
    is counted.
    """
    if sum(not device.runs_nothing for device in clock.machine.devices.values()) < 2:
        return None
    function = function.clone()
    carry_out(function, ())
    block = block_of(function)
    early = ahead_of_time(block)
    ops: list[Op] = [op for op in block.ops if op not in early and is_graph_op(op) and not is_view(op)]
    with PartCosts(clock) as costs:
        costs.prepare(ops)
        equal: dict[Hashable, list[Busy]] = {}
        keys = [signature((op,), early) for op in ops]
        for key, op in zip(keys, ops, strict=True):
            if key not in equal:
                equal[key] = _row(costs, op)
        return plan_bound([equal[key] for key in keys])


def plan_bound(rows: Sequence[Sequence[Busy]]) -> Bound:
    """A lower bound on the makespan: the least load of the busiest device if the work of ops may be divided among
    devices in any fractions; each row has the time of one entire op on each device that can run it."""
    devices = {name for row in rows for busy in row for name in busy}
    many = "both" if len(devices) < 3 else "all"
    return Bound(least_load(rows).ns, f"load of {many} devices, for any splits and pipelines")


def _row(costs: PartCosts, op: Op) -> list[Busy]:
    """The least time of an entire op on each device that can run it, extrapolated from its shards."""
    if isinstance(op, SliceOp | ConcatOp):  # a view under some plan and layout, which takes no time
        return [{}]
    machine = costs.clock.machine
    pairs = {name: costs.pair(name) for name in machine.devices if name != machine.primary}
    found: dict[str, list[float]] = {}

    def time(part: Op, sharding: float) -> None:
        if costs.clock.supports(part, costs.primary):
            found.setdefault(costs.primary, []).append(costs.on_primary(part) * sharding)
        for name, pair in pairs.items():
            if (ns := pair.on_pim(part)) is not None:
                found.setdefault(name, []).append(ns * sharding)

    time(op, 1.0)
    for axis in splittable_axes(op) if len(found) > 1 else ():
        extent = shape_of(op.results[0])[axis]
        for parts in SHARDS:
            rows = -(-extent // parts)
            part = costs.part(op, axis, range(rows)) if parts <= extent else None
            if part is not None:
                time(part, extent / rows)
    return [{name: min(times)} for name, times in found.items()]
