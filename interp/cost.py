"""What one piece of work costs on one device or link."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cost:
    """What one piece of work costs on one device or link; a sum stands for one after the other."""

    ns: float
    energy_nj: float
    """Energy of the work alone; what a device draws while it stands idle is the timeline's to add."""
    bytes: int
    """Bytes from and to the device's memory, each operand and result once, or over the link. A bank program's are
    those of its memrefs, padding included."""
    flops: int
    """Operations; a bank program's are those its commands do, padding included."""
    bound: str
    """What the time is made of: compute, memory, launch, link, latency, view (no time), or a PIM's own words."""

    def __add__(self, other: Cost) -> Cost:
        longer = self if self.ns >= other.ns else other
        return Cost(
            self.ns + other.ns,
            self.energy_nj + other.energy_nj,
            self.bytes + other.bytes,
            self.flops + other.flops,
            longer.bound,
        )


NOTHING = Cost(0.0, 0.0, 0, 0, "view")


def total(costs: Iterable[Cost]) -> Cost:
    """One cost for several, one after the other."""
    result = NOTHING
    for cost in costs:
        result = cost if result is NOTHING else result + cost
    return result
