"""Folding of directed graphs: repeated parts, such as the layers of a network, are merged into one part that states its
number of repetitions.

A graph is a sequence of nodes, each after the nodes that it reads, with loops around parts of the sequence. A part of a
sequence is repeated if it is followed by parts of the same length whose nodes have equal keys and equal wiring: from
one repetition to the next, each input of a node either stays the same, or moves on by a constant number of nodes, for
instance to the same node of the next repetition. In the first repetition, inputs that later come from the repetition
before may come from any earlier node. Repeated parts may contain repeated parts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

SAVED = 3
"""The smallest number of nodes that merging a repeated part must save."""
STARTS = 24
"""The largest number of positions that are tried as the start of one repeated part."""

Indices: TypeAlias = NDArray[np.int64]


@dataclass
class Loop:
    """A loop of the program: the numbers of its nodes, and inner loops, in order."""

    name: str
    iterations: int
    items: list[int | Loop] = field(default_factory=list["int | Loop"])


@dataclass
class Graph:
    """A graph to be folded. Nodes are numbered from 0 in an order in which each node follows all nodes that it reads.

    `keys`: equal for equal nodes; `inputs`: the nodes that each node reads; `sinks`: nodes that are moved to the
    position after the last node that they read, such as results; `sources`: nodes without inputs that are moved to the
    position before their first reader, such as arguments; `items`: all nodes and loops, in order.
    """

    keys: list[Hashable] = field(default_factory=list[Hashable])
    inputs: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    sinks: set[int] = field(default_factory=set[int])
    sources: set[int] = field(default_factory=set[int])
    items: list[int | Loop] = field(default_factory=list["int | Loop"])


@dataclass
class Part:
    """Nodes and inner parts, in order, which occur `times` times in a row; or the body of a loop with `times`
    iterations. `loop`: the loop's name; empty for repeated nodes."""

    items: list[int | Part] = field(default_factory=list["int | Part"])
    times: int = 1
    loop: str = ""

    def nodes(self) -> Iterator[int]:
        """All nodes of the part and its inner parts, in order."""
        for item in self.items:
            if isinstance(item, Part):
                yield from item.nodes()
            else:
                yield item


@dataclass
class Folding:
    """A folded graph. `first`: for each node the node that stands for it, which is the node itself or the equal node of
    the first repetition; `whole`: the nodes that remain, with repeated parts and loops; `order`: all nodes, in the
    order in which repetitions follow each other."""

    first: list[int]
    whole: Part
    order: list[int]


def folded(graph: Graph, fold: bool = True) -> Folding:
    """The graph with its repeated parts merged. Parts are searched for in two orders of the nodes, the given one and
    one along the data flow; the result with fewer nodes is returned. `fold`: False merges nothing."""
    given = _Folder(graph, _attached(graph)).folding(fold)
    if not fold:
        return given
    other = _Folder(graph, _along_data).folding(fold)
    return min(given, other, key=lambda folding: len(set(folding.first)))


class _Edges(NamedTuple):
    """The edges between the items of one block: for each item, the items that it reads and those that read it."""

    inputs: list[list[int]]
    readers: list[list[int]]


Order: TypeAlias = Callable[[Sequence["int | Loop"], _Edges], list[int]]
"""A function from the items of a block and their edges to an order of the items, as a list of their indices."""


def _attached(graph: Graph) -> Order:
    """The given order, except that each source precedes its first reader, and each sink follows the last node that it
    reads."""

    def order(items: Sequence[int | Loop], edges: _Edges) -> list[int]:
        placed: dict[int, None] = {}
        nodes = {index: item for index, item in enumerate(items) if isinstance(item, int)}
        sinks = {index for index, node in nodes.items() if node in graph.sinks and edges.inputs[index]}
        late = {index for index, node in nodes.items() if node in graph.sources and edges.readers[index]}
        for index in range(len(items)):
            if index in placed or index in sinks or index in late:
                continue
            placed |= dict.fromkeys(other for other in edges.inputs[index] if other in late)
            placed[index] = None
            placed |= dict.fromkeys(
                reader
                for reader in edges.readers[index]
                if reader in sinks and all(other in placed for other in edges.inputs[reader])
            )
        left = [index for index in (*late, *sinks) if index not in placed]  # a source that only a sink reads
        return [*placed, *sorted(left)]

    return order


