"""Sequential decisions about placement, splits and pipelines, for comparison with the joint decision: placement first,
splits first, and the plans of the policy `best`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lowering.instance.choice import Choice, Placement
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Problem, Region, Schedule
from lowering.instance.sequence import positions, started
from lowering.limits import LIMITS
from lowering.optimise.quick.heuristics import quick
from lowering.partition.best.outcome import JointPlan, Subject, carried, improved_by_moves, in_order, least, polished
from lowering.partition.best.policy import best_outcomes
from lowering.partition.joint.space import JointSpace, chosen, expected, expected_ranks
from lowering.partition.plans.plan import Plan
from lowering.partition.plans.simulated import as_marked
from lowering.solve.climbing import Budget, improve


def unpartitioned_ops(problem: Problem) -> Schedule:
    """The schedule of a problem's ops without regions: their placement and order."""
    schedule = in_order(problem, quick(problem))
    return polished(problem, schedule) if len(problem.nodes) <= LIMITS.joint_small_nodes else schedule


def one_by_one(subject: Subject, space: JointSpace, whole: Schedule) -> Iterator[JointPlan]:
    """The outcome of each sequence of decisions (placement first, splits first, policy `best`), each in the best order
    of its tasks; `whole` is the schedule of unpartitioned ops."""
    polish = LIMITS.whole_effort
    plan = Plan("whole ops", ())
    yield from _found(subject.outcome("whole ops", plan, True, lambda problem: _replicated(problem, whole), polish))
    yield from _found(placed_first(subject, space, whole))
    pimflow = next(subject.pimflow("pimflow"))
    for less in (pimflow, pimflow.cuts):
        yield from _found(subject.outcome("cut, then placed", less, False, _free, polish))
    outcomes = list(best_outcomes(subject))
    yield from outcomes
    best = least(outcomes)
    if best is not None:
        yield replace(best, name="best")
        yield from _found(subject.again("best", best, lambda _, schedule: schedule, polish))


def _found(outcome: JointPlan | None) -> Iterator[JointPlan]:
    if outcome is not None:
        yield outcome


def _replicated(problem: PlacementProblem, whole: Schedule) -> Schedule:
    """The schedule `whole` for a copy of the program: each node has the choice with the same label."""
    placement = [
        next(choice for choice in node.choices if choice.label == theirs.label)
        for node, theirs in zip(problem.nodes, whole.placement, strict=True)
    ]
    return replace(whole, placement=placement)


def _free(problem: PlacementProblem) -> Schedule:
    """The schedule of a split program: placed, then improved by moving single ops as long as that shortens the
    makespan."""
    return improved_by_moves(problem, as_marked(problem))


def placed_first(subject: Subject, space: JointSpace, whole: Schedule) -> JointPlan | None:
    """The outcome of deciding the placement of unpartitioned ops first; then the splits and pipelines that help most
    are inserted, one at a time."""
    placement, ranks = inserted(space.problem, whole.placement), positions(started(space.problem, whole))
    plan = Plan("placed, then cut", tuple(each.step for each in chosen(space, placement)))
    keyed, node_ranks = expected(space, placement), expected_ranks(space, placement, ranks)

    def place(problem: PlacementProblem) -> Schedule:
        return carried(problem, keyed, node_ranks)

    return subject.outcome("placed, then cut", plan, True, place, LIMITS.whole_effort)


def inserted(problem: Problem, placement: Placement) -> list[Choice]:
    """A placement after inserting regions one at a time, each time the one that shortens the makespan most, until no
    region shortens it."""
    budget = Budget(LIMITS.insertions_placed // max(1, len(problem.nodes)))
    inside = {region.choice for region in problem.regions}

    def better(best: tuple[float, list[Choice]], region: Region) -> tuple[float, list[Choice]] | None:
        if any(best[1][index] in inside for index in region.nodes):
            return None
        budget.spend()
        trial = list(best[1])
        for index in region.nodes:
            trial[index] = region.choice
        ns = problem.makespan(trial)
        return (ns, trial) if ns < best[0] * (1 - LIMITS.rounding) and problem.fits(trial) else None

    start = problem.makespan(placement), list(placement)
    return improve(start, lambda best: problem.regions, better, budget, "steepest", cost=lambda best: best[0])[1]
