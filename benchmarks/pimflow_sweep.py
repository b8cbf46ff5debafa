"""Design sweeps of a PIM: speed-ups by channels, buffers, width of units, clock, or the GPU's bandwidth.

    python benchmarks/pimflow_sweep.py channels|buffers|macs|clock|bandwidth [MODEL …] [--plot FILE.svg]

One number of PIMFlow's machine is changed; for each value the networks are planned again, and compared with the GPU of
that machine alone. A note below each table states which other numbers change with it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another installed package may be called benchmarks

import ndpir
from benchmarks.image_networks.plans import (
    ACCOUNTINGS,
    ARTIFACT,
    FULL,
    WAYS,
    Accounting,
    PlanJob,
    Row,
    models_of,
    ways_of,
)
from benchmarks.image_networks.tables import add_outputs, drawable, rows_of, shown, write_csv
from interp.figures import energy, percent, time
from interp.machine.records import Gpu, Pim
from interp.machine.sheets import load_device

MODELS = ("mobilenet_v2",)
ARRAY = ("tRC", "tRCD", "tRP", "tRAS", "tRTP", "tFAW", "tCL", "tRFC", "tREFI")
"""Timings of the DRAM array and its sense amplifiers, which do not depend on the clock."""


@dataclass(frozen=True)
class Sweep:
    """A sweep of one number of PIMFlow's machine over some values.

    `changes`: for each accounting whose machine has the number, by the accounting's name, a function from a value of
    the number to settings of sheets.
    """

    unit: str
    values: tuple[float, ...]
    changes: Mapping[str, Callable[[float], Sequence[str]]]
    note: str
    doubling: bool = True
    """True if the plot's axis of values is logarithmic."""


def _pim() -> Pim:
    pim = load_device("newton")
    assert isinstance(pim, Pim)
    return pim


def _channels(value: float) -> Sequence[str]:
    """Return the settings for a number of channels; the link's bandwidth is changed in proportion
    (`pimflow_channels`)."""
    return (f"pim.channels={value:g}",)


def _lanes(value: float) -> Sequence[str]:
    """Return the settings for a number of lanes; capacities of rows and buffers do not change."""
    pim = _pim()
    wider = value / pim.lanes
    columns = {"columns": pim.columns, "buffer": pim.buffer_columns, "load": pim.load_columns}
    fewer = [f"pim.{name}={round(count / wider)}" for name, count in columns.items()]
    return (f"pim.lanes={value:g}", *fewer, f"pim.energy.mac={pim.verbs['mac'].energy_nj * wider!r} nJ")


def _clock(value: float) -> Sequence[str]:
    """Return the settings for a clock frequency; timings of the DRAM array do not change.

    Sheets round times up to cycles. Times are therefore set slightly lower, so that rounding errors do not add a cycle.
    """
    pim = _pim()
    array = [f"pim.{name}={pim.timing[name] / pim.clock_hz * (1e9 - 1):.12g} ns" for name in ARRAY]
    return (f"pim.clock={value:g} MHz", *array)


def _bandwidth(value: float) -> Sequence[str]:
    gpu = load_device("pimflow_gpu")
    assert isinstance(gpu, Gpu)
    return (f"gpu.bandwidth={value * gpu.bandwidth / 1e9:g} GB/s",)


def _both(changes: Callable[[float], Sequence[str]]) -> dict[str, Callable[[float], Sequence[str]]]:
    return dict.fromkeys(ACCOUNTINGS, changes)


SWEEPS: Mapping[str, Sweep] = {
    "channels": Sweep(
        "PIM channels of 32",
        (2, 4, 8, 12, 16, 20, 24, 28),
        {ARTIFACT.name: lambda value: (f"pim.channels={value:g}",), FULL.name: _channels},
        "The GPU keeps the other channels, with their fraction of bandwidth, last-level cache and memory.",
        doubling=False,
    ),
    "buffers": Sweep(
        "buffers of 1 KiB per channel",
        (0.25, 0.5, 1, 2, 4, 8),
        {
            ARTIFACT.name: lambda value: (f"pim.programs.buffers={value:g}",) if value >= 1 else (),
            FULL.name: lambda value: (f"pim.buffer={value * _pim().buffer_columns:g}",) if value <= 2 else (),
        },
        "artifact: number of global buffers for the published generator, which also determines its distribution over "
        "channels. full: capacity of the one global buffer.",
    ),
    "macs": Sweep(
        "multiply-accumulate lanes per bank",
        (4, 8, 16, 32, 64),
        _both(_lanes),
        "A column access is as wide as the lanes; capacities of rows and buffers and the energy of a multiplication do "
        "not change.",
    ),
    "clock": Sweep(
        "MHz of the PIM",
        (437.5, 656.25, 875, 1312.5, 1750),
        _both(_clock),
        "Commands and columns follow the clock; timings of the DRAM array do not change: " + ", ".join(ARRAY) + ".",
    ),
    "bandwidth": Sweep(
        "of the GPU's bandwidth",
        (0.25, 0.5, 0.75, 1, 1.5, 2, 3),
        _both(_bandwidth),
        "The last-level cache, the PIM and the link between them do not change. The GPU alone has this bandwidth, too.",
    ),
}


