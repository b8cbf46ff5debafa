"""Measured matrix products on matrix units of GPUs, read from files, and predictors of their times."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from dialects.tile import KernelOp
from interp.kinds.gpu.multiprocessor import SHEET, Constants, Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.clock import GridTime, grid_time
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.templates import pipelined_kernel

SHEETS = {"L20": "l20", "RTX3080-Laptop": "rtx3080_laptop", "H100(CI)": "h100_sxm"}
"""Sheets of GPUs, by the GPUs' names in files; a name that is not listed is the name of a sheet."""
BETWEEN = {"L20": 5830.0}
"""The time in ns between kernels in the measuring loops of some files, in addition to the launch time in the sheet. The
constant was fitted together with those of `class tile multiprocessor` in interp/devices/calibrations/ada.calibration,
on the same rows."""
WARPS = {1: (1, 1), 2: (2, 1), 4: (2, 2), 8: (4, 2), 16: (4, 4)}
"""The numbers of rows and columns of warps, by number of warps, for files that do not state them
(DefTruth/CUDA-Learn-Notes, hgemm: four rows of warps)."""
GROUPED = 16
"""The number of columns of thread blocks in a group, for rows of files whose thread blocks are ordered in groups."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One measured matrix product, with its schedule and GPU."""

    gpu: str
    problem: Problem
    schedule: Schedule
    ms: float

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.problem.m, self.problem.n, self.problem.k

    @property
    def tiles(self) -> int:
        """Return the number of thread blocks of the product's kernel."""
        rows, columns, _ = self.schedule.block
        return -(-self.problem.m // rows) * -(-self.problem.n // columns)


def rows_of(path: Path, left_out: Counter[str]) -> Iterator[Row]:
    """Yield the rows of a file; rows of other kinds than `tensor`, and of GPUs without a usable sheet, are skipped and
    counted by reason in `left_out`. Raises InputError for a file of another format."""
    with path.open(newline="") as file:
        for line, each in enumerate(csv.DictReader(file), 2):
            try:
                kind = each.get("kind") or ("tensor" if each.get("block_m") else "library")
                if kind != "tensor":
                    left_out[f"rows of kind {kind}"] += 1
                elif (said := unit_or_reason(each["gpu"])[1]) is not None:
                    left_out[f"rows of {each['gpu']}: {said}"] += 1
                else:
                    yield _row(each)
            except (KeyError, ValueError) as error:
                raise InputError(
                    f"a measured product is expected here, but {error} is wrong or missing", f"{path}:{line}"
                ) from None


def _row(each: Mapping[str, str]) -> Row:
    def number(name: str, default: int) -> int:
        return int(each.get(name) or default)

    m, n, k = (int(each[axis]) for axis in "mnk")
    stages, warps, bk = int(each["stages"]), number("warps", 0), int(each["block_k"])
    wmma = "dtype" not in each and "warps_m" not in each  # tables of WMMA kernels, which say neither
    schedule = Schedule(
        (int(each["block_m"]), int(each["block_n"]), bk),
        (number("warps_m", 0), number("warps_n", 0)) if each.get("warps_m") else WARPS[warps],
        instruction=number("instruction", bk if wmma else 16),
        stages=stages,
        register_stages=number("register_stages", 1),
        asynchronous=bool(number("async_copy", 1)),
        pad=number("pad", 8 * number("padded", int(stages > 1 and wmma))),
        swizzled=bool(number("swizzled", int(not wmma))),
        order=GROUPED if number("block_swizzle", 0) else number("order", 1),
        split=number("split", 1),
        peeled=bool(number("peeled", 0)),
    )
    sums = each.get("accumulator") or ("f16" if wmma else "f32")
    ms = float(each.get("ms") or each["ms_median"])
    return Row(each["gpu"], Problem(m, n, k, accumulator=sums, element=each.get("dtype") or "f16"), schedule, ms)


def unit_of(gpu: str) -> Multiprocessor:
    """Return the multiprocessor of a GPU. Raises InputError for a GPU without a sheet, or with an incomplete one."""
    return Multiprocessor.of(load_device(SHEETS.get(gpu, gpu), {}, None), ModuleOp([]))


@lru_cache
def unit_or_reason(gpu: str) -> tuple[Multiprocessor | None, str | None]:
    """Return the multiprocessor of a GPU, or None and the reason why it can't be made."""
    try:
        return unit_of(gpu), None
    except InputError as error:
        return None, str(error)


@lru_cache(None)
def kernel_of(problem: Problem, schedule: Schedule) -> KernelOp:
    """Return the pipelined kernel of a product under a schedule."""
    return pipelined_kernel(problem, schedule)


@lru_cache(None)
def time_of_row(gpu: str, problem: Problem, schedule: Schedule, constants: Constants) -> GridTime:
    """Return the predicted time of the grid of a product under a schedule."""
    (grid,) = kernel_of(problem, schedule).grids
    return grid_time(grid, replace(unit_of(gpu), constants=constants))


def predicted_ms(row: Row, constants: Constants, between: float = 0.0) -> float:
    """Return the predicted time of a row's kernel in ms, with its launch and with `between`, the time between kernels
    in ns."""
    found = time_of_row(row.gpu, row.problem, row.schedule, constants)
    return (found.ns + unit_of(row.gpu).launch_ns + between) / 1e6


def from_sheet(rows: Sequence[Row]) -> Floats:
    """Return the times in ms that the clock predicts from the GPUs' sheets only."""
    return np.array([predicted_ms(row, SHEET) for row in rows])


def from_constants(rows: Sequence[Row]) -> Floats:
    """Return the times in ms that the clock predicts with the constants fitted for the GPUs' families."""
    return np.array([predicted_ms(row, unit_of(row.gpu).constants, BETWEEN.get(row.gpu, 0.0)) for row in rows])


def from_efficiency(rows: Sequence[Row], by_kind: bool, folds: NDArray[np.int64] | None = None) -> Floats:
    """Return the times in ms that an efficiency predicts: the same for all rows or, with `by_kind`, a separate one for
    each schedule. An efficiency is the median over all rows, or, with `folds`, over the rows of all other folds."""
    flops = np.array([row.problem.flops for row in rows], np.float64)
    rates = flops / np.array([row.ms for row in rows])
    kinds = np.array([hash(row.schedule) if by_kind else 0 for row in rows])
    fold = np.zeros(len(rows), np.int64) if folds is None else folds
    found = np.empty(len(rows))
    for index in range(len(rows)):
        others = np.full(len(rows), True) if folds is None else fold != fold[index]
        alike = others & (kinds == kinds[index])
        found[index] = flops[index] / np.median(rates[alike if alike.any() else others])
    return found


def folds_of(rows: Sequence[Row], count: int = 5) -> NDArray[np.int64]:
    """Return the number of each row's fold; rows of the same shape are in the same fold."""
    shapes = sorted({row.shape for row in rows})
    return np.array([shapes.index(row.shape) % min(count, len(shapes)) for row in rows])


def mape(rows: Sequence[Row], predicted: Floats) -> float:
    """Return the mean of |predicted - measured| / measured."""
    return float(np.mean(np.abs(predicted / np.array([row.ms for row in rows]) - 1)))


def rank(rows: Sequence[Row], predicted: Floats) -> float:
    """Return Spearman's rank correlation within each shape, averaged over shapes of three rows or more."""
    found: list[float] = []
    for shape in dict.fromkeys(row.shape for row in rows):
        mine = [index for index, row in enumerate(rows) if row.shape == shape]
        if len(mine) > 2:
            measured, ours = ranks(np.array([rows[index].ms for index in mine])), ranks(predicted[mine])
            spread = float(measured.std() * ours.std())
            together = float((measured - measured.mean()) @ (ours - ours.mean())) / len(mine)
            found.append(together / spread if spread else 0.0)
    return float(np.mean(found)) if found else float("nan")


def ranks(values: Floats) -> Floats:
    """Return the ranks of values; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def pairs(rows: Sequence[Row], predicted: Floats, apart: float = 1.03) -> tuple[int, int]:
    """Return two numbers of pairs of rows of the same shape whose times differ by more than the factor `apart`: of
    pairs predicted in the right order, and of all pairs."""
    ms = np.array([row.ms for row in rows])
    shapes = np.array([hash(row.shape) for row in rows])
    slower = (shapes[:, None] == shapes[None, :]) & (ms[:, None] > apart * ms[None, :])
    return int((slower & (predicted[:, None] > predicted[None, :])).sum()), int(slower.sum())
