"""The search of CP-SAT for the minimum makespan."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import TypeAlias

from lowering.instance.choice import Choice
from lowering.instance.problem import Schedule
from lowering.optimise.exact.memory import add_memory, justify, tight_devices
from lowering.optimise.exact.model import Model
from lowering.optimise.exact.replay import replayed
from lowering.optimise.exact.space import ExactSpace, RunTask, Work, work_of
from lowering.solve import integer

Answer: TypeAlias = tuple[list[Choice], dict[Work, tuple[int, int]]]
"""A placement, and start and end of each of its jobs, in units."""


def search(
    space: ExactSpace, most: int, effort: float, start: Schedule, seconds: float = math.inf, kept: Collection[int] = ()
) -> tuple[Schedule | None, int]:
    """The best schedule that ends by `most` units and fits memory, and a lower bound, in units, on the end of every
    schedule that fits memory (more than `most` if none ends by then).

    If memory is tight, the model may delay a task although all its operands are ready, which a program can't express.
    If the best solutions contain such delays, the model is solved again with these delays excluded. `kept`: nodes that
    keep their order of `start`.
    """
    tight = tight_devices(space)
    model = _model(space, most, start, tight, kept)
    answers, least = _solve(model, effort, seconds)
    best = _replay(space, answers, bool(tight))
    if tight and least <= most and (best is None or best.ns * space.scale > least):
        model = _model(space, most, start, tight, kept)
        justify(model)
        again, more = _solve(model, effort, seconds)
        best, least = _replay(space, [*again, *answers], memory=True), max(least, more)
    return best, least


def _model(space: ExactSpace, most: int, start: Schedule, tight: Iterable[str], kept: Collection[int]) -> Model:
    """The model, with a schedule as hint."""
    model = Model(space, most)
    for run, literal in zip(space.runs, model.taken, strict=True):
        model.model.add_hint(literal, all(start.placement[node] is run.choice for node in run.nodes))
    every = work_of(space, start.placement)
    starts = space.problem.spans(start)[0]
    begins = zip(every, starts, strict=True)
    hints = {model.begin[work].index: (model.begin[work], int(begin * space.scale)) for work, begin in begins}
    for variable, begin in hints.values():
        model.model.add_hint(variable, min(begin, most))
    for device in tight:
        add_memory(model, device)
    if kept:
        same = [place for place, work in enumerate(every) if _of(space, work, kept)]
        last: dict[str, Work] = {}
        resources = space.resources(every)
        for place in sorted(same, key=lambda place: (starts[place], place)):
            if (before := last.get(resources[place])) is not None:
                model.model.add(model.begin[every[place]] >= model.end[before])
            last[resources[place]] = every[place]
    return model


def _of(space: ExactSpace, work: Work, kept: Collection[int]) -> bool:
    """True if a task belongs to one of the nodes `kept`; of a copy, True if all producers and consumers of the copied
    value are in `kept`."""
    if isinstance(work, RunTask):
        run = space.runs[work.run]
        return not space.parts[work].view and all(
            node in kept and space.covers[node] == [work.run] for node in run.nodes
        )
    readers, maker = space.problem.consumers.get(work.value, ()), space.problem.producer.get(work.value)
    return all(node in kept for node in readers) and (maker is None or maker in kept)


def _solve(model: Model, effort: float, seconds: float) -> tuple[list[Answer], int]:
    """The solver's answers, the best first, and a lower bound in units."""
    found: list[Answer] = []
    outcome = integer.solve(
        model.model,
        effort,
        linearization=0,  # the bounds of the model itself are tighter, and faster
        seconds=seconds,
        each=lambda values: found.append(_answer(model, values)),
    )
    if outcome.refuted:
        return [], model.most + 1
    least = model.space.least()
    return found[::-1], max(least, math.ceil(outcome.bound - 0.5)) if math.isfinite(outcome.bound) else least


def _answer(model: Model, values: integer.Values) -> Answer:
    """The placement and times of a solution."""
    space = model.space
    placement = space.placement(run for run, literal in enumerate(model.taken) if values.boolean_value(literal))
    begins = {work: values.value(model.begin[work]) for work in work_of(space, placement)}
    return placement, {work: (begin, begin + space.units[work]) for work, begin in begins.items()}


def _replay(space: ExactSpace, answers: Iterable[Answer], memory: bool) -> Schedule | None:
    """The best schedule that fits memory, from answers in the order of their predicted makespans; the actual makespan
    may be longer if a bandwidth is shared."""
    best: Schedule | None = None
    for placement, times in answers:
        if best is not None and best.ns * space.scale <= max((end for _, end in times.values()), default=0):
            break
        schedule = replayed(space, placement, times, memory)
        if (best is None or schedule.ns < best.ns) and not (memory and not space.problem.fits(schedule)):
            best = schedule
    return best
