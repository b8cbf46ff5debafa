"""Requests in the queues of a channel, and the row commands that each request needs first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from interp.kinds.pim.timing.requests.layout import AddressedMove
from interp.machine.records import Scope

FAR = 1 << 62
CLOSED: frozenset[int] = frozenset()

Asked: TypeAlias = tuple[str, Scope, int, int]
"""The verb, scope, unit and bank of a request."""
Tag: TypeAlias = tuple[int, ...]
"""An address, whose numbers begin with a bank and a row."""


class OpenedRows:
    """The open rows of each bank of a channel, and the banks between the two steps of an activate. A published
    simulator may open a row while another is open in the same bank; both are recorded as open then."""

    def __init__(self, banks: int) -> None:
        self.opened = [CLOSED] * banks
        self.halves: set[int] = set()
        self.versions = [0] * (banks + 1)
        """For each bank, the number of changes of its rows; at the end, the number of changes of any rows."""

    def open(self, banks: tuple[int, ...], row: int, half: bool) -> None:
        fresh, opened, versions = frozenset((row,)), self.opened, self.versions
        versions[-1] += 1
        for bank in banks:
            versions[bank] += 1
            opened[bank] = opened[bank] | fresh if opened[bank] else fresh
        if half:
            self.halves.update(banks)
        elif self.halves:
            self.halves.difference_update(banks)

    def close(self, banks: tuple[int, ...]) -> None:
        opened, versions = self.opened, self.versions
        versions[-1] += 1
        for bank in banks:
            versions[bank] += 1
            opened[bank] = CLOSED
        if self.halves:
            self.halves.difference_update(banks)

    def replace(self, opened: list[frozenset[int]], halves: Iterable[int]) -> None:
        """Set the open rows of all banks, and the banks between the two steps of an activate."""
        self.versions[:] = [version + 1 for version in self.versions]
        self.opened, self.halves = opened, set(halves)


class Want:
    """The commands that requests with the same verb, scope, address and row need: the command itself, and the commands
    that open and close its row.

    `bank`: the bank in their address. `asked`: verb, scope, unit and bank of the requests; `home`: the first bank that
    they address, -1 if they use no row.
    """

    __slots__ = (
        "act",
        "asked",
        "bank",
        "banks",
        "barrier",
        "first",
        "half",
        "home",
        "move",
        "needed",
        "place",
        "pre",
        "row",
        "until",
        "version",
    )  # fmt: skip

    def __init__(
        self,
        move: AddressedMove,
        steps: tuple[AddressedMove | None, AddressedMove | None, AddressedMove | None],
        row: int,
        first: bool,
    ) -> None:
        """`steps`: the precharge of the request's banks, the activate of its row, and the first half of the activate if
        it has two steps."""
        self.move, self.row = move, row
        self.pre, self.act, self.half = steps
        self.bank, self.banks = move.bank, move.banks
        self.asked: Asked = move.verb, move.scope, 0, move.bank
        self.home = -1
        self.barrier = move.verb == "barrier"
        self.first = first
        """True if the first bank without the row determines the next command."""
        self.place = self.banks[0] if len(self.banks) == 1 else -1
        """The index of the version of the rows on which the next command depends (`OpenedRows.versions`)."""
        self.version = -1
        self.needed = move
        self.until = 0
        """A cycle before which the next command certainly can't issue. Earliest issue times only grow, so it stays
        valid until the next command changes."""

    def next(self, rows: OpenedRows) -> AddressedMove:
        """The command that a request needs next, given the open rows."""
        if self.version == (version := rows.versions[self.place]):
            return self.needed
        self.version = version
        self.until = 0
        self.needed = self._next(rows) if self.move.uses else self.move
        return self.needed

    def _next(self, rows: OpenedRows) -> AddressedMove:
        assert self.act is not None
        assert self.pre is not None
        row, closed, halves, opened = self.row, False, False, rows.opened
        for bank in self.banks:
            here = opened[bank]
            if not here:
                if self.first:
                    return self.act
                closed = True
            elif rows.halves and bank in rows.halves:
                halves = True
            elif row not in here:
                return self.pre
        if closed:
            return self.half or self.act
        return self.act if halves else self.move


class Queue:
    """Requests in order of arrival: for each, its commands (`wants`), the cycle of its arrival (`arrivals`), and its
    address (`tags`). `size`: the capacity in requests."""

    __slots__ = ("_counts", "_kinds", "arrivals", "barriers", "size", "tags", "wants")

    def __init__(self, size: int) -> None:
        self.size = size
        self.wants: list[Want] = []
        self.arrivals: list[int] = []
        self.tags: list[Tag] = []
        self.barriers = 0
        self._counts: dict[Want, int] = {}
        self._kinds: dict[Want, bool] | None = {}

    def refill(self, entries: Iterable[tuple[Want, int, Tag]]) -> None:
        """Replaces the contents by other requests, each as (commands, arrival, address), in order of arrival."""
        self.wants, self.arrivals, self.tags = [], [], []
        self.barriers, self._counts, self._kinds = 0, {}, {}
        for entry in entries:
            self.add(*entry)

    @property
    def full(self) -> bool:
        return len(self.wants) >= self.size

    def kinds(self) -> dict[Want, bool]:
        """The distinct `Want`s of the queued requests, in the order of the first request with each; the value is True
        if a barrier precedes that request. A barrier at the head of the queue does not count as preceding."""
        if self._kinds is None and not self.barriers:
            self._kinds = dict.fromkeys(self.wants, False)
        if self._kinds is None:
            self._kinds = {}
            barrier = False
            for index, want in enumerate(self.wants):
                if want.barrier:
                    barrier |= index > 0
                elif want not in self._kinds:
                    self._kinds[want] = barrier
        return self._kinds

    def holds(self, want: Want) -> bool:
        """True if the queue contains a request with this `Want`."""
        return want in self._counts

    def add(self, want: Want, arrival: int, tag: Tag) -> None:
        if want.barrier:
            self.barriers += 1
        else:
            count = self._counts.get(want, 0)
            self._counts[want] = count + 1
            if not count and self._kinds is not None:
                self._kinds[want] = self.barriers > self.wants[0].barrier if self.barriers else False
        self.wants.append(want)
        self.arrivals.append(arrival)
        self.tags.append(tag)

    def remove(self, index: int) -> None:
        want = self.wants[index]
        del self.wants[index], self.arrivals[index], self.tags[index]
        if want.barrier:
            self.barriers -= 1
            self._kinds = None
        elif self._counts[want] > 1:
            self._counts[want] -= 1
            if self._kinds is not None and len(self._kinds) > 1:
                self._kinds = None
        else:
            del self._counts[want]
            if self._kinds is not None:
                del self._kinds[want]
