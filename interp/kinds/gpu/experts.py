"""Times of the routed experts of a mixture on GPUs: the products to and from the experts' inner width, the activation
between them, and the moves of rows to their experts and back.

A block computes a tile of one expert's rows. An expert's rows seldom fill its last tile, so that blocks of few rows
compute less in vain, at a lower share of the peak rate; libraries choose among heights of blocks. Each product takes
the longest of its blocks' time, DRAM (the weights of the experts that tokens touch, once) and L2, and a share of the
other two. Rows pass through memory between the kernels, at a rate of their own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.kernel_class import (
    WARM,
    Column,
    Columns,
    Constant,
    Constants,
    Estimate,
    KernelClass,
    of_chip,
    resident,
)
from interp.kinds.gpu.sustained import POWER_CONSTANTS, slowdown

HEIGHTS = (16, 32, 64, 128)
"""Rows of the result that a block computes, by the ways of a library."""
_WIDTH = 128.0
"""Columns of the result that a block computes."""
_ABREAST = 2.0
"""Blocks that share a streaming multiprocessor."""


def _model(columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    sizes = {name: columns.get(name, default) for name, default in _DEFAULTS.items()}
    rows, inter, hidden = (np.maximum(columns[name], 0) for name in ("rows", "inter", "hidden"))
    touched = np.minimum(columns["touched"], rows)
    up, down = (1 + sizes["gated"]) * inter, sizes["down"] * hidden
    weight = np.where(sizes["w_bytes"] > 0, sizes["w_bytes"], columns["bytes"])
    weights = touched * weight * hidden * (up + sizes["down"] * inter)
    missed = _missed(weights, sizes["warm"], chip, constants)
    products = [
        _product(touched, rows, n, k, weight, missed, columns["bytes"], sizes["even"], chip, constants)
        for n, k in ((up, hidden), (down, inter))
    ]
    totals = products[0]["total"] + products[1]["total"]
    best = np.argmin(totals, axis=1)[:, None]

    def won(name: str) -> Floats:
        both = (np.broadcast_to(each[name], totals.shape) for each in products)
        return sum((np.take_along_axis(each, best, axis=1)[:, 0] for each in both), np.zeros(len(rows)))

    moved, moving = _moves(columns, sizes, rows, chip, constants)
    share = (1 + sizes["down"]) / 2
    fixed = constants["start"] * share + constants["expert"] * columns["experts"] * share
    fixed = fixed + constants["choice"] * columns["tokens"] * columns["choices"] * share
    flops = 2 * rows * hidden * (up + sizes["down"] * inter)
    dram_bytes = weights * missed + moved
    total = won("total") + moving + fixed
    slower = slowdown(total, flops, dram_bytes, chip, constants)
    return Estimate(
        ns=total * slower,
        flops=flops,
        dram_bytes=dram_bytes,
        l2_bytes=won("fetched"),
        terms={name: won(name) for name in ("compute", "dram", "l2", "math", "load")} | {"rows": moving},
        facts={"blocks": won("blocks"), "touched": touched},
        ways=tuple(f"blocks of {height} rows" for height in HEIGHTS),
        way_ns=(totals + (moving + fixed)[:, None]) * slower[:, None],
    )


_DEFAULTS = {"gated": 1.0, "down": 1.0, "even": 0.0, "w_bytes": 0.0, "warm": 0.0}


def _missed(weights: Floats, warm: Floats | float, chip: Chip, constants: Constants) -> Floats:
    """The share of the weights' bytes that are not in L2."""
    over = (weights / (constants["l2_kept"] * chip.l2_bytes)) ** constants["l2_edge"]
    missed = 1 - warm / (1 + over)
    return np.maximum(missed, 1 - chip.l2_bytes / np.maximum(weights, 1))


