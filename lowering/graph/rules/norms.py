"""Recognition of norms that exporters expand, step by step: first x / √(mean x² + ε), then the multiplication by a
scale, the subtraction of the mean, and the addition of a bias."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from dialects import graph as g
from dialects.element_types import tensor_type
from dialects.graph.patterns.algebra import holds_exactly
from dialects.graph.patterns.matching import decimal, element_of, filled, keeps_type, made_by, only_made_by, splat
from dialects.graph.rules import Replacement, RuleBuilder, Table
from lowering.graph.rules.activations import either_way


class MeanSquare(NamedTuple):
    """The mean of x² over the axes from `axis` on, plus `epsilon`, computed by `ops`."""

    x: SSAValue
    axis: int
    epsilon: float
    ops: tuple[Operation, ...]


def mean_square(value: SSAValue) -> MeanSquare | None:
    """The mean of squares along rows, plus ε, that `value` equals; None if it is something else."""
    epsilon, ops = 0.0, ()
    if add := made_by(value, g.AddOp):
        mean, number = next(((x, decimal(c)) for x, c in either_way(add) if splat(c) is not None), (value, None))
        if number is None:
            return None
        value, epsilon, ops = mean, number, (add,)
    reduce = made_by(value, g.ReduceOp)
    if reduce is None or reduce.kind.data != "mean" or (x := _squared(reduce.x)) is None:
        return None
    axis = _trailing_axes(reduce)
    made = reduce.x.owner
    assert isinstance(made, Operation)
    return None if axis is None else MeanSquare(x, axis, epsilon, (made, reduce, *ops))


def _squared(value: SSAValue) -> SSAValue | None:
    """x if `value` is x²; otherwise None."""
    match value.owner:
        case g.MulOp() as op if op.a is op.b:
            return op.a
        case g.PowOp() as op if splat(op.b) == 2:
            return op.a
        case _:
            return None


def _trailing_axes(op: g.ReduceOp) -> int | None:
    """The first reduced axis, if an op reduces all axes from it to the last one and its result keeps them with extent
    1; otherwise None."""
    axes, rank = op.axis_set(), len(g.shape_of(op.x))
    return axes[0] if axes == tuple(range(axes[0], rank)) and len(g.shape_of(op.y)) == rank else None


def root(value: SSAValue) -> tuple[SSAValue, tuple[Operation, ...]] | None:
    """(u, ops) if `value` is 1 / √u, computed by `ops`; otherwise None."""
    match value.owner:
        case g.RsqrtOp() as op:
            return op.x, (op,)
        case g.ReciprocalOp() as op if below := made_by(op.x, g.SqrtOp):
            return below.x, (below, op)
        case g.DivOp() as op if splat(op.a) == 1 and (below := made_by(op.b, g.SqrtOp)):
            return below.x, (below, op)
        case g.SqrtOp() as op if inverse := made_by(op.x, g.ReciprocalOp):
            return inverse.x, (inverse, op)
        case _:
            return None


def _normalised(x: SSAValue, under_root: SSAValue, ops: tuple[Operation, ...], new: RuleBuilder) -> Replacement:
    """x / √(mean x² + ε) = rms_norm(x, 1)"""
    mean = mean_square(under_root)
    if mean is None or mean.x is not x or not all(each.results[0].has_one_use() for each in (*mean.ops, *ops)):
        return None  # intermediate values have other readers, for example gradients
    ones = new(filled(tensor_type(g.shape_of(x)[mean.axis :], element_of(x)), 1))
    axis = mean.axis - len(g.shape_of(x))
    return new(g.RmsNormOp(x, ones, axis=axis, epsilon=mean.epsilon), *mean.ops, *ops)


def _times_root(op: g.MulOp, new: RuleBuilder) -> Replacement:
    for x, other in either_way(op):
        if (found := root(other)) and keeps_type(x, op.y) and (norm := _normalised(x, found[0], found[1], new)):
            return norm
    return None


def _over_root(op: g.DivOp, new: RuleBuilder) -> Replacement:
    made = made_by(op.b, g.SqrtOp)
    return _normalised(op.a, made.x, (made,), new) if made and keeps_type(op.a, op.y) else None


def _centred(op: g.RmsNormOp, new: RuleBuilder) -> Replacement:
    centred = made_by(op.x, g.SubOp)
    mean = made_by(centred.b, g.ReduceOp) if centred else None
    if centred is None or mean is None or mean.x is not centred.a or mean.kind.data != "mean":
        return None
    if _trailing_axes(mean) != op.axis.value.data % len(g.shape_of(op.x)) or not keeps_type(centred.a, op.y):
        return None
    return new(g.LayerNormOp(centred.a, op.scale, axis=op.axis, epsilon=op.epsilon), mean, centred)


def _scaled(op: g.MulOp, new: RuleBuilder) -> Replacement:
    for x, scale in either_way(op):
        norm = only_made_by(x, g.RmsNormOp) or only_made_by(x, g.LayerNormOp)
        if norm is None or splat(norm.scale) != 1 or not _lies_along(norm, scale) or not keeps_type(x, op.y):
            continue
        if isinstance(norm, g.RmsNormOp):
            return new(g.RmsNormOp(norm.x, scale, axis=norm.axis, epsilon=norm.epsilon), norm)
        if norm.bias is None:
            return new(g.LayerNormOp(norm.x, scale, axis=norm.axis, epsilon=norm.epsilon), norm)
    return None


def _shifted(op: g.AddOp, new: RuleBuilder) -> Replacement:
    for x, bias in either_way(op):
        norm = only_made_by(x, g.LayerNormOp)
        if norm and norm.bias is None and _lies_along(norm, bias) and keeps_type(x, op.y):
            return new(g.LayerNormOp(norm.x, norm.scale, bias, axis=norm.axis, epsilon=norm.epsilon), norm)
    return None


def _lies_along(norm: g.RmsNormOp | g.LayerNormOp, value: SSAValue) -> bool:
    """True if all extents of `value` other than 1 are along the axes that `norm` normalises."""
    shape, axis = g.shape_of(norm.x), norm.axis.value.data % len(g.shape_of(norm.x))
    own = g.shape_of(value)
    leading = own[: len(own) - (len(shape) - axis)] if len(own) > len(shape) - axis else ()
    return set(leading) <= {1} and len(own) <= len(shape)


def _between_casts(op: g.CastOp, new: RuleBuilder) -> Replacement:
    norm = only_made_by(op.x, g.RmsNormOp) or only_made_by(op.x, g.LayerNormOp)
    wide = made_by(norm.x, g.CastOp) if norm else None
    if norm is None or wide is None or wide.x.type != op.y.type or len(norm.operands) != 2:
        return None
    if not holds_exactly(element_of(op.y), element_of(norm.x)):
        return None
    if splat(norm.scale) == 1:
        scale = new(filled(tensor_type(g.shape_of(norm.scale), g.tensor_of(op.y).element_type), 1))
    elif (cast := made_by(norm.scale, g.CastOp)) and element_of(cast.x) == element_of(op.y):
        scale = cast.x
    else:
        return None
    return new(type(norm)(wide.x, scale, axis=norm.axis, epsilon=norm.epsilon), wide, norm)


RULES: dict[str, Table] = {
    "rms_norm": (
        (g.MulOp, _times_root),  # x · 1/√(mean x² + ε) = rms_norm(x, 1)
        (g.DivOp, _over_root),  # x / √(mean x² + ε) = rms_norm(x, 1)
        (g.MulOp, _scaled),  # norm(x, 1) · s = norm(x, s)
        (g.CastOp, _between_casts),  # cast(norm(cast(x))) = norm(x)       since norms compute their statistics in f32
    ),
    "layer_norm": (
        (g.RmsNormOp, _centred),  # rms_norm(x - mean x, s) = layer_norm(x, s)
        (g.AddOp, _shifted),  # layer_norm(x, s) + b = layer_norm(x, s, b)
    ),
}
