"""The ops of a thread block in the order in which it does them: loops turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr

from dialects.tile import ForOp, WhenOp

Variables: TypeAlias = "dict[SSAValue, Any]"
"""Values of loop variables: numbers, or for those of tile.blocks arrays with one number a block."""


def value_of(expression: AffineExpr, values: Sequence[Any]) -> Any:
    """The value of an index expression; an array where variables' values are arrays."""
    match expression:
        case AffineConstantExpr(value):
            return value
        case AffineDimExpr(position):
            return values[position]
        case AffineBinaryOpExpr():
            left, right = value_of(expression.lhs, values), value_of(expression.rhs, values)
            match expression.kind:
                case AffineBinaryOpKind.Add:
                    return left + right
                case AffineBinaryOpKind.Mul:
                    return left * right
                case AffineBinaryOpKind.Mod:
                    return left % right
                case AffineBinaryOpKind.FloorDiv:
                    return left // right
                case _:
                    return -(-left // right)
        case _:
            raise ValueError(f"{expression} is no index expression")


def values_of(indices: Sequence[SSAValue], variables: Mapping[SSAValue, Any]) -> list[Any]:
    """The values of an op's loop variables."""
    return [variables[index] for index in indices]


def in_order(block: Block, variables: Variables) -> Iterator[Operation]:
    """The ops of a block as they are done; `variables` is kept up to date with the loops around each."""
    for op in block.ops:
        match op:
            case ForOp():
                for value in op.values:
                    variables[op.variable] = value
                    yield from in_order(op.body.block, variables)
            case WhenOp():
                if value_of(op.zero, values_of(op.indices, variables)) == 0:
                    yield from in_order(op.body.block, variables)
            case _:
                yield op
