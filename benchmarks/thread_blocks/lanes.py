"""Errors of the clock of thread blocks on measured products on CUDA cores: the part of `tile_accuracy` for files with
one schedule per row and one column of times per GPU, in ms (`rtx3090_ms`).

Products are of 4096 x 4096 x 4096 in f32. For each GPU, the clock predicts every row from the GPU's sheet alone, and
with the constants of its family. With fits, one constant (`shared`: the rate of shared memory, relative to the sheet's)
is fitted on half of the tiles and evaluated on the other half; a constant fitted on the other GPU's rows is evaluated
on all rows. Rows whose kernels have equal steps are timed once.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from os import cpu_count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from dialects.text.columns import table
from interp.kinds.gpu.multiprocessor import SHEET, Constants, Multiprocessor
from interp.machine.sheets import load_device
from interp.tile.clock import time_of
from interp.tile.outline import Outline
from lowering.tile.lanes import LaneSchedule, outline_of_lanes

SHAPE = (4096, 4096, 4096)
"""The extents M, N and K of all products."""
KNOBS = (
    "tile_m",
    "tile_n",
    "tile_k",
    "threads_m",
    "threads_n",
    "load_m",
    "load_n",
    "vec_m",
    "vec_n",
    "smem_a",
    "smem_b",
)
AHEAD = 32
"""The number of registers in which compilers keep data requested from global memory: a thread requests as many rows of
K at once as fit into these registers, from 1 to 4 (as the measurements show; from shared memory always 4)."""
RATIO = "thread blocks over K"
"""The name of a baseline that ranks schedules by their number of thread blocks divided by K."""
BEST = 50
"""The number of rows predicted to be fastest, the fastest of which is compared with the fastest of all rows."""
DRAWS = 200
"""The number of random orders of the rows over whose results a baseline is averaged."""
SHARED = (0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2, 1.25)
"""The candidate values of the constant `shared` in a fit."""
FITTED_ROWS = 150
"""The largest number of rows that a fit uses."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """Measured schedules: the options and the schedule of each row, and for each GPU (by the name of its sheet) the
    times of all rows in ms."""

    knobs: Mapping[str, NDArray[np.int64]]
    schedules: tuple[LaneSchedule, ...]
    ms: Mapping[str, Floats]

    @property
    def tiles(self) -> list[tuple[int, ...]]:
        """The tile and the numbers of threads of each row. Rows with equal entries are in the same fold of a fit."""
        return [(*each.tile, *each.threads) for each in self.schedules]


def measured_tables(path: Path) -> Measured:
    """Read the measured schedules of a file. Raises InputError for a file of another format."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    try:
        knobs = {name: np.array([int(row[name]) for row in rows]) for name in KNOBS}
        names = [name for name in rows[0] if name.endswith("_ms")] if rows else []
        times = {name.removesuffix("_ms"): np.array([float(row[name]) for row in rows]) for name in names}
    except (KeyError, ValueError) as error:
        raise InputError(
            f"numbers in columns {', '.join(KNOBS)} are expected, but {error} is wrong", str(path)
        ) from None
    if not times:
        raise InputError("a column of times a GPU (`rtx3090_ms`) is expected", str(path))
    return Measured(
        knobs, tuple(_schedule(row) for row in zip(*(knobs[name].tolist() for name in KNOBS), strict=True)), times
    )


def _schedule(row: Sequence[int]) -> LaneSchedule:
    m, n, k, down, right, load_m, load_n, vector_m, vector_n, staged_a, staged_b = row
    staged = bool(staged_a), bool(staged_b)
    found = LaneSchedule((m, n, k), (down, right), (load_m, load_n), (vector_m, vector_n), staged)
    held = sum(found.parts)
    return found if all(staged) else replace(found, rows=4 if 4 * held <= AHEAD else 2 if 2 * held <= AHEAD else 1)


