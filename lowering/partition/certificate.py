"""What no plan of a function can beat on a machine of a processor and a PIM: a lower bound to hold plans against."""

from __future__ import annotations

from collections.abc import Hashable

from xdsl.dialects.func import FuncOp

from dialects.graph import ConcatOp, SliceOp, shape_of
from interp.cost.clock import Clock
from interp.program.entry import ahead_of_time, block_of, is_graph_op, is_view
from interp.schedule.jobs import Bound
from lowering.limits import LIMITS
from lowering.partition.bound import PlanCost, plan_bound
from lowering.partition.part_costs import PartCosts, plans_for
from lowering.partition.plan import Op, carry_out
from lowering.partition.regions import signature
from lowering.tiling.parts import splittable_axes


def certificate(function: FuncOp, clock: Clock) -> Bound | None:
    """A bound on every plan that cuts, pipelines and overlaps a function's ops; None on a machine of other than two
    devices.

    An op counts with the least time for its share that it shows whole and in halves, quarters and eighths along each
    axis; the bound holds as far as no other part takes less. What every plan leaves out (a transpose and its inverse,
    slices that are views) does not count.
    """
    if len(clock.machine.devices) != 2 or not plans_for(clock):
        return None
    function = function.clone()
    carry_out(function, ())
    block = block_of(function)
    early = ahead_of_time(block)
    ops: list[Op] = [op for op in block.ops if op not in early and is_graph_op(op) and not is_view(op)]
    with PartCosts(clock) as costs:
        costs.prepare(ops)
        equal: dict[Hashable, PlanCost] = {}
        keys = [signature((op,), early) for op in ops]
        for key, op in zip(keys, ops, strict=True):
            if key not in equal:
                equal[key] = _cost(costs, op)
        return plan_bound([equal[key] for key in keys], pipelined=True)


def _cost(costs: PartCosts, op: Op) -> PlanCost:
    if isinstance(op, SliceOp | ConcatOp):  # under some plan and layout a view, which takes no time
        return PlanCost(0.0, None)
    on_pim = costs.on_pim(op)
    here, there = [costs.on_home(op)], [on_pim] if on_pim is not None else []
    for axis in splittable_axes(op) if there else ():
        extent = shape_of(op.results[0])[axis]
        for parts in LIMITS.certificate_shares:
            rows = -(-extent // parts)
            part = costs.part(op, axis, range(rows)) if parts <= extent else None
            if part is not None:
                here.append(costs.on_home(part) * extent / rows)
                if (ns := costs.on_pim(part)) is not None:
                    there.append(ns * extent / rows)
    return PlanCost(min(here), min(there, default=None))
