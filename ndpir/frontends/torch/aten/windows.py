"""Converters of pooling and resizing, unfolding and sampling of images."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of, integer_limits, is_float, tensor_type
from ndpir.frontends.padding import padded
from ndpir.frontends.torch.aten.movement import cut
from ndpir.frontends.torch.aten.reduction import first_extreme
from ndpir.frontends.torch.by_onnx import first
from ndpir.frontends.torch.call import I64, AtenCall, converts, element_of, rank_of


def _each(given: Sequence[int], count: int) -> tuple[int, ...]:
    return tuple(given) * count if len(given) == 1 else tuple(given)


def _image(call: AtenCall, x: SSAValue, spatial: int) -> SSAValue:
    """[N, C, spatial…] of an image that may lack the batch."""
    return x if rank_of(x) == spatial + 2 else call.reshaped(x, (*(1,) * (spatial + 2 - rank_of(x)), *g.shape_of(x)))


def _pool(call: AtenCall, kind: str, spatial: int) -> tuple[g.PoolOp, SSAValue]:
    x = _image(call, call["self"], spatial)
    kernel = _each(call.ints("kernel_size"), spatial)
    strides = _each(call.ints("stride", ()) or kernel, spatial)
    pads = _each(call.ints("padding", (0,)), spatial)
    dilations = _each(call.ints("dilation", (1,)), spatial) if kind == "max" else (1,) * spatial
    image = g.shape_of(x)[2:]
    ceil = call.flag("ceil_mode")
    # PyTorch drops a last window that starts in the end padding.
    high = list(pads)
    if ceil:
        for at, (n, k, s, p, d) in enumerate(zip(image, kernel, strides, pads, dilations, strict=True)):
            span = d * (k - 1) + 1
            count = -(-(n + 2 * p - span) // s) + 1
            if (count - 1) * s >= n + p:
                count -= 1
                high[at] = max((count - 1) * s + span - n - p, 0)
    uses_ceil = ceil and high == list(pads)
    op = g.PoolOp(
        x,
        kind=kind,
        kernel=kernel,
        strides=strides if set(strides) != {1} else None,
        pads=(*pads, *high) if any(pads) or any(high) else None,
        dilations=dilations if set(dilations) != {1} else None,
        ceil=True if uses_ceil else None,
        count_include_pad=True if kind == "mean" and call.flag("count_include_pad", True) else None,
        result_type=None,
    )
    return op, x


def _spatial(call: AtenCall) -> int:
    return next(int(digit) for digit in call.node.op if digit.isdigit())


@converts("max_pool1d", "max_pool2d", "max_pool3d")
def max_pool(call: AtenCall) -> SSAValue:
    op, _ = _pool(call, "max", _spatial(call))
    return call.reshaped(call.body.add(op, call.location), call.result().get_shape())


@converts("max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices")
def max_pool_with_indices(call: AtenCall) -> list[SSAValue]:
    op, x = _pool(call, "max", _spatial(call))
    pads, kernel = op.reach(), tuple(op.kernel.get_values())
    strides, _, dilations = op.window(kernel)
    y = call.body.add(op, call.location)
    places = first_places(call, x, y, kernel, strides, pads, dilations)
    return [call.reshaped(each, call.result().get_shape()) for each in (y, places)]


def first_places(
    call: AtenCall,
    x: SSAValue,
    y: SSAValue,
    kernel: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[tuple[int, int]],
    dilations: Sequence[int],
) -> SSAValue:
    """The position in the flattened image of each window's maximum, as i64; the first position of equal elements."""
    image = g.shape_of(x)[2:]
    numbers = call.reshaped(call.counted(prod(image), I64), (1, 1, *image))
    low, high = ([0, 0, *widths] for widths in zip(*pads, strict=True))
    lowest = -inf if is_float(element_of(x)) else integer_limits(element_of(x))[0]  # pyright: ignore[reportArgumentType]
    none = (0,) * rank_of(x)
    wide = padded(call, x, tuple(low), tuple(high), none, call.number(lowest, element_of(x)))
    inside = padded(call, numbers, tuple(low), tuple(high), none, call.number(prod(image), I64))
    nowhere = call.number(prod(image), I64)
    found: SSAValue | None = None
    for at in np.ndindex(*kernel):
        taps = [cut_window(call, each, at, g.shape_of(y)[2:], strides, dilations) for each in (wide, inside)]
        hit = call.build(g.CompareOp, taps[0], y, kind="eq")
        place = call.build(g.SelectOp, hit, taps[1], nowhere)
        found = place if found is None else call.build(g.MinOp, found, place)
    assert found is not None
    return found


