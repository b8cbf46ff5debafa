"""A brute-force memory model of one thread block, derived from the definition of the ops, independent of the checks.

All threads of a block execute each op together, and the model does not assume which thread accesses which element. Two
accesses between the same two barriers can therefore happen in either order, unless both are of registers, which belong
to one thread each. An asynchronous copy completes at any time from the barrier before its issue to the barrier after
the first wait that covers it. So each access to shared memory has an interval of possible times, and an execution
assigns a time from this interval.

The observable results of an execution are the order of writes of each element, and for each read the write whose value
it returns.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, Operation, SSAValue

from dialects.element_types import dtype_of
from dialects.graph.op import GraphOp
from dialects.tile import (
    Access,
    AccessingOp,
    BarrierOp,
    BlocksOp,
    BufferOp,
    CommitOp,
    CopyOp,
    FillOp,
    ForOp,
    KernelOp,
    MmaOp,
    ReadOp,
    WaitOp,
    WhenOp,
    WriteOp,
    memref_of,
    scope_of,
)
from interp.numerics import evaluate

Array: TypeAlias = "NDArray[Any]"
Element: TypeAlias = "tuple[SSAValue, tuple[int, ...]]"
Time: TypeAlias = "tuple[float, int]"
"""A point in time: a position in program order, and -1, 0 or 1 for directly before, at or directly after it."""
Effect: TypeAlias = "tuple[int, bool]"
"""An access to an element: the position of its event, and True if it is a write."""


@dataclass(frozen=True)
class Event:
    """One execution of an op by the block: the elements that it reads and writes, one access each, and the earliest and
    the latest time of its accesses to shared memory."""

    op: Operation
    at: int
    reads: tuple[tuple[Element, ...], ...]
    writes: tuple[tuple[Element, ...], ...]
    early: Time
    late: Time


@dataclass
class Execution:
    """The observable results of an execution."""

    written: dict[Element, list[tuple[Time, int]]] = field(default_factory=dict[Element, list[tuple[Time, int]]])
    """For each element the times and events of its writes, in order."""

    def seen(self, element: Element, time: Time) -> int | None:
        """The event that wrote the value which a read of `element` at `time` returns; None if no event wrote the
        element before."""
        writes = self.written.get(element, [])
        at = bisect_left(writes, (time, -1))
        return writes[at - 1][1] if at else None


class Model:
    """A model of the memory accesses of a kernel's first thread block; the kernel must consist of one grid."""

    def __init__(self, kernel: KernelOp) -> None:
        self.kernel = kernel
        (self.grid,) = kernel.grids
        variables = {each: values.start for each, values in zip(_arguments(self.grid), self.grid.ranges, strict=True)}
        done = list(_unrolled(self.grid.body.block, variables))
        self.barriers = [at for at, (op, _) in enumerate(done) if isinstance(op, BarrierOp)]
        self.end = len(done)
        arrivals = _arrivals([op for op, _ in done])
        self.events = [self._event(op, at, values, arrivals) for at, (op, values) in enumerate(done)]
        self.by_element: dict[Element, list[Effect]] = {}
        for event in self.events:
            for number, boxes in enumerate((event.reads, event.writes)):
                for element in dict.fromkeys(element for box in boxes for element in box):
                    self.by_element.setdefault(element, []).append((event.at, number == 1))

    def _event(self, op: Operation, at: int, values: Mapping[SSAValue, int], arrivals: Mapping[int, float]) -> Event:
        early = max((each for each in self.barriers if each < at), default=-1)
        until = arrivals.get(at, at)
        late = min((each for each in self.barriers if each > until), default=self.end) if until < inf else inf
        if not isinstance(op, AccessingOp):
            return Event(op, at, (), (), (early, 1), (late, -1))
        boxes = [tuple(_elements(access, op.indices, values)) for access in op.accesses]
        reads, writes = (tuple(boxes[number] for number in numbers) for numbers in (op.READS, op.WRITES))
        return Event(op, at, reads, writes, (early, 1), (late, -1))

    def _is_shared(self, element: Element) -> bool:
        return scope_of(element[0]) == "shared"

    def show(self, element: Element, moved: Mapping[int, Time]) -> tuple[list[int], dict[int, int | None]]:
        """The events that write an element, in order, and for each event that reads the element the event whose write
        it returns, if events happen at the times in `moved` (others: at their positions in the program)."""
        effects = self.by_element[element]
        order = sorted(effects, key=lambda each: (moved.get(each[0], (each[0], 0)), each[0], each[1]))
        writes, reads = list[int](), dict[int, int | None]()
        for event, written in order:
            if written:
                writes.append(event)
            else:
                reads[event] = writes[-1] if writes else None
        return writes, reads

    def is_ordered(self) -> bool:
        """True if all executions have the same observable results, every read returns a write, every copy is complete
        at the end of the block, and no op uses an earlier stage of a rotating buffer than the op before it."""
        for element, effects in self.by_element.items():
            if scope_of(element[0]) == "global":
                continue
            nominal = self.show(element, {})
            if None in nominal[1].values():
                return False
            if self._is_shared(element):
                for event, _ in effects:
                    each = self.events[event]
                    if each.late[0] == inf and each.writes and element in each.writes[0]:
                        return False
                    if any(self.show(element, {event: time}) != nominal for time in (each.early, each.late)):
                        return False
        return self._rotates()

    def _rotates(self) -> bool:
        fills: dict[tuple[SSAValue, int], int] = {}
        last: dict[tuple[Operation, SSAValue], int] = {}
        for event in self.events:
            for reads, boxes in ((True, event.reads), (False, event.writes)):
                for memory, place in (box[0] for box in boxes):
                    if not isinstance(memory.owner, BufferOp) or memory.owner.rotating is None:
                        continue
                    if not reads:
                        fills[memory, place[0]] = event.at
                    elif (seen := fills[memory, place[0]]) < last.get((event.op, memory), -1):
                        return False
                    else:
                        last[event.op, memory] = seen
        return True

    def values(self, inputs: Sequence[Array], moved: Mapping[int, Time]) -> list[Array]:
        """The kernel's outputs with the events' times in `moved`; raises RecursionError if a value depends on
        itself."""
        given: dict[SSAValue, Array] = {}
        given |= zip(self.kernel.inputs, inputs, strict=True)
        sees = {each: self.show(each, moved if self._is_shared(each) else {})[1] for each in self.by_element}
        done: dict[int, Array] = {}
        tensors: dict[SSAValue, Array] = {}
        places = [
            {each: at for at, each in enumerate(box)} for event in self.events for box in event.writes[:1] or ((),)
        ]

        def element_of(element: Element, event: int) -> Any:
            memory, place = element
            source = sees[element][event]
            if source is None:
                inside = all(0 <= at < extent for at, extent in zip(place, memref_of(memory).get_shape(), strict=True))
                return given[memory][place] if memory in given and inside else 0
            return value_of(self.events[source]).reshape(-1)[places[source][element]]

        def box_of(event: Event, number: int) -> Array:
            assert isinstance(event.op, AccessingOp)
            access, box = event.op.accesses[number], event.reads[event.op.READS.index(number)]
            dtype = dtype_of(memref_of(access.memory).element_type)
            return np.array([element_of(each, event.at) for each in box], dtype).reshape(access.shape)

        def value_of(event: Event) -> Array:
            if event.at not in done:
                done[event.at] = computed(event)
            return done[event.at]

        def computed(event: Event) -> Array:
            match event.op:
                case CopyOp():
                    return rounded(event.op.target, box_of(event, 0))
                case FillOp():
                    return rounded(event.op.target, np.full(event.op.target.shape, event.op.number.value.data))
                case WriteOp():
                    return rounded(event.op.target, tensors[event.op.value])
                case MmaOp():
                    a, b, sums = (box_of(event, number) for number in range(3))
                    right = b.T if event.op.across is not None else b
                    return sums + (a.astype(np.float32) @ right.astype(np.float32)).astype(sums.dtype)
                case _:
                    raise AssertionError(event.op.name)

        def rounded(target: Access, value: Array) -> Array:
            return value.astype(dtype_of(memref_of(target.memory).element_type))

        with np.errstate(all="ignore"):
            for event in self.events:
                match event.op:
                    case ReadOp():
                        tensors[event.op.value] = box_of(event, 0)
                    case GraphOp():
                        operands = [tensors[each] for each in event.op.operands]
                        tensors |= dict(zip(event.op.results, evaluate(event.op, operands), strict=True))
                    case AccessingOp():
                        value_of(event)
                    case _:
                        pass
        return [self._output(memory, value_of) for memory in self.kernel.outputs]

    def _output(self, memory: SSAValue, value_of: Any) -> Array:
        shape = memref_of(memory).get_shape()
        found = np.zeros(shape, dtype_of(memref_of(memory).element_type))
        for event in self.events:
            for box in event.writes:
                for number, (each, place) in enumerate(box):
                    if each is memory and all(0 <= at < extent for at, extent in zip(place, shape, strict=True)):
                        found[place] = value_of(event).reshape(-1)[number]
        return found


