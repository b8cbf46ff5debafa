"""Iterative improvement of schedules of a whole program: beam search in the node order of the previous schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import listed, started
from lowering.limits import LIMITS
from lowering.optimise.quick.construct import OutOfTime, construct
from lowering.optimise.search.urgency import by_urgency, optimistic

WIDTH = 50
"""Partial schedules kept by the first beam searches."""
MOST_WIDTH = 20_000
"""Partial schedules kept by the last beam searches."""
PATIENCE = 4
"""Beam searches without an improvement after which wider ones begin."""


def improvements(problem: Problem, spent: Callable[[], bool] = lambda: False) -> Iterator[tuple[Schedule, int]]:
    """Schedules of a problem, each found from the order in which the previous one starts its tasks, with the number of
    node placements so far, counted per partial schedule; until the time is `spent`.

    The first order is by urgency. The order of each result is used for the next search, since work inserted into idle
    intervals may precede earlier work. This improves orders for some rounds, then cycles; then wider searches start
    from the best order.
    """
    left, work = optimistic(problem), 0
    order, width = by_urgency(problem, left), WIDTH
    best, ends, waited = order, float("inf"), 0
    while problem.nodes and width <= MOST_WIDTH and not spent():
        work += width * len(problem.nodes)
        try:
            found = construct(problem, order, left, width, spent=spent)
        except OutOfTime:
            return
        schedule = min((found.schedule(problem), *listed(problem, found.placement)), key=problem.ends)
        reached = problem.ends(schedule)
        yield schedule, work
        order = started(problem, schedule)
        waited += 1
        if reached < ends:
            best, ends, waited = order, reached, 0
        elif waited >= PATIENCE:
            order, width, waited = best, 2 * width, 0


def improved(problem: Problem, most: int = LIMITS.beam_placed) -> Iterator[Schedule]:
    """The schedules found with about `most` node placements; they are the same on every computer."""
    for schedule, work in improvements(problem):
        yield schedule
        if work >= most:
            return
