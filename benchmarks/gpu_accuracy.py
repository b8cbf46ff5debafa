"""Errors of modelled GPU kernel times on measured rows that were not fitted, for the model and two baselines.

The baselines are a roofline, and a roofline with a launch time and one efficiency.

    python benchmarks/gpu_accuracy.py --shipped --on DIR     # the shipped calibrations, on rows that no fit used

`--shipped` skips, by id, all rows to which any shipped calibration was fitted. All other commands refit all constants,
of all GPUs and libraries together, and report errors on rows that the fit did not see. `--fit` and `--on` may be
repeated:

    python benchmarks/gpu_accuracy.py --fit DIR --fit DIR2 --on OTHER         # all classes
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --only aic_gemm    # sets whose file name begins with this
    python benchmarks/gpu_accuracy.py --fit DIR --folds 5                     # each row by a fit to other shapes
    python benchmarks/gpu_accuracy.py --fit DIR --libraries                   # a library on a chip by all other ones
    python benchmarks/gpu_accuracy.py --fit DIR --transfer l4                 # a chip by all others (or `all`: each)
    python benchmarks/gpu_accuracy.py --fit DIR --write CALIBRATIONS          # files of all GPUs and libraries
    python benchmarks/gpu_accuracy.py --split DIR --into PARTS                # halves by shape: PARTS/fit, PARTS/on

`--record` keeps the errors of `--shipped`, `--folds`, `--libraries` and `--transfer all` in benchmarks/gpu/errors.csv,
from which `python -m benchmarks error_tables` writes the tables of README.md and docs/gpu.md.

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
from benchmarks.gpu.bars import BARS, LIBRARY_BARS, TRANSFER_BARS, Bar, Score
from benchmarks.gpu.fitted import Fitted
from benchmarks.gpu.fitted import read as read_fitted
from benchmarks.gpu.fitted import write as write_fitted
from benchmarks.gpu.folds import fold_scores, fold_tasks
from benchmarks.gpu.measurements import SHEETS, read_groups
from benchmarks.gpu.refit import RefitTask, all_tasks, library_tasks, transfer_effort, transfer_tasks
from benchmarks.gpu.shipped import energy_scores, kernel_scores
from benchmarks.gpu.shipped import network_scores as shipped_networks
from benchmarks.gpu.split import split
from benchmarks.gpu.tables import as_json, bar_table, group_table
from benchmarks.gpu.write import baselines_of, fit_all, merged, records_of, submissions_of
from benchmarks.gpu_energy import energy_rows
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
    parser.add_argument(
        "--fit", type=Path, action="append", default=[], metavar="DIR", help="directory of measurements to fit on"
    )
    parser.add_argument(
        "--on",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="directory of other measurements, on which errors are reported",
    )
    parser.add_argument("--only", default="", metavar="SET", help="only sets whose file name begins with this")
    parser.add_argument(
        "--class", dest="kernel_class", default="", help="only classes of kernels whose name begins with this"
    )
    parser.add_argument("--gpu", default="", help="only GPUs whose sheet's name begins with this")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--shipped", action="store_true", help="fit nothing: report errors of the shipped calibrations")
    how.add_argument(
        "--transfer", metavar="GPU", help="predict this GPU (`all`: each GPU) by a fit without its chip's boards"
    )
    how.add_argument(
        "--libraries", action="store_true", help="predict each library on each chip by a fit without these rows"
    )
    how.add_argument(
        "--folds", type=int, metavar="N", help="predict each row by a fit to the shapes of all folds but its own"
    )
    how.add_argument(
        "--write", type=Path, metavar="DIR", help="write calibrations of all GPUs and libraries into this directory"
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
    if not options.fit:
        raise InputError("`--fit DIR` is needed, a directory to fit on; see --help")
    if options.jobs < 1:
        raise InputError(f"`--jobs {options.jobs}`: expected a number of processes, 1 or more")
    check_fitter()
    began = time.monotonic()
    train, on = _groups(options.fit, options), _groups(options.on, options) if options.on else []
    for folder in (*options.fit, *options.on):  # reports unreadable files before the fits begin
        network_timm.read(folder)
        network_neusight.read(folder)
    if options.write:
        return _write_calibrations(options, train)
    kind, tasks = _tasks(options, train, on)
    networks = _networks(options)
    if not tasks and not networks:
        raise InputError(
            "no selected group of measurements can be predicted; select other sets, classes or GPUs",
            str((options.on or options.fit)[0]),
        )
    with _progress(len(tasks)) as report:
        scores = fold_scores(tasks, options.jobs, report) + networks + _energies(options, on)
    bars = {"left out": TRANSFER_BARS, "library left out": LIBRARY_BARS}
    _print(options, scores, bars.get(kind, BARS))
    if options.record:
        if not kind or options.transfer not in (None, "all"):
            raise InputError("`--record` keeps the errors of `--shipped`, `--folds`, `--libraries`, `--transfer all`")
        record.write(kind, scores)
    print(f"{len(tasks)} fits, {len(scores)} groups, {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


def _tasks(
    options: argparse.Namespace, train: Sequence[MeasuredGroup], on: Sequence[MeasuredGroup]
) -> tuple[str, list[RefitTask]]:
    """Return the kind of the run, empty if no record is kept of it, and its fits."""
    if options.folds is not None:
        if options.folds < 2 or options.on:
            raise InputError("`--folds N` needs a number of folds, 2 or more, and only `--fit DIR`")
        return "folds", fold_tasks(train, options.fit, options.folds)
    if options.libraries:
        return "library left out", library_tasks(train)
    if options.transfer:
        return "left out", transfer_tasks(train, _target(options.transfer, train))
    if not options.on:
        raise InputError("two directories are needed: `--fit DIR` to fit on, and `--on DIR`; see --help")
    return "", all_tasks(train, on)


def _shipped(options: argparse.Namespace) -> int:
    """Print the errors of the shipped calibrations; return the exit status."""
    if not options.on or options.fit:
        raise InputError(
            "`--shipped` fits nothing: give only `--on DIR`, the directory on which errors are reported; see --help"
        )
    fitted_rows, on = read_fitted(), _groups(options.on, options)
    scores = kernel_scores(on, fitted_rows)
    if not (options.only or options.kernel_class or options.gpu):
        for folder in options.on:
            scores += shipped_networks(folder, fitted_rows)
            scores += energy_scores(folder, fitted_rows) if (folder / "aic_gemm.csv").exists() else []
    if not scores:
        raise InputError(
            "the shipped calibrations were fitted on all rows here; give a directory with other rows",
            str(options.on[0]),
        )
    _print(options, scores, BARS)
    if options.record:
        record.write("shipped", scores)
    kernels = [score for score in scores if score.kernel_class in CLASSES]
    held, left = sum(score.model.count for score in kernels), sum(score.left_out or 0 for score in kernels)
    print(f"kernels: {held:,} rows evaluated that no fit used, {left:,} rows skipped that a fit used", file=sys.stderr)
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
    if not options.on or options.kernel_class or options.gpu:
        return []
    return network_scores(options.fit[0], options.on[0], options.only)


def _energies(options: argparse.Namespace, on: Sequence[MeasuredGroup]) -> list[Score]:
    """Return scores of board energy, unless options exclude them."""
    metered = any(group.power_w is not None for group in on)
    chosen = options.kernel_class or options.gpu or options.only
    return energy_rows(options.fit[0], options.on[0]) if metered and not chosen else []


def _write_calibrations(options: argparse.Namespace, train: Sequence[MeasuredGroup]) -> int:
    """Write all calibrations of kernels; return the exit status."""
    complete = not (options.kernel_class or options.only or options.gpu)
    tasks = all_tasks(train, train)
    with _progress(2 * len(tasks)) as report:
        fits = fit_all(tasks, options.jobs, report)
        pooled = fit_all([replace(task, effort=transfer_effort(task.name)) for task in tasks], options.jobs, report)
    written = [
        merged(options.write, owner, name, records, anew=complete)
        for (owner, name), records in sorted(records_of(fits, pooled, record.read()).items())
    ]
    found = Fitted({}, submissions_of(fits), {}, baselines_of(train))
    written.append(write_fitted(options.write, options.fit, found, anew=False))
    for path in dict.fromkeys(written):
        print(path)
    return 0


def _groups(folders: Sequence[Path], options: argparse.Namespace) -> list[MeasuredGroup]:
    names = sorted({word for word in CLASSES if word.startswith(options.kernel_class)})
    if not names:
        raise InputError(
            f"no class of kernels begins with `{options.kernel_class}`; expected one of {', '.join(CLASSES)}"
        )
    if options.only in NETWORK_SETS:
        return []
    found = [group for folder in folders for group in read_groups(folder, options.only) if group.kernel_class in names]
    return [group for group in found if options.transfer or group.gpu.startswith(options.gpu)]


def _target(word: str, groups: Sequence[MeasuredGroup]) -> str:
    known = sorted({group.gpu for group in groups})
    name = SHEETS.get(word, word)
    if name != "all" and name not in known:
        raise InputError(f"there are no measurements of `{word}`; expected one of {', '.join(known)}, or `all`")
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
