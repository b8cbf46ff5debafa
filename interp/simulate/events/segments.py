"""Segments of a program, which follow each other in every schedule, so that the bounds on each of them add up."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from interp.simulate.events.orders import chains


def segments(after: Sequence[Sequence[int]], ns: Sequence[float]) -> list[list[int]]:
    """Sets of jobs, in program order; the jobs of a set start only when all jobs of the previous set have ended.

    `after` contains for each job the earlier jobs that it waits for, `ns` its duration. Consider the jobs on all paths
    from the first job of the longest chain to its last job. A dominator is a job that every such path contains. Each
    dominator is a segment of its own, and the jobs between two neighbouring dominators form one segment. Jobs on none
    of these paths are left out.
    """
    between = _between(after, ns)
    first = dict.fromkeys(between, len(after))  # the first reader of each job, and
    last = dict.fromkeys(between, -1)  # the last job that it reads, among those between
    for job in between:
        for other in after[job]:
            if other in first:
                first[other] = min(first[other], job)
                last[job] = max(last[job], other)
    following: set[int] = set()  # jobs that are ancestors of all later ones, since no later one reads only earlier jobs
    least = len(after)
    for job in reversed(between):
        if job <= least:
            following.add(job)
        least = min(least, last[job])
    found: list[list[int]] = []
    reach, joined = -1, False
    for job in between:
        tied = reach <= job and job in following  # all earlier jobs are its ancestors, if each has a reader up to it
        if tied or not joined:
            found.append([])
        found[-1].append(job)
        joined = not tied
        reach = max(reach, first[job])
    return found


def _between(after: Sequence[Sequence[int]], ns: Sequence[float]) -> list[int]:
    """The jobs on all paths from the first job of the longest chain to its last job."""
    ends = chains(after, ns)
    if not ends:
        return []
    target = source = max(range(len(ends)), key=lambda job: ends[job])
    while after[source]:
        source = max(after[source], key=lambda other: ends[other])
    leading, following = {target}, {source}
    for job in range(target, -1, -1):
        if job in leading:
            leading.update(after[job])
    for job in range(source, target + 1):
        if any(other in following for other in after[job]):
            following.add(job)
    return sorted(leading & following)


def within(chosen: Sequence[int], after: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """The dependencies among a subset of jobs, as positions in the subset; `chosen` ascends."""
    found: list[tuple[int, ...]] = []
    for job in chosen:
        places = (bisect_left(chosen, other) for other in after[job])
        found.append(tuple(p for p, other in zip(places, after[job], strict=True) if chosen[p : p + 1] == [other]))
    return found
