"""The search space of a placement problem, in integer units of time: the runs of choices (`ChoiceRun`) among which a
search selects, the copies that they may need, and the head and tail of each run's tasks and of each copy."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple, TypeAlias

from interp.simulate.schedule.routes import Copy
from lowering.bounds.subproblem import Subproblem
from lowering.instance.choice import Alternative, BusyTask, Choice, ChoicePart
from lowering.instance.problem import Problem

UNITS = 2.0**30
"""Maximum number of units of a schedule: the relative rounding error is then below 1e-6 for hundreds of jobs."""
NEVER = 1 << 60
"""A time in units that is later than the end of any schedule."""


class RunTask(NamedTuple):
    """A part of a run: the index of the run and the number of the part."""

    run: int
    place: int


Work: TypeAlias = RunTask | Copy


@dataclass(frozen=True, eq=False)
class ChoiceRun:
    """A choice at the position where a placement may run it: a choice of one node at that node, a choice of a region at
    the region's last node."""

    index: int
    position: int
    nodes: tuple[int, ...]
    choice: Choice


@dataclass(frozen=True)
class _InUnits(Subproblem):
    """A subproblem that comprises a whole problem, with times in units."""

    travel: Callable[[int, str, str], int] = field(kw_only=True)

    @property
    def copy(self) -> Callable[[int, str, str], float]:
        return self.travel


