"""The memory system of a device: further tiers for data that exceed the device's own memory, the links to these tiers,
and the paging between the memories.

Tiers are devices of kind `memory` that links join with the device; all tiers behind the same first link share this
link's bandwidth.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Literal, NamedTuple

from dialects.diagnostics import InputError
from interp.machine.memory import Memory
from interp.machine.records import Link, Ramp

if TYPE_CHECKING:
    from interp.machine.composition import Machine


@dataclass(frozen=True)
class Tier:
    """A further memory of a device. `capacity`: in bytes; `in_rate`, `out_rate`: bytes/s into and out of the device's
    own memory, while no other tier moves data; `in_ns`, `out_ns`: the latency of a transfer from the tier and to it,
    in addition to that of the bus."""

    name: str
    capacity: int
    in_rate: float
    out_rate: float
    in_ns: float = 0.0
    out_ns: float = 0.0


@dataclass(frozen=True)
class Faults:
    """The parameters of paging on demand. `page`, `block`, `chunk`: bytes of a page, of the block that a fault fetches,
    and of the chunk that is allocated or evicted as a whole; `latency_ns`: latency of a group of faults; `service`:
    rate in bytes/s at which faults are served (inf: limited by links alone); `prefetcher`: the prefetcher of the
    driver; `evicts`: the order of evictions; `density`: once more than this percentage of the bytes below a node of
    the prefetcher's tree is resident, the remaining bytes below the node are fetched, too."""

    page: int
    block: int
    chunk: int
    latency_ns: float
    service: float
    prefetcher: Literal["tree", "none"] = "tree"
    evicts: Literal["lru", "migrated"] = "lru"
    density: int = 51


@dataclass(frozen=True)
class MemorySystem:
    """A device's own memory of `capacity` bytes, and its further tiers, the nearest first.

    All tiers share the bus, which moves `in_rate` bytes/s into the device's memory and concurrently `out_rate` bytes/s
    out of it, after `latency_ns` per transfer, with an efficiency that depends on the transfer's size (`ramp`). Moves
    are of whole pages, each of which takes `allocation_ns` to allocate in the device's memory.
    """

    device: str
    capacity: int
    tiers: tuple[Tier, ...]
    in_rate: float
    out_rate: float
    latency_ns: float = 0.0
    allocation_ns: float = 0.0
    page: int = 4096
    faults: Faults | None = None
    ramp: Ramp = field(default_factory=Ramp)

    @classmethod
    def of(cls, machine: Machine, device: str | None = None) -> MemorySystem | None:
        """The memory system of a device (by default the primary device); None if the device has no further tiers.

        Raises InputError, at the link's or device's sheet, for links that are not supported: half-duplex links, and
        several tiers behind one bus of a device that has several buses.
        """
        name = machine.primary if device is None else device
        ways = list(_ways(machine, name))
        if not ways:
            return None
        buses = list({way.ends: way.links[0] for way in ways}.values())
        _check(name, ways, buses)
        tiers = tuple(_tier(way) for way in ways)
        rate, nearest = sum(bus.bandwidth for bus in buses), ways[0].memory
        return cls(
            name,
            machine.device(name).memory_bytes,
            tiers,
            rate,
            rate,
            max(bus.latency_ns for bus in buses),
            nearest.allocation_ns,
            nearest.page,
            _faults(nearest),
            Ramp(max(bus.half_bytes for bus in buses)),
        )

    def tier(self, name: str) -> Tier | None:
        """The tier of this name; None where there is none."""
        return next((tier for tier in self.tiers if tier.name == name), None)

    def pages(self, nbytes: int) -> int:
        """The number of pages that `nbytes` bytes take."""
        return -(-nbytes // self.page)


class _MemoryPath(NamedTuple):
    """A memory that a device can use as a tier, with the links between the two, the nearest to the device first, and
    the names of the two ends of the first link."""

    name: str
    memory: Memory
    links: tuple[Link, ...]
    ends: tuple[str, str]


def _ways(machine: Machine, device: str) -> Iterator[_MemoryPath]:
    """The memories that links connect to a device, directly or through other memories, in the order of their number of
    links."""
    met, waiting = {device}, deque[tuple[str, _MemoryPath | None]]([(device, None)])
    while waiting:
        end, way = waiting.popleft()
        for ends, link in machine.links.items():
            other = ends[1] if ends[0] == end else ends[0]
            memory = machine.devices.get(other)
            if end in ends and other not in met and isinstance(memory, Memory):
                met.add(other)
                found = _MemoryPath(other, memory, (*(way.links if way else ()), link), way.ends if way else ends)
                yield found
                waiting.append((other, found))


def _check(device: str, ways: list[_MemoryPath], buses: list[Link]) -> None:
    for link in dict.fromkeys(link for way in ways for link in way.links):
        if not link.duplex:
            raise InputError(
                f"{link.name} is half-duplex (`duplex no`), but links to the memory behind @{device} must move data "
                "in both directions at the same time; set `duplex yes` on the link",
                link.file,
            )
    if 1 < len(buses) < len(ways):
        raise InputError(
            f"@{device} reaches {len(ways)} memories over {len(buses)} links; connect all memories over one link, or "
            "each over a link of its own",
            buses[-1].file,
        )


def _tier(way: _MemoryPath) -> Tier:
    """A memory as a tier: its rate is the smallest among its own rate and the rates of the links between it and the
    device; its latency is the sum of its access latency and the latencies of these links, without the first one (the
    bus)."""
    memory, slowest = way.memory, min(link.bandwidth for link in way.links)
    behind = sum(link.latency_ns for link in way.links[1:])
    return Tier(
        way.name,
        memory.memory,
        min(memory.read or inf, slowest),
        min(memory.write or inf, slowest),
        memory.read_ns + behind,
        memory.write_ns + behind,
    )


def _faults(memory: Memory) -> Faults | None:
    if not memory.demand:
        return None
    sizes = memory.page, memory.block, memory.chunk
    return Faults(*sizes, memory.fault_ns, memory.service or inf, memory.prefetcher, memory.evicts, memory.density)
