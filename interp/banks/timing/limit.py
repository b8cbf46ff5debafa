"""The bandwidth limit of a bank program: the time in which all banks of all channels could go through its columns if
they did nothing else, at the cadence of the sheet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from interp.banks.program import Slot
from interp.banks.timing.gaps import least
from interp.machine.records import Pim, Scope


def limit_cycles(slots: Mapping[Slot, int], pim: Pim) -> float:
    """The least cycles for the columns that some commands (of all channels together) go through: of each verb by
    itself, whatever the order, spread evenly over all banks of all channels."""
    columns: dict[str, int] = {}
    for slot, count in slots.items():
        if slot.command.row == "uses":
            columns[slot.verb] = columns.get(slot.verb, 0) + count * len(slot.banks(pim))
    return max((count / columns_a_cycle(verb, pim) for verb, count in columns.items()), default=0.0) / pim.channels


@lru_cache(maxsize=1024)
def columns_a_cycle(verb: str, pim: Pim) -> float:
    """The most columns of all banks of a channel that commands of a verb process in a cycle."""
    return max(len(pim.banks_of(scope, 0)) / _cadence(verb, scope, pim) for scope in pim.verbs[verb].scopes)


def _cadence(verb: str, scope: Scope, pim: Pim) -> int:
    """The least cycles from one command to another, of the same banks or of others."""
    apart = min(least(pim, Slot(verb, scope, 0), Slot(verb, scope, unit)) for unit in range(pim.units(scope)))
    return max(pim.command_cycles, apart)
