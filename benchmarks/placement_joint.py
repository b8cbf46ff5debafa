"""Places, cuts and pipelines decided together, beside deciding them one after another.

    python benchmarks/placement_joint.py [NAME …] [--jobs N] [--csv FILE]

NAME: an image network, a language model that decodes, or a program with branches (default: all). Each plan has the best
order of its tasks that is known: what differs is what was decided together.
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
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another package is called benchmarks too

from xdsl.dialects.builtin import ModuleOp

import ndpir
from benchmarks.image_networks.plans import ARTIFACT, FULL, MODELS
from benchmarks.image_networks.tables import shown
from benchmarks.placements.branches import PROGRAMS
from dialects.diagnostics import InputError, notes_to
from dialects.files import check_writable
from interp.figures import percent, time
from interp.program.entry import entry_of
from lowering.banks.templates import clock_for
from lowering.partition.certificate import certificate
from lowering.partition.joint.outcome import JointPlan, Subject
from lowering.partition.joint.policy import decided
from ndpir.cli.machines import attach_machine
from ndpir.cli.settings import apply, settings_of

IMAGES = ("efficientnet_b0", "mnasnet1_0", "mobilenet_v2", "resnet50", "vgg16")
DECODERS = ("gpt2_decode_kv255", "llama2_7b_decode_kv511_f16")
WAYS = ("whole ops", "placed, then cut", "cut, then placed", "best")
"""Ways to decide one after another, as lowering/partition/one_by_one.py calls them."""
AIM = ("pim.element=f16",)
"""AiM's units take f16 for bf16, as the files of 7B do."""
STRICT = 1e-6
"""By how much, relatively, a plan must end earlier to count as better."""


@dataclass(frozen=True)
class Case:
    """A case to plan: a network or program by name, on a machine with changes, after some passes."""

    name: str
    machine: str
    changes: tuple[str, ...] = ()
    passes: str = FULL.passes

    def module(self) -> ModuleOp:
        """The program in kernels, on its machine."""
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
    """Makespans of the plans of a case, in ns: `whole` ops, with cuts put in after (`placed`), cuts first (`cut`),
    `best`, and `joint`; `bound`: no plan ends earlier (0: none is known). `steps`: cuts and pipelines of the joint
    plan, of so many `regions` that were weighed; `seconds`: the processor's time for all of it."""

    name: str
    machine: str
    whole: float
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
        """The least that deciding one after another comes to."""
        return min(self.whole, self.placed, self.cut, self.best)

    @property
    def gain(self) -> float:
        """By which share of its time a program ends earlier for deciding together."""
        return 1 - self.joint / self.others


def planned(case: Case) -> Row:
    """Decide in all ways."""
    with notes_to(lambda message, place: None):
        module = case.module()
        function, clock = entry_of(module), clock_for(module)
        start = process_time()
        found = decided(Subject.of(function, clock))
        seconds = process_time() - start
        bound = certificate(function, clock)
    whole, placed, cut, best = (_least(found.others, way) for way in WAYS)
    if (outcome := found.outcome) is None:
        raise InputError(f"{case.name} on {case.machine}: memory holds no plan")
    steps = outcome.plan.cuts.steps if outcome.plan is not None else ()
    ends, bound_ns = outcome.ns, bound.ns if bound is not None else 0.0
    spans = whole, placed, cut, best, ends, bound_ns
    return Row(case.name, case.machine, *spans, len(steps), found.regions, seconds)


def _least(outcomes: Sequence[JointPlan], name: str) -> float:
    return min((outcome.ns for outcome in outcomes if outcome.name == name), default=float("inf"))


def table(cases: Sequence[Case] = CASES, jobs: int = 1) -> list[Row]:
    """Print a row a case, and how often deciding together is better."""
    rows: list[Row] = []
    with ProcessPoolExecutor(jobs) if jobs > 1 else nullcontext() as pool:
        for row in pool.map(planned, cases) if pool else map(planned, cases):
            rows.append(row)
            print(f"{len(rows)} of {len(cases)}: {row.name} on {row.machine}, {row.seconds:.0f} s", file=sys.stderr)
    ways = (*WAYS[:-1], "best's own space")  # its cuts and pipelines, without the other policies' plans
    header = ("network", "machine", *ways, "joint", "earlier by", "above any plan", "cuts", "seconds")
    lines = [
        (
            row.name,
            row.machine,
            *(time(ns) if ns < float("inf") else "" for ns in (row.whole, row.placed, row.cut, row.best)),
            time(row.joint),
            f"{100 * row.gain:.2f} %" if row.gain > STRICT else "",
            percent(row.joint / row.bound - 1) if row.bound else "",
            f"{row.steps} of {row.regions}",
            f"{row.seconds:.1f}",
        )
        for row in rows
    ]
    shown("places, cuts and pipelines decided together, and one after another", header, lines, left=(0, 1))
    better = [row for row in rows if row.gain > STRICT]
    worse = [row for row in rows if row.gain < -STRICT]
    most = max((row.gain for row in rows), default=0.0)
    print(
        f"together is earlier than the best of the others on {len(better)} of {len(rows)}, later on {len(worse)}; "
        f"at most by {100 * max(most, 0.0):.1f} %"
    )
    return rows


def main(words: Sequence[str] | None = None) -> int:
    """Plan and print; 1 where deciding together ends later than one after another."""
    said = arguments().parse_args(words)
    known = list(dict.fromkeys(case.name for case in CASES))
    for name in said.names:
        if name not in known:
            raise ndpir.InputError(f"there is no network `{name}`; there are {', '.join(known)}")
    if said.csv:
        check_writable(str(said.csv))  # before all the work, not after it
    rows = table([case for case in CASES if not said.names or case.name in said.names], said.jobs)
    if said.csv:
        with said.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, [*(each.name for each in fields(Row)), "gain"])
            writer.writeheader()
            writer.writerows(asdict(row) | {"gain": row.gain} for row in rows)
    return int(any(row.gain < -STRICT for row in rows))


def arguments() -> argparse.ArgumentParser:
    """The command line's options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="networks and programs (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes plan")
    parser.add_argument("--csv", type=Path, help="a file for the rows")
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ndpir.InputError as error:
        print(f"{error.place}: {error.message}" if error.place else error.message, file=sys.stderr)
        sys.exit(1)
