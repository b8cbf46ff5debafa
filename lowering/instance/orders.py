"""Orders of jobs by list scheduling, forwards and backwards, and the makespan of jobs in a given order."""

from __future__ import annotations

from collections.abc import Sequence

from interp.simulate.events.jobs import Job, arranged, reverse, tails
from interp.simulate.events.loop import by_rank, spans


def orders(jobs: Sequence[Job]) -> list[tuple[float, list[int]]]:
    """Candidate orders of jobs, without duplicates, each with its makespan if devices don't slow each other down; the
    shortest first."""
    backward, last = reverse(jobs), len(jobs) - 1
    found = (
        by_rank(jobs, list(range(len(jobs)))),
        by_rank(jobs, urgency(jobs)),
        [last - index for index in reversed(by_rank(backward, urgency(backward)))],
    )
    distinct = [list(order) for order in dict.fromkeys(map(tuple, found))]
    return sorted(((makespan(jobs, order), order) for order in distinct), key=lambda each: each[0])


def urgency(jobs: Sequence[Job]) -> list[float]:
    """Sort keys of jobs for list scheduling: the negated length of the longest chain that starts with each job, in ns,
    so that the job with the longest chain is first."""
    return [-through for through in tails(jobs)[1]]


def makespan(jobs: Sequence[Job], order: Sequence[int]) -> float:
    """The makespan in ns of jobs that each device and link processes in a given order."""
    return max(spans(arranged(jobs, order))[1], default=0.0)
