"""Convolutions on GPUs: the fastest algorithm by sizes, and the facts of an estimate."""

from __future__ import annotations

import numpy as np
import pytest

from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.conv.algorithms import CONV_CLASSES
from interp.kinds.gpu.kernel_class import Estimate
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device

CLASSES = {found.name.removeprefix("conv_"): found for found in CONV_CLASSES}
WIDTHS = {"f32": 4.0, "f16": 2.0, "i8": 1.0}
LAYER = {"batch": 64, "c": 256, "h": 28, "w": 28, "k": 256, "r": 3, "s": 3, "p": 28, "q": 28, "stride": 1}


def timed(gpu: str, element: str, direction: str = "forward", /, **sizes: float) -> Estimate:
    """Return the estimate of a layer with 256 channels; `sizes` overrides its sizes."""
    sheet = load_device(gpu)
    assert isinstance(sheet, Gpu)
    numbers = {"groups": 1, "warm": 0, "bytes": WIDTHS[element], **LAYER, **sizes}
    columns = {name: np.array([float(number)]) for name, number in numbers.items()}
    return CLASSES[direction].estimate(columns, Chip.of(sheet, element))


def way(estimate: Estimate) -> str:
    assert estimate.way_ns is not None
    return estimate.ways[int(np.argmin(estimate.way_ns[0]))]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ({}, "Winograd F(4x4,3x3)"),
        ({"batch": 2, "c": 32, "k": 64}, "Winograd F(2x2,3x3)"),
        ({"r": 1, "s": 1}, "implicit GEMM"),
        ({"r": 5, "s": 5, "stride": 2, "p": 14, "q": 14}, "implicit GEMM"),
        ({"dilation": 2}, "implicit GEMM"),
        ({"batch": 16, "c": 192, "k": 32, "r": 5, "s": 5}, "FFT 32x32"),
        ({"groups": 256}, "direct"),
    ],
)
def test_each_algorithm_is_fastest_for_some_sizes(sizes: dict[str, float], expected: str) -> None:
    """Winograd's transforms pay off for many channels, not for few; 5x5 filters on few pixels use FFTs."""
    assert way(timed("v100_pcie", "f32", **sizes)).startswith(expected)


def test_matrix_units_multiply_implicit_matrices() -> None:
    assert way(timed("v100_pcie", "f16")).startswith("implicit GEMM")
    assert timed("v100_pcie", "f16").ns[0] < timed("v100_pcie", "f32").ns[0] / 2


def test_a_library_without_a_search_decides_by_the_number_of_images() -> None:
    """A library that does not measure algorithms chooses by rules. In DeepBench's times of a V100 it uses Winograd's
    fused kernel for eight images, although Winograd's algorithm in four kernels would be faster."""
    searched, ruled = (timed("v100_sxm2", "f32", batch=8, k=512, searched=s) for s in (1, 0))
    assert way(searched).startswith("Winograd F(4x4,3x3)")
    assert way(ruled) == "Winograd F(2x2,3x3)"
    assert ruled.ns[0] == pytest.approx(716e3, rel=0.15)
    assert way(timed("v100_sxm2", "f32", batch=16, k=512, searched=0)).startswith("Winograd F(4x4,3x3)")


def test_winograd_executes_fewer_operations() -> None:
    plain = 2 * 64 * 28 * 28 * 256 * 256 * 9
    assert timed("v100_pcie", "f32").flops[0] == pytest.approx(plain / 4)
    assert timed("v100_pcie", "f32", dilation=2).flops[0] == pytest.approx(plain)


def test_depthwise_kernels_stream() -> None:
    """Depthwise convolutions are bounded by DRAM: they reach a third to two thirds of its bandwidth, on GPUs with and
    without matrix units."""
    for element, width in (("f16", 2), ("f32", 4)):
        took = timed("rtx3090", element, c=256, k=256, groups=256, batch=256)
        moved = 2 * 256 * 256 * 28 * 28 * width
        assert took.dram_bytes[0] == pytest.approx(moved, rel=1e-3)
        assert 0.33 < moved / took.ns[0] / 936 < 0.67


def test_narrow_inputs_waste_matrix_units() -> None:
    """An image with three channels takes as long as one with 64 bytes of channels per pixel: a step of the product's
    sum has this length at least. In DeepBench's times, convolutions of three channels, and of one channel, reach the
    rate of others on a V100 and a T4 if 32 channels are counted."""
    first = {"h": 224, "w": 224, "r": 7, "s": 7, "stride": 2, "p": 112, "q": 112, "k": 64}
    padded, full = timed("v100_sxm2", "f16", **first, c=3), timed("v100_sxm2", "f16", **first, c=32)
    assert padded.flops[0] == full.flops[0]
    assert padded.ns[0] == pytest.approx(full.ns[0], rel=0.05)
    assert timed("v100_sxm2", "f32", **first, c=3).ns[0] < timed("v100_sxm2", "f32", **first, c=32).ns[0] / 4


def test_gradients_of_filters_split_their_long_sums() -> None:
    took = timed("v100_sxm2", "f32", "backward_weight", r=1, s=1, c=64, k=64, h=112, w=112, p=112, q=112, batch=16)
    assert "split-K" in way(took)


