"""lark parsers of grammars in the folder of a module (`NAME.lark`), with parser tables cached as Python caches
bytecode."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from lark import Lark


@cache
def grammar(module: str, name: str, *start: str) -> Lark:
    """The LALR(1) parser of NAME.lark in the folder of a module's file (`__file__`).

    Building the tables takes 0.2 s, reading them 10 ms: they are cached in `__pycache__` if that is writable and
    bytecode is not disabled. lark rebuilds them when the grammar, lark or Python has changed.
    """
    folder = Path(module).parent
    kept = folder / "__pycache__" / f"{name}.{sys.implementation.cache_tag}.lark"
    return Lark(
        (folder / f"{name}.lark").read_text(encoding="utf-8"),
        parser="lalr",
        start=list(start) or "start",
        maybe_placeholders=True,
        propagate_positions=True,
        cache=False if sys.dont_write_bytecode else str(kept),
    )
