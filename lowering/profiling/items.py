"""The items that profiling runs must measure: each choice of each node, and each copy that some placement may need.

A *memory* is one device, or several that share the same bytes: a free link joins them (no time for any size), and
copies to any other device cost the same from each of them. A copy goes from one memory to another, possibly by way of a
third one; the cost of each hop is measured once per value, in one direction if both cost the same. Reading data in the
same memory is not a copy, so nothing is measured. A run measures the copy of a value from memory a to memory b if the
value is made in a and some node reads it in b.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from lowering.placement.choice import Choice
from lowering.placement.problem import Problem

Picks: TypeAlias = "list[int]"
"""One run: for each node the number of one of its choices."""

FREE_NS = 1e-9
"""The least time in ns above 0 that printed results can show (interp/figures.py): shorter copies count as free."""
MUCH = 1 << 60
"""A number of bytes larger than any value, to test whether copies of any size take no time."""


@dataclass(frozen=True)
class ValueUse:
    """A consumer of a value: `hops[p][c]` are the hops that the value makes if its producer has choice p and the
    consumer choice c, as bits."""

    maker: int
    reader: int
    hops: tuple[tuple[int, ...], ...]

    @property
    def all_hops(self) -> int:
        """The hops, as bits, that are made with at least one pair of choices of the producer and the consumer."""
        return union(union(row) for row in self.hops)


@dataclass(frozen=True)
class Requirements:
    """The items that runs must measure, as numbers.

    `ways[i]`: number of choices of node i. `nodes[i]`: the choices of node i that must be run, as bits. `hops[v]`: the
    hops of value v that must be made, as bits; `uses[v]`: its consumers. Arguments and results of the program are
    nodes, too, with a single choice on the primary device.
    """

    ways: tuple[int, ...]
    nodes: tuple[int, ...]
    hops: tuple[int, ...]
    uses: tuple[tuple[ValueUse, ...], ...]

    @property
    def nothing(self) -> bool:
        """True if nothing remains to be measured."""
        return not any(self.nodes) and not any(self.hops)

    def moved(self, value: int, picks: Sequence[int]) -> int:
        """The hops, as bits, that a value makes in a run with the given choices."""
        return union(each.hops[picks[each.maker]][picks[each.reader]] for each in self.uses[value])

    def after(self, runs: Iterable[Sequence[int]]) -> Requirements:
        """The items that remain to be measured after some runs."""
        nodes, hops = list(self.nodes), list(self.hops)
        for picks in runs:
            for index, pick in enumerate(picks):
                nodes[index] &= ~(1 << pick)
            for value, left in enumerate(hops):
                if left:
                    hops[value] = left & ~self.moved(value, picks)
        return replace(self, nodes=tuple(nodes), hops=tuple(hops))


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
        between = {problem.routes.relay(source, target) for source in needed for target in needed}
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
            self._ways[source, target] = union(self.hop(a, b) for a, b, _ in self.problem.route(source, target))
        return self._ways[source, target]

    def _even(self) -> bool:
        """True if, by the clock, every copy costs the same in both directions."""
        joined = [ends for ends in self.problem.clock.machine.links if self.number.keys() >= set(ends)]
        copy = self.problem.copy
        return all(copy(size, a, b).ns == copy(size, b, a).ns for a, b in joined for size in (0, 1 << 10, 1 << 20))

    def _facts(self, source: str, target: str) -> list[tuple[float, float, int]]:
        """The parameters that determine the cost of a copy of any number of bytes between two devices."""
        link = self.problem.clock.machine.link
        hops = [(a, b) for a, b, _ in self.problem.route(source, target) if not self.free(a, b)]
        return [(link(a, b).latency_ns, link(a, b).bandwidth, link(a, b).half_bytes) for a, b in hops]

    def _one(self, device: str, other: str) -> bool:
        """True if two devices share a memory."""
        others = [each for each in self.devices if each not in (device, other)]
        return not self._facts(device, other) and all(
            self._facts(device, each) == self._facts(other, each) for each in others
        )


def requirements_of(problem: Problem, memories: Memories) -> Requirements:
    """The items to measure for all costs of placements of a problem; views take no time and are not measured."""
    ways = [len(node.choices) for node in problem.nodes]
    nodes = [0 if node.view else (1 << len(node.choices)) - 1 for node in problem.nodes]
    uses: list[tuple[ValueUse, ...]] = []
    for value in range(len(problem.sizes)):
        read: list[ValueUse] = []
        if value in problem.producer or value in problem.inputs:
            maker = problem.producer.get(value, len(ways))
            if maker == len(ways):
                ways.append(1)
            for reader in problem.consumers.get(value, ()):
                read.append(ValueUse(maker, reader, _hops(problem, memories, value, problem.nodes[reader].choices)))
            if value in problem.outputs:
                read.append(ValueUse(maker, len(ways), _hops(problem, memories, value, None)))
                ways.append(1)
        uses.append(tuple(each for each in read if each.all_hops))
    hops = tuple(union(use.all_hops for use in read) for read in uses)
    return Requirements(tuple(ways), (*nodes, *(0 for _ in ways[len(nodes) :])), hops, tuple(uses))


def _hops(
    problem: Problem, memories: Memories, value: int, choices: Sequence[Choice] | None
) -> tuple[tuple[int, ...], ...]:
    """`ValueUse.hops` of a value: for a consumer with the given choices, or, without choices, for the end of the
    program, for which the value is copied to the device on which it must be."""
    targets = [(problem.exit_of(value),)] if choices is None else [_needed(choice, value) for choice in choices]
    maker = problem.producer.get(value)
    if maker is not None:
        lands = [choice.lands for choice in problem.nodes[maker].choices]
        return tuple(
            tuple(union(memories.way(source, device) for device in devices) for devices in targets) for source in lands
        )
    missing, reached = problem.routes.missing, problem.start()[value]
    return (tuple(union(memories.hop(a, b) for each in row for a, b, _ in missing(reached, each)) for row in targets),)


def _needed(choice: Choice, value: int) -> tuple[str, ...]:
    return tuple(device for each, device in choice.needs if each == value)
