"""Depthwise convolution as a class of kernels of its own: no products of matrices, a stream with some arithmetic."""

from __future__ import annotations

import numpy as np

from interp.gpu.chip import Chip
from interp.gpu.classes import CLASSES
from interp.gpu.kernel_class import Columns, Constant, Constants, Estimate, KernelClass, soft_max


def _model(columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    taps, pixels = columns["r"] * columns["s"], columns["p"] * columns["q"]
    read = columns["batch"] * columns["c"] * np.minimum(columns["h"] * columns["w"], pixels * taps)
    written = columns["batch"] * columns["k"] * pixels
    flops = 2 * written * taps
    moved = (read + written) * columns["bytes"]
    largest = np.maximum(columns["batch"] * columns["c"] * columns["h"] * columns["w"], written)
    passes = np.where((columns["planar"] == 0) & (largest >= 2**31), constants["wide_index"], 1)
    dram = moved * passes / (constants["dram"] * chip.bandwidth) * 1e9
    compute = flops / (constants["issue"] * chip.rate) * 1e9
    return Estimate(
        ns=soft_max(constants["overlap"], dram, compute) + constants["start"],
        flops=flops,
        dram_bytes=moved,
        l2_bytes=moved,
        terms={"dram": dram, "compute": compute},
    )


DEPTHWISE = KernelClass(
    "depthwise",
    "convolution of each channel by itself",
    CLASSES["conv_forward"].columns,
    (
        Constant("dram", "", 0.6, 0.05, 1.0, "sustained share of DRAM bandwidth"),
        Constant("issue", "", 0.4, 0.02, 1.0, "sustained share of the peak rate outside matrix units"),
        Constant("overlap", "", 3, 1, 12, "how well arithmetic and traffic overlap"),
        Constant("wide_index", "", 2, 1, 10, "how much longer NHWC images of 2^31 elements take: another kernel"),
        Constant("start", "ns", 1500, 0, 1e6, "fixed time: launch latency, first loads, last stores"),
    ),
    _model,
)
