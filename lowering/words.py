"""Options with restricted values: one of a set of keywords that plugins may extend (an open `Literal`), or a number in
a range."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

_KEY, _FORMER = "ndpir.words", "ndpir.former"
_RANGE = "ndpir.range"

T = TypeVar("T", int, float)


def one_of(words: Callable[[], Iterable[str]], default: str, former: Collection[str] = ()) -> str:
    """A field of a pass or target whose value is one of `words()`, evaluated when an option is read or listed.
    `former`: words that are accepted, but not listed.

    ```python
    policy: str = one_of(lambda: POLICIES, default="optimal")
    ```
    """
    field: Any = dataclasses.field(default=default, metadata={_KEY: words, _FORMER: former})
    return field


def number(default: T, least: float, most: float | None = None) -> T:
    """A field whose value is a number from `least` on, and up to `most` if that is given."""
    field: Any = dataclasses.field(default=default, metadata={_RANGE: (least, most)})
    return field


def known_words(field: dataclasses.Field[Any]) -> list[str]:
    """The keywords that a field currently accepts; empty if it accepts any value of its type."""
    words: Callable[[], Iterable[str]] = field.metadata.get(_KEY, tuple)
    return list(words())


def is_former(field: dataclasses.Field[Any], word: object) -> bool:
    """True if a word is accepted for a field, though it is no longer listed."""
    return word in field.metadata.get(_FORMER, ())


def refusal(field: dataclasses.Field[Any], value: Any) -> str | None:
    """The reason why a field does not accept a value: `must be 1 or more, not 0`; None if it does."""
    words = known_words(field)
    if words and value not in words:
        return f"must be {', '.join(words[:-1])} or {words[-1]}, not {value}"
    least, most = field.metadata.get(_RANGE, (None, None))
    if least is not None and not value >= least:
        return f"must be {least} or more, not {value}"
    return f"must be at most {most}, not {value}" if most is not None and not value <= most else None
