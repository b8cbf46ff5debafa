"""A placement problem whose times on some devices are those of many variants of these devices."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from dialects.pim import PLAN
from interp.kinds.clock import Clock
from interp.machine.variants import PimVariants, Reals
from interp.simulate.events.jobs import Job
from interp.simulate.events.loop import spans
from interp.simulate.events.many import spans_of_many
from interp.simulate.schedule.many import TOGETHER
from interp.simulate.schedule.routes import Copy
from interp.walk.work_key import shape_key
from lowering.banks.templates import PimTemplates
from lowering.banks.ways import BankWay, FastestWays, Screened, ways_of
from lowering.instance.choice import Choice, ChoicePart, Placement
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Problem, Schedule
from lowering.optimise.quick.heuristics import schedule_with_states
from lowering.optimise.search.small import place_small
from lowering.partition.search.decided import Tried, Way

Lanes = NDArray[np.intp]
"""Positions of some variants among all."""


class VariedCosts:
    """The times and energies of tasks on devices that vary.

    `clocks`: those of some variants, whose searches name the programs to choose from; the first one is that of a
    machine whose varying devices have the least of each number. `variants`: all variants of each varying device, by its
    name. `looked`: the variants for which plans are searched one by one, and all programs of an op are timed.
    """

    def __init__(self, clocks: Sequence[Clock], variants: Mapping[str, PimVariants]) -> None:
        self.clocks, self.variants = clocks, variants
        self.count = next(iter(variants.values())).count
        self.looked: Lanes = spread([each.numbers for each in variants.values()], LOOKED)
        self._screened: dict[object, Screened] = {}
        self._fastest: dict[object, FastestWays] = {}

    @property
    def alone(self) -> int:
        """The number of times that were computed one by one, since the clock of many variants could not."""
        return sum(each.alone for each in self._fastest.values())

    def screened(self, op: Operation, device: str) -> Screened | None:
        """The programs of an op, timed for the variants `looked`; None if no clock has a program for it."""
        key = self._key(op, device)
        return None if key is None else self._screened[key]

    def fastest(self, op: Operation, device: str) -> FastestWays | None:
        """The fastest program of an op for each variant; None if no clock has a program for it."""
        key = self._key(op, device)
        if key is not None and key not in self._fastest:
            self._fastest[key] = self._screened[key].fastest(self.variants[device])
        return None if key is None else self._fastest[key]

    def _key(self, op: Operation, device: str) -> object:
        ways = {way.key: way for clock in self.clocks for way in _ways(op, clock, device)}
        if not ways:
            return None
        key = device, frozenset(ways)
        if key not in self._screened:
            variants = self.variants[device]
            probes = [variants.widest, *(clock.machine.pims[device] for clock in self.clocks)]
            self._screened[key] = Screened(ways.values(), variants.at(self.looked), probes)
        return key


def _ways(op: Operation, clock: Clock, device: str) -> Iterator[BankWay]:
    assert isinstance(clock.programs, PimTemplates)
    yield from ways_of(op, clock.machine.pims[device], clock.programs)


LOOKED = 16
"""The number of variants for which plans are searched one by one."""


def spread(numbers: Sequence[Reals], count: int) -> Lanes:
    """Variants that lie far from each other: the first is the one nearest to the middle; each further one is that with
    the greatest distance from those before it, of equally distant ones the first. `numbers`: (numbers, variants) of
    each device; each number counts by its range."""
    every = np.concatenate(numbers) if numbers else np.zeros((0, 1))
    low, width = every.min(axis=1, keepdims=True), np.ptp(every, axis=1, keepdims=True)
    places = (every - low) / np.where(width > 0, width, 1.0)
    chosen = [int(np.abs(places - 0.5).sum(axis=0).argmin())]
    far = np.abs(places - places[:, chosen]).sum(axis=0)
    while len(chosen) < count and far.max() > 0:
        chosen.append(int(far.argmax()))
        far = np.minimum(far, np.abs(places - places[:, chosen[-1:]]).sum(axis=0))
    return np.array(chosen)


class Space:
    """The placements and orders of a function in one form, with one way to split its ops, and their times in all
    variants. `tried`: plans of the function that split it in this way."""

    def __init__(self, tried: Tried, problem: PlacementProblem, costs: VariedCosts) -> None:
        self.tried, self.problem, self.costs = tried, problem, costs
        self._screened: dict[ChoicePart, Screened | None] = {}
        self._fastest: dict[ChoicePart, FastestWays | None] = {}
        self.plans: dict[tuple[object, ...], Plan] = {}

    @cached_property
    def kinds(self) -> list[Hashable]:
        """For each node, a key that is equal for nodes with equal work."""
        return [shape_key(node.graph_op) for node in self.problem.nodes]

    def varies(self, part: ChoicePart) -> bool:
        """True if the time of a task differs between variants."""
        return part.device in self.costs.variants and not part.view

    def screened(self, part: ChoicePart) -> Screened | None:
        """As `VariedCosts.screened`, for a task; None if its time doesn't vary."""
        if part not in self._screened:
            self._screened[part] = self.costs.screened(part.op, part.device) if self.varies(part) else None
        return self._screened[part]

    def fastest(self, part: ChoicePart) -> FastestWays | None:
        """As `VariedCosts.fastest`, for a task; None if its time doesn't vary."""
        if part not in self._fastest:
            self._fastest[part] = self.costs.fastest(part.op, part.device) if self.varies(part) else None
        return self._fastest[part]

    def known(self, part: ChoicePart) -> FastestWays | None:
        """As `fastest`, but None if it was not needed before."""
        return self._fastest.get(part)

    def problem_at(self, lane: int) -> Problem:
        """The problem in one variant, each task with its fastest program."""
        return self.problem.retimed(lambda part: _at(self.fastest(part), lane))

    def with_states(self, plan: Plan, lane: int) -> Plan:
        """A plan after moving states to the devices of their readers, where that takes no longer in one variant."""
        problem = self.problem.retimed(lambda part: _at(self.known(part), lane))
        placement = _same_choices(plan.schedule.placement, self.problem, problem)
        found = schedule_with_states(problem, replace(plan.schedule, placement=placement))
        return self.plan(
            replace(plan.schedule, placement=_same_choices(found.placement, problem, self.problem), order=found.order)
        )

    def searched(self, looked: int) -> Plan:
        """The plan that rules and moves find for one variant: that at position `looked` of `VariedCosts.looked`."""
        problem = self.problem.retimed(lambda part: _at(self.screened(part), looked))
        schedule = place_small(problem)
        return self.plan(Schedule(_same_choices(schedule.placement, problem, self.problem), schedule.order))

    def plan(self, schedule: Schedule) -> Plan:
        """A schedule as a plan; equal schedules are one plan."""
        key = (*map(id, schedule.placement), schedule.order)
        if key not in self.plans:
            self.plans[key] = Plan(self, schedule)
        return self.plans[key]


