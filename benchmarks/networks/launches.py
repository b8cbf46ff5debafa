"""Kernels that networks launch on a GPU, and the networks' total times, in which device and host overlap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.networks.graph import Network
from dialects.graph import GraphOp, MatmulOp
from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.measurement import Submission
from interp.kinds.gpu.kernels import Kernel, kernels_of
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device

Constants = Mapping[tuple[str, str], Mapping[str, float]]
"""Constants by kernel class and element type."""

_LIKE = {"reduction": "elementwise", "gather": "elementwise", "copy": "elementwise"}
"""For a class without measured kernels, the class whose constants are used."""

HOST_OVERLAP = 4.0
"""The exponent p in (host^p + device^p)^(1/p), the time of a complete network from its host time and its device time;
with p = 4, it is nearly the larger of the two."""

_SECTOR = 32.0
"""The smallest transfer of DRAM and L2, in bytes."""


def sheet(name: str) -> Gpu:
    record = load_device(name)
    assert isinstance(record, Gpu)
    return record


@dataclass(frozen=True)
class Launches:
    """The kernels that a network launches, and for each kernel the number of its launches."""

    kernels: tuple[Kernel, ...]
    counts: Floats
    waited: NDArray[np.bool_]
    """True for a kernel that the host submits only after it has waited for the device."""

    @staticmethod
    def of(network: Network) -> Launches:
        found = [
            (_in_sectors(kernel) if op in network.across else kernel, count, op in network.waited)
            for op, count in network.launches
            for kernel in kernels_of(op)
        ]
        kernels, counts, waited = zip(*found, strict=True)
        return Launches(kernels, np.array(counts, float), np.array(waited, bool))

    @staticmethod
    def numbers(kernel: Kernel) -> dict[str, float]:
        """Return the values of the columns that describe a kernel within a network."""
        return {**kernel.numbers, "warm": float(not _reads_weights(kernel.op))}

    def kernel_ns(self, gpu: Gpu, constants: Constants) -> Floats:
        """Return the time of one launch of each kernel, including the device's launch overhead, ns."""
        result = np.zeros(len(self.kernels))
        numbers_of: dict[tuple[str, str], list[int]] = {}
        for number, kernel in enumerate(self.kernels):
            numbers_of.setdefault((kernel.kernel_class, kernel.element), []).append(number)
        for (name, element), numbers in numbers_of.items():
            found = CLASSES[name]
            rows = [self.numbers(self.kernels[number]) for number in numbers]
            columns = {c.name: np.array([row.get(c.name, c.default) for row in rows], float) for c in found.columns}
            columns["bytes"] = np.array([row["bytes"] for row in rows], float)
            known = constants.get((name, element), constants.get((_LIKE.get(name, name), element), {}))
            result[numbers] = found.estimate(columns, Chip.of(gpu, element), known).ns
        return result + gpu.launch_ns

    def roofline_ns(self, gpu: Gpu) -> float:
        """Return the sum of the times of all kernels by the roofline of datasheet peaks, ns."""
        total = 0.0
        for kernel, count in zip(self.kernels, self.counts, strict=True):
            chip, work = Chip.of(gpu, kernel.element), kernel.work
            rate = chip.matrix_rate if work.macs else chip.rate
            total += count * max(work.flops / float(rate), work.bytes / float(chip.bandwidth)) * 1e9
        return total

    def total_ns(self, gpu: Gpu, constants: Constants, dispatch_ns: float | Callable[[Kernel], float] = 0.0) -> float:
        """Return the network's time if the host needs `dispatch_ns` per launch, ns.

        The host runs ahead of the device, except for kernels that it submits after a wait: their times are added."""
        ns = self.kernel_ns(gpu, constants)
        host = np.array([dispatch_ns(kernel) if callable(dispatch_ns) else dispatch_ns for kernel in self.kernels])
        counts = self.counts * ~self.waited
        device = np.array([float((counts * ns).sum())])
        ahead = float(Submission(float((counts * host).sum()), HOST_OVERLAP).time(device)[0])
        late = (ns[self.waited] ** HOST_OVERLAP + host[self.waited] ** HOST_OVERLAP) ** (1 / HOST_OVERLAP)
        return ahead + float((self.counts[self.waited] * late).sum())


def _in_sectors(kernel: Kernel) -> Kernel:
    """Return the kernel of a sum whose second operand takes a sector for each element."""
    numbers = kernel.numbers
    more = numbers["written"] * (_SECTOR / numbers["bytes"] - 1)
    footprint = numbers["read"] + numbers["written"]
    return replace(kernel, numbers={**numbers, "read": numbers["read"] + more, "footprint": footprint})


def _reads_weights(op: GraphOp) -> bool:
    """Return True if an op reads weights from DRAM.

    Other kernels read operands that previous kernels have just written, which are in L2 if they fit.
    """
    return isinstance(op, MatmulOp) and op.sizes[0] == 1
