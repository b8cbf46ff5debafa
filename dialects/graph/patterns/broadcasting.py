"""Patterns that move broadcasts after other ops, so that repeated elements are computed once, and that merge them into
ops that broadcast implicitly."""

from __future__ import annotations

from xdsl.ir import SSAValue

from dialects.element_types import tensor_type
from dialects.graph.binary import BINARY_OPS, BinaryOp, SelectOp
from dialects.graph.broadcasting import broadcast_shapes
from dialects.graph.op import shape_of
from dialects.graph.patterns.matching import element_of, filled, keeps_type, made_by, rebuilt, splat
from dialects.graph.rules import Replacement, RuleBuilder, Table
from dialects.graph.shape import BroadcastOp, ReshapeOp
from dialects.graph.unary import UNARY_OPS, CastOp, NotOp, UnaryOp


def _same_shape(op: BroadcastOp, new: RuleBuilder) -> Replacement:
    return op.x if keeps_type(op.x, op.y) else None


def _twice(op: BroadcastOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, BroadcastOp)
    return new(BroadcastOp(inner.x, result_type=op.y.type), inner) if inner else None


def _of_unit_axes(op: BroadcastOp, new: RuleBuilder) -> Replacement:
    shape, added = shape_of(op.y), len(shape_of(op.y)) - len(shape_of(op.x))
    return new(ReshapeOp(op.x, result_type=op.y.type)) if shape == (1,) * added + shape_of(op.x) else None


def _of_reshape(op: BroadcastOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, ReshapeOp)
    if inner is None:
        return None
    added = len(shape_of(op.x)) - len(shape_of(inner.x))
    only_leading = shape_of(op.x) == (1,) * added + shape_of(inner.x)
    return new(BroadcastOp(inner.x, result_type=op.y.type), inner) if only_leading else None


def _stretched_anyway(op: BinaryOp | SelectOp, new: RuleBuilder) -> Replacement:
    operands = list(op.operands)
    for index, operand in enumerate(operands):
        inner = made_by(operand, BroadcastOp)
        if inner is None:
            continue
        shapes = [shape_of(inner.x) if i == index else shape_of(other) for i, other in enumerate(operands)]
        if broadcast_shapes(*shapes) == shape_of(op.results[0]):
            operands[index] = inner.x
            return new(rebuilt(op, *operands), inner)
    return None


def _stretched_later(op: BinaryOp | SelectOp | UnaryOp | NotOp | CastOp, new: RuleBuilder) -> Replacement:
    operands = list(op.operands)
    places = [index for index, operand in enumerate(operands) if isinstance(operand.owner, BroadcastOp)]
    if len(places) != 1 or any(splat(value) is None for i, value in enumerate(operands) if i != places[0]):
        return None
    inner = operands[places[0]].owner
    assert isinstance(inner, BroadcastOp)
    if shape_of(inner.y) != shape_of(op.results[0]) or not inner.y.has_one_use():
        return None
    operands = [inner.x if index == places[0] else _scalar(operand, new) for index, operand in enumerate(operands)]
    if isinstance(op, CastOp):
        small = new(CastOp(inner.x, result_type=tensor_type(shape_of(inner.x), element_of(op.y))), inner)
    else:
        small = new(rebuilt(op, *operands), inner)
    return new(BroadcastOp(small, result_type=op.results[0].type), inner)


def _scalar_suffices(op: BinaryOp | SelectOp, new: RuleBuilder) -> Replacement:
    operands = list(op.operands)
    for index, operand in enumerate(operands):
        if shape_of(operand) == () or splat(operand) is None:
            continue
        others = [shape_of(other) for i, other in enumerate(operands) if i != index]
        if broadcast_shapes(*others) == shape_of(op.results[0]):
            operands[index] = _scalar(operand, new)
            return new(rebuilt(op, *operands))
    return None


def _scalar(constant: SSAValue, new: RuleBuilder) -> SSAValue:
    """A scalar constant with the element of a splat constant."""
    if shape_of(constant) == ():
        return constant
    return new(filled(tensor_type((), element_of(constant)), splat(constant) or 0))


_ONE = (NotOp, CastOp, *(op_class for op_class in UNARY_OPS if issubclass(op_class, UnaryOp)))

RULES: Table = (
    (BroadcastOp, _same_shape),  # broadcast(x) = x                  to x's own shape
    (BroadcastOp, _of_unit_axes),  # broadcast(x) = reshape(x)          where only leading 1s are added
    (BroadcastOp, _twice),  # broadcast(broadcast(x)) = broadcast(x)
    (BroadcastOp, _of_reshape),  # broadcast(reshape(x)) = broadcast(x)        where the reshape only adds leading 1s
    (BINARY_OPS, _scalar_suffices),  # x + [2, 2, 2] = x + 2
    (BINARY_OPS, _stretched_anyway),  # broadcast(a) + b = a + b            where b stretches it to the same shape
    ((*BINARY_OPS, *_ONE), _stretched_later),  # f(broadcast(x), 2) = broadcast(f(x, 2))
)
