"""Attention that is written out: softmax(q · kᵀ · scale + mask) · v.

A query whose mask hides all keys gives nan when written out, but zeros by `graph.attention`: the mask must be known.
"""

from __future__ import annotations

from math import inf, sqrt

from xdsl.ir import Operation, SSAValue

from dialects import graph as g
from dialects.graph.patterns.matching import decimal, element_of, numbers, only_made_by
from dialects.graph.rules import Replacement, RuleBuilder, Table
from lowering.graph.rules.activations import about, either_way


def _attention(op: g.MatmulOp, new: RuleBuilder) -> Replacement:
    softmax = only_made_by(op.a, g.SoftmaxOp)
    if softmax is None or op.bias is not None or op.transpose_a.value.data or op.transpose_b.value.data:
        return None
    if len(g.shape_of(op.y)) != 4 or softmax.axis.value.data not in (-1, 3):
        return None
    scores, mask, ops = _without_mask(softmax.x)
    scores, scale, scaling = _without_scale(scores)
    product = only_made_by(scores, g.MatmulOp)
    if mask is not None and not _shows_a_key(mask):
        return None
    if product is None or product.bias is not None or product.transpose_a.value.data:
        return None
    q, k, v = product.a, product.b, op.b
    shapes = g.shape_of(q), g.shape_of(k), g.shape_of(v)
    if any(len(shape) != 4 or shape[:2] != shapes[0][:2] for shape in shapes):
        return None
    if not product.transpose_b.value.data:
        k = new(g.TransposeOp(k, permutation=[0, 1, 3, 2]), product)
    if about(scale, 1 / sqrt(shapes[0][3]), element_of(q)):
        scale = 0.0  # the op's own default
    operands = (q, k, v) if mask is None else (q, k, v, mask)
    return new(g.AttentionOp(*operands, scale=scale), product, *scaling, *ops, softmax)


def _shows_a_key(mask: SSAValue) -> bool:
    """Whether a mask is known to leave every query a key."""
    array = numbers(mask)
    return array is not None and array.ndim > 0 and bool((array.max(-1, initial=-inf) > -inf).all())


def _without_mask(value: SSAValue) -> tuple[SSAValue, SSAValue | None, tuple[Operation, ...]]:
    """(scores, mask, ops), where `value` is scores + mask."""
    add = only_made_by(value, g.AddOp)
    for scores, mask in either_way(add) if add else ():
        made = scores.owner
        if add and isinstance(made, g.MatmulOp | g.MulOp) and scores.type == add.y.type:
            return scores, mask, (add,)
    return value, None, ()


def _without_scale(value: SSAValue) -> tuple[SSAValue, float, tuple[Operation, ...]]:
    """(scores, scale, ops), where `value` is scores · scale."""
    mul = only_made_by(value, g.MulOp)
    for scores, number in either_way(mul) if mul else ():
        if mul and (scale := decimal(number)) and scores.type == mul.y.type:
            return scores, scale, (mul,)
    return value, 1.0, ()


RULES: dict[str, Table] = {
    "attention": ((g.MatmulOp, _attention),)  # softmax(q · kᵀ · scale + mask) · v = attention(q, k, v, mask)
}
