"""A tighter lower bound on a small subproblem of a placement problem: best-first branch and bound over the choices of
nodes."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from interp.simulate.events.jobs import preemptive_end
from interp.simulate.schedule.routes import Copy
from lowering.bounds.subproblem import NEVER, Subproblem


class KnownValue(NamedTuple):
    """A value that one device, `source`, makes in every placement of a case (`by_cases`). `at`: a lower bound on the
    time at which the value is available on that device, in ns after the first moment of the subproblem; `reached`:
    for a value that exists when the program starts, the devices on which it is then; empty for other values."""

    source: str
    at: float
    reached: tuple[str, ...] = ()


def by_cases(subproblem: Subproblem, bound: float, effort: int) -> tuple[float, int]:
    """A lower bound on the makespan of a subproblem, at least `bound`; and the number of nodes that were evaluated for
    it.

    A case is a subproblem in which some nodes have one choice left and all other nodes have all of their choices; its
    bound (`of_case`) is a bound for every placement with these choices. The case with the least bound is branched
    (`_branched`) until each of its nodes has one choice, or `effort` nodes have been evaluated. The remaining cases
    have no smaller bound.
    """
    order = count()
    spent = 0
    heap = [(bound, next(order), subproblem)]
    while heap:
        least, _, case = heap[0]
        cases = _branched(case)
        if not cases or spent + len(case.ways) * len(cases) > effort:
            return least, spent
        spent += len(case.ways) * len(cases)
        heapq.heappop(heap)
        for restricted in cases:
            heapq.heappush(heap, (max(least, of_case(restricted)), next(order), restricted))
    return bound, spent


def _branched(case: Subproblem) -> list[Subproblem]:
    """The cases into which a case is branched. If a region is undecided: a case in which the region's nodes run
    together, and a case in which they do not. Otherwise: a case for each choice of one node, which is, among the
    nodes with several choices, the node whose fastest choice takes the longest time. Empty if each node has one
    choice."""
    if case.joint:
        (nodes, way), *others = case.joint
        together = list(case.ways)
        for node in nodes:
            together[node] = ((),)  # only together with other nodes
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
    """True if each node can run: alone, or together with other nodes of a region."""
    return all(ways or any(place in nodes for nodes, _ in case.joint) for place, ways in enumerate(case.ways))


def of_case(case: Subproblem) -> float:
    """A lower bound on the makespan of a case: the maximum of its critical path and of the load of those tasks and
    copies that occur in every placement of the case, each with its head and tail (`preemptive_end`)."""
    best = case.longest
    members: dict[str, list[tuple[float, float, float]]] = {}
    for head, tail, busy in _certain(case):
        if head > NEVER and tail > NEVER:
            for name, ns in busy:
                members.setdefault(name, []).append((head, ns, tail))
    for mine in members.values():
        if len(mine) > 1:
            best = max(best, preemptive_end(mine))
    return best


def _certain(case: Subproblem) -> Iterator[tuple[float, float, Sequence[tuple[str, float]]]]:
    """The tasks and copies that occur in every placement of a case: head, tail, and the resources that each
    occupies."""
    known = {value: KnownValue(device, 0.0) for value, device in case.entry_values.items()}
    if not case.since:
        for value, devices in case.problem.start().items():
            known[value] = KnownValue(next(iter(devices)), 0.0, tuple(devices))
    wanted: dict[tuple[int, str], float] = {}
    shared = {node for nodes, _ in case.joint for node in nodes}
    for place, ways in enumerate(case.ways):
        if len(ways) != 1 or place in shared:
            continue
        for task, begin, end in zip(ways[0], case.heads[place][0], case.tails[place][0], strict=True):
            yield begin, end, task.busy
            for value in task.reads:
                key = (value, task.on)
                wanted[key] = max(wanted.get(key, NEVER), task.ns + end)
            for value in task.writes:
                known[value] = KnownValue(task.on, begin + task.ns)
    if case.until is None:
        for value in case.outputs:
            key = (value, case.problem.exit_of(value))
            wanted[key] = max(wanted.get(key, NEVER), 0.0)
    yield from _copies(case, known, wanted)


def _copies(
    subproblem: Subproblem, known: dict[int, KnownValue], wanted: dict[tuple[int, str], float]
) -> Iterator[tuple[float, float, Sequence[tuple[str, float]]]]:
    """The copies that occur in every placement of a case: copies of values that are made on a known device, to devices
    on which they are read in every placement, each hop once."""
    copies = subproblem.problem.copies
    hops: dict[tuple[int, str], tuple[float, float, Copy]] = {}
    for (value, device), tail in wanted.items():
        if value not in known:
            continue
        route = copies.way(value, known[value].reached or (known[value].source,), device)
        for copy in reversed(route):
            before = known[value].at + (route[0].ns if copy is not route[0] else 0.0)
            hops[value, copy.target] = before, max(tail, hops.get((value, copy.target), (0.0, NEVER))[1]), copy
            tail += copy.ns
    for head, tail, copy in hops.values():
        if copy.ns:
            yield head, tail, copies.busy(copy)
