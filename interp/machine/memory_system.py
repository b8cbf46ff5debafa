"""The memory system of a device: further tiers for data that exceed the device's own memory, the links to these tiers,
and the paging between the memories.

Tiers are devices of kind `memory` that links join with the device, directly or through other memories; and the memory
of other devices that a link of their own joins with it, as far as a program leaves it free. All tiers behind the same
first link share this link's bandwidth (a bus); buses move data concurrently.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Literal, NamedTuple

from dialects.diagnostics import InputError
from interp.machine.device import Device
from interp.machine.memory import Memory
from interp.machine.records import Link, Ramp

if TYPE_CHECKING:
    from interp.machine.composition import Machine


@dataclass(frozen=True)
class Bus:
    """The first link between a device and some of its tiers. It moves `in_rate` bytes/s into the device's memory and
    concurrently `out_rate` bytes/s out of it, after `latency_ns` per transfer, with an efficiency that depends on the
    transfer's size (`ramp`). `into`, `out_of`: its two directions as resources of the program's jobs; while a copy of
    the program occupies a direction, no other byte moves in it."""

    in_rate: float
    out_rate: float
    latency_ns: float = 0.0
    ramp: Ramp = field(default_factory=Ramp)
    into: str = ""
    out_of: str = ""


@dataclass(frozen=True)
class Tier:
    """A further memory of a device. `capacity`: in bytes; `in_rate`, `out_rate`: bytes/s into and out of the device's
    own memory, while no other tier moves data; `in_ns`, `out_ns`: the latency of a transfer from the tier and to it,
    in addition to that of the bus; `bus`: the number of its bus in the memory system; `lent`: True for memory of a
    device that also runs tasks, of which `capacity` is the part that these leave free."""

    name: str
    capacity: int
    in_rate: float
    out_rate: float
    in_ns: float = 0.0
    out_ns: float = 0.0
    bus: int = 0
    lent: bool = False


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
    """A device's own memory of `capacity` bytes, its further tiers, the fastest first, and their buses.

    Moves are of whole pages, each of which takes `allocation_ns` to allocate in the device's memory. `faults`: the
    paging on demand, which uses no lent tiers (`dedicated`).
    """

    device: str
    capacity: int
    tiers: tuple[Tier, ...]
    buses: tuple[Bus, ...]
    allocation_ns: float = 0.0
    page: int = 4096
    faults: Faults | None = None

    @classmethod
    def of(
        cls, machine: Machine, device: str | None = None, held: Mapping[str, int] | None = None
    ) -> MemorySystem | None:
        """The memory system of a device (by default the primary device); None if the device has no further tiers.
        `held`: the bytes that a program holds in the memory of each device, by name; None if that is not known yet:
        then the tiers are at least as large as with any program.

        Raises InputError, at the link's sheet, for a half-duplex link to a memory.
        """
        name = machine.primary if device is None else device
        dedicated, lent = list(_ways(machine, name)), list(_lenders(machine, name, held or {}))
        ways = [*dedicated, *lent]
        if not ways:
            return None
        _check(name, dedicated)
        first = {way.ends: way for way in ways}
        numbers = {ends: number for number, ends in enumerate(first)}
        tiers = [_tier(way, numbers[way.ends]) for way in ways]
        if lent:
            tiers.sort(key=lambda tier: -min(tier.in_rate, tier.out_rate))
        nearest = dedicated[0].memory if dedicated else None
        system = cls(
            name,
            machine.device(name).memory_bytes,
            tuple(tiers),
            tuple(_bus(machine, name, way) for way in first.values()),
        )
        if not isinstance(nearest, Memory):
            return system
        return replace(system, allocation_ns=nearest.allocation_ns, page=nearest.page, faults=_faults(nearest))

    @property
    def dedicated(self) -> MemorySystem | None:
        """The system without lent tiers; None if there are no others."""
        tiers = tuple(tier for tier in self.tiers if not tier.lent)
        used = sorted({tier.bus for tier in tiers})
        tiers = tuple(replace(tier, bus=used.index(tier.bus)) for tier in tiers)
        return replace(self, tiers=tiers, buses=tuple(self.buses[bus] for bus in used)) if tiers else None

    @property
    def in_rate(self) -> float:
        """Bytes/s that all buses together move into the device's memory; `out_rate`: out of it."""
        return sum(bus.in_rate for bus in self.buses)

    @property
    def out_rate(self) -> float:
        return sum(bus.out_rate for bus in self.buses)

    def tier(self, name: str) -> Tier | None:
        """The tier of this name; None where there is none."""
        return next((tier for tier in self.tiers if tier.name == name), None)

    def pages(self, nbytes: int) -> int:
        """The number of pages that `nbytes` bytes take."""
        return -(-nbytes // self.page)


class _MemoryPath(NamedTuple):
    """A device whose memory another device can use as a tier, with the bytes of it that are free, the links between the
    two, the nearest to the other device first, and the names of the two ends of the first link."""

    name: str
    memory: Device
    free: int
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
                links = (*(way.links if way else ()), link)
                found = _MemoryPath(other, memory, memory.memory_bytes, links, way.ends if way else ends)
                yield found
                waiting.append((other, found))


def _lenders(machine: Machine, device: str, held: Mapping[str, int]) -> Iterator[_MemoryPath]:
    """The devices that run tasks and have memory of their own behind a duplex link to a device, of which the program,
    which holds `held` bytes there, leaves some free."""
    for ends, link in machine.links.items():
        if device not in ends or not link.duplex or link.arbitration != "separate":
            continue
        other = ends[1] if ends[0] == device else ends[0]
        lender = machine.devices[other]
        if isinstance(lender, Memory) or lender.storage is None:
            continue
        free = (lender.memory_bytes - held.get(other, 0)) // lender.granule_bytes * lender.granule_bytes
        if free > 0:
            yield _MemoryPath(other, lender, free, (link,), ends)


def _check(device: str, ways: list[_MemoryPath]) -> None:
    for link in dict.fromkeys(link for way in ways for link in way.links):
        if not link.duplex:
            raise InputError(
                f"{link.name} is half-duplex (`duplex no`), but links to the memory behind @{device} must move data "
                "in both directions at the same time; set `duplex yes` on the link",
                link.file,
            )


def _bus(machine: Machine, device: str, way: _MemoryPath) -> Bus:
    link, other = way.links[0], way.ends[1] if way.ends[0] == device else way.ends[0]
    directions = machine.way(other, device), machine.way(device, other)
    return Bus(link.bandwidth, link.bandwidth, link.latency_ns, Ramp(link.half_bytes), *directions)


def _tier(way: _MemoryPath, bus: int) -> Tier:
    """A memory as a tier: its rate is the smallest among its own rate and the rates of the links between it and the
    device; its latency is the sum of its access latency and the latencies of these links, without the first one (the
    bus)."""
    storage, slowest = way.memory.storage, min(link.bandwidth for link in way.links)
    assert storage is not None
    behind = sum(link.latency_ns for link in way.links[1:])
    return Tier(
        way.name,
        way.free,
        min(storage.read, slowest),
        min(storage.write, slowest),
        storage.read_ns + behind,
        storage.write_ns + behind,
        bus,
        not way.memory.runs_nothing,
    )


def _faults(memory: Memory) -> Faults | None:
    if not memory.demand:
        return None
    sizes = memory.page, memory.block, memory.chunk
    return Faults(*sizes, memory.fault_ns, memory.service or inf, memory.prefetcher, memory.evicts, memory.density)
