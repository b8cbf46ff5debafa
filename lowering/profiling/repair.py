"""Runs that measure nearly everything, mended: nodes change places in single runs until nothing is missing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

from lowering.profiling.items import Picks, Wanted, union

MOST_LOOKS = 60_000
"""Moves looked at, times runs, after which it is given up: seconds."""
ASKED = 64
"""Moves of one thing that is missing that are looked at, drawn from all."""
NOISE = 0.05
"""Share of moves that are made without asking whether they help, to get out of dead ends."""


def repaired(wanted: Wanted, runs: list[Picks]) -> list[Picks] | None:
    """As many runs, changed so that they measure everything that is wanted; None if that was not found.

    As WalkSAT (Selman, Kautz and Cohen, AAAI 1994): of something that is missing, one of the nodes that it hangs on
    swaps two of its runs or takes another choice in one, whichever leaves least missing around it.
    """
    return _Repair(wanted, runs).done()


class _Repair:
    def __init__(self, wanted: Wanted, runs: list[Picks]) -> None:
        self.wanted = wanted
        self.runs = [list(picks) for picks in runs]
        self.draw = random.Random(1)
        self.touched: list[list[int]] = [[] for _ in wanted.ways]
        """The values that each node makes or reads."""
        self.hangs: list[list[int]] = []
        """The nodes that make or read each value."""
        for value, hops in enumerate(wanted.hops):
            read = wanted.readings[value] if hops else ()
            self.hangs.append(sorted({node for each in read for node in (each.maker, each.reader)}))
            for node in self.hangs[-1]:
                self.touched[node].append(value)
        self.open: dict[tuple[str, int], None] = {}

    def done(self) -> list[Picks] | None:
        for node in range(len(self.wanted.ways)):
            self.look(node)
        looks = 0
        while looks < MOST_LOOKS:
            if not self.open:
                return self.runs
            kind, number = self.draw.choice(list(self.open))
            nodes = [number] if kind == "node" else self.hangs[number]
            moves = [(node, row) for node in nodes for row in self.rows(node)]
            if not moves:
                return None
            moves = self.draw.sample(moves, min(len(moves), ASKED))
            looks += len(moves) * len(self.runs)
            self.take(*(self.draw.choice(moves) if self.draw.random() < NOISE else self.best(moves)))
        return None

    def missing(self, node: int) -> int:
        """How many items around a node no run measures."""
        seen = union(1 << picks[node] for picks in self.runs)
        return (self.wanted.nodes[node] & ~seen).bit_count() + sum(
            self.unmade(value).bit_count() for value in self.touched[node]
        )

    def unmade(self, value: int) -> int:
        return self.wanted.hops[value] & ~union(self.wanted.moved(value, picks) for picks in self.runs)

    def rows(self, node: int) -> Iterator[Picks]:
        """The choices of a node in all runs, after each of its moves."""
        now = [picks[node] for picks in self.runs]
        for one, other in combinations(range(len(now)), 2):
            if now[one] != now[other]:
                row = list(now)
                row[one], row[other] = row[other], row[one]
                yield row
        for run, pick in enumerate(now):
            for choice in range(self.wanted.ways[node]):
                if choice != pick:
                    yield [*now[:run], choice, *now[run + 1 :]]

    def best(self, moves: list[tuple[int, Picks]]) -> tuple[int, Picks]:
        before: dict[int, int] = {}
        ranked: list[tuple[int, float, tuple[int, Picks]]] = []
        for node, row in moves:
            now = [picks[node] for picks in self.runs]
            before.setdefault(node, self.missing(node))
            self.put(node, row)
            ranked.append((self.missing(node) - before[node], self.draw.random(), (node, row)))
            self.put(node, now)
        return min(ranked)[2]

    def put(self, node: int, row: Picks) -> None:
        for picks, pick in zip(self.runs, row, strict=True):
            picks[node] = pick

    def take(self, node: int, row: Picks) -> None:
        self.put(node, row)
        self.look(node)

    def look(self, node: int) -> None:
        """Bring what is open around a node up to date."""
        seen = union(1 << picks[node] for picks in self.runs)
        states = {("node", node): self.wanted.nodes[node] & ~seen}
        states |= {("value", value): self.unmade(value) for value in self.touched[node]}
        for key, left in states.items():
            if left:
                self.open[key] = None
            else:
                self.open.pop(key, None)
