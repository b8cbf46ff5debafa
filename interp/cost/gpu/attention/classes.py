"""Fused attention: prefill (many queries per head), decode (one query per head over cached keys and values),
gradients."""

from __future__ import annotations

from interp.cost.gpu.attention.backward import BACKWARD
from interp.cost.gpu.attention.decode import DECODE
from interp.cost.gpu.attention.prefill import PREFILL

ATTENTION_CLASSES = (PREFILL, DECODE, BACKWARD)
