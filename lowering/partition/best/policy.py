"""The policy `best`: the plan with the shortest makespan among many plans, each timed by its timeline.

1. The plans of every other policy and of every mode of PIMFlow (lowering/partition/best/other_policies.py).
2. For each op by itself, the form with the shortest timeline: on one device, or split along any axis at any ratio.
3. For each run of connected ops that could take less time as a pipeline, the form with the shortest timeline: stages on
   the devices with the best estimates.
4. The minimum cover of the program by the ops of step 2 and the pipelines of step 3
   (lowering/partition/plans/cover.py); a pipeline's stages are split between both devices if that shortens it.
5. The shortest plan of steps 1 to 4 with single ops moved to other devices; and a plan of only those splits and
   pipelines that shorten the program if all other ops may move.

Each plan is timed as a whole, in program order and in the orders of the pass `order`. The shortest one is taken, so
that no other policy is faster, except for `joint`, which tries all of these plans and more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence

from xdsl.dialects.func import FuncOp

from dialects.diagnostics import working
from interp.kinds.clock import Clock
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Options, Schedule
from lowering.limits import LIMITS
from lowering.optimise.quick.heuristics import quick
from lowering.partition.best.other_policies import other_outcomes
from lowering.partition.best.outcome import JointPlan, Subject, improved_by_moves
from lowering.partition.best.space import Stages, alone, assignments, axis_of, nested, runs
from lowering.partition.plans.cover import Interval, cover
from lowering.partition.plans.part_costs import PartCosts, plans_for
from lowering.partition.plans.plan import Op, Plan, PlanStep
from lowering.partition.plans.simulated import Simulated, StepForm, as_marked


def place_best(function: FuncOp, clock: Clock, options: Options) -> tuple[PlacementProblem, Schedule]:
    """Rewrite a function by the best plan, and place it."""
    subject = Subject.of(function, clock, options)
    return subject.place_shortest(best_outcomes(subject))


def best_outcomes(subject: Subject) -> Iterator[JointPlan]:
    """The outcomes of all plans among which the policy `best` selects."""
    others = list[JointPlan]()
    for outcome in other_outcomes(subject):
        others.append(outcome)
        yield outcome
    if plans_for(subject.clock):
        yield from _larger(subject, others)


def _larger(subject: Subject, others: Sequence[JointPlan]) -> Iterator[JointPlan]:
    """The outcomes of plans of a space that is larger than PIMFlow's, and of improvements of `others`, the outcomes of
    other policies."""
    parts = Plan("parts", parts_of(subject.times(subject.function)))
    for outcome in _without_and_with(subject, parts):
        others = [*others, outcome]
        yield outcome
    ranked = sorted(others, key=lambda outcome: outcome.ns)
    first_unsplit = next((outcome for outcome in ranked if not outcome.cut), None)
    finals: dict[float, JointPlan] = {}
    for outcome in ranked:  # one of those that split nothing: they are similar
        if outcome.cut or outcome is first_unsplit:
            finals.setdefault(outcome.ns, outcome)
    for outcome in list(finals.values())[: LIMITS.best_finalists]:
        working(f"{outcome.name}, with ops moved")
        if (better := subject.again(outcome.name, outcome, improved_by_moves)) is not None:
            yield better
    yield from assembled(subject, parts)


def _without_and_with(subject: Subject, parts: Plan) -> Iterator[JointPlan]:
    """The outcome of the unsplit function without noted views, yielded only if `subject.laid` is a clone with noted
    views; and the outcome of the plan `parts` or, if that can't be made or does not fit memory, of its splits and
    pipelines alone."""
    laid = subject.laid is not subject.function
    if laid and (outcome := subject.outcome("whole ops", Plan("whole ops", ()), False, _quickly)) is not None:
        yield outcome
    working("splits and pipelines, timed separately")
    for less in (parts, parts.cuts):
        if (outcome := subject.outcome("parts", less, False, as_marked)) is not None:
            yield outcome
            return


def _quickly(problem: PlacementProblem) -> Schedule:
    return Schedule(quick(problem))


def assembled(subject: Subject, parts: Plan) -> Iterator[JointPlan]:
    """The outcomes of plans that consist of splits and pipelines of `parts`, with all other ops free to move. Groups of
    equal splits or pipelines are tried in order of the time that a group saves, and kept if they shorten the whole
    program."""
    groups: dict[Hashable, list[PlanStep]] = defaultdict(list)
    clock, times = subject.clock, subject.times(subject.function)
    for step in parts.cuts.steps:
        groups[times.signature(step.ops)].append(step)
    here = clock.machine.primary
    saved = {
        key: sum(clock.op_cost(op, here).ns for step in steps for op in step.ops) - sum(step.ns for step in steps)
        for key, steps in groups.items()
    }
    found, reached = Plan("assembled", ()), float("inf")
    for number, key in enumerate(sorted(groups, key=lambda key: -saved[key])[: LIMITS.best_groups], 1):
        working(f"splits and pipelines, group {number} of {min(len(groups), LIMITS.best_groups)}")
        trial = Plan("assembled", (*found.steps, *groups[key]))
        outcome = subject.outcome("assembled", trial, False, _improved)
        if outcome is not None and outcome.ns < reached:
            found, reached = trial, outcome.ns
            yield outcome


def _improved(problem: PlacementProblem) -> Schedule:
    """The schedule after moving single ops to other devices as long as that shortens the makespan."""
    return improved_by_moves(problem, as_marked(problem))


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
            ways = assignments(stages, mine, axis or 0, LIMITS.worth * known)[: LIMITS.forms_of_run]
            promising += [(ns - known, (start, length), form) for ns, form in ways]
    found: dict[Interval, tuple[StepForm, float]] = {}
    last = times.timed + LIMITS.best_trials
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
