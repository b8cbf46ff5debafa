"""Memory that stands behind a device's own, as a kind of device: it holds values and runs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from interp.machine.device import Device


@dataclass(frozen=True, kw_only=True, eq=False)
class Memory(Device):
    """Memory that holds values and runs nothing: a host's, an SSD. What a device reads from it goes over the links
    between the two."""

    clock_hz: float = 0.0
    launch_ns: float = 0.0
    memory: int
    """Capacity, bytes."""
    read: float = 0.0
    """Bytes/s that it is read at; 0 where links alone hold it back."""
    write: float = 0.0
    """Bytes/s that it is written at; 0 where links alone hold it back."""
    read_ns: float = 0.0
    """Time of an access before its first byte comes."""
    write_ns: float = 0.0
    page: int
    """Bytes of a page: what moves, moves in whole ones."""
    block: int
    """Bytes that a fault brings at least."""
    chunk: int
    """Bytes that are allocated and evicted at once, with a prefetcher of its own."""
    demand: bool = False
    """True if pages come on demand, when a kernel touches what lies here."""
    prefetcher: Literal["tree", "none"] = "tree"
    density: int = 51
    """Per cent of a node of the prefetcher's tree above which it brings the rest."""
    evicts: Literal["lru", "migrated"] = "lru"
    allocation_ns: float = 0.0
    """Time to allocate a page in the device's memory."""
    fault_ns: float = 0.0
    """Time from a group of faults to the first byte that they bring."""
    service: float = 0.0
    """Bytes/s that faults are served at; 0 where links alone hold them back."""
    rest_w: float = 0.0
    """Power at all times, W."""

    runs_nothing = True

    @property
    def memory_bytes(self) -> int:
        return self.memory

    @property
    def idle_w(self) -> float:
        return self.rest_w
