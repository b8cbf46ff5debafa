"""The commands of a trace that need a preceding `pim.act`: those on banks that last worked on a different row."""

from __future__ import annotations

from typing import NamedTuple

from interp.machine.records import Pim, Scope


class Reach(NamedTuple):
    """The banks of some channels that a command addresses by its scope and unit; `channels` is a bit mask."""

    channels: int
    scope: Scope
    unit: int


class Named:
    """For each set of banks (`Reach`), the row that the last `pim.act` for these banks opened. Of two sets that overlap
    and have different rows, only the set of the later `pim.act` is kept."""

    def __init__(self, pim: Pim) -> None:
        self.pim = pim
        self.rows: dict[Reach, int] = {}
        self.banks: dict[tuple[Scope, int], frozenset[int]] = {}

    def holds(self, reach: Reach, row: int) -> bool:
        """True if the last `pim.act` for these banks opened `row`."""
        if self.rows.get(reach) == row:
            return True
        return reach.scope != "all" and self.rows.get(Reach(reach.channels, "all", 0)) == row

    def others(self, reach: Reach, row: int) -> list[Reach]:
        """The sets of banks that overlap with `reach` and whose last `pim.act` opened a row other than `row`."""
        return [
            other
            for other, named in self.rows.items()
            if named != row and other.channels & reach.channels and self._meet(other, reach)
        ]

    def name(self, reach: Reach, row: int) -> None:
        for other in self.others(reach, row):
            del self.rows[other]
        self.rows[reach] = row

    def forget(self, reach: Reach) -> None:
        """Remove all sets of banks that overlap with `reach`, including `reach` itself, with their rows."""
        for other in [other for other in self.rows if other.channels & reach.channels and self._meet(other, reach)]:
            del self.rows[other]

    def _meet(self, one: Reach, other: Reach) -> bool:
        if one.scope == "all" or other.scope == "all":
            return True
        return bool(self._banks(one) & self._banks(other))

    def _banks(self, reach: Reach) -> frozenset[int]:
        key = reach.scope, reach.unit
        if key not in self.banks:
            self.banks[key] = frozenset(self.pim.banks_of(*key))
        return self.banks[key]
