"""A plan for costs that may be wrong: of many plans, the one that loses least over scenarios of wrong costs, whatever
the policy that made them (`place{robust=0.2}`).

The regret of a plan in a scenario is what it takes there over the best that is known there, less one: what is lost by
having decided before the costs were known. A policy decides at nominal costs and in each scenario; each of these plans,
and those of quick policies, is held against all scenarios; the best is improved by moving nodes and regions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import NamedTuple

from dialects.diagnostics import notes_to
from interp.figures import percent
from lowering.limits import LIMITS
from lowering.placement.choice import Placement
from lowering.placement.problem import Options, Policy, Problem, Schedule
from lowering.placement.scenarios import Scenario, scenarios
from lowering.placement.search.heuristics import Move, gpu, greedy, moves, pim_first, priority
from lowering.placement.serial.path import place_path

TRAINING, HELD_OUT = 1, 2
"""Their seeds."""
EQUAL = 1e-9
"""Regrets that differ by less are the same: a plan replaces another only if it is better by more."""


@dataclass(frozen=True)
class Figures:
    """Regrets of a hedged plan and of the policy's plan at nominal costs, worst or mean as the options say, on the
    scenarios that the plan was chosen on and on as many others; `price`: what it takes at nominal costs over the best
    plan known for these, less one."""

    regret: float
    nominal: float
    fresh_regret: float
    fresh_nominal: float
    price: float

    def sentence(self, fraction: float, expected: bool) -> str:
        """The gain for which the price was paid."""
        word = "mean" if expected else "worst"
        count = LIMITS.robust_scenarios
        return (
            f"robust: {word} regret {percent(self.regret)} instead of {percent(self.nominal)} over {count} "
            f"scenarios of costs wrong by up to {fraction * 100:g} %, and {percent(self.fresh_regret)} instead of "
            f"{percent(self.fresh_nominal)} over {count} others; price {percent(self.price)} at nominal costs"
        )


class RobustPlan(NamedTuple):
    """A plan that may be taken. `full`: whether memory fails to hold it at nominal costs, and in how many scenarios;
    `reached`: its makespan in each scenario, in ns."""

    plan: Schedule
    full: tuple[bool, int]
    reached: list[float]


class PlanTrial:
    """Plans for one problem, held against scenarios of it."""

    def __init__(self, problem: Problem, drawn: Sequence[Scenario], expected: bool) -> None:
        self.problem = problem
        self.scenarios = drawn
        self.expected = expected
        self.best = [float("inf")] * len(drawn)
        """The least makespan known in each scenario, in ns."""
        self.spent = 0
        """Node placements simulated so far."""
        self._asked = list(range(len(drawn)))

    def know(self, plan: Schedule) -> list[float]:
        """The makespan of a plan in each scenario: it may be the best that is known there from now on."""
        reached = [self._ends(index, plan) for index in range(len(self.scenarios))]
        self.best = list(map(min, self.best, reached))
        return reached

    def candidate(self, plan: Schedule) -> RobustPlan:
        """A plan with all that it is judged by."""
        return RobustPlan(plan, self.overfull(plan), self.know(plan))

    def regret(self, reached: Sequence[float]) -> float:
        """The regret that counts, of makespans in each scenario."""
        each = [over(ns, best) for ns, best in zip(reached, self.best, strict=True)]
        return sum(each) / len(each) if self.expected else max(each)

    def least(self, candidates: Iterable[RobustPlan]) -> RobustPlan:
        """The one with the least regret, of those that memory holds; of several the first."""
        return min(candidates, key=lambda each: (each.full, self.regret(each.reached)))

    def below(self, plan: Schedule, least: float) -> float | None:
        """The regret of a plan where that is below `least`. The scenario that ruled out the last plan is asked first:
        it is likely to rule out this one."""
        each: list[float] = []
        for place, index in enumerate(self._asked):
            each.append(over(self._ends(index, plan), self.best[index]))
            if not self.expected and each[-1] >= least - EQUAL:
                self._asked.insert(0, self._asked.pop(place))
                return None
        regret = sum(each) / len(each) if self.expected else max(each)
        return regret if regret < least - EQUAL else None

    def overfull(self, plan: Schedule) -> tuple[bool, int]:
        """True if memory fails to hold a plan at nominal costs, and in how many scenarios: how long values lie in
        memory depends on times, unless all of them fit at once."""
        if _holds_all(self.problem, plan):
            return False, 0
        there = sum(bool(scenario.overfull(scenario.here(plan))) for scenario in self.scenarios)
        return bool(self.problem.overfull(plan)), there

    def _ends(self, index: int, plan: Schedule) -> float:
        self.spent += len(self.problem.nodes)
        scenario = self.scenarios[index]
        return end(scenario, scenario.here(plan))


def hedge(problem: Problem, policy: Policy) -> tuple[Schedule, Figures]:
    """The plan with the least regret over scenarios in which costs are wrong by up to `options.robust`, and what it
    gains: never more regret than the policy's own plan, which wins ties, on the scenarios that it is chosen on. Raises
    InputError where the policy does."""
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
        fresh.know(plan)
    ns = end(problem, chosen.plan)
    figures = Figures(
        training.regret(chosen.reached),
        training.regret(own.reached),
        fresh.regret(fresh.know(chosen.plan)),
        fresh.regret(fresh.know(nominal)),
        over(ns, min(end(problem, each.plan) for each in candidates if each.full <= chosen.full)),
    )
    return replace(chosen.plan, bound=nominal.bound, ns=ns), figures


def improved(trial: PlanTrial, start: RobustPlan) -> Schedule:
    """Hill climbing by regret: move whole regions, then single nodes, keep what loses less and fits no worse; until
    nothing does, or `LIMITS.robust_placed` nodes have been placed. A plan that is moved falls back into program
    order."""
    plan, least = start.plan, trial.regret(start.reached)
    trial.spent = 0
    better = True
    while better and trial.spent < LIMITS.robust_placed:
        better = False
        for move in moves(trial.problem, plan.placement):
            moved = _moved(plan.placement, move)
            if trial.spent >= LIMITS.robust_placed:
                break
            regret = trial.below(moved, least) if moved else None
            if moved and regret is not None and trial.overfull(moved) <= start.full:
                plan, least, better = moved, regret, True
    return plan


def over(ns: float, best: float) -> float:
    """A time divided by the best one, minus 1."""
    return ns / best - 1 if best else 0.0


def end(problem: Problem, schedule: Schedule) -> float:
    """The makespan of a schedule, in ns; computed the quick way where it keeps the program's order."""
    plain = not schedule.order and not schedule.waits and not schedule.streams
    return problem.makespan(schedule.placement, schedule.lies) if plain else problem.ends(schedule)


