"""A closer bound on a small subproblem of a placement problem: by cases, node by node, the case that promises most
first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from interp.schedule.jobs import Job, loads, preemptive_end
from lowering.placement.bounds.subproblem import NEVER, Subproblem, Times, heads, longest, tails


class KnownValue(NamedTuple):
    """A value as far as a case says where it is made: the device, the least time until then, what else has it."""

    source: str
    at: float
    reached: tuple[str, ...] = ()


def by_cases(subproblem: Subproblem, bound: float, effort: int) -> tuple[float, int]:
    """No schedule of a subproblem is shorter than this, at least `bound`; and how many nodes were looked at for it.

    A case is a subproblem that leaves some nodes one way and the others all of theirs; its bound (`of_case`) holds for
    all of it. The case of the least bound is taken apart (`_apart`) until in it each node has one way, or `effort`
    nodes have been looked at. Whatever is left then has no less a bound.
    """
    order = count()
    spent = 0
    heap = [(bound, next(order), subproblem)]
    while heap:
        least, _, case = heap[0]
        cases = _apart(case)
        if not cases or spent + len(case.ways) * len(cases) > effort:
            return least, spent
        spent += len(case.ways) * len(cases)
        heapq.heappop(heap)
        for narrowed in cases:
            heapq.heappush(heap, (max(least, of_case(narrowed)), next(order), narrowed))
    return bound, spent


def _apart(case: Subproblem) -> list[Subproblem]:
    """The cases that one falls into: nodes run together or do not, and then each way of the longest node that has
    several. None if each node has one way."""
    if case.joint:
        (nodes, way), *others = case.joint
        together = list(case.ways)
        for node in nodes:
            together[node] = ((),)  # by none of its own
        together[max(nodes)] = (way,)
        apart = tuple(each for each in others if set(each[0]).isdisjoint(nodes))
        found = [replace(case, ways=tuple(together), joint=apart), replace(case, joint=tuple(others))]
        return [each for each in found if _can_run(each)]
    several = [place for place, ways in enumerate(case.ways) if len(ways) > 1]
    if not several:
        return []
    place = max(several, key=lambda place: min(sum(task.ns for task in way) for way in case.ways[place]))
    ways = case.ways
    return [replace(case, ways=(*ways[:place], (way,), *ways[place + 1 :])) for way in ways[place]]


def _can_run(case: Subproblem) -> bool:
    """True if each node has a way of its own, or one together with others."""
    return all(ways or any(place in nodes for nodes, _ in case.joint) for place, ways in enumerate(case.ways))


def of_case(case: Subproblem) -> float:
    """The larger of what waits for what, and of what the tasks and copies that are certain keep busy, each with what
    must come before and after it (`preemptive_end`)."""
    begins, ends = heads(case), tails(case)
    best = longest(case, begins, ends)
    members: dict[str, list[tuple[float, float, float]]] = {}
    for head, tail, busy in _certain(case, begins, ends):
        if head > NEVER and tail > NEVER:
            for name, ns in busy:
                members.setdefault(name, []).append((head, ns, tail))
    for mine in members.values():
        if len(mine) > 1:
            best = max(best, preemptive_end(mine))
    return best


def _certain(
    case: Subproblem, begins: Times, ends: Times
) -> Iterator[tuple[float, float, Sequence[tuple[str, float]]]]:
    """The tasks and copies that are in each placement of a case: the least time before and after each, and what it
    keeps busy."""
    known = {value: KnownValue(device, 0.0) for value, device in case.came.items()}
    if not case.since:
        for value, devices in case.problem.start().items():
            known[value] = KnownValue(next(iter(devices)), 0.0, tuple(devices))
    wanted: dict[tuple[int, str], float] = {}
    shared = {node for nodes, _ in case.joint for node in nodes}
    for place, ways in enumerate(case.ways):
        if len(ways) != 1 or place in shared:
            continue
        for task, begin, end in zip(ways[0], begins.of[place][0], ends.of[place][0], strict=True):
            yield begin, end, task.busy
            for value in task.reads:
                key = (value, task.on)
                wanted[key] = max(wanted.get(key, NEVER), task.ns + end)
            for value in task.writes:
                known[value] = KnownValue(task.on, begin + task.ns)
    if case.until is None:
        for value in case.outputs:
            key = (value, case.problem.primary)
            wanted[key] = max(wanted.get(key, NEVER), 0.0)
    yield from _copies(case, known, wanted)


def _copies(
    subproblem: Subproblem, known: dict[int, KnownValue], wanted: dict[tuple[int, str], float]
) -> Iterator[tuple[float, float, Sequence[tuple[str, float]]]]:
    """The copies of values whose source is certain to where they are certain to be read, each hop once."""
    problem = subproblem.problem
    hops: dict[tuple[int, str], tuple[float, float, str, str]] = {}
    for (value, device), tail in wanted.items():
        if value not in known:
            continue
        route = problem.routes.missing(known[value].reached or (known[value].source,), device)
        for a, b, link in reversed(route):
            before = known[value].at + (subproblem.copy(value, *route[0][:2]) if a != route[0][0] else 0.0)
            hops[value, b] = before, max(tail, hops.get((value, b), (0.0, NEVER))[1]), a, link
            tail += subproblem.copy(value, a, b)
    for (value, b), (head, tail, a, link) in hops.items():
        cost = problem.copy(problem.sizes[value], a, b)
        if cost.ns:
            yield head, tail, tuple(loads(Job(link, cost.ns, draw=problem.draw(link, cost, None)), problem.draws.rules))
