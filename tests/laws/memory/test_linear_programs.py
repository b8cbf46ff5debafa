"""Laws of linear programs: equal programs have equal solutions, and programs that differ in one number their own."""

from __future__ import annotations

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
