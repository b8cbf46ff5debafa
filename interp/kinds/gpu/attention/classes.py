"""Fused attention: prefill (many queries per head), decode (one query per head over cached keys and values),
gradients."""

from __future__ import annotations

from interp.kinds.gpu.attention.backward import BACKWARD
from interp.kinds.gpu.attention.decode import DECODE
from interp.kinds.gpu.attention.prefill import PREFILL

ATTENTION_CLASSES = (PREFILL, DECODE, BACKWARD)
