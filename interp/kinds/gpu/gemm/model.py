"""GEMM and batched GEMM: for each product, the minimum over a library's tiles and splits of the combined time of
blocks, L2 and DRAM. For a tile that a library lacks, the constants state a low share of the peak, so that it is never
the minimum."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.gemm.blocks import block_times, blocks_of
from interp.kinds.gpu.gemm.tiles import LIBRARY, SHARES, Library
from interp.kinds.gpu.gemm.traffic import dram_traffic, l2_traffic, scaling_time
from interp.kinds.gpu.kernel_class import (
    WARM,
    Column,
    Columns,
    Constant,
    Constants,
    Estimate,
    KernelClass,
    Model,
    of_chip,
)
from interp.kinds.gpu.sustained import POWER_CONSTANTS, slowdown

_CHUNK = 512
"""The number of products processed at a time, so that the arrays over products and ways fit in the CPU cache."""


def _model(columns: Columns, chip: Chip, constants: Constants, library: Library = LIBRARY) -> Estimate:
    count = len(columns["m"])
    across = {name: np.broadcast_to(getattr(chip, name), (count,)) for name in Chip.__slots__}
    sizes = {name: np.broadcast_to(columns.get(name, default), (count,)) for name, default in _DEFAULTS.items()}
    parts = [slice(begin, begin + _CHUNK) for begin in range(0, count, _CHUNK)] or [slice(0, 0)]
    chunks = [
        _chunk(
            library.rows(part),
            {name: values[part, None] for name, values in sizes.items()},
            Chip(*(across[name][part, None] for name in Chip.__slots__)),
            constants,
        )
        for part in parts
    ]
    won = {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}
    flops = 2 * sizes["batch"] * sizes["m"] * sizes["n"] * sizes["k"]
    slower = slowdown(won["total"], flops, won["dram_bytes"], chip, constants)
    return Estimate(
        ns=won["total"] * slower,
        flops=flops,
        dram_bytes=won["dram_bytes"],
        l2_bytes=won["l2_bytes"],
        terms={name: won[name] for name in ("compute", "dram", "l2", "math", "load", "latency", "quantise")},
        facts={name: won[name] for name in ("blocks", "waves", "tail", "way")},
        ways=library.names,
        way_ns=np.concatenate([chunk["ways"] for chunk in chunks]) * slower[:, None],
    )


_DEFAULTS = dict.fromkeys(("batch", "m", "n", "k", "bytes", "copies"), 1.0) | dict.fromkeys(
    ("warm", "transposed_a", "transposed_b", "quantise", "b_bytes"), 0.0
)


_NEAREST = 4
"""The number of ways considered for derivatives: after a change of the constants by a thousandth, no other way is
faster."""


def _nearest(columns: Columns, chip: Chip, constants: Constants) -> Model:
    """The model restricted to the few ways (a tile and a split of K) that can be the fastest for constants close to
    these."""
    way_ns = _model(columns, chip, constants).way_ns
    assert way_ns is not None
    few = LIBRARY.of(np.argpartition(way_ns, _NEAREST, axis=1)[:, :_NEAREST])
    return partial(_model, library=few)


def _chunk(library: Library, columns: Columns, chip: Chip, constants: Constants) -> dict[str, Floats]:
    """The estimates of a chunk of products, by name, each an array with one entry per product: times in ns, bytes, and
    numbers of blocks and waves, for the library's fastest way (a tile and a split of K). `way` is the index of that
    way, and `ways` [products, ways] has the times of all ways."""
    blocks = blocks_of(library, columns, chip, constants)
    times = block_times(blocks, columns, chip, constants)
    moved, dram = dram_traffic(blocks, columns, chip, constants)
    fetched, l2 = l2_traffic(library, columns, chip, constants)
    scaling = scaling_time(columns, chip, constants)
    compute = times["compute"]
    longest = np.maximum(np.maximum(compute, dram), l2)
    total = longest + constants["exposed"] * (compute + dram + l2 - longest)
    splitting = constants["split_clocks"] + constants["batched_split"] * (columns["batch"] > 1)
    total = total + np.where(library.split > 1, splitting / chip.clock_hz * 1e9, 0)
    total = total + np.maximum(total - constants["boost_ns"], 0) * (1 / constants["sustained"] - 1)
    total = total + constants["start"] + scaling
    best = np.argmin(total, axis=1)[:, None]

    def won(values: Floats) -> Floats:
        return np.take_along_axis(np.broadcast_to(values, total.shape), best, axis=1)[:, 0]

    return {
        "total": won(total),
        "ways": total,
        "way": best[:, 0],
        **{name: won(time) for name, time in times.items()},
        "dram": won(dram),
        "l2": won(l2),
        "quantise": won(scaling),
        "dram_bytes": won(moved),
        "l2_bytes": won(fetched),
        "blocks": won(blocks.count),
        "waves": won(blocks.each),
        "tail": won(np.ceil(blocks.exact) / blocks.exact - 1),
    }


_COLUMNS = (
    Column("batch", "products in one launch", 1),
    Column("m", "rows of the result"),
    Column("n", "columns of the result"),
    Column("k", "length of each sum"),
    WARM,
    Column("copies", "sets of operands used in rotation by successive calls", 1),
    Column("transposed_a", "1 where A is stored as [k, m], 0 where as [m, k]", 0, flag=True),
    Column("transposed_b", "1 where B is stored as [n, k], 0 where as [k, n]", 0, flag=True),
    Column("b_bytes", "bytes of an element of B that the kernel converts to this element type; 0: none to convert", 0),
    Column("quantise", "1 where A has 16 bits and is scaled to this element type first, else 0", 0, flag=True),
)
_CONSTANTS = of_chip(
    (
        *(Constant(name, "", 0.8, 0.02, 1.0, f"sustained share of the peak rate, tile {name[5:]}") for name in SHARES),
        Constant("turned", "", 0.9, 0.05, 1.0, "rate of tiles that are higher than wide, relative to wide ones"),
        Constant(
            "vector", "", 0.5, 0.05, 1.0, "share of the rate outside matrix units for a vector's product", fixed=True
        ),
        Constant("tail", "", 0.7, 0.0001, 1.0, "share of the last wave's idle time that is lost"),
        Constant("resident", "blocks", 2, 1, 8, "blocks that share a streaming multiprocessor", fixed=True),
        Constant("step_clocks", "clocks", 2, 0.01, 200, "latency of a block for one step of k", fixed=True),
        Constant("block_clocks", "clocks", 1500, 1, 2e4, "fill and drain of a block's pipeline, and its epilogue"),
        Constant("split_clocks", "clocks", 5000, 1, 1e5, "reduction after a split of k"),
        Constant(
            "batched_tile",
            "elements",
            10000,
            1024,
            32768,
            "elements of the result in the usual tile of a batch of products",
        ),
        Constant(
            "batched", "", 0.8, 0.1, 1.0, "rate factor in a batch for tiles twice or half as large as the usual one"
        ),
        Constant("batched_split", "clocks", 5000, 1, 1e6, "additional time of a split of k in a batch of products"),
        Constant("dram", "", 0.8, 0.4, 1.0, "sustained share of DRAM bandwidth"),
        Constant("store", "", 0.6, 0.1, 20.0, "rate of writing results, relative to DRAM bandwidth"),
        Constant(
            "store_l2",
            "B/clock/SM",
            8,
            1,
            64,
            "rate of writing results where L2 holds them until the next call",
            fixed=True,
        ),
        Constant(
            "reread",
            "",
            5,
            0.02,
            100,
            "rate of reading unaligned rows again for later blocks, relative to DRAM bandwidth",
        ),
        Constant(
            "l2_kept", "", 0.8, 0.1, 4, "working set, relative to L2, of which half stays in L2 until the next call"
        ),
        Constant("l2_edge", "", 5, 0.5, 12, "steepness of the eviction of operands from L2"),
        Constant("unaligned", "", 0.9, 0.05, 1.0, "rate where rows don't begin at multiples of 16 bytes"),
        Constant("fetch_bytes_per_clock", "B/clock", 60, 1, 1000, "L2 to one streaming multiprocessor"),
        Constant("l2_bytes_per_clock", "B/clock/SM", 40, 1, 500, "L2 to all streaming multiprocessors, for each"),
        Constant("exposed", "", 0.15, 0.0001, 1, "share of the shorter of two overlapping times that is not hidden"),
        Constant("tlb_reach", "B", 32e6, 1e6, 1e9, "bytes that a streaming multiprocessor's TLB covers"),
        Constant("tlb_cost", "", 0.1, 0.0001, 10, "slowdown where the operands' rows exceed the TLB's reach"),
        Constant("tlb_cost_unaligned", "", 0.3, 0.0001, 10, "the same where rows don't begin at multiples of 16 bytes"),
        Constant("start", "ns", 1500, 0, 1e6, "fixed time: launch latency, first loads, last stores"),
        Constant("quantise", "ns", 8000, 1, 1e5, "fixed time of scaling A to this element"),
        Constant("quantise_row", "ns", 0.1, 0.001, 100, "time of scaling a row of A, one after another"),
        Constant(
            "quantise_dram", "", 0.7, 0.01, 5, "rate of scaling A, relative to DRAM bandwidth, where L2 doesn't hold it"
        ),
        Constant("quantise_l2", "B/clock/SM", 20, 0.1, 200, "rate of scaling A within L2"),
        *POWER_CONSTANTS,
        Constant("boost_ns", "ns", 3e7, 1e5, 1e9, "time that a kernel runs before the power limit lowers the clock"),
        Constant("sustained", "", 0.95, 0.2, 1.0, "clock rate under the power limit, relative to that before"),
    ),
    *("dram", "store", "store_l2", "l2_kept", "l2_edge", "fetch_bytes_per_clock", "l2_bytes_per_clock"),
    *("tlb_reach", "tlb_cost", "tlb_cost_unaligned", "flop_energy", "boost_ns", "sustained"),
)
GEMM = KernelClass(
    "gemm", "C[m, n] = A[m, k] B[k, n], `batch` times", _COLUMNS, _CONSTANTS, _model, spread=9.0, nearest=_nearest
)
BLOCK_SCALED = replace(
    GEMM, name="gemm_blocks", family="gemm", meaning="the same in 8 bits with a scale for each 128 elements of k"
)
GEMM_CLASSES = (GEMM, BLOCK_SCALED)
