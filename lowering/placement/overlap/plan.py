"""The published accounting: kernels on the primary device one after the other, and what of those away from the primary
device hides beside none.

    ns = Σ primary(k) over kernels k on the primary device + Σ (away(c) - Σ_k hidden(c, k)) over kernels c away from the
    primary device

    hidden(c, k) may be more than 0     if c and k are independent, or k writes what c takes on the fly, or reads what
                                        c makes on the fly
    Σ_c hidden(c, k) <= primary(k)         whatever hides beside one kernel takes no longer than it
    Σ_k hidden(c, k) <= away(c)         a kernel may hide beside several
    Σ_k hidden(c, k) <= first phase(c)  over k that write what c takes; over those that read what it makes: last phase

Nothing else counts: no order, link, launch or interference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from lowering.placement.overlap.kernels import Kernels

Beside: TypeAlias = "Mapping[int, float]"
"""The time that a kernel hides behind others, ns, by these kernels."""


ROUNDING_NS = 0.002
"""The time of a hidden kernel that a flow in integer picoseconds may leave unhidden."""


@dataclass(frozen=True)
class Plan:
    """Candidates that run away from the primary device, each with what it hides beside."""

    kernels: Kernels
    away: Mapping[int, Beside]

    @cached_property
    def ns(self) -> float:
        """The time in the published accounting."""
        kernels = self.kernels
        stays = sum(ns for node, ns in kernels.ns.items() if node not in self.away)
        return stays + sum(self.exposed(node) for node in self.away)

    def hidden(self, node: int) -> float:
        """The time of a kernel away from the primary device that hides beside others, ns."""
        return sum(self.away[node].values())

    def exposed(self, node: int) -> float:
        """The time of a kernel away from the primary device that hides beside none, ns."""
        left = self.kernels.candidates[node].ns - self.hidden(node)
        return left if left > ROUNDING_NS else 0.0
