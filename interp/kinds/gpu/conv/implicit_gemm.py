"""Convolution as an implicit matrix product: the matrix is never written; blocks gather its elements from the input."""

from __future__ import annotations

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.conv.kernels import (
    BACKWARD_DATA,
    BACKWARD_WEIGHT,
    FORWARD,
    ConvVariants,
    Sizes,
    Tiling,
    cold,
    meet,
    tiled,
)
from interp.kinds.gpu.kernel_class import Constants

_PLAIN_TILES = {
    FORWARD: ((128, 128), (128, 64), (128, 32)),
    BACKWARD_DATA: ((128, 128), (128, 64), (128, 32), (128, 8)),
    BACKWARD_WEIGHT: ((128, 128), (64, 128), (128, 32)),
}
_MATRIX_TILES = {
    FORWARD: ((256, 128), (256, 64), (128, 128), (128, 64), (64, 64)),
    BACKWARD_DATA: ((256, 64), (128, 128), (128, 64), (128, 32)),
    BACKWARD_WEIGHT: ((256, 128), (128, 128)),
}
_SPLIT = {FORWARD: (1, 2, 4, 8, 16), BACKWARD_WEIGHT: (1, 2, 4, 8, 16, 32, 64)}
"""The numbers of parts into which a library splits a sum. In a forward convolution, the sum over channels and filter
taps is split if there are few pixels (on matrix units only if the library benchmarks its algorithms); for gradients
of filters, the sum over the many pixels is split."""


def implicit_gemm(sizes: Sizes, chip: Chip, constants: Constants) -> ConvVariants:
    """Estimates for all combinations of a tile of the result and a split of the sum."""
    m, n, depth, products = _matrices(sizes, chip, constants)
    long = sizes.direction in _SPLIT
    ways, able = _ways(sizes.direction, chip)
    tile_m, tile_n, split = (np.array(part, float) for part in zip(*((*t, s) for t, s in ways), strict=True))
    tiling = Tiling(
        tile_m, tile_n, split, constants["issue"], constants["tile_overhead"], constants["prologue"], constants["lag"]
    )
    compute, blocks, waves = tiled(tiling, products, m, n, depth, chip)
    operands = sizes.input_bytes + sizes.output_bytes + sizes.filter_bytes
    gradient = sizes.direction == BACKWARD_WEIGHT
    # Partial sums in f32 are written and read once more for every split; outside matrix units, gradients of filters are
    # added to f32 sums, which are filled with zeros first, even if they are not split.
    added = (split > 1) | (gradient & (chip.has_matrix == 0))
    partial = np.where(long & added, 8 * products * m * n * split, 0)
    if not gradient:
        able = able + np.where((split > 1) & ((sizes.searched == 0) | (chip.has_matrix == 0)), np.inf, 0)
    moved = cold(operands, sizes.warm, chip) + partial
    dram = cold(operands, sizes.warm, chip) / (constants["dram"] * chip.bandwidth)
    read = (
        products
        * sizes.width
        * depth
        * (m * np.ceil(n / tiling.n) * _l2_share(sizes, chip) + n * np.ceil(m / tiling.m))
    )
    l2 = read / (constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz)
    total = meet(constants, compute, dram, l2) + _conversion(sizes, chip, constants) + able
    if long:
        gathered = partial / (constants["gather"] * chip.bandwidth)
        total = total + (split - 1) * constants["split_step"] * 1e-9 + gathered
    if sizes.direction == BACKWARD_DATA:
        total = total + _scatter(sizes, chip, constants)
    executed = 2 * products * m * n * depth
    names = tuple("implicit GEMM" + (f", split-K {s}" if s > 1 else "") for _, s in ways)
    return ConvVariants(names, total, compute, dram, l2, executed, moved, read, blocks, waves)


def _ways(direction: str, chip: Chip) -> tuple[list[tuple[tuple[int, int], int]], Floats]:
    """Pairs of a tile and a number of splits, and for each chip and pair 0 if the chip's library has it, else inf.
    Chips with matrix units have other tiles than those without."""
    tiles = tuple(dict.fromkeys(_PLAIN_TILES[direction] + _MATRIX_TILES[direction]))
    if not chip.has_matrix.any():
        tiles = _PLAIN_TILES[direction]
    elif chip.has_matrix.all():
        tiles = _MATRIX_TILES[direction]
    ways = [(tile, split) for tile in tiles for split in _SPLIT.get(direction, (1,))]
    plain = np.array([tile in _PLAIN_TILES[direction] for tile, _ in ways])
    matrix = np.array([tile in _MATRIX_TILES[direction] for tile, _ in ways])
    return ways, np.where(np.where(chip.has_matrix > 0, matrix, plain), 0.0, np.inf)


def _matrices(sizes: Sizes, chip: Chip, constants: Constants) -> tuple[Floats, Floats, Floats, Floats]:
    """The matrix product that is equivalent to the convolution: rows, columns, length of the sums, and number of
    products."""
    quantum = np.where(chip.has_matrix > 0, constants["channel_bytes"] / sizes.width, 1)
    c, k = np.ceil(sizes.c / quantum) * quantum, np.ceil(sizes.k / quantum) * quantum
    if sizes.direction == FORWARD:
        return sizes.batch * sizes.p * sizes.q, sizes.k, c * sizes.r * sizes.s, sizes.groups
    if sizes.direction == BACKWARD_DATA:
        # With a stride, inputs at different offsets within a stride meet different taps: one product for each such
        # offset.
        phases = _phases(sizes)
        rows = sizes.batch * np.ceil(sizes.h / sizes.down) * np.ceil(sizes.w / sizes.across)
        return rows, sizes.c, k * _taps(sizes, chip), sizes.groups * phases
    return c * sizes.r * sizes.s, sizes.k, sizes.batch * sizes.p * sizes.q, sizes.groups


def _phases(sizes: Sizes) -> Floats:
    """The number of offsets within a stride at which inputs meet different taps."""
    return np.minimum(sizes.r, sizes.down) * np.minimum(sizes.s, sizes.across)


def _taps(sizes: Sizes, chip: Chip) -> Floats:
    """The number of taps that an input meets at each offset within a stride. Matrix units execute the largest number
    for all offsets (nine for 5x5 filters with stride 2); other kernels only the existing taps."""
    whole = np.ceil(sizes.r / sizes.down) * np.ceil(sizes.s / sizes.across)
    return np.where(chip.has_matrix > 0, whole, sizes.r * sizes.s / _phases(sizes))


def _l2_share(sizes: Sizes, chip: Chip) -> Floats:
    """The share of gathered elements that blocks read from L2; the remaining elements hit in L1, because neighbouring
    outputs read the same elements under one row of a filter."""
    if sizes.direction == BACKWARD_DATA:
        return 1 / _taps(sizes, chip)
    return np.minimum(sizes.r * sizes.s, sizes.across * sizes.down) / sizes.r / sizes.s


def _conversion(sizes: Sizes, chip: Chip, constants: Constants) -> Floats:
    """Seconds to convert planes of channels (NCHW) into the pixels (NHWC) that matrix units need, and back."""
    moved = 2 * (sizes.input_bytes + sizes.output_bytes) * sizes.planar * chip.has_matrix
    return constants["conversion"] * moved / chip.bandwidth


def _scatter(sizes: Sizes, chip: Chip, constants: Constants) -> Floats:
    """Seconds to fill the gradient of an input with zeros, and to add results to its elements at the distance of the
    stride, each in a memory transaction of its own."""
    moved = 2 * sizes.input_bytes * (sizes.down * sizes.across > 1)
    return moved / (constants["scatter"] * chip.bandwidth)
