"""The trace of a schedule of a placement problem: what its jobs do with the primary device's memory, without writing
the program that the schedule stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from interp.simulate.events.loop import spans
from interp.simulate.program_trace import ProgramTrace, TimedJob, trace_of_jobs
from interp.simulate.schedule.memory import Hold, Residency
from lowering.instance.problem import Problem, Schedule


def trace_of_schedule(problem: Problem, schedule: Schedule) -> ProgramTrace:
    """The trace of a schedule on the primary device, the one of the program that the schedule is rewritten to."""
    account = problem.account(schedule.placement, schedule.input_devices)
    jobs, rules = problem.arranged(schedule), problem.draws.rules
    begins, ends = spans(jobs, rules)
    order = schedule.order or range(len(jobs))
    at = {job: position for position, job in enumerate(order)}
    holds = _renumbered(account.residency, at)
    primary, stay = problem.primary, problem.ends_at(schedule.input_devices)

    def held(value: int, device: str) -> tuple[Hold, ...]:
        return tuple(holds[hold] for hold in account.held.get((value, device), ()))

    arguments = [held(value, problem.starts_at(value, schedule.input_devices)[0]) for value in problem.inputs]
    returned = [held(value, stay.get(value, primary)) for value in problem.outputs]
    donated = [
        (held(given, problem.starts_at(given, schedule.input_devices)[0]), held(taken, stay.get(taken, primary)))
        for given, taken in problem.donated
    ]
    residency = Residency()
    residency.holds = [holds[hold] for hold in account.residency.holds]
    residency.residents = {key: holds[hold] for key, hold in account.residency.residents.items()}
    timed = [TimedJob("", begin, end, job) for begin, end, job in zip(begins, ends, jobs, strict=True)]
    for (state, device), hold in account.states.items():
        arguments.append((holds[hold],))
        for value, left in problem.left.items():
            if left == state and (value, device) in account.held:
                donated.append(((holds[hold],), held(value, device)))
    return trace_of_jobs(residency, timed, primary, rules, arguments, returned, donated)


def _renumbered(residency: Residency, at: Mapping[int, int]) -> dict[Hold, Hold]:
    """Copies of all holds, whose makers, readers and heirs are numbered by `at`."""
    copies: dict[Hold, Hold] = {}
    for hold in (*residency.residents.values(), *residency.holds):
        copies[hold] = replace(
            hold,
            maker=None if hold.maker is None else at[hold.maker],
            readers=sorted(at[reader] for reader in hold.readers),
            heir=None if hold.heir is None else at[hold.heir],
            writers=tuple(at[writer] for writer in hold.writers),
        )
    for hold, copied in copies.items():
        copied.takes = tuple(copies[each] for each in hold.takes)
    return copies
