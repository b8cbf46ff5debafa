"""The StableHLO front end: programs as JAX prints them, converted to functions of graph ops."""

from __future__ import annotations

import re

BYTECODE = b"ML\xefR"
"""The first bytes of a file in MLIR's bytecode."""
_NAME = r"(?:stablehlo|chlo)\.[\w.]++"
_OP_OR_TEXT = re.compile(rf'(?P<op>(?<![\w.#!@%^$-]){_NAME}(?!\s*[=,}}])|"{_NAME}"\s*\()|//[^\n]*|"(?:[^"\\\n]|\\.)*"')
"""Matches an op of StableHLO (but not an attribute's name), a comment, or a string."""


def is_stablehlo(text: str) -> bool:
    """True if a text contains an op of StableHLO outside of comments and strings."""
    return "hlo." in text and any(found["op"] for found in _OP_OR_TEXT.finditer(text))
