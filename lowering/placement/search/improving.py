"""Better schedules of a whole program, one after another: beam search in the order that the last one came to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lowering.limits import LIMITS
from lowering.placement.problem import Problem, Schedule
from lowering.placement.search.beam import Beam, Ways
from lowering.placement.search.lookahead import by_urgency, optimistic
from lowering.placement.sequence import listed, started


def improvements(problem: Problem, spent: Callable[[], bool] = lambda: False) -> Iterator[tuple[Schedule, int]]:
    """Schedules of a problem, each found from the order in which the one before it starts its tasks, with how many
    nodes have been placed for them so far, in each start of a schedule for itself; until the time is `spent`.

    The first order is by urgency. Each order that a search comes to is one to search in, since work may go into idle
    times before other work; that leads to better orders for some rounds, then to and fro: then wider searches start
    from the best one.
    """
    ways, work = Ways(problem), 0
    order, width = by_urgency(problem, optimistic(problem)), LIMITS.beam_width
    best, ends, waited = order, float("inf"), 0
    while problem.nodes and width <= LIMITS.beam_most_width and not spent():
        work += width * len(problem.nodes)
        beam = Beam(ways, order)
        placement = beam.search(width, spent)
        if placement is None:
            return
        schedule = min((beam.schedule(placement), *listed(problem, placement)), key=problem.ends)
        reached = problem.ends(schedule)
        yield schedule, work
        order = started(problem, schedule)
        waited += 1
        if reached < ends:
            best, ends, waited = order, reached, 0
        elif waited >= LIMITS.beam_patience:
            order, width, waited = best, 2 * width, 0


def improved(problem: Problem, most: int = LIMITS.beam_placed) -> Iterator[Schedule]:
    """The schedules that can be found by placing about so many nodes: the same ones on every machine."""
    for schedule, work in improvements(problem):
        yield schedule
        if work >= most:
            return
