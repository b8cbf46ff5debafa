"""The event loop: when jobs start and end on resources, from one end of a job to the next. Programs as they stand, list
scheduling and any other order by rank run on it.

A resource (a device, or one direction of a link) runs one job at a time. Of the jobs that are ready it takes, where no
ranks are given, the one that was ready first, of equal ones the earlier one in the program, and the jobs of one of its
queues in program order; by ranks it takes the one of the smallest rank, in whatever queue.

What resources have in common (`SharingRules`; interp/schedule/arbitration.py says what links make of it):

- Of those that take a turn, one runs at a time. What takes no time waits for no turn.
- Each job draws a share of its resource's bandwidth. While jobs that run at the same time ask for more than there is,
  all that draw on it are slowed down alike, by that ratio.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from interp.schedule.jobs import SEPARATE, Job, SharingRules

EXACT = 1e-12
"""What a sum of shares may be above 1 by rounding alone."""

Rank: TypeAlias = "float | tuple[float, ...]"


def spans(jobs: Sequence[Job], rules: SharingRules = SEPARATE) -> tuple[list[float], list[float]]:
    """The start and the end of each job in ns. `after` names earlier jobs only."""
    queues = {(job.resource, job.queue) for job in jobs}
    if rules.separate and len({resource for resource, _ in queues}) == len(queues):
        return _in_program_order(jobs)
    loop = EventLoop(jobs, rules)
    loop.run()
    return loop.begins, loop.ends


def starts(jobs: Sequence[Job]) -> list[float]:
    """The start of each job in ns, where no resource minds another."""
    return spans(jobs)[0]


def by_rank(jobs: Sequence[Job], ranks: Sequence[Rank]) -> list[int]:
    """The order in which jobs start if each resource, whenever it is free, takes the ready job of the smallest rank."""
    loop = EventLoop(jobs, SEPARATE, ranks)
    loop.run()
    return loop.order


def in_rank_order(after: Sequence[Iterable[int]], ranks: Sequence[Rank]) -> list[int]:
    """The numbers 0, 1, … by their ranks, as far as what each comes `after` lets them: what one resource does with jobs
    that take no time."""
    return by_rank([Job("", 0.0, tuple(others)) for others in after], ranks)


def followers_of(jobs: Sequence[Job]) -> list[list[int]]:
    """For each job those that wait for it."""
    followers: list[list[int]] = [[] for _ in jobs]
    for index, job in enumerate(jobs):
        for other in job.after:
            followers[other].append(index)
    return followers


def _in_program_order(jobs: Sequence[Job]) -> tuple[list[float], list[float]]:
    """The same without a loop, at least five times as fast for 10,000 jobs, where each resource has one queue and minds
    no other: then program order decides."""
    free: dict[str, float] = {}
    begins: list[float] = []
    ends: list[float] = []
    for resource, ns, after, _, _ in jobs:
        start = free.get(resource, 0.0)
        for other in after:
            if ends[other] > start:
                start = ends[other]
        begins.append(start)
        ends.append(start + ns)
        free[resource] = start + ns
    return begins, ends


class EventLoop:
    """Jobs, and what is known of them at one moment: who waits, who is ready, who runs until when."""

    def __init__(
        self, jobs: Sequence[Job], rules: SharingRules = SEPARATE, ranks: Sequence[Rank] | None = None
    ) -> None:
        self.jobs, self.rules, self.ranks = jobs, rules, ranks
        self.begins = [0.0] * len(jobs)
        self.ends = [0.0] * len(jobs)
        """When a job ends, or will if nothing changes."""
        self.order: list[int] = []
        """The jobs as they start."""
        self.waiting = [len(job.after) for job in jobs]
        """For how many jobs each one waits: those of `after`, and the one before it in its queue."""
        self.followers = followers_of(jobs)
        self.queues: dict[tuple[str, int], deque[int]] = defaultdict(deque)
        self.since = [0.0] * len(jobs)
        """When the last of the jobs that a job needs ended."""
        self.ready: dict[str, list[tuple[Rank, int]]] = {job.resource: [] for job in jobs}
        """Of each resource what could start now, the first to go first."""
        self.taken: set[str] = set()
        """Resources and turns that are in use."""
        self.due: list[tuple[float, int]] = []
        """When running jobs end. One that was slowed down since stands here twice: its own `ends` says which counts."""
        self.left: dict[int, tuple[float, float]] = {}
        """Of each running job the time that it would still take alone, and since when that is so; where jobs draw on
        bandwidths."""
        self.slowed: Mapping[str, float] = {}
        """By which factor the jobs that draw on a bandwidth are slowed down, where they are."""

    def run(self) -> None:
        """Run all jobs to their ends."""
        if self.ranks is None:
            for index, job in enumerate(self.jobs):
                queue = self.queues[job.resource, job.queue]
                self.waiting[index] += bool(queue)
                queue.append(index)
        for index, count in enumerate(self.waiting):
            if not count:
                self._enter(index)
        dispatch = self._by_turns if self.rules.turns else self._each
        dispatch(list(self.ready), 0.0)
        while self.due:
            now = self.due[0][0]
            touched: dict[str, None] = {}
            while self.due and self.due[0][0] == now:
                job = heapq.heappop(self.due)[1]
                if self.ends[job] == now and (not self.rules.bandwidths or self.left.pop(job, None) is not None):
                    self._complete(job, now, touched)
            dispatch(touched, now)

    def _enter(self, job: int) -> None:
        """A job that waits for nothing any longer."""
        insort(self.ready[self.jobs[job].resource], (self.since[job] if self.ranks is None else self.ranks[job], job))

    def _each(self, resources: Iterable[str], now: float) -> None:
        """Each of some resources, if it is free, starts what is first."""
        for resource in resources:
            if resource not in self.taken and (ready := self.ready[resource]):
                self._start(ready.pop(0)[1], now)
        if self.rules.bandwidths:
            self._share_out(now)

    def _by_turns(self, resources: Iterable[str], now: float) -> None:
        """Whatever is ready starts, what is first before others, if its resource and its turns are free."""
        for entry in sorted(each for name, ready in self.ready.items() if name not in self.taken for each in ready):
            resource = self.jobs[entry[1]].resource
            if resource not in self.taken and self.taken.isdisjoint(self._turns(entry[1])):
                self.ready[resource].remove(entry)
                self._start(entry[1], now)
        if self.rules.bandwidths:
            self._share_out(now)

    def _start(self, job: int, now: float) -> None:
        resource, ns, _, queue, _ = self.jobs[job]
        self.taken.add(resource)
        self.taken.update(self._turns(job))
        self.order.append(job)
        self.begins[job] = now
        if self.rules.bandwidths:
            self.left[job] = ns, now
            ns *= self._factor(job)
        self.ends[job] = now + ns
        heapq.heappush(self.due, (now + ns, job))
        if self.ranks is None:
            line = self.queues[resource, queue]
            line.popleft()
            if line:
                self.waiting[line[0]] -= 1
                if not self.waiting[line[0]]:
                    self._enter(line[0])

    def _complete(self, job: int, now: float, touched: dict[str, None]) -> None:
        jobs, waiting, since = self.jobs, self.waiting, self.since
        self.taken.discard(jobs[job].resource)
        self.taken.difference_update(self._turns(job))
        touched[jobs[job].resource] = None
        for follower in self.followers[job]:
            since[follower] = now
            waiting[follower] -= 1
            if not waiting[follower]:
                self._enter(follower)
                touched[jobs[follower].resource] = None

    def _turns(self, job: int) -> tuple[str, ...]:
        """What a job has for itself besides its resource."""
        turns = self.rules.turns
        return turns.get(self.jobs[job].resource, ()) if turns and self.jobs[job].ns else ()

    def _factor(self, job: int) -> float:
        resource, _, _, _, draw = self.jobs[job]
        return self.slowed.get(self.rules.bandwidths.get(resource, ""), 1.0) if draw else 1.0

    def _share_out(self, now: float) -> None:
        """Slow down, from now on, what asks for more bandwidth than there is."""
        asked: dict[str, float] = defaultdict(float)
        for job in sorted(self.left):
            if (memory := self.rules.bandwidths.get(self.jobs[job].resource)) is not None:
                asked[memory] += self.jobs[job].draw
        slowed = {memory: total for memory, total in asked.items() if total > 1 + EXACT}
        if slowed == self.slowed:
            return
        before = {job: self._factor(job) for job in self.left}
        self.slowed = slowed
        for job, (left, since) in self.left.items():
            if (factor := self._factor(job)) != before[job]:
                left = max(0.0, left - (now - since) / before[job])
                self.left[job] = left, now
                self.ends[job] = now + left * factor
                heapq.heappush(self.due, (self.ends[job], job))
