"""The greatest known lower bound on the makespan of every placement of a program in every order."""

from __future__ import annotations

from interp.simulate.events.jobs import Bound
from lowering.bounds.makespan import by_cuts
from lowering.bounds.relaxation import bound_of_memory
from lowering.instance.problem import Problem
from lowering.optimise.serial.path import least_serial


def lowest(problem: Problem) -> Bound:
    """A lower bound on the makespan of any placement of a problem, in any order of its tasks and copies: that of its
    subproblems (lowering/bounds/makespan.py). If all resources are serialised, the least sum of all times is
    a bound, too; if memory is too small, so is the load that is displaced to other devices
    (lowering/bounds/relaxation.py)."""
    bound = by_cuts(problem)
    if problem.sequential and not problem.regions:
        least = least_serial(problem, problem.options.width).bound_ns
        if least > bound.ns * (1 + 1e-12):
            bound = Bound(least, "sum of all tasks and copies, serialized")
    held = bound_of_memory(problem)
    return held if held is not None and held.ns > bound.ns * (1 + 1e-12) else bound
