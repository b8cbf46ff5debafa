"""Components of a matrix product's time: waves, splits, L2, scaling, alignment, the power limit."""

from __future__ import annotations

import numpy as np
import pytest

from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.gemm.model import GEMM
from interp.kinds.gpu.kernel_class import Estimate
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device

ONLY_128 = dict.fromkeys(("tile_256x128", "tile_128x64", "tile_64x64", "tile_128x32"), 0.02) | {
    "tile_64x32": 0.02,
    "tile_32x32": 0.02,
    "tile_128x128": 1.0,
    "split_clocks": 1e5,
    "tail": 1.0,
    "exposed": 0.0001,
    "block_clocks": 1.0,
}
"""Constants of a library that has only the tile 128 x 128 and gains nothing from splits, so that a test can count
waves."""


def estimate(
    element: str = "bf16", constants: dict[str, float] | None = None, gpu: str = "a100_80_sxm", **sizes: float
) -> Estimate:
    sheet = load_device(gpu)
    assert isinstance(sheet, Gpu)
    width = {"f32": 4.0, "bf16": 2.0, "f8": 1.0}[element]
    columns = {name: np.array([float(size)]) for name, size in {"bytes": width, **sizes}.items()}
    return GEMM.estimate(columns, Chip.of(sheet, element), constants)


def test_one_more_block_than_multiprocessors_needs_a_second_wave() -> None:
    """An A100 has 108 multiprocessors, so that 109 blocks take two waves."""
    full = estimate(constants=ONLY_128, m=128, n=128 * 108, k=4096)
    over = estimate(constants=ONLY_128, m=128, n=128 * 109, k=4096)
    assert (full.facts["blocks"][0], full.facts["waves"][0], full.facts["tail"][0]) == (108, 1, 0)
    assert (over.facts["blocks"][0], over.facts["waves"][0]) == (109, 2)
    assert over.terms["math"][0] == pytest.approx(2 * full.terms["math"][0])


def test_a_deep_product_of_few_blocks_is_split() -> None:
    deep = estimate(m=64, n=64, k=65536)
    assert "split-K" in deep.ways[int(deep.facts["way"][0])]
    wide = estimate(m=8192, n=8192, k=256)
    assert "split-K" not in wide.ways[int(wide.facts["way"][0])]


def test_rotated_copies_of_weights_are_read_from_dram_although_l2_holds_one() -> None:
    """An A100's L2 of 40 MiB holds 16 MiB of weights between calls, but not six copies that are used in rotation."""
    one = estimate(m=16, n=2048, k=4096, warm=1)
    six = estimate(m=16, n=2048, k=4096, warm=1, copies=6)
    cold = estimate(m=16, n=2048, k=4096)
    assert one.dram_bytes[0] < 0.2 * six.dram_bytes[0]
    assert one.ns[0] < six.ns[0] <= cold.ns[0]


def test_results_that_fit_into_l2_are_written_faster_than_dram_bandwidth() -> None:
    """A result of 47 MB stays in an L40S's L2 of 96 MiB between calls (DRAM: 864 GB/s)."""
    again = estimate(gpu="l40s", m=3840, n=6144, k=32, warm=1, constants={"store": 0.6})
    cold = estimate(gpu="l40s", m=3840, n=6144, k=32, warm=0, constants={"store": 0.6})
    assert again.terms["dram"][0] < 47e6 / 864 < 0.8 * cold.terms["dram"][0]


def test_scaling_of_activations_takes_additional_time() -> None:
    without = estimate("f8", gpu="h100_sxm", m=4096, n=4096, k=4096)
    scaled = estimate("f8", gpu="h100_sxm", m=4096, n=4096, k=4096, quantise=1)
    assert scaled.ns[0] > without.ns[0] + 0.5 * scaled.terms["quantise"][0]
    assert scaled.terms["quantise"][0] > GEMM.defaults()["quantise"]


def test_rows_without_16_byte_alignment_use_slower_kernels() -> None:
    aligned, odd = (estimate("f32", m=4096, n=4096, k=k).ns[0] for k in (4096.0, 4097.0))
    assert odd > 1.05 * aligned
    assert (
        estimate(m=1001, n=4096, k=4096).ns[0] <= estimate(m=1008, n=4096, k=4096).ns[0]
    )  # m is not the length of a row


def test_the_power_limit_affects_only_long_kernels() -> None:
    limited, boosted = {"boost_ns": 1e6, "sustained": 0.5}, {"boost_ns": 1e6, "sustained": 1.0}
    short = [estimate(constants=constants, m=512, n=512, k=512).ns[0] for constants in (limited, boosted)]
    long = [estimate(constants=constants, m=16384, n=16384, k=16384).ns[0] for constants in (limited, boosted)]
    assert short[0] == short[1]
    assert long[0] == pytest.approx(2 * long[1], rel=0.1)


def test_missing_columns_have_defaults() -> None:
    given = estimate(m=300, n=200, k=100, batch=1, warm=0, copies=1, transposed_a=0, transposed_b=0, quantise=0)
    assert estimate(m=300, n=200, k=100).ns[0] == given.ns[0]


@pytest.mark.parametrize(("gpu", "element"), [("a100_80_sxm", "f32"), ("v100_pcie", "bf16"), ("h100_sxm", "bf16")])
def test_a_matrix_vector_product_streams_its_matrix(gpu: str, element: str) -> None:
    """Kernels for a product with one vector pad no tile, so that DRAM bandwidth bounds them, on GPUs with and without
    matrix units."""
    found = estimate(element, gpu=gpu, m=1, n=11008, k=4096)
    sheet = load_device(gpu)
    assert isinstance(sheet, Gpu)
    assert found.dram_bytes[0] / sheet.bandwidth * 1e9 / found.ns[0] > 0.6