def _product(
    touched: Floats,
    rows: Floats,
    n: Floats,
    k: Floats,
    weight: Floats,
    missed: Floats,
    width: Floats,
    even: Floats | float,
    chip: Chip,
    constants: Constants,
) -> dict[str, Floats]:
    """The times of one product over all experts, by name, each [kernels, heights]. `weight`: bytes of an element of the
    weights in memory, and `missed`: the share that DRAM reads; `width`: bytes of an element as it is multiplied."""
    sizes = (touched, rows, n, k, weight, missed, width)
    touched, rows, n, k, weight, missed, width = (each[:, None] for each in sizes)
    even = np.broadcast_to(even, rows.shape[:1])[:, None]
    chip = Chip(*(np.reshape(getattr(chip, name), (-1, 1)) for name in Chip.__slots__))
    high, tick = np.array(HEIGHTS, float), 1e9 / chip.clock_hz
    tiles = _tiles(touched, rows, high, even)
    blocks = tiles * np.ceil(n / _WIDTH)
    exact = np.maximum(blocks / chip.sms, 1)
    each = exact + constants["tail"] * (np.ceil(exact) - exact)
    share = np.array([constants[f"tile_{height}"] for height in HEIGHTS])
    math = each * k * (2e9 * high * _WIDTH / share) * (chip.sms / chip.matrix_rate)
    filled = np.clip(rows / np.maximum(touched, 1e-9), 1, high)
    wide = np.minimum(n, _WIDTH)
    load = each * k * (filled * width + wide * weight) * tick / constants["fetch_bytes_per_clock"]
    compute = np.maximum(math, load) + constants["exposed"] * np.minimum(math, load)
    compute = compute + np.ceil(each / _ABREAST) * constants["block_clocks"] * tick
    dram = touched * n * k * weight * missed / (constants["dram"] * constants["stream"] * chip.bandwidth) * 1e9
    fetched = tiles * k * (high * np.ceil(n / _WIDTH) * width + n * weight)
    l2 = fetched / (constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz) * 1e9
    longest = np.maximum(np.maximum(compute, dram), l2)
    total = longest + constants["exposed"] * (compute + dram + l2 - longest)
    exists = (n > 0) & (rows > 0)
    times = {"total": total, "compute": compute, "dram": dram, "l2": l2, "math": math, "load": load}
    times |= {"fetched": fetched, "blocks": blocks}
    return {name: np.where(exists, time, 0) for name, time in times.items()}


def _tiles(touched: Floats, rows: Floats, high: Floats, even: Floats) -> Floats:
    """The number of tiles of `high` rows that the experts' rows fill, the last one of each expert in part. Numbers of
    rows that vary between experts are taken as exponentially distributed, whose mean number of tiles is
    1 / (1 - exp(-high / mean)): within 2 % of those of power laws of loads on average."""
    filled = rows / np.maximum(touched, 1e-9) / high
    spread = touched / -np.expm1(-1 / np.maximum(filled, 1e-9))
    return np.where(even > 0, touched * np.ceil(filled), spread)


def _moves(
    columns: Columns, sizes: dict[str, Floats | float], rows: Floats, chip: Chip, constants: Constants
) -> tuple[Floats, Floats]:
    """Bytes that rows take to and from DRAM between the kernels, and their time in ns: each row of the layer's input
    and of its result once for each choice, both sides of the activation, and each token's sum. Kernels without a
    compact order of rows move those of other devices' experts, too."""
    every = np.maximum(columns["tokens"] * columns["choices"], rows)
    moved = rows + constants["padded"] * (every - rows)
    elements = moved * ((1 + sizes["down"]) * columns["hidden"] + (2 + sizes["gated"]) * columns["inter"])
    held = _MOVED * (elements + 2 * sizes["down"] * columns["tokens"] * columns["hidden"])
    spilled = held * (1 - resident(held, chip, sharpness=2, share=constants["move_kept"]))
    from_l2 = held / (constants["move_l2"] * chip.sms * chip.clock_hz)
    return spilled, (from_l2 + spilled / (constants["move"] * chip.bandwidth)) * 1e9


