"""Fused attention of many queries per head: tiles of queries that iterate over their keys, after a pass that stores the
keys."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from interp.kinds.gpu.attention.columns import ATTENTION_COLUMNS, LONG_HEAD, SPILLED, spilled_ns
from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.kernel_class import (
    Columns,
    Constant,
    Constants,
    Estimate,
    KernelClass,
    resident,
    soft_max,
    waves_of,
)

_TILE = 128.0
"""The maximum number of queries per block."""
_HELD = 32768.0
"""The maximum number of elements in the query tile of a block: longer heads have shorter tiles."""
_LANES = 64.0
"""A divisor, in elements: the size of a head is rounded up to a multiple of it."""


class Grid(NamedTuple):
    """The thread blocks of one kernel: their total time, their number, and the keys that they process."""

    seconds: Floats
    blocks: Floats
    walked: Floats
    """The number of keys that a query tile processes, summed over the tiles of a sequence."""


def reached(columns: Columns, keys: Floats) -> Floats:
    """The number of (query, key) pairs of a sequence of `keys` keys in which the query attends to the key."""
    queries = columns["queries"]
    return queries * np.where(columns["causal"] > 0, keys - (queries - 1) / 2, keys)


def tile_of(columns: Columns) -> tuple[Floats, Floats]:
    """The number of queries per block, and the number of elements per head, rounded up to a multiple of `_LANES`."""
    padded = np.ceil(columns["head"] / _LANES) * _LANES
    return np.minimum(_TILE, _HELD / np.maximum(padded, _LANES)), padded


def grid(columns: Columns, keys: Floats, chip: Chip, constants: Constants, many: Floats, rows: Floats) -> Grid:
    """The blocks of a kernel that computes, for each sequence, `many` attentions with `rows` rows of queries each."""
    batch, queries, head = (columns[name] for name in ("batch", "queries", "head"))
    tile, padded = tile_of(columns)
    rate = chip.matrix_rate / chip.sms * constants["issue"]
    key_s = 4 * tile * (padded + constants["softmax"]) / rate * np.where(head > LONG_HEAD, constants["long_head"], 1.0)
    behind = np.where(columns["causal"] > 0, tile / 2, 0) + constants["tile_keys"] / 2
    tiles = np.ceil(rows / tile)
    walked = np.maximum(keys, reached(columns, keys) * rows / queries / tile) + tiles * behind
    block_s = (constants["block"] + constants["row"] * np.minimum(rows, tile) * head / 128) * 1e-9
    work = batch * many * (tiles * block_s + walked * key_s)
    longest = block_s + (keys + behind) * key_s * constants["alone"]
    seconds = np.maximum(longest, work / chip.sms + constants["tail"] * longest)
    return Grid(seconds, batch * many * tiles, walked * many)


def _model(columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    batch, heads, kv_heads, head = (columns[name] for name in ("batch", "heads", "kv_heads", "head"))
    queries, keys, width = columns["queries"], np.maximum(columns["keys"], columns["queries"]), columns["bytes"]
    tile, padded = tile_of(columns)
    single = grid(columns, keys, chip, constants, heads, queries)
    packed = grid(columns, keys, chip, constants, kv_heads, queries * np.ceil(heads / kv_heads))
    lacking = packed.seconds * np.where(queries > 1, constants["unpacked"], constants["unpacked_one"])
    first = single.seconds <= lacking
    blocks, walked = (np.where(first, one, other) for one, other in zip(single[1:], packed[1:], strict=True))

    query_bytes = batch * heads * queries * head * width
    stored = batch * kv_heads * keys * head * width
    moved = 2 * query_bytes + 2 * stored
    stays = resident(moved, chip)
    cold = moved * (1 - columns["warm"] * stays)
    again = constants["query_passes"] * query_bytes + constants["cache_passes"] * 2 * stored
    l2_rate, dram_rate = constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz, constants["dram"] * chip.bandwidth
    before = np.maximum(again / l2_rate, again * (1 - stays) / dram_rate)
    seconds = {
        "blocks": np.minimum(single.seconds, lacking),
        "dram": cold / dram_rate,
        "limit": 4 * batch * heads * reached(columns, keys) * head / chip.matrix_rate,
    }
    terms = {name: value * 1e9 for name, value in seconds.items()}
    fixed = constants["start"] + constants["head_start"] * np.log2(np.maximum(1.0, head / 64))
    return Estimate(
        ns=soft_max(constants["overlap"], *terms.values()) + before * 1e9 + fixed + spilled_ns(columns, constants),
        flops=4 * batch * walked * tile * padded,
        dram_bytes=cold + again * (1 - stays),
        l2_bytes=moved + again,
        terms=terms | {"stores": before * 1e9},
        facts={"blocks": blocks, **waves_of(blocks / chip.sms)},
        ways=("one block per head", "one block per shared cache"),
        way_ns=np.stack([single.seconds, lacking], axis=1) * 1e9,
    )


_CONSTANTS = (
    Constant("issue", "", 0.8, 0.05, 1.0, "sustained share of the matrix units' peak"),
    Constant("softmax", "elements", 60, 0.1, 500, "cost of a key's exponential, as elements of a head"),
    Constant("tile_keys", "keys", 128, 1, 1024, "keys per step; half of them are wasted at a block's end"),
    Constant("block", "ns", 1000, 1, 1e5, "fixed time of a block"),
    Constant("row", "ns", 10, 0.01, 1e3, "time of a block for each of its queries, of heads of 128"),
    Constant(
        "alone", "", 1.0, 0.3, 4, "time of a step of a block alone, relative to its share of a full multiprocessor"
    ),
    Constant("tail", "", 0.5, 0.001, 1, "share of the longest block's time that is lost at the end"),
    Constant("unpacked", "", 1.2, 1, 1e3, "slowdown of a kernel that packs heads: large where a library has none"),
    Constant("unpacked_one", "", 1.2, 1, 1e3, "the same for one query, for which a library may have its own kernel"),
    Constant("long_head", "", 1.2, 1, 20, "slowdown of steps for heads above 256, which registers don't hold"),
    Constant("query_passes", "", 2, 0.01, 10, "additional passes over queries: their rotation beforehand"),
    Constant("cache_passes", "", 2, 0.01, 10, "additional passes over keys and values: storing them in the cache"),
    Constant("dram", "", 0.85, 0.1, 1.0, "sustained share of DRAM bandwidth"),
    Constant("l2_bytes_per_clock", "B/clock/SM", 30, 1, 500, "L2 to SM bandwidth"),
    Constant("overlap", "", 4, 1, 12, "how well arithmetic and traffic overlap: 1 not at all, large perfectly"),
    *SPILLED,
    Constant("start", "ns", 6000, 0, 1e6, "fixed time: launch latency, first loads, last stores"),
    Constant("head_start", "ns", 500, 1, 1e5, "additional fixed time for each doubling of the head above 64"),
)
PREFILL = KernelClass(
    "prefill", "fused attention of many queries per head", ATTENTION_COLUMNS, _CONSTANTS, _model, spread=8, tries=6
)
