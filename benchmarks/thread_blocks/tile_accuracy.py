"""Errors of the clock of thread blocks on measured products, compared with efficiencies fitted on the same rows.

    python -m benchmarks tile_accuracy --on FILE.csv [--on FILE.csv …] [--fit] [--sample N]

Files are CSV in one of these forms, which the header determines:

    products on matrix units    gpu, m, n, k, block_m, block_n, block_k, warps, stages and ms (or ms_median); optional
        columns: kind, async_copy, padded, block_swizzle (blocks in groups of 16 columns), dtype, accumulator, warps_m,
        warps_n, instruction, register_stages, pad, swizzled, order, split, peeled
    products on lanes           tile_m, tile_n, tile_k, threads_m, …, and a column NAME_ms for each GPU

Rows of other kinds than `tensor`, and rows of GPUs whose sheet lacks a number that the clock needs, are skipped, with a
note. The columns for each GPU are

    sheet       the clock from the GPU's sheet alone
    clock       the clock with the constants of the GPU's family, if there are any (interp/tile/clock.py)
    one         one efficiency for all rows, their median
    table       one efficiency for each schedule (block tile, stages, copies, padding, order)

`one` and `table` are shown a second time, cross-validated over five folds of the shapes. With --fit, the constants of
the clock are also fitted on these rows, and cross-validated on the same folds. An error is |predicted - measured| /
measured; a rank is Spearman's correlation within one shape, averaged over shapes; pairs are pairs of rows of one shape
whose times differ by more than 3 %.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another package is called benchmarks too

import numpy as np

from benchmarks.thread_blocks.lanes import judge as judge_lanes
from benchmarks.thread_blocks.products import (
    Floats,
    Row,
    folds_of,
    from_constants,
    from_efficiency,
    from_sheet,
    mape,
    pairs,
    rank,
    rows_of,
)
from dialects.diagnostics import InputError
from dialects.text.columns import table
from lowering.tile.schedule import Schedule

HEAD = ("block", "stages", "copies", "pad", "order", "rows", "sheet", "clock", "one", "table")
SIDE, DEEP = (128, 128, 16), (128, 128, 32)
STEPS: Mapping[str, tuple[Callable[[Schedule], bool], Mapping[str, object]]] = {
    "synchronous to asynchronous copies": (lambda s: _is(s, SIDE, 1, False, 0), {"asynchronous": True}),
    "no padding to padding": (lambda s: _is(s, SIDE, 1, True, 0), {"pad": 8}),
    "1 to 2 stages, padded": (lambda s: _is(s, SIDE, 1, True, 8), {"stages": 2}),
    "1 to 2 stages, not padded": (lambda s: _is(s, SIDE, 1, True, 0), {"stages": 2}),
    "1 to 2 stages, padded, k tile 32": (lambda s: _is(s, DEEP, 1, True, 8), {"stages": 2}),
    "2 to 3 stages, padded": (lambda s: _is(s, SIDE, 2, True, 8), {"stages": 3}),
}
"""Changes of options by name: a function that is true for the schedules to which a change applies, and the changed
options."""


def _is(schedule: Schedule, block: tuple[int, int, int], stages: int, asynchronous: bool, pad: int) -> bool:
    found = schedule.block, schedule.stages, schedule.asynchronous, schedule.pad, schedule.order
    return found == (block, stages, asynchronous, pad, 1)


def kinds_table(rows: Sequence[Row], columns: Mapping[str, Floats]) -> str:
    """Return a table with a row for each schedule and a column of errors for each predictor; the columns `sheet` and
    `clock` come first, and their errors have signs."""
    lines: list[tuple[str, ...]] = []
    for kind in dict.fromkeys(row.schedule for row in rows):
        mine = [index for index, row in enumerate(rows) if row.schedule == kind]
        those = [rows[index] for index in mine]
        measured = np.array([row.ms for row in those])
        errors = [
            f"{np.mean(columns[name][mine] / measured - 1):+.1%} {mape(those, columns[name][mine]):.1%}"
            for name in ("sheet", "clock")
        ]
        errors += [f"{mape(those, columns[name][mine]):.1%}" for name in ("one efficiency", "table of efficiencies")]
        copies = "async" if kind.asynchronous else "sync"
        words = "x".join(map(str, kind.block)), str(kind.stages), copies, str(kind.pad), str(kind.order)
        lines.append((*words, str(len(mine)), *errors))
    return table(HEAD, lines)


def summary_table(rows: Sequence[Row], columns: Mapping[str, Floats]) -> str:
    """Return a table of three figures for each predictor: its error, its rank correlation, and the number of pairs in
    the right order."""
    lines = [
        (name, "" if name in ORDERS else f"{mape(rows, found):.1%}", f"{rank(rows, found):.2f}", _ratio(rows, found))
        for name, found in columns.items()
    ]
    return table(("predictor", "error", "rank", "pairs in order"), lines)


def _ratio(rows: Sequence[Row], found: Floats) -> str:
    right, every = pairs(rows, found)
    return f"{right} of {every}"


ORDERS = ("random order", "tiles over K")
"""Predictors that only rank rows, without a prediction of times."""


def steps_table(rows: Sequence[Row], columns: Mapping[str, Floats]) -> str:
    """Return a table with a row for each change between two schedules: the time before the change divided by the time
    after it, measured and predicted, as geometric means over shapes."""
    at = {(row.shape, row.schedule): index for index, row in enumerate(rows)}
    measured = np.array([row.ms for row in rows])
    lines: list[tuple[str, ...]] = []
    for name, (begins, change) in STEPS.items():
        both = [
            (index, at[shape, after])
            for (shape, schedule), index in at.items()
            if begins(schedule) and (shape, after := replace(schedule, **change)) in at  # pyright: ignore
        ]
        if both:
            before, behind = (list(each) for each in zip(*both, strict=True))
            ratios = [
                float(np.exp(np.mean(np.log(each[before] / each[behind]))))
                for each in (measured, columns["sheet"], columns["clock"])
            ]
            lines.append((name, str(len(both)), *(f"{each:.3f}" for each in ratios)))
    return table(("step", "shapes", "measured", "sheet", "clock"), lines) if lines else ""


def judge(gpu: str, rows: Sequence[Row], fit: bool) -> str:
    """Print the tables of a GPU; return its line for the summary of all GPUs."""
    folds = folds_of(rows)
    columns = {
        "sheet": from_sheet(rows),
        "clock": from_constants(rows),
        "one efficiency": from_efficiency(rows, False),
        "table of efficiencies": from_efficiency(rows, True),
    }
    print(f"\n{gpu}\n{kinds_table(rows, columns)}", end="")
    if several := len(set(folds.tolist())) > 1:
        columns["one efficiency, shapes left out"] = from_efficiency(rows, False, folds)
        columns["table of efficiencies, shapes left out"] = from_efficiency(rows, True, folds)
    if fit:
        from benchmarks.thread_blocks.fitting import NAMES, Response

        response = Response.of(rows)
        values = response.fit(np.ones(len(rows), bool))
        print(
            "fitted on these rows:", ", ".join(f"{name} {value:.4g}" for name, value in zip(NAMES, values, strict=True))
        )
        columns["clock, fitted on these rows"] = response.predicted(values)
        if several:
            columns["clock, fitted, shapes left out"] = response.left_out(folds)
    columns["random order"] = np.random.default_rng(0).random(len(rows))
    columns["tiles over K"] = np.array([row.tiles / row.problem.k for row in rows])
    print(f"\n{summary_table(rows, columns)}", end="")
    if steps := steps_table(rows, columns):
        print(f"\n{steps}", end="")
    found = columns["clock"]
    return (
        f"tile {gpu} {len(rows)} rows: MAPE {mape(rows, found) * 100:.1f} % rank {rank(rows, found):.2f} best-of-50 n/a"
    )


def on_lanes(path: Path) -> bool:
    """Return True for a file of measured products on CUDA cores."""
    with path.open(newline="") as file:
        return "threads_m" in next(csv.reader(file), ())


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks tile_accuracy", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--on", action="append", required=True, type=Path, help="a file of measured products")
    parser.add_argument("--fit", action="store_true", help="fit constants on these rows, and with shapes left out")
    parser.add_argument("--sample", type=int, help="judge so many products on lanes, drawn with a seed, instead of all")
    arguments = parser.parse_args()
    left_out, last = Counter[str](), list[str]()
    try:
        lanes = [path for path in arguments.on if on_lanes(path)]
        every = [row for path in arguments.on if path not in lanes for row in rows_of(path, left_out)]
        for what, count in left_out.items():
            print(f"left out: {count} {what}")
        for gpu in dict.fromkeys(row.gpu for row in every):
            last.append(judge(gpu, [row for row in every if row.gpu == gpu], arguments.fit))
        for path in lanes:
            last += judge_lanes(path, arguments.fit, arguments.sample)
    except (InputError, OSError) as error:
        sys.exit(f"error: {error}")
    print("\n" + "\n".join(last))


if __name__ == "__main__":
    main()
