"""A lower bound on all plans of a function."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from xdsl.dialects.func import FuncOp

from dialects.graph import ConcatOp, SliceOp, shape_of
from interp.cost.clock import Clock
from interp.program.entry import ahead_of_time, block_of, is_graph_op, is_view
from interp.schedule.jobs import Bound
from lowering.limits import LIMITS
from lowering.partition.part_costs import PartCosts
from lowering.partition.plan import Op, carry_out
from lowering.partition.regions import signature
from lowering.placement.bounds.relaxation import Busy, least_load
from lowering.tiling.parts import splittable_axes


def certificate(function: FuncOp, clock: Clock) -> Bound | None:
    """A bound on every plan that cuts, pipelines and overlaps a function's ops; None on a machine of one device.

    It holds for every plan that cuts each op at any ratio into any number of parts, gives them to any of the devices
    and overlaps whatever it likes, provided that

    - a device runs one part at a time;
    - a part takes at least its share of the least time that the op shows on that device, whole and in halves, quarters
      and eighths along each axis (a smaller part may fill a GPU's last wave better than the whole).

    If shares of each op run on the devices, each device is busy for the sum of its shares: the least over all shares of
    the longest of these sums is a linear program. Chains of ops bound nothing: stages of a pipeline run side by side,
    and as they get finer a chain comes as close to its load as one likes. What every plan leaves out (a transpose and
    its inverse, slices that are views) does not count, nor do copies, and of an op that a device runs in part no more
    than that part.
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
    """The least load of ops that are shared out among devices in any fractions; each row says of an op what all of it
    takes on each device that can run it."""
    devices = {name for row in rows for busy in row for name in busy}
    many = "both" if len(devices) < 3 else "all"
    return Bound(least_load(rows).ns, f"load of {many} devices, whatever is split or pipelined")


def _row(costs: PartCosts, op: Op) -> list[Busy]:
    """The least time of all of an op on each device that can run it, as far as its parts show that."""
    if isinstance(op, SliceOp | ConcatOp):  # under some plan and layout a view, which takes no time
        return [{}]
    machine = costs.clock.machine
    pairs = {name: costs.pair(name) for name in machine.devices if name != machine.primary}
    found: dict[str, list[float]] = {}

    def time(part: Op, share: float) -> None:
        if costs.clock.supports(part, costs.primary):
            found.setdefault(costs.primary, []).append(costs.on_primary(part) * share)
        for name, pair in pairs.items():
            if (ns := pair.on_pim(part)) is not None:
                found.setdefault(name, []).append(ns * share)

    time(op, 1.0)
    for axis in splittable_axes(op) if len(found) > 1 else ():
        extent = shape_of(op.results[0])[axis]
        for parts in LIMITS.certificate_shares:
            rows = -(-extent // parts)
            part = costs.part(op, axis, range(rows)) if parts <= extent else None
            if part is not None:
                time(part, extent / rows)
    return [{name: min(times)} for name, times in found.items()]
