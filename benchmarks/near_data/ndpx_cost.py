"""Errors of predicted cycles of near-data kernels on rows that no fit used, compared with simpler models.

    python -m benchmarks ndpx_cost --fit OPEN.csv --on FILE.csv       # fitted on one file, errors on the other
    python -m benchmarks ndpx_cost --fit OPEN.csv                     # five folds by distinct kernel
    python -m benchmarks ndpx_cost --fit OPEN.csv --write NDPX.law    # the constants, as a file

Files are CSV with the columns elements, inputs, outputs, ops and cycles. The first four columns identify a kernel. Rows
of `--on` whose kernel is also in `--fit` are skipped, and their number is printed. The error of a row is |predicted -
cycles| / cycles. `signatures never seen` are rows whose (inputs, outputs, ops) are in no row of the fit.

The rows do not state how many of a kernel's outputs are reductions. For predictions, a signature has the number with
which the fitted law errs least on the rows of the fit; a signature without such rows, the number
of `likely_reductions`. The error of predictions for kernels whose text is known is in `ndpx_programs
--kernels`, whose kernels also determine the constant `scratch` that `--write` writes.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another installed package may be called benchmarks

import numpy as np
from numpy.typing import NDArray

from benchmarks.near_data.public_kernels import public_kernels, with_public_scratch_price
from dialects.diagnostics import FileName, InputError
from dialects.files import write_text
from dialects.text.columns import table
from interp.kinds.ndp.files import law_text
from interp.kinds.ndp.fit import Rows, by_kernel, fit, middle, with_reductions
from interp.kinds.ndp.law import Floats, Kernels, Law

COLUMNS = ("elements", "inputs", "outputs", "ops", "cycles")
FOLDS, SEED = 5, 0
Predict = Callable[[Kernels], Floats]
Signature = tuple[float, float, float]
"""The numbers of inputs, outputs and ops of a kernel."""


def likely_reductions(kernels: Kernels) -> Floats:
    """The likely numbers of reductions of kernels, by their other counts, as read off the public rows: every output of
    kernels with one output and four ops, with one output, two inputs and two ops, with two outputs, and with three or
    more outputs and fewer than four ops per output; none of any other kernel."""
    one = (kernels.ops == 4) | ((kernels.inputs == 2) & (kernels.ops == 2))
    reduces = np.where(kernels.outputs == 1, one, (kernels.outputs < 3) | (kernels.ops < 4 * kernels.outputs))
    return np.where(reduces, kernels.outputs, 0.0)


def published_formula(kernels: Kernels) -> Floats:
    """Return the cycles of kernels by the formula with twelve constants that was published with the public rows."""
    elements, inputs, outputs, ops, *_ = kernels
    few_elements = 0.1121 * outputs + 0.0051 * inputs + 0.0009 * ops
    one = np.maximum(0.0453, 0.0052 * inputs + 0.0018 * ops + 0.0106)
    several = np.maximum(0.0504 * outputs, 0.0052 * inputs + 0.0018 * ops)
    slope = np.where(likely_reductions(kernels) > 0, few_elements, np.where(outputs == 1, one, several))
    return 294 + 15.3 * inputs + 0.7 * outputs + 5.74 * ops + elements * slope


def table_by_outputs(rows: Rows) -> Predict:
    """Fit a model of 335 cycles plus a number of cycles per element that depends on the number of outputs; for a number
    of outputs without fitted rows, the nearest number is used."""
    floor = 335.0
    slopes = np.maximum(rows.cycles - floor, 1.0) / rows.kernels.elements
    outputs = np.unique(rows.kernels.outputs)
    found = np.array([middle(slopes[rows.kernels.outputs == each]) for each in outputs])

    def predict(kernels: Kernels) -> Floats:
        nearest = np.abs(kernels.outputs[:, None] - outputs[None, :]).argmin(axis=1)
        return floor + kernels.elements * found[nearest]

    return predict


def best_constants(rows: Rows) -> Predict:
    """Fit the best constant for each kernel on the evaluated rows: no model of these columns can have a smaller
    error."""
    each, _ = by_kernel(rows)
    known = dict(zip(each.identities(), each.cycles.tolist(), strict=True))
    return lambda kernels: np.array([known[key] for key in Rows(kernels, kernels.elements).identities()])


def signatures(kernels: Kernels) -> list[Signature]:
    """Return the signature of each kernel."""
    return list(zip(kernels.inputs.tolist(), kernels.outputs.tolist(), kernels.ops.tolist(), strict=True))


def fitted_law(rows: Rows) -> Predict:
    """Fit the law; kernels are predicted with the number of reductions that suits the fitted rows of their signature
    best, or, without such rows, with the likely number."""
    law, (measured, counts) = fit(rows), by_kernel(rows)
    suits: dict[Signature, int] = {}
    of_kernel = np.array(signatures(measured.kernels))
    for signature in dict.fromkeys(signatures(measured.kernels)):
        alike = (of_kernel == signature).all(axis=1)
        mine, weights = measured.pick(alike), counts[alike]

        def error(reductions: int, mine: Rows = mine, weights: Floats = weights) -> float:
            kernels = with_reductions(mine.kernels, np.full(len(mine.cycles), float(reductions)))
            return float(np.average(np.abs(law.cycles(kernels) - mine.cycles) / mine.cycles, weights=weights))

        suits[signature] = min(range(int(signature[1]) + 1), key=error)

    def predict(kernels: Kernels) -> Floats:
        likely = likely_reductions(kernels).tolist()
        found = [suits.get(each, usual) for each, usual in zip(signatures(kernels), likely, strict=True)]
        return law.cycles(with_reductions(kernels, np.array(found)))

    return predict


OURS, NOISE = f"law of {len(Law.measured_constants())} constants", "noise floor: each kernel's best constant"


def models(rows: Rows) -> dict[str, Predict]:
    """Fit all compared models on rows; return them by name, ndpir's model last."""
    return {
        "335 cycles + elements by outputs": table_by_outputs(rows),
        "formula of 12 numbers, as published": published_formula,
        OURS: fitted_law(rows),
    }


