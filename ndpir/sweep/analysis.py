"""Analysis of a sweep's results: the points that no other point beats (Pareto front), and the effect of each axis on a
figure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from interp.figures import first_of
from ndpir.sweep.axes import Value
from ndpir.sweep.journal import Row, axes_in

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]
GREATER_IS_BETTER = ("speed_up", "tokens_per_s")
"""The figures for which larger values are better; for all other figures, smaller values are better."""
TIED = 1e-8
"""The relative difference below which two means count as equal."""
MOST_TIED = 3
"""The largest number of tied values of an axis that a table lists."""
BINS = 8
"""The number of groups of equal size into which the values of an axis are divided if most values occur once, as in
random samples."""

FEW = 1 << 14
"""The largest number of pairs of points that are compared one by one."""


def number_in(row: Row, figure: str) -> float | None:
    """A figure of a row as a number; None if the row does not have this figure as a number."""
    found = row.figures.get(figure)
    return float(found) if isinstance(found, int | float) else None


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


def pareto(rows: Sequence[Row], figures: Sequence[str]) -> list[Row]:
    """The rows that no other row beats: a row beats another if it is at least as good in all figures and better in one.
    Rows without one of the figures are omitted; of several rows with equal figures, only the first is returned. The
    rows are sorted by the first figure, the best first."""
    signs = [-1.0 if figure in GREATER_IS_BETTER else 1.0 for figure in figures]
    places = np.stack([sign * numbers_in(rows, figure) for sign, figure in zip(signs, figures, strict=True)], axis=1)
    known = np.flatnonzero(~np.isnan(places).any(axis=1))
    ordered = known[np.lexsort(places[known].T[::-1])]
    return rows_at(rows, ordered[_front(places[ordered])])


def _front(places: Reals) -> NDArray[np.intp]:
    """The positions of the points that no other one beats, of several equal ones the first. `places`: numbers of which
    smaller ones are better, as (points, figures), in lexical order, so that whatever beats a point comes before it."""
    count, figures = places.shape
    if count <= 1 or figures == 1:
        return np.flatnonzero(np.ones(count)[:1])
    if figures == 2:
        least = np.full(count, np.inf)
        least[1:] = np.minimum.accumulate(places[:-1, 1])
        return np.flatnonzero(places[:, 1] < least)
    if count * count <= FEW:
        beats: NDArray[np.bool_] = np.triu((places[:, None] <= places).all(axis=2), 1)
        return np.flatnonzero(~beats.any(axis=0))
    middle = count // 2
    first, second = _front(places[:middle]), middle + _front(places[middle:])
    return np.concatenate([first, second[~_beaten(places[first, 1:], places[second, 1:])]])


def _beaten(better: Reals, places: Reals) -> NDArray[np.bool_]:
    """True for each of `places` that has no smaller number than one of `better`, both as (points, figures)."""
    if not len(better) or not len(places):
        return np.zeros(len(places), np.bool_)
    if places.shape[1] == 1:
        return places[:, 0] >= float(better.min())
    if places.shape[1] == 2:
        better = better[np.argsort(better[:, 0])]
        least = np.minimum.accumulate(better[:, 1])
        before = np.searchsorted(better[:, 0], places[:, 0], side="right")
        return (before > 0) & (least[before - 1] <= places[:, 1])
    if len(better) * len(places) <= FEW:
        is_beaten: NDArray[np.bool_] = np.any(np.all(better[:, None] <= places, axis=2), axis=0)
        return is_beaten
    # Divided at a value of the first figure, all better ones of one side are better than all others in this figure.
    numbers = np.unique(np.concatenate([better[:, 0], places[:, 0]]))
    if len(numbers) == 1:
        return _beaten(better[:, 1:], places[:, 1:])
    low_better, low = (each[:, 0] < numbers[len(numbers) // 2] for each in (better, places))
    found = np.zeros(len(places), np.bool_)
    found[low] = _beaten(better[low_better], places[low])
    found[~low] = _beaten(better[low_better, 1:], places[~low, 1:])
    left = np.flatnonzero(~low & ~found)
    found[left] = _beaten(better[~low_better], places[left])
    return found


@dataclass(frozen=True)
class Sensitivity:
    """The effect of an axis on a figure."""

    axis: str
    best: str
    """The value, or the range of values, with the best mean of the figure; several if they tie."""
    worst: str
    best_mean: float
    worst_mean: float
    explained: float
    """The part of the figure's variance that this axis alone explains: the figure's mean is taken at each value of the
    axis, and the variance of these means is divided by the variance of all points (correlation ratio, or first-order
    Sobol index of a grid)."""
    elasticity: float | None
    """The relative change of the figure for a relative change of the axis: the median of d ln(figure) / d ln(value)
    over neighbouring points that differ in this axis only; null without such points, and for an axis of text."""


def sensitivities(rows: Sequence[Row], figure: str) -> list[Sensitivity]:
    """The effect of each axis on a figure, in order of the part of the figure's variance that the axis explains,
    largest first."""
    values = numbers_in(rows, figure)
    known = np.flatnonzero(~np.isnan(values))
    lines, values = Lines(rows_at(rows, known)), values[known]
    found = [_sensitivity(axis, lines, values, figure) for axis in lines.axes]
    return sorted(found, key=lambda each: -each.explained)


def _sensitivity(axis: str, lines: Lines, values: Reals, figure: str) -> Sensitivity:
    groups = levels(lines, axis, values)
    means = {level: fmean(each) for level, each in groups.items()}
    sign = -1.0 if figure in GREATER_IS_BETTER else 1.0
    best_mean, worst_mean = (sign * choose(sign * mean for mean in means.values()) for choose in (min, max))
    best, worst = (_tied(means, mean) for mean in (best_mean, worst_mean))
    everything = values[lines.codes[axis] >= 0]
    mean = fmean(everything)
    spread = float(((everything - mean) ** 2).sum())
    between = sum(len(each) * (means[level] - mean) ** 2 for level, each in groups.items())
    explained = between / spread if spread else 0.0
    return Sensitivity(axis, best, worst, best_mean, worst_mean, explained, _elasticity(axis, lines, values))


def _tied(means: Mapping[str, float], mean: float) -> str:
    """The levels of an axis with this mean, in words."""
    found = [level for level, value in means.items() if abs(value - mean) <= TIED * abs(mean)]
    return first_of(found, MOST_TIED)


def levels(lines: Lines, axis: str, figures: Reals, most: int | None = None) -> Mapping[str, Reals]:
    """The figures of all points that have an axis, by the axis's value, in the order of the values. If most values
    occur only once, or if there are more than `most`, figures are grouped by ranges of values. `figures`: one for each
    of the rows of `lines`."""
    codes, values = lines.codes[axis], lines.values[axis]
    order = np.argsort(codes, kind="stable")
    order = order[np.searchsorted(codes[order], 0) :]  # without rows that lack the axis
    ordered = codes[order]
    is_long = len(values) * 2 > len(order) or (most is not None and len(values) > most)
    if len(values) > BINS and is_long and not any(isinstance(value, str) for value in values):
        ends = [part * len(order) // BINS for part in range(BINS + 1)]
        return {
            f"{shown(values[int(ordered[start])])}..{shown(values[int(ordered[end - 1])])}": figures[order[start:end]]
            for start, end in pairwise(ends)
        }
    parts = np.split(figures[order], np.searchsorted(ordered, np.arange(1, len(values))))
    return {shown(value): part for value, part in zip(values, parts, strict=True)}


def shown(value: Value) -> str:
    """A value as text, with at most four digits."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def number_text(value: Value | None) -> str:
    """A value of an axis or a figure as a table shows it: numbers with six digits, from 10^6 to 10^12 in whole numbers;
    None as an empty text."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if 1e6 <= abs(value) < 1e12 else f"{value:,.6g}"
    return shown(value)


@dataclass(frozen=True)
class Failure:
    """Points of a sweep that failed with the same error."""

    error: str
    rows: tuple[Row, ...]
    common: Mapping[str, Value]
    """The values that all of these points have in common, by axis."""


def failures(rows: Sequence[Row]) -> list[Failure]:
    """The failed points, grouped by error, in the order of each group's first point."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.error:
            groups[row.error].append(row)
    return [Failure(error, tuple(members), _common(members)) for error, members in groups.items()]


