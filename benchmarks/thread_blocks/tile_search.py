"""Quality of the first k schedules that each method of search tries, by simulated and by measured times.

    python -m benchmarks tile_search [--operator NAME …] [--sample N] [--keep FILE.npz] [--on FILE.csv] [--processes 2]

A cell of a table is the time of the best schedule of the space, divided by that of the best schedule among the first k
that a method tries. Times are simulated for the operators of ALCOP on one machine (mean, and least value over
operators), and measured on two GPUs for an f32 product on CUDA cores; in the latter case, methods use constants fitted
on the other GPU. Methods:

    random               schedules in random order
    bottleneck           the longest of several rooflines
    analytical           an analytical model with latencies and waits
    learned              boosted trees, trained on trials only
    analytical, learned  boosted trees that learn the errors of the analytical model
    ours                 branch and bound, whose trials are the simulator's; only its result is shown

`--sample N` draws N schedules of each space instead of all; `--keep` names a file in which simulated times are stored.
Random and learned searches are averaged over seeds.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another package is called benchmarks too

import numpy as np

from benchmarks.thread_blocks.operators import HERE, Floats, operators, problems, simulator, unit_of
from dialects.diagnostics import InputError
from dialects.text.columns import table
from lowering.tile.search.bounding import best_schedule
from lowering.tile.search.lanes import FITTED, KNOBS, lanes_bottleneck_ns, lanes_ns
from lowering.tile.search.learned import drawn, learned
from lowering.tile.search.ranking import analytical_ns, bottleneck_ns
from lowering.tile.search.spaces import kind_of, published

TRIALS = (1, 10, 50)
MEASURED = HERE.parent / "gemm_f32_4096.csv"
"""The file with a sample of the measured schedules in the repository; the full set is a file of the same format."""
SHAPE = (4096, 4096, 4096)
GPUS: Mapping[str, tuple[str, str]] = {"rtx3090_ms": ("rtx3090", "turing"), "rtx2080ti_ms": ("rtx2080ti", "ampere")}
"""For each column of times in the file of measured schedules: the sheet of its GPU, and the family of the other GPU."""
SEEDS, LEARNED_SEEDS = 200, 5


@dataclass(frozen=True)
class Judged:
    """A space of schedules: the time of each schedule (infinite if it can't run), its features for learned models, and
    the times that two analytical models predict for it."""

    times: Floats
    features: Floats
    analytical: Floats
    bottleneck: Floats
    answer_ns: float | None = None
    """The time of the schedule that branch and bound returns, in ns."""

    def found(self, order: Sequence[int]) -> list[float]:
        """Return, for each k in TRIALS, the least time of all schedules divided by the least time of the first k
        schedules in `order`."""
        times = self.times[list(order)]
        return [float(self.times.min() / times[:k].min()) for k in TRIALS]


Method: TypeAlias = Callable[[Judged], list[float]]


def _by(times: Callable[[Judged], Floats], judged: Judged) -> list[float]:
    return judged.found(np.argsort(times(judged), kind="stable")[: max(TRIALS)].tolist())


def _random(judged: Judged) -> list[float]:
    runs = np.flatnonzero(np.isfinite(judged.analytical))
    orders = (runs[drawn(len(runs), max(TRIALS), seed)].tolist() for seed in range(SEEDS))
    return np.mean([judged.found(order) for order in orders], axis=0).tolist()


def _learned(known: bool, judged: Judged) -> list[float]:
    runs = np.flatnonzero(np.isfinite(judged.analytical))
    times, features, likely = judged.times[runs], judged.features[runs], judged.analytical[runs]
    orders = (
        learned(features, lambda place: float(times[place]), max(TRIALS), seed, likely if known else None)
        for seed in range(1 if known else LEARNED_SEEDS)  # the first trials are drawn only where nothing is known
    )
    return np.mean([judged.found(runs[order].tolist()) for order in orders], axis=0).tolist()


def _ours(judged: Judged) -> list[float]:
    if judged.answer_ns is None:
        return []
    return [float(judged.times.min() / judged.answer_ns)] * len(TRIALS)


METHODS: Mapping[str, Method] = {
    "random": _random,
    "bottleneck": partial(_by, lambda judged: judged.bottleneck),
    "analytical": partial(_by, lambda judged: judged.analytical),
    "learned": partial(_learned, False),
    "analytical, learned": partial(_learned, True),
    "ours": _ours,
}


def measured(path: Path) -> dict[str, Judged]:
    """Return the spaces of the measured schedules in a file, by GPU; the analytical models use constants fitted on the
    other GPU. Raises InputError for a file of another format."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    try:
        knobs = {name: np.array([int(row[name]) for row in rows]) for name in KNOBS}
        times = {column: np.array([float(row[column]) for row in rows]) for column in GPUS}
    except (KeyError, ValueError) as error:
        raise InputError(
            f"columns {', '.join((*KNOBS, *GPUS))} are expected, but {error} is wrong", str(path)
        ) from None
    features = np.stack([np.log2(each + 1.0) for each in knobs.values() if len(np.unique(each)) > 1], -1)
    found: dict[str, Judged] = {}
    for column, (sheet, other) in GPUS.items():
        unit, constants = unit_of(sheet), FITTED[other]
        analytical, bottleneck = (model(SHAPE, knobs, unit, constants) for model in (lanes_ns, lanes_bottleneck_ns))
        found[sheet] = Judged(times[column], features, analytical, bottleneck)
    return found


def simulated(
    device: str, names: Sequence[str], sample: int | None, processes: int, keep: Path | None
) -> tuple[dict[str, Judged], str]:
    """Return the published spaces of all operators, or of those with the given `names`, with their simulated times; and
    a sentence on how long the simulations took."""
    unit, known = unit_of(device, warm=True), problems()
    simulate = simulator(unit, processes)
    stored: dict[str, Floats] = dict(np.load(keep).items()) if keep is not None and keep.exists() else {}
    found: dict[str, Judged] = {}
    ranked = simulating = processing = searched = 0.0
    count = 0
    every = operators()
    if wrong := set(names) - {each.name for each in every}:
        raise InputError(
            f"there is no operator {', '.join(sorted(wrong))}; there are {', '.join(e.name for e in every)}"
        )
    for each in every:
        if names and each.name not in names:
            continue
        problem = known[each.shape]
        space = published(kind_of(problem))
        if sample is not None:
            space = space.take(np.sort(drawn(len(space), sample, seed=0)))
        begun = time.perf_counter()
        analytical = analytical_ns(problem, space, unit)
        ranked += time.perf_counter() - begun
        begun = time.process_time()
        best = best_schedule(problem, unit, space=space)
        searched += time.process_time() - begun
        name = f"{each.shape} {len(space)}"
        if name not in stored:
            begun, processed = time.perf_counter(), _processor_seconds()
            stored[name] = simulate(problem, space)
            simulating += time.perf_counter() - begun
            processing += _processor_seconds() - processed
            count += len(space)
            if keep is not None:
                with keep.open("wb") as file:
                    np.savez(file, allow_pickle=False, **stored)
        answer = None if best is None else best.ns
        bottleneck = bottleneck_ns(problem, space, unit)
        found[each.name] = Judged(stored[name], space.features(), analytical, bottleneck, answer)
    schedules = sum(len(each.times) for each in found.values())
    words = f"ranked {schedules} schedules in {ranked:.1f} s ({ranked / schedules * 1e6:.0f} us each), "
    words += f"searched by branch and bound in {searched:.1f} s of a processor"
    if count:
        each_ms = processing / count * 1e3
        words += f"\nsimulated {count} schedules by {processes} processes in {simulating:.0f} s, "
        words += f"{processing:.0f} s of processors ({each_ms:.1f} ms each)"
    return found, words


def _processor_seconds() -> float:
    """Return the processor time in s of this process and of its finished child processes."""
    taken = os.times()
    return taken.user + taken.system + taken.children_user + taken.children_system


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks tile_search", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--machine", default="a100", help="a device with a sheet")
    parser.add_argument("--operator", action="append", default=[], help="only operators with such names")
    parser.add_argument("--sample", type=int, help="so many schedules of each space, drawn, in place of all")
    parser.add_argument("--on", type=Path, default=MEASURED, help="a file of measured f32 products")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a file of times that are known already, and where new ones go")
    arguments = parser.parse_args()
    try:
        by_gpu = measured(arguments.on)
        by_operator, words = simulated(
            arguments.machine, arguments.operator, arguments.sample, arguments.processes, arguments.keep
        )
    except (InputError, OSError) as error:
        sys.exit(f"error: {error}")
    head = ("method", *(f"k = {k}" for k in TRIALS))
    cells = {name: np.array([method(each) for each in by_operator.values()]) for name, method in METHODS.items()}
    print(f"simulator, {arguments.machine}: mean over {len(by_operator)} operators, and the least")
    print(table(head, [(name, *map(_cell, each.mean(0), each.min(0))) for name, each in cells.items()]))
    for gpu, judged in by_gpu.items():
        print(f"measured on {gpu}, {len(judged.times)} schedules, with the other GPU's constants")
        rows = [
            (name, *(f"{cell:.2f}" for cell in cells)) for name, method in METHODS.items() if (cells := method(judged))
        ]
        print(table(head, rows))
    print(words)


def _cell(mean: float, least: float) -> str:
    return f"{mean:.3f} ({least:.2f})"


if __name__ == "__main__":
    main()
