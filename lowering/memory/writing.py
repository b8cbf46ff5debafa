"""Insertion of a trace's moves into its program as ops, each after the task that precedes the move's issue and before
the next task. Moves during a loop stand in its body: one op for the same move in several iterations, of another slice
of a stack in each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from dialects.element_types import byte_count
from dialects.locations import located
from dialects.repeating import RepeatingOp
from dialects.task import (
    DiscardOp,
    EvictOp,
    MoveOp,
    OnType,
    Part,
    PrefetchOp,
    ResidencyOp,
    ResidentOp,
    RunOp,
    Slice,
    WriteBackOp,
    placed,
)
from dialects.task.slices import ranges_of
from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.problem import Move, MoveKind, issues_of
from interp.simulate.program_trace import ProgramTrace
from interp.simulate.schedule.iterations import Execution, IteratedPlan
from interp.simulate.schedule.planning import ValueState
from interp.simulate.schedule.timeline import Event
from interp.walk.entry import ahead_of_time, block_of, blocks_of
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
    ops that have started before the move's issue are before it, and it can wait for any of them. In a loop, a move
    waits for ops and moves of its iteration alone, and a task for moves of its iteration.
    """
    return _Writer(function, program, events, system).write(moves)


def in_order_of_time(program: ProgramTrace, events: Sequence[Event], block: Block | None = None) -> list[Operation]:
    """The ops of a program's events in the order in which they first start: the device's kernels in the order of the
    trace, and each other op before the kernels that begin after its start. A loop stands for the ops of its body.
    `block`: the body of a loop whose ops are returned, instead of those of the function."""
    concurrency = program.concurrency
    kernels = {event: kernel for kernel, event in enumerate(concurrency.events) if event is not None}
    begins = [begin for begin, _ in concurrency.spans]

    def place(event: int) -> tuple[float, float, int]:
        start, end = events[event].start_ns, events[event].end_ns
        if event in kernels:
            return kernels[event], start, event
        before = bisect_right(begins, start) if end > start else bisect_left(begins, end)
        return before - 0.5, start, event

    return in_block((events[event].op for event in sorted(range(len(events)), key=place)), block)


def in_block(ops: Iterable[Operation], block: Block | None) -> list[Operation]:
    """The ops of a block, or of a function's block, that are ops of `ops` or contain them, each once."""
    found = dict[Operation, None]()
    for op in ops:
        each: Operation | None = op
        while each is not None and not (
            isinstance(each.parent_op(), FuncOp) if block is None else each.parent is block
        ):
            each = each.parent_op()
        if each is not None:
            found[each] = None
    return list(found)


@dataclass(eq=False)
class _Place:
    """A place for moves: before an op of a block, in one execution of the block."""

    execution: Execution
    op: Operation


@dataclass(eq=False)
class _Stated:
    """A move as it is written: the executions of its block in which it moves its bytes, each with the value of the
    loop's counter and the number of the slice that is moved, if it is one of a stack."""

    kind: MoveKind
    value: SSAValue
    of: int
    range: tuple[int, int | None]
    tier: str
    after: tuple[SSAValue, ...]
    behind: _Stated | None
    awaited: Operation | None
    counter: SSAValue | None
    numbers: list[int] = field(default_factory=list[int])
    counters: list[int] = field(default_factory=list[int])
    slices: list[int] = field(default_factory=list[int])
    op: ResidencyOp | None = None

    def same(self, other: _Stated) -> bool:
        """True if a move of one execution (`other`) can be this one in a further execution."""
        mine = self.kind, self.of, self.range, self.tier
        if mine != (other.kind, other.of, other.range, other.tier) or self.value is not other.value:
            return False
        if self.after != other.after or self.behind is not other.behind or self.awaited is not other.awaited:
            return False
        return self.slice_with(other.counters, other.slices) is not None

    def slice_with(self, counters: Sequence[int] = (), slices: Sequence[int] = ()) -> Slice | None:
        """The slice, by the counter, that is moved in the executions of this move and further ones; None if they do not
        follow the counter."""
        first, at, last, end = self.counters[0], self.slices[0], self.counters[-1], self.slices[-1]
        pairs = list(zip((last, *counters), (end, *slices), strict=True))
        if end == at and all(number == at for _, number in pairs):
            return Slice(self.of, at)
        if end - at == last - first and all(number - at == counter - first for counter, number in pairs):
            return Slice(self.of, at - first, self.counter)
        if end - at == first - last and all(number - at == first - counter for counter, number in pairs):
            return Slice(self.of, at + first, self.counter, reversed=True)
        return None


