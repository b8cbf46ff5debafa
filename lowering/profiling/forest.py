"""The minimum number of profiling runs if producers and consumers form a forest: exact, from the counts of each node's
choices alone.

In k runs, let n(i, c) be the number of runs in which node i takes choice c, and N(a, b) the number of runs in which the
producer of a value has choice a and its consumer choice b. Every table N with the row sums of the producer and the
column sums of the consumer is feasible, since the runs of the consumer can be paired freely with those of the producer,
and a tree has no cycle that could contradict the pairing. A table N >= M exists if and only if rows(M) <= n(producer)
and columns(M) <= n(consumer), since the remainders have equal sums and fill the table by the north-west corner rule (a
transportation problem). So only the counts matter:

    runs suffice   iff   each node has counts of sum k, at least 1 for each choice that must run, and for each edge
                         one set M of cells that covers its hops with rows(M) <= n(producer), columns(M) <= n(consumer)

For a chain of which all hops are required this gives k = max over nodes of the sum over devices of max(hops in, hops
out): the minimum flow through the layered graph with lower bounds, and so its largest antichain (Dilworth).

Counts are decided from the leaves to the root of each tree. Choices of a node that are equivalent on one edge form a
*face* of that edge; choices that are equivalent on all edges of the node form a *kind*. A *partition* distributes the k
runs over a node's kinds, by a number of runs for each kind; a set of partitions is a bit set, an integer with one bit
per partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from math import comb
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lowering.instance.memories import union
from lowering.profiling.items import Picks

STATES = 20_000
"""Divisions of a node's profiling runs among the kinds of its choices, at most."""
COVERS = 4_000
"""Sets of pairs (choice of the producer, choice of the consumer) that together need all hops of one edge, at most."""

Table: TypeAlias = "tuple[tuple[int, ...], ...]"


class Intractable(Exception):
    """Raised if the number of cases exceeds the limit: the minimum stays unknown."""


class Edge(NamedTuple):
    """A producer and a consumer, and the hops that must be made between them: `hops[p][c]` are the hops, as bits, with
    choice p of the producer and choice c of the consumer."""

    maker: int
    reader: int
    hops: Table
    required: int


