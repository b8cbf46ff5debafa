"""A placement problem cut at nodes that all earlier ones lead to and all later ones follow from: its stretches are
problems of their own, whose times add up."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lowering.choice import Choice, Node
from lowering.problem import Problem, Region


@dataclass(frozen=True)
class Stretch:
    """The nodes after a cut (`entry`, a node; None: the program's start) up to and including the next (`exit`; None:
    the program's end).

    `nodes`: those that lie on a way from cut to cut, in program order. `beside`: the others that stand between: nothing
    after the stretch waits for them, or they wait for nothing before it. A bound leaves them out.
    """

    nodes: tuple[int, ...]
    beside: tuple[int, ...]
    entry: int | None
    exit: int | None


def stretches_of(problem: Problem) -> list[Stretch]:
    """The stretches of a problem, in order; one where nothing can be cut.

    A node is a cut if all nodes on a way through the program lead to it or follow from it, no region contains it and a
    later node, and the values that pass it by are no more than those that pass its neighbours: a cut between a residual
    and its sum would forget where the residual lies. A node in two parts follows only from what both wait for.
    """
    ways = _Ways(problem)
    found: list[Stretch] = []
    start, entry = 0, None
    for exit in _cuts(problem, ways.tied(), ways.between):
        mine = range(start, exit + 1)
        nodes = tuple(index for index in mine if index in ways.between)
        found.append(Stretch(nodes, tuple(index for index in mine if index not in ways.between), entry, exit))
        start, entry = exit + 1, exit
    mine = range(start, len(problem.nodes))
    following = {entry}  # in the end all that follows counts, since its results must come home
    for index in mine:
        if entry is None or all(not following.isdisjoint(waits) for waits in ways.waits[index]):
            following.add(index)
    nodes = tuple(index for index in mine if index in following)
    found.append(Stretch(nodes, tuple(index for index in mine if index not in following), entry, None))
    return found


class _Ways:
    """Which nodes lead to others, and which follow from others, whatever is chosen.

    `leads`: the nodes that each of a node's results waits for, in all ways to make it. `waits`: for each way that a
    part of it may be run, the nodes that this part waits for: nothing of the node starts before one of each ends.
    `between`: the nodes on a way from the start of the longest chain to its end.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.leads: list[frozenset[int]] = []
        self.waits: list[list[frozenset[int]]] = []
        for node in problem.nodes:
            known = [_waits(choice, frozenset()) for choice in node.choices]
            results = [each[value] for each in known for value in node.writes if value in each]
            self.leads.append(self._makers(_common(results)))
            self.waits.append([self._makers(waits) for each in known for waits in each.values()])
        for region in problem.regions:
            self._join(region)
        self.between = self._between()

    def _join(self, region: Region) -> None:
        inside = frozenset(value for node in region.nodes for value in self.problem.nodes[node].writes)
        known = _waits(region.choice, inside)
        results = [known[value] for value in inside if value in known]
        together = self._makers(_common(results)) | set(region.nodes)
        for node in region.nodes:
            self.leads[node] &= together
            self.waits[node] += [self._makers(waits) for waits in known.values()]

    def _makers(self, values: Iterable[int]) -> frozenset[int]:
        return frozenset(self.problem.producer[value] for value in values if value in self.problem.producer)

    def _between(self) -> frozenset[int]:
        ends: list[float] = []
        for node in self.problem.nodes:
            fastest = min(choice.cost.ns for choice in node.choices)
            ends.append(fastest + max((ends[other] for other in self.leads[node.index]), default=0.0))
        if not ends:
            return frozenset()
        target = source = max(range(len(ends)), key=lambda node: ends[node])
        while self.leads[source]:
            source = max(self.leads[source], key=lambda other: (ends[other], other))
        leading, following = {target}, {source}
        for node in range(target, -1, -1):
            if node in leading:
                leading.update(self.leads[node])
        for node in range(source + 1, target + 1):
            if all(not following.isdisjoint(waits) for waits in self.waits[node]):
                following.add(node)
        return frozenset(leading & following)

    def tied(self) -> list[int]:
        """The nodes that all others between lead to or follow from."""
        between = sorted(self.between)
        first = dict.fromkeys(between, len(self.leads))  # who reads a node first
        last = dict.fromkeys(between, -1)  # the latest node between that every part of a node starts after
        for node in between:
            for other in self.leads[node]:
                if other in first:
                    first[other] = min(first[other], node)
            last[node] = min(
                (max((other for other in waits if other in last), default=-1) for waits in self.waits[node]), default=-1
            )
        following: set[int] = set()
        least = len(self.leads)
        for node in reversed(between):
            if node <= least:
                following.add(node)
            least = min(least, last[node])
        found: list[int] = []
        reach = -1
        for node in between:
            if reach <= node and node in following:
                found.append(node)
            reach = max(reach, first[node])
        return found


def _common(sets: Sequence[frozenset[int]]) -> frozenset[int]:
    return sets[0].intersection(*sets[1:]) if sets else frozenset()


def _waits(choice: Choice, inside: frozenset[int]) -> dict[int, frozenset[int]]:
    """For each value that a choice makes, what its making waits for of what others make, by way of all that the choice
    makes before; `inside` is made by the choice itself."""
    known: dict[int, frozenset[int]] = {}
    for part in choice.parts:
        waits = frozenset(
            outer for value in part.reads for outer in known.get(value, () if value in inside else (value,))
        )
        known |= dict.fromkeys(part.writes, waits)
    return known


def _made_at_once(problem: Problem, node: int) -> bool:
    """Whether all results of a node are made last, by one task on the device that they are said to land on."""
    ways = [(choice, problem.nodes[node].writes) for choice in problem.nodes[node].choices]
    ways += [(region.choice, problem.nodes[node].writes) for region in problem.regions if max(region.nodes) == node]
    for choice, writes in ways:
        *others, last = choice.parts
        needed = set(last.reads)
        for part in reversed(others):
            if needed.isdisjoint(part.writes):
                return False
            needed.update(part.reads)
        if last.device != choice.lands or not set(writes) <= set(last.writes):
            return False
    return bool(problem.nodes[node].writes)


def _cuts(problem: Problem, tied: Sequence[int], between: frozenset[int]) -> list[int]:
    """Those of the tied nodes that no more values pass by than their neighbours."""
    inside = {node for region in problem.regions for node in range(min(region.nodes), max(region.nodes))}
    tied = [node for node in tied if node not in inside and _made_at_once(problem, node)]
    last = [
        max((reader for reader in problem.consumers.get(value, ()) if reader in between), default=-1)
        for value in range(len(problem.sizes))
    ]
    passing: list[int] = []
    live = set(problem.inputs)
    at = 0
    for node in tied:
        live.update(value for other in range(at, node) for value in problem.nodes[other].writes)
        live = {value for value in live if last[value] > node}
        passing.append(len(live))
        live.update(problem.nodes[node].writes)
        at = node + 1
    chosen: list[int] = []
    for place, node in enumerate(tied):
        near = passing[max(place - 1, 0) : place + 2]
        if passing[place] <= min(near):
            chosen.append(node)
    return chosen


def lands_at(problem: Problem, node: int) -> tuple[str, ...]:
    """The devices that the results of a node may land on, by one of its choices or a region that ends with it."""
    ways = [choice.lands for choice in problem.nodes[node].choices]
    ways += [region.choice.lands for region in problem.regions if max(region.nodes) == node]
    return tuple(dict.fromkeys(ways))


def part_of(problem: Problem, stretch: Stretch, came: str | None, goes: str | None) -> Problem:
    """A stretch as a problem of its own, with the numbers of values and the choices of the whole one.

    The results of the node before lie on `came`, those of its last node must land on `goes`. What was there before that
    node lies on all devices: copies of it may have been made long since, and none is counted.
    """
    part = Problem(problem.clock, problem.options)
    part.sizes = problem.sizes
    part.producer = {}
    numbers: dict[int, int] = {}
    reads: dict[int, None] = {}
    made: set[int] = set()
    for index in stretch.nodes:
        node = problem.nodes[index]
        choices = node.choices
        if index == stretch.exit and goes is not None:
            choices = tuple(choice for choice in choices if choice.lands == goes)
        reads.update(dict.fromkeys(value for value in node.reads if value not in made))
        numbers[index] = len(part.nodes)
        _add(part, node, choices)
        made.update(node.writes)
    for region in problem.regions:
        lands = goes is None or max(region.nodes) != stretch.exit or region.choice.lands == goes
        if lands and all(index in numbers for index in region.nodes):
            part.regions.append(Region(tuple(numbers[index] for index in region.nodes), region.choice))
    entry = problem.nodes[stretch.entry].writes if stretch.entry is not None else ()
    if stretch.exit is None:
        part.outputs = tuple(value for value in problem.outputs if value in made or value in entry)
        reads.update(dict.fromkeys(value for value in part.outputs if value not in made))
    part.inputs = tuple(reads)
    everywhere = (problem.home, *(device for device in problem.devices if device != problem.home))
    for value in part.inputs:
        if value in entry and came is not None:
            part.present_at[value] = (came,)
        elif value in problem.producer or stretch.entry is not None:
            part.present_at[value] = everywhere
        elif value in problem.present_at:
            part.present_at[value] = problem.present_at[value]
    return part


def _add(part: Problem, node: Node, choices: tuple[Choice, ...]) -> None:
    new = Node(len(part.nodes), node.op, choices, node.reads, node.writes)
    part.nodes.append(new)
    part.producer |= dict.fromkeys(new.writes, new.index)
    for value in new.reads:
        part.consumers[value].append(new.index)


def shape_of_problem(part: Problem) -> Hashable:
    """What the answer to a problem depends on: equal ones have equal answers, choice by choice and job by job."""
    numbers: dict[int, int] = {}

    def number(value: int) -> tuple[int, int]:
        return numbers.setdefault(value, len(numbers)), part.sizes[value]

    def shape(choice: Choice) -> Hashable:
        return choice.lands, tuple(
            (
                each.device,
                each.cost.ns,
                each.view,
                tuple(map(number, each.reads)),
                tuple(map(number, each.writes)),
                tuple(nbytes for _, nbytes in each.residents),
            )
            for each in choice.parts
        )

    inputs = tuple((number(value), part.present_at.get(value)) for value in part.inputs)
    nodes = tuple(tuple(map(shape, node.choices)) for node in part.nodes)
    regions = tuple((region.nodes, shape(region.choice)) for region in part.regions)
    return inputs, nodes, regions, tuple(map(number, part.outputs))


def pairs(problem: Problem, stretch: Stretch) -> Iterator[tuple[str | None, str | None]]:
    """Where a stretch may come from and where it may go: devices of the results at its two ends, None for an end of the
    program."""
    came = (None,) if stretch.entry is None else lands_at(problem, stretch.entry)
    goes = (None,) if stretch.exit is None else lands_at(problem, stretch.exit)
    return ((a, b) for a in came for b in goes)
