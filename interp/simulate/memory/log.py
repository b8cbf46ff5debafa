"""The log of a memory engine, from which other modules check the run, plot it and sum it up."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


class Act(IntEnum):
    """Kind of event that a line of the log records, for bytes of a tensor. IN, OUT and COPY take time at a constant
    rate; the other kinds happen at once."""

    IN = 0
    """Bytes arrive in the device's memory from a tier."""
    OUT = 1
    """Bytes leave the device's memory for a tier."""
    COPY = 2
    """A tier receives a copy of bytes that stay in the device's memory."""
    DROP = 3
    """Bytes are freed in the device's memory at once, since a tier has a copy."""
    ALLOCATE = 4
    """Bytes are allocated in the device's memory, without contents. (Outputs of a kernel are allocated at its start,
    without a line.)"""
    DISCARD = 5
    """Contents of bytes are declared dead, in all memories."""
    FORGET = 6
    """Copies of bytes in tiers are declared dead; the contents in the device's memory stay."""
    RESERVE = 7
    """Room of `last` bytes is reserved for the outputs and workspace of the next kernel. The tensor is -1."""


@dataclass
class TransferLog:
    """The lines of a log, as columns of equal length, in order of `until`. Times are in ns; `first` and `last` are
    positions in a tensor, in bytes; `tier` is a tier's number, or -1 for lines without a tier."""

    act: list[int] = field(default_factory=list[int])
    tensor: list[int] = field(default_factory=list[int])
    tier: list[int] = field(default_factory=list[int])
    first: list[float] = field(default_factory=list[float])
    last: list[float] = field(default_factory=list[float])
    since: list[float] = field(default_factory=list[float])
    until: list[float] = field(default_factory=list[float])
    begun: list[int] = field(default_factory=list[int])
    """For each line, the number of kernel starts plus kernel ends before it begins; it orders events with the same
    time."""
    done: list[int] = field(default_factory=list[int])
    """For each line, the number of kernel starts plus kernel ends before it ends."""

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
        """Append a line. `since` and `until`: its begin and end, each as a time and the number of kernel starts plus
        kernel ends before it."""
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
