"""The linear programming relaxation of offloading in XLA-NDP's accounting (plan.py): candidates may be offloaded
in fractions. Its optimum is a lower bound on the time, and its fractions guide the choice.

    x(c)     fraction of candidate c that is offloaded, in [0, 1]
    y(c, n)  time of c that is hidden below node n of the tree of pools, or on the fly behind a kernel
    f(n)     hidden time that enters node n from its parent

    minimise      Σ primary(k) + Σ (away(c) - primary(c)) x(c) - Σ y
    candidate c   Σ_n y(c, n) <= most(c) x(c), the maximum that is hidden if only c is offloaded; likewise for phases
                  on the fly
    tree          the flow into an inner node is passed on to its children
    pool          the flow into a pool <= Σ primary(k) (1 - x(k)) over its kernels k
    kernel        the flow on the fly behind kernel k <= primary(k) (1 - x(k))

Only the dual prices of pools and kernels are used of its solution: the bound is recomputed from them, candidate by
candidate and for all forms of each (Lagrangian relaxation), so that it does not depend on the solver's tolerances.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lowering.optimise.overlap.hiding import Hiding
from lowering.optimise.overlap.kernels import Candidate
from lowering.solve.rows import Rows

SCALE = 1e-3
"""ns are converted to us, since the solver is most accurate for numbers around 1."""


class Relaxation:
    """The linear program of a problem."""

    def __init__(self, hiding: Hiding) -> None:
        self.hiding, self.kernels = hiding, hiding.kernels
        kernels, pools = hiding.kernels, hiding.pools
        candidates = kernels.candidates
        self.x = {node: number for number, node in enumerate(candidates)}
        """The variable of each candidate."""
        limits: list[float] = []
        costs = [(each.ns - each.primary_ns) * SCALE for each in candidates.values()]
        terms: list[tuple[int, int, float]] = []

        def row(ns: float = 0.0) -> int:
            limits.append(ns * SCALE)
            return len(limits) - 1

        def variable(gain: float, *rows: int) -> int:
            costs.append(-gain)
            terms.extend((each, len(costs) - 1, 1.0) for each in rows)
            return len(costs) - 1

        def leaves(host: int, made: int) -> None:
            if host in self.x:
                terms.append((made, self.x[host], kernels.ns[host] * SCALE))

        tree: dict[int, int] = {node: row() for node in pools.inner}
        self.pools: list[int] = []
        """The row of each pool."""
        for pool, hosts in enumerate(pools.members):
            made = tree[pools.leaves + pool] = row(sum(kernels.ns[host] for host in hosts))
            self.pools.append(made)
            for host in hosts:
                leaves(host, made)
        for node in pools.inner:
            for child in pools.below(node):
                terms.append((tree[node], variable(0.0, tree[child]), -1.0))
        self.hosts: dict[int, int] = {}
        """The rows of kernels that are overlapped on the fly."""
        for node, candidate in candidates.items():
            taken = row()
            terms.append((taken, self.x[node], -hiding.most_of(candidate) * SCALE))
            for each in pools.covers[node]:
                variable(1.0, taken, tree[each])
            for phase, hosts in kernels.streamed_phases(candidate):
                streamed = row()
                terms.append((streamed, self.x[node], -phase * SCALE))
                for host in hosts:
                    if host not in self.hosts:
                        self.hosts[host] = row(kernels.ns[host])
                        leaves(host, self.hosts[host])
                    variable(1.0, taken, streamed, self.hosts[host], tree[pools.leaves + pools.of[host]])
        self._program = program = Rows()
        program.columns(len(candidates), 1.0, costs[: len(candidates)])
        most = (sum(kernels.ns.values()) + sum(each.ns for each in candidates.values())) * SCALE
        program.columns(len(costs) - len(candidates), most, costs[len(candidates) :], tight=False)
        program.rows(len(limits), upper=limits)
        rows, columns, factors = np.array(terms).reshape(-1, 3).T
        program.add(rows, columns, factors)

    def solve(self, fixed: Mapping[int, bool] | None = None) -> dict[int, float]:
        """The offloaded fraction of each candidate in an optimum of the relaxation. `fixed`: candidates whose decision
        is given: True if offloaded."""
        self.fixed = fixed or {}
        given = dict.fromkeys(self.kernels.forced, 1.0) | {node: float(share) for node, share in self.fixed.items()}
        found = self._program.solve("vertex", {self.x[node]: share for node, share in given.items()})
        assert found is not None, "offloading nothing else is possible"
        self._found = found
        return {node: float(found.values[column]) for node, column in self.x.items()}

    @property
    def value(self) -> float:
        """The optimum according to the solver, in ns; `prices` give the proved bound."""
        return self.kernels.alone_ns + self._found.objective / SCALE

    def prices(self) -> Prices:
        """The prices of time behind pools and kernels: dual values of the last solution."""
        duals = np.maximum(0.0, -self._found.duals)
        hosts = {host: float(duals[row]) for host, row in self.hosts.items()}
        return Prices(self.hiding, duals[self.pools].tolist(), hosts, self.fixed)


class Prices:
    """The price of each ns that is hidden behind a pool, and of each ns that is hidden on the fly behind a kernel: the
    change of the total time per ns."""

    def __init__(self, hiding: Hiding, pools: list[float], hosts: dict[int, float], fixed: Mapping[int, bool]) -> None:
        """`fixed`: decisions that are given for some candidates."""
        self.kernels, self.hiding, self.fixed = hiding.kernels, hiding, fixed
        tree = hiding.pools
        self.pools = {host: pools[pool] for host, pool in tree.of.items()}
        self.hosts = {host: self.pools[host] + more for host, more in hosts.items()}
        """The prices of kernels that are overlapped on the fly, by kernel."""
        least = [0.0] * tree.leaves + pools + [1.0] * (tree.leaves - len(pools))
        for node in reversed(tree.inner):
            least[node] = min(least[2 * node], least[2 * node + 1])
        self._cheapest = {
            node: min((least[each] for each in cover), default=1.0) for node, cover in tree.covers.items()
        }

    def worth(self, candidate: Candidate) -> float:
        """The change of the total time in ns, at these prices, if a candidate is offloaded in its best form: its
        offloaded time, minus the part of this time that is hidden, minus the candidate's time on the primary device,
        plus the price of that time on the primary device, behind which other candidates could be hidden."""
        kernels = self.kernels
        rates = [(self._cheapest[candidate.node], candidate.ns)]
        rates += [
            (min(self.hosts[each] for each in hosts), phase)
            for phase, hosts in kernels.streamed_phases(candidate)
            if hosts
        ]
        hidden, left = 0.0, self.hiding.most_of(candidate)
        for price, most in sorted(rates):
            taken = min(left, most)
            hidden += taken * max(0.0, 1.0 - price)
            left -= taken
        kept = self.hosts.get(candidate.node, self.pools.get(candidate.node, 0.0)) * candidate.primary_ns
        return candidate.ns - hidden - candidate.primary_ns + kept

    @property
    def bound(self) -> float:
        """A lower bound on the time in the published accounting, in ns, for every set of offloaded candidates, in any
        forms, that respects the given decisions."""
        kernels = self.kernels
        total = sum(ns * (1.0 - self.hosts.get(host, self.pools[host])) for host, ns in kernels.ns.items())
        for node, forms in kernels.forms.items():
            worth = min(map(self.worth, forms))
            if self.fixed.get(node, True):
                total += worth if node in kernels.forced or node in self.fixed else min(0.0, worth)
        return total
