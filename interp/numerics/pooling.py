"""Numerics of pooling: the maximum or sum of shifted views."""

from __future__ import annotations

from functools import reduce
from math import prod

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dialects import graph as g
from interp.numerics.convolution import offsets, padded, tap
from interp.numerics.meaning import meaning
from interp.numerics.rounding import Array, integer_mean, is_real, rounded, sum_dtype, wide_integer, widened


@meaning.of(g.PoolOp)
def pool(op: g.PoolOp, x: Array) -> Array:
    kernel, extents = tuple(op.kernel.get_values()), g.shape_of(op.y)[2:]
    strides, _, dilations = op.window(kernel)
    largest = op.kind.data == "max"
    wide = widened(x) if largest or is_real(x.dtype) else x.astype(wide_integer(x.dtype), copy=False)
    image = padded(wide, op.reach(), _least(wide) if largest else 0)
    if largest:
        return rounded(_fold(np.maximum, image, kernel, strides, dilations, extents), x.dtype)
    counts = _counts(op, x.shape[2:], extents).astype(wide.dtype)
    if is_real(x.dtype):
        return rounded(_fold(np.add, image, kernel, strides, dilations, extents) / counts, x.dtype)
    views = [tap(image, at, strides, extents) for _, at in offsets(kernel, dilations)]
    return integer_mean(lambda f: reduce(np.add, (f(view) for view in views)), counts, x.dtype)


def _fold(
    fold: np.ufunc,
    image: Array,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    extents: tuple[int, ...],
) -> Array:
    """For each window the maximum, or the sum, of its elements (`fold`), in the image's type or, for the sum of a
    window that has more elements than positions, in the type of `sum_dtype`."""
    if prod(kernel) > prod(extents) and set(dilations) == {1}:
        windows = sliding_window_view(image, kernel, tuple(range(2, image.ndim)))
        chosen = windows[
            (
                ...,
                *(slice(0, (n - 1) * s + 1, s) for n, s in zip(extents, strides, strict=True)),
                *(slice(None),) * len(kernel),
            )
        ]
        dtype = sum_dtype(image.dtype) if fold is np.add else image.dtype
        return fold.reduce(chosen, tuple(range(image.ndim, 2 * image.ndim - 2)), dtype=dtype)
    views = [tap(image, at, strides, extents) for _, at in offsets(kernel, dilations)]
    y = views[0].copy()
    for view in views[1:]:
        fold(y, view, out=y)
    return y


def _least(x: Array) -> float | int:
    return -np.inf if is_real(x.dtype) else int(np.iinfo(x.dtype).min)


def _counts(op: g.PoolOp, image: tuple[int, ...], extents: tuple[int, ...]) -> Array:
    """The divisors of windows' sums for their means, [spatial…]: the number of elements of each window that are in the
    image or, with `count_include_pad`, in the padded image."""
    kernel = tuple(op.kernel.get_values())
    strides, pads, dilations = op.window(kernel)
    total: Array = np.ones((), np.int64)
    for axis, (size, (low, high)) in enumerate(zip(image, pads, strict=True)):
        places = np.arange(extents[axis]) * strides[axis]
        positions = places[:, None] + np.arange(kernel[axis]) * dilations[axis]  # in the padded image
        first, end = (0, low + size + high) if op.count_include_pad.value.data else (low, low + size)
        total = total[..., None] * np.count_nonzero((positions >= first) & (positions < end), axis=1)
    return total
