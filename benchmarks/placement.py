"""Placement: what each policy's plan takes, how far it is above a bound on every plan, how policies grow, and what is
lost where costs are wrong.

    python benchmarks/placement.py [SECTION …] [--limit S] [--lengths N …] [--measure FOLDER] [--replay] [--csv FILE]

transformers: BERT-base, a RoBERTa like it and GPT-2 on a CPU by one core and by all and a PIM, one op after another (as
published) and side by side. networks: image networks, and language models that decode, on GPUs with PIM. scale: whole
commands on generated programs of up to 10,000 kernels. robust: wrong costs. joint: cuts, pipelines and places decided
at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another package is called benchmarks too

import ndpir
from benchmarks.image_networks.tables import add_outputs
from benchmarks.placement_joint import table
from benchmarks.placements.robust import CASES, robustness
from benchmarks.placements.rows import PARALLEL, Case, Row, measured, transformer_cases
from benchmarks.placements.scale import SIZES as GROWN
from benchmarks.placements.scale import scale
from benchmarks.placements.tables import (
    broken,
    compared,
    placements_table,
    rows_of,
    seconds_table,
    serial,
    side_by_side,
    write_csv,
)
from benchmarks.placements.transformers import LENGTHS

IMAGES = ("efficientnet_b0", "mnasnet1_0", "mobilenet_v2", "resnet50", "vgg16")
DECODERS = ("gpt2_decode_kv255", "llama2_7b_decode_kv511_f16")
GPUS = {"a100-aim": ("aim.element=f16",), "a100-hbm_pim": (), "a100-newton": (), "pimflow": ()}
"""GPUs with PIM, and what is changed in them: AiM's units take f16 for bf16, as the files of 7B do."""
LIMIT_S = 60.0


def transformers(said: argparse.Namespace) -> list[Row]:
    """Transformers at all lengths: one op after another, then side by side."""
    found: list[Row] = []
    for title, changes, measure in (
        ("machine cpu-pim: one op after another, as published", (), serial),
        ("machine cpu-pim, its devices overlapped", PARALLEL, side_by_side),
    ):
        cases = transformer_cases(said.lengths, changes, tuple(said.profile))
        cases = [measured(case, said.measure) for case in cases] if said.measure else cases
        rows = list(rows_of(cases, said.limit, said.replay, said.jobs))
        if rows:
            placements_table(title, rows, measure)
            seconds_table(rows)
            compared(rows, measure)
        found += rows
    return found


def networks(said: argparse.Namespace) -> list[Row]:
    """Image networks and decoders on each GPU with PIM."""
    found: list[Row] = []
    for machine, changes in GPUS.items():
        cases = [Case(name, machine, 0, changes) for name in (*IMAGES, *DECODERS)]
        rows = list(rows_of(cases, said.limit, said.replay, said.jobs))
        if rows:
            title = f"machine {machine}{''.join(f', {each}' for each in changes)}"
            placements_table(f"{title}: overlapped", rows, side_by_side)
            placements_table(f"{title}: one op after another", rows, serial)
            seconds_table(rows)
            compared(rows, side_by_side)
            compared(rows, serial)
        found += rows
    return found


def growing(said: argparse.Namespace) -> list[Row]:
    """Generated programs."""
    scale(said.sizes, said.limit)
    return []


def robust(said: argparse.Namespace) -> list[Row]:
    """Wrong costs."""
    robustness(CASES, said.policy, said.limit)
    return []


def joint(said: argparse.Namespace) -> list[Row]:
    """Cuts, pipelines and places decided at once (all by itself: placement_joint.py)."""
    table(jobs=said.jobs)
    return []


SECTIONS: dict[str, Callable[[argparse.Namespace], list[Row]]] = {
    "transformers": transformers,
    "networks": networks,
    "scale": growing,
    "robust": robust,
    "joint": joint,
}


def main(words: Sequence[str] | None = None) -> int:
    """Run the sections that are asked for, all by default; 1 if a promise is not kept."""
    said = arguments().parse_args(words)
    start = perf_counter()
    rows: list[Row] = []
    for name in said.sections or SECTIONS:
        if name not in SECTIONS:
            raise ndpir.InputError(f"there is no section `{name}`; there are {', '.join(SECTIONS)}")
        rows += SECTIONS[name](said)
    if said.csv:
        write_csv(said.csv, rows)
    print(f"in all {perf_counter() - start:.0f} s with {said.jobs} process{'es' if said.jobs > 1 else ''}")
    return 1 if broken(rows) else 0


def folder(text: str) -> Path:
    """A folder that exists."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"`{text}` is no folder; make it first")
    return Path(text)


def arguments() -> argparse.ArgumentParser:
    """The command line's options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)} (default: all)")
    parser.add_argument(
        "--limit",
        type=float,
        default=LIMIT_S,
        metavar="S",
        help="seconds that `optimal` may search (0: its own measure)",
    )
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, metavar="N", help="tokens of a sequence")
    parser.add_argument("--sizes", type=int, nargs="+", default=GROWN, metavar="N", help="kernels of a program")
    parser.add_argument("--profile", nargs="+", default=(), metavar="FILE", help="measured costs for the transformers")
    parser.add_argument(
        "--measure", type=folder, metavar="FOLDER", help="measure the transformers here with ndp-profile, once a folder"
    )
    parser.add_argument("--policy", default="cost", help="the policy that `robust` is shown with")
    parser.add_argument("--replay", action="store_true", help="carry out and simulate every plan")
    add_outputs(parser)
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ndpir.InputError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
