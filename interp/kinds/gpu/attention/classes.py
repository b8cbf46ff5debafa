"""Fused attention: prefill (many queries per head), decode (one query per head over cached keys and values),
gradients."""

from __future__ import annotations

from interp.kinds.gpu.attention.backward import BACKWARD
from interp.kinds.gpu.attention.decode import DECODE, DECODE_NARROW
from interp.kinds.gpu.attention.prefill import BIDIRECTIONAL, PREFILL, PREFILL_NARROW

ATTENTION_CLASSES = (PREFILL, BIDIRECTIONAL, PREFILL_NARROW, DECODE, DECODE_NARROW, BACKWARD)
