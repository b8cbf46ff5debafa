"""Constants for other extents: arrays whose elements follow from their position, such as masks and positions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import sqrt
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
_LEAST = 3
"""The least extent from which a progression can be told from a coincidence."""


def extended(array: Array, shape: Sequence[int], counts: Collection[int]) -> Array | None:
    """An array of another shape whose elements follow the same rule; None if no rule is known.

    Rules, for the axes whose extent differs: all elements along the axis are equal; integers that grow or fall by 1
    along it, or stay equal; two values that depend only on the difference of the indices on two axes (a causal mask,
    a band). `counts`: extents that change; a rule whose first number is one of these, or next to one, is not
    applied, since the number may stand for the extent.
    """
    axes = [axis for axis, extent in enumerate(shape) if extent != array.shape[axis]]
    varying: list[int] = []
    for axis in axes:
        first = array.take([0], axis)
        if (array == first).all():
            array = first
        else:
            varying.append(axis)
    if any(array.shape[axis] < _LEAST for axis in varying):
        return None
    if varying:
        made = _progression(array, varying, shape, counts)
        if made is None and len(varying) == 2:
            made = _band(array, (varying[0], varying[1]), shape, counts)
        if made is None:
            return None
        array = made
    return np.broadcast_to(array, shape)


def _progression(array: Array, axes: Sequence[int], shape: Sequence[int], counts: Collection[int]) -> Array | None:
    """`array` extended along `axes`, along which its integers grow or fall by 1 or are equal; None for others."""
    if array.dtype.kind == "b" or not np.isfinite(array).all() or (array != np.rint(array)).any():
        return None
    wide = array.astype(np.int64)
    if (wide != array).any():
        return None
    start = _start_of(wide, axes)
    old, made, moves = start, start, np.zeros(start.shape, bool)
    for axis in axes:
        step = _start_of(np.diff(wide, axis=axis), axes)
        if (abs(step) > 1).any():
            return None
        moves |= step != 0
        old = old + step * _indices(wide.shape[axis], axis, wide.ndim)
        made = made + step * _indices(shape[axis], axis, wide.ndim)
    if (old != wide).any() or any(is_near(int(number), counts) for number in np.unique(start[moves])):
        return None
    return made.astype(array.dtype)


def _start_of(array: Array, axes: Sequence[int]) -> Array:
    """The elements with index 0 on each of `axes`, which keep an extent of 1."""
    for axis in axes:
        array = array.take([0], axis)
    return array


def _band(array: Array, axes: tuple[int, int], shape: Sequence[int], counts: Collection[int]) -> Array | None:
    """`array` of two values extended along two axes, on whose indices' difference its elements depend; None if they
    depend on anything else."""
    rows, columns = array.shape[axes[0]], array.shape[axes[1]]
    matrix = np.moveaxis(array, axes, (-2, -1))
    if len(np.unique(array)) > 2:
        return None
    by_distance = np.concatenate([matrix[..., :0:-1, 0], matrix[..., 0, :]], axis=-1)  # column - row, from 1 - rows on
    far = _distances(rows, columns)
    if (by_distance[..., far + rows - 1] != matrix).any():
        return None
    differs = by_distance[..., 1:] != by_distance[..., :-1]
    edges = np.nonzero(differs.reshape(-1, differs.shape[-1]).any(axis=0))[0]
    if any(is_near(int(edge) - rows + 1, counts) for edge in edges):
        return None
    new = _distances(shape[axes[0]], shape[axes[1]])
    return np.moveaxis(by_distance[..., np.clip(new + rows - 1, 0, rows + columns - 2)], (-2, -1), axes)


def _distances(rows: int, columns: int) -> Array:
    """The column minus the row of each element of a matrix."""
    return _indices(columns, 1, 2) - _indices(rows, 0, 2)


def _indices(count: int, axis: int, rank: int) -> Array:
    return np.arange(count).reshape([count if each == axis else 1 for each in range(rank)])


def is_near(number: int, counts: Collection[int]) -> bool:
    """True if a number differs by at most 1, apart from its sign, from one of `counts`."""
    return any(abs(abs(number) - count) <= 1 for count in counts)


def stands_for(number: float, counts: Collection[int]) -> int | None:
    """The extent in `counts` that a number is computed from: as the extent, the extent minus 1, or a root or
    reciprocal of these; None if there is none."""
    for count in counts:
        for base in (count, count - 1):
            if any(abs(number - each) <= 1e-6 * abs(each) for each in (base, 1 / base, sqrt(base), 1 / sqrt(base))):
                return count
    return None
