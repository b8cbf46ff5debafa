"""The copies of a placement problem: which copies bring a value to a device, how long each takes, and what it occupies.

This file alone asks the machine for routes; schedules (lowering/instance/partial.py), exact searches and bounds read
copies from here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from interp.machine.cost import Cost
from interp.simulate.events.jobs import Job, loads
from interp.simulate.schedule.routes import Copy, Hop, Routes

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class Network(NamedTuple):
    """Devices and links as numbers. A *lane* is a device or link, or the first of its locks; `lanes`: their count.

    `device`: the number of each device; `on`: the lane of each device; `by`: for each source (row) and target (column)
    the device at which the first copy of a value ends: the target, or the memory in between; `over`: for each source
    and target joined by a link, the link's lane.
    """

    device: Mapping[str, int]
    on: Ints
    by: Ints
    over: Ints
    lanes: int


class Copies:
    """The copies of the values of a problem, whose sizes in bytes are `sizes`, a list that may grow."""

    def __init__(self, routes: Routes, sizes: list[int]) -> None:
        self.routes, self.sizes = routes, sizes
        self._ways: dict[tuple[int, str, str], tuple[Copy, ...]] = {}
        self._ns: dict[tuple[int, str, str], float] = {}
        self._busy: dict[Copy, tuple[tuple[str, float], ...]] = {}
        self._times: dict[int, Floats] = {}

    def hops(self, source: str, target: str) -> tuple[Hop, ...]:
        """The links over which any value is copied from one device to another, in order; none for the same device."""
        return self.routes.hops(source, target)

    def way(self, value: int, places: Collection[str], target: str) -> tuple[Copy, ...]:
        """The copies that bring a value to the device `target`, in order. `places`: the devices that have the value,
        its producer first. The route starts at the producer; copies to devices that already have the value are left
        out. Raises InputError if no route leads there."""
        if target in places:
            return ()
        source = next(iter(places))
        ways = self._ways.get((value, source, target))
        if ways is None:
            ns = self.ns
            hops = self.routes.hops(source, target)
            ways = tuple([Copy(value, a, b, link, ns(value, a, b)) for a, b, link in hops])
            self._ways[value, source, target] = ways
        if len(ways) == 1 or len(places) == 1:
            return ways
        return tuple(copy for copy in ways if copy.target not in places)

    def ns(self, value: int, source: str, target: str) -> float:
        """The time in ns of bringing a value from one device to another, over all links; 0 for the same device."""
        if source == target:
            return 0.0
        key = (self.sizes[value], source, target)
        if (ns := self._ns.get(key)) is None:
            ns = self._ns[key] = self.routes.copy(*key).ns
        return ns

    def cost(self, copy: Copy) -> Cost:
        """The cost of one copy."""
        return self.routes.copy(self.sizes[copy.value], copy.source, copy.target)

    def draw(self, copy: Copy) -> float:
        """The rate in bytes/ns at which a copy draws on shared bandwidths."""
        return self.routes.draw(copy.link, self.cost(copy))

    def busy(self, copy: Copy) -> tuple[tuple[str, float], ...]:
        """The loads of a copy: its link, locks and shared bandwidths, each with the least time in ns for which the copy
        occupies it."""
        if copy not in self._busy:
            rules = self.routes.draws.rules
            self._busy[copy] = tuple(loads(Job(copy.link, copy.ns, draw=self.draw(copy)), rules))
        return self._busy[copy]

    def lane(self, resource: str) -> str:
        """The first lock of a device or link; the device or link itself if it has none."""
        return self.routes.draws.rules.locks.get(resource, (resource,))[0]

    @cached_property
    def network(self) -> Network:
        """The machine's devices and links as numbers."""
        names = tuple(self.routes.machine.devices)
        numbers: dict[str, int] = {}

        def lane(resource: str) -> int:
            return numbers.setdefault(self.lane(resource), len(numbers))

        device = {name: place for place, name in enumerate(names)}
        on = np.array([lane(name) for name in names])
        by, over = np.zeros((2, len(names), len(names)), np.intp)
        for source in names:
            for target in names:
                hops = self.routes.hops(source, target)
                by[device[source], device[target]] = device[hops[0].target if hops else target]
                for a, b, link in hops:
                    over[device[a], device[b]] = lane(link)
        return Network(device, on, by, over, len(numbers))

    def times(self, value: int) -> Floats:
        """The time in ns of copying a value from each device (rows) to each other device (columns) that a link joins
        with it; 0 for other devices."""
        size, names = self.sizes[value], tuple(self.routes.machine.devices)
        if size not in self._times:
            joined = self.routes.joined
            rows = [[self.routes.copy(size, a, b).ns if joined(a, b) else 0.0 for b in names] for a in names]
            self._times[size] = np.array(rows)
        return self._times[size]
