"""Comparison of a command's output with the output in a document: numbers that rounding changes are compared within a
tolerance, everything else as text.

Sums in another order round differently, and the order depends on BLAS kernels, numpy's vector extensions and threads.
So the errors of `--check` and the floats of `-t values` differ between processors in their last digits. All other
output of ndpir must be equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from ndpir.cli.check import FULL_TOLERANCE, REDUCED_TOLERANCE

Comparison: TypeAlias = Callable[[str], bool]
"""A test whether a printed line agrees with one line of the document."""

ELLIPSIS = "…"
"""The line of a document that stands for any number of lines, including none."""
NOISE = 0.1
"""The tolerance for rounding in another order, as a fraction of the error that `--check` allows."""
MAGNITUDE = 8.0
"""The largest ratio of two errors that count as equally large."""
HALF_DIGITS = 1e-4
"""The largest relative difference of two numbers that are equal before they are printed with five digits."""

_ERROR = re.compile(r"(?<= equal)(?: within (?P<error>\S+) \(allowed: (?P<allowed>\S+)\))?$")
_RESULT = re.compile(r"result \d+: tensor<(?:\d+x)*(?P<element>f16|bf16|f32|f64)>(?=, mean )")
_EXTREME = re.compile(r"(?:min|max) ([^\s,]+)")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]\d+)?(?![\w.]| not finite)")


def difference(expected: str, printed: str) -> str | None:
    """A sentence that describes the first line of `expected` that is missing in `printed`, or the first surplus line of
    `printed`; None if the texts agree."""
    stated, given = expected.rstrip("\n").split("\n"), printed.rstrip("\n").split("\n")
    blocks: list[list[tuple[str, Comparison]]] = [[]]
    for line, agrees in zip(stated, _comparisons(stated), strict=True):
        if line == ELLIPSIS:
            blocks.append([])
        else:
            blocks[-1].append((line, agrees))
    end = 0
    for number, block in enumerate(blocks):
        starts = range(end, len(given) - len(block) + 1) if number else range(1)
        if number and number == len(blocks) - 1:
            starts = starts[-1:]
        start = next((start for start in starts if not _missing(block, given[start:])), None)
        if start is None:
            return _missing(block, given[starts[0] if starts else end :])
        end = start + len(block)
    return f"the line\n  {given[end]}\nis printed, but not expected" if end < len(given) else None


def _missing(block: Sequence[tuple[str, Comparison]], given: Sequence[str]) -> str | None:
    for number, (line, agrees) in enumerate(block):
        if number >= len(given):
            return f"the line\n  {line}\nis not printed"
        if not agrees(given[number]):
            return f"the line\n  {line}\nis printed as\n  {given[number]}"
    return None


def _comparisons(lines: Sequence[str]) -> Iterator[Comparison]:
    """Yield the comparison for each line of a document: numbers of a printed result within the result's tolerance,
    errors of `--check` by magnitude, everything else as equal text."""
    noise: float | None = None
    for line in lines:
        if result := _RESULT.match(line):
            allowed = REDUCED_TOLERANCE if result["element"] in ("f16", "bf16") else FULL_TOLERANCE
            noise = NOISE * allowed * max(abs(float(number)) for number in _EXTREME.findall(line))
        elif not line.startswith("  "):
            noise = None
        if noise is not None:
            yield partial(_close, line, noise=noise, start=result.end() if result else 0)
        elif _ERROR.search(line):
            yield partial(_same_error, line)
        else:
            yield line.__eq__


def _close(stated: str, printed: str, *, noise: float, start: int) -> bool:
    """True if two lines are equal, except that numbers from position `start` on may differ by `noise` and rounding."""
    if stated[:start] != printed[:start] or _NUMBER.sub("", stated[start:]) != _NUMBER.sub("", printed[start:]):
        return False
    pairs = zip(_numbers(stated[start:]), _numbers(printed[start:]), strict=True)
    return all(abs(a - b) <= noise + HALF_DIGITS * max(abs(a), abs(b)) for a, b in pairs)


def _numbers(text: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(text)]


def _same_error(stated: str, printed: str) -> bool:
    """True if two lines of `--check` are equal, except that their errors may differ within one magnitude; a line that
    ends in `equal` has the error 0."""
    if _ERROR.sub("", stated) != _ERROR.sub("", printed) or not (found := _ERROR.search(printed)):
        return False
    errors = [(float(line["error"] or 0), line["allowed"]) for line in (_ERROR.search(stated), found) if line]
    limits = {allowed for _, allowed in errors if allowed}
    low, high = sorted(error for error, _ in errors)
    return not limits or (len(limits) == 1 and high <= max(MAGNITUDE * low, NOISE * float(limits.pop())))
