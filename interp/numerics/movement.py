"""Numerics of ops that only move elements; most results are views of the operands."""

from __future__ import annotations

import numpy as np

from dialects import graph as g
from dialects.element_types import dtype_of, element_count
from interp.numerics.meaning import meaning
from interp.numerics.packing import from_bytes, to_bytes
from interp.numerics.rounding import Array, cast


@meaning.of(g.ReshapeOp)
def reshape(op: g.ReshapeOp, x: Array) -> Array:
    return x.reshape(g.shape_of(op.y))


@meaning.of(g.BitcastOp)
def bitcast(op: g.BitcastOp, x: Array) -> Array:
    type_ = g.tensor_of(op.y)
    return from_bytes(to_bytes(x), dtype_of(type_.element_type), element_count(type_)).reshape(g.shape_of(op.y))


@meaning.of(g.TransposeOp)
def transpose(op: g.TransposeOp, x: Array) -> Array:
    return x.transpose(op.permutation.get_values())


@meaning.of(g.BroadcastOp)
def broadcast(op: g.BroadcastOp, x: Array) -> Array:
    return np.broadcast_to(x, g.shape_of(op.y))


@meaning.of(g.ConcatOp)
def concat(op: g.ConcatOp, *parts: Array) -> Array:
    return np.concatenate(parts, op.axis.value.data)


@meaning.of(g.SliceOp)
def slice_op(op: g.SliceOp, x: Array) -> Array:
    kept = op.ranges()
    # A slice that runs down to element 0 ends at None, since -1 would count from the end.
    return x[tuple(slice(r.start, r.stop if r.stop >= 0 else None, r.step) if len(r) else slice(0) for r in kept)]


@meaning.of(g.PadOp)
def pad(op: g.PadOp, x: Array) -> Array:
    fill = cast(np.array(op.value.value.data), x.dtype)
    y = np.full(g.shape_of(op.y), fill, x.dtype)
    y[tuple(slice(low, low + n) for low, n in zip(op.low.get_values(), x.shape, strict=True))] = x
    return y
