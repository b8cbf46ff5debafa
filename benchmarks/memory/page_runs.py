"""Sequences of pages, as runs of pages of one tensor and repeated patterns of such runs: nothing is kept a page.

Pages of one tensor are alike wherever these sequences stand, so a page is the number of its tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

Run: TypeAlias = tuple[int, int]
"""A tensor and how many of its pages follow each other."""
Piece: TypeAlias = tuple[tuple[Run, ...], int]
"""Runs, and how often they stand there one after the other."""


class _Segment:
    """Some runs (`lead`, the next one last), then `runs`, `times` over."""

    __slots__ = ("lead", "period", "runs", "times")

    def __init__(self, lead: list[Run], runs: tuple[Run, ...] = (), times: int = 0) -> None:
        self.lead = lead
        self.runs = runs
        self.times = times
        self.period = sum(count for _, count in runs)


class Pages:
    """A sequence of pages that is taken from its front and grows at its end."""

    __slots__ = ("_head", "_segments", "_where", "count", "size")

    def __init__(self, removable: bool = False) -> None:
        """`removable`: pages of a tensor may be taken out of the middle."""
        self.size = 0
        self.count: dict[int, int] = {}
        """The pages of each tensor; none for a tensor that has none."""
        self._segments: list[_Segment] = []
        self._head = 0
        self._where: dict[int, list[_Segment]] | None = {} if removable else None

    def append(self, tensor: int, pages: int) -> None:
        """Add a run at the end."""
        self.size += pages
        self.count[tensor] = self.count.get(tensor, 0) + pages
        segments = self._segments
        if len(segments) > self._head:
            last = segments[-1]
            if not last.times and last.lead and last.lead[0][0] == tensor:
                last.lead[0] = (tensor, last.lead[0][1] + pages)
                return
        segment = _Segment([(tensor, pages)])
        segments.append(segment)
        if self._where is not None:
            self._where.setdefault(tensor, []).append(segment)

    def extend(self, pieces: Iterable[Piece]) -> None:
        """Add pieces at the end, in their order."""
        for runs, times in pieces:
            if len(runs) == 1:
                self.append(runs[0][0], runs[0][1] * times)
            elif times == 1:
                for tensor, pages in runs:
                    self.append(tensor, pages)
            else:
                self._append_pattern(runs, times)

    def _append_pattern(self, runs: tuple[Run, ...], times: int) -> None:
        segment = _Segment([], runs, times)
        self._segments.append(segment)
        self.size += segment.period * times
        for tensor, pages in runs:
            self.count[tensor] = self.count.get(tensor, 0) + pages * times
            if self._where is not None:
                self._where.setdefault(tensor, []).append(segment)

    def take(self, pages: int) -> list[Piece]:
        """Remove so many pages, which must be there, from the front."""
        self.size -= pages
        taken: list[Piece] = []
        count = self.count
        while pages:
            segment = self._segments[self._head]
            lead = segment.lead
            while lead and pages:
                tensor, run = lead[-1]
                if run > pages:
                    lead[-1] = (tensor, run - pages)
                    run = pages
                else:
                    lead.pop()
                pages -= run
                taken.append((((tensor, run),), 1))
                count[tensor] -= run
            if not lead and segment.times:
                if whole := min(pages // segment.period, segment.times):
                    segment.times -= whole
                    pages -= whole * segment.period
                    taken.append((segment.runs, whole))
                    for tensor, run in segment.runs:
                        count[tensor] -= run * whole
                if pages and segment.times:
                    segment.times -= 1
                    lead.extend(reversed(segment.runs))
            if not lead and not segment.times:
                self._head += 1
        if self._head > 256 and self._head > len(self._segments) // 2:
            del self._segments[: self._head]
            self._head = 0
        return taken

    def remove(self, tensor: int) -> int:
        """Remove all pages of a tensor, and say how many these were."""
        assert self._where is not None
        removed = self.count.pop(tensor, 0)
        for segment in self._where.pop(tensor, ()):
            segment.lead = [run for run in segment.lead if run[0] != tensor]
            if any(run[0] == tensor for run in segment.runs):
                segment.runs = tuple(run for run in segment.runs if run[0] != tensor)
                segment.period = sum(count for _, count in segment.runs)
                if not segment.runs:
                    segment.times = 0
        self.size -= removed
        return removed

    def alike(self, kind: Callable[[int], object], most: int) -> tuple[object, int]:
        """The kind of the first page's tensor, and how many pages from the front are of that kind: `most` at most."""
        first: object = None
        found = 0
        for place in range(self._head, len(self._segments)):
            segment = self._segments[place]
            for tensor, run in reversed(segment.lead):
                met = kind(tensor)
                if not found:
                    first = met
                elif met != first:
                    return first, found
                found += run
            if segment.times:
                for tensor, run in segment.runs:
                    met = kind(tensor)
                    if not found:
                        first = met
                    elif met != first:
                        return first, found
                    found += run
                found += segment.period * (segment.times - 1)
            if found >= most:
                return first, most
        return first, min(found, most)

    def last_of(self, kind: Callable[[int], bool]) -> int:
        """The place, counted from 1, of the last page whose tensor is of a kind; 0 where there is none."""
        place = last = 0
        for segment in self._segments[self._head :]:
            for tensor, run in reversed(segment.lead):
                place += run
                if kind(tensor):
                    last = place
            if segment.times:
                place += segment.period * (segment.times - 1)
                for tensor, run in segment.runs:
                    place += run
                    if kind(tensor):
                        last = place
        return last

    def front(self) -> tuple[int, int]:
        """The tensor of the first page and how many pages of it follow each other there, none of a pattern that is yet
        to be reached; 0 pages where a pattern comes first."""
        while self._head < len(self._segments):
            segment = self._segments[self._head]
            if segment.lead:
                return segment.lead[-1]
            if segment.times:
                return segment.runs[0][0], 0
            self._head += 1
        return -1, 0


def interleaved(sources: list[tuple[Pages, int]], times: int) -> list[Piece]:
    """The pages that are taken when so many are taken from each source in turn, `times` over."""
    if len(sources) == 1:
        pages, count = sources[0]
        return pages.take(count * times)
    taken: list[Piece] = []
    while times:
        whole = times
        runs: list[Run] = []
        for pages, count in sources:
            tensor, run = pages.front()
            whole = min(whole, run // count)
            runs.append((tensor, count))
        if whole:
            for pages, count in sources:
                pages.take(count * whole)
            taken.append((tuple(runs), whole))
        else:
            whole = 1
            for pages, count in sources:
                taken.extend(pages.take(count))
        times -= whole
    return taken
