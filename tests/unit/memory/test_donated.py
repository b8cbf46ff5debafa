"""Tests of planned moves in programs with donated arguments."""

from __future__ import annotations

import numpy as np
import pytest

from interp.simulate.events.jobs import above
from interp.walk.run import run_module
from tests.laws.memory.beside import moved, placed

ALONE = """
hw.device @gpu = "toy_gpu" {memory = "MEMORY"}
hw.device @host = "toy_host" {paging.demand = "no"}
hw.link @gpu to @host = "toy_bus"
"""
BESIDE = (
    ALONE
    + """
hw.device @ndp = "toy_ndp"
hw.link @gpu to @ndp = "toy_link"
"""
)
RETURNED = """
func.func @main(%x: tensor<64x256xf32> {task.state = "overwritten, result 0"})
    -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>) {
  %a = graph.relu %x : tensor<64x256xf32>
  %w = graph.weight "w" = uniform(-0.1, 0.1, 3) : tensor<256x256xf32>
  %b = graph.matmul %a, %w : tensor<64x256xf32>, tensor<256x256xf32>
  func.return %a, %x, %b : tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>
}
"""
"""A program that returns its argument as well as the result that would reuse the argument's memory."""

SHARED = """
func.func @main(%x: tensor<64x256xf32> {task.state = "overwritten, result 1"},
    %y: tensor<64x256xf32> {task.state = "overwritten, result 1"})
    -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>) {
  %a = graph.mul %y, %x : tensor<64x256xf32>
  %b = graph.add %x, %x : tensor<64x256xf32>
  %w = graph.weight "w" = uniform(-0.1, 0.1, 3) : tensor<256x256xf32>
  %c = graph.matmul %x, %w : tensor<64x256xf32>, tensor<256x256xf32>
  %d = graph.add %c, %x : tensor<64x256xf32>
  func.return %a, %b, %y, %x : tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>
}
"""
"""A program that returns two arguments, which are both donated to one result."""

LATE = """
func.func @main(%x: tensor<64x256xf32> {task.state = "overwritten, result 0"})
  -> (tensor<64x256xf32>, tensor<64x256xf32>) {
  %a = graph.softmax %x axis = 1 : tensor<64x256xf32>
  %v = graph.weight "v" = uniform(-0.1, 0.1, 1) : tensor<256x256xf32>
  %b = graph.matmul %x, %v : tensor<64x256xf32>, tensor<256x256xf32>
  %w = graph.weight "w" = uniform(-0.1, 0.1, 2) : tensor<256x256xf32>
  %c = graph.matmul %b, %w : tensor<64x256xf32>, tensor<256x256xf32>
  %d = graph.add %c, %x : tensor<64x256xf32>
  func.return %a, %d : tensor<64x256xf32>, tensor<64x256xf32>
}
"""
"""A program whose result is computed before the last read of the argument whose memory it takes over."""


@pytest.mark.parametrize(
    ("text", "policy", "memory"),
    [
        (ALONE + RETURNED, "gpu", 400),
        (ALONE + RETURNED, "gpu", 430),
        (BESIDE + SHARED, "pattern", 520),
        (ALONE + LATE, "gpu", 400),
        (ALONE + LATE, "gpu", 460),
    ],
)
def test_a_program_with_changed_states_runs_as_planned(text: str, policy: str, memory: int) -> None:
    """Moves are planned and can be carried out, their bound is a bound, and they change no value."""
    module = placed(text.replace("MEMORY", f"{memory} kB"), policy)
    expected = run_module(module.clone())
    timeline, bound = moved(module, "plan")
    assert bound is not None
    above(timeline.makespan_ns, bound, "any plan of moves")
    for array, other in zip(run_module(module), expected, strict=True):
        np.testing.assert_array_equal(array, other)
