"""The bandwidth limit of a bank program: the time for all banks of all channels to process its columns at the cadence
of the sheet, if nothing else limited them. A slot is a command's verb, scope and unit (interp/kinds/pim/program.py)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.constraints import least
from interp.machine.records import Pim, Scope


def limit_cycles(slots: Mapping[Slot, int], pim: Pim) -> float:
    """The minimum number of cycles to process the columns of some commands (of all channels together). The bound of
    each verb is computed separately, for commands in any order whose columns are spread evenly over all banks of all
    channels."""
    columns: dict[str, int] = {}
    for slot, count in slots.items():
        if slot.command.row == "uses":
            columns[slot.verb] = columns.get(slot.verb, 0) + count * len(slot.banks(pim))
    return max((count / columns_per_cycle(verb, pim) for verb, count in columns.items()), default=0.0) / pim.channels


@lru_cache(maxsize=1024)
def columns_per_cycle(verb: str, pim: Pim) -> float:
    """The maximum number of columns that the banks of one channel process per cycle with commands of a verb."""
    return max(len(pim.banks_of(scope, 0)) / _cadence(verb, scope, pim) for scope in pim.verbs[verb].scopes)


def _cadence(verb: str, scope: Scope, pim: Pim) -> int:
    """The minimum distance in cycles between two commands of a verb and scope, to the same or to different banks."""
    distance = min(least(pim, Slot(verb, scope, 0), Slot(verb, scope, unit)) for unit in range(pim.units(scope)))
    return max(pim.command_cycles, distance)
