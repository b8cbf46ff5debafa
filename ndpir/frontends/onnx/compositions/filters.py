"""Operators of sliding windows beside convolutions and poolings: transposed convolution, Lp pooling, and the ways back
from windows to an image."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as combinations
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.compositions.activations import widened
from ndpir.frontends.onnx.compositions.reductions import root
from ndpir.frontends.onnx.contraction import window
from ndpir.frontends.onnx.operators import OnnxNode, element_of, handles, rank_of
from ndpir.frontends.padding import padded


@handles("ConvTranspose", newest=22)
def conv_transpose(node: OnnxNode) -> SSAValue:
    """A convolution with a filter for each position between elements of the image, whose channels then become blocks of
    the result (Shi et al., Is the deconvolution layer the same as a convolutional layer?, 2016): no multiplication with
    the zeros between elements."""
    x, w, groups = node[0], node[1], node.integer("group")
    n, c, image = node.image()
    if rank_of(w) != rank_of(x) or groups < 1 or c % groups or g.shape_of(w)[0] != c:
        node.fail(f"the operands must be [N, C, spatial…] and [C, M / groups, kernel…], not {x.type} and {w.type}")
    spatial, each, kernel = len(image), g.shape_of(w)[1], g.shape_of(w)[2:]
    if (stated := node.integer_list("kernel_shape")) not in (None, kernel):
        node.fail(f"`kernel_shape` is {stated}, but the filters have the shape {g.shape_of(w)}; correct one of the two")
    strides, dilations = (node.integer_list(name) or (1,) * spatial for name in ("strides", "dilations"))
    if len(strides) != spatial or len(dilations) != spatial or min((*strides, *dilations)) < 1:
        node.fail(f"{spatial} axes need strides and dilations of at least 1, not {list(strides)} and {list(dilations)}")
    low, extents = _placed(node, image, kernel, strides, dilations)

    def along(widths: Sequence[int]) -> tuple[int, ...]:
        return 0, 0, *widths

    w = padded(node, w, along([0] * spatial), along([0] * spatial), along([each - 1 for each in dilations]))
    counts = [-(-k // stride) for k, stride in zip(g.shape_of(w)[2:], strides, strict=True)]
    ends = [count * stride - k for count, stride, k in zip(counts, strides, g.shape_of(w)[2:], strict=True)]
    w = padded(node, w, along([0] * spatial), along(ends), along([0] * spatial))
    pairs = [part for pair in zip(counts, strides, strict=True) for part in pair]
    w = node.reshaped(w, (groups, c // groups, each, *pairs))
    taps, places = [3 + 2 * at for at in range(spatial)], [4 + 2 * at for at in range(spatial)]
    w = node.transposed(w, [0, 2, *places, 1, *taps])
    w = node.reshaped(w, (groups * each * prod(strides), c // groups, *counts))
    w = node.reversed(w, range(2, 2 + spatial))
    pads = [count - 1 for count in counts]
    y = node.build(g.ConvOp, x, w, pads=(*pads, *pads) if any(pads) else None, groups=groups)
    blocks = g.shape_of(y)[2:]
    y = node.reshaped(y, (n, groups * each, *strides, *blocks))
    order = [axis for at in range(spatial) for axis in (2 + spatial + at, 2 + at)]
    y = node.transposed(y, [0, 1, *order])
    full = [count * stride for count, stride in zip(blocks, strides, strict=True)]
    y = node.reshaped(y, (n, groups * each, *full))
    high = [extent + first - size for extent, first, size in zip(extents, low, full, strict=True)]
    y = padded(node, y, along([-first for first in low]), along(high), along([0] * spatial))
    if node.get(2) is None:
        return y
    if g.shape_of(node[2]) != (groups * each,):
        node.fail(f"the bias must have the shape [{groups * each}], not {list(g.shape_of(node[2]))}")
    return node.build(g.AddOp, y, node.reshaped(node[2], (groups * each, *(1,) * spatial)))


def _placed(
    node: OnnxNode, image: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> tuple[list[int], list[int]]:
    """The pads at the beginning of each axis, and the extents of the result."""
    spatial = len(image)
    added = node.integer_list("output_padding") or (0,) * spatial
    pads = node.integer_list("pads") or (0,) * (2 * spatial)
    wanted = node.integer_list("output_shape")
    auto = node.word("auto_pad", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
    if len(added) != spatial or len(pads) != 2 * spatial or len(wanted or image) < spatial:
        node.fail(f"{spatial} axes need {2 * spatial} pads, and {spatial} numbers for each other attribute")
    full = [
        stride * (size - 1) + more + (k - 1) * dilation + 1
        for size, stride, more, k, dilation in zip(image, strides, added, kernel, dilations, strict=True)
    ]
    if wanted is None and auto.startswith("SAME"):
        wanted = [size * stride for size, stride in zip(image, strides, strict=True)]
    if wanted is not None:
        extents = list(wanted[-spatial:])
        totals = [size - extent for size, extent in zip(full, extents, strict=True)]
        low = [total // 2 if auto == "SAME_UPPER" else total - total // 2 for total in totals]
    else:
        pads = (0,) * (2 * spatial) if auto == "VALID" else pads
        low = list(pads[:spatial])
        extents = [size - first - last for size, first, last in zip(full, low, pads[spatial:], strict=True)]
    if min(extents) < 1:
        node.fail(f"the result would have the extents {extents}; correct pads or `output_shape`")
    return low, extents


@handles("LpPool", newest=22)
def lp_pool(node: OnnxNode) -> SSAValue:
    """The p-th root of sums of p-th powers over a window: a mean over the padded image, times the window's size."""
    p, kernel = node.integer("p"), node.integer_list("kernel_shape") or ()
    if p < 1:
        node.fail(f"`p`, the exponent of the norm, must be at least 1, not {p}")
    x = abs(widened(node, node[0]))
    places = window(node, g.shape_of(node[0])[2:], kernel)
    ceil = "ceil_mode" in node.signature.types and bool(node.integer("ceil_mode"))
    plan = g.PoolOp(x.value, kind="max", kernel=kernel, **places, ceil=True if ceil else None, result_type=None)
    low, high = zip((0, 0), (0, 0), *plan.reach(), strict=True)
    powers = x if p == 1 else x(g.PowOp, float(p))
    image = padded(node, powers.value, low, high, (0,) * rank_of(node[0]))
    words = places | {"pads": None}
    mean = node.build(g.PoolOp, image, kind="mean", kernel=kernel, **words)
    ends = [range(extent) for extent in g.shape_of(plan.y)]
    mean = node.sliced(mean, [0] * len(ends), [len(each) for each in ends])
    total = node.build(g.MulOp, mean, node.like(mean, prod(kernel)))
    return node.cast(root(type(x)(node, total), p).value, element_of(node[0]))


