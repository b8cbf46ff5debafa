"""Attributes a channel's waits to timing constraints, from the log of its commands; for controllers that reorder
commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dialects.pim import SYNC, KernelOp
from interp.banks.program import Slot
from interp.banks.timing.constraints import least
from interp.banks.timing.requests.channel import Issued
from interp.banks.timing.requests.kernel import requests_of
from interp.banks.timing.requests.run import run_requests
from interp.machine.records import Pim, Scope


def logged_waits(kernel: KernelOp, pim: Pim) -> dict[str, int]:
    """Cycles by the verb waited for, up to the last command, of the channel with the most commands."""
    requests = list(requests_of(kernel, pim))
    channels = run_requests(requests, pim).channels
    busiest = max(channels, key=lambda numbers: sum(channels[numbers].values()), default=(0,))
    log: list[Issued] = []
    run_requests(requests, pim, log, busiest[0])
    return waits_of(log, pim)


def waits_of(log: Iterable[Issued], pim: Pim) -> dict[str, int]:
    """Cycles by the verb waited for: the earlier command of a timing constraint that ends exactly when a command
    issues; else the command itself."""
    names: dict[str, tuple[str, Scope]] = {
        form.mnemonic: (verb.name, scope) for verb in pim.verbs.values() for scope, form in verb.forms.items()
    }
    waits: dict[str, int] = {}
    latest: dict[Slot, int] = {}
    now = 0
    for issued in log:
        slot = _slot(issued, names, pim)
        if slot is None:
            continue
        held = [before.verb for before, at in latest.items() if at + (least(pim, before, slot) or -1) == issued.cycle]
        if issued.cycle > now:
            cause = held[-1] if held else slot.verb
            waits[cause] = waits.get(cause, 0) + issued.cycle - now
        latest.pop(slot, None)
        latest[slot] = now = issued.cycle
    return waits


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
