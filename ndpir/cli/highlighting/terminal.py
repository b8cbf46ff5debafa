"""Colours of program text on terminals, and the environment variables that disable and enable them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TextIO

from ndpir.cli.highlighting.lexicon import program_rules, scanner

STYLES: Mapping[str, str] = {
    "comment": "90",
    "string": "32",
    "entity.name": "34",
    "variable": "36",
    "constant.other": "35",
    "constant.numeric.dimension": "33",
    "storage.type": "33",
    "support.function": "1;35",
    "entity.other": "34",
    "constant.language": "32",
}
"""Codes of SGR, the terminal's control sequence for colours (ECMA-48), by the first words of a scope; tokens of other
scopes keep the terminal's colour."""


def is_coloured(stream: TextIO | None, requested: bool) -> bool:
    """True if program text gets colours on a stream, or in the file of -o (`stream` None): on terminals, and everywhere
    if `requested` (`--syntax-highlight`).

    `NO_COLOR` disables colours (https://no-color.org), even requested ones; `FORCE_COLOR` enables them for pipes
    (https://force-color.org). A variable with an empty value is ignored. `TERM=dumb` denotes a terminal without
    colours.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if requested or stream is None:
        return requested
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def coloured(text: str) -> str:
    """Program text with the control sequences of the colours `STYLES`. Apart from these sequences, the text is
    unchanged."""
    rules = program_rules({})
    styles = [_style(rule.scope) for rule in rules]
    names = {f"s{index}": style for index, style in enumerate(styles)}

    def styled(match: re.Match[str]) -> str:
        style = names[match.lastgroup or ""]
        return f"\033[{style}m{match[0]}\033[0m" if style else match[0]

    return scanner(rules).sub(styled, text)


def _style(scope: str) -> str:
    return next((code for start, code in STYLES.items() if scope.startswith(start)), "")
