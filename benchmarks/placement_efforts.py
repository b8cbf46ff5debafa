"""The policy `optimal` with each effort: makespans, and the processor time of the search.

    python benchmarks/placement_efforts.py [NAME …] [--jobs N] [--csv FILE]

NAME: an image network, a language model in decode, or a program with branches (default: all).
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import process_time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another installed package may be called benchmarks

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import ndpir
from benchmarks.image_networks.plans import ARTIFACT, FULL, MODELS
from benchmarks.image_networks.tables import shown
from benchmarks.placements.branches import PROGRAMS
from dialects.diagnostics import notes_to
from dialects.files import check_writable
from interp.figures import percent, time
from interp.walk.entry import entry_of
from lowering.banks.templates import clock_for
from lowering.instance.options import EFFORTS
from lowering.partition.certificate import certificate
from lowering.place.place import PlacePass
from ndpir.compiler.settings import apply, settings_of
from ndpir.frontends.machines import attach_machine

IMAGES = ("efficientnet_b0", "mnasnet1_0", "mobilenet_v2", "resnet50", "vgg16")
DECODERS = ("gpt2_decode_kv255", "llama2_7b_decode_kv511_f16")
AIM = ("pim.element=f16",)
"""Changes of AiM's sheet: it computes in f16 instead of bf16, since the 7B models are in f16."""
STRICT = 1e-6
"""The least relative difference of makespans for which a plan counts as better than another."""


@dataclass(frozen=True)
class Case:
    """A network or program to plan, by its name; its machine, with changes of sheets; and the passes before
    planning."""

    name: str
    machine: str
    changes: tuple[str, ...] = ()
    passes: str = FULL.passes

    def module(self) -> ModuleOp:
        """Return the program as kernels on the case's machine."""
        text = PROGRAMS.get(self.name)
        module = ndpir.read(MODELS / f"{self.name}.onnx") if text is None else ndpir.parse(text)
        attach_machine(module, self.machine, None)
        apply(module, settings_of(self.changes))
        return ndpir.compile(module, self.passes)


CASES = (
    *(Case(name, FULL.machine) for name in IMAGES),
    *(Case(name, ARTIFACT.machine, (), ARTIFACT.passes) for name in IMAGES),
    *(Case(name, "a100-aim", AIM) for name in DECODERS),
    *(Case(name, "pimflow") for name in PROGRAMS),
    *(Case(name, "a100-aim", AIM) for name in PROGRAMS),
)


@dataclass(frozen=True)
class Row:
    """A case with each effort, from 1 to 3: the makespan in ns, and the seconds of processor time to place; `bound`:
    the lower bound with splits in ns (0: unknown)."""

    name: str
    machine: str
    ns: tuple[float, float, float]
    seconds: tuple[float, float, float]
    bound: float


def planned(case: Case) -> Row:
    """Place a case with each effort. Raises InputError if no plan fits into memory."""
    ends: list[float] = []
    seconds: list[float] = []
    with notes_to(lambda message, place: None):
        module = case.module()
        for effort in EFFORTS:
            trial = module.clone()
            start = process_time()
            PlacePass(effort=effort).apply(Context(), trial)
            seconds.append(process_time() - start)
            ends.append(ndpir.simulate(trial).makespan_ns)
        bound = certificate(entry_of(module), clock_for(module))
    (one, two, three), (first, second, third) = ends, seconds
    return Row(
        case.name, case.machine, (one, two, three), (first, second, third), bound.ns if bound is not None else 0.0
    )


def table(cases: Sequence[Case] = CASES, jobs: int = 1) -> list[Row]:
    """Print a row per case, and the number of cases that each further effort shortens."""
    rows: list[Row] = []
    with ProcessPoolExecutor(jobs) if jobs > 1 else nullcontext() as pool:
        for row in pool.map(planned, cases) if pool else map(planned, cases):
            rows.append(row)
            print(f"{len(rows)} of {len(cases)}: {row.name} on {row.machine}", file=sys.stderr)
    lines = [
        (
            row.name,
            row.machine,
            *map(time, row.ns),
            percent(row.ns[-1] / row.bound - 1) if row.bound else "",
            *(f"{seconds:.1f}" for seconds in row.seconds),
        )
        for row in rows
    ]
    efforts = [f"effort {effort}" for effort in EFFORTS]
    header = ("network", "machine", *efforts, "above bound", *(f"{effort}, s" for effort in efforts))
    shown("makespans of policy optimal, and seconds to place", header, lines, left=(0, 1))
    for more in (1, 2):
        gains = [1 - row.ns[more] / row.ns[more - 1] for row in rows]
        shorter = sum(gain > STRICT for gain in gains)
        print(
            f"{efforts[more]} is shorter in {shorter} of {len(rows)} cases, by up to {percent(max(gains, default=0))}"
        )
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Place the cases and print the table; return 1 if a plan with more effort ends later."""
    options = arguments().parse_args(argv)
    known = list(dict.fromkeys(case.name for case in CASES))
    for name in options.names:
        if name not in known:
            raise ndpir.InputError(f"unknown network `{name}`; expected one or more of {', '.join(known)}")
    if options.csv:
        check_writable(str(options.csv))  # fails before the planning, not after it
    rows = table([case for case in CASES if not options.names or case.name in options.names], options.jobs)
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("name", "machine", "ns 1", "ns 2", "ns 3", "s 1", "s 2", "s 3", "bound ns"))
            writer.writerows((row.name, row.machine, *row.ns, *row.seconds, row.bound) for row in rows)
    return int(any(row.ns[more] > row.ns[more - 1] * (1 + STRICT) for row in rows for more in (1, 2)))


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="networks and programs (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes that plan")
    parser.add_argument("--csv", type=Path, help="write all rows into this file")
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ndpir.InputError as error:
        print(f"{error.place}: {error.message}" if error.place else error.message, file=sys.stderr)
        sys.exit(1)
