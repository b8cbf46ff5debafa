"""Errors of GPU board energy on kernels that were not fitted.

The reference is measured power times measured time.

    python benchmarks/gpu_energy.py --fit DIR --on OTHER
    python benchmarks/gpu_energy.py --fit DIR --folds 5                     # each fold of shapes by a fit to the others
    python benchmarks/gpu_energy.py --fit DIR --on OTHER --write FOLDER     # write constants into FOLDER's calibrations

Both directories contain aic_gemm.csv and aic_attention.csv in the format of tests/data/gpu/README.md. Each kernel was
repeated for up to a second while NVML was read every 0.1 s, and NVML's readings are means over the second before
(`interp/kinds/gpu/meter.py`): even the readings of the longest runs contain as much of the pause before and of the
kernel before it as of the kernel itself. Rows "1 s and more" contain only kernels that were repeated for a second.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another installed package may be called benchmarks

from rich.console import Console
from rich.table import Table

from benchmarks.gpu import fitted
from benchmarks.gpu.bars import Score
from benchmarks.gpu.baselines import roofline, two_constants
from benchmarks.gpu.measurements import read_groups, row_number, rows_of
from benchmarks.gpu.refit import chip_of, sheet
from benchmarks.gpu.split import place_of
from benchmarks.gpu.sweeps import kernels_before
from benchmarks.gpu.write import merged
from dialects.diagnostics import InputError
from interp.cost.fitting import check_fitter
from interp.kinds.gpu.chip import Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.calibration import Record, power_of
from interp.kinds.gpu.constants.fit import Fitted, fit
from interp.kinds.gpu.constants.measurement import FitErrors, MeasuredGroup
from interp.kinds.gpu.constants.power_fit import FittedBoard, Metered, fit_board
from interp.kinds.gpu.meter import Meter, Run
from interp.kinds.gpu.power import BOARD, Activity

_REPLAYS = 3000
"""The largest number of replays of a CUDA graph, and the smallest. Source: ai-dynamo/aiconfigurator,
collector/helper.py, benchmark_with_power."""
_LEAST_REPLAYS = 6
_REPEATED_S = 1.0
"""The time for which a kernel is repeated, unless `_REPLAYS` replays are shorter, s: the default of the same function.
The data set's authors did not publish the value that they used; 3 s fits the readings worse."""
_CALL_S = 1e-4
"""The time that a call of the kernels of a graph takes longer than a replay, s; assumed. The number of replays is
computed from the time of calls."""
_COMPILED = {"h200_sxm": 256}
"""By GPU: the largest head of attention that has a precompiled kernel. For larger heads vLLM uses Triton, which
compiles at the first call; the collector then takes the kernel for a long one, and repeats it 6 times or more."""


MEASURED = "measured times"
"""The key of the errors of the energy that the model predicts from measured times; the key `model` is for predicted
times."""
_NAMES = {constant.name for constant in BOARD.constants}


@dataclass(frozen=True)
class Board:
    """The models of one GPU: the fitted time model of each kind of kernel, by the kind's name, and the fitted model of
    the board's power."""

    times: Mapping[str, Fitted]
    power: FittedBoard
    kinds: Sequence[str]

    def meter(self, group: MeasuredGroup) -> Meter | None:
        return self.power.meters[self.kinds.index(group.label)]


def energy_rows(fit_dir: Path, on_dir: Path) -> list[Score]:
    """Return the scores of all groups with power measurements.

    Kernels that were repeated for a second or more have separate scores (class `long …`). In a score, `errors` has the
    keys `model` (error of the energy from predicted times) and MEASURED (error of the energy from measured times).
    """
    train, evaluated = metered_groups(fit_dir), metered_groups(on_dir)
    scores: list[Score] = []
    for gpu in dict.fromkeys(group.gpu for group in evaluated):
        groups = [group for group in train if group.gpu == gpu]
        board = fit_gpu(groups)
        for group in evaluated:
            if group.gpu == gpu and group.label in board.times:
                energies = board_energies(group, next(one for one in groups if one.label == group.label), board)
                scores += board_scores(group, energies, "its own power measurements", board)
    return scores


