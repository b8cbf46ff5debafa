"""List scheduling with lookahead: each node, most urgent first, where it and what must follow it end first.

After Arabnejad and Barbosa, "List scheduling algorithm for heterogeneous systems by an optimistic cost table", IEEE
Transactions on Parallel and Distributed Systems, 2014 (PEFT): the optimistic cost of a choice is the longest way from
it to the end if each node on it took its best device. For chains that makes it exact.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping

from lowering.placement.choice import Choice, Node
from lowering.placement.problem import Problem, Schedule
from lowering.placement.progress import Progress
from lowering.placement.sequence import Name, scheduled


def optimistic(problem: Problem, weights: Mapping[str, float] | None = None) -> dict[Choice, float]:
    """For each choice of each node the least time from its end to the end of the program, in ns, as if only the longest
    way counted. `weights`: by which factor the time of a device counts."""
    factor = weights or {}
    left: dict[Choice, float] = {}
    leaving = set(problem.outputs)
    for node in reversed(problem.nodes):
        ways: dict[str, float] = {}
        for choice in node.choices:
            if choice.lands not in ways:
                ways[choice.lands] = max(
                    (_from(problem, value, choice.lands, left, factor, value in leaving) for value in node.writes),
                    default=0.0,
                )
            left[choice] = ways[choice.lands]
    return left


def _from(
    problem: Problem, value: int, device: str, left: Mapping[Choice, float], factor: Mapping[str, float], leaves: bool
) -> float:
    """The least time from when a value is there on a device to the end."""
    size = problem.sizes[value]
    longest = problem.copy(size, device, problem.home).ns if leaves else 0.0
    for reader in problem.consumers.get(value, ()):
        least = float("inf")
        for choice in problem.nodes[reader].choices:
            there = next(target for read, target in choice.needs if read == value)
            took = choice.cost.ns * factor.get(choice.device, 1.0)
            least = min(least, problem.copy(size, device, there).ns + took + left[choice])
        longest = max(longest, least)
    return longest


def look_ahead(problem: Problem, weights: Mapping[str, float] | None = None) -> Schedule:
    """A schedule of a problem without regions."""
    left = optimistic(problem, weights)
    urgency = [_urgency(node, left) for node in problem.nodes]
    waiting = [
        len({problem.producer[value] for value in node.reads if value in problem.producer}) for node in problem.nodes
    ]
    ready = [(-urgency[node.index], node.index) for node in problem.nodes if not waiting[node.index]]
    heapq.heapify(ready)
    progress = Progress(problem)
    chosen: dict[int, Choice] = {}
    ranks: dict[Name, tuple[float, ...]] = {}
    while ready:
        node = problem.nodes[heapq.heappop(ready)[1]]
        best = min(node.choices, key=lambda choice: progress.trial(choice) + left[choice])
        place = (float(len(chosen)),)
        for value, _ in best.needs:
            ranks.update(((value, a, b), place) for a, b in _hops(problem, progress, best, value))
        chosen[node.index] = best
        progress.run(best)
        ranks.update(((part, node.index), place) for part in best.parts)
        for follower in dict.fromkeys(reader for value in node.writes for reader in problem.consumers.get(value, ())):
            waiting[follower] -= 1
            if not waiting[follower]:
                heapq.heappush(ready, (-urgency[follower], follower))
    return scheduled(problem, [chosen[node.index] for node in problem.nodes], ranks)


def _hops(problem: Problem, progress: Progress, choice: Choice, value: int) -> list[tuple[str, str]]:
    """The copies that a choice would make of a value now."""
    found: list[tuple[str, str]] = []
    for read, device in choice.needs:
        if read == value and value in progress.present:
            source = next(iter(progress.present[value]))
            found += [(a, b) for a, b, _ in problem.route(source, device) if b not in progress.present[value]]
    return found


def _urgency(node: Node, left: Mapping[Choice, float]) -> float:
    """What is still to be done from a node on, on the average of its choices."""
    return sum(left[choice] + choice.cost.ns for choice in node.choices) / len(node.choices)
