"""Rows of a sweep as columns of numbers, which analyses of many points are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ndpir.sweep.axes import Value
from ndpir.sweep.journal import Row

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]


def axes_in(rows: Sequence[Row]) -> list[str]:
    """The names of the axes of some rows, in the order of their first occurrence."""
    return _distinct(tuple(row.point) for row in rows)


def figures_in(rows: Sequence[Row]) -> list[str]:
    """The names of the figures of some rows, in the order of their first occurrence."""
    return _distinct(tuple(row.figures) for row in rows)


def _distinct(names: Iterable[tuple[str, ...]]) -> list[str]:
    # The rows of a sweep have few sets of names.
    return list(dict.fromkeys(name for each in dict.fromkeys(names) for name in each))


def rows_at(rows: Sequence[Row], places: NDArray[np.intp]) -> list[Row]:
    """The rows at some positions, in their order."""
    return [rows[at] for at in places.tolist()]


def numbers_in(rows: Sequence[Row], figure: str) -> Reals:
    """A figure of each row, as (rows); nan for rows that do not have it as a number."""
    found = [row.figures.get(figure) for row in rows]
    if str in set(map(type, found)):  # NumPy would read numbers in texts
        found = [None if isinstance(value, str) else value for value in found]
    return np.array(found, np.float64)


def coded(values: Sequence[Value | None]) -> tuple[Integers, list[Value]]:
    """The number of each value among the distinct ones, as (values), -1 for None; and the distinct ones in order,
    numbers before texts."""
    found = [value for value in dict.fromkeys(values) if value is not None]
    found.sort(key=lambda value: (isinstance(value, str), value))
    number: dict[Value | None, int] = {value: at for at, value in enumerate(found)}
    number[None] = -1
    return np.fromiter(map(number.__getitem__, values), np.int64, len(values)), found


class Lines:
    """Rows that differ in one axis only, for each axis: the lines of a grid."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.axes = axes_in(rows)
        columns = {axis: coded([row.point.get(axis) for row in rows]) for axis in self.axes}
        self.codes = {axis: codes for axis, (codes, _) in columns.items()}
        """For each axis the number of each row's value among the axis's values in order, as (rows); -1 for rows without
        the axis."""
        self.values = {axis: values for axis, (_, values) in columns.items()}
        """The distinct values of each axis, in order."""

    def of(self, axis: str) -> Integers:
        """The number of each row's line along an axis, as (rows): rows of one line have equal values of all other
        axes."""
        lines = np.zeros(len(self.codes[axis]), np.int64)
        count = 1
        for other in self.axes:
            if other == axis:
                continue
            size = len(self.values[other]) + 1
            if count * size >= 1 << 62:
                lines = np.unique(lines, return_inverse=True)[1].astype(np.int64)
                count = len(lines)
            lines = lines * size + self.codes[other] + 1
            count *= size
        return lines
