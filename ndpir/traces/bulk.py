"""Lines of a trace as arrays, by operations on all characters at once: the form of each line, and its numbers.

The lines must be of the kind that programs write: ASCII, words of letters, digits and `_`, numbers below `LARGEST`,
blanks, comments after `#`. Any other text is left to the reader of single lines (`Grammar.instruction`), which also
finds the place of an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dialects.diagnostics import InputError
from ndpir.traces.lines import LARGEST, Grammar, LineForm
from ndpir.traces.rolling import Ints

MOST_FORMS = 256
"""The largest number of distinct forms of lines, blanks included."""
LONGEST = 13
"""The largest number of digits of a number, leading zeros included; 16 ** 13 does not overflow."""
LONGEST_LINE = 200
"""The largest number of characters of a line without the digits of its numbers."""

BLANK, WORD, OTHER = 0, 1, 2
CLASSES = np.full(256, OTHER, np.uint8)
"""The class of each character: BLANK, WORD or OTHER."""
CLASSES[np.frombuffer(b" \t\n\r", np.uint8)] = BLANK
CLASSES[[code for code in range(128) if chr(code).isalnum() or chr(code) == "_"]] = WORD
DIGITS = np.full(256, 99, np.int64)
"""The value of each character as a hexadecimal digit; 99 for characters that are no digit."""
DIGITS[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)
DIGITS[np.frombuffer(b"ABCDEF", np.uint8)] = np.arange(10, 16)
_FACTORS: Ints = np.arange(1, 2 * LONGEST_LINE + 1, 2, dtype=np.int64) * 0x1E3779B97F4A7C15
"""Factors of a hash of a line's characters; overflow is harmless."""


@dataclass(frozen=True)
class BulkLines:
    """The lines of a trace that are not empty: for each, the index of its form (`codes`), its numbers (as many as the
    form has fields; the rest of its row is 0), and its number in the text (`lines`)."""

    forms: Sequence[LineForm]
    codes: Ints
    numbers: Ints
    lines: Ints

    def field(self, name: str, otherwise: int = 0) -> Ints:
        """For each line, the number in the field `name`; `otherwise` for lines without such a field."""
        place = np.array([form.fields.index(name) if name in form.fields else -1 for form in self.forms], np.int64)
        if (place < 0).all():
            return np.full(len(self.codes), otherwise, np.int64)
        at = place[self.codes]
        return np.where(at < 0, otherwise, self.numbers[np.arange(len(at)), np.maximum(at, 0)])

    def has(self, name: str) -> NDArray[np.bool_]:
        """For each line a flag: True if it has a field `name`."""
        return np.array([name in form.fields for form in self.forms], np.bool_)[self.codes]

    def rule(self, *names: str) -> NDArray[np.bool_]:
        """For each line a flag: True for lines of one of these grammar rules."""
        return np.array([form.rule in names for form in self.forms], np.bool_)[self.codes]


