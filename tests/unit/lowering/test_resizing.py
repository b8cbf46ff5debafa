"""Other sizes for ops whose extents follow from their own shape rule: ops without a rule for it, and ops of plugins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ndpir
from lowering.resizing.extents import Change, Refused
from lowering.resizing.resize import resized

PLUGIN = Path(__file__).parents[3] / "examples" / "plugin"


def change(extent: int, axis: int, is_batch: bool = False) -> Change:
    return Change(0, axis, extent, "input `x`", is_batch)


def of(line: str, types: str = "2x6xf32") -> str:
    return (
        f"func.func @main(%x: tensor<{types}>) -> tensor<{types}> {{\n  %y = {line}\n"
        f"  func.return %y : tensor<{types}>\n}}\n"
    )


@pytest.mark.parametrize(
    ("line", "axis"),
    [
        ("mobile.hard_swish %x : tensor<2x6xf32>", 0),
        ("mobile.hard_swish %x : tensor<2x6xf32>", 1),
        ("mobile.log_softmax %x axis = 1 : tensor<2x6xf32>", 0),
    ],
)
def test_samples_of_ops_of_a_plugin(line: str, axis: int) -> None:
    """An op of a plugin has no rule of its own for other sizes: its shape rule and its parts of operands suffice, and
    each sample's result is that of the program as read."""
    ndpir.load_plugin(PLUGIN / "ops.py")
    old = ndpir.parse(of(line))
    made = resized(old, [change(5, axis, is_batch=True)], {})
    made.verify()
    shape = (5, 6) if axis == 0 else (2, 5)
    x = np.random.default_rng(3).normal(size=shape).astype(np.float32)
    (found,) = ndpir.run(made, [x])
    for sample in range(5):
        wide = np.repeat(x.take([sample], axis), (2, 6)[axis], axis)
        (alone,) = ndpir.run(old, [wide])
        np.testing.assert_array_equal(found.take(sample, axis), alone.take(0, axis))


def test_elements_that_an_op_of_a_plugin_combines_are_no_samples() -> None:
    ndpir.load_plugin(PLUGIN / "ops.py")
    module = ndpir.parse(of("mobile.log_softmax %x axis = 1 : tensor<2x6xf32>"))
    with pytest.raises(Refused, match="it combines elements of different samples of the batch"):
        resized(module, [change(5, 1, is_batch=True)], {})
    assert "tensor<2x5xf32>" in str(resized(module, [change(5, 1)], {}))


ROWS = """func.func @main(%x: tensor<4x8xf32>, %w: tensor<3x8x5xf32>, %n: tensor<3xi32>) -> tensor<4x5xf32> {
  %y = graph.ragged_matmul %x, %w, %n : tensor<4x8xf32>, tensor<3x8x5xf32>, tensor<3xi32>
  func.return %y : tensor<4x5xf32>
}
"""


def test_operands_that_must_be_equal_change_together() -> None:
    """Only the summed axis of the first operand is requested; the shape rule shows that the second one has it, too."""
    made = str(resized(ndpir.parse(ROWS), [change(9, 0), change(16, 1)], {}))
    assert "tensor<9x16xf32>, tensor<3x16x5xf32>, tensor<3xi32>" in made
    with pytest.raises(Refused, match="it combines elements of different samples of the batch"):
        resized(ndpir.parse(ROWS), [change(9, 0, is_batch=True)], {})


def test_sizes_that_a_property_states_stay() -> None:
    """Nothing says which part of a longer axis a slice of a stated size would take."""
    text = """func.func @main(%x: tensor<2x6xf32>, %i: tensor<i32>) -> tensor<2x3xf32> {
  %y = graph.dynamic_slice %x, %i, %i sizes = [2, 3] : tensor<2x6xf32>, tensor<i32>, tensor<i32>
  func.return %y : tensor<2x3xf32>
}
"""
    with pytest.raises(Refused, match="it has no rule for other extents, but an axis of 6 elements would have 8"):
        resized(ndpir.parse(text), [change(8, 1)], {})
