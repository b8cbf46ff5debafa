"""Functions of whole numbers that are expensive to compute: sampled where they bend, interpolated where they do not."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


class Sampled:
    """A function from whole numbers to vectors, computed exactly at few of them. Between two of these it is linear,
    once the value half-way was computed, too, and agreed."""

    def __init__(self, exact: Callable[[int], Values], low: int, high: int, tolerance: float) -> None:
        """`low`, `high`: the first and last number of the domain. `tolerance`: the relative difference up to which
        a computed value agrees with an interpolated one."""
        self.exact, self.tolerance = exact, tolerance
        self.values: dict[int, Values] = {}
        self.nodes = [low, high] if high > low else [low]
        self.agreed: set[tuple[int, int]] = set()
        """The intervals between neighbouring nodes in which the function is interpolated."""

    def at(self, number: int) -> Values:
        """The value at a number of the domain, computed or interpolated."""
        while True:
            index = bisect_left(self.nodes, number)
            if self.nodes[index] == number:
                return self._computed(number)
            low, high = self.nodes[index - 1], self.nodes[index]
            if (low, high) in self.agreed:
                return self._between(low, high, number)
            middle = (low + high) // 2
            met, expected = self._computed(middle), self._between(low, high, middle)
            insort(self.nodes, middle)
            if np.all(np.abs(met - expected) <= self.tolerance * np.abs(met)):
                self.agreed |= {(low, middle), (middle, high)}

    def _computed(self, number: int) -> Values:
        if number not in self.values:
            self.values[number] = self.exact(number)
        return self.values[number]

    def _between(self, low: int, high: int, number: int) -> Values:
        share = (number - low) / (high - low)
        return self._computed(low) * (1 - share) + self._computed(high) * share
