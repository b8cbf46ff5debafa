"""Errors of the times of complete networks on GPUs: networks are represented as graphs, and timed kernel by kernel.

python benchmarks/gpu_networks.py --fit DIR --on OTHER              # refit all on DIR, tables on OTHER
python benchmarks/gpu_networks.py --fit DIR --on OTHER --training   # forward and backward passes of training steps
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another installed package may be called benchmarks

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.gpu.bars import Score
from benchmarks.networks import neusight as network_neusight
from benchmarks.networks import timm as network_timm
from benchmarks.networks.row import Row
from benchmarks.networks.training import training_table, trainings
from dialects.diagnostics import InputError
from interp.cost.fitting import check_fitter
from interp.kinds.gpu.constants.measurement import FitErrors

_SETS = {"neusight_e2e": network_neusight.rows, "timm_e2e": network_timm.rows}
NETWORK_SETS = tuple(_SETS)
"""The data sets whose rows are complete networks."""


def network_rows(fit_dir: Path, on_dir: Path, only: str = "") -> list[Row]:
    """Return all rows of the network sets in `on_dir`, predicted with constants fitted on `fit_dir`.

    `only` selects the sets whose file name begins with it."""
    return [row for name, rows in _SETS.items() if name.startswith(only) for row in rows(fit_dir, on_dir)]


def network_scores(fit_dir: Path, on_dir: Path, only: str = "") -> list[Score]:
    """Return the errors of the network sets in `on_dir` by group, with constants fitted on `fit_dir`.

    Classes of the scores: `network` (convolutional networks), `other network` (other image networks), `language model`
    (f32).
    """
    return scores_of(network_rows(fit_dir, on_dir, only))


def scores_of(rows: Iterable[Row]) -> list[Score]:
    """Return the errors of rows, by group."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.source, *(row.group if row.source == "timm_e2e" else ("all",))), []).append(row)
    scores: list[Score] = []
    for (source, gpu, *kind), members in groups.items():
        element, label = ("f16", " ".join(reversed(kind))) if kind else ("f32", "transformers")
        name = ("network" if "CNN" in kind else "other network") if kind else "language model"
        errors = {"model": _errors(members, "predicted_ns"), "roofline": _errors(members, "roofline_ns")}
        scores.append(Score(source, gpu, element, label, name, errors, "kernels, and other networks"))
    return scores


def _errors(rows: Sequence[Row], name: str) -> FitErrors:
    predicted, measured = (np.array([getattr(row, each) for row in rows]) for each in (name, "measured_ns"))
    return FitErrors.of(predicted, measured)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--fit", type=Path, required=True, help="directory of measurements to fit on")
    parser.add_argument(
        "--on", type=Path, required=True, help="directory of other measurements, on which errors are reported"
    )
    parser.add_argument("--rows", action="store_true", help="also print each network")
    parser.add_argument(
        "--training", action="store_true", help="only passes of training steps, compared with NeuSight's"
    )
    options = parser.parse_args(argv)
    try:
        check_fitter()
        if options.training:
            Console(width=140).print(training_table(trainings(options.fit, options.on)))
            return 0
        rows = network_rows(options.fit, options.on)
    except InputError as error:
        print(f"{error.place}: error: {error.message}" if error.place else f"error: {error.message}", file=sys.stderr)
        return 1
    console = Console(width=140)
    if options.rows:
        console.print(_each(rows))
    console.print(_groups(rows))
    return 0


def _each(rows: Iterable[Row]) -> Table:
    table = Table("set", "GPU", "model", "run", "from", "measured ms", "predicted", "error %", "roofline %", "mostly")
    for row in rows:
        parts = sorted(row.parts.items(), key=lambda part: -part[1])[:3]
        table.add_row(
            *(row.source, row.gpu, row.model, row.what, row.origin),
            *(f"{ns / 1e6:.2f}" for ns in (row.measured_ns, row.predicted_ns)),
            *(f"{(ns / row.measured_ns - 1) * 100:+.1f}" for ns in (row.predicted_ns, row.roofline_ns)),
            ", ".join(f"{name} {ns / row.predicted_ns:.0%}" for name, ns in parts),
        )
    return table


def _groups(rows: Sequence[Row]) -> Table:
    table = Table("set", "group", "rows", "roofline", "model", "median", "bias", "rank")
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        kind = row.group[2:]  # image networks: convolutional or not, which are never averaged
        for group in (row.group, (*kind, "from", row.origin), *([] if kind else [("all",)])):
            groups.setdefault((row.source, *group), []).append(row)
    for (source, *group), members in groups.items():
        model, roofline = _errors(members, "predicted_ns"), _errors(members, "roofline_ns")
        cells = (f"{roofline.mape:.1f}", f"{model.mape:.1f}", f"{model.median:.1f}", f"{model.bias:+.1f}")
        table.add_row(source, " ".join(group), str(len(members)), *cells, f"{model.rank:.4f}")
    table.caption = (
        f"NeuSight's published mean error on its 80 runs on one NVIDIA GPU: {network_neusight.PUBLISHED_MAPE} %"
    )
    return table


if __name__ == "__main__":
    sys.exit(main())
