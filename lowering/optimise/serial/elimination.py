"""The minimum of a sum of tables over discrete variables, by variable elimination; if tables would grow too large, a
lower bound by mini-buckets.

Bucket elimination (Bertelè and Brioschi, "Nonserial Dynamic Programming", 1972; Dechter, "Bucket elimination: a
unifying framework for reasoning", 1999): all tables with a variable are added up and minimised over it, which leaves a
table over its neighbours. On a chain this is dynamic programming; in general the size of tables grows with the
treewidth of the graph. Mini-buckets (Dechter and Rish, 2003) minimise parts of the sum separately instead, which gives
a lower bound, after matching the parts' minimal marginals of the variable (Ihler et al., "Join-graph based
cost-shifting schemes", 2012).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lowering.limits import LIMITS

Table: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.uint8 | np.uint16]
"""Values of a variable, as an array of integers."""
Scope: TypeAlias = tuple[int, ...]
"""The variables of a table, one per axis."""
Factor: TypeAlias = tuple[Scope, Table]
Rule: TypeAlias = Literal["size", "fill", "rank"]
"""The rule that selects the next variable: `size`: the one with the smallest resulting table; `fill`: the one that adds
the fewest edges between its neighbours; `rank`: the one of least rank."""
RULES: tuple[Rule, ...] = ("size", "fill", "rank")

TOO_LARGE = 1 << 62
"""Number of entries of a table that exceeds every width."""
MANY = 62
"""Number of neighbours from which on a variable's table has `TOO_LARGE` entries, so that edges between them need not
be counted."""
SMALL = 1 << 12
"""Number of entries up to which the overhead of calls exceeds the time of computation."""


@dataclass
class Factors:
    """A sum of tables. `sizes[x]`: the number of values of variable x; `ranks[x]`: its priority in the rule `rank`."""

    sizes: list[int] = field(default_factory=list[int])
    ranks: list[float] = field(default_factory=list[float])
    tables: dict[Scope, Table] = field(default_factory=dict[Scope, Table])
    constant: float = 0.0

    def variable(self, size: int, rank: float) -> int:
        """Add a variable with `size` values; returns its number."""
        self.sizes.append(size)
        self.ranks.append(rank)
        return len(self.sizes) - 1

    def add(self, scope: Scope, table: Table) -> None:
        """Add a table, with one axis per variable. Tables may be shared: they are never written to."""
        if 1 in table.shape:
            scope = tuple(x for x in scope if self.sizes[x] > 1)
            table = table.reshape([self.sizes[x] for x in scope])
        if not scope:
            self.constant += float(table)
            return
        if len(scope) == 2 and scope[0] > scope[1]:
            scope, table = (scope[1], scope[0]), table.T
        known = self.tables.get(scope)
        self.tables[scope] = table if known is None else known + table

    def given(self, known: Mapping[int, int]) -> Factors:
        """This sum with some variables fixed to the values `known`; all variables keep their numbers, and no table
        refers to the fixed ones."""
        rest = Factors(self.sizes, self.ranks, {}, self.constant)
        for scope, table in self.tables.items():
            if known.keys().isdisjoint(scope):
                rest.add(scope, table)
            else:
                cut = table[tuple(known.get(x, slice(None)) for x in scope)]
                rest.add(tuple(x for x in scope if x not in known), np.asarray(cut))
        return rest

    def at(self, values: Sequence[int]) -> float:
        """The sum for an assignment of values to all variables."""
        return self.constant + sum(
            float(table[tuple(values[x] for x in scope)]) for scope, table in self.tables.items()
        )


@dataclass(frozen=True)
class Order:
    """An order of elimination of the variables. `largest`: the number of entries of the largest table; `total`: the sum
    of the numbers of entries of all tables. `stuck`: the first variable whose table would exceed the width, or with
    which `total` would exceed `LIMITS.elimination_entries`; None if there is none; this variable and all later ones
    are ordered by rank, and tables of later ones are not counted. `fixed`: variables that must be fixed before
    elimination."""

    sequence: tuple[int, ...]
    largest: int
    total: int
    stuck: int | None = None
    fixed: tuple[int, ...] = ()


class Least(NamedTuple):
    """`value`: the minimum, or a lower bound on it; `values`: an assignment of all variables, which attains `value` if
    that is the exact minimum."""

    value: float
    values: list[int]


class _Graph:
    """The interaction graph during elimination: variables are adjacent if they share a table."""

    def __init__(self, factors: Factors) -> None:
        self.sizes = factors.sizes
        self.near: dict[int, set[int]] = {x: set() for x, size in enumerate(factors.sizes) if size > 1}
        for scope in factors.tables:
            for x in scope:
                self.near[x].update(scope)
        for x, near in self.near.items():
            near.discard(x)

    def entries(self, x: int) -> int:
        """The number of entries of the table that eliminating a variable makes; numbers from UNHEARD_OF on are not
        distinguished."""
        sizes, entries = self.sizes, self.sizes[x]
        for y in self.near[x]:
            entries *= sizes[y]
            if entries >= TOO_LARGE:
                return TOO_LARGE
        return entries

    def fill(self, x: int) -> int:
        """The number of pairs of neighbours of a variable that share no table yet."""
        near = self.near[x]
        if len(near) > MANY:
            return MANY * len(near)
        return sum(len(near) - 1 - len(near & self.near[y]) for y in near) // 2

    def eliminate(self, x: int) -> set[int]:
        """Remove a variable and connect its neighbours with each other; returns these neighbours."""
        near = self.near.pop(x)
        for y in near:
            mine = self.near[y]
            mine |= near
            mine.discard(x)
            mine.discard(y)
        return near

    def fix(self, x: int) -> set[int]:
        """Remove a variable without connecting its neighbours; returns these neighbours."""
        near = self.near.pop(x)
        for y in near:
            self.near[y].discard(x)
        return near


def order_by(factors: Factors, rule: Rule, width: int, times_fixed: Mapping[int, int] | None = None) -> Order:
    """An elimination order by a rule. `times_fixed[x]`: the number of earlier orders in which variable x was fixed.

    If the next variable x needs a table with more than `width` entries: without `times_fixed`, x and all remaining
    variables are ordered by rank, and x is `stuck`. With `times_fixed`, one variable is fixed: among x and its
    neighbours, the variable y with the largest quotient of its number of neighbours and 1 + `times_fixed[y]`.
    """
    graph = _Graph(factors)
    keys: dict[Rule, Callable[[int], tuple[float, ...]]] = {
        "size": lambda x: (graph.entries(x), factors.ranks[x]),
        "fill": lambda x: (graph.entries(x) > width, graph.fill(x), graph.entries(x)),
        "rank": lambda x: (factors.ranks[x],),
    }
    key = keys[rule]
    current = {x: key(x) for x in graph.near}
    heap = sorted((mine, x) for x, mine in current.items())
    sequence: list[int] = []
    fixed: list[int] = []
    largest, total = 1, 0
    while heap:
        mine, x = heapq.heappop(heap)
        if x not in graph.near or current[x] != mine:
            continue
        entries = graph.entries(x)
        if (entries > width or total + entries > LIMITS.elimination_entries) and times_fixed is None:
            rest = sorted(graph.near, key=lambda y: (factors.ranks[y], y))
            return Order((*sequence, *rest), max(largest, entries), total, x)
        if entries > width and graph.near[x] and times_fixed is not None:
            heapq.heappush(heap, (mine, x))
            x = max(graph.near[x] | {x}, key=lambda y: (len(graph.near[y]) / (1 + times_fixed.get(y, 0)), y))
            fixed.append(x)
            touched = graph.fix(x)
        else:
            sequence.append(x)
            largest, total = max(largest, entries), total + entries
            touched = graph.eliminate(x)
        for y in touched:
            if (new := key(y)) != current[y]:
                current[y] = new
                heapq.heappush(heap, (new, y))
    return Order(tuple(sequence), largest, total, None, tuple(fixed))


def best_order(factors: Factors, width: int) -> Order:
    """A cheap elimination order whose tables have at most `width` entries; if no rule finds one, the order that
    eliminates the most variables."""
    found: list[Order] = []
    for rule in RULES:
        found.append(order_by(factors, rule, width))
        if found[-1].stuck is None and found[-1].largest <= SMALL:
            break
    complete = [order for order in found if order.stuck is None]
    if complete:
        return min(complete, key=lambda order: order.total)
    return max(found, key=lambda order: order.sequence.index(-1 if order.stuck is None else order.stuck))


def eliminate(factors: Factors, order: Order, width: int | None = None) -> Least:
    """The minimum of a sum, with an assignment that attains it: the variables are minimised out in the given order.
    With a `width`, larger tables are split, which gives a lower bound and an approximate assignment."""
    work = _Elimination(factors, order.sequence)
    for place in range(len(order.sequence)):
        work.step(place, width)
    return work.decided()


class _Elimination:
    """The tables of a sum, with axes in the order of elimination, so that broadcasting aligns them; `buckets[p]` holds
    the tables whose first variable is the p-th."""

    def __init__(self, factors: Factors, sequence: Sequence[int]) -> None:
        self.factors = factors
        self.sequence = sequence
        self.sizes = [factors.sizes[x] for x in sequence]
        self.constant = factors.constant
        self.buckets: list[list[Factor]] = [[] for _ in sequence]
        self.ways_back: list[tuple[Scope, Numbers] | list[Factor]] = []
        """For each variable its best value for each assignment of later ones, or the tables to compute it from."""
        place = {x: p for p, x in enumerate(sequence)}
        for scope, table in factors.tables.items():
            places = [place[x] for x in scope]
            axes = sorted(range(len(places)), key=places.__getitem__)
            if axes != list(range(len(axes))):
                table = table.transpose(axes)
            self.put(tuple(places[axis] for axis in axes), table)

    def put(self, scope: Scope, table: Table) -> None:
        if scope:
            self.buckets[scope[0]].append((scope, table))
        else:
            self.constant += float(table)

    def step(self, place: int, width: int | None) -> None:
        """Eliminate one variable."""
        bucket, self.buckets[place] = self.buckets[place], []
        scope = self.joined(place, bucket)
        if width is None or len(bucket) < 2 or self.entries(scope) <= width:
            least, best = _minimised(self.added(scope, bucket))
            self.ways_back.append((scope[1:], best))
            self.put(scope[1:], least)
            return
        self.ways_back.append(bucket)
        parts = [(scope, self.added(scope, part)) for scope, part in self.parts(place, bucket, width)]
        # The parts' minimal marginals of the variable are averaged: the sum is unchanged, and the parts are more likely
        # to agree on a value.
        wants = [table.reshape(table.shape[0], -1).min(axis=1) for _, table in parts]
        mean = np.mean(wants, axis=0)
        for (scope, table), want in zip(parts, wants, strict=True):
            shift = (mean - want).reshape([-1] + [1] * (len(scope) - 1))
            self.put(scope[1:], (table + shift).min(axis=0))

    def parts(self, place: int, bucket: Sequence[Factor], width: int) -> list[tuple[Scope, list[Factor]]]:
        """The tables of a bucket in groups, each with at most `width` entries when added up, unless a single table has
        more."""
        groups: list[tuple[Scope, list[Factor]]] = []
        for factor in sorted(bucket, key=lambda factor: -factor[1].size):
            for number, (_, group) in enumerate(groups):
                scope = self.joined(place, [*group, factor])
                if self.entries(scope) <= width:
                    groups[number] = (scope, [*group, factor])
                    break
            else:
                groups.append((factor[0], [factor]))
        return groups

    def joined(self, place: int, bucket: Sequence[Factor]) -> Scope:
        if len(bucket) == 1:
            return bucket[0][0]
        return tuple(sorted({place}.union(*[scope for scope, _ in bucket])))

    def entries(self, scope: Scope) -> int:
        return prod([self.sizes[p] for p in scope])

    def added(self, scope: Scope, bucket: Sequence[Factor]) -> Table:
        """The sum of the tables of a bucket, over a scope that contains the variables of all of them."""
        total: Table | None = None
        for mine, table in sorted(bucket, key=lambda factor: factor[1].size):
            if len(mine) < len(scope):
                table = table.reshape([self.sizes[p] if p in mine else 1 for p in scope])
            total = table if total is None else total + table
        return np.zeros([self.sizes[p] for p in scope]) if total is None else total

    def decided(self) -> Least:
        """The assignment, computed from the last variable to the first."""
        values = [0] * len(self.factors.sizes)
        chosen = [0] * len(self.sequence)
        for place in reversed(range(len(self.sequence))):
            back = self.ways_back[place]
            if isinstance(back, tuple):
                scope, best = back
                chosen[place] = int(best[tuple([chosen[p] for p in scope])])
            else:
                slices = [table[(slice(None), *(chosen[p] for p in scope[1:]))] for scope, table in back]
                chosen[place] = int(np.argmin(np.sum(slices, axis=0)))
            values[self.sequence[place]] = chosen[place]
        return Least(self.constant, values)


def _minimised(table: Table) -> tuple[Table, Numbers]:
    """The minimum along the first axis, and its index; numpy's own argmin is slow along short axes."""
    kind = np.uint8 if table.shape[0] <= 256 else np.uint16
    if table.size <= SMALL:
        return table.min(axis=0), table.argmin(axis=0).astype(kind)
    least = table[0].copy()
    best = np.zeros(least.shape, kind)
    for value in range(1, table.shape[0]):
        best[table[value] < least] = value
        np.minimum(least, table[value], out=least)
    return least, best
