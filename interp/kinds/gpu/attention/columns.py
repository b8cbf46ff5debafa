"""The columns (sizes and options of kernels, as arrays with one entry per kernel) that describe all forms of fused
attention."""

from __future__ import annotations

import numpy as np

from interp.kinds.gpu.chip import Floats
from interp.kinds.gpu.kernel_class import WARM, Column, Columns, Constant, Constants

LONG_HEAD = 256.0
"""The largest head size, in elements, that registers hold."""
ATTENTION_COLUMNS = (
    Column("batch", "sequences"),
    Column("queries", "query positions per sequence"),
    Column("keys", "key positions per sequence"),
    Column("heads", "query heads"),
    Column("kv_heads", "heads of keys and values; fewer than `heads` where they are shared"),
    Column("head", "elements per head"),
    Column("causal", "1 where a query attends to no key after its own position, else 0", 0, flag=True),
    Column("cache_bytes", "bytes of a cached element; 0: as the operands", 0),
    WARM,
)
SPILLED = (
    Constant(
        "spilled", "ns", 10, 0.1, 1e5, "time per sequence and cache head, serially, for one query and heads above 256"
    ),
    Constant(
        "spilled_until",
        "heads",
        768,
        1,
        1e6,
        "sequences times cache heads from which a library uses a parallel kernel instead",
        fixed=True,
    ),
)
"""Constants for kernels with one query per head whose heads are too long for registers. A library may have one kernel
that processes the heads serially, and another for many heads: on an H200, attention over 512 sequences with a head
of 512 elements takes 2.4 ms, over 1,024 such sequences 0.16 ms."""


def cache_width(columns: Columns) -> Floats:
    """Bytes of a cached element of keys and values."""
    cached = columns.get("cache_bytes", 0.0 * columns["bytes"])
    return np.where(cached > 0, cached, columns["bytes"])


def spilled_ns(columns: Columns, constants: Constants) -> Floats:
    """Additional time in ns of kernels that process heads too long for registers one after another; 0 for other
    kernels."""
    jobs = columns["batch"] * columns["kv_heads"]
    serial = (columns["head"] > LONG_HEAD) & (columns["queries"] < 2) & (jobs < constants["spilled_until"])
    return np.where(serial, jobs * constants["spilled"], 0.0)
