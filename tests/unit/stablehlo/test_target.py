"""`-t stablehlo`: the written text reads back as a program with the same results; inexpressible ops are refused.

`tests.stablehlo_random --written` runs the written text by XLA if jax is installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

import ndpir
from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import element_type_of, tensor_type
from interp.numerics import evaluate
from interp.walk.entry import entry_of
from interp.walk.inputs import seeded_inputs
from interp.walk.run import run_module
from ndpir.cli.opt import main
from tests.onnx_runs import assert_same
from tests.op_cases import OPS
from tests.stablehlo_random import StoredProgram, difference, stored_programs

Array = NDArray[Any]


def program_of(kind: type[g.GraphOp], arrays: tuple[Array, ...], words: Mapping[str, Any]) -> ModuleOp:
    """A program of one op."""
    block = Block(arg_types=[tensor_type(each.shape, element_type_of(each.dtype)) for each in arrays])
    op = kind(*block.args, **words)
    block.add_ops([op, ReturnOp(*op.results)])
    types = [each.type for each in block.args], [each.type for each in op.results]
    return ModuleOp([FuncOp("main", types, Region(block))])


@pytest.mark.parametrize(("kind", "arrays", "words"), OPS)
def test_ops_keep_their_results(kind: type[g.GraphOp], arrays: tuple[Array, ...], words: Mapping[str, Any]) -> None:
    module = program_of(kind, arrays, words)
    block = entry_of(module).body.block
    (expected,) = evaluate(next(iter(block.ops)), list(arrays))  # pyright: ignore[reportArgumentType]
    (found,) = ndpir.run(ndpir.parse(ndpir.write(module, "stablehlo"), "x"), list(arrays))
    assert_same(np.asarray(found), np.asarray(expected))


@pytest.mark.parametrize("case", list(stored_programs())[::4], ids=lambda case: str(case.seed))
def test_random_programs_round_trip(case: StoredProgram) -> None:
    """The random programs include loops, branches and calls; writing a program again gives the same text."""
    text = ndpir.write(ndpir.parse(case.text, "x"), "stablehlo")
    module = ndpir.parse(text, "y")
    assert difference(ndpir.run(module, case.arguments), case.results, case.scales) == ""


def test_results_of_steps_survive_a_round_trip() -> None:
    """Writing a training step by `-t stablehlo` and reading it again leaves its results equal to the last bit."""
    module = ndpir.read("examples/models/mlp_step.mlir")
    again = ndpir.parse(ndpir.write(module, "stablehlo"), "y")
    inputs = seeded_inputs(entry_of(module), 0)
    for one, other in zip(run_module(module, inputs), run_module(again, inputs), strict=True):
        np.testing.assert_array_equal(one, other)


WEIGHTED = """func.func @forward(%x: tensor<1x8xf32>) -> tensor<1x4xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<8x4xf32>
  %y = graph.matmul %x, %w : tensor<1x8xf32>, tensor<8x4xf32>
  func.return %y : tensor<1x4xf32>
}
"""


def test_weights_are_arguments_and_may_have_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.mlir").write_text(WEIGHTED)
    assert main(["x.mlir", "-t", 'stablehlo{weights="w.npz"}', "-o", "y.mlir"]) == 0
    program, again = ndpir.read("x.mlir"), ndpir.read("y.mlir")
    inputs = seeded_inputs(entry_of(program), 0)
    with np.load("w.npz") as weights:
        found = run_module(again, [*inputs, *(weights[name] for name in weights.files)])
    np.testing.assert_array_equal(found[0], run_module(program, inputs)[0])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "%y = graph.reduce mean %x : tensor<2x3xi64>",
            "x:2:8: graph.reduce can't be written as StableHLO: StableHLO's sums of i64 wrap around",
        ),
        (
            "%i = graph.slice %x starts = [0, 0], ends = [2, 0] : tensor<2x3xi64>\n"
            "  %u = graph.concat %x, %x axis = 0 : tensor<2x3xi64>, tensor<2x3xi64>\n"
            "  %v = graph.reshape %u : tensor<4x3xi64> -> tensor<2x2x3xi64>\n"
            "  %y = graph.scatter_nd set %x, %i, %v : tensor<2x3xi64>, tensor<2x0xi64>, tensor<2x2x3xi64>",
            "x:5:8: graph.scatter_nd can't be written as StableHLO: StableHLO's runtimes disagree",
        ),
        (
            "builtin.unrealized_conversion_cast to i32",
            "x:2:3: builtin.unrealized_conversion_cast can't be written as StableHLO; functions may hold",
        ),
    ],
)
def test_ops_without_a_stablehlo_form_are_refused_with_their_place(body: str, message: str) -> None:
    module = ndpir.parse(f"func.func @main(%x: tensor<2x3xi64>) {{\n  {body}\n  func.return\n}}", "x")
    with pytest.raises(InputError) as error:
        ndpir.write(module, "stablehlo")
    assert str(error.value).startswith(message)


def test_placed_programs_are_refused() -> None:
    placed = ndpir.compile(ndpir.parse(WEIGHTED, "x"), "place{policy=gpu}", machine="toy")
    with pytest.raises(InputError, match="x:1:1: @forward can't be written as StableHLO: "):
        ndpir.write(placed, "stablehlo")


def test_weight_files_of_other_formats_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.mlir").write_text(WEIGHTED)
    with pytest.raises(
        InputError, match=r"weights are written as a numpy archive; use a file name that ends with \.npz"
    ):
        ndpir.write(ndpir.read(tmp_path / "x.mlir"), f'stablehlo{{weights="{tmp_path}/w.bin"}}')