def _along_data(items: Sequence[int | Loop], edges: _Edges) -> list[int]:
    """An order that depends on the edges alone, in which the nodes of a layer are neighbours even if the given order
    mixes layers: nodes that three or more nodes read, those with the most readers first, and then nodes without
    readers, those with the longest path to them first; each after everything that it depends on. A node with one input
    follows it at once if no node reads it, or only such nodes."""
    depth = [0] * len(items)
    for index in range(len(items)):
        depth[index] = max((depth[other] + 1 for other in edges.inputs[index]), default=0)
    hanging = [False] * len(items)
    for index in reversed(range(len(items))):
        alone = all(hanging[reader] and len(edges.inputs[reader]) == 1 for reader in edges.readers[index])
        hanging[index] = alone and bool(edges.inputs[index])
    shared = [index for index in range(len(items)) if len(edges.readers[index]) >= 3]
    shared.sort(key=lambda index: (-len(edges.readers[index]), depth[index], index))
    placed: dict[int, None] = {}
    last = [index for index in range(len(items)) if not edges.readers[index]]
    last.sort(key=lambda index: -depth[index])
    for seed in (*shared, *last):
        waiting = [seed]
        while waiting:
            index = waiting[-1]
            missing = [other for other in edges.inputs[index] if other not in placed] if index not in placed else []
            if missing:
                waiting.append(missing[0])
                continue
            waiting.pop()
            if index in placed:
                continue
            placed[index] = None
            after = [r for r in edges.readers[index] if hanging[r] and len(edges.inputs[r]) == 1 and r not in placed]
            waiting += reversed(after)
    return list(placed)


class _Folder:
    """The folding of one graph whose blocks (the program, and the body of each loop) are put in one order first."""

    def __init__(self, graph: Graph, order: Order) -> None:
        self.graph, self.order = graph, order
        self.first = list(range(len(graph.keys)))
        self.numbers: dict[Hashable, int] = {}
        """A number for each key of an item, equal for equal keys."""

    def folding(self, fold: bool) -> Folding:
        """The folding of the graph in this order. `fold`: False merges nothing."""
        shown, _, order = self.block(self.graph.items, fold)
        for index in range(len(self.first)):
            stands = index
            while self.first[stands] != stands:
                stands = self.first[stands]
            self.first[index] = stands
        return Folding(self.first, Part(shown), order)

    def block(self, items: Sequence[int | Loop], fold: bool) -> tuple[list[int | Part], Hashable, list[int]]:
        """The folded items of a block, a key that is equal for equal blocks, and the block's nodes in order."""
        inner = {index: self.block(item.items, fold) for index, item in enumerate(items) if isinstance(item, Loop)}
        nodes = [inner[index][2] if isinstance(item, Loop) else [item] for index, item in enumerate(items)]
        holder = {node: index for index, each in enumerate(nodes) for node in each}
        edges = _Edges([[] for _ in items], [[] for _ in items])
        for index, each in enumerate(nodes):
            found = dict.fromkeys(
                holder[other]
                for node in each
                for other in self.graph.inputs[node]
                if other in holder and holder[other] != index
            )
            edges.inputs[index] = list(found)
            for other in found:
                edges.readers[other].append(index)
        order = self.order(items, edges)
        place = {old: new for new, old in enumerate(order)}
        nodes = [nodes[old] for old in order]
        shown: list[int | Part] = []
        keys: list[int] = []
        sources: list[list[tuple[int, int]]] = []
        for new, old in enumerate(order):
            item = items[old]
            at = {node: offset for offset, node in enumerate(nodes[new])}
            read: list[tuple[int, int]] = []
            offsets: list[Hashable] = []
            for node in nodes[new]:
                for other in self.graph.inputs[node]:
                    if other in at:
                        offsets.append(at[other])
                    elif other in holder:
                        target = place[holder[other]]
                        offsets.append("in the block")
                        read.append((target, nodes[target].index(other)))
                    else:
                        offsets.append("outside")
                        read.append((-2 - other, 0))
                offsets.append(None)
            own: Hashable = (
                self.graph.keys[item] if isinstance(item, int) else (item.name, item.iterations, inner[old][1])
            )
            key = own, tuple(offsets)
            keys.append(self.numbers.setdefault(key, len(self.numbers)))
            sources.append(read)
            shown.append(item if isinstance(item, int) else Part(inner[old][0], item.iterations, item.name))
        if fold:
            shown = _Block(keys, sources, nodes, self.first).parts(shown, 0, len(shown))
        wired = tuple(tuple((new - i if i >= 0 else -1, j) for i, j in read) for new, read in enumerate(sources))
        return shown, (tuple(keys), wired), [node for each in nodes for node in each]