@handles("Col2Im", newest=18)
def col2im(node: OnnxNode) -> SSAValue:
    """The sum of all windows at their places in the image: for each position in the window, a padded image with the
    elements that the windows have there."""
    x, image, kernel = node[0], node.integers(1), node.integers(2)
    spatial, shape = len(image), g.shape_of(node[0])
    strides, dilations = (node.integer_list(name) or (1,) * spatial for name in ("strides", "dilations"))
    pads = node.integer_list("pads") or (0,) * (2 * spatial)
    numbers = (*kernel, *strides, *dilations)
    if (
        len(numbers) != 3 * spatial
        or len(pads) != 2 * spatial
        or len(shape) != 3
        or min((*image, *numbers), default=0) < 1
    ):
        node.fail(f"{x.type} and an image of {list(image)} need {spatial} extents of a block, strides and dilations")
    room = [
        extent + pads[at] + pads[spatial + at] - (kernel[at] - 1) * dilations[at] - 1 for at, extent in enumerate(image)
    ]
    counts = [size // stride + 1 for size, stride in zip(room, strides, strict=True)]
    node.check_table(16 * prod(kernel))
    if min(room) < 0 or shape[1] % prod(kernel) or shape[2] != prod(counts):
        node.fail(f"{x.type} does not hold the blocks of {list(kernel)} of an image of {list(image)}")
    channels = shape[1] // prod(kernel)
    apart = node.reshaped(x, (shape[0], channels, prod(kernel), *counts))
    total: SSAValue | None = None
    for index, place in enumerate(combinations(*map(range, kernel))):
        starts, ends = [0, 0, index, *(0 for _ in counts)], [shape[0], channels, index + 1, *counts]
        part = node.reshaped(node.sliced(apart, starts, ends), (shape[0], channels, *counts))
        low = [at * dilation - pads[axis] for axis, (at, dilation) in enumerate(zip(place, dilations, strict=True))]
        spans = [(count - 1) * stride + 1 for count, stride in zip(counts, strides, strict=True)]
        high = [extent - first - span for extent, first, span in zip(image, low, spans, strict=True)]
        gaps = tuple(stride - 1 for stride in strides)
        part = padded(node, part, (0, 0, *low), (0, 0, *high), (0, 0, *gaps))
        total = part if total is None else node.build(g.AddOp, total, part)
    assert total is not None
    return total


@handles("MaxUnpool", newest=22)
def max_unpool(node: OnnxNode) -> SSAValue:
    """Zeros with each element at its position in the flattened result; a larger `output_shape` adds zeros at the
    ends."""
    x, kernel = node[0], node.integer_list("kernel_shape") or ()
    spatial = len(kernel)
    strides = node.integer_list("strides") or (1,) * spatial
    pads = node.integer_list("pads") or (0,) * (2 * spatial)
    n, c, image = node.image()
    if not len(image) == len(strides) == spatial or len(pads) != 2 * spatial or g.shape_of(node[1]) != g.shape_of(x):
        node.fail(
            f"{x.type} and a window of {list(kernel)} need as many strides, twice as many pads, and a position each"
        )
    shape = (
        n,
        c,
        *((size - 1) * strides[at] - pads[at] - pads[spatial + at] + kernel[at] for at, size in enumerate(image)),
    )
    zeros = node.splat(g.NumbersAttr.of(np.array(0, np.float32)), (prod(shape),))
    flat, places = (node.reshaped(value, (prod(g.shape_of(x)),)) for value in (x, node[1]))
    y = node.build(g.ScatterElementsOp, node.cast(zeros, element_of(x)), places, flat, axis=0, kind="set")
    y = node.reshaped(y, shape)
    if node.get(2) is None:
        return y
    wanted = node.integers(2)
    if len(wanted) != len(shape):
        node.fail(f"`output_shape` must have {len(shape)} extents, not {len(wanted)}")
    return padded(
        node, y, (0,) * len(shape), tuple(a - b for a, b in zip(wanted, shape, strict=True)), (0,) * len(shape)
    )
