"""The rules for the use of a device's memory, and the error for a plan that can't be carried out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dialects.diagnostics import InputError


@dataclass(frozen=True)
class Regime:
    """The rules of a device's memory.

    `faults`: True if a kernel that lacks bytes fetches them on demand. `reuse`: True if the memory of dead tensors is
    free; otherwise their contents must be moved like those of live tensors. `mode`: in `move`, exactly one memory holds
    each byte, and a transfer is needed both to evict bytes and to bring them back; in `copy`, a tier keeps its copy of
    bytes that return until the tensor is overwritten, and evictions of bytes with a copy need no transfer.
    """

    faults: bool = False
    reuse: bool = True
    mode: Literal["move", "copy"] = "move"


STRICT = Regime()
"""The regime without faults: an operand that is not in the device's memory when its kernel is next must have been
prefetched."""


class Refused(InputError):
    """The error for a plan that can't be carried out."""

    def __init__(self, message: str, step: int | None = None, move: int | None = None) -> None:
        """`step`: the kernel that can't start, numbered consecutively over iterations; `move`: the number of the move
        that prevents it."""
        super().__init__(message)
        self.step, self.move = step, move
