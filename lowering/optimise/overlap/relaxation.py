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

GLOP of OR-tools solves it. Only the dual prices of pools and kernels are used of its answer: the bound is recomputed
from them, candidate by candidate (Lagrangian relaxation), so that it does not depend on the solver's tolerances.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from lowering.optimise.overlap.hiding import Hiding
from lowering.optimise.overlap.kernels import Candidate

SCALE = 1e-3
"""ns are converted to us, since GLOP is most accurate for numbers around 1."""


class Relaxation:
    """The linear program of a problem."""

    def __init__(self, hiding: Hiding) -> None:
        self.hiding, self.kernels = hiding, hiding.kernels
        kernels, pools = hiding.kernels, hiding.pools
        solver: Any = import_module("ortools.linear_solver.pywraplp").Solver.CreateSolver("GLOP")
        self._solver = solver
        infinity = solver.infinity()
        objective = solver.Objective()
        objective.SetMinimization()

        def row(ns: float = 0.0) -> Any:
            return solver.Constraint(-infinity, ns * SCALE)

        def variable(gain: float, *rows: Any) -> Any:
            made = solver.NumVar(0.0, infinity, "")
            objective.SetCoefficient(made, -gain)
            for each in rows:
                each.SetCoefficient(made, 1.0)
            return made

        self.x: dict[int, Any] = {}
        """The variable of each candidate."""
        for node, candidate in kernels.candidates.items():
            made = self.x[node] = solver.NumVar(float(node in kernels.forced), 1.0, "")
            objective.SetCoefficient(made, (candidate.ns - candidate.primary_ns) * SCALE)

        def leaves(host: int, made: Any) -> None:
            if host in self.x:
                made.SetCoefficient(self.x[host], kernels.ns[host] * SCALE)

        tree: dict[int, Any] = {node: row() for node in pools.inner}
        self.pools: list[Any] = []
        for pool, hosts in enumerate(pools.members):
            made = tree[pools.leaves + pool] = row(sum(kernels.ns[host] for host in hosts))
            self.pools.append(made)
            for host in hosts:
                leaves(host, made)
        for node in pools.inner:
            for child in pools.below(node):
                tree[node].SetCoefficient(variable(0.0, tree[child]), -1.0)
        self.hosts: dict[int, Any] = {}
        """The rows of kernels that are overlapped on the fly."""
        for node, candidate in kernels.candidates.items():
            taken = row()
            taken.SetCoefficient(self.x[node], -hiding.most_of(candidate) * SCALE)
            for each in pools.covers[node]:
                variable(1.0, taken, tree[each])
            for phase, hosts in kernels.streamed_phases(candidate):
                streamed = row()
                streamed.SetCoefficient(self.x[node], -phase * SCALE)
                for host in hosts:
                    if host not in self.hosts:
                        self.hosts[host] = row(kernels.ns[host])
                        leaves(host, self.hosts[host])
                    variable(1.0, taken, streamed, self.hosts[host], tree[pools.leaves + pools.of[host]])

    def solve(self, fixed: Mapping[int, bool] | None = None) -> dict[int, float]:
        """The offloaded fraction of each candidate in an optimum of the relaxation. `fixed`: candidates whose decision
        is given: True if offloaded."""
        self.fixed = fixed or {}
        for node, made in self.x.items():
            share = self.fixed.get(node)
            made.SetBounds(float(share or node in self.kernels.forced), float(share is not False))
        status = self._solver.Solve()
        assert status == self._solver.OPTIMAL, status
        return {node: min(1.0, max(0.0, made.solution_value())) for node, made in self.x.items()}

    @property
    def value(self) -> float:
        """The optimum according to the solver, in ns; `prices` give the proved bound."""
        return self.kernels.alone_ns + self._solver.Objective().Value() / SCALE

    def prices(self) -> Prices:
        """The prices of time behind pools and kernels: dual values of the last solution."""
        pools = [max(0.0, -made.dual_value()) for made in self.pools]
        hosts = {host: max(0.0, -made.dual_value()) for host, made in self.hosts.items()}
        return Prices(self.hiding, pools, hosts, self.fixed)


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
