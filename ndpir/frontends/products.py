"""Products of tensors whose axes are free, summed or common to both factors, as one matrix product."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import ElementType
from ndpir.frontends.construction import Construction


def product(
    b: Construction,
    x: SSAValue,
    y: SSAValue,
    batch: Sequence[Sequence[int]],
    sums: Sequence[Sequence[int]],
    element: ElementType,
) -> SSAValue:
    """The product of two tensors with elements of `element`, to which the factors are converted after their transposes,
    so that transposes move fewer bytes.

    `batch`, `sums`: for each factor, the axes that both have in common and the summed axes, in the same order. The
    result has the axes [batch, free axes of x, free axes of y].
    """
    shapes = g.shape_of(x), g.shape_of(y)
    free = [
        [axis for axis in range(len(shape)) if axis not in (*batch[side], *sums[side])]
        for side, shape in enumerate(shapes)
    ]
    left, transpose_a = as_matrix(b, x, batch[0], sums[0], free[0], first=True)
    right, transpose_b = as_matrix(b, y, batch[1], sums[1], free[1], first=False)
    left, right = b.cast(left, element), b.cast(right, element)
    made = b.build(g.MatmulOp, left, right, transpose_a=transpose_a, transpose_b=transpose_b)
    kept = [shapes[0][axis] for axis in batch[0]]
    kept += [shape[axis] for shape, axes in zip(shapes, free, strict=True) for axis in axes]
    return b.reshaped(made, kept)


def as_matrix(
    b: Construction, x: SSAValue, batch: Sequence[int], sums: Sequence[int], free: Sequence[int], first: bool
) -> tuple[SSAValue, bool]:
    """`x` as [batch, free, summed] or [batch, summed, free], in the order that needs no transpose op; and True if this
    order is not the default. In the default order, the summed axes are last in the left factor (`first`), and
    directly after the batch axes in the right factor."""
    shape = g.shape_of(x)
    usual, swapped = ([*batch, *free, *sums], [*batch, *sums, *free])
    if not first:
        usual, swapped = swapped, usual
    is_swapped = swapped == sorted(swapped) and usual != sorted(usual)
    x = b.transposed(x, swapped if is_swapped else usual)
    rows, depth = prod(shape[axis] for axis in free), prod(shape[axis] for axis in sums)
    sums_last = first != is_swapped
    extents = [prod(shape[axis] for axis in batch)] if batch else []
    extents += [rows, depth] if sums_last else [depth, rows]
    return b.reshaped(x, extents), is_swapped
