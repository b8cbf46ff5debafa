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

    def __init__(self, exact: Callable[[int, float], Values], low: int, high: int, tolerance: float) -> None:
        """`exact`: the function, of a number and of a further argument of `at` (0 if it has none), which is fast for
        arguments that it was called with before. `low`, `high`: the first and last number of the domain. `tolerance`:
        the relative difference up to which a computed value agrees with an interpolated one."""
        self.exact, self.tolerance = exact, tolerance
        self.nodes = [low, high] if high > low else [low]
        self.agreed: set[tuple[int, int]] = set()
        """The intervals between neighbouring nodes in which the function is interpolated."""

    def at(self, number: int, other: float = 0.0) -> Values:
        """The value at a number of the domain, computed or interpolated. `other`: a further argument, of which the
        agreement of interpolated values does not depend much: it is tested where this is first used."""
        while True:
            index = bisect_left(self.nodes, number)
            if self.nodes[index] == number:
                return self.exact(number, other)
            low, high = self.nodes[index - 1], self.nodes[index]
            if (low, high) in self.agreed:
                return self._between(low, high, number, other)
            middle = (low + high) // 2
            met, expected = self.exact(middle, other), self._between(low, high, middle, other)
            insort(self.nodes, middle)
            if np.all(np.abs(met - expected) <= self.tolerance * np.abs(met)):
                self.agreed |= {(low, middle), (middle, high)}

    def _between(self, low: int, high: int, number: int, other: float) -> Values:
        share = (number - low) / (high - low)
        return self.exact(low, other) * (1 - share) + self.exact(high, other) * share
