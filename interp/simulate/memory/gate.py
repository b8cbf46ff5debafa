"""A device's memory as a condition for the start of a program's jobs: tasks of the device start when their operands are
resident, and copies that use its memory start while their operands are in it.

The event loop (interp/simulate/events/loop.py) handles jobs on many devices, the engine
(interp/simulate/memory/engine.py) the serial kernels of one device. `Concurrency` (interp/simulate/memory/problem.py)
maps jobs to kernels: a kernel is a job of the device, or a wait, in which the device waits for jobs of other resources
and which ends when they have ended. A job of another device or a link that uses the memory runs concurrently with some
kernels: it starts after the first of these kernels has started, or together with it if that kernel takes the job's
results as a stream; the engine ends the last of them only when the job has ended. A job that takes no time, and runs
between two kernels, waits for neither of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf

from interp.simulate.events.loop import EventLoop
from interp.simulate.events.resources import Resource, resources_of
from interp.simulate.memory.engine import MemoryEngine
from interp.simulate.memory.problem import Concurrency


class MemoryGate(Resource):
    """The gate for one run of a program. The first kernel of the run is step `first` of the engine."""

    def __init__(
        self, concurrency: Concurrency, engine: MemoryEngine, first: int, awaits: Mapping[int, Sequence[int]]
    ) -> None:
        """`awaits`: for each job the engine's moves, by number, that it waits for in addition to other jobs."""
        self.has_events = True
        self.concurrency, self.engine, self.first, self.awaits = concurrency, engine, first, awaits
        self.count = len(concurrency.events)
        self.begun_with: dict[int, list[int]] = defaultdict(list)
        self.over_with: dict[int, list[int]] = defaultdict(list)
        """The jobs of other resources that start with each step, and those that have to end before the step ends."""
        for event, (begin, end) in concurrency.during.items():
            self.begun_with[begin].append(event)
            self.over_with[end].append(event)
        self.head = 0
        """The next step to start."""
        self.running: int | None = None
        self.done: set[int] = set()
        self.enabled: set[int] = set()
        """The jobs that wait for no other job."""
        self.begins = [0.0] * self.count
        self.ends = [0.0] * self.count
        self.since: dict[int, float] = {}
        """For each step, the time, in ns, from which on it has waited for nothing but its memory."""

    # Interface to the event loop

    def advance(self, now: float) -> None:
        """Advance transfers to `now`."""
        self.engine.advance(now)
        self._go_on(now)

    def ready(self, job: int, now: float) -> None:
        """Note that a job no longer waits for any other job."""
        self.enabled.add(job)
        self._go_on(now)

    def may_start(self, job: int, now: float) -> bool:
        """True if the device's memory permits a job to start, all other conditions for its start being met."""
        self._go_on(now)
        if (step := self.concurrency.own.get(job)) is not None:  # transfers go on before it is known which are done
            return self.running is None and self.head == step and self._may(step, now) and not self._waits(job)
        if self._waits(job):
            return False
        if (during := self.concurrency.during.get(job)) is None or self.head > during[0]:
            return True
        reader = self.concurrency.readers.get(job)
        return reader is not None and self._could_start(reader, now)

    def started(self, job: int, now: float) -> None:
        """Note that a job has started."""
        if (step := self.concurrency.own.get(job)) is not None:
            self._start(step, now)

    def ended(self, job: int, now: float) -> None:
        """Note that a job has ended."""
        self.done.add(job)
        self._go_on(now)

    def next_event(self) -> float:
        """Time, in ns, of the next event of a transfer; inf once the run is over, or if there is none."""
        return inf if self.over else self.engine.next_event()

    @property
    def over(self) -> bool:
        """True if all kernels have ended."""
        return self.head == self.count and self.running is None

    def _waits(self, job: int) -> bool:
        """True if a job waits for a move."""
        return any(self._is_open(move) for move in self.awaits.get(job, ()))

    def _is_open(self, move: int) -> bool:
        """True if a move, by its number, has not been issued in this run, or has been issued and is not done."""
        return self.engine.issues[move] > self.head - (self.running is not None) or self.engine.is_under_way(move)

    def _could_start(self, job: int, now: float) -> bool:
        """True if a job of the device could start now if the results that it takes as streams were flowing."""
        step = self.concurrency.own[job]
        is_next = self.running is None and self.head == step
        return is_next and self._is_enabled(job) and self._may(step, now) and not self._waits(job)

    def _is_enabled(self, job: int) -> bool:
        """True if a job waits for no other job, except for the start of those that start together with it."""
        wanted = self.concurrency.jobs[job]
        return job in self.enabled or (
            bool(wanted.streams) and self.done.issuperset(wanted.after) and all(map(self._is_enabled, wanted.streams))
        )

    # Kernels

    def _may(self, step: int, now: float) -> bool:
        self.since.setdefault(step, now)
        return self.engine.may_start(self.first + step, now)

    def _start(self, step: int, now: float) -> None:
        self.engine.started(self.first + step, now)
        self.begins[step] = now
        self.running, self.head = step, step + 1

    def _go_on(self, now: float) -> None:
        """End the kernels whose jobs are over, and start waits."""
        while True:
            if self.running is not None:
                if not self._is_over(self.running):
                    return
                self.ends[self.running] = now
                self.engine.ended(self.first + self.running, now)
                self.running = None
            elif self.head < self.count and not self._is_own(self.head) and self._may(self.head, now):
                self._start(self.head, now)
            else:
                return

    def _is_over(self, step: int) -> bool:
        if not self.done.issuperset(self.over_with.get(step, ())):
            return False
        if self._is_own(step):
            return self.concurrency.events[step] in self.done
        begin, end = self.concurrency.spans[step]
        return begin == end or self._is_awaited(step + 1)

    def _is_own(self, step: int) -> bool:
        event = self.concurrency.events[step]
        return event is not None and event in self.concurrency.own

    def _is_awaited(self, step: int) -> bool:
        """True if the wait before step `step` is over: if jobs start with the step, at least one of them is ready; if
        no step follows, all jobs have ended."""
        events, spans = self.concurrency.events, self.concurrency.spans
        event = events[step] if step < self.count else None
        if step == self.count or (event is None and spans[step][0] == spans[-1][1]):
            return len(self.done) == len(self.concurrency.jobs)
        beginning = [event] if event is not None else self.begun_with.get(step, [])
        return not beginning or any(self._is_enabled(each) for each in beginning)


def run_once(
    concurrency: Concurrency, engine: MemoryEngine, run: int, begin: float, awaits: Mapping[int, Sequence[int]]
) -> tuple[EventLoop, MemoryGate, float]:
    """Run a program once, from time `begin` (ns) on, as run number `run` of the engine; returns also the time at which
    the run ends. Raises Refused for a plan of moves that can't be carried out."""
    gate = MemoryGate(concurrency, engine, run * len(concurrency.events), awaits)
    further = resources_of(concurrency.jobs, concurrency.rules)
    loop = EventLoop(concurrency.jobs, {name: (*each, gate) for name, each in further.items()}, None)
    gate.advance(begin)
    loop.run(begin)
    if not gate.over:
        raise engine.stuck(gate.first + gate.head)
    return loop, gate, max([*loop.ends, *gate.ends[-1:], begin])
