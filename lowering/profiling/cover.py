"""The minimum number of profiling runs for any graph: a lower bound, runs that attain it, and a search if they differ.

Forests of producers and consumers are solved exactly (lowering/profiling/forest.py), and both bounds use that:

    least   a relaxation: all consumers of a value are replaced by one consumer, which can have any combination of
            their choices at once, but has no other dependences; edges that close a cycle are left out
    runs    a restriction: each hop of a value is made to one designated consumer; hops on edges that close a cycle are
            checked afterwards, and added by further runs if they are missing

If the two differ, CP-SAT decides whether fewer runs suffice (lowering/profiling/search.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple, TypeAlias

from lowering.instance.memories import union
from lowering.profiling.forest import Edge, Forest, Intractable, joined, sides_of
from lowering.profiling.items import Picks, Requirements, ValueUse
from lowering.profiling.search import search

COLUMNS = 256
"""Combinations of the choices of a value's consumers that the relaxation distinguishes, at most."""

Order: TypeAlias = Callable[[Sequence[ValueUse]], list[ValueUse]]
"""The order in which hops are assigned to the consumers of a value."""


Proof: TypeAlias = Literal["nothing", "something", "choices", "ties", "search"]


class Minimum(NamedTuple):
    """Profiling runs that measure all required items, and `least`, a lower bound on their number. `proof`: the reason
    for the bound: no run is needed; at least one run is needed; a node has `least` choices; the choices and copies
    at a node need `least` runs; or an exhaustive search found no smaller set of runs. `at`: the number of that node."""

    runs: list[Picks]
    least: int
    proof: Proof
    at: int = 0


def minimum(required: Requirements, upper: Sequence[Picks] | None = None) -> Minimum:
    """The fewest profiling runs that measure all required items. `upper`: known runs that measure all of them."""
    if required.nothing:
        return Minimum([], 0, "nothing")
    least, proof, at = _Relaxation(required).least()
    best = min((list(runs) for runs in (upper, _built_up(required)) if runs is not None), key=len)
    low = k = least
    while low < len(best):
        runs, refuted = _designated(required, k), False
        if runs is None:
            runs, refuted = search(required, k)
        if runs is not None:
            best = runs
        else:
            least, proof = (k + 1, "search") if refuted and k == least else (least, proof)
            low = k + 1
        k = low if low == least else (low + len(best)) // 2  # unknown answers are skipped by bisection
    return Minimum([list(run) for run in best], least, proof, at)


class _Relaxation:
    """The relaxed requirements: a forest, for which it can be decided exactly whether k runs suffice."""

    def __init__(self, required: Requirements) -> None:
        self.floor = max((bits.bit_count() for bits in required.nodes), default=0)
        self.required, self.size = required, len(required.ways)
        self.forest: Forest | None = None
        self.makers: dict[int, int] = {}
        """For each merged consumer: the producer of its value."""
        ways, nodes, edges = list(required.ways), list(required.nodes), list[Edge]()
        lone = [each for each in _edges(required, _widest) if len(required.uses[each.value]) == 1]
        edges += filter(_is_tractable, _without_cycles([each.edge for each in lone], len(ways)))
        for value, hops in enumerate(required.hops):
            if hops and len(required.uses[value]) > 1:
                table = _all_together(required.uses[value], hops)
                edge = Edge(required.uses[value][0].maker, len(ways), table, hops)
                if not _is_tractable(edge):  # one consumer that is everywhere at once
                    table = tuple((union(row),) for row in table)
                    edge = edge._replace(hops=table)
                edges.append(edge)
                self.makers[len(ways)] = required.uses[value][0].maker
                ways.append(len(table[0]))
                nodes.append(0)
        with suppress(Intractable):
            self.forest = Forest(ways, nodes, edges)

    def least(self) -> tuple[int, Proof, int]:
        """The minimum number of runs of the relaxation, or a lower bound if the relaxation is too large to solve; the
        proof, and the node that it names."""
        k = max(self.floor, 1)
        proof: Proof = "choices" if self.floor else "something"
        at = max(range(self.size), key=lambda node: self.required.nodes[node].bit_count())
        with suppress(Intractable):
            while self.forest is not None and not self.forest.possible(k):
                k, proof, at = k + 1, "ties", self.makers.get(self.forest.stuck, self.forest.stuck)
        return k, proof, at


def _is_tractable(edge: Edge) -> bool:
    try:
        sides_of(edge.hops, edge.required)
    except Intractable:
        return False
    return True


