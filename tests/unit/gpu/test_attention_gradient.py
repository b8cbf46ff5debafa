"""Kernels of attention in training, and their times."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ndpir
from dialects import graph as g
from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.kernels import kernels_of
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device
from interp.walk.entry import entry_of
from tests.unit.gpu.test_attention import estimate

TRAINING = Path(__file__).parents[2] / "lit" / "lowering" / "fuse" / "attention_training.mlir"
MASKS = {"step": 5, "dropped": 6 * 6 + 2 * 4 * 6 * 6}
"""The bytes of the boolean masks in each program, by its name."""


def groups(name: str) -> list[g.FusedOp]:
    module = ndpir.compile(ndpir.parse(TRAINING.read_text("utf-8"), "training.mlir"), "fuse{attention=true}")
    return [op for op in entry_of(module, name).body.block.ops if isinstance(op, g.FusedOp)]


@pytest.mark.parametrize("name", MASKS)
def test_each_gradient_is_one_kernel_on_its_operands(name: str) -> None:
    forward, backward = (kernels_of(group) for group in groups(name))
    kind = {"step": "bidirectional", "dropped": "prefill"}[name]  # the second one is causal
    assert [kernel.kernel_class for kernel in (*forward, *backward)] == [kind, "attention_backward"]
    sizes = {"step": (4, 6, 5, 8, "bf16"), "dropped": (8, 6, 6, 8, "f16")}[name]
    for (kernel,), results in ((forward, 2), (backward, 1)):
        numbers = kernel.numbers
        found = (
            numbers["heads"] * numbers["batch"],
            numbers["queries"],
            numbers["keys"],
            numbers["head"],
            kernel.element,
        )
        assert found == sizes
        assert numbers["causal"] == (name == "dropped")
        rows = kernel.more_bytes - MASKS[name]
        assert 0 < rows <= 3 * 4 * sizes[0] * sizes[1] * results  # maxima and sums in f32, or one value for both


@pytest.mark.parametrize("gpu", ["a100_80_sxm", "h100_sxm", "b200_sxm"])
def test_products_of_a_long_gradient_run_at_a_fraction_of_the_forward_rate(gpu: str) -> None:
    """The products take 2.5 / 0.86 of the forward kernel's time, and the exponentials, which are computed once in
    both, the same time, as does the fixed time of blocks."""
    sheet = load_device(gpu)
    assert isinstance(sheet, Gpu)
    known = constants_for(sheet, "attention_backward", "bf16")
    assert known.transferred
    assert "prefill" in known.origin
    assert known.constants["issue"] == constants_for(sheet, "prefill", "bf16").constants["issue"]
    sizes = {"batch": 4, "queries": 8192, "keys": 8192, "heads": 32, "kv_heads": 32, "head": 128, "causal": 1}
    for shipped, least in (
        (known.constants, 2.5),
        ({**known.constants, "softmax": 0, "block": 0, "row": 0}, 0.999 * 2.5 / 0.86),
    ):
        forward, backward = (estimate(name, gpu, shipped, **sizes) for name in ("prefill", "attention_backward"))
        assert backward.flops[0] / forward.flops[0] == 2.5
        assert least <= backward.terms["blocks"][0] / forward.terms["blocks"][0] <= 1.001 * 2.5 / 0.86


def test_a_gradient_on_an_a100_is_no_faster_than_the_best_that_was_published() -> None:
    """The fastest published gradient of attention reaches 63 % of the peak of 312 TFLOP/s (Dao, 2023:
    FlashAttention-2).

    The modelled gradient is slower: it is derived from the measured forward kernels, which reach 48 %, where
    FlashAttention-2's forward kernel reaches 73 %.
    """
    sheet = load_device("a100_80_sxm")
    assert isinstance(sheet, Gpu)
    found = CLASSES["attention_backward"]
    sizes = {"batch": 1, "queries": 16384, "keys": 16384, "heads": 16, "kv_heads": 16, "head": 128, "bytes": 2}
    columns = {name: np.array([float(value)]) for name, value in {"causal": 0, "warm": 0, **sizes}.items()}
    ns = found.estimate(columns, Chip.of(sheet, "bf16"), constants_for(sheet, found.name, "bf16").constants).ns[0]
    rate = 10 * 16 * 16384**2 * 128 / ns / 1e3
    assert 0.35 <= rate / 312 <= 0.63
