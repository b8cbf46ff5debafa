"""Rules by which a device's memory is kept, and the error for a plan that can't be followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dialects.diagnostics import InputError


@dataclass(frozen=True)
class Regime:
    """Rules by which a device's memory is kept.

    `faults`: what is missing comes on demand. `reuse`: the memory of dead tensors is free; otherwise their contents
    live on and must be moved like those of others. `mode`: in `move`, each byte lies in one place, and what leaves pays
    its way out and back; in `copy`, a tier keeps what it was given until that is written anew, and bytes that it has
    leave at once.
    """

    faults: bool = False
    reuse: bool = True
    mode: Literal["move", "copy"] = "move"


STRICT = Regime()
"""The regime without faults: an operand that is not in the device's memory when its kernel is next must be on its
way."""


class Refused(InputError):
    """A plan that can't be followed."""

    def __init__(self, message: str, step: int | None = None, move: int | None = None) -> None:
        """`step`: the kernel that can't start, counted on from one iteration to the next; `move`: the move to blame."""
        super().__init__(message)
        self.step, self.move = step, move
