"""Suggestions for unknown names, for all `did you mean …?` messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str], meanings: Mapping[str, str] | None = None) -> str | None:
    """The known name most similar to `word`; None if none is similar.

    The first of these that exists: a name that differs only in case or separators (`ReLU`, `to_pim`), the name that
    `meanings` maps the word to (keys as normalised by `plain`), a name with nearly the same letters, the only name that
    begins or ends like the word.
    """
    names = list(dict.fromkeys(known))
    wanted = plain(word)
    if not wanted:
        return None
    by_letters = {plain(name): name for name in reversed(names)}
    if wanted in by_letters:
        return by_letters[wanted]
    if meanings is not None and wanted in meanings:
        return meanings[wanted]
    if close := get_close_matches(word, names, n=1) or get_close_matches(wanted, by_letters, n=1):
        return close[0] if close[0] in names else by_letters[close[0]]
    parts = [
        name for name in names if len(wanted) > 2 and (plain(name).startswith(wanted) or plain(name).endswith(wanted))
    ]
    return parts[0] if len(parts) == 1 else None


def hint(
    word: str, known: Iterable[str], otherwise: str = "", meanings: Mapping[str, str] | None = None, mark: str = "`"
) -> str:
    """The end of an error message about an unknown word: `; did you mean …?` if a known name is similar to the word,
    else `; OTHERWISE`, if given."""
    near = nearest(word, known, meanings)
    if near is not None:
        return f"; did you mean {mark}{near}{mark}?"
    return f"; {otherwise}" if otherwise else ""


def plain(word: str) -> str:
    """A name normalised for comparison: lower case, without separators."""
    return re.sub(r"[^\w]|_", "", word).lower()
