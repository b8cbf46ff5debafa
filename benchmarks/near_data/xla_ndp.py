"""Speed-ups of nine training steps by a GPU's near-data units, with each policy and in two accountings.

    python -m benchmarks xla_ndp FOLDER [MODEL …] [--composition] [--plans] [--sweep units link] [--verify] [--csv FILE]

FOLDER contains the steps, `MODEL.mlir`, as written by `python -m benchmarks.near_data.models.steps FOLDER` (with jax),
and steps at other batch sizes, `MODEL@N.mlir`, as written by its option `--batch N`. The baseline is the fused step on
the GPU alone, with the step's element types, without the host's dispatch. `--composition`: the baseline's time by
category, compared with published fractions. `--plans` (the default): the plans of each policy. `--sweep`: plans for
other numbers of units, or other bandwidths of the link. `--verify`: each distinct near-data program of ndpir's plan is
executed once, at full size, and its results are compared with those of the group of ops from which it was made. `--csv
FILE`: write all figures as rows.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import geometric_mean
from time import process_time
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import ndpir
from benchmarks.near_data.composition import CATEGORIES, STORED, composition
from benchmarks.stablehlo.modules import FORWARD, LOW_PRECISION, as_program, error
from interp.cost.clock import Clock
from interp.machine.composition import machine_ops
from interp.program.entry import entry_of
from interp.program.inputs import seeded_inputs
from interp.program.unchanged import unchanged
from interp.program.work_key import key_of, ops_of
from interp.schedule.jobs import above
from interp.schedule.routes import Copy
from lowering.banks.templates import clock_for
from lowering.placement.of_program import PlacementProblem
from lowering.placement.overlap.policies import overlap_from
from lowering.placement.overlap.timed import TransferModes
from lowering.placement.policies import POLICIES
from lowering.placement.problem import Accounting, Options, Schedule
from ndpir.cli.settings import apply, settings_of
from ndpir.near_data.answers import PICOSECONDS

BARS = "bert_large", "bert_base", "gpt2", "resnet18", "resnet50", "mobilenetv2"
MODELS = *BARS, "dlrm", "lstm", "ncf"
MACHINE = "v100-ndpx"
RULES = "pattern", "xla-ndp", "overlap"
ACCOUNTINGS: tuple[Accounting, ...] = "published", "full"
PUBLISHED_LARGE = 1.413
"""The published speed-up of BERT-large: 1 / 0.7077, from a table stored in JueonPark/tracegen."""
SWEEPS: Mapping[str, Sequence[str]] = {
    "units": [f"ndp.units={units}" for units in (1, 2, 3, 4, 6, 8, 12, 20)],
    "link": [f"expander_link.bandwidth={speed}" for speed in (0, 8, 16, 32, 60.5, 121, 242, 484)],
}
"""Settings of each sweep in the form of `--set`, in increasing order, including the sheet's own value; bandwidths in
GB/s. Bandwidth 0: no link."""


class Figures(NamedTuple):
    """Figures of one plan.

    `ns`, `alone`, `bound`: the time of the plan, the time of the GPU alone, and the lower bound on all plans (0:
    unknown), in the plan's accounting; `joules`, `alone_joules`: energy of the timeline by component; `moved`: bytes
    over the link; `seconds`: processor time of planning.
    """

    model: str
    policy: str
    accounting: Accounting
    split: bool
    alone: float
    ns: float
    bound: float
    joules: float
    alone_joules: float
    moved: int
    seconds: float

    @property
    def speedup(self) -> float:
        return self.alone / self.ns

    @property
    def gap(self) -> float:
        """Return the plan's time divided by the bound, minus 1; nan without a bound."""
        return above(self.ns, self.bound, "any plan", PICOSECONDS) if self.bound else float("nan")


class Step:
    """A network's training step, imported and fused for the GPU alone."""

    def __init__(self, path: Path) -> None:
        start = process_time()
        self.name = path.stem
        self.module = ndpir.compile(ndpir.read(path), "inline,canonicalize,fuse,layout")
        self.seconds = process_time() - start
        """Processor time of import and fusion, s."""

    def problem(self, at: Clock, split: bool = False) -> tuple[PlacementProblem, float]:
        """Return the step's placement problem on a clock's machine, and the processor time of its construction, s."""
        start = process_time()
        return PlacementProblem(entry_of(self.module), at, Options(split=split)), process_time() - start


def clock(*settings: str) -> Clock:
    """Return the clock of the machine with changed fields of its sheets."""
    hardware = ModuleOp(machine_ops(MACHINE))
    apply(hardware, settings_of(settings))
    return clock_for(hardware)