def distinct(schedules: Iterable[Schedule]) -> list[Schedule]:
    """Schedules of one problem, each once."""
    found: dict[Hashable, Schedule] = {}
    for each in schedules:
        found[tuple(each.placement), each.order, each.waits, each.streams, *each.lies.items()] = each
    return list(found.values())


def _decide(problem: Problem, policy: Policy, options: Options) -> Schedule:
    """The decision of a policy under these options."""
    before, problem.options = problem.options, options
    try:
        return Schedule.of(policy(problem))
    finally:
        problem.options = before


def _redecided(trial: PlanTrial, policy: Policy) -> Iterator[Schedule]:
    """The decisions of a policy that knows the costs of each scenario: together within the limit of the decision at
    nominal costs, where one is set."""
    for scenario in trial.scenarios:
        told = scenario.options
        told = replace(told, limit_s=told.limit_s / len(trial.scenarios), gap=max(told.gap, LIMITS.robust_near))
        with _unheard():
            decided = _decide(scenario, policy, told)
        yield scenario.there(decided)


def _quick(problem: Problem) -> Iterator[Schedule]:
    """Plans of other policies that take little time, at nominal costs."""
    for policy in (gpu, pim_first, greedy, place_path):
        with _unheard():
            decided = Schedule.of(policy(problem))
        yield decided
    for device in problem.devices:
        yield _decide(problem, priority, replace(problem.options, priority=(device,)))


def _unheard() -> AbstractContextManager[None]:
    """Notes of policies that were not asked for, or only about costs that are wrong, are not for the user."""
    return notes_to(lambda message, place: None)


def _moved(placement: Placement, move: Move) -> Schedule | None:
    """A placement with other choices for some nodes; None where it has them."""
    trial = list(placement)
    for index, choice in move:
        trial[index] = choice
    return None if all(placement[index] is choice for index, choice in move) else Schedule(trial)


def _holds_all(problem: Problem, plan: Schedule) -> bool:
    """True if memory holds everything that a plan ever puts there, all at one time."""
    account = problem.account(plan.placement, plan.lies)
    ever = [float("inf")] * len(account.jobs)
    needs = account.residency.needs(problem.devices, [0.0] * len(account.jobs), ever)
    return all(need.total <= problem.room[name] for name, need in needs.items())
