"""Large neighbourhood search: some nodes of the best schedule are freed, all others keep their choices and order, and
an exact search finds the best schedule under these constraints.

The neighbourhoods alternate between nodes with consecutive starts, nodes of a critical path with their neighbours, and
nodes near a random node in the graph. Their size grows while searches end with a proof and without an improvement, and
shrinks otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from random import Random

from lowering.bounds.relaxation import is_short_of_memory
from lowering.instance.choice import ChoicePart
from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import started
from lowering.limits import LIMITS
from lowering.optimise.exact import solver as exact

LEAST_NODES = 8
"""Free nodes of the first neighbourhood search, and minimum number of free nodes."""
EFFORT = 0.5
"""The effort of one neighbourhood search, as a fraction of that of the first search of a segment."""
GROWTH = 1.25
"""Factor by which the number of free nodes of a neighbourhood search grows or shrinks."""
PROGRAM_NODES = 1000
"""Nodes of a program up to which neighbourhood search is used: all nodes are in each model, though few are free."""
SHORT_MEMORY_NODES = 200
"""Nodes of a program up to which neighbourhood search is used if memory is short: the memory of all values at each
time is then in each model, too, which for 600 nodes takes a minute to build."""


class Windows:
    """The neighbourhood searches of one problem, in a deterministic pseudo-random order."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.random = Random(0)
        self.size = float(LEAST_NODES)
        self.number = 0
        count = len(problem.nodes)
        most = SHORT_MEMORY_NODES if is_short_of_memory(problem) else PROGRAM_NODES
        self.able = 1 < count <= most
        self.readers = [
            {reader for value in node.writes for reader in problem.consumers.get(value, ())} for node in problem.nodes
        ]
        self.around = [set(readers) for readers in self.readers]
        for node, readers in enumerate(self.readers):
            for reader in readers:
                self.around[reader].add(node)

    def better(self, best: Schedule, seconds: float) -> Schedule:
        """The best schedule found in one neighbourhood of `best`, a schedule that fits memory: `best` itself, or a
        shorter one."""
        size = min(round(self.size), len(self.problem.nodes))
        free = self._free(best, size)
        part = restricted(self.problem, best, free)
        kept = frozenset(range(len(self.problem.nodes))).difference(free)
        solved = exact.solve(part, LIMITS.segment_effort * EFFORT, best, seconds=seconds, kept=kept)
        if solved is None or not solved.schedule.ns < self.problem.ends(best):
            grown = self.size * GROWTH if solved is None or solved.proved else self.size / GROWTH
            self.size = min(max(grown, LEAST_NODES), len(self.problem.nodes))
            return best
        return solved.schedule

    def _free(self, best: Schedule, size: int) -> set[int]:
        ways: tuple[Callable[[Schedule, int], Iterator[int]], ...] = (self._in_time, self._on_chain, self._nearby)
        self.number += 1
        found: set[int] = set()
        for node in ways[self.number % len(ways)](best, size):
            found.add(node)
            if len(found) >= size:
                break
        return found

    def _in_time(self, best: Schedule, size: int) -> Iterator[int]:
        """Nodes with consecutive starts."""
        order = started(self.problem, best)
        first = self.random.randrange(max(1, len(order) - size + 1))
        yield from order[first : first + size]

    def _on_chain(self, best: Schedule, size: int) -> Iterator[int]:
        """Consecutive nodes on a critical path, each followed by its neighbours in the graph."""
        chain = critical(self.problem, best)
        first = self.random.randrange(max(1, len(chain)))
        for node in chain[first:] + chain[:first]:
            yield node
            yield from sorted(self.around[node])

    def _nearby(self, best: Schedule, size: int) -> Iterator[int]:
        """The nodes that are connected with a random node, by ascending distance from that node in the graph."""
        waiting, met = [self.random.randrange(len(self.problem.nodes))], set[int]()
        while waiting:
            following: list[int] = []
            for node in waiting:
                if node not in met:
                    met.add(node)
                    yield node
                    following += sorted(self.around[node])
            waiting = following


def critical(problem: Problem, schedule: Schedule) -> list[int]:
    """The nodes of a critical path of tasks and copies, from its start: each task or copy starts when its predecessor
    on the path ends, because of a dependence or because both use the same device or link."""
    begins, ends = problem.spans(schedule)
    steps = list(problem.walk(schedule.placement))
    at: dict[float, list[int]] = {}
    for job, end in enumerate(ends):
        at.setdefault(end, []).append(job)
    chain: list[int] = []
    job = max(range(len(ends)), key=lambda each: ends[each], default=-1)
    met = set[int]()
    while job >= 0 and job not in met:
        met.add(job)
        node, step = steps[job]
        if isinstance(step, ChoicePart):
            chain.append(node)
        before = [other for other in at.get(begins[job], ()) if other not in met]
        job = before[0] if before else -1
    return list(dict.fromkeys(reversed(chain)))


def restricted(problem: Problem, schedule: Schedule, free: Collection[int]) -> Problem:
    """A problem in which all nodes except the `free` ones are fixed to their choices in a schedule."""
    part = problem.part()
    taken = set(schedule.placement)
    for node, choice in zip(problem.nodes, schedule.placement, strict=True):
        fixed = node.index not in free and choice in node.choices
        part.node(node.op, (choice,) if fixed else node.choices, node.reads, node.writes)
    part.regions = [
        region for region in problem.regions if region.choice in taken or all(node in free for node in region.nodes)
    ]
    return part
