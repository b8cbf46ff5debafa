"""Converters of reductions, running sums, softmax and distances."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, prod

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, ElementType, element_type_named, is_float, tensor_type
from ndpir.frontends.formulas import Term
from ndpir.frontends.torch.aten.elementwise import element_of_type
from ndpir.frontends.torch.aten.indexing import in_order
from ndpir.frontends.torch.aten.movement import cut
from ndpir.frontends.torch.call import I64, AtenCall, Converter, converts, element_of, rank_of

UI8 = element_type_named("ui8")


def reduced(call: AtenCall, x: SSAValue, kind: str, axes: tuple[int, ...], keep: bool) -> SSAValue:
    """A reduction; of a tensor without axes, the tensor itself."""
    if not axes:
        return x
    return call.build(g.ReduceOp, x, kind=kind, axes=axes, keep_dims=True if keep else None)


def _axes(call: AtenCall, x: SSAValue, name: str = "dim") -> tuple[tuple[int, ...], bool]:
    return call.axes(name, rank_of(x)), call.flag("keepdim")


def _sum(kind: str) -> Converter:
    def handler(call: AtenCall) -> SSAValue:
        """A sum, mean or product in the type of the result; integers are summed in i64."""
        x = call["self"]
        axes, keep = _axes(call, x)
        return reduced(call, call.cast(x, element_of_type(call.result())), kind, axes, keep)

    return handler


for _name, _kind in (("sum", "sum"), ("mean", "mean"), ("prod", "prod")):
    converts(_name)(_sum(_kind))


@converts("nansum", "nanmean")
def nansum(call: AtenCall) -> SSAValue:
    x = call.cast(call["self"], element_of_type(call.result()))
    axes, keep = _axes(call, x)
    if not is_float(element_of(x)):
        return reduced(call, x, "sum", axes, keep)
    wrong = call.build(g.IsNanOp, x)
    total = reduced(call, call.build(g.SelectOp, wrong, call.number(0, element_of(x)), x), "sum", axes, keep)
    if call.node.op == "aten.nansum":
        return total
    counted = reduced(call, call.cast(call.build(g.NotOp, wrong), element_of(x)), "sum", axes, keep)
    return call.build(g.DivOp, total, counted)


def extreme(call: AtenCall, x: SSAValue, kind: str, axes: tuple[int, ...], keep: bool) -> SSAValue:
    """A maximum or minimum, of truth values too."""
    if element_of(x) != I1:
        return reduced(call, x, kind, axes, keep)
    return call.cast(reduced(call, call.cast(x, UI8), kind, axes, keep), I1)


@converts("amax", "amin", "max.default", "min.default")
def amax(call: AtenCall) -> SSAValue:
    x = call["self"]
    axes, keep = _axes(call, x)
    return extreme(call, x, "max" if "max" in call.node.op else "min", axes, keep)


@converts("aminmax")
def aminmax(call: AtenCall) -> list[SSAValue]:
    x = call["self"]
    axes = (call.axis("dim", rank_of(x)),) if call.has("dim") and rank_of(x) else tuple(range(rank_of(x)))
    return [extreme(call, x, kind, axes, call.flag("keepdim")) for kind in ("min", "max")]


@converts("max.dim", "min.dim")
def max_dim(call: AtenCall) -> list[SSAValue]:
    x = call["self"]
    kind = "max" if call.node.op == "aten.max" else "min"
    if not rank_of(x):
        return [x, call.number(0, I64)]
    axis, keep = call.axis("dim", rank_of(x)), call.flag("keepdim")
    return [extreme(call, x, kind, (axis,), keep), first_extreme(call, x, kind, axis, keep)]


@converts("argmax", "argmin")
def argmax(call: AtenCall) -> SSAValue:
    x, kind = call["self"], "max" if call.node.op == "aten.argmax" else "min"
    if not rank_of(x):
        return call.number(0, I64)
    if not call.has("dim"):
        flat = call.reshaped(x, (prod(g.shape_of(x)),))
        found = first_extreme(call, flat, kind, 0, False)
        return call.reshaped(found, call.result().get_shape())
    return first_extreme(call, x, kind, call.axis("dim", rank_of(x)), call.flag("keepdim"))


def first_extreme(call: AtenCall, x: SSAValue, kind: str, axis: int, keep: bool) -> SSAValue:
    """The first position of the largest or smallest element along an axis; nan counts as the extreme."""
    wide = call.cast(x, UI8) if element_of(x) == I1 else x
    shape = g.shape_of(x)
    top = reduced(call, wide, kind, (axis,), True)
    hit = call.build(g.CompareOp, wide, top, kind="eq")
    if is_float(element_of(x)):
        hit = call.build(g.OrOp, hit, call.build(g.IsNanOp, wide))
    places = call.build(g.SelectOp, hit, call.along(axis, shape, I64), call.number(shape[axis], I64))
    return reduced(call, places, "min", (axis,), keep)


@converts("all", "any", "_is_all_true", "_is_any_true")
def all_(call: AtenCall) -> SSAValue:
    x = call["self"]
    truth = call.truth(x)
    axes, keep = _axes(call, x)
    made = extreme(call, truth, "min" if "all" in call.node.op else "max", axes, keep)
    return call.cast(made, element_of_type(call.result()))


@converts("count_nonzero")
def count_nonzero(call: AtenCall) -> SSAValue:
    x = call["self"]
    return reduced(call, call.cast(call.truth(x), I64), "sum", call.axes("dim", rank_of(x)), False)


# Statistics.


def statistics(call: AtenCall, x: SSAValue, axes: tuple[int, ...]) -> tuple[SSAValue, SSAValue]:
    """Mean and variance (divided by the number of elements) over axes, which remain with extent 1."""
    mean = reduced(call, x, "mean", axes, True)
    off = call.build(g.SubOp, x, mean)
    return mean, reduced(call, call.build(g.MulOp, off, off), "mean", axes, True)


@converts("var", "std", "var_mean", "std_mean")
def var(call: AtenCall) -> list[SSAValue]:
    x = call["self"]
    element = element_of(x)
    axes, keep = _axes(call, x)
    count = prod(g.shape_of(x)[axis] for axis in axes)
    correction = call.plain(call.get("correction"))
    if correction is None:
        correction = 1 if call.flag("unbiased", True) else 0
    mean, variance = statistics(call, call.wide(x), axes)
    degrees = max(count - correction, 0)
    if degrees != count:
        factor = count / degrees if degrees else (np.nan if count <= 1 else np.inf)
        variance = call.build(g.MulOp, variance, call.number(factor, element_of(variance)))
    made = call.build(g.SqrtOp, variance) if "std" in call.node.op else variance
    shape = [1 if at in axes else n for at, n in enumerate(g.shape_of(x)) if keep or at not in axes]
    found = [call.cast(call.reshaped(each, shape), element) for each in (made, mean)]
    return found if call.node.op.endswith("_mean") else found[:1]


@converts("norm", "linalg_vector_norm")
def norm(call: AtenCall) -> SSAValue:
    """(sum of |x|^p)^(1/p); the largest or smallest size, or the number of elements that are not 0."""
    x = call["self"]
    names = ("p", "ord")
    order = next((call.plain(call.get(name)) for name in names if call.has(name)), 2)
    if order == "fro":
        order = 2
    axes, keep = _axes(call, x)
    term = call.term(call.cast(x, element_of_type(call.result())) if not is_float(element_of(x)) else x)
    size = abs(term)
    if order in (inf, -inf):
        made = Term(call, reduced(call, size.value, "max" if order > 0 else "min", axes, keep))
    elif order == 0:
        made = Term(
            call, reduced(call, call.cast(size.compare("ne", 0.0).value, element_of(size.value)), "sum", axes, keep)
        )
    elif order == 1:
        made = Term(call, reduced(call, size.value, "sum", axes, keep))
    elif order == 2:
        made = Term(call, reduced(call, (term * term).value, "sum", axes, keep))(g.SqrtOp)
    else:
        powers = size(g.PowOp, float(order))
        made = Term(call, reduced(call, powers.value, "sum", axes, keep))(g.PowOp, 1 / order)
    return call.cast(made.value, element_of_type(call.result()))


@converts("logsumexp", "special_logsumexp")
def logsumexp(call: AtenCall) -> SSAValue:
    x = call["self"]
    x = x if is_float(element_of(x)) else call.cast(x, element_of_type(call.result()))
    axes, keep = _axes(call, x)
    made = log_sum(call, call.term(x), axes)
    shape = [1 if at in axes else n for at, n in enumerate(g.shape_of(x)) if keep or at not in axes]
    return call.cast(call.reshaped(made.value, shape), element_of(x))


def log_sum(call: AtenCall, x: Term, axes: tuple[int, ...]) -> Term:
    """log of the sum of e^x over axes, which remain with extent 1; shifted by the maximum, so that nothing
    overflows."""
    top = Term(call, reduced(call, x.value, "max", axes, True))
    shift = top.compare("eq", inf).choose(top * 0.0, top)
    shift = abs(top).compare("eq", inf).choose(top.constant(0.0), top)
    total = Term(call, reduced(call, (x - shift)(g.ExpOp).value, "sum", axes, True))
    return total(g.LogOp) + shift


@converts("softmax", "_softmax", "special_softmax", "_safe_softmax")
def softmax(call: AtenCall) -> SSAValue:
    x = call["self"]
    element = element_of_type(call.result())
    x = call.cast(x, element)
    if not rank_of(x):
        return call.splat(1, g.tensor_of(x))
    axis = call.axis("dim", rank_of(x))
    made = call.build(g.SoftmaxOp, x, axis=axis if axis != rank_of(x) - 1 else None)
    if call.node.op != "aten._safe_softmax":
        return made
    top = reduced(call, x, "max", (axis,), True)
    hidden = call.build(g.CompareOp, top, call.number(-inf, element), kind="eq")
    return call.build(g.SelectOp, hidden, call.number(0, element), made)


@converts("log_softmax", "_log_softmax", "special_log_softmax")
def log_softmax(call: AtenCall) -> SSAValue:
    x = call["self"]
    element = element_of_type(call.result())
    if not rank_of(x):
        return call.splat(0, tensor_type((), element))
    axis = call.axis("dim", rank_of(x))
    wide = call.term(call.cast(x, element))
    top = Term(call, reduced(call, wide.value, "max", (axis,), True))
    off = wide - top
    total = Term(call, reduced(call, off(g.ExpOp).value, "sum", (axis,), True))
    return call.cast((off - total(g.LogOp)).value, element)


# Running reductions.


@converts("cumsum")
def cumsum(call: AtenCall) -> SSAValue:
    x = call.cast(call["self"], element_of_type(call.result()))
    return x if not rank_of(x) else call.build(g.CumsumOp, x, axis=call.axis("dim", rank_of(x)))


def doubling(call: AtenCall, x: SSAValue, axis: int, fold: Callable[[SSAValue, SSAValue], SSAValue]) -> SSAValue:
    """Running results of a fold along an axis, in a logarithmic number of steps: each folds elements with those a step
    before, and doubles the step (Hillis and Steele, 1986)."""
    n, step = g.shape_of(x)[axis], 1
    while step < n:
        head, tail = cut(call, x, axis, 0, step), cut(call, x, axis, step, n)
        x = call.build(g.ConcatOp, head, fold(tail, cut(call, x, axis, 0, n - step)), axis=axis)
        step *= 2
    return x


@converts("cumprod", "logcumsumexp")
def cumprod(call: AtenCall) -> SSAValue:
    x = call.cast(call["self"], element_of_type(call.result()))
    if not rank_of(x):
        return x
    axis = call.axis("dim", rank_of(x))
    if call.node.op == "aten.cumprod":
        return doubling(call, x, axis, lambda a, b: call.build(g.MulOp, a, b))

    def joined(a: SSAValue, b: SSAValue) -> SSAValue:
        one, other = Term(call, a), Term(call, b)
        top, off = one(g.MaxOp, other), -abs(one - other)
        both = one.compare("eq", other).choose(one + float(np.log(2)), top + off(g.ExpOp)(g.Log1pOp))
        return both.value

    return call.cast(doubling(call, call.wide(x), axis, joined), element_of(x))


@converts("cummax", "cummin")
def cummax(call: AtenCall) -> list[SSAValue]:
    """Running maxima, and the last position of each."""
    x = call["self"]
    if not rank_of(x):
        return [x, call.number(0, I64)]
    axis = call.axis("dim", rank_of(x))
    op = g.MaxOp if call.node.op == "aten.cummax" else g.MinOp
    values = doubling(call, x, axis, lambda a, b: call.build(op, a, b))
    hit = call.build(g.CompareOp, x, values, kind="eq")
    if is_float(element_of(x)):
        hit = call.build(g.OrOp, hit, call.build(g.IsNanOp, x))
    places = call.build(g.SelectOp, hit, call.along(axis, g.shape_of(x), I64), call.number(-1, I64))
    return [values, doubling(call, places, axis, lambda a, b: call.build(g.MaxOp, a, b))]


@converts("diff")
def diff(call: AtenCall) -> SSAValue:
    x = call["self"]
    if call.has("prepend") or call.has("append"):
        parts = [call[name] for name in ("prepend", "self", "append") if call.has(name)]
        x = call.build(g.ConcatOp, *parts, axis=call.axis("dim", rank_of(x), -1))
    axis = call.axis("dim", rank_of(x), -1)
    for _ in range(call.integer("n", 1)):
        n = g.shape_of(x)[axis]
        x = call.build(
            g.XorOp if element_of(x) == I1 else g.SubOp, cut(call, x, axis, 1, n), cut(call, x, axis, 0, n - 1)
        )
    return x


@converts("histc", "bincount")
def bincount(call: AtenCall) -> SSAValue:
    """Numbers of elements in bins of equal widths, whose limits are stated."""
    x = call["self"]
    if call.node.op == "aten.bincount":
        call.fail("the length of its result depends on data; count with scatter_add into a tensor of fixed length")
    bins, low, high = call.integer("bins", 100), call.real("min", 0.0), call.real("max", 0.0)
    if low == high:
        call.fail("limits that depend on data are not supported; state `min` and `max`")
    element = element_of(x)
    flat = call.term(call.reshaped(x, (prod(g.shape_of(x)), 1)))
    at = ((flat - low) / (high - low) * float(bins))(g.FloorOp)(g.ClipOp, min=0.0, max=float(bins - 1))
    inside = flat.compare("ge", low)(g.AndOp, flat.compare("le", high))
    ones = call.cast(call.reshaped(inside.value, (prod(g.shape_of(x)),)), element)
    zeros = call.splat(0, tensor_type((bins,), element))
    return call.build(g.ScatterNdOp, zeros, call.cast(at.value, I64), ones, kind="add")


# Distances and losses.


@converts("pairwise_distance", "cosine_similarity", "dist")
def pairwise_distance(call: AtenCall) -> SSAValue:
    a, b = (call[name] for name in (("self", "other") if call.node.op == "aten.dist" else ("x1", "x2")))
    x, y = call.term(a), call.term(b)
    element = element_of_type(call.result())
    if call.node.op == "aten.cosine_similarity":
        shape = np.broadcast_shapes(g.shape_of(a), g.shape_of(b))
        axis = call.axis("dim", len(shape), 1)
        x, y = (Term(call, call.broadcast_to(each.value, shape or (1,))) for each in (x, y))
        total = _total(call, x * y, axis)
        sizes = [_total(call, each * each, axis)(g.SqrtOp)(g.ClipOp, min=call.real("eps", 1e-8)) for each in (x, y)]
        return call.cast((total / (sizes[0] * sizes[1])).value, element)
    off = x - y
    if call.node.op == "aten.pairwise_distance":
        off = off + call.real("eps", 1e-6)
    p = call.real("p", 2.0)
    axes = (rank_of(off.value) - 1,) if call.node.op == "aten.pairwise_distance" else tuple(range(rank_of(off.value)))
    return call.cast(call.reshaped(p_norm(call, off, p, axes).value, call.result().get_shape()), element)


def _total(call: AtenCall, x: Term, axis: int) -> Term:
    return Term(call, reduced(call, x.value, "sum", (axis,), False))


def p_norm(call: AtenCall, x: Term, p: float, axes: tuple[int, ...]) -> Term:
    """The norm of order p over axes."""
    size = abs(x)
    if p == inf:
        return Term(call, reduced(call, size.value, "max", axes, False))
    if p == 0:
        return Term(
            call, reduced(call, call.cast(size.compare("ne", 0.0).value, element_of(x.value)), "sum", axes, False)
        )
    if p == 2:
        return Term(call, reduced(call, (x * x).value, "sum", axes, False))(g.SqrtOp)
    if p == 1:
        return Term(call, reduced(call, size.value, "sum", axes, False))
    return Term(call, reduced(call, size(g.PowOp, p).value, "sum", axes, False))(g.PowOp, 1 / p)


@converts("cdist", "_cdist_forward", "_euclidean_dist")
def cdist(call: AtenCall) -> SSAValue:
    """The distances between all pairs of rows of two matrices."""
    a, b = call["x1"], call["x2"]
    x = Term(call, call.reshaped(call.wide(a), (*g.shape_of(a)[:-1], 1, g.shape_of(a)[-1])))
    y = Term(call, call.reshaped(call.wide(b), (*g.shape_of(b)[:-2], 1, *g.shape_of(b)[-2:])))
    off = x - y
    return call.cast(p_norm(call, off, call.real("p", 2.0), (rank_of(off.value) - 1,)).value, element_of(a))


def _averaged(call: AtenCall, x: Term, element: ElementType) -> SSAValue:
    """Losses by `reduction`: 0 none, 1 the mean, 2 the sum."""
    kind = call.integer("reduction", 1)
    axes = tuple(range(rank_of(x.value)))
    made = x.value if not kind else reduced(call, x.value, "mean" if kind == 1 else "sum", axes, False)
    return call.cast(made, element)


@converts(
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
    "soft_margin_loss",
)
def loss(call: AtenCall) -> SSAValue:
    """Losses of pairs of numbers."""
    x, y = call.term(call["self"]), call.term(call["target"])
    off = x - y
    match call.node.op.removeprefix("aten."):
        case "mse_loss":
            made = off * off
        case "l1_loss":
            made = abs(off)
        case "smooth_l1_loss":
            beta = call.real("beta", 1.0)
            made = (
                abs(off)
                if not beta
                else abs(off).compare("lt", beta).choose(off * off * (0.5 / beta), abs(off) - 0.5 * beta)
            )
        case "huber_loss":
            delta = call.real("delta", 1.0)
            made = abs(off).compare("le", delta).choose(off * off * 0.5, (abs(off) - 0.5 * delta) * delta)
        case "binary_cross_entropy":
            logs = x(g.LogOp)(g.MaxOp, -100.0), (-x)(g.Log1pOp)(g.MaxOp, -100.0)
            made = -(y * logs[0] + (1.0 - y) * logs[1])
        case "kl_div":
            if call.flag("log_target"):
                made = y(g.ExpOp) * (y - x)
            else:
                made = y.compare("gt", 0.0).choose(y * y(g.LogOp), y * 0.0) - y * x
        case "soft_margin_loss":
            made = (-(x * y))(g.ExpOp)(g.Log1pOp)
        case _:
            top = (-x)(g.ReluOp)
            rest = ((-top)(g.ExpOp) + (-x - top)(g.ExpOp))(g.LogOp) + top
            if call.has("pos_weight"):
                factor = (call.term(call["pos_weight"]) - 1.0) * y + 1.0
                made = (1.0 - y) * x + factor * rest
            else:
                made = (1.0 - y) * x + rest
    if call.has("weight"):
        made = made * call.term(call["weight"])
    return _averaged(call, made, element_of(call["self"]))


@converts("nll_loss_forward", "nll_loss2d_forward", "nll_loss", "nll_loss_nd", "nll_loss2d", "cross_entropy_loss")
def nll_loss(call: AtenCall) -> list[SSAValue]:
    """Minus the log-probabilities of the target classes, weighted; and the sum of weights."""
    x, target = call["self"], call["target"]
    element = element_of(x)
    wide = call.term(x)
    axis = 1 if rank_of(x) > 1 else 0
    smoothing = 0.0
    if call.node.op == "aten.cross_entropy_loss":
        wide = wide - log_sum(call, wide, (axis,))
        smoothing = call.real("label_smoothing", 0.0)
        if is_float(element_of(target)):
            return [_soft_targets(call, wide, axis, smoothing, element)]
    classes = g.shape_of(x)[axis]
    ignored = call.integer("ignore_index", -100)
    kept = call.build(g.CompareOp, target, call.number(ignored, element_of(target)), kind="ne")
    safe = call.build(g.SelectOp, kept, target, call.number(0, element_of(target)))
    shape = g.shape_of(x)
    places = call.reshaped(safe, [1 if at == axis else n for at, n in enumerate(shape)])
    picked = Term(
        call, call.reshaped(call.build(g.GatherElementsOp, wide.value, places, axis=axis), g.shape_of(target))
    )
    mask = Term(call, call.cast(kept, element_of(wide.value)))
    weights = mask
    if call.has("weight"):
        weights = Term(call, call.build(g.GatherOp, call.wide(call["weight"]), safe, axis=0)) * mask
    losses = -(picked * weights)
    losses = Term(call, kept).choose(losses, 0.0)
    total = Term(call, reduced(call, weights.value, "sum", tuple(range(rank_of(weights.value))), False))
    if smoothing:
        each = wide
        if call.has("weight"):
            weight = call.reshaped(call.wide(call["weight"]), [n if at == axis else 1 for at, n in enumerate(shape)])
            each = wide * Term(call, weight)
        smooth = -Term(call, call.reshaped(reduced(call, each.value, "sum", (axis,), True), g.shape_of(target)))
        losses = losses * (1 - smoothing) + Term(call, kept).choose(smooth, 0.0) * (smoothing / classes)
    kind = call.integer("reduction", 1)
    axes = tuple(range(rank_of(losses.value)))
    made = losses if not kind else Term(call, reduced(call, losses.value, "sum", axes, False))
    if kind == 1:
        made = made / total
    none = call.number(0, element) if not kind else call.cast(total.value, element)
    return [call.cast(made.value, element), none]


def _soft_targets(call: AtenCall, logs: Term, axis: int, smoothing: float, element: ElementType) -> SSAValue:
    y = call.term(call["target"])
    classes = g.shape_of(logs.value)[axis]
    if smoothing:
        y = y * (1 - smoothing) + smoothing / classes
    each = logs * y
    if call.has("weight"):
        weight = call.reshaped(
            call.wide(call["weight"]), [n if at == axis else 1 for at, n in enumerate(g.shape_of(logs.value))]
        )
        each = each * Term(call, weight)
    losses = -Term(call, reduced(call, each.value, "sum", (axis,), False))
    kind = call.integer("reduction", 1)
    if not kind:
        return call.cast(losses.value, element)
    total = Term(call, reduced(call, losses.value, "sum", tuple(range(rank_of(losses.value))), False))
    if kind == 1:
        total = total / (prod(g.shape_of(logs.value)) / classes)
    return call.cast(total.value, element)


@converts("quantile", "nanquantile")
def quantile(call: AtenCall) -> SSAValue:
    """A quantile along an axis, linear between the two nearest elements."""
    x = call["self"]
    q = call.real("q")
    if not call.has("dim"):
        x = call.reshaped(x, (prod(g.shape_of(x)),))
    axis = call.axis("dim", rank_of(x), 0)
    n = g.shape_of(x)[axis]
    ordered = call.build(g.GatherElementsOp, x, in_order(call, x, axis, False), axis=axis)
    at = q * (n - 1)
    low, high = int(np.floor(at)), int(np.ceil(at))
    a, b = (Term(call, cut(call, ordered, axis, each, each + 1)) for each in (low, high))
    made = a + (b - a) * (at - low) if high > low else a
    return call.reshaped(made.value, call.result().get_shape())
