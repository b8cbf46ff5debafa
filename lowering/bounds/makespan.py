"""A lower bound on the makespan of every placement of a program in every order, from bounds of its subproblems."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TypeAlias

from interp.simulate.events.jobs import SERIAL, Bound
from interp.simulate.events.segments import segments
from lowering.bounds.branching import by_cases
from lowering.bounds.relaxation import least_load_of
from lowering.bounds.segments import segments_of
from lowering.bounds.subproblem import NEVER, Subproblem, whole_subproblem
from lowering.instance.choice import Alternative
from lowering.instance.problem import Problem
from lowering.limits import LIMITS

CASE_NODES = 48
"""Nodes: subproblems with at most this many nodes are bounded by branch and bound; larger ones have too many cases."""

CASES = "branch and bound"


def by_cuts(problem: Problem) -> Bound:
    """A lower bound on the makespan of any placement of a problem, in any order of its tasks and copies, from those of
    subproblems.

    The program is cut into subproblems at nodes that depend on all earlier ones and that all later ones depend on. The
    sum of the subproblems' bounds, minimised over the devices of the cut nodes' results, is a bound on the whole
    program. First the program is cut at all such nodes, then only at those across which few values are live, then
    nowhere: the bound of each subproblem is the maximum of its own bound (`bound_of`, `by_cases`) and of the sum of
    bounds on the shorter subproblems that it contains.
    """
    program = whole_subproblem(problem)
    fine = cuts(problem, program)
    coarse = {segment.exit for segment in segments_of(problem)}
    level: CutLevel | None = None
    left = LIMITS.case_nodes
    for chosen in dict.fromkeys((tuple(fine), tuple(node for node in fine if node in coarse), ())):
        level = CutLevel(problem, program, chosen, level)
        left -= level.settle(left // 2)
    assert level is not None
    return level.bound()


Ends: TypeAlias = tuple[str | None, str | None]
"""The devices of the values at the start and at the end of a subproblem; None for the program's start and end."""