def planned(
    name: str,
    posed: tuple[PlacementProblem, float],
    policy: str,
    accounting: Accounting,
    decided: Callable[[PlacementProblem], Schedule] | None = None,
) -> tuple[Figures, Schedule]:
    """Return a policy's decision for one accounting, and its figures.

    `posed`: the placement problem, and the seconds of its construction. `decided`: a function that decides instead of
    the policy.
    """
    problem, seconds = posed
    start = process_time()
    split = problem.options.split
    problem.options = Options(split=split, accounting=accounting)
    schedule = decided(problem) if decided is not None else Schedule.of(POLICIES[policy](problem))
    seconds += process_time() - start
    published = schedule.published
    assert published is not None
    primary = problem.on_primary()
    assert primary is not None
    full, alone = problem.ends(schedule), problem.ends(Schedule(primary))
    joules, moved = energy(problem, schedule, full)
    alone_joules, _ = energy(problem, Schedule(primary), alone)
    bound = schedule.bound.ns if schedule.bound is not None else 0.0
    times = (published.alone, published.ns, published.bound) if accounting == "published" else (alone, full, bound)
    return Figures(name, policy, accounting, split, *times, joules, alone_joules, moved, seconds), schedule


def energy(problem: PlacementProblem, schedule: Schedule, ns: float) -> tuple[float, int]:
    """Return the energy of a schedule by component, with idle power, in J; and the number of bytes that it copies."""
    machine = problem.clock.machine
    total, moved = sum(device.idle_w for device in machine.devices.values()) * ns, 0
    for _, step in problem.walk(schedule.placement, schedule.input_devices):
        if isinstance(step, Copy):
            nbytes = problem.sizes[step.value]
            moved += nbytes
            total += problem.clock.copy_cost(nbytes, step.source, step.target).energy_nj
        else:
            total += step.cost.energy_nj
    return total * 1e-9, moved


def policies(step: Step, at: Clock, accountings: Sequence[Accounting]) -> list[Figures]:
    """Return figures of each policy in the given accountings, and of ndpir's policy with split kernels in the published
    accounting."""
    posed = step.problem(at)
    found = [planned(step.name, posed, policy, accounting)[0] for accounting in accountings for policy in RULES]
    if "published" in accountings:
        found.append(planned(step.name, step.problem(at, split=True), "overlap", "published")[0])
    return found


def table(figures: Sequence[Figures]) -> Table:
    """Return a table with a row for each of the given figures."""
    made = Table(
        "model", "policy", "accounting", "GPU alone", "plan", "speed-up", "gap", "energy", "over the link", "planned in"
    )
    for each in figures:
        made.add_row(
            each.model,
            each.policy + (", split" if each.split else ""),
            each.accounting,
            f"{each.alone / 1e6:.2f} ms",
            f"{each.ns / 1e6:.2f} ms",
            f"{each.speedup:.3f}x",
            f"{each.gap * 100:.1f} %" if each.bound else "",
            f"{each.joules / each.alone_joules:.2f}x",
            f"{each.moved / 1e6:.0f} MB",
            f"{each.seconds:.1f} s",
        )
    return made


def means(figures: Sequence[Figures]) -> Table:
    """Return a table with a row for each policy and accounting, and four columns of speed-ups: the geometric mean over
    all models, the geometric mean over the first six models, the largest of these six, and the smallest of all."""
    made = Table("policy", "accounting", "all", "first six", "best of six", "worst of all")
    kinds = dict.fromkeys((each.policy, each.split, each.accounting) for each in figures)
    for policy, split, accounting in kinds:
        of = {f.model: f.speedup for f in figures if (f.policy, f.split, f.accounting) == (policy, split, accounting)}
        six = [of[name] for name in BARS if name in of]
        made.add_row(
            policy + (", split" if split else ""),
            accounting,
            f"{geometric_mean(of.values()):.3f}x",
            f"{geometric_mean(six):.3f}x" if six else "",
            f"{max(six):.3f}x" if six else "",
            f"{min(of.values()):.3f}x",
        )
    return made


SWEPT = "xla-ndp", "overlap"
"""The policies in the tables of sweeps."""


def swept(step: Step, settings: Sequence[str], accountings: Sequence[Accounting]) -> list[list[Figures]]:
    """Return the figures of a sweep, in a row for each value of a sheet's field.

    ndpir's search also starts from the plans for the previous values, so that a better machine does not get a worse
    plan.
    """
    near: dict[Accounting, list[TransferModes]] = {each: [] for each in accountings}
    found: list[list[Figures]] = []
    for setting in settings:
        posed, name = step.problem(clock(setting)), f"{step.name} {setting}"
        row: list[Figures] = []
        for accounting in accountings:
            known = near[accounting]

            def ours(problem: PlacementProblem, known: list[TransferModes] = known) -> Schedule:
                schedule, ways = overlap_from(problem, known[-1:])
                known.append(ways)
                return schedule

            for policy in SWEPT:
                decided = ours if policy == "overlap" else None
                row.append(planned(name, posed, policy, accounting, decided)[0])
        found.append(row)
        print(name, *(f"{each.speedup:.3f}x" for each in row), flush=True)
    return found


def sweep_table(settings: Sequence[str], found: Mapping[str, Sequence[Sequence[Figures]]]) -> Table:
    """Return a table of speed-ups by the changed field's value, with a column per model."""
    first = next(iter(found.values()))[0]
    shown = ", ".join(f"{each.policy} ({each.accounting})" for each in first)
    made = Table(settings[0].partition("=")[0], *found, title=f"speed-up: {shown}")
    for row, setting in enumerate(settings):
        cells = [" ".join(f"{each.speedup:.2f}" for each in rows[row]) for rows in found.values()]
        made.add_row(setting.partition("=")[2], *cells)
    return made


