"""Recognition of expanded attention: softmax(q · kᵀ · scale + mask) · v.

Recognition is by structure. Views, broadcasts and conversions between floating-point types may occur anywhere, and
sequences and heads may have any number of axes in any order (order.py follows the elements); scales may be applied to
queries, keys or scores; heads that share keys may read broadcast keys. What hides keys becomes a mask, or properties of
`graph.attention`, only if the results stay the same (masks.py). Weights that are nan, for a query that sees no key, may
be replaced by 0, as PyTorch's exporters do.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, prod, sqrt
from typing import NamedTuple

from xdsl.ir import Attribute, Operation, SSAValue

from dialects import graph as g
from dialects.element_types import I1, is_float, tensor_type
from dialects.graph.patterns.matching import (
    decimal,
    element_of,
    filled,
    keeps_type,
    made_by,
    splat,
    wide_element,
    widens,
)
from dialects.graph.patterns.movement import VIEWS
from dialects.graph.rules import Replacement, RuleBuilder, Table
from lowering.graph.rules.activations import Exponentials, about, either_way, exponentials, reduced_rows
from lowering.graph.rules.masks import HIDES as HIDES
from lowering.graph.rules.masks import Frame, Limits, Mask, limits_of, operands_of
from lowering.graph.rules.order import (
    Axes,
    Axis,
    Digit,
    Piece,
    arranged,
    extent_of,
    follow,
    followed,
    is_reshape,
    merged,
    moved,
    pieces,
    row_major,
    stretched,
    together,
)

_OPS = 24
"""Ops, at most, between two products of an attention, and before each operand of one."""

_NO_PRODUCT = "the scores are no product"


class Scores(NamedTuple):
    """Attention scores that the ops `ops` compute. `axes`: in the index space of the product's result."""

    product: g.MatmulOp
    ops: tuple[Operation, ...]
    axes: Axes
    scale: float = 1.0
    before_cap: float | None = None
    """The scale inside of a tanh, which bounds the scores; None without one."""
    masks: tuple[Mask, ...] = ()


class Weights(NamedTuple):
    """Attention weights, the softmax of scores. `axes`: in the index space of the softmax."""

    softmax: g.SoftmaxOp
    ops: tuple[Operation, ...]
    axes: Axes
    guarded: bool = False
    """True if weights that are nan are replaced by 0."""
    factor: float = 1.0
    """A constant by which the weights are multiplied."""


class Operand(NamedTuple):
    """A factor of a product: `value` times `scale`. `axes`: those of the factor in the index space of `value`."""

    value: SSAValue
    axes: Axes
    scale: float = 1.0


class Part(NamedTuple):
    """An operand of an attention, and the relation of the scores' index space to that of its value. `inner`: the axis
    that scores do not have."""

    value: SSAValue
    relation: list[Piece]
    inner: Axis
    scale: float = 1.0

    def axes(self, *outer: Axis) -> Axes | None:
        """The axes of the operand of an attention: `outer`, which are in the scores' index space, and the inner one."""
        found = followed(outer, self.relation)
        return None if found is None else (*found, self.inner)


class Found(NamedTuple):
    """An expanded attention."""

    ops: tuple[Operation, ...]
    q: Part
    k: Part
    v: Part
    frame: Frame
    groups: Axis
    """The heads of keys and values: the first digits of the axis of heads."""
    scale: float
    softcap: float
    limits: Limits
    result: Axes
    """The axes of the second product's result, in the index space of the attention's result."""
    factor: float = 1.0
    """A constant by which the result is multiplied."""


def attention_at(op: g.MatmulOp, new: RuleBuilder) -> Replacement:
    found = found_at(op)
    if isinstance(found, str):
        return None
    y = arranged(new(_built(found, element_of(op.y), new), *found.ops), found.result, new)
    if found.factor == 1:
        return y
    return new(g.MulOp(y, new(filled(tensor_type((), element_of(y)), found.factor))), *found.ops)


