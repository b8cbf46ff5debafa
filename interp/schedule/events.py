"""The event loop: when jobs start and end on resources, from one end of a job to the next. Programs as they stand, list
scheduling and any other order by rank run on it.

A resource (a device, or one direction of a link) runs one job at a time. Of the jobs that are ready it takes, where no
ranks are given, the one that was ready first, of equal ones the earlier one in the program, and the jobs of one of its
queues in program order; by ranks it takes the one of the smallest rank, in whatever queue.

What resources have in common (`SharingRules`; interp/schedule/arbitration.py says what links make of it):

- Of those that take a turn, one runs at a time. What takes no time waits for no turn.
- Each job draws a share of its resource's bandwidth. While jobs that run at the same time ask for more than there is,
  all that draw on it are slowed down alike, by that ratio.
- While a job of a resource with `interference` f works, contractions on all other resources take f times as long.

A job may take what others make as a stream, while they make it. It starts once they have started, in their last phase
where they have phases; and since only its first phase goes along with them, the rest of its phases follow when they
have ended:

    begin >= begin of the other, or the begin of its last phase
    end    = max(begin + ns, ends of the others + rest)

It occupies its resource all that time. While it waits for more of a stream, it draws on nothing and disturbs nobody.

Besides each other, jobs may wait for something that has events of its own, and says which of them may start (`Gate`):
for operands to be in a memory, say.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Protocol, TypeAlias

from interp.schedule.jobs import SEPARATE, Job, SharingRules, followers_of, takers_of

EXACT = 1e-12
"""The amount by which rounding alone may lift a sum of shares above 1."""

Rank: TypeAlias = "float | tuple[float, ...]"


def spans(jobs: Sequence[Job], rules: SharingRules = SEPARATE) -> tuple[list[float], list[float]]:
    """The start and the end of each job in ns. `after` names earlier jobs only."""
    queues = {(job.resource, job.queue) for job in jobs}
    rules = rules.among(jobs)
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


def _in_program_order(jobs: Sequence[Job]) -> tuple[list[float], list[float]]:
    """The same without a loop, at least five times as fast for 10,000 jobs, where each resource has one queue and minds
    no other: then program order decides."""
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
    """A condition that jobs wait for besides each other. At each moment the loop calls, in this order, `advance`, then
    `ended` for each job that ends, with `ready` for those that then wait for no other, then `may_start`."""

    def advance(self, now: float) -> None:
        """Carry out its own events up to a time."""
        ...

    def ended(self, job: int, now: float) -> None:
        """A job has ended."""
        ...

    def ready(self, job: int, now: float) -> None:
        """A job waits for no other one any longer."""
        ...

    def may_start(self, job: int, now: float) -> bool:
        """True if a job that is ready, and whose resource is free, starts now."""
        ...

    def started(self, job: int, now: float) -> None:
        """A job has started."""
        ...

    def next_event(self) -> float:
        """Time, in ns, of the gate's own next event if no job starts or ends before; inf for never."""
        ...


