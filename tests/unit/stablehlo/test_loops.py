"""Tests of loops of JAX, which are kept, unrolled or refused, and of donated arguments."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import InputError
from dialects.graph import RepeatOp
from tests import stablehlo_loops

HELD = np.load(stablehlo_loops.DATA)


def read(name: str) -> ModuleOp:
    return ndpir.parse(str(HELD[f"{name}/text"]), f"{name}.mlir")


def loops(module: ModuleOp) -> list[tuple[range, int]]:
    """The counter range of each loop, with the number of values that the loop carries."""
    return [(op.counted, len(op.outputs)) for op in module.walk() if isinstance(op, RepeatOp)]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("scan", [(range(5), 2)]),
        ("scan_reversed", [(range(5), 2)]),
        ("scan_gradient", [(range(5), 4), (range(5), 2)]),
        ("scan_of_none", [(range(7), 1)]),
        ("scan_of_many", [(range(99), 2)]),
        ("scan_once", []),
        ("scan_without_turns", []),
        ("nested", [(range(5), 2), (range(6), 1)]),
        ("fori", [(range(5), 1)]),
        ("fori_slices", [(range(5), 1)]),
        ("upwards_by_3", [(range(4), 1)]),
        ("downwards_by_2", [(range(5), 1)]),
        ("until_equal", [(range(3), 1)]),
        ("two_counters", [(range(4), 1)]),
        ("swapped", [(range(5), 2)]),
        ("train_step", [(range(3), 18), (range(3), 3)]),
    ],
)
def test_counted_loops_are_kept(name: str, found: list[tuple[range, int]]) -> None:
    """Loops do not carry counters, values that are equal in all iterations, or unused values."""
    assert loops(ndpir.compile(read(name), "inline,canonicalize")) == found


WHILE = """func.func public @main(%n: tensor<i32>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {{
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %a = %x) : tensor<i32>, tensor<4x4xf32>
   cond {{
    %k = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.compare {compare}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }} do {{
    %k = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.{step} : tensor<i32>
    %2 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
      : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4x4xf32>
  }}
  return %0#1 : tensor<4x4xf32>
}}
"""


@pytest.mark.parametrize(
    ("compare", "step", "iterations"),
    [
        ("LT, %i, %k", "add %i, %k", 5),
        ("LE, %i, %k", "add %k, %i", 6),
        ("NE, %i, %k", "add %i, %k", 5),
        ("GT, %k, %i", "add %i, %k", 5),
        ("EQ, %i, %k", "add %i, %k", 0),
        ("GE, %i, %k", "subtract %i, %k", 0),
    ],
)
def test_iterations_follow_from_start_step_and_limit(compare: str, step: str, iterations: int) -> None:
    module = ndpir.parse(WHILE.format(compare=compare, step=step))
    assert [len(counted) for counted, _ in loops(module)] == ([iterations] if iterations else [])


@pytest.mark.parametrize(("compare", "step"), [("LT, %i, %n", "add %i, %k"), ("LT, %n, %k", "add %i, %k")])
def test_a_loop_whose_iterations_depend_on_data_is_refused(compare: str, step: str) -> None:
    with pytest.raises(InputError, match="the loop's number of iterations depends on data"):
        ndpir.parse(WHILE.format(compare=compare, step=step))


@pytest.mark.parametrize(
    ("compare", "step", "message"),
    [
        (
            "LT, %i, %k",
            "subtract %i, %k",
            "the loop never ends: its counter starts at 0 and changes by -1 in each iteration; correct its bound",
        ),
        (
            "NE, %k, %i",
            "add %i, %c",
            "the loop never ends: its counter starts at 0 and changes by 0 in each iteration; correct its bound",
        ),
    ],
)
def test_an_endless_loop_is_refused(compare: str, step: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ndpir.parse(WHILE.format(compare=compare, step=step))


def test_arguments_are_marked_as_donated_or_kept() -> None:
    text = """func.func public @main(
      %w: tensor<4xf32> {tf.aliasing_output = 1 : i32}, %m: tensor<4xf32> {jax.buffer_donor = true},
      %x: tensor<4xf32> {mhlo.layout_mode = "default"}, %y: tensor<2xf32> {tf.aliasing_output = 0 : i32})
      -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = stablehlo.add %w, %m : tensor<4xf32>
      %1 = stablehlo.add %x, %m : tensor<4xf32>
      return %0, %1 : tensor<4xf32>, tensor<4xf32>
    }"""
    printed = str(ndpir.parse(text)).partition("->")[0]
    assert '%w: tensor<4xf32> {task.state = "overwritten, result 1"}' in printed
    assert '%m: tensor<4xf32> {task.state = "free"}' in printed
    assert '%x: tensor<4xf32> {task.state = "read"}' in printed
    assert '%y: tensor<2xf32> {task.state = "free"}' in printed
