"""Options with a set of keywords that plugins may extend: an open `Literal`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable
from typing import Any

_KEY, _FORMER = "ndpir.words", "ndpir.former"


def one_of(words: Callable[[], Iterable[str]], default: str, former: Collection[str] = ()) -> str:
    """A field of a pass or target whose value is one of `words()`, evaluated when an option is read or listed.
    `former`: words that are accepted, but not listed.

    ```python
    policy: str = one_of(lambda: POLICIES, default="optimal")
    ```
    """
    field: Any = dataclasses.field(default=default, metadata={_KEY: words, _FORMER: former})
    return field


def known_words(field: dataclasses.Field[Any]) -> list[str]:
    """The keywords that a field currently accepts; empty if it accepts any value of its type."""
    words: Callable[[], Iterable[str]] = field.metadata.get(_KEY, tuple)
    return list(words())


def is_former(field: dataclasses.Field[Any], word: object) -> bool:
    """True if a word is accepted for a field, though it is no longer listed."""
    return word in field.metadata.get(_FORMER, ())
