"""Errors of predicted cycles of near-data kernels on rows that were used in no fit, beside simpler models.

    python -m benchmarks ndpx_cost --fit OPEN.csv --on FILE.csv       # fitted on one file, judged on another one
    python -m benchmarks ndpx_cost --fit OPEN.csv                     # five folds by distinct kernel
    python -m benchmarks ndpx_cost --fit OPEN.csv --write NDPX.law    # the constants, as a file

Files are CSV with the columns elements, inputs, outputs, ops and cycles. A kernel is what the first four columns say.
Rows of `--on` whose kernel stands in `--fit` too are left out, which a line says. An error is |predicted - cycles| /
cycles of a row. `signatures never seen` are rows whose (inputs, outputs, ops) stand in no row that was fitted on.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another package is called benchmarks too

import numpy as np
from numpy.typing import NDArray

from dialects.diagnostics import FileName, InputError
from dialects.files import write_text
from interp.cost.near_data.files import law_text
from interp.cost.near_data.fit import Rows, by_kernel, fit, middle
from interp.cost.near_data.law import Floats, Kernels, Law, is_narrow
from interp.figures import table

COLUMNS = ("elements", "inputs", "outputs", "ops", "cycles")
FOLDS, SEED = 5, 0
Predict = Callable[[Kernels], Floats]


def twelve_numbers(kernels: Kernels) -> Floats:
    """The formula of twelve numbers that comes with the public rows, as published, on all of them."""
    elements, inputs, outputs, ops = kernels
    narrow = 0.1121 * outputs + 0.0051 * inputs + 0.0009 * ops
    one = np.maximum(0.0453, 0.0052 * inputs + 0.0018 * ops + 0.0106)
    several = np.maximum(0.0504 * outputs, 0.0052 * inputs + 0.0018 * ops)
    slope = np.where(is_narrow(kernels), narrow, np.where(outputs == 1, one, several))
    return 294 + 15.3 * inputs + 0.7 * outputs + 5.74 * ops + elements * slope


def table_by_outputs(rows: Rows) -> Predict:
    """335 cycles and so many for each element, by the number of outputs; of a number never seen, by the nearest."""
    floor = 335.0
    slopes = np.maximum(rows.cycles - floor, 1.0) / rows.kernels.elements
    outputs = np.unique(rows.kernels.outputs)
    found = np.array([middle(slopes[rows.kernels.outputs == each]) for each in outputs])

    def predict(kernels: Kernels) -> Floats:
        nearest = np.abs(kernels.outputs[:, None] - outputs[None, :]).argmin(axis=1)
        return floor + kernels.elements * found[nearest]

    return predict


def own_middle(rows: Rows) -> Predict:
    """The best constant for each kernel, of the rows that are judged: no model of these columns can do better."""
    each, _ = by_kernel(rows)
    known = dict(zip(each.identities(), each.cycles.tolist(), strict=True))
    return lambda kernels: np.array([known[key] for key in Rows(kernels, kernels.elements).identities()])


def models(rows: Rows) -> dict[str, Predict]:
    """Models that are compared, by name, fitted on some rows; ours is the last."""
    law = fit(rows)
    return {
        "335 cycles + elements by outputs": table_by_outputs(rows),
        "formula of 12 numbers, as published": twelve_numbers,
        f"law of {len(Law.measured_constants())} constants": law.plain.cycles,
        "law with factors by signature": law.cycles,
    }


OURS, NOISE = "law with factors by signature", "noise floor: each kernel's best constant"


def errors(parts: Iterator[tuple[Rows, Rows]]) -> tuple[dict[str, list[Floats]], Floats]:
    """The errors of each model over (fitted, judged) parts, and which rows are of signatures never seen."""
    found, unseen = dict[str, list[Floats]](), list[Floats]()
    for train, judged in parts:
        seen = set(train.kernels.signatures())
        unseen.append(np.array([float(each not in seen) for each in judged.kernels.signatures()]))
        for name, predict in {**models(train), NOISE: own_middle(judged)}.items():
            off = np.abs(predict(judged.kernels) - judged.cycles) / judged.cycles
            found.setdefault(name, []).append(off)
    return found, np.concatenate(unseen)


def folds(rows: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Five folds by distinct kernel, drawn with a fixed seed."""
    kernels = sorted(set(rows.identities()))
    order: list[int] = np.random.default_rng(SEED).permutation(len(kernels)).tolist()
    fold = {kernels[kernel]: place % FOLDS for place, kernel in enumerate(order)}
    of_row = np.array([fold[key] for key in rows.identities()])
    for number in range(FOLDS):
        yield rows.pick(of_row != number), rows.pick(of_row == number)


