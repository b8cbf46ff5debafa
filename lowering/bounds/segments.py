"""Segments of a placement problem: the nodes between two cuts, which are nodes that depend on all earlier ones and that
all later ones depend on. Segments are separate problems, whose times add up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from lowering.instance.choice import Choice, Placement
from lowering.instance.problem import Problem, Region


@dataclass(frozen=True)
class Segment:
    """The nodes after a cut (`entry`, a node; None: the program's start) up to and including the next cut (`exit`;
    None: the program's end).

    `nodes`: those on a path from cut to cut, in program order. Other nodes in between are ignored by bounds: nothing
    after the segment depends on them, or they depend on nothing before it. `regions`: the regions of `nodes`.
    """

    nodes: tuple[int, ...]
    regions: tuple[Region, ...]
    entry: int | None
    exit: int | None


def segments_of(problem: Problem) -> list[Segment]:
    """The segments of a problem, in order; a single one if nothing can be cut.

    A node is a cut if all nodes on a path through the program are ancestors or descendants of it, no region contains it
    and a later node, and no more values are live across it than across its neighbouring cuts: a cut between a residual
    and its sum would lose the device of the residual. If a node has several results or choices, only the ancestors that
    all of these have in common count as its ancestors.
    """
    ways = _Ways(problem)
    found: list[Segment] = []
    start, entry = 0, None
    for exit in _cuts(problem, ways.tied(), ways):
        nodes = tuple(index for index in range(start, exit + 1) if index in ways.between)
        found.append(Segment(nodes, ways.regions(nodes), entry, exit))
        start, entry = exit + 1, exit
    # At the end all later nodes count, since their results must be copied to the primary device.
    following = set[int]() if entry is None else {entry}
    for index in range(start, len(problem.nodes)):
        if entry is None or all(not following.isdisjoint(waits) for waits in ways.waits[index]):
            following.add(index)
    while torn := _torn(problem, following):
        following -= torn
    nodes = tuple(sorted(node for node in following if node != entry))
    found.append(Segment(nodes, ways.regions(nodes), entry, None))
    return found


class _Ways:
    """The ancestors and descendants of nodes that hold for every choice.

    `leads`: for each node, the nodes that must have ended before any of its results is made, whatever the choices.
    `waits`: for each node a list of sets of nodes, one set for each result of each of its choices: the nodes that must
    have ended before that result is made; so no result of the node is made before all nodes of one of these sets have
    ended. `between`: the nodes on a path from the start of the longest chain to its end; either all nodes of a region
    or none, since the region may run one of its nodes before the others.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.made: list[frozenset[int]] = []
        self.waits: list[list[frozenset[int]]] = []
        self.loose: set[int] = set()
        """Nodes of which some part may still run after their results are available."""
        for node in problem.nodes:
            known = [_waits(choice, frozenset()) for choice in node.choices]
            results = [each[value] for each in known for value in node.writes if value in each]
            self.made.append(self._makers(_common(results)))
            self.waits.append([self._makers(waits) for each in known for waits in each.values()])
            if not all(_ended(choice, [node.writes]) for choice in node.choices):
                self.loose.add(node.index)
        self.ending: dict[int, list[Region]] = defaultdict(list)
        """The regions that run at each node's position, if no other node reads their results before."""
        for region in problem.regions:
            self._join(region)
            if _runs(problem, region):
                self.ending[max(region.nodes)].append(region)
        self.leads, self.between = self._between()
        while torn := _torn(problem, self.between):
            self.loose |= torn
            self.leads, self.between = self._between()

    def regions(self, nodes: Sequence[int]) -> tuple[Region, ...]:
        """The regions whose last node is among the given nodes, except regions that can't run as a whole."""
        return tuple(region for node in nodes for region in self.ending.get(node, ()))

    def _join(self, region: Region) -> None:
        writes = {node: self.problem.nodes[node].writes for node in region.nodes}
        inside = frozenset(value for values in writes.values() for value in values)
        known = _waits(region.choice, inside)
        results = [known[value] for value in inside if value in known]
        together = self._makers(_common(results)) | set(region.nodes)
        for node in region.nodes:
            self.made[node] &= together
            self.waits[node] += [self._makers(waits) for waits in known.values()]
        read = {value for node in region.nodes for value in self.problem.nodes[node].reads}
        if not _ended(region.choice, [values for values in writes.values() if read.isdisjoint(values)]):
            self.loose.update(region.nodes)

    def _makers(self, values: Iterable[int]) -> frozenset[int]:
        return frozenset(self.problem.producer[value] for value in values if value in self.problem.producer)

    def _between(self) -> tuple[list[frozenset[int]], frozenset[int]]:
        """For each node its predecessors, where nodes that are not on a path from the start to the end are replaced by
        their own predecessors; and the nodes of `between`."""
        leads: list[frozenset[int]] = []
        ends: list[float] = []
        for node in self.problem.nodes:
            mine = self.made[node.index]
            past = (leads[other] for other in mine & self.loose)
            leads.append(mine.difference(self.loose).union(*past))
            fastest = min(choice.cost.ns for choice in node.choices)
            ends.append(fastest + max((ends[other] for other in leads[-1]), default=0.0))
        if not ends:
            return leads, frozenset()
        target = source = max(range(len(ends)), key=lambda node: ends[node])
        while leads[source]:
            source = max(leads[source], key=lambda other: (ends[other], other))
        leading, following = {target}, {source}
        following.update(*(region.nodes for region in self.problem.regions if source in region.nodes))
        for node in range(target, -1, -1):
            if node in leading:
                leading.update(leads[node])
        for node in range(source + 1, target + 1):
            if all(not following.isdisjoint(waits) for waits in self.waits[node]):
                following.add(node)
        return leads, frozenset(leading & following) - self.loose

    def tied(self) -> list[int]:
        """The nodes that are ancestors or descendants of every node of `between`."""
        between = sorted(self.between)
        first = dict.fromkeys(between, len(self.leads))  # the first consumer of each node
        for node in between:
            for other in self.leads[node]:
                if other in first:
                    first[other] = min(first[other], node)
        last: list[int] = []  # the latest node between that every part of a node depends on
        for waits in self.waits:
            known = [[other if other in first else last[other] for other in way if other < len(last)] for way in waits]
            last.append(min((max(way, default=-1) for way in known), default=-1))
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
    """For each value that a choice makes, the outside values that it depends on, directly or through earlier parts of
    the choice; `inside`: values made by the choice itself."""
    known: dict[int, frozenset[int]] = {}
    for part in choice.parts:
        waits = frozenset(
            outer for value in part.reads for outer in known.get(value, () if value in inside else (value,))
        )
        known |= dict.fromkeys(part.writes, waits)
    return known


def _torn(problem: Problem, nodes: AbstractSet[int]) -> set[int]:
    """The nodes of a set that share a region with nodes outside of the set."""
    torn = (region.nodes for region in problem.regions if not nodes >= set(region.nodes))
    return {node for members in torn for node in members if node in nodes}


def _runs(problem: Problem, region: Region) -> bool:
    """True if a region can run as a whole: no node outside of it reads its results before the region has run."""
    last = max(region.nodes)
    readers = {
        reader for node in region.nodes for value in problem.nodes[node].writes for reader in problem.consumers[value]
    }
    return all(reader > last for reader in readers.difference(region.nodes))


def _ended(choice: Choice, results: Iterable[Sequence[int]]) -> bool:
    """True if the availability of results implies that all parts of a choice have ended. `results`: groups of values;
    one value of each group is available, but it may be any of them."""
    ended: set[int] = set()
    for group in results:
        ways: list[set[int]] = []
        for value in group:
            needed, parts = {value}, set[int]()
            for place, part in reversed(list(enumerate(choice.parts))):
                if not needed.isdisjoint(part.writes):
                    needed.update(part.reads)
                    parts.add(place)
            ways.append(parts)
        ended |= ways[0].intersection(*ways[1:]) if ways else set()
    return len(ended) == len(choice.parts)


def _made_at_once(problem: Problem, node: int, ways: _Ways) -> bool:
    """True if all results of a node are made by its last task, on the device stated in `lands`, and the node can also
    run by itself."""
    writes, alone = problem.nodes[node].writes, problem.nodes[node].choices
    regions = [region.choice for region in ways.ending.get(node, ())]
    if not {choice.lands for choice in regions} <= {choice.lands for choice in alone}:
        return False
    for choice in (*alone, *regions):
        last = choice.parts[-1]
        if last.device != choice.lands or not set(writes) <= set(last.writes) or not _ended(choice, [last.writes]):
            return False
    return bool(writes)


def _cuts(problem: Problem, tied: Sequence[int], ways: _Ways) -> list[int]:
    """The tied nodes across which no more values are live than across the neighbouring tied nodes."""
    inside = {node for region in problem.regions for node in range(min(region.nodes), max(region.nodes))}
    tied = [node for node in tied if node not in inside and _made_at_once(problem, node, ways)]
    last = [
        max((reader for reader in problem.consumers.get(value, ()) if reader in ways.between), default=-1)
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


def result_devices(problem: Problem, node: int) -> tuple[str, ...]:
    """The devices on which the results of a cut may be."""
    return tuple(dict.fromkeys(choice.lands for choice in problem.nodes[node].choices))


def part_of(problem: Problem, segment: Segment, entry_device: str | None, exit_device: str | None) -> Problem:
    """A segment as a separate problem, with the value numbers and the choices of the whole problem.

    The results of the cut before the segment are on `entry_device`; the results of the segment's last node must be on
    `exit_device`. Values made before that cut are on all devices at the start, since they may have been copied long
    before. Memory of these copies is not charged, since they need not exist.
    """
    reads: dict[int, None] = {}
    made: set[int] = set()
    for index in segment.nodes:
        reads.update(dict.fromkeys(value for value in problem.nodes[index].reads if value not in made))
        made.update(problem.nodes[index].writes)
    entry = problem.nodes[segment.entry].writes if segment.entry is not None else ()
    outputs = [value for value in problem.outputs if value in made or value in entry] if segment.exit is None else []
    reads.update(dict.fromkeys(value for value in outputs if value not in made))
    old = [value for value in reads if value not in entry and (value in problem.producer or segment.entry is not None)]
    part = problem.part([0 if value in old else size for value, size in enumerate(problem.sizes)] if old else None)
    part.inputs, part.outputs, part.returned_residents = tuple(reads), tuple(outputs), ()
    numbers: dict[int, int] = {}
    for index in segment.nodes:
        node = problem.nodes[index]
        choices = node.choices
        if index == segment.exit and exit_device is not None:
            choices = tuple(choice for choice in choices if choice.lands == exit_device)
        numbers[index] = len(part.nodes)
        part.node(node.op, choices, node.reads, node.writes)
    for region in segment.regions:
        if exit_device is None or max(region.nodes) != segment.exit or region.choice.lands == exit_device:
            part.regions.append(Region(tuple(numbers[index] for index in region.nodes), region.choice))
    everywhere = (problem.primary, *(device for device in problem.devices if device != problem.primary))
    known = problem.present_at if segment.entry is None else {}
    part.present_at = {value: known[value] for value in reads if value in known}
    part.present_at |= {value: (entry_device,) for value in reads if value in entry and entry_device is not None}
    part.present_at |= dict.fromkeys(old, everywhere)
    return part


def shape_of_problem(part: Problem) -> Hashable:
    """The key of a problem: problems with equal keys have equal schedules, choice by choice and job by job."""
    numbers: dict[int, int] = {}
    weights: dict[Hashable, int] = {}

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
                tuple((weights.setdefault(resident, len(weights)), nbytes) for resident, nbytes in each.residents),
                part.draw(each.device, each.cost, each.op) if not each.view else 0.0,
            )
            for each in choice.parts
        )

    inputs = tuple((number(value), part.present_at.get(value)) for value in part.inputs)
    nodes = tuple(tuple(map(shape, node.choices)) for node in part.nodes)
    regions = tuple((region.nodes, shape(region.choice)) for region in part.regions)
    return inputs, nodes, regions, tuple((number(value), part.exit_of(value)) for value in part.outputs)


def same_choices(solved: Problem, placement: Placement, part: Problem) -> list[Choice]:
    """The choices of `part` that correspond to `placement`, a placement of the equal problem `solved`."""
    regions = {theirs.choice: mine.choice for theirs, mine in zip(solved.regions, part.regions, strict=True)}
    found: list[Choice] = []
    for theirs, mine, choice in zip(solved.nodes, part.nodes, placement, strict=True):
        found.append(regions[choice] if choice in regions else mine.choices[theirs.choices.index(choice)])
    return found


def pairs(problem: Problem, segment: Segment) -> Iterator[tuple[str | None, str | None]]:
    """The possible pairs of devices at the ends of a segment; None for the start or end of the program."""
    entry_device = (None,) if segment.entry is None else result_devices(problem, segment.entry)
    exit_device = (None,) if segment.exit is None else result_devices(problem, segment.exit)
    return ((a, b) for a in entry_device for b in exit_device)