class ExactSpace:
    """Runs, copies and their times in units, for schedules that end by `horizon` ns (infinite: by any time).

    Times are rounded down to units, so that the minimum in units is a lower bound in ns. `exact`: nothing was rounded;
    `fine`: nothing was rounded to 0.
    """

    def __init__(self, problem: Problem, horizon: float) -> None:
        self.problem = problem
        self.runs = _runs(problem)
        self.covers: list[list[int]] = [[] for _ in problem.nodes]
        self.parts: dict[RunTask, ChoicePart] = {}
        self.writers: dict[int, list[RunTask]] = defaultdict(list)
        self.readers: dict[int, dict[str, list[RunTask]]] = defaultdict(lambda: defaultdict(list))
        for run in self.runs:
            for node in run.nodes:
                self.covers[node].append(run.index)
            for place, part in enumerate(run.choice.parts):
                task = RunTask(run.index, place)
                self.parts[task] = part
                for value in part.writes:
                    self.writers[value].append(task)
                for value in dict.fromkeys(part.reads):
                    self.readers[value][part.device].append(task)
        self.outputs = set(problem.outputs)
        self.reached = problem.start()
        self.copies: dict[Copy, tuple[dict[str, None], dict[str, None]]] = {}
        """Each copy that a placement may need: the possible sources of its value, and the possible targets."""
        self.arriving: dict[tuple[int, str], list[Copy]] = defaultdict(list)
        """The copies that may bring a value to a device."""
        for value in self.values():
            self._find_copies(value)
        for hop in self.copies:
            self.arriving[hop.value, hop.target].append(hop)
        self._measure(horizon)
        self.heads: dict[RunTask, int] = {}
        self.tails: dict[RunTask, int] = {}
        self.made: dict[int, dict[str, int]] = {value: {on[0]: 0} for value, on in self.reached.items()}
        """The earliest time of each value on the devices that may make it."""
        self._find_chains()

    def values(self) -> list[int]:
        """The values that have consumers, or that are results."""
        return sorted({*self.readers, *self.outputs})

    def sources(self, value: int) -> list[str]:
        """The devices on which a value may be made; for an input, the device from which it is copied."""
        if value in self.reached:
            return [self.reached[value][0]]
        return list(dict.fromkeys(self.parts[task].device for task in self.writers[value]))

    def targets(self, value: int) -> list[str]:
        """The devices on which a value may be needed."""
        final = [self.problem.exit_of(value)] if value in self.outputs else []
        return list(dict.fromkeys([*self.readers[value], *final])) if value in self.readers else final

    def way(self, value: int, source: str, target: str) -> tuple[Copy, ...]:
        """The copies that bring a value from its source to a device."""
        return self.problem.copies.way(value, self.reached.get(value, (source,)), target)

    def _find_copies(self, value: int) -> None:
        for source in self.sources(value):
            for target in self.targets(value):
                if source != target:
                    for hop in self.way(value, source, target):
                        sources, targets = self.copies.setdefault(hop, ({}, {}))
                        sources[source] = targets[target] = None

    def ns(self, work: Work) -> float:
        """The duration of a task or copy alone, in ns."""
        if isinstance(work, RunTask):
            part = self.parts[work]
            return 0.0 if part.view else part.cost.ns
        return work.ns

    def _measure(self, horizon: float) -> None:
        """Choose the unit, and round times down to it."""
        times: dict[Work, float] = {work: self.ns(work) for work in (*self.parts, *self.copies)}
        if math.isinf(horizon):
            longest = (max(sum(times[task] for task in self.tasks(run)) for run in runs) for runs in self.covers)
            horizon = sum(longest) + sum(times[hop] for hop in self.copies)
        scale = 2.0 ** math.floor(math.log2(UNITS / horizon)) if horizon > 0 else 1.0
        self.exact = all((ns * scale).is_integer() for ns in times.values())
        rounded_down = {key: math.floor(ns * scale) for key, ns in times.items()}
        step = reduce(math.gcd, rounded_down.values(), 0) if self.exact else 1
        step = step or 1
        self.fine = all(rounded_down[work] or not ns for work, ns in times.items())
        self.scale = scale / step
        """Units per ns."""
        self.units: dict[Work, int] = {key: units // step for key, units in rounded_down.items()}

    def longest(self) -> int:
        """Upper bound in units on the makespan of any schedule without needless idling: the sum of the times of each
        node's longest run and of all copies."""
        most = sum(max(self.length(self.runs[run]) for run in runs) for runs in self.covers)
        return most + sum(self.units[hop] for hop in self.copies)

    def least(self) -> int:
        """Lower bound in units of any schedule, by the critical path; loads are ignored."""
        return max(
            (
                min(
                    max((self.heads[task] + self.units[task] + self.tails[task] for task in self.tasks(run)), default=0)
                    for run in runs
                )
                for runs in self.covers
            ),
            default=0,
        )

    def resources(self, work: Sequence[Work]) -> list[str]:
        """The resources that some tasks and copies occupy."""
        return [self.parts[each].device if isinstance(each, RunTask) else each.link for each in work]

    def length(self, run: ChoiceRun) -> int:
        """The sum of the times of all tasks of a run, in units."""
        return sum(self.units[task] for task in self.tasks(run.index))

    def tasks(self, run: int) -> list[RunTask]:
        """The parts of a run."""
        return [RunTask(run, place) for place in range(len(self.runs[run].choice.parts))]

    def travel(self, value: int, source: str, target: str) -> int:
        """The least time of the copies that bring a value from one device to another, in units."""
        return sum(self.units[hop] for hop in self.way(value, source, target)) if source != target else 0

    def _find_chains(self) -> None:
        """Compute the head and the tail of each part in units, as lowering/bounds/subproblem.py does in
        ns."""
        at: list[list[ChoiceRun]] = [[] for _ in self.problem.nodes]
        for run in self.runs:
            at[run.position].append(run)
        own = [len(node.choices) for node in self.problem.nodes]
        ways = tuple(tuple(map(self._way, runs[:count])) for runs, count in zip(at, own, strict=True))
        joint = tuple((run.nodes, self._way(run)) for runs, count in zip(at, own, strict=True) for run in runs[count:])
        subproblem = _InUnits(self.problem, ways, {}, 0.0, None, joint, self.problem.outputs, travel=self.travel)
        for found, times in ((self.heads, subproblem.heads), (self.tails, subproblem.tails)):
            for runs, rows in zip(at, times, strict=True):
                for run, row in zip(runs, rows, strict=True):
                    found |= {RunTask(run.index, place): int(units) for place, units in enumerate(row)}
        for task, part in self.parts.items():
            for value in part.writes:
                made, ends = self.made.setdefault(value, {}), self.heads[task] + self.units[task]
                made[part.device] = min(made.get(part.device, NEVER), ends)

    def _way(self, run: ChoiceRun) -> Alternative:
        """A run in the form of a subproblem: its tasks as a `Alternative`."""
        return tuple(
            BusyTask(part.device, self.units[task], part.reads, part.writes, ())
            for task, part in zip(self.tasks(run.index), run.choice.parts, strict=True)
        )

    def copy_head(self, hop: Copy) -> int:
        """The earliest start of a copy, in units."""
        value, source = hop.value, hop.source
        made = self.made.get(value, {})
        ways = [made[origin] + self.travel(value, origin, source) for origin in self.copies[hop][0] if origin in made]
        return min(ways, default=NEVER)

    def copy_tail(self, hop: Copy) -> int:
        """The least time in units from the end of a copy to the end of the schedule, in schedules that need the
        copy."""
        value, here = hop.value, hop.target
        least = NEVER
        for target in self.copies[hop][1]:
            way = sum(self.units.get(copy, 0) for copy in self.problem.copies.way(value, (here,), target))
            if target == self.problem.exit_of(value) and value in self.outputs:
                least = min(least, way)
            for reader in self.readers[value].get(target, ()) if value in self.readers else ():
                least = min(least, way + self.units[reader] + self.tails[reader])
        return least if least < NEVER else 0

    def placement(self, chosen: Iterable[int]) -> list[Choice]:
        """The placement that consists of some runs, which cover each node once."""
        found: dict[int, Choice] = {node: self.runs[run].choice for run in chosen for node in self.runs[run].nodes}
        return [found[node.index] for node in self.problem.nodes]

    def chosen(self, placement: Sequence[Choice]) -> list[int]:
        """The runs of a placement."""
        return [run.index for run in self.runs if all(placement[node] is run.choice for node in run.nodes)]

    def residents(self, device: str) -> dict[Hashable, list[tuple[int, int]]]:
        """The memory that weights may take on a device: for each weight, the pairs (bytes, run) of the runs that use
        it."""
        found: dict[Hashable, list[tuple[int, int]]] = defaultdict(list)
        for run in self.runs:
            for part in run.choice.parts:
                for resident, nbytes in part.residents if part.device == device else ():
                    found[resident].append((nbytes, run.index))
        return found


def _runs(problem: Problem) -> list[ChoiceRun]:
    """All runs in program order. A region can't run if a node between its own nodes reads their results."""
    found: list[tuple[int, tuple[int, ...], Choice]] = []
    found += [(node.index, (node.index,), choice) for node in problem.nodes for choice in node.choices]
    for region in problem.regions:
        made = {value for node in region.nodes for value in problem.nodes[node].writes}
        between = problem.nodes[min(region.nodes) : max(region.nodes)]
        if all(made.isdisjoint(node.reads) for node in between if node.index not in region.nodes):
            found.append((max(region.nodes), region.nodes, region.choice))
    found.sort(key=lambda each: each[0])
    return [ChoiceRun(index, position, nodes, choice) for index, (position, nodes, choice) in enumerate(found)]


def work_of(space: ExactSpace, placement: Sequence[Choice]) -> list[Work]:
    """The task or copy of the space for each of `problem.jobs(placement)`, in that order."""
    tasks = {space.parts[task]: task for run in space.chosen(placement) for task in space.tasks(run)}
    return [tasks[step] if isinstance(step, ChoicePart) else step for _, step in space.problem.walk(placement)]
