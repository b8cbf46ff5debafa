"""The form in which each op, and each run of connected ops, takes the least time by itself, and the cover of a program
by these forms."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from lowering.partition.plans.cover import Interval, cover
from lowering.partition.plans.part_costs import PartCosts
from lowering.partition.plans.plan import Op, PlanStep
from lowering.partition.plans.simulated import Simulated, StepForm
from lowering.partition.search.forms import FORMS_OF_RUN, WORTH, Stages, alone, assignments, axis_of, nested, runs

RUN_TRIALS = 100
"""Pipelines that policy `optimal` simulates, over all runs of ops."""


def parts_of(times: Simulated) -> tuple[PlanStep, ...]:
    """The minimum cover of a program by single ops and pipelined runs of ops, whose costs are the times of their own
    timelines; these times are kept in `times`."""
    ops = times.ops
    with PartCosts(times.clock) as costs:
        costs.prepare(ops)
        equal: dict[Hashable, tuple[StepForm, float]] = {}
        for op in ops:
            if (key := times.signature((op,))) not in equal:
                equal[key] = alone(times, costs, op)
        single = [equal[times.signature((op,))] for op in ops]
        joint = _runs(times, costs, [ns for _, ns in single])
    chosen = cover([ns for _, ns in single], {run: ns for run, (_, ns) in joint.items()})[1]
    steps: list[PlanStep] = []
    for start, length in chosen:
        mine = ops[start : start + length]
        form, ns = single[start] if length == 1 else _refined(times, costs, mine, joint[start, length])
        steps.append(form.step(mine, ns))
    return tuple(steps)


def _runs(times: Simulated, costs: PartCosts, single: Sequence[float]) -> dict[Interval, tuple[StepForm, float]]:
    """For each run of ops that takes less time as a pipeline than its ops one by one: the fastest pipeline and its
    time. Runs are tried in order of their estimated savings."""
    promising: list[tuple[float, Interval, StepForm]] = []
    pairs = [Stages(pair) for pair in costs.pairs()]
    for start, length in runs(times.ops):
        mine = times.ops[start : start + length]
        axis, known = axis_of(mine[-1]), sum(single[start : start + length])
        for stages in pairs if axis is not None else ():
            ways = assignments(stages, mine, axis or 0, WORTH * known)[:FORMS_OF_RUN]
            promising += [(ns - known, (start, length), form) for ns, form in ways]
    found: dict[Interval, tuple[StepForm, float]] = {}
    last = times.timed + RUN_TRIALS
    for _, (start, length), form in sorted(promising, key=lambda entry: entry[:2]):
        if times.timed >= last:
            break
        ns = times.ns(times.ops[start : start + length], form)
        known = found[start, length][1] if (start, length) in found else sum(single[start : start + length])
        if ns is not None and ns < known:
            found[start, length] = form, ns
    return found


def _refined(
    times: Simulated, costs: PartCosts, ops: Sequence[Op], best: tuple[StepForm, float]
) -> tuple[StepForm, float]:
    """A faster variant of a pipeline, in which stages are split between the primary device and another device; `best`
    if no variant is faster."""
    for pim in costs.linked_devices:
        for form in nested(best[0], costs.primary, pim):
            ns = times.ns(ops, form)
            if ns is not None and ns < best[1]:
                best = form, ns
    return best
