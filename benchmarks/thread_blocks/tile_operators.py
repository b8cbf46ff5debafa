"""Speed-ups by pipelining on the operators of ALCOP, as simulated, compared with the published speed-ups.

    python -m benchmarks tile_operators [--machine a100] [--likely 50] [--cold] [--processes 2] [--keep FILE.json]

Each operator's published space of schedules is simulated, with and without stages; the gain is the time of the fastest
kernel without stages divided by that of the fastest kernel with stages. With `--likely N`, only the N schedules that an
analytical model ranks first are simulated for each of these two times. Kernels without stages copy asynchronously or
synchronously; gains over both are printed. As in the published measurements (200 launches in a row), operands are in L2
as far as they fit, unless `--cold` is given, and times are those of a loop of launches; both rules were added after the
published gains had been compared with those of a cold cache. No constant is fitted on these data. The published gains
are those of Fig. 10 of Huang et al., ALCOP, MLSys 2023, on an A100; 19 of 22 shapes are inferred, so rank correlations
are shown for other assignments of shapes, too. The tables have two baselines: the same gain for all operators, and K
divided by the number of tiles.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another package is called benchmarks too

import numpy as np

from benchmarks.thread_blocks.operators import (
    HERE,
    Floats,
    Operator,
    Simulate,
    measured_ns,
    operators,
    problems,
    simulator,
    spearman,
    unit_of,
)
from dialects.diagnostics import InputError
from dialects.text.columns import table
from lowering.tile.schedule import Problem
from lowering.tile.search.ranking import analytical_ns
from lowering.tile.search.spaces import Space, kind_of, published, unpipelined

CONSTANT = 1.226
"""The geometric mean of the published gains: the prediction of a model that gives the same gain for all operators."""
NEAR = 1.15
"""The factor within which a predicted gain counts as correct."""
FULL = "any stages, two levels"
LEVELS: Mapping[str, Callable[[Space], np.ndarray]] = {
    "two stages, one level": lambda space: (space["stages"] == 2) & (space["register_stages"] == 1),
    "any stages, one level": lambda space: space["register_stages"] == 1,
    FULL: lambda space: space["stages"] > 0,
}
"""Subsets of the published space of schedules, in the order of the published ablation, in which their gains are 1.01,
1.13 and 1.23."""
ALTERNATIVES: Mapping[str, Mapping[str, str]] = {
    "as inferred": {},
    "BERT with 1024 tokens": {
        "MM_BERT_MHA1": "dense_00",
        "MM_BERT_MHA2": "dense_01",
        "MM_BERT_FC1": "dense_02",
        "MM_BERT_FC2": "dense_03",
    },
    "BERT large": {
        "MM_BERT_MHA1": "dense_08",
        "MM_BERT_MHA2": "dense_09",
        "MM_BERT_FC1": "dense_11",
        "MM_BERT_FC2": "dense_10",
        "BMM_BERT_QK": "bmm_04",
        "BMM_BERT_SV": "bmm_05",
    },
    "MHA1 and MHA2 exchanged": {"MM_BERT_MHA1": "dense_05", "MM_BERT_MHA2": "dense_04"},
    "1x1 convolutions exchanged": {"MM_Conv1x1_1": "dense_16", "MM_Conv1x1_2": "dense_19"},
    "classifier with K of 4096": {"MM_RN50_FC": "dense_40"},
    "3d convolutions in file order": {
        "Conv3D1": "conv3d_0",
        "Conv3D2": "conv3d_1",
        "Conv3D3": "conv3d_2",
        "Conv3D4": "conv3d_3",
    },
    "2d convolutions with stride 2": {
        "Conv2D_RN50_2": "conv2d_02",
        "Conv2D_RN50_3": "conv2d_04",
        "Conv2D_RN50_4": "conv2d_06",
    },
}
"""Other shapes in the same file to which the operators' names may refer."""


@dataclass(frozen=True)
class Gain:
    """The least times in ns of an operator's kernels: `without` stages, for asynchronous and for synchronous copies;
    and with stages, for each set of schedules in `LEVELS`. `best`: the fastest schedule."""

    without: tuple[float, float]
    levels: Mapping[str, float]
    best: str

    def over(self, synchronous: bool, level: str = FULL) -> float:
        """Return the gain of the schedules of a level in `LEVELS` over kernels without stages, whose copies are
        asynchronous, or synchronous if `synchronous`."""
        return self.without[synchronous] / self.levels[level]

    def measured(self, device: str) -> Gain:
        """Return the same gain with times that would be measured in a loop of launches."""
        without = measured_ns(device, self.without[0]), measured_ns(device, self.without[1])
        levels = {name: measured_ns(device, ns) for name, ns in self.levels.items()}
        return Gain(without, levels, self.best)


def gain_of(problem: Problem, simulate: Simulate, ranked: Callable[[Space], Floats], likely: int | None) -> Gain:
    """Return the gain of pipelining for a problem. `ranked`: a function that returns the times of all schedules of a
    space by an analytical model; only the `likely` schedules with the least of these times are simulated (None:
    all)."""
    kind = kind_of(problem)

    def best(space: Space) -> tuple[float, Space]:
        if likely is not None:
            space = space.take(np.argsort(ranked(space), kind="stable")[:likely])
        times = simulate(problem, space)
        return float(times.min()), space.take([int(times.argmin())])

    without = best(unpipelined(kind, True))[0], best(unpipelined(kind, False))[0]
    space = published(kind)
    found = {name: best(space.take(holds(space))) for name, holds in LEVELS.items()}
    fastest = min(found.values(), key=lambda each: each[0])[1].schedule(0)
    tile = f"{'x'.join(map(str, fastest.block))} by {fastest.warps[0]}x{fastest.warps[1]}"
    words = f"{tile}, {fastest.stages} and {fastest.register_stages}"
    times = np.minimum.accumulate([time for time, _ in found.values()])  # each level holds those before it
    return Gain(without, dict(zip(LEVELS, times.tolist(), strict=True)), words)


