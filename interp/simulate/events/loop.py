"""The event loop, which computes the start and end times of jobs on resources by advancing from one start or end of a
job to the next. It runs jobs in program order, or in the order of given ranks, as list scheduling does.

A device (or one direction of a link) runs one job at a time. Without ranks it picks, of its ready jobs, the one that
became ready first, on a tie the one that comes first in the program; jobs of one queue run in program order. With ranks
it picks the ready job of the smallest rank, in any queue.

Jobs may need further resources (interp/simulate/events/resources.py): locks, bandwidths that they share, or a memory
with tiers. A device then starts the first of its ready jobs that all of them let start; of the ready jobs of several
devices, the one that became ready first is looked at first.

A job may consume the results of other jobs (its producers) as streams, while they are produced. It starts once all
producers have started, or have reached their last phase if they have phases. Only its first phase overlaps with the
producers; its remaining phases (`rest`) follow after the producers have ended:

    begin >= begin of the producer, or the begin of its last phase
    end    = max(begin + ns, ends of the producers + rest)

The job occupies its resources all that time. While it waits for more of a stream, it draws no bandwidth and causes no
interference.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from math import inf

from interp.simulate.events.jobs import SEPARATE, Job, SharingRules, takers_of
from interp.simulate.events.orders import Rank, followers_of
from interp.simulate.events.resources import Resource, Turns, resources_of


def spans(jobs: Sequence[Job], rules: SharingRules = SEPARATE) -> tuple[list[float], list[float]]:
    """The start and the end of each job in ns. A job's `after` contains only earlier jobs."""
    queues = {(job.resource, job.queue) for job in jobs}
    rules = rules.among(jobs)
    if rules.separate and len({resource for resource, _ in queues}) == len(queues):
        return _in_program_order(jobs)
    loop = simulate(jobs, resources_of(jobs, rules))
    return loop.begins, loop.ends


def starts(jobs: Sequence[Job]) -> list[float]:
    """The start of each job in ns, if resources share no lock or bandwidth."""
    return spans(jobs)[0]


def by_rank(jobs: Sequence[Job], ranks: Sequence[Rank]) -> list[int]:
    """The numbers of jobs in the order in which they start if each resource, whenever it is free, starts its ready job
    of the smallest rank."""
    return simulate(jobs, {}, ranks).order


def simulate(
    jobs: Sequence[Job],
    resources: Mapping[str, Sequence[Resource]],
    ranks: Sequence[Rank] | None = None,
    begin: float = 0.0,
) -> EventLoop:
    """Run all jobs to their ends, beginning at `begin` (ns).

    `resources`: what the jobs of each device or link need in addition to that device or link; `ranks`: the priority of
    each job, smallest first, instead of program order. Jobs that a resource never lets start are missing from the
    `order` of the result.
    """
    loop = EventLoop(jobs, resources, ranks)
    loop.run(begin)
    return loop


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


