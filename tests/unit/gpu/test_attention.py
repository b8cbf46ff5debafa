"""Times of fused attention on GPUs, for kernels with known behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from benchmarks.gpu.measurements import read_groups
from interp.kinds.gpu.chip import Chip
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.kernel_class import Estimate
from interp.machine.records import Gpu
from interp.machine.sheets.files import load_device

LLAMA = {"heads": 32, "kv_heads": 8, "head": 128, "bytes": 2}


def estimate(
    kernel_class: str, gpu: str = "h100_sxm", constants: Mapping[str, float] | None = None, **numbers: float
) -> Estimate:
    """A kernel's estimate with the given constants, or with plausible ones."""
    sheet = load_device(gpu)
    assert isinstance(sheet, Gpu)
    found = CLASSES[kernel_class]
    known = {column.name: column.default or 0.0 for column in found.columns}
    columns = {name: np.array([float(value)]) for name, value in {**known, **LLAMA, **numbers}.items()}
    return found.estimate(columns, Chip.of(sheet, "bf16"), constants)


def way(found: Estimate) -> str:
    assert found.way_ns is not None
    return found.ways[int(np.argmin(found.way_ns[0]))]


def test_a_decode_reads_its_cache_once():
    found = estimate("decode", batch=64, queries=1, keys=8192)
    cache = 2 * 64 * 8 * 8192 * 128 * 2
    results = 2 * 64 * 32 * 128 * 2
    assert found.dram_bytes == cache + results
    assert cache / 3.352e12 * 1e9 < found.ns[0] < 1.5 * cache / 3.352e12 * 1e9


def test_one_cache_for_keys_and_values_is_half_the_traffic():
    apart, one = (estimate("decode", batch=64, queries=1, keys=8192, apart=apart).dram_bytes for apart in (1, 0))
    assert one / apart == pytest.approx(0.5, rel=0.01)


def test_keys_are_split_over_blocks_where_sequences_are_few():
    few, many = (estimate("decode", batch=batch, queries=1, keys=16384) for batch in (1, 256))
    assert few.facts["splits"] > 8
    assert many.facts["splits"] == 1
    assert many.ns < 256 * few.ns


def test_one_block_computes_all_heads_that_share_a_cache():
    assert way(estimate("decode", batch=8, queries=1, keys=4096)) == "one block per shared cache"
    assert way(estimate("decode", batch=8, queries=1, keys=4096, kv_heads=32)) == "one block per head"


def test_the_time_of_a_short_cache_depends_on_blocks_and_not_on_bytes():
    short, shorter = (estimate("decode", batch=1024, queries=1, keys=keys).ns for keys in (32, 16))
    assert short == pytest.approx(shorter, rel=0.02)


def test_a_causal_prefill_does_about_half_the_work():
    full, causal = (estimate("prefill", batch=4, queries=8192, keys=8192, causal=causal) for causal in (0, 1))
    assert causal.flops / full.flops == pytest.approx(0.5, abs=0.02)
    assert 0.5 < causal.ns / full.ns < 0.6


def test_blocks_of_a_causal_prefill_waste_half_a_tile():
    short, long = (estimate("prefill", batch=64, queries=queries, keys=queries, causal=1) for queries in (256, 8192))
    useful = [4 * 64 * 32 * 128 * (queries * (queries + 1) / 2) for queries in (256, 8192)]
    assert short.flops / useful[0] > 1.4
    assert long.flops / useful[1] < 1.05


def test_short_heads_pay_more_for_their_exponentials():
    """Twice as many heads of half the length need the same number of multiplications, but twice as many
    exponentials."""
    long = estimate("prefill", batch=4, queries=4096, keys=4096, causal=1)
    short = estimate("prefill", batch=4, queries=4096, keys=4096, causal=1, heads=64, kv_heads=16, head=64)
    assert short.flops == long.flops
    assert short.ns > 1.2 * long.ns


def test_few_queries_of_heads_that_share_a_cache_are_packed():
    assert way(estimate("prefill", batch=64, queries=16, keys=4096, causal=1)).endswith("of heads that share a cache")
    assert way(estimate("prefill", batch=64, queries=1024, keys=4096, causal=1)).endswith("of one head")


def test_rows_of_a_combined_cache_have_one_cache(tmp_path: Path):
    head = "id,gpu,op,dtype,batch,q_len,kv_len,heads,kv_heads,head_dim,lat_us,power_w,src\n"
    rows = [
        f"{number},H100-SXM,{op}_attention,bf16,4,{queries},512,8,8,128,9.5,,{source}"
        for number, (op, queries, source) in enumerate(
            [("generation", 1, "h100:trtllm/1.3.0rc10"), ("generation", 1, "h200:vllm/0.22.0")]
        )
    ]
    (tmp_path / "aic_attention.csv").write_text(head + "\n".join(rows) + "\n")
    apart = {group.library: group.columns["apart"].tolist() for group in read_groups(tmp_path)}
    assert apart == {"trtllm_1_3_rc10": [0], "vllm_0_22": [1]}
