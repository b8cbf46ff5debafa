"""Writers of matrix products, convolutions and attention as StableHLO."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import inf, prod, sqrt

import numpy as np
from xdsl.dialects.builtin import f32

from dialects import graph as g
from dialects.element_types import I1, I64, ElementType, dtype_of, is_float, tensor_type
from ndpir.writers.stablehlo.program import HloWriter, Written, integers, numbers_of, pairs, writer
from ndpir.writers.stablehlo.reduction import reduced, softmax, windowed


@writer.of(g.MatmulOp)
def matmul(w: HloWriter, op: g.MatmulOp) -> Written:
    """A `dot_general` with sums in at least f32, to which the bias is added before the result is rounded."""
    a, b, wide = w[op.a], w[op.b], sums_of(g.tensor_of(op.y).element_type)
    if op.bias is None:
        return multiplied(w, a, b, bool(op.transpose_a.value.data), bool(op.transpose_b.value.data))
    y = multiplied(w, a, b, bool(op.transpose_a.value.data), bool(op.transpose_b.value.data), wide)
    return w.cast(w.same("add", y, w.cast(w[op.bias], wide)), a.element)


@writer.of(g.RaggedMatmulOp)
def ragged_matmul(w: HloWriter, op: g.RaggedMatmulOp) -> Written:
    """A `dot_general` for each group; rows or summands of its factors that are outside of the group are set to zero.
    XLA has no ragged product for CPUs."""
    a, b, (groups, m, _, k) = w[op.a], w[op.b], op.extents
    transpose_a, transpose_b = bool(op.transpose_a.value.data), bool(op.transpose_b.value.data)
    if not groups:
        return w.broadcast_to(w.scalar(0, a.element), g.shape_of(op.y))
    sizes = w.cast(w[op.sizes], I64)
    ends = w.reshaped(windowed(w, sizes, "sum", [groups], [1], [1], [(groups - 1, 0)]), (groups, 1, 1))
    starts = w.same("subtract", ends, w.reshaped(sizes, (groups, 1, 1)))

    def masked(x: Written, count: int, axis: int) -> Written:
        at = _along(w, tuple(count if each == axis else 1 for each in range(3)), axis)
        inside = w.same("and", w.compared(at, starts, "ge"), w.compared(at, ends, "lt"))
        return w.selected(inside, x, w.scalar(0, x.element))

    if op.sums_in_groups:
        return multiplied(
            w, masked(a, k, 1 if transpose_a else 2), masked(b, k, 2 if transpose_b else 1), transpose_a, transpose_b
        )
    y = multiplied(w, masked(a, m, 2 if transpose_a else 1), b, transpose_a, transpose_b, sums_of(a.element))
    return w.cast(reduced(w, y, "sum", [0], keep=False), a.element)


def sums_of(element: ElementType) -> ElementType:
    """The element type in which products are summed: f32 for shorter floating-point types."""
    return f32 if is_float(element) and dtype_of(element).itemsize < 4 else element


def multiplied(
    w: HloWriter,
    a: Written,
    b: Written,
    transpose_a: bool = False,
    transpose_b: bool = False,
    element: ElementType | None = None,
) -> Written:
    """The matrix products of two batches of matrices, with batch axes broadcast as in numpy. `element`: the element
    type of the result if it is wider than that of the factors."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (w.broadcast_to(each, (*batch, *each.shape[-2:])) for each in (a, b))
    rank = len(batch)
    rows, columns = a.shape[rank + transpose_a], b.shape[rank + 1 - transpose_b]
    batches = list(range(rank))
    numbers = {
        "lhs_batching_dimensions": batches,
        "rhs_batching_dimensions": batches,
        "lhs_contracting_dimensions": [rank + 1 - transpose_a],
        "rhs_contracting_dimensions": [rank + transpose_b],
    }
    type_ = tensor_type((*batch, rows, columns), element or a.element)
    return w.op("dot_general", [a, b], type_, dot_dimension_numbers=numbers_of("dot", numbers))


@writer.of(g.ConvOp)
def conv(w: HloWriter, op: g.ConvOp) -> Written:
    x, wide = w[op.x], sums_of(g.tensor_of(op.y).element_type)
    y = convolved(w, x, w[op.w], op, tensor_type(g.shape_of(op.y), x.element if op.bias is None else wide))
    if op.bias is not None:
        y = w.same("add", y, w.spread(w.cast(w[op.bias], wide), y.shape, [1]))
    return w.cast(y, x.element)


