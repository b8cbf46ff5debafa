"""Programs as they were before they were quantized: close numbers, no small product, and the worth of quantizing."""

from __future__ import annotations

import numpy as np
import pytest

import ndpir
from dialects import graph as g
from interp.walk.run import run_module

QOPERATOR = """
func.func @main(%x: tensor<3x16xf32>) -> tensor<3x5xf32> {
  %s = graph.constant 0.03 : tensor<f32>
  %z = graph.constant 120 : tensor<ui8>
  %w = graph.constant WEIGHTS : tensor<16x5xi8>
  %v = graph.constant 0 : tensor<i8>
  %t = graph.constant [3.0e-5, 2.0e-5, 1.0e-5, 3.0e-5, 4.0e-5] : tensor<5xf32>
  %b = graph.constant [70, -80, 90, 0, 5] : tensor<5xi32>
  %q = graph.quantize %x, %s, %z : tensor<3x16xf32>, tensor<f32>, tensor<ui8> -> tensor<3x16xui8>
  %r = graph.reshape %q : tensor<3x16xui8> -> tensor<1x3x16xui8>
  %i = graph.qmatmul %r, %w, %z, %v : tensor<1x3x16xui8>, tensor<16x5xi8>, tensor<ui8>, tensor<i8>
  %j = graph.add %i, %b : tensor<1x3x5xi32>, tensor<5xi32>
  %y = graph.dequantize %j, %t : tensor<1x3x5xi32>, tensor<5xf32>
  %o = graph.quantize %y, %s, %z : tensor<1x3x5xf32>, tensor<f32>, tensor<ui8> -> tensor<1x3x5xui8>
  %p = graph.dequantize %o, %s, %z : tensor<1x3x5xui8>, tensor<f32>, tensor<ui8>
  %e = graph.reshape %p : tensor<1x3x5xf32> -> tensor<3x5xf32>
  func.return %e : tensor<3x5xf32>
}
""".replace("WEIGHTS", str(np.random.default_rng(0).integers(-99, 99, (16, 5)).tolist()))
BOTH = """
func.func @main(%x: tensor<3x8xf32>, %y: tensor<3x8xf32>) -> tensor<3x3xf32> {
  %s = graph.constant 0.03 : tensor<f32>
  %t = graph.constant 0.0009 : tensor<f32>
  %q = graph.quantize %x, %s : tensor<3x8xf32>, tensor<f32> -> tensor<3x8xi8>
  %r = graph.quantize %y, %s : tensor<3x8xf32>, tensor<f32> -> tensor<3x8xi8>
  %i = graph.qmatmul %q, %r transpose_b : tensor<3x8xi8>
  %z = graph.dequantize %i, %t : tensor<3x3xi32>, tensor<f32>
  func.return %z : tensor<3x3xf32>
}
"""


@pytest.mark.parametrize("text", [QOPERATOR, BOTH])
def test_numbers_stay_within_the_steps_and_no_small_product_is_left(text: str) -> None:
    module = ndpir.parse(text)
    wide = ndpir.compile(module.clone(), passes="unquantize")
    kinds = {type(op) for op in wide.walk()}
    assert not kinds & {g.QmatmulOp, g.QuantizeOp}
    inputs = [np.random.default_rng(1).uniform(-3, 3, (3, 16 if text is QOPERATOR else 8)).astype(np.float32)]
    inputs *= 1 if text is QOPERATOR else 2
    (found,), (expected,) = run_module(wide, inputs), run_module(module, inputs)
    assert np.abs(found.astype(np.float64) - expected.astype(np.float64)).max() < (0.1 if text is QOPERATOR else 0.7)


def test_the_worth_of_quantized_numbers_is_told() -> None:
    weights = """
func.func @main(%x: tensor<1x4096xf16>) -> tensor<1x4096xf16> {
  %q = graph.weight "v" = file("v.bin", 0) : tensor<4096x4096xui4>
  %t = graph.weight "t" = uniform(0.0, 0.1, 7) : tensor<4096x32xf16>
  %w = graph.dequantize %q, %t axis = 1, block = 128 : tensor<4096x4096xui4>, tensor<4096x32xf16>
  %y = graph.matmul %x, %w transpose_b : tensor<1x4096xf16>, tensor<4096x4096xf16>
  func.return %y : tensor<1x4096xf16>
}
"""
    module = ndpir.compile(ndpir.parse(weights), machine="a100", passes="plan", effort=1)
    (row,) = (each for each in ndpir.answer(module, "summary", why=True).worth.lacking if "quantized" in each.without)
    assert row.makespan_ns is not None
    assert row.factor > 1.2
