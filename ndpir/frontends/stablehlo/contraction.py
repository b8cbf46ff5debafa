"""Products: dot_general and convolution, whose axes are told by numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import is_float
from ndpir.frontends.stablehlo.building import Building, converts
from ndpir.frontends.stablehlo.module import HloAttribute
from ndpir.frontends.stablehlo.movement import padded


@converts("dot_general")
def dot_general(b: Building, xs: list[SSAValue]) -> SSAValue:
    """Result: batch axes, then what is left of the one side and of the other (specification, dot_general). Operands are
    converted to the result's type, which holds all of theirs, and moved before: they are smaller then."""
    numbers = b.fields("dot_dimension_numbers")
    batch, sums = (
        [
            b.as_ints(f"{side}_{kind}_dimensions", numbers.get(f"{side}_{kind}_dimensions", []))
            for side in ("lhs", "rhs")
        ]
        for kind in ("batching", "contracting")
    )
    element = b.result().element_type
    left, turned_a = _matrix(b, xs[0], batch[0], sums[0], first=True)
    right, turned_b = _matrix(b, xs[1], batch[1], sums[1], first=False)
    left, right = b.cast(left, element), b.cast(right, element)
    y = b.add(g.MatmulOp, left, right, transpose_a=turned_a, transpose_b=turned_b)
    return b.reshaped(y, b.result().get_shape())


@converts("dot")
def dot(b: Building, xs: list[SSAValue]) -> SSAValue:
    """The product of vectors and matrices, as numpy's."""
    b.op.attributes["dot_dimension_numbers"] = {
        "lhs_contracting_dimensions": [len(g.shape_of(xs[0])) - 1],
        "rhs_contracting_dimensions": [0],
    }
    return dot_general(b, xs)


def _matrix(b: Building, x: SSAValue, batch: Sequence[int], sums: Sequence[int], first: bool) -> tuple[SSAValue, bool]:
    """`x` as [batch, free, summed], or turned, whichever takes no transpose, and whether it is turned. `first`: it is
    the left factor, whose summed axes come last where it is not turned."""
    shape = g.shape_of(x)
    free = [axis for axis in range(len(shape)) if axis not in batch and axis not in sums]
    straight, turned = ([*batch, *free, *sums], [*batch, *sums, *free])
    if not first:
        straight, turned = turned, straight
    is_turned = turned == sorted(turned) and straight != sorted(straight)
    x = b.transposed(x, turned if is_turned else straight)
    rows, depth = prod(shape[axis] for axis in free), prod(shape[axis] for axis in sums)
    sums_last = first != is_turned
    extents = [prod(shape[axis] for axis in batch)] if batch else []
    extents += [rows, depth] if sums_last else [depth, rows]
    return b.reshaped(x, extents), is_turned


@converts("convolution")
def convolution(b: Building, xs: list[SSAValue]) -> SSAValue:
    """Axes are put in ONNX's order ([N, C, spatial…]); zeros between elements of the image are padded in; groups of the
    batch become groups of features (specification, convolution)."""
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
        b.fail(f"`window_reversal` says of {spatial} axes whether they are reversed, or of all at once")
    reversal = reversal * spatial if len(reversal) == 1 else reversal
    w = b.reversed(w, [axis + 2 for axis, turned in enumerate(reversal) if turned])
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
    if not spatial:  # one pixel, and one tap
        x, w = (b.reshaped(each, (*g.shape_of(each), 1)) for each in (x, w))
        strides, dilations, low, high = (1,), (1,), [0], [0]
    x, w = b.cast(x, element), b.cast(w, element)
    window: dict[str, Any] = {"strides": strides, "pads": (*low, *high), "dilations": dilations, "groups": groups}
    y = b.add(g.ConvOp, x, w, **window) if is_float(element) else _of_integers(b, x, w, window, shape)
    y = y if spatial else b.reshaped(y, shape)
    return b.transposed(y, [order.index(axis) for axis in range(len(order))])


def _of_integers(b: Building, x: SSAValue, w: SSAValue, window: dict[str, Any], shape: Sequence[int]) -> SSAValue:
    """Windows as rows of a matrix, times the filters: `graph.conv` itself takes floating-point numbers."""
    groups, (m, c, *kernel) = window["groups"], g.shape_of(w)
    rows = b.add(g.Im2colOp, x, kernel=tuple(kernel), **window)
    filters = b.reshaped(w, (1, groups, m // groups, c * prod(kernel)))
    y = b.transposed(b.add(g.MatmulOp, rows, filters, transpose_b=True), (0, 1, 3, 2))
    return b.reshaped(y, shape)


def _layout(b: Building, found: HloAttribute | None) -> list[str]:
    """The axes as they stand: `b`, `f`, or the number of a spatial one."""
    if not isinstance(found, list):
        b.fail("`dimension_numbers` says the axes of input, kernel and output")
    return [str(each) for each in found]


def _order(b: Building, layout: list[str], *first: str) -> list[int]:
    """Where the axes of [first…, spatial…] stand."""
    names = [*first, *map(str, range(len(layout) - len(first)))]
    if sorted(names) != sorted(layout):
        b.fail(f"axes {', '.join(layout)} are not {', '.join(names)} in any order")
    return [layout.index(name) for name in names]
