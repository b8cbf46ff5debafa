"""Placement: makespans of each policy's plans, gaps to a bound and growth of planning time.

    python benchmarks/placement.py [SECTION …] [--limit S] [--lengths N …] [--measure FOLDER] [--replay] [--csv FILE]

Sections are `transformers`: BERT-base, RoBERTa of the same size and GPT-2 on one CPU core, all CPU cores and a PIM,
which work serially (as published) or overlap. `networks`: image networks, and language models in decode, on GPUs with
PIM. `scale`: complete commands on generated programs of up to 10,000 kernels. `efforts`:
splits, pipelines and placement with each effort.
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
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another installed package may be called benchmarks

import ndpir
from benchmarks.image_networks.tables import add_outputs
from benchmarks.placement_efforts import table
from benchmarks.placements.rows import PARALLEL, Case, Row, measured, transformer_cases
from benchmarks.placements.scale import SIZES as GROWN
from benchmarks.placements.scale import scale
from benchmarks.placements.tables import (
    compared,
    placements_table,
    rows_of,
    seconds_table,
    serial,
    side_by_side,
    violations,
    write_csv,
)
from benchmarks.placements.transformers import LENGTHS

IMAGES = ("efficientnet_b0", "mnasnet1_0", "mobilenet_v2", "resnet50", "vgg16")
DECODERS = ("gpt2_decode_kv255", "llama2_7b_decode_kv511_f16")
GPUS = {"a100-aim": ("aim.element=f16",), "a100-hbm_pim": (), "a100-newton": (), "pimflow": ()}
"""GPUs with PIM, and changes of their sheets: AiM computes in f16 instead of bf16, since the 7B models are in f16."""
LIMIT_S = 60.0


def transformers(options: argparse.Namespace) -> list[Row]:
    """Print tables of transformers at all lengths, first for devices that work serially, then for devices that overlap;
    return all rows."""
    found: list[Row] = []
    for title, changes, measure in (
        ("machine cpu-pim: one op after another, as published", (), serial),
        ("machine cpu-pim, its devices overlapped", PARALLEL, side_by_side),
    ):
        cases = transformer_cases(options.lengths, changes, tuple(options.profile))
        cases = [measured(case, options.measure) for case in cases] if options.measure else cases
        rows = list(rows_of(cases, options.limit, options.replay, options.jobs))
        if rows:
            placements_table(title, rows, measure)
            seconds_table(rows)
            compared(rows, measure)
        found += rows
    return found


def networks(options: argparse.Namespace) -> list[Row]:
    """Print tables of image networks and language models in decode on each GPU with PIM; return all rows."""
    found: list[Row] = []
    for machine, changes in GPUS.items():
        cases = [Case(name, machine, 0, changes) for name in (*IMAGES, *DECODERS)]
        rows = list(rows_of(cases, options.limit, options.replay, options.jobs))
        if rows:
            title = f"machine {machine}{''.join(f', {each}' for each in changes)}"
            placements_table(f"{title}: overlapped", rows, side_by_side)
            placements_table(f"{title}: one op after another", rows, serial)
            seconds_table(rows)
            compared(rows, side_by_side)
            compared(rows, serial)
        found += rows
    return found


def growing(options: argparse.Namespace) -> list[Row]:
    """Print the growth of placement time with the size of generated programs."""
    scale(options.sizes, options.limit)
    return []


def efforts(options: argparse.Namespace) -> list[Row]:
    """Print the makespans of each effort (the benchmark placement_efforts.py)."""
    table(jobs=options.jobs)
    return []


SECTIONS: dict[str, Callable[[argparse.Namespace], list[Row]]] = {
    "transformers": transformers,
    "networks": networks,
    "scale": growing,
    "efforts": efforts,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the requested sections (default: all); return 1 if a guarantee is violated, for example a bound."""
    options = arguments().parse_args(argv)
    start = perf_counter()
    rows: list[Row] = []
    for name in options.sections or SECTIONS:
        if name not in SECTIONS:
            raise ndpir.InputError(f"unknown section `{name}`; expected one or more of {', '.join(SECTIONS)}")
        rows += SECTIONS[name](options)
    if options.csv:
        write_csv(options.csv, rows)
    print(f"in all {perf_counter() - start:.0f} s with {options.jobs} process{'es' if options.jobs > 1 else ''}")
    return 1 if violations(rows) else 0


def folder(text: str) -> Path:
    """Parse the path of an existing folder."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"`{text}` is not a folder; create it first")
    return Path(text)


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"{', '.join(SECTIONS)} (default: all)")
    parser.add_argument(
        "--limit",
        type=float,
        default=LIMIT_S,
        metavar="S",
        help="time limit of `optimal`, s (0: its own limit on work)",
    )
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, metavar="N", help="sequence lengths, tokens")
    parser.add_argument("--sizes", type=int, nargs="+", default=GROWN, metavar="N", help="program sizes, kernels")
    parser.add_argument("--profile", nargs="+", default=(), metavar="FILE", help="measured costs for the transformers")
    parser.add_argument(
        "--measure",
        type=folder,
        metavar="FOLDER",
        help="measure the transformers on this computer with ndp-profile; results are kept in this folder",
    )
    parser.add_argument("--replay", action="store_true", help="apply every plan, and simulate the program")
    add_outputs(parser)
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ndpir.InputError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
