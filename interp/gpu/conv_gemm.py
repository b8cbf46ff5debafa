"""Convolution as an implicit product of matrices: no matrix is written, blocks gather its elements from the input."""

from __future__ import annotations

import numpy as np

from interp.gpu.chip import Chip, Floats
from interp.gpu.conv_kernels import (
    BACKWARD_DATA,
    BACKWARD_WEIGHT,
    FORWARD,
    Sizes,
    Tiling,
    Ways,
    cold,
    fetched,
    meet,
    tiled,
)
from interp.gpu.kernel_class import Constants

_TILES = ((128, 128), (128, 64), (128, 32))
_SMALL_TILES = ((64, 64), (64, 32), (32, 32))
_SPLITS = (1, 2, 4, 8, 16, 32, 64)
_CHANNEL_BYTES = 32
"""Matrix units take this much of a pixel's channels at a time: fewer channels are padded."""


def implicit_gemm(sizes: Sizes, chip: Chip, constants: Constants) -> Ways:
    """All tiles; where filters' gradients are summed over the many pixels, all splits of the sum too."""
    m, n, depth, products = _matrices(sizes, chip)
    long = sizes.direction == BACKWARD_WEIGHT
    splits, tiles = (_SPLITS, _TILES + _SMALL_TILES) if long else ((1,), _TILES)
    ways = [(tile, split) for tile in tiles for split in splits]
    tile_m, tile_n, split = (np.array(part, float) for part in zip(*((*t, s) for t, s in ways), strict=True))
    tiling = Tiling(
        tile_m, tile_n, split, constants["issue"], constants["tile_overhead"], constants["prologue"], constants["lag"]
    )
    compute, blocks, rounds = tiled(tiling, products, m, n, depth, chip)
    partial = np.where(split > 1, 8 * products * m * n * split, 0)
    operands = sizes.input_bytes + sizes.output_bytes + sizes.filter_bytes
    moved = cold(operands, sizes.warm, chip) + partial
    dram = moved / (constants["dram"] * chip.bandwidth)
    read = fetched(tiling, products, m, n, depth, sizes.width)
    l2 = read / (constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz)
    total = meet(constants, compute, dram, l2) + _conversion(sizes, chip, constants)
    if long:
        total = total + (split - 1) * constants["split_step"] * 1e-9
    strided = (sizes.down * sizes.across > 1) & (sizes.direction == BACKWARD_DATA)
    total = total * np.where(strided, constants["strided"], 1) if sizes.direction == BACKWARD_DATA else total
    executed = 2 * products * m * n * depth
    names = tuple(f"implicit GEMM {t[0]}x{t[1]}" + (f", split-K {s}" if s > 1 else "") for t, s in ways)
    return Ways(names, total, compute, dram, l2, executed, moved, read, blocks, rounds)


def _matrices(sizes: Sizes, chip: Chip) -> tuple[Floats, Floats, Floats, Floats]:
    """Rows, columns and length of the sums of the product, and how many products."""
    quantum = np.where(chip.has_matrix > 0, _CHANNEL_BYTES / sizes.width, 1)
    c, k = np.ceil(sizes.c / quantum) * quantum, np.ceil(sizes.k / quantum) * quantum
    if sizes.direction == FORWARD:
        return sizes.batch * sizes.p * sizes.q, sizes.k, c * sizes.r * sizes.s, sizes.groups
    if sizes.direction == BACKWARD_DATA:
        # Inputs that differ in their place within a stride meet different taps: one product for each such phase.
        phases = np.minimum(sizes.r, sizes.down) * np.minimum(sizes.s, sizes.across)
        rows = sizes.batch * np.ceil(sizes.h / sizes.down) * np.ceil(sizes.w / sizes.across)
        return rows, sizes.c, k * sizes.r * sizes.s / phases, sizes.groups * phases
    return c * sizes.r * sizes.s, sizes.k, sizes.batch * sizes.p * sizes.q, sizes.groups


def _conversion(sizes: Sizes, chip: Chip, constants: Constants) -> Floats:
    """Seconds to turn planes of channels into the pixels that matrix units want, and back."""
    moved = 2 * (sizes.input_bytes + sizes.output_bytes) * sizes.planar * chip.has_matrix
    return constants["conversion"] * moved / chip.bandwidth
