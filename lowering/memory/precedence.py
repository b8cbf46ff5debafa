"""Precedence between the kernels of a trace and the jobs that run concurrently with them on other devices and links:
the constraints on their times that hold in any run, whatever plan of moves manages the device's memory.

A kernel in which the device waits for other jobs has no length of its own: while kernels wait for memory, these jobs go
on, and the wait becomes shorter. So a bound on all plans may use only the order of jobs, and their times alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from interp.simulate.events.jobs import lower_bound
from interp.simulate.memory.problem import Concurrency


class Moment(NamedTuple):
    """A moment of a run: the begin or the end (`ends`) of a kernel, or of a job that is no kernel (`job`), by its
    number; number -1: the begin or the end of the run."""

    number: int
    job: bool = False
    ends: bool = False


START, FINISH = Moment(-1), Moment(-1, ends=True)


class Precedence(NamedTuple):
    """In any run, `later` is at least `ns` after `earlier`."""

    earlier: Moment
    later: Moment
    ns: float


def precedences(concurrency: Concurrency) -> list[Precedence]:
    """The precedences of a program's jobs and of the kernels of one device, besides those between kernels alone, which
    run one after another."""
    return list(_Deriving(concurrency).all())


class _Deriving:
    """Derives precedences from dependencies between jobs, from the order of queues, and from the rules by which the
    memory of the device holds jobs back (interp/simulate/memory/tiered.py)."""

    def __init__(self, concurrency: Concurrency) -> None:
        self.concurrency, self.jobs = concurrency, concurrency.jobs
        self.before: dict[int, int] = {}
        """For each job the job before it in its queue."""
        last: dict[tuple[str, int], int] = {}
        for number, job in enumerate(self.jobs):
            if (queue := (job.resource, job.queue)) in last:
                self.before[number] = last[queue]
            last[queue] = number
        self.begun_with: dict[int, list[int]] = defaultdict(list)
        for number, (first, _) in concurrency.during.items():
            self.begun_with[first].append(number)

    def all(self) -> Iterator[Precedence]:
        """All precedences."""
        yield Precedence(START, FINISH, lower_bound(self.jobs, self.concurrency.rules).ns)
        for number, job in enumerate(self.jobs):
            begin, end = self.begin(number), self.end(number)
            kernel = self.concurrency.own.get(number)
            if end != begin:
                yield Precedence(begin, end, job.ns)
                for other in job.streams:
                    yield self.after(other, end, job.rest)
            for earlier in self.enabling(number):
                if kernel is None or earlier.earlier.job:
                    yield earlier._replace(later=begin)
            if kernel is None and (other := self.before.get(number)) is not None:
                yield self.after(other, begin)
            if (during := self.concurrency.during.get(number)) is not None:
                if number not in self.concurrency.readers:
                    yield Precedence(Moment(during[0]), begin, 0.0)
                yield self.after(number, Moment(during[1], ends=True))
            yield self.after(number, FINISH)
        for kernel in range(len(self.concurrency.events)):
            yield from self.wait(kernel)

    def begin(self, job: int) -> Moment:
        """The begin of a job."""
        kernel = self.concurrency.own.get(job)
        return Moment(job, job=True) if kernel is None else Moment(kernel)

    def end(self, job: int) -> Moment:
        """The moment from which the end of a job is derived: its end if it consumes streams, else its begin."""
        if not self.jobs[job].streams:
            return self.begin(job)
        return self.begin(job)._replace(ends=True)

    def after(self, job: int, later: Moment, ns: float = 0.0) -> Precedence:
        """The precedence of the end of a job before another moment."""
        end = self.end(job)
        return Precedence(end, later, ns + (0.0 if end.ends else self.jobs[job].ns))

    def enabling(self, job: int) -> Iterator[Precedence]:
        """The precedences of what a job waits for before its begin, except for its resource."""
        begin = self.begin(job)
        for other in self.jobs[job].after:
            yield self.after(other, begin)
        for other in self.jobs[job].streams:
            yield Precedence(self.begin(other), begin, self.jobs[other].lead)

    def streams(self, job: int) -> list[Moment]:
        """The begins of the jobs whose results a job takes as streams."""
        return [self.begin(other) for other in self.jobs[job].streams]

    def wait(self, kernel: int) -> Iterator[Precedence]:
        """The precedences of the end of a kernel in which the device waits for other jobs: it ends when the job that
        begins with the next kernel could begin, or all jobs have ended."""
        events, spans = self.concurrency.events, self.concurrency.spans
        end = Moment(kernel, ends=True)
        if events[kernel] is not None or spans[kernel][0] == spans[kernel][1]:
            return
        following = kernel + 1
        event = events[following] if following < len(events) else None
        if following == len(events) or (event is None and spans[following][0] == spans[-1][1]):
            yield from (self.after(job, end) for job in range(len(self.jobs)))
            return
        beginning = [event] if event is not None else self.begun_with.get(following, [])
        if len(beginning) == 1:
            job = beginning[0]
            # Producers that start together with a kernel start when the wait before it has ended.
            later = self.streams(job) if job in self.concurrency.readers.values() else []
            yield from (each._replace(later=end) for each in self.enabling(job) if each.earlier not in later)
            if (other := self.before.get(job)) is not None:
                yield Precedence(self.begin(other), end, 0.0)


def may_last_longer(concurrency: Concurrency) -> list[bool]:
    """For each kernel: True if it may take longer than the least time of its job, because it waits for other jobs,
    consumes a stream, or is slowed down."""
    jobs, over = concurrency.jobs, {last for _, last in concurrency.during.values()}
    return [
        event is None
        or kernel in over
        or event not in concurrency.own
        or bool(jobs[event].streams)
        or concurrency.rules.changes_pace(jobs[event])
        for kernel, event in enumerate(concurrency.events)
    ]
