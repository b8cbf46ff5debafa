"""Converters for matrix products and convolutions whose axes are named by their indices: dot_general, ragged_dot and
convolution."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of, is_float
from ndpir.frontends.padding import padded
from ndpir.frontends.products import as_matrix, product
from ndpir.frontends.stablehlo.building import Building, converts
from ndpir.frontends.stablehlo.module import HloAttribute


@converts("dot_general")
def dot_general(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.matmul`, with result axes [batch, free axes of the left operand, free axes of the right operand]
    (specification, dot_general). If the result's element type is wider, operands are converted to it after their
    transposes, so that transposes move fewer bytes."""
    numbers = b.fields("dot_dimension_numbers")
    batch, sums = (
        [
            b.as_ints(f"{side}_{kind}_dimensions", numbers.get(f"{side}_{kind}_dimensions", []))
            for side in ("lhs", "rhs")
        ]
        for kind in ("batching", "contracting")
    )
    y = product(b, xs[0], xs[1], batch, sums, b.result().element_type)
    return b.reshaped(y, b.result().get_shape())


@converts("dot")
def dot(b: Building, xs: list[SSAValue]) -> SSAValue:
    """The product of vectors or matrices, with the axes of numpy's dot."""
    b.op.attributes["dot_dimension_numbers"] = {
        "lhs_contracting_dimensions": [len(g.shape_of(xs[0])) - 1],
        "rhs_contracting_dimensions": [0],
    }
    return dot_general(b, xs)


