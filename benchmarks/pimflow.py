"""Plans of PIMFlow and of ndpir's policies: five image networks on PIMFlow's machine, compared with published figures.

Networks are planned in each of PIMFlow's modes and with policy `optimal`, in two accountings. `--language-models` adds
language models on an A100 with other PIMs.

    python benchmarks/pimflow.py [MODEL …] [--accounting artifact|full|both] [--modes …] [--language-models] [--verify]

Accounting `artifact`: the costs of the published code, in which slices, joins, copies and waiting take no time, and
whose bank programs omit part of the work. Accounting `full`: all of these costs and all work are counted. MODEL: a file
in examples/models, without .onnx.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

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
    PlanMode,
    Row,
    models_of,
    ways_of,
)
from benchmarks.image_networks.published import compared
from benchmarks.image_networks.tables import add_outputs, below_bound, legend, plans_table, rows_of, write_csv
from benchmarks.image_networks.verify import verified

IMAGES = ("efficientnet_b0", "mnasnet1_0", "mobilenet_v2", "resnet50", "vgg16")
LANGUAGE = ("bert_base", "gpt2", "gpt2_decode_kv255", "llama2_7b_decode_kv511_f16")
LANGUAGE_MACHINES = {"a100-aim": ("pim.element=f16",), "a100-hbm_pim": ()}
"""Machines for language models, and changes of their sheets: AiM computes in f16 instead of bf16, since the 7B models
are in f16."""
PIMFLOWS = ("newton+", "newton++", "pipeline", "mddp", "pimflow", "optimal")
OTHERS = ("whole ops", "pimflow", "optimal")
BAR = 60
"""The largest allowed time in s to plan, lower and time the five networks."""


def image_jobs(models: Sequence[str], accounting: Accounting, ways: Sequence[PlanMode]) -> list[PlanJob]:
    """Return a job for each network and mode; in PIMFlow's accounting, PIMFlow's sums of costs are computed, too."""
    return [PlanJob(model, accounting, way, published=accounting is ARTIFACT) for model in models for way in ways]


def language_jobs(models: Sequence[str], machine: str, ways: Sequence[PlanMode]) -> list[PlanJob]:
    return [PlanJob(model, FULL, way, machine, LANGUAGE_MACHINES[machine]) for model in models for way in ways]


def with_baselines(rows: Sequence[Row]) -> list[Row]:
    """Insert the row of the GPU alone before each network's rows."""
    found: list[Row] = []
    for row in rows:
        if not found or found[-1].model != row.model:
            found.append(max((each for each in rows if each.model == row.model), key=lambda each: each.sum_ns).baseline)
        found.append(row)
    return found


def totals(rows: Sequence[Row]) -> None:
    """Print the total time of all networks, from their files to their timelines."""
    for way in dict.fromkeys(row.way for row in rows):
        mine = [row for row in rows if row.way == way and row.accounting == FULL.name]
        if {row.model for row in mine} >= set(IMAGES):
            seconds, worked = sum(row.all_seconds for row in mine), sum(row.cpu_seconds for row in mine)
            print(
                f"{len(mine)} networks imported, planned ({way}), lowered to bank commands and timed: {seconds:.1f} s, "
                f"{worked:.1f} s of processor time (bar {BAR} s, {'met' if seconds <= BAR else 'missed'})"
            )


def main(argv: Sequence[str] | None = None) -> int:
    """Plan the networks, print the tables, and verify the plans if requested; return the exit status."""
    options = arguments().parse_args(argv)
    start = perf_counter()
    models = models_of(options.models or IMAGES)
    ways = ways_of(options.modes or PIMFLOWS)
    rows: list[Row] = []
    for accounting in ACCOUNTINGS.values():
        if options.accounting not in ("both", accounting.name) or (options.language_models and not options.models):
            continue
        mine = [row for row in rows_of(image_jobs(models, accounting, ways), options.jobs) if row]
        if mine:
            plans_table(f"{accounting.name} accounting, machine {accounting.machine}", with_baselines(mine))
            print(legend(mine), flush=True)
        rows += mine
    if options.language_models:
        for machine in LANGUAGE_MACHINES:
            chosen = [model for model in models if model in LANGUAGE] or list(LANGUAGE)
            jobs = language_jobs(chosen, machine, ways_of(options.modes or OTHERS))
            mine = [row for row in rows_of(jobs, options.jobs) if row]
            if mine:
                changed = "".join(f", {each}" for each in LANGUAGE_MACHINES[machine])
                plans_table(f"machine {machine}{changed}", with_baselines(mine))
                print(legend(mine), flush=True)
            rows += mine
    compared(rows)
    totals(rows)
    wrong = below_bound(rows)
    print("".join(f"{sentence}\n" for sentence in wrong), end="")
    good = not wrong
    if options.verify:
        good = verified(
            [PlanJob(row.model, ACCOUNTINGS[row.accounting], WAYS[row.way]) for row in rows if row.model in IMAGES]
        )
    if options.csv:
        write_csv(options.csv, rows)
    print(f"in all {perf_counter() - start:.0f} s with {options.jobs} process{'es' if options.jobs > 1 else ''}")
    return 0 if rows and good else 1


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"networks (default: {', '.join(IMAGES)})")
    parser.add_argument("--accounting", choices=(*ACCOUNTINGS, "both"), default="both", help="rules of counted costs")
    parser.add_argument("--modes", nargs="+", metavar="MODE", help=f"{', '.join(WAYS)} (default: all)")
    parser.add_argument(
        "--language-models", action="store_true", help=f"{', '.join(LANGUAGE)} on {' and '.join(LANGUAGE_MACHINES)}"
    )
    parser.add_argument("--verify", action="store_true", help="compare each plan's results with the network's")
    add_outputs(parser)
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ndpir.InputError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
