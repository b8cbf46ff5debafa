"""Remarks on the results of a sweep that its tables do not show: points that are worse than the primary device alone,
axes without effect, points that tie, and points in different element types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial

import numpy as np

from ndpir.sweep.analysis import Lines, Reals, number_text, numbers_in, rows_at, shown
from ndpir.sweep.axes import Value
from ndpir.sweep.journal import Row, figures_in

EQUAL = 1e-8
"""The relative difference below which two figures count as equal."""
MOST_LISTED = 8
"""The largest number of points or values that a remark lists."""
_ALONE = (
    ("speed_up", "all points are slower than", "no point is faster than"),
    ("rel_energy", "all points take more energy than", "no point takes less energy than"),
)
"""The figures relative to the primary device alone, with the sentences for sweeps in which all points are worse, or
none is better; `speed_up` is better if greater, `rel_energy` if less."""


def remarks(rows: Sequence[Row], effect: str) -> list[str]:
    """The remarks on all points that did not fail. `effect`: the figure for which the effects of axes are shown."""
    return [*_worse_than_alone(rows), *_without_effect(rows, effect), *_types(rows)]


def ties(rows: Sequence[Row], best: Sequence[Row], figures: Sequence[str]) -> list[str]:
    """For each point of the Pareto front that has equals among `rows`, a line with the other points that are equal to
    it in all of `figures`. `best`: the front, some of `rows`."""
    columns = np.stack([numbers_in(rows, figure) for figure in figures])
    order = np.lexsort(columns[::-1])
    group = np.empty(len(rows), np.int64)  # the number of each row's set of equal rows
    group[order] = np.cumsum((np.diff(columns[:, order], prepend=np.nan) != 0).any(axis=0)) - 1
    starts = np.searchsorted(group[order], np.arange(len(rows) + 1))
    place = {id(row): at for at, row in enumerate(rows)}
    lines: list[str] = []
    for row in best:
        at = int(group[place[id(row)]])
        others = [other for other in rows_at(rows, order[starts[at] : starts[at + 1]]) if other is not row]
        if others:
            each = "; ".join(_differing(other, row) for other in others[:MOST_LISTED])
            more = f"; … and {len(others) - MOST_LISTED} more" if len(others) > MOST_LISTED else ""
            lines.append(f"as good as {_at(row.point)}: {each}{more}")
    return lines


def without_effect(lines: Lines, axis: str, values: Reals) -> bool:
    """True if a figure is the same for all values of an axis, whatever the other axes are; False if no two points
    differ in this axis alone. `values`: the figure of each row of `lines`, nan for rows without it."""
    known = np.flatnonzero((lines.codes[axis] >= 0) & ~np.isnan(values))
    line, values = lines.of(axis)[known], values[known]
    order = np.argsort(line, kind="stable")
    starts = np.flatnonzero(np.diff(line[order], prepend=-1))
    if not len(starts):
        return False
    codes, values = lines.codes[axis][known][order], values[order]
    differ = np.minimum.reduceat(codes, starts) < np.maximum.reduceat(codes, starts)
    least, most = np.minimum.reduceat(values, starts)[differ], np.maximum.reduceat(values, starts)[differ]
    return bool(differ.any()) and bool((most - least <= EQUAL * np.maximum(abs(least), abs(most))).all())


def _worse_than_alone(rows: Sequence[Row]) -> Iterator[str]:
    for figure, all_worse, none_better in _ALONE:
        found = numbers_in(rows, figure)
        found = found[~np.isnan(found)]
        if not len(found):
            continue
        least, most = float(found.min()), float(found.max())
        best = most if figure == "speed_up" else 1 / least if least else float("inf")
        where = f"{number_text(least)}" if _equal(least, most) else f"{number_text(least)} to {number_text(most)}"
        if best <= 1 + EQUAL:
            yield f"{all_worse if best < 1 - EQUAL else none_better} the primary device alone ({figure} {where})"


def _without_effect(rows: Sequence[Row], effect: str) -> Iterator[str]:
    lines, column = Lines(rows), cache(partial(numbers_in, rows))
    values = column(effect)
    if np.isnan(values).all():
        return
    for axis in (axis for axis in lines.axes if without_effect(lines, axis, values)):
        known = [name for name in figures_in(rows) if not np.isnan(column(name)).all()]
        changed = [name for name in known if not without_effect(lines, axis, column(name))]
        others = f", but on {', '.join(changed[:MOST_LISTED])}" if changed else " or any other figure"
        yield f"{axis} has no effect on {effect}{others}"


def _types(rows: Sequence[Row]) -> Iterator[str]:
    found = dict.fromkeys(str(types) for row in rows if (types := row.figures.get("types")))
    if len(found) > 1:
        yield f"points compute in different types ({'; '.join(found)}): compare points of one type (column `types`)"


def _equal(a: float, b: float) -> bool:
    return abs(a - b) <= EQUAL * max(abs(a), abs(b))


def _at(point: Mapping[str, Value]) -> str:
    return " ".join(f"{name}={shown(value)}" for name, value in point.items())


def _differing(row: Row, other: Row) -> str:
    """The values in which a point differs from another."""
    return _at({name: value for name, value in row.point.items() if other.point.get(name) != value})
