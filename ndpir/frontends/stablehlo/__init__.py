"""StableHLO programs, as JAX prints them, become functions of graph ops."""

from __future__ import annotations

import re

BYTECODE = b"ML\xefR"
"""The first bytes of MLIR's bytecode."""
_NAME = r"(?:stablehlo|chlo)\.[\w.]++"
_OP_OR_TEXT = re.compile(rf'(?P<op>(?<![\w.#!@%^$-]){_NAME}(?!\s*[=,}}])|"{_NAME}"\s*\()|//[^\n]*|"(?:[^"\\\n]|\\.)*"')
"""An op of StableHLO, where it is no attribute's name; a comment; or a string."""


def is_stablehlo(text: str) -> bool:
    """True for a text that holds an op of StableHLO outside of comments and strings."""
    return "hlo." in text and any(found["op"] for found in _OP_OR_TEXT.finditer(text))
