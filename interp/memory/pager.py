"""Interface by which the engine asks for paging on demand: the hook for the driver of a unified memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from interp.memory.contents import Contents


class Missing(NamedTuple):
    """Bytes [first, last) of a tensor that a kernel needs and that are not in the device's memory. `tier`: where they
    are; empty for bytes that are nowhere and only take room."""

    tensor: int
    first: int
    last: int
    tier: str


class Fetch(NamedTuple):
    """Bytes that faults bring: the first one `latency_ns` after the fetch before has ended, then at `rate` bytes/s at
    most (inf: as fast as the links go). Bytes that are nowhere take room alone, for the same time."""

    tensor: int
    first: int
    last: int
    rate: float
    latency_ns: float


class Victim(NamedTuple):
    """Bytes that are sent to a tier to make room."""

    tensor: int
    first: int
    last: int
    tier: str


class Pager(Protocol):
    """Decides what faults bring and what leaves for it. Steps count kernels on from one iteration to the next."""

    def attach(self, contents: Contents) -> None:
        """Learn where bytes lie; called once, before anything else. `contents` changes as bytes move; it is for reading
        alone."""
        ...

    def faults(self, step: int, missing: Sequence[Missing], now: float) -> Sequence[Fetch]:
        """Fetches for a kernel that could start if the missing bytes, of which none is being prefetched, were in the
        device's memory. They may bring more than what is missing."""
        ...

    def victims(self, nbytes: int, step: int, now: float) -> Sequence[Victim]:
        """Bytes to evict so that `nbytes` bytes more have room, while kernel `step` runs or is next. Nothing where
        nothing can go."""
        ...

    def arrived(self, tensor: int, first: int, last: int, now: float) -> None:
        """Bytes have come to the device's memory, by a fault, a prefetch, or an allocation as a kernel starts."""
        ...

    def used(self, step: int, now: float) -> None:
        """A kernel starts and uses its operands."""
        ...