def errors(parts: Iterator[tuple[Rows, Rows]]) -> tuple[dict[str, list[Floats]], Floats]:
    """Return the errors of each model, and a mask of rows with unseen signatures. `parts`: pairs of fitted rows and
    evaluated rows."""
    found, unseen = dict[str, list[Floats]](), list[Floats]()
    for train, evaluated in parts:
        seen = set(signatures(train.kernels))
        unseen.append(np.array([float(each not in seen) for each in signatures(evaluated.kernels)]))
        for name, predict in {**models(train), NOISE: best_constants(evaluated)}.items():
            off = np.abs(predict(evaluated.kernels) - evaluated.cycles) / evaluated.cycles
            found.setdefault(name, []).append(off)
    return found, np.concatenate(unseen)


def folds(rows: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Yield five pairs (fitted rows, evaluated rows). The distinct kernels are divided into five parts, at random with
    a fixed seed; each pair evaluates the rows of one part."""
    kernels = sorted(set(rows.identities()))
    order: list[int] = np.random.default_rng(SEED).permutation(len(kernels)).tolist()
    fold = {kernels[kernel]: place % FOLDS for place, kernel in enumerate(order)}
    of_row = np.array([fold[key] for key in rows.identities()])
    for number in range(FOLDS):
        yield rows.pick(of_row != number), rows.pick(of_row == number)


def read(path: Path) -> Rows:
    """Read the rows of a file. Raises InputError, with the line, if the file does not have these columns."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if missing := [name for name in COLUMNS if name not in (reader.fieldnames or ())]:
                raise InputError(f"column `{missing[0]}` is missing; expected {','.join(COLUMNS)}", FileName(path))
            rows = [_numbers(row, f"{path}:{reader.line_num}:1") for row in reader]
    except OSError as error:
        raise InputError(f"this file can't be read: {(error.strerror or str(error)).lower()}", FileName(path)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"this file is not CSV text: {error}", FileName(path)) from None
    if not rows:
        raise InputError("this file has no rows; expected a row for each measured kernel", FileName(path))
    elements, inputs, outputs, ops, cycles = np.array(rows).T
    return Rows(Kernels(elements, inputs, outputs, ops, np.full(len(rows), np.nan)), cycles)


def _numbers(row: Mapping[str | None, object], place: str) -> list[float]:
    found: list[float] = []
    for name in COLUMNS:
        word = row[name]
        least = 0 if name in ("inputs", "ops") else 1
        if not isinstance(word, str) or not (word.isascii() and word.isdigit()) or not least <= int(word) < 10**15:
            raise InputError(f"met `{word or ''}` in column {name}; expected an integer of at least {least}", place)
        found.append(float(word))
    return found


def _parts(options: argparse.Namespace) -> Iterator[tuple[Rows, Rows]]:
    rows = read(options.fit)
    if options.on is None:
        count = len(set(rows.identities()))
        if count < FOLDS:
            raise InputError(
                f"met {count} distinct kernels, too few for {FOLDS} folds; give more rows", FileName(options.fit)
            )
        print(f"{FOLDS} folds of {count:,} kernels in {len(rows.cycles):,} rows of {options.fit.name}")
        return folds(rows)
    evaluated, known = read(options.on), set(rows.identities())
    new = np.array([key not in known for key in evaluated.identities()])
    if not new.any():
        raise InputError(
            "all kernels here are also in the `--fit` file; give a file with other kernels", FileName(options.on)
        )
    summary = (
        f"fitted on {len(rows.cycles):,} rows of {options.fit.name}, judged on {int(new.sum()):,} of {options.on.name}"
    )
    print(summary + ("" if new.all() else f"; {int((~new).sum()):,} rows skipped, whose kernels were fitted on"))
    return iter([(rows, evaluated.pick(new))])


def main(arguments: Sequence[str] | None = None) -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--fit", type=Path, required=True, metavar="OPEN.csv", help="rows to fit on")
    parser.add_argument(
        "--on", type=Path, metavar="FILE.csv", help="rows on which errors are reported (default: five folds)"
    )
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="write the constants, fitted on all rows of --fit, into this file"
    )
    options = parser.parse_args(arguments)
    try:
        if options.write is not None:
            rows = read(options.fit)
            kernels = public_kernels()
            origin = (
                f"fitted on {len(rows.cycles):,} rows of {len(set(rows.identities())):,} kernels, {options.fit.name}, "
                f"and on {len(kernels)} of kernels_open.csv"
            )
            write_text(options.write, law_text(with_public_scratch_price(fit(rows, origin), kernels)))
            return 0
        found, unseen = errors(_parts(options))
    except InputError as error:
        print(f"{error.place}: error: {error.message}" if error.place else f"error: {error.message}", file=sys.stderr)
        return 1
    _print(found, unseen > 0)
    return 0


def _print(found: Mapping[str, Sequence[Floats]], unseen: NDArray[np.bool_]) -> None:
    joined = {name: np.concatenate(parts) for name, parts in found.items()}
    header = ("model", "rows", "mean", "median", "p90")
    print(table(header, [(name, f"{len(off):,}", *_figures(off)) for name, off in joined.items()], left=[0]))
    if unseen.any():
        rows = [(name, f"{int(unseen.sum()):,}", *_figures(off[unseen])) for name, off in joined.items()]
        print(table(("signatures never seen", *header[1:]), rows, left=[0]))
    mean, median, ninth = _figures(joined[OURS])
    print(f"ndpx MAPE {mean} median {median} p90 {ninth}")


def _figures(off: Floats) -> tuple[str, str, str]:
    """Return the mean, the median and the 90th percentile of the errors `off`, as text."""
    mean, median, ninth = (
        f"{100 * float(each):.1f} %" for each in (off.mean(), np.median(off), np.percentile(off, 90))
    )
    return mean, median, ninth


if __name__ == "__main__":
    sys.exit(main())
