"""The maximum time of offloaded candidates that can be hidden behind kernels on the primary device, as a maximum flow,
exact to a picosecond."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

import numpy as np

from lowering.optimise.overlap.kernels import Candidate, Kernels
from lowering.optimise.overlap.plan import Plan
from lowering.optimise.overlap.pools import Pools
from lowering.solve.flow import Amounts, greatest_flow

UNIT = 1000
"""Flow units per ns."""


class Hiding:
    """The hidden time of candidates behind kernels on the primary device, for any set of offloaded candidates.

    A flow network: time flows from each candidate (at most its offloaded time) to the nodes of the tree of pools whose
    kernels it is independent of, and from there down to pools. Time of a phase that runs on the fly
    (lowering/optimise/overlap/kernels.py) flows from the candidate, by way of that phase, to a kernel that produces an
    input of it or consumes a result, and on into that kernel's pool. The flow through a phase, a kernel or a pool is
    limited by the time of that phase, kernel or pool.
    """

    def __init__(self, kernels: Kernels) -> None:
        self.kernels = kernels
        self.pools = pools = Pools(kernels)
        self.arcs: list[tuple[int, int]] = []
        """Pairs of nodes. Nodes below 2 * leaves belong to the tree of pools."""
        caps: list[float] = []
        self.limits: dict[int, int] = {}
        """The arcs whose capacity is a candidate's total time."""
        self.hosts: dict[int, int] = {}
        """The arcs from kernels that a phase overlaps on the fly to their pools."""
        self.drains: list[int] = []
        """The arcs from pools to the sink."""
        self.spread: dict[int, list[int]] = {}
        """For each candidate its arcs into the tree."""
        self.stream_arcs: dict[int, list[tuple[int, int]]] = {}
        """For each candidate its arcs to the kernels that it overlaps on the fly, each with that kernel."""
        self._room: dict[int, float] = {}
        """For each candidate the total time of all kernels that it is independent of."""
        self.source, self.sink = 0, 2 * pools.leaves
        self._nodes = self.sink + 1

        def arc(tail: int, head: int, ns: float) -> int:
            self.arcs.append((tail, head))
            caps.append(ns)
            return len(caps) - 1

        for node in pools.inner:
            for child in pools.below(node):
                arc(node, child, np.inf)
        self.drains = [
            arc(pools.leaves + pool, self.sink, sum(kernels.ns[node] for node in nodes))
            for pool, nodes in enumerate(pools.members)
        ]
        self.below = [0.0] * pools.leaves + [sum(kernels.ns[node] for node in nodes) for nodes in pools.members]
        """The total time of all kernels below each node of the tree."""
        self.below += [0.0] * (2 * pools.leaves - len(self.below))
        for node in reversed(pools.inner):
            self.below[node] = self.below[2 * node] + self.below[2 * node + 1]
        entries: dict[int, int] = {}
        for node, candidate in kernels.candidates.items():
            enters = self._new()
            self.limits[node] = arc(self.source, enters, candidate.ns)
            self.spread[node] = [arc(enters, each, np.inf) for each in pools.covers[node]]
            self.stream_arcs[node] = []
            self._room[node] = sum(self.below[each] for each in pools.covers[node])
            phases = kernels.streamed_phases(candidate)
            for phase, hosts in phases:
                between = self._new() if hosts else enters
                if hosts:
                    arc(enters, between, phase)
                for host in hosts:
                    if host not in entries:
                        entries[host] = self._new()
                        self.hosts[host] = arc(entries[host], pools.leaves + pools.of[host], kernels.ns[host])
                    self.stream_arcs[node].append((arc(between, entries[host], np.inf), host))
        self._heads = np.array([head for _, head in self.arcs], dtype=np.int32)
        self._tails = np.array([tail for tail, _ in self.arcs], dtype=np.int32)
        capacities = np.array(caps)
        most = sum(kernels.ns.values()) + 1.0
        self._caps = np.floor(np.where(np.isinf(capacities), most, capacities) * UNIT).astype(np.int64)

    def most_of(self, candidate: Candidate) -> float:
        """The maximum time of a candidate, in any of its forms, that can be hidden if no other candidate is offloaded,
        in ns."""
        streamed_ns = sum(phase for phase, _ in self.kernels.streamed_phases(candidate))
        return min(candidate.ns, self._room[candidate.node] + streamed_ns)

    def _new(self) -> int:
        self._nodes += 1
        return self._nodes - 1

    def _flows(self, offloaded: Collection[int]) -> Amounts:
        """The greatest flow with these candidates offloaded, by arc."""
        caps = self._caps.copy()
        for node, arc in self.limits.items():
            if node not in offloaded:
                caps[arc] = 0
            elif node in self.pools.of:
                lost = int(self.kernels.ns[node] * UNIT) + 1
                drain = self.drains[self.pools.of[node]]
                caps[drain] = max(0, caps[drain] - lost)
                if node in self.hosts:
                    caps[self.hosts[node]] = 0
        return greatest_flow(self._tails, self._heads, caps, self.source, self.sink)

    def most(self, offloaded: Collection[int]) -> float:
        """The maximum time of the offloaded candidates that can be hidden, in ns."""
        return int(self._flows(offloaded)[[*self.limits.values()]].sum()) / UNIT

    def ns(self, offloaded: Collection[int]) -> float:
        """The time in the published accounting with these candidates offloaded and as much as possible hidden."""
        kernels = self.kernels
        more = sum(kernels.candidates[node].ns - kernels.candidates[node].primary_ns for node in offloaded)
        return kernels.alone_ns + more - self.most(offloaded)

    def plan(self, offloaded: Collection[int]) -> Plan:
        """The plan with these candidates offloaded and as much as possible hidden."""
        flows = self._flows(offloaded)
        beside: dict[int, dict[int, float]] = {node: {} for node in sorted(offloaded)}
        free = {node: int(ns * UNIT) for node, ns in self.kernels.ns.items() if node not in beside}
        at: dict[int, list[tuple[int, int]]] = defaultdict(list)
        """The flow into each node of the tree: candidates with amounts."""

        def hide(node: int, host: int, amount: int) -> None:
            beside[node][host] = beside[node].get(host, 0.0) + amount / UNIT
            free[host] -= amount

        for node in beside:
            for arc, host in self.stream_arcs[node]:
                if amount := int(flows[arc]):
                    hide(node, host, amount)
            for arc in self.spread[node]:
                if amount := int(flows[arc]):
                    at[self.arcs[arc][1]].append((node, amount))
        arc = 0
        for inner in self.pools.inner:
            for child in self.pools.below(inner):
                at[child] += _taken(at[inner], int(flows[arc]))
                arc += 1
        for pool, hosts in enumerate(self.pools.members):
            waiting = at[self.pools.leaves + pool]
            for host in hosts:
                for node, amount in _taken(waiting, free[host]) if host in free else ():
                    hide(node, host, amount)
        return Plan(self.kernels, beside)


def _taken(waiting: list[tuple[int, int]], amount: int) -> list[tuple[int, int]]:
    """Remove a total `amount` of flow from the end of a queue of (number, flow) entries; returns the removed
    entries."""
    found: list[tuple[int, int]] = []
    while waiting and amount:
        node, has = waiting.pop()
        taken = min(has, amount)
        found.append((node, taken))
        amount -= taken
        if has > taken:
            waiting.append((node, has - taken))
    return found
