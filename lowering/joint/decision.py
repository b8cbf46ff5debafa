"""Decisions on devices and repeated runs, and their score: the time of the schedule that the list scheduler makes of a
decision, with planned moves between memories. The relaxation of moves, which bounds that time, is solved first."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dialects.diagnostics import InputError
from interp.machine.memory_system import MemorySystem
from interp.simulate.events.jobs import arranged
from interp.simulate.events.loop import by_rank
from interp.simulate.program_trace import ProgramTrace
from interp.simulate.schedule.routes import Copy
from lowering.instance.choice import Choice
from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import program_ranks, stream_pairs
from lowering.joint.repeats import Again, Repeated, repeated
from lowering.joint.traced import trace_of_schedule
from lowering.memory.bound import Relaxation, relax
from lowering.memory.planning import WINDOWS, plan_from

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Decision:
    """A choice for each node; the pairs (maker, taker) of nodes of which the second takes the first one's results as a
    stream, where the number of nodes stands for the end of the program; the nodes that run again; and the devices of
    arguments that are not on the primary device."""

    placement: tuple[Choice, ...]
    flows: frozenset[tuple[int, int]] = frozenset()
    again: frozenset[Again] = frozenset()
    input_devices: Mapping[int, str] = field(default_factory=dict[int, str])
    late: bool = False
    """True if values are copied to the primary device no earlier than needed, so that they occupy no memory before."""


@dataclass(frozen=True, eq=False)
class Traced:
    """A decision with its schedule, and the schedule's trace on the primary device."""

    decision: Decision
    repeated: Repeated
    schedule: Schedule
    program: ProgramTrace

    @property
    def ideal_ns(self) -> float:
        """The makespan with unlimited memory, ns."""
        return self.program.trace.ideal_ns

    @cached_property
    def slots(self) -> NDArray[np.intp]:
        """For each kernel of the trace the node, of the problem without repeated runs, to whose slot it belongs: the
        node that it runs for the first time, or the next such node on the primary device; the number of nodes behind
        the last one."""
        problem, origin = self.repeated.problem, self.repeated.origin
        steps = [node for node, _ in problem.walk(self.schedule.placement, self.schedule.input_devices)]
        order = self.schedule.order or range(len(steps))
        first: dict[int, int] = {}
        for number, node in enumerate(origin):
            first.setdefault(node, number)
        events, own, reached = self.program.concurrency.events, self.program.concurrency.own, len(first)
        found = np.empty(len(events), np.intp)
        for kernel in reversed(range(len(events))):
            job = events[kernel]
            if job is not None and job in own and first[origin[node := steps[order[job]]]] == node:
                reached = origin[node]
            found[kernel] = reached
        return found

    @cached_property
    def live(self) -> Floats:
        """For each slot of `slots`, the most bytes that are live in it."""
        found = np.zeros(len(self.decision.placement) + 1)
        np.maximum.at(found, self.slots, self.program.trace.live)
        return found


@dataclass(frozen=True, eq=False)
class Scored(Traced):
    """A decision with the relaxation of the moves between memories."""

    relaxation: Relaxation
    system: MemorySystem

    @cached_property
    def ns(self) -> float:
        """The time with planned moves, ns; infinite if no plan that is tried can be carried out."""
        try:
            plan = plan_from(self.relaxation, self.program.trace, self.system, windows=WINDOWS[:1])
        except InputError:
            return np.inf
        return plan.run.spans[-1]

    @cached_property
    def prices(self) -> Floats:
        """For each slot of `slots`, the time in ns that is saved if one byte less is live in it."""
        found = np.zeros(len(self.decision.placement) + 1)
        np.add.at(found, self.slots, self.relaxation.prices)
        return found


