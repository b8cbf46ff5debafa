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
    """An image with three channels takes as long as one with 32 bytes of channels per pixel: the library pads the
    channels to this size."""
    first = {"h": 224, "w": 224, "r": 7, "s": 7, "stride": 2, "p": 112, "q": 112, "k": 64}
    padded, full = timed("rtx3090", "f16", **first, c=3), timed("rtx3090", "f16", **first, c=16)
    assert padded.flops[0] == full.flops[0]
    assert padded.ns[0] == pytest.approx(full.ns[0], rel=0.05)
    assert timed("rtx3090", "f32", **first, c=3).ns[0] < timed("rtx3090", "f32", **first, c=16).ns[0] / 2


def test_gradients_of_filters_split_their_long_sums() -> None:
    took = timed("v100_sxm2", "f32", "backward_weight", r=1, s=1, c=64, k=64, h=112, w=112, p=112, q=112, batch=16)
    assert "split-K" in way(took)


def test_gradients_of_inputs_use_only_the_taps_of_their_phase() -> None:
    """With a stride of two, each pixel of the input's gradient is a sum over a quarter of the filter's taps, so that
    the number of multiplications is that of the forward pass."""
    sizes = {"r": 4, "s": 4, "stride": 2, "p": 14, "q": 14}
    forward, backward = timed("v100_pcie", "f32", **sizes), timed("v100_pcie", "f32", "backward_data", **sizes)
    assert backward.flops[0] == pytest.approx(forward.flops[0])


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
