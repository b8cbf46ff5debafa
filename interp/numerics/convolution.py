"""Numerics of convolution: the image is unfolded and multiplied as a matrix; if each group is one channel, shifted
views of the image are each multiplied by one weight (tap) and added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from threading import local
from typing import TypeAlias

import numpy as np

from dialects import graph as g
from interp.numerics.meaning import meaning
from interp.numerics.rounding import Array, DType, rounded, widened

_CHUNK = 1 << 23  # elements of the unfolded image at a time: 32 MB in f32
_BLOCK = 1 << 17  # elements of a depthwise result at a time, to stay in cache

_scratch = local()


def _buffer(count: int, dtype: DType) -> Array:
    """An uninitialised array of `count` elements. Its memory is kept from call to call, since the operating system
    takes longer to provide new pages than the unfolding takes to fill them."""
    kept: Array | None = getattr(_scratch, "bytes", None)
    size = count * dtype.itemsize
    if kept is None or kept.size < size:
        kept = np.empty(size, np.uint8)
        _scratch.bytes = kept
    return kept[:size].view(dtype)


def padded(x: Array, pads: Sequence[tuple[int, int]], fill: float = 0) -> Array:
    """`x` with its spatial axes (from the third) padded by (begin, end); `x` itself without padding."""
    if not any(map(any, pads)):
        return x
    extents = tuple(size + low + high for size, (low, high) in zip(x.shape[2:], pads, strict=True))
    y = np.full((*x.shape[:2], *extents), fill, x.dtype)
    inner = tuple(slice(low, low + size) for size, (low, _) in zip(x.shape[2:], pads, strict=True))
    y[(..., *inner)] = x
    return y


def tap(x: Array, at: Sequence[int], strides: Sequence[int], extents: Sequence[int]) -> Array:
    """A view of padded `x`: for each of the `extents` positions of the window, the element of `x` that is multiplied by
    the window's element at offset `at`."""
    return x[(..., *(slice(a, a + (n - 1) * s + 1, s) for a, s, n in zip(at, strides, extents, strict=True)))]


