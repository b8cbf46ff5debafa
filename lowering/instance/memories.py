"""The memories of a placement problem, and the hops of copies between them.

A *memory* is one device, or several that share the same bytes: a free link joins them (no time for any size), and
copies to any other device cost the same from each of them. A copy goes from one memory to another, possibly by way of a
third one.
"""

from __future__ import annotations

from collections.abc import Iterable

from lowering.instance.problem import Problem

FREE_NS = 1e-9
"""The least time in ns above 0 that printed results can show (interp/figures.py): shorter copies count as free."""


MUCH = 1 << 60
"""A number of bytes larger than any value, to test whether copies of any size take no time."""


def union(masks: Iterable[int]) -> int:
    """The bits that are set in at least one of some masks."""
    together = 0
    for mask in masks:
        together |= mask
    return together


class Memories:
    """The memories of a problem's devices, and the hops between them."""

    def __init__(self, problem: Problem, symmetric: bool | None = None) -> None:
        """`symmetric`: True if a hop costs the same in both directions; None: determined from the clock."""
        self.problem = problem
        choices = [choice for node in problem.nodes for choice in node.choices]
        needed = {problem.primary, *(part.device for choice in choices for part in choice.parts)}
        needed |= {device for devices in problem.present_at.values() for device in devices}
        between = {hop.target for source in needed for target in needed for hop in problem.copies.hops(source, target)}
        self.devices = tuple(device for device in problem.devices if device in needed or device in between)
        self.number: dict[str, int] = {}
        for device in self.devices:
            same = (other for other in self.number if self._one(device, other))
            self.number[device] = self.number.get(next(same, ""), len(set(self.number.values())))
        self.symmetric = self._even() if symmetric is None else symmetric
        self.ends: list[tuple[int, int]] = []
        """The two memories of each hop, by its bit."""
        self._bits: dict[tuple[int, int], int] = {}
        self._ways: dict[tuple[str, str], int] = {}

    def free(self, source: str, target: str) -> bool:
        """True if copies between two devices take no time, whatever the size: then they share a memory."""
        link = self.problem.clock.machine.link(source, target)
        return link.latency_ns == 0 and MUCH / link.bandwidth * 1e9 < FREE_NS

    def groups(self) -> list[tuple[str, ...]]:
        """The devices of each memory."""
        numbers = sorted(set(self.number.values()))
        return [tuple(device for device in self.devices if self.number[device] == number) for number in numbers]

    def hop(self, source: str, target: str) -> int:
        """The bit that represents a copy over the link between two devices; 0 if its cost need not be measured."""
        ends = (self.number[source], self.number[target])
        if ends[0] == ends[1] or self.free(source, target):
            return 0
        key = (min(ends), max(ends)) if self.symmetric else ends
        if key not in self._bits:
            self._bits[key] = 1 << len(self.ends)
            self.ends.append(key)
        return self._bits[key]

    def way(self, source: str, target: str) -> int:
        """The hops of a copy between two devices, as bits."""
        if (source, target) not in self._ways:
            hops = self.problem.copies.hops(source, target)
            self._ways[source, target] = union(self.hop(a, b) for a, b, _ in hops)
        return self._ways[source, target]

    def _even(self) -> bool:
        """True if, by the clock, every copy costs the same in both directions."""
        joined = [ends for ends in self.problem.clock.machine.links if self.number.keys() >= set(ends)]
        copy = self.problem.copy
        return all(copy(size, a, b).ns == copy(size, b, a).ns for a, b in joined for size in (0, 1 << 10, 1 << 20))

    def _facts(self, source: str, target: str) -> list[tuple[float, float, int]]:
        """The parameters that determine the cost of a copy of any number of bytes between two devices."""
        link = self.problem.clock.machine.link
        hops = [(a, b) for a, b, _ in self.problem.copies.hops(source, target) if not self.free(a, b)]
        return [(link(a, b).latency_ns, link(a, b).bandwidth, link(a, b).half_bytes) for a, b in hops]

    def _one(self, device: str, other: str) -> bool:
        """True if two devices share a memory."""
        others = [each for each in self.devices if each not in (device, other)]
        return not self._facts(device, other) and all(
            self._facts(device, each) == self._facts(other, each) for each in others
        )
