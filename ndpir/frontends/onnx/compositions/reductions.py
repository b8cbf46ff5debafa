"""Reductions that are formulas around a sum or a maximum: norms, logarithms of sums, positions of extremes, running
products."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, element_type_named
from ndpir.frontends.formulas import Term
from ndpir.frontends.onnx.compositions.activations import widened
from ndpir.frontends.onnx.operators import Handler, OnnxNode, element_of, handles, rank_of
from ndpir.frontends.onnx.reduction import reduced_axes
from ndpir.frontends.padding import padded

Summed = Callable[[Term], Term]
"""The sum over the axes of a reduction, which keep the extent 1."""


def log_sum_exp(x: Term, axes: tuple[int, ...]) -> Term:
    """log(sum(e^x)) over axes, which keep the extent 1: the maximum is subtracted first, so that no exponential
    overflows."""
    top = x(g.ReduceOp, kind="max", axes=axes, keep_dims=True)
    finite = top(g.IsFiniteOp).choose(top, 0.0)
    return (x - finite)(g.ExpOp)(g.ReduceOp, kind="sum", axes=axes, keep_dims=True)(g.LogOp) + finite


_FORMULAS: dict[str, tuple[Callable[[Term, Summed], Term], int]] = {
    "ReduceL1": (lambda x, total: total(abs(x)), 18),
    "ReduceL2": (lambda x, total: total(x * x)(g.SqrtOp), 18),
    "ReduceLogSum": (lambda x, total: total(x)(g.LogOp), 28),
    "ReduceSumSquare": (lambda x, total: total(x * x), 18),
}
_OF_INTEGERS = ("ReduceL1", "ReduceSumSquare")
"""Reductions whose result for integers is computed in integers."""


def _reduction(name: str) -> Handler:
    def handler(node: OnnxNode) -> SSAValue:
        """The formula over the reduced axes; without axes, over all, or none if `noop_with_empty_axes` is set."""
        x, axes = node[0], reduced_axes(node, 18)
        is_exact = name in _OF_INTEGERS and element_of(x) in _INTEGERS
        wide = Term(node, x) if is_exact else widened(node, x)

        def total(value: Term) -> Term:
            return value(g.ReduceOp, kind="sum", axes=axes, keep_dims=True) if axes else value

        if name == "ReduceLogSumExp":
            y = log_sum_exp(wide, axes) if axes else wide
        else:
            y = _FORMULAS[name][0](wide, total)
        kept = [n for axis, n in enumerate(g.shape_of(y.value)) if node.integer("keepdims") or axis not in axes]
        return node.reshaped(node.cast(y.value, element_of(x)), kept)

    return handler


_INTEGERS = [element_type_named(name) for name in ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")]
for _name, (_, _newest) in _FORMULAS.items():
    handles(_name, _newest)(_reduction(_name))
handles("ReduceLogSumExp", 28)(_reduction("ReduceLogSumExp"))


@handles("LogSoftmax", newest=13)
def log_softmax(node: OnnxNode) -> SSAValue:
    """x - log(sum(e^x)) along `axis`; before opset 13, all axes from `axis` on are flattened to one."""
    x, rank = node[0], rank_of(node[0])
    extents, axis = g.shape_of(x), node.axis("axis", rank)
    if node.since < 13:
        x, axis = node.reshaped(x, (prod(extents[:axis]), prod(extents[axis:]))), 1
    wide = widened(node, x)
    return node.reshaped(node.cast((wide - log_sum_exp(wide, (axis,))).value, element_of(x)), extents)


def best(node: OnnxNode, x: SSAValue, axis: int, kind: str, *, last: bool = False) -> SSAValue:
    """The position of the maximum or minimum (`kind`) along an axis, which keeps the extent 1, as i64; of equal
    elements the first, or the `last`."""
    if element_of(x) == I1:
        x = node.cast(x, element_type_named("ui8"))
    extent = g.shape_of(x)[axis]
    if not extent:
        node.fail(f"axis {axis} of {x.type} has no element; give it at least one")
    top = node.build(g.ReduceOp, x, kind=kind, axes=(axis,), keep_dims=True)
    places = Term(node, node.along(axis, g.shape_of(x), i64))
    hit = Term(node, node.build(g.CompareOp, x, top, kind="eq"))
    chosen = hit.choose(places, -1 if last else extent - 1)
    return chosen(g.ReduceOp, kind="max" if last else "min", axes=(axis,), keep_dims=True).value


def _positions(kind: str) -> Handler:
    def handler(node: OnnxNode) -> SSAValue:
        """The positions of maxima or minima along `axis`."""
        axis = node.axis("axis", rank_of(node[0]))
        y = best(node, node[0], axis, kind, last=bool(node.integer("select_last_index")))
        kept = [n for at, n in enumerate(g.shape_of(y)) if node.integer("keepdims") or at != axis]
        return node.reshaped(y, kept)

    return handler


handles("ArgMax", 13)(_positions("max"))
handles("ArgMin", 13)(_positions("min"))


@handles("Hardmax", newest=13)
def hardmax(node: OnnxNode) -> SSAValue:
    """1 at the first maximum along `axis`, else 0; before opset 13, all axes from `axis` on are flattened to one."""
    x, extents, axis = node[0], g.shape_of(node[0]), node.axis("axis", rank_of(node[0]))
    if node.since < 13:
        x, axis = node.reshaped(x, (prod(extents[:axis]), prod(extents[axis:]))), 1
    places = Term(node, node.along(axis, g.shape_of(x), i64))
    hit = places.compare("eq", Term(node, best(node, x, axis, "max")))
    return node.reshaped(node.cast(hit.value, element_of(x)), extents)


@handles("CumProd", newest=26)
def cumprod(node: OnnxNode) -> SSAValue:
    """The running product along an axis, in log2(extent) steps, each of which multiplies with the product of twice as
    many elements before (Hillis and Steele, 1986)."""
    x, rank = node[0], rank_of(node[0])
    axis, extent = node.axis_of(node.whole(1), rank), 0
    extent = g.shape_of(x)[axis]
    is_reversed, one = bool(node.integer("reverse")), node.like(x, 1.0)

    def moved(value: SSAValue, by: int) -> SSAValue:
        """`value` with each element `by` places further along the axis, and ones in the free places."""
        low = tuple((by if at == axis else 0) * (-1 if is_reversed else 1) for at in range(rank))
        return padded(node, value, low, tuple(-width for width in low), (0,) * rank, one)

    y, step = moved(x, 1) if node.integer("exclusive") and extent else x, 1
    while step < extent:
        y, step = node.build(g.MulOp, y, moved(y, step)), 2 * step
    return y


def norm(node: OnnxNode, x: Term, p: int, axes: tuple[int, ...]) -> Term:
    """The Lp norm over axes, which keep the extent 1."""
    if p < 1:
        node.fail(f"`p`, the exponent of the norm, must be at least 1, not {p}")
    powers = abs(x) if p == 1 else x * x if p == 2 else abs(x)(g.PowOp, float(p))
    total = powers(g.ReduceOp, kind="sum", axes=axes, keep_dims=True)
    return root(total, p)


def root(total: Term, p: int) -> Term:
    """The p-th root of a sum of p-th powers."""
    return total if p == 1 else total(g.SqrtOp) if p == 2 else total(g.PowOp, 1.0 / p)


@handles("LpNormalization", newest=22)
def lp_normalization(node: OnnxNode) -> SSAValue:
    """x divided by its Lp norm along `axis`; 0 where the norm is 0."""
    x = widened(node, node[0])
    size = norm(node, x, node.integer("p"), (node.axis("axis", rank_of(node[0])),))
    y = size.compare("eq", 0.0).choose(x.constant(0.0), x / size)
    return node.cast(y.value, element_of(node[0]))


@handles("GlobalLpPool", newest=22)
def global_lp_pool(node: OnnxNode) -> SSAValue:
    """The Lp norm over all spatial axes."""
    axes = tuple(range(2, rank_of(node[0])))
    if not axes:
        node.fail(f"the operand must be an image [N, C, spatial…] of at least 3 axes, not of {rank_of(node[0])}")
    return node.cast(norm(node, widened(node, node[0]), node.integer("p"), axes).value, element_of(node[0]))
