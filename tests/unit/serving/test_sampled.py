"""Functions that are interpolated only where they are straight."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndpir.serving.sampled import Sampled, Values


def test_a_line_is_computed_at_three_numbers() -> None:
    asked: list[int] = []

    def line(number: int, _: float) -> Values:
        asked.append(number)
        return np.array([2.0 * number + 1.0])

    sampled = Sampled(line, 1e-3)
    numbers = [1, 1001, 301, *range(1, 1002, 50)]
    assert [float(sampled.at(number)[0]) for number in numbers] == pytest.approx([2.0 * n + 1.0 for n in numbers])
    assert set(asked) == {1, 301, 1001}


def test_a_number_close_to_another_says_little() -> None:
    """A bend at 10 is not overlooked because 3, close to 1, lies on the line from there to 1001."""
    sampled = Sampled(lambda number, _: np.array([100.0 + max(number - 10, 0) / 1000 + (number > 500)]), 1e-3)
    for number in (1, 1001, 3):
        sampled.at(number)
    assert sampled.agreed == {(1, 3)}


@given(st.lists(st.integers(1, 60), min_size=60, max_size=60), st.lists(st.integers(1, 60), max_size=20))
def test_numbers_outside_of_agreeing_intervals_are_exact(values: list[int], asked: list[int]) -> None:
    sampled = Sampled(lambda number, _: np.array([float(values[number - 1])]), 1e-3)
    for number in asked:
        found = float(sampled.at(number)[0])
        inside = any(low < number < high for low, high in sampled.agreed)
        assert inside or found == values[number - 1]


@given(st.integers(-5, 5), st.integers(1, 50), st.lists(st.integers(1, 1000), min_size=1, max_size=40))
def test_a_line_is_met_everywhere(slope: int, start: int, asked: list[int]) -> None:
    sampled = Sampled(lambda number, _: np.array([start * 1e4 + slope * number]), 1e-3)
    assert [float(sampled.at(n)[0]) for n in asked] == pytest.approx([start * 1e4 + slope * n for n in asked])


def test_another_argument() -> None:
    sampled = Sampled(lambda number, other: np.array([number * other]), 1e-3)
    assert float(sampled.at(4, 2.0)[0]) == 8.0
    assert float(sampled.at(4, 3.0)[0]) == 12.0
