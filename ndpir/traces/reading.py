"""Vendors' command traces as bank programs, with loops reconstructed; the data sheet's `trace` names the device's trace
format."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice
from typing import TypeAlias

from dialects.diagnostics import InputError
from dialects.pim import KernelOp
from interp.machine.records import Pim
from interp.machine.sheets import list_devices, load_device
from ndpir.traces import aim, attacc, pimflow
from ndpir.traces.lines import lines_of

Reader: TypeAlias = Callable[[str, Pim, str, str, str], KernelOp]

READERS: Mapping[str, Reader] = {"aim": aim.read, "attacc": attacc.read, "pimflow": pimflow.read}
"""The reader of each trace format. A reader's arguments are the text, the device's record, the file, and the names of
the kernel and of the device."""


TITLES: Mapping[str, str] = {
    "aim": "a trace of AiM's simulator (`AiM …`, `W CFR …`)",
    "attacc": "a trace of AttAcc's simulator (`PIM_MAC_AB 0x…`)",
    "pimflow": "a trace of PIMFlow's simulator (`0x… COMP`)",
}
"""The name of each trace format, for messages about a trace for the wrong device."""

_GRAMMARS = {"aim": aim.GRAMMAR, "attacc": attacc.GRAMMAR, "pimflow": pimflow.GRAMMAR}
_LINES = 40
"""The number of lines inspected to detect the format."""
_PROGRAM = re.compile(r'^\s*(?:%\w+ = |module\b|(?:builtin|func|hw|task|pim|graph)\.|"\w+\.\w+"\()', re.MULTILINE)


def vendor_of(text: str) -> str | None:
    """The vendor whose format matches most of the first lines; None if no format matches most of them."""
    lines = [line for _, line in islice(lines_of(text), _LINES)]
    fits = {name: sum(map(grammar.knows, lines)) for name, grammar in _GRAMMARS.items()}
    best = max(fits, key=lambda name: fits[name])
    return best if 2 * fits[best] > len(lines) and list(fits.values()).count(fits[best]) == 1 else None


def speakers(vendor: str) -> list[str]:
    """The data sheets of devices whose traces have a vendor's format, the shortest names first."""
    names = [name for name, kind, _ in list_devices() if kind == "pim"]
    return sorted((name for name in names if _speaks(name, vendor)), key=lambda name: (len(name), name))


def _speaks(name: str, vendor: str) -> bool:
    try:
        device = load_device(name)
    except InputError:
        return False
    return device.trace == vendor


def named_machine(vendor: str) -> str:
    """The command-line flag that selects a device whose traces have a vendor's format."""
    return f"--machine {' or '.join(speakers(vendor)[:2])}"


def read_trace(text: str, pim: Pim, file: str = "trace", name: str = "trace", device: str = "pim") -> KernelOp:
    """A trace as a kernel @name on @device, with reconstructed loops. Raises InputError, at line and column, for a line
    that is not in the device's format."""
    reader = READERS.get(pim.trace)
    if reader is None:
        raise InputError(
            f"{pim.name} can't run a trace, since its sheet names no trace format; add `trace "
            f"{'`, `trace '.join(READERS)}` to the sheet",
            file,
        )
    try:
        return reader(text, pim, file, name, device)
    except InputError as error:
        if (message := _whose(text, pim)) is None:
            raise
        raise InputError(message, error.place) from None


def _whose(text: str, pim: Pim) -> str | None:
    """A message that names the format in which a text seems to be written, if it differs from the device's format; None
    if it does not, or if no format matches."""
    vendor = vendor_of(text)
    if vendor == pim.trace:
        return None
    if vendor is not None:
        return (
            f"this is {TITLES[vendor]}, but {pim.name} reads {TITLES[pim.trace]}; "
            f"select a device that reads this format ({named_machine(vendor)})"
        )
    if _PROGRAM.search(text) is not None:
        wanted = f"{TITLES[pim.trace]} is expected"
        return f"this is a program in MLIR's text, but {wanted}; name its file .mlir, or give -f mlir"
    return None