class Scores:
    """The scores of decisions on a problem whose primary device has memory behind it."""

    def __init__(self, problem: Problem, system: MemorySystem) -> None:
        self.problem, self.system = problem, system
        self.relaxed = 0
        """The number of linear programs solved."""

    def traced(self, decision: Decision) -> Traced | None:
        """The schedule of a decision; None if other devices than the primary one are too small for it, or if a node
        can't run again."""
        found = repeated(self.problem, decision.placement, decision.again)
        if found is None:
            return None
        schedule = scheduled(found, decision)
        if not _others_fit(found.problem, schedule):
            return None
        return Traced(decision, found, schedule, trace_of_schedule(found.problem, schedule))

    def memory(self, traced: Traced) -> MemorySystem:
        """The memory system, in which other devices lend what a decision leaves free of their memories."""
        if not any(tier.lent for tier in self.system.tiers):
            return self.system
        needs = traced.repeated.problem.needs(traced.schedule)
        found = MemorySystem.of(self.problem.clock.machine, held={name: need.total for name, need in needs.items()})
        assert found is not None
        return found

    def of(self, decision: Decision, below_ns: float = np.inf) -> Scored | None:
        """The score of a decision; None if no moves make it fit, or if its relaxation is at least `below_ns`."""
        traced = self.traced(decision)
        if traced is None or traced.ideal_ns >= below_ns:
            return None
        trace, system = traced.program.trace, self.memory(traced)
        self.relaxed += trace.peak_live > system.capacity
        try:
            relaxation = relax(trace, system, "copy", method="vertex")
        except InputError:
            return None
        if relaxation.bound_ns >= below_ns:
            return None
        return Scored(decision, traced.repeated, traced.schedule, traced.program, relaxation, system)


def _others_fit(problem: Problem, schedule: Schedule) -> bool:
    """True if all devices but the primary one have enough memory for a schedule."""
    resident = problem.resident(schedule.placement)
    others = [device for device in problem.devices if device != problem.primary]
    values = sum(problem.sizes)
    if all(resident[device] + values <= problem.room[device] for device in others):
        return True
    needs = problem.needs(schedule)
    return all(needs[device].total <= problem.room[device] for device in others)


def scheduled(found: Repeated, decision: Decision) -> Schedule:
    """The schedule of a decision: the primary device keeps the program's order, and what others wait for comes
    first."""
    problem, placement, inputs = found.problem, found.placement, decision.input_devices
    jobs = problem.jobs(placement, inputs)
    plain = Schedule(placement, input_devices=inputs)
    streams = tuple(_streams(found, plain, decision.flows)) if decision.flows else ()
    ranks = program_ranks(problem, jobs)
    order = by_rank(arranged(jobs, range(len(jobs)), (), streams), ranks)
    early = Schedule(placement, tuple(order), streams=streams, input_devices=inputs)
    if not decision.late or not (waits := tuple(_delays(problem, early))):
        return early
    order = by_rank(arranged(jobs, range(len(jobs)), waits, streams), ranks)
    return replace(early, order=tuple(order), waits=waits)


def _delays(problem: Problem, schedule: Schedule) -> Iterator[tuple[int, int]]:
    """Pairs (copy, task) of jobs: each copy to the primary device waits for the last task of this device that ends
    before the copy has to begin, so that nothing is delayed."""
    jobs, (begins, ends) = problem.jobs(schedule.placement, schedule.input_devices), problem.spans(schedule)
    steps = [step for _, step in problem.walk(schedule.placement, schedule.input_devices)]
    primary, taken = problem.primary, {job for pair in schedule.streams for job in pair}
    own = sorted((ends[number], number) for number, job in enumerate(jobs) if job.resource == primary)
    due = [max(ends, default=0.0)] * len(jobs)
    for number, job in enumerate(jobs):
        for other in job.after:
            due[other] = min(due[other], begins[number])
    free: dict[str, float] = {}
    for number in sorted(range(len(jobs)), key=lambda number: -begins[number]):
        job, step = jobs[number], steps[number]
        latest = min(due[number], free.get(job.resource, due[number])) - job.ns
        if not isinstance(step, Copy) or step.target != primary or number in taken or latest <= begins[number]:
            free[job.resource] = begins[number]
            continue
        place = bisect_right(own, (latest, len(jobs))) - 1
        if place >= 0 and own[place][0] > begins[number]:
            yield number, own[place][1]
            free[job.resource] = max(own[place][0], begins[number])
        else:
            free[job.resource] = begins[number]


def _streams(found: Repeated, schedule: Schedule, flows: Collection[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The pairs of jobs that streams connect: a copy or kernel, and the job that takes its result while it is made."""
    problem, origin = found.problem, found.origin
    pairs = [
        (maker, node.index)
        for node in problem.nodes
        for maker in {problem.producer[value] for value in node.reads if value in problem.producer}
        if (origin[maker], origin[node.index]) in flows
    ]
    end = len(found.base.nodes)
    pairs += [(origin.index(maker), len(problem.nodes)) for maker, taker in flows if taker == end]
    yield from stream_pairs(problem, schedule, pairs)
