"""Fused attention of many queries per head: tiles of queries that iterate over their keys, after a pass that stores the
keys."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from interp.kinds.gpu.attention.columns import ATTENTION_COLUMNS, LONG_HEAD, SPILLED, cache_width, spilled_ns
from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.kernel_class import (
    Column,
    Columns,
    Constant,
    Constants,
    Estimate,
    KernelClass,
    of_chip,
    resident,
    soft_max,
    waves_of,
)
from interp.kinds.gpu.sustained import POWER_CONSTANTS, slowdown

TILES = (128.0, 64.0)
"""The numbers of queries per block for which libraries have kernels."""
_HELD = 32768.0
"""The maximum number of elements in the query tile of a block: longer heads have shorter tiles."""
_HEAD = 128.0
_LANES = 64.0
"""A divisor, in elements: the size of a head is rounded up to a multiple of it."""


class Grid(NamedTuple):
    """The thread blocks of the attentions of equal sequences; arrays with one entry per kernel."""

    work_s: Floats
    """The time of all blocks, summed."""
    longest_s: Floats
    """The time of the longest block."""
    blocks: Floats
    """The number of blocks."""
    walked: Floats
    """The number of pairs of a query and a key that the tiles compute."""

    def joined(self, other: Grid) -> Grid:
        """The blocks of two sets of sequences in one kernel."""
        longest = np.maximum(self.longest_s, other.longest_s)
        return Grid(self.work_s + other.work_s, longest, self.blocks + other.blocks, self.walked + other.walked)

    def seconds(self, chip: Chip, constants: Constants) -> Floats:
        """The time of the kernel that runs these blocks."""
        return np.maximum(self.longest_s, self.work_s / chip.sms + constants["tail"] * self.longest_s)


def reached(columns: Columns, keys: Floats) -> Floats:
    """The number of (query, key) pairs of a sequence of `keys` keys in which the query attends to the key."""
    queries = columns["queries"]
    return queries * np.where(columns["causal"] > 0, keys - (queries - 1) / 2, keys)


def padded_head(columns: Columns) -> Floats:
    """The number of elements per head, rounded up to a multiple of `_LANES`."""
    return np.ceil(columns["head"] / _LANES) * _LANES


def tile_of(columns: Columns, most: float = TILES[0]) -> Floats:
    """The number of queries per block of a kernel for tiles of up to `most` queries."""
    return np.minimum(most, _HELD / np.maximum(padded_head(columns), _LANES))


def head_rate(head: Floats, constants: Constants) -> Floats:
    """The rate of a library's kernels for heads of `head` elements, relative to that for heads of 128: libraries
    compile a kernel for each of a few sizes, which differ in their tiles."""
    doublings = np.log2(np.maximum(head, 1.0) / _HEAD)
    return constants["head_64"] ** np.clip(-doublings, 0, 1) * constants["head_256"] ** np.clip(doublings, 0, 1)


def grid(
    columns: Columns, keys: Floats, chip: Chip, constants: Constants, many: Floats, rows: Floats, most: float = TILES[0]
) -> Grid:
    """The blocks of a kernel that computes, for each sequence, `many` attentions with `rows` rows of queries each, in
    tiles of up to `most` rows."""
    batch, queries, head = (columns[name] for name in ("batch", "queries", "head"))
    tile, padded = tile_of(columns, most), padded_head(columns)
    rate = chip.matrix_rate / chip.sms * constants["issue"] * head_rate(padded, constants)
    rate = rate * (1.0 if most == TILES[0] else constants["half_tile"])
    products = 4 * tile * padded / rate
    exponentials = tile * constants["softmax"] / chip.clock_hz
    key_s = np.maximum(products, exponentials) + constants["exposed"] * np.minimum(products, exponentials)
    key_s = key_s * np.where(head > LONG_HEAD, constants["long_head"], 1.0)
    behind = np.where(columns["causal"] > 0, tile / 2, 0) + constants["tile_keys"] / 2
    tiles = np.ceil(rows / tile)
    walked = np.maximum(keys, reached(columns, keys) * rows / queries / tile) + tiles * behind
    block_s = (constants["block"] + constants["row"] * np.minimum(rows, tile) * head / 128) * 1e-9
    work = batch * many * (tiles * block_s + walked * key_s)
    longest = np.where(batch > 0, block_s + (keys + behind) * key_s * constants["alone"], 0.0)
    return Grid(work, longest, batch * many * tiles, batch * walked * many * tile)


def _others(columns: Columns) -> Columns | None:
    """The columns of the further sequences with one query each; None if no kernel has any."""
    decodes = columns.get("decodes")
    if decodes is None or not decodes.any():
        return None
    one = np.ones_like(decodes)
    return {**columns, "batch": decodes, "queries": one, "keys": columns["decode_keys"]}


_WAYS = tuple(
    f"tiles of {most:.0f} queries of {whose}" for whose in ("one head", "heads that share a cache") for most in TILES
)


def _model(columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    batch, heads, kv_heads, head = (columns[name] for name in ("batch", "heads", "kv_heads", "head"))
    queries, keys, width = columns["queries"], np.maximum(columns["keys"], columns["queries"]), columns["bytes"]
    group = np.ceil(heads / kv_heads)
    new_rows, kept_rows = batch * queries, batch * keys
    pairs = batch * reached(columns, keys)
    others = _others(columns)
    if others is not None:
        new_rows = new_rows + others["batch"]
        kept_rows = kept_rows + others["batch"] * others["keys"]
        pairs = pairs + others["batch"] * others["keys"]
    lacking = np.where(queries > 1, constants["unpacked"], constants["unpacked_one"])
    query_bytes = heads * new_rows * head * width
    stored = kv_heads * kept_rows * head * cache_width(columns)
    moved = 2 * query_bytes + 2 * stored
    stays = resident(moved, chip)
    cold = moved * (1 - columns["warm"] * stays)
    of_a_head = 2 * stored / kv_heads  # read before the next head that shares the cache begins
    missed = constants["reread"] * (group - 1) * 2 * stored * (1 - resident(of_a_head, chip))
    dram_rate = constants["dram"] * chip.bandwidth
    limit = 4 * heads * pairs * head / chip.matrix_rate
    tried: list[dict[str, Floats]] = []
    for many, each, slower, more in ((heads, 1.0, 1.0, missed), (kv_heads, group, lacking, 0.0)):
        for most in TILES:
            blocks = grid(columns, keys, chip, constants, many, queries * each, most)
            if others is not None:
                further = grid(others, others["keys"], chip, constants, many, others["queries"] * each, most)
                blocks = blocks.joined(further)
            read, flops = cold + more, 4 * blocks.walked * padded_head(columns)
            seconds = blocks.seconds(chip, constants) * slower
            busy = soft_max(constants["overlap"], seconds, read / dram_rate, limit) * 1e9
            busy = busy * slowdown(busy, flops, read, chip, constants)
            tried.append({"busy": busy, "blocks": seconds, "read": read, "flops": flops, "count": blocks.blocks})
    ways = np.stack(np.broadcast_arrays(*(way["busy"] for way in tried)), axis=1)
    best = np.argmin(ways, axis=1)
    won = {name: np.choose(best, np.broadcast_arrays(*(way[name] for way in tried))) for name in tried[0]}

    again = constants["query_passes"] * query_bytes + constants["cache_passes"] * 2 * stored
    again = again * columns.get("stored", np.ones_like(batch))
    l2_rate = constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz
    before = np.maximum(again / l2_rate, again * (1 - stays) / dram_rate) * 1e9
    fixed = constants["start"] + constants["head_start"] * np.log2(np.maximum(1.0, head / 64))
    fixed = fixed + spilled_ns(columns, constants)
    terms = {"blocks": won["blocks"], "dram": won["read"] / dram_rate, "limit": limit}
    return Estimate(
        ns=won["busy"] + before + fixed,
        flops=won["flops"],
        dram_bytes=won["read"] + again * (1 - stays),
        l2_bytes=moved + again,
        terms={name: value * 1e9 for name, value in terms.items()} | {"stores": before},
        facts={"blocks": won["count"], **waves_of(won["count"] / chip.sms)},
        ways=_WAYS,
        way_ns=ways + (before + fixed)[:, None],
    )


_CONSTANTS = (
    Constant("issue", "", 0.9, 0.7, 1.0, "sustained share of the matrix units' peak"),
    Constant("softmax", "clocks", 0.25, 0.05, 1, "time of a multiprocessor for the exponential of a query and a key"),
    Constant("exposed", "", 0.8, 0.1, 1, "share of the shorter of products and exponentials that is not hidden"),
    Constant("half_tile", "", 0.8, 0.2, 1.0, "rate of tiles of 64 queries, relative to tiles of 128"),
    Constant("tile_keys", "keys", 128, 1, 1024, "keys per step; half of them are wasted at a block's end"),
    Constant("block", "ns", 1000, 1, 1e5, "fixed time of a block"),
    Constant("row", "ns", 10, 0.01, 1e3, "time of a block for each of its queries, of heads of 128"),
    Constant(
        "alone", "", 1.0, 0.7, 3, "time of a step of a block alone, relative to its share of a full multiprocessor"
    ),
    Constant("tail", "", 0.5, 0.001, 1, "share of the longest block's time that is lost at the end"),
    Constant("unpacked", "", 1.2, 1, 1e3, "slowdown of a kernel that packs heads: large where a library has none"),
    Constant("unpacked_one", "", 1.2, 1, 1e3, "the same for one query, for which a library may have its own kernel"),
    Constant("long_head", "", 1.2, 1, 20, "slowdown of steps for heads above 256, which registers don't hold"),
    Constant("head_64", "", 1.0, 0.5, 2, "rate for heads of 64 elements or fewer, relative to heads of 128"),
    Constant("head_256", "", 1.0, 0.5, 2, "rate for heads of 256 elements or more, relative to heads of 128"),
    Constant("query_passes", "", 2, 0.01, 10, "additional passes over queries: their rotation beforehand"),
    Constant("cache_passes", "", 2, 0.01, 10, "additional passes over keys and values: storing them in the cache"),
    Constant("reread", "", 0.5, 0.01, 1, "share of a shared cache's reads by further heads that L2 does not serve"),
    Constant("dram", "", 0.85, 0.1, 1.0, "sustained share of DRAM bandwidth"),
    Constant("l2_bytes_per_clock", "B/clock/SM", 30, 1, 500, "L2 to SM bandwidth"),
    Constant("overlap", "", 4, 1, 12, "how well arithmetic and traffic overlap: 1 not at all, large perfectly"),
    *SPILLED,
    *POWER_CONSTANTS,
    Constant("start", "ns", 6000, 0, 1e6, "fixed time: launch latency, first loads, last stores"),
    Constant("head_start", "ns", 500, 1, 1e5, "additional fixed time for each doubling of the head above 64"),
)
_MORE_COLUMNS = (
    Column("stored", "1 where the call rotates queries and stores new keys and values first, else 0", 1, flag=True),
    Column("decodes", "further sequences in the same call, of one query each", 0),
    Column("decode_keys", "key positions of each of these", 0),
)
PREFILL = KernelClass(
    "prefill",
    "fused attention of many queries per head, each to the keys before it",
    (*ATTENTION_COLUMNS, *_MORE_COLUMNS),
    of_chip(_CONSTANTS, "dram", "l2_bytes_per_clock", "flop_energy"),
    _model,
    spread=8,
    tries=6,
)
BIDIRECTIONAL = replace(
    PREFILL,
    name="bidirectional",
    family="prefill",
    meaning="fused attention of many queries per head, each to all keys: of encoders",
)
PREFILL_NARROW = replace(
    PREFILL,
    name="prefill_narrow",
    family="prefill",
    meaning="the same as `prefill` over cached keys and values of fewer bits than the queries",
)