def offsets(kernel: Sequence[int], dilations: Sequence[int]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """For each element of a window, its index in the window and its offset, from the window's first element, in the
    padded image."""
    return [(index, tuple(i * d for i, d in zip(index, dilations, strict=True))) for index in np.ndindex(*kernel)]


@meaning.of(g.ConvOp)
def conv(op: g.ConvOp, x: Array, w: Array, bias: Array | None = None) -> Array:
    dtype, extents = x.dtype, g.shape_of(op.y)[2:]
    y = correlation(widened(x), widened(w), op.window(op.kernel), op.groups.value.data, extents)
    if bias is not None:
        y += widened(bias).reshape(-1, *(1,) * len(extents))
    return rounded(y, dtype)


Window: TypeAlias = tuple[tuple[int, ...], tuple[tuple[int, int], ...], tuple[int, ...]]
"""Strides, (begin, end) pads and dilations, one entry for each spatial axis."""


def correlation(x: Array, w: Array, window: Window, groups: int, extents: tuple[int, ...]) -> Array:
    """The cross-correlation of image and filters of one type, computed in that type. `extents`: those of the result's
    spatial axes."""
    strides, pads, dilations = window
    if prod(w.shape[2:]) == 1:
        return _pointwise(tap(padded(x, pads), (0,) * len(extents), strides, extents), w, groups)
    if w.shape[1] == 1 and groups > 1:
        return _depthwise(padded(x, pads), w, strides, dilations, extents)
    return _unfolded(padded(x, pads), w, groups, strides, dilations, extents)


@meaning.of(g.Im2colOp)
def im2col(op: g.Im2colOp, x: Array) -> Array:
    kernel, groups = tuple(op.kernel.get_values()), op.groups.value.data
    strides, pads, dilations = op.window(kernel)
    x = padded(x, pads)
    (n, c), (_, _, pixels, _) = x.shape[:2], g.shape_of(op.y)
    extents = op.spatial(g.shape_of(op.x)[2:], kernel)
    y = np.empty((n, groups, *extents, c // groups, *kernel), x.dtype)
    for index, at in offsets(kernel, dilations):
        seen = tap(x, at, strides, extents).reshape(n, groups, c // groups, *extents)
        y[(..., *index)] = np.moveaxis(seen, 2, -1)
    return y.reshape(n, groups, pixels, c // groups * prod(kernel))


def _pointwise(x: Array, w: Array, groups: int) -> Array:
    """A convolution with a window of one element: a plain matrix product."""
    n, c, *extents = x.shape
    m = w.shape[0]
    filters = w.reshape(groups, m // groups, c // groups)
    y = filters @ x.reshape(n, groups, c // groups, prod(extents))
    return y.reshape(n, m, *extents)


def _unfolded(
    x: Array, w: Array, groups: int, strides: Sequence[int], dilations: Sequence[int], extents: tuple[int, ...]
) -> Array:
    """The convolution of padded `x`, for any window. For some rows of the result at a time, the image is unfolded
    (`_columns`) and multiplied by the weights, with one matrix product per group."""
    n, m, kernel = x.shape[0], w.shape[0], w.shape[2:]
    inner = w.shape[1] * prod(kernel)
    filters = w.reshape(groups, m // groups, inner)
    first, rest = extents[0], extents[1:]
    step = max(1, min(first, _CHUNK // max(1, groups * inner * prod(rest))))
    y = np.empty((n, groups, m // groups, prod(extents)), x.dtype)
    for image in range(n):
        for row in range(0, first, step):
            rows = min(step, first - row)
            part = x[image : image + 1, :, row * strides[0] :]
            columns = _columns(part, groups, kernel, strides, dilations, (rows, *rest))
            result = y[image, :, :, row * prod(rest) : (row + rows) * prod(rest)]
            np.matmul(filters, columns, out=result)
    return y.reshape(n, m, *extents)


def _columns(
    x: Array,
    groups: int,
    kernel: tuple[int, ...],
    strides: Sequence[int],
    dilations: Sequence[int],
    extents: tuple[int, ...],
) -> Array:
    """A padded image unfolded to [groups, channels of a group * window elements, positions of the window], in an array
    from `_buffer`."""
    c, count = x.shape[1], prod(kernel)
    columns = _buffer(c * count * prod(extents), x.dtype).reshape(c, count, *extents)
    for position, (_, at) in enumerate(offsets(kernel, dilations)):
        columns[:, position] = tap(x[0], at, strides, extents)
    return columns.reshape(groups, c // groups * count, prod(extents))


def _depthwise(x: Array, w: Array, strides: Sequence[int], dilations: Sequence[int], extents: tuple[int, ...]) -> Array:
    """A convolution with one channel per group: taps are multiplied and added serially, over blocks of channels."""
    (n, c), (m, _, *kernel) = x.shape[:2], w.shape
    each = m // c
    y = np.empty((n, c, each, *extents), x.dtype)
    filters = w.reshape(c, each, prod(kernel))
    view = _flat_view(x.shape[2:], extents) if set(strides) == {1} else _window_view(strides, extents)
    taps = [at for _, at in offsets(kernel, dilations)]
    block = max(1, _BLOCK // max(1, prod(x.shape[2:])))
    for image in range(n):
        for low in range(0, c, block):
            part, chosen = x[image, low : low + block], filters[low : low + block]
            for copy in range(each):
                y[image, low : low + block, copy] = _tap_sum(part, chosen[:, copy], taps, view, extents)
    return y.reshape(n, m, *extents)


View: TypeAlias = Callable[[Array, Sequence[int]], Array]


def _window_view(strides: Sequence[int], extents: tuple[int, ...]) -> View:
    """A function that returns the image elements for one window element (tap), at all positions of the window, as a
    strided view."""
    return lambda part, at: tap(part, at, strides, extents)


def _flat_view(padded: tuple[int, ...], extents: tuple[int, ...]) -> View:
    """A function that returns the image elements for one window element (tap) at stride 1, with all spatial axes merged
    into one. The rows of the padded image follow each other in it, so that some of its elements belong to no
    position of the window."""
    steps = [prod(padded[axis + 1 :]) for axis in range(len(padded))]
    span = 1 + sum((extent - 1) * step for extent, step in zip(extents, steps, strict=True))

    def view(part: Array, at: Sequence[int]) -> Array:
        start = sum(a * step for a, step in zip(at, steps, strict=True))
        return part.reshape(len(part), prod(padded))[:, start : start + span]

    return view


def _tap_sum(part: Array, filters: Array, taps: Sequence[Sequence[int]], view: View, extents: tuple[int, ...]) -> Array:
    """The sum over all window elements (taps) of the image elements times the window element's weight, for some
    channels: [channels, extents…]."""
    first = view(part, taps[0])
    inner = (1,) * (first.ndim - 1)
    buffer_shape = (extents[0], *part.shape[2:]) if first.ndim < part.ndim else extents
    storage = np.empty((len(part), prod(buffer_shape)), part.dtype)
    total = storage[:, : prod(first.shape[1:])].reshape(first.shape)
    product = np.empty_like(first)
    for index, at in enumerate(taps):
        factor = filters[:, index].reshape(-1, *inner)
        if index == 0:
            np.multiply(first, factor, out=total)
        else:
            np.multiply(view(part, at), factor, out=product)
            total += product
    return storage.reshape(len(part), *buffer_shape)[(slice(None), *(slice(extent) for extent in extents))]
