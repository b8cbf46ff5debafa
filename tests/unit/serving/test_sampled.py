"""Functions that are interpolated only where they are straight."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndpir.serving.sampled import Sampled, Values


def test_a_line_is_computed_at_three_numbers() -> None:
    asked: set[int] = set()

    def line(number: int, _: float) -> Values:
        asked.add(number)
        return np.array([2.0 * number + 1.0])

    sampled = Sampled(line, 1, 1001, 1e-3)
    numbers = range(1, 1002, 50)
    assert [float(sampled.at(number)[0]) for number in numbers] == pytest.approx([2.0 * n + 1.0 for n in numbers])
    assert asked == {1, 501, 1001}


def test_a_step_is_found() -> None:
    """Where the function jumps, the numbers on both sides are computed."""

    def step(number: int, _: float) -> Values:
        return np.array([1.0 if number <= 300 else 2.0])

    sampled = Sampled(step, 1, 1000, 1e-3)
    assert [float(sampled.at(number)[0]) for number in (299, 300, 301, 302)] == [1.0, 1.0, 2.0, 2.0]
    assert {300, 301} <= set(sampled.nodes)


@given(st.lists(st.integers(1, 60), min_size=60, max_size=60), st.integers(1, 60))
def test_numbers_outside_of_agreeing_intervals_are_exact(values: list[int], asked: int) -> None:
    sampled = Sampled(lambda number, _: np.array([float(values[number - 1])]), 1, 60, 1e-3)
    found = float(sampled.at(asked)[0])
    inside = any(low < asked < high for low, high in sampled.agreed)
    assert inside or found == values[asked - 1]


def test_another_argument() -> None:
    sampled = Sampled(lambda number, other: np.array([number * other]), 1, 9, 1e-3)
    assert float(sampled.at(4, 2.0)[0]) == 8.0
    assert float(sampled.at(4, 3.0)[0]) == 12.0
