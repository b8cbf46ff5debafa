"""The kernels of a convolution's gradients have the forward one's sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

import ndpir
from dialects import graph as g
from interp.cost.gpu.kernels import kernels_of

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
