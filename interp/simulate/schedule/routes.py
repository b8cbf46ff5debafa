"""Routes of values between devices: their links, and the costs of copies over them. Which copies a value needs, given
the devices that already hold it, is decided in lowering/instance/copies.py."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from xdsl.ir import Operation

from interp.kinds.clock import Clock
from interp.machine.cost import Cost
from interp.simulate.schedule.arbitration import Draws


class Hop(NamedTuple):
    """One link of a route, from device `source` to device `target`; `link` is the resource that a copy over it
    occupies: one direction of a duplex link, otherwise the link."""

    source: str
    target: str
    link: str


class Copy(NamedTuple):
    """A copy of one value, given by its number, over one link, which takes `ns`."""

    value: int
    source: str
    target: str
    link: str
    ns: float


class Routes:
    """The routes between the devices of a machine: one link, or two links through a third device's memory. If several
    devices have links to both ends, the third device is the primary device if it is among them."""

    def __init__(self, clock: Clock, first_on: Mapping[str, Operation] | None = None) -> None:
        """`first_on`: for each device the op at which errors are reported if no link leads to it."""
        self.clock = clock
        self.machine = clock.machine
        self.first_on: Mapping[str, Operation] = {} if first_on is None else first_on  # empty at first, filled later
        self.draws = Draws(clock)
        self._hops: dict[tuple[str, str], tuple[Hop, ...]] = {}
        self._copies: dict[tuple[int, str, str], Cost] = {}
        self._drawn: dict[Hashable, float] = {}

    def joined(self, one: str, other: str) -> bool:
        """True if a link joins two devices."""
        return (one, other) in self.machine.links or (other, one) in self.machine.links

    def relay(self, source: str, target: str) -> str | None:
        """The device that has a link to each of two devices without a link between them; None if there is no such
        device, or if a link joins the two."""
        between = (each for each in self.machine.devices if self.joined(source, each) and self.joined(each, target))
        return None if self.joined(source, target) else next(between, None)  # the primary device is the first device

    def reaches(self, source: str, target: str) -> bool:
        """True if a route leads from one device to another."""
        return source == target or self.joined(source, target) or self.relay(source, target) is not None

    def hops(self, source: str, target: str) -> tuple[Hop, ...]:
        """The copies that move a value from one device to another; none if both are the same device. Raises InputError,
        at the first op on the device `target`, if no route leads there."""
        key = (source, target)
        if key not in self._hops:
            machine, primary = self.machine, self.machine.primary
            between = self.relay(source, target)
            if between is None and not self.joined(source, target) and primary not in key:
                between = primary  # so that the error names the primary device's link
            ends = [key] if between is None else [(source, between), (between, target)]
            for a, b in ends if source != target else ():
                machine.link(a, b, self.first_on.get(b if a == primary else a))
            self._hops[key] = tuple(Hop(a, b, machine.way(a, b)) for a, b in ends) if source != target else ()
        return self._hops[key]

    def copy(self, nbytes: int, source: str, target: str) -> Cost:
        """The cost of moving `nbytes` from one device to another."""
        key = (nbytes, source, target)
        if key not in self._copies:
            costs = [self.clock.copy_cost(nbytes, hop.source, hop.target) for hop in self.hops(source, target)]
            self._copies[key] = sum(costs[1:], costs[0]) if costs else Cost(0.0, 0.0, 0, 0, "nothing")
        return self._copies[key]

    def draw(self, resource: str, cost: Cost, op: Operation | None = None) -> float:
        """The rate in bytes/ns at which a task (`op`) or copy draws on shared bandwidths."""
        if not self.draws.rules.bandwidths:
            return 0.0
        key = (resource, cost, op)
        if key not in self._drawn:
            self._drawn[key] = self.draws.of(resource, cost, op)
        return self._drawn[key]
