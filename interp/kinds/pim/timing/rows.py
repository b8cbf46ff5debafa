"""Open rows of a channel, the activates that opened them, and rows that the controller must reopen after a refresh.

A refresh closes all rows. If the sheet has `then reopen`, the controller reopens a row before the first command that
uses it. It repeats the activates that had opened the rows, in bank order; for an activate some of whose banks were
closed or given another row since, it activates the remaining banks one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from interp.kinds.pim.program import Slot
from interp.machine.records import Pim


class OpenRows(NamedTuple):
    """For each activate of a program, two masks of the banks whose row it opened: banks whose row is open, and banks
    whose row a refresh closed. A bank is in at most one of the two."""

    opened: tuple[int, ...]
    owed: tuple[int, ...]


class RowRules:
    """The effects of commands on open rows. Without refresh no timing depends on them, and they are not tracked."""

    def __init__(self, pim: Pim, slots: Sequence[Slot]) -> None:
        """`slots`: the commands of a program."""
        self.pim = pim
        self.reopens = pim.refresh is not None and pim.refresh.reopens
        acts = [slot for slot in slots if slot.command.row == "opens"] if pim.refresh is not None else []
        if self.reopens:
            parts = [bank for act in acts if self._may_break(act, slots) for bank in act.banks(pim)]
            acts += [Slot("act", "bank", bank) for bank in parts]
        self.acts = list(dict.fromkeys(acts))
        """Activates of the program, and those that the controller may issue in addition."""
        self._mask_of_slot: dict[Slot, int] = {}
        self._masks = [self.mask(act) for act in self.acts]
        self._order = sorted(range(len(self.acts)), key=lambda at: self.acts[at].banks(pim).start)
        none = (0,) * len(self.acts)
        self.start = OpenRows(none, none)

    def _may_break(self, act: Slot, slots: Sequence[Slot]) -> bool:
        """True if another command of the program may close, or reopen, some but not all of the rows that an activate
        opened."""
        banks = set(act.banks(self.pim))
        others = [set(slot.banks(self.pim)) for slot in slots if slot.command.row in ("opens", "closes")]
        return any(banks & other and banks - other for other in others)

    def mask(self, slot: Slot) -> int:
        """The banks that a command addresses, as bits."""
        if (mask := self._mask_of_slot.get(slot)) is None:
            mask = self._mask_of_slot[slot] = sum([1 << bank for bank in slot.banks(self.pim)])
        return mask

    def after(self, rows: OpenRows, slot: Slot) -> OpenRows:
        """The open rows after a command."""
        if not self.acts or slot.command.row not in ("opens", "closes"):
            return rows
        left = ~self.mask(slot)
        opened = [mask & left for mask in rows.opened]
        if slot.command.row == "opens":
            at = self.acts.index(slot)
            opened[at] |= self._masks[at]
        return OpenRows(tuple(opened), tuple(mask & left for mask in rows.owed))

    def refreshed(self, rows: OpenRows) -> OpenRows:
        """The open rows after a refresh, or after the precharge that precedes it."""
        none = self.start.opened
        if not self.reopens:
            return OpenRows(none, none)
        return OpenRows(none, tuple(opened | owed for opened, owed in zip(rows.opened, rows.owed, strict=True)))

    def missing(self, rows: OpenRows, slot: Slot) -> list[Slot]:
        """The activates that the controller must issue before a command."""
        if slot.command.row != "uses" or not any(rows.owed):
            return []
        needed, found = self.mask(slot), list[Slot]()
        for at in self._order:
            if rows.owed[at] & needed:
                if rows.owed[at] == self._masks[at]:
                    found.append(self.acts[at])
                else:
                    banks = range(self.pim.banks_per_channel)
                    found += [Slot("act", "bank", bank) for bank in banks if rows.owed[at] & needed & 1 << bank]
        return sorted(found, key=lambda act: act.banks(self.pim).start)
