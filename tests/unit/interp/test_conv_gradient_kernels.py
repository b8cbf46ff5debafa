"""Tests of gradient kernels of convolutions, whose sizes must be those of the forward convolution."""

from __future__ import annotations

from pathlib import Path

import pytest

import ndpir
from dialects import graph as g
from interp.kinds.gpu.kernels import kernels_of

FILE = Path(__file__).parents[2] / "lit" / "lowering" / "fuse" / "convolutions.mlir"
FORWARD = {"batch": 4, "c": 8, "h": 16, "w": 16, "k": 8, "r": 3, "s": 3, "p": 8, "q": 8, "stride": 2, "stride_w": 2}


@pytest.mark.parametrize("kind", ["conv_backward_weight", "conv_backward_data"])
def test_sizes_are_those_of_the_forward_convolution(kind: str) -> None:
    module = ndpir.compile(ndpir.parse(FILE.read_text("utf-8"), FILE.name), "fuse")
    groups = [op for op in module.walk() if isinstance(op, g.FusedOp) and op.kind and op.kind.data == kind]
    assert len(groups) == {"conv_backward_weight": 1, "conv_backward_data": 2}[kind]
    for group in groups:
        (kernel,) = kernels_of(group)
        assert kernel.kernel_class == kind
        assert {name: kernel.numbers[name] for name in FORWARD} == FORWARD
        assert kernel.numbers["dilation"] == kernel.numbers["groups"] == 1
        assert kernel.work.macs == 4 * 8 * 8 * 8 * 8 * 3 * 3


def test_zeros_that_a_view_inserts_do_not_change_the_sizes() -> None:
    """With channels first, the gradient of the result is not transposed, and a view inserts zeros between its elements;
    the kernel's sizes must not count these zeros."""
    module = ndpir.parse("""func.func @main(%w: tensor<8x2x3x3xf32>, %dy: tensor<2x8x4x7xf32>) -> tensor<2x8x7x7xf32> {
      %0 = stablehlo.reverse %w, dims = [2, 3] : tensor<8x2x3x3xf32>
      %1 = stablehlo.convolution(%dy, %0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
        window = {pad = [[1, 1], [1, 1]], lhs_dilate = [2, 1]}
        {batch_group_count = 1 : i64, feature_group_count = 4 : i64}
        : (tensor<2x8x4x7xf32>, tensor<8x2x3x3xf32>) -> tensor<2x8x7x7xf32>
      return %1 : tensor<2x8x7x7xf32>
    }""")
    group = next(op for op in ndpir.compile(module, "inline,canonicalize,fuse").walk() if isinstance(op, g.FusedOp))
    (kernel,) = kernels_of(group)
    found = {name: kernel.numbers[name] for name in ("h", "w", "p", "q", "stride", "stride_w", "groups")}
    assert found == {"h": 7, "w": 7, "p": 4, "q": 7, "stride": 2, "stride_w": 1, "groups": 4}