def jobs_of(sweep: Sweep, models: Sequence[str], accountings: Sequence[Accounting], way: str) -> dict[PlanJob, float]:
    """Return the jobs of a sweep, each with the value of the swept number for which it is planned."""
    return {
        PlanJob(model, accounting, WAYS[way], changes=tuple(changes)): value
        for model in models
        for accounting in accountings
        for value in sweep.values
        if (changes := sweep.changes[accounting.name](value))
    }


def swept(sweep: Sweep, found: Mapping[PlanJob, Row], values: Mapping[PlanJob, float]) -> None:
    """Print a table of a sweep's results with a row per value."""
    header = ("network", "accounting", sweep.unit, "GPU alone", "time", "speed-up", "energy", "ratio", "on PIM")
    rows = [
        (
            *(row.model, row.accounting, f"{values[job]:g}", time(row.base_ns), time(row.ns), f"{row.speedup:.3f}x"),
            *(energy(row.nj), f"{row.energy_ratio:.2f}", percent(row.pim_share)),
        )
        for job, row in found.items()
    ]
    way = next(iter(found)).way.name
    shown(f"Plans of `{way}` by {sweep.unit}", header, rows, left=(0, 1))
    print(sweep.note)
    print(
        "speed-up, ratio: time and energy (by component) against the unpartitioned GPU alone, with all of its channels."
    )


def plotter() -> Any:
    """Return the plotting library. Raises InputError if it is not installed."""
    try:
        matplotlib: Any = import_module("matplotlib")  # not a dependency of ndpir
        matplotlib.use("Agg")  # draws into files, without a window
        return import_module("matplotlib.pyplot")
    except ImportError:
        raise ndpir.InputError(
            "--plot needs matplotlib, which is not installed; run: pip install -e '.[plots]' (tables do not need it)"
        ) from None


def plot(pyplot: Any, path: Path, sweep: Sweep, found: Mapping[PlanJob, Row], values: Mapping[PlanJob, float]) -> None:
    """Plot speed-ups by value, with one line per network and accounting. Raises InputError if the file can't be
    written."""
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for model, accounting in dict.fromkeys((job.model, job.accounting) for job in found):
        mine = [
            (values[job], row.speedup)
            for job, row in found.items()
            if (job.model, job.accounting) == (model, accounting)
        ]
        style = "o--" if accounting is ARTIFACT else "o-"
        axes.plot(*zip(*mine, strict=True), style, label=f"{model}, {accounting.name}")
    axes.axhline(1.0, color="grey", linewidth=0.8)
    shown_values = sorted({values[job] for job in found})
    axes.set_xscale("log" if sweep.doubling else "linear")
    axes.set_xticks(shown_values, [f"{value:g}" for value in shown_values])
    axes.minorticks_off()
    axes.set(xlabel=sweep.unit, ylabel="speed-up over the GPU alone", ylim=(0, None))
    axes.legend()
    try:
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if path.suffix == ".svg" else None)
    except OSError as error:
        raise ndpir.InputError(f"{path}: can't be drawn: {(error.strerror or str(error)).lower()}") from None


def main(argv: Sequence[str] | None = None) -> int:
    """Run the sweep, print its table, and draw a plot if requested; return the exit status."""
    options = arguments().parse_args(argv)
    sweep = SWEEPS[options.what]
    ways_of([options.mode])
    pyplot = plotter() if options.plot else None
    chosen = [each for name, each in ACCOUNTINGS.items() if options.accounting in ("both", name)]
    values = jobs_of(sweep, models_of(options.models or MODELS), chosen, options.mode)
    found = {job: row for job, row in zip(values, rows_of(list(values), options.jobs), strict=True) if row is not None}
    if not found:
        return 1
    swept(sweep, found, values)
    if options.csv:
        write_csv(options.csv, list(found.values()))
    if pyplot is not None:
        plot(pyplot, options.plot, sweep, found, values)
        print(f"drawn: {options.plot}")
    return 0


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("what", choices=SWEEPS, help="the number that is changed")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"networks (default: {', '.join(MODELS)})")
    parser.add_argument("--mode", default="pimflow", help=f"mode or policy of the plans: {', '.join(WAYS)}")
    parser.add_argument("--accounting", choices=(*ACCOUNTINGS, "both"), default="both", help="rules of counted costs")
    parser.add_argument("--plot", type=drawable, metavar="FILE", help="draw speed-ups (.svg, .png, .pdf)")
    add_outputs(parser)
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ndpir.InputError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
