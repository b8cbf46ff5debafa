"""The policy `optimal` with the least effort: the best placement by rules and local search, and for small programs the
optimal placement and order.

A program is small if it has at most `LIMITS.whole_nodes` nodes. An exact search with a fixed amount of work solves most
small programs to optimality (all of 48 random programs of 32 nodes with operands among the last six values); otherwise
the best schedule found is taken. Work is counted, not timed, so that the plan is the same on every computer.
"""

from __future__ import annotations

from dataclasses import replace

from interp.simulate.events.jobs import Bound
from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import reordered
from lowering.limits import LIMITS
from lowering.optimise.exact import solver as exact
from lowering.optimise.quick.heuristics import quick
from lowering.optimise.search.lowest import lowest
from lowering.solve.stopping import is_asked

EFFORT = 0.2
"""The effort of the exact search, as a fraction of that with which `optimal` searches a whole program: one or two
seconds of wall-clock time."""


def place_small(problem: Problem) -> Schedule:
    """The best placement of rules and local search in its best known order; for a small program the optimal schedule,
    or the best one found if the work does not suffice for a proof."""
    found = reordered(problem, Schedule(quick(problem)))
    if len(problem.nodes) > LIMITS.whole_nodes:
        return found
    bound = lowest(problem)
    if not is_asked() and (not problem.fits(found) or found.ns > bound.ns * (1 + LIMITS.rounding)):
        solved = exact.solve(problem, LIMITS.whole_effort * EFFORT, found)
        if solved is not None:
            found = solved.schedule
            if solved.bound_ns > bound.ns and problem.fits(found):
                bound = Bound(solved.bound_ns, "exact search").below(found.ns, "any placement")
    return replace(found, bound=bound)
