"""Sequences of pages, as runs of pages of one tensor and repeated patterns of such runs: nothing is kept a page.

Pages of one tensor are alike wherever these sequences stand, so a page is the number of its tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import TypeAlias, TypeVar

Run: TypeAlias = tuple[int, int]
"""A tensor and how many of its pages follow each other."""
Piece: TypeAlias = tuple[tuple[Run, ...], int]
"""Runs, and how often they stand there one after the other."""
Kind = TypeVar("Kind")


class _Segment:
    """Some runs (`lead`, the next one last), then `runs`, `times` over."""

    __slots__ = ("lead", "period", "runs", "times")

    def __init__(self, lead: list[Run], runs: tuple[Run, ...] = (), times: int = 0) -> None:
        self.lead = lead
        self.runs = runs
        self.times = times
        self.period = sum(count for _, count in runs)


class _AllBut:
    """All tensors but one."""

    def __init__(self, tensor: int) -> None:
        self.tensor = tensor

    def __contains__(self, tensor: object) -> bool:
        return tensor != self.tensor


class Pages:
    """A sequence of pages that is taken from its front and grows at its end."""

    __slots__ = ("_head", "_passed", "_segments", "_where", "count", "size")

    def __init__(self, removable: bool = False) -> None:
        """`removable`: pages of a tensor may be taken out of the middle."""
        self.size = 0
        self.count: dict[int, int] = {}
        """The pages of each tensor; none for a tensor that has none."""
        self._segments: list[_Segment] = []
        self._head = 0
        self._passed = 0
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
            self._passed = max(0, self._passed - self._head)
            self._head = 0
        return taken

    def remove(self, tensor: int, most: int | None = None) -> int:
        """Remove all pages of a tensor, or `most` that come first, and say how many these were."""
        assert self._where is not None
        if most is not None and most < self.count.get(tensor, 0):
            self.begin_outside()
            self.take_outside(most, _AllBut(tensor))
            return most
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

    def alike(
        self, kind: Callable[[int], Kind], most: int, passing: Container[int] = frozenset()
    ) -> tuple[Kind | None, int]:
        """The kind of the first page's tensor, and how many pages from the front are of that kind: `most` at most.
        Pages of tensors that are `passing` count for nothing."""
        first: Kind | None = None
        found = 0
        for place in range(self._head, len(self._segments)):
            segment = self._segments[place]
            for tensor, run in reversed(segment.lead):
                if tensor in passing:
                    continue
                met = kind(tensor)
                if not found:
                    first = met
                elif met != first:
                    return first, min(found, most)
                found += run
            if segment.times:
                before = found
                for tensor, run in segment.runs:
                    if tensor in passing:
                        continue
                    met = kind(tensor)
                    if not found:
                        first = met
                    elif met != first:
                        return first, min(found, most)
                    found += run
                found += (found - before) * (segment.times - 1)
            if found >= most:
                return first, most
        return first, found

    def repeated(
        self, kind: Callable[[int], Kind], pages: int, passing: Container[int] = frozenset()
    ) -> tuple[list[tuple[Kind, int]], int]:
        """The kinds of so many pages from the front, as runs, and how often a pattern that stands there repeats these;
        0 times where none does, or not after so many pages. Pages of tensors that are `passing` count for nothing."""
        segment = next((each for each in self._segments[self._head : self._head + 8] if each.lead or each.times), None)
        if segment is None or not segment.times:
            return [], 0
        lead = [run for run in segment.lead if run[0] not in passing]
        runs = [run for run in reversed(segment.runs) if run[0] not in passing]
        period = sum(count for _, count in runs)
        if not period or pages % period:
            return [], 0
        if len(lead) > len(runs) or lead[:-1] != runs[: len(lead[:-1])]:
            return [], 0
        if lead and (lead[-1][0] != runs[len(lead) - 1][0] or lead[-1][1] > runs[len(lead) - 1][1]):
            return [], 0
        kinds: list[tuple[Kind, int]] = []
        left = pages
        for tensor, run in (*reversed(lead), *(runs[::-1] * (pages // period))):
            count = min(run, left)
            left -= count
            if count:
                met = kind(tensor)
                if kinds and kinds[-1][0] == met:
                    count += kinds.pop()[1]
                kinds.append((met, count))
        return kinds, (sum(count for _, count in lead) + period * segment.times) // pages

    def front_in(self, tensors: Container[int]) -> bool:
        """True if the first page belongs to one of these tensors."""
        while self._head < len(self._segments):
            segment = self._segments[self._head]
            if segment.lead or segment.times:
                return (segment.lead[-1] if segment.lead else segment.runs[0])[0] in tensors
            self._head += 1
        return False

    def begin_outside(self) -> None:
        """Begin anew to look for pages outside of a set of tensors, which may have changed."""
        self._passed = self._head

    def _next_outside(self, inside: Container[int]) -> _Segment | None:
        """The first segment that has pages of tensors that are not `inside`; those before it are not met again."""
        self._passed = max(self._passed, self._head)
        while self._passed < len(self._segments):
            segment = self._segments[self._passed]
            runs = (*segment.lead, *segment.runs) if segment.times else segment.lead
            if any(tensor not in inside for tensor, _ in runs):
                return segment
            self._passed += 1
        return None

    def any_outside(self, inside: Container[int]) -> bool:
        """True if there is a page of a tensor that is not `inside`."""
        return self._next_outside(inside) is not None

    def last_outside(self, inside: Container[int]) -> bool:
        """True if the next page of a tensor that is not `inside` is the last page of all."""
        segment = self._next_outside(inside)
        if segment is None or any(each.lead or each.times for each in self._segments[self._passed + 1 :]):
            return False
        runs = (*reversed(segment.lead), *(segment.runs if segment.times else ()))
        first = next(place for place, (tensor, _) in enumerate(runs) if tensor not in inside)
        return segment.times <= 1 and first == len(runs) - 1 and runs[first][1] == 1

    def alike_outside(self, kind: Callable[[int], Kind], most: int, inside: Container[int]) -> tuple[Kind | None, int]:
        """`alike` of the pages whose tensors are not `inside`, from where `begin_outside` was called on."""
        if self._next_outside(inside) is None:
            return None, 0
        return self._from(self._passed).alike(kind, most, inside)

    def repeated_outside(
        self, kind: Callable[[int], Kind], pages: int, inside: Container[int]
    ) -> tuple[list[tuple[Kind, int]], int]:
        """`repeated` of the pages whose tensors are not `inside`, from where `begin_outside` was called on."""
        if self._next_outside(inside) is None:
            return [], 0
        return self._from(self._passed).repeated(kind, pages, inside)

    def _from(self, place: int) -> Pages:
        """A view of the segments from one on, to look at only."""
        rest = Pages()
        rest._segments = self._segments
        rest._head = place
        return rest

    def take_outside(self, pages: int, inside: Container[int]) -> list[Piece]:
        """Remove so many pages, which must be there, the first ones of tensors that are not `inside`."""
        taken: list[Piece] = []
        while pages:
            segment = self._next_outside(inside)
            assert segment is not None
            kept: list[Run] = []
            while segment.lead and pages:
                tensor, run = segment.lead.pop()
                if tensor in inside:
                    kept.append((tensor, run))
                    continue
                if run > pages:
                    segment.lead.append((tensor, run - pages))
                    run = pages
                pages -= run
                taken.append((((tensor, run),), 1))
            if segment.lead or not pages:
                segment.lead.extend(reversed(kept))
                continue
            outside = tuple(run for run in segment.runs if run[0] not in inside)
            within = tuple(run for run in segment.runs if run[0] in inside)
            period = sum(run for _, run in outside)
            whole = min(pages // period, segment.times) if period else segment.times
            if whole and period:
                taken.append((outside, whole))
                pages -= whole * period
            segment.times -= whole
            if kept or (within and whole):
                self._insert(self._passed, _Segment(kept[::-1], within, whole if within else 0))
                self._passed += 1
            if segment.times and pages:
                segment.times -= 1
                segment.lead.extend(reversed(segment.runs))
        for runs, times in taken:
            for tensor, run in runs:
                self.count[tensor] -= run * times
                self.size -= run * times
        return taken

    def _insert(self, place: int, segment: _Segment) -> None:
        self._segments.insert(place, segment)
        if self._where is not None:
            for tensor, _ in (*segment.lead, *segment.runs):
                self._where.setdefault(tensor, []).append(segment)

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
