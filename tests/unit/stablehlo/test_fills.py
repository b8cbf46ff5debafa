"""Ranges from which runs draw arguments of a training step, inferred from uses and names of the arguments."""

from __future__ import annotations

import numpy as np
import pytest

import ndpir
from interp.walk.entry import entry_of
from interp.walk.inputs import FILL, seeded_inputs
from ndpir.frontends.stablehlo.fills import fills_of
from ndpir.frontends.stablehlo.importer import readable
from ndpir.frontends.stablehlo.text import read_functions

ADAM = """
module @jit_step {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<i32>)
      -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<4xf32>) {
    %b = stablehlo.constant dense<0.999> : tensor<f32>
    %bs = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c = stablehlo.constant dense<1.000000e-03> : tensor<4xf32>
    %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %i = stablehlo.constant dense<1> : tensor<i32>
    %kept = stablehlo.multiply %arg1, %bs : tensor<4xf32>
    %g2 = stablehlo.multiply %arg2, %arg2 : tensor<4xf32>
    %new = stablehlo.multiply %g2, %c : tensor<4xf32>
    %v = stablehlo.add %kept, %new : tensor<4xf32>
    %t = stablehlo.add %arg3, %i : tensor<i32>
    %tf = stablehlo.convert %t : (tensor<i32>) -> tensor<f32>
    %bt = stablehlo.power %b, %tf : tensor<f32>
    %scale = stablehlo.subtract %one, %bt : tensor<f32>
    %scales = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %vhat = stablehlo.divide %v, %scales : tensor<4xf32>
    %root = call @root(%vhat) : (tensor<4xf32>) -> tensor<4xf32>
    %step = stablehlo.divide %arg2, %root : tensor<4xf32>
    %p = stablehlo.subtract %arg0, %step : tensor<4xf32>
    return %p, %v : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @root(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.sqrt %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""
"""One step of Adam; its arguments are parameters, second moments, gradients, and the number of previous steps."""


def fills(text: str) -> list[tuple[float, float] | None]:
    return fills_of({function.name: function for function in read_functions(text, "x.mlir")})


def one(line: str, *types: str, result: str = "tensor<4xf32>") -> list[tuple[float, float] | None]:
    """The ranges of the arguments of a function whose body is `line`."""
    arguments = ", ".join(f"%{name}: {type_}" for name, type_ in zip("abc", types, strict=False))
    return fills(f"func.func @main({arguments}) -> {result} {{\n{line}\nreturn %y : {result}\n}}")


def test_second_moments_are_not_negative_and_others_have_default_ranges() -> None:
    assert fills(ADAM) == [None, (0, 1), None, None]
    moved, second = ndpir.run(ndpir.parse(ADAM))
    assert np.isfinite(moved).all()
    assert float(second.min()) >= 0


FLOATS, INTEGERS = "tensor<4xf32>", "tensor<4xi32>"


@pytest.mark.parametrize(
    ("line", "types", "expected"),
    [
        ("%y = stablehlo.log %a : tensor<4xf32>", (FLOATS,), [(0, 1)]),
        ("%y = stablehlo.divide %a, %b : tensor<4xf32>", (FLOATS, FLOATS), [None, (0, 1)]),
        ("%y = stablehlo.divide %a, %b : tensor<4xi32>", (INTEGERS, INTEGERS), [None, (1, 9)]),
        ("%0 = stablehlo.exponential %a : tensor<4xf32>\n%y = stablehlo.sqrt %0 : tensor<4xf32>", (FLOATS,), [None]),
        (
            "%0 = stablehlo.subtract %a, %b : tensor<4xf32>\n%y = stablehlo.sqrt %0 : tensor<4xf32>",
            (FLOATS, FLOATS),
            [None, None],
        ),
        (
            "%0 = stablehlo.constant dense<[0, 1, 2, 19]> : tensor<4xi32>\n"
            "%y = stablehlo.compare EQ, %a, %0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>",
            (INTEGERS,),
            [(0, 20)],
        ),
        ("%y = stablehlo.dynamic_slice %a, %b, sizes = [2] : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>",
         (FLOATS, "tensor<i32>"), [None, (0, 3)]),
        ("%y = stablehlo.xor %a, %a : tensor<2xui32>", ("tensor<2xui32>",), [(0, 1 << 32)]),
    ],
)  # fmt: skip
def test_uses_determine_the_range_of_an_argument(line: str, types: tuple[str, ...], expected: list[object]) -> None:
    assert one(line, *types) == expected


def test_ranges_of_weights_follow_from_the_length_of_products() -> None:
    """An argument that is the right factor of a product counts as its weight; an argument that is the left factor does
    if the right factor is computed, as in programs of `vmap`."""
    assert one(
        "%y = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] "
        ": (tensor<4x300xf32>, tensor<300x4xf32>) -> tensor<4x4xf32>",
        "tensor<4x300xf32>", "tensor<300x4xf32>", result="tensor<4x4xf32>",
    ) == [None, (-0.1, 0.1)]  # fmt: skip
    assert one(
        "%0 = stablehlo.tanh %b : tensor<12x4xf32>\n%1 = stablehlo.transpose %a, dims = [1, 0] "
        ": (tensor<12x4xf32>) -> tensor<4x12xf32>\n%y = stablehlo.dot_general %1, %0, contracting_dims = [1] x [0] "
        ": (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>",
        "tensor<12x4xf32>", "tensor<12x4xf32>", result="tensor<4x4xf32>",
    ) == [(-0.5, 0.5), None]  # fmt: skip
    assert one(
        "%y = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} "
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} "
        ": (tensor<1x6x6x3xf32>, tensor<2x2x3x8xf32>) -> tensor<1x5x5x8xf32>",
        "tensor<1x6x6x3xf32>", "tensor<2x2x3x8xf32>", result="tensor<1x5x5x8xf32>",
    ) == [None, (-0.5, 0.5)]  # fmt: skip


@pytest.mark.slow
def test_results_of_deep_networks_are_finite() -> None:
    """Weights that a loop carries are recognized, too, here in 24 layers of width 512: with weights in [-1, 1),
    gradients would overflow f32."""
    results = ndpir.run(ndpir.read("examples/models/scan_step.mlir"))
    assert all(np.isfinite(each).all() for each in results)


def test_required_ranges_pass_through_loops_and_branches() -> None:
    loop = """%c = stablehlo.constant dense<3> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<4xf32>
     cond { %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %1 : tensor<i1> }
     do { %1 = stablehlo.add %i, %one : tensor<i32>
          %2 = stablehlo.sqrt %x : tensor<4xf32>
          stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32> }
    %y = stablehlo.abs %0#1 : tensor<4xf32>"""
    assert one(loop, FLOATS) == [(0, 1)]
    branch = """%y = "stablehlo.if"(%a) ({
      %1 = stablehlo.log %b : tensor<4xf32>
      stablehlo.return %1 : tensor<4xf32>
    }, {
      stablehlo.return %b : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>"""
    assert one(branch, "tensor<i1>", FLOATS) == [None, (0, 1)]


