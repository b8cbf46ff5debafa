"""Scans of CHLO (`chlo.scan`), forward and reverse, become loops over slices; read from MLIR's custom and generic
syntax."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import ndpir
from ndpir.frontends.stablehlo import from_jaxlib
from ndpir.frontends.stablehlo.importer import import_functions

PRETTY = """func.func @main(%x: tensor<{n}x3xf32>, %c: tensor<3xf32>) -> (tensor<{n}x3xf32>, tensor<3xf32>) {{
  %0:2 = chlo.scan (%x) inits (%c) dimension=0 attributes {{is_reverse = {reverse}}} {{
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %1 = stablehlo.multiply %a, %b : tensor<3xf32>
    %2 = stablehlo.add %1, %a : tensor<3xf32>
    stablehlo.return %1, %2 : tensor<3xf32>, tensor<3xf32>
  }} : (tensor<{n}x3xf32>, tensor<3xf32>) -> (tensor<{n}x3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<{n}x3xf32>, tensor<3xf32>
}}"""
GENERIC = """func.func @main(%x: tensor<{n}x3xf32>, %c: tensor<3xf32>) -> (tensor<{n}x3xf32>, tensor<3xf32>) {{
  %0:2 = "chlo.scan"(%x, %c) <{{dimension = 0 : i64, is_reverse = {reverse},
    operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}}> ({{
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %1 = "stablehlo.multiply"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %2 = "stablehlo.add"(%1, %a) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "stablehlo.return"(%1, %2) : (tensor<3xf32>, tensor<3xf32>) -> ()
  }}) : (tensor<{n}x3xf32>, tensor<3xf32>) -> (tensor<{n}x3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<{n}x3xf32>, tensor<3xf32>
}}"""


@pytest.mark.parametrize("form", [PRETTY, GENERIC])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("count", [0, 1, 5, 300])
def test_each_iteration_takes_a_slice(form: str, backwards: bool, count: int) -> None:
    random = np.random.default_rng(0)
    x, carried = random.uniform(-1, 1, (count, 3)).astype(np.float32), np.ones(3, np.float32)
    text = form.format(n=count, reverse=str(backwards).lower())
    module = ndpir.parse(text, "scan.mlir")
    made, last = ndpir.run(module, [x, carried])
    expected = np.zeros_like(x)
    for at in reversed(range(count)) if backwards else range(count):
        expected[at] = x[at] * carried
        carried = expected[at] + x[at]
    assert np.array_equal(made, expected)
    assert np.array_equal(last, carried)
    assert ("graph.repeat" in ndpir.write(module)) == (count == 300)


@pytest.mark.skipif(find_spec("jaxlib") is None, reason="jaxlib (extra `jax`) reads the same")
def test_jaxlib_reads_the_same() -> None:
    text = GENERIC.format(n=5, reverse="true")
    functions = from_jaxlib.functions_of_text(text, "scan.mlir")
    assert functions is not None
    written = [ndpir.write(each) for each in (import_functions(functions, "scan.mlir"), ndpir.parse(text, "scan.mlir"))]
    assert written[0].count("graph.") == written[1].count("graph.")
