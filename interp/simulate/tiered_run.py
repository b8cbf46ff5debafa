"""The execution of a program whose data exceed its device's memory and occupy further tiers: its jobs and the moves of
its plan, repeated until two consecutive runs take equally long."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.figures import size, time
from interp.kinds.clock import Clock
from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.engine import MemoryEngine
from interp.simulate.memory.log import Act
from interp.simulate.memory.paging import UnifiedMemory
from interp.simulate.memory.problem import Move
from interp.simulate.memory.regime import Refused
from interp.simulate.memory.replay import repeated
from interp.simulate.memory.residence import Residence, Stall, Transfer, TransferKind
from interp.simulate.program_moves import check_kernels, moves_of, note_of, paging_part, regime_of, starts_of
from interp.simulate.program_trace import ProgramTrace, trace_of_plan
from interp.simulate.schedule.planning import Plan, PlannedMove, ValueState
from interp.simulate.schedule.timeline import Timeline

LEAST_RUNS, MOST_RUNS = 3, 12
"""The minimum and maximum number of serial runs of a program, which end once two consecutive runs take equally long."""


def run_resident(
    plan: Plan, function: FuncOp, results: Sequence[ValueState], timeline: Timeline, system: MemorySystem
) -> Timeline:
    """The timeline of a planned function on `system`'s device, the primary device. `timeline`: the function's timeline
    if memory were large enough for everything; `results`: the states of the function's results.

    Raises InputError at the task that can't start, or at the move that prevents it.
    """
    program = trace_of_plan(plan, function, results, timeline, system.device)
    note = note_of(function)
    regime = regime_of(note, system)
    if regime.faults:
        system = paging_part(system, plan.moves)
    moves, sources = moves_of(plan.moves, program, system)
    trace, start, once = starts_of(function, program, system, regime)
    program = replace(program, trace=trace)
    check_kernels(program, system, function)
    try:
        pager = UnifiedMemory(trace, system) if regime.faults else None
        steps = len(trace.kernels) if once else inf
        engine = MemoryEngine(trace, system, moves, regime, start, pager, steps)
        runs = _Runs(plan, program, engine, sources, once)
    except Refused as error:
        raise InputError(str(error), _place(error, program, plan.moves, sources, function)) from None
    residence = Residence(
        system.device,
        system,
        regime,
        note,
        len(runs.run.until),
        once or runs.run.steady,
        runs.run.spans[-1],
        timeline.makespan_ns,
        tuple(runs.transfers(plan.clock)),
        tuple(runs.stalls()),
        tuple(runs.samples()),
        trace.peak_live,
    )
    times = [at for at, _, _ in residence.samples]
    for number, tier in enumerate(system.tiers):
        if tier.lent:
            levels = [tiers[number] for _, _, tiers in residence.samples]
            _check_lent(plan, (runs.begins, runs.ends), tier.name, times, levels, function)
    return plan.timeline((runs.begins, runs.ends), residence)


def _check_lent(
    plan: Plan,
    spans: tuple[Sequence[float], Sequence[float]],
    device: str,
    times: Sequence[float],
    levels: Sequence[float],
    function: FuncOp,
) -> None:
    """Raises InputError if a device's memory can't hold, at some time of a run, both the values that the program places
    there and the bytes moved there: `levels` at `times` (ns, ascending). `spans`: the begins and ends of the jobs."""
    record = plan.clock.machine.devices[device]
    resident = plan.residency.needs([device], *spans)[device].resident
    steps = plan.residency.steps([device], *spans)[device]
    for (since, live), (until, _) in pairwise([*steps, (inf, 0)]):
        moved = max(levels[max(bisect_right(times, since) - 1, 0) : bisect_left(times, until) + 1], default=0.0)
        if resident + live + moved > record.memory_bytes:
            raise InputError(
                f"@{device} holds {size(resident + live)} of @{function.sym_name.data} from {time(since)} on, and "
                f"up to {size(moved)} moved there from @{plan.primary}, but has {size(record.memory_bytes)}; move less "
                f"to @{device}, or give it more memory",
                function,
            )


def _place(
    error: Refused, program: ProgramTrace, planned: Sequence[PlannedMove], sources: Sequence[int], function: FuncOp
) -> Operation:
    """The op at which the error for a plan that can't be carried out is reported."""
    if error.step is not None and (op := program.ops[error.step % len(program.ops)]) is not None:
        return op
    if error.move is not None and error.move >= 0:
        return planned[sources[error.move]].op
    return function