def unit_of(gpu: str) -> Multiprocessor:
    """Return the multiprocessor of a GPU's sheet."""
    return Multiprocessor.of(load_device(gpu, {}, None), ModuleOp([]))


def predicted_ms(
    schedules: Sequence[LaneSchedule], gpu: str, constants: Constants, processes: int | None = None
) -> Floats:
    """Return the predicted time of each schedule's kernel in ms."""
    unit = replace(unit_of(gpu), constants=constants)
    slow = unit.slowed()
    outlines = [outline_of_lanes(SHAPE, schedule, slow) for schedule in schedules]
    first: dict[object, int] = {}
    which = [
        first.setdefault((each.steps, each.warps, each.shared_bytes, each.registers, each.count), len(first))
        for each in outlines
    ]
    distinct: list[Outline] = []
    for number, outline in zip(which, outlines, strict=True):
        if number == len(distinct):
            distinct.append(outline)
    count = min(processes or cpu_count() or 1, 1 + len(distinct) // 64)
    parts = [(distinct[start::count], unit) for start in range(count)]
    if count == 1:
        found = [_times(parts[0])]
    else:
        with ProcessPoolExecutor(count) as pool:
            found = list(pool.map(_times, parts))
    times = np.zeros(len(distinct))
    for start, each in enumerate(found):
        times[start::count] = each
    return times[which]


def _times(part: tuple[list[Outline], Multiprocessor]) -> list[float]:
    outlines, unit = part
    times = [time_of(each, unit) for each in outlines]
    return [float("inf") if each is None else each.ns / 1e6 for each in times]


def rank(measured: Floats, predicted: Floats) -> float:
    """Return Spearman's rank correlation; 0 if all predictions are equal."""
    one, other = (_places(each) for each in (measured, predicted))
    one, other = one - one.mean(), other - other.mean()
    norm = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / norm if norm else 0.0


def _places(values: Floats) -> Floats:
    """Return the rank of each value; equal values share the mean of their ranks."""
    which: NDArray[np.int64] = np.unique(values, return_inverse=True)[1].reshape(-1)
    count = np.bincount(which)
    last = np.cumsum(count, dtype=np.float64)
    return (last - (count + 1) / 2)[which]


def best_of(measured: Floats, predicted: Floats, count: int) -> float:
    """Return a ratio of measured times: the least of all rows, divided by the least of the `count` rows that are
    predicted to be fastest."""
    return float(measured.min() / measured[np.argsort(predicted, kind="stable")[:count]].min())


def fit(found: Measured, gpu: str, mine: Sequence[int]) -> Constants:
    """Return the constants with the least mean error on at most `FITTED_ROWS` of the rows `mine` of a GPU (drawn with a
    seed)."""
    drawn: list[int] = np.random.default_rng(0).permutation(np.array(mine))[:FITTED_ROWS].tolist()
    schedules, measured = [found.schedules[each] for each in drawn], found.ms[gpu][drawn]

    def off(constants: Constants) -> float:
        return float(np.mean(np.abs(predicted_ms(schedules, gpu, constants) / measured - 1)))

    return min((Constants(shared=each) for each in SHARED), key=off)


def judge(path: Path, fits: bool = False, sample: int | None = None) -> list[str]:
    """Print the tables of a file; return the summary lines of its GPUs. `fits`: also fit constants on half of the tiles
    and evaluate them on the other half; `sample`: the number of evaluated rows, drawn with a seed (None: all)."""
    every = measured_tables(path)
    numbers = np.arange(len(every.schedules))
    if sample is not None and sample < len(numbers):
        numbers = np.sort(np.random.default_rng(0).permutation(numbers)[:sample])
    found = Measured(
        {name: each[numbers] for name, each in every.knobs.items()},
        tuple(every.schedules[number] for number in numbers.tolist()),
        {gpu: each[numbers] for gpu, each in every.ms.items()},
    )
    fitted = {gpu: fit(found, gpu, range(len(numbers))) for gpu in found.ms} if fits else {}
    return [_judge(found, gpu, fitted) for gpu in found.ms]


def _judge(found: Measured, gpu: str, fitted: Mapping[str, Constants]) -> str:
    measured, schedules = found.ms[gpu], found.schedules
    known = {SHEET: predicted_ms(schedules, gpu, SHEET)}
    columns: dict[str, Floats] = {"the sheet alone": known[SHEET]}
    if (own := unit_of(gpu).constants) != SHEET:
        known[own] = columns["constants of its family"] = predicted_ms(schedules, gpu, own)
    for other, constants in fitted.items():
        if other != gpu:
            name = f"shared {constants.shared:g}, fitted on {other}"
            columns[name] = known[constants] = known.get(constants, predicted_ms(schedules, gpu, constants))
    columns["one efficiency, fitted here"] = np.full(len(measured), np.median(measured))
    columns["one a class (factors staged, vectors), fitted here"] = _by_class(found, measured)
    blocks = np.array([SHAPE[0] // each.tile[0] * (SHAPE[1] // each.tile[1]) for each in schedules], np.float64)
    columns[RATIO] = blocks / SHAPE[2]
    lines = [(name, *_figures(measured, each, absolute=name != RATIO)) for name, each in columns.items()]
    random = (f"{_random(measured, count):.3f}" for count in (1, 10, BEST))
    lines.append(("random order, on average", "", "0.000", *random))
    if fitted:
        lines += _left_out(found, gpu, measured)
    head = ("", "mean error", "rank", "best of 1", "of 10", f"of {BEST}")
    title = f"{gpu}: {len(measured)} schedules of {' x '.join(map(str, SHAPE))} in f32 on lanes"
    print(f"\n{title}\n{table(head, lines)}", end="")
    error = float(np.mean(np.abs(known[own] / measured - 1)))
    return (
        f"tile {gpu} {len(measured)} rows: MAPE {error * 100:.1f} % rank {rank(measured, known[own]):.2f} "
        f"best-of-{BEST} {best_of(measured, known[own], BEST):.3f}"
    )


def _figures(measured: Floats, predicted: Floats, absolute: bool = True) -> tuple[str, ...]:
    error = f"{float(np.mean(np.abs(predicted / measured - 1))):.1%}" if absolute else ""
    best = (f"{best_of(measured, predicted, count):.3f}" for count in (1, 10, BEST))
    return error, f"{rank(measured, predicted):.3f}", *best


def _by_class(found: Measured, measured: Floats) -> Floats:
    """Return, for each row, the median measured time of its class: all rows with the same staged factors and vector
    widths."""
    classes = [(each.staged, each.vectors) for each in found.schedules]
    times: dict[object, list[float]] = {}
    for each, ms in zip(classes, measured.tolist(), strict=True):
        times.setdefault(each, []).append(ms)
    return np.array([float(np.median(times[each])) for each in classes])


def _random(measured: Floats, count: int) -> float:
    random = np.random.default_rng(0)
    return float(np.mean([best_of(measured, random.random(len(measured)), count) for _ in range(DRAWS)]))


def _left_out(found: Measured, gpu: str, measured: Floats) -> list[tuple[str, ...]]:
    """Return the table lines for constants that are fitted on half of the tiles and evaluated on the other half."""
    tiles = list(dict.fromkeys(found.tiles))
    half = set(np.random.default_rng(1).permutation(len(tiles))[: len(tiles) // 2].tolist())
    inside = np.array([tiles.index(each) in half for each in found.tiles])
    lines: list[tuple[str, ...]] = []
    for mine, others in ((inside, ~inside), (~inside, inside)):
        constants = fit(found, gpu, np.flatnonzero(mine).tolist())
        rows: list[int] = np.flatnonzero(others).tolist()
        there = predicted_ms([found.schedules[each] for each in rows], gpu, constants)
        name = f"shared {constants.shared:g}, fitted on other tiles: {len(rows)} rows"
        lines.append((name, *_figures(measured[rows], there)))
    return lines
