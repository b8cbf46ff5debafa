"""A streaming multiprocessor of a GPU, for kernels of thread blocks: the numbers of the GPU's sheet per multiprocessor
and per cycle, and the constants that its calibrations state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.thread_blocks import THREAD_BLOCKS
from interp.machine.device import Device
from interp.machine.records import ELEMENT_BYTES, Gpu

Moved = TypeVar("Moved", float, NDArray[np.float64])

PARTITIONS = 4
"""Partitions of a multiprocessor, each with its own warp scheduler and matrix units, from Volta on (NVIDIA, V100 and
A100 white papers).
"""
SHARED_BYTES = 128
"""Bytes that one access to all banks of shared memory transfers: 32 banks of 4 bytes (CUDA programming guide, all
compute capabilities)."""
PORT_BYTES = 64
"""Bytes per cycle that a multiprocessor receives from the last-level cache (Jia et al., arXiv 1804.06826: 64 B per
cycle from L2 to L1 on Volta; assumed for later generations)."""
REGISTER_BYTES = 4
MOST_REGISTERS = 255
"""Maximum number of registers per thread (CUDA programming guide, all compute capabilities from 3.5 on)."""


@dataclass(frozen=True)
class Constants:
    """Constants of the timing model that no data sheet states; they are the same for all kernels of a GPU. Their
    meanings, units and bounds, and their values from the sheet alone: `THREAD_BLOCKS`."""

    matrix: float = 1.0
    shared: float = 1.0
    store: float = 1.0
    dram: float = 0.9
    contention: float = 0.0


SHEET = Constants()


@lru_cache(64)
def _constants_of(gpu: Gpu) -> Constants:
    """Return the constants of a GPU, whose record identifies the contents of its calibrations."""
    return Constants(**constants_for(gpu, THREAD_BLOCKS.name, THREAD_BLOCKS.element).constants)


@dataclass(frozen=True)
class Multiprocessor:
    """One of `count` equal multiprocessors of a GPU. Rates are per cycle and multiprocessor; memory bandwidth is the
    GPU's, divided by `count`.
    """

    name: str
    count: int
    clock_hz: float
    shared_bytes: int
    registers: int
    threads: int
    l2_bytes: int
    dram_bytes: float
    """Bytes per cycle from and to DRAM: the GPU's bandwidth divided by its multiprocessors."""
    l2_latency: float
    dram_latency: float
    matrix: Mapping[str, float] = field(default_factory=dict[str, float])
    """Operations per cycle of matrix units, by the factors' type."""
    lanes: Mapping[str, float] = field(default_factory=dict[str, float])
    """Operations per cycle of the units other than matrix units, by element type."""
    blocks: int = 32
    """Maximum number of thread blocks that are resident on the multiprocessor."""
    shared_width: float = SHARED_BYTES
    """Bytes per cycle that shared memory delivers."""
    shared_reserved: int = 1024
    """Bytes of shared memory that the runtime reserves for each block."""
    requests: float = 32.0
    """Number of threads whose loads and stores the multiprocessor accepts per cycle."""
    narrow_sums: float = 1.0
    """Rate of matrix units that accumulate in the factors' type (below 4 bytes), relative to their rate with f32 sums.
    """
    launch_ns: float = 0.0
    constants: Constants = SHEET
    """Those that calibrations state for the GPU, or for its family (`class tile multiprocessor`)."""
    shared_rate: float = 1.0
    """Fraction of its peak rate that shared memory reaches."""
    port_bytes: float = PORT_BYTES
    """Bytes per cycle that the multiprocessor receives from the last-level cache when all multiprocessors load at the
    same time.
    """
    warm: bool = False
    """True if a kernel's inputs are in the last-level cache when it begins, as far as they fit, because the kernel is
    launched repeatedly on the same operands.
    """

    @staticmethod
    def of(device: Device, at: Operation) -> Multiprocessor:
        """Return the multiprocessor of a GPU. Raises InputError, at `at`, for a device whose sheet lacks a needed
        number, and in a calibration, for an error there.
        """
        if not isinstance(device, Gpu) or not device.shared_bytes:
            raise InputError(
                f"{device.name} has no multiprocessors to run a tile.kernel; use a GPU whose sheet states `shared`", at
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
                f"the sheet of {device.name} does not state `{'`, `'.join(missing)}`, which the time of a tile.kernel "
                "depends on; add it there, or use a GPU whose sheet does",
                at,
            )
        each = device.units * device.clock_hz
        return Multiprocessor(
            device.name,
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
            constants=_constants_of(device),
            port_bytes=min(PORT_BYTES, device.l2_port / device.units) if device.l2_port else PORT_BYTES,
        )

    def slowed(self) -> Multiprocessor:
        """Return the multiprocessor with its peak rates reduced by the constants."""
        matrix = {name: rate * self.constants.matrix for name, rate in self.matrix.items()}
        return replace(self, matrix=matrix, shared_rate=self.constants.shared)

    def memory_cycles(self, moved: Moved) -> Moved:
        """Return the cycles in which memory moves a number of bytes, or each of an array, for all multiprocessors."""
        return moved / (self.dram_bytes * self.count * self.constants.dram)

    def multiply_rate(self, factors: str, sums: str) -> float:
        """Return the operations per cycle of products with factors of type `factors` that are accumulated in type
        `sums`: the rate of matrix units if they support the factors' type, else that of other units."""
        if factors in self.matrix:
            narrow = ELEMENT_BYTES.get(sums, 4) < 4 and factors == sums
            return self.matrix[factors] * (self.narrow_sums if narrow else 1.0)
        return self.lanes.get(factors, self.lanes.get("f32", 2.0 * SHARED_BYTES))

    def lane_rate(self, element: str) -> float:
        """Return the operations per cycle of units other than matrix units on elements of a type."""
        return self.lanes.get(element, self.lanes.get("f32", 2.0 * SHARED_BYTES))
