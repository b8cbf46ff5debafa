"""The minimum-cost cover of a sequence of layers by single layers and runs of several layers, exactly, by dynamic
programming."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Interval: TypeAlias = tuple[int, int]
"""The number of the first layer of a run, and its number of layers."""


def cover(alone: Sequence[float], joint: Mapping[Interval, float], margin: float = 0.0) -> tuple[float, list[Interval]]:
    """The least total cost of a sequence of layers, and the intervals of the cover, in order.

    `alone[i]` is the cost of layer i by itself, `joint[i, n]` the cost of n >= 2 layers from i on together. A run is
    only used if it costs less than the best cover of its own layers by shorter runs, by more than `margin`. PIMFlow's
    cost[i][n] = min over k of cost[i][k] + cost[i + k][n - k] (solve/solve.py) is equivalent, in cubic time.
    """
    kept: dict[Interval, float] = {(index, 1): cost for index, cost in enumerate(alone)}
    for (start, length), cost in sorted(joint.items(), key=lambda item: (item[0][1], item[0][0])):
        if not (length >= 2 and start >= 0 and start + length <= len(alone)):
            raise ValueError(f"{length} layers from {start} on are no run of {len(alone)} layers")
        if cost < _best(kept, start, start + length)[0] - margin:
            kept[start, length] = cost
    return _best(kept, 0, len(alone))


def _best(kept: Mapping[Interval, float], begin: int, end: int) -> tuple[float, list[Interval]]:
    """The minimum-cost cover of the layers from `begin` to `end`."""
    ending: dict[int, list[tuple[Interval, float]]] = {}
    for (start, length), cost in kept.items():
        if begin <= start and start + length <= end:
            ending.setdefault(start + length, []).append(((start, length), cost))
    total: dict[int, float] = {begin: 0.0}
    last: dict[int, Interval] = {}
    for stop in range(begin + 1, end + 1):
        # Of equal ones the shortest is kept.
        interval, cost = min(ending[stop], key=lambda item: (total[item[0][0]] + item[1], item[0][1]))
        total[stop], last[stop] = total[interval[0]] + cost, interval
    found: list[Interval] = []
    stop = end
    while stop > begin:
        found.append(last[stop])
        stop = last[stop][0]
    return total[end], found[::-1]
