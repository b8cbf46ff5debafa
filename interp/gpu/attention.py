"""Fused attention: prefill (many queries a head) and decode (one query a head over cached keys and values)."""

from __future__ import annotations

import numpy as np

from interp.gpu.attention_columns import ATTENTION_COLUMNS
from interp.gpu.attention_decode import DECODE
from interp.gpu.chip import Chip
from interp.gpu.kernel_class import (
    Columns,
    Constant,
    Constants,
    Estimate,
    KernelClass,
    resident,
    soft_max,
)


def _model(columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    batch, heads, kv_heads, head = (columns[name] for name in ("batch", "heads", "kv_heads", "head"))
    queries, keys = columns["queries"], columns["keys"]
    reached = np.where(columns["causal"] > 0, keys - (queries - 1) / 2, keys)
    flops = 4 * batch * heads * queries * reached * head
    moved = batch * head * columns["bytes"] * (2 * heads * queries + 2 * kv_heads * keys)
    fetched = moved * (1 - columns["warm"] * resident(moved, chip))
    compute = flops / (constants["issue"] * chip.matrix_rate) * 1e9
    dram = fetched / (constants["dram"] * chip.bandwidth) * 1e9
    return Estimate(
        ns=soft_max(constants["overlap"], compute, dram) + constants["start"],
        flops=flops,
        dram_bytes=fetched,
        l2_bytes=moved,
        terms={"compute": compute, "dram": dram},
    )


_CONSTANTS = (
    Constant("issue", "", 0.6, 0.05, 1.0, "sustained share of the peak rate"),
    Constant("dram", "", 0.8, 0.05, 1.0, "sustained share of DRAM bandwidth"),
    Constant("overlap", "", 4, 1, 12, "how well arithmetic and traffic overlap"),
    Constant("start", "ns", 3000, 0, 1e6, "fixed time: launch latency, first loads, last stores"),
)
ATTENTION_CLASSES = (
    KernelClass("prefill", "fused attention of many queries a head", ATTENTION_COLUMNS, _CONSTANTS, _model),
    DECODE,
)
