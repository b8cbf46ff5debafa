"""Choice of the candidates to offload by their timeline, which includes links, memory, launches and interference."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from dialects.task.decision import Word
from interp.simulate.events.jobs import Bound, arranged
from interp.simulate.events.loop import by_rank
from interp.simulate.schedule.names import name_of
from lowering.bounds.relaxation import least_load
from lowering.instance.choice import Alternative, ChoicePart
from lowering.instance.problem import Problem, Schedule
from lowering.instance.resting import readers, resting
from lowering.instance.sequence import program_ranks, reordered, stream_pairs
from lowering.limits import LIMITS
from lowering.optimise.overlap.kernels import Kernels
from lowering.solve.climbing import Budget, improve

LEAST_GROUP = 1e-3
"""Fraction of the time of all kernels on the primary device: groups of candidates with less total time are not
offloaded or returned by hill climbing."""

TransferMode: TypeAlias = Literal["whole", "writes", "both"]
"""The mode in which an offloaded kernel exchanges values with the primary device: `whole`: as whole tensors; `writes`:
inputs as a stream; `both`: inputs and results as streams."""
TransferModes: TypeAlias = "Mapping[int, TransferMode]"
"""The offloaded candidates, each with its mode of exchanging values."""


class Timed:
    """Schedules of sets of offloaded candidates, each evaluated once."""

    def __init__(self, kernels: Kernels) -> None:
        self.kernels, self.problem = kernels, kernels.problem
        self.budget = Budget(LIMITS.overlap_trials)
        """The number of sets that may still be tried."""
        self.ways: TransferModes = dict.fromkeys(kernels.forced, "whole")
        self.best = self.schedule(self.ways)
        """The best schedule found so far; `ways` is its set."""

    def schedule(self, ways: TransferModes) -> Schedule:
        """The schedule of a set of offloaded candidates, with ready tasks and copies in program order."""
        problem, placement = self.problem, self.kernels.placement(ways.keys())
        input_devices = resting(problem, placement)
        jobs = problem.jobs(placement, input_devices)
        plain = Schedule(placement, input_devices=input_devices)
        streams = tuple(stream_pairs(problem, plain, self.flows(ways)))
        order = by_rank(arranged(jobs, range(len(jobs)), (), streams), program_ranks(problem, jobs))
        schedule = Schedule(placement, tuple(order), streams=streams, input_devices=input_devices)
        return replace(schedule, ns=problem.ends(schedule))

    def flows(self, ways: TransferModes) -> Iterator[tuple[int, int]]:
        """Pairs of kernels of which the second reads a result of the first as a stream."""
        kernels = self.kernels
        for node, way in ways.items():
            candidate = kernels.candidates[node]
            if way != "whole":
                yield from ((maker, node) for maker in kernels.written_by(candidate) if maker not in ways)
            if way == "both":
                yield from ((node, reader) for reader in kernels.read_by(candidate) if reader not in ways)

    def tried(self, ways: TransferModes) -> bool:
        """Evaluate a set of offloaded candidates; returns True if it ends earlier than the best set so far and fits
        memory: it is then the best set."""
        self.budget.spend()
        trial = self.schedule(ways)
        if trial.ns >= self.best.ns * (1 - LIMITS.rounding) or not self.problem.fits(trial):
            return False
        self.best, self.ways = trial, dict(ways)
        return True

    def take(self, ways: TransferModes) -> None:
        """Make a set of offloaded candidates the best set, unconditionally."""
        self.best, self.ways = self.schedule(ways), dict(ways)

    def beside(self, schedule: Schedule) -> dict[int, dict[int, float]]:
        """For each offloaded candidate, the time of its overlap with each kernel on the primary device, in ns."""
        begins, ends = self.problem.spans(schedule)
        primary: list[tuple[float, float, int]] = []
        offloaded: list[tuple[float, float, int]] = []
        for (node, step), begin, end in zip(
            self.problem.walk(schedule.placement, schedule.input_devices), begins, ends, strict=True
        ):
            if isinstance(step, ChoicePart) and step.device == self.problem.primary:
                primary.append((begin, end, node))
            elif isinstance(step, ChoicePart) and node in self.ways:  # others are marked for their device
                offloaded.append((begin, end, node))
        primary.sort()
        latest = [end for _, end, _ in primary]  # serial
        found: dict[int, dict[int, float]] = {}
        for begin, end, node in sorted(offloaded):
            mine = found[node] = dict[int, float]()
            left = self.kernels.candidates[node].ns
            for start, stop, host in primary[bisect_right(latest, begin) :]:
                if start >= end or left <= 0.0:
                    break
                if (shared := min(stop, end, max(start, begin) + left) - max(start, begin)) > 0.0:
                    mine[host] = shared
                    left -= shared
        return dict(sorted(found.items()))

    def streamed_candidates(self, schedule: Schedule) -> dict[int, Word]:
        """The candidates that read a stream from the primary device or write one to it, each with the kind of
        overlap."""
        walk = self.problem.walk(schedule.placement, schedule.input_devices)
        found: dict[int, Word] = {}
        sides: tuple[tuple[int, Word], ...] = ((1, "fly-read"), (0, "fly-write"))
        for pair in schedule.streams:
            for side, word in sides:
                node, step = walk[pair[side]]
                if isinstance(step, ChoicePart) and step.device != self.problem.primary:
                    found[node] = word
        return found

    def ordered(self) -> Schedule:
        """The schedule of the best set, with its jobs in the best known order."""
        return reordered(self.problem, self.best)

    def groups(self) -> list[list[int]]:
        """Groups of candidates with the same op class and nearly the same time on the primary device, by descending
        total time of a group. Candidates that read program inputs, and candidates whose results have no consumers,
        form separate groups. Candidates with negligible time are left out."""
        problem, kernels = self.problem, self.kernels
        found: dict[tuple[str, float, bool, bool], list[int]] = defaultdict(list)
        for node, candidate in kernels.candidates.items():
            ends = bool(kernels.makers[node]), bool(kernels.readers[node])
            found[name_of(problem.nodes[node].op), float(f"{candidate.primary_ns:.3g}"), *ends].append(node)
        times = {id(group): sum(kernels.candidates[node].primary_ns for node in group) for group in found.values()}
        worth = [group for group in found.values() if times[id(group)] > LEAST_GROUP * kernels.alone_ns]
        return sorted(worth, key=lambda group: -times[id(group)])

    def _with_state(self, group: Collection[int]) -> list[int]:
        """Candidates together with the readers of the state that they update, so that the state may be kept on another
        device."""
        state = [given for given, taken in self.problem.movable.items() if self.problem.producer.get(taken) in group]
        reading = {reader for given in state for reader in readers(self.problem, given)}
        return sorted(reading.intersection(self.kernels.candidates).union(group))

    def climb(self) -> None:
        """Hill climbing: offload groups of candidates or return them to the primary device, then parts of groups, as
        long as the program ends earlier."""
        improve(self.ways, lambda ways: self._parts(), lambda ways, nodes: self._moved(nodes), self.budget, passes=1)

    def _parts(self) -> Iterator[Collection[int]]:
        """The sets of candidates to move: groups, halves, quarters and eighths of groups, each also with the readers of
        its state."""
        groups = self.groups()
        for parts in (1, 2, 4, 8):
            for group in groups:
                size = -(-len(group) // parts)
                for first in range(0, len(group), size) if len(group) >= parts else ():
                    part = group[first : first + size]
                    yield from dict.fromkeys((tuple(part), tuple(self._with_state(part))))

    def _moved(self, nodes: Collection[int]) -> TransferModes | None:
        """The best set after trying some candidates in each configuration other than their current one: all offloaded,
        with each way of exchanging values, or all on the primary device; None if none of them ends earlier."""
        rest: dict[int, TransferMode] = {node: self.ways[node] for node in self.ways if node not in nodes}
        ways: tuple[TransferMode, ...] = ("whole", "writes", "both")
        for way in ways:
            trial = dict(rest)
            for node in nodes:
                trial[node] = way
            if trial != self.ways and self.tried(trial):
                return self.ways
        return self.ways if len(rest) < len(self.ways) and self.tried(rest) else None


def least_busy(problem: Problem) -> Bound:
    """A lower bound on the makespan of any placement in any order, with any location of state and any use of streams:
    each device runs one kernel at a time, and kernels, or fractions of them, are divided between the devices that can
    run them such that the busiest device ends as early as possible."""
    ways = [list(map(problem.tasks, node.choices)) for node in problem.nodes]
    found = least_load([[_busy(way) for way in each] for each in ways])
    return Bound(found.ns, "load of " + " and of ".join(found.names))


def _busy(way: Alternative) -> dict[str, float]:
    """The time in ns for which each device is occupied by the tasks of a choice."""
    busy: dict[str, float] = defaultdict(float)
    for task in way:
        busy[task.on] += task.ns
    return busy
