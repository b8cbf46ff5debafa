"""Epilogues of kernels: ops that are applied to sums while these are in registers (biases, activations, residuals,
conversions), and the results that are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from dialects import graph as g
from dialects.programs.index import Variables
from dialects.tile import ReadOp, WriteOp
from lowering.tile.building import Index, Operand, Placed, Tile, constant, copy, loop, plus, registers, times

Compute: TypeAlias = Callable[[Block, SSAValue, Sequence[SSAValue]], Sequence[SSAValue]]
"""Function that adds ops to a block, on a tile of sums and on tiles of other tensors, and returns the tiles
to write.
"""


class Unfit(ValueError):
    """Error: no template fits an op; the message gives the reason."""


@dataclass(frozen=True)
class Epilogue:
    """Ops applied to sums: the tensors that the ops read, the tensors that they write, and a function that adds them to
    a block. Without ops, the sums are written unchanged, rounded to the result's type."""

    operands: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    compute: Compute | None = None

    def write(
        self,
        block: Block,
        total: SSAValue,
        memories: Sequence[Placed],
        where: Mapping[int, tuple[Index, int]],
        row: int,
        chunk: int,
    ) -> None:
        """Add the epilogue of a tile of sums to a block. `memories`: the memories of operands, then of outputs;
        `where`: position of the tile; `row`: number of the row's coordinate (the column's is the next number);
        `chunk`: rows that are processed at a time if an operand has both the rows and the columns of the result."""
        if self.compute is None:
            copy(block, Tile.full(total), memories[0].tile(where))
            return
        rows, columns = where[row][1], where[row + 1][1]
        read, written = memories[: len(self.operands)], memories[len(self.operands) :]
        in_parts = any({row, row + 1} <= {*each.axes} for each in read) and chunk < rows and rows % chunk == 0
        size = chunk if in_parts else rows
        shapes = [
            tuple(size if at in each.axes else 1 for at, size in ((row, size), (row + 1, columns))) for each in read
        ]
        buffers = [
            registers(block, f"{operand.hint}f", operand.element, shape)
            for operand, shape in zip(self.operands, shapes, strict=True)
        ]
        first: Index = constant(0)
        if in_parts:
            block, r = loop(block, "r", rows // chunk)
            first = times(r, chunk)
            where = dict(where) | {row: (plus(where[row][0], first), chunk)}
        part = Tile(total, (first, constant(0)), (size, columns))
        value = _read(block, part)
        others: list[SSAValue] = []
        for each, buffer in zip(read, buffers, strict=True):
            sizes = tuple(size if at in each.axes else 0 for at, size in ((row, size), (row + 1, columns)))
            copy(block, each.tile(where), Tile(buffer, (constant(0), constant(0)), sizes))
            others.append(_read(block, Tile.full(buffer)))
        for result, target in zip(self.compute(block, value, others), written, strict=True):
            variables = Variables()
            block.add_op(WriteOp(result, part.access(variables), variables.values))
            copy(block, part, target.tile(where))


def _read(block: Block, tile: Tile) -> SSAValue:
    variables = Variables()
    op = ReadOp(tile.access(variables), variables.values)
    block.add_op(op)
    return op.value


def cast_to(block: Block, value: SSAValue, element: Attribute) -> SSAValue:
    """Convert a tensor to another element type."""
    type_ = g.tensor_of(value)
    if type_.element_type == element:
        return value
    return added(block, g.CastOp(value, result_type=TensorType(element, type_.get_shape())))


def added(block: Block, op: Operation) -> SSAValue:
    """Add an op to a block; return its result."""
    block.add_op(op)
    return op.results[0]


def along(shape: Sequence[int], result: Sequence[int], at: Sequence[AffineExpr]) -> tuple[AffineExpr, ...]:
    """Return the subscripts of a tensor that broadcasts to the result; `at`: subscripts of the result."""
    ends = zip(shape, result[len(result) - len(shape) :], at[len(at) - len(shape) :], strict=True)
    return tuple(AffineExpr.constant(0) if extent != full or full == 1 else each for extent, full, each in ends)


@dataclass
class EpilogueBuilder:
    """Collector of the tensors that the ops after a contraction read, with their subscripts."""

    shape: tuple[int, ...]
    at: tuple[AffineExpr, ...]
    operands: list[Operand] = field(default_factory=list[Operand])
    known: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])

    def operand(self, value: SSAValue, hint: str) -> int:
        """Add a tensor that the ops read, and return its number; its shape must broadcast to the result's. Raises Unfit
        if it does not."""
        if value not in self.known:
            type_ = g.tensor_of(value)
            shape = tuple(type_.get_shape())
            if len(shape) > len(self.shape) or any(
                extent not in (1, full) for extent, full in zip(shape[::-1], self.shape[::-1], strict=False)
            ):
                raise Unfit(f"{type_} does not broadcast to the contraction's result")
            self.known[value] = len(self.operands)
            self.operands.append(Operand(hint, shape, type_.element_type, along(shape, self.shape, self.at), value))
        return self.known[value]

    def output(self, hint: str, element: Attribute) -> Operand:
        """Add an output with the contraction's shape, and return it."""
        return Operand(hint, self.shape, element, self.at)


