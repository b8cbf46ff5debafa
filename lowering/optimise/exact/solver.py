"""The placement and order of minimum makespan: proved, or as good as possible within an effort."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from lowering.instance.problem import Problem, Schedule
from lowering.optimise.exact.branch_and_bound import branch_and_bound
from lowering.optimise.exact.space import ExactSpace
from lowering.optimise.quick.heuristics import greedy

PROVED = 1e-6
"""Fraction above the lower bound below which a schedule counts as optimal: the error of rounding to units."""
BRANCHING_NODES = 8
"""Nodes: problems with at most this many nodes are first solved by branch and bound."""
BRANCHING_STEPS = 2_000
"""Steps of branch and bound before CP-SAT: runs placed, and pairs of jobs ordered."""
BRANCHING_RATE = 20_000
"""Steps of branch and bound for each deterministic second of CP-SAT, if branch and bound is used alone."""

Engine: TypeAlias = Literal["both", "branch and bound", "CP-SAT"]
"""The search methods to use: CP-SAT, branch and bound, or both. Single methods are for tests that compare them."""


@dataclass(frozen=True)
class Solved:
    """The best schedule found, with its makespan in ns; `bound_ns`: a lower bound for any placement in any order;
    `proved`: the schedule is optimal."""

    schedule: Schedule
    bound_ns: float
    proved: bool


def solve(
    problem: Problem,
    effort: float,
    hint: Schedule | None = None,
    below: float = math.inf,
    seconds: float = math.inf,
    engine: Engine = "both",
    kept: Collection[int] = (),
) -> Solved | None:
    """The schedule of minimum makespan over all placements, regions and orders; None if it is proved that no schedule
    that fits memory ends before `below` ns.

    Searched by CP-SAT of OR-tools (lowering/optimise/exact/cp.py), and before that, for a few nodes, by branch and
    bound (lowering/optimise/exact/branch_and_bound.py), which solves most problems of up to ten nodes and ignores
    memory.

    `effort`: the limit of CP-SAT's search in its own deterministic seconds, which makes the result the same on every
    machine; branch and bound takes at most 20,000 steps for each of these seconds. `seconds`: an additional limit of
    CP-SAT in wall-clock seconds. `hint`: an initial schedule. If the effort is spent before a better schedule is found,
    the result is the shorter of `hint` and the schedule of `greedy`, even if it ends after `below`; if neither of them
    fits memory, the result may not fit either.

    `kept`: nodes that keep the order in which `hint` starts them on each device, as the copies among them do on each
    link; the bound then holds for such schedules only. Only CP-SAT supports this.

    If devices share a bandwidth, the bound is valid, but neglects that they slow each other down.
    """
    known = [each for each in (hint, Schedule(greedy(problem))) if each is not None]
    if not all(problem.fits(each) for each in known):
        known += [_one_by_one(problem, each) for each in known]
    known = [replace(each, ns=problem.ends(each)) for each in known]
    fitting = [each for each in known if problem.fits(each)]
    start = min(fitting or known, key=lambda each: each.ns)
    reached = start.ns if fitting else math.inf
    space = ExactSpace(problem, reached)
    longest = space.longest()
    most = min(_before(each, space.scale) if each < math.inf else longest for each in (reached, below))
    least = space.least()
    found: Schedule | None = None
    if most >= least:
        found, least = _search(space, most, effort, start, seconds, engine, kept)
    bound_ns = min(least, most + 1) / space.scale
    if found is None and least > most and (not fitting or start.ns >= below):
        return None
    best = start if found is None or (start.ns <= found.ns and fitting) else found
    return Solved(best, bound_ns, bool(found or fitting) and best.ns <= bound_ns * (1 + PROVED))


def _search(
    space: ExactSpace,
    most: int,
    effort: float,
    start: Schedule,
    seconds: float,
    engine: Engine,
    kept: Collection[int],
) -> tuple[Schedule | None, int]:
    """The best schedule that ends by `most` units and fits memory, and a lower bound in units on the end of every
    schedule."""
    alone = engine == "branch and bound"
    if alone or (engine == "both" and not kept and len(space.problem.nodes) <= BRANCHING_NODES):
        steps = effort * BRANCHING_RATE
        found, least = branch_and_bound(space, most, int(steps if alone else min(steps, BRANCHING_STEPS)))
        found = None if found is None or not space.problem.fits(found) else found
        if alone or least > most or (found is not None and found.ns * space.scale <= least * (1 + PROVED)):
            return found, least
    from lowering.optimise.exact.cp import search

    return search(space, most, effort, start, seconds, kept)


def _one_by_one(problem: Problem, schedule: Schedule) -> Schedule:
    """A placement with serialised jobs, which takes the least memory for live values."""
    jobs = range(1, len(problem.jobs(schedule.placement)))
    return Schedule(schedule.placement, waits=tuple((job, job - 1) for job in jobs))


def _before(ns: float, scale: float) -> int:
    """The largest makespan in units of a schedule that ends before `ns`."""
    return math.ceil(ns * scale) - 1
