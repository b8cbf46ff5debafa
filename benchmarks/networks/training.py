"""Training steps of NeuSight's data set, pass by pass: measured times, ndpir's predictions, NeuSight's predictions, and
sums of the measured times of their ops.

NeuSight measured each op of the sum separately on the same GPU. The sum separates errors of predicted kernel times from
time in which no kernel runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from rich.table import Table

from benchmarks.gpu.measurements import filled
from benchmarks.networks import neusight
from benchmarks.networks.row import read_rows

PUBLISHED = Path(__file__).with_name("neusight_training.csv")
"""The file with a table by run, ms: NeuSight's prediction of both passes (scripts/asplos/summary/summary.csv), and the
sums of the ops that it measured (scripts/asplos/label/*/*-train-*.csv). A layer's ops are multiplied by the number
of layers; ops under 0.03 ms without a gradient are skipped, since they are views or computed on the host. Source:
sitar-lab/NeuSight @6945927, MIT."""

Passes = tuple[float, ...]
"""Times of the forward and the backward pass, ns."""


@dataclass(frozen=True)
class Training:
    """A training step, with measured and predicted times of its forward and its backward pass."""

    run: neusight.Run
    ours: Passes
    others: Mapping[str, Passes]
    """Times by predictor. `neusight`: NeuSight's prediction; `ops`: the sum of the times of the ops that NeuSight
    measured, if published."""

    def errors(self, whose: str) -> tuple[float, float, float] | None:
        """Return the errors of predictor `whose` for the forward pass, the backward pass and the step, % of the
        measured time."""
        options = self.ours if whose == "ours" else self.others.get(whose)
        if options is None:
            return None
        forward, backward = ((ns / true - 1) * 100 for ns, true in zip(options, self.run.passes_ns, strict=True))
        return forward, backward, (sum(options) / self.run.ns - 1) * 100


def read_published(path: Path = PUBLISHED) -> dict[tuple[str, str, int, int], dict[str, Passes]]:
    """Read the published times by the sheet of the GPU, the model, the batch size and the sequence length.

    Raises InputError with the line of an unreadable row.
    """
    return dict(read_rows(path, _published))


def _published(row: Mapping[str, str]) -> tuple[tuple[str, str, int, int], dict[str, Passes]]:
    key = neusight.SHEETS[filled(row, "gpu")], filled(row, "model"), int(row["batch"]), int(row["seqlen"])
    times = {name: (row[f"{name}_fw_ms"], row[f"{name}_bw_ms"]) for name in ("neusight", "ops")}
    return key, {name: tuple(float(ms) * 1e6 for ms in both) for name, both in times.items() if all(both)}


def trainings(fit_dir: Path, on_dir: Path) -> list[Training]:
    """Return the training steps in `on_dir`, predicted with constants fitted on `fit_dir`: those of kernels and of the
    host on single kernels, those of the driver on forward passes of other networks' training steps."""
    runs = [run for run in neusight.read(on_dir) if run.mode == "train"]
    published = read_published()
    return [
        Training(run, ours, published.get((run.gpu, run.model, run.batch, run.length), {}))
        for run, _, ours in neusight.predictions(fit_dir, runs)
    ]


def training_table(steps: Sequence[Training]) -> Table:
    """Return a table with a row per step, and the mean absolute errors by GPU and over all steps."""
    table = Table("GPU", "model", "run", "forward ms", "backward", "ours %", "NeuSight %", "its ops, summed %")
    for step in steps:
        run = step.run
        times = (f"{ns / 1e6:.1f}" for ns in run.passes_ns)
        table.add_row(run.gpu, run.model, f"{run.batch}x{run.length}", *times, *_cells([step], "{:+.1f}", _first))
    for gpu in (*dict.fromkeys(step.run.gpu for step in steps), ""):
        members = [step for step in steps if gpu in ("", step.run.gpu)]
        table.add_row(gpu or "all", "mean error", str(len(members)), "", "", *_cells(members, "{:.1f}", _mean))
    table.caption = "Errors of the forward pass / the backward pass / the step"
    return table


def _cells(steps: Sequence[Training], form: str, of: Callable[[Sequence[float]], float]) -> Iterator[str]:
    for whose in ("ours", "neusight", "ops"):
        errors = [found for step in steps if (found := step.errors(whose)) is not None]
        yield " / ".join(form.format(of(column)) for column in zip(*errors, strict=True))


def _first(numbers: Sequence[float]) -> float:
    return numbers[0]


def _mean(numbers: Sequence[float]) -> float:
    return fmean(abs(each) for each in numbers)
