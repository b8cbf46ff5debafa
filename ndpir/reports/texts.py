"""Answers as they are shown to people: hidden characters in names and other texts are escapes, so that no name of a
program changes a terminal, ends a line of a table, or reverses the text around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar, cast

from dialects.text.printable import printable

A = TypeVar("A")
_SEQUENCES = frozenset((list, tuple))
_NUMBERS = frozenset(("int", "float", "bool", "int | None", "float | None", "bool | None"))
"""The annotations of fields that hold no text."""


def printable_answer(answer: A) -> A:
    """The answer, or a copy of it in which the hidden characters of all texts are escapes (`printable`)."""
    return cast(A, _shown(answer))


def _shown(value: Any) -> Any:
    """A value with escapes; the value itself if it has no hidden characters."""
    kind = cast(Any, type(value))
    if kind is str:
        return printable(value)
    if kind in _SEQUENCES:
        made = kind(_shown(part) for part in value)
        return value if _same(made, value) else made
    if kind is dict:
        pairs = {_shown(key): _shown(part) for key, part in value.items()}
        return value if _same([*pairs, *pairs.values()], [*value, *value.values()]) else pairs
    if not is_dataclass(kind):
        return value
    parts = {name: getattr(value, name) for name in _fields(kind)}
    changed = {name: new for name, part in parts.items() if (new := _shown(part)) is not part}
    return replace(value, **changed) if changed else value


def _same(parts: Sequence[Any], others: Sequence[Any]) -> bool:
    return len(parts) == len(others) and all(part is other for part, other in zip(parts, others, strict=True))


@cache
def _fields(cls: type[Any]) -> tuple[str, ...]:
    """The names of a dataclass's fields that may hold text."""
    return tuple(each.name for each in fields(cls) if each.init and each.type not in _NUMBERS)
