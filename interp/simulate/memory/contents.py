"""The memories that hold the bytes of each tensor, as a few byte ranges per tensor, however many pages it has.

The state of a byte range is a number, the sum of HERE if the range is in the device's memory, FULL if it has contents,
and copy_in(tier) if a tier holds its contents. A range that is HERE and has a copy is clean; a range that is neither
HERE nor FULL occupies no memory ("nowhere").
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

NOWHERE = 0
HERE = 1
FULL = 2


def copy_in(tier: int) -> int:
    """The number that is added to a byte range's state if the tier with this number holds its contents."""
    return (tier + 1) << 2


def tier_of(state: int) -> int:
    """The number of the tier that holds the contents of a byte range in this state; -1 if no tier does."""
    return (state >> 2) - 1


class Contents:
    """The byte ranges of tensors of `sizes` bytes with their states, and the total bytes in each memory. At first all
    bytes are nowhere."""

    __slots__ = ("_bounds", "_states", "absent", "device", "sizes", "tiers", "vacant")

    def __init__(self, sizes: Sequence[int], tiers: int) -> None:
        self.sizes = list(sizes)
        self._bounds = [[0, nbytes] for nbytes in sizes]
        """The first byte of each range of each tensor, then the end of the last range."""
        self._states = [[NOWHERE] for _ in sizes]
        self.device = 0
        """Bytes in the device's memory."""
        self.tiers = [0] * tiers
        """Bytes in each tier."""
        self.absent = [0] * len(self.sizes)
        """For each tensor, the bytes that have contents, but not in the device's memory."""
        self.vacant = list(self.sizes)
        """For each tensor, the bytes that are nowhere."""

    def ranges(self, tensor: int, first: int = 0, last: int | None = None) -> list[tuple[int, int, int]]:
        """First byte, end and state of the ranges within bytes [first, last) of a tensor."""
        bounds, states = self._bounds[tensor], self._states[tensor]
        last = bounds[-1] if last is None else last
        if first >= last:
            return []
        if len(states) == 1:
            return [(first, last, states[0])]
        place = bisect_right(bounds, first) - 1
        found: list[tuple[int, int, int]] = []
        while place < len(states) and bounds[place] < last:
            found.append((max(first, bounds[place]), min(last, bounds[place + 1]), states[place]))
            place += 1
        return found

    def uniform_state(self, tensor: int) -> int | None:
        """The state that all bytes of a tensor share; None if the states differ."""
        states = self._states[tensor]
        return states[0] if len(states) == 1 else None

    def put(self, tensor: int, first: int, last: int, state: int) -> None:
        """Set the state of bytes [first, last) of a tensor."""
        if first >= last:
            return
        bounds, states = self._bounds[tensor], self._states[tensor]
        if first == 0 and last == bounds[-1] and len(states) == 1:
            self._count(tensor, last, states[0], state)
            states[0] = state
            return
        for start, end, before in self.ranges(tensor, first, last):
            self._count(tensor, end - start, before, state)
        begin = bisect_right(bounds, first) - 1
        stop = bisect_right(bounds, last - 1)  # ranges [begin, stop) are affected
        new_bounds, new_states = [first], [state]
        if bounds[begin] < first:
            new_bounds, new_states = [bounds[begin], first], [states[begin], state]
        if last < bounds[stop]:
            new_bounds.append(last)
            new_states.append(states[stop - 1])
        if begin and states[begin - 1] == new_states[0]:
            begin -= 1
            new_bounds[0] = bounds[begin]
        if stop < len(states) and states[stop] == new_states[-1]:
            stop += 1
        for place in range(len(new_states) - 1, 0, -1):
            if new_states[place] == new_states[place - 1]:
                del new_states[place], new_bounds[place]
        bounds[begin:stop], states[begin:stop] = new_bounds, new_states

    def _count(self, tensor: int, nbytes: int, before: int, after: int) -> None:
        if before == after:
            return
        self.device += nbytes * ((after & HERE) - (before & HERE))
        self.absent[tensor] += nbytes * ((after & 3 == FULL) - (before & 3 == FULL))
        self.vacant[tensor] += nbytes * ((after == NOWHERE) - (before == NOWHERE))
        if before >> 2 != after >> 2:
            if before >> 2:
                self.tiers[(before >> 2) - 1] -= nbytes
            if after >> 2:
                self.tiers[(after >> 2) - 1] += nbytes
