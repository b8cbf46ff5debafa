"""The published accounting (of XLA-NDP): the serial time of kernels on the primary device plus the exposed time of
offloaded ones.

    ns = Σ primary(k) over kernels k on the primary device + Σ (away(c) - Σ_k hidden(c, k)) over offloaded kernels c

    hidden(c, k) may be positive        if c and k are independent, or k produces an input that c takes on the fly, or
                                        consumes a result that c makes on the fly
    Σ_c hidden(c, k) <= primary(k)      the time hidden behind a kernel is at most its own
    Σ_k hidden(c, k) <= away(c)         a kernel may be hidden behind several
    Σ_k hidden(c, k) <= first phase(c)  over producers k; over consumers: <= last phase(c)

Order, links, launches and interference are not modelled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from lowering.optimise.overlap.kernels import Kernels

HiddenTimes: TypeAlias = "Mapping[int, float]"
"""Primary kernel -> time of an offloaded kernel that is hidden behind it, in ns."""


ROUNDING_NS = 0.002
"""The largest part of a hidden kernel's time, in ns, that rounding to integer picoseconds may leave exposed."""


@dataclass(frozen=True)
class Plan:
    """Offloaded candidates, each with the kernels behind which it is hidden."""

    kernels: Kernels
    offloaded: Mapping[int, HiddenTimes]

    @cached_property
    def ns(self) -> float:
        """The time in the published accounting."""
        kernels = self.kernels
        stays = sum(ns for node, ns in kernels.ns.items() if node not in self.offloaded)
        return stays + sum(self.exposed(node) for node in self.offloaded)

    def hidden(self, node: int) -> float:
        """The hidden time of an offloaded kernel, in ns."""
        return sum(self.offloaded[node].values())

    def exposed(self, node: int) -> float:
        """The exposed time of an offloaded kernel, in ns."""
        left = self.kernels.candidates[node].ns - self.hidden(node)
        return left if left > ROUNDING_NS else 0.0
