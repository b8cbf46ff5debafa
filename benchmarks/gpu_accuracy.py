"""Errors of modelled kernel times of GPUs on measured rows that were not fitted: the model, beside plain roofline
and a baseline of two constants.

    python benchmarks/gpu_accuracy.py --shipped --on DIR     # the shipped calibrations, on rows that these did not see

`--shipped` leaves out by id all rows that any shipped calibration was fitted on. Every error that documents state is
of this command. All others refit from scratch on one directory of measurements, and judge on another one:

    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER                    # all classes, each group's own fit
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --only aic_gemm    # sets whose file name begins so
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --joint            # one fit a GPU, class and element type
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --transfer l4      # constants of all other GPUs (or: all)
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --write CALIBRATIONS   # files of all GPUs and families
    python benchmarks/gpu_accuracy.py --split DIR --into PARTS                # halves by shape: PARTS/fit, PARTS/on

Directories hold CSV files of the form that tests/data/gpu/README.md describes; rows with an empty field are left out,
which a note says. `--write` fits whole networks with all other classes as they are shipped. Tables go to stdout,
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
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another package is called benchmarks too

from rich.console import Console
from rich.progress import Progress

from benchmarks.gpu.bars import BARS, TRANSFER_BARS, Bar, Score
from benchmarks.gpu.fitted import Fitted
from benchmarks.gpu.fitted import of_scores as fitted_of
from benchmarks.gpu.fitted import read as read_fitted
from benchmarks.gpu.fitted import write as write_fitted
from benchmarks.gpu.measurements import SHEETS, read_groups
from benchmarks.gpu.refit import RefitTask, own_tasks, run, sheet, transfer_tasks
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
from interp.cost.gpu.classes import CLASSES
from interp.cost.gpu.constants.files import known_calibrations
from interp.cost.gpu.constants.fit import check_fitter
from interp.cost.gpu.constants.measurement import MeasuredGroup


def main(words: Sequence[str] | None = None) -> int:
    said = _parser().parse_args(words)
    try:
        return _split(said) if said.split else _table(said)
    except InputError as error:
        print(f"{error.place}: error: {error.message}" if error.place else f"error: {error.message}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--fit", type=Path, metavar="DIR", help="directory of measurements to fit on")
    parser.add_argument("--on", type=Path, metavar="DIR", help="directory of other measurements, to be judged on")
    parser.add_argument("--only", default="", metavar="SET", help="sets whose file name begins so")
    parser.add_argument("--class", dest="kernel_class", default="", help="classes of kernels whose name begins so")
    parser.add_argument("--gpu", default="", help="GPUs whose sheet's name begins so")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--shipped", action="store_true", help="no fit: judge the shipped calibrations")
    how.add_argument("--joint", action="store_true", help="one fit for all sets of a GPU, class and element type")
    how.add_argument("--transfer", metavar="GPU", help="predict this GPU (`all`: each in turn) from all others")
    how.add_argument("--write", type=Path, metavar="DIR", help="write calibrations of all GPUs and families here")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all scores and constants here too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    parser.add_argument("--split", type=Path, metavar="DIR", help="split the measurements of a directory by shape …")
    parser.add_argument("--into", type=Path, metavar="DIR", help="… into this directory's `fit` and `on`")
    parser.add_argument("--share", type=float, default=0.5, help="share of shapes that `fit` gets (default 0.5)")
    return parser


def _table(said: argparse.Namespace) -> int:
    if said.shipped:
        return _shipped(said)
    if said.fit is None or said.on is None:
        raise InputError("two directories are needed: `--fit DIR` to fit on, `--on DIR` to be judged on; see --help")
    if said.jobs < 1:
        raise InputError(f"`--jobs {said.jobs}` is no number of processes; give 1 or more")
    check_fitter()
    began = time.monotonic()
    train, on = (_groups(folder, said) for folder in (said.fit, said.on))
    for folder in (said.fit, said.on):  # what can't be read is said now, not after all fits
        network_timm.read(folder)
        network_neusight.read(folder)
    if said.write:
        return _write_calibrations(said, train, on)
    if said.transfer:
        tasks, bars = transfer_tasks(train, on, _left_out(said.transfer, on)), TRANSFER_BARS
    else:
        tasks, bars = own_tasks(train, on, said.joint), BARS
    networks = _networks(said)
    if not tasks and not networks:
        raise InputError("no group of measurements stands in both directories under the given choice", str(said.on))
    with _progress(len(tasks)) as told:
        scores = [score for _, each in run(tasks, said.jobs, told) for score in each] + networks + _energies(said, on)
    _print(said, scores, bars)
    print(f"{len(tasks)} fits, {len(scores)} groups, {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


def _shipped(said: argparse.Namespace) -> int:
    """Tables of the shipped calibrations' errors."""
    if said.on is None or said.fit is not None:
        raise InputError("`--shipped` fits nothing: give one directory to be judged on, `--on DIR`; see --help")
    seen, on = read_fitted(), _groups(said.on, said)
    scores = kernel_scores(on, seen)
    if not (said.only or said.kernel_class or said.gpu):
        scores += shipped_networks(said.on, seen)
        scores += energy_scores(said.on, seen) if any(group.power_w is not None for group in on) else []
    if not scores:
        raise InputError("all rows here were fitted on; there is nothing to be judged", str(said.on))
    _print(said, scores, BARS)
    kernels = [score for score in scores if score.kernel_class in CLASSES]
    held, left = sum(score.model.count for score in kernels), sum(score.left_out or 0 for score in kernels)
    print(f"kernels: {held:,} rows judged that no fit saw, {left:,} left out that were fitted on", file=sys.stderr)
    return 0


