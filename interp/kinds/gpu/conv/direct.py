"""Convolutions with few channels, above all depthwise ones: memory-bound kernels whose sums are too short for matrix
products."""

from __future__ import annotations

import numpy as np

from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.conv.kernels import BACKWARD_DATA, BACKWARD_WEIGHT, ConvVariants, Sizes, cold, meet
from interp.kinds.gpu.kernel_class import Constants

_BLOCK = 256.0
"""The number of threads of a block; each thread computes one output."""


def direct(sizes: Sizes, chip: Chip, constants: Constants) -> ConvVariants:
    """Estimates of kernels in which each thread computes one output of its group, outside matrix units; for gradients
    of filters, each thread computes a partial sum of one filter element."""
    operands = sizes.input_bytes + sizes.output_bytes + sizes.filter_bytes
    moved = cold(operands, sizes.warm, chip)
    outputs, depth = sizes.output_bytes / sizes.width, sizes.c * sizes.r * sizes.s
    if sizes.direction == BACKWARD_DATA:
        outputs, depth = sizes.input_bytes / sizes.width, sizes.k * sizes.r * sizes.s / (sizes.down * sizes.across)
    blocks, resident = np.ceil(outputs / _BLOCK), chip.sms * chip.threads / _BLOCK
    waves = blocks / resident
    # Gradients of filters have few outputs, but long sums that are split; otherwise, an incomplete wave leaves lanes
    # idle.
    executed = sizes.flops if sizes.direction == BACKWARD_WEIGHT else 2 * np.ceil(waves) * resident * _BLOCK * depth
    compute = np.maximum(executed, sizes.flops) / (constants["direct_issue"] * chip.rate)
    dram = moved / (constants["direct_dram"] * chip.bandwidth)
    l2 = operands / (constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz)
    able = (sizes.groups > 1) | (chip.has_matrix == 0)  # if matrix units are requested, libraries use them
    total = meet(constants, compute, dram, l2) + np.where(able, 0.0, np.inf)
    return ConvVariants(("direct",), total, compute, dram, l2, sizes.flops, moved, operands, blocks, waves)
