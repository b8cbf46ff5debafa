"""The event loop, which computes the start and end times of jobs on resources by advancing from one start or end of a
job to the next. It runs jobs in program order, or in the order of given ranks, as list scheduling does.

A resource (a device, or one direction of a link) runs one job at a time. Without ranks it picks, of its ready jobs, the
one that became ready first, on a tie the one that comes first in the program; jobs of one queue run in program order.
With ranks it picks the ready job of the smallest rank, in any queue.

Resources may share (`SharingRules`, derived from links by interp/simulate/schedule/arbitration.py):

- A lock: of the resources that share it, one runs at a time. Jobs of zero duration wait for no lock.
- Bandwidths: each job draws a share of the bandwidth of each memory that its resource accesses. While the shares of
  concurrent jobs add up to more than 1, all jobs that draw on this bandwidth are slowed down by that sum; a job that
  draws on several is slowed down by the largest of these sums.
- Interference: while a job of a resource with `interference` f works, contractions on all other resources take f times
  as long.

A job may consume the results of other jobs (its producers) as streams, while they are produced. It starts once all
producers have started, or have reached their last phase if they have phases. Only its first phase overlaps with the
producers; its remaining phases (`rest`) follow after the producers have ended:

    begin >= begin of the producer, or the begin of its last phase
    end    = max(begin + ns, ends of the producers + rest)

The job occupies its resource all that time. While it waits for more of a stream, it draws no bandwidth and causes no
interference.

Jobs may also wait for a component with events of its own, which decides which of them may start (`Gate`): for example
until operands are in a memory.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Protocol

from interp.simulate.events.jobs import SEPARATE, Job, SharingRules, takers_of
from interp.simulate.events.orders import Rank, followers_of

EXACT = 1e-12
"""The amount by which a sum of shares may exceed 1 because of rounding."""


def spans(jobs: Sequence[Job], rules: SharingRules = SEPARATE) -> tuple[list[float], list[float]]:
    """The start and the end of each job in ns. A job's `after` contains only earlier jobs."""
    queues = {(job.resource, job.queue) for job in jobs}
    rules = rules.among(jobs)
    if rules.separate and len({resource for resource, _ in queues}) == len(queues):
        return _in_program_order(jobs)
    loop = EventLoop(jobs, rules)
    loop.run()
    return loop.begins, loop.ends


def starts(jobs: Sequence[Job]) -> list[float]:
    """The start of each job in ns, if resources share no lock or bandwidth."""
    return spans(jobs)[0]


def by_rank(jobs: Sequence[Job], ranks: Sequence[Rank]) -> list[int]:
    """The numbers of jobs in the order in which they start if each resource, whenever it is free, starts its ready job
    of the smallest rank."""
    loop = EventLoop(jobs, SEPARATE, ranks)
    loop.run()
    return loop.order


def _in_program_order(jobs: Sequence[Job]) -> tuple[list[float], list[float]]:
    """The start and the end of each job in ns as `spans` returns them, but without an event loop (at least five times
    as fast for 10,000 jobs): for resources that have one queue each and share nothing, so that jobs run in program
    order."""
    free: dict[str, float] = {}
    begins: list[float] = []
    ends: list[float] = []
    for resource, ns, after, _, _, streams, _, rest, _ in jobs:
        start = free.get(resource, 0.0)
        for other in after:
            if ends[other] > start:
                start = ends[other]
        for other in streams:
            start = max(start, jobs[other].flows(begins[other], ends[other]))
        end = start + ns
        for other in streams:
            end = max(end, ends[other] + rest)
        begins.append(start)
        ends.append(end)
        free[resource] = end
    return begins, ends


