"""Errors of GPU board energy on kernels that were not fitted.

The reference is measured power times measured time.

    python benchmarks/gpu_energy.py --fit DIR --on OTHER
    python benchmarks/gpu_energy.py --fit DIR --on OTHER --write FOLDER     # write constants into FOLDER's calibrations

Both directories contain aic_gemm.csv and aic_attention.csv in the format of tests/data/gpu/README.md. NVML reports the
mean power over a window: if a kernel was repeated for less than a second, the value includes pauses and the kernels
before it, so that the values of two nearly equal kernels may differ twofold. Rows "1 s and more" contain only kernels
that were repeated for longer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another installed package may be called benchmarks

from rich.console import Console
from rich.table import Table

from benchmarks.gpu.bars import Score
from benchmarks.gpu.baselines import roofline, two_constants
from benchmarks.gpu.measurements import read_groups
from benchmarks.gpu.refit import chip_of, sheet
from benchmarks.gpu.write import merged
from dialects.diagnostics import InputError
from interp.cost.fitting import check_fitter
from interp.kinds.gpu.chip import Floats
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.calibration import Record
from interp.kinds.gpu.constants.fit import Fitted, fit
from interp.kinds.gpu.constants.measurement import FitErrors, MeasuredGroup
from interp.kinds.gpu.constants.power_fit import FittedBoard, Metered, fit_board
from interp.kinds.gpu.power import BOARD, Activity, Meter, board_power

_REPLAYS = 3000
"""The largest number of replays of a CUDA graph. Source: ai-dynamo/aiconfigurator, collector/helper.py,
benchmark_with_power."""
_LONGEST_S = 3.0
"""The time for which a kernel is repeated, unless `_REPLAYS` replays are shorter, s. The data set's authors did not
publish this parameter of their measurement."""
_LONG_S = 1.0
"""The shortest time of repetition, in s, for which the measured power does not include earlier kernels."""
_COPIES = {"gemm": 6}
"""The number of kernels per CUDA graph, by class; 1 for other classes. Source: ai-dynamo/aiconfigurator,
collector/vllm/collect_gemm.py."""


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

    def meter(self, group: MeasuredGroup) -> Meter:
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
                scores += board_scores(group, next(one for one in groups if one.label == group.label), board)
    return scores


def metered_groups(folder: Path) -> list[MeasuredGroup]:
    """Return the groups of a folder's kernels whose board power was measured."""
    groups = [group for group in read_groups(folder, "aic") if group.power_w is not None]
    return [group.part(np.flatnonzero(~np.isnan(_watts(group)))) for group in groups]


def fit_gpu(groups: Sequence[MeasuredGroup]) -> Board:
    """Fit the time model of each kind of kernel on one GPU, and the board's power during the measured times."""
    times = {group.label: fit(CLASSES[group.kernel_class], [group], {group.gpu: chip_of(group)}) for group in groups}
    kinds = [
        Metered(_activity(group, times), chip_of(group), _watts(group), run_s(group), set_up_bytes(group))
        for group in groups
    ]
    return Board(times, fit_board(kinds), [group.label for group in groups])


def run_s(group: MeasuredGroup) -> Floats:
    """Return the time for which each kernel was repeated, s."""
    return np.minimum(_REPLAYS * _COPIES.get(group.kernel_class, 1) * group.ns * 1e-9, _LONGEST_S)


def set_up_bytes(group: MeasuredGroup) -> Floats:
    """Return the bytes of each kernel's weights (all copies), or of its cached keys and values, which are set up before
    it is measured."""
    if group.kernel_class == "gemm":
        return group.columns["bytes"] * group.columns["n"] * group.columns["k"] * _COPIES["gemm"]
    heads, head = group.columns["kv_heads"], group.columns["head"]
    return 2 * group.columns["bytes"] * group.columns["batch"] * group.columns["keys"] * heads * head


def _watts(group: MeasuredGroup) -> Floats:
    assert group.power_w is not None
    return group.power_w


