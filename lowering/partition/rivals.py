"""All that other policies come to on a program, in the program's order of tasks and in that of the pass `order`: what
the policies `best` and `joint` may not end later than.

Each registered policy decides, plugins' ones too, and is told the same options: `limit` in seconds where it was given,
else its own measure of work. `priority` decides for each list of devices, and PIMFlow in each of its modes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from math import factorial

from dialects.diagnostics import InputError, note, notes_to, working
from lowering.limits import LIMITS
from lowering.partition.joint.outcome import JointPlan, Subject
from lowering.partition.part_costs import pims_beside
from lowering.partition.pimflow.search import MODES
from lowering.partition.simulated import settled
from lowering.placement.of_program import PlacementProblem
from lowering.placement.overlap.kernels import works_beside
from lowering.placement.policies import BESIDE, POLICIES, checked
from lowering.placement.problem import Schedule
from lowering.placement.search.heuristics import settle


def rivals(subject: Subject) -> Iterator[JointPlan]:
    """Outcomes of all policies but `best` and `joint`, of those that memory holds."""
    yield from whole(subject)
    if pims_beside(subject.clock):
        for mode in MODES:
            if (outcome := published(subject, mode)) is not None:
                yield outcome


def whole(subject: Subject) -> Iterator[JointPlan]:
    """Those of the policies that cut nothing, on the program as it is."""
    problem = PlacementProblem(subject.function, subject.clock)
    for name in POLICIES:
        if name in BESIDE and not works_beside(problem):
            continue
        met: set[tuple[int, ...]] = set()
        for devices in _lists(problem) if name == "priority" else ((),):
            problem.options = replace(subject.options, priority=devices)
            schedule = _answer(problem, name)
            placement = tuple(map(id, schedule.placement)) if schedule is not None else ()
            if schedule is None or placement in met:
                continue
            met.add(placement)
            if (outcome := subject.as_is(name, problem, schedule)) is not None:
                yield outcome
    problem.drop()


def _answer(problem: PlacementProblem, name: str) -> Schedule | None:
    """The decision of a policy; None, with a note, where it can't decide."""
    working(f"policy {name}")
    try:
        with notes_to(lambda message, place: None):  # what a rival has to say is of interest to those who ask for it
            return checked(problem, problem.decided(name, POLICIES[name]), name, problem.function)
    except InputError as error:
        note(f"policy {name} is left out: {error}", problem.function)
        return None


def _lists(problem: PlacementProblem) -> Iterator[tuple[str, ...]]:
    devices = problem.workers
    if factorial(len(devices)) <= LIMITS.rival_lists:
        yield from permutations(devices)
    else:
        yield from ((device,) for device in devices)


def published(subject: Subject, mode: str) -> JointPlan | None:
    """The outcome of PIMFlow in a mode: of its plan or, where that can't be made, of less of it."""
    working(f"PIMFlow's plan, mode {mode}")
    for plan in subject.pimflow(mode):
        if (outcome := subject.outcome(mode, plan, False, as_marked)) is not None:
            return outcome
    return None


def as_marked(problem: PlacementProblem) -> Schedule:
    """Places for what a plan leaves open, in program order."""
    return Schedule(settle(problem, settled(problem)))
