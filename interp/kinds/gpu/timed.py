"""A GPU kernel with a breakdown of its time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interp.kinds.gpu.constants.known import KnownConstants
from interp.kinds.gpu.kernel_class import Estimate
from interp.kinds.gpu.kernels import Kernel
from interp.machine.records import Gpu

_BOUNDS = {"dram": "memory"}
"""Names of estimates' terms in reports, for terms that have another name there."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A kernel with a breakdown of its time."""

    kernel: Kernel
    gpu: Gpu
    estimate: Estimate
    """The estimate for all kernels of its class and type in one call; this kernel's entry is `index`."""
    index: int
    known: KnownConstants
    """The class's constants, with their origin."""
    fused_ns: float
    """Additional time of the ops fused into the kernel."""
    launch_ns: float
    dispatch_ns: float
    ns: float
    """Total time, from the launch of the kernel to the start of the next one."""
    energy_nj: Mapping[str, float]
    """Energy in nJ by component: arithmetic, DRAM, L2."""
    board_w: float
    """Power of the whole board while the kernel runs, W."""
    board_nj: float
    """Energy of the whole board over `ns`, in nJ, including idle power between kernels."""
    power_known: str
    """The origin of the board's power, and the error of its energy for kernels of this class and type."""

    @property
    def own_ns(self) -> float:
        """The kernel's own time, without fused ops and launch."""
        return float(self.estimate.ns[self.index])

    @property
    def bound(self) -> str:
        """The term of the estimate with the largest share of the time, by its name in reports, or `launch`."""
        terms = {name: float(values[self.index]) for name, values in self.estimate.terms.items()}
        terms["fused ops"] = self.fused_ns
        longest = max(terms, key=lambda name: terms[name])
        fixed = self.ns - self.fused_ns - max((terms[name] for name in terms if name != "fused ops"), default=0.0)
        return "launch" if fixed > terms[longest] else _BOUNDS.get(longest, longest)
