"""Fused attention of many queries a head: tiles of queries that walk their keys, after a pass that stores the keys."""

from __future__ import annotations

import numpy as np

from interp.gpu.attention_columns import ATTENTION_COLUMNS
from interp.gpu.chip import Chip, Floats
from interp.gpu.kernel_class import Columns, Constant, Constants, Estimate, KernelClass, resident, soft_max

_TILE = 128.0
"""Queries of a block at most."""
_HELD = 32768.0
"""Elements of a query tile that a block can hold: longer heads have shorter tiles."""
_LANES = 64.0
"""Heads are padded to a multiple of this."""


def _model(columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    batch, heads, kv_heads, head = (columns[name] for name in ("batch", "heads", "kv_heads", "head"))
    queries, keys, width = columns["queries"], np.maximum(columns["keys"], columns["queries"]), columns["bytes"]
    causal = columns["causal"] > 0
    reached = queries * np.where(causal, keys - (queries - 1) / 2, keys)
    flops = 4 * batch * heads * reached * head

    group = np.ceil(heads / kv_heads)
    padded = np.ceil(head / _LANES) * _LANES
    rate = chip.matrix_rate / chip.sms * constants["issue"]
    tile = np.minimum(_TILE, _HELD / padded)
    key_s = 4 * tile * (padded + constants["softmax"]) / rate * np.where(head > 256, constants["long_head"], 1.0)
    behind = np.where(causal, tile / 2, 0) + constants["tile_keys"] / 2
    alone = (keys + behind) * key_s * constants["alone"]

    def way(many: Floats, rows: Floats) -> tuple[Floats, Floats, Floats]:
        """Seconds, blocks and keys walked of `many` problems a sequence, each with `rows` rows of queries."""
        tiles = np.ceil(rows / tile)
        walked = np.maximum(keys, reached * rows / queries / tile) + tiles * behind
        block_s = (constants["block"] + constants["row"] * np.minimum(rows, tile) * head / 128) * 1e-9
        work = batch * many * (tiles * block_s + walked * key_s)
        longest = block_s + alone
        return np.maximum(longest, work / chip.sms + constants["tail"] * longest), batch * many * tiles, walked * many

    single, packed = way(heads, queries), way(kv_heads, queries * group)
    lacking = packed[0] * np.where(queries > 1, constants["unpacked"], constants["unpacked_one"])
    first = single[0] <= lacking
    grid, blocks, walked = (np.where(first, one, other) for one, other in zip(single, packed, strict=True))
    grid = np.minimum(single[0], lacking)
    asked = batch * heads * queries * head * width
    stored = batch * kv_heads * keys * head * width
    moved = 2 * asked + 2 * stored
    cold = moved * (1 - columns["warm"] * resident(moved, chip))
    dram = cold / (constants["dram"] * chip.bandwidth)
    again = constants["query_passes"] * asked + constants["cache_passes"] * 2 * stored
    l2_rate = constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz
    stays = resident(moved, chip)
    before = np.maximum(again / l2_rate, again * (1 - stays) / (constants["dram"] * chip.bandwidth))
    limit = flops / chip.matrix_rate
    terms = {"blocks": grid * 1e9, "dram": dram * 1e9, "limit": limit * 1e9}
    wide = np.log2(np.maximum(1.0, head / 64))
    fixed = (
        constants["start"]
        + constants["head_start"] * wide
        + np.where((head > 256) & (queries < 2), batch * kv_heads * constants["spilled"], 0)
    )
    return Estimate(
        ns=soft_max(constants["overlap"], *terms.values()) + before * 1e9 + fixed,
        flops=4 * batch * walked * tile * padded,
        dram_bytes=cold + again * (1 - stays),
        l2_bytes=moved + again,
        terms=terms | {"stores": before * 1e9},
        facts={"blocks": blocks, "waves": blocks / chip.sms},
        ways=("a head a block", "heads that share a cache in one block"),
        way_ns=np.stack([single[0], lacking], axis=1) * 1e9,
    )


_CONSTANTS = (
    Constant("issue", "", 0.8, 0.05, 1.0, "sustained share of the matrix units' peak"),
    Constant("softmax", "elements", 60, 0.1, 500, "cost of a key's exponential, as elements of a head"),
    Constant("tile_keys", "keys", 128, 1, 1024, "keys of a step; half of them are wasted at a block's end"),
    Constant("block", "ns", 1000, 1, 1e5, "fixed time of a block"),
    Constant("row", "ns", 10, 0.01, 1e3, "time of a block for each of its queries, of heads of 128"),
    Constant("alone", "", 1.0, 0.3, 4, "how much slower steps of one block alone are than its share of a full unit"),
    Constant("tail", "", 0.5, 0.001, 1, "how much of the longest block's time is lost at the end"),
    Constant(
        "unpacked", "", 1.2, 1, 1e3, "how much slower a kernel that packs heads is: large where a library has none"
    ),
    Constant("unpacked_one", "", 1.2, 1, 1e3, "the same for one query, which may have a kernel of its own"),
    Constant("long_head", "", 1.2, 1, 20, "how much slower steps are for heads above 256, which registers don't hold"),
    Constant("query_passes", "", 2, 0.01, 10, "times that queries are moved besides: their rotation, before"),
    Constant("cache_passes", "", 2, 0.01, 10, "times that keys and values are moved besides: into the cache"),
    Constant("dram", "", 0.85, 0.1, 1.0, "sustained share of DRAM bandwidth"),
    Constant("l2_bytes_per_clock", "B/clock/SM", 30, 1, 500, "L2 to SM bandwidth"),
    Constant("overlap", "", 4, 1, 12, "how well arithmetic and traffic overlap"),
    Constant(
        "spilled", "ns", 500, 0.1, 1e5, "time of each sequence's cache head of one query, in turn, of heads above 256"
    ),
    Constant("start", "ns", 6000, 0, 1e6, "fixed time: launch latency, first loads, last stores"),
    Constant("head_start", "ns", 500, 1, 1e5, "fixed time more for each doubling of the head above 64"),
)
PREFILL = KernelClass(
    "prefill", "fused attention of many queries a head", ATTENTION_COLUMNS, _CONSTANTS, _model, spread=8, tries=6
)
