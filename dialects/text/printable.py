"""Text for people: characters that have no shape of their own, and those that change a terminal, are shown as
escapes."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode's categories of characters that are shown as escapes: controls (with ESC, which starts a terminal's control
sequences), formats (with all marks that reverse the direction of text), surrogates, and the separators of lines and
paragraphs."""


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def printable(text: str, escape: Callable[[str], str] = _escape) -> str:
    """The text on one line, with hidden characters as escapes: `\\x1b` for ESC, `\\n` for the end of a line. `escape`:
    the escape of a character, by default that of a Python string."""
    if text.isprintable():
        return text
    return "".join(escape(char) if unicodedata.category(char) in _HIDDEN else char for char in text)


def cut(text: str, most: int, kept: int | None = None) -> str:
    """A text of at most `most` characters; of a longer text, the first `kept` characters (None: as many as fit) and an
    ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1 if kept is None else kept]}…"


def clipped(text: str) -> str:
    """A part of an input as messages quote it: in printable characters, and of long texts only the first 37."""
    return cut(text if text.isprintable() else ascii(text)[1:-1], 40, 37)


def printable_lines(text: str) -> str:
    """The text with hidden characters as escapes, except ends of lines and tabs."""
    if text.isprintable():
        return text
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))
