"""Insertion of a trace's moves into its program as ops, each after the task that precedes the move's issue and before
the next task."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from dialects.element_types import byte_count
from dialects.locations import located
from dialects.task import (
    DiscardOp,
    EvictOp,
    MoveOp,
    OnType,
    PrefetchOp,
    ResidencyOp,
    ResidentOp,
    RunOp,
    WriteBackOp,
    placed,
)
from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.problem import Move, issues_of
from interp.simulate.program_trace import ProgramTrace
from interp.simulate.schedule.timeline import Event
from interp.walk.entry import ahead_of_time, block_of
from lowering.graph.rewriting import rewriter_at


@dataclass
class Written:
    """Counts of moves: `ops`, the ops that were inserted for moves, and `lost`, the moves that were left out because no
    value of the function occupies their bytes."""

    ops: int = 0
    lost: int = 0


def write_moves(
    function: FuncOp, program: ProgramTrace, events: Sequence[Event], moves: Sequence[Move], system: MemorySystem
) -> Written:
    """Insert moves into a placed function, in the order of their issue. `events`: the events of the timeline from which
    the trace was derived.

    A move is read back as it was planned if the ops are in the order of the timeline (`in_order_of_time`): then the
    ops that have started before the move's issue are before it, and it can wait for any of them.
    """
    return _Writer(function, program, events, system).write(moves)


def in_order_of_time(program: ProgramTrace, events: Sequence[Event]) -> list[Operation]:
    """The ops of a program's events in the order in which they start: the device's kernels in the order of the trace,
    and each other op before the kernels that begin after its start."""
    concurrency = program.concurrency
    kernels = {event: kernel for kernel, event in enumerate(concurrency.events) if event is not None}
    begins = [begin for begin, _ in concurrency.spans]

    def place(event: int) -> tuple[float, float, int]:
        start, end = events[event].start_ns, events[event].end_ns
        if event in kernels:
            return kernels[event], start, event
        before = bisect_right(begins, start) if end > start else bisect_left(begins, end)
        return before - 0.5, start, event

    return [events[event].op for event in sorted(range(len(events)), key=place)]


@dataclass
class _Writer:
    function: FuncOp
    program: ProgramTrace
    events: Sequence[Event]
    system: MemorySystem
    written: Written = field(default_factory=Written)

    def __post_init__(self) -> None:
        self.block = block_of(self.function)
        self.hoist()
        self.position = {op: number for number, op in enumerate(self.block.ops)}
        concurrency, places = self.program.concurrency, dict[int, int]()
        for number, event in enumerate(self.events):
            if event.op.parent is self.block:
                places[number] = self.position[event.op]
        kernels = {places[event]: step for step, event in enumerate(concurrency.events) if event in places}
        uses = {places[event]: first for event, (first, _) in concurrency.during.items() if event in places}
        begun = sorted((step, place) for place, step in {**kernels, **uses}.items())
        self.begun = [step for step, _ in begun]
        """For each op of the function that uses the device's memory, the kernel that it is, or the first one that runs
        concurrently with it; ascending."""
        self.later = [*list(accumulate((place for _, place in reversed(begun)), min))[::-1], len(self.position) - 1]
        """For each entry of `begun`, the position in the block of the first op among that of this entry and all later
        ones; and that of the terminator."""
        self.reached = list(
            accumulate((kernels.get(place, -1) for place in range(len(self.position))), max, initial=-1)
        )
        """For each position in the block, the last kernel among the ops before it; -1 if there is none."""
        self.over: dict[int, list[tuple[int, SSAValue]]] = defaultdict(list)
        """For each kernel, the values that are available when it ends, each with the position of its op."""
        for event, step in zip(self.events, self.program.concurrency.over, strict=True):
            if event.op.parent is self.block and event.op.results:
                self.over[step].append((self.position[event.op], event.op.results[0]))
        self.standing: dict[int, list[tuple[int, SSAValue]]] = {}

    def hoist(self) -> None:
        """Move the ops that are computed ahead of time to the start of the function, so that moves can refer to weights
        anywhere."""
        early = [*ahead_of_time(self.block)]
        early = [op for op in self.block.ops if op in set(early) or isinstance(op, ResidentOp)]
        rewriter = rewriter_at(InsertPoint.at_end(self.block))
        first = self.block.first_op
        for op in early:
            if op is first:
                first = op.next_op
                continue
            op.detach()
            assert first is not None
            self.block.insert_op_before(op, first)
            rewriter.notify_op_modified(op)

    def write(self, moves: Sequence[Move]) -> Written:
        before: dict[int, list[Operation]] = defaultdict(list)
        made: dict[int, Operation] = {}
        waiting: dict[int, list[SSAValue]] = defaultdict(list)
        issues = issues_of(moves)
        for number in sorted(range(len(moves)), key=lambda number: issues[number]):
            move, at = moves[number], issues[number]
            place = self.later[bisect_left(self.begun, at)]
            value = self.value_of(move.tensor, place, at)
            if value is None:
                self.written.lost += self.has_contents(move.tensor, at)
                continue
            op = self.op_of(move, value, self.waits(move, at, place, made))
            made[number] = op
            before[place].append(op)
            if move.before is not None and move.before >= at and isinstance(op, MoveOp):
                waiting[move.before].append(op.token)
            self.written.ops += 1
        self.insert(before)
        for step, tokens in waiting.items():
            task = self.program.ops[step]
            if isinstance(task, RunOp) and task.parent is self.block:
                for token in tokens:
                    task.wait_for(token)
        return self.written

    def insert(self, before: dict[int, list[Operation]]) -> None:
        """Insert ops before the ops at the positions that are keys of `before`, but not among the ops that are computed
        ahead of time."""
        early = {*ahead_of_time(self.block)}
        listed = list(self.block.ops)
        first = next(number for number, op in enumerate(listed) if op not in early and not isinstance(op, ResidentOp))
        rewriter = rewriter_at(InsertPoint.at_end(self.block))
        for place, ops in before.items():
            anchor = listed[max(place, first)]
            rewriter.insert([located(op, self.source(op, anchor)) for op in ops], InsertPoint.before(anchor))

    def source(self, op: Operation, anchor: Operation) -> Operation:
        """The op whose source location a move gets: the op that computes the moved value or, for an argument of the
        function, the op before which the move is inserted."""
        assert isinstance(op, ResidencyOp)
        owner = op.value.owner
        return owner if isinstance(owner, Operation) else anchor

    def op_of(self, move: Move, value: SSAValue, after: list[SSAValue]) -> Operation:
        """The op for a move of a value, which waits for the values `after`."""
        nbytes = byte_count(placed(value).tensor)
        range_ = move.first, nbytes if move.last is None else move.last
        tier = move.tier or self.system.tiers[0].name
        match move.kind:
            case "prefetch":
                return PrefetchOp(value, range_, after)
            case "evict":
                return EvictOp(value, tier, range_, after)
            case "write_back":
                return WriteBackOp(value, tier, range_, after)
            case "discard":
                return DiscardOp(value, range_, move.tier or None)

    def value_of(self, tensor: int, place: int, at: int) -> SSAValue | None:
        """The value that occupies all bytes of a tensor when kernel `at` begins and is computed before a position in
        the block; if there are several, the last. None if there is none."""
        if tensor not in self.standing:
            self.standing[tensor] = sorted(
                ((self.made_at(value), value) for value in self.program.values(tensor) if self.is_whole(value, tensor)),
                key=lambda each: each[0],
            )
        able = [
            value
            for made, value in self.standing[tensor]
            if made < place and self.program.lies_in(value, at) == (tensor,)
        ]
        return able[-1] if able else None

    def has_contents(self, tensor: int, at: int) -> bool:
        """True if a tensor has contents when kernel `at` begins."""
        trace = self.program.trace
        return trace.tensors[tensor].persistent or int(trace.first[tensor]) < at <= int(trace.last[tensor])

    def made_at(self, value: SSAValue) -> int:
        """The position in the block of the op that computes a value; -1 for an argument, which exists from the
        start."""
        owner = value.owner
        return self.position[owner] if isinstance(owner, Operation) and not isinstance(owner, ResidentOp) else -1

    def is_whole(self, value: SSAValue, tensor: int) -> bool:
        """True if a value of the function has the size of a tensor that holds it, and so is no part of it."""
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent
        return (
            block is self.block
            and isinstance(value.type, OnType)
            and value.type.place == self.program.device
            and byte_count(value.type.tensor) == self.program.trace.tensors[tensor].nbytes
        )

    def waits(self, move: Move, at: int, place: int, made: dict[int, Operation]) -> list[SSAValue]:
        """The values that a move at the position `place` waits for, in addition to the last kernel before it: one that
        is available when kernel `at - 1` ends or, if there is none, when an earlier kernel ends; and the token of the
        move in its `behind`."""
        found: list[SSAValue] = []
        for step in range(at - 1, self.reached[place], -1):
            if able := [value for position, value in self.over.get(step, ()) if position < place]:
                found.append(able[0])
                break
        if move.behind is not None and isinstance(other := made.get(move.behind), MoveOp):
            found.append(other.token)
        return found
