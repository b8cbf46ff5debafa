"""Convolutions of many narrow groups, depthwise ones above all: kernels that stream, with too few sums for matrices."""

from __future__ import annotations

import numpy as np

from interp.gpu.chip import Chip
from interp.gpu.conv_kernels import Sizes, Ways, cold, meet
from interp.gpu.kernel_class import Constants

_BLOCK = 256
"""Outputs of a block."""


def direct(sizes: Sizes, chip: Chip, constants: Constants) -> Ways:
    """Each thread sums an output of its own group, outside matrix units; for gradients of filters, a part of one."""
    operands = sizes.input_bytes + sizes.output_bytes + sizes.filter_bytes
    moved = cold(operands, sizes.warm, chip)
    compute = sizes.flops / (constants["direct_issue"] * chip.rate)
    dram = moved / (constants["direct_dram"] * chip.bandwidth)
    l2 = operands / (constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz)
    total = meet(constants, compute, dram, l2) + np.where(sizes.groups > 1, 0.0, np.inf)
    blocks = np.ceil(sizes.output_bytes / sizes.width / _BLOCK)
    rounds = np.ceil(blocks / chip.sms)
    return Ways(("direct",), total, compute, dram, l2, sizes.flops, moved, operands, blocks, rounds)
