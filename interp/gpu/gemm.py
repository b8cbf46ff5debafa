"""GEMM and batched GEMM: waves of tiles over streaming multiprocessors, a choice of tile and split-K, L2 and DRAM."""

from __future__ import annotations

import numpy as np

from interp.gpu.chip import Chip, Floats
from interp.gpu.kernel_class import (
    WARM,
    Column,
    Columns,
    Constant,
    Constants,
    Estimate,
    KernelClass,
    resident,
    soft_max,
)

_TILES = ((256, 128), (128, 256), (128, 128), (128, 64), (64, 128), (64, 64), (64, 32), (32, 64), (32, 32))
_SPLITS = (1, 2, 4, 8, 16, 32)


def _model(columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    batch, m, n, k, width = (columns[name][:, None] for name in ("batch", "m", "n", "k", "bytes"))
    across = Chip(*(np.reshape(getattr(chip, name), (-1, 1)) for name in Chip.__slots__))  # pyright: ignore
    ways = [(tile, split) for tile in _TILES for split in _SPLITS]
    tile_m, tile_n, split = (np.array(part, float) for part in zip(*((*tile, s) for tile, s in ways), strict=True))
    blocks = batch * np.ceil(m / tile_m) * np.ceil(n / tile_n) * split
    waves = np.ceil(blocks / across.sms)
    intensity = tile_m * tile_n / (tile_m + tile_n)
    rate = across.matrix_rate / across.sms * constants["issue"] * intensity / (intensity + constants["tile_overhead"])
    compute = waves * 2 * tile_m * tile_n * (k / split + constants["prologue"]) / rate
    touched = batch * (m * k + k * n + m * n) * width
    partial = np.where(split > 1, 8 * batch * m * n * split, 0)
    cold = touched * (1 - columns["warm"][:, None] * resident(touched, across)) + partial
    dram = cold / (constants["dram"] * across.bandwidth)
    fetched = batch * k * width * (m * np.ceil(n / tile_n) + n * np.ceil(m / tile_m))
    l2 = fetched / (constants["l2_bytes_per_clock"] * across.sms * across.clock_hz)
    total = soft_max(constants["overlap"], compute, dram, l2) * 1e9
    best = np.argmin(total, axis=1)[:, None]

    def won(values: Floats) -> Floats:
        return np.take_along_axis(np.broadcast_to(values, total.shape), best, axis=1)[:, 0]

    return Estimate(
        ns=won(total) + constants["start"],
        flops=(2 * batch * m * n * k)[:, 0],
        dram_bytes=won(cold),
        l2_bytes=won(fetched),
        terms={"compute": won(compute) * 1e9, "dram": won(dram) * 1e9, "l2": won(l2) * 1e9},
        facts={"blocks": won(blocks), "waves": won(waves), "tail": won(waves * across.sms / blocks - 1)},
        ways=tuple(f"tile {tile[0]}x{tile[1]}, split-K {s}" for tile, s in ways),
        way_ns=total,
    )


GEMM = KernelClass(
    "gemm",
    "C[m, n] = A[m, k] B[k, n], `batch` times",
    (
        Column("batch", "products in one launch", 1),
        Column("m", "rows of the result"),
        Column("n", "columns of the result"),
        Column("k", "length of each sum"),
        WARM,
    ),
    (
        Constant("issue", "", 0.85, 0.1, 1.0, "sustained share of the peak rate of large tiles"),
        Constant("tile_overhead", "elements", 8, 0.01, 200, "how fast small tiles lose: rate * AI / (AI + this)"),
        Constant("prologue", "steps of k", 64, 0.1, 5000, "fill and drain of a block's pipeline, and its epilogue"),
        Constant("dram", "", 0.85, 0.1, 1.0, "sustained share of DRAM bandwidth"),
        Constant("l2_bytes_per_clock", "B/clock/SM", 40, 1, 500, "L2 to SM bandwidth"),
        Constant("overlap", "", 4, 1, 12, "how well arithmetic and traffic overlap: 1 not at all, large perfectly"),
        Constant("start", "ns", 1500, 0, 1e6, "fixed time: launch latency, first loads, last stores"),
    ),
    _model,
)