class EventLoop:
    """Jobs, and what is known of them at one moment: who waits, who is ready, who runs until when."""

    def __init__(
        self,
        jobs: Sequence[Job],
        rules: SharingRules = SEPARATE,
        ranks: Sequence[Rank] | None = None,
        gate: Gate | None = None,
    ) -> None:
        """With a `gate`, no ready job stands in the way of one that may start behind it."""
        self.jobs, self.rules, self.ranks, self.gate = jobs, rules, ranks, gate
        self.begins = [0.0] * len(jobs)
        self.ends = [0.0] * len(jobs)
        """The end of a job, or its expected end if nothing changes."""
        self.order: list[int] = []
        """The jobs as they start."""
        self.waiting = [len(job.after) + len(job.streams) for job in jobs]
        """For how many jobs each one waits: for the end of those of `after`, for streams to flow, and for the one
        before it in its queue."""
        self.followers = followers_of(jobs)
        self.takers = takers_of(jobs)
        self.unmade = [len(job.streams) for job in jobs] if self.takers else []
        """The number of a job's streaming producers that have not ended; where there are streams."""
        self.flowing: set[int] = set()
        """The jobs whose results may be taken as a stream."""
        self.queues: dict[tuple[str, int], deque[int]] = defaultdict(deque)
        self.since = [0.0] * len(jobs)
        """The time at which the last input of a job was ready."""
        self.ready: dict[str, list[tuple[Rank, int]]] = {job.resource: [] for job in jobs}
        """Of each resource what could start now, the first to go first."""
        self.touched: dict[str, None] = dict.fromkeys(self.ready)
        """The resources that may have something to start."""
        self.taken: set[str] = set()
        """Resources and turns that are in use."""
        self.due: list[tuple[float, int]] = []
        """The queue of events of running jobs. Where a time has changed since, a job stands here more than once: its
        `ends` and `turning` say what counts."""
        self.turning: dict[int, float] = {}
        """The time at which a running job will wait for more of its stream; once it has all of it, the start of its
        last phase."""
        self.sharing = bool(rules.bandwidths or rules.interference)
        self.paced = self.sharing or bool(self.takers)
        self.left: dict[int, tuple[float, float]] = {}
        """Of each running job the time that it would still take alone, and since when that is so; where jobs slow each
        other down or wait while they run."""
        self.slowed: Mapping[str, float] = {}
        """By which factor the jobs that draw on a bandwidth are slowed down, where they are."""
        self.disturbing: Mapping[str, float] = {}
        """The resources whose work slows contractions down now, by which factor."""

    def run(self, start: float = 0.0) -> None:
        """Run all jobs to their ends, from a time on. A gate that never lets some of them start leaves these out of
        `order`."""
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
                elif self.turning.get(job) == now and not self.unmade[job]:
                    self._flow(job, now)
            self._dispatch(now)

    def _next(self) -> float:
        """Time, in ns, of the next event of a job or the gate; inf for never."""
        due = self.due[0][0] if self.due else inf
        return due if self.gate is None else min(due, self.gate.next_event())

    def _dispatch(self, now: float) -> None:
        """Start what can start."""
        dispatch = self._by_turns if self.rules.turns else self._each if self.gate is None else self._each_through
        while self.touched:
            touched, self.touched = self.touched, {}
            dispatch(touched, now)
        if self.sharing:
            self._share_out(now)

    def _enter(self, job: int) -> None:
        """A job that waits for no other one any longer."""
        if self.gate is not None:
            self.gate.ready(job, self.since[job])
        insort(self.ready[self.jobs[job].resource], (self.since[job] if self.ranks is None else self.ranks[job], job))

    def _each(self, resources: Iterable[str], now: float) -> None:
        """Each of some resources, if it is free, starts what is first."""
        for resource in resources:
            if resource not in self.taken and (ready := self.ready[resource]):
                self._start(ready.pop(0)[1], now)

    def _each_through(self, resources: Iterable[str], now: float) -> None:
        """Each of some resources, if it is free, starts what is first of what its gate lets through."""
        for resource in resources:
            ready = self.ready[resource] if resource not in self.taken else ()
            for place, (_, job) in enumerate(ready):
                if self._let_through(job, now):
                    self._start(self.ready[resource].pop(place)[1], now)
                    break

    def _let_through(self, job: int, now: float) -> bool:
        return self.gate is None or self.gate.may_start(job, now)

    def _by_turns(self, resources: Iterable[str], now: float) -> None:
        """Whatever is ready starts, what is first before others, if its resource and its turns are free."""
        for entry in sorted(each for name, ready in self.ready.items() if name not in self.taken for each in ready):
            resource = self.jobs[entry[1]].resource
            free = resource not in self.taken and self.taken.isdisjoint(self._turns(entry[1]))
            if free and self._let_through(entry[1], now):
                self.ready[resource].remove(entry)
                self._start(entry[1], now)

    def _start(self, job: int, now: float) -> None:
        resource, ns, _, queue, *_ = self.jobs[job]
        self.taken.add(resource)
        self.taken.update(self._turns(job))
        self.order.append(job)
        self.begins[job] = now
        if self.gate is not None:
            self.gate.started(job, now)
            self.touched = dict.fromkeys(self.ready)  # it may let others through now
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
        """Note what becomes of a running job, if nothing changes."""
        left, factor = self.left[job][0], self._factor(job)
        if self.unmade and self.unmade[job]:
            self.ends[job] = inf
            self._turns_at(job, now + max(0.0, left - self.jobs[job].rest) * factor)
            return
        self.ends[job] = now + left * factor
        heapq.heappush(self.due, (self.ends[job], job))
        if job in self.takers and job not in self.flowing and self.jobs[job].lead:
            last = self.jobs[job].ns - self.jobs[job].lead
            self._turns_at(job, now + max(0.0, left - last) * factor)

    def _turns_at(self, job: int, at: float) -> None:
        self.turning[job] = at
        heapq.heappush(self.due, (at, job))

    def _flow(self, job: int, now: float) -> None:
        """Release the jobs that take a job's results as a stream."""
        if job not in self.flowing:
            self.flowing.add(job)
            self._release(self.takers.get(job, ()), now)

    def _release(self, others: Iterable[int], now: float) -> None:
        """Others wait for one thing less."""
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
        self.taken.difference_update(self._turns(job))
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

    def _turns(self, job: int) -> tuple[str, ...]:
        """The turns that a job holds besides its resource."""
        turns = self.rules.turns
        return turns.get(self.jobs[job].resource, ()) if turns and self.jobs[job].ns else ()

    def _left(self, job: int, now: float, factor: float) -> float:
        """The time that a running job would still take alone. It does not get beyond the phase that takes a stream
        before that is all made."""
        left, since = self.left[job]
        return max(self.jobs[job].rest if self.unmade and self.unmade[job] else 0.0, left - (now - since) / factor)

    def _works(self, job: int, now: float) -> bool:
        """True if a running job does not wait for more of a stream."""
        return not (self.unmade and self.unmade[job] and self.turning[job] <= now)

    def _factor(self, job: int) -> float:
        resource, _, _, _, draw, *_, contraction = self.jobs[job]
        factor = self.slowed.get(self.rules.bandwidths.get(resource, ""), 1.0) if draw else 1.0
        for other, slower in self.disturbing.items() if contraction else ():
            if other != resource:
                factor *= slower
        return factor

    def _share_out(self, now: float) -> None:
        """Slow down, from now on, what asks for more bandwidth than there is, and contractions beside what disturbs
        them."""
        asked: dict[str, float] = defaultdict(float)
        disturbing: dict[str, float] = {}
        for job in sorted(self.left):
            resource = self.jobs[job].resource
            if not self._works(job, now):
                continue
            if (memory := self.rules.bandwidths.get(resource)) is not None:
                asked[memory] += self.jobs[job].draw
            if (slower := self.rules.interference.get(resource)) is not None:
                disturbing[resource] = slower
        slowed = {memory: total for memory, total in asked.items() if total > 1 + EXACT}
        if slowed == self.slowed and disturbing == self.disturbing:
            return
        before = {job: self._factor(job) for job in self.left}
        self.slowed, self.disturbing = slowed, disturbing
        for job in self.left:
            if self._factor(job) != before[job]:
                self.left[job] = self._left(job, now, before[job]), now
                self._foresee(job, now)
