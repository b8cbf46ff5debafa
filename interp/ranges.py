"""Ranges of numbers (first, end), of bytes or of time, which contain their first number and not their end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

Number = TypeVar("Number", int, float)


def joined(ranges: Iterable[tuple[Number, Number]]) -> list[tuple[Number, Number]]:
    """The numbers in any of the ranges, as ascending ranges that neither touch each other nor are empty."""
    found: list[tuple[Number, Number]] = []
    for first, end in sorted(ranges):
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        elif first < end:
            found.append((first, end))
    return found


def inside(ranges: Iterable[tuple[Number, Number]], first: Number, end: Number) -> Iterator[tuple[Number, Number]]:
    """The parts of ranges that are in another range, without empty ones."""
    for begin, until in ranges:
        if max(begin, first) < min(until, end):
            yield max(begin, first), min(until, end)


def outside(first: Number, end: Number, ranges: Iterable[tuple[Number, Number]]) -> list[tuple[Number, Number]]:
    """The ascending parts of a range that are in none of other ranges, without empty ones."""
    free = [(first, end)] if first < end else []
    for begin, until in ranges:
        parts = [((low, min(high, begin)), (max(low, until), high)) for low, high in free]
        free = [(low, high) for pair in parts for low, high in pair if low < high]
    return free


def overlap(ranges: Sequence[tuple[Number, Number]], others: Sequence[tuple[Number, Number]]) -> bool:
    """True if two lists of ranges have numbers in common."""
    return any(max(a, c) < min(b, d) for a, b in ranges for c, d in others)


def contains(outer: Sequence[tuple[Number, Number]], inner: Iterable[tuple[Number, Number]]) -> bool:
    """True if each of the ranges `inner` lies in one of the ranges `outer`."""
    return all(any(a <= first and end <= b for a, b in outer) for first, end in inner)
