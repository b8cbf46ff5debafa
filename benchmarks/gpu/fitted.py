"""Record of the rows of public measurements to which the shipped calibrations were fitted, and of the submission of the
kernels in them.

With this record the calibrations can be evaluated on all other rows, of any selection of the data sets. Its format:

    rows aic_gemm                       # rows of this set, as hexadecimal words of 256 bits: bit i of
      0 c3a0…                           # the word at 0 is the row whose id ends with i
    submitted neusight_mm t4 f32 bmm pytorch 27300 ns overlap 1.2     # host time per kernel; see docs/gpu.md
    two neusight_mm t4 f32 bmm pytorch 30100 ns efficiency 0.4        # the baseline of two constants for a group
    meter aic_gemm h200_sxm bf16 gemm 0.06 s 0.01 s/GB 0.001 s/sequence 180 W  # between power measurements
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.gpu.bars import Score
from benchmarks.gpu.measurements import row_number, rows_of
from dialects.diagnostics import FileName, InputError
from interp.kinds.gpu.constants.measurement import MeasuredGroup, Submission
from interp.kinds.gpu.meter import Meter
from interp.machine.sheets.search import COMPANIONS, SHIPPED

FILE = "public.fitted"
"""The name of the record's file in a folder of calibrations."""
OURS = SHIPPED / COMPANIONS / FILE
ENERGY = " energy"
"""The suffix of labels in scores of power measurements."""
_WORD = 256
_UNITS = ("s", "s/GB", "s/sequence", "W")
"""The units of a meter's numbers."""
_HEADING = """\
# Rows of public measurements that the calibrations of this folder were fitted on, all or a random selection.
# Written by `python benchmarks/gpu_accuracy.py --write`, read by `--shipped`. benchmarks/gpu/fitted.py has the format.
"""

Key = tuple[str, ...]
"""The key of a group: data set, GPU, element type, label, library."""
Meters = Mapping[Key, Meter]
"""For each group: the pause before each power measurement, and the power meanwhile. The keys have no library, since a
meter does not depend on it."""


@dataclass(frozen=True)
class Fitted:
    """A record of fits to public measurements: the rows that the fits used, the submission of each group's kernels, and
    the pauses between power measurements."""

    rows: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])
    """The numbers of fitted rows by data set; a row's number is the end of its id."""
    submissions: Mapping[Key, Submission] = field(default_factory=dict[Key, Submission])
    meters: Meters = field(default_factory=dict[Key, Meter])
    baselines: Mapping[Key, tuple[float, float]] = field(default_factory=dict[Key, tuple[float, float]])
    """The launch time in ns and the efficiency of a roofline, fitted to each group."""

    def was_fitted(self, group: MeasuredGroup) -> NDArray[np.bool_]:
        """Return a mask of the group's rows that a fit used. Raises InputError if rows have no id."""
        if group.ids is None or (group.ids < 0).any():
            raise InputError(
                f"rows of {group.source} have no `id` that ends with a number, by which fitted rows are recognized"
            )
        return np.isin(group.ids, list(self.rows.get(group.source, ())))

    def joined(self, other: Fitted) -> Fitted:
        """Return the union of two records; for submissions in both, that of `other` is taken."""
        sets = sorted({*self.rows, *other.rows})
        rows = {name: self.rows.get(name, frozenset()) | other.rows.get(name, frozenset()) for name in sets}
        return Fitted(
            rows,
            {**self.submissions, **other.submissions},
            {**self.meters, **other.meters},
            {**self.baselines, **other.baselines},
        )


def rows_in(folder: Path, sets: Iterable[str]) -> dict[str, frozenset[int]]:
    """Return the numbers of all rows of the given data sets in a folder, by data set."""
    paths = [path for name in sorted(sets) if (path := folder / f"{name}.csv").exists()]
    return {path.stem: frozenset(row_number(row) for _, row in rows_of(path)) - {-1} for path in paths}


def meter_key(group: MeasuredGroup) -> Key:
    """Return the key of a group's power meter."""
    return group.source, group.gpu, group.element, group.label


