"""Times of kernels that read small elements: products of small factors at the sheet's rate for their type, quantized
weights at the bytes that they take in memory."""

from __future__ import annotations

import pytest

import ndpir
from interp.simulate.schedule.timeline import Timeline

PRODUCT = """
func.func @main(%a: tensor<2048x4096x{0}>) -> tensor<2048x4096x{1}> {{
  %w = graph.weight "w" = file("w.bin", 0) : tensor<4096x4096x{0}>
  {2}
  func.return %y : tensor<2048x4096x{1}>
}}
"""
WEIGHTS = """
func.func @main(%x: tensor<1x8192xf16>) -> tensor<1x8192xf16> {{
  %q = graph.weight "w" = file("w.bin", 0) : tensor<8192x8192x{0}>
  {1}
  %y = graph.matmul %x, %w transpose_b : tensor<1x8192xf16>, tensor<8192x8192xf16>
  func.return %y : tensor<1x8192xf16>
}}
"""
BLOCKS = """%t = graph.weight "t" = uniform(0.0, 0.1, 7) : tensor<8192x64xf16>
  %w = graph.dequantize %q, %t axis = 1, block = 128 : tensor<8192x8192x{0}>, tensor<8192x64xf16>"""


def timed(text: str, machine: str) -> Timeline:
    module = ndpir.compile(ndpir.parse(text), machine=machine, passes="canonicalize,fuse,place{policy=gpu}")
    return ndpir.simulate(module)


def product(element: str, machine: str) -> float:
    plain = "%y = graph.matmul %a, %w : tensor<2048x4096xf16>, tensor<4096x4096xf16>"
    small = f"""%s = graph.qmatmul %a, %w : tensor<2048x4096x{element}>, tensor<4096x4096x{element}>
  %t = graph.constant 0.01 : tensor<f32>
  %d = graph.dequantize %s, %t : tensor<2048x4096xi32>, tensor<f32>
  %y = graph.quantize %d, %t : tensor<2048x4096xf32>, tensor<f32> -> tensor<2048x4096x{element}>"""
    text = PRODUCT.format(element, element, plain if element == "f16" else small)
    return timed(text, machine).makespan_ns


@pytest.mark.parametrize("machine", ["a100", "h100_sxm"])
def test_a_product_of_small_factors_runs_at_the_rate_of_their_type(machine: str) -> None:
    assert 0.4 < product("i8", machine) / product("f16", machine) < 0.75


def test_a_device_without_units_of_the_type_converts_the_factors_as_it_loads_them() -> None:
    assert 0.8 < product("i8", "v100_sxm2") / product("f16", "v100_sxm2") < 1.0


def weights(element: str) -> tuple[float, int]:
    stored = "%w = graph.reshape %q : tensor<8192x8192xf16> -> tensor<8192x8192xf16>"
    timeline = timed(WEIGHTS.format(element, stored if element == "f16" else BLOCKS.format(element)), "a100")
    return timeline.makespan_ns, sum(event.cost.bytes for event in timeline.events)


def test_quantized_weights_cost_the_bytes_that_they_take_in_memory() -> None:
    (wide, wide_bytes), (eight, eight_bytes), (four, four_bytes) = (
        weights(element) for element in ("f16", "i8", "ui4")
    )
    scales = 8192 * 64 * 2
    rest = 2 * 8192 * 2
    assert wide_bytes == 8192 * 8192 * 2 + rest
    assert eight_bytes == 8192 * 8192 + scales + rest
    assert four_bytes == 8192 * 8192 // 2 + scales + rest
    assert 0.45 < eight / wide < 0.7
    assert 0.2 < four / wide < 0.45