@dataclass
class _Writer:
    function: FuncOp
    program: ProgramTrace
    events: Sequence[Event]
    system: MemorySystem
    written: Written = field(default_factory=Written)

    def __post_init__(self) -> None:
        plan = self.program.plan
        assert plan is not None
        self.block = block_of(self.function)
        if isinstance(plan, IteratedPlan):
            self.executions, self.all_executions = plan.executions, plan.all_executions
        else:
            self.all_executions = [Execution(self.block, 0, plan.known)]
            self.executions = self.all_executions * len(self.events)
        self.first_of = {execution: event for event, execution in reversed(list(enumerate(self.executions)))}
        """The first event of each execution."""
        self.times = Counter(execution.block for execution in self.all_executions)
        self.position: dict[Operation, int] = {}
        for block in blocks_of(self.function):
            self.hoist(block)
            self.position |= {op: number for number, op in enumerate(block.ops)}
        concurrency = self.program.concurrency
        known = {number for number, event in enumerate(self.events) if event.op in self.position}
        kernels = {event: step for step, event in enumerate(concurrency.events) if event in known}
        uses = {event: first for event, (first, _) in concurrency.during.items() if event in known}
        begun = sorted((step, event) for event, step in {**kernels, **uses}.items())
        self.begun = [step for step, _ in begun]
        """For each event of an op of the program that uses the device's memory, the kernel that it is, or the first one
        that runs concurrently with it; ascending."""
        self.later = [*list(accumulate((event for _, event in reversed(begun)), min))[::-1], len(self.events)]
        """For each entry of `begun`, the first event among that of this entry and all later ones; and the number of
        events."""
        self.reached = list(accumulate((kernels.get(event, -1) for event in range(len(self.events))), max, initial=-1))
        """For each event, the last kernel among the events before it; -1 if there is none."""
        self.over: dict[int, list[tuple[Execution, int, SSAValue]]] = defaultdict(list)
        """For each kernel, the values that are available when it ends, each with its execution and the position of its
        op."""
        for number, (event, step) in enumerate(zip(self.events, concurrency.over, strict=True)):
            if number in known and event.op.results:
                self.over[step].append((self.executions[number], self.position[event.op], event.op.results[0]))
        self.here: dict[Execution, list[tuple[int, SSAValue, ValueState]]] = {}
        self.parts: dict[int, tuple[ValueState, dict[int, int], int]] = {}

    def hoist(self, block: Block) -> None:
        """Move the ops that are computed ahead of time to the start of a block, so that moves can refer to weights
        anywhere."""
        early = {*ahead_of_time(block)}
        moved = [op for op in block.ops if op in early or isinstance(op, ResidentOp)]
        rewriter = rewriter_at(InsertPoint.at_end(block))
        first = block.first_op
        for op in moved:
            if op is first:
                first = op.next_op
                continue
            op.detach()
            assert first is not None
            block.insert_op_before(op, first)
            rewriter.notify_op_modified(op)

    def write(self, moves: Sequence[Move]) -> Written:
        before: dict[Operation, list[_Stated]] = defaultdict(list)
        done: dict[tuple[Execution, Operation], int] = defaultdict(int)
        made: dict[int, tuple[Execution, _Stated]] = {}
        issues = issues_of(moves)
        for number in sorted(range(len(moves)), key=lambda number: issues[number]):
            move, at = moves[number], issues[number]
            event = self.later[bisect_left(self.begun, at)]
            place = self.place(event)
            found = self.value_of(move.tensor, place, at)
            if found is None:
                self.written.lost += self.has_contents(move.tensor, at)
                continue
            one = self.written_as(move, at, event, place, found, made)
            listed, key = before[place.op], (place.execution, place.op)
            same = next((n for n in range(done[key], len(listed)) if listed[n].same(one)), None)
            if same is None:
                listed.insert(same := done[key], one)
            else:
                listed[same].numbers += one.numbers
                listed[same].counters += one.counters
                listed[same].slices += one.slices
            done[key] = same + 1
            made[number] = place.execution, listed[same]
        for anchor, ops in before.items():
            self.insert(anchor, [self.op_of(each) for each in ops])
        for one in (each for ops in before.values() for each in ops):
            if isinstance(one.awaited, RunOp) and isinstance(one.op, MoveOp):
                one.awaited.wait_for(one.op.token)
        return self.written

    def place(self, event: int) -> _Place:
        """The place right before an event. What precedes the first event of a loop stands before the loop."""
        if event == len(self.events):
            last = self.block.last_op
            assert last is not None
            return _Place(self.all_executions[0], last)
        execution, op = self.executions[event], self.events[event].op
        while execution.around is not None and execution.loop is not None:
            if not execution.starts_loop or self.first_of[execution] != event:
                break
            execution, op = execution.around, execution.loop
        return _Place(execution, op)

    def insert(self, anchor: Operation, ops: Sequence[Operation]) -> None:
        """Insert ops before an op, but not among the ops that are computed ahead of time."""
        block = anchor.parent
        assert block is not None
        early = {*ahead_of_time(block)}
        first = next(op for op in block.ops if op not in early and not isinstance(op, ResidentOp | ResidencyOp))
        point = anchor if self.position[anchor] >= self.position[first] else first
        made = [located(op, self.source(op, point)) for op in ops]
        rewriter_at(InsertPoint.at_end(block)).insert(made, InsertPoint.before(point))
        self.written.ops += len(made)

    def source(self, op: Operation, anchor: Operation) -> Operation:
        """The op whose source location a move gets: the op that computes the moved value or, for an argument of the
        function or of a loop's body, the op before which the move is inserted."""
        assert isinstance(op, ResidencyOp)
        owner = op.value.owner
        return owner if isinstance(owner, Operation) else anchor

    def written_as(
        self,
        move: Move,
        at: int,
        event: int,
        place: _Place,
        found: tuple[SSAValue, int, int],
        made: Mapping[int, tuple[Execution, _Stated]],
    ) -> _Stated:
        """A move of one execution as it is written; `found`: its value, the number of slices of this value, and that of
        the slice that is moved."""
        value, of, number = found
        execution, other = place.execution, None if move.behind is None else made.get(move.behind)
        awaited = None
        if move.before is not None and move.before >= at:
            step = self.program.concurrency.events[move.before]
            if step is not None and self.executions[step] is execution:
                awaited = self.events[step].op
        return _Stated(
            move.kind,
            value,
            of,
            (move.first, move.last),
            move.tier,
            tuple(self.waits(at, event, place)),
            other[1] if other is not None and other[0] is execution else None,
            awaited,
            None if execution.loop is None else execution.loop.counter,
            [execution.number],
            [execution.counter],
            [number],
        )

    def op_of(self, one: _Stated) -> ResidencyOp:
        """The op for a move."""
        if one.op is not None:
            return one.op
        nbytes = byte_count(placed(one.value).tensor) // one.of
        first, last = one.range
        block = one.value.owner if isinstance(one.value.owner, Block) else one.value.owner.parent
        assert block is not None
        always = len(one.numbers) == self.times[block]
        part = Part(
            (first, nbytes if last is None else last),
            one.slice_with() if one.of > 1 else None,
            None if always else ranges_of(one.numbers),
        )
        after = list(one.after)
        if one.behind is not None and isinstance(other := self.op_of(one.behind), MoveOp):
            after.append(other.token)
        tier = one.tier or self.system.tiers[0].name
        match one.kind:
            case "prefetch":
                one.op = PrefetchOp(one.value, part, after)
            case "evict":
                one.op = EvictOp(one.value, tier, part, after)
            case "write_back":
                one.op = WriteBackOp(one.value, tier, part, after)
            case "discard":
                one.op = DiscardOp(one.value, part, one.tier or None)
        return one.op

    # The values in which tensors lie.

    def value_of(self, tensor: int, place: _Place, at: int) -> tuple[SSAValue, int, int] | None:
        """The value that occupies all bytes of a tensor when kernel `at` begins, or of which the tensor is a slice, and
        that is computed before a place; if there are several, the last. The number of its slices and that of the slice
        follow. None if there is none. A loop gets a further operand for a value that only the program around it has."""
        for made, value, state in self.values(place.execution):
            if made >= self.position[place.op]:
                continue
            slices, of = self.slices(state)
            if tensor not in slices or byte_count(placed(value).tensor) != of * self.nbytes(tensor):
                continue
            holds = (*state.holds, *state.weights)
            if self.program.hold([holds[slices[tensor]]], at) == (tensor,):
                return value, of, slices[tensor]
        execution = place.execution
        if execution.around is None or execution.loop is None:
            return None
        around = self.value_of(tensor, _Place(execution.around, execution.loop), at)
        if around is None:
            return None
        return self.passed(around[0], execution.loop), *around[1:]

    def nbytes(self, tensor: int) -> int:
        return self.program.trace.tensors[tensor].nbytes

    def values(self, execution: Execution) -> list[tuple[int, SSAValue, ValueState]]:
        """The values of an execution on the device, each with the position of its op and its state, the last first."""
        if execution not in self.here:
            found = [
                (self.made_at(value), value, state)
                for value, state in execution.known.items()
                if isinstance(value.type, OnType) and value.type.place == self.program.device
                if (value.owner if isinstance(value.owner, Block) else value.owner.parent) is execution.block
            ]
            self.here[execution] = sorted(found, key=lambda each: -each[0])
        return self.here[execution]

    def slices(self, state: ValueState) -> tuple[dict[int, int], int]:
        """For each tensor in which a value with this state lies, its number among them; and the number of tensors."""
        if (known := self.parts.get(id(state))) is not None:
            return known[1], known[2]
        holds = (*state.holds, *state.weights)
        found: dict[int, int] = {}
        for number, hold in enumerate(holds):
            found |= dict.fromkeys(self.program.places.get(hold, ()), number)
        self.parts[id(state)] = state, found, len(holds)
        return found, len(holds)

    def passed(self, value: SSAValue, loop: RepeatingOp) -> SSAValue:
        """The argument of a loop's body for a value around the loop, which becomes an operand of the loop."""
        block = loop.body.block
        argument = block.insert_arg(value.type, len(block.args))
        argument.name_hint = value.name_hint
        loop.operands = [*loop.operands, value]
        rewriter_at(loop).notify_op_modified(loop)
        for execution in self.all_executions:
            if execution.loop is loop and execution.around is not None and value in execution.around.known:
                execution.known[argument] = execution.around.known[value]
                self.here.pop(execution, None)
        return argument

    def has_contents(self, tensor: int, at: int) -> bool:
        """True if a tensor has contents when kernel `at` begins."""
        trace = self.program.trace
        return trace.tensors[tensor].persistent or int(trace.first[tensor]) < at <= int(trace.last[tensor])

    def made_at(self, value: SSAValue) -> int:
        """The position in its block of the op that computes a value; -1 for an argument, which exists from the start,
        and for a weight."""
        owner = value.owner
        return self.position[owner] if isinstance(owner, Operation) and not isinstance(owner, ResidentOp) else -1

    def waits(self, at: int, event: int, place: _Place) -> Iterator[SSAValue]:
        """The values that a move at a place waits for, in addition to the last kernel before it: one that is available
        when kernel `at - 1` ends or, if there is none, when an earlier kernel ends."""
        for step in range(at - 1, self.reached[event], -1):
            for execution, position, value in self.over.get(step, ()):
                if execution is place.execution and position < self.position[place.op]:
                    yield value
                    return
