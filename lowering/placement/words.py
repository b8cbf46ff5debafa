"""Options that take one of some words, where plugins may add words: a `Literal` that grows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

_KEY = "ndpir.words"


def one_of(words: Callable[[], Iterable[str]], default: str) -> str:
    """A field of a pass or target that takes one of `words()`, asked for when an option is read or listed.

    ```python
    policy: str = one_of(lambda: POLICIES, default="cost")
    ```
    """
    field: Any = dataclasses.field(default=default, metadata={_KEY: words})
    return field


def known_words(field: dataclasses.Field[Any]) -> list[str]:
    """The words that a field takes now; none where it takes any value of its type."""
    words: Callable[[], Iterable[str]] = field.metadata.get(_KEY, tuple)
    return list(words())
