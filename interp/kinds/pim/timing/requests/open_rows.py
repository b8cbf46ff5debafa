"""The open rows of banks as part of a state that recurs from one iteration of a loop to the next.

The rows that a loop's requests address move with its iterations, and so do the rows in the state, which count from the
origin of their bank. Some controllers leave rows open for ever, however, of which there are more after each iteration.
Of the rows that the program never addresses again, only one is kept, since their bank is open. These are most rows of a
product that reads each weight once, whose state then recurs nevertheless.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from interp.kinds.pim.timing.periods import FAR, Repeat
from interp.kinds.pim.timing.requests.kernel import Item, Shift
from interp.kinds.pim.timing.requests.queues import CLOSED


class Window(NamedTuple):
    """The rows of a bank that a program still addresses, from any of its requests on: none outside `first` to `last`,
    counted from the bank's origin at that request."""

    first: int = -FAR
    last: int = FAR

    def keep(self, rows: frozenset[int], origin: int, waiting: Collection[int]) -> frozenset[int]:
        """The form of absolute rows in the state: those that are still addressed, counted from the origin. `waiting`:
        the rows of requests that wait in the channel, counted from the origins of their banks, which may widen the
        window. One row that is never addressed again stands for all that are left out."""
        first, last = min([self.first, *waiting]), max([self.last, *waiting])
        addressed = [row - origin for row in rows if first <= row - origin <= last]
        return frozenset(addressed or [first - 1])


def kept(
    windows: Iterable[Window], opened: Iterable[frozenset[int]], origins: Iterable[int], waiting: Collection[int]
) -> tuple[frozenset[int], ...]:
    """The form of the open rows of all banks of a channel in the state. `waiting`: as in `Window.keep`."""
    known: dict[tuple[frozenset[int], int, Window], frozenset[int]] = {}
    found: list[frozenset[int]] = []
    for window, rows, origin in zip(windows, opened, origins, strict=True):
        if not rows:
            found.append(CLOSED)
            continue
        key = rows, origin, window
        if (form := known.get(key)) is None:
            form = known[key] = window.keep(rows, origin, waiting)
        found.append(form)
    return tuple(found)


def restored(kept: frozenset[int], origin: int) -> frozenset[int]:
    """The absolute rows of a form in the state, for another origin."""
    return frozenset([row + origin for row in kept]) if origin else kept


class _Path(NamedTuple):
    """The motion of a bank's origin in a stream, with positions in rows from where it starts: its lowest position at a
    request, its net motion, its highest position, and the lowest position at a request, counted from any earlier
    position of the origin."""

    lowest: int
    net: int
    highest: int
    fall: int


def window(items: Sequence[Item], channel: int, bank: int, rows: Iterable[int]) -> Window:
    """The window of a bank of a channel in a stream. `rows`: the rows of the stream's requests to it, counted from its
    origin."""
    given = list(rows)
    rise, fall = (_path(items, channel, bank, sign).fall for sign in (-1, 1))
    return Window(min(given, default=0) + fall, max(given, default=0) - rise)


def _path(items: Iterable[Item], channel: int, bank: int, sign: int) -> _Path:
    """The motion of a bank's origin; all positions are multiplied by `sign`."""
    lowest, at, highest, fall = 0, 0, 0, 0
    for item in items:
        if isinstance(item, Repeat):
            once = _path(item.body, channel, bank, sign)
            further = (item.times - 1) * once.net
            # Of two iterations, the later one is lowest, counted from the earlier one, if they follow each other, or
            # if they are the first and the last.
            later = max(once.net, 0) + min(further, 0) if item.times > 1 else once.highest - once.lowest
            inside = min(once.fall, once.lowest + later - once.highest)
            fall = min(fall, inside, at + once.lowest + min(0, further) - highest)
            lowest = min(lowest, at + once.lowest + min(0, further))
            highest = max(highest, at + once.highest + max(0, further))
            at += item.times * once.net
        elif isinstance(item, Shift):
            if channel in item.channels and bank in item.banks:
                at += sign * item.rows
                highest = max(highest, at)
        else:
            lowest, fall = min(lowest, at), min(fall, at - highest)
    return _Path(lowest, at, highest, fall)
