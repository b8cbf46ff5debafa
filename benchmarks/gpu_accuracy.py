"""Errors of modelled GPU kernel times on measured rows that were not fitted, for the model and two baselines.

The baselines are a roofline, and a roofline with a launch time and one efficiency.

    python benchmarks/gpu_accuracy.py --shipped --on DIR     # the shipped calibrations, on rows that no fit used

`--shipped` skips, by id, all rows to which any shipped calibration was fitted. All other commands refit all constants
on one directory of measurements, and report errors on another directory:

    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER                    # all classes, a fit for each group
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --only aic_gemm    # sets whose file name begins with this
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --joint            # a fit for each GPU, class, element type
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --transfer l4      # constants of all other GPUs (or: all)
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --write CALIBRATIONS   # files of all GPUs and families
    python benchmarks/gpu_accuracy.py --fit DIR --folds 5                     # each row by a fit to other shapes
    python benchmarks/gpu_accuracy.py --split DIR --into PARTS                # halves by shape: PARTS/fit, PARTS/on

`--record` keeps the errors of `--shipped`, `--transfer all` and `--folds` in benchmarks/gpu/errors.csv, from which
`python -m benchmarks error_tables` writes the tables of README.md and docs/gpu.md.

Directories contain CSV files in the format of tests/data/gpu/README.md; rows with an empty field are skipped, with a
note. `--write` fits complete networks with the shipped constants of all other classes. Tables are written to stdout,
progress to stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another installed package may be called benchmarks

from rich.console import Console
from rich.progress import Progress

from benchmarks.gpu import record
from benchmarks.gpu.bars import BARS, TRANSFER_BARS, Bar, Score
from benchmarks.gpu.fitted import Fitted
from benchmarks.gpu.fitted import of_scores as fitted_of
from benchmarks.gpu.fitted import read as read_fitted
from benchmarks.gpu.fitted import write as write_fitted
from benchmarks.gpu.folds import fold_scores, fold_tasks
from benchmarks.gpu.measurements import SHEETS, read_groups
from benchmarks.gpu.refit import RefitTask, group_tasks, run, sheet, transfer_tasks
from benchmarks.gpu.shipped import energy_scores, kernel_scores, submissions_of
from benchmarks.gpu.shipped import network_scores as shipped_networks
from benchmarks.gpu.split import split
from benchmarks.gpu.tables import as_json, bar_table, group_table
from benchmarks.gpu.write import merged, write, write_tasks
from benchmarks.gpu_energy import energy_rows, write_power
from benchmarks.gpu_networks import NETWORK_SETS, network_scores
from benchmarks.networks import neusight as network_neusight
from benchmarks.networks import timm as network_timm
from dialects.diagnostics import InputError
from interp.cost.fitting import check_fitter
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.measurement import MeasuredGroup


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return _split(options) if options.split else _table(options)
    except InputError as error:
        print(f"{error.place}: error: {error.message}" if error.place else f"error: {error.message}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of the pipe has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--fit", type=Path, metavar="DIR", help="directory of measurements to fit on")
    parser.add_argument(
        "--on", type=Path, metavar="DIR", help="directory of other measurements, on which errors are reported"
    )
    parser.add_argument("--only", default="", metavar="SET", help="only sets whose file name begins with this")
    parser.add_argument(
        "--class", dest="kernel_class", default="", help="only classes of kernels whose name begins with this"
    )
    parser.add_argument("--gpu", default="", help="only GPUs whose sheet's name begins with this")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--shipped", action="store_true", help="fit nothing: report errors of the shipped calibrations")
    how.add_argument("--joint", action="store_true", help="one fit for all sets of a GPU, class and element type")
    how.add_argument(
        "--transfer", metavar="GPU", help="predict this GPU (`all`: each GPU) with a fit on all other GPUs"
    )
    how.add_argument(
        "--folds", type=int, metavar="N", help="predict each row with a fit on the shapes of all folds but its own"
    )
    how.add_argument(
        "--write", type=Path, metavar="DIR", help="write calibrations of all GPUs and families into this directory"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all scores and constants into this file")
    parser.add_argument(
        "--record", action="store_true", help="keep the errors in benchmarks/gpu/errors.csv, for the documents"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="number of processes (default: one per core)"
    )
    parser.add_argument(
        "--split", type=Path, metavar="DIR", help="split this directory's measurements by shape (needs --into)"
    )
    parser.add_argument(
        "--into", type=Path, metavar="DIR", help="directory for --split, which writes its subdirectories `fit` and `on`"
    )
    parser.add_argument("--share", type=float, default=0.5, help="fraction of shapes that go to `fit` (default 0.5)")
    return parser


def _table(options: argparse.Namespace) -> int:
    if options.shipped:
        return _shipped(options)
    if options.folds is not None:
        return _folds(options)
    if options.fit is None or options.on is None:
        raise InputError(
            "two directories are needed: `--fit DIR` to fit on, and `--on DIR` on which errors are reported; see --help"
        )
    if options.jobs < 1:
        raise InputError(f"`--jobs {options.jobs}`: expected a number of processes, 1 or more")
    check_fitter()
    began = time.monotonic()
    train, on = (_groups(folder, options) for folder in (options.fit, options.on))
    for folder in (options.fit, options.on):  # reports unreadable files before the fits begin
        network_timm.read(folder)
        network_neusight.read(folder)
    if options.write:
        return _write_calibrations(options, train, on)
    if options.transfer:
        tasks, bars = transfer_tasks(train, on, _target(options.transfer, on)), TRANSFER_BARS
    else:
        tasks, bars = group_tasks(train, on, options.joint), BARS
    networks = _networks(options)
    if not tasks and not networks:
        raise InputError(
            "no selected group of measurements is in both directories; select other sets, classes or GPUs",
            str(options.on),
        )
    with _progress(len(tasks)) as report:
        scores = (
            [one.score() for _, each in run(tasks, options.jobs, report) for one in each]
            + networks
            + _energies(options, on)
        )
    _print(options, scores, bars)
    if options.record:
        if options.transfer != "all":
            raise InputError("`--record` keeps only the errors of `--shipped`, `--folds` and `--transfer all`")
        record.write("left out", scores)
    print(f"{len(tasks)} fits, {len(scores)} groups, {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


def _shipped(options: argparse.Namespace) -> int:
    """Print the errors of the shipped calibrations; return the exit status."""
    if options.on is None or options.fit is not None:
        raise InputError(
            "`--shipped` fits nothing: give only `--on DIR`, the directory on which errors are reported; see --help"
        )
    fitted_rows, on = read_fitted(), _groups(options.on, options)
    scores = kernel_scores(on, fitted_rows)
    if not (options.only or options.kernel_class or options.gpu):
        scores += shipped_networks(options.on, fitted_rows)
        scores += energy_scores(options.on, fitted_rows) if any(group.power_w is not None for group in on) else []
    if not scores:
        raise InputError(
            "the shipped calibrations were fitted on all rows here; give a directory with other rows", str(options.on)
        )
    _print(options, scores, BARS)
    if options.record:
        record.write("shipped", scores)
    kernels = [score for score in scores if score.kernel_class in CLASSES]
    held, left = sum(score.model.count for score in kernels), sum(score.left_out or 0 for score in kernels)
    print(f"kernels: {held:,} rows evaluated that no fit used, {left:,} rows skipped that a fit used", file=sys.stderr)
    return 0


def _folds(options: argparse.Namespace) -> int:
    """Print the errors of refits by folds of shapes; return the exit status."""
    if options.fit is None or options.on is not None or options.folds < 2:
        raise InputError(
            "`--folds N` needs a number of folds, 2 or more, and only `--fit DIR`, the directory to divide"
        )
    check_fitter()
    began = time.monotonic()
    tasks = fold_tasks(_groups(options.fit, options), options.fit, options.folds)
    with _progress(len(tasks)) as report:
        scores = fold_scores(tasks, options.jobs, report)
    _print(options, scores, BARS)
    if options.record:
        record.write("folds", scores)
    print(f"{len(tasks)} fits, {len(scores)} groups, {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


def _print(options: argparse.Namespace, scores: Sequence[Score], bars: Sequence[Bar]) -> None:
    out = Console(width=None if sys.stdout.isatty() else 1000, highlight=False)
    out.print(bar_table(scores, bars))
    out.print()
    out.print(group_table(scores))
    if options.json:
        _write(options.json, as_json(scores, bars))


def _networks(options: argparse.Namespace) -> list[Score]:
    """Return scores of complete networks, unless options exclude them."""
    if options.transfer or options.kernel_class or options.gpu or options.joint:
        return []
    return network_scores(options.fit, options.on, options.only)


def _energies(options: argparse.Namespace, on: Sequence[MeasuredGroup]) -> list[Score]:
    """Return scores of board energy, unless options exclude them."""
    metered = any(group.power_w is not None for group in on)
    chosen = options.transfer or options.kernel_class or options.gpu or options.joint or options.only
    return energy_rows(options.fit, options.on) if metered and not chosen else []


def _write_calibrations(
    options: argparse.Namespace, train: Sequence[MeasuredGroup], on: Sequence[MeasuredGroup]
) -> int:
    """Write all calibrations; return the exit status.

    They are calibrations of single kernels and, unless the options select classes, sets or GPUs, of complete networks
    and of board power.
    """
    tasks, left_out = write_tasks(train, on), transfer_tasks(train, on, "all")
    complete = not (options.kernel_class or options.only or options.gpu)
    with _progress(len(tasks) + len(left_out)) as report:
        written, scores = write(tasks, left_out, options.write, options.jobs, report)
    if complete:
        for gpu, records in network_timm.records(options.fit, options.on).items():
            for owner, name in (("gpu", gpu), ("family", sheet(gpu).architecture)):
                written.append(merged(options.write, owner, name, records))
        energies = energy_rows(options.fit, options.on)
        written += write_power(options.fit, energies, options.write)
        scores += energies
    written.append(write_fitted(options.write, options.fit, of_scores(scores, train), anew=complete))
    for path in dict.fromkeys(written):
        print(path)
    return 0


def of_scores(scores: Sequence[Score], train: Sequence[MeasuredGroup]) -> Fitted:
    """Return a record of the rows that fits used, and of the submission of their kernels."""
    fitted_rows = fitted_of(scores)
    return replace(fitted_rows, submissions={**fitted_rows.submissions, **submissions_of(train, fitted_rows)})


def _groups(folder: Path, options: argparse.Namespace) -> list[MeasuredGroup]:
    names = sorted({word for word in CLASSES if word.startswith(options.kernel_class)})
    if not names:
        raise InputError(
            f"no class of kernels begins with `{options.kernel_class}`; expected one of {', '.join(CLASSES)}"
        )
    if options.only in NETWORK_SETS:
        return []
    found = [group for group in read_groups(folder, options.only) if group.kernel_class in names]
    return [group for group in found if options.transfer or group.gpu.startswith(options.gpu)]


def _target(word: str, on: Sequence[MeasuredGroup]) -> str:
    known = sorted({group.gpu for group in on})
    name = SHEETS.get(word, word)
    if name != "all" and name not in known:
        raise InputError(
            f"the `--on` directory has no measurements of `{word}`; expected one of {', '.join(known)}, or `all`"
        )
    return name


@contextmanager
def _progress(count: int) -> Generator[Callable[[RefitTask], None]]:
    """Show a progress bar, on a terminal only; yield a function to call with each finished task."""
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        bar = progress.add_task("fitting", total=count)

        def report(task: RefitTask) -> None:
            progress.update(bar, advance=1, description=task.name)

        yield report


def _split(options: argparse.Namespace) -> int:
    if options.into is None:
        raise InputError("`--split DIR` needs `--into DIR`, the directory for the two parts")
    if not 0 < options.share < 1:
        raise InputError(f"`--share {options.share:g}`: expected a number between 0 and 1")
    for name, counts in split(options.split, options.into, options.share):
        print(f"{name}: {counts[0]} rows to {options.into / 'fit'}, {counts[1]} to {options.into / 'on'}")
    return 0


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text + "\n")
    except OSError as error:
        raise InputError(f"the scores can't be written: {(error.strerror or str(error)).lower()}", str(path)) from None


if __name__ == "__main__":
    sys.exit(main())
