"""The forms of ops that become regions of the placement problem: those timed for the cover of the program (parts.py),
those that would pay off if copies were hidden or unnecessary, and PIMFlow's.

A split or pipeline that does not pay off by itself, with inputs and results on the primary device, may pay off if its
neighbours are on the PIM too, or if copies overlap with other work. So the search considers more forms than those that
pay off alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from dialects.graph import shape_of
from lowering.graph.marks import marked
from lowering.partition.pimflow.search import MODES, plan_pimflow
from lowering.partition.plans.part_costs import PartCosts
from lowering.partition.plans.plan import Op, OpSharding
from lowering.partition.plans.simulated import StepForm
from lowering.partition.search.forms import FORMS_OF_RUN, WORTH, Stages, assignments, axis_of, nested, runs, split_axes
from lowering.partition.search.space import RegionSpace

CUTS = 8
"""Splits of one op that policy `optimal` considers, among those that were timed."""
HIDDEN = 1.15
"""Ratio: a pipeline whose estimated time is at most this factor times that of its ops separately may save time among
other ops."""
MORE = 2
"""Pipelines of one run of ops that are considered because of `HIDDEN`."""
OFFSETS: tuple[int, ...] = (0, -1, 1)
"""16ths of an extent: offsets of the first device's share from the ratio at which both devices end at the same time."""


def offer(space: RegionSpace) -> None:
    """Add the candidates to a space: for each op and each run of ops the forms that may pay off."""
    times = space.times
    known = {op: min((ns for ns, _ in times.forms([op])), default=None) for op in times.ops}
    with PartCosts(times.clock) as costs:
        costs.prepare(times.ops)
        for op in times.ops:
            if marked(op) is None:
                timed = [form for _, form in times.forms([op]) if form.shardings[0].devices[1:]][:CUTS]
                space.add([op], [*timed, *(form for pair in costs.pairs() for form in _balanced(pair, op))])
        pairs, alone = [Stages(pair) for pair in costs.pairs()], {op: _alone(costs, op, known[op]) for op in times.ops}
        for start, length in runs(times.ops):
            ops = times.ops[start : start + length]
            forms = [form for _, form in times.forms(ops)[:FORMS_OF_RUN]]
            limit = HIDDEN * sum(alone[op] for op in ops)
            axis = axis_of(ops[-1])
            looking = (
                [each for stages in pairs for each in assignments(stages, ops, axis, limit)[:MORE]]
                if axis is not None
                else []
            )
            if forms or looking:
                space.add(ops, list(dict.fromkeys([*forms, *(form for _, form in looking)])))
    _published(space)


def _alone(costs: PartCosts, op: Op, timed: float | None) -> float:
    """The least time of an op by itself: on the primary device, on a linked device, or `timed`, the time that
    simulation found for it."""
    elsewhere = (pair.on_pim(op) for pair in costs.pairs())
    return min(ns for ns in (costs.on_primary(op), *elsewhere, timed) if ns is not None)


def _balanced(costs: PartCosts, op: Op) -> Iterator[StepForm]:
    """Splits with which both shards, without copies, take about the same time."""
    on_pim = costs.on_pim(op)
    if on_pim is None or costs.pim is None:
        return
    whole = min(costs.on_primary(op), on_pim)
    for axis in split_axes(op):
        extent = shape_of(op.results[0])[axis]
        low, high = 0, extent  # at `low` the PIM ends later, at `high` the processor
        while high - low > 1:
            cut = (low + high) // 2
            both = _both(costs, op, axis, cut)
            if both is None:
                break
            low, high = (cut, high) if both[0] < both[1] else (low, cut)
        cuts = {min(max(at + round(extent * near / 16), 1), extent - 1) for at in (low, high) for near in OFFSETS}
        for cut in sorted(cuts) if extent > 1 else ():
            both = _both(costs, op, axis, cut)
            if both is not None and max(both) < WORTH * whole:
                yield StepForm((OpSharding((costs.primary, costs.pim), axis, (cut / extent,)),))


def _both(costs: PartCosts, op: Op, axis: int, cut: int) -> tuple[float, float] | None:
    """Times of both shards of an op that is split at index `cut` of an axis, without copies; None if one of the shards
    can't be computed."""
    extent = shape_of(op.results[0])[axis]
    if not 0 < cut < extent:
        return None
    ours, theirs = costs.part(op, axis, range(cut)), costs.part(op, axis, range(cut, extent))
    there = costs.on_pim(theirs) if ours is not None and theirs is not None else None
    if ours is None or theirs is None or there is None:
        return None
    return costs.on_primary(ours), there


def _published(space: RegionSpace) -> None:
    """Add the splits and pipelines of PIMFlow's plan."""
    function, clock = space.problem.function, space.times.clock
    for name in ("mddp", "pimflow"):
        for step in plan_pimflow(function, clock, MODES[name]).steps:
            if step.kind in ("split", "pipeline"):
                space.add(step.ops, [StepForm(step.shardings, step.stages, step.axis)])


def inside(space: RegionSpace, form: StepForm) -> list[StepForm]:
    """Variants of a pipeline: in each, the stages of one op are split between both devices."""
    pim = next(
        (device for sharding in form.shardings for device in sharding.devices if device != space.problem.primary), None
    )
    return [] if pim is None or form.stages == 1 else list(nested(form, space.problem.primary, pim))
