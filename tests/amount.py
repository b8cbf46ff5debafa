"""The number of random cases that a law draws: by default 12 with hypothesis, and a fifth of the number that a law
passes to `cases`.

NDPIR_EXAMPLES=600 multiplies both numbers by fifty.
"""

from __future__ import annotations

import os

EXAMPLES = int(os.environ.get("NDPIR_EXAMPLES", "12"))


def cases(at_60: int) -> int:
    """The number of cases to draw: `at_60` if NDPIR_EXAMPLES is 60, otherwise in proportion to it, and at least 1."""
    return max(1, round(at_60 * EXAMPLES / 60))
