"""Options with restricted values: one of a set of keywords that plugins may extend (an open `Literal`), or a number in
a range."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

from dialects.diagnostics import InputError

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


def check_options(given: Any, reads: Callable[[str, str], bool] | None = None) -> None:
    """Check the options of a pass that differ from their defaults. Raises InputError for a value that an option does
    not accept, and for an option that the policy of the pass does not read (`reads`: of a policy and an option)."""
    fields: dict[str, dataclasses.Field[Any]] = {field.name: field for field in dataclasses.fields(given)}
    for name, field in fields.items():
        if (value := getattr(given, name)) == field.default:
            continue
        if reads is not None and name != "policy" and not reads(given.policy, name):
            theirs = [policy for policy in known_words(fields["policy"]) if reads(policy, name)]
            listed = " and ".join([*([", ".join(theirs[:-1])] if theirs[1:] else []), theirs[-1]])
            raise InputError(
                f"{given.name}: option `{name}` applies to polic{'ies' if theirs[1:] else 'y'} {listed}, not to "
                f"{given.policy}; remove it"
            )
        words, (least, most) = known_words(field), field.metadata.get(_RANGE, (None, None))
        if words and value not in words:
            raise InputError(f"{given.name}: `{name}` must be one of {', '.join(words)}, not `{value}`")
        if least is not None and not (value >= least and (most is None or value <= most)):
            span = f"{least} or more" if most is None else f"from {least} to {most}"
            raise InputError(f"{given.name}: `{name}` must be {span}, not {value}")