def composition_row(step: Step, at: Clock) -> tuple[str, ...]:
    """Return a row of the table of compositions: a step's time on the GPU alone, by category."""
    found = composition(entry_of(step.module), at)
    parts = [*(found.ns[each] for each in CATEGORIES), found.random, found.cast]
    fractions = (f"{part / found.total * 100:.1f} %" for part in parts)
    return step.name, f"{found.total / 1e6:.2f} ms", *fractions, f"{step.seconds:.0f} s"


def composition_table(rows: Iterable[Sequence[str]]) -> Table:
    """Return a table of the compositions of all steps, and of the published compositions."""
    made = Table("model", "GPU alone", *CATEGORIES, "random numbers", "casts of masters", "read and fused in")
    for row in rows:
        made.add_row(*row)
        if (stored := STORED.get(row[0])) is not None:
            fractions = (f"{stored[each] * 100:.1f} %" if each in stored else "" for each in CATEGORIES)
            made.add_row("  published", "", *fractions)
    return made


def verify(step: Step) -> bool:
    """Compare the results of each distinct program in ndpir's plan with those of its group of ops, at full size; return
    True if all agree."""
    problem, seconds = step.problem(clock())
    _, schedule = planned(step.name, (problem, seconds), "overlap", "published")
    chosen = zip(problem.nodes, schedule.placement, strict=True)
    offloaded = {
        key_of(node.graph_op): node.graph_op
        for node, choice in chosen
        if choice.device != problem.primary and not node.view
    }
    wrong, worst = 0, 0.0
    for kernel in offloaded.values():
        program = as_program(kernel)
        inputs = seeded_inputs(entry_of(program), 0)
        placed = ndpir.compile(program, "place{policy=pim-first},to-ndp,forward-stores,number-values", machine=MACHINE)
        found = error(ndpir.run(placed, inputs), ndpir.run(program, inputs))
        if found > (LOW_PRECISION if _rounds(kernel) else FORWARD):
            print(f"  {found:.1e} {ops_of(kernel)}", flush=True)
            wrong += 1
        worst = max(worst, found)
    print(f"{step.name}: {len(offloaded)} distinct programs, {wrong} wrong, worst difference {worst:.1e}", flush=True)
    return not wrong


def _rounds(kernel: Operation) -> bool:
    """Return True if a result of an op, or of an op inside of a group, has a 16-bit type.

    Results that differ in their last digits before they are rounded to 16 bits may differ by one 16-bit rounding step
    afterwards, and so may the results of later ops of any type.
    """
    return any("f16" in str(value.type) for op in kernel.walk() for value in op.results)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of steps, MODEL.mlir")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"{', '.join(MODELS)} (default: all)")
    parser.add_argument("--composition", action="store_true", help="print the GPU's time by category")
    parser.add_argument("--plans", action="store_true", help="print each policy in both accountings (default)")
    parser.add_argument("--accounting", choices=ACCOUNTINGS, help="use only this accounting")
    parser.add_argument(
        "--sweep", choices=SWEEPS, nargs="+", default=[], help="vary the number of units, or the link's bandwidth"
    )
    parser.add_argument("--verify", action="store_true", help="run each distinct near-data program at full size")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all figures as rows into this file")
    given = parser.parse_args(arguments)
    names = given.models or MODELS
    if missing := [name for name in names if not given.folder.joinpath(f"{name}.mlir").exists()]:
        how = f"python -m benchmarks.near_data.models.steps {given.folder} (needs jax)"
        sys.exit(f"{given.folder} has no {missing[0]}.mlir; write the steps with: {how}")
    console, at = Console(width=170), clock()
    accountings: list[Accounting] = [each for each in ACCOUNTINGS if given.accounting in (None, each)]
    figures, rows, right = list[Figures](), list[tuple[str, ...]](), True
    sweeps: dict[str, dict[str, list[list[Figures]]]] = {name: {} for name in given.sweep}
    for name in names:
        step = Step(given.folder / f"{name}.mlir")
        with unchanged():
            if given.composition:
                rows.append(composition_row(step, at))
            if given.plans or not (given.composition or given.sweep or given.verify):
                console.print(table(found := policies(step, at, accountings)))
                figures += found
            for field, by_model in sweeps.items():
                by_model[name] = swept(step, SWEEPS[field], accountings)
                console.print(sweep_table(SWEEPS[field], {name: by_model[name]}))
            if given.verify:
                right &= verify(step)
    if rows:
        console.print(composition_table(rows))
    if figures:
        console.print(means(figures))
    for by_model in sweeps.values():
        figures += [each for rows in by_model.values() for row in rows for each in row]
    if given.csv:
        with given.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(Figures._fields)
            writer.writerows(figures)
    sys.exit(not right)


if __name__ == "__main__":
    main()