def gains_of(shapes: Sequence[str], gain: Callable[[str], Gain], keep: Path | None) -> dict[str, Gain]:
    """Return the gain of each shape, by the shape's id. Gains in the file `keep` are read from it; each new gain is
    added to the file immediately."""
    stored: dict[str, dict[str, Any]] = json.loads(keep.read_text()) if keep is not None and keep.exists() else {}
    for shape in dict.fromkeys(shapes):
        if shape not in stored:
            stored[shape] = asdict(gain(shape))
            if keep is not None:
                keep.write_text(json.dumps(stored))
    return {
        shape: Gain((each["without"][0], each["without"][1]), each["levels"], each["best"])
        for shape, each in stored.items()
    }


def geometric(values: Sequence[float] | Floats) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(values))))


def summary(name: str, gains: Floats, published_gains: Floats) -> tuple[str, ...]:
    """Return a row of the table of models: the geometric mean of the predicted gains, the mean absolute error of their
    logarithms, and the number of gains within the factor `NEAR` of the published ones."""
    off = np.abs(np.log(gains / published_gains))
    near = int(np.sum(off <= np.log(NEAR)))
    return name, f"{geometric(gains):.3f}", f"{off.mean():.3f}", f"{near} of {len(gains)}", f"{gains.max():.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks tile_operators", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--machine", default="a100", help="a device with a sheet")
    parser.add_argument("--on", type=Path, default=HERE, help="a folder with operators.csv and published_speedups.csv")
    parser.add_argument("--likely", type=int, help="simulate only so many schedules, those ranked first")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--cold", action="store_true", help="let no operand be in the last-level cache")
    parser.add_argument("--keep", type=Path, help="a file of times that are known already, and where new ones go")
    arguments = parser.parse_args()
    try:
        unit = unit_of(arguments.machine, warm=not arguments.cold)
        known, every = problems(arguments.on), operators(arguments.on)
    except (InputError, OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    simulate = simulator(unit, arguments.processes)
    begun = time.perf_counter()
    shapes = [each.shape for each in every] + [shape for other in ALTERNATIVES.values() for shape in other.values()]

    def gain(shape: str) -> Gain:
        return gain_of(known[shape], simulate, lambda space: analytical_ns(known[shape], space, unit), arguments.likely)

    kept = gains_of(shapes, gain, arguments.keep)
    gains = {shape: each.measured(arguments.machine) for shape, each in kept.items()}
    seconds = time.perf_counter() - begun
    _print(every, known, gains)
    tried = "all schedules" if arguments.likely is None else f"{arguments.likely} schedules ranked first"
    print(f"{tried}, {len(gains)} shapes, {seconds:.0f} s on {arguments.processes} processes")


def _print(every: Sequence[Operator], known: Mapping[str, Problem], gains: Mapping[str, Gain]) -> None:
    said = np.array([each.over_compiler for each in every])
    lines = [
        (
            each.name,
            f"{'' if problem.batch == 1 else f'{problem.batch} x '}{problem.m} x {problem.n} x {problem.k}",
            f"{each.over_compiler:.2f}",
            f"{gain.over(False):.2f}",
            f"{gain.over(True):.2f}",
            gain.best,
        )
        for each in every
        for problem, gain in ((known[each.shape], gains[each.shape]),)
    ]
    print(table(("operator", "shape", "published", "over async", "over sync", "fastest: tile, warps, stages"), lines))

    models = {
        "over asynchronous copies": np.array([gains[each.shape].over(False) for each in every]),
        "over synchronous copies": np.array([gains[each.shape].over(True) for each in every]),
        f"the same for all: {CONSTANT}": np.full(len(every), CONSTANT),
    }
    print(
        table(("gain", "mean", "log error", "within 15 %", "most"), [summary(*each, said) for each in models.items()])
    )

    short = [each for each in every if known[each.shape].k == 64]
    for synchronous in (False, True):
        base = "synchronous" if synchronous else "asynchronous"
        steps = ", ".join(
            f"{level} {geometric([gains[each.shape].over(synchronous, level) for each in every]):.3f}"
            for level in LEVELS
        )
        most = max(gains[each.shape].over(synchronous) for each in short)
        print(f"over {base} copies: K of 64 at most {most:.2f}; {steps} (published 1.01, 1.13, 1.23)")

    rows: list[tuple[str, ...]] = []
    for name, changed in ALTERNATIVES.items():
        mine = [changed.get(each.name, each.shape) for each in every]
        baseline = [known[shape].k / (known[shape].m * known[shape].n * known[shape].batch) for shape in mine]
        ranks = (spearman([gains[shape].over(synchronous) for shape in mine], said) for synchronous in (False, True))
        rows.append((name, *(f"{each:.2f}" for each in ranks), f"{spearman(baseline, said):.2f}"))
    print(table(("shapes", "rank, over async", "over sync", "of K over tiles"), rows), end="")


if __name__ == "__main__":
    main()
