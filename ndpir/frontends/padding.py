"""Padding of tensors at their edges and between their elements, as front ends of StableHLO and ONNX need it."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.construction import Construction


def padded(
    b: Construction,
    x: SSAValue,
    low: tuple[int, ...],
    high: tuple[int, ...],
    interior: tuple[int, ...],
    value: SSAValue | None = None,
) -> SSAValue:
    """`x` with elements of `value` (0 if None) around it and between its elements; negative widths cut elements off."""
    for axis, gap in enumerate(interior):
        x = _spread(b, x, axis, gap, value)
    above = [max(width, 0) for width in low], [max(width, 0) for width in high]
    if any(above[0]) or any(above[1]):
        x = _around(b, x, *above, value)
    starts = [max(-width, 0) for width in low]
    ends = [extent - max(-width, 0) for extent, width in zip(g.shape_of(x), high, strict=True)]
    return b.sliced(x, starts, ends)


def _spread(b: Construction, x: SSAValue, axis: int, gap: int, value: SSAValue | None) -> SSAValue:
    """`x` with `gap` elements of `value` between neighbouring elements along an axis."""
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


def _around(b: Construction, x: SSAValue, low: list[int], high: list[int], value: SSAValue | None) -> SSAValue:
    known: Any = 0.0 if value is None else known_number(value)
    if known is not None and float(known) == known:  # an f64 attribute can't hold long integers or nans
        return b.build(g.PadOp, x, low=tuple(low), high=tuple(high), value=float(known))
    assert value is not None
    for axis, widths in enumerate(zip(low, high, strict=True)):
        shape = g.shape_of(x)
        sides = [
            b.broadcast_to(value, [width if a == axis else n for a, n in enumerate(shape)]) if width else None
            for width in widths
        ]
        parts = [part for part in (sides[0], x, sides[1]) if part is not None]
        x = b.build(g.ConcatOp, *parts, axis=axis) if len(parts) > 1 else x
    return x


def known_number(value: SSAValue) -> Any:
    """The value of a constant whose elements are all equal; None for any other value."""
    if not isinstance(value.owner, g.ConstantOp):
        return None
    array = np.asarray(value.owner.value.array())
    return array.ravel()[0].item() if array.size and (array == array.ravel()[0]).all() else None
