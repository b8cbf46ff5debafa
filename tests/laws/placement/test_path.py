"""Laws of the policy `path`: it finds the least sequential time, and under memory limits its lower bound is at most the
time of every placement."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowering.instance.options import Options
from lowering.instance.problem import Problem, Schedule
from lowering.optimise.quick.heuristics import by_priority, gpu, greedy, pim_first, priority
from lowering.optimise.serial import path
from lowering.optimise.serial.elimination import RULES, Factors, best_order, eliminate, order_by
from lowering.optimise.serial.factors import SerialFactors
from lowering.optimise.serial.path import SerialTime, least_serial, place_path
from tests.amount import cases
from tests.laws.placement.naive_placements import all_placements, least_of_all, problem_in_parts
from tests.table_clock import machine
from tests.table_problem import problem_of, random_problem

WIDE = 1 << 20
SEEDS = st.integers(0, 1 << 40)


def exact(problem: Problem) -> SerialTime:
    """The least sequential time of a problem, with a placement that has this time; fails if the search did not prove
    it."""
    found = least_serial(problem, WIDE)
    assert found.exact
    assert found.ns == found.bound_ns == problem.serial_ns(found.placement)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("block", range(8))
def test_path_equals_brute_force(block: int) -> None:
    """The law holds on 2,000 random DAGs of up to 7 ops and 3 devices, with ops that some devices lack, and with links
    between all devices or to the primary device only."""
    for seed in range(block * 250, block * 250 + 250):
        draw = random.Random(seed)
        problem = random_problem(seed, draw.randint(1, 7), draw.randint(1, 3), lacking=draw.choice([0.0, 0.3, 0.7]))
        assert exact(problem).ns == least_of_all(problem), seed


@pytest.mark.parametrize("seed", range(6))
def test_path_equals_brute_force_on_12_ops_and_3_devices(seed: int) -> None:
    problem = random_problem(seed, 12, 3, lacking=0.05, window=(0, 3, 5)[seed % 3])
    assert exact(problem).ns == least_of_all(problem)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_path_equals_brute_force_whatever_choices_are_made_of(block: int) -> None:
    """The law holds on 800 problems whose ops have several results, parts on two devices or views, and whose inputs are
    on other devices or are results of the program."""
    for seed in range(block * 200, block * 200 + 200):
        problem = problem_in_parts(seed, most=3)
        assert exact(problem).ns == min(map(problem.serial_ns, all_placements(problem))), seed


def test_brute_force_counts_the_sequential_time_of_the_problem() -> None:
    for seed in range(100):
        problem = random_problem(seed, 1 + seed % 4, 3, lacking=0.3)
        assert least_of_all(problem) == min(map(problem.serial_ns, all_placements(problem))), seed


@given(SEEDS, st.integers(1, 40))
def test_the_tables_add_up_to_the_sequential_time(seed: int, nodes: int) -> None:
    """For any placement, the sum of the tables' entries is the placement's sequential time, if each value is copied to
    the best set of devices."""
    draw = random.Random(seed)
    for problem in (random_problem(seed, nodes, 3, lacking=0.3), problem_in_parts(seed, most=nodes)):
        placement = [draw.choice(node.choices) for node in problem.nodes]
        space = SerialFactors(problem)
        rest = space.factors.given(dict(enumerate(space.numbers(placement))))
        assert eliminate(rest, best_order(rest, WIDE)).value == problem.serial_ns(placement)


@given(SEEDS)
def test_values_on_many_devices_are_followed_one_device_at_a_time(seed: int) -> None:
    """On machines with ten devices a table can't list all sets of devices that have a value, so one variable per device
    states whether it has the value. On machines with three devices this method and the tables of all sets give the
    same least time."""
    draw = random.Random(seed)
    wide = random_problem(seed, 5, 10, on=machine(*(f"d{device}" for device in range(10))), lacking=0.1)
    space = SerialFactors(wide, most_sets=20)
    order = best_order(space.factors, 1 << 16)
    if order.stuck is None:
        found = eliminate(space.factors, order)
        assert found.value == wide.serial_ns(space.placement(found.values))
    for problem in (random_problem(seed, draw.randint(2, 7), 3), problem_in_parts(seed)):
        one, other = SerialFactors(problem), SerialFactors(problem, most_sets=1)
        least = [eliminate(each.factors, best_order(each.factors, WIDE)).value for each in (one, other)]
        assert least[0] == least[1]


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 4, 12, 40])
def test_a_bound_beyond_the_width_is_below_all_placements(width: int) -> None:
    for seed in range(150):
        problem = random_problem(seed, 2 + seed % 8, 3, lacking=0.2) if seed % 3 else problem_in_parts(seed, most=3)
        found, best = least_serial(problem, width), exact(problem).ns
        assert found.bound_ns <= best * (1 + 1e-12), seed
        assert found.ns == problem.serial_ns(found.placement) >= best
        assert found.ns == best or not found.exact


@given(SEEDS, st.sampled_from([6, 30, WIDE]), st.sampled_from([0, 4]))
def test_path_is_never_worse_than_any_rule(seed: int, width: int, window: int) -> None:
    problem = random_problem(seed, 25, 3, window=window, lacking=0.2)
    problem.options = Options(devices=("right", "left"))
    others = [gpu(problem), pim_first(problem), priority(problem), greedy(problem)]
    others += [by_priority(problem, wanted) for wanted in product(problem.devices, repeat=2)]
    assert least_serial(problem, width).ns <= min(map(problem.serial_ns, others))


@given(SEEDS)
def test_all_orders_of_elimination_give_the_same(seed: int) -> None:
    factors = SerialFactors(random_problem(seed, 60, 3, window=4)).factors
    orders = [order_by(factors, rule, 1 << 18) for rule in RULES]
    least = [eliminate(factors, order) for order in orders if order.stuck is None]
    assert len(least) > 1
    for each in least:
        assert each.value == least[0].value == factors.at(each.values)


@pytest.mark.slow
def test_work_grows_with_the_program_and_not_faster() -> None:
    """The number of table entries for programs with four times the nodes grows fourfold if values are read within a
    window."""
    for seed in range(2):
        works = [
            best_order(SerialFactors(random_problem(seed, nodes, 3, window=3)).factors, WIDE) for nodes in (250, 1000)
        ]
        assert works[0].stuck is works[1].stuck is None
        assert works[1].total < 6 * works[0].total


@given(SEEDS)
def test_elimination_equals_brute_force_on_any_tables(seed: int) -> None:
    """Elimination finds the least sum of random tables of up to three variables each, with no variable or some
    variables fixed; with a limit on the size of its tables it finds a lower bound."""
    draw = random.Random(seed)
    factors = Factors(constant=float(draw.randint(-9, 9)))
    sizes = [factors.variable(draw.randint(1, 4), draw.random()) for _ in range(draw.randint(1, 6))]
    for _ in range(draw.randint(0, 9)):
        scope = tuple(draw.sample(sizes, draw.randint(1, min(3, len(sizes)))))
        shape = [factors.sizes[x] for x in scope]
        factors.add(scope, np.array([draw.randint(-9, 9) for _ in range(int(np.prod(shape)))], float).reshape(shape))
    known = {x: draw.randrange(factors.sizes[x]) for x in sizes if draw.random() < 0.3}
    for each, given_values in ((factors, {}), (factors.given(known), known)):
        best = min(
            factors.at(values)
            for values in product(*map(range, factors.sizes))
            if all(values[x] == value for x, value in given_values.items())
        )
        order = best_order(each, WIDE)
        found = eliminate(each, order)
        assert found.value == best == each.at(found.values)
        for width in (1, 3, 9):
            assert eliminate(each, order_by(each, "size", width), width).value <= best + 1e-9


def test_a_placement_fits_if_each_device_has_the_memory_that_its_schedule_needs() -> None:
    """The answer from weights and sizes alone, where these suffice, is that of the simulated schedule."""
    answers: list[bool] = []
    for seed in range(cases(100)):
        problem = problem_in_parts(seed, most=4, memory=True)
        for placement in all_placements(problem):
            needs = problem.needs(Schedule.of(placement))
            answers.append(problem.fits(placement))
            assert answers[-1] == all(need.total <= problem.room[name] for name, need in needs.items())
            assert answers[-1] == (not problem.overfull(placement))
    assert {True, False} == set(answers)


@pytest.mark.slow
@pytest.mark.parametrize("width", [8, WIDE])
def test_plans_fit_into_memory_and_obey_the_bound(width: int) -> None:
    """Several nodes share weights, and devices have little memory: each placement that fits into the memories takes at
    least the bound."""
    tight = best = 0
    for seed in range(120):
        problem = problem_in_parts(seed, most=4, memory=True)
        fitting = [each for each in all_placements(problem) if not problem.overfull(each)]
        found = least_serial(problem, width)
        if not fitting:
            assert problem.overfull(found.placement)
            continue
        least = min(map(problem.serial_ns, fitting))
        assert found.bound_ns <= least * (1 + 1e-12), seed
        if not problem.overfull(found.placement):
            assert found.ns >= least
            assert found.ns == least or not found.exact
        rules = [each for each in (gpu(problem), pim_first(problem), greedy(problem)) if not problem.overfull(each)]
        if rules:
            assert not problem.overfull(found.placement)
            assert found.ns <= min(map(problem.serial_ns, rules))
        tight += problem.overfull(min(all_placements(problem), key=problem.serial_ns)) != {}
        best += found.ns == least
    assert tight > 12
    assert best > 100


@given(SEEDS, st.integers(1, 30))
def test_if_all_devices_are_exclusive_the_sequential_time_is_the_makespan(seed: int, nodes: int) -> None:
    problem = random_problem(seed, nodes, 2, on=machine("cpu", "left", arbitrations=["exclusive"]))
    schedule = place_path(problem)
    assert schedule.ns == exact(problem).ns == problem.makespan(schedule.placement)


@given(SEEDS)
def test_the_prediction_of_path_is_the_makespan(seed: int) -> None:
    for problem in (problem_in_parts(seed), random_problem(seed, 20, 3)):
        schedule = place_path(problem)
        assert schedule.ns == problem.makespan(schedule.placement) <= problem.serial_ns(schedule.placement)


def test_sequential_times_are_the_sums_of_all_jobs() -> None:
    """A chain of three ops on the devices cpu, left, left, with its two copies, takes 1 + (10 + 4) + 2 + 3 + (10 + 6)
    ns, less than 1 + 20 + 30 ns with all ops on the cpu."""
    problem = problem_of([[1.0, 50.0], [20.0, 2.0], [30.0, 3.0]], [[-1], [0], [1]], [4, 5, 6, 7])
    found = exact(problem)
    assert [choice.device for choice in found.placement] == ["cpu", "left", "left"]
    assert found.ns == sum(job.ns for job in problem.jobs(found.placement)) == 1 + 14 + 2 + 3 + 16


def test_a_copy_is_paid_once_for_all_that_read_it() -> None:
    """Two ops that read the same value each take 10 ns on the second device instead of 21 ns on the cpu. So they run on
    the second device, although two copies of 10 ns are needed, one in each direction."""
    problem = problem_of([[1.0, None], [21.0, 10.0], [21.0, 10.0], [1.0, 1.0]], [[-1], [0], [0], [1, 2]], [0] * 5)
    found = exact(problem)
    assert [choice.device for choice in found.placement] == ["cpu", "left", "left", "left"]
    assert found.ns == 1 + 10 + 10 + 10 + 1 + 10


def test_nothing_to_place() -> None:
    problem = problem_of([], [], [3], on=machine("cpu"))
    assert exact(problem).placement == []
    assert place_path(problem).ns == 0


def test_path_and_the_bound_seek_the_least_sequential_time_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sought: list[int] = []

    def counted(problem: Problem, width: int) -> SerialTime:
        sought.append(width)
        return seek(problem, width)

    seek = path.seek_least
    monkeypatch.setattr(path, "seek_least", counted)
    problem = random_problem(1, 8, 3)
    schedule = place_path(problem)
    assert least_serial(problem, problem.options.width).placement == schedule.placement
    problem.options = Options(width=WIDE // 2)
    least_serial(problem, problem.options.width)
    assert sought == [Options.width, WIDE // 2]