def metered_groups(folder: Path) -> list[MeasuredGroup]:
    """Return the groups of a folder's kernels whose board power was measured."""
    groups = [group for group in read_groups(folder, "aic") if group.power_w is not None]
    return [group.part(np.flatnonzero(~np.isnan(_watts(group)))) for group in groups]


def fit_gpu(groups: Sequence[MeasuredGroup]) -> Board:
    """Fit the time model of each kind of kernel on one GPU, and the board's power during the measured times, to kernels
    whose repetition is known."""
    times = {group.label: fit(CLASSES[group.kernel_class], [group], {group.gpu: chip_of(group)}) for group in groups}
    known = [group.part(np.flatnonzero(is_run_known(group))) for group in groups]
    kinds = [_metered(group, times[group.label], group.ns) for group in known]
    return Board(times, fit_board(kinds), [group.label for group in groups])


def run_s(group: MeasuredGroup, ns: Floats) -> Floats:
    """Return the time for which kernels of `ns` were repeated, s."""
    replay = _copies(group) * ns * 1e-9
    seconds = np.minimum(_REPLAYS * replay, _REPEATED_S * replay / (replay + _CALL_S))
    return np.maximum(seconds, _LEAST_REPLAYS * replay)


def is_long(group: MeasuredGroup) -> NDArray[np.bool_]:
    """Return a mask of the kernels that were repeated for a second: as many replays as allowed take that long."""
    return (_REPLAYS * _copies(group) * group.ns * 1e-9 >= _REPEATED_S) & is_run_known(group)


def is_run_known(group: MeasuredGroup) -> NDArray[np.bool_]:
    """Return a mask of the kernels for which the number of replays is known."""
    most = _COMPILED.get(group.gpu, np.inf)
    return group.columns.get("head", np.zeros(len(group.ns))) <= most


def _copies(group: MeasuredGroup) -> Floats:
    """Return the number of kernels per CUDA graph: one per copy of a matrix product's weights."""
    return group.columns.get("copies", np.ones(len(group.ns)))


_CACHED_TOKENS = 8192 * 64
"""The least number of tokens for which a cache is allocated. Source: ai-dynamo/aiconfigurator,
collector/vllm/collect_attn.py."""


def _set_up(group: MeasuredGroup) -> tuple[Floats, Floats]:
    """Return what is set up before each kernel is measured: bytes of all copies of the weights, or of the cache of keys
    and values, and the number of sequences."""
    columns = group.columns
    if group.kernel_class == "gemm":
        return _copies(group) * columns["bytes"] * columns["n"] * columns["k"], np.zeros(len(group.ns))
    tokens = np.maximum(columns["batch"] * columns["keys"], _CACHED_TOKENS)
    return 2 * columns["bytes"] * tokens * columns["kv_heads"] * columns["head"], columns["batch"]


def _metered(group: MeasuredGroup, times: Fitted, ns: Floats) -> Metered:
    """Return a group's power readings with the activity of its kernels over the times `ns`, and with their runs, whose
    lengths follow from the measured times."""
    chip, columns = chip_of(group), kernels_before(group)
    before = times.kernel_class.estimate(columns, chip, times.constants)
    before_ns = before.ns + chip.launch_ns
    set_up_bytes, sequences = _set_up(group)
    run = Run(
        run_s(group, group.ns),
        Activity.of(before, before_ns),
        run_s(group, before_ns),
        set_up_bytes / 1e9,
        sequences,
    )
    estimate = times.kernel_class.estimate(group.columns, chip, times.constants)
    return Metered(Activity.of(estimate, ns), chip, _watts(group), run)


def _watts(group: MeasuredGroup) -> Floats:
    assert group.power_w is not None
    return group.power_w


