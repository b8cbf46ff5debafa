"""Helpers for templates: empty loops, buffers, and copies of tiles of tensors with any layout in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import IntegerAttr, MemRefType, UnitAttr, i64
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from dialects.programs.index import INDEX, Variables, bounds_of, variables_in
from dialects.tile import Access, BlocksOp, Box, BufferOp, CopyOp, ForOp, ViewOp, WhenOp, memref_of, scope_of
from dialects.tile.loops import range_of
from lowering.tile.schedule import Schedule

Index: TypeAlias = Callable[[Variables], AffineExpr]
"""Function that gives an index expression for the numbered loop variables of an op."""


def constant(value: int) -> Index:
    """Return an index that is a fixed number."""
    return lambda variables: AffineExpr.constant(value)


def times(value: SSAValue, factor: int = 1) -> Index:
    """Return a multiple of a loop variable as an index."""
    return lambda variables: variables.number(value) * factor


def plus(one: Index, other: Index) -> Index:
    """Return the sum of two indices."""
    return lambda variables: one(variables) + other(variables)


@dataclass(frozen=True)
class Operand:
    """A tensor of a kernel. `at`: its subscripts at a point of the computation, as expressions of the point's
    coordinates; `value`: the SSA value of the tensor, if the kernel is built from an op."""

    hint: str
    shape: tuple[int, ...]
    element: Attribute
    at: tuple[AffineExpr, ...]
    value: SSAValue | None = None

    @property
    def type(self) -> MemRefType[Attribute]:
        return MemRefType(self.element, self.shape)

    def over(self, coordinates: Sequence[AffineExpr]) -> Operand:
        """Return the same tensor with `coordinates` substituted for the coordinates in its subscripts."""
        at = tuple(each.replace_dims_and_symbols(coordinates, ()) for each in self.at)
        return replace(self, at=at)


@dataclass(frozen=True)
class Tile:
    """A box of a memory: an index and a size for each axis; size 0 marks an axis that is dropped."""

    memory: SSAValue
    starts: tuple[Index, ...]
    sizes: tuple[int, ...]

    @staticmethod
    def full(memory: SSAValue) -> Tile:
        """Return the box that covers all of a memory."""
        shape = memref_of(memory).get_shape()
        return Tile(memory, (constant(0),) * len(shape), tuple(shape))

    def access(self, variables: Variables) -> Access:
        """Return the access of the tile's box by an op with these loop variables; variables are added as needed."""
        return Access(self.memory, Box(tuple(start(variables) for start in self.starts), self.sizes))


@dataclass(frozen=True)
class Placed:
    """A tensor in the kernel's memory, or a view of such a tensor. `axes`: for each axis the number of the coordinate
    that indexes it; None for an axis of which only the first element is used."""

    memory: SSAValue
    axes: tuple[int | None, ...]

    def tile(self, where: Mapping[int, tuple[Index, int]]) -> Tile:
        """Return the tile at a position: `where` gives the index and the size for each coordinate, size 0 for a
        coordinate whose axis is dropped."""
        found = [(constant(0), 0) if axis is None else where[axis] for axis in self.axes]
        return Tile(self.memory, tuple(index for index, _ in found), tuple(size for _, size in found))


def placed(operand: Operand, memory: SSAValue, extents: Sequence[int], body: Block, in_order: bool = False) -> Placed:
    """Place a tensor in its kernel argument. If its subscripts are not plain coordinates, a view is added to the
    kernel's body. `extents`: the extents of all coordinates; `in_order`: True if axes must be in the order of the
    coordinates."""
    plain = [_plain(each) for each in operand.at]
    named = [each for each in plain if each is not None and each >= 0]
    if None not in plain and len(set(named)) == len(named) and not (in_order and named != sorted(named)):
        return Placed(memory, tuple(each if each is not None and each >= 0 else None for each in plain))
    used = list(dict.fromkeys(position for each in operand.at for position in variables_in(each)))
    used = sorted(used) if in_order else used
    numbers = [AffineExpr.dimension(used.index(each) if each in used else 0) for each in range(len(extents))]
    map_ = AffineMap(len(used), 0, tuple(each.replace_dims_and_symbols(numbers, ()) for each in operand.at))
    view = ViewOp(memory, map_, MemRefType(operand.element, [extents[each] for each in used]))
    view.memory.name_hint = f"{operand.hint}v"
    body.add_op(view)
    return Placed(view.memory, tuple(used))


def _plain(expression: AffineExpr) -> int | None:
    """Return the coordinate that an expression consists of, -1 for the number 0, None for anything else."""
    match expression:
        case AffineDimExpr(position):
            return position
        case AffineConstantExpr(0):
            return -1
        case _:
            return None


