"""Choices of candidates to run away from the primary device, by the timeline: with links, memory, launches and
interference."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, TypeAlias

from dialects.task.decision import Word
from interp.schedule.events import by_rank
from interp.schedule.jobs import Bound, Job, arranged
from interp.schedule.timeline import name_of
from lowering.limits import LIMITS
from lowering.placement.choice import ChoicePart
from lowering.placement.overlap.kernels import Kernels
from lowering.placement.problem import Schedule
from lowering.placement.sequence import reordered

Way: TypeAlias = Literal["whole", "writes", "both"]
"""The way in which a kernel away from the primary device exchanges values: as whole tensors; its inputs as a stream;
its results as a stream, too."""
Ways: TypeAlias = "Mapping[int, Way]"
"""The candidates away from the primary device, each with its way."""


class Timed:
    """Schedules of choices of candidates, each tried once."""

    def __init__(self, kernels: Kernels) -> None:
        self.kernels, self.problem = kernels, kernels.problem
        self.trials = 0
        self.ways: Ways = dict.fromkeys(kernels.forced, "whole")
        self.best = self.schedule(self.ways)
        """The best schedule that was met, and its choice."""

    def schedule(self, ways: Ways) -> Schedule:
        """A choice, with tasks and copies in program order, as far as they are ready then."""
        problem, placement = self.problem, self.kernels.placement(ways.keys())
        lies = dict(self._lies(ways))
        jobs = problem.jobs(placement, lies)
        streams = tuple(self._streams(ways, Schedule(placement, lies=lies)))
        order = by_rank(arranged(jobs, range(len(jobs)), (), streams), self._ranks(jobs))
        schedule = Schedule(placement, tuple(order), streams=streams, lies=lies)
        return replace(schedule, ns=problem.ends(schedule))

    def _ranks(self, jobs: Sequence[Job]) -> list[int]:
        """The order in which resources take jobs that are ready: kernels on the primary device as in the program, and
        each other job as the first kernel on the primary device that waits for it."""
        ranks = list(range(len(jobs)))
        for number in reversed(ranks):
            for other in jobs[number].after:
                if jobs[other].resource != self.problem.primary:
                    ranks[other] = min(ranks[other], ranks[number])
        return ranks

    def _lies(self, ways: Ways) -> Iterator[tuple[int, str]]:
        """State that lies away from the primary device: what is donated to a result that is made there, and read only
        there."""
        for given, taken in self.problem.movable.items():
            maker = self.problem.producer.get(taken, -1)
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
        """The jobs that take streams: copies to those that take streams, and these; copies of what is made as a stream,
        and who reads it on the primary device."""
        if all(way == "whole" for way in ways.values()):
            return
        problem = self.problem
        tasks: dict[int, int] = {}
        copies: dict[tuple[int, str], list[int]] = defaultdict(list)
        for number, (node, step) in enumerate(problem.walk(schedule.placement, schedule.lies)):
            if isinstance(step, ChoicePart):
                tasks[node] = number
            else:
                copies[step.value, step.target].append(number)
        waits = [frozenset(job.after) for job in problem.jobs(schedule.placement, schedule.lies)]
        for maker, taker in self._flows(ways):
            machine = problem.clock.machine
            source, target = (schedule.placement[node].device for node in (maker, taker))
            if maker not in tasks or taker not in tasks or not machine.streams(source, target):
                continue
            for value in problem.nodes[maker].writes:
                moved = [tasks[maker], *copies[value, target][:1], tasks[taker]]
                pairs = [(later, earlier) for earlier, later in pairwise(moved)]
                if value in problem.nodes[taker].reads and all(earlier in waits[later] for later, earlier in pairs):
                    yield from pairs

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
        """True if a choice ends earlier than the best one so far, and memory holds it; then it is the best one."""
        self.trials += 1
        trial = self.schedule(ways)
        if trial.ns >= self.best.ns * (1 - LIMITS.rounding) or self.problem.overfull(trial):
            return False
        self.best, self.ways = trial, dict(ways)
        return True

    def take(self, ways: Ways) -> None:
        """Make a choice the best one, whatever it comes to."""
        self.best, self.ways = self.schedule(ways), dict(ways)

    def beside(self, schedule: Schedule) -> dict[int, dict[int, float]]:
        """For each candidate away from the primary device, how long it runs beside which kernels on the primary device,
        ns."""
        begins, ends = self.problem.spans(schedule)
        primary: list[tuple[float, float, int]] = []
        away: list[tuple[float, float, int]] = []
        for (node, step), begin, end in zip(
            self.problem.walk(schedule.placement, schedule.lies), begins, ends, strict=True
        ):
            if isinstance(step, ChoicePart):
                (primary if step.device == self.problem.primary else away).append((begin, end, node))
        primary.sort()
        latest = [end for _, end, _ in primary]  # one after the other
        found: dict[int, dict[int, float]] = {}
        for begin, end, node in sorted(away):
            mine = found[node] = dict[int, float]()
            left = self.kernels.candidates[node].ns
            for start, stop, host in primary[bisect_right(latest, begin) :]:
                if start >= end or left <= 0.0:
                    break
                if (shared := min(stop, end, max(start, begin) + left) - max(start, begin)) > 0.0:
                    mine[host] = shared
                    left -= shared
        return dict(sorted(found.items()))

    def flown(self, schedule: Schedule) -> dict[int, Word]:
        """The candidates that take a stream, or make one that is taken on the primary device."""
        walk = self.problem.walk(schedule.placement, schedule.lies)
        found: dict[int, Word] = {}
        sides: tuple[tuple[int, Word], ...] = ((1, "fly-read"), (0, "fly-write"))
        for pair in schedule.streams:
            for side, word in sides:
                node, step = walk[pair[side]]
                if isinstance(step, ChoicePart) and step.device != self.problem.primary:
                    found[node] = word
        return found

    def ordered(self) -> Schedule:
        """The best choice in the best order that is known."""
        return reordered(self.problem, self.best)

    def groups(self) -> list[list[int]]:
        """Candidates of one kind and size each, those first that take longest on the primary device. Those that read
        what the program is given, and those whose results nobody reads, are kinds of their own. What takes next to
        nothing is left out."""
        problem, kernels = self.problem, self.kernels
        found: dict[tuple[str, float, bool, bool], list[int]] = defaultdict(list)
        for node, candidate in kernels.candidates.items():
            ends = bool(kernels.makers[node]), bool(kernels.readers[node])
            found[name_of(problem.nodes[node].op), float(f"{candidate.primary_ns:.3g}"), *ends].append(node)
        times = {id(group): sum(kernels.candidates[node].primary_ns for node in group) for group in found.values()}
        worth = [group for group in found.values() if times[id(group)] > LIMITS.overlap_group * kernels.alone_ns]
        return sorted(worth, key=lambda group: -times[id(group)])

    def _with_state(self, group: Collection[int]) -> list[int]:
        """Candidates with those that read the state which they write anew, so that it may lie away from the primary
        device."""
        state = [given for given, taken in self.problem.movable.items() if self.problem.producer.get(taken) in group]
        readers = {reader for given in state for reader in self._readers(given)}
        return sorted(readers.intersection(self.kernels.candidates).union(group))

    def climb(self) -> None:
        """Move groups of candidates, then parts of groups, away from the primary device and back, while that ends
        earlier."""
        groups = self.groups()
        parts = 1
        while parts <= 8:
            for group in groups:
                size = -(-len(group) // parts)
                for first in range(0, len(group), size) if len(group) >= parts else ():
                    part = group[first : first + size]
                    for nodes in dict.fromkeys((tuple(part), tuple(self._with_state(part)))):
                        if self.trials >= LIMITS.overlap_trials:
                            return
                        self._move(nodes)
            parts *= 2

    def _move(self, nodes: Collection[int]) -> None:
        """Try candidates elsewhere than they are: all away from the primary device, in each way, or all on the primary
        device."""
        rest: dict[int, Way] = {node: self.ways[node] for node in self.ways if node not in nodes}
        ways: tuple[Way, ...] = ("whole", "writes", "both")
        for way in ways:
            trial = dict(rest)
            for node in nodes:
                trial[node] = way
            if trial != self.ways and self.tried(trial):
                return
        if len(rest) < len(self.ways):
            self.tried(rest)


def least_busy(kernels: Kernels) -> Bound:
    """No choice, in no order and with no state or stream anywhere, ends before this: the primary device and each other
    device run one kernel at a time, and the fractions of candidates that leave the busier one least to do are known in
    closed form."""
    kept = sum(ns for node, ns in kernels.ns.items() if node not in kernels.candidates)
    primary = kept + sum(each.primary_ns for each in kernels.candidates.values())
    count = max(1, len({each.away.device for each in kernels.candidates.values()}))
    away = sum(each.ns for each in kernels.candidates.values() if each.primary is None) / count
    free = [each for each in kernels.candidates.values() if each.primary is not None]
    for each in sorted(free, key=lambda each: each.ns / each.primary_ns if each.primary_ns else float("inf")):
        ns, primary_ns = each.ns / count, each.primary_ns
        if away + ns >= primary - primary_ns:
            part = max(0.0, primary - away) / (ns + primary_ns) if ns + primary_ns else 0.0
            return Bound(
                max(primary - part * primary_ns, away), "load of the primary device and of what works beside it"
            )
        primary, away = primary - primary_ns, away + ns
    return Bound(max(primary, away), "load of the primary device and of what works beside it")
