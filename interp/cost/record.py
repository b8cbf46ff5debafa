"""The cost of one piece of work on one device or link."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one piece of work on one device or link; a sum stands for serial work."""

    ns: float
    energy_nj: float
    """Energy of the work alone, by component; what a device draws while it stands idle is the timeline's to add."""
    bytes: int
    """Bytes from and to the device's memory, each operand and result once, or over the link. A bank program's are
    those of its memrefs, padding included."""
    flops: int
    """Operations; a bank program's are those its commands do, padding included."""
    bound: str
    """The component that sets the time: compute, memory, launch, link, latency, view (no time), or a PIM's own words;
    measured or simulated, where a profile tells it."""
    metered_nj: float | None = None
    """Energy of the whole board over the time, static power included, where the device has a model of that."""
    phases: tuple[float, ...] = ()
    """The times of its phases one after the other, ns, where it has several; each but the first needs all of the one
    before."""

    @property
    def lead_ns(self) -> float:
        """Of work in phases, all before the last one, which alone makes what others can take as a stream, ns."""
        return sum(self.phases[:-1])

    @property
    def rest_ns(self) -> float:
        """Of work in phases, all behind the first one, which alone takes what others stream, ns."""
        return sum(self.phases[1:])

    @property
    def board_nj(self) -> float:
        """Energy in the board-calibrated accounting: of the board, where that is known; else by component."""
        return self.energy_nj if self.metered_nj is None else self.metered_nj

    def took(self, ns: float, bound: str) -> Cost:
        """The same work in another time: as many operations and bytes, and so their energy; whole boards' goes with
        the time."""
        metered = self.metered_nj * ns / self.ns if self.metered_nj is not None and self.ns else self.metered_nj
        phases = tuple(each * ns / self.ns for each in self.phases)
        return replace(self, ns=ns, bound=bound, metered_nj=metered, phases=phases)

    def times(self, count: int, bound: str) -> Cost:
        """The same work so often, one after the other."""
        metered = None if self.metered_nj is None else self.metered_nj * count
        return Cost(self.ns * count, self.energy_nj * count, self.bytes * count, self.flops * count, bound, metered)

    def __add__(self, other: Cost) -> Cost:
        longer = self if self.ns >= other.ns else other
        unmetered = self.metered_nj is None and other.metered_nj is None
        return Cost(
            self.ns + other.ns,
            self.energy_nj + other.energy_nj,
            self.bytes + other.bytes,
            self.flops + other.flops,
            longer.bound,
            None if unmetered else self.board_nj + other.board_nj,
            (*(self.phases or (self.ns,)), *(other.phases or (other.ns,))),
        )


NOTHING = Cost(0.0, 0.0, 0, 0, "view")


def total(costs: Iterable[Cost]) -> Cost:
    """One cost for several, one after the other."""
    result = NOTHING
    for cost in costs:
        result = cost if result is NOTHING else result + cost
    return result
