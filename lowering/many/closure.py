"""The best of many plans for each of many variants of a machine, closed under small changes.

Each known plan is timed for all variants. Then the plan of each variant is changed: single nodes, connected sets of
nodes on one device, and states with their readers move to other devices, as in the local search of one machine
(lowering/optimise/quick/heuristics.py), and tasks and copies are ordered anew by list scheduling. Each change is timed
for those variants whose plan it changes; a plan that is the best one for some variant is kept, and changed in turn. The
search ends when no change of a variant's plan is better for it: each plan is then a local optimum of its variant, and
no plan that was timed for a variant is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from interp.machine.variants import Reals
from lowering.instance.orders import orders
from lowering.instance.problem import Schedule
from lowering.instance.sequence import name_of, scheduled
from lowering.limits import LIMITS
from lowering.many.space import Lanes, Plan
from lowering.optimise.quick.heuristics import moved, moves

Mask = NDArray[np.bool_]


class Closure:
    """The best plan for each variant. `ns`: (variants) its makespan in ns; `plans`: all plans that were the best one for
    some variant; `owner`: (variants) the number of the best plan among these."""

    def __init__(self, count: int) -> None:
        self.ns: Reals = np.full(count, np.inf)
        self.owner = np.full(count, -1)
        self.plans: list[Plan] = []
        self.trials = 0
        """The number of plans that were timed, counted once for each set of variants."""
        self._numbers: dict[Plan, int] = {}
        self._timed: dict[Plan, Mask] = {}
        """The variants for which each plan was timed."""
        self._changed: dict[Plan, Mask] = {}
        """The variants for which each plan was changed."""

    def close(self, starts: Iterable[Plan]) -> None:
        """Find the best plans, from some known ones."""
        every = np.arange(len(self.ns))
        for plan in starts:
            self.consider(plan, every)
        while True:
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
                    self.consider(other, lanes)

    def groups(self) -> list[tuple[Plan, Lanes]]:
        """The best plans, each with the variants for which it is the best one."""
        numbers = np.unique(self.owner)
        return [(self.plans[number], np.flatnonzero(self.owner == number)) for number in numbers.tolist() if number >= 0]

    def consider(self, plan: Plan, lanes: Lanes) -> None:
        """Time a plan for some variants, unless it was timed for them before, and keep it for those for which it is the
        best one so far."""
        timed = self._mask(self._timed, plan)
        lanes = lanes[~timed[lanes]]
        if not len(lanes) or plan.least > self.ns[lanes].max():
            return
        timed[lanes] = True
        self.trials += 1
        ns = plan.makespans(lanes)
        better = ns < self.ns[lanes] * (1 - LIMITS.rounding)
        if not better.any() or not plan.space.problem.fits(plan.schedule):
            return
        if plan not in self._numbers:
            self._numbers[plan] = len(self.plans)
            self.plans.append(plan)
        self.ns[lanes[better]] = ns[better]
        self.owner[lanes[better]] = self._numbers[plan]

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
        ranks: dict[object, tuple[float, ...]] = {}
        if schedule.order:
            walked = problem.walk(schedule.placement)
            names = [name_of(*walked[number]) for number in schedule.order]
            ranks = {name: (float(rank),) for rank, name in enumerate(names)}
        for move in moves(problem, schedule.placement):
            if (placement := moved(schedule.placement, move)) is None:
                continue
            yield space.plan(Schedule(placement))
            if ranks:
                yield space.plan(scheduled(problem, placement, ranks))  # pyright: ignore[reportArgumentType]
