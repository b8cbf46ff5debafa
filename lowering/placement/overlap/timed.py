"""Choices of candidates to run away from home, by the timeline: with links, memory, launches, interference and streams."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from interp.schedule.events import by_rank
from interp.schedule.jobs import Bound, arranged
from interp.schedule.routes import Copy
from interp.schedule.timeline import name_of
from lowering.limits import LIMITS
from lowering.placement.choice import ChoicePart
from lowering.placement.overlap.kernels import Kernels
from lowering.placement.problem import Schedule
from lowering.placement.sequence import reordered

Way: TypeAlias = Literal["whole", "writes", "both"]
"""How a kernel away from home gets and gives what others write and read: as a whole; what it takes as a stream; what it
makes, too."""
Ways: TypeAlias = "Mapping[int, Way]"
"""The candidates away from home, each with its way."""


class Timed:
    """Schedules of choices of candidates, each tried once."""

    def __init__(self, kernels: Kernels) -> None:
        self.kernels, self.problem = kernels, kernels.problem
        self.trials = 0
        self.ways: Ways = {node: "whole" for node in kernels.forced}
        self.best = self.schedule(self.ways)
        """The best schedule that was met, and its choice."""

    def schedule(self, ways: Ways) -> Schedule:
        """A choice, with tasks and copies in program order, as far as they are ready then."""
        problem, placement = self.problem, self.kernels.placement(ways.keys())
        lies = dict(self._lies(ways))
        jobs = problem.jobs(placement, lies)
        streams = tuple(self._streams(ways, Schedule(placement, lies=lies)))
        order = by_rank(arranged(jobs, range(len(jobs)), (), streams), range(len(jobs)))
        schedule = Schedule(placement, tuple(order), streams=streams, lies=lies)
        return replace(schedule, ns=problem.ends(schedule))

    def _lies(self, ways: Ways) -> Iterator[tuple[int, str]]:
        """State that lies away from home: what is donated to a result that is made there, and read only there."""
        for given, taken in self.problem.movable.items():
            maker = self.problem.producer.get(taken)
            if maker in ways and all(reader in ways for reader in self._readers(given)):
                yield given, self.kernels.candidates[maker].away.device

    def _readers(self, value: int) -> Iterator[int]:
        """The kernels that read a value, through views."""
        for reader in self.problem.consumers.get(value, ()):
            node = self.problem.nodes[reader]
            if node.view:
                for shown in node.writes:
                    yield from self._readers(shown)
            else:
                yield reader

    def _streams(self, ways: Ways, schedule: Schedule) -> Iterator[tuple[int, int]]:
        """What jobs take as streams: copies to those that take streams, and these; copies of what is made as a stream,
        and who reads it at home."""
        if all(way == "whole" for way in ways.values()):
            return
        problem = self.problem
        tasks: dict[int, int] = {}
        copies: dict[tuple[int, str], list[int]] = defaultdict(list)
        for number, (node, step) in enumerate(problem.walk(schedule.placement, schedule.lies)):
            if isinstance(step, ChoicePart):
                tasks[node] = number
            elif isinstance(step, Copy):
                copies[step.value, step.target].append(number)
        waits = [frozenset(job.after) for job in problem.jobs(schedule.placement, schedule.lies)]
        for maker, taker in self._flows(ways):
            machine = problem.clock.machine
            source, target = (schedule.placement[node].device for node in (maker, taker))
            if maker not in tasks or taker not in tasks or not machine.streams(source, target):
                continue
            for value in problem.nodes[maker].writes:
                moved = [tasks[maker], *copies[value, target][:1], tasks[taker]]
                if value in problem.nodes[taker].reads and all(
                    one in waits[other] for one, other in zip(moved, moved[1:], strict=False)
                ):
                    yield from zip(moved[1:], moved, strict=False)

    def _flows(self, ways: Ways) -> Iterator[tuple[int, int]]:
        """Pairs of kernels of which the second takes a stream of the first."""
        kernels = self.kernels
        for node, way in ways.items():
            candidate = kernels.candidates[node]
            if way != "whole":
                yield from ((maker, node) for maker in kernels.written_by(candidate) if maker not in ways)
            if way == "both":
                yield from ((node, reader) for reader in kernels.read_by(candidate) if reader not in ways)

    def tried(self, ways: Ways) -> bool:
        """Whether a choice ends earlier than the best one so far, and memory holds it; then it is the best one."""
        self.trials += 1
        trial = self.schedule(ways)
        if trial.ns >= self.best.ns * (1 - LIMITS.rounding) or self.problem.overfull(trial):
            return False
        self.best, self.ways = trial, dict(ways)
        return True

    def ordered(self) -> Schedule:
        """The best choice in the best order that is known."""
        return reordered(self.problem, self.best)

    def groups(self) -> list[list[int]]:
        """Candidates of one kind each, the kinds that take longest at home first. Those that read what the program is
        given, and those whose results nobody reads, are kinds of their own."""
        problem, kernels = self.problem, self.kernels
        found: dict[tuple[str, bool, bool], list[int]] = defaultdict(list)
        for node in kernels.candidates:
            found[name_of(problem.nodes[node].op), bool(kernels.makers[node]), bool(kernels.readers[node])].append(node)
        return sorted(found.values(), key=lambda group: -sum(kernels.candidates[node].home_ns for node in group))

    def climb(self) -> None:
        """Move kinds of candidates, then parts of kinds, away from home and back, while that ends earlier."""
        groups = self.groups()
        state = {
            node for node in self.kernels.candidates if any(node in self._readers(v) for v in self.problem.movable)
        }
        for group in groups:
            if self.trials >= LIMITS.overlap_trials:
                return
            self._move(group)
            if any(not self.kernels.readers[node] for node in group):
                self._move([*group, *sorted(state.difference(group))])
        parts = 2
        while parts <= 8:
            for group in groups:
                size = -(-len(group) // parts)
                for first in range(0, len(group), size) if len(group) >= parts else ():
                    if self.trials >= LIMITS.overlap_trials:
                        return
                    self._move(group[first : first + size])
            parts *= 2

    def _move(self, nodes: list[int]) -> None:
        """Try candidates elsewhere than they are: all away from home, in each way, or all at home."""
        rest = {node: way for node, way in self.ways.items() if node not in nodes}
        ways: tuple[Way, ...] = ("whole", "writes", "both")
        for way in ways:
            trial: dict[int, Way] = {**rest, **dict.fromkeys(nodes, way)}
            if trial != self.ways and self.tried(trial):
                return
        if len(rest) < len(self.ways):
            self.tried(rest)


def least_busy(kernels: Kernels) -> Bound:
    """No choice, in no order and with no state or stream anywhere, ends before this: home and each other device run one
    kernel at a time, and the fractions of candidates that leave the busier one least to do are known in closed form."""
    kept = sum(ns for node, ns in kernels.ns.items() if node not in kernels.candidates)
    home = kept + sum(each.home_ns for each in kernels.candidates.values())
    count = max(1, len({each.away.device for each in kernels.candidates.values()}))
    away = sum(each.ns for each in kernels.candidates.values() if each.home is None) / count
    free = [each for each in kernels.candidates.values() if each.home is not None]
    for each in sorted(free, key=lambda each: each.ns / each.home_ns if each.home_ns else float("inf")):
        ns, home_ns = each.ns / count, each.home_ns
        if away + ns >= home - home_ns:
            part = max(0.0, home - away) / (ns + home_ns) if ns + home_ns else 0.0
            return Bound(max(home - part * home_ns, away), "load of home and of what works beside it")
        home, away = home - home_ns, away + ns
    return Bound(max(home, away), "load of home and of what works beside it")
