"""Cycle-by-cycle simulation of thread blocks on one multiprocessor: a reference for interp/tile/events.py, written from
its rules in the simplest way.

No end time is computed in advance. In each cycle, units first end finished work; then warps that can continue do so,
the longest-waiting first; then each unit works for a cycle on the first job in its queue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from interp.kinds.gpu.multiprocessor import PARTITIONS, SHARED_BYTES
from interp.tile.events import MEETING, READ, Rates
from interp.tile.work import Loop, Step, Steps

REQUESTS = ("prefetch", "fetch", "bring")
"""The kinds of steps whose consecutive occurrences form one request."""


@dataclass(eq=False)
class Job:
    """A job of a unit: `cycles` of work, which begin when `begins` is true; the job ends when the work is done and
    `ends` is true."""

    cycles: int
    begins: Callable[[int], bool] = lambda now: True
    ends: Callable[[int], bool] = lambda now: True
    done: int | None = None
    """The time at which the job ended."""

    def over(self, now: int, since: int = 0) -> bool:
        """True if the job ended at least `since` cycles before `now`."""
        return self.done is not None and self.done + since <= now


@dataclass
class Unit:
    """A unit of a multiprocessor that processes jobs one after another."""

    queue: deque[Job] = field(default_factory=deque[Job])
    worked: int = 0

    def add(self, job: Job) -> Job:
        self.queue.append(job)
        return job

    def end(self, now: int) -> None:
        if self.queue and self.worked >= self.queue[0].cycles and self.queue[0].ends(now):
            self.queue.popleft().done = now
            self.worked = 0

    def work(self, now: int) -> None:
        if self.queue and (self.worked or self.queue[0].begins(now)):
            self.worked += 1


@dataclass(eq=False)
class Warp:
    """The state of a warp: its remaining steps, its requests for fragments and copies, and the condition that it waits
    for."""

    block: int
    partition: int
    steps: Iterator[Step]
    asked: list[Callable[[int, int], bool]] = field(default_factory=list[Callable[[int, int], bool]])
    """For each request for fragments, a function of a time and a number of cycles: True if the fragments had arrived
    this number of cycles before the time."""
    copies: list[Job] = field(default_factory=list[Job])
    groups: list[list[Job]] = field(default_factory=list[list[Job]])
    goes_on: Callable[[int], bool] = lambda now: True
    then: Step | None = None
    """The step that the warp executes next, before its remaining steps; None if there is none."""


class Cycles:
    """A simulation of thread blocks that start together. `scale`: the number of simulated time steps per cycle."""

    def __init__(self, steps: Steps, warps: int, blocks: int, rates: Rates, scale: int = 1) -> None:
        self.scale, self.rates = scale, rates
        joined = ("load",) if not any(step.ahead for step in _done(steps, ())) else ()
        self.kinds = REQUESTS + joined
        self.shared, self.port, self.way = Unit(), Unit(), Unit()
        self.partitions = [Unit() for _ in range(PARTITIONS)]
        self.waiting = [
            Warp(block, (block * warps + number) % PARTITIONS, _done(self._joined(steps), ()))
            for block in range(blocks)
            for number in range(warps)
        ]
        """Warps, in the order in which they began to wait."""
        self.warps = warps
        self.met: dict[int, list[Warp]] = {block: [] for block in range(blocks)}

    def run(self) -> float:
        """The number of cycles until the last warp has executed its last step."""
        now = ended = 0
        units = [self.shared, self.port, self.way, *self.partitions]
        while self.waiting:
            for unit in units:
                unit.end(now)
            for warp in [each for each in self.waiting if each.goes_on(now)]:
                self.waiting.remove(warp)
                if self._go_on(warp, now):
                    ended = now
            for unit in units:
                unit.work(now)
            now += 1
        return ended / self.scale

    def _go_on(self, warp: Warp, now: int) -> bool:
        """Execute a warp's steps until it waits; True if no steps remain."""
        warp.goes_on = lambda now: True
        while True:
            step, warp.then = warp.then or next(warp.steps, None), None
            if step is None:
                return True
            if (waits := self._do(warp, step, now)) is None:
                continue
            if step.kind == "barrier":
                self._meet(warp, waits)
                return False
            if step.kind != "wait" or not waits(now):
                warp.goes_on = waits
                self.waiting.append(warp)
                return False

    def _do(self, warp: Warp, step: Step, now: int) -> Callable[[int], bool] | None:
        """Execute a step; returns the condition that the warp then waits for, None if it does not wait."""
        amount, lines = self._cycles(step.amount), self._cycles(step.parts)
        brought, latency = self._cycles(step.amount / self.rates.port), self._cycles(self.rates.latency)
        match step.kind:
            case "shared":
                read = self.shared.add(Job(amount))
                warp.asked.append(lambda now, since: read.over(now, since + self._cycles(READ)))
            case "load":
                asked = self.shared.add(Job(lines))
                load = self.port.add(Job(brought, lambda now: asked.over(now, latency)))
                before = warp.asked[-1] if warp.asked else _always
                warp.asked.append(lambda now, since: load.over(now, since) and before(now, since))
            case "multiply":
                needed = warp.asked[-1 - step.ahead] if len(warp.asked) > step.ahead else _always
                last = amount - round(amount * (1 - 1 / step.parts))  # it is done with the last part of the fragments
                product = self.partitions[warp.partition].add(Job(amount, ends=lambda now: needed(now, last)))
                return product.over
            case "lanes":
                there = warp.asked[-1] if warp.asked else _always
                return lambda later: later >= now + amount and there(later, amount)
            case "prefetch":
                self.shared.add(Job(lines))
                warp.copies.append(self.port.add(Job(brought, lambda later: later >= now + lines + latency)))
            case "fetch":
                moved = self._cycles(step.amount / SHARED_BYTES)
                self.shared.add(Job(lines + moved))
                warp.then = Step("stage", moved, READ)  # pyright: ignore[reportArgumentType]
                return self.port.add(Job(brought, lambda later: later >= now + lines + latency)).over
            case "bring":
                asked = self.shared.add(Job(lines))
                warp.then = Step("stage", self._cycles(step.stored), 0)  # pyright: ignore[reportArgumentType]
                return self.port.add(Job(brought, lambda now: asked.over(now, latency))).over
            case "store":
                asked = self.shared.add(Job(lines))
                return self.way.add(Job(self._cycles(step.parts * self.rates.store), asked.over)).over
            case "commit":
                warp.groups.append(warp.copies)
                warp.copies = []
            case "wait":
                groups = warp.groups[: len(warp.groups) - int(step.amount)]
                return lambda now: all(job.over(now) for group in groups for job in group)
            case "barrier":
                return lambda later: later >= now + self._cycles(MEETING)
            case _:  # a store to shared memory; other warps may read it a latency later
                wrote = self.shared.add(Job(int(step.amount)))
                return lambda later: wrote.over(later, lines)
        return None

    def _meet(self, warp: Warp, later: Callable[[int], bool]) -> None:
        """Record a warp's arrival at a barrier; the last arrival releases all warps some cycles later."""
        met = self.met[warp.block]
        met.append(warp)
        if len(met) == self.warps:
            for each in met:
                each.goes_on = later
            self.waiting += met
            self.met[warp.block] = []

    def _cycles(self, cycles: float) -> int:
        return round(cycles * self.scale)

    def _joined(self, steps: Steps) -> Steps:
        """Return the steps with consecutive requests of one kind merged."""
        found = list[Step | Loop | object]()
        for step in steps:
            last = found[-1] if found else None
            if isinstance(step, Step):
                if isinstance(last, Step) and step.kind == last.kind and step.kind in self.kinds:
                    sums = last.amount + step.amount, last.parts + step.parts, last.stored + step.stored
                    step = replace(step, amount=sums[0], parts=sums[1], stored=sums[2])
                    found.pop()
                found.append(step)
            else:
                found.append(replace(step, body=self._joined(step.body)))
        return tuple(found)  # pyright: ignore[reportReturnType]


def _always(now: int, since: int) -> bool:
    return True


def _done(steps: Steps, values: tuple[int, ...]) -> Iterator[Step]:
    """Steps in the order in which a warp executes them; `values`: the values of the enclosing loops' variables."""
    for step in steps:
        if isinstance(step, Step):
            yield step
        elif isinstance(step, Loop):
            for iteration in range(step.iterations):
                yield from _done(step.body, (*values, step.start + iteration))
        elif step.zero.eval(values, ()) == 0:
            yield from _done(step.body, values)
