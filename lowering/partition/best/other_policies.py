"""The results of all other policies on a program, in program order and in the order of the pass `order`: the plans that
the policies `best` and `joint` must not be slower than.

Each registered policy is run, including those of plugins, with the same options: with `limit` in seconds if given,
otherwise limited by counted work. `priority` is run for each list of devices, and PIMFlow in each of its modes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from math import factorial

from dialects.diagnostics import InputError, note, notes_to, working
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Schedule
from lowering.limits import LIMITS
from lowering.optimise.overlap.kernels import can_offload
from lowering.optimise.policies import BESIDE, POLICIES, checked
from lowering.partition.best.outcome import JointPlan, Subject
from lowering.partition.pimflow.search import MODES
from lowering.partition.plans.part_costs import linked_pims
from lowering.partition.plans.simulated import as_marked


def other_outcomes(subject: Subject) -> Iterator[JointPlan]:
    """The outcomes of all policies except `best` and `joint`, without those that do not fit memory."""
    yield from unsplit_outcomes(subject)
    if linked_pims(subject.clock):
        for mode in MODES:
            if (outcome := published(subject, mode)) is not None:
                yield outcome


def unsplit_outcomes(subject: Subject) -> Iterator[JointPlan]:
    """Outcomes of the policies that split nothing, on the unmodified program."""
    problem = subject.problem(subject.function)
    for name in POLICIES:
        if name in BESIDE and not can_offload(problem):
            continue
        met: set[tuple[int, ...]] = set()
        for devices in _lists(problem) if name == "priority" else ((),):
            problem.options = replace(subject.options, devices=devices)
            schedule = _answer(problem, name)
            placement = tuple(map(id, schedule.placement)) if schedule is not None else ()
            if schedule is None or placement in met:
                continue
            met.add(placement)
            if (outcome := subject.as_is(name, problem, schedule)) is not None:
                yield outcome
    problem.drop()


def _answer(problem: PlacementProblem, name: str) -> Schedule | None:
    """The schedule that the policy `name` decides on; None, with a note, if it raises an error."""
    working(f"policy {name}")
    try:
        with notes_to(lambda message, place: None):  # the user did not select these policies
            return checked(problem, problem.decided(name, POLICIES[name]), name, problem.function)
    except InputError as error:
        note(f"policy {name} is skipped: {error}", problem.function)
        return None


def _lists(problem: PlacementProblem) -> Iterator[tuple[str, ...]]:
    devices = problem.workers
    if factorial(len(devices)) <= LIMITS.priority_lists:
        yield from permutations(devices)
    else:
        yield from ((device,) for device in devices)


def published(subject: Subject, mode: str) -> JointPlan | None:
    """The outcome of PIMFlow in a mode: of the plan that it finds or, if that plan can't be made or does not fit
    memory, of a reduced plan."""
    working(f"PIMFlow's plan, mode {mode}")
    for plan in subject.pimflow(mode):
        if (outcome := subject.outcome(mode, plan, False, as_marked)) is not None:
            return outcome
    return None
