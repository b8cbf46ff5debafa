"""The policy `cost`: what rules and moves find, and for small programs the placement and order that end first.

A program is small if it has no more than `NODES` nodes. An exact search with a fixed amount of work decides most of
these (all of 48 random ones of 32 nodes that read the last six values); where it does not, the best schedule that it
met is taken. The work is counted, not timed, so that each computer finds the same plan.
"""

from __future__ import annotations

from dataclasses import replace

from interp.schedule.jobs import Bound
from lowering.limits import LIMITS
from lowering.placement.bounds.makespan import lowest
from lowering.placement.exact import solver as exact
from lowering.placement.problem import Problem, Schedule
from lowering.placement.search.heuristics import quick
from lowering.placement.sequence import reordered


def place_cost(problem: Problem) -> Schedule:
    """The best placement of rules and moves; for a small program a schedule that no other beats, as far as the work
    suffices to prove that."""
    found = Schedule(quick(problem))
    if len(problem.nodes) > LIMITS.whole_nodes:
        return found
    found = reordered(problem, found)
    bound = lowest(problem)
    if problem.overfull(found) or found.ns > bound.ns * (1 + LIMITS.rounding):
        solved = exact.solve(problem, LIMITS.cost_effort, found)
        if solved is not None:
            found = solved.schedule
            bound = Bound(min(solved.bound_ns, found.ns), "exact search") if solved.bound_ns > bound.ns else bound
    return replace(found, bound=bound)
