"""Patterns by which contractions and windowed ops absorb the ops that prepare their operands: transposes, padding,
repeated heads, flattened axes."""

from __future__ import annotations

from xdsl.ir import SSAValue

from dialects.element_types import tensor_type
from dialects.graph.contraction import ConvOp, MatmulOp
from dialects.graph.op import shape_of
from dialects.graph.patterns.matching import axes_of, element_of, is_vector, made_by, only_made_by, rebuilt
from dialects.graph.reduction import PoolOp
from dialects.graph.rules import Replacement, RuleBuilder, Table
from dialects.graph.shape import BroadcastOp, PadOp, ReshapeOp, TransposeOp


def _padded_window(op: ConvOp | PoolOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, PadOp)
    if inner is None or inner.value.value.data != _HARMLESS_PADDING.get(_kind(op)):
        return None
    low, high = axes_of(inner.low), axes_of(inner.high)
    if any((*low[:2], *high[:2])):
        return None
    spatial = len(low) - 2
    pads = axes_of(op.pads) or (0,) * (2 * spatial)
    own = [a + b for a, b in zip(pads, (*low[2:], *high[2:]), strict=True)]
    if isinstance(op, PoolOp) and (
        op.ceil.value.data or any(p >= k for p, k in zip(own, axes_of(op.kernel) * 2, strict=True))
    ):
        return None
    return new(rebuilt(op, inner.x, *op.operands[1:], pads=own), inner)


def _kind(op: ConvOp | PoolOp) -> str:
    return op.kind.data if isinstance(op, PoolOp) else "conv"


_HARMLESS_PADDING = {"conv": 0.0, "max": float("-inf")}
"""For each windowed op, the padding value that the op itself implies: a preceding pad op with this value can be merged
into the windowed op."""


def _swapped_operand(op: MatmulOp, new: RuleBuilder) -> Replacement:
    for index, word in ((0, "transpose_a"), (1, "transpose_b")):
        inner = made_by(op.operands[index], TransposeOp)
        if inner is None:
            continue
        rank = len(shape_of(inner.x))
        if axes_of(inner.permutation) != (*range(rank - 2), rank - 1, rank - 2):
            continue
        operands = list(op.operands)
        operands[index] = inner.x
        turned = not getattr(op, word).value.data
        return new(rebuilt(op, *operands, **{word: turned}), inner)
    return None


def _flat_product(op: ReshapeOp, new: RuleBuilder) -> Replacement:
    matmul = only_made_by(op.x, MatmulOp)
    inner = made_by(matmul.a, ReshapeOp) if matmul else None
    if matmul is None or inner is None or matmul.transpose_a.value.data or len(shape_of(matmul.b)) != 2:
        return None
    *leading, rows, inside = shape_of(inner.x) if len(shape_of(inner.x)) > 2 else (0, 0, 0)
    columns = shape_of(matmul.y)[-1]
    if set(leading) != {1} or shape_of(matmul.a) != (rows, inside) or shape_of(op.y) != (*leading, rows, columns):
        return None
    if matmul.bias is not None and not is_vector(matmul.bias, columns):
        return None
    return new(rebuilt(matmul, inner.x, *matmul.operands[1:]), matmul, inner)


def _shared_heads(op: MatmulOp, new: RuleBuilder) -> Replacement:
    outer = made_by(op.b, ReshapeOp)
    repeat = made_by(outer.x, BroadcastOp) if outer else None
    if outer is None or repeat is None or op.bias is not None or op.transpose_a.value.data:
        return None
    *batch, heads, rows, columns = shape_of(op.b)
    shape, a = shape_of(repeat.y), shape_of(op.a)
    if len(shape) != len(batch) + 4 or len(a) != len(batch) + 3 or list(a[:-2]) != [*batch, heads]:
        return None
    groups, times = shape[-4:-2]
    if shape != (*batch, groups, times, rows, columns) or shape_of(repeat.x) != (*batch, groups, 1, rows, columns):
        return None
    queries = _reshaped(op.a, (*batch, groups, times * a[-2], a[-1]), new)
    shared = _reshaped(repeat.x, (*batch, groups, rows, columns), new)
    return _reshaped(new(rebuilt(op, queries, shared), repeat), shape_of(op.y), new)


def _reshaped(x: SSAValue, shape: tuple[int, ...], new: RuleBuilder) -> SSAValue:
    return new(ReshapeOp(x, result_type=tensor_type(shape, element_of(x))))


RULES: Table = (
    (ConvOp, _padded_window),  # conv(pad(x, 0)) = conv(x)   with more padding
    (PoolOp, _padded_window),  # maxpool(pad(x, -inf)) = maxpool(x)      with more padding
    (MatmulOp, _swapped_operand),  # a · transpose(b) = a · b with transpose_b
    (MatmulOp, _shared_heads),  # a · repeat(b) = a's heads as rows · b
    (ReshapeOp, _flat_product),  # reshape(reshape(x) · b) = x · b        where x's leading extents are 1
)
