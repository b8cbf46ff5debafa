"""Ops that move elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.stablehlo.building import Building, converts


@converts("broadcast_in_dim")
def broadcast_in_dim(b: Building, xs: list[SSAValue]) -> SSAValue:
    """Operand axis i becomes result axis `broadcast_dimensions[i]`."""
    dims, shape = b.ints("broadcast_dimensions"), b.result().get_shape()
    order = sorted(range(len(dims)), key=dims.__getitem__)
    x = b.transposed(xs[0], order)
    extents = dict(zip(sorted(dims), g.shape_of(x), strict=True))
    first = min(dims, default=len(shape))
    return b.stretched(b.reshaped(x, [extents.get(axis, 1) for axis in range(first, len(shape))]), shape)


@converts("bitcast_convert")
def bitcast_convert(b: Building, xs: list[SSAValue]) -> SSAValue:
    return b.add(g.BitcastOp, xs[0], result_type=b.result())


@converts("reshape")
def reshape(b: Building, xs: list[SSAValue]) -> SSAValue:
    return b.reshaped(xs[0], b.result().get_shape())


@converts("transpose")
def transpose(b: Building, xs: list[SSAValue]) -> SSAValue:
    return b.transposed(xs[0], b.ints("permutation"))


@converts("slice")
def slice_(b: Building, xs: list[SSAValue]) -> SSAValue:
    return b.sliced(xs[0], b.ints("start_indices"), b.ints("limit_indices"), b.ints("strides"))


@converts("reverse")
def reverse(b: Building, xs: list[SSAValue]) -> SSAValue:
    return b.reversed(xs[0], b.ints("dimensions"))


@converts("concatenate")
def concatenate(b: Building, xs: list[SSAValue]) -> SSAValue:
    return b.add(g.ConcatOp, *xs, axis=b.integer("dimension"))


@converts("pad")
def pad(b: Building, xs: list[SSAValue]) -> SSAValue:
    x, value = xs
    rank = len(g.shape_of(x))
    low, high = b.ints("edge_padding_low"), b.ints("edge_padding_high")
    return padded(b, x, low, high, b.ints("interior_padding", (0,) * rank), value)


def padded(
    b: Building,
    x: SSAValue,
    low: tuple[int, ...],
    high: tuple[int, ...],
    interior: tuple[int, ...],
    value: SSAValue | None = None,
) -> SSAValue:
    """`x` with elements of `value` (0 if None) around it and between its elements; negative widths cut off."""
    for axis, gap in enumerate(interior):
        x = _spread(b, x, axis, gap, value)
    above = [max(width, 0) for width in low], [max(width, 0) for width in high]
    if any(above[0]) or any(above[1]):
        x = _around(b, x, *above, value)
    starts = [max(-width, 0) for width in low]
    ends = [extent - max(-width, 0) for extent, width in zip(g.shape_of(x), high, strict=True)]
    return b.sliced(x, starts, ends)


def _spread(b: Building, x: SSAValue, axis: int, gap: int, value: SSAValue | None) -> SSAValue:
    """`x` with `gap` elements of `value` between its elements along an axis."""
    shape = g.shape_of(x)
    if not gap or shape[axis] < 2:
        return x
    apart = b.reshaped(x, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
    wide = _around(
        b, apart, [0] * (len(shape) + 1), [gap if a == axis + 1 else 0 for a in range(len(shape) + 1)], value
    )
    long = b.reshaped(wide, (*shape[:axis], shape[axis] * (gap + 1), *shape[axis + 1 :]))
    ends = [n - gap if a == axis else n for a, n in enumerate(g.shape_of(long))]
    return b.sliced(long, [0] * len(shape), ends)


def _around(b: Building, x: SSAValue, low: list[int], high: list[int], value: SSAValue | None) -> SSAValue:
    known: Any = 0.0 if value is None else known_number(value)
    if known is not None and float(known) == known:  # an attribute holds no long integer and no nan
        return b.add(g.PadOp, x, low=tuple(low), high=tuple(high), value=float(known))
    assert value is not None
    for axis, widths in enumerate(zip(low, high, strict=True)):
        shape = g.shape_of(x)
        sides = [
            b.stretched(value, [width if a == axis else n for a, n in enumerate(shape)]) if width else None
            for width in widths
        ]
        parts = [part for part in (sides[0], x, sides[1]) if part is not None]
        x = b.add(g.ConcatOp, *parts, axis=axis) if len(parts) > 1 else x
    return x


def known_number(value: SSAValue) -> Any:
    """The one number that a value consists of, if that is known; None otherwise."""
    if not isinstance(value.owner, g.ConstantOp):
        return None
    array = np.asarray(value.owner.value.array())
    return array.ravel()[0].item() if array.size and (array == array.ravel()[0]).all() else None
