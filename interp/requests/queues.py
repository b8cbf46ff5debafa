"""What waits in a channel's queues, and the row commands that each request needs first."""

from __future__ import annotations

from collections.abc import Sequence

from interp.requests.layout import Move

FAR = 1 << 62


class Want:
    """What requests of one kind to one row want: the command itself, and those that open and close its row.

    `bank`: the bank whose address they bear.
    """

    __slots__ = ("act", "bank", "banks", "barrier", "first", "last", "move", "needed", "pre", "row", "version")

    def __init__(self, move: Move, act: Move | None, pre: Move | None, row: int, first: bool) -> None:
        self.move, self.act, self.pre, self.row = move, act, pre, row
        self.bank, self.banks = move.bank, move.banks
        self.barrier = move.verb == "barrier"
        self.first = first
        """Whether the first bank that lacks the row decides."""
        self.version = -1
        self.needed = move

    def next(self, rows: Sequence[frozenset[int]], version: int) -> Move:
        """The command that it needs now; `version` numbers the states of the rows."""
        if self.version == version:
            return self.needed
        self.version = version
        self.needed = self._next(rows) if self.move.uses else self.move
        return self.needed

    def _next(self, rows: Sequence[frozenset[int]]) -> Move:
        assert self.act is not None
        assert self.pre is not None
        row, closed = self.row, False
        for bank in self.banks:
            opened = rows[bank]
            if not opened:
                if self.first:
                    return self.act
                closed = True
            elif row not in opened:
                return self.pre
        return self.act if closed else self.move


class Queue:
    """Requests in the order in which they came: what each wants, when it came, and its address."""

    __slots__ = ("arrivals", "size", "tags", "wants")

    def __init__(self, size: int) -> None:
        self.size = size
        self.wants: list[Want] = []
        self.arrivals: list[int] = []
        self.tags: list[object] = []

    @property
    def full(self) -> bool:
        return len(self.wants) >= self.size

    def add(self, want: Want, arrival: int, tag: object) -> None:
        self.wants.append(want)
        self.arrivals.append(arrival)
        self.tags.append(tag)

    def remove(self, index: int) -> None:
        del self.wants[index], self.arrivals[index], self.tags[index]
