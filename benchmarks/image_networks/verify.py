"""Check that plans compute the same numbers as their networks.

Each plan is executed at full size, split and pipelined; its results are compared with those of the imported network. In
the full accounting, the PIM's work is executed command by command in its banks. The published bank programs omit part
of the work: on their machines the original ops are executed instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp

import ndpir
from benchmarks.image_networks.plans import MODELS, PlanJob, lowered, prepared
from benchmarks.image_networks.tables import shown
from dialects.diagnostics import notes_to
from interp.walk.entry import entry_of
from interp.walk.inputs import seeded_inputs
from interp.walk.run import run_module
from ndpir.cli.check import REDUCED_TOLERANCE, error_of

SEED = 7


def verified(jobs: Sequence[PlanJob]) -> bool:
    """Execute all plans and print the largest errors; return True if all errors are within rounding."""
    rows: list[tuple[str, ...]] = []
    for job in jobs:
        start = perf_counter()
        with notes_to(lambda message, place: None):
            error = _error(job, lowered(job, ndpir.compile(prepared(job), job.way.place)))
        level = "bank commands" if job.accounting.lowered else "tasks"
        verdict = "equal" if error <= REDUCED_TOLERANCE else "DIFFERS"
        seconds = f"{perf_counter() - start:.0f} s"
        rows.append((job.model, job.way.name, job.accounting.name, level, f"{error:.1e}", verdict, seconds))
    header = ("network", "plan", "accounting", "run as", "largest error", "", "took")
    shown(
        "Errors of plans' results against the network as read, in f16, relative to the largest value",
        header,
        rows,
        (0, 1, 2, 3, 5),
    )
    return all(row[5] == "equal" for row in rows)


def _error(job: PlanJob, program: ModuleOp) -> float:
    network = ndpir.compile(ndpir.read(MODELS / f"{job.model}.onnx"), "reduce-precision", machine=job.on)
    inputs = seeded_inputs(entry_of(network), SEED)
    expected, found = run_module(network, inputs), run_module(program, inputs)
    return max(error_of(old, new) for old, new in zip(expected, found, strict=True))
