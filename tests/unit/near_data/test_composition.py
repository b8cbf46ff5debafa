"""The time of a training step on the GPU alone is the sum of its components, kernel by kernel."""

from __future__ import annotations

import pytest

import ndpir
from benchmarks.near_data.composition import NORMS, OPTIMIZER, OTHERS, PRODUCTS, SOFTMAX, composition
from interp.walk.entry import entry_of
from lowering.banks.templates import clock_for

STEP = """
hw.device @gpu = "v100_sxm2"
func.func @main(%w: tensor<512x512xf32> {task.state = "overwritten, result 1"},
    %x: tensor<512x512xf16>, %y: tensor<512x512xf32>)
    -> (tensor<512x512xf32>, tensor<512x512xf32>) {
  %c = graph.cast %w : tensor<512x512xf32> -> tensor<512x512xf16>
  %p = graph.fused (%a = %x, %b = %c) {
    %0 = graph.matmul %a, %b : tensor<512x512xf16>
    %1 = graph.exp %0 : tensor<512x512xf16>
    graph.yield %1
  }
  %s = graph.softmax %y : tensor<512x512xf32>
  %n = graph.fused layer_norm (%a = %y) {
    %0 = graph.mul %a, %a : tensor<512x512xf32>
    %1 = graph.reduce mean %0 axes = [1], keep_dims : tensor<512x512xf32>
    %2 = graph.mul %a, %1 : tensor<512x512xf32>, tensor<512x1xf32>
    graph.yield %2
  }
  %t = graph.fused (%a = %p, %b = %s, %d = %n) {
    %0 = graph.cast %a : tensor<512x512xf16> -> tensor<512x512xf32>
    %1 = graph.add %0, %b : tensor<512x512xf32>
    %2 = graph.add %1, %d : tensor<512x512xf32>
    graph.yield %2
  }
  %v = graph.sub %w, %t : tensor<512x512xf32>
  func.return %t, %v : tensor<512x512xf32>, tensor<512x512xf32>
}
"""


def test_categories_add_up_to_the_time_of_the_gpu_alone() -> None:
    module = ndpir.parse(STEP)
    clock, function = clock_for(module), entry_of(module)
    found, timeline = composition(function, clock), ndpir.simulate(module)
    assert found.total == pytest.approx(timeline.makespan_ns)
    cast, product, softmax, norm, others, update = (event.cost.ns for event in timeline.events)
    assert found.ns[OPTIMIZER] == pytest.approx(update)
    assert found.ns[SOFTMAX] == pytest.approx(softmax)
    assert found.ns[NORMS] == pytest.approx(norm)
    assert 0.5 * product < found.ns[PRODUCTS] <= product
    assert found.ns[OTHERS] == pytest.approx(cast + others + product - found.ns[PRODUCTS])
    assert found.cast == pytest.approx(cast)
    assert found.random == 0
