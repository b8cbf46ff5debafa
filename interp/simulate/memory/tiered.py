"""A device's memory with tiers as a resource of the event loop: tasks of the device start when their operands are
resident, and copies that use its memory start while their operands are in it.

The engine (interp/simulate/memory/engine.py) knows the serial kernels of one device. `Concurrency`
(interp/simulate/memory/problem.py) maps jobs to kernels: a kernel is a job of the device, or a wait, in which the
device waits for jobs of other resources and which ends when they have ended. A job of another device or a link that
uses the memory runs concurrently with some kernels: it starts after the first of these kernels has started, or together
with it if that kernel takes the job's results as a stream; the engine ends the last of them only when the job has
ended. A job that takes no time, and runs between two kernels, waits for neither of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf

from interp.simulate.events.resources import Resource
from interp.simulate.memory.engine import MemoryEngine
from interp.simulate.memory.problem import Concurrency


class TieredMemory(Resource):
    """The memory in one run of a program. The first kernel of the run is step `first` of the engine."""

    has_events = True

    def __init__(
        self, concurrency: Concurrency, engine: MemoryEngine, first: int, awaits: Mapping[int, Sequence[int]]
    ) -> None:
        """`awaits`: for each job the engine's moves, by number, that it waits for in addition to other jobs."""
        self.concurrency, self.engine, self.first, self.awaits = concurrency, engine, first, awaits
        self.count = len(concurrency.events)
        self.is_own = [event in concurrency.own for event in concurrency.events]
        """For each kernel, True if it is a job of the device; False if it is a wait, or a job of another resource."""
        self.begun_with: dict[int, list[int]] = defaultdict(list)
        self.over_with: dict[int, list[int]] = defaultdict(list)
        """The jobs of other resources that start with each kernel, and those that have to end before it ends."""
        for event, (begin, end) in concurrency.during.items():
            self.begun_with[begin].append(event)
            self.over_with[end].append(event)
        self.done: set[int] = set()
        self.enabled: set[int] = set()
        """The jobs that wait for no other job."""
        self.begins = [0.0] * self.count
        self.ends = [0.0] * self.count
        """Times of the kernels, ns."""
        self.since: dict[int, float] = {}
        """For each kernel, the time, in ns, from which on it has waited for nothing but its memory."""
        self.lacking: int | None = None
        """The kernel that could not start when this was last asked, since bytes or room were missing."""
        self.is_awaited = False
        """True if a job could not start at the last event, since a move was not done."""

    # Interface to the event loop

    def advance(self, now: float) -> None:
        self.engine.advance(now)
        self.lacking, self.is_awaited = None, False
        self._go_on(now)

    def ready(self, job: int, now: float) -> None:
        self.enabled.add(job)
        self._go_on(now)

    def may_start(self, job: int, now: float) -> bool:
        self._go_on(now)
        if (kernel := self.concurrency.own.get(job)) is not None:
            # transfers go on before it is known which are done
            return self._is_next(kernel) and self._may(kernel, now) and not self._waits(job)
        if self._waits(job):
            return False
        if (during := self.concurrency.during.get(job)) is None or self.head > during[0]:
            return True
        reader = self.concurrency.readers.get(job)
        return reader is not None and self._could_start(reader, now)

    def started(self, job: int, now: float) -> None:
        if (kernel := self.concurrency.own.get(job)) is not None:
            self._start(kernel, now)
        self.engine.occupy(self.concurrency.jobs[job].resource, 1, now)

    def ended(self, job: int, now: float) -> None:
        self.engine.occupy(self.concurrency.jobs[job].resource, -1, now)
        self.done.add(job)
        self._go_on(now)

    def next_event(self, until: float) -> float:
        if self.over or (self.lacking is None and not self.is_awaited):
            return inf
        while (at := self.engine.next_event()) < until and self.lacking is not None and not self.is_awaited:
            self.engine.advance(at)
            if not self.engine.lacks(self.first + self.lacking):
                break
        return at

    @property
    def head(self) -> int:
        """The next kernel to start."""
        return self.engine.head - self.first

    @property
    def over(self) -> bool:
        """True if all kernels have ended."""
        return self.head == self.count and self.engine.running is None

    def _is_next(self, kernel: int) -> bool:
        """True if no kernel runs, and this one is the next."""
        return self.engine.head == self.first + kernel and self.engine.running is None

    def _waits(self, job: int) -> bool:
        """True if a job waits for a move."""
        if job not in self.awaits or not any(map(self._is_open, self.awaits[job])):
            return False
        self.is_awaited = True
        return True

    def _is_open(self, move: int) -> bool:
        """True if a move, by its number, has not been issued in this run, or has been issued and is not done."""
        return self.engine.issues[move] > self.head - (self.engine.running is not None) or self.engine.is_under_way(
            move
        )

    def _could_start(self, job: int, now: float) -> bool:
        """True if a job of the device could start now if the results that it takes as streams were flowing."""
        kernel = self.concurrency.own[job]
        return self._is_next(kernel) and self._is_enabled(job) and self._may(kernel, now) and not self._waits(job)

    def _is_enabled(self, job: int) -> bool:
        """True if a job waits for no other job, except for the start of those that start together with it."""
        wanted = self.concurrency.jobs[job]
        return job in self.enabled or (
            bool(wanted.streams) and self.done.issuperset(wanted.after) and all(map(self._is_enabled, wanted.streams))
        )

    # Kernels

    def _may(self, kernel: int, now: float) -> bool:
        self.since.setdefault(kernel, now)
        permitted = self.engine.may_start(self.first + kernel, now)
        self.lacking = None if permitted else kernel
        return permitted

    def _start(self, kernel: int, now: float) -> None:
        self.engine.started(self.first + kernel, now)
        self.begins[kernel] = now

    def _go_on(self, now: float) -> None:
        """End the kernel whose jobs are over, and start waits."""
        engine, first = self.engine, self.first
        while True:
            if (step := engine.running) is not None:
                if not self._is_over(step - first):
                    return
                self.ends[step - first] = now
                engine.ended(step, now)
                continue
            head = engine.head - first
            if head == self.count or self.is_own[head] or not self._may(head, now):
                return
            self._start(head, now)

    def _is_over(self, kernel: int) -> bool:
        if kernel in self.over_with and not self.done.issuperset(self.over_with[kernel]):
            return False
        if self.is_own[kernel]:
            return self.concurrency.events[kernel] in self.done
        begin, end = self.concurrency.spans[kernel]
        return begin == end or self._is_awaited(kernel + 1)

    def _is_awaited(self, kernel: int) -> bool:
        """True if the wait before a kernel is over: if jobs start with the kernel, at least one of them is ready; if no
        kernel follows, all jobs have ended."""
        events, spans = self.concurrency.events, self.concurrency.spans
        event = events[kernel] if kernel < self.count else None
        if kernel == self.count or (event is None and spans[kernel][0] == spans[-1][1]):
            return len(self.done) == len(self.concurrency.jobs)
        beginning = [event] if event is not None else self.begun_with.get(kernel, [])
        return not beginning or any(self._is_enabled(each) for each in beginning)
