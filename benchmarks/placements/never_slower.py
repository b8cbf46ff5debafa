"""Speed-ups of ndpir's own pipelines over the primary device alone, for many models on every shipped machine that has
several devices: none may be below 1.00x.

    python -m benchmarks never_slower [--models WORD …] [--machines WORD …] [--pipelines NAME …] [--csv FILE]

Each row is a model on a machine under one pipeline. `placed`: the fraction of busy time on devices other than the
primary one. `kept`: the makespan with `--keep-types`, divided by that without; below 1.00x, the conversion of types
has made the program slower. A summary counts the rows below 1.00x, and those that place something.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from functools import partial
from multiprocessing import Pool
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another installed package may be called benchmarks

import ndpir
from dialects.diagnostics import notes_to
from ndpir.compiler.compilation import Request, Variants
from ndpir.registry.names import Registry
from ndpir.reports.run import Run
from ndpir.reports.summary import summary_answer

MODELS = Path(__file__).resolve().parents[2] / "examples/models"
BATCHES: dict[str, tuple[str, int]] = {
    "resnet18_dynbatch_b8": ("resnet18_dynbatch.onnx", 8),
    "llama2_7b_decode_b16": ("llama2_7b_decode_kv511_f16.onnx", 16),
}
"""Models whose batch is set, by name: file and batch."""
NAMES = (
    *("bert_2layer_torchscript17", "bert_base", "bert_base_sdpa", "bert_step", "efficientnet_b0", "gpt2"),
    *("gpt2_2layer_bf16", "gpt2_decode_kv255", "llama2_7b_decode_kv511_f16", "llama3_8b_decode_kv511_f16"),
    *("llama2_7b_prefill128_f16", "mlp_step", "mnasnet1_0", "mobilenet_v2", "resnet50", "resnet50_f16", "vgg16"),
    *("steps/dlrm", "steps/lstm", "steps/ncf"),
)
MACHINES = (
    *(f"{gpu}-{pim}" for gpu in ("a100", "h100", "h200", "rtx4090") for pim in ("aim", "hbm_pim", "newton")),
    *("cpu-pim", "pimflow", "pimflow-plus", "v100-matndp", "v100-ndp_turns", "v100-ndpx"),
)
PIPELINES = ("offload", "optimal", "thorough")
ROUNDING = 1e-6


@dataclass(frozen=True)
class Row:
    """A model on a machine under one pipeline. `speed_up` and `kept` are 0 where no figure exists: the primary device
    can't run the model, or nothing is converted; `error` is empty for a model that compiles."""

    model: str
    machine: str
    pipeline: str
    makespan_us: float = 0.0
    speed_up: float = 0.0
    placed: float = 0.0
    kept: float = 0.0
    form: str = ""
    error: str = ""

    @property
    def is_slower(self) -> bool:
        """True if the pipeline makes the program slower than the primary device alone or than with its own types."""
        return 0 < self.speed_up < 1 - ROUNDING or 0 < self.kept < 1 - ROUNDING


def program(name: str):
    """The program of a model, by its name in `NAMES` or `BATCHES`."""
    if name in BATCHES:
        file, batch = BATCHES[name]
        return ndpir.read(MODELS / file, batch=batch)
    return ndpir.read(next(path for path in (MODELS / f"{name}.onnx", MODELS / f"{name}.mlir") if path.exists()))


def rows_of(name: str, machines: Sequence[str], pipelines: Sequence[str]) -> list[Row]:
    """The rows of one model."""
    registry = Registry()
    registry.discover()
    with notes_to(lambda message, place: None):
        variants = Variants(program(name), registry, verifies=False)
        return [_row(variants, name, machine, each) for machine in machines for each in pipelines]


def _row(variants: Variants, name: str, machine: str, pipeline: str) -> Row:
    try:
        found = Run(variants.compiled(Request(pipeline, machine)))
        answer = summary_answer(found, depends=False)
        kept = Run(variants.compiled(Request(pipeline, machine, keep_types=True))).timeline.makespan_ns
    except ndpir.InputError as error:
        return Row(name, machine, pipeline, error=str(error))
    primary = found.clock.machine.primary
    busy = defaultdict[str, float](float)
    for event, times, _ in found.timeline.tasks():
        if not event.is_copy:
            busy[event.resource] += event.cost.ns * times
    placed = 1 - busy[primary] / total if (total := sum(busy.values())) else 0.0
    compared = answer.comparison
    ns = found.timeline.makespan_ns
    speed_up, kept = compared.speed_up if compared else 0.0, kept / ns if ns else 0.0
    return Row(name, machine, pipeline, ns / 1e3, speed_up, placed, kept, compared.form if compared else "")


def _printed(rows: Iterator[list[Row]]) -> list[Row]:
    """Print rows as they are found, and return all."""
    found: list[Row] = []
    for several in rows:
        for row in several:
            found.append(row)
            text = f"{row.speed_up:7.3f}x  {row.placed:6.1%}  kept {row.kept:6.3f}x" if not row.error else row.error
            flag = "  SLOWER" if row.is_slower else ""
            print(f"{row.model:28} {row.machine:16} {row.pipeline:8} {row.makespan_us:12.2f} us  {text}{flag}")
        sys.stdout.flush()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog=sys.argv[0], description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--models", nargs="*", default=(*NAMES, *BATCHES), metavar="WORD")
    parser.add_argument("--machines", nargs="*", default=MACHINES, metavar="WORD")
    parser.add_argument("--pipelines", nargs="*", default=PIPELINES, metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the rows as CSV")
    given = parser.parse_args()
    work = partial(rows_of, machines=given.machines, pipelines=given.pipelines)
    with Pool(given.jobs, maxtasksperchild=1) as pool:
        rows = _printed(pool.imap(work, given.models))
    if given.csv:
        with given.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([field.name for field in fields(Row)])
            writer.writerows([astuple(row) for row in rows])
    timed = [row for row in rows if row.speed_up]
    slower, placing = sum(row.is_slower for row in rows), sum(row.placed > 0 for row in timed)
    print(
        f"\n{len(timed)} rows with a speed-up: {slower} below 1.00x, {placing} place something; {len(rows)} rows in all"
    )


if __name__ == "__main__":
    main()
