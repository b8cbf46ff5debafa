"""Analyses of rows as columns equal their definitions, row by row; those of many rows show a part of them, and say
so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log
from statistics import fmean, median
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndpir.reports.columns import Figure
from ndpir.sweep import analysis
from ndpir.sweep.analysis import (
    BINS,
    GREATER_IS_BETTER,
    Lines,
    coded,
    levels,
    number_in,
    numbers_in,
    pareto,
    sensitivities,
)
from ndpir.sweep.axes import Value
from ndpir.sweep.drawing import MOST_DRAWN, MOST_LEVELS, SHAPES, effects_plot, pareto_plot
from ndpir.sweep.journal import Row
from ndpir.sweep.remarks import EQUAL, ties, without_effect
from ndpir.sweep.report import MOST_ROWS, report_html

FIGURES = ["makespan_ns", "speed_up", "energy_nj", "board_nj"]
NUMBERS = st.one_of(st.integers(0, 3), st.sampled_from([0.5, 1.0, -2.5]))
VALUES = st.one_of(NUMBERS, st.none(), st.just("1.5"))
POINTS = st.fixed_dictionaries({}, optional={"a": NUMBERS, "b": st.sampled_from([1, 2, "x", "y"]), "c": NUMBERS})
Found: TypeAlias = Sequence[tuple[Mapping[str, Value], Mapping[str, Figure]]]
ROWS = st.lists(st.tuples(POINTS, st.fixed_dictionaries(dict.fromkeys(FIGURES, VALUES))), min_size=1, max_size=24)


def rows_of(found: Found) -> list[Row]:
    return [Row(number, point, figures, "", 0.0) for number, (point, figures) in enumerate(found)]


@given(ROWS, st.integers(1, 4), st.sampled_from([0, 4, 1 << 14]))
def test_fronts_of_several_figures(found: Found, count: int, few: int):
    """A point is on the front if and only if it has all figures as numbers, no other point is at least as good in all
    and better in one, and no earlier one is equal."""
    rows, figures = rows_of(found), FIGURES[:count]

    def costs(row: Row) -> list[float] | None:
        values = [number_in(row, figure) for figure in figures]
        known = [value for value in values if value is not None]
        if len(known) < count:
            return None
        return [-value if name in GREATER_IS_BETTER else value for name, value in zip(figures, known, strict=True)]

    known = [(row, cost) for row in rows if (cost := costs(row)) is not None]
    expected = [
        (cost, row.number)
        for at, (row, cost) in enumerate(known)
        if not any(
            all(a <= b for a, b in zip(other, cost, strict=True)) and (other != cost or place < at)
            for place, (_, other) in enumerate(known)
        )
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analysis, "FEW", few)
        assert [row.number for row in pareto(rows, figures)] == [number for _, number in sorted(expected)]


@given(ROWS)
def test_effects_of_axes(found: Found) -> None:
    """The mean, the part of the variance and the elasticity, from each row that has the axis and the figure."""
    rows = rows_of(found)
    lines = Lines(rows)
    for effect in sensitivities(rows, "makespan_ns"):
        known = [
            (row.point[effect.axis], value, sorted((k, v) for k, v in row.point.items() if k != effect.axis))
            for row in rows
            if effect.axis in row.point and (value := number_in(row, "makespan_ns")) is not None
        ]
        groups = {at: [value for other, value, _ in known if other == at] for at, _, _ in known}
        mean = fmean(value for _, value, _ in known)
        spread = sum((value - mean) ** 2 for _, value, _ in known)
        between = sum(len(each) * (fmean(each) - mean) ** 2 for each in groups.values())
        assert effect.explained == pytest.approx(between / spread if spread else 0.0)
        assert (effect.best_mean, effect.worst_mean) == (
            min(map(fmean, groups.values())),
            max(map(fmean, groups.values())),
        )
        slopes: list[float] = []
        for rest in {str(others): others for _, _, others in known}.values():
            line = sorted(
                (float(at), value)
                for at, value, others in known
                if others == rest and not isinstance(at, str) and at > 0 and value > 0
            )
            slopes += [
                (log(high) - log(low)) / (log(after) - log(before))
                for (before, low), (after, high) in pairwise(line)
                if before < after
            ]
        assert (effect.elasticity is None) == (not slopes)
        if slopes:
            assert effect.elasticity == pytest.approx(median(slopes))
        compared = [
            [(at, value) for at, value, others in known if others == rest]
            for rest in ([*each] for each in {tuple(others) for _, _, others in known})
        ]
        compared = [line for line in compared if len({at for at, _ in line}) > 1]
        ends = [(min(value for _, value in line), max(value for _, value in line)) for line in compared]
        same = all(most - least <= EQUAL * max(abs(most), abs(least)) for least, most in ends)
        assert without_effect(lines, effect.axis, numbers_in(rows, "makespan_ns")) == (bool(compared) and same)


@given(ROWS, st.integers(1, 2))
def test_ties_of_the_front(found: Found, count: int) -> None:
    rows = [Row(number, {"at": number}, figures, "", 0.0) for number, (_, figures) in enumerate(found)]
    best = pareto(rows, FIGURES[:count])
    expected: list[str] = []
    for row in best:
        equal = [
            f"at={other.number}"
            for other in rows
            if other is not row and all(number_in(other, name) == number_in(row, name) for name in FIGURES[:count])
        ]
        more = f"; … and {len(equal) - 8} more" if len(equal) > 8 else ""
        expected += [f"as good as at={row.number}: {'; '.join(equal[:8])}{more}"] if equal else []
    assert ties(rows, best, FIGURES[:count]) == expected


def test_lines_of_more_combinations_than_integers() -> None:
    """Equal values of ten axes of 200 values each are one line; they have 200^10 combinations."""
    draw = np.random.default_rng(0)
    points = [{f"a{axis}": int(value) for axis, value in enumerate(row)} for row in draw.integers(0, 200, (400, 10))]
    points += [{**point, "a3": 1000} for point in points]
    lines = Lines([Row(0, point, {}, "", 0.0) for point in points]).of("a3")
    expected, _ = coded([str({**point, "a3": 0}) for point in points])
    assert len(set(zip(lines.tolist(), expected.tolist(), strict=True))) == len(set(lines.tolist())) == 400


def test_values_that_occur_once_are_ranges() -> None:
    rows = [Row(0, {"a": float(at), "b": at % 2}, {"x": float(at)}, "", 0.0) for at in range(100)]
    lines, values = Lines(rows), numbers_in(rows, "x")
    ranges = levels(lines, "a", values)
    assert (len(ranges), *list(ranges)[:: BINS - 1]) == (BINS, "0..11", "87..99")
    assert np.concatenate(list(ranges.values())).tolist() == [float(at) for at in range(100)]
    assert list(levels(lines, "b", values)) == ["0", "1"]


def test_plots_of_many_points_draw_each_machine_and_say_how_many() -> None:
    """Also if the machine of every second point is the same, so that every n-th point would have one machine."""
    count = 4 * MOST_DRAWN
    rows = [
        Row(0, {"machine": "xy"[at % 2], "a": at}, {"makespan_ns": at // 2 * 37 % 9973, "energy_nj": at}, "", 0.0)
        for at in range(count)
    ]
    svg = pareto_plot(rows, ["makespan_ns", "energy_nj"]).svg()
    drawn = [svg.count(f'class="point s{kind}"') for kind in range(len(SHAPES))]
    assert min(drawn[:2]) > MOST_DRAWN // 8
    assert sum(drawn) <= 2 * MOST_DRAWN
    assert f">{sum(drawn):,} of {count:,} points are drawn</text>" in svg
    assert effects_plot(rows, "makespan_ns").svg().count('class="mean"') <= 2 + BINS + 1
    assert "points are drawn" not in pareto_plot(rows[:MOST_DRAWN], ["makespan_ns", "energy_nj"]).svg()


def test_reports_of_long_fronts_show_a_part() -> None:
    """All of its values are still in the plot's axes, and the page says how many rows of the table it shows."""
    count = MOST_ROWS + 9
    points = [{"a": at % (MOST_LEVELS + 1)} for at in range(count)]
    rows = [Row(0, point, {"makespan_ns": at, "energy_nj": -at}, "", 0.0) for at, point in enumerate(points)]
    page = report_html("r", rows, ["makespan_ns", "energy_nj"], "makespan_ns")
    assert page.count(f"The first {MOST_ROWS} of {count}.") == 2  # the front, and all points
    assert page.count("<tr><td") == 2 * MOST_ROWS + 1  # and one axis
    assert page.count('class="mean"') == BINS + 1  # more than MOST_LEVELS values
