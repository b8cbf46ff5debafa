"""A streaming multiprocessor as kernels of thread blocks see it: what its sheet says of the GPU, for one of its units
and in cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.machine.device import Device
from interp.machine.records import ELEMENT_BYTES, Gpu

PARTITIONS = 4
"""Parts of a multiprocessor, each with a warp scheduler and matrix units of its own, from Volta on (NVIDIA, V100 and
A100 white papers)."""
SHARED_BYTES = 128
"""Bytes of one row of shared memory's banks: 32 of 4 bytes (CUDA programming guide, all compute capabilities)."""
PORT_BYTES = 64
"""Bytes a cycle that a multiprocessor receives from the last-level cache (Jia et al., arXiv 1804.06826: 64 B a cycle
from L2 to L1 on Volta; assumed of later generations)."""
REGISTER_BYTES = 4
MOST_REGISTERS = 255
"""Of a thread (CUDA programming guide, all compute capabilities from 3.5 on)."""


@dataclass(frozen=True)
class Multiprocessor:
    """One of `count` multiprocessors of a GPU. Rates are per cycle of it; those of memory are its share."""

    name: str
    family: str
    count: int
    clock_hz: float
    shared_bytes: int
    registers: int
    threads: int
    l2_bytes: int
    dram_bytes: float
    """Bytes a cycle from and to DRAM, of this multiprocessor's share."""
    l2_latency: float
    dram_latency: float
    matrix: Mapping[str, float] = field(default_factory=dict[str, float])
    """Operations a cycle of matrix units, by the factors' type."""
    lanes: Mapping[str, float] = field(default_factory=dict[str, float])
    """Operations a cycle of other units, by type."""
    blocks: int = 32
    """Thread blocks that it holds at most."""
    shared_width: float = SHARED_BYTES
    """Bytes that shared memory moves a cycle."""
    shared_reserved: int = 1024
    """Bytes of shared memory that the runtime keeps for each block."""
    requests: float = 32.0
    """Threads whose loads and stores it takes in a cycle."""
    narrow_sums: float = 1.0
    """Rate of matrix units that sum in the factors' own type (under 4 bytes), as a multiple of that for f32 sums."""
    launch_ns: float = 0.0
    shared_rate: float = 1.0
    """Of the peak rate that shared memory reaches."""
    port_bytes: float = PORT_BYTES
    """Bytes a cycle that it receives from the last-level cache, when all multiprocessors do."""
    warm: bool = False
    """True if what a kernel reads is in the last-level cache when it begins, as far as it fits, because the kernel is
    launched again and again on the same operands."""

    @staticmethod
    def of(device: Device, at: Operation) -> Multiprocessor:
        """That of a GPU. Raises InputError, at `at`, for a device whose sheet does not say what is needed."""
        if not isinstance(device, Gpu) or not device.shared_bytes:
            raise InputError(
                f"{device.name} has no multiprocessors to run a tile.kernel; name a GPU whose sheet says `shared`", at
            )
        missing = [
            word
            for word, known in (
                ("registers", device.registers),
                ("threads", device.threads),
                ("l2", device.l2_bytes),
                ("l2_latency", device.l2_latency),
                ("memory_latency", device.dram_latency),
            )
            if not known
        ]
        if missing:
            raise InputError(
                f"the sheet of {device.name} does not say `{'`, `'.join(missing)}`, which the time of a tile.kernel "
                "depends on; add it there, or take a GPU whose sheet does",
                at,
            )
        each = device.units * device.clock_hz
        return Multiprocessor(
            device.name,
            device.architecture,
            device.units,
            device.clock_hz,
            device.shared_bytes,
            device.registers,
            device.threads,
            device.l2_bytes,
            device.bandwidth / each,
            device.l2_latency,
            device.dram_latency,
            {name: rate / each for name, rate in device.matrix_rates.items()},
            {name: rate / each for name, rate in device.rates.items()},
            device.blocks,
            device.shared_width,
            device.shared_reserved,
            device.requests,
            device.narrow_sums,
            device.launch_ns,
            port_bytes=min(PORT_BYTES, device.l2_port / device.units) if device.l2_port else PORT_BYTES,
        )

    def multiply_rate(self, factors: str, sums: str) -> float:
        """Operations a cycle of products of these types: of matrix units where they have the type, else of lanes."""
        if factors in self.matrix:
            narrow = ELEMENT_BYTES.get(sums, 4) < 4 and factors == sums
            return self.matrix[factors] * (self.narrow_sums if narrow else 1.0)
        return self.lanes.get(factors, self.lanes.get("f32", 2.0 * SHARED_BYTES))

    def lane_rate(self, element: str) -> float:
        """Operations a cycle of lanes on elements of a type."""
        return self.lanes.get(element, self.lanes.get("f32", 2.0 * SHARED_BYTES))
