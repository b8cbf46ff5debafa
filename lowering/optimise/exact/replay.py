"""Conversion of a model's times to the schedule that the simulator of programs executes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lowering.instance.choice import Choice
from lowering.instance.problem import Schedule
from lowering.instance.sequence import waits_for_locks
from lowering.limits import LIMITS
from lowering.optimise.exact.space import ExactSpace, Work, work_of


def replayed(
    space: ExactSpace, placement: Sequence[Choice], times: Mapping[Work, tuple[int, int]], waiting: bool = False
) -> Schedule:
    """The placement with its jobs in the order of the starts and ends `times`, in units. Waits are added where
    exclusive resources would otherwise run jobs in a worse order, and, if `waiting`, where memory would otherwise be
    exceeded."""
    problem = space.problem
    work = work_of(space, placement)
    spans = [times[each] for each in work]
    order = tuple(sorted(range(len(work)), key=lambda job: (*spans[job], job)))
    schedule = Schedule(placement, order)
    locks = list(waits_for_locks(problem.jobs(placement), order, problem.draws.rules.locks))
    memory = list(_memory(spans, order)) if waiting else []
    if locks or memory:
        schedule = _fewest(space, schedule, [*locks, *memory], memory=waiting)
    return replace(schedule, ns=problem.ends(schedule))


def _memory(spans: Sequence[tuple[int, int]], order: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Waits (job, other) by which every job starts only after all jobs that end before its start in `spans`: for each
    job only the last of these jobs, since the waits of these imply the earlier ones."""
    for place, job in enumerate(order):
        begin = spans[job][0]
        before = [other for other in order[:place] if spans[other][1] <= begin]
        latest = max((spans[other][0] for other in before), default=0)
        yield from ((job, other) for other in before if spans[other][1] > latest or spans[other][0] == latest)


def _fewest(space: ExactSpace, schedule: Schedule, waits: Sequence[tuple[int, int]], memory: bool) -> Schedule:
    """A schedule with a minimal subset of the waits `waits` with which it ends no later, and fits memory if it does
    with all of them."""
    problem = space.problem
    minimal = replace(schedule, waits=tuple(dict.fromkeys(waits)))
    most = problem.ends(minimal) * (1 + LIMITS.rounding)
    fits = memory and problem.fits(minimal)

    def enough(waits: tuple[tuple[int, int], ...]) -> bool:
        trial = replace(schedule, waits=waits)
        return problem.ends(trial) <= most and not (fits and not problem.fits(trial))

    kept = () if enough(()) else minimal.waits
    for wait in kept:
        fewer = tuple(other for other in kept if other != wait)
        if enough(fewer):
            kept = fewer
    return replace(schedule, waits=kept)
