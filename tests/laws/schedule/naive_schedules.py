"""The least makespan of a placement problem by enumeration of all placements, and of all orders of their jobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import permutations

from interp.simulate.events.jobs import Job, SharingRules
from lowering.instance.choice import Choice
from lowering.instance.problem import Problem, Schedule


def placements(problem: Problem) -> Iterator[list[Choice]]:
    """All ways to cover each node once, by one of its choices or by a region whose operands are computed before it."""
    covered: dict[int, Choice] = {}

    def cover(node: int) -> Iterator[list[Choice]]:
        if node == len(problem.nodes):
            yield [covered[index] for index in range(node)]
        elif node in covered:
            yield from cover(node + 1)
        else:
            ways = [((node,), choice) for choice in problem.nodes[node].choices]
            ways += [(tuple(region.nodes), region.choice) for region in problem.regions if min(region.nodes) == node]
            for nodes, choice in ways:
                if covered.keys().isdisjoint(nodes):
                    covered.update(dict.fromkeys(nodes, choice))
                    yield from cover(node + 1)
                    for each in nodes:
                        del covered[each]

    for placement in cover(0):
        try:
            problem.jobs(placement)
        except KeyError:  # a node reads a value that the region has not made yet
            continue
        yield placement


def optimum(problem: Problem) -> float:
    """The least makespan over all placements and all active schedules."""
    least = float("inf")
    for placement in placements(problem):
        least = min(least, best_order(problem.jobs(placement), problem.draws.rules, least))
    return least


def uses(job: Job, rules: SharingRules) -> frozenset[str]:
    """The resources that no other job may use while a job runs: its own resource, and those that the sharing rules
    lock."""
    return frozenset((job.resource, *(rules.locks.get(job.resource, ()) if job.ns else ())))


def best_order(jobs: Sequence[Job], rules: SharingRules, below: float = float("inf")) -> float:
    """The least makespan of these jobs, or `below` if none is less, over all active schedules: at each step (Giffler
    and Thompson), one of the ready jobs that conflict with the ready job that would end first is scheduled."""
    tails = [0.0] * len(jobs)
    for index in range(len(jobs) - 1, -1, -1):
        for other in jobs[index].after:
            tails[other] = max(tails[other], tails[index] + jobs[index].ns)
    wanted = [uses(job, rules) for job in jobs]
    loads: dict[str, float] = defaultdict(float)
    for job, users in zip(jobs, wanted, strict=True):
        for user in users:
            loads[user] += job.ns
    if max((*loads.values(), *(tail + job.ns for tail, job in zip(tails, jobs, strict=True))), default=0.0) >= below:
        return below
    ends: dict[int, float] = {}
    best = below

    def extend() -> None:
        nonlocal best
        if len(ends) == len(jobs):
            best = min(best, max(ends.values(), default=0.0))
            return
        starts: dict[int, float] = {}
        for index, job in enumerate(jobs):
            if index not in ends and all(other in ends for other in job.after):
                before = [ends[other] for other in ends if other in job.after or wanted[other] & wanted[index]]
                starts[index] = max(before, default=0.0)
        first = min(starts, key=lambda index: starts[index] + jobs[index].ns)
        until = starts[first] + jobs[first].ns
        for index, start in starts.items():
            if index == first or (wanted[index] & wanted[first] and start < until):
                ends[index] = start + jobs[index].ns
                if max(ends[each] + tails[each] for each in ends) < best:
                    extend()
                del ends[index]

    extend()
    return best


def in_every_order(jobs: Sequence[Job], rules: SharingRules) -> float:
    """The least makespan over all permutations of a few jobs; each job starts as early as the previous ones allow."""
    least = float("inf")
    for order in permutations(range(len(jobs))):
        ends: dict[int, float] = {}
        for index in order:
            job = jobs[index]
            if any(other not in ends for other in job.after):
                break
            shared = (ends[other] for other in ends if uses(jobs[other], rules) & uses(job, rules))
            ends[index] = job.ns + max((*shared, *(ends[other] for other in job.after)), default=0.0)
        else:
            least = min(least, max(ends.values(), default=0.0))
    return least


def fitting_optimum(problem: Problem) -> float:
    """The least makespan within memory capacities, over all placements and orders of a few jobs, in which each job
    starts as early as possible or at the end of any other job. Infinite if nothing fits."""
    least = float("inf")
    for placement in placements(problem):
        for schedule, ns in _waiting(problem, placement):
            if ns < least and not problem.overfull(schedule):
                least = ns
    return least


def _waiting(problem: Problem, placement: list[Choice]) -> Iterator[tuple[Schedule, float]]:
    jobs = problem.jobs(placement)
    begins: dict[int, float] = {}
    ends: dict[int, float] = {}
    waits: list[tuple[int, int]] = []

    def extend() -> Iterator[tuple[Schedule, float]]:
        if len(ends) == len(jobs):
            yield Schedule(placement, tuple(ends), tuple(waits)), max(ends.values(), default=0.0)
        last = max(begins.values(), default=0.0)
        for index, job in enumerate(jobs):
            if index in ends or any(other not in ends for other in job.after):
                continue
            before = [ends[other] for other in ends if other in job.after or jobs[other].resource == job.resource]
            soonest = max(before, default=0.0)
            later = {end: other for other, end in ends.items() if end > soonest}
            for start, other in ((soonest, -1), *later.items()):
                if start >= last:
                    begins[index], ends[index] = start, start + job.ns
                    if other >= 0:
                        waits.append((index, other))
                    yield from extend()
                    if other >= 0:
                        waits.pop()
                    del begins[index], ends[index]

    yield from extend()
