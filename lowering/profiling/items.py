"""The items that profiling runs must measure: each choice of each node, and each copy that some placement may need.

A copy goes from one memory to another (lowering/instance/memories.py), possibly by way of a third one; the cost of
each hop is measured once per value, in one direction if both cost the same. Reading data in the same memory is not a
copy, so nothing is measured. A run measures the copy of a value from memory a to memory b if the value is made in a and
some node reads it in b.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from lowering.instance.choice import Choice
from lowering.instance.memories import Memories, union
from lowering.instance.problem import Problem

Picks: TypeAlias = "list[int]"
"""One run: for each node the number of one of its choices."""


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
    way, reached = problem.copies.way, problem.start()[value]
    needed = [[copy for device in devices for copy in way(value, reached, device)] for devices in targets]
    return (tuple(union(memories.hop(copy.source, copy.target) for copy in copies) for copies in needed),)


def _needed(choice: Choice, value: int) -> tuple[str, ...]:
    return tuple(device for each, device in choice.needs if each == value)
