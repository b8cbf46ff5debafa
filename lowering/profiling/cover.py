"""The minimum number of runs for any graph: a lower bound, runs that attain it, and a search if they differ.

Forests of producers and consumers are solved exactly (lowering/profiling/forest.py), and both bounds use that:

    least   a relaxation: all consumers of a value are replaced by one that can be in any combination of their places at
            once, but has no other dependences; edges that close a cycle are left out
    runs    a restriction: each hop of a value is made to one designated consumer; hops on edges that close a cycle are
            checked afterwards, and added by further runs if they are missing

If the two differ, CP-SAT decides whether fewer runs suffice (lowering/profiling/search.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple, TypeAlias

from lowering.limits import LIMITS
from lowering.profiling.forest import Edge, Forest, Unwieldy, joined, sides_of
from lowering.profiling.items import Picks, ValueReading, Wanted, union
from lowering.profiling.search import search

Order: TypeAlias = Callable[[Sequence[ValueReading]], list[ValueReading]]
"""The order in which hops are assigned to the consumers of a value."""


How: TypeAlias = Literal["nothing", "something", "choices", "ties", "search"]


class Minimum(NamedTuple):
    """Runs that measure everything required, and `least`, a lower bound on their number; `how`: the proof of the bound:
    nothing is required, something is required, a node has that many choices, the choices and copies that meet at a node
    need them, or an exhaustive search. `at`: that node."""

    runs: list[Picks]
    least: int
    how: How
    at: int = 0

    @property
    def proved(self) -> bool:
        """True if the number of runs is minimal."""
        return len(self.runs) == self.least


def minimum(wanted: Wanted, upper: Sequence[Picks] | None = None) -> Minimum:
    """The fewest runs that measure everything required; `upper`: known runs that do."""
    if wanted.nothing:
        return Minimum([], 0, "nothing")
    least, how, at = _Relaxation(wanted).least()
    best = min((list(runs) for runs in (upper, _built_up(wanted)) if runs is not None), key=len)
    low = k = least
    while low < len(best):
        runs, refuted = _designated(wanted, k), False
        if runs is None:
            runs, refuted = search(wanted, k)
        if runs is not None:
            best = runs
        else:
            least, how = (k + 1, "search") if refuted and k == least else (least, how)
            low = k + 1
        k = low if low == least else (low + len(best)) // 2  # unknown answers are skipped by bisection
    return Minimum([list(run) for run in best], least, how, at)


class _Relaxation:
    """The relaxed requirements: a forest, for which any number of runs can be tested."""

    def __init__(self, wanted: Wanted) -> None:
        self.floor = max((bits.bit_count() for bits in wanted.nodes), default=0)
        self.wanted, self.size = wanted, len(wanted.ways)
        self.forest: Forest | None = None
        self.makers: dict[int, int] = {}
        """For each merged consumer: the producer of its value."""
        ways, nodes, edges = list(wanted.ways), list(wanted.nodes), list[Edge]()
        lone = [each for each in _edges(wanted, _widest) if len(wanted.readings[each.value]) == 1]
        edges += filter(_wieldy, _without_cycles([each.edge for each in lone], len(ways)))
        for value, hops in enumerate(wanted.hops):
            if hops and len(wanted.readings[value]) > 1:
                table = _all_together(wanted.readings[value], hops)
                edge = Edge(wanted.readings[value][0].maker, len(ways), table, hops)
                if not _wieldy(edge):  # one consumer that is everywhere at once
                    table = tuple((union(row),) for row in table)
                    edge = edge._replace(hops=table)
                edges.append(edge)
                self.makers[len(ways)] = wanted.readings[value][0].maker
                ways.append(len(table[0]))
                nodes.append(0)
        with suppress(Unwieldy):
            self.forest = Forest(ways, nodes, edges)

    def least(self) -> tuple[int, How, int]:
        """The minimum number of runs of the relaxation, or a lower bound if it is too large; the proof, and its
        node."""
        k = max(self.floor, 1)
        how: How = "choices" if self.floor else "something"
        at = max(range(self.size), key=lambda node: self.wanted.nodes[node].bit_count())
        with suppress(Unwieldy):
            while self.forest is not None and not self.forest.possible(k):
                k, how, at = k + 1, "ties", self.makers.get(self.forest.stuck, self.forest.stuck)
        return k, how, at


def _wieldy(edge: Edge) -> bool:
    try:
        sides_of(edge.hops, edge.wanted)
    except Unwieldy:
        return False
    return True


def _all_together(readings: Sequence[ValueReading], hops: int) -> tuple[tuple[int, ...], ...]:
    """The hops of a value to all of its consumers, by the producer's choice (row) and combinations of the consumers'
    choices (column); dominated columns are left out."""
    columns: set[tuple[int, ...]] = {(0,) * len(readings[0].hops)}
    for reading in readings:
        theirs = {tuple(cell & hops for cell in column) for column in zip(*reading.hops, strict=True)}
        columns = {tuple(a | b for a, b in zip(one, other, strict=True)) for one in columns for other in theirs}
        columns = {one for one in columns if not any(one != other and _within(one, other) for other in columns)}
        if len(columns) > LIMITS.forest_columns or any(all(cell == hops for cell in one) for one in columns):
            columns = {tuple(union(column[row] for column in columns) for row in range(len(reading.hops)))}
    return tuple(zip(*sorted(columns), strict=True))


def _within(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(a & ~b == 0 for a, b in zip(one, other, strict=True))


class _Designated(NamedTuple):
    value: int
    edge: Edge


def _edges(wanted: Wanted, order: Order) -> Iterator[_Designated]:
    """Each value's hops, distributed over its consumers: each consumer takes all remaining hops that it can."""
    for value, left in enumerate(wanted.hops):
        readers = order(wanted.readings[value]) if left else []
        readers.sort(key=lambda each: -(each.all_hops & wanted.hops[value]).bit_count())
        for reading in readers:
            taken = reading.all_hops & left
            if taken:
                yield _Designated(value, Edge(reading.maker, reading.reader, reading.hops, taken))
                left &= ~taken


