"""Better schedules of a whole program, one after another: beam search in the order that the last one came to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from interp.schedule.events import in_rank_order
from lowering.placement.problem import Problem, Schedule
from lowering.placement.search.beam import Beam, Ways
from lowering.placement.search.lookahead import optimistic
from lowering.placement.sequence import listed, names

WIDTH = 50
"""Starts of schedules that the first searches keep."""
MOST = 20_000
"""Those that the last ones do."""
PATIENCE = 4
"""Searches that may find nothing better before wider ones begin."""
WORK = 150_000
"""Nodes that all searches may place together, in each start for itself, where no limit in seconds is given."""


def improvements(problem: Problem, spent: Callable[[], bool] = lambda: False) -> Iterator[tuple[Schedule, int]]:
    """Schedules of a problem, each found from the order in which the one before it starts its tasks, with how many
    nodes have been placed for them so far, in each start of a schedule for itself; until the time is `spent`.

    The first order is by urgency. Each order that a search comes to is one to search in, since work may go into idle
    times before other work; that leads to better orders for some rounds, then to and fro: then wider searches start
    from the best one.
    """
    ways, work = Ways(problem), 0
    order, width = by_urgency(problem), WIDTH
    best, ends, waited = order, float("inf"), 0
    while problem.nodes and width <= MOST and not spent():
        work += width * len(problem.nodes)
        beam = Beam(ways, order)
        placement = beam.search(width, spent)
        if placement is None:
            return
        schedule = min((beam.schedule(placement), *listed(problem, placement)), key=problem.ends)
        reached = problem.ends(schedule)
        yield schedule, work
        order = by_start(problem, schedule)
        waited += 1
        if reached < ends:
            best, ends, waited = order, reached, 0
        elif waited >= PATIENCE:
            order, width, waited = best, 2 * width, 0


def improved(problem: Problem, most: int = WORK) -> Iterator[Schedule]:
    """The schedules that can be found by placing about so many nodes: the same ones on every machine."""
    for schedule, work in improvements(problem):
        yield schedule
        if work >= most:
            return


def by_urgency(problem: Problem) -> list[int]:
    """The nodes by how much must follow them, each after those that it waits for."""
    left = optimistic(problem)
    ranks = [
        -sum(left[choice] + choice.cost.ns for choice in node.choices) / len(node.choices) for node in problem.nodes
    ]
    return _in_order(problem, ranks)


def by_start(problem: Problem, schedule: Schedule) -> list[int]:
    """The nodes by when their first tasks start; those that only show something directly after what they show."""
    ranks = [0.0] * len(problem.nodes)
    begins = problem.spans(schedule)[0]
    for begin, name in sorted(zip(begins, names(problem, schedule.placement), strict=True), key=lambda each: -each[0]):
        if len(name) == 2:
            ranks[name[1]] = begin
    return _in_order(problem, ranks)


def _in_order(problem: Problem, ranks: Sequence[float]) -> list[int]:
    makers = [{problem.producer[value] for value in node.reads if value in problem.producer} for node in problem.nodes]
    return in_rank_order(makers, ranks)
