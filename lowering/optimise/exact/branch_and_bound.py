"""The minimum makespan by branch and bound, for a few nodes.

For 75 random problems of 4 to 8 nodes it takes 23 ms, and CP-SAT 28 ms; but importing CP-SAT imports pandas, which
takes 0.7 s of processor time: a third of the time of a whole command on a program of that size.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Self

from interp.simulate.events.jobs import Job, bound_at_once, tails
from interp.simulate.events.orders import followers_of
from interp.simulate.schedule.routes import Copy
from lowering.instance.choice import Choice, ChoicePart
from lowering.instance.partial import Partial
from lowering.instance.problem import Schedule
from lowering.optimise.exact.replay import replayed
from lowering.optimise.exact.space import ChoiceRun, ExactSpace, RunTask, Work, work_of

DEPTH = 300
"""Depth of branch and bound, in decisions: a search that would go deeper counts as one that used up its steps."""


class Spent(Exception):
    """Raised when the search has used all its steps."""


def branch_and_bound(space: ExactSpace, most: int, limit: int) -> tuple[Schedule | None, int]:
    """The best schedule that ends by `most` units, and a lower bound on all schedules in units (more than `most` if no
    schedule ends by then). Memory and shared bandwidths are ignored: the schedule may not fit memory, and the bound
    may be lower than with these constraints.

    `limit`: the number of steps; a step adds a run to a partial placement or orders a pair of jobs. First all
    placements whose bound is at most `most` are enumerated, then the orders of each placement, by ascending bound. If
    the steps are used up before the end, the bound of the current placement is the lower bound that is returned.
    """
    steps = _Steps(limit)
    best: Schedule | None = None
    least = space.least()
    try:
        leaves = sorted(_placements(space, most, steps), key=lambda leaf: leaf[0])
        for bound, placement in leaves:
            if bound > most:
                break
            least = max(least, bound)
            orders = _Orders(space, placement, most, steps)
            try:
                orders.search()
            finally:
                if orders.best:
                    best, most = replayed(space, placement, orders.best), orders.most
        least = max(least, most + 1)
    except Spent:
        pass
    return best, least


class _Steps:
    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, depth: int) -> None:
        self.left -= 1
        if self.left < 0 or depth > DEPTH:
            raise Spent


class _Loads(Partial):
    """A partial schedule in units without waits for resources, with the load of each resource, and a lower bound."""

    def __init__(self, space: ExactSpace) -> None:
        super().__init__(space.problem.copies, space.reached)
        self.space = space
        self.loads: dict[str, int] = {}
        self.bound = 0
        self.task = RunTask(0, 0)
        """The task that is issued."""

    def fork(self) -> Self:
        other = super().fork()
        other.loads = dict(self.loads)
        return other

    def carry(self, copy: Copy, ready: float) -> float:
        return self._work(copy, copy.link, int(ready), self.space.copy_tail(copy))

    def run(self, task: ChoicePart, ready: float) -> float:
        return self._work(self.task, task.device, int(ready), self.space.tails[self.task])

    def _work(self, work: Work, resource: str, begin: int, tail: int) -> int:
        units = self.space.units[work]
        self.loads[resource] = self.loads.get(resource, 0) + units
        self.bound = max(self.bound, begin + units + tail, self.loads[resource])
        return begin + units

    def add(self, run: ChoiceRun) -> bool:
        """Add a run of a choice; False if it reads a value that is not made yet."""
        for task in self.space.tasks(run.index):
            self.task, part = task, self.space.parts[task]
            if not self.places.keys() >= set(part.reads):
                return False
            self.issue(part)
        return True


def _placements(space: ExactSpace, most: int, steps: _Steps) -> Iterator[tuple[int, list[Choice]]]:
    """All placements with a bound of at most `most`."""

    def extend(node: int, chosen: dict[int, ChoiceRun], partial: _Loads) -> Iterator[tuple[int, list[Choice]]]:
        if node == len(space.covers):
            space.problem.finish(partial)
            if partial.bound <= most:
                yield partial.bound, [chosen[each].choice for each in range(node)]
            return
        ways = [chosen[node]] if node in chosen else [space.runs[run] for run in space.covers[node]]
        for run in ways:
            if node not in chosen and (min(run.nodes) < node or any(each in chosen for each in run.nodes)):
                continue
            steps.take(node)
            after = partial.fork()
            if (run.position != node or after.add(run)) and after.bound <= most:
                yield from extend(node + 1, chosen | dict.fromkeys(run.nodes, run), after)

    yield from extend(0, {}, _Loads(space))


class _Orders:
    """The orders of a placement's jobs: all jobs are scheduled as early as possible; if two jobs then overlap on a
    resource, the search branches on which of the two runs first."""

    def __init__(self, space: ExactSpace, placement: Sequence[Choice], most: int, steps: _Steps) -> None:
        self.most, self.steps = most, steps
        self.work = work_of(space, placement)
        self.ns = [space.units[work] for work in self.work]
        jobs = space.problem.jobs(placement)
        self.jobs = [Job(job.resource, units, job.after) for job, units in zip(jobs, self.ns, strict=True)]
        self.rules = space.problem.draws.rules
        lanes: dict[str, list[int]] = defaultdict(list)
        for index, job in enumerate(jobs):
            for lane in (job.resource, *(self.rules.locks.get(job.resource, ()) if job.ns else ())):
                lanes[lane].append(index)
        self.lanes = list(lanes.values())
        self.tails = tails(self.jobs)[0]
        self.followers = followers_of([job.after for job in jobs])
        self.best: dict[Work, tuple[int, int]] = {}

    def search(self) -> None:
        """Find the best order, if one ends by `most`; `most` then becomes one unit less than its makespan."""
        begins = [0] * len(self.jobs)
        if bound_at_once(self.jobs, self.rules).ns <= self.most and self._delay(begins, range(len(begins))):
            self._extend(begins, 0)

    def _delay(self, begins: list[int], changed: Sequence[int]) -> bool:
        """Propagate the delays of the jobs `changed` to their successors, in `begins`; True if all jobs may still end
        by `most`."""
        waiting = deque(changed)
        while waiting:
            job = waiting.popleft()
            ends = begins[job] + self.ns[job]
            if ends + self.tails[job] > self.most:
                return False
            for other in self.followers[job]:
                if begins[other] < ends:
                    begins[other] = ends
                    waiting.append(other)
        return True

    def _extend(self, begins: list[int], depth: int) -> None:
        self.steps.take(depth)
        pair = self._clash(begins)
        if pair is None:
            ends = [begin + ns for begin, ns in zip(begins, self.ns, strict=True)]
            self.best = dict(zip(self.work, zip(begins, ends, strict=True), strict=True))
            self.most = max(ends, default=0) - 1
            return
        for first, second in sorted((pair, pair[::-1]), key=lambda each: begins[each[0]] + self.ns[each[0]]):
            self.followers[first].append(second)
            later = list(begins)
            if self._delay(later, range(len(later))):
                self._extend(later, depth + 1)
            self.followers[first].pop()

    def _clash(self, begins: list[int]) -> tuple[int, int] | None:
        """Of the pairs of jobs that overlap on a resource, the pair whose second job starts earliest; None if no jobs
        overlap."""
        found: tuple[int, int] | None = None
        soonest = self.most + 1
        for lane in self.lanes:
            for one, other in combinations(lane, 2):
                start = max(begins[one], begins[other])
                if start < min(soonest, begins[other] + self.ns[other], begins[one] + self.ns[one]):
                    found, soonest = (one, other), start
        return found
