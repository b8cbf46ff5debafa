"""Insertion of a trace's moves into its program as ops, each after the task that precedes the move's issue and before
the next task."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

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
from interp.memory.of_program import ProgramTrace
from interp.memory.problem import Move
from interp.program.entry import ahead_of_time, block_of
from interp.schedule.timeline import LOOPS, Event
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
    the trace was derived."""
    return _Writer(function, program, events, system).write(moves)


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
        self.own = [step for step, event in enumerate(self.program.events) if event is not None and self.is_own(event)]
        """The numbers of the kernels that are ops of the function, ascending."""
        self.behind: dict[int, list[int]] = defaultdict(list)
        """For each kernel, the concurrent events that end with it."""
        for event, (_, last) in self.program.concurrent_events.items():
            self.behind[last].append(event)
        self.standing: dict[int, list[tuple[int, SSAValue]]] = {}

    def is_own(self, event: int) -> bool:
        """True if an event is a task of the device, or a loop, in this function. Other events only use the device's
        memory."""
        each = self.events[event]
        return each.resource in (self.program.device, LOOPS) and each.op.parent is self.block

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
        after: dict[Operation | None, list[Operation]] = defaultdict(list)
        made: dict[int, Operation] = {}
        waiting: dict[int, list[SSAValue]] = defaultdict(list)
        order = sorted(range(len(moves)), key=lambda number: moves[number].at)
        for number in order:
            move = moves[number]
            place = bisect_left(self.own, move.at) - 1
            anchor = self.program.ops[self.own[place]] if place >= 0 else None
            value = self.value_of(move.tensor, anchor)
            if value is None:
                self.written.lost += self.program.trace.tensors[move.tensor].persistent  # others are not computed yet
                continue
            op = self.op_of(move, value, self.waits(move, self.own[place] if place >= 0 else -1, anchor, made))
            made[number] = op
            after[anchor].append(op)
            if move.before is not None and move.before >= move.at and isinstance(op, MoveOp):
                waiting[move.before].append(op.token)
            self.written.ops += 1
        self.insert(after)
        for step, tokens in waiting.items():
            task = self.program.ops[step]
            if isinstance(task, RunOp) and task.parent is self.block:
                for token in tokens:
                    task.wait_for(token)
        return self.written

    def insert(self, after: dict[Operation | None, list[Operation]]) -> None:
        """Insert ops behind the ops that are keys of `after`; ops under the key None are inserted before the first op
        that is not computed ahead of time."""
        early = {*ahead_of_time(self.block)}
        first = next(op for op in self.block.ops if op not in early and not isinstance(op, ResidentOp))
        rewriter = rewriter_at(InsertPoint.at_end(self.block))
        for anchor, ops in after.items():
            point = InsertPoint.before(first) if anchor is None else InsertPoint.after(anchor)
            rewriter.insert([located(op, self.source(op, anchor)) for op in ops], point)

    def source(self, op: Operation, anchor: Operation | None) -> Operation:
        """The op whose source location a move gets: the op that computes the moved value or, for an argument of the
        function, the op after which the move is inserted."""
        assert isinstance(op, ResidencyOp)
        owner = op.value.owner
        return owner if isinstance(owner, Operation) else anchor or self.function

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

    def value_of(self, tensor: int, anchor: Operation | None) -> SSAValue | None:
        """The value that occupies all bytes of a tensor and is computed at or before the op `anchor` (None: an
        argument); if there are several, the last. None if there is none."""
        if tensor not in self.standing:
            self.standing[tensor] = sorted(
                ((self.made_at(value), value) for value in self.program.values(tensor) if self.occupies(value, tensor)),
                key=lambda each: each[0],
            )
        until = -1 if anchor is None else self.position[anchor]
        early = [value for at, value in self.standing[tensor] if at <= until]
        return early[-1] if early else None

    def made_at(self, value: SSAValue) -> int:
        """The position in the block of the op that computes a value; -1 for an argument, which exists from the
        start."""
        owner = value.owner
        return self.position[owner] if isinstance(owner, Operation) and not isinstance(owner, ResidentOp) else -1

    def occupies(self, value: SSAValue, tensor: int) -> bool:
        """True if a value of the function occupies exactly this tensor."""
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent
        return (
            block is self.block
            and isinstance(value.type, OnType)
            and value.type.place == self.program.device
            and self.program.tensors.get(value) == (tensor,)
            and byte_count(value.type.tensor) == self.program.trace.tensors[tensor].nbytes
        )

    def waits(self, move: Move, last: int, anchor: Operation | None, made: dict[int, Operation]) -> list[SSAValue]:
        """The values that a move waits for, in addition to the task before it. There are up to three: a result of the
        last op after that task that ends before the move is issued, a result of the kernel in the move's `after`, and
        the token of the move in its `behind`."""
        found: list[SSAValue] = []
        for step in range(move.at - 1, last, -1):
            if (value := self.over_with(step)) is not None:
                found.append(value)
                break
        if move.after is not None and (value := self.over_with(move.after)) is not None:
            found.append(value)
        if move.behind is not None and isinstance(other := made.get(move.behind), MoveOp):
            found.append(other.token)
        until = -1 if anchor is None else self.position[anchor]
        return [value for value in dict.fromkeys(found) if not self._is_available_later(value, until)]

    def _is_available_later(self, value: SSAValue, until: int) -> bool:
        return isinstance(value.owner, Operation) and self.position.get(value.owner, -1) > until

    def over_with(self, step: int) -> SSAValue | None:
        """A value that becomes available when a kernel ends; None if there is none."""
        op = self.program.ops[step]
        ops = [op] if op is not None else [self.events[event].op for event in self.behind.get(step, ())]
        return next((each.results[0] for each in ops if each.results and each.parent is self.block), None)
