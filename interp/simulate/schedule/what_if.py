"""Makespan and energy of a timeline after numbers of its machine have changed, with the same tasks, copies and devices,
in the same order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from dialects.element_types import byte_count
from dialects.task import CopyOp, RunOp, placed
from interp.kinds.clock import Clock
from interp.machine.cost import Cost
from interp.simulate.events.jobs import Job
from interp.simulate.events.loop import spans
from interp.simulate.schedule.arbitration import Draws
from interp.simulate.schedule.planning import idle_energy
from interp.simulate.schedule.timeline import Event, Timeline
from interp.walk.level import is_program


@dataclass(frozen=True)
class Outcome:
    """Makespan and energy of a program. The energy is given twice: summed over components, and accounted by whole
    boards."""

    ns: float
    nj: float
    board_nj: float


def outcome_of(timeline: Timeline) -> Outcome:
    """The makespan and energy of a timeline, without changes."""
    return Outcome(timeline.makespan_ns, timeline.total_energy_nj, timeline.board_nj)


def retimed(timeline: Timeline, clock: Clock, changed: Collection[str]) -> Outcome:
    """The makespan and energy of a timeline on the machine of another clock, which differs only in the devices and
    links (`a->b`) in `changed`. Raises InputError for an op that can't run there."""
    for device in clock.machine.devices:
        if device in changed:
            clock.prepare((event.op for event, _, _ in timeline.tasks() if event.resource == device), device)
    machine = clock.machine.devices
    busy = dict.fromkeys(machine, 0.0)
    work = _worked(timeline, clock, changed, busy, 1)
    nj = work.nj + sum(device.idle_w * work.ns for device in machine.values())
    return Outcome(work.ns, nj, work.board_nj + sum(idle_energy(clock, name, work.ns, busy[name]) for name in machine))


def _worked(
    timeline: Timeline, clock: Clock, changed: Collection[str], busy: dict[str, float], iterations: int
) -> Outcome:
    """The makespan and energy of a retimed timeline, without idle energy. For each device, the time in ns for which it
    is busy in `iterations` runs of the timeline is added to `busy`."""
    events, costs = timeline.events, list[Cost]()
    for event in events:
        if event.body is not None:
            once = _worked(event.body, clock, changed, busy, iterations * event.iterations)
            cost = Cost(once.ns, once.nj, 0, 0, "", once.board_nj).times(event.iterations, "")
        else:
            cost = _cost(event, clock) if event.resource in changed else event.cost
            if event.resource in busy:
                busy[event.resource] += cost.ns * iterations
        costs.append(cost)
    draws, jobs = Draws(clock), list[Job]()
    for event, cost in zip(events, costs, strict=True):
        draw = draws.of(event.resource, cost, event.op)
        jobs.append(event.job._replace(ns=cost.ns, draw=draw, lead=cost.lead_ns, rest=cost.rest_ns))
    makespan = max(spans(jobs, draws.rules)[1], default=0.0)
    return Outcome(makespan, sum(cost.energy_nj for cost in costs), sum(cost.board_nj for cost in costs))


def _cost(event: Event, clock: Clock) -> Cost:
    match event.op:
        case RunOp():
            return clock.task_cost(event.op)
        case CopyOp():
            return clock.copy_cost(byte_count(placed(event.op.value).tensor), *event.op.ends)
        case op if is_program(op):
            return clock.kernel_cost(event.op)
        case _:
            return clock.op_cost(event.op, event.resource)
