"""The cheapest cover of a sequence of layers by intervals equals the best of all covers, by enumeration."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowering.partition.plans.cover import Interval, cover

Table = tuple[list[float], dict[Interval, float], float]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Random costs of each layer alone and of some intervals of layers, and a margin by which an interval must be
    cheaper."""
    alone = draw(st.lists(st.integers(1, 50).map(float), min_size=1, max_size=8))
    places = [(start, n) for start in range(len(alone)) for n in range(2, min(4, len(alone) - start) + 1)]
    chosen = draw(st.sets(st.sampled_from(places))) if places else set[Interval]()
    joint = {place: float(draw(st.integers(1, 120))) for place in sorted(chosen)}
    return alone, joint, float(draw(st.integers(0, 10)))


def covers(length: int, start: int = 0) -> Iterator[list[Interval]]:
    """All partitions of a sequence into intervals."""
    if start == length:
        yield []
    for n in range(1, length - start + 1):
        for rest in covers(length, start + n):
            yield [(start, n), *rest]


def brute(alone: list[float], joint: dict[Interval, float], margin: float, begin: int, end: int) -> float:
    """PIMFlow's recurrence as published: an interval is used if it beats every partition of its layers in two by the
    margin."""
    if end - begin == 1:
        return alone[begin]
    parts = min(
        brute(alone, joint, margin, begin, cut) + brute(alone, joint, margin, cut, end) for cut in range(begin + 1, end)
    )
    run = joint.get((begin, end - begin))
    return run if run is not None and run < parts - margin else parts


@given(tables())
def test_equals_recurrence(table: Table) -> None:
    alone, joint, margin = table
    total, chosen = cover(alone, joint, margin)
    assert total == brute(alone, joint, margin, 0, len(alone))
    assert [start for start, _ in chosen] == [sum(n for _, n in chosen[:index]) for index in range(len(chosen))]
    assert sum(n for _, n in chosen) == len(alone)
    assert total == sum(alone[start] if n == 1 else joint[start, n] for start, n in chosen)


@given(tables())
def test_equals_all_covers(table: Table) -> None:
    alone, joint, _ = table
    costs = {**{(index, 1): cost for index, cost in enumerate(alone)}, **joint}
    totals = [sum(costs[each] for each in way) for way in covers(len(alone)) if all(each in costs for each in way)]
    assert cover(alone, joint)[0] == min(totals)


def test_more_choices_never_cost_more() -> None:
    alone = [4.0, 4.0, 4.0]
    assert cover(alone, {}) == (12.0, [(0, 1), (1, 1), (2, 1)])
    assert cover(alone, {(1, 2): 7.0}) == (11.0, [(0, 1), (1, 2)])
    assert cover(alone, {(1, 2): 7.0}, margin=1.0)[0] == 12.0


def test_a_run_lies_within_the_row() -> None:
    with pytest.raises(ValueError, match="2 layers from 2 on are no run of 3 layers"):
        cover([1.0, 1.0, 1.0], {(2, 2): 1.0})
