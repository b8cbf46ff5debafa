"""StableHLO programs, as JAX prints them, become functions of graph ops."""

from __future__ import annotations

import re

_FIRST_OP = re.compile(r'^[ \t]*(?:%[^=\n]*=[ \t]*)?"?(?:stablehlo|chlo)\.\w', re.MULTILINE)


def is_stablehlo(text: str) -> bool:
    """Whether a text holds ops of StableHLO: they stand at the start of a line, behind their results."""
    return _FIRST_OP.search(text) is not None
