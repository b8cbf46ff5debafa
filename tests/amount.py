"""The number of random cases that a law draws: in a run 12 from hypothesis, and a fifth of what a law names.

NDPIR_EXAMPLES=600 draws fifty times as many of both.
"""

from __future__ import annotations

import os

EXAMPLES = int(os.environ.get("NDPIR_EXAMPLES", "12"))


def cases(named: int) -> int:
    """The number of cases to draw where a law names so many for NDPIR_EXAMPLES=60."""
    return max(1, round(named * EXAMPLES / 60))
