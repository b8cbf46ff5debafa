"""Consistency of a placement problem with the engine that executes it: the copies that a placement needs, their routes
and times, on machines of several devices, some of which are connected only through a third device."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interp.simulate.schedule.routes import Copy
from lowering.bounds.branching import by_cases
from lowering.bounds.subproblem import whole_subproblem
from lowering.instance.choice import Choice
from lowering.instance.memories import Memories
from lowering.instance.problem import Problem, Schedule
from lowering.instance.sequence import names
from lowering.optimise.exact.space import ExactSpace, work_of
from lowering.optimise.quick.construct import construct
from lowering.optimise.search.lowest import lowest
from lowering.optimise.search.urgency import by_urgency, optimistic
from lowering.optimise.serial.factors import SerialFactors
from lowering.optimise.serial.path import least_serial
from lowering.partition.search.states import StateSearch
from lowering.profiling.items import requirements_of
from tests.laws.placement.random_placements import random_placement_problem
from tests.laws.schedule.naive_schedules import optimum, placements

SEEDS = st.integers(0, 1 << 30)


def a_problem(seed: int, most: int = 6, devices: int = 4, regions: int = 0) -> Problem:
    random = Random(seed)
    return random_placement_problem(
        seed, random.randint(1, most), random.randint(2, devices), rich=True, regions=regions, relayed=True
    )


def some_placement(problem: Problem, seed: int) -> list[Choice]:
    random = Random(seed)
    return [random.choice(node.choices) for node in problem.nodes]


def copies(problem: Problem, placement: list[Choice]) -> set[Copy]:
    return {step for _, step in problem.walk(placement) if isinstance(step, Copy)}


@given(SEEDS)
def test_the_exact_space_has_the_copies_of_each_placement(seed: int) -> None:
    problem = a_problem(seed)
    placement = some_placement(problem, seed)
    space = ExactSpace(problem, float("inf"))
    taken = set(space.chosen(placement))
    made = {
        value: [space.parts[task].device for task in tasks if task.run in taken]
        for value, tasks in space.writers.items()
    }
    read = {
        value: {device for device, tasks in on.items() if any(task.run in taken for task in tasks)}
        for value, on in space.readers.items()
    }
    for value in problem.outputs:
        read.setdefault(value, set()).add(problem.exit_of(value))
    needed: set[Copy] = set()
    for hop, (sources, targets) in space.copies.items():
        source = [space.reached[hop.value][0]] if hop.value in space.reached else made.get(hop.value, [])
        if set(source) & set(sources) and read.get(hop.value, set()) & set(targets):
            needed.add(hop)
    assert needed == copies(problem, placement)
    ns = [space.ns(work) for work in work_of(space, placement)]
    assert ns == [job.ns for job in problem.jobs(placement)]


@given(SEEDS, st.sampled_from([1, 128]))
def test_tables_add_up_to_the_jobs_one_after_another(seed: int, most_sets: int) -> None:
    problem = a_problem(seed, most=4)
    placement = some_placement(problem, seed)
    space = SerialFactors(problem, most_sets=most_sets)
    known = dict(enumerate(space.numbers(placement)))
    free = [range(size) if x not in known else (known[x],) for x, size in enumerate(space.factors.sizes)]
    if len(free) - len(known) <= 12:
        assert _least(space, free) == pytest.approx(problem.serial_ns(placement))


def _least(space: SerialFactors, free: list[range | tuple[int, ...]]) -> float:
    """The least sum of the tables of `space` over all assignments of their variables; `free` has the possible values of
    each variable."""
    return min(space.factors.at(list(values)) for values in product(*free))


@given(SEEDS)
def test_elimination_finds_the_least_of_all_placements(seed: int) -> None:
    problem = a_problem(seed, most=4)
    every = [problem.serial_ns(placement) for placement in placements(problem)]
    assert least_serial(problem, 1 << 16).ns == pytest.approx(min(every))


@given(SEEDS)
def test_the_search_over_regions_ends_when_the_engine_does(seed: int) -> None:
    problem = a_problem(seed, regions=1)
    for ns, placement in StateSearch(problem).placements():
        assert ns == pytest.approx(problem.makespan(placement))


@given(SEEDS)
def test_beams_and_lists_make_the_copies_of_their_placements(seed: int) -> None:
    problem = a_problem(seed)
    left = optimistic(problem)
    beam = construct(problem, by_urgency(problem, left), left, width=8)
    assert beam.begins.of.keys() == set(names(problem, beam.placement))
    for schedule in (beam.schedule(problem), construct(problem, by_urgency(problem, left), left).schedule(problem)):
        assert sorted(schedule.order) == list(range(len(names(problem, schedule.placement))))
        if len(problem.nodes) <= 3:
            assert problem.ends(schedule) >= optimum(problem) * (1 - 1e-9)


@given(SEEDS)
def test_no_schedule_ends_before_the_bounds(seed: int) -> None:
    problem = a_problem(seed, most=3)
    least = optimum(problem)
    for bound in (lowest(problem).ns, by_cases(whole_subproblem(problem), 0.0, 200)[0]):
        assert bound <= least * (1 + 1e-9)


@given(SEEDS)
def test_profiling_wants_the_hops_that_a_placement_makes(seed: int) -> None:
    problem = a_problem(seed)
    memories = Memories(problem, symmetric=False)
    required = requirements_of(problem, memories)
    placement = some_placement(problem, seed)
    picks = [node.choices.index(choice) for node, choice in zip(problem.nodes, placement, strict=True)]
    picks += [0] * (len(required.ways) - len(picks))
    made: dict[int, int] = {}
    for value, source, target, *_ in copies(problem, placement):
        made[value] = made.get(value, 0) | memories.hop(source, target)
    inner = {value for choice in placement for part in choice.parts[:-1] for value in part.writes}
    for value in range(len(problem.sizes)):
        if value not in inner:
            assert required.moved(value, picks) == made.get(value, 0)


@given(SEEDS)
def test_a_schedule_in_program_order_is_the_state_s(seed: int) -> None:
    problem = a_problem(seed)
    placement = some_placement(problem, seed)
    order = tuple(range(len(problem.jobs(placement))))
    assert problem.ends(Schedule(placement, order)) == problem.makespan(placement)
