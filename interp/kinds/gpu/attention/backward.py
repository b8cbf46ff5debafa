"""The gradient of fused attention: a kernel with the forward kernel's tiles, but five products instead of two, runs
after a pass over the results and before a pass over the gradient of the queries (Dao, 2023: FlashAttention-2)."""

from __future__ import annotations

import numpy as np

from interp.kinds.gpu.attention.columns import ATTENTION_COLUMNS
from interp.kinds.gpu.attention.prefill import PREFILL, grid, padded_head, reached
from interp.kinds.gpu.chip import Chip
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

_PRODUCTS = 2.5
"""Products of the gradient (q · kᵀ recomputed, dv, dp, dq, dk) per product of the forward pass."""
_SUMS = 4.0
"""Bytes per element of dq while blocks accumulate into it."""


def _model(columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    """The model of the gradient: each block processes a tile of keys and iterates over queries, with as many steps as
    the forward kernel."""
    batch, heads, kv_heads, head = (columns[name] for name in ("batch", "heads", "kv_heads", "head"))
    queries, keys, width = columns["queries"], np.maximum(columns["keys"], columns["queries"]), columns["bytes"]
    padded = padded_head(columns)
    slower = {**constants, "issue": constants["issue"] * constants["backward"] / _PRODUCTS}
    # Where exponentials take most of the forward kernel's time, measurements of it don't determine the rate of its
    # products, and its constants may state one above the peak.
    slower |= {name: min(constants[name], 1 / constants["issue"]) for name in ("head_64", "head_256")}
    blocks = grid(columns, keys, chip, slower, heads, queries)
    query_bytes = batch * heads * queries * head * width
    stored = batch * kv_heads * keys * head * width
    moved = (
        4 * query_bytes + 4 * stored + 2 * batch * heads * queries * _SUMS
    )  # q, y, dy, dq; k, v, dk, dv; two values per row
    stays = resident(moved, chip)
    cold = moved * (1 - columns["warm"] * stays)
    again = query_bytes * (1 + 3 * _SUMS / width)  # dy for the sums of dy · y; dq cleared, added up, rounded
    l2_rate, dram_rate = constants["l2_bytes_per_clock"] * chip.sms * chip.clock_hz, constants["dram"] * chip.bandwidth
    besides = np.maximum(again / l2_rate, again * (1 - stays) / dram_rate)
    useful = 4 * _PRODUCTS * batch * heads * reached(columns, keys) * head
    limit = useful / chip.matrix_rate / constants["backward"]
    seconds = {"blocks": blocks.seconds(chip, slower), "dram": cold / dram_rate, "limit": limit}
    terms = {name: value * 1e9 for name, value in seconds.items()}
    fixed = constants["start"] + constants["head_start"] * np.log2(np.maximum(1.0, head / 64))
    return Estimate(
        ns=soft_max(constants["overlap"], *terms.values()) + besides * 1e9 + fixed,
        flops=4 * _PRODUCTS * blocks.walked * padded,
        dram_bytes=cold + again * (1 - stays),
        l2_bytes=moved + again,
        terms=terms | {"passes": besides * 1e9},
        facts={"blocks": blocks.blocks, **waves_of(blocks.blocks / chip.sms)},
    )


_SHARED = (
    *("issue", "softmax", "exposed", "tile_keys", "block", "row", "alone", "tail", "long_head", "head_64", "head_256"),
    *("dram", "l2_bytes_per_clock", "overlap", "start", "head_start"),
)
BACKWARD = KernelClass(
    "attention_backward",
    "gradients of fused attention with respect to queries, keys and values, with weights recomputed",
    ATTENTION_COLUMNS,
    (
        *(constant for constant in PREFILL.constants if constant.name in _SHARED),
        Constant(
            "backward",
            "",
            0.86,
            0.5,
            1.0,
            "rate of the products, as a share of the forward kernel's; assumed (FlashAttention-2, arXiv:2307.08691, "
            "on an A100: up to 63 % and 73 % of the peak), 0.7 to 1",
        ),
    ),
    _model,
    spread=PREFILL.spread,
    tries=PREFILL.tries,
)
