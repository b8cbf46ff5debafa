"""The policy `path`: in the making."""

from __future__ import annotations

from lowering.choice import Placement
from lowering.heuristics import by_tree, improve_locally, settle
from lowering.problem import Problem, Schedule


def place_path(problem: Problem) -> Placement | Schedule:
    """A placement of little sequential time."""
    return settle(problem, improve_locally(problem, by_tree(problem)))
