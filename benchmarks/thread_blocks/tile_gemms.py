"""Errors of the clock of thread blocks on products of GPU libraries, compared with fitted classes of kernels.

    python -m benchmarks tile_gemms --on DIR [--rows N] [--gpu NAME] [--transfer DIR]

DIR contains public sets of measured kernels in the format of tests/data/gpu/README.md. In each group (a set, a GPU, an
element type), at most N rows are evaluated, drawn with a seed from the rows on which no shipped calibration was fitted.
The kernel that the library ran is unknown; the clock therefore times all schedules of ndpir's space, and the fastest
one is taken.

    sheet     the tile clock without any constant fitted on these rows
    two       the tile clock with two constants of the GPU: the clock frequency under load, and a fixed time per kernel;
              `own`: fitted on other rows of the group, `left out`: the mean of the constants of all other GPUs
    class     the fitted class of kernels (docs/gpu.md); `own`: the constants of the GPU's calibration, `left out`
              (--transfer): constants fitted on the rows of all other GPUs in that directory

Errors are mean absolute errors in %. All predictions use the host's time of a launch that was fitted with the shipped
calibrations.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another package is called benchmarks too

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from benchmarks.gpu.fitted import Fitted as Seen
from benchmarks.gpu.fitted import read as read_fitted
from benchmarks.gpu.measurements import read_groups
from benchmarks.gpu.refit import chip_of, predictions, sheet, transfer_tasks
from benchmarks.gpu.shipped import submission_of
from dialects.diagnostics import InputError
from dialects.text.columns import table
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.fit import Fitted
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.constants.measurement import FitErrors, MeasuredGroup, Submission
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.kinds.gpu.power import L2_BYTES_PER_CLOCK
from lowering.tile.choice import choice_of, spaces_of
from lowering.tile.schedule import Problem

Floats = NDArray[np.float64]
TRIED = 4
"""The number of schedules per row that are simulated: those that an analytical model predicts to be fastest."""
ELEMENTS = ("f16", "bf16")
"""The element types for which a kernel template exists."""


@dataclass(frozen=True)
class Judged:
    """A group of measured products: the evaluated rows with the times that the clock and the fitted class predict, and
    the rows on which constants are fitted with the clock's times."""

    group: MeasuredGroup
    clock_ns: Floats
    submission: Submission
    class_ns: Floats
    fitted_on: MeasuredGroup
    fitted_on_ns: Floats

    def measured(self, ns: Floats, group: MeasuredGroup | None = None) -> Floats:
        """Return the times that would be measured, with launches, for kernels that take `ns` without launches."""
        group = self.group if group is None else group
        return self.submission.time(ns + sheet(group.gpu).launch_ns * group.launched, group.calls)


def unit_for(gpu: str, problem: Problem, warm: bool) -> Multiprocessor:
    """Return a GPU's multiprocessor. If operands are in L2 before the kernel starts (`warm`) and fit into L2, its
    memory bandwidth is that of L2."""
    unit = Multiprocessor.of(sheet(gpu), ModuleOp([]))
    held = 2 * problem.batch * (problem.m * problem.k + problem.k * problem.n + problem.m * problem.n)
    if not warm or held > unit.l2_bytes:
        return unit
    return replace(unit, dram_bytes=max(L2_BYTES_PER_CLOCK, unit.dram_bytes), dram_latency=unit.l2_latency)


def clock_ns(gpu: str, element: str, columns: Mapping[str, float]) -> float:
    """Return the time that the clock of thread blocks predicts for a product's kernel, ns."""
    sizes = (int(columns[name]) for name in ("m", "n", "k"))
    problem = Problem(*sizes, batch=int(columns.get("batch", 1)), element=element, result=element)
    unit = unit_for(gpu, problem, bool(columns.get("warm", 0)))
    choice = choice_of(problem, unit, spaces_of("ours", problem), TRIED)
    return float("nan") if choice is None else choice.ns


def _rows(group: MeasuredGroup, most: int, seed: int) -> MeasuredGroup:
    if most and len(group.ns) > most:
        drawn = np.random.default_rng(seed).choice(len(group.ns), most, replace=False)
        return group.part(np.sort(drawn))
    return group


def _columns(group: MeasuredGroup) -> Iterator[dict[str, float]]:
    for row in range(len(group.ns)):
        yield {name: float(values[row]) for name, values in group.columns.items()}


def judged(group: MeasuredGroup, seen: Seen, most: int) -> Judged | None:
    """Return the predictions for at most `most` rows of a group that no fit used; None if there are fewer than two such
    rows."""
    fitted = seen.was_fitted(group)
    on, rest = (_rows(group.part(np.flatnonzero(which)), most, 0) for which in (~fitted, fitted))
    if len(on.ns) < 2:
        return None
    known = constants_for(sheet(group.gpu), "gemm", group.element)
    submission = submission_of(group, seen)
    model = Fitted(CLASSES["gemm"], known.constants, {group.key: submission}, 0.0)
    ours, others = (
        np.array([clock_ns(group.gpu, group.element, row) for row in _columns(part)]) for part in (on, rest)
    )
    return Judged(on, ours, submission, model.predict(on, chip_of(on)), rest, others)


