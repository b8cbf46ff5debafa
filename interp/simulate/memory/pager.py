"""The interface of the engine to paging on demand, which the driver model of a unified memory implements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from interp.simulate.memory.contents import Contents


class Missing(NamedTuple):
    """Bytes [first, last) of a tensor that a kernel needs and that are not in the device's memory. `tier`: the memory
    that holds them; empty for bytes without contents, which only have to be allocated."""

    tensor: int
    first: int
    last: int
    tier: str


class Fetch(NamedTuple):
    """Bytes that faults fetch: the first byte arrives `latency_ns` after the previous fetch has ended, all further
    bytes at most at `rate` bytes/s (inf: limited by links alone). Bytes that no memory holds are only allocated,
    which takes as long as a transfer would."""

    tensor: int
    first: int
    last: int
    rate: float
    latency_ns: float


class Victim(NamedTuple):
    """Bytes of a tensor that are to be evicted to a tier, so that other bytes have room on the device."""

    tensor: int
    first: int
    last: int
    tier: str


class Pager(Protocol):
    """The policy that decides which bytes faults fetch and which bytes are evicted. Steps number the kernels of all
    iterations consecutively."""

    def attach(self, contents: Contents) -> None:
        """Store a read-only reference to the engine's `contents`, which changes as bytes move; called once, before any
        other method."""
        ...

    def faults(self, step: int, missing: Sequence[Missing], now: float) -> Sequence[Fetch]:
        """The fetches for a kernel that waits only for the bytes `missing`, none of which a prefetch is bringing. The
        fetches may also bring further bytes."""
        ...

    def victims(self, nbytes: int, step: int, now: float) -> Sequence[Victim]:
        """Bytes to evict so that `nbytes` more bytes have room, while kernel `step` runs or is next. Empty if nothing
        can be evicted."""
        ...

    def arrived(self, tensor: int, first: int, last: int, now: float) -> None:
        """Note that bytes have arrived in the device's memory, by a fault, a prefetch, or an allocation at a kernel's
        start."""
        ...

    def used(self, step: int, now: float) -> None:
        """Note that a kernel starts and uses its operands."""
        ...
