"""Tests of running programs: inputs, entry functions, calls, tasks, reading of weights, and the freeing of values after
their last use."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

from dialects.diagnostics import InputError
from interp import numerics
from interp.numerics import weights
from interp.walk.entry import entry_of
from interp.walk.inputs import Array, seeded_inputs
from interp.walk.run import PROGRESS, run_module
from tests.programs import parse

ADD = """
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %z = graph.add %x, %y : tensor<2xf32>
  func.return %z : tensor<2xf32>
}
"""


def f32(*values: float) -> Array:
    return np.array(values, np.float32)


def test_inputs_are_taken_in_order() -> None:
    [z] = run_module(parse(ADD), [f32(1, 2), f32(10, 20)])
    np.testing.assert_array_equal(z, f32(11, 22))


def test_the_same_seed_draws_the_same_inputs_in_range() -> None:
    function = entry_of(
        parse("func.func @main(%a: tensor<100xf16>, %b: tensor<100xi64>, %c: tensor<100xi1>) { func.return }")
    )
    a, b, c = seeded_inputs(function, 7)
    assert [array.dtype.name for array in (a, b, c)] == ["float16", "int64", "bool"]
    assert -1 <= a.min() < 0 < a.max() <= 1
    assert set(b.tolist()) == set(range(8))
    assert set(c.tolist()) == {True, False}
    for again, first in zip(seeded_inputs(function, 7), (a, b, c), strict=True):
        np.testing.assert_array_equal(again, first)
    assert (seeded_inputs(function, 8)[0] != a).any()


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([f32(1, 2)], "@main takes 2 inputs, but 1 are given"),
        ([f32(1, 2), f32(1, 2, 3)], r"input 1 of @main is float32 of shape \[2\], not float32 of shape \[3\]"),
        ([f32(1, 2), np.zeros(2, np.int64)], r"input 1 of @main is float32 of shape \[2\], not int64 of shape \[2\]"),
    ],
)
def test_inputs_of_wrong_type_or_number_are_errors(inputs: list[Array], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        run_module(parse(ADD), inputs)
    assert caught.value.place == "test.mlir:2:1"


def test_the_error_for_a_missing_entry_lists_the_functions() -> None:
    with pytest.raises(InputError, match="there is no function @start; the program has @main"):
        run_module(parse(ADD), entry="start")
    with pytest.raises(InputError, match="the program has no function to run"):
        run_module(parse('hw.device @gpu = "toy_gpu"'))


CALLS = """
func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.add %x, %x : tensor<2xf32>
  func.return %y : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = func.call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %z = func.call @twice(%y) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %z : tensor<2xf32>
}
"""


def test_functions_call_each_other_and_main_is_the_entry() -> None:
    [z] = run_module(parse(CALLS), [f32(1, 2)])
    np.testing.assert_array_equal(z, f32(4, 8))
    [y] = run_module(parse(CALLS), [f32(1, 2)], entry="twice")
    np.testing.assert_array_equal(y, f32(2, 4))


def test_a_program_at_task_level_computes_the_same() -> None:
    module = parse(
        """
        func.func @main(%x: !task.on<@gpu, tensor<2xf32>>) -> !task.on<@gpu, tensor<2xf32>> {
          %w = graph.constant [10.0, 20.0] : tensor<2xf32>
          %wp = task.resident %w on @pim
          %t = task.join %x
          %xp = task.copy %x to @pim after %t
          %y = task.run @pim queue 1 after %t (%a = %xp, %b = %wp) {
            %0 = graph.add %a, %b : tensor<2xf32>
            %1 = graph.add %0, %a : tensor<2xf32>
            task.yield %1
          }
          %z = task.copy %y to @gpu
          func.return %z : !task.on<@gpu, tensor<2xf32>>
        }
        """
    )
    [z] = run_module(module, [f32(1, 2)])
    np.testing.assert_array_equal(z, f32(12, 24))


def test_a_call_of_a_missing_function_is_an_error() -> None:
    module = parse(ADD)
    function = entry_of(module)
    other_module = parse("func.func @f() { func.return }\nfunc.func @g() { func.call @f() : () -> ()\nfunc.return }")
    call = next(op for op in other_module.walk() if op.name == "func.call")
    call.detach()
    first = function.body.block.first_op
    assert first is not None
    function.body.block.insert_op_before(call, first)
    with pytest.raises(InputError, match=r"func.call: there is no function @f with a body"):
        run_module(module)


WEIGHTS = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %u = graph.weight "u" = uniform(-1.0, 1.0, 1) : tensor<4xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<4xf32>
  %n = graph.weight "unused" = uniform(-1.0, 1.0, 3) : tensor<4xf32>
  %r = graph.relu %v : tensor<4xf32>
  %a = graph.add %x, %u : tensor<4xf32>
  %b = graph.neg %a : tensor<4xf32>
  %c = graph.add %b, %r : tensor<4xf32>
  func.return %c : tensor<4xf32>
}
"""


