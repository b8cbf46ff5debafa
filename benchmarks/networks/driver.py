"""The time of a GPU's driver in a forward pass that takes its memory from the driver: its two constants on a machine,
and their fit to measured forward passes.

While the driver allocates, the device runs out of submitted kernels, so an allocation adds its time. Besides, a driver
clears memory that was returned to it before it hands it out again. It clears in the background, at a constant rate, and
only a pass that needs more than the memory that nobody has used waits for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.networks.memory import Taken
from interp.machine.records import Gpu

_ALLOCATION_NS = np.geomspace(1e3, 3e6, 161)
_CLEARED_PER_S = np.geomspace(2e12, 1e10, 107)
"""The values among which a fit chooses; of equally good ones, the first: no allocation time, no limit by clearing."""


@dataclass(frozen=True)
class Driver:
    """The constants of the driver on one machine."""

    allocation_ns: float
    """The time of one allocation of the driver, ns."""
    cleared_per_s: float
    """Bytes of returned memory that the driver clears per second."""

    def ns(self, gpu: Gpu, memory: Taken, pass_ns: float) -> float:
        """Return the time of a forward pass that takes `memory`, and `pass_ns` without the driver."""
        return max(pass_ns + memory.segments * self.allocation_ns, uncleared(gpu, memory) / self.cleared_per_s * 1e9)


@dataclass(frozen=True)
class Pass:
    """A measured forward pass: the memory that it takes, its predicted time without the driver, and its measured time,
    ns."""

    gpu: Gpu
    memory: Taken
    without_ns: float
    measured_ns: float


def uncleared(gpu: Gpu, memory: Taken) -> float:
    """Return the bytes of a step's memory that the previous step returned, and that the driver must clear first.

    It hands out all other memory of the device before. Capacities of datasheets are in units of 2^30 bytes.
    """
    return min(max(memory.bytes - max(gpu.memory / 1e9 * 2**30 - memory.peak, 0.0), 0.0), memory.bytes)


def fit_driver(passes: Sequence[Pass]) -> Driver:
    """Return the constants with the least mean absolute logarithm of predicted to measured times."""
    measured = np.array([each.measured_ns for each in passes])
    without = np.array([each.without_ns for each in passes])
    segments = np.array([each.memory.segments for each in passes])
    clear = np.array([uncleared(each.gpu, each.memory) for each in passes]) * 1e9
    added = without + segments * _ALLOCATION_NS[:, None]
    waited = clear / _CLEARED_PER_S[:, None]
    loss = np.abs(np.log(np.maximum(added[:, None], waited) / measured)).mean(axis=-1)
    first, second = np.unravel_index(int(np.argmin(loss)), loss.shape)
    return Driver(float(_ALLOCATION_NS[first]), float(_CLEARED_PER_S[second]))
