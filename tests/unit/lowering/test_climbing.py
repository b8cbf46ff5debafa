"""Hill climbing: which moves are kept, and when it stops."""

from __future__ import annotations

import pytest

from lowering.solve.climbing import Budget, Rule, improve

STEPS = (1, -1, 3, -3)


def climbed(start: int, rule: Rule, work: float = 1000.0, passes: float = 1000.0) -> tuple[int, list[int]]:
    """The number that is reached towards 10 by adding `STEPS`, and all numbers that were tried."""
    budget, tried = Budget(work), list[int]()

    def better(number: int, step: int) -> int | None:
        budget.spend()
        tried.append(number + step)
        return number + step if abs(number + step - 10) < abs(number - 10) else None

    return improve(start, lambda number: STEPS, better, budget, rule, passes, lambda number: abs(number - 10)), tried


@pytest.mark.parametrize("rule", ["sweep", "first", "steepest"])
def test_it_ends_where_no_move_is_better(rule: Rule) -> None:
    reached, tried = climbed(0, rule)
    assert reached == 10
    assert tried[-4:] == [11, 9, 13, 7]


def test_the_rules_differ_in_the_moves_that_they_keep() -> None:
    assert climbed(0, "sweep", passes=1) == (4, [1, 0, 4, 1])
    assert climbed(0, "first", passes=1) == (1, [1])
    assert climbed(0, "steepest", passes=1) == (3, [1, -1, 3, -3])


@pytest.mark.parametrize("rule", ["sweep", "first", "steepest"])
def test_no_move_is_tried_beyond_the_budget(rule: Rule) -> None:
    for work in range(8):
        assert len(climbed(0, rule, work)[1]) == work
