"""Patterns for factors and offsets per channel: batch norms and scales by constants are folded into the preceding
weights.

Values computed from weights alone are prepared ahead of time, so they cost nothing at run time; f16 and bf16 weights
are scaled in f32 and rounded once.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from dialects.element_types import tensor_type
from dialects.graph.binary import AddOp, DivOp, MulOp, SubOp
from dialects.graph.contraction import ConvOp, MatmulOp
from dialects.graph.op import Tensor, shape_of
from dialects.graph.patterns.matching import (
    element_of,
    filled,
    is_ahead_of_time,
    is_vector,
    only_made_by,
    rebuilt,
    splat,
    wide_element,
)
from dialects.graph.reduction import BatchNormOp
from dialects.graph.rules import Replacement, RuleBuilder, Table
from dialects.graph.shape import BroadcastOp, ReshapeOp
from dialects.graph.unary import CastOp, SqrtOp


def _batch_norm_after(op: BatchNormOp, new: RuleBuilder) -> Replacement:
    if not all(map(is_ahead_of_time, op.operands[1:])):
        return None
    if conv := only_made_by(op.x, ConvOp):
        return _scaled_conv(conv, *_factor_and_offset(op, new), new) if is_ahead_of_time(conv.w) else None
    matmul = only_made_by(op.x, MatmulOp)
    if matmul and len(shape_of(op.x)) == 2 and is_ahead_of_time(matmul.b):
        return _scaled_matmul(matmul, *_factor_and_offset(op, new), new)
    return None


def _factor_and_offset(op: BatchNormOp, new: RuleBuilder) -> tuple[SSAValue, SSAValue]:
    """Factor and summand per channel of a batch norm, both [C], in at least f32."""
    scale, bias, mean, variance = (_widened(value, new) for value in op.operands[1:])
    epsilon = new(filled(tensor_type((), element_of(variance)), op.epsilon.value.data))
    factor = new(DivOp(scale, new(SqrtOp(new(AddOp(variance, epsilon))))))
    return factor, new(SubOp(bias, new(MulOp(mean, factor))))


def _scaled_conv(conv: ConvOp, factor: SSAValue, offset: SSAValue | None, new: RuleBuilder) -> SSAValue:
    """The convolution that equals conv(x, w, b) · factor + offset: conv(x, w · factor, b · factor + offset)."""
    w = _widened(conv.w, new)
    column = (*shape_of(factor), *(1 for _ in shape_of(w)[1:]))
    w = new(MulOp(w, _reshaped(factor, column, new)), conv)
    bias = _moved_bias(conv.bias, factor, offset, new)
    return new(rebuilt(conv, conv.x, _narrowed(w, conv.w, new), *bias), conv)


def _scaled_matmul(matmul: MatmulOp, factor: SSAValue, offset: SSAValue | None, new: RuleBuilder) -> SSAValue:
    """The product that equals (a · b + c) · factor + offset: a · (b · factor) + (c · factor + offset)."""
    b = _widened(matmul.b, new)
    along = (*shape_of(factor), 1) if matmul.transpose_b.value.data else shape_of(factor)
    b = new(MulOp(b, _reshaped(factor, along, new)), matmul)
    bias = _moved_bias(matmul.bias, factor, offset, new)
    return new(rebuilt(matmul, matmul.a, _narrowed(b, matmul.b, new), *bias), matmul)


def _moved_bias(bias: SSAValue | None, factor: SSAValue, offset: SSAValue | None, new: RuleBuilder) -> list[SSAValue]:
    if bias is None:
        return [] if offset is None else [_narrowed(offset, new.op.results[0], new)]
    moved = new(MulOp(_widened(bias, new), factor))
    if offset is not None:
        moved = new(AddOp(moved, offset))
    return [_narrowed(moved, bias, new)]


def _scale_after(op: MulOp, new: RuleBuilder) -> Replacement:
    for x, other in ((op.a, op.b), (op.b, op.a)):
        conv, norm = only_made_by(x, ConvOp), only_made_by(x, BatchNormOp)
        if not (conv or norm) or x.type != op.y.type or not is_ahead_of_time(other):
            continue
        if conv and is_ahead_of_time(conv.w) and (factor := _by_channel(other, x, new)):
            return _scaled_conv(conv, _widened(factor, new), None, new)
        if norm and all(map(is_ahead_of_time, norm.operands[1:])) and (factor := _by_channel(other, x, new)):
            scale, bias = new(MulOp(norm.scale, factor)), new(MulOp(norm.bias, factor))
            return new(BatchNormOp(norm.x, scale, bias, norm.mean, norm.variance, epsilon=norm.epsilon), norm)
    return None


def _offset_after(op: AddOp, new: RuleBuilder) -> Replacement:
    for x, other in ((op.a, op.b), (op.b, op.a)):
        norm = only_made_by(x, BatchNormOp)
        if norm is None or x.type != op.y.type or not all(map(is_ahead_of_time, (*norm.operands[1:], other))):
            continue
        if offset := _by_channel(other, x, new):
            bias = new(AddOp(norm.bias, offset))
            return new(BatchNormOp(norm.x, norm.scale, bias, norm.mean, norm.variance, epsilon=norm.epsilon), norm)
    return None


def _by_channel(value: SSAValue, x: SSAValue, new: RuleBuilder) -> SSAValue | None:
    """`value`, which broadcasts against x [N, C, …], as [C], if it varies only along the channels; else None."""
    channels = (shape_of(x)[1],)
    if splat(value) is not None:
        return new(filled(tensor_type(channels, element_of(value)), splat(value) or 0.0))
    if is_vector(value, channels[0], 1 - len(shape_of(x))):
        return _reshaped(value, channels, new)
    if is_vector(value, 1) or shape_of(value) == ():
        one = _reshaped(value, (1,), new)
        return one if channels == (1,) else new(BroadcastOp(one, result_type=tensor_type(channels, element_of(value))))
    return None


def _reshaped(value: SSAValue, shape: tuple[int, ...], new: RuleBuilder) -> SSAValue:
    return (
        value if shape_of(value) == shape else new(ReshapeOp(value, result_type=tensor_type(shape, element_of(value))))
    )


def _cast(value: SSAValue, type_: Tensor, new: RuleBuilder) -> SSAValue:
    return value if value.type == type_ else new(CastOp(value, result_type=type_))


def _widened(value: SSAValue, new: RuleBuilder) -> SSAValue:
    return _cast(value, tensor_type(shape_of(value), wide_element(element_of(value))), new)


def _narrowed(value: SSAValue, like: SSAValue, new: RuleBuilder) -> SSAValue:
    return _cast(value, tensor_type(shape_of(value), element_of(like)), new)


RULES: Table = (
    (
        BatchNormOp,
        _batch_norm_after,
    ),  # batch_norm(conv(x, w, b)) = conv(x, w · f, b · f + o)     f = scale / √(variance + ε)
    (
        MulOp,
        _scale_after,
    ),  # conv(x, w, b) · c = conv(x, w · c, b · c), the same for batch_norm     c a number a channel
    (AddOp, _offset_after),  # batch_norm(x, …, b) + c = batch_norm(x, …, b + c)
)
