"""Functions of whole numbers that are expensive to compute: sampled where they bend, interpolated where they do not."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
FAR = 0.75
"""The largest part of an interval between two numbers for which one that agrees at its end speaks."""


class Sampled:
    """A function from whole numbers to vectors. It is computed at the numbers that are asked for, until one of them
    lies between two others, not close to either, and agrees with the line between them: from then on the function is
    interpolated there."""

    def __init__(self, exact: Callable[[int, float], Values], tolerance: float) -> None:
        """`exact`: the function, of a number and of a further argument of `at` (0 if it has none), which is fast for
        arguments that it was called with before. `tolerance`: the relative difference up to which a computed value
        agrees with an interpolated one."""
        self.exact, self.tolerance = exact, tolerance
        self.nodes: list[int] = []
        """The numbers at which the function was computed."""
        self.agreed: set[tuple[int, int]] = set()
        """The intervals between neighbouring nodes in which the function is interpolated."""

    def at(self, number: int, other: float = 0.0) -> Values:
        """The value at a number, computed or interpolated. `other`: a further argument, of which the agreement of
        interpolated values does not depend much: it is tested where this is first used."""
        index = bisect_left(self.nodes, number)
        if self.nodes[index : index + 1] == [number]:
            return self.exact(number, other)
        if not 0 < index < len(self.nodes):
            insort(self.nodes, number)
            return self.exact(number, other)
        low, high = self.nodes[index - 1], self.nodes[index]
        share = (number - low) / (high - low)
        between = self.exact(low, other) * (1 - share) + self.exact(high, other) * share
        if (low, high) in self.agreed:
            return between
        met = self.exact(number, other)
        insort(self.nodes, number)
        if np.all(np.abs(met - between) <= self.tolerance * np.abs(met)):
            self.agreed |= {(low, number)} if share <= FAR else set()
            self.agreed |= {(number, high)} if share >= 1 - FAR else set()
        return met
