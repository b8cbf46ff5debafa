"""The one walk over programs: which ops it meets, how often and in which order, and what it keeps; with a meaning as
small as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

import ndpir
from dialects.diagnostics import InputError
from dialects.repeating import RepeatingOp
from dialects.task import RunOp
from interp.walk.entry import entry_of, functions
from interp.walk.interpret import Meaning, interpret

PROGRAM = """hw.device @gpu = "toy_gpu"
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %b = graph.add %a, %a : tensor<2xf32>
  func.return %b : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<2xf32>
  %v = graph.neg %w : tensor<2xf32>
  %unread = graph.exp %w : tensor<2xf32>
  %t = func.call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %y = graph.repeat %i = 0 to 3 (%c = %t, %k = %v) {
    %n = graph.mul %c, %k : tensor<2xf32>
    %m = func.call @twice(%n) : (tensor<2xf32>) -> tensor<2xf32>
    graph.yield %m
  }
  %z = graph.relu %y : tensor<2xf32>
  func.return %z : tensor<2xf32>
}
"""
TASKS = """hw.device @gpu = "toy_gpu"
func.func @main(%x: !task.on<@gpu, tensor<2xf32>>) -> !task.on<@gpu, tensor<2xf32>> {
  %y = task.run @gpu (%a = %x) {
    %0 = graph.relu %a : tensor<2xf32>
    %1 = graph.neg %0 : tensor<2xf32>
    task.yield %1
  }
  func.return %y : !task.on<@gpu, tensor<2xf32>>
}
"""


class Said(Meaning[str]):
    """The meaning of a value is the expression that computes it; `met`: the ops in the order in which they are met."""

    def __init__(self, known: Mapping[str, FuncOp], late: bool = False) -> None:
        self.functions, self.late = known, late
        self.met: list[str] = []
        self.dead: dict[str, Sequence[int]] = {}

    def op(self, op: Operation, operands: list[str], dead: Sequence[int]) -> list[str]:
        name = op.name.partition(".")[2]
        self.met.append(name)
        self.dead[name] = dead
        return [f"{name}({', '.join(operands)})" if operands else name for _ in op.results]

    def waits(self, op: Operation, early: Mapping[Operation, None]) -> bool:
        return self.late and op in early

    def loop(self, loop: RepeatingOp, operands: list[str]) -> list[str]:
        carried = len(loop.outputs)
        for count in loop.counted:
            operands[:carried] = interpret(loop.body.block, [str(count), *operands], self)
        return operands[:carried]

    def task(self, run: RunOp, operands: list[str]) -> list[str]:
        return [f"on {run.place}: {each}" for each in interpret(run.body.block, operands, self)]


def said(text: str, late: bool = False, known: dict[SSAValue, str] | None = None) -> tuple[Said, list[str]]:
    module = ndpir.parse(text)
    meaning = Said({each.sym_name.data: each for each in functions(module)}, late)
    return meaning, interpret(entry_of(module), ["x"], meaning, known)


def test_calls_and_loops_are_followed_as_often_as_they_run() -> None:
    meaning, (result,) = said(PROGRAM)
    inner = "add(x, x)"
    for _ in range(3):
        product = f"mul({inner}, neg(weight))"
        inner = f"add({product}, {product})"
    assert result == f"relu({inner})"
    assert meaning.met == ["weight", "neg", "exp", "add", *["mul", "add"] * 3, "relu"]


def test_prepared_ops_can_wait_for_their_first_reader() -> None:
    """Ops that nothing reads are then not interpreted at all."""
    meaning, results = said(PROGRAM, late=True)
    assert meaning.met == ["add", "weight", "neg", *["mul", "add"] * 3, "relu"]
    assert results == said(PROGRAM)[1]


def test_the_body_of_a_task_is_interpreted_with_its_inputs() -> None:
    assert said(TASKS)[1] == ["on gpu: neg(relu(x))"]


def test_meanings_are_kept_or_dropped_after_their_last_use() -> None:
    """Without a dictionary, an op learns which of its operands nothing reads afterwards."""
    meaning, _ = said(PROGRAM)
    assert (meaning.dead["relu"], meaning.dead["add"], meaning.dead["mul"]) == ([0], [0, 1], [0, 1])
    known: dict[SSAValue, str] = {}
    meaning, (result,) = said(PROGRAM, known=known)
    assert meaning.dead["relu"] == ()
    assert {"x", "weight", "neg(weight)", "add(x, x)", result} <= {*known.values()}


def test_each_block_begins_with_its_prepared_ops() -> None:
    class Begun(Said):
        def begin(self, block: Block, early: Mapping[Operation, None]) -> None:
            self.met.append(f"{len(block.args)} arguments, {len(early)} prepared")

    module = ndpir.parse(PROGRAM)
    meaning = Begun({each.sym_name.data: each for each in functions(module)})
    interpret(entry_of(module), ["x"], meaning)
    assert meaning.met[0] == "1 arguments, 3 prepared"
    assert meaning.met.count("3 arguments, 0 prepared") == 3


def test_a_missing_function_is_an_error_at_its_call() -> None:
    module = ndpir.parse(PROGRAM)
    with pytest.raises(InputError, match="there is no function @twice with a body"):
        interpret(entry_of(module), ["x"], Said({}))
