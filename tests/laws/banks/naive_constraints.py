"""The earliest cycle of a command by the timing constraints of a sheet, applied one by one, for the plain interpreters
of bank programs."""

from __future__ import annotations

from functools import lru_cache

from interp.kinds.pim.program import Slot
from interp.machine.records import Level, Pim, Scope, TimingConstraint


def banks(scope: Scope, unit: int, pim: Pim) -> set[int]:
    """The banks of a channel that a command addresses. Bank N of group G has the number G * (banks a group) + N."""
    everyone = range(pim.groups * pim.banks)
    if scope == "bank":
        return {unit}
    if scope == "same":
        return {bank for bank in everyone if bank % pim.banks == unit}
    if scope == "twin":
        return {bank for bank in everyone if bank % (len(everyone) // pim.pseudochannels) == unit}
    if scope == "group":
        return {bank for bank in everyone if bank // pim.banks == unit}
    return set(everyone)


def place(bank: int, level: Level, pim: Pim) -> int:
    """The number of the unit at a level (group, rank, pseudo-channel) that contains a bank: each unit contains
    consecutive banks. At the level of the channel the number is 0."""
    channel_banks = pim.groups * pim.banks
    if level == "bank":
        return bank
    if level == "group":
        return bank // pim.banks
    if level == "rank":
        return bank // (channel_banks // (pim.pseudochannels * pim.ranks))
    if level == "pseudochannel":
        return bank // (channel_banks // pim.pseudochannels)
    return 0


@lru_cache(maxsize=1 << 16)
def places(command: Slot, level: Level, pim: Pim) -> frozenset[int]:
    """The units of a level that contain a command's banks."""
    return frozenset(place(bank, level, pim) for bank in banks(command.scope, command.unit, pim))


@lru_cache(maxsize=1 << 16)
def tied(constraint: TimingConstraint, before: Slot, after: Slot, pim: Pim) -> bool:
    """True if a timing constraint applies between command `before` and the later command `after`: their verbs and
    scopes are those of the constraint, and both address a common unit at the constraint's level."""
    if before.verb != constraint.before or after.verb != constraint.after:
        return False
    if constraint.before_scope is not None and before.scope != constraint.before_scope:
        return False
    if constraint.after_scope is not None and after.scope != constraint.after_scope:
        return False
    if not places(before, constraint.level, pim) & places(after, constraint.level, pim):
        return False
    if constraint.relation == "same":
        return before.scope == after.scope and before.unit == after.unit
    if constraint.relation == "next":
        return before.scope == after.scope and before.unit + 1 == after.unit
    if constraint.relation == "first":
        return after.unit == 0
    return True


class History:
    """The commands of one channel, with the cycles in which they were issued."""

    def __init__(self, pim: Pim) -> None:
        self.pim = pim
        self.issued: list[tuple[int, Slot]] = []
        self.longest = max((constraint.cycles for constraint in pim.constraints), default=0)

    def add(self, cycle: int, command: Slot) -> None:
        self.issued = [(time, slot) for time, slot in self.issued if time > cycle - self.longest]  # others are too old
        self.issued.append((cycle, command))

    def allows(self, cycle: int, command: Slot) -> bool:
        """True if a command may be issued in this cycle after the commands issued so far, by all timing constraints."""
        for constraint in self.pim.constraints:
            if constraint.after != command.verb:
                continue
            earlier = [(time, before) for time, before in self.issued if tied(constraint, before, command, self.pim)]
            for unit in places(command, constraint.level, self.pim):  # each counts for itself
                times = [time for time, before in earlier if unit in places(before, constraint.level, self.pim)]
                if len(times) >= constraint.nth and cycle < times[-constraint.nth] + constraint.cycles:
                    return False
        return True
