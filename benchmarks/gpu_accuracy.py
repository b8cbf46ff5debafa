"""How far kernel times of GPUs lie from measured ones, on shapes that were not fitted: the model, beside plain roofline
and a baseline of two constants. All is refitted from scratch on one directory of measurements, and judged on another.

    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER                    # all classes, each group's own fit
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --only aic_gemm    # sets whose file name begins so
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --joint            # one fit a GPU, class and element type
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --transfer l4      # constants of all other GPUs (or: all)
    python benchmarks/gpu_accuracy.py --fit DIR --on OTHER --write CALIBRATIONS   # files of all GPUs and families
    python benchmarks/gpu_accuracy.py --split DIR --into PARTS                # halves by shape: PARTS/fit, PARTS/on

Directories hold CSV files of the form that tests/data/gpu/README.md describes. Tables go to stdout, progress to stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another package is called benchmarks too

from rich.console import Console
from rich.progress import Progress

from benchmarks import network_timm
from benchmarks.gpu_bars import BARS, TRANSFER_BARS, Score
from benchmarks.gpu_energy import energy_rows, write_power
from benchmarks.gpu_measurements import SHEETS, read_groups
from benchmarks.gpu_networks import NETWORK_SETS, network_scores
from benchmarks.gpu_refit import Task, own_tasks, run, sheet, transfer_tasks
from benchmarks.gpu_split import split
from benchmarks.gpu_tables import as_json, bar_table, group_table
from benchmarks.gpu_write import merged, write, write_tasks
from dialects.diagnostics import InputError
from interp.gpu.classes import CLASSES
from interp.gpu.fit import check_fitter
from interp.gpu.measurement import Group


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
    if said.fit is None or said.on is None:
        raise InputError("two directories are needed: `--fit DIR` to fit on, `--on DIR` to be judged on; see --help")
    if said.jobs < 1:
        raise InputError(f"`--jobs {said.jobs}` is no number of processes; give 1 or more")
    check_fitter()
    began = time.monotonic()
    train, on = (_groups(folder, said) for folder in (said.fit, said.on))
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
    out = Console(width=None if sys.stdout.isatty() else 1000, highlight=False)
    out.print(bar_table(scores, bars))
    out.print()
    out.print(group_table(scores))
    if said.json:
        _write(said.json, as_json(scores, bars))
    print(f"{len(tasks)} fits, {len(scores)} groups, {time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


def _networks(said: argparse.Namespace) -> list[Score]:
    """Scores of whole networks, where the choice does not leave them out."""
    if said.transfer or said.kernel_class or said.gpu or said.joint:
        return []
    return network_scores(said.fit, said.on, said.only)


def _energies(said: argparse.Namespace, on: Sequence[Group]) -> list[Score]:
    """Scores of boards' energy, where the choice does not leave them out."""
    metered = any(group.power_w is not None for group in on)
    chosen = said.transfer or said.kernel_class or said.gpu or said.joint or said.only
    return energy_rows(said.fit, said.on) if metered and not chosen else []


def _write_calibrations(said: argparse.Namespace, train: Sequence[Group], on: Sequence[Group]) -> int:
    """All calibrations: of single kernels; unless classes, sets or GPUs are chosen, of whole networks and of boards'
    power too."""
    tasks = write_tasks(train, on)
    with _progress(len(tasks)) as told:
        written = write(tasks, said.write, said.jobs, told)
    if not (said.kernel_class or said.only or said.gpu):
        for gpu, records in network_timm.records(said.fit, said.on).items():
            for owner, name in (("gpu", gpu), ("family", sheet(gpu).architecture)):
                written.append(merged(said.write, owner, name, records))
        written += write_power(said.fit, energy_rows(said.fit, said.on), said.write)
    for path in dict.fromkeys(written):
        print(path)
    return 0


def _groups(folder: Path, said: argparse.Namespace) -> list[Group]:
    names = sorted({word for word in CLASSES if word.startswith(said.kernel_class)})
    if not names:
        raise InputError(f"no class of kernels begins with `{said.kernel_class}`; there are {', '.join(CLASSES)}")
    if said.only in NETWORK_SETS:
        return []
    found = [group for group in read_groups(folder, said.only) if group.kernel_class in names]
    return [group for group in found if said.transfer or group.gpu.startswith(said.gpu)]


def _left_out(word: str, on: Sequence[Group]) -> str:
    known = sorted({group.gpu for group in on})
    name = SHEETS.get(word, word)
    if name != "all" and name not in known:
        raise InputError(
            f"there are no measurements of `{word}` to be judged on; there are of {', '.join(known)}, or `all`"
        )
    return name


@contextmanager
def _progress(count: int) -> Generator[Callable[[Task], None]]:
    """Takes each finished task; shown on a terminal alone."""
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        bar = progress.add_task("fitting", total=count)

        def told(task: Task) -> None:
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
