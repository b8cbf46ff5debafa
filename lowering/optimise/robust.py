"""Robust placement: among many plans, the plan with the least regret over scenarios of wrong costs, for any policy
(`place{robust=0.2}`).

The regret of a plan in a scenario is its makespan divided by the best makespan known for the scenario, minus 1: the
loss from deciding before the costs were known. The policy is run at nominal costs and in each scenario. The resulting
plans and the plans of fast policies are evaluated in all scenarios; the plan with the least regret is then improved by
moving nodes and regions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import NamedTuple

from dialects.diagnostics import notes_to
from interp.figures import percent
from lowering.instance.problem import Options, Policy, Problem, Schedule
from lowering.limits import LIMITS
from lowering.optimise.quick.heuristics import Move, gpu, greedy, moved, moves, pim_first, priority
from lowering.optimise.scenarios import Scenario, scenarios
from lowering.optimise.serial.path import place_path
from lowering.solve.climbing import Budget, improve

TRAINING, HELD_OUT = 1, 2
"""Seeds of the scenarios for choosing plans and for evaluation."""
EQUAL = 1e-9
"""Regrets that differ by at most this number count as equal; so a plan replaces another plan only if its regret is less
by more than this number."""


@dataclass(frozen=True)
class Figures:
    """Regrets of the robust plan (`regret`) and of the policy's plan at nominal costs (`nominal`), each the worst or
    the mean over the scenarios used to choose the plan, as the options say; `fresh_regret` and `fresh_nominal`: the
    same over an equal number of other scenarios. `price`: the robust plan's makespan at nominal costs divided by the
    best makespan known at nominal costs, minus 1."""

    regret: float
    nominal: float
    fresh_regret: float
    fresh_nominal: float
    price: float

    def sentence(self, fraction: float, expected: bool) -> str:
        """The gain in regret and its price, as a sentence."""
        word = "mean" if expected else "worst"
        count = LIMITS.robust_scenarios
        return (
            f"robust: {word} regret {percent(self.regret)} instead of {percent(self.nominal)} over {count} "
            f"scenarios of costs wrong by up to {fraction * 100:g} %, and {percent(self.fresh_regret)} instead of "
            f"{percent(self.fresh_nominal)} over {count} others; price {percent(self.price)} at nominal costs"
        )


class RobustPlan(NamedTuple):
    """A candidate plan. `full`: (True if it exceeds memory at nominal costs, number of scenarios in which it exceeds
    memory); `reached`: its makespan in each scenario, in ns."""

    plan: Schedule
    full: tuple[bool, int]
    reached: list[float]


class PlanTrial:
    """Evaluation of plans for one problem in scenarios of wrong costs."""

    def __init__(self, problem: Problem, drawn: Sequence[Scenario], expected: bool) -> None:
        self.problem = problem
        self.scenarios = drawn
        self.expected = expected
        self.best = [float("inf")] * len(drawn)
        """The shortest makespan known in each scenario, in ns."""
        self.budget = Budget()
        """The number of node placements that may still be simulated."""
        self._order = list(range(len(drawn)))

    def evaluate(self, plan: Schedule) -> list[float]:
        """Simulate a plan in all scenarios; returns its makespan in each, in ns, and updates the best makespans
        known."""
        reached = [self._ends(index, plan) for index in range(len(self.scenarios))]
        self.best = list(map(min, self.best, reached))
        return reached

    def candidate(self, plan: Schedule) -> RobustPlan:
        """A plan together with the numbers by which candidates are compared."""
        return RobustPlan(plan, self.overfull(plan), self.evaluate(plan))

    def regret(self, reached: Sequence[float]) -> float:
        """The worst or mean regret for makespans in each scenario."""
        each = [over(ns, best) for ns, best in zip(reached, self.best, strict=True)]
        return sum(each) / len(each) if self.expected else max(each)

    def least(self, candidates: Iterable[RobustPlan]) -> RobustPlan:
        """The candidate with the least regret among those that fit memory; the first of equal ones."""
        return min(candidates, key=lambda each: (each.full, self.regret(each.reached)))

    def below(self, plan: Schedule, least: float) -> float | None:
        """The regret of a plan if it is below `least`, else None. The scenario in which the previous plan's regret was
        too large is evaluated first: it is likely to rule out this plan as well."""
        each: list[float] = []
        for place, index in enumerate(self._order):
            each.append(over(self._ends(index, plan), self.best[index]))
            if not self.expected and each[-1] >= least - EQUAL:
                self._order.insert(0, self._order.pop(place))
                return None
        regret = sum(each) / len(each) if self.expected else max(each)
        return regret if regret < least - EQUAL else None

    def overfull(self, plan: Schedule) -> tuple[bool, int]:
        """True if a plan exceeds memory at nominal costs, and the number of scenarios in which it does: lifetimes of
        values depend on times, unless all values fit at once."""
        if _holds_all(self.problem, plan):
            return False, 0
        there = sum(not scenario.fits(scenario.here(plan)) for scenario in self.scenarios)
        return not self.problem.fits(plan), there

    def _ends(self, index: int, plan: Schedule) -> float:
        self.budget.spend(len(self.problem.nodes))
        scenario = self.scenarios[index]
        return end(scenario, scenario.here(plan))


def hedge(problem: Problem, policy: Policy) -> tuple[Schedule, Figures]:
    """The plan with the least regret over scenarios in which costs are wrong by up to `options.robust`, and its
    regrets. In the scenarios used for choosing, its regret is never above that of the policy's own plan, which is
    taken if both are equal. Raises InputError if the policy does."""
    fraction, expected = problem.options.robust, problem.options.regret == "expected"
    training, fresh = (
        PlanTrial(problem, scenarios(problem, fraction, LIMITS.robust_scenarios, seed), expected)
        for seed in (TRAINING, HELD_OUT)
    )
    nominal = _decide(problem, policy, replace(problem.options, robust=0.0))
    plans = distinct([nominal, *_redecided(training, policy), *_quick(problem)])
    candidates = [training.candidate(plan) for plan in plans]
    start = training.least(candidates)
    candidates.append(training.candidate(improved(training, start)))
    own, chosen = candidates[0], training.least(candidates)
    if own.full == chosen.full and training.regret(own.reached) <= training.regret(chosen.reached) + EQUAL:
        chosen = own
    for plan in (*(each.plan for each in candidates), *_redecided(fresh, policy)):
        fresh.evaluate(plan)
    ns = end(problem, chosen.plan)
    figures = Figures(
        training.regret(chosen.reached),
        training.regret(own.reached),
        fresh.regret(fresh.evaluate(chosen.plan)),
        fresh.regret(fresh.evaluate(nominal)),
        over(ns, min(end(problem, each.plan) for each in candidates if each.full <= chosen.full)),
    )
    return replace(chosen.plan, bound=nominal.bound, ns=ns), figures


def improved(trial: PlanTrial, start: RobustPlan) -> Schedule:
    """Hill climbing by regret: connected sets of nodes on one device are moved as a whole, then single nodes; moves
    with less regret and no more memory overflow are kept; it stops at a local optimum or after
    `LIMITS.robust_placed` node placements. A moved plan is in program order."""
    trial.budget = Budget(LIMITS.robust_placed)

    def better(best: tuple[Schedule, float], move: Move) -> tuple[Schedule, float] | None:
        placement = moved(best[0].placement, move)
        plan = None if placement is None else Schedule(placement)
        regret = None if plan is None else trial.below(plan, best[1])
        return (plan, regret) if plan and regret is not None and trial.overfull(plan) <= start.full else None

    first = start.plan, trial.regret(start.reached)
    return improve(first, lambda best: moves(trial.problem, best[0].placement), better, trial.budget)[0]


def over(ns: float, best: float) -> float:
    """The excess of a time over the best time, as a fraction of the best."""
    return ns / best - 1 if best else 0.0


def end(problem: Problem, schedule: Schedule) -> float:
    """The makespan of a schedule, in ns; a schedule in program order is simulated by a faster method."""
    plain = not schedule.order and not schedule.waits and not schedule.streams
    return problem.makespan(schedule.placement, schedule.input_devices) if plain else problem.ends(schedule)


def distinct(schedules: Iterable[Schedule]) -> list[Schedule]:
    """Schedules of one problem, without duplicates."""
    found: dict[Hashable, Schedule] = {}
    for each in schedules:
        found[tuple(each.placement), each.order, each.waits, each.streams, *each.input_devices.items()] = each
    return list(found.values())


def _decide(problem: Problem, policy: Policy, options: Options) -> Schedule:
    """The decision of a policy under the given options."""
    before, problem.options = problem.options, options
    try:
        return Schedule.of(policy(problem))
    finally:
        problem.options = before


def _redecided(trial: PlanTrial, policy: Policy) -> Iterator[Schedule]:
    """The decisions of a policy at the costs of each scenario; together they respect the time limit of the decision at
    nominal costs, if there is one."""
    for scenario in trial.scenarios:
        limited = scenario.options
        limited = replace(limited, limit=limited.limit / len(trial.scenarios), gap=max(limited.gap, LIMITS.robust_near))
        with _without_notes():
            decided = _decide(scenario, policy, limited)
        yield scenario.there(decided)


def _quick(problem: Problem) -> Iterator[Schedule]:
    """Plans of other, fast policies at nominal costs."""
    for policy in (gpu, pim_first, greedy, place_path):
        with _without_notes():
            decided = Schedule.of(policy(problem))
        yield decided
    for device in problem.devices:
        yield _decide(problem, priority, replace(problem.options, devices=(device,)))


def _without_notes() -> AbstractContextManager[None]:
    """Suppresses notes of policies that the user did not select or that concern perturbed costs."""
    return notes_to(lambda message, place: None)


def _holds_all(problem: Problem, plan: Schedule) -> bool:
    """True if each device can hold, at the same time, all data that a plan ever allocates there."""
    account = problem.account(plan.placement, plan.input_devices)
    ever = [float("inf")] * len(account.jobs)
    needs = account.residency.needs(problem.devices, [0.0] * len(account.jobs), ever)
    return all(need.total <= problem.room[name] for name, need in needs.items())
