"""Forward-backward list scheduling: nodes are placed forwards by urgency, then backwards by their ends, then forwards
by their starts in the backward pass, and so on, each node with the choice by which it ends first.

After Valls, Ballestin and Quintanilla, "Justification and RCPSP: a technique that pays", European Journal of
Operational Research, 2005: each pass moves work into idle intervals of the previous pass. A choice is rated by its end
plus the least time that must follow (in a backward pass: precede) and, in half of the runs, plus its opportunity cost:
its load on all devices at the dual prices of the least load (lowering/bounds/relaxation.py). So a bottleneck
device is used by the nodes that gain most on it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from interp.simulate.events.jobs import Job, loads
from interp.simulate.events.orders import followers_of, in_rank_order
from lowering.bounds.relaxation import least_load
from lowering.bounds.subproblem import heads, whole_subproblem
from lowering.instance.choice import Choice
from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import Name, scheduled
from lowering.limits import LIMITS
from lowering.optimise.search.lookahead import optimistic


class ListPass(NamedTuple):
    """The result of a pass: its end; for each node its choice with its end; and the start of each task and copy.
    Times of a backward pass are counted from the end of the program."""

    ends: float
    chosen: list[Choice]
    ended: list[float]
    ranks: dict[Name, tuple[float, ...]]


def justified(problem: Problem) -> Iterator[Schedule]:
    """The best schedule of each combination of rating and initial order; for problems without regions."""
    lists, left = Lists(problem), optimistic(problem)
    whole = whole_subproblem(problem)
    first = {
        choice: max(begins, default=0.0)
        for node, ways in zip(problem.nodes, heads(whole).of, strict=True)
        for choice, begins in zip(node.choices, ways, strict=True)
    }
    dear = _regrets(problem)
    work = 0
    for price, rank in product((0.0, 1.0), (_mean, min)):
        onward = {choice: ns + price * dear[choice] for choice, ns in left.items()}
        back = {choice: max(ns, 0.0) + price * dear[choice] for choice, ns in first.items()}
        keys = [-rank([left[choice] + choice.cost.ns for choice in node.choices]) for node in problem.nodes]
        best: ListPass | None = None
        idle = 0
        while idle < LIMITS.justified_patience and work < LIMITS.justified_placed:
            found = lists.forward(keys, onward)
            keys = [-end for end in lists.backward([-end for end in found.ended], back)]
            work += 2 * len(problem.nodes)
            idle += 1
            if best is None or found.ends < best.ends * (1 - LIMITS.rounding):
                best, idle = found, 0
        if best is not None:
            yield scheduled(problem, best.chosen, best.ranks)


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


Idle = list[tuple[float, float]]
"""The busy intervals of a resource, in order of time."""


def _slot(busy: Idle, begin: float, ns: float) -> float:
    """The first time from `begin` on at which a resource is idle for `ns`."""
    at = bisect_left(busy, (begin,))
    if at and busy[at - 1][1] > begin:
        begin = busy[at - 1][1]
    while at < len(busy) and busy[at][0] < begin + ns:
        begin = busy[at][1]
        at += 1
    return begin


class Lists:
    """A problem without regions, with the orders and times that all passes read."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        locks = problem.draws.rules.locks
        self.lane = {name: locks.get(name, (name,))[0] for name in problem.devices}
        self.locks = locks
        self.makers = problem.makers
        self.readers = followers_of(self.makers)

    def forward(self, keys: Sequence[float], onward: Mapping[Choice, float]) -> ListPass:
        """Place nodes forwards: among the ready nodes the one with the least key is next, and it gets the choice for
        which its end plus `onward`, the time that must follow, is least."""
        state = _Forward(self)
        nodes = self.problem.nodes
        chosen = [node.choices[0] for node in nodes]
        ended = [0.0] * len(nodes)
        for node in in_rank_order(self.makers, keys, self.readers):
            choices = nodes[node].choices
            if len(choices) > 1:
                chosen[node] = min(choices, key=lambda choice: state.end(choice) + onward[choice])
            ended[node] = state.place(node, chosen[node])
        problem = self.problem
        ends = max([*ended, *(state.bring(value, problem.exit_of(value)) for value in problem.outputs)], default=0.0)
        return ListPass(ends, chosen, ended, state.ranks)

    def backward(self, keys: Sequence[float], back: Mapping[Choice, float]) -> list[float]:
        """The start of each node, counted from the end of the program, if nodes are placed backwards. Copies take time
        but occupy no link, since only the order of nodes is used."""
        problem, nodes = self.problem, self.problem.nodes
        busy: dict[str, Idle] = {lane: [] for lane in self.lane.values()}
        ended = [0.0] * len(nodes)
        wanted: dict[int, dict[str, float]] = {value: {problem.exit_of(value): 0.0} for value in problem.outputs}
        for node in in_rank_order(self.readers, keys, self.makers):
            best: tuple[float, float, list[tuple[str, float, float]], Choice] | None = None
            for choice in nodes[node].choices:
                at = 0.0
                for value in nodes[node].writes:
                    for device, since in wanted.get(value, {}).items():
                        way = problem.copy(problem.sizes[value], choice.lands, device).ns
                        at = max(at, since + (way if device != choice.lands else 0.0))
                taken: list[tuple[str, float, float]] = []
                for part in reversed(choice.parts):
                    if not part.view and part.cost.ns:
                        lane = self.lane[part.device]
                        at = _slot(busy[lane], at, part.cost.ns) + part.cost.ns
                        taken.append((lane, at - part.cost.ns, at))
                if best is None or at + back[choice] < best[0]:
                    best = at + back[choice], at, taken, choice
            assert best is not None
            _, ended[node], taken, choice = best
            for lane, begin, end in taken:
                busy[lane].insert(bisect_left(busy[lane], (begin,)), (begin, end))
            for value, device in choice.needs:
                mine = wanted.setdefault(value, {})
                mine[device] = max(mine.get(device, 0.0), ended[node])
        return ended


