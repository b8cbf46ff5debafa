"""Laws of linear programs: equal programs have equal solutions, and programs that differ in one number their own."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from lowering.solve.rows import Rows, Solution


def solved(costs: tuple[float, float], least: float, weight: float, upper: float) -> Solution:
    """The solution of: minimise `costs` times (x, y), with x + weight * y >= least, and x and y at most `upper`."""
    program = Rows()
    columns = [program.columns(1, upper, cost)[0] for cost in costs]
    [row] = program.rows(1, least)
    program.add(np.array([row, row]), np.array(columns), [1.0, weight])
    found = program.solve()
    assert found is not None
    return found


def test_programs_that_differ_in_one_number_have_their_own_solutions() -> None:
    """Each program is solved twice, with the others in between."""
    expected = {
        ((1.0, 3.0), 4.0, 1.0, 10.0): (4.0, 0.0),
        ((3.0, 1.0), 4.0, 1.0, 10.0): (0.0, 4.0),
        ((1.0, 3.0), 6.0, 1.0, 10.0): (6.0, 0.0),
        ((1.0, 3.0), 4.0, 4.0, 10.0): (0.0, 1.0),
        ((1.0, 3.0), 4.0, 1.0, 3.0): (3.0, 1.0),
    }
    for _ in range(2):
        for (costs, least, weight, upper), values in expected.items():
            found = solved(costs, least, weight, upper)
            assert found.values == pytest.approx(values, abs=1e-6)
            assert found.objective == pytest.approx(np.dot(costs, values), abs=1e-6)


def test_a_solution_is_not_changed_by_its_users() -> None:
    """Arrays of a solution that is kept for equal programs can't be written, or are copies."""
    first = solved((1.0, 3.0), 4.0, 1.0, 10.0)
    for array in (first.values, first.duals):
        if array.flags.writeable:
            array += 1.0
    again = solved((1.0, 3.0), 4.0, 1.0, 10.0)
    assert again.values == pytest.approx((4.0, 0.0), abs=1e-6)
    assert (again.duals != first.duals).any() or not first.duals.flags.writeable


def shared_loads(random: Random) -> tuple[Rows, float]:
    """A program of the least load of two devices over nodes that each take one of two times, in fractions, and its
    optimum, from the best of all splits in the order of relative advantage."""
    times = [(random.randrange(1, 100), random.randrange(1, 100)) for _ in range(6)]
    program = Rows()
    [makespan] = program.columns(1, np.inf, 1.0)
    here, there = program.columns(6, 1.0, tight=False), program.columns(6, 1.0, tight=False)
    loads = program.rows(2, upper=0.0)
    program.add(loads, makespan, -1.0)
    for load, columns, mine in zip(loads, (here, there), zip(*times, strict=True), strict=True):
        program.add(load, columns, mine)
    choices = program.choices(6)
    program.add(choices, here)
    program.add(choices, there)
    ends, left, right = list[float](), 0.0, float(sum(there for _, there in times))
    for one, other in sorted(times, key=lambda pair: pair[0] / pair[1]):
        share = min(1.0, max(0.0, (right - left) / (one + other)))
        ends.append(max(left + share * one, right - share * other))
        left, right = left + one, right - other
    return program, min(ends)


@pytest.mark.parametrize("seed", range(20))
def test_any_duals_prove_a_bound_and_those_of_the_solution_the_optimum(seed: int) -> None:
    """Duals of choices are replaced by the best ones, so any weights of the loads prove a bound above 0."""
    random = Random(seed)
    program, optimum = shared_loads(random)
    found = program.solve("vertex")
    assert found is not None
    assert found.lower_bound == pytest.approx(optimum, rel=1e-12)
    for _ in range(10):
        duals = np.array([-random.random(), -random.random(), *(random.gauss(0.0, 1e3) for _ in range(6))])
        assert 0.0 < program.proven(duals) <= optimum * (1 + 1e-12)