class Gate(Protocol):
    """A component that may delay jobs whose dependencies are met. At each event the loop calls, in this order:
    `advance`; `ended` for each job that ends; `ready` for each job that from then on waits for no other job;
    `may_start` for each ready job whose resource is free."""

    def advance(self, now: float) -> None:
        """Process the gate's own events up to `now`."""
        ...

    def ended(self, job: int, now: float) -> None:
        """Note that a job has ended."""
        ...

    def ready(self, job: int, now: float) -> None:
        """Note that a job no longer waits for any other job."""
        ...

    def may_start(self, job: int, now: float) -> bool:
        """True if a job that is ready, and whose resource is free, may start now."""
        ...

    def started(self, job: int, now: float) -> None:
        """Note that a job has started."""
        ...

    def next_event(self) -> float:
        """Time, in ns, of the gate's own next event if no job starts or ends before; inf for never."""
        ...


class EventLoop:
    """Jobs and their states at the current time: waiting, ready, or running until a known time."""

    def __init__(
        self,
        jobs: Sequence[Job],
        rules: SharingRules = SEPARATE,
        ranks: Sequence[Rank] | None = None,
        gate: Gate | None = None,
    ) -> None:
        """`rules`: the sharing rules of the resources; `ranks`: the priority of each job, smallest first, instead of
        program order; `gate`: a component that may hold back ready jobs, without blocking later ready jobs of the
        same resource."""
        self.jobs, self.rules, self.ranks, self.gate = jobs, rules, ranks, gate
        self.begins = [0.0] * len(jobs)
        self.ends = [0.0] * len(jobs)
        """The end of a job, or its expected end if nothing changes."""
        self.order: list[int] = []
        """Jobs in the order of their starts."""
        self.waiting = [len(job.after) + len(job.streams) for job in jobs]
        """The number of events that each job waits for: the ends of its `after` jobs, the starts of its streams, and
        the start of the job before it in its queue.
        """
        self.followers = followers_of([job.after for job in jobs])
        self.takers = takers_of(jobs)
        self.unmade = [len(job.streams) for job in jobs] if self.takers else []
        """The number of a job's streaming producers that have not ended; empty if no job has streams."""
        self.flowing: set[int] = set()
        """The jobs whose results may now be consumed as a stream."""
        self.queues: dict[tuple[str, int], deque[int]] = defaultdict(deque)
        self.since = [0.0] * len(jobs)
        """The time at which the last input of a job was ready."""
        self.ready: dict[str, list[tuple[Rank, int]]] = {job.resource: [] for job in jobs}
        """The jobs of each resource that are ready, in the order in which they are to start."""
        self.touched: dict[str, None] = dict.fromkeys(self.ready)
        """The resources that may have a job to start."""
        self.taken: set[str] = set()
        """Resources and locks that are in use."""
        self.due: list[tuple[float, int]] = []
        """The queue of events of running jobs, as (time, job). A job whose times have changed has several entries; only
        those that agree with `ends` or `runs_out` are valid.
        """
        self.runs_out: dict[int, float] = {}
        """The time at which a running job will run out of streamed input; once it has received all of it, the start of
        its last phase.
        """
        self.sharing = bool(rules.bandwidths or rules.interference)
        self.shares = [rules.shares(job) for job in jobs] if rules.bandwidths else []
        """For each job, its shares of bandwidths by memory; empty if no resources share any."""
        self.paced = self.sharing or bool(self.takers)
        self.left: dict[int, tuple[float, float]] = {}
        """For each running job the time that it would still take without slowdown, and the time at which this was
        computed; only where jobs slow each other down or consume streams.
        """
        self.slowed: Mapping[str, float] = {}
        """The factor by which jobs that draw on a bandwidth are slowed down, by bandwidth."""
        self.disturbing: Mapping[str, float] = {}
        """The factor by which work on a resource now slows contractions down, by resource."""

    def run(self, start: float = 0.0) -> None:
        """Run all jobs to their ends, beginning at `start` (ns). Jobs that a gate never lets start are missing from
        `order`.
        """
        if self.ranks is None:
            for index, job in enumerate(self.jobs):
                queue = self.queues[job.resource, job.queue]
                self.waiting[index] += bool(queue)
                queue.append(index)
        self.since = [start] * len(self.jobs)
        for index, count in enumerate(self.waiting):
            if not count:
                self._enter(index)
        self._dispatch(start)
        while (now := self._next()) < inf:
            if self.gate is not None:
                self.gate.advance(now)
                self.touched = dict.fromkeys(self.ready)
            while self.due and self.due[0][0] == now:
                job = heapq.heappop(self.due)[1]
                if self.ends[job] == now and (not self.paced or self.left.pop(job, None) is not None):
                    self._complete(job, now)
                elif self.runs_out.get(job) == now and not self.unmade[job]:
                    self._flow(job, now)
            self._dispatch(now)

    def _next(self) -> float:
        """Time, in ns, of the next event of a job or the gate; inf for never. Entries of jobs whose times have changed
        are dropped: at the time of such an entry nothing happens, and that time may be after the end of all jobs."""
        while self.due and not self._is_due(*self.due[0]):
            heapq.heappop(self.due)
        due = self.due[0][0] if self.due else inf
        return due if self.gate is None else min(due, self.gate.next_event())

    def _is_due(self, at: float, job: int) -> bool:
        """True if a job ends at this time, or runs out of streamed input then."""
        if not self.paced:
            return True
        return job in self.left and (self.ends[job] == at or self.runs_out.get(job) == at)

    def _dispatch(self, now: float) -> None:
        """Start all jobs that can start."""
        dispatch = self._by_locks if self.rules.locks else self._each if self.gate is None else self._each_through
        while self.touched:
            touched, self.touched = self.touched, {}
            dispatch(touched, now)
        if self.sharing:
            self._slow_down(now)

    def _enter(self, job: int) -> None:
        """Add a job to the ready jobs of its resource."""
        if self.gate is not None:
            self.gate.ready(job, self.since[job])
        insort(self.ready[self.jobs[job].resource], (self.since[job] if self.ranks is None else self.ranks[job], job))

    def _each(self, resources: Iterable[str], now: float) -> None:
        """Start the first ready job of each free resource."""
        for resource in resources:
            if resource not in self.taken and (ready := self.ready[resource]):
                self._start(ready.pop(0)[1], now)

    def _each_through(self, resources: Iterable[str], now: float) -> None:
        """Start on each free resource the first ready job that the gate permits."""
        for resource in resources:
            ready = self.ready[resource] if resource not in self.taken else ()
            for place, (_, job) in enumerate(ready):
                if self._let_through(job, now):
                    self._start(self.ready[resource].pop(place)[1], now)
                    break

    def _let_through(self, job: int, now: float) -> bool:
        return self.gate is None or self.gate.may_start(job, now)

    def _by_locks(self, resources: Iterable[str], now: float) -> None:
        """Start all ready jobs, in their order, whose resource and locks are free."""
        for entry in sorted(each for name, ready in self.ready.items() if name not in self.taken for each in ready):
            resource = self.jobs[entry[1]].resource
            free = resource not in self.taken and self.taken.isdisjoint(self._locks(entry[1]))
            if free and self._let_through(entry[1], now):
                self.ready[resource].remove(entry)
                self._start(entry[1], now)

    def _start(self, job: int, now: float) -> None:
        resource, ns, _, queue, *_ = self.jobs[job]
        self.taken.add(resource)
        self.taken.update(self._locks(job))
        self.order.append(job)
        self.begins[job] = now
        if self.gate is not None:
            self.gate.started(job, now)
            self.touched = dict.fromkeys(self.ready)  # the gate may permit other jobs now
        if self.paced:
            self.left[job] = ns, now
            self._foresee(job, now)
            if job in self.takers and not self.jobs[job].lead:
                self._flow(job, now)
        else:
            self.ends[job] = now + ns
            heapq.heappush(self.due, (now + ns, job))
        if self.ranks is None:
            line = self.queues[resource, queue]
            line.popleft()
            if line:
                self.waiting[line[0]] -= 1
                if not self.waiting[line[0]]:
                    self._enter(line[0])

    def _foresee(self, job: int, now: float) -> None:
        """Predict the time of a running job's next event, on the assumption that its speed does not change before."""
        left, factor = self.left[job][0], self._factor(job)
        if self.unmade and self.unmade[job]:
            self.ends[job] = inf
            self._runs_out_at(job, now + max(0.0, left - self.jobs[job].rest) * factor)
            return
        self.ends[job] = now + left * factor
        heapq.heappush(self.due, (self.ends[job], job))
        if job in self.takers and job not in self.flowing and self.jobs[job].lead:
            last = self.jobs[job].ns - self.jobs[job].lead
            self._runs_out_at(job, now + max(0.0, left - last) * factor)

    def _runs_out_at(self, job: int, at: float) -> None:
        self.runs_out[job] = at
        heapq.heappush(self.due, (at, job))

    def _flow(self, job: int, now: float) -> None:
        """Release the jobs that consume the results of `job` as a stream."""
        if job not in self.flowing:
            self.flowing.add(job)
            self._release(self.takers.get(job, ()), now)

    def _release(self, others: Iterable[int], now: float) -> None:
        """Decrement, for each job of `others`, the count of events that it still waits for, and queue the jobs whose
        count becomes 0."""
        jobs, waiting, since = self.jobs, self.waiting, self.since
        for other in others:
            since[other] = now
            waiting[other] -= 1
            if not waiting[other]:
                self._enter(other)
                self.touched[jobs[other].resource] = None

    def _complete(self, job: int, now: float) -> None:
        if self.gate is not None:
            self.gate.ended(job, now)
        self.taken.discard(self.jobs[job].resource)
        self.taken.difference_update(self._locks(job))
        self.touched[self.jobs[job].resource] = None
        self._release(self.followers[job], now)
        if job in self.takers:
            self._flow(job, now)
            for other in self.takers[job]:
                left = self._left(other, now, self._factor(other)) if other in self.left else None
                self.unmade[other] -= 1
                if left is not None:
                    self.left[other] = left, now
                    self._foresee(other, now)

    def _locks(self, job: int) -> tuple[str, ...]:
        """Names of the locks that a job occupies while it runs, in addition to its resource."""
        locks = self.rules.locks
        return locks.get(self.jobs[job].resource, ()) if locks and self.jobs[job].ns else ()

    def _left(self, job: int, now: float, factor: float) -> float:
        """The time, in ns, that a running job would still take without slowdown. A job that consumes a stream does not
        progress beyond its first phase before the stream has ended."""
        left, since = self.left[job]
        return max(self.jobs[job].rest if self.unmade and self.unmade[job] else 0.0, left - (now - since) / factor)

    def _works(self, job: int, now: float) -> bool:
        """True if a running job is not waiting for more of a stream."""
        return not (self.unmade and self.unmade[job] and self.runs_out[job] <= now)

    def _factor(self, job: int) -> float:
        resource, *_, contraction = self.jobs[job]
        factor = 1.0
        if self.slowed and (drawn := self.shares[job]):
            factor = max(self.slowed.get(memory, 1.0) for memory, _ in drawn)
        for other, slower in self.disturbing.items() if contraction else ():
            if other != resource:
                factor *= slower
        return factor

    def _slow_down(self, now: float) -> None:
        """Update the slowdown, from `now` on, of jobs whose shares of a bandwidth add up to more than 1 and of
        contractions that run concurrently with interfering jobs.
        """
        demand: dict[str, float] = defaultdict(float)
        disturbing: dict[str, float] = {}
        for job in sorted(self.left):
            resource = self.jobs[job].resource
            if not self._works(job, now):
                continue
            for memory, share in self.shares[job] if self.shares else ():
                demand[memory] += share
            if (slower := self.rules.interference.get(resource)) is not None:
                disturbing[resource] = slower
        slowed = {memory: total for memory, total in demand.items() if total > 1 + EXACT}
        if slowed == self.slowed and disturbing == self.disturbing:
            return
        before = {job: self._factor(job) for job in self.left}
        self.slowed, self.disturbing = slowed, disturbing
        for job in self.left:
            if self._factor(job) != before[job]:
                self.left[job] = self._left(job, now, before[job]), now
                self._foresee(job, now)