def epilogue_of(
    op: g.MatmulOp | g.ConvOp, around: g.FusedOp | None, shape: Sequence[int], at: Sequence[AffineExpr]
) -> Epilogue:
    """Return the epilogue of a contraction, alone or in a kernel of several ops: its bias and elementwise ops.

    `shape`: the shape of the result; `at`: its subscripts. Each op rounds once, as the program specifies. Raises Unfit
    for ops that can't be applied to a tile.
    """
    element = g.tensor_of(op.results[0]).element_type
    found = EpilogueBuilder(tuple(shape), tuple(at))
    bias = None
    if op.bias is not None:
        bias = _bias(op, found)
    after = [] if around is None else [each for each in around.ops if each is not op]
    yielded = [op.results[0]] if around is None else list(around.yielded)
    for each in after:
        _check(each, op, found)
    for number, each in enumerate(after):
        for value in each.operands:
            if isinstance(value, BlockArgument):
                found.operand(value, f"x{number}")
    for value in yielded:
        if tuple(g.tensor_of(value).get_shape()) != found.shape:
            raise Unfit(f"a result of {g.tensor_of(value)} does not have the contraction's shape")
        if isinstance(value, BlockArgument):
            raise Unfit("the group returns one of its operands unchanged")
    outputs = [
        found.output("c" if len(yielded) == 1 else f"c{n}", g.tensor_of(value).element_type)
        for n, value in enumerate(yielded)
    ]
    if bias is None and not after:
        return Epilogue((), tuple(outputs))

    def compute(block: Block, sums: SSAValue, others: Sequence[SSAValue]) -> list[SSAValue]:
        if bias is not None:
            sums = added(block, g.AddOp(sums, cast_to(block, others[bias], g.tensor_of(sums).element_type)))
        values: dict[SSAValue, SSAValue] = {value: others[number] for value, number in found.known.items()}
        values[op.results[0]] = cast_to(block, sums, element)
        for each in after:
            values[each.results[0]] = _on_tiles(each, block, values)
        return [values[value] for value in yielded]

    return Epilogue(tuple(found.operands), tuple(outputs), compute)


def _bias(op: g.MatmulOp | g.ConvOp, found: EpilogueBuilder) -> int:
    assert op.bias is not None
    if isinstance(op, g.MatmulOp):
        return found.operand(op.bias, "bias")
    # The bias of a convolution goes along its channels, the second axis of the result.
    type_ = g.tensor_of(op.bias)
    found.operands.append(Operand("bias", tuple(type_.get_shape()), type_.element_type, (found.at[1],), op.bias))
    return len(found.operands) - 1


