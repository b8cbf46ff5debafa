"""What describes a fused attention of any kind."""

from __future__ import annotations

from interp.gpu.kernel_class import WARM, Column

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
