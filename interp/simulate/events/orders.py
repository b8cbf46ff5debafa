"""Orders of jobs that respect their dependencies, without resources and times."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

Rank: TypeAlias = "float | tuple[float, ...]"


def followers_of(after: Sequence[Iterable[int]]) -> list[list[int]]:
    """For each job, the numbers of the jobs that wait for it, ascending. `after`: the jobs for which each waits."""
    followers: list[list[int]] = [[] for _ in after]
    for index, others in enumerate(after):
        for other in others:
            followers[other].append(index)
    return followers


def in_rank_order(
    after: Sequence[Collection[int]], ranks: Sequence[Rank], followers: Sequence[Iterable[int]] | None = None
) -> list[int]:
    """The numbers of jobs (0, 1, …) in the order of their ranks, as far as the dependencies `after` permit: of the jobs
    that wait for no other, the one of the smallest rank is next. `followers`: those of `followers_of`, if known. Jobs
    that wait for themselves, and jobs that wait for these, are left out."""
    followers = followers_of(after) if followers is None else followers
    waiting = [len(others) for others in after]
    ready = [(ranks[job], job) for job, count in enumerate(waiting) if not count]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        _, job = heapq.heappop(ready)
        order.append(job)
        for other in followers[job]:
            waiting[other] -= 1
            if not waiting[other]:
                heapq.heappush(ready, (ranks[other], other))
    return order


def chains(after: Sequence[Iterable[int]], ns: Sequence[float]) -> list[float]:
    """For each job, the duration in ns of the longest chain of dependent jobs that ends with it. `after`: for each job,
    the jobs for which it waits, all with smaller numbers; `ns`: the duration of each job."""
    ends: list[float] = []
    for others, own in zip(after, ns, strict=True):
        ends.append(own + max((ends[other] for other in others), default=0))
    return ends
