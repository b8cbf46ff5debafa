"""Convolutions as contractions (implicit GEMM): rows are output pixels, columns are output channels, and the sum is
over the offsets in the window and the input channels. A view of the image maps these coordinates to its elements.
"""

from __future__ import annotations

from math import prod

from xdsl.ir.affine import AffineExpr

from dialects import graph as g
from lowering.tile.building import Operand, unravelled
from lowering.tile.contraction import Contraction
from lowering.tile.epilogue import epilogue_of, named_epilogue
from lowering.tile.matmul import TYPES, sums_of
from lowering.tile.schedule import Problem


def windows_of(problem: Problem) -> Contraction:
    """Return the contraction of a problem that is a convolution. Image and result have channels last (`NHWC`). Filters
    have output channels first (`OHWI`) if `problem.across` is true, else last (`HWIO`)."""
    found = problem.convolution
    assert found is not None
    row, column, *inner = (AffineExpr.dimension(position) for position in range(2 + len(found.kernel) + 1))
    *taps, channel = inner
    image, *pixel = unravelled(row, (found.batch, *found.outputs))
    seen = [
        each * stride + tap - before
        for each, tap, stride, (before, _) in zip(pixel, taps, found.strides, found.pads, strict=True)
    ]
    factor = TYPES[problem.element]
    filters = (
        Operand("w", (found.channels_out, *found.kernel, found.channels_in), factor, (column, *taps, channel))
        if problem.across
        else Operand("w", (*found.kernel, found.channels_in, found.channels_out), factor, (*taps, channel, column))
    )
    shape, at = (found.batch, *found.outputs, found.channels_out), (image, *pixel, column)
    return Contraction(
        (),
        problem.m,
        problem.n,
        (*found.kernel, found.channels_in),
        Operand("x", (found.batch, *found.spatial, found.channels_in), factor, (image, *seen, channel)),
        filters,
        TYPES[problem.accumulator],
        named_epilogue(problem.epilogue, shape, at, TYPES[problem.result], column),
    )


def contraction_of_conv(op: g.ConvOp, around: g.FusedOp | None = None) -> Contraction:
    """Return the contraction of a convolution op, with channels after the batch, and with the following ops of its
    kernel as epilogue. Groups of channels become a batch of contractions.
    """
    n, c, *spatial = g.shape_of(op.x)
    m, each, *kernel = g.shape_of(op.w)
    outputs = g.shape_of(op.y)[2:]
    strides, pads, dilations = op.window(tuple(kernel))
    groups = op.groups.value.data
    batches = (groups,) if groups > 1 else ()
    dims = [AffineExpr.dimension(position) for position in range(len(batches) + 2 + len(kernel) + 1)]
    row, column, *inner = dims[len(batches) :]
    *taps, channel = inner
    image, *pixel = unravelled(row, (n, *outputs))
    seen = tuple(
        at * stride + tap * dilation - before
        for at, tap, stride, dilation, (before, _) in zip(pixel, taps, strides, dilations, pads, strict=True)
    )

    def of_group(within: AffineExpr, size: int) -> AffineExpr:
        return dims[0] * size + within if batches else within

    element = g.tensor_of(op.x).element_type
    return Contraction(
        batches,
        n * prod(outputs),
        m // groups,
        (*kernel, each),
        Operand("x", (n, c, *spatial), element, (image, of_group(channel, each), *seen), op.x),
        Operand("w", (m, each, *kernel), element, (of_group(column, m // groups), channel, *taps), op.w),
        sums_of(element),
        epilogue_of(op, around, g.shape_of(op.y), (image, of_group(column, m // groups), *pixel)),
    )
