"""The placement graph of a program: one layer per op, with a node for each device that can run it, and edges with the
cost of moving values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.ir import SSAValue

from dialects.locations import text_of
from interp.simulate.schedule.names import name_of
from lowering.instance.choice import Choice, Node
from lowering.instance.memories import Memories
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Problem


@dataclass(frozen=True)
class Transfer:
    """An edge of the graph: a value that is copied from the device of its producer's choice to the device of a
    consumer's choice. A node of None is the start or the end of the program, both on the primary device."""

    value: int
    maker: tuple[int, Choice] | None
    reader: tuple[int, Choice] | None
    ns: float


@dataclass(frozen=True)
class PlacementGraph:
    """All placements of a problem as one graph: a layer for each op, with a node for each of its choices, weighted with
    the choice's time; edges for values between choices; and a start node and an end node on the primary device.

    A placement selects one node per layer. On a chain it is a path from start to end, and the sum of the weights of
    nodes and edges is its serial time. In general the sum is an upper bound: a value that two consumers read on one
    device is copied only once (`Problem.serial_ns` accounts for that).
    """

    problem: Problem
    memories: Memories = field(compare=False)

    @classmethod
    def of(cls, problem: Problem) -> PlacementGraph:
        """The graph of a problem. Raises InputError if a device that values must be copied to has no link."""
        return cls(problem, Memories(problem))

    @cached_property
    def labels(self) -> list[str]:
        """The labels of all choices: devices in the machine's order, then splits over several devices."""
        plain = [device for device in self.problem.devices if any(node.on(device) for node in self.problem.nodes)]
        given = dict.fromkeys(choice.label for node in self.problem.nodes for choice in node.choices)
        return [*(device for device in plain if device in given), *(label for label in given if label not in plain)]

    @cached_property
    def names(self) -> dict[int, str]:
        """The names of values, by number: `%x` if the program names the value, else `value 3`."""
        shown: dict[int, SSAValue] = {}
        if isinstance(self.problem, PlacementProblem):
            shown |= zip(self.problem.inputs, self.problem.arguments, strict=True)
        for node in self.problem.nodes:
            shown |= zip(node.writes, node.op.results, strict=False)
        return {
            value: f"%{shown[value].name_hint}" if value in shown and shown[value].name_hint else f"value {value}"
            for value in range(len(self.problem.sizes))
        }

    @property
    def node_count(self) -> int:
        """The number of nodes, not counting start and end."""
        return sum(len(node.choices) for node in self.problem.nodes)

    def values(self) -> Iterator[tuple[int, int | None, list[int | None]]]:
        """Each value with at least one consumer, as (value, producer, consumers), where producer and consumers are node
        numbers; None for the start or end of the program."""
        problem = self.problem
        for value in range(len(problem.sizes)):
            readers: list[int | None] = [*problem.consumers.get(value, ())]
            if value in problem.outputs:
                readers.append(None)
            if readers and (value in problem.producer or value in problem.inputs):
                yield value, problem.producer.get(value), readers

    def transfers(self) -> Iterator[Transfer]:
        """All edges."""
        nodes = self.problem.nodes
        for value, maker, readers in self.values():
            sources = [None] if maker is None else [(maker, choice) for choice in nodes[maker].choices]
            for reader in readers:
                targets = [None] if reader is None else [(reader, choice) for choice in nodes[reader].choices]
                for source in sources:
                    for target in targets:
                        yield Transfer(value, source, target, self._between(value, source, target))

    def _between(self, value: int, source: tuple[int, Choice] | None, target: tuple[int, Choice] | None) -> float:
        """The time of copying a value to the device on which a choice of its consumer needs it, in ns."""
        problem = self.problem
        places = problem.start()[value] if source is None else (source[1].lands,)
        needed = [device for each, device in target[1].needs if each == value] if target else [problem.exit_of(value)]
        return sum(copy.ns for device in needed for copy in problem.copies.way(value, places, device))

    def ways(self) -> list[tuple[str, str, str]]:
        """Pairs of memories between which values may be copied: (label, source, target), with one device to represent
        each memory. If copies cost the same in both directions, a pair has one entry, otherwise two."""
        found: list[tuple[str, str, str]] = []
        groups = self.memories.groups()
        for i, one in enumerate(groups):
            for j, other in enumerate(groups):
                if i == j or (self.memories.symmetric and j < i):
                    continue
                arrow = "<->" if self.memories.symmetric else "->"
                found.append((f"{'|'.join(one)} {arrow} {'|'.join(other)}", one[0], other[0]))
        return found


def title_of(node: Node) -> tuple[str, str]:
    """The name of an op, and its position in its source file, as text."""
    return name_of(node.op), text_of(node.op.location) or ""