def _arguments(grid: BlocksOp) -> Sequence[SSAValue]:
    return grid.body.block.args


def _unrolled(block: Block, values: dict[SSAValue, int]) -> Iterator[tuple[Operation, dict[SSAValue, int]]]:
    """The ops of a block in program order, each with the values of loop variables."""
    for op in block.ops:
        if isinstance(op, ForOp):
            for value in op.values:
                yield from _unrolled(op.body.block, values | {op.variable: value})
        elif isinstance(op, WhenOp):
            if op.zero.eval([values[each] for each in op.indices], []) == 0:
                yield from _unrolled(op.body.block, values)
        else:
            yield op, values


def _arrivals(ops: Sequence[Operation]) -> dict[int, float]:
    """For each asynchronous copy, by its position, the position of the first wait that covers it."""
    found: dict[int, float] = {}
    groups: list[list[int]] = [[]]
    for at, op in enumerate(ops):
        match op:
            case CopyOp() if op.asynchronous is not None:
                groups[-1].append(at)
                found[at] = inf
            case CommitOp():
                groups.append([])
            case WaitOp():
                committed = groups[:-1]
                for group in committed[: max(0, len(committed) - op.pending.value.data)]:
                    found |= {each: at for each in group if found[each] == inf}
            case _:
                pass
    return found


def _elements(access: Access, indices: Sequence[SSAValue], values: Mapping[SSAValue, int]) -> Iterator[Element]:
    starts = [start.eval([values[each] for each in indices], []) for start in access.box.starts]
    axes = [range(start, start + max(size, 1)) for start, size in zip(starts, access.box.sizes, strict=True)]
    yield from ((access.memory, place) for place in product(*axes))
