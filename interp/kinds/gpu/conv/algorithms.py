"""Convolutions, forward and backward: the fastest of implicit GEMM, Winograd, FFT and direct kernels, as selected by a
library that benchmarks its algorithms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.conv.direct import direct
from interp.kinds.gpu.conv.fourier import tiled_fourier
from interp.kinds.gpu.conv.implicit_gemm import implicit_gemm
from interp.kinds.gpu.conv.kernels import BACKWARD_DATA, BACKWARD_WEIGHT, FORWARD, ConvVariants, Sizes, per_kernel
from interp.kinds.gpu.conv.winograd import fused, separate
from interp.kinds.gpu.kernel_class import (
    WARM,
    Column,
    Columns,
    Constant,
    Constants,
    Estimate,
    KernelClass,
    waves_of,
)
from interp.kinds.gpu.sustained import POWER_CONSTANTS, slowdown

_ALGORITHMS: dict[str, tuple[Callable[[Sizes, Chip, Constants], ConvVariants], ...]] = {
    FORWARD: (implicit_gemm, direct, fused, separate, tiled_fourier),
    BACKWARD_DATA: (implicit_gemm, direct, fused, separate, tiled_fourier),
    BACKWARD_WEIGHT: (implicit_gemm, direct, separate, tiled_fourier),
}


def _model(direction: str) -> Callable[[Columns, Chip, Constants], Estimate]:
    def model(columns: Columns, chip: Chip, constants: Constants) -> Estimate:
        sizes, across = Sizes.of(direction, columns), per_kernel(chip)
        tried = [_sustained(way(sizes, across, constants), across, constants) for way in _ALGORITHMS[direction]]
        return _least(tried, constants)

    return model


def _sustained(ways: ConvVariants, chip: Chip, constants: Constants) -> ConvVariants:
    """The ways of one algorithm at the clock that the board's power limit allows, which falls with the algorithm's
    operations and with the bytes that each of its ways moves at least."""
    least = np.min(ways.total, axis=1, keepdims=True)
    moved = np.min(ways.dram_bytes, axis=1, keepdims=True)
    seconds = np.where(np.isfinite(least), least, 1.0)
    slower = slowdown(seconds * 1e9, ways.flops, moved, chip, constants)
    return replace(ways, total=ways.total * slower)


def _least(tried: list[ConvVariants], constants: Constants) -> Estimate:
    """For each kernel, the estimate of its fastest algorithm among `tried`."""
    totals = [ways.total for ways in tried]
    total = np.concatenate(totals, axis=1)
    best = np.argmin(total, axis=1)[:, None]
    ends = np.cumsum([0, *(part.shape[1] for part in totals)])

    def won(name: str) -> Floats:
        result = np.zeros(len(total))
        for ways, first, end in zip(tried, ends, ends[1:], strict=False):
            values = np.broadcast_to(getattr(ways, name), (len(total), end - first))
            at = np.clip(best - first, 0, end - first - 1)
            chosen = (best[:, 0] >= first) & (best[:, 0] < end)
            result = np.where(chosen, np.take_along_axis(values, at, axis=1)[:, 0], result)
        return result

    return Estimate(
        ns=np.min(total, axis=1) * 1e9 + constants["start"],
        flops=won("flops"),
        dram_bytes=won("dram_bytes"),
        l2_bytes=won("l2_bytes"),
        terms={name: won(name) * 1e9 for name in ("compute", "dram", "l2")},
        facts={"blocks": won("blocks"), **waves_of(won("waves"))},
        ways=tuple(name for ways in tried for name in ways.names),
        way_ns=total * 1e9 + constants["start"],
    )


_COLUMNS = (
    Column("batch", "images"),
    Column("c", "input channels, of all groups"),
    Column("h", "input rows, without padding"),
    Column("w", "input columns, without padding"),
    Column("k", "output channels, of all groups"),
    Column("r", "filter rows"),
    Column("s", "filter columns"),
    Column("p", "output rows"),
    Column("q", "output columns"),
    Column("stride", "step of the filter, in rows", 1),
    Column("stride_w", "step of the filter, in columns; 0: that of the rows", 0),
    Column("dilation", "distance of a filter's neighbouring taps; above 1 neither Winograd nor FFT runs", 1),
    Column("groups", "groups; depthwise where c = k = groups", 1),
    Column(
        "searched",
        "1 where a library benchmarked its algorithms, 0 where it chose by a fixed rule",
        1,
        flag=True,
    ),
    Column("planar", "1 where memory holds planes of channels (NCHW), 0 where it holds pixels (NHWC)", 0, flag=True),
    WARM,
)
_GEMM = (
    Constant("issue", "", 0.9, 0.1, 1.0, "sustained share of the peak rate of large tiles"),
    Constant("tile_overhead", "elements", 4, 0.01, 200, "efficiency loss of small tiles: rate * AI / (AI + this)"),
    Constant("prologue", "steps of k", 25, 0.1, 5000, "fill and drain of a block's pipeline, and its epilogue"),
    Constant("lag", "rounds", 0.3, 0, 3, "excess length of the last round of blocks: few blocks hide no latency"),
    Constant("dram", "", 0.85, 0.1, 1.0, "sustained share of DRAM bandwidth"),
    Constant("l2_bytes_per_clock", "B/clock/SM", 40, 1, 500, "L2 to SM bandwidth"),
    Constant("overlap", "", 4, 1, 12, "how well arithmetic and traffic overlap: 1 not at all, large perfectly"),
    Constant(
        "conversion",
        "passes",
        0.5,
        0,
        10,
        "passes over the operands to convert planes of channels (NCHW) to pixels (NHWC)",
        True,
    ),
    Constant("channel_bytes", "B", 64, 1, 256, "granularity of channels in matrix units: the rest is padding", True),
    Constant("start", "ns", 1500, 0, 1e6, "fixed time: launch latency, first loads, last stores"),
)
_FUSED = (
    Constant("fused_issue", "", 0.85, 0.1, 1.0, "sustained share of the peak rate of a fused Winograd kernel"),
    Constant("fused_prologue", "channels", 25, 0.1, 5000, "its fill, drain and output transform"),
    Constant("fused_lag", "rounds", 0.25, 0, 3, "excess length of its last round of blocks"),
)
_SEPARATE = (
    Constant("product_issue", "", 0.85, 0.1, 1.0, "sustained share of the peak rate of a Winograd batch of products"),
    Constant("product_overhead", "elements", 3, 0.01, 200, "efficiency loss of its small tiles, likewise"),
    Constant("transform", "", 0.5, 0.02, 1.0, "share of DRAM bandwidth at which Winograd transforms stream"),
    Constant("filter_transform", "", 0.25, 0.02, 1.0, "share of DRAM bandwidth at which filters are transformed"),
    Constant(
        "separate_from",
        "images",
        16,
        1,
        1e6,
        "images from which a library's rule selects Winograd in four kernels",
        True,
    ),
    Constant("between", "ns", 3000, 100, 1e6, "time between consecutive kernels of an algorithm"),
)
_DIRECT = (
    Constant("direct_dram", "", 0.55, 0.05, 1.0, "share of DRAM bandwidth that direct kernels reach", True),
    Constant(
        "direct_issue",
        "",
        0.15,
        0.01,
        1.0,
        "share of the peak rate outside matrix units that direct kernels reach",
        True,
    ),
)
_SPLIT = (
    Constant("split_step", "ns", 200, 0.1, 1e5, "serial time of each additional split of a sum"),
    Constant(
        "gather", "", 0.35, 0.05, 1, "share of DRAM bandwidth at which f32 sums of splits are gathered and rounded"
    ),
)
_STRIDED = (
    Constant("scatter", "", 0.2, 0.02, 1, "share of DRAM bandwidth at which gradients are scattered under a stride"),
)
CONV_CLASSES = tuple(
    KernelClass(f"conv_{direction}", meaning, _COLUMNS, constants + POWER_CONSTANTS, _model(direction), spread=3.0)
    for direction, meaning, constants in (
        (FORWARD, "convolution", _GEMM + _DIRECT + _FUSED + _SEPARATE + _SPLIT),
        (
            BACKWARD_DATA,
            "gradient of a convolution with respect to its input (all sizes those of the forward)",
            _GEMM + _DIRECT + _FUSED + _SEPARATE + _STRIDED,
        ),
        (BACKWARD_WEIGHT, "gradient of a convolution with respect to its filter", _GEMM + _DIRECT + _SEPARATE + _SPLIT),
    )
)
