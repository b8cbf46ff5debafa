"""Analysis of a sweep's results: the points that no other point beats (Pareto front), and the effect of each axis on a
figure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean, median

from interp.figures import first_of
from ndpir.sweep.axes import Value
from ndpir.sweep.journal import Row

GREATER_IS_BETTER = ("speed_up", "tokens_per_s")
"""The figures for which larger values are better; for all other figures, smaller values are better."""
TIED = 1e-8
"""The relative difference below which two means count as equal."""
MOST_TIED = 3
"""The largest number of tied values of an axis that a table lists."""
BINS = 8
"""The number of groups of equal size into which the values of an axis are divided if most values occur once, as in
random samples."""


def number_in(row: Row, figure: str) -> float | None:
    """A figure of a row as a number; None if the row does not have this figure as a number."""
    found = row.figures.get(figure)
    return float(found) if isinstance(found, int | float) else None


def pareto(rows: Sequence[Row], figures: Sequence[str]) -> list[Row]:
    """The rows that no other row beats: a row beats another if it is at least as good in all figures and better in one.
    Rows without one of the figures are omitted; of several rows with equal figures, only the first is returned. The
    rows are sorted by the first figure, the best first."""
    signs = [-1.0 if figure in GREATER_IS_BETTER else 1.0 for figure in figures]
    known: list[tuple[tuple[float, ...], Row]] = []
    for row in rows:
        values = [value for figure in figures if (value := number_in(row, figure)) is not None]
        if len(values) == len(figures):
            known.append((tuple(sign * value for sign, value in zip(signs, values, strict=True)), row))
    known.sort(key=lambda each: each[0])
    front: list[tuple[tuple[float, ...], Row]] = []
    for place, row in known:  # whatever beats it comes before it
        if not any(all(a <= b for a, b in zip(other, place, strict=True)) for other, _ in front):
            front.append((place, row))
    return [row for _, row in front]


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
    known = [(row, value) for row in rows if (value := number_in(row, figure)) is not None]
    axes = dict.fromkeys(name for row, _ in known for name in row.point)
    found = [_sensitivity(axis, known, figure) for axis in axes]
    return sorted(found, key=lambda each: -each.explained)


def _sensitivity(axis: str, known: Sequence[tuple[Row, float]], figure: str) -> Sensitivity:
    groups = levels([(row.point[axis], value) for row, value in known if axis in row.point])
    means = {level: fmean(values) for level, values in groups.items()}
    sign = -1.0 if figure in GREATER_IS_BETTER else 1.0
    best_mean, worst_mean = (sign * choose(sign * mean for mean in means.values()) for choose in (min, max))
    best, worst = (_tied(means, mean) for mean in (best_mean, worst_mean))
    everything = [value for values in groups.values() for value in values]
    mean = fmean(everything)
    spread = sum((value - mean) ** 2 for value in everything)
    between = sum(len(values) * (means[level] - mean) ** 2 for level, values in groups.items())
    explained = between / spread if spread else 0.0
    return Sensitivity(axis, best, worst, best_mean, worst_mean, explained, _elasticity(axis, known))


def _tied(means: Mapping[str, float], mean: float) -> str:
    """The levels of an axis with this mean, in words."""
    found = [level for level, value in means.items() if abs(value - mean) <= TIED * abs(mean)]
    return first_of(found, MOST_TIED)


def levels(pairs: Sequence[tuple[Value, float]]) -> Mapping[str, list[float]]:
    """The figures of all points by the axis's value, in the order of the values. If most values occur only once,
    figures are grouped by ranges of values. `pairs`: the value and the figure of each point."""
    found: dict[Value, list[float]] = defaultdict(list)
    for at, value in sorted(pairs, key=lambda pair: (isinstance(pair[0], str), pair[0])):
        found[at].append(value)
    numbers = [at for at in found if not isinstance(at, str)]
    if len(numbers) < len(found) or len(found) <= BINS or len(found) * 2 <= len(pairs):
        return {shown(at): values for at, values in found.items()}
    ordered = [(at, value) for at, values in found.items() for value in values]
    binned: dict[str, list[float]] = {}
    for part in range(BINS):
        members = ordered[part * len(ordered) // BINS : (part + 1) * len(ordered) // BINS]
        if members:
            binned[f"{shown(members[0][0])}..{shown(members[-1][0])}"] = [value for _, value in members]
    return binned


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


def _elasticity(axis: str, known: Sequence[tuple[Row, float]]) -> float | None:
    """The elasticity of a figure with respect to an axis, as defined at `Sensitivity.elasticity`; None if it is
    undefined."""
    lines: dict[tuple[tuple[str, Value], ...], list[tuple[float, float]]] = defaultdict(list)
    for row, value in known:
        at = row.point.get(axis)
        if not isinstance(at, int | float) or at <= 0 or value <= 0:
            continue
        lines[tuple(sorted((name, each) for name, each in row.point.items() if name != axis))].append((at, value))
    slopes = [
        (log(high_value) - log(low_value)) / run
        for line in lines.values()
        for (low, low_value), (high, high_value) in zip(sorted(line)[:-1], sorted(line)[1:], strict=True)
        if (run := log(high) - log(low))
    ]
    return median(slopes) if slopes else None
