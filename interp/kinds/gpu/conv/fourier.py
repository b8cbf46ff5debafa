"""Convolution with stride 1 through Fourier transforms of 32x32 tiles: fast for large filters, and for few pixels with
many channels (Mathieu, Henaff and LeCun, Fast Training of Convolutional Networks through FFTs, 2014)."""

from __future__ import annotations

import numpy as np

from interp.kinds.gpu.chip import Chip
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

_SIDE = 32
_POINTS = float(_SIDE * (_SIDE // 2 + 1))
"""The number of complex values in the transform of one real tile."""
_TILES = ((64, 32), (32, 32))
_SMALL = 9.0
"""The largest number of taps for which a library that chooses by a fixed rule never takes FFTs."""


def tiled_fourier(sizes: Sizes, chip: Chip, constants: Constants) -> ConvVariants:
    """Estimates of the transforms of tiles and filters, one complex matrix product for each frequency, and the inverse
    transform."""
    fits = (
        (sizes.r <= _SIDE / 2) & (sizes.s <= _SIDE / 2) & (sizes.down * sizes.across * sizes.groups * sizes.dense == 1)
    )
    least = np.where(sizes.searched > 0, 1, _SMALL)
    able = np.where(fits & (sizes.r * sizes.s > least) & (chip.has_matrix == 0), 0.0, np.inf)
    back = sizes.direction == BACKWARD_DATA
    rows, across = (sizes.h, sizes.w) if back else (sizes.p, sizes.q)
    read, made = (sizes.k, sizes.c) if back else (sizes.c, sizes.k)
    down, right = np.maximum(_SIDE + 1 - sizes.r, 1), np.maximum(_SIDE + 1 - sizes.s, 1)
    tiles = sizes.batch * np.ceil(rows / down) * np.ceil(across / right)
    m, n, depth = (read, made, tiles) if sizes.direction == BACKWARD_WEIGHT else (tiles, made, read)
    tile_m, tile_n = (np.array(part, float)[None, :] for part in zip(*_TILES, strict=True))
    issue, overhead = constants["product_issue"], constants["product_overhead"]
    tiling = Tiling(tile_m, tile_n, np.ones((1, 1)), issue, overhead, constants["prologue"], constants["lag"])
    points = np.array([[_POINTS]])
    real, blocks, waves = tiled(tiling, points, m, n, depth, chip)
    compute = 4 * real  # one complex multiply-add is four real ones
    spectra = 2 * sizes.width * _POINTS * (tiles * read + tiles * made + read * made)
    operands = sizes.input_bytes + sizes.output_bytes + sizes.filter_bytes
    moved = cold(operands, sizes.warm, chip) + 2 * cold(spectra, np.ones((1, 1)), chip)
    transform = (operands + spectra) / (constants["transform"] * chip.bandwidth)
    dram = spectra / (constants["dram"] * chip.bandwidth)
    loaded = 2 * fetched(tiling, points, m, n, depth, sizes.width)
    l2 = loaded / (constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz)
    total = meet(constants, compute, dram, l2) + transform + 3 * constants["between"] * 1e-9 + able
    executed = 8 * _POINTS * tiles * read * made
    names = (f"FFT {_SIDE}x{_SIDE}",) * len(_TILES)
    return ConvVariants(names, total, compute, dram + transform, l2, executed, moved, loaded, blocks, waves)
