"""Laws of orders of jobs and of ranges of numbers, against definitions by single jobs and numbers."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from interp.ranges import contains, inside, joined, outside, overlap
from interp.simulate.events.jobs import Job, heads
from interp.simulate.events.loop import by_rank
from interp.simulate.events.orders import chains, in_rank_order

Ranges = list[tuple[int, int]]
RANGES = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda ends: (min(ends), max(ends))), max_size=5
)


def numbers(ranges: Ranges) -> set[int]:
    return {number for first, end in ranges for number in range(first, end)}


@given(RANGES)
def test_joined_ranges_have_the_same_numbers_and_gaps_between_them(ranges: Ranges) -> None:
    found = joined(ranges)
    assert numbers(found) == numbers(ranges)
    assert all(first < end for first, end in found)
    assert all(end < first for (_, end), (first, _) in pairwise(found))


@given(RANGES, RANGES, st.integers(0, 12), st.integers(0, 12))
def test_parts_of_ranges(ranges: Ranges, others: Ranges, first: int, end: int) -> None:
    assert numbers(list(inside(ranges, first, end))) == numbers(ranges) & set(range(first, end))
    assert numbers(outside(first, end, ranges)) == set(range(first, end)) - numbers(ranges)
    assert overlap(ranges, others) == bool(numbers(ranges) & numbers(others))
    filled = [each for each in others if each[0] < each[1]]
    assert contains(joined(ranges), filled) == (numbers(filled) <= numbers(ranges))


@given(st.data())
def test_orders_and_chains_are_those_of_jobs(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 12))
    after = [data.draw(st.sets(st.integers(0, job - 1), max_size=3)) if job else set[int]() for job in range(count)]
    ranks = [data.draw(st.integers(0, 4)) for _ in range(count)]
    ns = [float(data.draw(st.integers(0, 9))) for _ in range(count)]
    at_once = [Job("", 0.0, tuple(others)) for others in after]
    assert in_rank_order(after, ranks) == by_rank(at_once, ranks)
    assert chains(after, ns) == heads([Job("", own, tuple(others)) for own, others in zip(ns, after, strict=True)])[1]
