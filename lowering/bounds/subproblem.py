"""A subproblem of a placement problem between two moments that occur in each of its schedules, and its least time by
dependences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from lowering.instance.choice import Alternative
from lowering.instance.problem import Problem

NEVER = float("-inf")
"""Minus infinity: the least time from the first moment to a task that need not follow it, or from a task to the last
moment if that does not depend on the task."""


Times: TypeAlias = "list[list[list[float]]]"
"""For each task of each way, by the position of its node, a time in ns. Joint ways follow the node's own ways."""


@dataclass(frozen=True)
class Subproblem:
    """Nodes in program order, each with its ways to run (`Alternative`), between a first and a last moment.

    The first moment is the program's start (`since` is 0), or the completion of the values `entry_values`, each on one
    device (`since` is NEVER: tasks that don't depend on these values may have run before). The last moment is the
    program's end (`until` is None), with `outputs` on the primary device, or the completion of the values `until`, made
    by one task. `joint`: ways to run several nodes together, with the positions of these nodes; each way runs at the
    position of the last of its nodes.
    """

    problem: Problem
    ways: tuple[tuple[Alternative, ...], ...]
    entry_values: Mapping[int, str]
    since: float
    until: frozenset[int] | None
    joint: tuple[tuple[tuple[int, ...], Alternative], ...] = ()
    outputs: tuple[int, ...] = ()
    ending: Mapping[int, tuple[Alternative, ...]] = field(init=False)
    """The joint ways, by the position of the node at which they run: the last of their nodes."""
    members: Mapping[int, tuple[tuple[int, ...], ...]] = field(init=False)
    """For each position in `ending`, the positions of the nodes of each joint way there, in the same order."""
    together: frozenset[int] = field(init=False)
    """The nodes that have joint ways."""

    def __post_init__(self) -> None:
        ending: dict[int, tuple[Alternative, ...]] = {}
        members: dict[int, tuple[tuple[int, ...], ...]] = {}
        for nodes, way in self.joint:
            ending[max(nodes)] = (*ending.get(max(nodes), ()), way)
            members[max(nodes)] = (*members.get(max(nodes), ()), nodes)
        object.__setattr__(self, "ending", ending)
        object.__setattr__(self, "members", members)
        object.__setattr__(self, "together", frozenset(node for nodes, _ in self.joint for node in nodes))

    @cached_property
    def heads(self) -> Times:
        """The head of each task, the least time from the first moment to its start (NEVER if it need not follow that):

        head(task) = max over operands of min over the ways to make the operand of (its end + copy to the task's device)
        """
        arrivals = Arrivals(self)
        found: Times = []
        for _, ways, own in rows_of(self):
            runs = [arrivals.run(way) for way in ways]
            found.append([begins for begins, _ in runs])
            arrivals.make((made for _, made in runs[:own]), fresh=True)
            if own < len(runs):
                arrivals.make((made for _, made in runs[own:]), fresh=False)
        return found

    @cached_property
    def tails(self) -> Times:
        """The tail of each task, the least time from its end to the last moment (NEVER if that does not depend on it):

        tail(task) = max over consumers of its results of min over their ways of (copy + time + tail)
        """
        leavings = RemainingTimes(self)
        found: Times = []
        together: dict[int, list[tuple[Alternative, list[float]]]] = {}
        for place, ways, own in reversed(list(rows_of(self))):
            mine = [leavings.run(way) for way in ways]
            found.append(mine)
            for nodes, way, left in zip(self.members.get(place, ()), ways[own:], mine[own:], strict=True):
                for node in nodes:
                    together.setdefault(node, []).append((way, left))
            _note(leavings, [*zip(ways[:own], mine, strict=False), *together.get(place, ())])
        return found[::-1]

    @cached_property
    def longest(self) -> float:
        """The critical path: the maximum over nodes of the minimum over their ways of head + time + tail, in ns."""
        best, heads, tails = 0.0, self.heads, self.tails
        for place, ways, _ in rows_of(self):
            through = [
                max((begin + task.ns + end for begin, task, end in zip(b, way, e, strict=True)), default=NEVER)
                for way, b, e in zip(ways, heads[place], tails[place], strict=True)
            ]
            if place not in self.together:
                best = max(best, min(through))
        return best

    def known(self) -> dict[int, Mapping[str, float]]:
        """The times at which values that exist before the first moment were made, by value and device."""
        known: dict[int, Mapping[str, float]] = {value: {device: 0.0} for value, device in self.entry_values.items()}
        if not self.since:
            known |= {value: dict.fromkeys(devices, 0.0) for value, devices in self.problem.start().items()}
        return known

    @property
    def copy(self) -> Callable[[int, str, str], float]:
        """The time in ns of a value's copy, given by number, from one device to another."""
        return self.problem.copies.ns


def whole_subproblem(problem: Problem) -> Subproblem:
    """A whole problem as one subproblem, from the program's start to its end."""
    return problem.once("whole", lambda: _whole(problem))


def _whole(problem: Problem) -> Subproblem:
    ways = tuple(tuple(map(problem.tasks, node.choices)) for node in problem.nodes)
    joint = tuple((region.nodes, problem.tasks(region.choice)) for region in problem.regions)
    return Subproblem(problem, ways, {}, 0.0, None, joint, problem.outputs)