def cut_window(
    call: AtenCall,
    x: SSAValue,
    at: Sequence[int],
    count: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> SSAValue:
    """The elements at one position of each window."""
    starts, ends, steps = [0, 0], list(g.shape_of(x)[:2]), [1, 1]
    for tap, n, stride, dilation in zip(at, count, strides, dilations, strict=True):
        starts.append(tap * dilation)
        ends.append(tap * dilation + (n - 1) * stride + 1)
        steps.append(stride)
    return call.sliced(x, starts, ends, steps)


@converts("max_unpool2d", "max_unpool3d")
def max_unpool(call: AtenCall) -> SSAValue:
    """Elements put at the places where a pool found them, zeros elsewhere."""
    x, places, type_ = call["self"], call["indices"], call.result()
    spatial = _spatial(call)
    outer, image = prod(type_.get_shape()[:-spatial]), prod(type_.get_shape()[-spatial:])
    count = prod(g.shape_of(x)) // max(outer, 1)
    zeros = call.splat(0, tensor_type((outer, image), element_of(x)))
    flat = [call.reshaped(each, (outer, count)) for each in (places, x)]
    return call.reshaped(call.build(g.ScatterElementsOp, zeros, *flat, kind="set", axis=1), type_.get_shape())


@converts("avg_pool1d", "avg_pool2d", "avg_pool3d")
def avg_pool(call: AtenCall) -> SSAValue:
    op, _ = _pool(call, "mean", _spatial(call))
    divisor = call.plain(call.get("divisor_override"))
    if divisor is not None:
        op.count_include_pad = g.PoolOp(
            op.x, kind="mean", kernel=(1,) * _spatial(call), count_include_pad=True
        ).count_include_pad
    y = call.body.add(op, call.location)
    if divisor is not None:
        if op.ceil.value.data or not is_float(element_of(y)):
            call.fail("`divisor_override` with `ceil_mode` is not supported; use one of the two")
        y = call.build(g.MulOp, y, call.number(prod(op.kernel.get_values()) / divisor, element_of(y)))
    return call.reshaped(y, call.result().get_shape())


@converts(
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d"
)
def adaptive_avg_pool(call: AtenCall) -> SSAValue:
    return _adaptive(call, "mean")


@converts("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(call: AtenCall) -> list[SSAValue | None]:
    """The maxima; positions only of windows of one size."""
    spatial = _spatial(call)
    x = _image(call, call["self"], spatial)
    y = _adaptive(call, "max")
    ratios = [divmod(n, m) for n, m in zip(g.shape_of(x)[2:], _each(call.ints("output_size"), spatial), strict=True)]
    if any(rest for _, rest in ratios):
        return [y, call.reshaped(_adaptive_places(call, x, g.shape_of(y)[-spatial:]), g.shape_of(y))]
    kernel = [each for each, _ in ratios]
    image = _image(call, y, spatial)
    places = first_places(call, x, image, kernel, kernel, [(0, 0)] * spatial, [1] * spatial)
    return [y, call.reshaped(places, g.shape_of(y))]


def _adaptive_places(call: AtenCall, x: SSAValue, sizes: Sequence[int]) -> SSAValue:
    """The positions of maxima in windows of different sizes, one window after another."""
    image = g.shape_of(x)[2:]
    if prod(sizes) > MOST_WINDOWS:
        call.fail(f"positions of maxima in {prod(sizes)} windows of different sizes are not supported")
    numbers = np.arange(prod(image)).reshape(image)
    found: list[SSAValue] = []
    for at in np.ndindex(*sizes):
        spans = [(i * n // m, -(-(i + 1) * n // m)) for i, n, m in zip(at, image, sizes, strict=True)]
        starts, ends = zip(*spans, strict=True)
        part = call.sliced(x, (0, 0, *starts), (*g.shape_of(x)[:2], *ends))
        flat = call.reshaped(part, (*g.shape_of(x)[:2], prod(g.shape_of(part)[2:])))
        inside = numbers[tuple(slice(*span) for span in spans)].reshape(-1)
        place = first_extreme(call, flat, "max", 2, True)
        found.append(call.build(g.GatherOp, call.constant(inside.astype(np.int64)), place, axis=0))
    return call.build(g.ConcatOp, *found, axis=2) if len(found) > 1 else found[0]


MOST_WINDOWS = 256


def _adaptive(call: AtenCall, kind: str) -> SSAValue:
    spatial = _spatial(call)
    x = _image(call, call["self"], spatial)
    given = call.plain(call.get("output_size"))
    wanted: list[Any] = [given] * spatial if isinstance(given, int) else [*given] * (spatial if len(given) == 1 else 1)
    image = g.shape_of(x)[2:]
    sizes = [n if m is None else m for n, m in zip(image, wanted, strict=True)]
    if all(size == 1 for size in sizes):
        y = call.build(g.ReduceOp, x, kind=kind, axes=tuple(range(2, 2 + spatial)), keep_dims=True)
    elif not any(n % m for n, m in zip(image, sizes, strict=True)):
        kernel = tuple(n // m for n, m in zip(image, sizes, strict=True))
        y = x if set(kernel) == {1} else call.build(g.PoolOp, x, kind=kind, kernel=kernel, strides=kernel)
    else:
        y = x
        for at, (n, m) in enumerate(zip(image, sizes, strict=True)):
            axis = 2 + at
            parts = [cut(call, y, axis, each * n // m, -(-(each + 1) * n // m)) for each in range(m)]
            means = [call.build(g.ReduceOp, part, kind=kind, axes=(axis,), keep_dims=True) for part in parts]
            y = call.build(g.ConcatOp, *means, axis=axis) if m > 1 else means[0]
    return call.reshaped(y, call.result().get_shape())


@converts("lp_pool1d", "lp_pool2d", "lp_pool3d")
def lp_pool(call: AtenCall) -> SSAValue:
    call.fail("write it by avg_pool of powers")


# Resizing.


@converts(
    "upsample_nearest1d",
    "upsample_nearest2d",
    "upsample_nearest3d",
    "_upsample_nearest_exact1d",
    "_upsample_nearest_exact2d",
    "_upsample_nearest_exact3d",
    "upsample_linear1d",
    "upsample_bilinear2d",
    "upsample_trilinear3d",
    "upsample_bicubic2d",
    "_upsample_bilinear2d_aa",
    "_upsample_bicubic2d_aa",
    "upsample",
)
def upsample(call: AtenCall) -> SSAValue:
    """ONNX's Resize, to the extents that the program states; factors decide positions only where they are given."""
    x = call["self" if call.has("self") else "input"]
    spatial = rank_of(x) - 2
    op = call.node.op.removeprefix("aten.")
    target = call.result().get_shape()[2:]
    factors = _factors(call, spatial)
    nearest = "nearest" in op
    scales = [
        1.0,
        1.0,
        *(m / n if f is None else f for n, m, f in zip(g.shape_of(x)[2:], target, factors, strict=True)),
    ]
    use_scales = all(each is not None for each in factors)
    use_scales = use_scales and not call.flag("align_corners")
    if use_scales and [
        int(n * float(np.float32(s))) for n, s in zip(g.shape_of(x)[2:], scales[2:], strict=True)
    ] != list(target):
        use_scales = False
    given = call.constant(np.array(scales, np.float32)) if use_scales else None
    sizes = None if use_scales else call.constant(np.array([*g.shape_of(x)[:2], *target], np.int64))
    mode = "nearest" if nearest else "cubic" if "cubic" in op else "linear"
    if nearest:
        exact = "exact" in op
        where, rounding = ("half_pixel", "round_prefer_ceil") if exact else ("asymmetric", "floor")
        return first(
            call,
            "Resize",
            [x, None, given, sizes],
            mode=mode,
            nearest_mode=rounding,
            coordinate_transformation_mode=where,
        )
    where = "align_corners" if call.flag("align_corners") else "half_pixel"
    more = {"antialias": 1, "exclude_outside": 1} if op.endswith("_aa") else {}
    extents = zip(g.shape_of(x)[2:], target, factors, strict=True)
    if more and (call.flag("align_corners") or any(f is not None and abs(n * f - m) >= 1 for n, m, f in extents)):
        call.fail("antialiasing with aligned corners, or with factors that lead to another size, is not supported")
    if op.endswith("_aa") and mode == "cubic":
        more["cubic_coeff_a"] = -0.5  # pyright: ignore[reportArgumentType]
    return first(call, "Resize", [x, None, given, sizes], mode=mode, coordinate_transformation_mode=where, **more)


def _factors(call: AtenCall, spatial: int) -> list[float | None]:
    if call.has("scale_factors"):
        return list(call.reals("scale_factors") or ())
    names = ("scales",) if spatial == 1 else ("scales_d", "scales_h", "scales_w")[-spatial:]
    return [None if not call.has(name) else call.real(name) for name in names]


@converts("grid_sampler", "grid_sampler_2d", "grid_sampler_3d", "_grid_sampler_2d_cpu_fallback")
def grid_sampler(call: AtenCall) -> SSAValue:
    """ONNX's GridSample. It moves a position beyond the border to the border, but PyTorch's cubic kernel moves each
    element that it reads: so the border is repeated as far as the kernel reaches (2), and the grid is scaled to it."""
    x, grid, aligned = call["input"], call["grid"], call.flag("align_corners")
    mode = ("linear", "nearest", "cubic")[call.integer("interpolation_mode", 0)]
    padding = ("zeros", "border", "reflection")[call.integer("padding_mode", 0)]
    if (mode, padding) == ("cubic", "border"):
        spatial = rank_of(x) - 2
        extents = [n - aligned for n in reversed(g.shape_of(x)[2:])]
        shrink = np.array([n / (n + 4) for n in extents], dtype_of(element_of(grid)))
        grid = call.build(g.MulOp, grid, call.constant(shrink))
        pads = call.constant(np.array([0, 0, *[2] * spatial] * 2, np.int64))
        x = first(call, "Pad", [x, pads], mode="edge")
    return first(call, "GridSample", [x, grid], mode=mode, padding_mode=padding, align_corners=int(aligned))


@converts("affine_grid_generator")
def affine_grid(call: AtenCall) -> SSAValue:
    size = call.constant(np.array(call.ints("size"), np.int64))
    return first(call, "AffineGrid", [call["theta"], size], align_corners=int(call.flag("align_corners")))


# Windows as columns.


@converts("im2col")
def im2col(call: AtenCall) -> SSAValue:
    """[N, C * kernel, windows]: the elements of each window as a column."""
    x = _image(call, call["self"], 2)
    kernel, dilations, pads, strides = (call.ints(name) for name in ("kernel_size", "dilation", "padding", "stride"))
    n, c = g.shape_of(x)[:2]
    low = (0, 0, *pads)
    wide = padded(call, x, low, low, (0,) * 4)
    made = call.build(g.Im2colOp, wide, kernel=kernel, strides=strides, dilations=dilations)
    windows = call.result().get_shape()[-1]
    rows = call.reshaped(made, (n, windows, c * prod(kernel)))
    return call.reshaped(call.transposed(rows, (0, 2, 1)), call.result().get_shape())


@converts("col2im")
def col2im(call: AtenCall) -> SSAValue:
    """The sum of columns at the places of their windows."""
    x = call["self"]
    flat = x if rank_of(x) == 3 else call.reshaped(x, (1, *g.shape_of(x)))
    image, kernel = (call.constant(np.array(call.ints(name), np.int64)) for name in ("output_size", "kernel_size"))
    pads = call.ints("padding")
    made = first(
        call,
        "Col2Im",
        [flat, image, kernel],
        dilations=call.ints("dilation"),
        pads=(*pads, *pads),
        strides=call.ints("stride"),
    )
    return call.reshaped(made, call.result().get_shape())
