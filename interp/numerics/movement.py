"""What ops that only move elements do: mostly views."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dialects import graph as g
from interp.numerics.rounding import Array, cast


def reshape(op: g.ReshapeOp, x: Array) -> Array:
    return x.reshape(g.shape_of(op.y))


def transpose(op: g.TransposeOp, x: Array) -> Array:
    return x.transpose(op.permutation.get_values())


def broadcast(op: g.BroadcastOp, x: Array) -> Array:
    return np.broadcast_to(x, g.shape_of(op.y))


def concat(op: g.ConcatOp, *parts: Array) -> Array:
    return np.concatenate(parts, op.axis.value.data)


def slice_op(op: g.SliceOp, x: Array) -> Array:
    kept = op.ranges()
    # A slice that runs down to element 0 ends at None, for -1 would count from the end.
    return x[tuple(slice(r.start, r.stop if r.stop >= 0 else None, r.step) if len(r) else slice(0) for r in kept)]


def pad(op: g.PadOp, x: Array) -> Array:
    fill = cast(np.array(op.value.value.data), x.dtype)
    y = np.full(g.shape_of(op.y), fill, x.dtype)
    y[tuple(slice(low, low + n) for low, n in zip(op.low.get_values(), x.shape, strict=True))] = x
    return y


MOVEMENTS: dict[type[g.GraphOp], Callable[..., Array]] = {
    g.ReshapeOp: reshape,
    g.TransposeOp: transpose,
    g.BroadcastOp: broadcast,
    g.ConcatOp: concat,
    g.SliceOp: slice_op,
    g.PadOp: pad,
}
