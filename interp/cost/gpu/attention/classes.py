"""Fused attention: prefill (many queries a head) and decode (one query a head over cached keys and values)."""

from __future__ import annotations

from interp.cost.gpu.attention.decode import DECODE
from interp.cost.gpu.attention.prefill import PREFILL

ATTENTION_CLASSES = (PREFILL, DECODE)