NAMED = """
#loc1 = loc("opt_state[0].nu['w']")
#loc2 = loc("f.py":1:2)
module {
  func.func public @main(%arg0: tensor<2xf32> {tf.aliasing_output = 0 : i32} loc("params['dense_0']['w']"),
      %arg1: tensor<2xf32> loc(#loc1), %arg2: tensor<2xf32> loc(#loc2))
      -> (tensor<2xf32> {jax.result_info = "r['y']"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32> loc(#loc2)
    %1 = stablehlo.add %0, %arg2 : tensor<2xf32> loc("jit(f)/add"(#loc2))
    return %1 : tensor<2xf32> loc(#loc2)
  } loc(#loc2)
} loc(#loc2)
"""


def test_names_from_jax_are_kept_and_identify_second_moments() -> None:
    assert fills(NAMED) == [None, (0, 1), None]
    text = ndpir.write(ndpir.parse(NAMED))
    assert "%params.dense_0.w: tensor<2xf32> {jax.arg_info = \"params['dense_0']['w']\"" in text
    assert "%opt_state.0.nu.w: tensor<2xf32>" in text
    assert "%arg2: tensor<2xf32>" in text
    assert "jax.result_info = \"r['y']\"" in text
    again = ndpir.parse(text)
    assert ndpir.write(again) == text
    assert float(seeded_inputs(entry_of(again), 0)[1].min()) >= 0


def test_a_name_that_ends_in_a_number_is_kept() -> None:
    assert readable("layer_3") == "layer.3"
    assert readable("params['b']") == "params.b"
    assert readable("[0]['b']") is readable("") is None


def test_the_range_of_an_argument_can_be_written() -> None:
    text = "func.func @main(%x: tensor<99xi32> {{{} = {}}}) -> tensor<99xi32> {{ func.return %x : tensor<99xi32> }}"
    (drawn,) = ndpir.run(ndpir.parse(text.format(FILL, "array<i64: 100, 103>")))
    assert set(drawn.tolist()) == {100, 101, 102}
    with pytest.raises(
        ndpir.InputError, match=r"argument 0 of @main is drawn from array<i64: 3, 1>, but two numbers of"
    ):
        ndpir.run(ndpir.parse(text.format(FILL, "array<i64: 3, 1>")))