def _common(rows: Sequence[Row]) -> dict[str, Value]:
    first, *others = (row.point for row in rows)
    return {axis: value for axis, value in first.items() if all(point.get(axis) == value for point in others)}


def failure_text(failure: Failure) -> str:
    """The number of points of a failure and the values that they have in common; for a single point, its values."""
    at = " ".join(f"{name}={shown(value)}" for name, value in failure.common.items())
    if len(failure.rows) == 1:
        return at
    return f"{len(failure.rows)} points{' with ' if at else ''}{at}"


def _elasticity(axis: str, lines: Lines, values: Reals) -> float | None:
    """The elasticity of a figure with respect to an axis, as defined at `Sensitivity.elasticity`; None if it is
    undefined."""
    numbers = [np.nan if isinstance(value, str) else value for value in lines.values[axis]]
    at = np.array([*numbers, np.nan])[lines.codes[axis]]  # the last one for -1
    usable = np.flatnonzero((at > 0) & (values > 0))
    at, figure, line = np.log(at[usable]), np.log(values[usable]), lines.of(axis)[usable]
    order = np.lexsort((figure, at, line))
    run, rise, same = np.diff(at[order]), np.diff(figure[order]), np.diff(line[order]) == 0
    neighbours = same & (run != 0)
    return float(np.median(rise[neighbours] / run[neighbours])) if neighbours.any() else None
