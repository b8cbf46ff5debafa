"""Columns that describe a fused attention of any kind."""

from __future__ import annotations

import numpy as np

from interp.cost.gpu.chip import Floats
from interp.cost.gpu.kernel_class import WARM, Column, Columns, Constant, Constants

LONG_HEAD = 256.0
"""Elements of a head beyond which registers don't hold it."""
ATTENTION_COLUMNS = (
    Column("batch", "sequences"),
    Column("queries", "query positions a sequence"),
    Column("keys", "key positions a sequence"),
    Column("heads", "query heads"),
    Column("kv_heads", "heads of keys and values; fewer than `heads` where they are shared"),
    Column("head", "elements a head"),
    Column("causal", "1 where a query sees no key behind its own position, else 0", 0, flag=True),
    WARM,
)
SPILLED = (
    Constant(
        "spilled", "ns", 10, 0.1, 1e5, "time of each sequence's cache head of one query, in turn, of heads above 256"
    ),
    Constant(
        "spilled_until",
        "heads",
        768,
        1,
        1e6,
        "sequences times cache heads from which a library takes a kernel that has none of that",
        fixed=True,
    ),
)
"""Of one query for heads that registers don't hold. A library may have a kernel that takes them one after another, and
another one for many: on an H200 512 sequences of a head of 512 elements take 2.4 ms, 1,024 of them 0.16 ms."""


def spilled_ns(columns: Columns, constants: Constants) -> Floats:
    """Time of what goes in turn, ns."""
    jobs = columns["batch"] * columns["kv_heads"]
    serial = (columns["head"] > LONG_HEAD) & (columns["queries"] < 2) & (jobs < constants["spilled_until"])
    return np.where(serial, jobs * constants["spilled"], 0.0)