def read(path: Path) -> Rows:
    """The rows of a file. Raises InputError, with the line, for what is no such file."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if missing := [name for name in COLUMNS if name not in (reader.fieldnames or ())]:
                raise InputError(f"there is no column `{missing[0]}`; expected {','.join(COLUMNS)}", FileName(path))
            rows = [_numbers(row, f"{path}:{reader.line_num}:1") for row in reader]
    except OSError as error:
        raise InputError(f"can't be read: {(error.strerror or str(error)).lower()}", FileName(path)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"is no CSV file: {error}", FileName(path)) from None
    if not rows:
        raise InputError("there are no rows here", FileName(path))
    *columns, cycles = np.array(rows).T
    return Rows(Kernels(*columns), cycles)


def _numbers(row: Mapping[str | None, object], place: str) -> list[float]:
    found: list[float] = []
    for name in COLUMNS:
        word = row[name]
        least = 0 if name in ("inputs", "ops") else 1
        if not isinstance(word, str) or not (word.isascii() and word.isdigit()) or not least <= int(word) < 10**15:
            raise InputError(
                f"`{word or ''}` was met under {name}, but a whole number from {least} on is expected", place
            )
        found.append(float(word))
    return found


def _parts(said: argparse.Namespace) -> Iterator[tuple[Rows, Rows]]:
    rows = read(said.fit)
    if said.on is None:
        count = len(set(rows.identities()))
        if count < FOLDS:
            raise InputError(f"{count} distinct kernels make no {FOLDS} folds; give more rows", FileName(said.fit))
        print(f"{FOLDS} folds of {count:,} kernels in {len(rows.cycles):,} rows of {said.fit.name}")
        return folds(rows)
    judged, known = read(said.on), set(rows.identities())
    new = np.array([key not in known for key in judged.identities()])
    if not new.any():
        raise InputError("all kernels here were fitted on; there is nothing to be judged", FileName(said.on))
    told = f"fitted on {len(rows.cycles):,} rows of {said.fit.name}, judged on {int(new.sum()):,} of {said.on.name}"
    print(told + ("" if new.all() else f"; {int((~new).sum()):,} of kernels that were fitted on left out"))
    return iter([(rows, judged.pick(new))])


def main(words: Sequence[str] | None = None) -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--fit", type=Path, required=True, metavar="OPEN.csv", help="rows to fit on")
    parser.add_argument("--on", type=Path, metavar="FILE.csv", help="rows to be judged on (default: five folds)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the constants fitted on all of --fit here")
    said = parser.parse_args(words)
    try:
        if said.write is not None:
            rows = read(said.fit)
            origin = f"fitted on {len(rows.cycles):,} rows of {len(set(rows.identities())):,} kernels, {said.fit.name}"
            write_text(said.write, law_text(fit(rows, origin)))
            return 0
        found, unseen = errors(_parts(said))
    except InputError as error:
        print(f"{error.place}: error: {error.message}" if error.place else f"error: {error.message}", file=sys.stderr)
        return 1
    _print(found, unseen > 0)
    return 0


def _print(found: Mapping[str, Sequence[Floats]], unseen: NDArray[np.bool_]) -> None:
    whole = {name: np.concatenate(parts) for name, parts in found.items()}
    header = ("model", "rows", "mean", "median", "p90")
    print(table(header, [(name, f"{len(off):,}", *_figures(off)) for name, off in whole.items()], left=[0]))
    if unseen.any():
        rows = [(name, f"{int(unseen.sum()):,}", *_figures(off[unseen])) for name, off in whole.items()]
        print(table(("signatures never seen", *header[1:]), rows, left=[0]))
    mean, median, ninth = _figures(whole[OURS])
    print(f"ndpx MAPE {mean} median {median} p90 {ninth}")


def _figures(off: Floats) -> tuple[str, str, str]:
    """The mean, median and 90th percentile of errors."""
    mean, median, ninth = (
        f"{100 * float(each):.1f} %" for each in (off.mean(), np.median(off), np.percentile(off, 90))
    )
    return mean, median, ninth


if __name__ == "__main__":
    sys.exit(main())
