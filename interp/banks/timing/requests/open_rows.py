"""The open rows of banks as part of a state that recurs from one iteration of a loop to the next.

The rows that a loop's requests address move with its iterations, and so do the rows in the state, which count from the
origin of their bank. Some controllers leave rows open for ever, however, of which there are more after each iteration.
Rows behind all rows that a loop still addresses don't affect it; they are kept as runs of equal steps, of which only
the end moves, so that the state recurs nevertheless.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from interp.banks.timing.periods import Repeat
from interp.banks.timing.requests.kernel import Item, Shift

Run: TypeAlias = tuple[int, int, bool]
"""Rows behind the window of a loop at equal steps: the first row, and the last one; if it is True, the last row moves
with the origin, and counts from it, and otherwise none of the rows moves."""


class Kept(NamedTuple):
    """The open rows of a bank: those near its origin, which count from it, and those behind."""

    near: frozenset[int]
    behind: tuple[Run, ...] = ()


class Window(NamedTuple):
    """The rows that loops address in a bank, counted from the bank's origin.

    `sign`: 1 if the origin moves to larger rows in all loops, -1 if to smaller ones, 0 if it does not move, or both
    ways. `step`: the smallest number of rows by which it moves. `least`: `sign` times a row, below which no iteration
    of a loop addresses any that count from the origin at its start.
    """

    sign: int = 0
    step: int = 1
    least: int = 0

    def keep(self, rows: frozenset[int], origin: int, waiting: Iterable[int]) -> Kept:
        """The form of absolute rows in the state. `waiting`: the rows of requests that wait, counted from the origin;
        they widen the window."""
        if not self.sign:
            return Kept(frozenset([row - origin for row in rows]) if origin else rows)
        least = min([self.least, *(self.sign * row for row in waiting)])
        moved = [self.sign * (row - origin) for row in rows]
        near = frozenset([self.sign * row for row in moved if row >= least])
        if len(near) == len(rows):
            return Kept(near)
        behind = sorted(row for row in moved if row < least)
        return Kept(near, tuple(self._runs(behind, self.sign * origin, least)) if behind else ())

    def _runs(self, behind: Sequence[int], origin: int, least: int) -> Iterable[Run]:
        """The runs of rows behind the window, in the direction of motion."""
        rows = set(behind)
        for first in behind:
            if first - self.step in rows:
                continue
            last = first
            while last + self.step in rows:
                last += self.step
            ends_at_window = last + self.step >= least
            yield first + origin, last if ends_at_window else last + origin, ends_at_window

    def restored(self, kept: Kept, origin: int) -> frozenset[int]:
        """The absolute rows of a form in the state, for another origin."""
        rows = frozenset([row + origin for row in kept.near]) if origin else kept.near
        if not kept.behind:
            return rows
        ahead = self.sign * origin
        return rows.union(
            self.sign * row
            for first, last, moves in kept.behind
            for row in range(first, (last + ahead if moves else last) + 1, self.step)
        )


_NONE = Kept(frozenset())


def kept(
    windows: Iterable[Window], opened: Iterable[frozenset[int]], origins: Iterable[int], waiting: Iterable[int]
) -> tuple[Kept, ...]:
    """The form of the open rows of all banks of a channel in the state. `waiting`: as in `Window.keep`."""
    known: dict[tuple[frozenset[int], int, int], Kept] = {}
    found: list[Kept] = []
    for window, rows, origin in zip(windows, opened, origins, strict=True):
        if not rows:
            found.append(_NONE)
            continue
        key = rows, origin, id(window)
        if (form := known.get(key)) is None:
            form = known[key] = window.keep(rows, origin, waiting)
        found.append(form)
    return tuple(found)


class _Path(NamedTuple):
    """The motion of a bank's origin in a stream, in the direction `sign`: its lowest position at a request, its net
    motion, and the lowest position in an iteration of any loop, counted from the origin at its start."""

    lowest: int
    net: int
    in_loops: int


def window(items: Sequence[Item], channel: int, bank: int, rows: Iterable[int]) -> Window:
    """The window of a bank of a channel in a stream. `rows`: the rows of the stream's requests to it, counted from its
    origin."""
    steps = {net for net in _motions(items, channel, bank) if net}
    signs = {1 if net > 0 else -1 for net in steps}
    if len(signs) != 1:
        return Window()
    (sign,) = signs
    least = min((sign * row for row in rows), default=0)
    return Window(sign, min(map(abs, steps)), least + min(0, _path(items, channel, bank, sign).in_loops))


def _motions(items: Iterable[Item], channel: int, bank: int) -> Iterable[int]:
    """The net motion of a bank's origin in an iteration of each loop."""
    for item in items:
        if isinstance(item, Repeat):
            yield _path(item.body, channel, bank, 1).net
            yield from _motions(item.body, channel, bank)


def _path(items: Iterable[Item], channel: int, bank: int, sign: int) -> _Path:
    lowest, at, in_loops = 0, 0, 0
    for item in items:
        if isinstance(item, Repeat):
            once = _path(item.body, channel, bank, sign)
            lowest = min(lowest, at + once.lowest, at + (item.times - 1) * once.net + once.lowest)
            at += item.times * once.net
            in_loops = min(in_loops, once.in_loops, once.lowest)
        elif isinstance(item, Shift):
            if channel in item.channels and bank in item.banks:
                at += sign * item.rows
        else:
            lowest = min(lowest, at)
    return _Path(lowest, at, in_loops)