class EventLoop:
    """Jobs and their states at the current time: waiting, ready, or running until a known time."""

    def __init__(
        self, jobs: Sequence[Job], resources: Mapping[str, Sequence[Resource]], ranks: Sequence[Rank] | None
    ) -> None:
        """See `simulate`."""
        self.jobs, self.ranks = jobs, ranks
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
        """The jobs of each device or link that are ready, in the order in which they are to start."""
        self.touched: dict[str, None] = dict.fromkeys(self.ready)
        """The devices and links that may have a job to start."""
        self.devices = {name: Turns() for name in self.ready}
        self.needs = {name: (turns, *resources.get(name, ())) for name, turns in self.devices.items()}
        """For each device or link, the resources that its jobs need, the device or link itself first."""
        others = dict.fromkeys(each for needs in self.needs.values() for each in needs[1:])
        self.active = [each for each in others if each.has_events]
        self.pacing = [each for each in others if each.sets_pace]
        self.shared = len(others) > len(self.pacing)
        """True if a resource that several devices share may hold jobs back."""
        self.paced = bool(self.pacing or self.takers)
        self.due: list[tuple[float, int]] = []
        """The queue of events of running jobs, as (time, job). A job whose times have changed has several entries; only
        those that agree with `ends` or `runs_out` are valid.
        """
        self.runs_out: dict[int, float] = {}
        """The time at which a running job will run out of streamed input; once it has received all of it, the start of
        its last phase.
        """
        self.left: dict[int, tuple[float, float, float]] = {}
        """For each running job the time that it would still take without slowdown, the time at which this was computed,
        and the factor by which it has been slowed down since; only where jobs slow each other down or consume streams.
        """

    def run(self, begin: float) -> None:
        """Run all jobs to their ends, beginning at `begin` (ns)."""
        if self.ranks is None:
            for index, job in enumerate(self.jobs):
                queue = self.queues[job.resource, job.queue]
                self.waiting[index] += bool(queue)
                queue.append(index)
        self.since = [begin] * len(self.jobs)
        for index, count in enumerate(self.waiting):
            if not count:
                self._enter(index)
        self._dispatch(begin)
        while (now := self._next()) < inf:
            for each in self.active:
                each.advance(now)
                self.touched = dict.fromkeys(self.ready)
            while self.due and self.due[0][0] == now:
                job = heapq.heappop(self.due)[1]
                if self.ends[job] == now and (not self.paced or self.left.pop(job, None) is not None):
                    self._complete(job, now)
                elif self.runs_out.get(job) == now and not self.unmade[job]:
                    self._flow(job, now)
            self._dispatch(now)

    def _next(self) -> float:
        """Time, in ns, of the next event of a job or a resource; inf for never. Entries of jobs whose times have
        changed are dropped: at the time of such an entry nothing happens, and that time may be after the end of all
        jobs."""
        while self.due and not self._is_due(*self.due[0]):
            heapq.heappop(self.due)
        due = self.due[0][0] if self.due else inf
        for each in self.active:
            due = min(due, each.next_event(due))
        return due

    def _is_due(self, at: float, job: int) -> bool:
        """True if a job ends at this time, or runs out of streamed input then."""
        if not self.paced:
            return True
        return job in self.left and (self.ends[job] == at or self.runs_out.get(job) == at)

    def _dispatch(self, now: float) -> None:
        """Start all jobs that can start."""
        while self.touched:
            touched, self.touched = self.touched, {}
            for entry in self._candidates(touched):
                job = entry[1]
                name = self.jobs[job].resource
                for each in self.needs[name]:
                    if not each.may_start(job, now):
                        break
                else:
                    self.ready[name].remove(entry)
                    self._start(job, now)
        if self.pacing:
            self._share(now)

    def _candidates(self, touched: Iterable[str]) -> Iterable[tuple[Rank, int]]:
        """The ready jobs that might start: the first one of each touched device or link; if devices share a resource
        that holds jobs back, all ready jobs in their order."""
        if not self.shared:
            return (self.ready[name][0] for name in touched if self.ready[name])
        found: list[tuple[Rank, int]] = []
        for name, ready in self.ready.items():
            if ready and not self.devices[name].taken:
                found += ready
        found.sort()
        return found

    def _enter(self, job: int) -> None:
        """Add a job to the ready jobs of its resource."""
        for each in self.active:
            each.ready(job, self.since[job])
        insort(self.ready[self.jobs[job].resource], (self.since[job] if self.ranks is None else self.ranks[job], job))

    def _start(self, job: int, now: float) -> None:
        this = self.jobs[job]
        self.order.append(job)
        self.begins[job] = now
        for each in self.needs[this.resource]:
            each.started(job, now)
        if self.active:
            self.touched = dict.fromkeys(self.ready)  # they may let other jobs start now
        if self.paced:
            self._go_on(job, this.ns, now)
            if job in self.takers and not this.lead:
                self._flow(job, now)
        else:
            self.ends[job] = now + this.ns
            heapq.heappush(self.due, (self.ends[job], job))
        if self.ranks is None:
            line = self.queues[this.resource, this.queue]
            line.popleft()
            if line:
                self.waiting[line[0]] -= 1
                if not self.waiting[line[0]]:
                    self._enter(line[0])

    def _foresee(self, job: int, now: float) -> None:
        """Predict the time of a running job's next event, on the assumption that its speed does not change before."""
        left, _, factor = self.left[job]
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
        name = self.jobs[job].resource
        for each in self.needs[name]:
            each.ended(job, now)
        self.touched[name] = None
        self._release(self.followers[job], now)
        if job in self.takers:
            self._flow(job, now)
            for other in self.takers[job]:
                left = self._left(other, now) if other in self.left else None
                self.unmade[other] -= 1
                if left is not None:
                    self._go_on(other, left, now)

    def _left(self, job: int, now: float) -> float:
        """The time, in ns, that a running job would still take without slowdown. A job that consumes a stream does not
        progress beyond its first phase before the stream has ended."""
        left, since, factor = self.left[job]
        return max(self.jobs[job].rest if self.unmade and self.unmade[job] else 0.0, left - (now - since) / factor)

    def _go_on(self, job: int, left: float, now: float) -> None:
        """Let a running job, which would still take `left` ns without slowdown, go on at its present pace."""
        self.left[job] = left, now, self._pace(job)
        self._foresee(job, now)

    def _pace(self, job: int) -> float:
        factor = 1.0
        for each in self.pacing:
            factor *= each.pace(job)
        return factor

    def _share(self, now: float) -> None:
        """Update the pace of all running jobs from `now` on. Jobs that wait for more of a stream make no progress."""
        unmade = self.unmade
        working = [job for job in sorted(self.left) if not (unmade and unmade[job] and self.runs_out[job] <= now)]
        changed = False
        for each in self.pacing:
            changed |= each.share(working)
        if changed:
            for job, (_, _, factor) in self.left.items():
                if self._pace(job) != factor:
                    self._go_on(job, self._left(job, now), now)
