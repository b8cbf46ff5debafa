"""Stacks: tensors of which loops access one slice after another by their counters, such as the weights of all layers of
a scanned model. Their slices can move between memories one by one.

Values that lie in the same memory are one family: a stack, the values that loops and tasks pass it on as, its slices,
and the values that are written to its slices.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from dialects.element_types import byte_count
from dialects.graph.fused import FusedOp
from dialects.graph.indexing import DynamicSliceOp, DynamicUpdateSliceOp
from dialects.graph.op import as_tensor, shape_of
from dialects.graph.shape import SliceOp
from dialects.repeating import RepeatingOp
from dialects.task import CopyOp, OnType, ResidentOp, RunOp
from interp.walk.entry import block_of, changed_states
from interp.walk.inputs import Array
from interp.walk.views import is_counted_slice, is_part, is_reshape


class Stacks:
    """The stacks of a function, and the bytes of one slice of each."""

    def __init__(self, function: FuncOp, page: int = 1) -> None:
        """`page`: bytes below which slices do not move one by one, so that their stack is one piece."""
        self._above: dict[SSAValue, SSAValue] = {}
        slices = dict[SSAValue, int]()
        for op in function.walk():
            for one, other in _same_memory(op):
                self._join(one, other)
            if isinstance(op, DynamicSliceOp | DynamicUpdateSliceOp) and is_counted_slice(op):
                part = op.y if isinstance(op, DynamicSliceOp) else op.update
                slices[op.x] = min(bytes_of(part), slices.get(op.x, bytes_of(part)))
        last = block_of(function).last_op
        for argument, number in changed_states(function).items():
            if number is not None and isinstance(last, ReturnOp):
                self._join(argument, last.operands[number])
        self._unit: dict[SSAValue, int] = {}
        for stack, nbytes in slices.items():
            root = self._root(stack)
            self._unit[root] = min(nbytes, self._unit.get(root, nbytes))
        members = defaultdict[SSAValue, list[SSAValue]](list)
        for value in {*self._above, *slices} if slices else ():
            members[self._root(value)].append(value)
        for root, unit in list(self._unit.items()):
            if unit < page or any(bytes_of(value) % unit for value in members[root]):
                del self._unit[root]

    def has(self, value: SSAValue) -> bool:
        """True if a value is a stack, or lies in one, whose slices move one by one."""
        return self._root(value) in self._unit

    def pieces(self, value: SSAValue) -> int:
        """The number of slices of a value's memory; 1 for a value that is not part of a stack."""
        unit = self._unit.get(self._root(value), 0)
        return max(bytes_of(value) // unit, 1) if unit else 1

    def same(self, value: SSAValue, other: SSAValue) -> None:
        """Let a value that is not in the function yet have the slices of another value."""
        self._join(value, other)

    def _join(self, one: SSAValue, other: SSAValue) -> None:
        one, other = self._root(one), self._root(other)
        if one is not other:
            self._above[one] = other

    def _root(self, value: SSAValue) -> SSAValue:
        passed = list[SSAValue]()
        while (above := self._above.get(value)) is not None:
            passed.append(value)
            value = above
        self._above |= dict.fromkeys(passed, value)
        return value


def _same_memory(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Pairs of values that lie in the same memory, or one of them in a part of the other, because of an op."""
    match op:
        case RunOp() | FusedOp():
            yield from zip(op.body.block.args, op.inputs, strict=True)
            last = op.body.block.last_op
            assert last is not None
            yield from zip(op.outputs, last.operands, strict=True)
        case RepeatingOp():
            yield from zip(op.arguments, op.inputs, strict=True)
            yield from zip(op.outputs, op.arguments, strict=False)
            yield from zip(op.last.values, op.arguments, strict=False)
        case ResidentOp():
            yield op.placed, op.value
        case DynamicSliceOp() if is_counted_slice(op):
            yield op.y, op.x
        case DynamicUpdateSliceOp() if is_counted_slice(op) and (op.in_place.value.data or is_part(op)):
            yield op.y, op.x
            yield op.update, op.x
        case _ if not isinstance(op, FusedOp) and is_reshape(op):
            yield op.results[0], op.operands[0]
        case _:
            return


def slice_of(
    op: SliceOp | DynamicSliceOp | DynamicUpdateSliceOp, numbers: Mapping[SSAValue, Array]
) -> tuple[int, int] | None:
    """The bytes of `x` that a contiguous slice accesses, as (first, end). `numbers`: the present values of the counters
    of loops. None if the start depends on more than counters and constants."""
    shape = shape_of(op.x)
    if isinstance(op, SliceOp):
        begins, part = [indices.start for indices in op.ranges()], op.y
    else:
        part = op.y if isinstance(op, DynamicSliceOp) else op.update
        found = [_number(start, numbers) for start in op.starts]
        begins = [0 if each is None else int(each) for each in found]
        if any(each is None for each in found):
            return None
        sizes = zip(begins, shape, shape_of(part), strict=True)
        begins = [min(max(begin, 0), extent - size) for begin, extent, size in sizes]
    elements = int(np.prod(shape, dtype=np.int64))
    at = 0
    for begin, extent in zip(begins, shape, strict=True):
        at = at * extent + begin
    first = at * (bytes_of(op.x) // max(elements, 1))
    return first, first + bytes_of(part)


def _number(value: SSAValue, numbers: Mapping[SSAValue, Array]) -> Array | None:
    """The value of a scalar that is computed from counters and constants alone; otherwise None."""
    from interp.numerics import evaluate

    known = dict(numbers)
    waiting = [value := _source(value)]
    while waiting:
        each, owner = waiting[-1], waiting[-1].owner
        if each in known:
            waiting.pop()
            continue
        if not isinstance(owner, Operation):
            return None
        operands = [_source(operand) for operand in owner.operands]
        if missing := [operand for operand in operands if operand not in known]:
            waiting += missing
            continue
        waiting.pop()
        known |= zip(owner.results, evaluate(owner, [known[operand] for operand in operands]), strict=True)
    return known[value]


def _source(value: SSAValue) -> SSAValue:
    """The value from which a scalar comes, traced through tasks, copies, and the invariant operands of loops."""
    while True:
        owner = value.owner
        if isinstance(value, BlockArgument):
            inside = value.block.parent_op()
            if isinstance(inside, RunOp):
                value = inside.inputs[value.index]
            elif isinstance(inside, RepeatingOp) and value.index > len(inside.outputs):
                value = inside.inputs[value.index - 1]
            else:
                return value
        elif isinstance(owner, RunOp) and isinstance(value, OpResult):
            value = owner.yielded[value.index]
        elif isinstance(owner, CopyOp | ResidentOp):
            value = owner.operands[0]
        else:
            return value


def bytes_of(value: SSAValue) -> int:
    """The bytes of a tensor, placed or not; 0 for a token."""
    type_: Attribute = value.type
    if isinstance(type_, OnType):
        return byte_count(type_.tensor)
    return byte_count(as_tensor(type_)) if isinstance(type_, TensorType) else 0  # pyright: ignore[reportUnknownArgumentType]