def two_constants(each: Judged) -> tuple[float, float]:
    """Return the two constants that minimise the error on the rows that are not evaluated (least squares of log
    ratios): the fraction of its clock frequency that the GPU sustains under load, and a fixed time per kernel in ns."""
    from scipy.optimize import least_squares

    measured = each.fitted_on.ns

    def residuals(values: Floats) -> Floats:
        ns = each.fitted_on_ns / np.exp(values[0]) + np.exp(values[1])
        return np.log(each.measured(ns, each.fitted_on) / measured)

    found = least_squares(residuals, np.log([0.9, 1000.0]), loss="soft_l1", f_scale=0.1).x
    return float(np.exp(found[0])), float(np.exp(found[1]))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks tile_gemms", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--on", required=True, type=Path, metavar="DIR", help="measured kernels")
    parser.add_argument("--rows", type=int, default=30, metavar="N", help="rows of a group that are judged; 0: all")
    parser.add_argument("--gpu", default="", help="GPUs whose sheet's name begins so")
    parser.add_argument("--transfer", type=Path, metavar="DIR", help="measured kernels of other GPUs to fit classes on")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    said = parser.parse_args()
    try:
        groups, left_out = _groups(said.on, said.gpu)
        seen = read_fitted()
        with ProcessPoolExecutor(said.jobs) as pool:
            found = list(pool.map(judged, groups, [seen] * len(groups), [said.rows] * len(groups)))
    except InputError as error:
        sys.exit(f"error: {error}")
    for gpu, why in left_out.items():
        print(f"left out: {gpu}: {why}")
    some = [each for each in found if each is not None]
    transferred = _transferred(said.transfer, some) if said.transfer else {}
    _print(some, transferred)


def _groups(folder: Path, gpu: str) -> tuple[list[MeasuredGroup], dict[str, str]]:
    """Return the groups of products that the clock can time, and the reasons why other groups are skipped."""
    found, left_out = list[MeasuredGroup](), dict[str, str]()
    for group in read_groups(folder):
        if group.kernel_class != "gemm" or not group.gpu.startswith(gpu):
            continue
        try:
            Multiprocessor.of(sheet(group.gpu), ModuleOp([]))
        except InputError as error:
            left_out[group.gpu] = error.message
            continue
        if group.element in ELEMENTS:
            found.append(group)
        else:
            left_out[f"{group.gpu} {group.element}"] = "there is no template of products of this element type"
    return found, left_out


def _transferred(folder: Path, found: Sequence[Judged]) -> dict[tuple[str, ...], float]:
    """Return the errors of the fitted class of kernels by group, with constants fitted on the rows of all other
    chips."""
    train = [group for group in read_groups(folder) if group.kernel_class == "gemm"]
    keys = {each.group.key for each in found}
    predicted = [each for task in transfer_tasks(train, "all") for each in predictions(task)]
    return {each.group.key: each.score().model.mape for each in predicted if each.group.key in keys}


def _print(found: Sequence[Judged], transferred: Mapping[tuple[str, ...], float]) -> None:
    constants = {each.group.key: two_constants(each) for each in found if len(each.fitted_on.ns) > 2}
    lines: list[tuple[str, ...]] = []
    for each in found:
        group = each.group
        others = [pair for key, pair in constants.items() if key[1] != group.gpu]
        ways: dict[str, Floats | None] = {"sheet": each.clock_ns, "own": None, "left out": None}
        if group.key in constants:
            share, fixed = constants[group.key]
            ways["own"] = each.clock_ns / share + fixed
        if others:
            share, fixed = np.exp(np.mean(np.log(others), 0))
            ways["left out"] = each.clock_ns / share + fixed
        errors = ["" if ns is None else f"{FitErrors.of(each.measured(ns), group.ns).mape:.1f}" for ns in ways.values()]
        own = FitErrors.of(each.class_ns, group.ns).mape
        away = f"{transferred[group.key]:.1f}" if group.key in transferred else ""
        words = (group.gpu, group.element, group.source, group.way, str(len(group.ns)))
        lines.append((*words, *errors, f"{own:.1f}", away, _told(constants.get(group.key))))
    head = ("GPU", "type", "set", "way", "rows", "sheet", "two own", "two left out", "class own", "class left out")
    print(table((*head, "clock, fixed"), lines, left=(0, 1, 2, 3)), end="")


def _told(pair: tuple[float, float] | None) -> str:
    return "" if pair is None else f"{pair[0]:.2f}, {pair[1] / 1e3:.1f} us"


if __name__ == "__main__":
    main()
