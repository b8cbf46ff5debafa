"""Recognition of expanded attention: softmax(q · kᵀ · scale + mask) · v.

Views and conversions between floating-point types may occur anywhere, sequences and heads may have any number of axes,
and the second product may be transposed: (vᵀ · weightsᵀ)ᵀ. A select that hides keys by a fixed number, select(mask,
scores, -1e9), becomes the mask of `graph.attention` only if the results stay the same; see `_mask_of`.
"""

from __future__ import annotations

from math import inf, isfinite, prod, sqrt
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import Float16Type
from xdsl.ir import Attribute, Operation, SSAValue

from dialects import graph as g
from dialects.element_types import is_float, tensor_type
from dialects.graph.patterns.matching import decimal, element_of, filled, keeps_type, made_by, splat, wide_element
from dialects.graph.patterns.movement import VIEWS
from dialects.graph.rules import Replacement, RuleBuilder, Table
from lowering.graph.folding import known_elements
from lowering.graph.rules.activations import about, either_way

HIDES = -3e4
"""Scores up to this value count as masked out: a score has weight 0 if another score of its row is larger by 104, since
exp(-104) is 0 in f32. Masks use -1e9, or 0.7 to 1 times the lowest number of their type, which is -65504 in f16."""
_ABSORBS = -1e30
"""A number that, added to any score below 3e22, absorbs the score in f32 and bf16, so that adding the number equals
selecting it."""


class _Scores(NamedTuple):
    """Attention scores that the ops `ops` compute: a product times a scale, with a mask, in the shape `shape`."""

    product: g.MatmulOp
    ops: tuple[Operation, ...]
    shape: tuple[int, ...]
    scale: float = 1.0
    mask: SSAValue | None = None
    fill: float | None = None
    """The score of the keys that a boolean mask hides; None if the mask is added."""
    hides: bool = False
    """True if the boolean mask is true for hidden keys, False if it is true for visible keys."""


class _Mask(NamedTuple):
    """A mask for `graph.attention`. If `absorbs`, the mask is boolean, and is to be converted to the numbers 0 and
    `_ABSORBS`."""

    value: SSAValue | None = None
    causal: bool = False
    absorbs: bool = False


