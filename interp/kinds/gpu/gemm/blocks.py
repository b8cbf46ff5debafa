"""The thread blocks of a matrix product on streaming multiprocessors: their distribution and their time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.gemm.tiles import SHARES, Library
from interp.kinds.gpu.kernel_class import Columns, Constants


@dataclass(frozen=True, slots=True)
class Blocks:
    """The distribution of blocks over multiprocessors; arrays have one row per kernel and one column per way (tile and
    split) of the library."""

    count: Floats
    exact: Floats
    """Average number of blocks per multiprocessor; at least one."""
    each: Floats
    """Blocks on the busiest multiprocessor, reduced where the idle time of the last wave is partly recovered."""
    rounds: Floats
    """The number of waves of resident blocks."""
    depth: Floats
    """Steps of k per block, rounded up to whole pipeline steps."""
    aligned: NDArray[np.bool_]
    library: Library
    """The ways (each a tile and a split of K), one for each column of the arrays."""


def blocks_of(library: Library, columns: Columns, chip: Chip, constants: Constants) -> Blocks:
    """The distribution of a product's blocks over the chip."""
    batch, m, n, k, width = (columns[name] for name in ("batch", "m", "n", "k", "bytes"))
    count = batch * (np.ceil(m / library.tile_m) * np.ceil(n / library.tile_n)) * library.split
    exact = np.maximum(count / chip.sms, 1)
    each = exact + constants["tail"] * (np.ceil(exact) - exact)
    step = np.where(chip.has_matrix > 0, 64 / width, 8)
    depth = np.ceil(k / library.split / step) * step
    rounds = np.ceil(each / constants["resident"])
    return Blocks(count, exact, each, rounds, depth, _aligned(m, n, k, width, chip), library)


def block_times(blocks: Blocks, columns: Columns, chip: Chip, constants: Constants) -> dict[str, Floats]:
    """Times in ns of the busiest multiprocessor, by name: `math` (arithmetic), `load` (loads from L2), `latency` (of
    the steps over k), and `compute`, the time that the three take together."""
    m, n, k, width = (columns[name] for name in ("m", "n", "k", "bytes"))
    tick = 1e9 / chip.clock_hz
    library = blocks.library
    tile = library.tile_m * library.tile_n
    steps = blocks.each * blocks.depth
    math = steps * (2e9 * tile / _shares(blocks, columns, constants) * (chip.sms / chip.matrix_rate))
    high, wide = np.minimum(m, library.tile_m), np.minimum(n, library.tile_n)
    unpadded = steps * (2e9 * high * wide / constants["vector"] * (chip.sms / chip.rate))
    math = np.minimum(math, unpadded * np.minimum(m, n))  # few rows or columns, as vectors one after another
    load = steps * ((high + wide) * width * (tick / constants["fetch_bytes_per_clock"]))
    latency = blocks.rounds * blocks.depth * (constants["step_clocks"] * tick)
    rows = columns["transposed_b"] * wide + (1 - columns["transposed_a"]) * high
    span = rows * np.minimum(blocks.each, constants["resident"]) * (k * width)
    work = np.maximum(math, load) + constants["exposed"] * np.minimum(math, load)
    compute = np.maximum(work * _page_walks(span, blocks, constants), latency)
    compute = compute + blocks.rounds * (constants["block_clocks"] * tick)
    return {"math": math, "load": load, "latency": latency, "compute": compute}


def _shares(blocks: Blocks, columns: Columns, constants: Constants) -> Floats:
    """The share of the peak rate that each way's tile sustains. Libraries have fewer kernels for batches of products
    than for single products, often with only one tile: in a batch, other tiles lose a constant factor for each doubling
    or halving of the tile."""
    library = blocks.library
    share = np.array([constants[name] for name in SHARES])[library.share]
    share = share * np.where(library.tile_m > library.tile_n, constants["turned"], 1.0)
    doublings = np.square(np.log2(library.tile_m * library.tile_n / constants["batched_tile"]))
    share = share * np.where(columns["batch"] > 1, constants["batched"] ** doublings, 1.0)
    return share * np.where(blocks.aligned, 1.0, constants["unaligned"])


def _page_walks(span: Floats, blocks: Blocks, constants: Constants) -> Floats:
    """The factor by which TLB misses slow down a kernel: above 1 where the rows of an operand span more bytes (`span`)
    than the TLB covers."""
    over = np.square(np.square(span / constants["tlb_reach"]))
    cost = np.where(blocks.aligned, constants["tlb_cost"], constants["tlb_cost_unaligned"])
    return 1 + cost * over / (1 + over)


def _aligned(m: Floats, n: Floats, k: Floats, width: Floats, chip: Chip) -> NDArray[np.bool_]:
    """True for products whose kernels may load and store 16 bytes at a time: at least two of m, n and k are multiples
    of 16 bytes, and the third is a multiple of 8 bytes. On matrix units any m is allowed."""
    sizes = (np.where(chip.has_matrix > 0, 0.0, m), n, k)
    aligned = sum((size % (16 / width) == 0).astype(float) for size in sizes)
    half = [size % (8 / width) == 0 for size in sizes]
    return (aligned >= 2) & half[0] & half[1] & half[2]
