"""Remarks on the results of a sweep that its tables do not show: points that are worse than the primary device alone,
axes without effect, points that tie, and points in different element types."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ndpir.sweep.analysis import number_in, number_text, shown
from ndpir.sweep.axes import Value
from ndpir.sweep.journal import Row

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
    """For each point of the Pareto front, a line with the other points that are equal to it in all of `figures`."""
    found: dict[tuple[float | None, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[_values(row, figures)].append(row)
    lines: list[str] = []
    for row in best:
        others = [other for other in found[_values(row, figures)] if other is not row]
        if others:
            each = "; ".join(_differing(other, row) for other in others[:MOST_LISTED])
            more = f"; … and {len(others) - MOST_LISTED} more" if len(others) > MOST_LISTED else ""
            lines.append(f"as good as {_at(row.point)}: {each}{more}")
    return lines


def without_effect(rows: Sequence[Row], axis: str, figure: str) -> bool:
    """True if a figure is the same for all values of an axis, whatever the other axes are; False if no two points
    differ in this axis alone."""
    lines: dict[tuple[tuple[str, Value], ...], dict[Value, float]] = defaultdict(dict)
    for row in rows:
        if axis in row.point and (value := number_in(row, figure)) is not None:
            others = tuple(sorted((name, each) for name, each in row.point.items() if name != axis))
            lines[others][row.point[axis]] = value
    compared = [list(line.values()) for line in lines.values() if len(line) > 1]
    return bool(compared) and all(_equal(min(line), max(line)) for line in compared)


def _worse_than_alone(rows: Sequence[Row]) -> Iterator[str]:
    for figure, all_worse, none_better in _ALONE:
        found = [value for row in rows if (value := number_in(row, figure)) is not None]
        if not found:
            continue
        least, most = min(found), max(found)
        best = most if figure == "speed_up" else 1 / least if least else float("inf")
        where = f"{number_text(least)}" if _equal(least, most) else f"{number_text(least)} to {number_text(most)}"
        if best <= 1 + EQUAL:
            yield f"{all_worse if best < 1 - EQUAL else none_better} the primary device alone ({figure} {where})"


def _without_effect(rows: Sequence[Row], effect: str) -> Iterator[str]:
    figures = dict.fromkeys(name for row in rows for name in row.figures if number_in(row, name) is not None)
    for axis in dict.fromkeys(name for row in rows for name in row.point):
        if without_effect(rows, axis, effect):
            changed = [name for name in figures if not without_effect(rows, axis, name)]
            others = f", but on {', '.join(changed[:MOST_LISTED])}" if changed else " or any other figure"
            yield f"{axis} has no effect on {effect}{others}"


def _types(rows: Sequence[Row]) -> Iterator[str]:
    found = dict.fromkeys(str(types) for row in rows if (types := row.figures.get("types")))
    if len(found) > 1:
        yield f"points compute in different types ({'; '.join(found)}): compare points of one type (column `types`)"


def _values(row: Row, figures: Sequence[str]) -> tuple[float | None, ...]:
    return tuple(number_in(row, figure) for figure in figures)


def _equal(a: float, b: float) -> bool:
    return abs(a - b) <= EQUAL * max(abs(a), abs(b))


def _at(point: Mapping[str, Value]) -> str:
    return " ".join(f"{name}={shown(value)}" for name, value in point.items())


def _differing(row: Row, other: Row) -> str:
    """The values in which a point differs from another."""
    return _at({name: value for name, value in row.point.items() if other.point.get(name) != value})
