"""The comparisons of `--check`, and their tolerances."""

from __future__ import annotations

import numpy as np
import pytest

from dialects.diagnostics import InputError
from ndpir.cli.check import Checker, computes_narrow, error_of
from tests.programs import parse


def program(body: str, result: str = "tensor<4xf32>", argument: str = "tensor<4xf32>") -> str:
    return f"func.func @main(%x: {argument}) -> {result} {{\n{body}\n}}"


RELU = program("  %y = graph.relu %x : tensor<4xf32>\n  func.return %y : tensor<4xf32>")


def test_errors_are_relative_to_the_largest_element() -> None:
    old = np.array([1.0, 100.0], np.float32)
    assert error_of(old, np.array([2.0, 100.0], np.float32)) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ([np.nan, np.inf, 1.0], [np.nan, np.inf, 1.0], 0.0),
        ([np.inf, 1.0], [-np.inf, 1.0], np.inf),
        ([1.0, 2.0], [np.nan, 2.0], np.inf),
        ([0.0, 0.0], [0.0, 0.5], 0.5),
        ([], [], 0.0),
        ([-0.0], [0.0], 0.0),
    ],
)
def test_special_numbers(old: list[float], new: list[float], error: float) -> None:
    assert error_of(np.array(old, np.float32), np.array(new, np.float32)) == error


def test_integers_and_truth_values_are_equal_or_not() -> None:
    assert error_of(np.array([1, 2]), np.array([1, 2])) == 0
    assert error_of(np.array([1000, 2]), np.array([1001, 2])) > 0
    assert error_of(np.array([True]), np.array([False])) > 0


def test_types_and_shapes_must_stay() -> None:
    assert error_of(np.zeros(2, np.float32), np.zeros(2, np.float64)) == np.inf
    assert error_of(np.zeros((2, 1), np.float32), np.zeros(2, np.float32)) == np.inf


def test_an_equal_program_is_told_in_a_line() -> None:
    lines: list[str] = []
    checker = Checker(say=lines.append)
    checker.before(parse(RELU))
    checker.after("nothing", parse(RELU))
    assert lines == ["check: nothing: 1 result equal"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            RELU.replace("relu", "abs"),
            r"check: wrong changes the numbers: result 0 differs by .* most at element \[\d\]",
        ),
        (
            program(
                "  %y = graph.cast %x : tensor<4xf32> -> tensor<4xf64>\n  func.return %y : tensor<4xf64>",
                "tensor<4xf64>",
            ),
            "check: wrong changes the type of result 0 from 4 float32 to 4 float64",
        ),
        (
            program("  func.return %x, %x : tensor<4xf32>, tensor<4xf32>", "(tensor<4xf32>, tensor<4xf32>)"),
            "check: wrong changes the numbers: 1 results become 2",
        ),
    ],
)
def test_a_difference_is_an_error_with_the_functions_place(changed: str, message: str) -> None:
    checker = Checker(seed=1, say=lambda line: None)
    checker.before(parse(RELU))
    with pytest.raises(InputError, match=message) as caught:
        checker.after("wrong", parse(changed))
    assert caught.value.place == "test.mlir:1:1"


def test_each_pass_is_compared_with_the_one_before() -> None:
    lines: list[str] = []
    checker = Checker(say=lines.append)
    checker.before(parse(RELU))
    checker.after("first", parse(RELU))
    with pytest.raises(InputError, match="second"):
        checker.after("second", parse(RELU.replace("relu", "neg")))


def test_half_precision_anywhere_allows_its_rounding() -> None:
    there_and_back = program(
        "  %h = graph.cast %x : tensor<4xf32> -> tensor<4xf16>\n"
        "  %s = graph.relu %h : tensor<4xf16>\n"
        "  %y = graph.cast %s : tensor<4xf16> -> tensor<4xf32>\n"
        "  func.return %y : tensor<4xf32>"
    )
    assert computes_narrow(parse(there_and_back))
    assert not computes_narrow(parse(RELU))
    lines: list[str] = []
    checker = Checker(say=lines.append)
    checker.before(parse(RELU))
    checker.after("reduce-precision", parse(there_and_back))
    assert "within" in lines[0]