def test_matrix_units_store_sums_that_are_not_split() -> None:
    """Few images with many channels need no split: matrix units store the gradient directly. Other kernels always add
    to sums in f32, which they fill with zeros first."""
    sizes = {"r": 1, "s": 1, "c": 2048, "k": 2048, "h": 7, "w": 7, "p": 7, "q": 7, "batch": 8}
    half, full = (timed("v100_sxm2", element, "backward_weight", **sizes) for element in ("f16", "f32"))
    operands = (2 * 8 * 2048 * 49 + 2048 * 2048) * 2
    assert half.dram_bytes[0] == pytest.approx(operands)
    assert full.dram_bytes[0] == pytest.approx(2 * operands + 2048 * 2048 * 8)


def test_a_rule_selects_winograd_for_gradients_of_wide_filters() -> None:
    """Libraries that do not measure algorithms multiply implicit matrices if there are 64 channels: in DeepBench's
    times of three GPUs, these gradients reach the rate of matrix products, and those of 128 channels up to twice this
    rate."""
    ways = [way(timed("p100", "f32", "backward_weight", c=c, searched=0)) for c in (64, 128)]
    assert ways[0].startswith("implicit GEMM")
    assert ways[1] == "Winograd F(4x4,3x3)"
    assert way(timed("p100", "f32", "backward_weight", c=64)) == "Winograd F(4x4,3x3)"


def test_a_rule_selects_no_fft_for_small_filters() -> None:
    few = {"batch": 16, "c": 192, "k": 32, "searched": 0}
    assert way(timed("v100_sxm2", "f32", **few, r=5, s=5)) == "FFT 32x32"
    assert "FFT" not in way(timed("v100_sxm2", "f32", "backward_weight", **few))


def test_gradients_of_inputs_use_only_the_taps_of_their_phase() -> None:
    """With a stride of two, each pixel of the input's gradient is a sum over a quarter of the filter's taps, so that
    the number of multiplications is that of the forward pass."""
    sizes = {"r": 4, "s": 4, "stride": 2, "p": 14, "q": 14}
    forward, backward = timed("v100_pcie", "f32", **sizes), timed("v100_pcie", "f32", "backward_data", **sizes)
    assert backward.flops[0] == pytest.approx(forward.flops[0])


def test_matrix_units_execute_the_taps_of_the_largest_phase() -> None:
    """With 5x5 filters and a stride of two, the four phases have 9, 6, 6 and 4 taps; matrix units execute 9 in each."""
    sizes = {"stride": 2, "p": 14, "q": 14}
    for element, taps in (("f16", 36), ("f32", 25)):
        five = timed("v100_sxm2", element, "backward_data", **sizes, r=5, s=5).flops[0]
        six = timed("v100_sxm2", element, "backward_data", **sizes, r=6, s=6).flops[0]
        assert five / six == pytest.approx(taps / 36)


def test_gradients_under_a_stride_are_scattered() -> None:
    """In DeepBench's times of a V100, the forward pass of this layer takes 102 us, and the gradient with respect to its
    input 198 us: three quarters of the gradient's elements are zeros, and the others lie apart in memory."""
    layer = {"batch": 16, "c": 512, "r": 1, "s": 1, "stride": 2, "p": 14, "q": 14, "searched": 0, "warm": 1}
    forward, backward = (timed("v100_sxm2", "f32", way, **layer).ns[0] for way in ("forward", "backward_data"))
    assert forward == pytest.approx(102e3, rel=0.15)
    assert 1.4 < backward / forward < 2


def test_power_limits_the_clock() -> None:
    """A T4 may draw 70 W, which its cores exceed at the boost clock; a V100's limit is 300 W."""
    for gpu, low, high in (("t4", 0.4, 0.6), ("v100_sxm2", 0.75, 0.85)):
        sheet = load_device(gpu)
        assert isinstance(sheet, Gpu)
        took = timed(gpu, "f32", r=1, s=1, c=1024, k=1024)
        assert low < took.flops[0] / took.ns[0] * 1e9 / sheet.rates["f32"] < high


def test_an_estimate_states_the_components_of_its_time() -> None:
    took = timed("v100_pcie", "f32", r=1, s=1)
    assert took.facts["blocks"][0] == np.ceil(64 * 28 * 28 / 128) * 2
    assert took.facts["waves"][0] == np.ceil(took.facts["blocks"][0] / 80)
    assert took.terms["compute"][0] > took.terms["dram"][0] > 0
    assert took.l2_bytes[0] > took.dram_bytes[0]


def test_a_sum_over_channels_is_split_if_pixels_are_few() -> None:
    """One image of 7x7 pixels fills only 49 rows of one tile, so that a library that searches algorithms splits the sum
    over channels among several blocks."""
    few = {"batch": 1, "c": 512, "k": 512, "h": 14, "w": 14, "p": 7, "q": 7, "stride": 2}
    assert "split-K" in way(timed("a100_40_sxm", "f16", **few))
    assert "split-K" not in way(timed("a100_40_sxm", "f16", **few, searched=0))
    assert "split-K" not in way(timed("a100_40_sxm", "f16"))
