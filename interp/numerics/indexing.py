"""Numerics of gathers and scatters; an index outside the tensor is an error at the op."""

from __future__ import annotations

from math import prod

import numpy as np

from dialects import graph as g
from dialects.diagnostics import InputError
from interp.numerics.meaning import meaning
from interp.numerics.rounding import Array, rounded, wide_dtype, widened

_FOLDS: dict[str, np.ufunc] = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}
_BITWISE: dict[str, np.ufunc] = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def checked_indices(op: g.GraphOp, indices: Array, extent: int, axis: int) -> Array:
    """Indices counted from the front. Raises InputError at the op for an index outside [-extent, extent)."""
    if not indices.size:
        return indices.astype(np.intp)
    low, high = int(indices.min()), int(indices.max())
    if low < -extent or high >= extent:
        wrong = low if low < -extent else high
        raise InputError(
            f"{op.name}: index {wrong} lies outside axis {axis}, which has {extent} elements; "
            f"indices go from {-extent} to {extent - 1}",
            op,
        )
    wide = indices.astype(np.intp)
    return np.where(wide < 0, wide + extent, wide) if low < 0 else wide


@meaning.of(g.GatherOp)
def gather(op: g.GatherOp, x: Array, indices: Array) -> Array:
    axis = op.axis.value.data % x.ndim
    return np.take(x, checked_indices(op, indices, x.shape[axis], axis), axis)


@meaning.of(g.GatherElementsOp)
def gather_elements(op: g.GatherElementsOp, x: Array, indices: Array) -> Array:
    axis = op.axis.value.data % x.ndim
    return x[_points(checked_indices(op, indices, x.shape[axis], axis), axis)]


@meaning.of(g.ScatterElementsOp)
def scatter_elements(op: g.ScatterElementsOp, x: Array, indices: Array, updates: Array) -> Array:
    axis = op.axis.value.data % x.ndim
    return _scattered(op.kind.data, x, _points(checked_indices(op, indices, x.shape[axis], axis), axis), updates)


def _points(indices: Array, axis: int) -> tuple[Array, ...]:
    """Index arrays, one per axis of a tensor, that address one element for each element of `indices`: along `axis` its
    coordinate is the value in `indices`, along every other axis the position in `indices`."""
    grid = list(np.ogrid[tuple(slice(n) for n in indices.shape)])
    grid[axis] = indices
    return tuple(grid)


@meaning.of(g.GatherNdOp)
def gather_nd(op: g.GatherNdOp, x: Array, indices: Array) -> Array:
    shared, shape = op.batch_dims.value.data, g.shape_of(op.y)
    batch = prod(x.shape[:shared])
    x = x.reshape(batch, *x.shape[shared:])
    vectors = indices.reshape(batch, prod(indices.shape[shared:-1]), indices.shape[-1])
    at = _vectors(op, vectors, x.shape[1:], shared)
    every = np.broadcast_to(np.arange(batch)[:, None], vectors.shape[:-1])  # also if vectors have no coordinates
    return x[(every, *at)].reshape(shape)


@meaning.of(g.ScatterNdOp)
def scatter_nd(op: g.ScatterNdOp, x: Array, indices: Array, updates: Array) -> Array:
    vectors = indices.reshape(prod(indices.shape[:-1]), indices.shape[-1])
    slices = updates.reshape(len(vectors), *x.shape[indices.shape[-1] :])
    if op.outside.data == "drop":
        kept = ((vectors >= 0) & (vectors < np.array(x.shape[: vectors.shape[-1]]))).all(axis=-1)
        vectors, slices = vectors[kept], slices[kept]
    at = _vectors(op, vectors, x.shape, 0)
    if not at:  # empty index vectors: each update replaces the whole tensor
        at = (np.zeros(len(vectors), np.intp),)
        return _scattered(op.kind.data, x[None], at, slices)[0]
    return _scattered(op.kind.data, x, at, slices)


@meaning.of(g.DynamicSliceOp)
def dynamic_slice(op: g.DynamicSliceOp, x: Array, *starts: Array) -> Array:
    return np.asarray(x[_clamped(x.shape, g.shape_of(op.y), starts)])


@meaning.of(g.DynamicUpdateSliceOp)
def dynamic_update_slice(op: g.DynamicUpdateSliceOp, x: Array, update: Array, *starts: Array) -> Array:
    y = np.array(x)
    y[_clamped(x.shape, update.shape, starts)] = update
    return y


def _clamped(shape: tuple[int, ...], sizes: tuple[int, ...], starts: tuple[Array, ...]) -> tuple[slice, ...]:
    """The box of `sizes` elements at `starts`, as slices, shifted so that it is inside a tensor of shape `shape`."""
    firsts = [min(max(int(at), 0), n - size) for at, n, size in zip(starts, shape, sizes, strict=True)]
    return tuple(slice(first, first + size) for first, size in zip(firsts, sizes, strict=True))


@meaning.of(g.ArgsortOp)
def argsort(op: g.ArgsortOp, x: Array) -> Array:
    axis = op.axis.value.data
    if not op.descending.value.data:
        return np.argsort(x, axis, stable=True).astype(np.int32)
    turned = np.argsort(
        np.flip(x, axis), axis, stable=True
    )  # sort the flipped axis, so that equal elements keep their order after reversal
    return (x.shape[axis] - 1 - np.flip(turned, axis)).astype(np.int32)


def _vectors(op: g.GraphOp, vectors: Array, shape: tuple[int, ...], first: int) -> tuple[Array, ...]:
    """The coordinates in index vectors (the last axis of `vectors`), as one array for each coordinate; coordinate i
    belongs to axis `first` + i of the tensor, of extent `shape[i]`. Raises InputError at the op for an index outside
    the tensor."""
    return tuple(checked_indices(op, vectors[..., i], shape[i], first + i) for i in range(vectors.shape[-1]))


def _scattered(kind: str, x: Array, at: tuple[Array, ...], updates: Array) -> Array:
    """A copy of `x` whose elements at `at` are replaced by the updates, or combined with them as `kind` states; if two
    updates replace one element, the later one is kept."""
    if kind == "set":
        y = x.copy()
        y[at] = updates
        return y
    if kind in _BITWISE:
        y = x.copy()
        _BITWISE[kind].at(y, at, updates)
        return y
    y = x.astype(wide_dtype(x.dtype), copy=True)
    _FOLDS[kind].at(y, at, widened(updates))
    return rounded(y, x.dtype)
