"""The cost of one piece of work on one device or link."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one piece of work on one device or link; a sum of costs describes serial work."""

    ns: float
    energy_nj: float
    """Energy of the work itself, by component; idle energy of a device is added by the timeline."""
    bytes: int
    """Bytes from and to the device's memory, each operand and result once; or bytes over the link. For a bank program:
    the bytes of its memrefs, padding included."""
    flops: int
    """Operations; for a bank program those that its commands perform, padding included."""
    bound: str
    """The component that limits the time: compute, memory, launch, link, latency, view (no time), or a PIM's own terms;
    `measured` or `simulated` if the time comes from a profile."""
    metered_nj: float | None = None
    """Energy of the whole board over the time, static power included, if the device has a board model."""
    phases: tuple[float, ...] = ()
    """The times of the work's phases in ns, if it has several; they run serially, and each needs the complete result of
    the phase before."""

    @property
    def lead_ns(self) -> float:
        """The time of all phases before the last one, ns. Only the last phase produces a stream that other work can
        consume."""
        return sum(self.phases[:-1])

    @property
    def rest_ns(self) -> float:
        """The time of all phases after the first one, ns. Only the first phase consumes a stream from other work."""
        return sum(self.phases[1:])

    @property
    def board_nj(self) -> float:
        """Energy in the board-calibrated accounting: of the whole board if known, else the sum over components."""
        return self.energy_nj if self.metered_nj is None else self.metered_nj

    def took(self, ns: float, bound: str) -> Cost:
        """The cost of the same work if it takes `ns`: operations, bytes and their energy are unchanged; the energy of
        the whole board scales with the time."""
        metered = self.metered_nj * ns / self.ns if self.metered_nj is not None and self.ns else self.metered_nj
        phases = tuple(each * ns / self.ns for each in self.phases)
        return replace(self, ns=ns, bound=bound, metered_nj=metered, phases=phases)

    def times(self, count: int, bound: str) -> Cost:
        """The cost of the same work done `count` times serially."""
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
    """The total cost of serial work."""
    result = NOTHING
    for cost in costs:
        result = cost if result is NOTHING else result + cost
    return result