class _Runs:
    """Serial runs of a program, all on one engine: one run with `once`, otherwise until the runs are steady."""

    def __init__(
        self, plan: Plan, program: ProgramTrace, engine: MemoryEngine, sources: Sequence[int], once: bool
    ) -> None:
        self.plan, self.program, self.engine, self.sources = plan, program, engine, sources
        moves: dict[int, list[int]] = {}
        for number, source in enumerate(sources):
            moves.setdefault(source, []).append(number)
        awaits = {
            job: [number for source in waits for number in moves.get(source, ())] for job, waits in plan.awaits.items()
        }
        self.run = repeated(engine, program.concurrency, awaits, *((1, 1) if once else (LEAST_RUNS, MOST_RUNS)))
        assert self.run.last is not None
        loop, self.memory = self.run.last
        self.begin = self.run.last_start
        """Time, in ns, at which the last run begins."""
        self.begins, self.ends = [at - self.begin for at in loop.begins], [at - self.begin for at in loop.ends]
        """Times, in ns from the begin of the last run, at which each job begins and ends."""

    # Records of the last run

    def samples(self) -> Iterator[tuple[float, float, tuple[float, ...]]]:
        """The bytes in the device's memory and in tiers over the last run, with times from the run's begin."""
        before: tuple[float, float, tuple[float, ...]] | None = None
        for at, used, tiers in self.engine.samples:
            if at > self.begin and before is not None and before[0] < self.begin:
                yield 0.0, *before[1:]
            if at >= self.begin and (before is None or before[1:] != (used, tiers) or before[0] < self.begin):
                yield at - self.begin, used, tiers
            before = at, used, tiers

    def stalls(self) -> Iterator[Stall]:
        """The times for which tasks of the device, arguments that arrive, or results that leave wait for memory."""
        names = (kernel.name for kernel in self.program.trace.kernels)
        for step, (event, name) in enumerate(zip(self.program.concurrency.events, names, strict=True)):
            if self.memory.begins[step] > (since := self.memory.since.get(step, inf)):
                yield Stall(event, name, since - self.begin, self.memory.begins[step] - self.begin)

    def transfers(self, clock: Clock) -> Iterator[Transfer]:
        """Transfers over links in the last run, in order of start."""
        log, lines = self.engine.log, list[_Line]()
        open_: dict[tuple[int, int, int], _Line] = {}
        for number, act in enumerate(log.act):
            if act not in (Act.IN, Act.OUT, Act.COPY) or log.until[number] <= self.begin:
                continue
            line = _cut(log.first[number], log.last[number], log.since[number], log.until[number], self.begin)
            key = act, log.tensor[number], log.tier[number]
            last = open_.get(key)
            if last is not None and abs(last.last - line[0]) < 1 and line[2] <= last.until * (1 + 1e-9) + 1e-3:
                last.last, last.until = line[1], line[3]
            else:
                open_[key] = _Line(*key, *line)
                lines.append(open_[key])
        planned_moves = _PlannedMoves(self)
        for line in sorted(lines, key=lambda line: (line.since, line.until)):
            yield self._transfer(line, planned_moves, clock)

    def _transfer(self, line: _Line, planned_moves: _PlannedMoves, clock: Clock) -> Transfer:
        system, machine = self.engine.system, clock.machine
        tier = system.tiers[line.tier].name
        inward, nbytes = line.act == Act.IN, line.last - line.first
        way = way_to(clock, system.device, tier)
        hops = list(pairwise(way))
        ends = hops[0] if not inward else (hops[0][1], hops[0][0])
        nj = sum(clock.copy_cost(round(nbytes), *hop).energy_nj for hop in hops)
        op, planned = planned_moves.of(line, inward)
        kind: TransferKind = (
            ("prefetch" if planned else "fault") if inward else "evict" if line.act == Act.OUT else "write back"
        )
        name = self.program.trace.tensors[line.tensor].name
        times = line.since - self.begin, line.until - self.begin
        return Transfer(kind, f"{kind} {name}", machine.way(*ends), tier, *times, nbytes, nj, op)


@dataclass
class _Line:
    """A transfer of contiguous bytes of a tensor, merged from neighbouring lines of the log."""

    act: int
    tensor: int
    tier: int
    first: float
    last: float
    since: float
    until: float


def _cut(first: float, last: float, since: float, until: float, begin: float) -> tuple[float, float, float, float]:
    """The part after time `begin` of a transfer of bytes `first` to `last` at a constant rate between times `since` and
    `until`: its bytes and times, in this order."""
    if since >= begin:
        return first, last, since, until
    return first + (last - first) * (begin - since) / (until - since), last, begin, until


class _PlannedMoves:
    """The cause of each transfer: the program's move of its bytes or, if there is none, the task that needs the
    bytes."""

    def __init__(self, runs: _Runs) -> None:
        self.runs = runs
        self.moves: dict[tuple[int, bool], list[tuple[float, Move, Operation]]] = {}
        memory, program = runs.memory, runs.program
        for number, move in enumerate(runs.engine.moves):
            issue = runs.engine.issues[number]
            at = memory.ends[issue - 1] if issue else runs.begin
            op = runs.plan.moves[runs.sources[number]].op
            self.moves.setdefault((move.tensor, move.kind == "prefetch"), []).append((at, move, op))
        self.starts = [(at, op) for at, op in zip(memory.begins, program.ops, strict=True) if op is not None]

    def of(self, line: _Line, inward: bool) -> tuple[Operation, bool]:
        """The op that causes a line's transfer, and True if this op is a move of the program."""
        found: Operation | None = None
        for at, move, op in self.moves.get((line.tensor, inward), ()):
            meets = move.first < line.last and (move.last is None or line.first < move.last)
            if meets and (found is None or at <= line.since + 1e-3):
                found = op
        if found is not None:
            return found, True
        task = next((op for at, op in self.starts if at >= line.since), None)
        return task or (self.starts[-1][1] if self.starts else self.runs.plan.drafts[-1].op), False


def way_to(clock: Clock, device: str, tier: str) -> list[str]:
    """The devices on the shortest route from a device to a memory behind it."""
    ways: list[list[str]] = [[device]]
    for way in ways:
        for a, b in clock.machine.links:
            other = b if a == way[-1] else a
            if way[-1] not in (a, b) or other in way:
                continue
            if other == tier:
                return [*way, other]
            if clock.machine.devices[other].runs_nothing:
                ways.append([*way, other])
    raise AssertionError(f"no link leads from @{device} to @{tier}")
