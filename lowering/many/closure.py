"""The best of many plans for each of many variants of a machine, closed under small changes.

Each known plan is timed for all variants. Then the plan of each variant is changed: single nodes, connected sets of
nodes on one device, and states with their readers move to other devices, as in the local search of one machine
(lowering/optimise/quick/heuristics.py), and tasks and copies are ordered anew by list scheduling. Each change is timed
for those variants whose plan it changes; a plan that is the best one for some variant is kept, and changed in turn. The
search ends when no change of a variant's plan is better for it, or after a third of `LIMITS.climbing_placed`
nodes were placed in trials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from interp.machine.variants import Reals
from lowering.instance.choice import Choice
from lowering.instance.orders import orders
from lowering.instance.partial import Name
from lowering.instance.problem import Schedule
from lowering.instance.sequence import name_of, scheduled
from lowering.limits import LIMITS
from lowering.many.space import Lanes, Plan
from lowering.optimise.quick.heuristics import Move, moved, moves
from lowering.solve.climbing import Budget

Mask = NDArray[np.bool_]
SMALL = 100
"""Nodes: in programs with at most this many nodes, each node is moved to each of its choices."""


class Closure:
    """The best plan for each variant. `ns`: (variants) its makespan in ns; `plans`: all plans that were the best one
    for some variant; `owner`: (variants) the number of the best plan among these."""

    def __init__(self, count: int) -> None:
        self.ns: Reals = np.full(count, np.inf)
        self.owner = np.full(count, -1)
        self.plans: list[Plan] = []
        self.budget = Budget(LIMITS.climbing_placed / 3)
        """The nodes that may still be placed in trials."""
        self._chosen: set[Choice] = set()
        """The choices of nodes in the plans that were the best ones for some variant, and in those that were given."""
        self._numbers: dict[Plan, int] = {}
        self._timed: dict[Plan, Mask] = {}
        """The variants for which each plan was timed."""
        self._changed: dict[Plan, Mask] = {}
        """The variants for which each plan was changed."""

    def close(self, starts: Iterable[Plan]) -> None:
        """Find the best plans, from some known ones."""
        every = np.arange(len(self.ns))
        for plan in starts:
            self._chosen.update(plan.schedule.placement)
            self.consider(plan, every)
        while not self.budget.spent:
            waiting = [(plan, self._unchanged(plan, lanes)) for plan, lanes in self.groups()]
            waiting = [(plan, lanes) for plan, lanes in waiting if len(lanes)]
            if not waiting:
                others = [plan for plan, _ in self.groups() if not self._timed[plan].all()]
                if not others:
                    return
                for plan in others:
                    self.consider(plan, every)
                continue
            for plan, lanes in waiting:
                self._mask(self._changed, plan)[lanes] = True
                for other in self._neighbours(plan, lanes):
                    if self.budget.spent:
                        return
                    self.consider(other, lanes)

    def groups(self) -> list[tuple[Plan, Lanes]]:
        """The best plans, each with the variants for which it is the best one."""
        numbers = np.unique(self.owner)
        return [
            (self.plans[number], np.flatnonzero(self.owner == number)) for number in numbers.tolist() if number >= 0
        ]

    def consider(self, plan: Plan, lanes: Lanes) -> None:
        """Time a plan for some variants, unless it was timed for them before, and keep it for those for which it is the
        best one so far."""
        timed = self._mask(self._timed, plan)
        lanes = lanes[~timed[lanes]]
        if not len(lanes) or plan.least > self.ns[lanes].max():
            return
        timed[lanes] = True
        self.budget.spend(len(plan.schedule.placement))
        ns = plan.makespans(lanes)
        better = ns < self.ns[lanes] * (1 - LIMITS.rounding)
        if not better.any() or not plan.space.problem.fits(plan.schedule):
            return
        if plan not in self._numbers:
            self._numbers[plan] = len(self.plans)
            self._chosen.update(plan.schedule.placement)
            self.plans.append(plan)
        self.ns[lanes[better]] = ns[better]
        self.owner[lanes[better]] = self._numbers[plan]

    def replace(self, change: Callable[[Plan, int], Plan]) -> None:
        """Replace the best plans by others that take no longer. `change`: the other plan for a plan and one of its
        variants."""
        for plan, lanes in self.groups():
            other = change(plan, int(lanes[0]))
            ns = self.ns[lanes] if other is plan else other.makespans(lanes)
            kept = ns <= self.ns[lanes] * (1 + LIMITS.rounding)
            if other is not plan and kept.any():
                if other not in self._numbers:
                    self._numbers[other] = len(self.plans)
                    self.plans.append(other)
                self.ns[lanes[kept]] = ns[kept]
                self.owner[lanes[kept]] = self._numbers[other]

    def _mask(self, masks: dict[Plan, Mask], plan: Plan) -> Mask:
        if plan not in masks:
            masks[plan] = np.zeros(len(self.ns), np.bool_)
        return masks[plan]

    def _unchanged(self, plan: Plan, lanes: Lanes) -> Lanes:
        return lanes[~self._mask(self._changed, plan)[lanes]]

    def _neighbours(self, plan: Plan, lanes: Lanes) -> Iterator[Plan]:
        """The plans that differ from a plan by one change. `lanes`: the variants for which they are timed."""
        space, schedule = plan.space, plan.schedule
        problem = space.problem
        ranked = lanes[np.argsort(self.ns[lanes], kind="stable")]
        for lane in dict.fromkeys((int(ranked[0]), int(ranked[len(ranked) // 2]), int(ranked[-1]))):
            column = plan.ns(np.array([lane]))[:, 0]
            jobs = [job._replace(ns=float(ns)) for job, ns in zip(plan.jobs, column, strict=True)]
            now = schedule.order or tuple(range(len(jobs)))
            for _, order in orders(jobs):
                yield space.plan(replace(schedule, order=tuple([now[place] for place in order])))
        walked = problem.walk(schedule.placement) if schedule.order else []
        ranks: dict[Name, tuple[float, ...]] = {}
        ranks |= {name_of(*walked[number]): (float(rank),) for rank, number in enumerate(schedule.order)}
        for move in chain(self._of_equals(plan), moves(problem, schedule.placement)):
            placement = moved(schedule.placement, move)
            if placement is not None and self._is_likely(plan, move):
                yield space.plan(scheduled(problem, placement, ranks) if ranks else Schedule(placement))

    def _of_equals(self, plan: Plan) -> Iterator[Move]:
        """The moves of all nodes with equal work and equal choices to another choice."""
        nodes, placement = plan.space.problem.nodes, plan.schedule.placement
        equal: dict[tuple[object, int], list[int]] = {}
        for node, kind in zip(nodes, plan.space.kinds, strict=True):
            equal.setdefault((kind, node.choices.index(placement[node.index])), []).append(node.index)
        for (_, now), members in equal.items():
            for number in range(len(nodes[members[0]].choices) if len(members) > 1 else 0):
                if number != now:
                    yield [(index, nodes[index].choices[number]) for index in members]

    def _is_likely(self, plan: Plan, move: Move) -> bool:
        """True if a move is worth a trial: in a large program, if it moves several nodes, or a node to a choice that it
        has in another plan."""
        is_small = len(plan.space.problem.nodes) <= SMALL
        return is_small or len(move) > 1 or any(choice in self._chosen for _, choice in move)
