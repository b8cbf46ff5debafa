"""An architect's questions about a PIM: how much another number of channels, more buffers, wider units, a faster clock
or another bandwidth of the GPU would gain.

    python benchmarks/pimflow_sweep.py channels|buffers|macs|clock|bandwidth [MODEL …] [--plot FILE.svg]

One number of PIMFlow's machine is changed, the networks are planned anew for each value, and compared with the GPU of
that machine alone. What else changes with the number stands below each table.
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
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another package is called benchmarks too

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
"""Times of the DRAM array and its sense amplifiers, which no faster clock makes shorter."""


@dataclass(frozen=True)
class Sweep:
    """A question. `changes`: for each accounting that knows the number, what is set for a value."""

    unit: str
    values: tuple[float, ...]
    changes: Mapping[str, Callable[[float], Sequence[str]]]
    note: str
    doubling: bool = True
    """True if values are drawn by their ratios."""


def _pim() -> Pim:
    pim = load_device("newton")
    assert isinstance(pim, Pim)
    return pim


def _channels(value: float) -> Sequence[str]:
    """The way to the PIM is as wide as its channels (`pimflow_channels`)."""
    return (f"pim.channels={value:g}",)


def _lanes(value: float) -> Sequence[str]:
    """A row and a buffer hold what they did."""
    pim = _pim()
    wider = value / pim.lanes
    columns = {"columns": pim.columns, "buffer": pim.buffer_columns, "load": pim.load_columns}
    fewer = [f"pim.{name}={round(count / wider)}" for name, count in columns.items()]
    return (f"pim.lanes={value:g}", *fewer, f"pim.energy.mac={pim.verbs['mac'].energy_nj * wider!r} nJ")


def _clock(value: float) -> Sequence[str]:
    """Commands and columns follow the clock. Sheets round times up to cycles: a hair less stays what it was."""
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
        "The GPU keeps the other channels, with their share of bandwidth, last-level cache and memory.",
        doubling=False,
    ),
    "buffers": Sweep(
        "buffers of 1 KiB a channel",
        (0.25, 0.5, 1, 2, 4, 8),
        {
            ARTIFACT.name: lambda value: (f"pim.programs.buffers={value:g}",) if value >= 1 else (),
            FULL.name: lambda value: (f"pim.buffer={value * _pim().buffer_columns:g}",) if value <= 2 else (),
        },
        "artifact: global buffers that the published generator may use, which is a way to share out channels. full: "
        "what one global buffer holds.",
    ),
    "macs": Sweep(
        "multiply-accumulate lanes a bank",
        (4, 8, 16, 32, 64),
        _both(_lanes),
        "A column access is as wide as the lanes; a row and the buffer hold what they did, and a multiplication takes "
        "the energy that it did.",
    ),
    "clock": Sweep(
        "MHz of the PIM",
        (437.5, 656.25, 875, 1312.5, 1750),
        _both(_clock),
        "Commands and columns follow the clock; the times of the DRAM array stay: " + ", ".join(ARRAY) + ".",
    ),
    "bandwidth": Sweep(
        "of the GPU's bandwidth",
        (0.25, 0.5, 0.75, 1, 1.5, 2, 3),
        _both(_bandwidth),
        "The last-level cache and the PIM stay; so does the way between them. The GPU alone has the bandwidth too.",
    ),
}


def jobs_of(sweep: Sweep, models: Sequence[str], accountings: Sequence[Accounting], way: str) -> dict[PlanJob, float]:
    """Each job with its value."""
    return {
        PlanJob(model, accounting, WAYS[way], changes=tuple(changes)): value
        for model in models
        for accounting in accountings
        for value in sweep.values
        if (changes := sweep.changes[accounting.name](value))
    }


def swept(sweep: Sweep, found: Mapping[PlanJob, Row], values: Mapping[PlanJob, float]) -> None:
    """Print a row a value."""
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
    print("speed-up, ratio: time and energy (by component) against the whole GPU alone, with all of its channels.")


def plotter() -> Any:
    """The plotting library. Raises InputError where it is not installed."""
    try:
        matplotlib: Any = import_module("matplotlib")  # no dependency of ndpir's
        matplotlib.use("Agg")  # files alone: no window
        return import_module("matplotlib.pyplot")
    except ImportError:
        raise ndpir.InputError(
            "--plot needs matplotlib, which is not installed: pip install -e '.[plots]' does that; the table needs none"
        ) from None


def plot(pyplot: Any, path: Path, sweep: Sweep, found: Mapping[PlanJob, Row], values: Mapping[PlanJob, float]) -> None:
    """Speed-up over the value, a line for each network and accounting. Raises InputError where it can't be written."""
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


def main(words: Sequence[str] | None = None) -> int:
    """Sweep, print, and draw where asked to."""
    said = arguments().parse_args(words)
    sweep = SWEEPS[said.what]
    ways_of([said.mode])
    pyplot = plotter() if said.plot else None
    chosen = [each for name, each in ACCOUNTINGS.items() if said.accounting in ("both", name)]
    values = jobs_of(sweep, models_of(said.models or MODELS), chosen, said.mode)
    found = {job: row for job, row in zip(values, rows_of(list(values), said.jobs), strict=True) if row is not None}
    if not found:
        return 1
    swept(sweep, found, values)
    if said.csv:
        write_csv(said.csv, list(found.values()))
    if pyplot is not None:
        plot(pyplot, said.plot, sweep, found, values)
        print(f"drawn: {said.plot}")
    return 0


def arguments() -> argparse.ArgumentParser:
    """The command line's options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("what", choices=SWEEPS, help="what is changed")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"networks (default: {', '.join(MODELS)})")
    parser.add_argument("--mode", default="pimflow", help=f"how they are planned: {', '.join(WAYS)}")
    parser.add_argument("--accounting", choices=(*ACCOUNTINGS, "both"), default="both", help="what is counted")
    parser.add_argument("--plot", type=drawable, metavar="FILE", help="draw speed-ups (.svg, .png, .pdf)")
    add_outputs(parser)
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ndpir.InputError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
