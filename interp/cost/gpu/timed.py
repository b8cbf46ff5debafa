"""A kernel of a GPU with its time, taken apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interp.cost.gpu.constants.known import KnownConstants
from interp.cost.gpu.kernel_class import Estimate
from interp.cost.gpu.kernels import Kernel
from interp.machine.records import Gpu

_BOUNDS = {"dram": "memory"}
"""Terms of an estimate that reports call by another word."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A kernel with its time, taken apart."""

    kernel: Kernel
    gpu: Gpu
    estimate: Estimate
    """Of all kernels of its class and type in the call; this one's is entry `index`."""
    index: int
    known: KnownConstants
    """The class's constants, and where they come from."""
    fused_ns: float
    """Time of what is fused into it, besides its own."""
    launch_ns: float
    dispatch_ns: float
    ns: float
    """All of it: what it keeps the GPU from the next kernel for."""
    energy_nj: Mapping[str, float]
    """By component: arithmetic, dram, l2."""
    board_w: float
    """Power of the whole board while it runs."""
    board_nj: float
    """Energy of the whole board over `ns`, idle power between kernels included."""

    @property
    def own_ns(self) -> float:
        """The kernel's own time."""
        return float(self.estimate.ns[self.index])

    @property
    def bound(self) -> str:
        """The term that most of the time goes to, or `launch`."""
        terms = {name: float(values[self.index]) for name, values in self.estimate.terms.items()}
        terms["fused ops"] = self.fused_ns
        longest = max(terms, key=lambda name: terms[name])
        fixed = self.ns - self.fused_ns - max((terms[name] for name in terms if name != "fused ops"), default=0.0)
        return "launch" if fixed > terms[longest] else _BOUNDS.get(longest, longest)
