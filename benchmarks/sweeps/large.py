"""Time and memory that a sweep of 100,000 points takes besides the evaluation of its points.

    python -m benchmarks.sweeps.large [--points 100000]

A grid over tCCD, tRCD, tRP, channels and machines is swept with figures from a formula in place of compiled and timed
programs: the sweep plans its points, journals each structure's figures, and reads its rows. It is then continued, when
the journal has all results, and shown as tables, report, plots, CSV and JSON. Each is a process of its own, whose
wall-clock time and largest resident memory are printed. Bars: 10 s and 2 GB each.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np

from ndpir.reports.columns import Figure
from ndpir.sweep.axes import axes_of
from ndpir.sweep.evaluation import Evaluator, Outcome
from ndpir.sweep.request import Request
from ndpir.sweep.running import sweep
from ndpir.sweep.sampling import Point
from ndpir.sweep.structures import Table, structures_of

MODEL = Path(__file__).resolve().parents[2] / "examples" / "mlp.mlir"
MOST_S, MOST_BYTES = 10.0, 2e9
LAUNCHES, ROWS, COLUMNS = 224, 90_000, 1_400_000
"""The launches, activations and column commands of a token of a language model with 7 billion weights."""
SHARED: dict[str, Figure] = {
    **dict.fromkeys(("makespan_ns", "speed_up", "energy_nj", "rel_energy", "board_nj", "rel_board"), 0.0),
    **{"alone_ns": 0.0, "alone_nj": 0.0, "bound_ns": 0.0, "gap": 0.0, "placement_bound_ns": 0.0},
    **{"tasks": 451, "copies": 448, "bytes_copied": 5_242_880, "serial_ns": 0.0, "contention_ns": None},
    **{"held_bytes": None, "stalled_ns": None, "opaque_share": 0, "types": "f16", "alone_form": "as read"},
    **{"busy_ns.gpu": 0.0, "busy_ns.pim": 0.0, "busy_ns.gpu->pim": 98_765.4, "busy_ns.pim->gpu": 123_456.7},
}


def request(points: int) -> Request:
    """A sweep of `points` points, a multiple of 4,000."""
    axes = [
        "pim.tCCD=1..20",
        "pim.tRCD=8..27",
        f"pim.tRP=8..{7 + points // 4000}",
        "pim.channels=2..32*2",
        "machine=a100-newton,h100-newton",
    ]
    return Request(str(MODEL), passes="canonicalize", axes=axes_of(axes))


def figures(points: Sequence[Point]) -> Table:
    """The figures of points of one structure, by a formula."""
    ccd, rcd, rp = (
        np.array([point[f"pim.{name}"] for point in points], np.float64) for name in ("tCCD", "tRCD", "tRP")
    )
    channels = float(points[0]["pim.channels"])
    gpu = 612_345.678 if points[0]["machine"] == "a100-newton" else 402_345.123
    pim = (ROWS * np.maximum(rcd + rp, 30) + COLUMNS * np.maximum(ccd, 2)) / channels + LAUNCHES * 1500.0
    makespan = gpu + pim + 222_222.1
    energy = 1.4e9 + 35.0 * makespan + 1e5 * channels * np.sqrt(rcd)
    alone_ns, alone_nj = 12.9 * gpu, 2.1e9
    columns = {
        "makespan_ns": makespan,
        "speed_up": alone_ns / makespan,
        "energy_nj": energy,
        "rel_energy": energy / alone_nj,
        "board_nj": 1.3 * energy,
        "rel_board": energy / alone_nj / 1.1,
        "bound_ns": makespan,
        "gap": np.zeros(len(points)),
        "placement_bound_ns": 0.98 * makespan,
        "serial_ns": makespan + 3_000.0,
        "busy_ns.pim": pim,
    }
    shared: dict[str, Figure] = {**SHARED, "alone_ns": alone_ns, "alone_nj": alone_nj, "busy_ns.gpu": gpu}
    return Table(shared, columns, 1e-5)


def write(path: str, points: int) -> None:
    """Run the sweep with the figures of the formula; its results go to the journal `path`."""
    found: list[dict[str, str]] = []

    def outcomes(self: Evaluator, points: Sequence[Point]) -> Iterator[list[Outcome] | Table]:
        if not found:
            found.append(dict(self.outcome(points[0]).found))
        (structure,) = structures_of(self.request, points)
        yield replace(figures(structure.points), found=found[0])

    with patch.object(Evaluator, "outcomes", outcomes):
        swept = sweep(request(points), path, jobs=1)
    print(f"{len(swept.rows)} rows, {swept.held} of them were there already")


def measured(words: Sequence[str], out: str) -> tuple[float, int]:
    """Run a command; returns its wall-clock time in s, and its largest resident memory in bytes. `out`: the file to
    which its output goes."""
    start = time.perf_counter()
    with open(out, "wb") as file:
        process = subprocess.Popen([sys.executable, "-m", *words], stdout=file)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} failed")
    return seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--points", type=int, default=100_000, help="a multiple of 4000")
    parser.add_argument("--write", metavar="RESULTS", help="only run the sweep, in this process")
    args = parser.parse_args()
    if args.write is not None:
        write(args.write, args.points)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.sqlite")
        swept = ["benchmarks.sweeps.large", "--write", path, "--points", str(args.points)]
        show = ["ndpir.cli.exploring.sweep", "show", path]
        page, plot, effects, text = (os.path.join(folder, name) for name in ("r.html", "r.svg", "e.svg", "r.csv"))
        steps = {
            "sweep": swept,
            "continued": swept,
            "show": show,
            "report and plot": [*show, "--report", page, "--plot", plot],
            "effects": [*show, "--plot", effects, "--kind", "effects"],
            "CSV": [*show, "--csv"],
            "show of CSV": [*show[:-1], text],
            "JSON": [*show, "--json"],
        }
        missed = 0
        for name, words in steps.items():
            seconds, nbytes = measured(words, text if name == "CSV" else os.devnull)
            missed += seconds > MOST_S or nbytes > MOST_BYTES
            print(
                f"{name:16} {seconds:6.2f} s (bar {MOST_S:.0f}) {nbytes / 1e9:6.2f} GB (bar {MOST_BYTES / 1e9:.0f})",
                flush=True,
            )
        sizes = {name: os.path.getsize(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}
        print(", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in sizes.items()))
    if missed:
        raise SystemExit(f"{missed} of {len(steps)} steps miss a bar")


if __name__ == "__main__":
    main()
