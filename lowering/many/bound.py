"""A lower bound on the makespan of every placement of a problem in every order, in many variants of its machine."""

from __future__ import annotations

import numpy as np

from interp.machine.variants import Reals
from interp.simulate.schedule.many import TOGETHER
from lowering.limits import LIMITS
from lowering.many.space import Lanes, Space
from lowering.optimise.search.lowest import lowest

SMALL = 100
"""Nodes: in programs with at most this many nodes, variants whose longest chain is shorter than their plan are bounded
one by one."""


def bounds_below(space: Space, lanes: Lanes, makespans: Reals) -> Reals:
    """(lanes) A lower bound in ns, at most the makespan of a plan in each variant: `chain_bound`; if that is shorter
    and the program is small, the greatest bound for the variant alone (lowering/optimise/search/lowest.py)."""
    parts = [chain_bound(space, lanes[start : start + TOGETHER]) for start in range(0, len(lanes), TOGETHER)]
    bound = np.minimum(np.concatenate(parts), makespans)
    if len(space.problem.nodes) <= SMALL:
        for number in np.flatnonzero(bound < makespans * (1 - LIMITS.rounding)):
            alone = lowest(space.problem_at(int(lanes[number]))).ns
            bound[number] = max(bound[number], min(alone, makespans[number]))
    return bound


def chain_bound(space: Space, lanes: Lanes) -> Reals:
    """(lanes) A lower bound in ns: the longest chain of dependent tasks and copies, each task as the choice with which
    its results are on a device the earliest.

    No placement brings a value to a device before the time that is computed here: the task that makes it has to wait
    for its operands, takes the time of one of its choices, and the copy follows. Tasks whose times no plan needed in
    all variants count with the least of all.
    """
    problem, count = space.problem, len(lanes)
    arrivals: dict[tuple[int, str], Reals] = {}
    latest, never = np.zeros(count), np.full(count, np.inf)
    for value in problem.inputs:
        for device in problem.devices:
            arrivals[value, device] = np.full(count, problem.brought(value, device))
    for node in problem.nodes:
        found: dict[tuple[int, str], Reals] = {}
        least = np.full(count, np.inf)
        for choice in node.choices:
            inner: dict[tuple[int, str], Reals] = {}
            end = np.zeros(count)
            for part in choice.parts:
                end = np.zeros(count)
                for value in part.reads:
                    key = value, part.device
                    end = np.maximum(end, inner[key] if key in inner else arrivals.get(key, never))
                if not part.view:
                    known = space.known(part)
                    end = end + (part.cost.ns if known is None else known.ns[lanes])
                for value in part.writes:
                    for device in problem.devices:
                        if part.device == device or problem.routes.reaches(part.device, device):
                            inner[value, device] = end + problem.copies.ns(value, part.device, device)
            least = np.minimum(least, end)
            for key, time in inner.items():
                found[key] = np.minimum(found[key], time) if key in found else time
        arrivals |= found
        latest = np.maximum(latest, least)
    for value in problem.outputs:
        if (value, problem.exit_of(value)) in arrivals:
            latest = np.maximum(latest, arrivals[value, problem.exit_of(value)])
    return latest