def _all_together(uses: Sequence[ValueUse], hops: int) -> tuple[tuple[int, ...], ...]:
    """A table of the hops that a value makes to all of its consumers: a row for each choice of the producer, a column
    for each combination of the consumers' choices. Dominated columns are left out: those whose hops, in each row,
    are made in another column, too. Of more than `COLUMNS` columns, only their union is kept."""
    columns: set[tuple[int, ...]] = {(0,) * len(uses[0].hops)}
    for use in uses:
        theirs = {tuple(cell & hops for cell in column) for column in zip(*use.hops, strict=True)}
        columns = {tuple(a | b for a, b in zip(one, other, strict=True)) for one in columns for other in theirs}
        columns = {one for one in columns if not any(one != other and _within(one, other) for other in columns)}
        if len(columns) > COLUMNS or any(all(cell == hops for cell in one) for one in columns):
            columns = {tuple(union(column[row] for column in columns) for row in range(len(use.hops)))}
    return tuple(zip(*sorted(columns), strict=True))


def _within(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(a & ~b == 0 for a, b in zip(one, other, strict=True))


class _Designated(NamedTuple):
    value: int
    edge: Edge


def _edges(required: Requirements, order: Order) -> Iterator[_Designated]:
    """Edges from producers to designated consumers: the hops of each value are distributed over its consumers.
    Consumers are processed by descending number of required hops that can be made to them, and each is assigned
    those of its hops that no earlier consumer has."""
    for value, left in enumerate(required.hops):
        readers = order(required.uses[value]) if left else []
        readers.sort(key=lambda each: -(each.all_hops & required.hops[value]).bit_count())
        for use in readers:
            taken = use.all_hops & left
            if taken:
                yield _Designated(value, Edge(use.maker, use.reader, use.hops, taken))
                left &= ~taken


def _widest(uses: Sequence[ValueUse]) -> list[ValueUse]:
    return list(uses)


def _last(uses: Sequence[ValueUse]) -> list[ValueUse]:
    return list(reversed(uses))


def _without_cycles(edges: Iterable[Edge], nodes: int) -> list[Edge]:
    """A maximal set of edges without a cycle, in order, with parallel edges merged."""
    group = list(range(nodes))

    def root(node: int) -> int:
        while group[node] != node:
            group[node] = node = group[group[node]]
        return node

    kept: list[Edge] = []
    for edge in joined(edges):
        maker, reader = root(edge.maker), root(edge.reader)
        if maker != reader:
            group[maker] = reader
            kept.append(edge)
    return kept


def _designated(required: Requirements, k: int) -> list[Picks] | None:
    """`k` runs that measure all required items, each hop at one designated consumer; None if none were found."""
    for order in (_widest, _last):
        runs = _restricted(required, order, k)
        if runs is not None and required.after(runs).nothing:
            return runs
    return None


def _restricted(required: Requirements, order: Order, k: int) -> list[Picks] | None:
    """`k` runs that measure the requirements of a forest of designated consumers."""
    edges = _without_cycles((each.edge for each in _edges(required, order)), len(required.ways))
    try:
        return Forest(required.ways, required.nodes, edges).runs(k)
    except Intractable:
        return None


def _built_up(required: Requirements) -> list[Picks]:
    """Runs that measure all required items: the fewest runs for a forest of designated consumers, then, while items
    remain, the fewest runs for a forest of designated consumers of these items."""
    runs: list[Picks] = []
    left = required
    while not left.nothing:
        edges = _without_cycles((each.edge for each in _edges(left, _widest)), len(required.ways))
        try:
            forest = Forest(required.ways, left.nodes, edges)
            k = max(1, max(bits.bit_count() for bits in left.nodes))
            while (more := forest.runs(k)) is None:
                k += 1
        except Intractable:
            more = [_one_more(left)]
        runs += more
        left = left.after(more)
    return runs


def _one_more(left: Requirements) -> Picks:
    """A greedy run for the remaining items: from consumers to producers, each node takes the choice that measures the
    most of them."""
    picks = [0] * len(left.ways)
    making: dict[int, list[tuple[int, ValueUse]]] = {}
    for value, hops in enumerate(left.hops):
        for use in left.uses[value] if hops else ():
            making.setdefault(use.maker, []).append((value, use))

    def gain(node: int, choice: int) -> int:
        moved: dict[int, int] = {}
        for value, use in making.get(node, ()):
            moved[value] = moved.get(value, 0) | use.hops[choice][picks[use.reader]]
        return (left.nodes[node] >> choice & 1) + sum(
            (hops & left.hops[value]).bit_count() for value, hops in moved.items()
        )

    fixed: dict[int, int] = {}
    if not any(left.nodes):  # otherwise some node takes a required choice: so every run measures something
        ties = (_making(each, hops) for value, hops in enumerate(left.hops) for each in left.uses[value])
        fixed = next(filter(None, ties))
    for node in reversed(range(len(picks))):
        picks[node] = fixed.get(node, max(range(left.ways[node]), key=lambda choice: gain(node, choice)))
    return picks


def _making(use: ValueUse, hops: int) -> dict[int, int]:
    """For one pair of choices that makes one of the given hops: the producer and its choice, and the consumer and its
    choice, as node -> number of the choice; empty if no pair makes any."""
    for maker, row in enumerate(use.hops):
        for reader, made in enumerate(row):
            if made & hops:
                return {use.maker: maker, use.reader: reader}
    return {}