def _activity(group: MeasuredGroup, times: Mapping[str, Fitted], ns: Floats | None = None) -> Activity:
    fitted, chip = times[group.label], chip_of(group)
    estimate = fitted.kernel_class.estimate(group.columns, chip, fitted.constants)
    return Activity.of(estimate, chip, group.ns if ns is None else ns)


def board_scores(group: MeasuredGroup, base: MeasuredGroup | None, board: Board) -> list[Score]:
    """Return the energy errors of a group's kernels; the baseline of two constants is fitted on the group `base`, if
    given."""
    chip, measured = chip_of(group), _watts(group) * group.ns
    predicted = board.times[group.label].predict(group, chip)
    energies = {
        "roofline": float(chip.tdp_w) * roofline(group, chip),
        "model": _energy(group, board, predicted),
        MEASURED: _energy(group, board, group.ns),
    }
    if base is not None:
        energies["two constants"] = float(np.mean(_watts(base))) * two_constants([(base, chip)], group, chip)
    long = run_s(group) >= _LONG_S
    found: list[Score] = []
    for word, which in (("energy", np.ones_like(long)), ("long", long)):
        if which.sum() > 1:
            errors = {name: FitErrors.of(values[which], measured[which]) for name, values in energies.items()}
            label = f"{group.label} energy" + (" (1 s and more)" if word == "long" else "")
            key = (group.source, group.gpu, group.element, label, f"{word} {group.kernel_class}")
            meter = board.meter(group)
            pauses = {"meter_pause_s": meter.pause_s, "meter_pause_s_a_gb": meter.pause_s_a_gb}
            found.append(Score(*key, errors, "its own power measurements", {**board.power.constants, **pauses}))
    return found


def _energy(group: MeasuredGroup, board: Board, ns: Floats) -> Floats:
    """Return the energy that the power meter would report for each kernel, nJ."""
    power = board_power(_activity(group, board.times, ns), chip_of(group), board.power.constants)
    return board.meter(group).reading(power, run_s(group), set_up_bytes(group)) * ns


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
    """Write the constants of each GPU's board power into the calibrations of the GPU and of its family in a folder;
    other records are kept. Return the files' paths."""
    written: list[Path] = []
    train = metered_groups(fit_dir)
    for gpu in dict.fromkeys(score.gpu for score in scores):
        count = sum(len(group.ns) for group in train if group.gpu == gpu)
        own = [score for score in scores if score.gpu == gpu]
        errors = ", ".join(f"{score.label} {score.errors[MEASURED].mape:.1f} %" for score in own)
        held = {name: value for name, value in own[0].constants.items() if name in _NAMES}
        for owner, name in (("gpu", gpu), ("family", sheet(gpu).architecture)):
            origin = f"fitted on {count} power readings of {gpu}; off on others, with measured times: {errors}"
            record = Record(BOARD.name, BOARD.element, held, origin)
            written.append(merged(folder, owner, name, {(BOARD.name, BOARD.element): record}))
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--fit", type=Path, required=True, metavar="DIR", help="directory of measurements to fit on")
    parser.add_argument(
        "--on",
        type=Path,
        required=True,
        metavar="DIR",
        help="directory of other measurements, on which errors are reported",
    )
    parser.add_argument(
        "--write", type=Path, metavar="FOLDER", help="write constants into the calibrations of this folder"
    )
    options = parser.parse_args(arguments)
    try:
        check_fitter()
        scores = energy_rows(options.fit, options.on)
        Console(width=None if sys.stdout.isatty() else 160, highlight=False).print(_table(scores))
        for gpu, score in {score.gpu: score for score in scores}.items():
            print(gpu + ": " + ", ".join(f"{name} {value:.3g}" for name, value in score.constants.items()))
        for path in write_power(options.fit, scores, options.write) if options.write else ():
            print(f"wrote {path}", file=sys.stderr)
    except InputError as error:
        print(f"{error.place}: error: {error.message}" if error.place else f"error: {error.message}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