def _check(op: Operation, anchor: Operation, found: EpilogueBuilder) -> None:
    """Raise Unfit for an op that can't be applied to a tile of sums."""
    if isinstance(op, g.ConstantOp):
        if any(extent != 1 for extent in g.tensor_of(op.results[0]).get_shape()):
            raise Unfit(f"a constant of {op.results[0].type} has several elements; pass it as an operand of the group")
        return
    if not isinstance(op, g.GraphOp) or not op.FUSION.is_pointwise:
        raise Unfit(f"{op.name} does not work element by element")
    shape = tuple(g.tensor_of(op.results[0]).get_shape())
    if len(shape) > len(found.shape) or any(
        extent not in (1, full) for extent, full in zip(shape[::-1], found.shape[::-1], strict=False)
    ):
        raise Unfit(f"the result of {op.name}, {op.results[0].type}, does not broadcast to the contraction's")


def _on_tiles(op: Operation, block: Block, values: Mapping[SSAValue, SSAValue]) -> SSAValue:
    """Clone an op to work on tiles."""
    if isinstance(op, g.ConstantOp):
        type_ = g.tensor_of(op.results[0])
        return added(block, op.clone()) if not type_.get_shape() else _number(op, block)
    assert isinstance(op, g.GraphOp)
    operands = [values[value] for value in op.operands]
    element = g.tensor_of(op.results[0]).element_type
    if op.EXPLICIT_RESULT:
        shape = g.tensor_of(operands[0]).get_shape()
        return added(block, type(op)(*operands, result_type=TensorType(element, shape), **op.properties))
    return added(block, type(op)(*operands, **op.properties))


def _number(op: g.ConstantOp, block: Block) -> SSAValue:
    """Add a constant of one element as a scalar, and return it."""
    whole = added(block, op.clone())
    element = g.tensor_of(whole).element_type
    return added(block, g.ReshapeOp(whole, result_type=TensorType(element, ())))


UNARY: Mapping[str, type[g.GraphOp]] = {
    each.name.removeprefix("graph."): each
    for each in cast(Sequence[type[g.GraphOp]], g.UNARY_OPS)
    if each.FUSION.is_pointwise and each is not g.CastOp
}
BINARY: Mapping[str, type[g.GraphOp]] = {
    each.name.removeprefix("graph."): each for each in (g.AddOp, g.SubOp, g.MulOp, g.DivOp, g.MinOp, g.MaxOp)
}


def named_epilogue(
    names: Sequence[str], shape: Sequence[int], at: Sequence[AffineExpr], element: Attribute, column: AffineExpr
) -> Epilogue:
    """Return the epilogue of a problem. `bias` adds a vector along columns to the sums; names of binary ops take
    another tensor of the result's shape and type; names of unary ops take none. Raises Unfit for other names.
    """
    found = EpilogueBuilder(tuple(shape), tuple(at))
    numbers: list[int | None] = []
    for position, name in enumerate(names):
        if name == "bias" and position == 0:
            numbers.append(len(found.operands))
            found.operands.append(Operand("bias", (shape[-1],), element, (column,)))
        elif name in BINARY:
            numbers.append(len(found.operands))
            found.operands.append(Operand(f"x{position}", tuple(shape), element, tuple(at)))
        elif name in UNARY:
            numbers.append(None)
        else:
            known = ", ".join(["bias (first)", *sorted({*BINARY, *UNARY})])
            raise Unfit(f"there is no epilogue {name}; use one of {known}")
    outputs = (found.output("c", element),)
    if not names:
        return Epilogue((), outputs)

    def compute(block: Block, sums: SSAValue, others: Sequence[SSAValue]) -> list[SSAValue]:
        value = sums
        for position, (name, number) in enumerate(zip(names, numbers, strict=True)):
            if name == "bias":
                assert number is not None
                bias = cast_to(block, others[number], g.tensor_of(sums).element_type)
                value = cast_to(block, added(block, g.AddOp(sums, bias)), element)
                continue
            value = cast_to(block, value, element) if position == 0 else value
            value = added(block, UNARY[name](value) if number is None else BINARY[name](value, others[number]))
        return [value]

    return Epilogue(tuple(found.operands), outputs, compute)
