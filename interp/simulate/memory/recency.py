"""The order in which memory chunks were last used, stored as a few runs of chunks instead of single chunks."""

from __future__ import annotations

from collections.abc import Iterator

from interp.ranges import outside


class Recency:
    """Chunks of tensors, from the least to the most recently used. The chunks of one use are in ascending order, in
    which a kernel accesses them."""

    __slots__ = ("_latest", "_order", "_runs")

    def __init__(self) -> None:
        self._order: dict[int, tuple[int, list[tuple[int, int]]]] = {}
        """By the number of a use, ascending: the tensor, and the remaining chunks [first, last) of that use."""
        self._runs: dict[int, list[tuple[int, int, int]]] = {}
        """For each tensor its runs: first chunk, end, and number of the use; ascending."""
        self._latest = 0

    def touch(self, tensor: int, first: int, last: int) -> None:
        """Record a use of chunks [first, last) of a tensor: they become the most recently used ones."""
        if first >= last:
            return
        newest = self._order.get(self._latest)
        if newest is not None and newest[0] == tensor and len(newest[1]) == 1:
            begin, end = newest[1][0]
            if begin <= first <= end <= last:  # the chunks continue the run of the same use
                first = begin
        self.forget(tensor, first, last)
        self._latest += 1
        self._order[self._latest] = (tensor, [(first, last)])
        runs = self._runs.setdefault(tensor, [])
        place = next((place for place, run in enumerate(runs) if run[0] >= last), len(runs))
        runs.insert(place, (first, last, self._latest))

    def forget(self, tensor: int, first: int, last: int) -> None:
        """Remove chunks [first, last) of a tensor, which have left the device's memory."""
        runs = self._runs.get(tensor)
        if not runs:
            return
        kept: list[tuple[int, int, int]] = []
        for run in runs:
            begin, end, use = run
            if end <= first or last <= begin:
                kept.append(run)
                continue
            rest = outside(begin, end, [(first, last)])
            kept += [(*part, use) for part in rest]
            parts = self._order[use][1]
            place = parts.index((begin, end))
            parts[place : place + 1] = rest
            if not parts:
                del self._order[use]
        self._runs[tensor] = kept

    def oldest(self) -> Iterator[tuple[int, int, int]]:
        """Ranges of chunks as (tensor, first chunk, end), the least recently used first. The object must not change
        during the iteration."""
        for tensor, parts in self._order.values():
            for first, last in parts:
                yield tensor, first, last
