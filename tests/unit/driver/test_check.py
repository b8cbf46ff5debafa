"""The comparisons of `--check`, and their tolerances."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.context import Context

from dialects.diagnostics import InputError
from lowering.tile.pipelining import PASSES
from ndpir.cli.check import Checker, error_of, has_reduced_precision
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


def test_integers_and_booleans_must_be_equal() -> None:
    assert error_of(np.array([1, 2]), np.array([1, 2])) == 0
    assert error_of(np.array([1000, 2]), np.array([1001, 2])) > 0
    assert error_of(np.array([True]), np.array([False])) > 0


def test_types_and_shapes_must_be_equal() -> None:
    assert error_of(np.zeros(2, np.float32), np.zeros(2, np.float64)) == np.inf
    assert error_of(np.zeros((2, 1), np.float32), np.zeros(2, np.float32)) == np.inf


def test_equal_program_is_reported_in_one_line() -> None:
    lines: list[str] = []
    checker = Checker(report=lines.append)
    checker.before(parse(RELU))
    checker.after("nothing", parse(RELU))
    assert lines == ["check: nothing: 1 result equal"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            RELU.replace("relu", "abs"),
            r"check: wrong changes the results: result 0 differs by .* most at element \[\d\]",
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
            "check: wrong changes the number of results from 1 to 2",
        ),
    ],
)
def test_difference_is_an_error_located_at_the_function(changed: str, message: str) -> None:
    checker = Checker(seed=1, report=lambda line: None)
    checker.before(parse(RELU))
    with pytest.raises(InputError, match=message) as caught:
        checker.after("wrong", parse(changed))
    assert caught.value.place == "test.mlir:1:1"


def test_each_pass_is_compared_with_the_one_before() -> None:
    lines: list[str] = []
    checker = Checker(report=lines.append)
    checker.before(parse(RELU))
    checker.after("first", parse(RELU))
    with pytest.raises(InputError, match="second"):
        checker.after("second", parse(RELU.replace("relu", "neg")))


COPY = """
hw.device @gpu = "a100"
tile.kernel @copy on @gpu (%x: memref<64x16xf16>) -> (%y: memref<64x16xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer shared stages 3 : memref<16x16xf16>
    tile.for %k = 0 to 4 {
      tile.copy async %x[%k * 16 : 16] to %t
      tile.commit
      tile.wait 0
      tile.barrier
      tile.copy %t to %y[%k * 16 : 16]
      tile.barrier
    }
  }
}
func.func @main(%x: tensor<64x16xf16>) -> tensor<64x16xf16> {
  %y = tile.launch @copy (%x) : (tensor<64x16xf16>) -> tensor<64x16xf16>
  func.return %y : tensor<64x16xf16>
}
"""


def test_half_done_pipelines_are_not_run() -> None:
    module, lines = parse(COPY), list[str]()
    checker = Checker(report=lines.append)
    checker.before(module)
    for each in PASSES:
        each().apply(Context(), module)
        checker.after(each.name, module)
    assert lines == [
        "check: detect-pipelines: 1 result equal",
        "check: coalesce-nests: 1 result equal",
        "check: enlarge-buffers: 1 result equal",
        "check: shift-copies: not run: its pipelines are incomplete",
        "check: wrap-indices: not run: its pipelines are incomplete",
        "check: copy-first-stages: not run: its pipelines are incomplete",
        "check: wait-for-stages: 1 result equal",
    ]


def test_finished_pipelines_are_compared_with_the_original() -> None:
    module = parse(COPY.replace("%y[%k * 16", "%y[((%k + 1) mod 4) * 16"))
    checker = Checker(report=lambda line: None)
    checker.before(parse(COPY))
    for each in PASSES:
        each().apply(Context(), module)
        if each.name in ("shift-copies", "wrap-indices", "copy-first-stages"):
            checker.after(each.name, module)
    with pytest.raises(InputError, match="check: wait-for-stages changes the results"):
        checker.after("wait-for-stages", module)


def test_f16_anywhere_raises_the_tolerance() -> None:
    there_and_back = program(
        "  %h = graph.cast %x : tensor<4xf32> -> tensor<4xf16>\n"
        "  %s = graph.relu %h : tensor<4xf16>\n"
        "  %y = graph.cast %s : tensor<4xf16> -> tensor<4xf32>\n"
        "  func.return %y : tensor<4xf32>"
    )
    assert has_reduced_precision(parse(there_and_back))
    assert not has_reduced_precision(parse(RELU))
    lines: list[str] = []
    checker = Checker(report=lines.append)
    checker.before(parse(RELU))
    checker.after("reduce-precision", parse(there_and_back))
    assert "within" in lines[0]