@converts("chlo.ragged_dot")
def ragged_dot(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.ragged_matmul`, a separate op for each batch element, if the groups are along a free or a summed axis of
    the left operand. Groups along a batch axis are equivalent to a dot_general."""
    numbers = b.fields("ragged_dot_dimension_numbers")

    def axes(name: str) -> list[int]:
        return list(b.as_ints(name, numbers.get(name, [])))

    batch, sums = (
        [axes(f"{side}_{kind}_dimensions") for side in ("lhs", "rhs")] for kind in ("batching", "contracting")
    )
    (ragged,), group = axes("lhs_ragged_dimensions"), axes("rhs_group_dimensions")
    if ragged in batch[0]:
        b.op.attributes["dot_dimension_numbers"] = numbers
        return dot_general(b, xs[:2])
    element, sizes = b.result().element_type, xs[2]
    shapes = [g.shape_of(x) for x in xs[:2]]
    free = [
        [axis for axis in range(len(shape)) if axis not in (*batch[side], *sums[side], *([] if side == 0 else group))]
        for side, shape in enumerate(shapes)
    ]
    in_sums = ragged in sums[0]
    if in_sums:  # the axis with the groups comes first among the summed axes
        at = sums[0].index(ragged)
        sums = [[each[at], *each[:at], *each[at + 1 :]] for each in sums]
    else:
        free[0] = sorted(free[0], key=lambda axis: axis != ragged)
    extents = [[shape[axis] for axis in each] for shape, each in zip(shapes, free, strict=True)]
    many = [shapes[0][axis] for axis in batch[0]]
    groups = g.shape_of(sizes)[-1]
    if g.shape_of(sizes) not in ((groups,), (*many, groups)):
        b.fail(
            f"the group sizes are {sizes.type}, but must be {groups} sizes in all, or {groups} for each batch element"
        )
    within = prod(shapes[0][axis] for axis in (sums[0] if in_sums else free[0])[1:])
    if within != 1:
        count = b.constant(np.array(within, dtype_of(g.tensor_of(sizes).element_type)))
        sizes = b.build(g.MulOp, sizes, count)
    left, transpose_a = as_matrix(b, b.cast(xs[0], element), batch[0], sums[0], free[0], first=True)
    right, transpose_b = as_matrix(b, b.cast(xs[1], element), [*batch[1], *group], sums[1], free[1], first=False)

    def of_batch(x: SSAValue, at: int, shape: Sequence[int]) -> SSAValue:
        """One batch element of `x`."""
        batches = b.reshaped(x, (prod(many), *shape))
        sliced = b.sliced(batches, (at, *(0 for _ in shape)), (at + 1, *shape))
        return b.reshaped(sliced, shape)

    found: list[SSAValue] = []
    for at in range(prod(many)):
        a = of_batch(left, at, g.shape_of(left)[-2:])
        factor = of_batch(right, at, (*([] if in_sums else [groups]), *g.shape_of(right)[-2:]))
        own = sizes if len(g.shape_of(sizes)) == 1 else of_batch(sizes, at, (groups,))
        y = b.build(g.RaggedMatmulOp, a, factor, own, transpose_a=transpose_a, transpose_b=transpose_b)
        if len(many):
            y = b.reshaped(y, (*([groups] if in_sums else []), 1, *g.shape_of(y)[-2:]))
        found.append(y)
    y = found[0] if len(found) == 1 else b.build(g.ConcatOp, *found, axis=1 if in_sums else 0)
    y = b.reshaped(y, (*([groups] if in_sums else []), *many, *extents[0], *extents[1]))
    if in_sums:
        return y
    back = [len(many) + free[0].index(axis) for axis in sorted(free[0])]
    return b.transposed(y, [*range(len(many)), *back, *range(len(many) + len(back), len(g.shape_of(y)))])


@converts("convolution")
def convolution(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.conv`: axes are transposed to ONNX's order ([N, C, spatial…]), dilation of the image becomes padding
    between its elements, and batch groups become feature groups (specification, convolution)."""
    x, w = xs
    layouts = b.fields("dimension_numbers")
    image, kernel, result = (_layout(b, layouts.get(key)) for key in ("input", "kernel", "output"))
    x = b.transposed(x, _order(b, image, "b", "f"))
    w = b.transposed(w, _order(b, kernel, "o", "i"))
    spatial = len(g.shape_of(x)) - 2
    ones = (1,) * spatial
    strides, spread, dilations = (b.ints(key, ones) for key in ("window_strides", "lhs_dilation", "rhs_dilation"))
    pads = b.pairs("padding", spatial)
    reversal = b.op.attributes.get("window_reversal", [False] * spatial)
    if not isinstance(reversal, list) or len(reversal) not in (1, spatial):
        b.fail(
            f"`window_reversal` must be a list with one value for each of {spatial} spatial axes, or one value for "
            f"all, not {reversal}"
        )
    reversal = reversal * spatial if len(reversal) == 1 else reversal
    w = b.reversed(w, [axis + 2 for axis, is_reversed in enumerate(reversal) if is_reversed])
    low, high = [low for low, _ in pads], [high for _, high in pads]
    if any(n > 1 for n in spread) or min((*low, *high), default=0) < 0:
        x = padded(b, x, (0, 0, *low), (0, 0, *high), (0, 0, *(n - 1 for n in spread)))
        low = high = [0] * spatial
    groups, batches = b.integer("feature_group_count", 1), b.integer("batch_group_count", 1)
    if batches > 1:
        n, c, *extents = g.shape_of(x)
        apart = b.reshaped(x, (batches, n // batches, c, *extents))
        order = (1, 0, *range(2, 3 + spatial))
        x = b.reshaped(b.transposed(apart, order), (n // batches, batches * c, *extents))
        groups = batches
    element, order = b.result().element_type, _order(b, result, "b", "f")
    shape = [b.result().get_shape()[axis] for axis in order]
    if not spatial:  # treat it as an image of one pixel
        x, w = (b.reshaped(each, (*g.shape_of(each), 1)) for each in (x, w))
        strides, dilations, low, high = (1,), (1,), [0], [0]
    x, w = b.cast(x, element), b.cast(w, element)
    window: dict[str, Any] = {"strides": strides, "pads": (*low, *high), "dilations": dilations, "groups": groups}
    y = b.build(g.ConvOp, x, w, **window) if is_float(element) else _of_integers(b, x, w, window, shape)
    y = y if spatial else b.reshaped(y, shape)
    return b.transposed(y, [order.index(axis) for axis in range(len(order))])


def _of_integers(b: Building, x: SSAValue, w: SSAValue, window: dict[str, Any], shape: Sequence[int]) -> SSAValue:
    """A convolution of integers, computed as a matrix product: each row of the left factor is a window of the image,
    the right factor has the filters. `graph.conv` takes floating-point numbers only."""
    groups, (m, c, *kernel) = window["groups"], g.shape_of(w)
    rows = b.build(g.Im2colOp, x, kernel=tuple(kernel), **window)
    filters = b.reshaped(w, (1, groups, m // groups, c * prod(kernel)))
    y = b.transposed(b.build(g.MatmulOp, rows, filters, transpose_b=True), (0, 1, 3, 2))
    return b.reshaped(y, shape)


def _layout(b: Building, found: HloAttribute | None) -> list[str]:
    """The axes of a tensor in order, each as `b`, `f`, `i`, `o`, or the index of a spatial axis."""
    if not isinstance(found, list):
        b.fail(f"`dimension_numbers` must list the axes of input, kernel and output, not be {found}")
    return [str(each) for each in found]


def _order(b: Building, layout: list[str], *first: str) -> list[int]:
    """The positions in `layout` of the axes `first`, and then of the spatial axes in order."""
    names = [*first, *map(str, range(len(layout) - len(first)))]
    if sorted(names) != sorted(layout):
        b.fail(f"the axes in `dimension_numbers` are {', '.join(layout)}, but must be {', '.join(names)} in any order")
    return [layout.index(name) for name in names]