def _attention(op: g.MatmulOp, new: RuleBuilder) -> Replacement:
    turned = op.transpose_b.value.data and not isinstance(_behind_views(op.a)[0].owner, g.SoftmaxOp)
    weights, v = (op.b, op.a) if turned else (op.a, op.b)
    top, views = _behind_views(weights)
    softmax, element = made_by(top, g.SoftmaxOp), element_of(op.y)
    if softmax is None or op.bias is not None or (op.transpose_a.value.data and not turned):
        return None
    rank = len(g.shape_of(softmax.x))
    whole_rows = rank > 1 and softmax.axis.value.data in (-1, rank - 1)
    found = _scores(softmax.x) if whole_rows and top.has_one_use() else None
    if found is None or found.product.bias is not None or found.product.parent is not op.parent:
        return None
    product = found.product
    q, k, v = (_in_type(value, element) for value in (product.a, product.b, v))
    lead = g.shape_of(product.a)[:-2]
    if q is None or k is None or v is None or not lead or lead != g.shape_of(product.b)[:-2]:
        return None
    if g.shape_of(op.a)[:-2] != g.shape_of(op.b)[:-2] or prod(g.shape_of(op.a)[:-2]) != prod(lead):
        return None
    length, caches, heads = found.shape[-2], prod(lead), prod(found.shape[:-2])
    depth = g.shape_of(product.a)[-2 if product.transpose_a.value.data else -1]
    batch = found.shape[0] if len(found.shape) > 3 else 1
    if 0 in (*found.shape, depth) or caches % batch or heads % caches or (mask := _mask_of(found, element)) is None:
        return None
    width = g.shape_of(op.y)[-2 if turned else -1]
    groups = caches // batch
    q = _stacked(q, product.a, (batch, groups), bool(product.transpose_a.value.data), new)
    q = _viewed(q, (batch, heads // batch, length, depth), new)
    k = _stacked(k, product.b, (batch, groups), not product.transpose_b.value.data, new)
    v_turned = not op.transpose_a.value.data if turned else bool(op.transpose_b.value.data)
    v = _stacked(v, op.a if turned else op.b, (batch, groups), v_turned, new)
    operands = [q, k, v]
    if mask.value is not None and mask.absorbs:
        ends = [new(filled(tensor_type((), element), number)) for number in (0.0, _ABSORBS)]
        operands.append(new(g.SelectOp(mask.value, *(reversed(ends) if found.hides else ends))))
    elif mask.value is not None:
        operands.append(new(g.NotOp(mask.value)) if found.hides else mask.value)
    # 0 is the op's own default.
    scale = 0.0 if about(found.scale, 1 / sqrt(depth), element) else found.scale
    y = new(g.AttentionOp(*operands, scale=scale, causal=mask.causal), *found.ops, softmax, *views)
    if turned:
        y = _viewed(y, (batch, groups, heads // caches * length, width), new)
        y = new(g.TransposeOp(y, permutation=[0, 1, 3, 2]))
    return _viewed(y, g.shape_of(op.y), new)


def _is_view(op: Operation) -> bool:
    """True if an op keeps the elements of each row of its operand together and unchanged, except for rounding."""
    if isinstance(op, g.ReshapeOp):
        return g.shape_of(op.x)[-1:] == g.shape_of(op.y)[-1:]
    if not isinstance(op, g.CastOp):
        return False
    types = element_of(op.x), element_of(op.y)
    return all(map(is_float, types)) and wide_element(types[0]) == wide_element(types[1])


def _behind_views(value: SSAValue) -> tuple[SSAValue, tuple[Operation, ...]]:
    """The value from which a chain of views and conversions computes `value`, and the ops of this chain, none of which
    has other readers."""
    ops: list[Operation] = []
    while isinstance(op := value.owner, Operation) and _is_view(op) and value.has_one_use():
        ops.append(op)
        value = op.operands[0]
    return value, tuple(ops)


def _scores(value: SSAValue, depth: int = 16) -> _Scores | None:
    """The masked and scaled product that computes `value`; None if no such product does, or if intermediate values have
    other readers."""
    op = value.owner
    if not depth or not value.has_one_use() or not isinstance(op, g.GraphOp):
        return None
    if isinstance(op, g.MatmulOp):
        return _Scores(op, (op,), g.shape_of(value))
    if _is_view(op):
        inner = _scores(op.operands[0], depth - 1)
        if inner is not None and inner.mask is None:
            inner = inner._replace(shape=g.shape_of(value))
        return inner and inner._replace(ops=(*inner.ops, op))
    for scores, other in _sides(op):
        inner = _scores(scores, depth - 1) if keeps_type(scores, value) else None
        if inner is None or inner.mask is not None:
            continue
        inner = inner._replace(ops=(*inner.ops, op), shape=g.shape_of(value))
        if isinstance(op, g.AddOp):
            return inner._replace(mask=other)
        if isinstance(op, g.SelectOp):
            if (fill := splat(op.b if scores is op.a else op.a)) is not None:
                return inner._replace(mask=other, fill=fill, hides=scores is op.b)
        elif number := decimal(other):
            scale = inner.scale * (number if isinstance(op, g.MulOp) else 1 / number)
            return inner._replace(scale=scale) if scale and isfinite(scale) else None
    return None


def _sides(op: Operation) -> tuple[tuple[SSAValue, SSAValue], ...]:
    """The ways to read an op as scores combined with another operand, as pairs (scores, other operand)."""
    if isinstance(op, g.AddOp | g.MulOp):
        return tuple(either_way(op))
    if isinstance(op, g.DivOp):
        return ((op.a, op.b),)
    return ((op.a, op.condition), (op.b, op.condition)) if isinstance(op, g.SelectOp) else ()


def _mask_of(found: _Scores, element: Attribute) -> _Mask | None:
    """The mask for `graph.attention` that gives the same results as the expanded mask of scores; None if there is none.

    For a query that sees no key, expanded attention computes nan with a mask of -inf, and equal weights with a mask of
    any other number, but `graph.attention` computes zeros. Therefore a mask that hides keys must be known at compile
    time and show each query at least one key. A run-time mask can be added if its numbers absorb the scores.
    """
    if found.mask is None:
        return _Mask()
    fits = len(found.shape) <= 4
    array = known_elements(found.mask)
    if found.fill is None:
        shows = array is not None and array.ndim > 0 and bool((array.max(-1, initial=-inf) > -inf).all())
        finite = element_of(found.mask) == element and _is_finite(found.mask)
        return _Mask(found.mask) if fits and (shows or finite) else None
    if array is not None and found.fill <= HIDES:
        queries, keys = found.shape[-2:]
        seen = np.broadcast_to(~array if found.hides else array, (*array.shape[:-2], queries, keys))
        if seen.all():
            return _Mask()
        if (seen == np.tri(queries, keys, keys - queries, dtype=np.bool_)).all() and queries <= keys:
            return _Mask(causal=True)
        if seen.any(-1).all():
            return _Mask(found.mask) if fits else None
    is_f16 = isinstance(element, Float16Type)  # its range is too small for `_ABSORBS`
    return _Mask(found.mask, absorbs=True) if fits and not is_f16 and -inf < found.fill <= _ABSORBS else None


def _is_finite(mask: SSAValue) -> bool:
    """True if an added mask is a select between two finite numbers."""
    value, _ = _behind_views(mask)
    select = made_by(value, g.SelectOp)
    ends = (splat(select.a), splat(select.b)) if select else (None,)
    return all(end is not None and isfinite(end) for end in ends)


def _in_type(value: SSAValue, element: Attribute) -> SSAValue | None:
    """A value with the same numbers as `value` in type `element`, in row-major order; None if the program has none."""
    while element_of(value) != element:
        op = value.owner
        if not isinstance(op, g.ReshapeOp | g.CastOp):
            return None
        if isinstance(op, g.CastOp) and (element_of(op.x) != element or wide_element(element) != element_of(op.y)):
            return None  # it was rounded in between
        value = op.x
    return value


def _stacked(value: SSAValue, written: SSAValue, lead: tuple[int, int], turned: bool, new: RuleBuilder) -> SSAValue:
    """`value` reshaped to four axes: the first two have the extents `lead`, the last two those of the matrices of
    `written`; then each matrix is transposed if `turned`. `written`: an operand of a product; `value`: a value with
    the same elements in the same order, in any shape."""
    stack = _viewed(value, (*lead, *g.shape_of(written)[-2:]), new)
    return new(g.TransposeOp(stack, permutation=[0, 1, 3, 2])) if turned else stack


def _viewed(value: SSAValue, shape: tuple[int, ...], new: RuleBuilder) -> SSAValue:
    kept = g.shape_of(value) == shape
    return value if kept else new(g.ReshapeOp(value, result_type=tensor_type(shape, element_of(value))))


RULES: dict[str, Table] = {
    # softmax(q · kᵀ · scale + mask) · v = attention(q, k, v, mask); then transposes and views are merged
    "attention": ((g.MatmulOp, _attention), *VIEWS)
}
