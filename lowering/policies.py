"""Placement policies by name: each decides, for every node of a placement problem, which of its choices it takes.

A plugin adds one with `POLICIES["mine"] = my_policy`, where `my_policy` is a function from a `Problem` to one choice a
node, or to a `Schedule` that says the order of tasks and copies, too; `place{policy=mine}` then uses it. The pass
checks the answer: that each is a choice of its node, and that memory suffices.
"""

from __future__ import annotations

from lowering.choice import Placement
from lowering.heuristics import cost, gpu, greedy, pim_first, priority
from lowering.problem import Policy, Problem, Schedule


def path(problem: Problem) -> Placement | Schedule:
    """The least time of all tasks and copies one after the other (lowering/path.py)."""
    from lowering.path import place_path

    return place_path(problem)


def optimal(problem: Problem) -> Placement | Schedule:
    """The least makespan with devices, queues and links side by side (lowering/optimal.py)."""
    from lowering.optimal import place_optimal

    return place_optimal(problem)


POLICIES: dict[str, Policy] = {
    "gpu": gpu,
    "pim-first": pim_first,
    "priority": priority,
    "greedy": greedy,
    "cost": cost,
    "path": path,
    "optimal": optimal,
}

OPTIONS: dict[str, tuple[str, ...]] = {
    "devices": ("priority",),
    "width": ("path", "optimal"),
    "limit": ("optimal",),
    "gap": ("optimal",),
}
"""Which policies heed an option of `place`; options that are not named here concern all."""