def convolved(w: HloWriter, x: Written, filters: Written, op: g.ConvOp | g.QconvOp, type_: g.Tensor) -> Written:
    """The convolution of an image with filters by the window and the groups of an op."""
    strides, pads, dilations = op.window(op.kernel)
    space = ", ".join(map(str, range(len(strides))))
    return w.op(
        "convolution",
        [x, filters],
        type_,
        window_strides=integers(strides),
        padding=pairs(pads),
        rhs_dilation=integers(dilations),
        dimension_numbers=f"#stablehlo.conv<[b, f, {space}]x[o, i, {space}]->[b, f, {space}]>",
        feature_group_count=f"{op.groups.value.data} : i64",
        batch_group_count="1 : i64",
    )


@writer.of(g.Im2colOp)
def im2col(w: HloWriter, op: g.Im2colOp) -> Written:
    """Slices of the padded image, one slice for each position in the window, concatenated."""
    x, kernel, groups = w[op.x], tuple(op.kernel.get_values()), op.groups.value.data
    strides, pads, dilations = op.window(kernel)
    (n, c, *image) = x.shape
    extents = op.spatial(tuple(image), kernel)
    padded = w.padded(x, [0, 0, *(low for low, _ in pads)], [0, 0, *(high for _, high in pads)], 0)
    taps: list[Written] = []
    for at in product(*map(range, kernel)):
        starts = [place * dilation for place, dilation in zip(at, dilations, strict=True)]
        ends = [start + (count - 1) * stride + 1 for start, count, stride in zip(starts, extents, strides, strict=True)]
        seen = w.sliced(padded, [0, 0, *starts], [n, c, *ends], [1, 1, *strides])
        taps.append(w.reshaped(seen, (n, groups, c // groups, 1, prod(extents))))
    rows = w.transposed(w.joined(taps, 3), (0, 1, 4, 2, 3))
    return w.reshaped(rows, g.shape_of(op.y))


@writer.of(g.AttentionOp)
def attention(w: HloWriter, op: g.AttentionOp) -> Written:
    """Attention as matrix products and a softmax; query heads that share keys are merged into the axis of queries."""
    q, k, v = (w[value] for value in (op.q, op.k, op.v))
    (batch, heads, length, depth), (_, groups, keys, width) = q.shape, v.shape
    element, wide = q.element, sums_of(q.element)
    scale, cap = op.scale.value.data or 1 / sqrt(max(depth, 1)), op.softcap.value.data
    shared = w.reshaped(q, (batch, groups, heads // groups * length, depth))
    scores = w.with_scalar("multiply", multiplied(w, shared, k, transpose_b=True, element=wide), scale)
    if cap > 0:
        scores = w.with_scalar("multiply", w.same("tanh", w.with_scalar("divide", scores, cap)), cap)
    scores = w.reshaped(scores, (batch, heads, length, keys))
    lowest = w.scalar(-inf, wide)
    if op.mask is not None:
        mask = w[op.mask]
        scores = w.selected(mask, scores, lowest) if mask.element == I1 else w.same("add", scores, w.cast(mask, wide))
    for seen in _seen(w, op):
        scores = w.selected(seen, scores, lowest)
    if op.sink_scores is not None:
        sinks = w.reshaped(w.cast(w[op.sink_scores], wide), (1, heads, 1, 1))
        scores = w.joined([scores, w.broadcast_to(sinks, (batch, heads, length, 1))], 3)
        weights = w.sliced(softmax(w, scores, 3), [0] * 4, [batch, heads, length, keys])
    else:
        weights = softmax(w, scores, 3)
    if op.unseen.data != "nans" and op.sink_scores is None:  # a query without visible keys
        blind = w.compared(reduced(w, scores, "max", [3], keep=True), lowest, "eq")
        weights = w.selected(blind, w.scalar(1 / max(keys, 1) if op.unseen.data == "mean" else 0, wide), weights)
    weights = w.reshaped(weights, (batch, groups, heads // groups * length, keys))
    found = multiplied(w, weights, w.cast(v, wide))
    return w.reshaped(w.cast(found, element), (batch, heads, length, width))


def _seen(w: HloWriter, op: g.AttentionOp) -> Iterator[Written]:
    """The conditions apart from the mask under which a query sees a key."""
    length, keys, window = g.shape_of(op.q)[2], g.shape_of(op.k)[2], op.window.value.data
    if op.causal.value.data or window:
        at = [_along(w, (length, keys), axis) for axis in (0, 1)]
        if op.causal.value.data:
            yield w.compared(at[1], w.with_scalar("add", at[0], keys - length), "le")
        if window:
            yield w.compared(at[1], w.with_scalar("add", at[0], keys - length - window), "gt")
    if op.lengths is not None:
        counts = w.cast(w[op.lengths], I64)
        yield w.compared(_along(w, (1, 1, 1, keys), 3), w.reshaped(counts, (*counts.shape, 1, 1, 1)), "lt")


def _along(w: HloWriter, shape: tuple[int, ...], axis: int) -> Written:
    """The coordinate of each element along an axis of a tensor with the given shape."""
    return w.op("iota", [], tensor_type(shape, I64), iota_dimension=f"{axis} : i64")