def found_at(op: g.MatmulOp) -> Found | str:
    """The attention whose second product is `op`; if there is none, the reason as part of a sentence, empty if no
    factor of the product is a softmax."""
    reason = ""
    for turned, (factor, v) in enumerate(((op.a, op.b), (op.b, op.a))):
        if (weights := _weights(factor)) is None:
            sums_rows = bool((op.transpose_b if turned else op.transpose_a).value.data) == bool(turned)
            reason = reason or (_changed(factor) if sums_rows else "")
            continue
        if op.bias is not None:
            return "the result has a bias"
        found = _found(op, weights, v, bool(turned))
        if not isinstance(found, str):
            return found
        reason = reason or found
    return reason


def _changed(value: SSAValue) -> str:
    """A reason that names an op which changes the weights of a softmax before they reach `value`; empty if there is
    none within a few ops."""
    last: g.GraphOp | None = None
    for _ in range(_OPS // 2):
        op = value.owner
        if isinstance(op, g.SoftmaxOp):
            return "" if last is None else f"the weights pass through {last.name}"
        if not isinstance(op, g.ElementwiseOp | g.ReshapeOp | g.TransposeOp | g.SliceOp) or not op.operands:
            return ""
        if not isinstance(op, g.ReshapeOp | g.TransposeOp | g.CastOp) and _times(op) is None:
            last = op
        value = op.operands[0]
        if isinstance(op, g.SelectOp):
            value = op.b if splat(op.b) is None else op.a
    return ""


def _found(op: g.MatmulOp, weights: Weights, v: SSAValue, turned: bool) -> Found | str:
    """The attention with these weights and values. `turned`: the second product is (vᵀ · weightsᵀ)ᵀ."""
    softmax, element = weights.softmax, element_of(op.y)
    scores = _scores(softmax.x)
    if isinstance(scores, str):
        return scores
    product = scores.product
    if product.parent is not op.parent:
        return "the products are in different blocks"
    if 0 in (*g.shape_of(product.y), *product.sizes, *g.shape_of(op.y)):
        return "it is empty"
    *_, m, n = g.shape_of(product.y)
    axis = softmax.axis.value.data % len(g.shape_of(softmax.x))
    keys = merged(scores.axes[axis])
    by_columns = keys == merged((Digit(n, 1),) if n > 1 else ())
    if not by_columns and keys != merged((Digit(m, n),) if m > 1 else ()):
        return "the softmax is not along keys"
    relation = pieces(row_major(g.shape_of(softmax.x)), scores.axes)
    own = None if relation is None else followed(weights.axes, relation)
    values = None if own is None else _values(op, own, v, turned, keys)
    if values is None:
        return ""  # a gradient, or not of these scores
    if (read := _other_reader({product, *scores.ops, softmax, *weights.ops}, op)) is not None:
        return f"the scores or weights are read by {read.name}, too"
    rows, v_part = values
    sides = [_side(product, side, by_columns) for side in (False, True)]
    q, k = ([part for part in found if element_of(part.value) == element] for found in sides)
    v_parts = [part for part in v_part if element_of(part.value) == element]
    if not q or not k or not v_parts:
        return f"q, k and v are not of type {element}, that of its result"
    outer = [each for number, each in enumerate(scores.axes) if number != axis]
    split = _split(outer, axis == len(outer), k[-1], v_parts[-1])
    if split is None:
        return "keys and values belong to different parts of an axis"
    batch, groups, shared, queries = split
    frame = Frame(batch, (*groups, *shared), queries, keys)
    chosen = [
        _nearest(q, frame.batch, frame.heads, frame.queries),
        _nearest(k, frame.batch, groups, keys),
        _nearest(v_parts, frame.batch, groups, keys),
    ]
    found = [each for each in chosen if each is not None]
    if len(found) < 3:
        return "an axis of q, k or v is cut where heads are not"
    masks = list(scores.masks)
    factor = found[0].scale * found[1].scale
    limits = limits_of(masks, frame, weights.guarded)
    if isinstance(limits, str):
        return limits
    result = _result(rows, frame, found[2].inner, turned)
    if result is None:
        return "the result has other axes"
    scale, cap = scores.scale, 0.0
    if scores.before_cap is not None:
        scale, cap = scores.before_cap * scores.scale, abs(scores.scale)
    scale *= factor
    if not scale or not isfinite(scale):
        return f"the scale is {scale:g}"
    depth = extent_of(found[0].inner)
    if about(scale, 1 / sqrt(depth), element):
        scale = 0.0  # the op's own default
    ops = (product, *scores.ops, softmax, *weights.ops)
    return Found(ops, found[0], found[1], found[2], frame, groups, scale, cap, limits, result, weights.factor)


def _built(found: Found, element: Attribute, new: RuleBuilder) -> g.AttentionOp:
    """The attention op."""
    frame, limits = found.frame, found.limits
    outer = ((frame.heads, frame.queries), (found.groups, frame.keys), (found.groups, frame.keys))
    operands = list[SSAValue]()
    for part, axes in zip((found.q, found.k, found.v), outer, strict=True):
        own = part.axes(frame.batch, *axes)
        assert own is not None  # checked by `_nearest`
        operands.append(arranged(part.value, own, new))
    operands += operands_of(limits, frame, element, new)
    return g.AttentionOp(
        *operands, scale=found.scale, softcap=found.softcap, causal=limits.causal, window=limits.window,
        unseen=limits.unseen,
    )  # fmt: skip


def _weights(value: SSAValue) -> Weights | None:
    """The softmax behind views, conversions and guards that compute `value`; None if there is none."""
    ops, views, guarded, factor = list[Operation](), list[Operation](), False, 1.0
    while not isinstance(op := value.owner, g.SoftmaxOp):
        if len(ops) >= _OPS:
            return None
        if isinstance(op, g.ReshapeOp | g.TransposeOp) or _converts(op):
            assert isinstance(op, Operation)
            ops.append(op)
            views.append(op)
            value = op.operands[0]
        elif isinstance(op, g.SelectOp) and (kept := _guarded(op)) is not None:
            value, guarded = kept[0], True
            ops += kept[1]
        elif isinstance(op, g.GraphOp) and (times := _times(op)) is not None and keeps_type(times[0], value):
            value, factor = times[0], factor * times[1]
            ops.append(op)
        else:
            return None
    axes: Axes | None = row_major(g.shape_of(op.y))
    for each in reversed(views):
        axes = None if axes is None else moved(each, axes)
    return None if axes is None else Weights(op, tuple(ops), axes, guarded, factor)


def _converts(op: object) -> bool:
    """True for a conversion between floating-point types that keeps the type of arithmetic."""
    if not isinstance(op, g.CastOp):
        return False
    types = element_of(op.x), element_of(op.y)
    return all(map(is_float, types)) and wide_element(types[0]) == wide_element(types[1])


def _guarded(op: g.SelectOp) -> tuple[SSAValue, list[Operation]] | None:
    """The weights of which a select replaces those that are nan by 0, and the ops of its condition; None for another
    select."""
    for weights, other, hides in ((op.b, op.a, True), (op.a, op.b, False)):
        if splat(other) == 0 and keeps_type(weights, op.y):
            ops = _nan_test(op.condition, weights, hides)
            if ops is not None:
                return weights, [op, *ops]
    return None


def _nan_test(value: SSAValue, weights: SSAValue, hides: bool) -> list[Operation] | None:
    """The ops of a condition that is true (false, unless `hides`) for weights that are nan, or in rows of which all
    scores are -inf; None if it is another condition."""
    ops = list[Operation]()
    while len(ops) < _OPS and isinstance(op := value.owner, g.GraphOp):
        ops.append(op)
        match op:
            case g.NotOp():
                hides = not hides
            case g.ReshapeOp() | g.BroadcastOp() | g.CastOp():
                pass
            case g.IsNanOp():
                return ops if hides and _same_rows(op.x, weights) else None
            case g.CompareOp() if op.a is op.b:
                fits = op.kind.data == ("ne" if hides else "eq")
                return ops if fits and _same_rows(op.a, weights) else None
            case g.CompareOp():
                return _infinite_test(op, weights, hides, ops)
            case g.ReduceOp() if op.along_rows and op.kind.data == ("min" if hides else "max"):
                pass  # all scores are -inf, or any is not
            case _:
                return None
        value = op.operands[0]
    return None


def _infinite_test(op: g.CompareOp, weights: SSAValue, hides: bool, ops: list[Operation]) -> list[Operation] | None:
    """`_nan_test` for a comparison of scores, or of their maxima, with -inf."""
    for scores, other in ((op.a, op.b), (op.b, op.a)):
        kinds = ("eq",) if hides else ("ne", "gt" if scores is op.a else "lt")
        if splat(other) != float("-inf") or op.kind.data not in kinds:
            continue
        top = made_by(scores, g.ReduceOp)
        if top is not None and top.kind.data == "max" and top.along_rows:
            ops = [*ops, top]
            scores = top.x
        elif not any(isinstance(each, g.ReduceOp) for each in ops) and g.shape_of(scores)[-1:] != (1,):
            continue
        softmax = _behind(weights).owner
        if isinstance(softmax, g.SoftmaxOp) and _behind(softmax.x) is _behind(scores):
            return ops
    return None


def _behind(value: SSAValue) -> SSAValue:
    """The value of which reshapes and conversions compute `value`."""
    while isinstance(op := value.owner, g.ReshapeOp) or _converts(op):
        assert isinstance(op, Operation)
        value = op.operands[0]
    return value


def _same_rows(value: SSAValue, weights: SSAValue) -> bool:
    """True if `value` is the weights, in any shape and type."""
    return _behind(value) is _behind(weights)


def _other_reader(ops: set[Operation], last: Operation) -> Operation | None:
    """An op outside of `ops` and other than `last` that reads the result of one of them; None if there is none."""
    for op in ops:
        for use in op.results[0].uses:
            if use.operation not in ops and use.operation is not last:
                return use.operation
    return None


def _scores(value: SSAValue, met: set[Operation] | None = None) -> Scores | str:
    """The masked and scaled product that computes `value`; if there is none, the reason as part of a sentence.
    `met`: the ops that were visited, at most `_OPS` of them."""
    met, op = set[Operation]() if met is None else met, value.owner
    if not isinstance(op, g.GraphOp) or op in met or len(met) >= _OPS:
        return _NO_PRODUCT
    met.add(op)
    if isinstance(op, g.MatmulOp):
        axes = row_major(g.shape_of(value))
        scores = Scores(op, (), axes)
        return scores if op.bias is None else _masked(scores, op.bias, axes) or "the product of its scores has a bias"
    if isinstance(op, g.ReshapeOp | g.TransposeOp) or _converts(op):
        inner = _scores(op.operands[0], met)
        if isinstance(inner, str):
            return inner
        axes = moved(op, inner.axes)
        return "a reshape cuts its axes" if axes is None else inner._replace(axes=axes, ops=(*inner.ops, op))
    reason = _NO_PRODUCT
    for scores, other in _sides(op):
        inner = _scores(scores, met) if keeps_type(scores, value) else None
        if inner is None or isinstance(inner, str):
            reason = reason if inner is None or inner == _NO_PRODUCT else inner
            continue
        after = _after(op, inner, scores, other)
        if not isinstance(after, str):
            return after._replace(ops=(*after.ops, op))
        reason = after
    return reason


def _after(op: g.GraphOp, inner: Scores, scores: SSAValue, other: SSAValue | None) -> Scores | str:
    """Scores after an element-wise op, which combines them with `other`; a reason if attention does not have this
    op."""
    match op:
        case g.NegOp():
            return _scaled(inner, -1.0)
        case g.TanhOp():
            if inner.masks or inner.before_cap is not None:
                return "a tanh follows its mask"
            return inner._replace(scale=1.0, before_cap=inner.scale)
        case _:
            assert other is not None
    if isinstance(op, g.MulOp | g.DivOp):
        number = decimal(other)
        if not number:
            return "the scores are multiplied by a tensor"
        return _scaled(inner, number if isinstance(op, g.MulOp) else 1 / number)
    if isinstance(op, g.AddOp):
        return _masked(inner, other, inner.axes) or "the mask has other axes than its scores"
    if isinstance(op, g.SubOp):
        return _masked(inner, other, inner.axes, factor=-1.0) or "the mask has other axes than its scores"
    assert isinstance(op, g.SelectOp)
    hides = scores is op.b
    fill = splat(op.a if hides else op.b)
    if fill is None:
        return "a mask replaces scores by a tensor"
    masked = _masked(inner, other, inner.axes, fill=fill, hides=hides)
    return masked or "the mask has other axes than its scores"


def _scaled(scores: Scores, factor: float) -> Scores | str:
    if not isfinite(factor) or factor == 0:
        return f"the scale is {factor:g}"
    if any(mask.fill is not None for mask in scores.masks) and factor < 0:
        return "the mask is multiplied by a negative number"
    masks = tuple(mask.scaled(factor) for mask in scores.masks)
    return scores._replace(scale=scores.scale * factor, masks=masks)


def _masked(
    scores: Scores, mask: SSAValue, axes: Axes, factor: float = 1.0, fill: float | None = None, hides: bool = False
) -> Scores | None:
    """Scores with a further mask; None if its axes are cut where those of the scores are not."""
    shape = tuple(map(extent_of, axes))
    relation = pieces(axes, stretched(row_major(g.shape_of(mask)), shape))
    if relation is None:
        return None
    return scores._replace(masks=(*scores.masks, Mask(mask, tuple(relation), fill, hides, factor)))


def _sides(op: g.GraphOp) -> tuple[tuple[SSAValue, SSAValue | None], ...]:
    """The ways to read an op as scores combined with another operand, as pairs (scores, other operand)."""
    if isinstance(op, g.AddOp | g.MulOp):
        return tuple(either_way(op))
    if isinstance(op, g.DivOp | g.SubOp):
        return ((op.a, op.b),)
    if isinstance(op, g.NegOp | g.TanhOp):
        return ((op.x, None),)
    return ((op.a, op.condition), (op.b, op.condition)) if isinstance(op, g.SelectOp) else ()


def _operands(value: SSAValue, scales: bool, rounded: bool = False) -> Iterator[Operand]:
    """A factor of a product, in all ways to read it: as it is, and as a value before views, conversions and (if
    `scales`) multiplications by constants; the nearest value first. Conversions that round count if `rounded`."""
    chain, scale = list[Operation](), 1.0
    while True:
        axes: Axes | None = row_major(g.shape_of(value))
        for each in reversed(chain):
            if axes is not None and isinstance(each, g.ReshapeOp | g.TransposeOp | g.BroadcastOp):
                axes = moved(each, axes)
        if axes is not None:
            yield Operand(value, axes, scale)
        op = value.owner
        if len(chain) == _OPS or not isinstance(op, g.GraphOp):
            return
        if isinstance(op, g.ReshapeOp | g.TransposeOp | g.BroadcastOp) or (_converts if rounded else widens)(op):
            value = op.operands[0]
        elif scales and (found := _times(op)) is not None and keeps_type(found[0], value):
            value, scale = found[0], scale * found[1]
        else:
            return
        chain.append(op)


def _times(op: g.GraphOp) -> tuple[SSAValue, float] | None:
    """A value and the constant by which an op multiplies it; None for another op."""
    if isinstance(op, g.MulOp):
        for x, other in either_way(op):
            if (number := decimal(other)) and isfinite(number):
                return x, number
    if isinstance(op, g.DivOp) and (number := decimal(op.b)) and isfinite(1 / number):
        return op.a, 1 / number
    return (op.x, -1.0) if isinstance(op, g.NegOp) else None


def _side(product: g.MatmulOp, keys: bool, by_columns: bool) -> list[Part]:
    """The queries of the first product, or its keys, in all ways to read them, the nearest value first.
    `by_columns`: scores of one query are a row of the product's result."""
    is_b = keys == by_columns
    factor, swapped = (product.b, product.transpose_b) if is_b else (product.a, product.transpose_a)
    lead, own = g.shape_of(product.y)[:-2], row_major(g.shape_of(product.y))
    (none,) = _repeated((own[-2 if is_b else -1],))
    found = list[Part]()
    for operand in _operands(factor, scales=True):
        *outer, first, second = operand.axes
        kept, inner = (first, second) if bool(swapped.value.data) == is_b else (second, first)
        both = (none, kept) if is_b else (kept, none)
        relation = pieces(own, (*stretched(tuple(outer), lead), *both))
        if relation is not None:
            found.append(Part(operand.value, relation, inner, operand.scale))
    return found


def _values(op: g.MatmulOp, own: Axes, v: SSAValue, turned: bool, keys: Axis) -> tuple[Axes, list[Part]] | None:
    """The axes of the second product's result apart from that of the values, in the scores' index space, and its
    values, in all ways to read them; None if it does not sum over keys. `own`: the axes of its weights."""
    swapped, other = (op.transpose_b, op.transpose_a) if turned else (op.transpose_a, op.transpose_b)
    *outer, first, second = own
    rows, summed = (second, first) if bool(swapped.value.data) != turned else (first, second)
    lead = g.shape_of(op.y)[:-2]
    if merged(summed) != keys or tuple(map(extent_of, outer)) != lead[len(lead) - len(outer) :]:
        return None
    if prod(lead) != prod(map(extent_of, outer)):
        return None
    outer = [()] * (len(lead) - len(outer)) + outer
    found = list[Part]()
    for operand in _operands(v, scales=False):
        *before, first, second = operand.axes
        values, width = (second, first) if bool(other.value.data) != turned else (first, second)
        relation = pieces((*outer, rows, summed), (*stretched(tuple(before), lead), *_repeated((rows,)), values))
        if relation is not None:
            found.append(Part(operand.value, relation, width))
    return (*outer, rows), found


def _split(outer: list[Axis], last: bool, k: Part, v: Part) -> tuple[Axis, Axis, Axis, Axis] | None:
    """The digits of the scores' axes without keys, as those of sequences, of heads of keys, of the query heads that
    share keys, and of queries; None if digits of keys and values have no common cuts. `last`: keys are the last axis
    of the scores."""
    cut = list[list[tuple[Digit, bool]]]()
    for axis in outer:
        ways = [follow(axis, part.relation) for part in (k, v)]
        if ways[0] is None or ways[1] is None or (both := together(axis, ways[0], ways[1])) is None:
            return None
        cut.append([(Digit(extent, at[0]), bool(at[1] or at[2])) for extent, at in both])
    repeated = [number for number, axis in enumerate(cut) if not any(read for _, read in axis)]
    queries = len(cut) - 1 if last and len(cut) - 1 in repeated else None
    if queries is None:
        queries = next((number for number in reversed(repeated) if cut[number]), None)
    batch = 0 if len(cut) > 2 and queries != 0 else None
    found: tuple[list[Digit], ...] = ([], [], [], [])
    for number, axis in enumerate(cut):
        for digit, read in axis:
            place = 3 if number == queries else 0 if number == batch else 1 if read else 2
            found[place].append(digit)
    batch_axis, groups, shared, query_axis = map(tuple, found)
    return batch_axis, groups, shared, query_axis


def _nearest(parts: list[Part], *outer: Axis) -> Part | None:
    """The way to read an operand that needs no transpose, from the nearest value, or else from the last one; None if no
    value has the axes `outer` and the inner one. Constants by which the operand is multiplied are taken out."""
    fitting = list[tuple[Part, bool]]()
    for part in parts:
        axes = part.axes(*outer)
        if axes is None:
            continue
        read = prod(digit.extent for axis in axes for digit in axis if digit.stride)
        if read == prod(g.shape_of(part.value)):
            fitting.append((part, is_reshape(axes)))
    if not fitting:
        return None
    last = fitting[-1][0]
    return next((part for part, direct in fitting if direct and part.scale == last.scale), last)


def _result(rows: Axes, frame: Frame, width: Axis, turned: bool) -> Axes | None:
    """The axes of the second product's result in the index space of the attention's result. `rows`: its axes without
    that of the values, in the scores' index space."""
    extent = extent_of(width)
    relation, stride = list[Piece](), extent
    for digit in reversed([digit for axis in (frame.batch, frame.heads, frame.queries) for digit in axis]):
        relation.append(Piece(digit.extent, digit.stride, stride))
        stride *= digit.extent
    found = followed(rows, relation)
    if found is None:
        return None
    last = (Digit(extent, 1),) if extent > 1 else ()
    return (*found[:-1], last, found[-1]) if turned else (*found, last)


def _divided(op: g.DivOp | g.MulOp, new: RuleBuilder) -> Replacement:
    """(exp(x - max x) · v) / sum of the exponentials = softmax(x) · v"""
    for value, divisor in _quotients(op):
        while _converts(cast := divisor.owner):
            assert isinstance(cast, g.CastOp)
            divisor = cast.x
        chain = list[g.GraphOp]()
        while isinstance(view := value.owner, g.ReshapeOp | g.TransposeOp) or _converts(view):
            assert isinstance(view, g.GraphOp)
            chain.append(view)
            value = view.operands[0]
        product = made_by(value, g.MatmulOp)
        if product is None or product.bias is not None or not keeps_type(op.y, chain[0].results[0] if chain else value):
            continue
        axes: Axes | None = row_major(g.shape_of(value))
        for view in reversed(chain):
            axes = None if axes is None else moved(view, axes)
        for number in (0, 1):
            found = None if axes is None else _powers(product, number, divisor, axes)
            if found is None or axes is None:
                continue
            powers, operand, ops = found
            weights = _cast(new(g.SoftmaxOp(powers.x), *powers.ops, *ops), element_of(product.a), new)
            factors = [product.a, product.b]
            factors[number] = arranged(weights, operand.axes, new)
            turns = {"transpose_a": product.transpose_a, "transpose_b": product.transpose_b}
            y = _cast(new(g.MatmulOp(*factors, **turns), product), element_of(op.y), new)
            return arranged(y, axes, new)
    return None


def _powers(
    product: g.MatmulOp, number: int, divisor: SSAValue, axes: Axes
) -> tuple[Exponentials, Operand, tuple[Operation, ...]] | None:
    """The exponentials that are operand `number` of a product, how the product reads them, and the ops of their sum;
    None if the product's result, seen with `axes`, divided by `divisor`, is no product of a softmax."""
    for operand in _operands(product.operands[number], scales=False, rounded=True):
        found = exponentials(operand.value)
        total = reduced_rows(divisor, operand.value, "sum") if found is not None else None
        last = len(g.shape_of(operand.value)) - 1
        if found is None or total is None or found.axis != last or total[0] != last:
            continue
        keys, y = g.shape_of(operand.value)[-1], row_major(g.shape_of(product.y))
        *lead, first, second = operand.axes
        swapped = bool((product.transpose_b if number else product.transpose_a).value.data)
        rows, summed = (second, first) if swapped != bool(number) else (first, second)
        (none,) = _repeated((y[-2 if number else -1],))
        outer = stretched(tuple(lead), g.shape_of(product.y)[:-2])
        relation = pieces(y, (*outer, none, rows) if number else (*outer, rows, none))
        own = None if relation is None else followed(axes, relation)
        sums = stretched(row_major(g.shape_of(divisor)), tuple(map(extent_of, axes)))
        sums = tuple(tuple(Digit(digit.extent, digit.stride * keys) for digit in axis) for axis in sums)
        fits = own is not None and list(map(merged, own)) == list(map(merged, sums))
        if fits and merged(summed) == (((Digit(keys, 1),)) if keys > 1 else ()):
            return found, operand, total[1]
    return None


def _quotients(op: g.DivOp | g.MulOp) -> list[tuple[SSAValue, SSAValue]]:
    """The ways to read an op as a quotient: numerator and divisor."""
    if isinstance(op, g.DivOp):
        return [(op.a, op.b)]
    inverses = [(a, made_by(b, g.ReciprocalOp)) for a, b in either_way(op)]
    return [(a, inverse.x) for a, inverse in inverses if inverse is not None]


def _cast(value: SSAValue, element: Attribute, new: RuleBuilder) -> SSAValue:
    kept = element_of(value) == element
    return value if kept else new(g.CastOp(value, result_type=tensor_type(g.shape_of(value), element)))


def _again(op: g.AttentionOp, new: RuleBuilder) -> Replacement:
    """Attention whose keys and values are stored once for each group of heads, and whose mask is a property where it
    can be one: as in expanded attention."""
    (batch, heads, queries, depth), keys, groups = g.shape_of(op.q), g.shape_of(op.k)[2], g.shape_of(op.k)[1]
    element = element_of(op.q)
    if 0 in (batch, heads, queries, depth, keys, g.shape_of(op.v)[3]):
        return None
    own = row_major((batch, heads, queries, keys))
    found = [_own_parts(value, own, heads // groups, value is op.q) for value in (op.q, op.k, op.v)]
    q, k, v = ([part for part in parts if element_of(part.value) == element] for parts in found)
    split = _split(list(own[:3]), True, k[-1], v[-1])
    limits = _limits_again(op, own)
    if split is None or (extent_of(split[1]) == groups and limits is None):
        return None
    frame = Frame(split[0], (*split[1], *split[2]), split[3], own[3])
    chosen = [
        _nearest(q, frame.batch, frame.heads, frame.queries),
        _nearest(k, frame.batch, split[1], frame.keys),
        _nearest(v, frame.batch, split[1], frame.keys),
    ]
    parts = [each for each in chosen if each is not None]
    if len(parts) < 3 or (limits is None and frame.heads != own[1]):
        return None
    result = _result(own[:3], frame, parts[2].inner, turned=False)
    if result is None:
        return None
    kept = Limits(bool(op.causal.value.data), op.window.value.data, op.unseen.data)
    built = Found(
        (),
        parts[0],
        parts[1],
        parts[2],
        frame,
        split[1],
        op.scale.value.data,
        op.softcap.value.data,
        limits or kept,
        result,
    )
    made = _built(built, element, new)
    if limits is None:
        made = g.AttentionOp(*made.operands, *op.limits, **op.properties)
    return arranged(new(made), result, new)


def _own_parts(value: SSAValue, own: Axes, shared: int, is_q: bool) -> list[Part]:
    """An operand of an attention, in all ways to read it, the nearest value first."""
    found = list[Part]()
    for operand in _operands(value, scales=False):
        batch, heads, rows, inner = operand.axes
        if is_q:
            axes = (batch, heads, rows, *_repeated(own[3:]))
        else:
            axes = (batch, (*heads, *((Digit(shared, 0),) if shared > 1 else ())), *_repeated(own[2:3]), rows)
        if (relation := pieces(own, axes)) is not None:
            found.append(Part(operand.value, relation, inner))
    return found


def _repeated(axes: Axes) -> Axes:
    """The axes of a value that repeats along these axes."""
    return tuple(tuple(Digit(digit.extent, 0) for digit in axis) for axis in axes)


def _limits_again(op: g.AttentionOp, own: Axes) -> Limits | None:
    """The limits of an attention with a mask, if a property or lengths can take the place of the mask or a part of
    it."""
    causal, mask = bool(op.causal.value.data), op.mask
    if mask is None or len(op.limits) > 1 or op.window.value.data or op.unseen.data == "mean":
        return None
    relation = pieces(own, stretched(row_major(g.shape_of(mask)), tuple(map(extent_of, own))))
    if relation is None:
        return None
    fill = float("-inf") if element_of(mask) == I1 else None
    frame = Frame(*own)
    limits = limits_of([Mask(mask, tuple(relation), fill)], frame, op.unseen.data == "zeros")
    if isinstance(limits, str) or (causal and limits.unseen == "mean"):
        return None
    gone = not limits.seen and not limits.added
    if gone or limits.window or limits.lengths is not None or (limits.causal and not causal):
        return limits._replace(causal=limits.causal or causal)
    return None


def _narrowed(op: g.CastOp, new: RuleBuilder) -> Replacement:
    """Attention of widened operands, whose result is rounded to their type: attention in that type."""
    attention, element = made_by(op.x, g.AttentionOp), element_of(op.y)
    if attention is None or not op.x.has_one_use() or wide_element(element) != element_of(op.x):
        return None
    narrow = list[SSAValue]()
    for value in (attention.q, attention.k, attention.v):
        cast = made_by(value, g.CastOp)
        if cast is None or element_of(cast.x) != element or element_of(op.x) == element:
            return None
        narrow.append(cast.x)
    properties = {**attention.properties}
    return new(g.AttentionOp(*narrow, *attention.limits, **properties), attention)


RULES: dict[str, Table] = {
    # softmax(q · kᵀ · scale + mask) · v = attention(q, k, v, mask); then transposes and views are merged
    "attention": (
        (g.MatmulOp, attention_at),
        ((g.DivOp, g.MulOp), _divided),
        (g.AttentionOp, _again),
        (g.CastOp, _narrowed),
        *VIEWS,
    )
}
