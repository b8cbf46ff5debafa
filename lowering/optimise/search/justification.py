"""Forward-backward list scheduling: nodes are placed forwards by urgency, then backwards by their ends, then forwards
by their starts in the backward pass, and so on, each node with the choice by which it ends first.

After Valls, Ballestin and Quintanilla, "Justification and RCPSP: a technique that pays", European Journal of
Operational Research, 2005: each pass moves work into idle intervals of the previous pass. A choice is rated by its end
plus the least time that must follow (in a backward pass: precede) and, in half of the runs, plus its opportunity cost:
its load on all devices at the dual prices of the least load (lowering/bounds/relaxation.py). So a bottleneck
device is used by the nodes that gain most on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from interp.simulate.events.jobs import Job, loads
from interp.simulate.events.orders import followers_of, in_rank_order
from lowering.bounds.relaxation import least_load
from lowering.bounds.subproblem import whole_subproblem
from lowering.instance.choice import Choice
from lowering.instance.partial import Begins, Busy, Inserted, slot, take
from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import scheduled
from lowering.limits import LIMITS
from lowering.optimise.quick.construct import Constructed, construct
from lowering.optimise.search.lookahead import optimistic

PATIENCE = 8
"""Passes without an improvement after which forward-backward list scheduling restarts from another initial order."""


def justified(problem: Problem) -> Iterator[Schedule]:
    """The best schedule of each combination of rating and initial order; for problems without regions."""
    left = optimistic(problem)
    first = {
        choice: max(begins, default=0.0)
        for node, ways in zip(problem.nodes, whole_subproblem(problem).heads, strict=True)
        for choice, begins in zip(node.choices, ways, strict=True)
    }
    dear = _regrets(problem)
    makers = problem.makers
    readers = followers_of(makers)
    work = 0
    for price, rank in product((0.0, 1.0), (_mean, min)):
        onward = {choice: ns + price * dear[choice] for choice, ns in left.items()}
        back = {choice: max(ns, 0.0) + price * dear[choice] for choice, ns in first.items()}
        keys = [-rank([left[choice] + choice.cost.ns for choice in node.choices]) for node in problem.nodes]
        best: Constructed | None = None
        idle = 0
        while idle < PATIENCE and work < LIMITS.justified_placed:
            partial = Inserted(problem.copies, problem.start(), Begins())
            found = construct(problem, in_rank_order(makers, keys, readers), onward, partial=partial)
            order = in_rank_order(readers, [-end for end in found.ended], makers)
            keys = [-end for end in _backward(problem, order, back)]
            work += 2 * len(problem.nodes)
            idle += 1
            if best is None or found.ns < best.ns * (1 - LIMITS.rounding):
                best, idle = found, 0
        if best is not None:
            yield scheduled(problem, best.placement, {name: (begin,) for name, begin in best.begins.of.items()})


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _regrets(problem: Problem) -> dict[Choice, float]:
    """The opportunity cost of each choice, in ns: the load of its tasks on each device times the device's dual price
    (weights with sum 1), summed and multiplied by the number of devices, minus the same number for the cheapest
    choice of its node."""
    rows = [[_busy(problem, choice) for choice in node.choices] for node in problem.nodes]
    weights = least_load(rows).weights
    found: dict[Choice, float] = {}
    for node, row in zip(problem.nodes, rows, strict=True):
        costs = [sum(weights[name] * ns for name, ns in busy.items()) for busy in row]
        found |= {choice: len(weights) * (cost - min(costs)) for choice, cost in zip(node.choices, costs, strict=True)}
    return found


def _busy(problem: Problem, choice: Choice) -> Mapping[str, float]:
    busy: dict[str, float] = {}
    for part in choice.parts if choice.cost.ns else ():
        for name, ns in loads(Job(part.device, 0.0 if part.view else part.cost.ns), problem.draws.rules):
            busy[name] = busy.get(name, 0.0) + ns
    return busy


def _backward(problem: Problem, order: Iterable[int], back: Mapping[Choice, float]) -> list[float]:
    """The start of each node, counted from the end of the program, if nodes are placed backwards in an order in which
    consumers precede producers: each by the choice for which its start plus `back`, the time that must precede, is
    least. Copies take time but occupy no link, since only the order of nodes is used."""
    nodes, lane, copy = problem.nodes, problem.copies.lane, problem.copies.ns
    busy: dict[str, Busy] = defaultdict(list)
    ended = [0.0] * len(nodes)
    wanted: dict[int, dict[str, float]] = {value: {problem.exit_of(value): 0.0} for value in problem.outputs}
    for node in order:
        best: tuple[float, float, list[tuple[str, float, float]], Choice] | None = None
        for choice in nodes[node].choices:
            at = 0.0
            for value in nodes[node].writes:
                for device, since in wanted.get(value, {}).items():
                    at = max(at, since + copy(value, choice.lands, device))
            taken: list[tuple[str, float, float]] = []
            for part in reversed(choice.parts):
                if part.cost.ns:
                    at = slot(busy[lane(part.device)], at, part.cost.ns) + part.cost.ns
                    taken.append((lane(part.device), at - part.cost.ns, at))
            if best is None or at + back[choice] < best[0]:
                best = at + back[choice], at, taken, choice
        assert best is not None
        _, ended[node], taken, choice = best
        for resource, begin, end in taken:
            take(busy[resource], begin, end)
        for value, device in choice.needs:
            mine = wanted.setdefault(value, {})
            mine[device] = max(mine.get(device, 0.0), ended[node])
    return ended
