"""Sequences of pages, stored as runs of pages of one tensor and as repeated patterns of such runs.

Pages of one tensor are interchangeable in these sequences, so a page is represented by its tensor's number.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import TypeAlias, TypeVar

Run: TypeAlias = tuple[int, int]
"""A run: a tensor's number, and a number of consecutive pages of this tensor."""
RepeatedRuns: TypeAlias = tuple[tuple[Run, ...], int]
"""A list of runs, and the number of its consecutive repetitions."""
Kind = TypeVar("Kind")


class _Segment:
    """A part of a queue: the runs of pages `lead` (stored in reverse order), followed by `times` repetitions of the
    sequence `runs`."""

    __slots__ = ("lead", "period", "runs", "times")

    def __init__(self, lead: list[Run], runs: tuple[Run, ...] = (), times: int = 0) -> None:
        self.lead = lead
        self.runs = runs
        self.times = times
        self.period = sum(count for _, count in runs)


class _AllBut:
    """The set of all tensors except one."""

    def __init__(self, tensor: int) -> None:
        self.tensor = tensor

    def __contains__(self, tensor: object) -> bool:
        return tensor != self.tensor


class Pages:
    """A queue of pages: pages are appended at its end and removed from its front."""

    __slots__ = ("_head", "_passed", "_segments", "_where", "count", "size")

    def __init__(self, removable: bool = False) -> None:
        """Create an empty queue; `removable`: pages may also be removed from its middle."""
        self.size = 0
        self.count: dict[int, int] = {}
        """The number of pages of each tensor; tensors without pages have no entry."""
        self._segments: list[_Segment] = []
        self._head = 0
        self._passed = 0
        self._where: dict[int, list[_Segment]] | None = {} if removable else None

    def append(self, tensor: int, pages: int) -> None:
        """Append a run of `pages` pages of a tensor."""
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

    def extend(self, repeats: Iterable[RepeatedRuns]) -> None:
        """Append repeated runs, in order."""
        for runs, times in repeats:
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

    def take(self, pages: int) -> list[RepeatedRuns]:
        """Remove and return `pages` pages from the front; the queue must have at least as many."""
        self.size -= pages
        taken: list[RepeatedRuns] = []
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
                if complete := min(pages // segment.period, segment.times):
                    segment.times -= complete
                    pages -= complete * segment.period
                    taken.append((segment.runs, complete))
                    for tensor, run in segment.runs:
                        count[tensor] -= run * complete
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
        """Remove all pages of a tensor, or the first `most` of them; return the number of removed pages."""
        assert self._where is not None
        if most is not None and most < self.count.get(tensor, 0):
            self.restart_outside()
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

    def front_kind(
        self, kind: Callable[[int], Kind], most: int, passing: Container[int] = frozenset()
    ) -> tuple[Kind | None, int]:
        """Return the first page's kind (the value of the function `kind` for its tensor), and the number of consecutive
        pages of this kind, at most `most`.

        Pages of tensors in `passing` are skipped.
        """
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
        """Return the kinds of the first `pages` pages, as runs (kind, number of pages), and the number of consecutive
        times that this sequence is repeated at the front.

        The number is 0 if the queue does not begin with a repeated pattern, or if `pages` is no multiple of the
        pattern's length. Pages of tensors in `passing` are skipped.
        """
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
        """Return True if the first page belongs to one of these tensors."""
        while self._head < len(self._segments):
            segment = self._segments[self._head]
            if segment.lead or segment.times:
                return (segment.lead[-1] if segment.lead else segment.runs[0])[0] in tensors
            self._head += 1
        return False

    def restart_outside(self) -> None:
        """Let the next search for pages of tensors outside of a set start at the front of the queue, since the set has
        changed."""
        self._passed = self._head

    def _next_outside(self, inside: Container[int]) -> _Segment | None:
        """Find the first segment with pages of tensors that are not in `inside`; later searches start at this
        segment."""
        self._passed = max(self._passed, self._head)
        while self._passed < len(self._segments):
            segment = self._segments[self._passed]
            runs = (*segment.lead, *segment.runs) if segment.times else segment.lead
            if any(tensor not in inside for tensor, _ in runs):
                return segment
            self._passed += 1
        return None

    def any_outside(self, inside: Container[int]) -> bool:
        """Return True if the queue has a page of a tensor that is not in `inside`."""
        return self._next_outside(inside) is not None

    def last_outside(self, inside: Container[int]) -> bool:
        """Return True if the next page of a tensor that is not in `inside` is the last page of the queue."""
        segment = self._next_outside(inside)
        if segment is None or any(each.lead or each.times for each in self._segments[self._passed + 1 :]):
            return False
        runs = (*reversed(segment.lead), *(segment.runs if segment.times else ()))
        first = next(place for place, (tensor, _) in enumerate(runs) if tensor not in inside)
        return segment.times <= 1 and first == len(runs) - 1 and runs[first][1] == 1

    def front_kind_outside(
        self, kind: Callable[[int], Kind], most: int, inside: Container[int]
    ) -> tuple[Kind | None, int]:
        """Apply `front_kind` to the pages of tensors that are not in `inside`, from the position on that was found
        since `restart_outside`."""
        if self._next_outside(inside) is None:
            return None, 0
        return self._from(self._passed).front_kind(kind, most, inside)

    def repeated_outside(
        self, kind: Callable[[int], Kind], pages: int, inside: Container[int]
    ) -> tuple[list[tuple[Kind, int]], int]:
        """Apply `repeated` to the pages of tensors that are not in `inside`, from the position on that was found since
        `restart_outside`."""
        if self._next_outside(inside) is None:
            return [], 0
        return self._from(self._passed).repeated(kind, pages, inside)

    def _from(self, place: int) -> Pages:
        """Return a read-only view of the segments from index `place` on."""
        rest = Pages()
        rest._segments = self._segments
        rest._head = place
        return rest

    def take_outside(self, pages: int, inside: Container[int]) -> list[RepeatedRuns]:
        """Remove and return the first `pages` pages of tensors that are not in `inside`; the queue must have at least
        as many."""
        taken: list[RepeatedRuns] = []
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
            complete = min(pages // period, segment.times) if period else segment.times
            if complete and period:
                taken.append((outside, complete))
                pages -= complete * period
            segment.times -= complete
            if kept or (within and complete):
                self._insert(self._passed, _Segment(kept[::-1], within, complete if within else 0))
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
        """Return the position, counted from 1, of the last page whose tensor satisfies `kind`; 0 if no page does."""
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
        """Return the tensor of the queue's first page, and the number of its consecutive pages before the first
        repeated pattern; this number is 0 if the queue begins with a repeated pattern."""
        while self._head < len(self._segments):
            segment = self._segments[self._head]
            if segment.lead:
                return segment.lead[-1]
            if segment.times:
                return segment.runs[0][0], 0
            self._head += 1
        return -1, 0


def interleaved(sources: list[tuple[Pages, int]], times: int) -> list[RepeatedRuns]:
    """Take pages from the sources in turn, from each the number stated with it, and repeat this `times` times."""
    if len(sources) == 1:
        pages, count = sources[0]
        return pages.take(count * times)
    taken: list[RepeatedRuns] = []
    while times:
        complete = times
        runs: list[Run] = []
        for pages, count in sources:
            tensor, run = pages.front()
            complete = min(complete, run // count)
            runs.append((tensor, count))
        if complete:
            for pages, count in sources:
                pages.take(count * complete)
            taken.append((tuple(runs), complete))
        else:
            complete = 1
            for pages, count in sources:
                taken.extend(pages.take(count))
        times -= complete
    return taken
