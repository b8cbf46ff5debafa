"""The urgency of nodes: the least time from the end of each choice to the end of the program, and the order by it.

After Arabnejad and Barbosa, "List scheduling algorithm for heterogeneous systems by an optimistic cost table", IEEE
Transactions on Parallel and Distributed Systems, 2014 (PEFT): the optimistic cost of a choice is the longest path from
it to the end if each node on the path used its best device.
"""

from __future__ import annotations

from collections.abc import Mapping

from interp.simulate.events.orders import in_rank_order
from lowering.instance.choice import Choice
from lowering.instance.problem import Problem, Schedule
from lowering.optimise.quick.construct import construct


def optimistic(problem: Problem) -> dict[Choice, float]:
    """For each choice of each node, the least time in ns from the choice's end to the end of the program: along the
    longest path, with the best choice of each node on it; loads of devices are ignored."""
    return problem.once("optimistic", lambda: _optimistic(problem))


def _optimistic(problem: Problem) -> dict[Choice, float]:
    left: dict[Choice, float] = {}
    leaving = set(problem.outputs)
    for node in reversed(problem.nodes):
        ways: dict[str, float] = {}
        for choice in node.choices:
            if choice.lands not in ways:
                ways[choice.lands] = max(
                    (_from(problem, value, choice.lands, left, value in leaving) for value in node.writes),
                    default=0.0,
                )
            left[choice] = ways[choice.lands]
    return left


def _from(problem: Problem, value: int, device: str, left: Mapping[Choice, float], leaves: bool) -> float:
    """The least time from the arrival of a value on a device to the end of the program, in ns. `leaves`: True if the
    value is a result of the program."""
    copy = problem.copies.ns
    longest = copy(value, device, problem.exit_of(value)) if leaves else 0.0
    for reader in problem.consumers.get(value, ()):
        least = float("inf")
        for choice in problem.nodes[reader].choices:
            there = next(target for read, target in choice.needs if read == value)
            least = min(least, copy(value, device, there) + choice.cost.ns + left[choice])
        longest = max(longest, least)
    return longest


def by_urgency(problem: Problem, left: Mapping[Choice, float]) -> list[int]:
    """A topological order of the nodes by descending remaining time, averaged over the choices of each."""
    urgency = [
        -sum(left[choice] + choice.cost.ns for choice in node.choices) / len(node.choices) for node in problem.nodes
    ]
    return in_rank_order(problem.makers, urgency)


def look_ahead(problem: Problem) -> Schedule:
    """The schedule of a problem without regions in the order of urgency: each node gets the choice for which its end
    plus the remaining time is least. Exact for chains, and another order than the program's where orders tie."""
    left = optimistic(problem)
    return construct(problem, by_urgency(problem, left), left).schedule(problem)
