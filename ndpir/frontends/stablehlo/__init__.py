"""The StableHLO front end: the graph ops that each StableHLO op becomes, in programs as JAX prints them."""

from __future__ import annotations

import re

BYTECODE = b"ML\xefR"
"""The first bytes of a file in MLIR's bytecode."""
_NAME = r"(?:stablehlo|chlo)\.[\w.]++"
_OP_OR_TEXT = re.compile(rf'(?P<op>(?<![\w.#!@%^$-]){_NAME}(?!\s*[=,}}])|"{_NAME}"\s*\()|//[^\n]*|"(?:[^"\\\n]|\\.)*"')
"""Matches an op of StableHLO (but not an attribute's name), a comment, or a string."""
_START = re.compile(r'(?:\s|//[^\n]*)*+(?:[\w%"]|[#!]\w)')
"""Matches the first character of a program in MLIR's text: of an op, or of an alias (`#loc`, `!type`)."""


def is_stablehlo(text: str) -> bool:
    """True if a text is MLIR, and not for example Markdown, and contains an op of StableHLO outside of comments and
    strings."""
    if "hlo." not in text or _START.match(text) is None:
        return False
    return any(found["op"] for found in _OP_OR_TEXT.finditer(text))