def _widest(readings: Sequence[ValueReading]) -> list[ValueReading]:
    return list(readings)


def _last(readings: Sequence[ValueReading]) -> list[ValueReading]:
    return list(reversed(readings))


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


def _designated(wanted: Wanted, k: int) -> list[Picks] | None:
    """`k` runs in which designated consumers measure everything; None if none were found."""
    for order in (_widest, _last):
        runs = _restricted(wanted, order, k)
        if runs is not None and wanted.after(runs).nothing:
            return runs
    return None


def _restricted(wanted: Wanted, order: Order, k: int) -> list[Picks] | None:
    """`k` runs that measure the requirements of a forest of designated consumers."""
    edges = _without_cycles((each.edge for each in _edges(wanted, order)), len(wanted.ways))
    try:
        return Forest(wanted.ways, wanted.nodes, edges).runs(k)
    except Unwieldy:
        return None


def _built_up(wanted: Wanted) -> list[Picks]:
    """Runs that measure everything: the fewest for a forest of designated consumers, repeated for the remaining
    items."""
    runs: list[Picks] = []
    left = wanted
    while not left.nothing:
        edges = _without_cycles((each.edge for each in _edges(left, _widest)), len(wanted.ways))
        try:
            forest = Forest(wanted.ways, left.nodes, edges)
            k = max(1, max(bits.bit_count() for bits in left.nodes))
            while (more := forest.runs(k)) is None:
                k += 1
        except Unwieldy:
            more = [_one_more(left)]
        runs += more
        left = left.after(more)
    return runs


def _one_more(left: Wanted) -> Picks:
    """A greedy run for the remaining items: consumers first, each node takes the choice that measures the most."""
    picks = [0] * len(left.ways)
    making: dict[int, list[tuple[int, ValueReading]]] = {}
    for value, hops in enumerate(left.hops):
        for reading in left.readings[value] if hops else ():
            making.setdefault(reading.maker, []).append((value, reading))

    def gain(node: int, choice: int) -> int:
        moved: dict[int, int] = {}
        for value, reading in making.get(node, ()):
            moved[value] = moved.get(value, 0) | reading.hops[choice][picks[reading.reader]]
        return (left.nodes[node] >> choice & 1) + sum(
            (hops & left.hops[value]).bit_count() for value, hops in moved.items()
        )

    fixed: dict[int, int] = {}
    if not any(left.nodes):  # otherwise some node takes a required choice: so every run measures something
        ties = (_making(each, hops) for value, hops in enumerate(left.hops) for each in left.readings[value])
        fixed = next(filter(None, ties))
    for node in reversed(range(len(picks))):
        picks[node] = fixed.get(node, max(range(left.ways[node]), key=lambda choice: gain(node, choice)))
    return picks


def _making(reading: ValueReading, hops: int) -> dict[int, int]:
    """Choices of a producer and a consumer that make one of some hops, if possible."""
    for maker, row in enumerate(reading.hops):
        for reader, made in enumerate(row):
            if made & hops:
                return {reading.maker: maker, reading.reader: reader}
    return {}
