"""Winograd's convolutions of 3x3 filters with stride 1: F(2x2, 3x3) takes 16 products for each tile of four outputs, in
one kernel; F(4x4, 3x3) takes 36 products for each tile of sixteen outputs, in four kernels (Lavin and Gray, Fast
Algorithms for Convolutional Neural Networks, 2015)."""

from __future__ import annotations

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.conv.kernels import (
    BACKWARD_DATA,
    BACKWARD_WEIGHT,
    ConvVariants,
    Sizes,
    Tiling,
    cold,
    fetched,
    meet,
    tiled,
)
from interp.kinds.gpu.kernel_class import Constants

_CHANNELS, _DOWN, _ACROSS = 32, 4, 8
"""The work of a block of the fused kernel: the number of output channels, and the rows and columns of its patch of one
image, counted in 2x2 tiles."""
_TILES = ((128, 128), (128, 64), (64, 64), (128, 32), (32, 128))
_WIDE = 128.0
"""The number of input and output channels from which a library's rule selects F(4x4, 3x3) for gradients of filters."""
_LARGE_SINCE = 2020
"""A release year: for architectures of this year or later, libraries have only 128x128 tiles for the products; for
earlier architectures, only smaller tiles."""


def _able(sizes: Sizes, chip: Chip) -> Floats:
    fits = (sizes.r == 3) & (sizes.s == 3) & (sizes.down * sizes.across * sizes.groups * sizes.dense == 1)
    return np.where(fits & (chip.has_matrix == 0), 0.0, np.inf)


def _ruled(sizes: Sizes, constants: Constants) -> Floats:
    """1 where a library that chooses by a fixed rule uses F(4x4, 3x3) in separate kernels: from a fixed number of
    images on, and for gradients of filters, from a fixed number of channels on; 0 elsewhere."""
    if sizes.direction == BACKWARD_WEIGHT:
        return np.where(np.minimum(sizes.c, sizes.k) >= _WIDE, 1.0, 0.0)
    return np.where(sizes.batch >= constants["separate_from"], 1.0, 0.0)


def _outputs(sizes: Sizes) -> tuple[Floats, Floats, Floats, Floats]:
    """Output rows, output columns, input channels and output channels of the executed convolution, which for the
    gradient of the input swaps inputs and outputs."""
    if sizes.direction == BACKWARD_DATA:
        return sizes.h, sizes.w, sizes.k, sizes.c
    return sizes.p, sizes.q, sizes.c, sizes.k


def fused(sizes: Sizes, chip: Chip, constants: Constants) -> ConvVariants:
    """F(2x2, 3x3) in one kernel: each block does the transform, the products and the inverse transform."""
    rows, across, read, made = _outputs(sizes)
    patches = sizes.batch * np.ceil(rows / (2 * _DOWN)) * np.ceil(across / (2 * _ACROSS))
    blocks = patches * np.ceil(made / _CHANNELS)
    waves = blocks / chip.sms
    products = 16 * _DOWN * _ACROSS * _CHANNELS
    work = 2 * products / (chip.matrix_rate / chip.sms * constants["fused_issue"])
    compute = (np.ceil(waves) + constants["fused_lag"]) * (read + constants["fused_prologue"]) * work
    operands = sizes.input_bytes + sizes.output_bytes + sizes.filter_bytes
    moved = cold(operands, sizes.warm, chip)
    dram = moved / (constants["dram"] * chip.bandwidth)
    pixels = (2 * _DOWN + 2) * (2 * _ACROSS + 2)
    loaded = blocks * read * (pixels + 9 * _CHANNELS) * sizes.width
    l2 = loaded / (constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz)
    taken = np.where((sizes.searched > 0) | (_ruled(sizes, constants) == 0), 0.0, np.inf)
    total = meet(constants, compute, dram, l2) + constants["between"] * 1e-9 + _able(sizes, chip) + taken
    executed = 2 * 16 * sizes.batch * np.ceil(rows / 2) * np.ceil(across / 2) * read * made
    return ConvVariants(("Winograd F(2x2,3x3)",), total, compute, dram, l2, executed, moved, loaded, blocks, waves)


def separate(sizes: Sizes, chip: Chip, constants: Constants) -> ConvVariants:
    """F(4x4, 3x3) in four kernels: transforms of input and filter, 36 products as one batch, and the inverse
    transform."""
    rows, across, read, made = _outputs(sizes)
    tiles = sizes.batch * np.ceil(rows / 4) * np.ceil(across / 4)
    m, n, depth = (read, made, tiles) if sizes.direction == BACKWARD_WEIGHT else (tiles, made, read)
    tile_m, tile_n = (np.array(part, float)[None, :] for part in zip(*_TILES, strict=True))
    tiling = Tiling(
        tile_m,
        tile_n,
        np.ones((1, 1)),
        constants["product_issue"],
        constants["product_overhead"],
        constants["prologue"],
        constants["lag"],
    )
    compute, blocks, waves = tiled(tiling, np.array([[36.0]]), m, n, depth, chip)
    filters = read * made
    spectra = 36 * sizes.width * (tiles * read + tiles * made + filters)
    operands = sizes.input_bytes + sizes.output_bytes + sizes.filter_bytes
    moved = cold(operands, sizes.warm, chip) + 2 * cold(spectra, np.ones((1, 1)), chip)
    images = operands - sizes.filter_bytes + 36 * sizes.width * (tiles * read + tiles * made)
    transform = images / (constants["transform"] * chip.bandwidth)
    transform = transform + (9 + 36) * sizes.width * filters / (constants["filter_transform"] * chip.bandwidth)
    dram = spectra / (constants["dram"] * chip.bandwidth)
    loaded = fetched(tiling, np.array([[36.0]]), m, n, depth, sizes.width)
    l2 = loaded / (constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz)
    large = np.where(tile_m * tile_n >= 128 * 128, chip.year >= _LARGE_SINCE, chip.year < _LARGE_SINCE)
    launches = 3 * constants["between"] * 1e-9
    taken = np.where((sizes.searched > 0) | (_ruled(sizes, constants) > 0), 0.0, np.inf)
    total = (
        meet(constants, compute, dram, l2)
        + transform
        + launches
        + _able(sizes, chip)
        + taken
        + np.where(large, 0.0, np.inf)
    )
    executed = 36 * 2 * tiles * read * made
    names = ("Winograd F(4x4,3x3)",) * len(_TILES)
    return ConvVariants(names, total, compute, dram + transform, l2, executed, moved, loaded, blocks, waves)
