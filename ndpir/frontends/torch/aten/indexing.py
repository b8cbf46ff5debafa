"""Converters of operators that read or write elements at computed places: gather, scatter, index, embedding, sort."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, element_type_named, is_float, tensor_type
from ndpir.frontends.torch.aten.elementwise import floor_quotient, number_in
from ndpir.frontends.torch.aten.movement import cut
from ndpir.frontends.torch.call import I64, AtenCall, converts, element_of, rank_of
from ndpir.frontends.torch.views import put, slice_bounds

I32 = element_type_named("i32")


@converts("embedding")
def embedding(call: AtenCall) -> SSAValue:
    return call.build(g.GatherOp, call["weight"], call["indices"], axis=0)


@converts("index_select")
def index_select(call: AtenCall) -> SSAValue:
    x, index = call["self"], call["index"]
    if not rank_of(x):
        return x
    return call.build(
        g.GatherOp, x, call.reshaped(index, (prod(g.shape_of(index)),)), axis=call.axis("dim", rank_of(x))
    )


@converts("gather")
def gather(call: AtenCall) -> SSAValue:
    x, index = call["self"], call["index"]
    if not rank_of(x):
        return call.reshaped(x, g.shape_of(index))
    if not prod(g.shape_of(index)):
        return call.splat(0, call.result())
    return call.build(g.GatherElementsOp, x, index, axis=call.axis("dim", rank_of(x)))


@converts("take")
def take(call: AtenCall) -> SSAValue:
    x = call["self"]
    return call.build(g.GatherOp, call.reshaped(x, (prod(g.shape_of(x)),)), call["index"], axis=0)


@converts("take_along_dim")
def take_along_dim(call: AtenCall) -> SSAValue:
    x, index = call["self"], call["indices"]
    if not call.has("dim"):
        return call.build(
            g.GatherElementsOp,
            call.reshaped(x, (prod(g.shape_of(x)),)),
            call.reshaped(index, (prod(g.shape_of(index)),)),
            axis=0,
        )
    axis = call.axis("dim", rank_of(x))
    pairs = list(zip(g.shape_of(x), g.shape_of(index), strict=True))
    shape = [max(a, b) if 0 not in (a, b) else 0 for a, b in pairs]
    x = call.broadcast_to(x, [g.shape_of(x)[at] if at == axis else n for at, n in enumerate(shape)])
    index = call.broadcast_to(index, [g.shape_of(index)[at] if at == axis else n for at, n in enumerate(shape)])
    return call.build(g.GatherElementsOp, x, index, axis=axis)


# Indices in brackets.


def _indexed(call: AtenCall, x: SSAValue) -> tuple[list[int], list[SSAValue]]:
    """The axes that an index in brackets addresses, and the indices of each, broadcast to one shape. A mask of truth
    values must be known now, since the shape of the result depends on it."""
    axes: list[int] = []
    found: list[SSAValue] = []
    at = 0
    for index in call.maybe_tensors("indices"):
        if index is None:
            at += 1
            continue
        if element_of(index) in (I1, element_type_named("ui8")):
            call.fail("an index of truth values selects as many elements as are true; write it with torch.where")
        axes.append(at)
        found.append(index)
        at += 1
    shape = np.broadcast_shapes(*(g.shape_of(index) for index in found))
    return axes, [call.broadcast_to(call.cast(index, I64), shape) for index in found]


@converts("_unsafe_masked_index")
def masked_index(call: AtenCall) -> SSAValue:
    """Elements at indices where a mask is true, and a number elsewhere; the indices are clamped."""
    x, mask = call["self"], call["mask"]
    axes, indices = _indexed(call, x)
    extents = [g.shape_of(x)[axis] for axis in axes]
    inside = [
        call.build(g.MinOp, call.build(g.MaxOp, each, call.number(0, I64)), call.number(n - 1, I64))
        for each, n in zip(indices, extents, strict=True)
    ]
    made = _picked(call, x, axes, inside)
    return call.build(g.SelectOp, mask, made, call.reshaped(number_in(call, "fill", element_of(x)), ()))


@converts("index", "_unsafe_index")
def index(call: AtenCall) -> SSAValue:
    """Elements at indices: a gather along one axis if one is indexed, else of index vectors."""
    x = call["self"]
    axes, indices = _indexed(call, x)
    return _picked(call, x, axes, indices) if axes else x


def _picked(call: AtenCall, x: SSAValue, axes: Sequence[int], indices: Sequence[SSAValue]) -> SSAValue:
    apart = any(after != before + 1 for before, after in pairwise(axes))
    width = rank_of(indices[0])
    if len(axes) == 1:
        return call.build(g.GatherOp, x, indices[0], axis=axes[0])
    rest = [axis for axis in range(rank_of(x)) if axis not in axes]
    moved = call.transposed(x, [*axes, *rest])
    vectors = [call.reshaped(each, (*g.shape_of(each), 1)) for each in indices]
    made = call.build(g.GatherNdOp, moved, call.build(g.ConcatOp, *vectors, axis=width))
    if apart or axes[0] == 0:
        return made
    # The new axes stand in the place of the indexed ones.
    before = axes[0]
    order = [*range(width, width + before), *range(width), *range(width + before, rank_of(made))]
    return call.transposed(made, order)


@converts("index_put", "_unsafe_index_put", "index_put_", "_index_put_impl", "_index_put_impl_")
def index_put(call: AtenCall) -> SSAValue:
    """Elements at indices set, or added to. A mask of truth values with one number is a choice."""
    x, accumulate = call["self"], call.flag("accumulate")
    values = call.cast(call["values"], element_of(x))
    given = call.maybe_tensors("indices")
    masks = [each for each in given if each is not None]
    if len(masks) == 1 and element_of(masks[0]) == I1:
        return _put_mask(call, x, given, values, accumulate)
    axes, indices = _indexed(call, x)
    if not axes:
        value = call.broadcast_to(values, g.shape_of(x))
        return call.build(g.AddOp, x, value) if accumulate else value
    rest = [axis for axis in range(rank_of(x)) if axis not in axes]
    order = [*axes, *rest]
    width, picked = rank_of(indices[0]), g.shape_of(indices[0])
    kept = [g.shape_of(x)[axis] for axis in rest]
    apart = any(after != before + 1 for before, after in pairwise(axes))
    first = 0 if apart else axes[0]
    written = [*kept[:first], *picked, *kept[first:]]
    values = call.broadcast_to(values, written)
    if first:
        values = call.transposed(
            values, [*range(first, first + width), *range(first), *range(first + width, len(written))]
        )
    vectors = [call.reshaped(each, (*picked, 1)) for each in indices]
    joined = call.build(g.ConcatOp, *vectors, axis=width) if len(vectors) > 1 else vectors[0]
    moved = call.transposed(x, order)
    made = call.build(g.ScatterNdOp, moved, joined, values, kind="add" if accumulate else "set")
    return call.transposed(made, np.argsort(order).tolist())


def _put_mask(
    call: AtenCall, x: SSAValue, given: Sequence[SSAValue | None], values: SSAValue, accumulate: bool
) -> SSAValue:
    at = next(at for at, each in enumerate(given) if each is not None)
    mask = given[at]
    assert mask is not None
    if prod(g.shape_of(values)) != 1:
        call.fail("a mask that takes as many numbers as are true is not supported; write it with torch.where")
    shape = g.shape_of(x)
    mask = call.reshaped(mask, (*(1,) * at, *g.shape_of(mask), *(1,) * (len(shape) - at - rank_of(mask))))
    value = call.reshaped(values, ())
    new = call.build(g.AddOp, x, value) if accumulate else value
    return call.build(g.SelectOp, mask, new, x)


# Scatters.


@converts("scatter", "scatter_add", "scatter_reduce")
def scatter(call: AtenCall) -> SSAValue:
    """Single elements set, added, multiplied, or combined by a minimum or maximum."""
    x, index = call["self"], call["index"]
    element = element_of(x)
    word = call.word("reduce", "add" if call.node.op == "aten.scatter_add" else "set")
    kind = {"sum": "add", "prod": "mul", "multiply": "mul", "amax": "max", "amin": "min"}.get(word, word)
    if not prod(g.shape_of(index)):
        return x
    name = "src" if call.has("src") else "value"
    source = number_in(call, name, element)
    scalar = not rank_of(x)
    if scalar:
        x, index = call.reshaped(x, (1,)), call.reshaped(index, (1,))
        source = call.reshaped(source, (1,))
    shape = g.shape_of(index)
    source = call.broadcast_to(source, shape) if name == "value" else call.sliced(source, [0] * len(shape), shape)
    axis = call.axis("dim", rank_of(x))
    if not call.flag("include_self", True) or kind == "mean":
        made = _reduced_alone(call, x, index, source, axis, kind)
        return call.reshaped(made, ()) if scalar else made
    if element == I1 and kind == "add":
        kind = "or"
    made = call.build(g.ScatterElementsOp, x, index, source, kind=kind, axis=axis)
    return call.reshaped(made, ()) if scalar else made


def _reduced_alone(call: AtenCall, x: SSAValue, index: SSAValue, source: SSAValue, axis: int, kind: str) -> SSAValue:
    """A scatter whose updates are combined without the element that stands at their place, or with a mean."""
    element, include = element_of(x), call.flag("include_self", True)
    one = call.splat(1, tensor_type(g.shape_of(index), element))
    hits = call.splat(1 if include else 0, g.tensor_of(x))
    hits = call.build(g.ScatterElementsOp, hits, index, one, kind="add", axis=axis)
    start = {"add": 0, "mean": 0, "mul": 1, "max": -np.inf, "min": np.inf}[kind]
    if kind in ("max", "min") and not str(element).startswith(("f", "bf")):
        from dialects.element_types import integer_limits

        start = integer_limits(element)[0 if kind == "max" else 1]  # pyright: ignore[reportArgumentType]
    base = x if include else call.splat(start, g.tensor_of(x))
    made = call.build(g.ScatterElementsOp, base, index, source, kind="add" if kind == "mean" else kind, axis=axis)
    if kind == "mean":
        count = call.build(g.MaxOp, hits, call.number(1, element))
        made = call.build(g.DivOp, made, count) if is_float(element) else floor_quotient(call, made, count)
    none = call.build(g.CompareOp, hits, call.number(0, element), kind="eq")
    return call.build(g.SelectOp, none, x, made)


@converts("index_add", "index_copy", "index_fill", "index_reduce")
def index_add(call: AtenCall) -> SSAValue:
    """Slices along an axis at indices: added to, set, or filled."""
    x, index = call["self"], call["index"]
    scalar = not rank_of(x)
    x = call.reshaped(x, (1,)) if scalar else x
    axis = call.axis("dim", rank_of(x))
    kind = {"aten.index_add": "add", "aten.index_copy": "set", "aten.index_fill": "set"}.get(call.node.op)
    if kind is None:
        kind = {"prod": "mul", "amax": "max", "amin": "min"}.get(call.word("reduce")) or call.fail(
            "a mean is not supported"
        )
    index = call.reshaped(index, (prod(g.shape_of(index)),))
    shape = [prod(g.shape_of(index)) if at == axis else n for at, n in enumerate(g.shape_of(x))]
    if call.node.op == "aten.index_fill":
        source = call.broadcast_to(call.reshaped(number_in(call, "value", element_of(x)), ()), shape)
    else:
        source = call.reshaped(call.cast(call["source"], element_of(x)), shape)
    alpha = call.plain(call.get("alpha"))
    if alpha not in (None, 1):
        source = call.build(g.MulOp, source, call.number(alpha, element_of(x)))
    order = [axis, *(at for at in range(rank_of(x)) if at != axis)]
    vectors = call.reshaped(index, (*g.shape_of(index), 1))
    made = call.build(g.ScatterNdOp, call.transposed(x, order), vectors, call.transposed(source, order), kind=kind)
    return call.reshaped(call.transposed(made, np.argsort(order).tolist()), () if scalar else g.shape_of(x))


@converts("slice_scatter")
def slice_scatter(call: AtenCall) -> SSAValue:
    x = call["self"]
    axis = call.axis("dim", rank_of(x), 0)
    start, end, step = slice_bounds(call, g.shape_of(x)[axis])
    places = range(start, end, step)
    shape = [len(places) if at == axis else n for at, n in enumerate(g.shape_of(x))]
    return put(call, x, call.broadcast_to(call.cast(call["src"], element_of(x)), shape), axis, places)


@converts("select_scatter")
def select_scatter(call: AtenCall) -> SSAValue:
    x = call["self"]
    shape = g.shape_of(x)
    axis = call.axis("dim", len(shape))
    at = call.integer("index") % max(shape[axis], 1)
    one = call.reshaped(call["src"], [1 if each == axis else n for each, n in enumerate(shape)])
    return put(call, x, one, axis, range(at, at + 1))


@converts("diagonal_scatter")
def diagonal_scatter(call: AtenCall) -> SSAValue:
    x, source = call["self"], call["src"]
    if rank_of(x) != 2:
        call.fail("a diagonal is set in matrices only; write it with torch.where")
    offset = call.integer("offset", 0)
    n = g.shape_of(source)[0]
    places = np.arange(n)[:, None] + np.array([max(-offset, 0), max(offset, 0)])
    return call.build(g.ScatterNdOp, x, call.constant(places.astype(np.int64)), source, kind="set")


@converts("masked_scatter")
def masked_scatter(call: AtenCall) -> SSAValue:
    """The elements of the source, in order, at the places where the mask is true."""
    x = call["self"]
    mask = call.broadcast_to(call["mask"], g.shape_of(x))
    flat = call.reshaped(mask, (prod(g.shape_of(x)),))
    numbers = call.build(g.CumsumOp, call.cast(flat, I64), axis=0, exclusive=True)
    source = call["source"]
    count = prod(g.shape_of(source))
    numbers = call.build(g.MinOp, numbers, call.number(max(count - 1, 0), I64))
    taken = call.build(g.GatherOp, call.reshaped(source, (count,)), numbers, axis=0)
    return call.build(g.SelectOp, mask, call.reshaped(call.cast(taken, element_of(x)), g.shape_of(x)), x)


# Order.


@converts("sort", "argsort", "msort")
def sort(call: AtenCall) -> list[SSAValue]:
    x = call["self"]
    if not rank_of(x):
        zero = call.number(0, I64)
        return [zero] if call.node.op == "aten.argsort" else [x, zero]
    axis = call.axis("dim", rank_of(x), 0 if call.node.op == "aten.msort" else -1)
    places = in_order(call, x, axis, call.flag("descending"))
    if call.node.op == "aten.argsort":
        return [call.cast(places, I64)]
    values = call.build(g.GatherElementsOp, x, places, axis=axis)
    return [values] if call.node.op == "aten.msort" else [values, call.cast(places, I64)]


def in_order(call: AtenCall, x: SSAValue, axis: int, descending: bool) -> SSAValue:
    wide = call.cast(x, element_type_named("ui8")) if element_of(x) == I1 else x
    return call.build(g.ArgsortOp, wide, axis=axis, descending=True if descending else None)


@converts("topk")
def topk(call: AtenCall) -> list[SSAValue]:
    x, k = call["self"], call.integer("k")
    if not rank_of(x):
        return [x, call.number(0, I64)]
    axis = call.axis("dim", rank_of(x), -1)
    places = cut(call, in_order(call, x, axis, call.flag("largest", True)), axis, 0, k)
    return [call.build(g.GatherElementsOp, x, places, axis=axis), call.cast(places, I64)]


@converts("kthvalue", "median.dim", "nanmedian.dim")
def kthvalue(call: AtenCall) -> list[SSAValue]:
    x = call["self"]
    axis = call.axis("dim", rank_of(x), -1)
    n = g.shape_of(x)[axis]
    k = call.integer("k") if call.node.op == "aten.kthvalue" else (n + 1) // 2
    places = cut(call, in_order(call, x, axis, False), axis, k - 1, k)
    values = call.build(g.GatherElementsOp, x, places, axis=axis)
    shape = [each for at, each in enumerate(g.shape_of(values)) if at != axis or call.flag("keepdim")]
    return [call.reshaped(values, shape), call.reshaped(call.cast(places, I64), shape)]


@converts("median.default")
def median(call: AtenCall) -> SSAValue:
    x = call["self"]
    n = prod(g.shape_of(x))
    flat = call.reshaped(x, (n,))
    places = cut(call, in_order(call, flat, 0, False), 0, (n - 1) // 2, (n - 1) // 2 + 1)
    return call.reshaped(call.build(g.GatherElementsOp, flat, places, axis=0), ())


@converts("searchsorted", "bucketize")
def searchsorted(call: AtenCall) -> SSAValue:
    """The number of boundaries below each value."""
    bounds = call["sorted_sequence" if call.has("sorted_sequence") else "boundaries"]
    values = call["self"]
    right = call.flag("right") or call.word("side") == "right"
    if rank_of(bounds) != 1:
        shape = g.shape_of(values)
        edges = call.reshaped(bounds, (*shape[:-1], 1, g.shape_of(bounds)[-1]))
    else:
        edges = bounds
    from ndpir.frontends.torch.promotion import join

    element = join(element_of(values), element_of(bounds))
    apart = call.cast(call.reshaped(values, (*g.shape_of(values), 1)), element)
    below = call.build(g.CompareOp, call.cast(edges, element), apart, kind="le" if right else "lt")
    counted = call.build(g.ReduceOp, call.cast(below, I64), kind="sum", axes=(rank_of(below) - 1,))
    return call.cast(counted, I32 if call.flag("out_int32") else I64)


@converts("one_hot")
def one_hot(call: AtenCall) -> SSAValue:
    x, shape = call["self"], call.result().get_shape()
    classes = call.along(len(shape) - 1, shape, I64)
    hit = call.build(g.CompareOp, call.reshaped(x, (*g.shape_of(x), 1)), classes, kind="eq")
    return call.cast(hit, I64)


@converts("embedding_bag", "_embedding_bag", "_embedding_bag_forward_only")
def embedding_bag(call: AtenCall) -> list[SSAValue | None]:
    """Sums or means of rows of a table, one for each bag: bags of equal lengths, or given by where each begins."""
    weight, indices = call["weight"], call["indices"]
    offsets = call["offsets"]
    mode, width = call.integer("mode", 0), g.shape_of(weight)[1]
    if mode == 2:
        call.fail("the maximum of bags is not supported; sum them, or take the mean")
    count, bags = g.shape_of(indices)[0], g.shape_of(offsets)[0] - call.flag("include_last_offset")
    rows = call.build(g.GatherOp, weight, indices, axis=0)
    if call.has("per_sample_weights"):
        rows = call.build(g.MulOp, rows, call.reshaped(call["per_sample_weights"], (count, 1)))
    starts = cut(call, offsets, 0, 0, bags)
    at = call.along(0, (count, bags), element_of(starts))
    begun = call.build(g.CompareOp, call.reshaped(starts, (1, bags)), at, kind="le")
    bag = call.build(g.ReduceOp, call.cast(begun, I64), kind="sum", axes=(1,))
    bag = call.reshaped(call.build(g.SubOp, bag, call.number(1, I64)), (count, 1))
    zeros = call.splat(0, tensor_type((bags, width), element_of(weight)))
    total = call.build(g.ScatterNdOp, zeros, bag, rows, kind="add")
    if mode == 1:
        ones = call.splat(1, tensor_type((count, 1), element_of(weight)))
        sizes = call.build(
            g.ScatterNdOp, call.splat(0, tensor_type((bags, 1), element_of(weight))), bag, ones, kind="add"
        )
        total = call.build(g.DivOp, total, call.build(g.MaxOp, sizes, call.number(1, element_of(weight))))
    return [total]
