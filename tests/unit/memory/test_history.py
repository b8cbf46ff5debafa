"""Tests of histories of memory use: curves of bytes over time, the parts of a curve within an interval, and the drawing
of the curves."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from interp.simulate.memory.history import Curve, History, Level, Moved, history_of
from ndpir.reports.memory_svg import memory_picture


def curve(*points: tuple[float, float]) -> Curve:
    return Curve(np.array([time for time, _ in points], float), np.array([value for _, value in points], float))


RISE = curve((10, 0), (20, 10), (20, 30), (40, 30))


def test_a_curve_is_linear_between_points_and_jumps_where_two_points_share_a_time() -> None:
    assert RISE.at(np.array([0.0, 10, 15, 19, 20, 30, 99])).tolist() == [0, 0, 5, 9, 30, 30, 30]
    assert (RISE.peak, RISE.end) == (30, 30)
    assert Curve(np.array([]), np.array([])).at(np.array([1.0])).tolist() == [0]


def test_extremes_are_found_between_edges() -> None:
    peak = curve((0, 0), (4, 8), (6, 2), (10, 2))
    assert peak.most_in(np.array([0.0, 2, 5, 10])).tolist() == [4, 8, 5]


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 99)), min_size=1, max_size=12),
    st.integers(0, 20),
    st.integers(1, 20),
)
@example([(1, 0), (1, 1)], 0, 1)
def test_an_interval_of_a_curve_has_the_curve_s_values(points: list[tuple[int, int]], since: int, width: int) -> None:
    times = np.array(sorted(time for time, _ in points), float)
    full = Curve(times, np.array([value for _, value in points], float))
    interval = full.between(since, since + width)
    queried = (
        np.linspace(0, width, 4 * width, endpoint=False) + 0.125
    )  # between the integers, at which the curve may jump
    assert interval.at(queried).tolist() == pytest.approx(full.at(queried + since).tolist())
    assert (interval.times[0], interval.times[-1]) == (0, width)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9), st.integers(0, 99)), max_size=9))
def test_amounts_are_summed_at_constant_rates(amounts: list[tuple[int, int, int]]) -> None:
    since, width, nbytes = (np.array([each[column] for each in amounts], float) for column in range(3))
    found = Curve.of_amounts(since, since + width, nbytes)
    for time in np.arange(0, 41) + 0.5:
        amounts_so_far = [
            n * (1.0 if not w else min(max((time - s) / w, 0), 1)) if time > s else 0 for s, w, n in amounts
        ]
        assert float(found.at(np.array([time]))[0]) == pytest.approx(sum(amounts_so_far), abs=1e-6)


def test_a_history_is_built_from_samples_moves_and_stalls() -> None:
    samples = [(0.0, 10.0, (5.0, 0.0)), (8.0, 20.0, (5.0, 2.0)), (9.0, 12.0, (0.0, 7.0))]
    moved = [Moved("evicted", 0, 4, 8), Moved("prefetched", 2, 4, 6), Moved("prefetched", 3, 4, 1)]
    stalls = [(4.0, 6.0), (1.0, 2.0), (2.0, 3.0), (7.0, 7.0)]
    found = history_of([("gpu", 32), ("host", 8), ("ssd", 9)], samples, moved, stalls, 9.0)
    assert [(level.name, level.held.peak, level.held.end) for level in found.levels] == [
        ("gpu", 20, 12), ("host", 5, 0), ("ssd", 7, 7),
    ]  # fmt: skip
    assert {kind: curve.end for kind, curve in found.moved.items()} == {"prefetched": 7, "evicted": 8}
    assert list(found.moved) == ["prefetched", "evicted"]
    assert found.stalls == ((1.0, 3.0), (4.0, 6.0))


def history() -> History:
    held, behind = curve((0, 0), (100, 50), (100, 80), (400, 80)), curve((0, 60), (400, 20))
    moved = {"prefetched": curve((0, 0), (200, 40), (400, 40)), "evicted": curve((0, 0), (400, 10))}
    levels = Level("gpu", 100, held), Level("host <1>", 1000, behind)
    return History(levels, moved, ((100.0, 150.0), (300.0, 350.0)), 400.0)


def test_times_of_an_interval_count_from_its_start() -> None:
    interval = history().between(120.0, 320.0)
    assert interval.end_ns == 200
    assert interval.stalls == ((0.0, 30.0), (180.0, 200.0))
    assert interval.stalled_ns == 50
    assert interval.moved["prefetched"].end == pytest.approx(16)
    assert interval.levels[0].held.peak == 80
    assert interval.stalled.at(np.array([30.0, 200.0])).tolist() == [30, 50]


def test_the_picture_shows_levels_moves_and_waits() -> None:
    svg = memory_picture(history(), "@main & more", "policy <plan>")
    root = ElementTree.fromstring(svg)
    labels = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"@main & more", "policy <plan>", "@gpu: 80 B of 100 B at most", "@host <1>: 60 B of 1 kB at most"} <= {
        *labels
    }
    assert {"prefetched 40 B", "evicted 10 B", "waits 100 ns (25.0 %)"} <= {*labels}
    assert "prefers-color-scheme: dark" in svg
    (held,) = (each for each in root.iter("{http://www.w3.org/2000/svg}path") if each.get("class") == "held")
    bottom, top = 72 + 190, 72 + 190 - 80 / 104 * 190
    heights = [float(y) for y in re.findall(r"V([\d.]+)", held.get("d") or "")]
    assert (max(heights), min(heights)) == (pytest.approx(bottom, abs=0.3), pytest.approx(top, abs=0.3))


def test_a_history_of_length_zero_can_be_drawn() -> None:
    empty = Curve(np.array([]), np.array([]))
    svg = memory_picture(History((Level("gpu", 100, empty),), {"prefetched": empty}, (), 0.0), "nothing")
    ElementTree.fromstring(svg)


def test_a_long_history_makes_a_picture_of_limited_size() -> None:
    times = np.linspace(0, 1e9, 200_000)
    saw = Curve(times, np.where(np.arange(len(times)) % 2, 1e9, 2e9))
    svg = memory_picture(History((Level("gpu", 1 << 31, saw),), {"prefetched": Curve(times, times)}, (), 1e9), "saw")
    assert len(svg) < 100_000