_MOVED = 2
"""Bytes of an element of rows between the kernels: 16 bits, in 8-bit products before they are scaled."""
_COLUMNS = (
    Column("tokens", "tokens that the layer gets"),
    Column("choices", "experts that each token chooses, on all devices"),
    Column("rows", "choices of experts that are on this device"),
    Column("touched", "distinct experts on this device that tokens choose"),
    Column("experts", "experts on this device"),
    Column("hidden", "elements of a token"),
    Column("inter", "inner width of an expert on this device"),
    Column("gated", "1 where a gate is multiplied, so that there are two products to the inner width, else 0", 1, True),
    Column("down", "1 with the product from the inner width and the weighted sums, 0 where the kernel ends before", 1),
    Column("even", "1 where all experts on this device have equally many rows, 0 where these vary", 0, flag=True),
    Column("w_bytes", "bytes of an element of weights that the kernel converts to this element type; 0: none", 0),
    WARM,
)
_CONSTANTS = of_chip(
    (
        *(
            Constant(
                f"tile_{height}", "", share, 0.005, 1, f"sustained share of the peak rate, blocks of {height} rows"
            )
            for height, share in zip(HEIGHTS, (0.15, 0.3, 0.5, 0.65), strict=True)
        ),
        Constant("tail", "", 0.7, 0.0001, 1, "share of the last wave's idle time that is lost"),
        Constant("block_clocks", "clocks", 1500, 1, 6e4, "fill and drain of a block's pipeline, and its epilogue"),
        Constant("fetch_bytes_per_clock", "B/clock", 60, 1, 1000, "L2 to one streaming multiprocessor"),
        Constant("l2_bytes_per_clock", "B/clock/SM", 40, 1, 500, "L2 to all streaming multiprocessors, for each"),
        Constant("exposed", "", 0.15, 0.0001, 1, "share of the shorter of overlapping times that is not hidden"),
        Constant("dram", "", 0.85, 0.3, 1, "sustained share of DRAM bandwidth"),
        Constant("stream", "", 0.9, 0.02, 1, "rate of reading weights, relative to that share"),
        Constant("l2_kept", "", 0.8, 0.1, 4, "weights, relative to L2, of which half stay in L2 until the next call"),
        Constant("l2_edge", "", 5, 0.5, 12, "steepness of the eviction of weights from L2", fixed=True),
        Constant("padded", "", 0.1, 0.0005, 1, "share of other devices' choices that take part in moves of rows"),
        Constant("move_l2", "B/clock/SM", 15, 0.5, 500, "rate of moving rows within L2"),
        Constant("move_kept", "", 2, 0.1, 30, "bytes of moved rows, relative to L2, of which half stay in L2"),
        Constant("move", "", 0.7, 0.02, 1, "rate of moving rows that L2 doesn't hold, relative to DRAM bandwidth"),
        Constant("start", "ns", 15000, 500, 1e6, "fixed time of the layer's kernels"),
        Constant("expert", "ns", 10, 0.01, 2000, "time for each expert on the device, of sorting and of tables"),
        Constant("choice", "ns", 0.5, 0.0001, 200, "time for each choice of a token, of sorting"),
        *POWER_CONSTANTS,
    ),
    *("dram", "l2_kept", "fetch_bytes_per_clock", "l2_bytes_per_clock", "flop_energy"),
)
EXPERTS = KernelClass(
    "experts",
    "routed experts with gates: products to and from their inner width, activation, moves of rows and weighted sums",
    _COLUMNS,
    _CONSTANTS,
    _model,
    spread=6.0,
)
UNGATED = replace(EXPERTS, name="experts_ungated", family="experts", meaning="the same of experts without a gate")
BLOCK_SCALED = replace(
    EXPERTS,
    name="experts_blocks",
    family="experts",
    meaning="the same as `experts` in 8 bits with a scale for each 128 elements of a row, and 128x128 of a matrix",
)
EXPERT_CLASSES = (EXPERTS, UNGATED, BLOCK_SCALED)