class _Block:
    """The items of a block: a number that is equal for equal items (`keys`); for each input of an item, the position of
    the item that it comes from, or a negative number for a node outside of the block, and the index of the node in that
    item (`sources`); and the nodes of each item."""

    def __init__(
        self,
        keys: Sequence[int],
        sources: Sequence[Sequence[tuple[int, int]]],
        nodes: Sequence[Sequence[int]],
        first: list[int],
    ) -> None:
        self.keys = np.array(keys, np.int64)
        self.nodes, self.first = nodes, first
        self.sources = np.full((len(keys), max(map(len, sources), default=0)), -1, np.int64)
        self.offsets = np.zeros_like(self.sources)
        last = list(range(len(keys)))
        for index, read in enumerate(sources):
            self.sources[index, : len(read)] = [other for other, _ in read]
            self.offsets[index, : len(read)] = [offset for _, offset in read]
            for other, _ in read:
                if other >= 0:
                    last[other] = index
        live = np.zeros(len(keys) + 2, np.int64)
        for index, end in enumerate(last):
            live[index + 1] += 1
            live[end + 1] -= 1
        self.live: Indices = live.cumsum()
        """For each position, the number of items before it that items at or after it read."""

    def parts(self, shown: list[int | Part], start: int, end: int) -> list[int | Part]:
        """The items from `start` to `end`, in which the repetition that saves the most nodes is merged, and the items
        before, in and after it are treated likewise."""
        found = self.repetition(start, end)
        if found is None:
            return shown[start:end]
        at, period, times = found
        for place in range(at + period, at + period * times):
            for node, stands in zip(self.nodes[place], self.nodes[place - period], strict=True):
                self.first[node] = stands
        inner = Part(self.parts(shown, at, at + period), times)
        return [*self.parts(shown, start, at), inner, *self.parts(shown, at + period * times, end)]

    def repetition(self, start: int, end: int) -> tuple[int, int, int] | None:
        """The start, the period and the number of repetitions of the part whose merging saves the most items; of
        several, the one with the shortest period. None if no merging saves `SAVED` items."""
        best, saved, keys = None, SAVED - 1, self.keys[start:end]
        for period in range(1, len(keys) // 2 + 1):
            if len(keys) - period <= saved:
                break
            same = np.concatenate(([False], keys[period:] == keys[:-period], [False]))
            bounds = np.flatnonzero(same[1:] != same[:-1]) + start
            for begin, stop in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True):
                if (stop - begin) // period * period <= saved:
                    continue
                for at, reach in self.starts(begin, stop, period):
                    if reach // period * period > saved:
                        saved = reach // period * period
                        best = at, period, reach // period + 1, stop
        if best is None:
            return None
        at, period, times, stop = best
        same_length = range(at, stop - (times - 1) * period + 1)
        for other in sorted(same_length[:period], key=lambda place: self.live[place]):
            if self.reach(other, stop, period) // period + 1 >= times:
                return other, period, times
        return at, period, times

    def starts(self, begin: int, stop: int, period: int) -> Iterator[tuple[int, int]]:
        """Positions where repetitions with a period may start, each with the number of items from there on whose wiring
        is equal to that of the item one period later. `begin`, `stop`: the range in which their keys are equal."""
        step = self.sources[begin + period : stop + period] - self.sources[begin:stop]
        odd = np.flatnonzero(((step != period) & (step != 0)).any(axis=1)) + begin
        tried = {begin: None}
        for index in odd.tolist():
            lowest = int(self.sources[index].max()) + 1
            tried |= dict.fromkeys((index + 1, max(lowest, begin, index - period + 1)))
            if len(tried) > STARTS:
                break
        for at in sorted(tried):
            if at < stop:
                yield at, self.reach(at, stop, period)

    def reach(self, at: int, stop: int, period: int) -> int:
        """The number of items from `at` on, none of them at `stop` or later, whose wiring is equal to that of the item
        one period later, if a repeated part starts at `at`."""
        now, later = self.sources[at:stop], self.sources[at + period : stop + period]
        step = later - now
        steady = np.zeros(step.shape, bool)
        if len(step) > period:
            equal = step[period:] == step[:-period]
            steady[period:] |= equal
            steady[:-period] |= equal
        moves = step == period
        fine = (moves & (now >= at)) | ((now < at) & (later < at) & (moves | (step == 0) | steady))
        fine &= self.offsets[at:stop] == self.offsets[at + period : stop + period]
        fine[:period] |= (now[:period] < at) & (later[:period] >= at)
        wrong = np.flatnonzero(~fine.all(axis=1))
        return int(wrong[0]) if len(wrong) else len(step)


def runs(pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int, int, int]]:
    """A list of pairs of numbers, divided into arithmetic sequences. For each sequence: both numbers of its first pair,
    the number of its pairs, and the steps of both numbers from one pair to the next."""
    start, count, step = (0, 0), 0, (0, 0)
    for pair in pairs:
        if count == 1:
            step = pair[0] - start[0], pair[1] - start[1]
        if count and (start[0] + count * step[0], start[1] + count * step[1]) == pair:
            count += 1
            continue
        if count:
            yield *start, count, *step
        start, count, step = pair, 1, (0, 0)
    if count:
        yield *start, count, *step
