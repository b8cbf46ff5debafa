"""Log of a memory engine, line by line: enough for other modules to check it, draw it and count it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


class Act(IntEnum):
    """Kind of a line of the log: an event of bytes of a tensor. IN, OUT and COPY take time at a constant rate; the
    others happen at once."""

    IN = 0
    """They come from a tier to the device's memory."""
    OUT = 1
    """They leave the device's memory for a tier."""
    COPY = 2
    """A tier gets a copy of them; they stay."""
    DROP = 3
    """They leave the device's memory at once, since a tier has a copy."""
    ALLOCATE = 4
    """They get room in the device's memory, without contents. (What a kernel makes gets its room as that starts,
    without a line.)"""
    DISCARD = 5
    """They are dead, wherever they lie."""
    FORGET = 6
    """The copies of them in tiers are dead; those in the device's memory live on."""
    RESERVE = 7
    """So many bytes (`last`) of room are kept for the outputs and workspace of the kernel that starts next. The tensor
    is
    -1."""


@dataclass
class TransferLog:
    """Columns of equal length, in order of `until`. Times in ns, places in bytes; a line about a tier says its number,
    others -1."""

    act: list[int] = field(default_factory=list[int])
    tensor: list[int] = field(default_factory=list[int])
    tier: list[int] = field(default_factory=list[int])
    first: list[float] = field(default_factory=list[float])
    last: list[float] = field(default_factory=list[float])
    since: list[float] = field(default_factory=list[float])
    until: list[float] = field(default_factory=list[float])
    begun: list[int] = field(default_factory=list[int])
    """Number of starts and ends of kernels before a line begins, since several events may have the same time."""
    done: list[int] = field(default_factory=list[int])
    """The same before it ends."""

    def add(
        self,
        act: int,
        tensor: int,
        tier: int,
        first: float,
        last: float,
        since: tuple[float, int],
        until: tuple[float, int],
    ) -> None:
        """Another line; `since` and `until` are times with how many starts and ends of kernels there were before."""
        self.act.append(act)
        self.tensor.append(tensor)
        self.tier.append(tier)
        self.first.append(first)
        self.last.append(last)
        self.since.append(since[0])
        self.until.append(until[0])
        self.begun.append(since[1])
        self.done.append(until[1])

    def __len__(self) -> int:
        return len(self.act)

    def moved(self, act: Act, tier: int | None = None, since: float = 0.0) -> float:
        """The bytes of all lines of one kind (about one tier) that begin at a time or later."""
        chosen = (np.array(self.act) == act) & (np.array(self.since) >= since)
        if tier is not None:
            chosen &= np.array(self.tier) == tier
        return float((np.array(self.last) - np.array(self.first))[chosen].sum()) if len(self) else 0.0