def test_weights_are_read_when_needed_and_unused_ones_never(monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []
    read, evaluate = weights.weight_array, numerics.evaluate

    def logged_read(op: Any) -> Array:
        log.append(op.sym.data)
        return read(op)

    def logged_evaluate(op: Any, *args: Any) -> list[Array]:
        if op.name != "graph.weight":
            log.append(op.name)
        return evaluate(op, *args)

    monkeypatch.setattr(weights, "weight_array", logged_read)
    monkeypatch.setattr(numerics, "evaluate", logged_evaluate)
    run_module(parse(WEIGHTS))
    assert log == ["u", "graph.add", "graph.neg", "v", "graph.relu", "graph.add"]


def test_values_are_freed_after_their_last_use(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(f"%v{i + 1} = graph.transpose %v{i} permutation = [0] : tensor<4xf32>" for i in range(20))
    module = parse(
        f"func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {{\n{text}\nfunc.return %v20 : tensor<4xf32>\n}}"
    )
    alive: list[weakref.ref[Any]] = []
    most = 0

    def fresh(op: Any, operands: list[Array], *args: Any) -> list[Array]:
        nonlocal most
        result = operands[0].copy()
        alive.append(weakref.ref(result))
        most = max(most, sum(each() is not None for each in alive))
        return [result]

    monkeypatch.setattr(numerics, "evaluate", fresh)
    run_module(module)
    assert most == 2


def test_progress_counts_up_to_the_number_of_ops() -> None:
    seen: list[tuple[int, int]] = []
    token = PROGRESS.set(lambda done, total: seen.append((done, total)))
    try:
        run_module(parse(ADD))
    finally:
        PROGRESS.reset(token)
    assert seen == [(0, 2), (1, 2)]


def test_results_may_be_arguments_or_equal_values() -> None:
    module = parse(
        """
        func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
          %y = graph.neg %x : tensor<2xf32>
          %z = graph.neg %y : tensor<2xf32>
          func.return %x, %y, %y : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
        }
        """
    )
    x, y, again = run_module(module, [f32(1, 2)])
    np.testing.assert_array_equal(x, f32(1, 2))
    np.testing.assert_array_equal(y, f32(-1, -2))
    np.testing.assert_array_equal(again, f32(-1, -2))


@pytest.mark.slow
def test_a_long_chain_of_constants_is_prepared() -> None:
    text = "\n".join(f"%v{i + 1} = graph.neg %v{i} : tensor<2xf32>" for i in range(3000))
    module = parse(
        "func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {\n"
        "%v0 = graph.constant [1.0, 2.0] : tensor<2xf32>\n"
        f"{text}\nfunc.return %v3000, %v1 : tensor<2xf32>, tensor<2xf32>\n}}"
    )
    last, first = run_module(module)
    np.testing.assert_array_equal(last, f32(1, 2))
    np.testing.assert_array_equal(first, f32(-1, -2))


def test_branches_are_refused() -> None:
    module = parse(
        """
        func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
          cf.br ^end(%x : tensor<2xf32>)
        ^end(%y: tensor<2xf32>):
          func.return %y : tensor<2xf32>
        }
        """
    )
    with pytest.raises(InputError, match="@main has 2 blocks, but a tensor program must have one; remove branches"):
        run_module(module)
