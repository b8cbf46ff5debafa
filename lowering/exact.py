"""The placement and order of least makespan, proved: exactly, or within an effort as well as can be."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from importlib.util import find_spec

from lowering.exact_space import Space
from lowering.heuristics import greedy
from lowering.problem import Problem, Schedule

PROVED = 1e-6
"""How far above its bound, relatively, a schedule may end and still be the best: what rounding to units costs."""


@dataclass(frozen=True)
class Solved:
    """The best schedule that was found, with the ns that it takes; `bound_ns`: no placement in any order ends earlier;
    `proved`: neither does this one end later."""

    schedule: Schedule
    bound_ns: float
    proved: bool


def available() -> bool:
    """Whether OR-tools is there."""
    return find_spec("ortools") is not None


def solve(problem: Problem, effort: float, hint: Schedule | None = None, below: float = math.inf) -> Solved | None:
    """The schedule that ends first, of all placements, regions and orders; None if it is proved that none ends before
    `below` ns (or that memory holds none).

    `effort`: how long CP-SAT may search, in its own deterministic seconds, which makes the result the same on every
    machine. `hint`: a schedule to start from. If the effort is spent before anything better is found, the result is the
    best of `hint` and of `greedy`, even if it ends after `below`; where none of these fits memory, it may not fit.
    """
    known = [each for each in (hint, Schedule(greedy(problem))) if each is not None]
    known = [replace(each, ns=problem.ends(each)) for each in known]
    fitting = [each for each in known if not problem.overfull(each)]
    start = min(fitting or known, key=lambda each: each.ns)
    reached = start.ns if fitting else math.inf
    space = Space(problem, reached if fitting else sum(problem.in_turn(each.placement) for each in known))
    longest = space.longest()
    most = min(_before(each, space.scale) if each < math.inf else longest for each in (reached, below))
    least = space.least()
    found: list[Schedule] = []
    if most >= least:
        from lowering.exact_cp import search

        searched, least = search(space, most, effort, start)
        found = [each for each in searched if not problem.overfull(each)]
    bound_ns = min(least, most + 1) / space.scale
    if not found and least > most and (not fitting or start.ns >= below):
        return None
    best = min([*found, *fitting] or [start], key=lambda each: each.ns)
    return Solved(best, bound_ns, bool(found or fitting) and best.ns <= bound_ns * (1 + PROVED))


def _before(ns: float, scale: float) -> int:
    """The units by which every schedule ends that ends before `ns`."""
    return math.ceil(ns * scale) - 1