def board_energies(group: MeasuredGroup, base: MeasuredGroup | None, board: Board) -> dict[str, Floats]:
    """Return the energy of a group's kernels by method, nJ; the baseline of two constants is fitted on the group
    `base`, if given."""
    chip = chip_of(group)
    energies = {
        "roofline": float(chip.tdp_w) * roofline(group, chip),
        "model": _energy(group, board, board.times[group.label].predict(group, chip)),
        MEASURED: _energy(group, board, group.ns),
    }
    if base is not None:
        energies["two constants"] = float(np.mean(_watts(base))) * two_constants([(base, chip)], group, chip)
    return energies


def board_scores(
    group: MeasuredGroup, energies: Mapping[str, Floats], origin: str, board: Board | None = None
) -> list[Score]:
    """Return the errors of a group's energies, over all kernels and over those that were repeated for a second."""
    measured, long = _watts(group) * group.ns, is_long(group)
    found: list[Score] = []
    for word, which in (("energy", np.ones_like(long)), ("long", long)):
        if which.sum() > 1:
            errors = {name: FitErrors.of(values[which], measured[which]) for name, values in energies.items()}
            label = f"{group.label} energy" + (" (1 s and more)" if word == "long" else "")
            key = (group.source, group.gpu, group.element, label, f"{word} {group.kernel_class}")
            found.append(Score(*key, errors, origin, {} if board is None else _constants(group, board)))
    return found


def _constants(group: MeasuredGroup, board: Board) -> dict[str, float]:
    meter = board.meter(group)
    numbers = {} if meter is None else {f"meter_{name}": value for name, value in asdict(meter).items()}
    return {**board.power.constants, **numbers}


def _energy(group: MeasuredGroup, board: Board, ns: Floats) -> Floats:
    """Return the energy that the power meter would report for each kernel, nJ."""
    metered = _metered(group, board.times[group.label], ns)
    return metered.shown(board.power.constants, board.meter(group)) * ns


def fold_rows(folder: Path, count: int) -> list[Score]:
    """Return the scores of a folder's groups, each kernel by a fit to the shapes of all folds but its own."""
    groups = metered_groups(folder)
    folds = [_folds(group, folder, count) for group in groups]
    energies: list[dict[str, Floats]] = [{} for _ in groups]
    for gpu in dict.fromkeys(group.gpu for group in groups):
        numbers = [number for number, group in enumerate(groups) if group.gpu == gpu]
        for fold in range(count):
            train = {number: groups[number].part(folds[number] != fold) for number in numbers}
            board = fit_gpu(list(train.values()))
            for number in numbers:
                here = folds[number] == fold
                for name, values in board_energies(groups[number].part(here), train[number], board).items():
                    energies[number].setdefault(name, np.zeros(len(here)))[here] = values
    origin = f"the other shapes of {count} folds"
    return [
        score for group, found in zip(groups, energies, strict=True) for score in board_scores(group, found, origin)
    ]


def _folds(group: MeasuredGroup, folder: Path, count: int) -> NDArray[np.intp]:
    if group.ids is None or (group.ids < 0).any():
        raise InputError(f"rows of {group.source} have no `id` that ends with a number, so they can't be divided")
    rows = rows_of(folder / f"{group.source}.csv")
    of_row = {row_number(row): int(place_of(group.source, row) * count) for _, row in rows}
    return np.array([of_row[int(number)] for number in group.ids])


def _table(scores: Sequence[Score]) -> Table:
    table = Table(title="energy: mean absolute error, %")
    for head in ("GPU", "kernels", "", "limit, roofline", "mean, two constants", "measured times", "predicted times"):
        table.add_column(head, justify="left" if head in ("GPU", "kernels") else "right")
    for head in ("median", "bias", "rank"):
        table.add_column(head, justify="right")
    for score in scores:
        model, names = score.model, ("roofline", "two constants", MEASURED, "model")
        errors = [f"{score.errors[name].mape:.1f}" for name in names]
        ends = f"{model.median:.1f}", f"{model.bias:+.1f}", f"{model.rank:.4f}"
        table.add_row(score.gpu, score.label, str(model.count), *errors, *ends)
    return table