def arguments(operands: Sequence[Operand]) -> Block:
    """Return an empty kernel body whose arguments are these tensors."""
    body = Block(arg_types=[each.type for each in operands])
    for value, operand in zip(body.args, operands, strict=True):
        value.name_hint = operand.hint
    return body


def grid(body: Block, ranges: Mapping[str, int], schedule: Schedule, order: int = 1) -> tuple[Block, list[SSAValue]]:
    """Add a grid of thread blocks to a kernel's body; return the grid's empty block and its variables. `ranges`: the
    name of each variable and its number of values; `order`: see tile.blocks."""
    block = Block(arg_types=[INDEX] * len(ranges))
    for value, hint in zip(block.args, ranges, strict=True):
        value.name_hint = hint
    body.add_op(BlocksOp([range(count) for count in ranges.values()], schedule.warps, Region(block), order))
    return block, list[SSAValue](block.args)


def loop(block: Block, hint: str, iterations: int) -> tuple[Block, BlockArgument]:
    """Add a loop with `iterations` iterations to a block; return its empty body and its variable."""
    body = Block(arg_types=[INDEX])
    body.args[0].name_hint = hint
    block.add_op(ForOp(range(iterations), Region(body)))
    return body, body.args[0]


def shared(block: Block, hint: str, element: Attribute, shape: Sequence[int], schedule: Schedule) -> SSAValue:
    """Add a buffer of shared memory that requests the schedule's stages, padded or swizzled as the schedule
    requires.
    """
    op = BufferOp("shared", MemRefType(element, shape))
    if schedule.stages > 1:
        op.stages = IntegerAttr(schedule.stages, i64)
    if schedule.pad:
        op.pad = IntegerAttr(schedule.pad, i64)
    if schedule.swizzled:
        op.swizzled = UnitAttr()
    return _added(block, op, hint)


def registers(block: Block, hint: str, element: Attribute, shape: Sequence[int], stages: int = 1) -> SSAValue:
    """Add a buffer of registers that requests `stages` stages."""
    op = BufferOp("register", MemRefType(element, shape))
    if stages > 1:
        op.stages = IntegerAttr(stages, i64)
    return _added(block, op, hint)


def workspace(body: Block, hint: str, element: Attribute, shape: Sequence[int]) -> SSAValue:
    """Add a buffer of global memory for temporary data to the kernel."""
    return _added(body, BufferOp("global", MemRefType(element, shape)), hint)


def _added(block: Block, op: BufferOp, hint: str) -> SSAValue:
    """Add a buffer to the enclosing grid or kernel, after its other buffers."""
    while isinstance(around := block.parent_op(), ForOp | WhenOp):
        parent = around.parent_block()
        assert parent is not None
        block = parent
    before = next((each for each in block.ops if not isinstance(each, BufferOp | ViewOp)), None)
    if before is None:
        block.add_op(op)
    else:
        block.insert_op_before(op, before)
    op.memory.name_hint = hint
    return op.memory


def when(block: Block, zero: Index) -> Block:
    """Add a condition to a block, true where an index is 0; return its empty body."""
    variables = Variables()
    expression = zero(variables)
    body = Block()
    block.add_op(WhenOp(expression, variables.values, Region(body)))
    return body


def unravelled(number: AffineExpr, extents: Sequence[int]) -> list[AffineExpr]:
    """Return the subscripts of the element with this number in a row-major array of these extents; the first subscript
    is not bounded by its extent.
    """
    if prod(extents) == 1:
        return [*(AffineExpr.constant(0) for _ in extents[1:]), number]
    found: list[AffineExpr] = []
    first = True
    for position, extent in enumerate(extents):
        if extent == 1:
            found.append(AffineExpr.constant(0))
            continue
        behind = prod(extents[position + 1 :])
        each = number // behind if behind > 1 else number
        found.append(each if first else each % extent)
        first = False
    return found


def copy(block: Block, source: Tile, target: Tile, asynchronous: bool = False) -> CopyOp:
    """Add a copy to a block, padded where a box may exceed its memory."""
    variables = Variables()
    accesses = source.access(variables), target.access(variables)
    padded = any(_exceeds(each, variables) for each in accesses)
    op = CopyOp(*accesses, variables.values, asynchronous, padded)
    block.add_op(op)
    return op


def _exceeds(access: Access, variables: Variables) -> bool:
    """Return True if the memory is global and a box may exceed it."""
    if scope_of(access.memory) != "global":
        return False
    if isinstance(access.memory.owner, ViewOp) and access.memory.owner.exceeds:
        return True
    ranges = [range_of(value) for value in variables.values]
    for start, size, extent in zip(
        access.box.starts, access.box.sizes, memref_of(access.memory).get_shape(), strict=True
    ):
        low, high = bounds_of(start, ranges)
        if low < 0 or high + max(size, 1) > extent:
            return True
    return False
