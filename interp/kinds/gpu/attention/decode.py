"""Fused attention of one query per head over cached keys and values: each block iterates over the keys of a cache,
heads that share a cache are packed into one block, and the keys of a cache are split over several blocks when there
are few caches."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from interp.kinds.gpu.attention.columns import ATTENTION_COLUMNS, SPILLED, cache_width, spilled_ns
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

_STEP = 64.0
"""The number of keys that a block processes per step."""
_WIDE = 32.0
"""The largest number of query heads per cache for which libraries are sure to have a kernel that packs these heads into
one block."""
_LANES = 8.0
"""Rows on the smaller side of a matrix instruction: the number of packed heads is rounded up to a multiple of it."""


class _Variant(NamedTuple):
    """Estimates of one way to run the kernels (with packed heads, or with one block per head): number of blocks, times,
    and bytes fetched; each array has one entry per kernel."""

    blocks: Floats
    splits: Floats
    """Blocks among which the keys of one query are split; their partial results are added afterwards."""
    waves: Floats
    compute: Floats
    """Seconds that blocks compute, without traffic limits."""
    fetched: Floats
    """Bytes that blocks fetch from L2."""
    dram: Floats


class _Sizes(NamedTuple):
    """The sizes of kernels that the decode model uses, one array per column, with one entry per kernel."""

    batch: Floats
    keys: Floats
    heads: Floats
    kv_heads: Floats
    head: Floats
    width: Floats
    """Bytes of an element of queries and results."""
    cache_width: Floats
    """Bytes of an element of cached keys and values."""
    apart: Floats
    """1 if values are stored separately from keys, 0 if one cache serves as both."""
    warm: Floats

    @property
    def cache(self) -> Floats:
        """Bytes of the cached keys, without the values."""
        return self.batch * self.kv_heads * self.keys * self.head * self.cache_width

    @property
    def outside(self) -> Floats:
        """Bytes of queries and results."""
        return 2 * self.batch * self.heads * self.head * self.width


def _splits(jobs: Floats, keys: Floats, blocks: Floats, constants: Constants) -> Floats:
    """The number of blocks among which the keys of a job (the heads that one block processes) are split: each block
    gets at least a minimum number of keys, and all jobs together at most `blocks` blocks, unless there are more
    jobs."""
    return np.maximum(1.0, np.minimum(keys / constants["split_keys"], blocks / jobs))


def _walk(blocks: Floats, places: Floats, tail: float) -> tuple[Floats, Floats]:
    """The number of waves of blocks over `places` slots, and the effective number of waves: the free slots of the last
    wave count with the fraction `tail`."""
    waves = blocks / places
    return waves, np.maximum(1.0, waves + tail * (np.ceil(waves) - waves))


def _packed(sizes: _Sizes, chip: Chip, constants: Constants) -> _Variant:
    """The kernel that packs the heads that share keys and values into the rows of one block's query tile: the cache is
    fetched once."""
    group = np.ceil(sizes.heads / sizes.kv_heads)
    rows = np.ceil(group / _LANES) * _LANES
    jobs = sizes.batch * sizes.kv_heads
    splits = _splits(jobs, sizes.keys, constants["split_waves"] * chip.sms, constants)
    steps = np.maximum(1.0, sizes.keys / (splits * _STEP))
    rate = constants["issue"] * chip.matrix_rate / chip.sms
    products = 4 * _STEP * rows * sizes.head / rate
    load = 2 * _STEP * sizes.head * sizes.cache_width / (constants["block_bytes_per_clock"] * chip.clock_hz)
    fixed = (constants["block"] + constants["row"] * rows) * (sizes.head / 128) ** constants["block_head"]
    block_s = fixed * 1e-9 + steps * (constants["step"] * 1e-9 + load + products)
    lacking = np.where(group < 2, constants["lone"], np.where(group > _WIDE, constants["wide"], 1.0))
    waves, counted = _walk(jobs * splits, chip.sms * constants["per_sm"], constants["tail"])
    unique = sizes.cache * (1 + sizes.apart)
    dram = unique * (1 - sizes.warm * resident(unique, chip))
    return _Variant(jobs * splits, splits, waves, counted * block_s * lacking, 2 * sizes.cache, dram)


def _single(sizes: _Sizes, chip: Chip, constants: Constants) -> _Variant:
    """The kernel with one block per head: each of the heads that share a cache fetches it, through L2."""
    jobs = sizes.batch * sizes.heads
    splits = _splits(jobs, sizes.keys, constants["head_split_waves"] * chip.sms, constants)
    part = sizes.keys / splits
    load = 2 * sizes.head * sizes.cache_width / (constants["head_bytes_per_clock"] * chip.clock_hz)
    fixed = constants["head_block"] * (sizes.head / 128) ** constants["block_head"]
    block_s = fixed * 1e-9 + part * (constants["head_step"] * 1e-9 / _STEP + load)
    places = chip.sms * constants["heads_per_sm"]
    waves, counted = _walk(jobs * splits, places, constants["tail"])
    flying = np.minimum(jobs * splits, places) * part * sizes.head * sizes.cache_width
    again = np.maximum(sizes.apart, 1 - resident(flying, chip))
    warm = 1 - sizes.warm * resident(sizes.cache * (1 + sizes.apart), chip)
    fetched = 2 * sizes.cache * sizes.heads / sizes.kv_heads
    return _Variant(jobs * splits, splits, waves, counted * block_s, fetched, sizes.cache * (1 + again) * warm)


def _model(columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    sizes = _Sizes(
        *(columns[name] for name in ("batch", "keys", "heads", "kv_heads", "head", "bytes")),
        cache_width=cache_width(columns),
        apart=columns["apart"],
        warm=columns["warm"],
    )
    packed, single = _packed(sizes, chip, constants), _single(sizes, chip, constants)
    l2_rate = constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz
    merge = constants["merge"] * np.clip(sizes.keys / constants["split_keys"] - 1, 0, 1)
    flops = 4 * sizes.batch * sizes.heads * sizes.keys * sizes.head
    terms: list[dict[str, Floats]] = []
    totals: list[Floats] = []
    for way in (packed, single):
        fetched = way.fetched + sizes.outside
        cold = way.dram + sizes.outside * (1 - sizes.warm)
        seconds = {
            "blocks": way.compute,
            "dram": cold / (constants["dram"] * chip.bandwidth),
            "l2": fetched / l2_rate,
            "math": flops / chip.matrix_rate,
        }
        terms.append({name: value * 1e9 for name, value in seconds.items()} | {"cold": cold, "fetched": fetched})
        totals.append(soft_max(constants["overlap"], *(value * 1e9 for value in seconds.values())) + merge)
    group = sizes.heads / sizes.kv_heads
    first = (totals[0] < totals[1]) | ((group >= 2) & (group <= _WIDE))

    def won(one: Floats, other: Floats) -> Floats:
        return np.where(first, one, other)

    wide = np.maximum(1.0, sizes.head / 64)
    serial = spilled_ns(columns, constants)
    both = {name: won(terms[0][name], terms[1][name]) for name in terms[0]}
    cold, fetched = both.pop("cold"), both.pop("fetched")
    facts = {name: won(getattr(packed, name), getattr(single, name)) for name in ("blocks", "splits")}
    return Estimate(
        ns=won(*totals) + constants["start"] + constants["head_start"] * np.log2(wide) + serial,
        flops=flops,
        dram_bytes=cold,
        l2_bytes=fetched,
        terms=both | {"merge": merge, "serial": serial},
        facts=facts | waves_of(won(packed.waves, single.waves)),
        ways=("one block per shared cache", "one block per head"),
        way_ns=np.stack([totals[0], np.where(first & (totals[0] >= totals[1]), np.inf, totals[1])], axis=1),
    )


_APART = Column(
    "apart", "1 where values are stored separately from keys, 0 where one cache serves as both", 1, flag=True
)
_CONSTANTS = (
    Constant("block", "ns", 4000, 10, 1e5, "fixed time of a block of packed heads"),
    Constant("row", "ns", 20, 0.1, 1e3, "time of a block for each row of its query tile"),
    Constant("step", "ns", 200, 1, 1e4, "latency of one step over 64 keys"),
    Constant("block_head", "", 0.3, 0.001, 1.5, "exponent of the fixed time of a block as a function of its head"),
    Constant("block_bytes_per_clock", "B/clock", 60, 2, 2000, "fetch bandwidth of one block"),
    Constant("per_sm", "blocks/SM", 1, 0.5, 8, "resident blocks of packed heads"),
    Constant("head_block", "ns", 6000, 10, 1e5, "fixed time of a block of one head"),
    Constant("head_step", "ns", 200, 1, 1e4, "latency of one step over 64 keys for one head"),
    Constant("head_bytes_per_clock", "B/clock", 30, 1, 2000, "fetch bandwidth of one block of one head"),
    Constant("heads_per_sm", "blocks/SM", 4, 0.5, 16, "resident blocks of one head"),
    Constant("tail", "", 0.5, 0.01, 1, "share of the last wave's free slots that is lost"),
    Constant("split_keys", "keys", 128, 16, 8192, "minimum keys per block when a library splits keys over blocks"),
    Constant("split_waves", "blocks/SM", 4, 0.3, 16, "blocks up to which it splits further"),
    Constant("head_split_waves", "blocks/SM", 1, 0.3, 16, "the same for blocks of one head"),
    Constant("merge", "ns", 2500, 10, 1e5, "time to add partial results of split keys"),
    Constant("issue", "", 0.5, 0.02, 1.0, "sustained share of the matrix units' peak"),
    Constant("dram", "", 0.88, 0.1, 1.0, "sustained share of DRAM bandwidth"),
    Constant("l2_bytes_per_clock", "B/clock/SM", 40, 1, 500, "L2 to SM bandwidth"),
    Constant("overlap", "", 4, 1, 12, "how well block time and traffic overlap: 1 not at all, large perfectly"),
    Constant("lone", "", 2, 1, 1e3, "slowdown of a packed kernel for one head: large where a library has none"),
    Constant(
        "wide", "", 3, 1, 1e3, "slowdown of a packed kernel for more than 32 heads: large where a library has none"
    ),
    *SPILLED,
    Constant("start", "ns", 5000, 0, 1e6, "fixed time: launch latency, the new key's write, last stores"),
    Constant("head_start", "ns", 500, 1, 1e5, "additional fixed time for each doubling of the head above 64"),
)
DECODE = KernelClass(
    "decode",
    "fused attention of one query per head over cached keys and values",
    (*ATTENTION_COLUMNS, _APART),
    of_chip(_CONSTANTS, "dram", "l2_bytes_per_clock"),
    _model,
    spread=8,
    tries=16,
)
DECODE_NARROW = replace(
    DECODE,
    name="decode_narrow",
    family="decode",
    meaning="the same as `decode` over cached keys and values of fewer bits than the query",
)
