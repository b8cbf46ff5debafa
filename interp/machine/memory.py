"""Memory that only holds values (a host's memory, an SSD), as a kind of device: other devices keep data in it that
exceed their own memories."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

from interp.machine.device import Device, Storage


@dataclass(frozen=True, kw_only=True, eq=False)
class Memory(Device):
    """Memory that holds values and runs nothing: a host's, an SSD. A device accesses it over the links between the
    two."""

    clock_hz: float = 0.0
    launch_ns: float = 0.0
    memory: int
    """Capacity of the memory, bytes."""
    read: float = 0.0
    """Read bandwidth, bytes/s; 0 if only links limit it."""
    write: float = 0.0
    """Write bandwidth, bytes/s; 0 if only links limit it."""
    read_ns: float = 0.0
    """Latency of a read before its first byte, ns. `write_ns`: the same of a write."""
    write_ns: float = 0.0
    page: int
    """Bytes of a page; transfers consist of whole pages."""
    block: int
    """Bytes of a block: the smallest amount that a fault fetches."""
    chunk: int
    """Bytes of a chunk, the unit of allocation and eviction; the prefetcher has one tree per chunk."""
    demand: bool = False
    """True if a page is moved when a kernel accesses it, False if moves are planned."""
    prefetcher: Literal["tree", "none"] = "tree"
    density: int = 51
    """The threshold of the prefetcher in percent: once more than this share of the bytes below a node of its tree is
    resident, the remaining bytes below the node are fetched, too."""
    evicts: Literal["lru", "migrated"] = "lru"
    allocation_ns: float = 0.0
    """Time to allocate a page in the memory of the device that uses this memory as a tier, ns."""
    fault_ns: float = 0.0
    """Time from a group of faults to the first byte that they bring, ns."""
    service: float = 0.0
    """Rate at which faults are served, bytes/s; 0 if only links limit it."""
    rest_w: float = 0.0
    """Static power at all times, W."""

    runs_nothing = True

    @property
    def memory_bytes(self) -> int:
        return self.memory

    @property
    def storage(self) -> Storage:
        return Storage(self.read or inf, self.write or inf, self.read_ns, self.write_ns)

    @property
    def idle_w(self) -> float:
        return self.rest_w
