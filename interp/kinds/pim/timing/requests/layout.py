"""The issue times that a command checks and updates in a channel's clock, and the banks that it opens, closes or uses;
computed once for each command and address."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from dialects.diagnostics import InputError
from dialects.pim import COMMANDS, PREACT, REFRESH, SYNC
from interp.kinds.pim.timing.requests.request import Request
from interp.machine.records import Level, Pim, Scheduler, Scope, TimingConstraint

LEVELS: tuple[Level, ...] = ("channel", "pseudochannel", "rank", "group", "bank")
ROW, COLUMN, ALONE = 0, 1, 2
"""The three classes of commands on a bus: in one cycle it may carry one row command and one column command; an `ALONE`
command shares its cycle with no other command."""

BARRIER = "barrier"


class CommandAddress(NamedTuple):
    """The address of a command: a level (channel, rank, …, bank), and the number of a unit of this level within the
    channel."""

    level: Level
    unit: int


class HistoryConstraint(NamedTuple):
    """An n-th-last constraint: the index of the list of past issues from which it counts, the number of issues in that
    list (`length`), its cycles, and the indices of the earliest issue times that it updates (`registers`)."""

    history: int
    length: int
    cycles: int
    registers: tuple[int, ...]


class AddressedMove:
    """A command at an address.

    `checks`: indices of the earliest issue times that it must respect. `updates`: pairs of the index of an earliest
    issue time that it sets, and the distance in cycles from its own issue. `banks`: the banks whose rows it opens
    (`opens`), closes (`closes`) or uses. `bank`: the addressed bank, -1 if its address names none.
    """

    __slots__ = (
        "bank",
        "banks",
        "checks",
        "closes",
        "kind",
        "latency",
        "mnemonic",
        "nth_last",
        "opens",
        "scope",
        "updates",
        "uses",
        "verb",
    )  # fmt: skip

    def __init__(self, verb: str, scope: Scope, mnemonic: str, bank: int) -> None:
        self.verb, self.mnemonic, self.bank = verb, mnemonic, bank
        self.scope: Scope = scope
        self.kind = COLUMN
        self.opens = self.closes = self.uses = False
        self.latency = 0
        self.banks: tuple[int, ...] = ()
        self.checks: tuple[int, ...] = ()
        self.updates: tuple[tuple[int, int], ...] = ()
        self.nth_last: tuple[HistoryConstraint, ...] = ()


class MomentLayout:
    """All commands of a sheet at all addresses requested so far; and numbers for the earliest issue times, and for the
    lists of past issues, that these commands check or update."""

    def __init__(self, pim: Pim) -> None:
        self.pim = pim
        self.scheduler = scheduler_of(pim)
        self.addressed = self.scheduler.broadcast == "addressed"
        self.registers: dict[tuple[Level, int, str, Scope], int] = {}
        self.histories: dict[tuple[Level, int, str, Scope], int] = {}
        self.history_lengths: list[int] = []
        """The length of each history."""
        self.moves: dict[tuple[str, Scope, int, CommandAddress], AddressedMove] = {}
        self.names: dict[str, int] = {}
        self.constraints = [constraint for constraint in pim.constraints if constraint.cycles]
        for constraint in self.constraints:
            if constraint.relation != "any":
                raise InputError(
                    f"{pim.name}: a sheet with `scheduler` can't have gaps of relation `{constraint.relation}` "
                    f"({constraint.before} -> {constraint.after}); state a level and scopes instead",
                    pim.file,
                )

    def move(self, verb: str, scope: Scope, unit: int, place: CommandAddress) -> AddressedMove:
        """The command at an address. Raises InputError if the sheet does not have it."""
        key = verb, scope, unit, place
        if (found := self.moves.get(key)) is None:
            found = self.moves[key] = self._made(verb, scope, unit, place)
        return found

    def place(self, bank: int) -> CommandAddress:
        """The address of a command to a bank; of a command without a bank (-1) that of its channel."""
        return CommandAddress("bank", bank) if bank >= 0 else CommandAddress("channel", 0)

    def reached(self, request: Request) -> tuple[int, ...]:
        """The banks whose rows the commands for a request may open, close or use."""
        place = self.place(request.bank)
        moves = [self.move(verb, request.scope, request.unit, place) for verb in (request.verb, "pre", "act")]
        return tuple(dict.fromkeys(bank for move in moves for bank in move.banks))

    def _made(self, verb: str, scope: Scope, unit: int, place: CommandAddress) -> AddressedMove:
        bank = place.unit if place.level == "bank" else -1
        if verb == BARRIER:
            move = AddressedMove(verb, scope, "BARRIER", bank)
            move.kind = ALONE
            return move
        if verb not in self.pim.verbs or scope not in self.pim.verbs[verb].forms:
            raise InputError(
                f"{self.pim.name}: its scheduler needs a `verb {verb}` of scope {scope}, but the sheet states none; "
                "add one",
                self.pim.file,
            )
        form = self.pim.verbs[verb].forms[scope]
        command = COMMANDS[verb]
        move = AddressedMove(verb, scope, form.mnemonic, bank)
        move.latency = form.latency
        move.opens, move.uses = command.row == "opens", command.needs_row and not form.rowless
        move.closes = command.row == "closes" or form.closes
        if move.opens or move.closes or verb in (REFRESH, PREACT):
            move.kind = ROW
        if (verb, scope) in self.scheduler.alone:
            move.kind = ALONE
        move.banks = self._reached(verb, scope, unit, bank)
        units = self._units(place) if self.addressed else self._touched(move)
        move.checks = tuple(
            dict.fromkeys(
                self.register(*self._where(constraint, before, number, scope), verb, scope)
                for constraint in self.constraints
                if constraint.after == verb and _ties(constraint.after_scope, scope)
                for before in self.pim.verbs[constraint.before].scopes
                if _ties(constraint.before_scope, before)
                for level, number in units
                if level == constraint.level
            )
        )
        self._sets(move, units)
        return move

    def _where(self, constraint: TimingConstraint, before: Scope, unit: int, after: Scope) -> tuple[Level, int]:
        """The level and the number of the unit in which two commands interact by a timing constraint. A command to all
        banks interacts with every command of the channel."""
        if not self.addressed and "all" in (before, after):
            return "channel", 0
        return constraint.level, unit

    def _touched(self, move: AddressedMove) -> list[tuple[Level, int]]:
        """All units that contain a bank of a command, as (level, number), at all levels."""
        found: list[tuple[Level, int]] = []
        for level in LEVELS:
            size = self.pim.banks_at(level)
            for unit in dict.fromkeys(bank // size for bank in move.banks):
                found.append((level, unit))
        return found

    def before(self, move: AddressedMove) -> AddressedMove:
        """The synchronisation command that must precede a command; its name in logs ends with the name of that
        command."""
        key = SYNC, move.scope, -1, CommandAddress("channel", self.names.setdefault(move.mnemonic, len(self.names)))
        if (found := self.moves.get(key)) is None:
            plain = self.move(SYNC, "all", 0, CommandAddress("channel", 0))
            found = self.moves[key] = AddressedMove(SYNC, "all", plain.mnemonic + move.mnemonic, -1)
            found.checks, found.updates, found.nth_last = plain.checks, plain.updates, plain.nth_last
            found.kind = plain.kind
        return found

    def _reached(self, verb: str, scope: Scope, unit: int, bank: int) -> tuple[int, ...]:
        """The banks whose rows a command opens, closes or uses."""
        reach = self.scheduler.reaches.get((verb, scope), scope)
        if reach != scope:
            unit = bank % (self.pim.banks_per_channel // len(self.pim.banks_of(reach, 0)))
        return tuple(self.pim.banks_of(reach, unit))

    def _units(self, place: CommandAddress) -> list[tuple[Level, int]]:
        """The unit that contains an address, as (level, number), for each level from the channel down to the address's
        own level."""
        first = place.unit * self.pim.banks_at(place.level)
        return [(level, first // self.pim.banks_at(level)) for level in LEVELS[: LEVELS.index(place.level) + 1]]

    def _sets(self, move: AddressedMove, units: list[tuple[Level, int]]) -> None:
        latest: dict[int, int] = {}
        nth_last: dict[tuple[int, int, int], set[int]] = {}
        for constraint in self.constraints:
            if constraint.before != move.verb or not _ties(constraint.before_scope, move.scope):
                continue
            here = [number for level, number in units if level == constraint.level]
            if constraint.level == "bank" and (move.verb, move.scope) in self.scheduler.spreads:
                here = list(move.banks)
            if constraint.level == "bank" and (move.verb, move.scope) in self.scheduler.strays:
                here = list(dict.fromkeys([*here, *self._shifted(move.bank)]))
            if constraint.nth == 1:
                for register in self._targets(constraint, here, move.scope):
                    latest[register] = max(latest.get(register, 0), constraint.cycles)
                continue
            for number in here:
                history = self.history((constraint.level, number, move.verb, move.scope), constraint.nth)
                nth_last.setdefault((history, constraint.nth, constraint.cycles), set()).update(
                    self._targets(constraint, [number], move.scope)
                )
        move.updates = tuple(latest.items())
        move.nth_last = tuple(HistoryConstraint(*key, tuple(registers)) for key, registers in nth_last.items())

    def _shifted(self, bank: int) -> Iterator[int]:
        """The banks on which a published simulator records a command although it is addressed to `bank`: the simulator
        uses the pseudochannel's number as that of the rank, and the rank's number as that of the group, and so
        applies the command in every pseudochannel."""
        group, bank = divmod(bank, self.pim.banks)
        rank, _ = divmod(group, self.pim.groups // (self.pim.pseudochannels * self.pim.ranks))
        pseudochannel, rank = divmod(rank, self.pim.ranks)
        groups = self.pim.groups // (self.pim.pseudochannels * self.pim.ranks)
        for other in range(self.pim.pseudochannels):
            yield ((other * self.pim.ranks + pseudochannel) * groups + rank) * self.pim.banks + bank

    def _targets(self, constraint: TimingConstraint, units: list[int], before: Scope) -> Iterator[int]:
        for unit in units:
            for scope in self.pim.verbs[constraint.after].scopes:
                if _ties(constraint.after_scope, scope):
                    yield self.register(*self._where(constraint, before, unit, scope), constraint.after, scope)

    def register(self, level: Level, unit: int, verb: str, scope: Scope) -> int:
        return self.registers.setdefault((level, unit, verb, scope), len(self.registers))

    def history(self, key: tuple[Level, int, str, Scope], nth: int) -> int:
        number = self.histories.setdefault(key, len(self.histories))
        if number == len(self.history_lengths):
            self.history_lengths.append(nth)
        self.history_lengths[number] = max(self.history_lengths[number], nth)
        return number


@lru_cache(maxsize=64)
def layout_of(pim: Pim) -> MomentLayout:
    """The commands of a sheet, shared by all programs."""
    return MomentLayout(pim)


def _ties(wanted: Scope | None, scope: Scope) -> bool:
    return wanted is None or wanted == scope


def scheduler_of(pim: Pim) -> Scheduler:
    """The sheet's scheduler. Raises InputError if it has none."""
    if pim.scheduler is None:
        raise InputError(f"{pim.name} states no `scheduler`, so requests can't be timed on it", pim.file)
    return pim.scheduler
