"""Axes of a sweep: the settings that change from point to point, and their values.

An axis is `machine`, `library`, `passes`, `O` (the effort of searches, as after `-O`), `batch`, `cache-length` (of a
decoder), `dim.NAME`, `shape.INPUT`, or NAME.FIELD, a number of a data sheet as after `--set`. Its values are written as

    1..8                  whole numbers from 1 to 8
    1..64*2, 0..100+25    from 1 to 64, each twice the previous one; from 0 to 100 in steps of 25
    0.5..2.0              any number between the two, for random and Latin hypercube samples
    8,16,32               these values; ranges and values can be mixed (1..4,8)
    inline,fuse;offload   values that contain commas themselves are separated by semicolons
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from ndpir.diagnostics.usage import UsageError

Value: TypeAlias = int | float | str
"""The type of an axis's values: a number or a text."""
LARGEST_INT, LARGEST = 1 << 62, 1e100
"""The largest whole number that is kept as one, since larger ones are floats to JSON's readers; and the largest number,
whose square is still a number."""
MOST_VALUES = 1_000_000
"""The largest number of values of one axis; more values indicate a mistake in the range."""


@dataclass(frozen=True)
class Axis:
    """One variable of a sweep. `values`: its values in a grid. If it has a continuous range instead, `values` is empty,
    and `span` is the least and the greatest number of the range."""

    name: str
    values: tuple[Value, ...]
    span: tuple[float, float] | None = None

    def at(self, share: float) -> Value:
        """The value at a fraction of the axis, from 0 (included) to 1 (excluded); random and Latin hypercube samples
        draw such fractions."""
        if self.span is not None:
            low, high = self.span
            return low + share * (high - low)
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]


def axis_of(text: str) -> Axis:
    """The axis in a value of `--sweep`. Raises UsageError for text that is not NAME=VALUES."""
    name, equals, values = text.partition("=")
    if not equals or not name.strip() or not values.strip():
        raise UsageError(f"argument --sweep: `{text}` is not NAME=VALUES, as in --sweep pim.tCCD=1..8")
    return axis_from(name.strip().lstrip("@"), values)


def axis_from(name: str, given: Value | Sequence[Value]) -> Axis:
    """The axis `name`, with values as text (`1..8`) or as a list from a TOML file. Raises UsageError for invalid
    values."""
    if name not in WORDS and "." not in name:
        raise UsageError(
            f"the axis `{name}` is none of {', '.join(WORDS)}, dim.NAME, shape.INPUT and NAME.FIELD of a data sheet "
            "(as after --set); write for instance pim.tCCD=1..8"
        )
    if isinstance(given, str):
        return _of_text(name, given)
    return _checked(name, given if isinstance(given, Sequence) else (given,))


WORDS = ("machine", "library", "passes", "O", "batch", "cache-length")
"""The axes whose name is a single word."""


def _of_text(name: str, text: str) -> Axis:
    parts = _parts(text)
    values: list[Value] = []
    for part in parts:
        match = _RANGE.fullmatch(part)
        if match is None:
            values.append(number(part))
            continue
        low, high, way, step = match.groups()
        if way is None and any("." in end or "e" in end.lower() for end in (low, high)):
            if len(parts) > 1:
                raise UsageError(
                    f"{name}={text}: {part} has no step, so it can't be combined with other values; add a step "
                    f"({part}+STEP)"
                )
            return _span(name, float(low), float(high), part)
        values += _range(f"{name}={text}", number(low), number(high), way or "+", number(step) if step else 1)
    return _checked(name, values)


_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?:([+*])({_NUMBER}))?")


def _parts(text: str) -> list[str]:
    """The values in a text, split at semicolons if the text contains any, otherwise at commas outside of braces."""
    parts, depth = [""], 0
    mark = ";" if ";" in text else ","
    for char in text:
        depth += (char == "{") - (char == "}")
        if char == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


@lru_cache(1 << 14)  # the cells of a table are often equal
def number(text: str) -> Value:
    """The number that a text represents; the text itself if it represents no number, or one above `LARGEST`."""
    try:
        if abs(whole := int(text)) <= LARGEST_INT:
            return whole
    except ValueError:
        pass
    try:
        if abs(found := float(text)) <= LARGEST:
            return found
    except ValueError:
        pass
    return text


def _range(shown: str, low: Value, high: Value, way: str, step: Value) -> list[Value]:
    """The numbers from `low` to `high`. `way`: the operator (`+` or `*`) that computes each number from the previous
    one and `step`; `high` is included if a step ends at it. `shown`: the text of the range, for messages."""
    if isinstance(low, str) or isinstance(high, str) or isinstance(step, str):
        raise UsageError(f"{shown}: a range is LOW..HIGH, LOW..HIGH+STEP or LOW..HIGH*FACTOR, with numbers")
    if high < low:
        raise UsageError(f"{shown}: the range ends below its start; write the smaller number first")
    if step <= (way == "*") or (way == "*" and low <= 0):
        least = "a factor above 1 and a start above 0" if way == "*" else "a step above 0"
        raise UsageError(f"{shown}: the range never ends; it needs {least}")
    found: list[Value] = []
    at: int | float = low
    slack = 1e-9 * (abs(high) + abs(step)) if any(isinstance(each, float) for each in (low, high, step)) else 0
    while at <= high + slack:
        found.append(at)
        if len(found) > MOST_VALUES:
            raise UsageError(f"{shown}: the range has more than {MOST_VALUES} values; give it a larger step")
        at = low * step ** len(found) if way == "*" else low + len(found) * step
    return found


def _span(name: str, low: float, high: float, shown: str) -> Axis:
    if not low < high:
        raise UsageError(f"{name}={shown}: the range ends at or below its start; write the smaller number first")
    _check_size(name, (low, high))
    return Axis(name, (), (low, high))


def _check_size(name: str, values: Iterable[Value]) -> None:
    if wrong := [value for value in values if not isinstance(value, str) and not abs(value) <= LARGEST]:
        met = str(wrong[0]) if isinstance(wrong[0], float) else "a number of more digits"
        raise UsageError(f"the axis `{name}` holds {met}, but numbers up to {LARGEST:g} are expected")


def _checked(name: str, values: Sequence[Value]) -> Axis:
    """The axis with these values. Raises UsageError for numbers that are too large, and for equal values."""
    _check_size(name, values)
    axis = Axis(name, tuple(float(v) if isinstance(v, int) and abs(v) > LARGEST_INT else v for v in values))
    if not axis.values:
        raise UsageError(f"the axis `{axis.name}` has no values; write for instance {axis.name}=1..8")
    if len({str(value) for value in axis.values}) < len(axis.values):
        seen: set[str] = set()
        twice = next(value for value in axis.values if str(value) in seen or seen.add(str(value)))
        raise UsageError(f"the axis `{axis.name}` has the value {twice} twice; keep one")
    return axis


def axes_of(texts: Sequence[str]) -> tuple[Axis, ...]:
    """The axes in the values of all command-line options `--sweep`. Raises UsageError for an axis that is given
    twice."""
    found: dict[str, Axis] = {}
    for axis in map(axis_of, texts):
        if axis.name in found:
            raise UsageError(f"argument --sweep: {axis.name} is swept twice; keep one, with all values")
        found[axis.name] = axis
    return tuple(found.values())