class CutLevel:
    """A problem cut at some nodes into subproblems: lower bounds on these, and the shortest path through them, which is
    the least sum of their bounds over the devices at the cuts."""

    def __init__(self, problem: Problem, program: Subproblem, chosen: Sequence[int], below: CutLevel | None) -> None:
        self.ends = (*chosen, None)
        self.bounds: dict[Hashable, Bound] = {}
        """Bounds by the shape of subproblems, so that those of equal shape are bounded once."""
        self.subproblems: dict[Hashable, Subproblem] = {}
        self.closer: set[Hashable] = set()
        """The shapes that have been bounded by branch and bound."""
        self.ways: list[dict[Ends, Hashable]] = []
        """For each segment between two cuts, the shapes of its subproblems."""
        for entry, exit in pairwise((None, *self.ends)):
            nodes = range(0 if entry is None else entry + 1, len(problem.nodes) if exit is None else exit + 1)
            found: dict[Ends, Hashable] = {}
            for entry_device in result_devices(program, entry):
                inner = below.between(entry, entry_device, exit) if below else {}
                for exit_device in result_devices(program, exit):
                    subproblem = cut_out(program, nodes, entry, entry_device, exit, exit_device)
                    key = found[entry_device, exit_device] = shape_of(subproblem)
                    if key not in self.bounds:
                        self.subproblems[key] = subproblem
                        self._first(key, below, inner.get(exit_device))
            self.ways.append(found)

    def _first(self, key: Hashable, below: CutLevel | None, inner: tuple[float, list[Bound]] | None) -> None:
        """Compute the initial bound on the subproblem with a key: from the subproblems of the level `below` that it
        contains, if there are any. For the whole program its own bound is added, since nodes off the paths between
        cuts are ignored in the bounds of subproblems."""
        if below is not None and key in below.bounds:
            self.bounds[key] = below.bounds[key]
            self.closer |= {key} & below.closer
        elif inner is None:
            self.bounds[key] = bound_of(self.subproblems[key])
        else:
            own = [bound_of(self.subproblems[key])] if len(self.ends) == 1 else []
            both = [*own, _sum(*inner)]  # of equal bounds, a chain, whole or in segments, is preferred to a load
            self.bounds[key] = max(sorted(both, key=lambda bound: "chain" not in bound.because), key=_rounded)

    def settle(self, effort: int) -> int:
        """Tighten the bounds of the subproblems on the shortest path, until all of these are tight or the effort is
        spent; returns the effort used."""
        spent = 0
        while spent < effort:
            keys = [self.ways[place][ends] for place, ends in enumerate(self.shortest())]
            loose = [key for key in dict.fromkeys(keys) if key not in self.closer]
            if not loose:
                break
            for number, key in enumerate(loose):
                spent += self._closer(key, (effort - spent) // (len(loose) - number))
        return spent

    def _closer(self, key: Hashable, effort: int) -> int:
        """Tighten the bound of the subproblem with a key by branch and bound; returns the number of nodes evaluated."""
        subproblem, before = self.subproblems[key], self.bounds[key]
        self.closer.add(key)
        if len(subproblem.ways) > CASE_NODES:
            return 0
        ns, spent = by_cases(subproblem, before.ns, effort)
        if ns > before.ns * (1 + 1e-12):
            self.bounds[key] = Bound(ns, CASES)
        return spent

    def bound(self) -> Bound:
        """The least sum of the subproblems' bounds, over the devices of the values at the cuts."""
        return _sum(*self.between(None, None, None)[None])

    def shortest(self) -> list[Ends]:
        """The devices at the start and end of each subproblem on the shortest path."""
        exit_device: str | None = None
        found: list[Ends] = []
        for step in reversed(self._steps(0, None, len(self.ways))):
            found.append((step[exit_device][1], exit_device))
            exit_device = step[exit_device][1]
        return found[::-1]

    def between(
        self, entry: int | None, entry_device: str | None, exit: int | None
    ) -> dict[str | None, tuple[float, list[Bound]]]:
        """The least sums of the bounds of the subproblems between two cuts, by the device of the second cut's results,
        each with its summands."""
        first = 0 if entry is None else self.ends.index(entry) + 1
        steps = self._steps(first, entry_device, self.ends.index(exit) + 1)
        found: dict[str | None, tuple[float, list[Bound]]] = {}
        for exit_device, (ns, _) in steps[-1].items():
            parts: list[Bound] = []
            at = exit_device
            for place in range(len(steps) - 1, -1, -1):
                before = steps[place][at][1]
                parts.append(self.bounds[self.ways[first + place][before, at]])
                at = before
            found[exit_device] = ns, parts
        return found

    def _steps(
        self, first: int, entry_device: str | None, last: int
    ) -> list[dict[str | None, tuple[float, str | None]]]:
        """For each subproblem between the nodes `first` and `last`, and each device at its end: the least sum of bounds
        from `first` to that end, and the device at the subproblem's start in that sum."""
        steps: list[dict[str | None, tuple[float, str | None]]] = []
        before: dict[str | None, tuple[float, str | None]] = {entry_device: (0.0, None)}
        for ways in self.ways[first:last]:
            now: dict[str | None, tuple[float, str | None]] = {}
            for (source, exit_device), key in ways.items():
                if source in before:
                    ns = before[source][0] + self.bounds[key].ns
                    if exit_device not in now or ns < now[exit_device][0]:
                        now[exit_device] = ns, source
            steps.append(now)
            before = now
        return steps


def _rounded(bound: Bound) -> float:
    """The bound in ns, rounded so that bounds that differ only by the order of summation compare as equal; the first of
    equal bounds is kept."""
    return float(f"{bound.ns:.12g}")


def _sum(ns: float, parts: Sequence[Bound]) -> Bound:
    """The sum of bounds on serial subproblems."""
    reasons: dict[str, float] = {}
    for part in parts:
        reasons[part.because] = reasons.get(part.because, 0.0) + part.ns
    most = max(reasons, key=lambda because: reasons[because])
    return Bound(ns, most if len(parts) == 1 else SERIAL + most.removeprefix(SERIAL))


def cuts(problem: Problem, program: Subproblem) -> list[int]:
    """The nodes at which the program can be cut so that times add up: each depends on the cut before it, all its
    results are made by one task in every choice, and no region contains it and a later node."""
    after = [
        tuple(problem.producer[value] for value in node.reads if value in problem.producer) for node in problem.nodes
    ]
    fastest = [min(choice.cost.ns for choice in node.choices) for node in problem.nodes]
    tied = [part[0] for part in segments(after, fastest) if len(part) == 1]
    inside = {node for nodes, _ in program.joint for node in range(min(nodes), max(nodes))}
    return [node for node in tied if node not in inside and _made_at_once(program, node, problem.nodes[node].writes)]


def _made_at_once(program: Subproblem, node: int, writes: Sequence[int]) -> bool:
    ways = (*program.ways[node], *program.ending.get(node, ()))
    return bool(writes) and all(any(set(writes) <= set(task.writes) for task in way) for way in ways)


def result_devices(program: Subproblem, node: int | None) -> tuple[str | None, ...]:
    """The devices on which the results of a node may be made; for no node (the program's end), only None."""
    if node is None:
        return (None,)
    value = program.problem.nodes[node].writes[0]
    ways = (*program.ways[node], *program.ending.get(node, ()))
    return tuple(dict.fromkeys(task.on for way in ways for task in way if value in task.writes))


def cut_out(
    program: Subproblem,
    nodes: range,
    entry: int | None,
    entry_device: str | None,
    exit: int | None,
    exit_device: str | None,
) -> Subproblem:
    """The subproblem between two cuts: from the results of node `entry` on a device to the results of node `exit` on a
    device."""
    listed, first = program.problem.nodes, nodes.start
    until = None if exit is None else frozenset(listed[exit].writes)

    def may_end(way: Alternative) -> bool:
        return until is None or any(task.on == exit_device and until <= set(task.writes) for task in way)

    ways = [program.ways[node] for node in nodes]
    if exit is not None:
        ways[-1] = tuple(way for way in ways[-1] if may_end(way))
    joint = tuple(
        (tuple(node - first for node in members), way)
        for last in nodes
        for members, way in zip(program.members.get(last, ()), program.ending.get(last, ()), strict=True)
        if min(members) >= first and (last != exit or may_end(way))
    )
    return Subproblem(
        program.problem,
        tuple(ways),
        {} if entry is None or entry_device is None else dict.fromkeys(listed[entry].writes, entry_device),
        0.0 if entry is None else NEVER,
        until,
        joint,
        program.outputs if exit is None else (),
    )


def shape_of(subproblem: Subproblem) -> Hashable:
    """The key of a subproblem: equal keys imply equal bounds."""
    numbers: dict[int, tuple[int, int]] = {}
    problem = subproblem.problem

    def number(value: int) -> tuple[int, int]:
        return numbers.setdefault(value, (len(numbers), problem.sizes[value]))

    def shape(way: Alternative) -> Hashable:
        return tuple(
            (on, ns, tuple(map(number, reads)), tuple(map(number, writes)), busy) for on, ns, reads, writes, busy in way
        )

    entry_values = tuple((number(value), device) for value, device in subproblem.entry_values.items())
    ways = tuple(tuple(map(shape, each)) for each in subproblem.ways)
    joint = tuple((nodes, shape(way)) for nodes, way in subproblem.joint)
    given = tuple((number(value), tuple(devices)) for value, devices in problem.start().items() if not subproblem.since)
    ends = None if subproblem.until is None else tuple(sorted(map(number, subproblem.until)))
    return (
        entry_values,
        ways,
        joint,
        given,
        ends,
        tuple((number(value), problem.exit_of(value)) for value in subproblem.outputs if value in numbers),
    )


def bound_of(subproblem: Subproblem) -> Bound:
    path = subproblem.longest
    load = least_load_of(subproblem, path)
    if load.ns > path:
        return Bound(load.ns, "load of " + " and of ".join(name.removeprefix("load of ") for name in load.names))
    return Bound(path, "longest chain")