class _Forward:
    """A schedule under construction in a forward pass."""

    def __init__(self, lists: Lists) -> None:
        self.problem, self.lane, self.locks = lists.problem, lists.lane, lists.locks
        self.busy: dict[str, Idle] = {lane: [] for lane in lists.lane.values()}
        self.source: dict[int, str] = {}
        self.ready: dict[tuple[int, str], float] = {}
        for value, devices in lists.problem.start().items():
            self.source[value] = next(iter(devices))
            self.ready |= {(value, device): 0.0 for device in devices}
        self.ranks: dict[Name, tuple[float, ...]] = {}

    def end(self, choice: Choice) -> float:
        """The time at which a node would end if it were placed by a choice."""
        inner: dict[tuple[int, str], float] = {}
        made: dict[int, str] = {}
        end = 0.0
        for part in choice.parts:
            begin = 0.0
            for value in part.reads:
                at = inner.get((value, part.device), -1.0) if value in made else self.ready.get((value, part.device))
                if at is None:
                    at = self._arrives(value, part.device)
                elif at < 0:
                    source = made[value]
                    at = inner[value, source] + self._copy(value, source, part.device)
                begin = max(begin, at)
            ns = 0.0 if part.view else part.cost.ns
            end = max(end, (_slot(self.busy[self.lane[part.device]], begin, ns) if ns else begin) + ns)
            for value in part.writes:
                made[value], inner[value, part.device] = part.device, end
        return end

    def _copy(self, value: int, source: str, target: str) -> float:
        return self.problem.copy(self.problem.sizes[value], source, target).ns

    def _link(self, link: str) -> Idle:
        return self.busy.setdefault(self.locks.get(link, (link,))[0], [])

    def _arrives(self, value: int, device: str) -> float:
        """The earliest arrival of a value on a device that it has not reached."""
        at = 0.0
        for a, b, link in self.problem.route(self.source[value], device):
            known = self.ready.get((value, b))
            ns = self._copy(value, a, b)
            at = _slot(self._link(link), max(at, self.ready.get((value, a), 0.0)), ns) + ns if known is None else known
        return at

    def bring(self, value: int, device: str) -> float:
        """Copy a value to a device, unless it is there; returns its arrival time."""
        for a, b, link in self.problem.route(self.source[value], device) if (value, device) not in self.ready else ():
            if (value, b) not in self.ready:
                ns = self._copy(value, a, b)
                begin = self._take(self._link(link), self.ready[value, a], ns)
                self.ready[value, b] = begin + ns
                self.ranks[value, a, b] = (begin,)
        return self.ready[value, device]

    def place(self, node: int, choice: Choice) -> float:
        """Place a node by a choice; returns the end of its last task."""
        last = 0.0
        for part in choice.parts:
            begin = max((self.bring(value, part.device) for value in part.reads), default=0.0)
            ns = 0.0 if part.view else part.cost.ns
            if ns:
                begin = self._take(self.busy[self.lane[part.device]], begin, ns)
            if not part.view:
                self.ranks[part, node] = (begin,)
            for value in part.writes:
                self.source[value] = part.device
                self.ready[value, part.device] = begin + ns
            last = max(last, begin + ns)
        return last

    @staticmethod
    def _take(busy: Idle, begin: float, ns: float) -> float:
        begin = _slot(busy, begin, ns)
        if ns:
            busy.insert(bisect_left(busy, (begin,)), (begin, begin + ns))
        return begin