class Cover(NamedTuple):
    """One set of cells (choice of the producer, choice of the consumer) in which all hops of an edge are made: its
    number of cells per row, its number of cells per column, and the set."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    cells: tuple[tuple[int, int], ...]


class Sides(NamedTuple):
    """An edge after merging equivalent choices into faces: the face of each choice of the producer, the face of each
    choice of the consumer, and the covers, whose cells are pairs of faces."""

    maker: tuple[int, ...]
    reader: tuple[int, ...]
    covers: tuple[Cover, ...]


def joined(edges: Iterable[Edge]) -> list[Edge]:
    """Edges with parallel ones merged into one edge, whose hops are the concatenation of those of the merged edges."""
    found: dict[tuple[int, int], Edge] = {}
    for edge in edges:
        key = edge[:2]
        if key not in found:
            found[key] = edge
            continue
        before = found[key]
        shift = max(before.required, union(map(union, before.hops))).bit_length()
        hops = tuple(
            tuple(a | b << shift for a, b in zip(*rows, strict=True))
            for rows in zip(before.hops, edge.hops, strict=True)
        )
        found[key] = Edge(*key, hops, before.required | edge.required << shift)
    return list(found.values())


_SIDES: dict[tuple[Table, int], Sides] = {}


def sides_of(hops: Table, required: int) -> Sides:
    """The faces and covers of an edge. Raises Intractable if there are too many covers."""
    if (hops, required) not in _SIDES:
        table = tuple(tuple(cell & required for cell in row) for row in hops)
        rows = {row: number for number, row in enumerate(dict.fromkeys(table))}
        columns = {column: number for number, column in enumerate(dict.fromkeys(zip(*table, strict=True)))}
        cells = {
            (i, j): column[first]
            for row, i in rows.items()
            for first in (table.index(row),)
            for column, j in columns.items()
        }
        maker = tuple(rows[row] for row in table)
        reader = tuple(columns[column] for column in zip(*table, strict=True))
        _SIDES[hops, required] = Sides(maker, reader, _covers(cells, required, len(rows), len(columns)))
    return _SIDES[hops, required]


def _covers(cells: dict[tuple[int, int], int], required: int, rows: int, columns: int) -> tuple[Cover, ...]:
    """The sets of cells in which all required hops are made, with minimal sums: a set is left out if another one has no
    more cells in any row and in any column."""
    found: dict[frozenset[tuple[int, int]], None] = {}
    open_: list[tuple[int, frozenset[tuple[int, int]]]] = [(required, frozenset())]
    while open_:
        left, chosen = open_.pop()
        if not left:
            found[chosen] = None
        else:
            lowest = left & -left
            open_ += [(left & ~hops, chosen | {cell}) for cell, hops in cells.items() if hops & lowest]
        if len(found) + len(open_) > COVERS:
            raise Intractable
    by_sums: dict[tuple[int, ...], Cover] = {}
    for chosen in found:
        sums = tuple(sum(cell[0] == i for cell in chosen) for i in range(rows))
        others = tuple(sum(cell[1] == j for cell in chosen) for j in range(columns))
        by_sums.setdefault((*sums, *others), Cover(sums, others, tuple(sorted(chosen))))
    least: list[tuple[tuple[int, ...], Cover]] = []
    for sums, cover in sorted(by_sums.items(), key=lambda each: (sum(each[0]), each[0])):
        if not any(all(a <= b for a, b in zip(other, sums, strict=True)) for other, _ in least):
            least.append((sums, cover))
    return tuple(cover for _, cover in least)


@cache
def _partitions(k: int, kinds: int) -> NDArray[np.int64]:
    """All distributions of k runs over `kinds` kinds: one row per partition, with the number of runs of each kind.
    Enumerated by the positions of separators between the kinds."""
    bars = combinations(range(k + kinds - 1), kinds - 1)
    at = np.array([(-1, *places, k + kinds - 1) for places in bars], dtype=np.int64)
    return np.diff(at, axis=1) - 1


@dataclass
class _Space:
    """The partitions of k runs over the kinds of a node's choices. A set of partitions is an integer with one bit per
    partition."""

    k: int
    kinds: int
    states: NDArray[np.int64] = field(init=False)
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = field(
        default_factory=dict[tuple[tuple[int, ...], tuple[int, ...]], int]
    )

    def __post_init__(self) -> None:
        if comb(self.k + self.kinds - 1, self.kinds - 1) > STATES:
            raise Intractable
        self.states = _partitions(self.k, self.kinds)

    def state(self, index: int) -> list[int]:
        """The number of runs of each kind in the partition number `index`."""
        return self.states[index].tolist()

    def at_least(self, faces: tuple[int, ...], least: tuple[int, ...]) -> int:
        """The set of partitions, as bits, that have enough runs for each face: the numbers of runs of all kinds that
        belong to face f sum to at least `least[f]`. `faces`: for each kind the face that it belongs to."""
        key = (faces, least)
        if key not in self.known:
            belongs = np.array([[face == each for each in range(len(least))] for face in faces], dtype=np.int64)
            enough = np.all(self.states @ belongs >= np.array(least), axis=1)
            self.known[key] = int.from_bytes(np.packbits(enough, bitorder="little").tobytes(), "little")
        return self.known[key]


class _TreeNode:
    """A node of the forest, with its kinds: sets of choices that are equivalent on each of its edges."""

    def __init__(self, ways: int, required: int, faces: Sequence[tuple[int, ...]]) -> None:
        alike: dict[tuple[int, ...], list[int]] = {}
        for choice in range(ways):
            alike.setdefault(tuple(face[choice] for face in faces), []).append(choice)
        self.kinds = list(alike.values())
        self.faces = [tuple(face[kind[0]] for kind in self.kinds) for face in faces]
        self.required = required
        self.needed = tuple(sum(required >> choice & 1 for choice in kind) for kind in self.kinds)
        self.allowed = 0
        """The set of partitions (one bit each) that are feasible for this node and the trees below it."""

    def picks(self, kind: int, count: int) -> list[int]:
        """`count` choices of a kind, including each choice of that kind that must run."""
        must = [choice for choice in self.kinds[kind] if self.required >> choice & 1]
        return (must + [self.kinds[kind][0]] * count)[:count]


class Forest:
    """Nodes and edges without a cycle, for which the minimum number of runs is found."""

    def __init__(self, ways: Sequence[int], nodes: Sequence[int], edges: Sequence[Edge]) -> None:
        """`ways` and `nodes` as in `Requirements`. Raises Intractable if an edge has too many covers."""
        self.edges = edges
        self.sides = [sides_of(edge.hops, edge.required) for edge in edges]
        incident: list[list[int]] = [[] for _ in ways]
        for number, edge in enumerate(edges):
            incident[edge.maker].append(number)
            incident[edge.reader].append(number)
        self.incident = incident
        self.spots = [
            _TreeNode(ways[node], nodes[node], [self._faces(node, number) for number in incident[node]])
            for node in range(len(ways))
        ]
        self.order, self.above = self._rooted()
        self.stuck = 0
        """The node at which the last queried number of runs was found to be too small."""

    def runs(self, k: int) -> list[Picks] | None:
        """`k` runs that take all required choices and make all required hops; None if no `k` runs do. Raises
        Intractable."""
        if not self.possible(k):
            return None
        chosen: list[Picks] = [[] for _ in self.spots]
        for node in self.order:
            chosen[node] = self._root(node, k) if self.above[node] is None else self._below(node, chosen)
        return [list(picks) for picks in zip(*chosen, strict=True)] if k else []

    def possible(self, k: int) -> bool:
        """True if `k` runs suffice. Raises Intractable."""
        self._spaces = {kinds: _Space(k, kinds) for kinds in {len(tree_node.kinds) for tree_node in self.spots}}
        for tree_node in self.spots:
            tree_node.allowed = self._space(tree_node).at_least(tuple(range(len(tree_node.kinds))), tree_node.needed)
        for node in reversed(self.order):
            tree_node, number = self.spots[node], self.above[node]
            if not tree_node.allowed:
                self.stuck = node
                return False
            if number is not None:
                parent = self._other(node, number)
                self.spots[parent].allowed &= union(
                    theirs for mine, theirs, _ in self._compatible(node, parent, number) if mine & tree_node.allowed
                )
        return True

    def _space(self, tree_node: _TreeNode) -> _Space:
        return self._spaces[len(tree_node.kinds)]

    def _faces(self, node: int, number: int) -> tuple[int, ...]:
        return self.sides[number].maker if self.edges[number].maker == node else self.sides[number].reader

    def _other(self, node: int, number: int) -> int:
        edge = self.edges[number]
        return edge.reader if edge.maker == node else edge.maker

    def _compatible(self, node: int, parent: int, number: int) -> Iterable[tuple[int, int, Cover]]:
        """For each cover of an edge: the set of partitions of the node and the set of partitions of its parent with
        which the cover is possible, both as bits, and the cover."""
        makes = self.edges[number].maker == node
        mine, theirs = self.spots[node], self.spots[parent]
        my_faces = mine.faces[self.incident[node].index(number)]
        their_faces = theirs.faces[self.incident[parent].index(number)]
        for cover in self.sides[number].covers:
            own, other = (cover.rows, cover.columns) if makes else (cover.columns, cover.rows)
            yield self._space(mine).at_least(my_faces, own), self._space(theirs).at_least(their_faces, other), cover

    def _rooted(self) -> tuple[list[int], list[int | None]]:
        """The nodes from the roots down, and for each node the edge to its parent."""
        above: list[int | None] = [None] * len(self.spots)
        seen = [False] * len(self.spots)
        order: list[int] = []
        for root in range(len(self.spots)):
            if seen[root]:
                continue
            seen[root] = True
            order.append(root)
            for node in (tree := [root]):
                for number in self.incident[node]:
                    other = self._other(node, number)
                    if not seen[other]:
                        seen[other], above[other] = True, number
                        tree.append(other)
                        order.append(other)
        return order, above

    def _root(self, node: int, k: int) -> Picks:
        tree_node = self.spots[node]
        state = self._space(tree_node).state(_first(tree_node.allowed))
        return [choice for kind, count in enumerate(state) for choice in tree_node.picks(kind, count)] if k else []

    def _below(self, node: int, chosen: list[Picks]) -> Picks:
        """The choices of a node in each run, given the choices of its parent."""
        number = self.above[node]
        assert number is not None
        parent, tree_node = self._other(node, number), self.spots[node]
        upper = [self._faces(parent, number)[choice] for choice in chosen[parent]]
        counts = tuple(upper.count(face) for face in range(max(self._faces(parent, number)) + 1))
        makes = self.edges[number].maker == node
        for mine, _, cover in self._compatible(node, parent, number):
            theirs = cover.columns if makes else cover.rows
            if mine & tree_node.allowed and all(a <= b for a, b in zip(theirs, counts, strict=True)):
                state = self._space(tree_node).state(_first(mine & tree_node.allowed))
                cells = [(j, i) if makes else (i, j) for i, j in cover.cells]
                return self._aligned(tree_node, state, tree_node.faces[self.incident[node].index(number)], upper, cells)
        raise AssertionError("the node above has counts that no cover allows")

    @staticmethod
    def _aligned(
        tree_node: _TreeNode, state: list[int], faces: tuple[int, ...], upper: list[int], cells: list[tuple[int, int]]
    ) -> Picks:
        """The choices of a node in each run, with the counts of a partition, such that each required cell (face of the
        parent's choice, face of the node's choice) occurs; the remaining choices are in any order. `upper`: the
        faces of the parent's choices."""
        stock: list[list[int]] = [[] for _ in range(max(faces) + 1)]
        for kind, count in enumerate(state):
            stock[faces[kind]] += tree_node.picks(kind, count)
        runs: list[list[int]] = [[] for _ in range(max(upper, default=0) + 1)]
        for run, face in enumerate(upper):
            runs[face].append(run)
        picks = [-1] * len(upper)
        for above, here in cells:
            picks[runs[above].pop()] = stock[here].pop()
        rest = [choice for choices in stock for choice in choices]
        for run, pick in enumerate(picks):
            if pick < 0:
                picks[run] = rest.pop(0)
        return picks


def _first(states: int) -> int:
    """The index of the partition in a set (as bits) that has the most runs of the first kind; among equal ones the most
    of the second kind, and so on."""
    return states.bit_length() - 1