def meters_of(scores: Iterable[Score]) -> dict[Key, Meter]:
    """Return the power meter of each group."""
    found: dict[Key, Meter] = {}
    for score in scores:
        if score.label.endswith(ENERGY):
            key, numbers = (score.source, score.gpu, score.element, score.label.removesuffix(ENERGY)), score.constants
            found[key] = Meter(*(numbers[f"meter_{each.name}"] for each in fields(Meter)))
    return found


def text(fitted: Fitted) -> str:
    """Return the content of the file of a record."""
    lines: list[str] = []
    for name, numbers in sorted(fitted.rows.items()):
        lines.append(f"rows {name}")
        words = dict[int, int]()
        for number in numbers:
            words[number // _WORD] = words.get(number // _WORD, 0) | 1 << number % _WORD
        lines += [f"  {first * _WORD} {word:x}" for first, word in sorted(words.items())]
    for key, way in sorted(fitted.submissions.items()):
        lines.append(f"submitted {_words(key)} {way.dispatch_ns:.4g} ns overlap {way.overlap:.4g}")
    for key, (launch, efficiency) in sorted(fitted.baselines.items()):
        lines.append(f"two {_words(key)} {launch:.4g} ns efficiency {efficiency:.4g}")
    for key, meter in sorted(fitted.meters.items()):
        words = (f"{value:.4g} {unit}" for value, unit in zip(astuple(meter), _UNITS, strict=True))
        lines.append(f"meter {_words(key)} {' '.join(words)}")
    return _HEADING + "\n".join(lines) + "\n"


def _words(key: Key) -> str:
    """Return a key as words without spaces inside."""
    return " ".join(word.replace(" ", "~") for word in key)


def _key(*words: str) -> Key:
    return tuple(word.replace("~", " ") for word in words)


def write(folder: Path, fitted_on: Sequence[Path], more: Fitted, anew: bool) -> Path:
    """Write the record of the rows in directories `fitted_on`, to which calibrations were fitted, into the folder of
    the calibrations; return the file's path.

    The record of earlier fits is kept, unless all calibrations were fitted anew (`anew`).
    """
    path = folder / FILE
    rows: dict[str, frozenset[int]] = {}
    for each in fitted_on:
        rows |= rows_in(each, {file.stem for file in each.glob("*.csv")})
    fresh = replace(more, rows=rows)
    try:
        path.write_text(text(fresh if anew or not path.exists() else read(path).joined(fresh)), encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"the record of fitted rows can't be written: {(error.strerror or str(error)).lower()}", FileName(path)
        ) from None
    return path


def read(path: Path = OURS) -> Fitted:
    """Read a record from a file. Raises InputError, with the line, for a line that can't be read."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"the list of fitted rows can't be read: {why}", FileName(path)) from None
    rows: dict[str, set[int]] = {}
    submissions, meters = dict[Key, Submission](), dict[Key, Meter]()
    baselines: dict[Key, tuple[float, float]] = {}
    name = ""
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        try:
            match words:
                case []:
                    pass
                case ["rows", name]:
                    rows[name] = set()
                case ["submitted", *key, dispatch, "ns", "overlap", overlap]:
                    submissions[_key(*key)] = Submission(float(dispatch), float(overlap))
                case ["two", *key, launch, "ns", "efficiency", efficiency]:
                    baselines[_key(*key)] = float(launch), float(efficiency)
                case ["meter", source, gpu, element, label, *rest] if tuple(rest[1::2]) == _UNITS:
                    meters[_key(source, gpu, element, label)] = Meter(*map(float, rest[::2]))
                case [first, word]:
                    rows[name].update(_bits(int(first), int(word, 16)))
                case _:
                    raise ValueError
        except (ValueError, KeyError):
            form = "`rows SET`, `FIRST WORD`, `submitted …`, `two …` and `meter …`"
            raise InputError(f"met line `{line.strip()[:40]}`; expected {form}", f"{path}:{number}") from None
    return Fitted({name: frozenset(found) for name, found in rows.items()}, submissions, meters, baselines)


def _bits(first: int, word: int) -> Iterator[int]:
    return (first + bit for bit in range(word.bit_length()) if word >> bit & 1)
