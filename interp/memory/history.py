"""What memories held and what moved over time: what summaries count, pictures draw and traces show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curve:
    """A figure over time: `values` at `times` (ns, ascending; a jump is two points at one time), and straight lines."""

    times: Floats
    values: Floats

    def at(self, times: Floats) -> Floats:
        """Its values at other times, ascending: behind a jump at that time; before its first point the first value,
        after its last one the last."""
        if not len(self.times):
            return np.zeros(len(times))
        place = np.searchsorted(self.times, times, side="right")
        before, after = np.maximum(place - 1, 0), np.minimum(place, len(self.times) - 1)
        width = self.times[after] - self.times[before]
        part = np.divide(times - self.times[before], width, out=np.zeros(len(times)), where=width > 0)
        return self.values[before] + np.clip(part, 0, 1) * (self.values[after] - self.values[before])

    @property
    def peak(self) -> float:
        """The largest value; 0 where there is none."""
        return float(self.values.max(initial=0.0))

    @property
    def end(self) -> float:
        """The last value; 0 where there is none."""
        return float(self.values[-1]) if len(self.values) else 0.0

    def most_in(self, edges: Floats) -> Floats:
        """The largest value between each two of some times, ascending."""
        return self._extreme_in(edges, np.maximum)

    def least_in(self, edges: Floats) -> Floats:
        """The smallest value between each two of some times, ascending."""
        return self._extreme_in(edges, np.minimum)

    def _extreme_in(self, edges: Floats, better: np.ufunc) -> Floats:
        ends = self.at(edges)
        found = better(ends[:-1], ends[1:])
        place = np.searchsorted(edges, self.times, side="right") - 1
        inside = (place >= 0) & (place < len(found))
        better.at(found, place[inside], self.values[inside])
        return found

    def between(self, since: float, until: float) -> Curve:
        """The part from one time to another, which begins at 0 ns."""
        inner = (self.times > since) & (self.times < until)
        ends = self.at(np.array([since, until]))
        times = np.concatenate(([since], self.times[inner], [until])) - since
        return Curve(times, np.concatenate((ends[:1], self.values[inner], ends[1:])))


@dataclass(frozen=True, eq=False)
class Level:
    """The bytes that a memory of `capacity` bytes holds over time."""

    name: str
    capacity: int
    held: Curve


@dataclass(frozen=True, eq=False)
class History:
    """What memories held and what moved until `end_ns`: the levels of the device's memory and of its tiers, bytes moved
    so far by word (`prefetched`, `faulted`, `evicted`), and when the device's next task waited for bytes or room."""

    levels: tuple[Level, ...]
    moved: Mapping[str, Curve]
    stalls: tuple[tuple[float, float], ...]
    """Begin and end, ascending; those that follow each other are one."""
    end_ns: float

    @property
    def stalled_ns(self) -> float:
        """The time of all stalls."""
        return sum(end - begin for begin, end in self.stalls)

    @property
    def stalled(self) -> Curve:
        """The time stalled so far, ns."""
        times, values, total = [0.0], [0.0], 0.0
        for begin, end in self.stalls:
            times += [begin, end]
            values += [total, total + end - begin]
            total += end - begin
        return Curve(np.array([*times, self.end_ns]), np.array([*values, total]))

    def between(self, since: float, until: float) -> History:
        """The part from one time to another, which begins at 0 ns; bytes moved count from there."""

        def fresh(curve: Curve) -> Curve:
            part = curve.between(since, until)
            return Curve(part.times, part.values - part.values[0])

        inside = [(max(begin, since), min(end, until)) for begin, end in self.stalls if end > since and begin < until]
        return History(
            tuple(Level(each.name, each.capacity, each.held.between(since, until)) for each in self.levels),
            {word: fresh(curve) for word, curve in self.moved.items()},
            tuple((begin - since, end - since) for begin, end in inside),
            until - since,
        )
