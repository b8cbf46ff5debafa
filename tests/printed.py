"""Compares what a command prints with what a document says: figures that rounding moves by size, all else as text.

Sums in another order round differently, and BLAS kernels, numpy's vector extensions and threads choose the order. So
the errors of `--check` and the floats of `-t values` differ between processors in their last digits. Nothing else that
ndpir prints may.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from ndpir.cli.check import FULL_TOLERANCE, REDUCED_TOLERANCE

Fits: TypeAlias = Callable[[str], bool]
"""True if a printed line is as one line of the document says."""

ELLIPSIS = "…"
"""A line of a document that stands for any lines, or none."""
NOISE = 0.1
"""Rounding in another order moves a number by less than this part of the error that `--check` allows."""
MAGNITUDE = 8.0
"""Two errors whose ratio is below this are of one magnitude."""
HALF_DIGITS = 1e-4
"""The distance that rounding to five digits adds between two numbers, relative to the larger one."""

_ERROR = re.compile(r"(?<= equal)(?: within (?P<error>\S+) \(allowed: (?P<allowed>\S+)\))?$")
_RESULT = re.compile(r"result \d+: tensor<(?:\d+x)*(?P<element>f16|bf16|f32|f64)>(?=, mean )")
_EXTREME = re.compile(r"(?:min|max) ([^\s,]+)")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]\d+)?(?![\w.]| not finite)")


def difference(expected: str, printed: str) -> str | None:
    """The first line of `expected` that `printed` lacks, as a sentence; None if they fit."""
    stated, given = expected.rstrip("\n").split("\n"), printed.rstrip("\n").split("\n")
    pieces: list[list[tuple[str, Fits]]] = [[]]
    for line, fits in zip(stated, _comparisons(stated), strict=True):
        if line == ELLIPSIS:
            pieces.append([])
        else:
            pieces[-1].append((line, fits))
    end = 0
    for number, piece in enumerate(pieces):
        starts = range(end, len(given) - len(piece) + 1) if number else range(1)
        if number and number == len(pieces) - 1:
            starts = starts[-1:]
        start = next((start for start in starts if not _missing(piece, given[start:])), None)
        if start is None:
            return _missing(piece, given[starts[0] if starts else end :])
        end = start + len(piece)
    return f"the line\n  {given[end]}\nis printed besides" if end < len(given) else None


def _missing(piece: Sequence[tuple[str, Fits]], given: Sequence[str]) -> str | None:
    for number, (line, fits) in enumerate(piece):
        if number >= len(given):
            return f"the line\n  {line}\nis not printed"
        if not fits(given[number]):
            return f"the line\n  {line}\nis printed as\n  {given[number]}"
    return None


def _comparisons(lines: Sequence[str]) -> Iterator[Fits]:
    """The tolerance of each line: with the rounding that its own numbers, or the result above it, leave room for."""
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
    """True if two lines are the same but for numbers from `start` on that differ by rounding alone."""
    if stated[:start] != printed[:start] or _NUMBER.sub("", stated[start:]) != _NUMBER.sub("", printed[start:]):
        return False
    pairs = zip(_numbers(stated[start:]), _numbers(printed[start:]), strict=True)
    return all(abs(a - b) <= noise + HALF_DIGITS * max(abs(a), abs(b)) for a, b in pairs)


def _numbers(text: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(text)]


def _same_error(stated: str, printed: str) -> bool:
    """True if two lines of `--check` are the same but for errors of one magnitude; `equal` alone is an error of 0."""
    if _ERROR.sub("", stated) != _ERROR.sub("", printed) or not (found := _ERROR.search(printed)):
        return False
    errors = [(float(line["error"] or 0), line["allowed"]) for line in (_ERROR.search(stated), found) if line]
    limits = {allowed for _, allowed in errors if allowed}
    low, high = sorted(error for error, _ in errors)
    return not limits or (len(limits) == 1 and high <= max(MAGNITUDE * low, NOISE * float(limits.pop())))
