"""PIMFlow and what goes beyond it: five image networks on its machine, in each of its modes and by `best`, in two
accountings, beside the published figures; then language models on an A100 with other PIMs.

    python benchmarks/pimflow.py [MODEL …] [--accounting artifact|full|both] [--modes …] [--language-models] [--verify]

artifact: what the published code charges (no time for slices, joins, copies and waiting; its own bank programs, with
the work that they drop). full: all of that counted, and all work done. MODEL: a file in examples/models, without .onnx.
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
    Way,
    models_of,
    ways_of,
)
from benchmarks.image_networks.published import compared
from benchmarks.image_networks.tables import add_outputs, legend, plans_table, rows_of, unbound, write_csv
from benchmarks.image_networks.verify import verified

IMAGES = ("efficientnet_b0", "mnasnet1_0", "mobilenet_v2", "resnet50", "vgg16")
LANGUAGE = ("bert_base", "gpt2", "gpt2_decode_kv255", "llama2_7b_decode_kv511_f16")
BESIDE = {"a100-aim": ("pim.element=f16",), "a100-hbm_pim": ()}
"""Machines for language models, and what is changed in them: AiM's units take f16 for bf16, as the files of 7B do."""
PIMFLOWS = ("newton+", "newton++", "pipeline", "mddp", "pimflow", "best")
OTHERS = ("whole ops", "pimflow", "best")
BAR = 60
"""Seconds for five networks, planned, lowered and timed."""


def image_jobs(models: Sequence[str], accounting: Accounting, ways: Sequence[Way]) -> list[PlanJob]:
    """All ways for each network; PIMFlow's sums where its accounting is asked for."""
    return [PlanJob(model, accounting, way, published=accounting is ARTIFACT) for model in models for way in ways]


def language_jobs(models: Sequence[str], machine: str, ways: Sequence[Way]) -> list[PlanJob]:
    return [PlanJob(model, FULL, way, machine, BESIDE[machine]) for model in models for way in ways]


def with_baselines(rows: Sequence[Row]) -> list[Row]:
    """Each network's rows after that of the GPU alone."""
    found: list[Row] = []
    for row in rows:
        if not found or found[-1].model != row.model:
            found.append(max((each for each in rows if each.model == row.model), key=lambda each: each.sum_ns).baseline)
        found.append(row)
    return found


def totals(rows: Sequence[Row]) -> None:
    """The time of five networks, from their files to their timelines."""
    for way in dict.fromkeys(row.way for row in rows):
        mine = [row for row in rows if row.way == way and row.accounting == FULL.name]
        if {row.model for row in mine} >= set(IMAGES):
            seconds, worked = sum(row.all_seconds for row in mine), sum(row.cpu_seconds for row in mine)
            print(
                f"{len(mine)} networks read, planned ({way}), lowered to bank commands and timed: {seconds:.1f} s, "
                f"{worked:.1f} s of it the processor's (bar {BAR} s, {'held' if seconds <= BAR else 'not held'})"
            )


def main(words: Sequence[str] | None = None) -> int:
    """Plan, print, and verify where asked to."""
    said = arguments().parse_args(words)
    start = perf_counter()
    models = models_of(said.models or IMAGES)
    ways = ways_of(said.modes or PIMFLOWS)
    rows: list[Row] = []
    for accounting in ACCOUNTINGS.values():
        if said.accounting not in ("both", accounting.name) or (said.language_models and not said.models):
            continue
        mine = [row for row in rows_of(image_jobs(models, accounting, ways), said.jobs) if row]
        if mine:
            plans_table(f"{accounting.name} accounting, machine {accounting.machine}", with_baselines(mine))
            print(legend(mine), flush=True)
        rows += mine
    if said.language_models:
        for machine in BESIDE:
            chosen = [model for model in models if model in LANGUAGE] or list(LANGUAGE)
            jobs = language_jobs(chosen, machine, ways_of(said.modes or OTHERS))
            mine = [row for row in rows_of(jobs, said.jobs) if row]
            if mine:
                changed = "".join(f", {each}" for each in BESIDE[machine])
                plans_table(f"machine {machine}{changed}", with_baselines(mine))
                print(legend(mine), flush=True)
            rows += mine
    compared(rows)
    totals(rows)
    wrong = unbound(rows)
    print("".join(f"{sentence}\n" for sentence in wrong), end="")
    good = not wrong
    if said.verify:
        good = verified(
            [PlanJob(row.model, ACCOUNTINGS[row.accounting], WAYS[row.way]) for row in rows if row.model in IMAGES]
        )
    if said.csv:
        write_csv(said.csv, rows)
    print(f"in all {perf_counter() - start:.0f} s with {said.jobs} process{'es' if said.jobs > 1 else ''}")
    return 0 if rows and good else 1


def arguments() -> argparse.ArgumentParser:
    """The command line's options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"networks (default: {', '.join(IMAGES)})")
    parser.add_argument("--accounting", choices=(*ACCOUNTINGS, "both"), default="both", help="what is counted")
    parser.add_argument("--modes", nargs="+", metavar="MODE", help=f"of {', '.join(WAYS)}")
    parser.add_argument(
        "--language-models", action="store_true", help=f"{', '.join(LANGUAGE)} on {' and '.join(BESIDE)}"
    )
    parser.add_argument("--verify", action="store_true", help="run each plan's numbers beside the network's own")
    add_outputs(parser)
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ndpir.InputError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
