"""Plans of programs with loops in which each iteration has jobs of its own, so that its tasks can wait for moves
between memories, and the slices of stacks (interp/walk/stacks.py) have memory of their own.

Nothing overlaps with a loop, and an iteration starts when the one before has ended, as in a plan in which a loop is one
job (`Plan`): without moves, both take equally long.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from dialects.graph.fused import FusedOp
from dialects.graph.indexing import DynamicSliceOp, DynamicUpdateSliceOp
from dialects.graph.shape import SliceOp
from dialects.repeating import RepeatingOp
from dialects.task import ResidencyOp, ResidentOp, RunOp
from interp.kinds.clock import Clock
from interp.machine.memory_system import MemorySystem
from interp.simulate.schedule.memory import Hold
from interp.simulate.schedule.planning import Draft, Plan, ValueState, parts_of
from interp.simulate.schedule.residency import EqualValues
from interp.walk.entry import block_of
from interp.walk.inputs import Array
from interp.walk.interpret import interpret
from interp.walk.stacks import Stacks, bytes_of, slice_of
from interp.walk.unchanged import once, unchanged
from interp.walk.views import is_counted_slice, is_part, is_view


@dataclass(eq=False)
class Execution:
    """One execution of a block: of the function, or of a loop's body in one iteration. `number`: that of the execution
    among those of the block, from 0 on; `loop`, `around`: the loop and the execution that contains it, if any;
    `counter`: the value of the loop's counter. `known`: the states of the block's values."""

    block: Block
    number: int
    known: dict[SSAValue, ValueState]
    loop: RepeatingOp | None = None
    around: Execution | None = None
    counter: int = 0

    @property
    def starts_loop(self) -> bool:
        """True for the first iteration of a run of its loop."""
        return self.loop is not None and self.counter == self.loop.counted.start


class IteratedPlan(Plan):
    """A plan with a job for each task of each iteration. A value that is a stack lies in several `Hold`s, one for each
    slice, in the order of their bytes."""

    def __init__(self, module: ModuleOp, clock: Clock, equal: EqualValues | None = None) -> None:
        super().__init__(module, clock, equal)
        self.stacks: Stacks | None = None
        self.execution: Execution | None = None
        """The execution that is planned at present."""
        self.executions: list[Execution] = []
        """For each draft, the execution that it is part of."""
        self.times: dict[Block, int] = defaultdict(int)
        """The number of executions of each block so far."""
        self.counters: dict[SSAValue, Array] = {}
        """The values of the counters of the loops around the present execution."""
        self.all_executions: list[Execution] = []
        self.residents: dict[Operation, list[ValueState]] = {}
        """The states of weights and constants on devices, by the op that states where they are."""
        self.slicing: dict[Operation, bool] = {}
        """True for each op that contains slices."""

    def entry(self, function: FuncOp) -> list[ValueState]:
        system = MemorySystem.of(self.clock.machine)
        with unchanged():
            self.stacks = Stacks(function, 1 if system is None else system.page)
            self.execution = Execution(block_of(function), 0, self.known)
            self.all_executions.append(self.execution)
            return super().entry(function)

    def loop(self, loop: RepeatingOp, operands: list[ValueState]) -> list[ValueState]:
        carried, around, outer, body = len(loop.outputs), self.execution, self.known, loop.body.block
        states = list(operands)
        for count in loop.counted:
            self.close()
            self.known = {}
            self.execution = Execution(body, self.times[body], self.known, loop, around, count)
            self.all_executions.append(self.execution)
            self.times[body] += 1
            self.counters[loop.counter] = np.array(count, np.int32)
            states[:carried] = interpret(body, [ValueState(), *states], self, self.known)
        self.close()
        self.execution, self.known = around, outer
        return states[:carried]

    def close(self) -> None:
        """Let all later drafts wait for all earlier ones: for the last one in each queue, since a queue is serial."""
        jobs = self.ledger.jobs
        latest = {(jobs[index].resource, jobs[index].queue): index for index in sorted(self.last)}
        self.barrier = tuple(latest.values())
        self.last = dict.fromkeys(self.barrier)

    def begin(self, block: Block, early: Mapping[Operation, None]) -> None:
        if self.times[block] <= 1:
            super().begin(block, early)

    def noted(self, draft: Draft) -> int:
        assert self.execution is not None
        self.executions.append(self.execution)
        return super().noted(draft)

    def states(self) -> Iterator[tuple[SSAValue, ValueState]]:
        for execution in self.all_executions:
            yield from execution.known.items()

    def move(self, op: ResidencyOp, moved: ValueState, needs: Sequence[ValueState]) -> list[ValueState]:
        assert self.execution is not None
        if not op.executes(self.execution.number):
            return [ValueState() for _ in op.results]
        return super().move(op, moved, needs)

    def moved(self, op: ResidencyOp, known: ValueState) -> tuple[tuple[Hold, int, int], ...] | None:
        assert self.execution is not None
        return parts_of(known, op.nbytes, *op.range_at(self.execution.counter))

    def op(self, op: Operation, operands: list[ValueState], dead: Sequence[int]) -> list[ValueState]:
        if not isinstance(op, ResidentOp):
            return super().op(op, operands, dead)
        if op not in self.residents:  # the same in each iteration
            self.residents[op] = super().op(op, operands, dead)
        return list(self.residents[op])

    # The memory of stacks, slice by slice.

    def alike(self, value: SSAValue, other: SSAValue) -> None:
        if self.stacks is not None:
            self.stacks.same(value, other)

    def held(self, value: SSAValue, device: str, maker: int | None = None) -> tuple[Hold, ...]:
        holds = super().held(value, device, maker)
        pieces = self.pieces(value) if len(holds) == 1 and holds[0].device == self.primary else 1
        if pieces == 1:
            return holds
        holds[0].nbytes //= pieces
        others = [self.residency.hold(self.primary, holds[0].nbytes, maker) for _ in range(pieces - 1)]
        return _numbered((*holds, *others))

    def resident(self, device: str, what: Hashable, nbytes: int, value: SSAValue | None = None) -> tuple[Hold, ...]:
        pieces = 1 if value is None or device != self.primary else self.pieces(value)
        if pieces == 1 or value is None or nbytes != bytes_of(value):
            return super().resident(device, what, nbytes, value)
        name, part = self.equal.first(what), nbytes // pieces
        return _numbered([self.residency.resident(device, (name, number), part) for number in range(pieces)])

    def pieces(self, value: SSAValue) -> int:
        """The number of pieces of memory in which a value lies on the primary device."""
        return 1 if self.stacks is None else self.stacks.pieces(value)

    def view(self, op: Operation, needs: Sequence[ValueState]) -> ValueState:
        if not isinstance(op, SliceOp | DynamicSliceOp | DynamicUpdateSliceOp):
            return super().view(op, needs)
        parts = self.parts(op, needs[0])
        if parts is None:
            return super().view(op, needs)
        after = dict.fromkeys(job for known in needs for job in known.after)
        moves = dict.fromkeys(move for known in needs for move in known.moves)
        if isinstance(op, DynamicUpdateSliceOp):
            if not _covers(parts, needs[1].holds):
                return super().view(op, needs)
            return ValueState(tuple(after), self.replaced(needs[0], parts, needs[1].holds), (), tuple(moves))
        held = tuple(hold for hold, _, _ in parts)
        return ValueState(tuple(after), *((held, ()) if needs[0].holds else ((), held)), tuple(moves))

    def parts(
        self, op: SliceOp | DynamicSliceOp | DynamicUpdateSliceOp, stack: ValueState
    ) -> tuple[tuple[Hold, int, int], ...] | None:
        """The memory that holds the slice of a stack that an op reads or writes, as triples (memory, first byte, end);
        None for a value that is no stack."""
        if self.stacks is None or not self.stacks.has(op.x) or not (stack.holds or stack.weights):
            return None
        contiguous = is_part(op) if isinstance(op, SliceOp) else is_counted_slice(op)
        bytes_ = self.slice(op) if contiguous else None
        return None if bytes_ is None else parts_of(stack, bytes_of(op.x), *bytes_)

    def slice(self, op: SliceOp | DynamicSliceOp | DynamicUpdateSliceOp) -> tuple[int, int] | None:
        """The bytes of its stack that a slice accesses in the present iteration: the first, and one past the last."""
        counters = tuple(int(number) for number in self.counters.values())
        return once((slice_of, counters), op, lambda: slice_of(op, self.counters))

    def replaced(
        self, stack: ValueState, parts: Sequence[tuple[Hold, int, int]], update: Sequence[Hold]
    ) -> tuple[Hold, ...]:
        """The memory of a stack in which an update takes the places of the slices `parts`."""
        other = {old: new for (old, _, _), new in zip(parts, update, strict=True)}
        for old, new in other.items():
            new.piece = old.piece
        return tuple(other.get(hold, hold) for hold in (*stack.holds, *stack.weights))

    def reads(self, op: Operation, needs: Sequence[ValueState]) -> Sequence[Hold]:
        if op not in self.slicing:
            kinds = SliceOp | DynamicSliceOp | DynamicUpdateSliceOp
            self.slicing[op] = any(isinstance(inner, kinds) for inner in op.walk())
        if not self.slicing[op]:
            return super().reads(op, needs)
        return list(dict.fromkeys(self.read_by(op, needs)))

    def read_by(self, op: Operation, needs: Sequence[ValueState]) -> Iterator[Hold]:
        """The memory that an op reads, given the states of its operands: of stacks, the slices that it reads."""
        match op:
            case RunOp() | FusedOp():
                known: dict[SSAValue, ValueState] = dict(zip(op.body.block.args, needs, strict=True))
                for inner in op.body.block.ops:
                    given = [known.get(operand, ValueState()) for operand in inner.operands]
                    if is_view(inner) and not isinstance(inner, DynamicUpdateSliceOp):
                        known[inner.results[0]] = self.view(inner, given)
                    else:
                        yield from self.read_by(inner, given)
            case DynamicUpdateSliceOp() if op.in_place.value.data and self.parts(op, needs[0]) is not None:
                for state in needs[1:]:
                    yield from (*state.holds, *state.weights)
            case DynamicSliceOp() if (parts := self.parts(op, needs[0])) is not None:
                yield from (hold for hold, _, _ in parts)
            case _:
                for state in needs:
                    yield from (*state.holds, *state.weights)

    def overwritten(
        self, op: Operation, result: int, needs: Sequence[ValueState], operand: int, index: int
    ) -> ValueState:
        update = op.yielded[result].owner if isinstance(op, RunOp) else op
        parts = self.parts(update, needs[operand]) if isinstance(update, DynamicUpdateSliceOp) else None
        if parts is None:
            return super().overwritten(op, result, needs, operand, index)
        new = list[Hold]()
        for old, first, end in parts:
            new.append(self.residency.hold(old.device, old.nbytes, index))
            if (first, end) != (0, old.nbytes):  # the rest of the slice keeps its contents
                if old.heir is None and not old.kept:
                    old.heir, new[-1].takes = index, (old,)
                else:
                    old.readers.append(index)
        return ValueState((index,), self.replaced(needs[operand], parts, new))


def _numbered(holds: Sequence[Hold]) -> tuple[Hold, ...]:
    """The slices of a stack, with their numbers."""
    for number, hold in enumerate(holds):
        hold.piece = number
    return tuple(holds)


def _covers(parts: Sequence[tuple[Hold, int, int]], update: Sequence[Hold]) -> bool:
    """True if an update consists of whole slices."""
    sizes = [hold.nbytes for hold in update]
    return all(first == 0 and end == hold.nbytes for hold, first, end in parts) and sizes == [
        hold.nbytes for hold, _, _ in parts
    ]
