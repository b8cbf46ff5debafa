"""The clock of one channel: the earliest cycle of each command, the open rows, the commands issued."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from dialects.pim import PREACT, REFRESH
from interp.kinds.pim.timing.requests.layout import AddressedMove, CommandAddress, MomentLayout
from interp.kinds.pim.timing.requests.queues import FAR, Asked, OpenedRows, Queue, Want
from interp.kinds.pim.timing.requests.request import Request
from interp.machine.records import Scope

Steps: TypeAlias = tuple[AddressedMove, AddressedMove | None, AddressedMove | None, AddressedMove | None]
"""The command of a request; the precharge of its banks, the activate of its row, and the first half of the activate, if
it needs them."""


class Issued(NamedTuple):
    """A line of a command log; bank and row are -1 for commands that address none."""

    cycle: int
    mnemonic: str
    bank: int
    row: int


class RequestChannel:
    """Earliest issue times, rows and queues of one channel, simulated for all channels that receive the same
    requests."""

    def __init__(self, layout: MomentLayout, log: list[Issued] | None) -> None:
        self.layout, self.scheduler, self.pim = layout, layout.scheduler, layout.pim
        self.log = log
        self.ready: list[int] = []
        self.histories: list[list[int]] = []
        self.rows = OpenedRows(self.pim.banks_per_channel)
        self.counts: dict[AddressedMove, int] = {}
        self.wants: dict[tuple[object, ...], Want] = {}
        self.steps: dict[tuple[str, Scope, int, CommandAddress], Steps] = {}
        """The commands that requests need, by their verb, scope, unit and address."""
        size = self.scheduler.queue
        self.active, self.units, self.reads, self.writes = (Queue(size) for _ in range(4))
        self.urgent: list[Want] = []
        self.refreshes: list[Want] = []
        self.writing = False
        self.due = self.pim.refresh.interval if self.pim.refresh is not None else FAR
        self.wake = self.due
        """The next cycle in which a command may issue or a refresh falls due."""
        self.served: int = 0
        """The number of requests served so far."""
        self.returned = 0
        """The cycle in which the data of the last issued read has arrived."""

    def want(self, request: Request) -> Want:
        """The commands that a request needs on this channel. Raises InputError if the sheet lacks one of them."""
        verb, scope, unit, row, _, bank, *_ = request
        if (found := self.wants.get((verb, scope, unit, bank, row))) is None:
            home = self.pim.banks_of(scope, unit)[0] if row >= 0 else -1
            found = self.want_of((verb, scope, unit, bank), home, row)
        return found

    def want_of(self, asked: Asked, home: int, row: int) -> Want:
        """The commands that requests need; `home`: the first bank that they address."""
        key = *asked, row
        if (found := self.wants.get(key)) is None:
            verb, scope, unit, bank = asked
            found = self.wants[key] = self.wanted(verb, scope, unit, self.layout.place(bank), row)
            found.asked, found.home = asked, home
        return found

    def wanted(self, verb: str, scope: Scope, unit: int, place: CommandAddress, row: int) -> Want:
        key = verb, scope, unit, place
        if (steps := self.steps.get(key)) is None:
            steps = self.steps[key] = self._steps(verb, scope, unit, place)
        return Want(steps[0], steps[1:], row, self.scheduler.rows == "first")

    def _steps(self, verb: str, scope: Scope, unit: int, place: CommandAddress) -> Steps:
        move = self.layout.move(verb, scope, unit, place)
        pre = act = half = None
        if move.uses:
            pre, act = (self.layout.move(word, scope, unit, place) for word in ("pre", "act"))
            if PREACT in self.pim.verbs:
                half = self.layout.move(PREACT, scope, unit, place)
        elif verb == REFRESH:
            pre = self.layout.move("pre", "all", 0, place)
        self.grow()
        return move, pre, act, half

    def grow(self) -> None:
        """Allocates the issue times of commands that appear for the first time."""
        self.ready += [0] * (len(self.layout.registers) - len(self.ready))
        lengths = self.layout.history_lengths
        self.histories += [[] for _ in range(len(lengths) - len(self.histories))]

    def may(self, move: AddressedMove, now: int) -> bool:
        ready = self.ready
        for register in move.checks:  # a loop is twice as fast as `all` here
            if ready[register] > now:
                break
        else:
            return True
        return False

    def moment(self, move: AddressedMove) -> int:
        """The earliest cycle in which a command may issue, given all commands issued so far."""
        ready, latest = self.ready, 0
        for register in move.checks:  # a loop is twice as fast as `max` here
            if ready[register] > latest:
                latest = ready[register]
        return latest

    def moment_of(self, want: Want) -> int:
        """The earliest cycle in which the next command of a request may issue, given all commands issued so far."""
        want.until = self.moment(want.next(self.rows))
        return want.until

    def issue(self, move: AddressedMove, want: Want, now: int) -> None:
        ready = self.ready
        for register, cycles in move.updates:
            if ready[register] < now + cycles:
                ready[register] = now + cycles
        if move.nth_last:
            self._remember(move, now)
        if move.opens or move.verb == PREACT:
            self.rows.open(move.banks, want.row, not move.opens)
        elif move.closes:
            self.rows.close(move.banks)
        self.counts[move] = self.counts.get(move, 0) + 1
        if self.log is not None:
            self.log.append(Issued(now, move.mnemonic, want.bank, want.row))

    def _remember(self, move: AddressedMove, now: int) -> None:
        for number in {constraint.history for constraint in move.nth_last}:
            history = self.histories[number]
            history.insert(0, now)
            del history[self.layout.history_lengths[number] :]
        for number, length, cycles, registers in move.nth_last:
            history = self.histories[number]
            if len(history) >= length:
                for register in registers:
                    self.ready[register] = max(self.ready[register], history[length - 1] + cycles)

    def refresh_due(self, now: int) -> None:
        """Queues the refreshes that fall due by a cycle."""
        while self.due <= now:
            assert self.pim.refresh is not None
            self.due += self.pim.refresh.interval
            self.urgent += self.refresh_wants()

    def refresh_wants(self) -> list[Want]:
        """The refreshes that fall due at the same time, one for each unit that is refreshed separately."""
        if not self.refreshes and self.pim.refresh is not None:
            level = self.scheduler.refreshes
            for unit in range(self.pim.banks_per_channel // self.pim.banks_at(level)):
                self.refreshes.append(self.wanted(REFRESH, "all", 0, CommandAddress(level, unit), -1))
        return self.refreshes

    def urgent_move(self) -> AddressedMove:
        """The next command for the oldest waiting refresh: a precharge of all rows while any is open, then the
        refresh."""
        return self.refreshing(self.urgent[0])

    def refreshing(self, want: Want) -> AddressedMove:
        """The next command for a refresh."""
        assert want.pre is not None
        return want.pre if any(self.rows.opened) else want.move

    def serves_writes(self) -> bool:
        """True if the channel currently serves writes instead of reads."""
        waiting = len(self.writes.wants)
        if not self.writing:
            self.writing = waiting > self.scheduler.drain_above or not self.reads.wants
        else:
            self.writing = not (waiting < self.scheduler.drain_below and self.reads.wants)
        return self.writing

    def interrupts(self, move: AddressedMove) -> bool:
        """True if a command would close a row that was opened for an access not served yet."""
        return move.closes and any(want.bank == move.bank for want in self.active.wants)
