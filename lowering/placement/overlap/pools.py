"""Kernels on the primary device beside which the same candidates may hide, as one pool each, and pools side by side as
a tree.

What hides in a pool hides beside any of its kernels, so a pool is as good as one kernel of all their time. A candidate
may hide in most pools of the program, but these stand in few segments: a tree over the pools has a node for each power
of two of neighbours, and a segment is a few of these. So a program of 3,000 kernels has some ten thousand ways to hide
and not a million, and loses none.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import groupby

from lowering.placement.overlap.kernels import Kernels


class Pools:
    """The pools of kernels on the primary device in program order. Node 1 of the tree is its root, nodes 2 i and 2 i +
    1 are below node i, and pool number p is node `leaves + p`."""

    def __init__(self, kernels: Kernels) -> None:
        self.kernels = kernels
        mask = sum(1 << node for node in kernels.candidates)
        found: dict[int, list[int]] = {}
        for node in kernels.ns:
            found.setdefault(kernels.related[node] & mask, []).append(node)
        self.members = list(found.values())
        """The kernels of each pool."""
        self._related = list(found)
        self.of = {node: pool for pool, nodes in enumerate(self.members) for node in nodes}
        """The pool of each kernel."""
        self.leaves = 1
        while self.leaves < len(self.members):
            self.leaves *= 2

    @cached_property
    def covers(self) -> dict[int, list[int]]:
        """For each candidate the nodes of the tree below which are the pools that it is independent of, and no other
        ones."""
        return {node: list(self._cover(node)) for node in self.kernels.candidates}

    def _cover(self, candidate: int) -> Iterator[int]:
        at = 0
        for related, group in groupby(related >> candidate & 1 for related in self._related):
            low, high = at + self.leaves, (at := at + len(list(group))) + self.leaves
            while low < high and not related:
                if low & 1:
                    yield low
                    low += 1
                if high & 1:
                    high -= 1
                    yield high
                low //= 2
                high //= 2

    @property
    def inner(self) -> range:
        """The nodes of the tree that have others below them."""
        return range(1, self.leaves)

    def below(self, node: int) -> list[int]:
        """The nodes right below one, as far as there are pools below these."""
        return [child for child in (2 * node, 2 * node + 1) if self._first_pool(child) < len(self.members)]

    def _first_pool(self, node: int) -> int:
        while node < self.leaves:
            node *= 2
        return node - self.leaves