def _print(said: argparse.Namespace, scores: Sequence[Score], bars: Sequence[Bar]) -> None:
    out = Console(width=None if sys.stdout.isatty() else 1000, highlight=False)
    out.print(bar_table(scores, bars))
    out.print()
    out.print(group_table(scores))
    if said.json:
        _write(said.json, as_json(scores, bars))


def _networks(said: argparse.Namespace) -> list[Score]:
    """Scores of whole networks, where the choice does not leave them out."""
    if said.transfer or said.kernel_class or said.gpu or said.joint:
        return []
    return network_scores(said.fit, said.on, said.only)


def _energies(said: argparse.Namespace, on: Sequence[MeasuredGroup]) -> list[Score]:
    """Scores of boards' energy, where the choice does not leave them out."""
    metered = any(group.power_w is not None for group in on)
    chosen = said.transfer or said.kernel_class or said.gpu or said.joint or said.only
    return energy_rows(said.fit, said.on) if metered and not chosen else []


def _write_calibrations(said: argparse.Namespace, train: Sequence[MeasuredGroup], on: Sequence[MeasuredGroup]) -> int:
    """All calibrations: of single kernels; unless classes, sets or GPUs are chosen, of whole networks and of boards'
    power too."""
    tasks = write_tasks(train, on)
    whole = not (said.kernel_class or said.only or said.gpu)
    with _progress(len(tasks)) as told:
        written, scores = write(tasks, said.write, said.jobs, told)
    known_calibrations.cache_clear()  # they may be the shipped ones
    if whole:
        for gpu, records in network_timm.records(said.fit, said.on).items():
            for owner, name in (("gpu", gpu), ("family", sheet(gpu).architecture)):
                written.append(merged(said.write, owner, name, records))
        energies = energy_rows(said.fit, said.on)
        written += write_power(said.fit, energies, said.write)
        scores += energies
    written.append(write_fitted(said.write, said.fit, of_scores(scores, train), anew=whole))
    for path in dict.fromkeys(written):
        print(path)
    return 0


def of_scores(scores: Sequence[Score], train: Sequence[MeasuredGroup]) -> Fitted:
    """The submission of the kernels whose rows fits used."""
    seen = fitted_of(scores)
    return replace(seen, submissions={**seen.submissions, **submissions_of(train, seen)})


def _groups(folder: Path, said: argparse.Namespace) -> list[MeasuredGroup]:
    names = sorted({word for word in CLASSES if word.startswith(said.kernel_class)})
    if not names:
        raise InputError(f"no class of kernels begins with `{said.kernel_class}`; there are {', '.join(CLASSES)}")
    if said.only in NETWORK_SETS:
        return []
    found = [group for group in read_groups(folder, said.only) if group.kernel_class in names]
    return [group for group in found if said.transfer or group.gpu.startswith(said.gpu)]


def _left_out(word: str, on: Sequence[MeasuredGroup]) -> str:
    known = sorted({group.gpu for group in on})
    name = SHEETS.get(word, word)
    if name != "all" and name not in known:
        raise InputError(
            f"there are no measurements of `{word}` to be judged on; there are of {', '.join(known)}, or `all`"
        )
    return name


@contextmanager
def _progress(count: int) -> Generator[Callable[[RefitTask], None]]:
    """Takes each finished task; shown on a terminal alone."""
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        bar = progress.add_task("fitting", total=count)

        def told(task: RefitTask) -> None:
            progress.update(bar, advance=1, description=task.name)

        yield told


def _split(said: argparse.Namespace) -> int:
    if said.into is None:
        raise InputError("`--split DIR` needs `--into DIR` too: where the parts go")
    if not 0 < said.share < 1:
        raise InputError(f"`--share {said.share:g}` is no share; give a number between 0 and 1")
    for name, counts in split(said.split, said.into, said.share):
        print(f"{name}: {counts[0]} rows to {said.into / 'fit'}, {counts[1]} to {said.into / 'on'}")
    return 0


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text + "\n")
    except OSError as error:
        raise InputError(f"this can't be written: {(error.strerror or str(error)).lower()}", str(path)) from None


if __name__ == "__main__":
    sys.exit(main())