def _at(times: Screened | FastestWays | None, number: int) -> float | None:
    """The time in ns of the variant with a number; None if there are no times."""
    return None if times is None else float(times.ns[number])


def _same_choices(placement: Placement, source: Problem, target: Problem) -> list[Choice]:
    """A placement of one problem in another one with the same nodes (`Problem.retimed`)."""
    numbers = [node.choices.index(choice) for node, choice in zip(source.nodes, placement, strict=True)]
    return [node.choices[number] for node, number in zip(target.nodes, numbers, strict=True)]


class Plan:
    """A placement and order in a space. `jobs`: its tasks and copies in their order; `steps`: what each of them is."""

    def __init__(self, space: Space, schedule: Schedule) -> None:
        self.space, self.schedule = space, schedule
        problem = space.problem
        walked = [step for _, step in problem.walk(schedule.placement)]
        self.jobs: list[Job] = problem.arranged(schedule)
        order = schedule.order or range(len(walked))
        self.steps: list[ChoicePart | Copy] = [walked[number] for number in order]

    @cached_property
    def least(self) -> float:
        """The makespan in ns on the machine with the least of each number: a lower bound on that of each variant,
        unless refreshes fall differently."""
        return max(spans(self.jobs)[1], default=0.0)

    def ns(self, lanes: Lanes) -> Reals:
        """(jobs, lanes) The duration of each task and copy in some variants, ns; infinite where it can't run."""
        found = np.empty((len(self.jobs), len(lanes)))
        for row, job, step in zip(found, self.jobs, self.steps, strict=True):
            ways = None if isinstance(step, Copy) else self.space.fastest(step)
            row[:] = job.ns if ways is None else ways.ns[lanes]
        return found

    def makespans(self, lanes: Lanes) -> Reals:
        """(lanes) The makespan in some variants, ns."""
        found = np.zeros(len(lanes))
        for start in range(0, len(lanes) if self.jobs else 0, TOGETHER):
            some = slice(start, start + TOGETHER)
            found[some] = spans_of_many(self.jobs, self.ns(lanes[some]))[1].max(axis=0)
        return found

    def at(self, lane: int) -> Tried:
        """The plan in the form in which a program can be compiled with it, with the programs that are the fastest for
        one variant."""
        tried, nodes = self.space.tried, self.space.problem.nodes
        choices = tuple(node.choices.index(choice) for node, choice in zip(nodes, self.schedule.placement, strict=True))
        ways: dict[tuple[int, int], Way] = {}
        for number, choice in enumerate(self.schedule.placement):
            for place, part in enumerate(choice.parts):
                if (found := self.space.fastest(part)) is not None:
                    note = found.ways[int(found.chosen[lane])].note
                    ways[number, place] = Way(float(found.ns[lane]), {} if note is None else {PLAN: note})
        outcome = replace(tried.outcomes[0], choices=choices, schedule=replace(self.schedule, placement=()))
        return replace(tried, outcomes=(outcome,), ways=ways)
