"""Work and kernels of products of experts: what a step reads, and the columns of its kernels."""

from __future__ import annotations

import numpy as np
import pytest

import ndpir
from dialects import graph as g
from interp.kinds.gpu.chip import Floats
from interp.kinds.gpu.experts import EXPERTS, HEIGHTS
from interp.kinds.gpu.kernels import kernels_of
from tests.gpu_draws import chip_of


def product(tokens: int, more: str = "", choices: int = 2) -> g.GroupedMatmulOp:
    text = (
        f"func.func @f(%x: tensor<{tokens}x1x64xf16>, %w: tensor<16x64x32xf16>, %i: tensor<{tokens}x{choices}xi32>) "
        f"-> tensor<{tokens}x{choices}x32xf16> {{\n  %y = graph.grouped_matmul %x, %w, %i {more} : "
        f"tensor<{tokens}x1x64xf16>, tensor<16x64x32xf16>, tensor<{tokens}x{choices}xi32>\n"
        f"  func.return %y : tensor<{tokens}x{choices}x32xf16>\n}}"
    )
    return next(op for op in ndpir.parse(text).walk() if isinstance(op, g.GroupedMatmulOp))


MATRIX = 64 * 32 * 2
"""Bytes of an expert's matrix."""


def test_one_token_reads_the_matrices_that_it_chooses() -> None:
    work = product(1).work()
    assert (work.macs, work.read, work.written) == (2 * 64 * 32, 64 * 2 + 2 * 4 + 2 * MATRIX, 2 * 32 * 2)


def test_many_tokens_read_each_matrix_once() -> None:
    work = product(1000).work()
    assert work.read == pytest.approx(1000 * (64 * 2 + 2 * 4) + 16 * MATRIX)
    assert work.macs == 2000 * 64 * 32


def test_experts_on_other_devices_take_their_share_of_rows() -> None:
    op = product(4, "experts = 64", choices=4)
    assert op.rows_here == 4  # of 16 choices
    assert op.touched == pytest.approx(16 * (1 - (1 - 4 / 64) ** 4))
    assert op.work().macs == 4 * 64 * 32


def test_skewed_routing_touches_fewer_experts() -> None:
    touched = [product(8, f"skew = {skew}").touched for skew in (0.0, 0.5, 1.0, 1.2)]
    assert touched == sorted(touched, reverse=True)
    assert touched[-1] < touched[0] - 0.5


def test_small_matrices_are_read_as_stored() -> None:
    text = """!x = tensor<1x1x64xbf16>
!w = tensor<16x32x64xi4>
!s = tensor<16x32x2xbf16>
func.func @f(%x: !x, %w: !w, %s: !s, %i: tensor<1x2xi32>) -> tensor<1x2x32xbf16> {
  %v = graph.dequantize %w, %s axis = 2, block = 32 : !w, !s
  %y = graph.grouped_matmul %x, %v, %i transpose_b : !x, tensor<16x32x64xbf16>, tensor<1x2xi32>
  func.return %y : tensor<1x2x32xbf16>
}"""
    module = ndpir.compile(ndpir.parse(text), passes="fuse")
    (group,) = (op for op in module.walk() if isinstance(op, g.FusedOp))
    small = 2 * (32 * 64 // 2 + 32 * 2 * 2)
    assert group.work().read == 64 * 2 + 2 * 4 + small
    (kernel,) = kernels_of(group)
    assert (kernel.kernel_class, kernel.element) == ("experts", "bf16")
    assert kernel.numbers["w_bytes"] == 0.5 + 2 / 32
    assert (kernel.numbers["down"], kernel.numbers["gated"], kernel.numbers["touched"]) == (0, 0, 2)


def layers(**sizes: float) -> dict[str, Floats]:
    numbers = {"tokens": 64.0, "choices": 8, "experts": 128, "hidden": 4096, "inter": 1536, "bytes": 2.0} | sizes
    share = numbers["choices"] / numbers["experts"]
    touched = numbers["experts"] * (1 - (1 - share) ** numbers["tokens"])
    numbers = {"rows": numbers["tokens"] * numbers["choices"], "touched": touched} | numbers
    return {name: np.array([float(value)]) for name, value in numbers.items()}


def test_a_token_takes_the_time_of_the_matrices_that_it_chooses() -> None:
    chip = chip_of("h100_sxm", "bf16")
    one, all_experts = (EXPERTS.estimate(layers(tokens=tokens), chip) for tokens in (1, 4096))
    read = 8 * 3 * 4096 * 1536 * 2
    assert one.dram_bytes[0] == pytest.approx(read, rel=0.01)
    assert one.ns[0] < 3 * read / chip.bandwidth * 1e9
    assert all_experts.ns[0] > 5 * one.ns[0]


def test_warm_matrices_that_fit_are_in_l2() -> None:
    chip = chip_of("h100_sxm", "bf16")
    small = {"hidden": 512, "inter": 256, "tokens": 1}
    cold, warm = (EXPERTS.estimate(layers(**small, warm=warm), chip) for warm in (0, 1))
    assert warm.dram_bytes[0] < 0.1 * cold.dram_bytes[0]


def test_the_least_time_of_all_heights_is_taken() -> None:
    found = EXPERTS.estimate(layers(), chip_of("h100_sxm", "bf16"))
    assert found.way_ns is not None
    assert found.way_ns.shape == (1, len(HEIGHTS))
    assert found.ns[0] == found.way_ns.min()
