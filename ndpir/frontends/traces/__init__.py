"""Vendors' command traces as bank programs; the data sheet's `trace` says which text its device speaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from dialects.diagnostics import InputError
from dialects.pim import KernelOp
from interp.sheet import Pim
from ndpir.frontends.traces import aim, attacc, pimflow

Reader: TypeAlias = Callable[[str, Pim, str, str, str], KernelOp]

READERS: Mapping[str, Reader] = {"aim": aim.read, "attacc": attacc.read, "pimflow": pimflow.read}
"""How texts are read: text, device, file, and names of the kernel and of the device."""


def read_trace(text: str, pim: Pim, file: str = "trace", name: str = "trace", device: str = "pim") -> KernelOp:
    """A trace as a kernel @name on @device, with its loops found again. Raises InputError, at line and column, for a
    line that is none of the text that the device speaks."""
    reader = READERS.get(pim.trace)
    if reader is None:
        raise InputError(
            f"{pim.name} speaks no vendor's text; a sheet names one by `trace {'`, `trace '.join(READERS)}`", file
        )
    return reader(text, pim, file, name, device)