def write_power(fit_dir: Path, scores: Sequence[Score], folder: Path) -> list[Path]:
    """Write the constants of each GPU's board power into the calibrations of the GPU and of its family in a folder, and
    the errors for each class of kernels into that of the GPU; other records are kept. Return the files' paths."""
    written: list[Path] = []
    train = metered_groups(fit_dir)
    for gpu in dict.fromkeys(score.gpu for score in scores):
        groups = [group for group in train if group.gpu == gpu]
        own = [score for score in scores if score.gpu == gpu]
        held = {name: value for name, value in own[0].constants.items() if name in _NAMES}
        count = sum(int(is_run_known(group).sum()) for group in groups)
        of = ", ".join(sorted({f"{group.kernel_class} {group.element}" for group in groups}))
        board = Record(BOARD.name, BOARD.element, held, f"fitted on {count} power readings of {gpu} ({of})")
        errors = [_class_error(group, own) for group in groups]
        for owner, name, records in (
            ("gpu", gpu, [board, *errors]),
            ("family", sheet(gpu).architecture, [board]),
        ):
            written.append(merged(folder, owner, name, {each.key: each for each in records}))
    return written


def _class_error(group: MeasuredGroup, scores: Sequence[Score]) -> Record:
    """Return the record of the error of a class's energy on kernels that were not fitted."""
    basis = f"fitted on {int(is_long(group).sum())} kernels that were repeated for a second"
    name = power_of(group.kernel_class)
    for word, which in (("long", ""), ("energy", " that were repeated for a shorter time")):
        for score in scores:
            if score.kernel_class == f"{word} {group.kernel_class}" and score.source == group.source:
                error = f"energy {score.model.mape:.1f} % off on {score.model.count} others{which}"
                return Record(name, group.element, {}, f"{basis}; {error}")
    return Record(name, group.element, {}, f"{basis}; not checked on others")


def main(arguments: Sequence[str] | None = None) -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--fit", type=Path, required=True, metavar="DIR", help="directory of measurements to fit on")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "--on", type=Path, metavar="DIR", help="directory of other measurements, on which errors are reported"
    )
    where.add_argument(
        "--folds", type=int, metavar="COUNT", help="report errors on each fold of the shapes, by a fit to the others"
    )
    parser.add_argument(
        "--write", type=Path, metavar="FOLDER", help="write constants into the calibrations of this folder"
    )
    options = parser.parse_args(arguments)
    if options.folds and options.write:
        parser.error("--write needs --on: the folds have different constants")
    if options.folds is not None and options.folds < 2:
        parser.error("--folds must be at least 2")
    try:
        check_fitter()
        scores = fold_rows(options.fit, options.folds) if options.folds else energy_rows(options.fit, options.on)
        Console(width=None if sys.stdout.isatty() else 160, highlight=False).print(_table(scores))
        for score in scores:
            if score.constants and score.kernel_class.startswith("energy"):
                numbers = ", ".join(f"{name} {value:.3g}" for name, value in score.constants.items())
                print(f"{score.gpu} {score.label}: {numbers}")
        written = [] if options.write is None else write_power(options.fit, scores, options.write)
        if options.write is not None and (record := options.write / fitted.FILE).exists():
            record.write_text(
                fitted.text(replace(known := fitted.read(record), meters={**known.meters, **fitted.meters_of(scores)})),
                encoding="utf-8",
            )
            written.append(record)
        for path in written:
            print(f"wrote {path}", file=sys.stderr)
    except InputError as error:
        print(f"{error.place}: error: {error.message}" if error.place else f"error: {error.message}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