def bulk_lines(text: str, grammar: Grammar) -> BulkLines | None:
    """The lines of a trace, or None for a text that the reader of single lines must read."""
    if not text.isascii():
        return None
    data = np.frombuffer(f"{text}\n".encode(), np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    if "\r" in text and (data[np.flatnonzero(data == ord("\r")) + 1] != ord("\n")).any():
        return None
    left_out = np.zeros(len(data), np.bool_)
    if "#" in text:
        left_out = _comments(data, ends)
        data = np.where(left_out, np.uint8(ord(" ")), data)
    kinds = CLASSES[data]
    if (kinds == OTHER).any():
        return None
    edges = np.flatnonzero(np.diff(kinds, prepend=BLANK))
    starts, stops = edges[::2], edges[1::2]
    if not len(starts):
        return None
    is_number = DIGITS[data[starts]] < 10
    values = _values(data, starts[is_number], stops[is_number])
    if values is None:
        return None
    ordinals = np.searchsorted(ends, starts)
    filled = ordinals[np.flatnonzero(np.diff(ordinals, prepend=-1))]  # the lines with any word
    marked = data.copy()
    marked[starts[is_number]] = ord("#")
    left_out |= _within(len(data), starts[is_number] + 1, stops[is_number])
    left_out |= data == ord("\r")
    found = _forms(marked, left_out, ends, filled, text, grammar)
    if found is None:
        return None
    forms, codes = found
    widths = np.array([len(form.fields) for form in forms], np.int64)[codes]
    if int(widths.sum()) != len(values):
        return None
    numbers = np.zeros((len(codes), int(widths.max(initial=0))), np.int64)
    numbers[np.arange(numbers.shape[1]) < widths[:, None]] = values
    return BulkLines(forms, codes, numbers, filled + 1)


def _within(size: int, starts: Ints, stops: Ints) -> NDArray[np.bool_]:
    """A flag for each of `size` characters: True inside of one of the intervals, which do not overlap."""
    change = np.zeros(size + 1, np.int8)
    change[starts] += 1
    change[stops] -= 1  # of an empty interval, both are at the same place
    return np.cumsum(change[:-1], dtype=np.int8).view(np.bool_)


def _comments(data: NDArray[np.uint8], ends: Ints) -> NDArray[np.bool_]:
    """A flag for each character: True in a comment."""
    marks = np.flatnonzero(data == ord("#"))
    line = np.searchsorted(ends, marks)
    first = np.flatnonzero(np.diff(line, prepend=-1))
    return _within(len(data), marks[first], ends[line[first]])


def _values(data: NDArray[np.uint8], starts: Ints, stops: Ints) -> Ints | None:
    """The values of the numbers at `starts` to `stops`; None if one is no number, or too large."""
    is_hex = (data[starts] == ord("0")) & ((data[np.minimum(starts + 1, stops)] | 32) == ord("x"))
    starts = starts + 2 * is_hex
    size = stops - starts
    if not len(size):
        return size
    shortest, longest = int(size.min()), int(size.max())
    if shortest < 1 or longest > LONGEST:
        return None
    base = np.where(is_hex, 16, 10)
    values = DIGITS[data[starts]]
    sound = values < base
    for at in range(1, longest):
        inside = slice(None) if at < shortest else np.flatnonzero(size > at)
        each = base[inside]
        digits = DIGITS[data[starts[inside] + at]]
        sound[inside] &= digits < each
        values[inside] = values[inside] * each + digits
    return values if sound.all() and int(values.max()) < LARGEST else None


def _forms(
    marked: NDArray[np.uint8],
    left_out: NDArray[np.bool_],
    ends: Ints,
    filled: Ints,
    text: str,
    grammar: Grammar,
) -> tuple[list[LineForm], Ints] | None:
    """The forms of the lines `filled`, and the index of each line's form. `marked`: the characters, with `#` for each
    number; `left_out`: the characters that do not belong to the form. None if there are too many forms, or one is
    invalid."""
    kept = np.flatnonzero(~left_out)
    characters = marked[kept]
    stops = np.flatnonzero(characters == ord("\n"))
    sizes = np.diff(stops, prepend=-1) - 1
    if sizes.max() >= LONGEST_LINE:
        return None
    begins = stops - sizes
    place = np.arange(len(characters)) - np.repeat(begins, sizes + 1)
    sums = np.add.reduceat(characters * _FACTORS[place], begins)[filled]
    begins, sizes = begins[filled], sizes[filled]
    codes = np.full(len(filled), -1, np.int64)
    forms: list[LineForm] = []
    left = np.arange(len(filled))
    while len(left):
        if len(forms) >= MOST_FORMS:
            return None
        at = int(left[0])
        is_same = (sums[left] == sums[at]) & (sizes[left] == sizes[at])
        same = left[is_same]
        template = characters[begins[at] : begins[at] + sizes[at]]
        if not all((characters[begins[same] + index] == template[index]).all() for index in range(len(template))):
            return None  # two forms with one sum
        number = int(filled[at])
        line = text[int(ends[number - 1]) + 1 if number else 0 : int(ends[number])]
        try:
            forms.append(grammar.instruction(line.partition("#")[0].rstrip("\r"), ("", 0)).form)
        except InputError:
            return None
        codes[same] = len(forms) - 1
        left = left[~is_same]
    return forms, codes
