"""Kernels on the primary device that can hide the same candidates, merged into pools, and a binary tree over the pools.

Time that is hidden in a pool can be distributed over any of its kernels, so a pool is equivalent to one kernel with the
sum of their times. A candidate is independent of most pools of the program, and these form few intervals: a binary tree
over the pools covers an interval with a few nodes. So a program of 3,000 kernels needs some ten thousand flow variables
instead of a million, without approximation.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import groupby

from lowering.optimise.overlap.kernels import Kernels


class Pools:
    """The pools of kernels on the primary device in program order. Node 1 of the tree is its root, the children of node
    i are 2 i and 2 i + 1, and pool p is node `leaves + p`."""

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
        """For each candidate a minimal set of tree nodes below which are exactly the pools that the candidate is
        independent of."""
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
        """The inner nodes of the tree."""
        return range(1, self.leaves)

    def below(self, node: int) -> list[int]:
        """The children of a node that have pools below them."""
        return [child for child in (2 * node, 2 * node + 1) if self._first_pool(child) < len(self.members)]

    def _first_pool(self, node: int) -> int:
        while node < self.leaves:
            node *= 2
        return node - self.leaves
