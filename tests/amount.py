"""Numbers of random cases that property tests (laws) draw: `EXAMPLES`, by default 9, for tests with hypothesis;
`cases` for tests that draw by themselves, by default a seventh of its argument (9 / 60).

Both are proportional to the environment variable NDPIR_EXAMPLES: 450 multiplies them by fifty.
"""

from __future__ import annotations

import os

EXAMPLES = int(os.environ.get("NDPIR_EXAMPLES", "9"))


def cases(at_60: int) -> int:
    """The number of cases to draw: `at_60` if NDPIR_EXAMPLES is 60, otherwise in proportion to it, and at least 1."""
    return max(1, round(at_60 * EXAMPLES / 60))
