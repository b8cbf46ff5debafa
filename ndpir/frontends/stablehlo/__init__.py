"""StableHLO programs, as JAX prints them, become functions of graph ops."""

from __future__ import annotations

import re

BYTECODE = b"ML\xefR"
"""The first bytes of MLIR's bytecode."""
_FIRST_OP = re.compile(r'^[ \t]*(?:%[^=\n]*=[ \t]*)?"?(?:stablehlo|chlo)\.\w', re.MULTILINE)


def is_stablehlo(text: str) -> bool:
    """True for a text in which a line holds an op of StableHLO, behind its results if it has some."""
    return _FIRST_OP.search(text) is not None
