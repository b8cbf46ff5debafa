"""Options with a set of keywords that plugins may extend: an open `Literal`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

_KEY = "ndpir.words"


def one_of(words: Callable[[], Iterable[str]], default: str) -> str:
    """A field of a pass or target whose value is one of `words()`, evaluated when an option is read or listed.

    ```python
    policy: str = one_of(lambda: POLICIES, default="cost")
    ```
    """
    field: Any = dataclasses.field(default=default, metadata={_KEY: words})
    return field


def known_words(field: dataclasses.Field[Any]) -> list[str]:
    """The keywords that a field currently accepts; empty if it accepts any value of its type."""
    words: Callable[[], Iterable[str]] = field.metadata.get(_KEY, tuple)
    return list(words())
