"""Selection of the kernels to offload that minimises the time in XLA-NDP's accounting (plan.py): rounded solutions of
the linear relaxation and the plans of the published rules (rules.py), improved by local search."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush
from itertools import combinations, cycle, islice

from interp.simulate.events.jobs import above
from lowering.instance.problem import Problem
from lowering.limits import LIMITS
from lowering.optimise.overlap.fractions import Prices, Relaxation
from lowering.optimise.overlap.hiding import Hiding
from lowering.optimise.overlap.kernels import Candidate, Kernels, usual
from lowering.optimise.overlap.plan import ROUNDING_NS, Plan
from lowering.optimise.overlap.rules import by_cost, by_pattern
from lowering.solve.climbing import Budget, improve

FLIPS = 300
"""Candidates, and pairs of candidates, that are moved to or from the primary device in local search."""
NEAR = 1e-4
"""Fraction above the lower bound at which a set of offloaded candidates is good enough."""

ROUNDED = (0.01, 0.25, 0.5, 0.75, 0.99)
"""Rounding thresholds: a candidate is offloaded if its fraction in the relaxation exceeds the threshold."""

PARTLY = 1e-6
"""Fractions within this distance of 0 or 1 count as integral."""


class Chosen:
    """The best plan found for a problem's kernels, and a lower bound on the time of any plan."""

    def __init__(self, kernels: Kernels, starts: Sequence[Collection[int]] = ()) -> None:
        """`starts`: initial solutions in addition to those derived from the problem."""
        self.kernels, self.starts = kernels, starts
        self.hiding = Hiding(kernels)
        relaxation = Relaxation(self.hiding)
        self.shares = relaxation.solve()
        """The fraction of each candidate that the relaxation offloads."""
        self.prices: Prices = relaxation.prices()
        offloaded = min(self._starts(), key=self.hiding.ns)
        self.plan: Plan = self.hiding.plan(self._improved(offloaded))
        first = self.plan
        bound = self._branched(relaxation)
        if self.plan is not first:
            self.plan = self.hiding.plan(self._improved(frozenset(self.plan.offloaded)))
        self.bound = _below(bound, self.plan)

    @staticmethod
    def of(kernels: Kernels) -> Chosen:
        """The plan and bound for a problem's kernels, cached."""
        return kernels.problem.once("kernels chosen", lambda: Chosen(kernels))

    def _branched(self, relaxation: Relaxation) -> float:
        """A lower bound on the time of any plan, in ns, by best-first branch and bound: the case with the least bound
        is branched on a candidate with a fractional value, which is offloaded in one branch and not offloaded in the
        second one. Better plans that are found are kept."""
        cases: list[tuple[float, int, dict[int, bool], dict[int, float]]] = [(self.prices.bound, 0, {}, self.shares)]
        left = LIMITS.overlap_cases // max(1, len(self.kernels.candidates))
        while cases[0][0] < self.plan.ns * (1 - NEAR) and left > 1:
            bound, _, fixed, shares = cases[0]
            node = max(shares, key=lambda node: min(shares[node], 1 - shares[node]), default=None)
            if node is None or min(shares[node], 1 - shares[node]) < PARTLY:
                break
            heappop(cases)
            for offloaded in (True, False):
                left -= 1
                decided = {**fixed, node: offloaded}
                found = relaxation.solve(decided)
                heappush(cases, (max(bound, relaxation.prices().bound), left, decided, found))
                rounded = self.kernels.forced.union(each for each, share in found.items() if share > ROUNDED[2])
                if self.hiding.ns(rounded) < self.plan.ns:
                    self.plan = self.hiding.plan(rounded)
        return cases[0][0]

    def _starts(self) -> list[frozenset[int]]:
        """Initial solutions: the relaxation rounded in several ways, the plans of the rules, and the set of only those
        candidates that can't run on the primary device."""
        rounded = [[node for node, share in self.shares.items() if share > least] for least in ROUNDED]
        rules = [by_cost(self.kernels).offloaded, by_pattern(self.kernels).offloaded]
        known = [self.kernels.candidates.keys() & each for each in self.starts]
        return [self.kernels.forced.union(each) for each in (*rounded, *rules, *known, ())]

    def _improved(self, offloaded: frozenset[int]) -> frozenset[int]:
        """A solution after local search: candidates are offloaded or returned as long as that saves time, first one at
        a time, beginning with those of fractional values, then in pairs."""
        ns, floor = self.hiding.ns(offloaded), self.prices.bound * (1 + NEAR)
        free = [each for node, each in self.kernels.candidates.items() if node not in self.kernels.forced]
        partly = [each.node for each in free if PARTLY < self.shares[each.node] < 1 - PARTLY]
        order = sorted(free, key=lambda each: (each.node not in partly, abs(self.prices.worth(each))))
        moves = [frozenset({each.node}) for each in order[:FLIPS]]
        moves += [frozenset(pair) for pair in combinations(partly, 2)][:FLIPS]
        budget, flips = Budget(2 * FLIPS if ns > floor else 0), cycle(moves)

        def better(best: tuple[float, frozenset[int]], move: frozenset[int]) -> tuple[float, frozenset[int]] | None:
            budget.spend()
            if (less := self.hiding.ns(best[1] ^ move)) >= best[0]:
                return None
            budget.spend(0.0 if less > floor else budget.left)  # it is as good as proved
            return less, best[1] ^ move

        # each pass begins behind the move with which the last one ended
        return improve((ns, offloaded), lambda best: islice(flips, len(moves)), better, budget, "first")[1]


def chosen_forms(problem: Problem, starts: Sequence[Collection[int]] = ()) -> list[Chosen]:
    """The solutions for a problem, best first: one with all candidates in their fastest forms; if some have several
    forms, also one in the default forms, and one in the forms that are cheapest at the prices of the first two
    solutions. Each bound holds for all forms."""
    known = Kernels.of(problem)
    found = [Chosen(known, starts) if starts else Chosen.of(known)]
    if any(len(forms) > 1 for forms in known.forms.values()):
        found.append(Chosen(Kernels(problem, usual), starts))
        for prices in [each.prices for each in found]:
            liked = Kernels(problem, lambda forms, prices=prices: _cheapest(prices, forms))
            if all(liked.candidates != each.kernels.candidates for each in found):
                found.append(Chosen(liked, starts))
    bound = max(each.bound for each in found)
    for each in found:
        each.bound = _below(bound, each.plan)
    return sorted(found, key=lambda each: each.plan.ns)


def _below(bound: float, plan: Plan) -> float:
    """A bound in ns in the published accounting, at most the time of a plan, in which rounding may leave a part of each
    hidden kernel exposed or hide it."""
    above(plan.ns + ROUNDING_NS * (1 + len(plan.offloaded)), bound, "any plan in the published accounting")
    return min(bound, plan.ns)


def _cheapest(prices: Prices, forms: Sequence[Candidate]) -> Candidate:
    """The form of a candidate with the least cost at some prices."""
    return min(forms, key=prices.worth)
