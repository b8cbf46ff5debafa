"""Joint decision of placement, splits and pipelines, compared with decisions made one after another.

    python benchmarks/placement_joint.py [NAME …] [--jobs N] [--csv FILE]

NAME: an image network, a language model in decode, or a program with branches (default: all). The tasks of each plan
are in the best order known, so that the plans differ only by the decisions.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from time import process_time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another installed package may be called benchmarks

from xdsl.dialects.builtin import ModuleOp

import ndpir
from benchmarks.image_networks.plans import ARTIFACT, FULL, MODELS
from benchmarks.image_networks.tables import shown
from benchmarks.placements.branches import PROGRAMS
from dialects.diagnostics import InputError, notes_to
from dialects.files import check_writable
from interp.figures import percent, time
from interp.walk.entry import entry_of
from lowering.banks.templates import clock_for
from lowering.partition.certificate import certificate
from lowering.partition.search.outcome import JointPlan, Subject
from lowering.partition.search.together import decided
from ndpir.compiler.settings import apply, settings_of
from ndpir.frontends.machines import attach_machine

IMAGES = ("efficientnet_b0", "mnasnet1_0", "mobilenet_v2", "resnet50", "vgg16")
DECODERS = ("gpt2_decode_kv255", "llama2_7b_decode_kv511_f16")
WAYS = ("whole ops", "placed, then cut", "cut, then placed", "best")
"""The policies that decide splits and placement one after another (lowering/partition/joint/one_by_one.py)."""
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
    """Makespans of the plans of a case, ns.

    Plans: unsplit ops (`unsplit`), placement and then splits (`placed`), splits and then placement (`cut`), policy
    `best`, and the joint decision (`joint`); `bound`: the lower bound with splits (0: unknown). `steps`: the number of
    splits and pipelines in the joint plan, out of `regions` candidates; `seconds`: processor time of all plans.
    """

    name: str
    machine: str
    unsplit: float
    placed: float
    cut: float
    best: float
    joint: float
    bound: float
    steps: int
    regions: int
    seconds: float

    @property
    def others(self) -> float:
        """Return the least makespan of the plans whose decisions were made one after another, ns."""
        return min(self.unsplit, self.placed, self.cut, self.best)

    @property
    def gain(self) -> float:
        """Return the reduction of the makespan by the joint decision, relative to the best of the other plans."""
        return 1 - self.joint / self.others


def planned(case: Case) -> Row:
    """Plan a case, with decisions made one after another and jointly. Raises InputError if no plan fits into memory."""
    with notes_to(lambda message, place: None):
        module = case.module()
        function, clock = entry_of(module), clock_for(module)
        start = process_time()
        found = decided(Subject.of(function, clock))
        seconds = process_time() - start
        bound = certificate(function, clock)
    unsplit, placed, cut, best = (_least(found.others, way) for way in WAYS)
    if (outcome := found.outcome) is None:
        raise InputError(f"{case.name} on {case.machine}: no plan fits into memory")
    steps = outcome.plan.cuts.steps if outcome.plan is not None else ()
    ends, bound_ns = outcome.ns, bound.ns if bound is not None else 0.0
    spans = unsplit, placed, cut, best, ends, bound_ns
    return Row(case.name, case.machine, *spans, len(steps), found.regions, seconds)


def _least(outcomes: Sequence[JointPlan], name: str) -> float:
    return min((outcome.ns for outcome in outcomes if outcome.name == name), default=float("inf"))


def table(cases: Sequence[Case] = CASES, jobs: int = 1) -> list[Row]:
    """Print a row per case, and the number of cases in which the joint decision is better."""
    rows: list[Row] = []
    with ProcessPoolExecutor(jobs) if jobs > 1 else nullcontext() as pool:
        for row in pool.map(planned, cases) if pool else map(planned, cases):
            rows.append(row)
            print(f"{len(rows)} of {len(cases)}: {row.name} on {row.machine}, {row.seconds:.0f} s", file=sys.stderr)
    ways = (*WAYS[:-1], "best's own space")  # splits and pipelines of `best`, without the other policies' plans
    header = ("network", "machine", *ways, "joint", "earlier by", "above bound", "splits", "seconds")
    lines = [
        (
            row.name,
            row.machine,
            *(time(ns) if ns < float("inf") else "" for ns in (row.unsplit, row.placed, row.cut, row.best)),
            time(row.joint),
            f"{100 * row.gain:.2f} %" if row.gain > STRICT else "",
            percent(row.joint / row.bound - 1) if row.bound else "",
            f"{row.steps} of {row.regions}",
            f"{row.seconds:.1f}",
        )
        for row in rows
    ]
    shown("placement, splits and pipelines decided jointly, and in sequence", header, lines, left=(0, 1))
    better = [row for row in rows if row.gain > STRICT]
    worse = [row for row in rows if row.gain < -STRICT]
    most = max((row.gain for row in rows), default=0.0)
    print(
        f"the joint plan is earlier than the best other plan on {len(better)} of {len(rows)}, later on {len(worse)}; "
        f"at most by {100 * max(most, 0.0):.1f} %"
    )
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Plan the cases and print the table; return 1 if a joint plan ends later than a plan whose decisions were made one
    after another."""
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
            writer = csv.DictWriter(file, [*(each.name for each in fields(Row)), "gain"])
            writer.writeheader()
            writer.writerows(asdict(row) | {"gain": row.gain} for row in rows)
    return int(any(row.gain < -STRICT for row in rows))


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
