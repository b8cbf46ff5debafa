"""The run of a trace with a plan for several iterations, until two consecutive iterations take equally long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

from dialects.diagnostics import InputError
from interp.machine.memory_system import MemorySystem
from interp.simulate.events.loop import EventLoop, simulate
from interp.simulate.events.resources import resources_of
from interp.simulate.memory.checker import violations
from interp.simulate.memory.contents import FULL, HERE, tier_of
from interp.simulate.memory.engine import MemoryEngine
from interp.simulate.memory.log import TransferLog
from interp.simulate.memory.pager import Pager
from interp.simulate.memory.problem import Concurrency, KernelTrace, Move, serial
from interp.simulate.memory.regime import STRICT, Regime
from interp.simulate.memory.tiered import TieredMemory

STEADY = 1e-3
"""The relative difference below which the times of two iterations count as equal."""


@dataclass(eq=False)
class Run:
    """Results of a replay. Times in ns. `begins` and `ends`: one list for each iteration, with one time for each
    kernel; `until`: the end of each iteration."""

    trace: KernelTrace
    begins: list[list[float]]
    ends: list[list[float]]
    until: list[float]
    log: TransferLog
    samples: list[tuple[float, float, tuple[float, ...]]]
    """At each event, its time, the bytes in the device's memory, and the bytes in each tier."""
    start: list[list[tuple[int, int, int]]]
    """The memory that holds each tensor at the start: first byte, end and state of each byte range
    (interp/simulate/memory/contents.py)."""
    copies: list[tuple[str, float, float]] = field(default_factory=list[tuple[str, float, float]])
    """The resource, begin and end of each copy of the program, of all iterations."""
    last: tuple[EventLoop, TieredMemory] | None = None
    """The jobs and the memory of the last iteration."""

    def violations(
        self, system: MemorySystem, regime: Regime = STRICT, factors: Sequence[float] | None = None
    ) -> list[str]:
        """The violations that the checker finds in the log, as sentences; empty for a correct log
        (interp/simulate/memory/checker.py)."""
        start = [
            [(first, last, bool(state & HERE), tier_of(state)) for first, last, state in ranges if state & FULL]
            for ranges in self.start
        ]
        begins, ends = (list(chain.from_iterable(each)) for each in (self.begins, self.ends))
        copies, reuse = regime.mode == "copy", regime.reuse
        return violations(
            self.trace,
            system,
            self.log,
            start,
            begins,
            ends,
            copies=copies,
            reuse=reuse,
            factors=factors,
            occupied=self.copies,
        )

    @property
    def spans(self) -> list[float]:
        """The time of each iteration, in ns, from the end of the previous iteration to its own end."""
        return [after - before for before, after in pairwise([0.0, *self.until])]

    @property
    def steady(self) -> bool:
        """True if the last iteration took as long as the previous one, within 0.1 %."""
        if len(self.until) < 2:
            return False
        before, last = self.spans[-2:]
        return abs(last - before) <= STEADY * max(before, last)

    @property
    def ideal_ns(self) -> float:
        """The time of an iteration in which no kernel waits for memory, ns."""
        if self.trace.concurrency is not None:
            return self.trace.ideal_ns
        return sum(end - begin for begin, end in zip(self.begins[-1], self.ends[-1], strict=True))

    @property
    def score(self) -> float:
        """The time of an iteration in which no kernel waits for memory, divided by the last iteration's time."""
        return self.ideal_ns / self.spans[-1] if self.spans[-1] else 1.0

    @property
    def last_start(self) -> float:
        """Time, in ns, at which the last iteration starts."""
        return self.until[-2] if len(self.until) > 1 else 0.0


def replay(
    trace: KernelTrace,
    system: MemorySystem,
    moves: Sequence[Move] = (),
    regime: Regime = STRICT,
    iterations: int = 3,
    factors: Sequence[float] | None = None,
    start: Sequence[str] | None = None,
    pager: Pager | None = None,
    most_iterations: int = 12,
) -> Run:
    """Run a trace for at least `iterations` and at most `most_iterations` iterations, until two consecutive iterations
    take equally long.

    `factors`: a factor for the time of each kernel, for traces without concurrency; `start`, `pager`: see MemoryEngine.
    Raises Refused if the plan deadlocks, InputError for a trace without kernels or a kernel larger than the memory.
    """
    if not trace.kernels:
        raise InputError("the trace needs at least one kernel, but has none")
    check_fits(trace, system)
    engine = MemoryEngine(trace, system, moves, regime, start, pager)
    concurrency = trace.concurrency or serial(trace, system.device, factors)
    return repeated(engine, concurrency, {}, iterations, most_iterations)


def repeated(
    engine: MemoryEngine, concurrency: Concurrency, awaits: Mapping[int, Sequence[int]], least: int, most: int
) -> Run:
    """Run a program for at least `least` and at most `most` iterations, until two consecutive ones take equally long.
    `awaits`: see TieredMemory. Raises Refused for a plan of moves that can't be carried out."""
    run = Run(engine.trace, [], [], [], engine.log, engine.samples, engine.start)
    while len(run.until) < least or (len(run.until) < most and not run.steady):
        begin = run.until[-1] if run.until else 0.0
        memory = TieredMemory(concurrency, engine, len(run.until) * len(concurrency.events), awaits)
        memory.advance(begin)
        resources = resources_of(concurrency.jobs, concurrency.rules)
        loop = simulate(concurrency.jobs, {name: (*each, memory) for name, each in resources.items()}, begin=begin)
        if not memory.over:
            raise engine.stuck(memory.first + memory.head)
        run.begins.append(memory.begins)
        run.ends.append(memory.ends)
        ways = {way for bus in engine.system.buses for way in (bus.into, bus.out_of)}
        run.copies += [
            (job.resource, since, until)
            for job, since, until in zip(concurrency.jobs, loop.begins, loop.ends, strict=True)
            if job.resource in ways
        ]
        run.until.append(max([*loop.ends, *memory.ends[-1:], begin]))
        run.last = loop, memory
    engine.close()
    return run


def check_fits(trace: KernelTrace, system: MemorySystem) -> None:
    """Raises InputError at the first kernel that needs more than the device's memory."""
    if trace.largest_working_set > system.capacity:
        number = int(trace.working_sets.argmax())
        raise InputError(
            f"kernel {number} ({trace.kernels[number].name}) needs {trace.working_sets[number]} bytes at one time, "
            f"but {system.device} holds only {system.capacity}; split the kernel"
        )