def rows_of(subproblem: Subproblem) -> Iterator[tuple[int, tuple[Alternative, ...], int]]:
    """For each position: the position, the ways to run nodes there (first those of its node alone, then the joint
    ways), and the number of those of its node alone."""
    for place, own in enumerate(subproblem.ways):
        yield place, (*own, *subproblem.ending.get(place, ())), len(own)


class Arrivals:
    """The earliest arrival times of values on devices."""

    def __init__(self, subproblem: Subproblem) -> None:
        self.subproblem, self.copy = subproblem, subproblem.copy
        self.made: dict[int, Mapping[str, float]] = subproblem.known()
        self._reached: dict[tuple[int, str], float] = {}

    def of(self, value: int, device: str) -> float:
        """The earliest time at which a value is on a device; NEVER (minus infinity) if it need not follow the first
        moment."""
        key = (value, device)
        if key not in self._reached:
            made = self.made.get(value, {})
            copy = self.copy
            self._reached[key] = min((at + copy(value, source, device) for source, at in made.items()), default=NEVER)
        return self._reached[key]

    def run(self, way: Alternative) -> tuple[list[float], dict[int, tuple[str, float]]]:
        """The earliest start of each task of a way; and for each result of the way, the device on which it is made and
        the earliest time at which it is made."""
        inner: dict[int, tuple[str, float]] = {}
        begins: list[float] = []
        for device, ns, reads, writes, _ in way:
            begin = self.subproblem.since
            for value in reads:
                if value in inner:
                    source, at = inner[value]
                    at += self.copy(value, source, device)
                else:
                    at = self.of(value, device)
                begin = max(begin, at)
            begins.append(begin)
            inner |= dict.fromkeys(writes, (device, begin + ns))
        return begins, inner

    def make(self, made: Iterable[dict[int, tuple[str, float]]], fresh: bool) -> None:
        """Record the earliest times at which the ways of a node make its results. `fresh`: True if no way of another
        node makes these results."""
        best: dict[int, dict[str, float]] = {}
        for each in made:
            for value, (device, at) in each.items():
                mine = best.setdefault(value, {} if fresh else dict(self.made.get(value, {})))
                mine[device] = min(at, mine.get(device, at))
        for value, mine in best.items():
            self.made[value] = mine
            if not fresh:
                for device in self.subproblem.problem.devices:
                    self._reached.pop((value, device), None)


class RemainingTimes:
    """The least time from the production of a value on a device to the last moment."""

    def __init__(self, subproblem: Subproblem) -> None:
        self.subproblem, self.copy = subproblem, subproblem.copy
        self.exit_of = subproblem.problem.exit_of
        self.outputs = frozenset(subproblem.outputs) if subproblem.until is None else frozenset[int]()
        self.readers: dict[int, list[dict[int, list[tuple[str, float]]]]] = {}
        """Value -> for each consumer and each of its ways: (device, least time from the arrival there)."""
        self._least: dict[tuple[int, str], float] = {}

    def of(self, value: int, device: str) -> float:
        """The least time from the completion of a value on a device to the last moment; NEVER if the last moment does
        not depend on it."""
        key = (value, device)
        if key not in self._least:
            copy = self.copy
            least = copy(value, device, self.exit_of(value)) if value in self.outputs else NEVER
            for ways in self.readers.get(value, ()):
                fastest = min(
                    max((copy(value, device, target) + left for target, left in reads), default=NEVER)
                    for reads in ways.values()
                )
                least = max(least, fastest)
            self._least[key] = least
        return self._least[key]

    def read(self, value: int, reads: dict[int, list[tuple[str, float]]]) -> None:
        """Add a consumer of a value. `reads`: for each way of the consumer, by number, the devices on which it reads
        the value, each with the least time from there to the last moment. Cached times of the value are dropped: a
        joint way runs after some of its own nodes, so that these times may have been queried before."""
        self.readers.setdefault(value, []).append(reads)
        for device in self.subproblem.problem.devices:
            self._least.pop((value, device), None)

    def run(self, way: Alternative) -> list[float]:
        """The time from the end of each task of a way to the last moment."""
        until = self.subproblem.until
        inner: dict[int, list[tuple[str, float]]] = {}
        tails: list[float] = []
        for device, ns, reads, writes, _ in reversed(way):
            tail = 0.0 if until is None or not until.isdisjoint(writes) else NEVER
            for value in writes:
                tail = max(tail, self.of(value, device))
                for target, left in inner.get(value, ()):
                    tail = max(tail, self.copy(value, device, target) + left)
            tails.append(tail)
            for value in reads:
                inner.setdefault(value, []).append((device, ns + tail))
        return tails[::-1]


def _note(leavings: RemainingTimes, ways: Sequence[tuple[Alternative, list[float]]]) -> None:
    """Record the values that a node reads in each of its ways."""
    values = dict.fromkeys(value for way, _ in ways for task in way for value in task.reads)
    for value in values:
        reads = {
            number: [(task.on, task.ns + tail) for task, tail in zip(way, tails, strict=True) if value in task.reads]
            for number, (way, tails) in enumerate(ways)
        }
        leavings.read(value, reads)
