"""Attributes a channel's waits to timing constraints, from the log of its commands; for controllers that reorder
commands. A slot is a command's verb, scope and unit (interp/kinds/pim/program.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dialects.pim import SYNC, KernelOp
from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.constraints import least
from interp.kinds.pim.timing.requests.channel import Issued
from interp.kinds.pim.timing.requests.kernel import requests_of
from interp.kinds.pim.timing.requests.request import Request
from interp.kinds.pim.timing.requests.run import run_requests
from interp.machine.records import Pim, Scope


class Explained(NamedTuple):
    """A logged command, its slot (None if the sheet lacks the command), and the cycles since the previous command
    (`wait`). `before` and `cycles`: the timing constraint that permits it from exactly its cycle on, as the slot of
    the constraint's earlier command and the constraint's number of cycles; None and 0 without such a constraint."""

    issued: Issued
    slot: Slot | None
    wait: int = 0
    before: Slot | None = None
    cycles: int = 0


def logged_waits(kernel: KernelOp, pim: Pim) -> dict[str, int]:
    """The cycles of the channel with the most commands, up to its last command, by the verb waited for."""
    requests = requests_of(kernel, pim)
    return waits_of(request_log(requests, pim, busiest(requests, pim)), pim)


def busiest(requests: Sequence[Request], pim: Pim) -> int:
    """The channel that receives the most commands."""
    channels = run_requests(requests, pim).channels
    return max(channels, key=lambda numbers: sum(channels[numbers].values()), default=(0,))[0]


def request_log(requests: Sequence[Request], pim: Pim, channel: int) -> list[Issued]:
    """All commands of one channel."""
    log: list[Issued] = []
    run_requests(requests, pim, log, channel)
    return log


def waits_of(log: Iterable[Issued], pim: Pim) -> dict[str, int]:
    """The cycles of a logged channel by the verb waited for. The wait before a command is attributed to the earlier
    command of a timing constraint that ends exactly when the command issues; without such a constraint, to the
    command itself."""
    waits: dict[str, int] = {}
    for each in explained(log, pim):
        if each.wait and each.slot is not None:
            cause = (each.before or each.slot).verb
            waits[cause] = waits.get(cause, 0) + each.wait
    return waits


def explained(log: Iterable[Issued], pim: Pim) -> Iterator[Explained]:
    """The commands of a log, each with the constraint that determines its cycle."""
    names: dict[str, tuple[str, Scope]] = {
        form.mnemonic: (verb.name, scope) for verb in pim.verbs.values() for scope, form in verb.forms.items()
    }
    latest: dict[Slot, int] = {}
    now = 0
    for issued in log:
        slot = _slot(issued, names, pim)
        if slot is None:
            yield Explained(issued, None)
            continue
        held = [before for before, at in latest.items() if at + (least(pim, before, slot) or -1) == issued.cycle]
        before = held[-1] if held else None
        yield Explained(
            issued, slot, issued.cycle - now, before, 0 if before is None else issued.cycle - latest[before]
        )
        latest.pop(slot, None)
        latest[slot] = now = issued.cycle


def _slot(issued: Issued, names: Mapping[str, tuple[str, Scope]], pim: Pim) -> Slot | None:
    """The slot of a logged command; the log name of a synchronisation ends with the name of the command that it serves.
    None for a command that the sheet lacks."""
    found = names.get(issued.mnemonic)
    if found is None:
        return Slot(SYNC) if SYNC in pim.verbs and issued.mnemonic.startswith(pim.verbs[SYNC].mnemonic) else None
    verb, scope = found
    if issued.bank < 0 or scope == "all":
        return Slot(verb, scope)
    return Slot(verb, scope, next(unit for unit in range(pim.units(scope)) if issued.bank in pim.banks_of(scope, unit)))
