"""Speed-ups of nine training steps by a GPU's near-data units, with each policy and in two accountings.

    python -m benchmarks xla_ndp FOLDER [MODEL …] [--composition] [--plans] [--sweep units bandwidth link] [--csv FILE]
    python -m benchmarks xla_ndp FOLDER [MODEL …] --verify
    python -m benchmarks xla_ndp --from FILE … [--document docs/xla-ndp.md]

FOLDER contains the steps, `MODEL.mlir`, as written by `python -m benchmarks.near_data.models.steps FOLDER` (with jax),
and steps at other batch sizes, `MODEL@N.mlir`, as written by its option `--batch N`. The baseline is the step on the
GPU alone, in its best fused form, with and without fused attention, with the step's element types, without the host's
dispatch; it is computed before any plan. The rules `pattern` and `xla-ndp` plan the step without fused attention, as
their authors' compiler does; ndpir's policy plans both forms, and the better plan counts. `--composition`: the time of
the GPU alone without fused attention by category, compared with published fractions. `--plans` (the default): the plans
of each policy. `--sweep`: plans for other numbers of units, or other bandwidths of the expander's memory or of the
link. `--verify`: each distinct near-data program of ndpir's plan is executed once, at full size, and its results are
compared with those of the group of ops from which it was made. `--csv FILE`: add all figures as rows to a file. `--from
FILE …`: print the tables of such files; `--document FILE`: write them into a document, each table after the comment
that names it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from time import process_time
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import ndpir
from benchmarks.near_data.composition import CATEGORIES, STORED, composition
from benchmarks.near_data.figures import MODELS, RULES, Figures, add_rows, best, read_rows, tables, write_document
from benchmarks.stablehlo.modules import FORWARD, LOW_PRECISION, as_program, error
from interp.kinds.clock import Clock
from interp.machine.composition import machine_ops
from interp.simulate.schedule.planning import idle_energy
from interp.simulate.schedule.routes import Copy
from interp.simulate.schedule.what_if import Outcome
from interp.walk.entry import entry_of
from interp.walk.inputs import seeded_inputs
from interp.walk.unchanged import unchanged
from interp.walk.work_key import key_of, ops_of
from lowering.alone.baseline import read_baseline
from lowering.alone.forms import forms
from lowering.banks.templates import clock_for
from lowering.graph.allowed_types import OWN
from lowering.instance.of_program import PlacementProblem
from lowering.instance.options import Accounting, Options
from lowering.instance.problem import Schedule
from lowering.optimise.overlap.policies import overlap_from
from lowering.optimise.overlap.timed import TransferModes
from lowering.optimise.policies import POLICIES
from ndpir.compiler.settings import apply, settings_of

MACHINE = "v100-ndpx"
ACCOUNTINGS: tuple[Accounting, ...] = "published", "full"
FORMS: Mapping[str, str] = {
    "plain": "inline,canonicalize,fuse,layout",
    "attention": "inline,canonicalize,fuse{attention=true},layout",
    "filters": "inline,canonicalize,fuse{without=conv_backward_weight},layout",
    "apart": "inline,canonicalize,fuse{without=conv_backward_weight,conv_backward_data},layout",
}
"""The passes for each fused form of a step, besides those whose kernels are grouped as is fastest on the GPU alone."""
PUBLISHED_LARGE = 1.413
"""The published speed-up of BERT-large: 1 / 0.7077, from a table stored in JueonPark/tracegen."""
SWEEPS: Mapping[str, tuple[str, Sequence[float]]] = {
    "units": ("ndp.units={}", (1, 2, 4, 8, 20)),
    "bandwidth": ("ndp.bandwidth={} GB/s", (225, 409.6, 900)),
    "link": ("expander_link.bandwidth={} GB/s", (0, 16, 60.5, 242)),
}
"""For each sweep a setting in the form of `--set` and its values, in increasing order, including the sheet's own value.
Bandwidth 0 of a link: no link."""


class Step:
    """A network's training step, imported, and fused in each form that differs from those before it."""

    def __init__(self, path: Path) -> None:
        start = process_time()
        self.name = path.stem
        read = ndpir.read(path)
        made = {form: ndpir.compile(read, passes) for form, passes in FORMS.items()}
        on_gpu = forms(ndpir.compile(read, "inline,canonicalize"), (OWN,), clock(), reuse=False)
        made |= {f"alone, {form.attention}": form.module for form in on_gpu}
        first = {str(module): form for form, module in reversed(made.items())}
        self.forms = {form: module for form, module in made.items() if form in first.values()}
        self.seconds = process_time() - start
        """Processor time of import and fusion, s."""

    @property
    def module(self) -> ModuleOp:
        """The step without fused attention."""
        return self.forms["plain"]

    def problem(self, at: Clock, form: str) -> Posed:
        """Return the placement problem of a form on a clock's machine."""
        start = process_time()
        return Posed(form, PlacementProblem(entry_of(self.forms[form]), at, Options()), process_time() - start)

    @cached_property
    def recorded(self) -> Outcome:
        """Time and energy of the GPU alone as the pass `place` records them."""
        placed = ndpir.compile(self.module, "place{policy=gpu}", machine=MACHINE)
        recorded = read_baseline(entry_of(placed), clock_for(placed))
        assert recorded is not None
        return Outcome(recorded.ns, recorded.nj, recorded.board_nj)

    def alone(self, posed: Sequence[Posed]) -> Outcome:
        """Return time and energy of the GPU alone: the shortest of its serial executions of each form, and of the
        baseline that the pass `place` records."""
        found = [self.recorded]
        for each in posed:
            primary = each.problem.on_primary()
            assert primary is not None
            schedule = Schedule(primary)
            found.append(outcome(each.problem, schedule, each.problem.ends(schedule), "full")[0])
        return min(found, key=lambda each: each.ns)


class Posed(NamedTuple):
    """The placement problem of a form of a step, and the processor time of its construction, s."""

    form: str
    problem: PlacementProblem
    seconds: float


def clock(*settings: str) -> Clock:
    """Return the clock of the machine with changed fields of its sheets."""
    hardware = ModuleOp(machine_ops(MACHINE))
    apply(hardware, settings_of(settings))
    return clock_for(hardware)


def planned(
    name: str,
    posed: Posed,
    alone: Outcome,
    policy: str,
    accounting: Accounting,
    decided: Callable[[PlacementProblem], Schedule] | None = None,
) -> tuple[Figures, Schedule]:
    """Return a policy's decision for one accounting, and its figures. `decided`: a function that decides instead of the
    policy."""
    form, problem, seconds = posed
    start = process_time()
    problem.options = Options(accounting=accounting)
    schedule = decided(problem) if decided is not None else Schedule.of(POLICIES[policy](problem))
    seconds += process_time() - start
    published = schedule.published
    assert published is not None
    full = problem.ends(schedule)
    bound = schedule.bound.ns if schedule.bound is not None else 0.0
    ns, bound = (published.ns, published.bound) if accounting == "published" else (full, bound)
    energy, _ = outcome(problem, schedule, ns, accounting)
    _, moved = outcome(problem, schedule, full, "full")
    joules = (energy.nj * 1e-9, energy.board_nj * 1e-9, alone.nj * 1e-9, alone.board_nj * 1e-9)
    figures = Figures(name, "", "", policy, accounting, form, alone.ns, ns, bound, *joules, moved, seconds)
    return figures, schedule


def outcome(problem: PlacementProblem, schedule: Schedule, ns: float, accounting: Accounting) -> tuple[Outcome, int]:
    """Return time and energy of a schedule in an accounting in which it takes `ns`, and the number of bytes that it
    copies; copies count in the full accounting only."""
    clock, moved = problem.clock, 0
    machine = clock.machine
    nj, board = 0.0, 0.0
    busy = dict.fromkeys(machine.devices, 0.0)
    for _, step in problem.walk(schedule.placement, schedule.input_devices):
        if isinstance(step, Copy):
            cost = clock.copy_cost(problem.sizes[step.value], step.source, step.target)
            moved += cost.bytes
            if accounting == "published":
                continue
        else:
            cost = step.cost
            busy[step.device] += cost.ns
        nj += cost.energy_nj
        board += cost.board_nj
    nj += sum(device.idle_w for device in machine.devices.values()) * ns
    board += sum(idle_energy(clock, name, ns, busy[name]) for name in machine.devices)
    return Outcome(ns, nj, board), moved


def policies(step: Step, at: Clock, accountings: Sequence[Accounting]) -> list[Figures]:
    """Return figures of each policy in the given accountings. The published rules plan the step without fused
    attention; ndpir's policy plans each form."""
    posed = [step.problem(at, form) for form in step.forms]
    alone = step.alone(posed)
    found: list[Figures] = []
    for accounting in accountings:
        for policy in RULES:
            some = posed if policy == "overlap" else posed[:1]
            found.append(best(planned(step.name, each, alone, policy, accounting)[0] for each in some))
    return found


def table(figures: Sequence[Figures]) -> Table:
    """Return a table with a row for each of the given figures."""
    made = Table(
        *("model", "policy", "accounting", "form", "GPU alone", "plan", "speed-up", "gap", "energy", "of boards"),
        *("over the link", "planned in"),
    )
    for each in figures:
        made.add_row(
            each.model,
            each.policy,
            each.accounting,
            each.form,
            f"{each.alone / 1e6:.2f} ms",
            f"{each.ns / 1e6:.2f} ms",
            f"{each.speedup:.3f}x",
            f"{each.gap * 100:.1f} %" if each.bound else "",
            f"{each.joules / each.alone_joules:.2f}x",
            f"{each.board / each.alone_board:.2f}x",
            f"{each.moved / 1e6:.0f} MB",
            f"{each.seconds:.1f} s",
        )
    return made


SWEPT = "xla-ndp", "overlap"
"""The policies in the tables of sweeps."""


def swept(step: Step, sweep: str, accountings: Sequence[Accounting]) -> list[Figures]:
    """Return the figures of a sweep.

    ndpir's search also starts from the plans for the previous value, so that a better machine does not get a worse
    plan.
    """
    near = dict[tuple[str, Accounting], TransferModes]()
    found: list[Figures] = []
    setting, values = SWEEPS[sweep]
    for value in values:
        at = clock(setting.format(value))
        posed = [step.problem(at, form) for form in step.forms]
        alone = step.alone(posed)
        row: list[Figures] = []
        for accounting in accountings:
            for policy in SWEPT:
                some = posed if policy == "overlap" else posed[:1]
                plans: list[Figures] = []
                for each in some:
                    key = each.form, accounting

                    def ours(problem: PlacementProblem, key: tuple[str, Accounting] = key) -> Schedule:
                        schedule, near[key] = overlap_from(problem, [near[key]] if key in near else [])
                        return schedule

                    decided = ours if policy == "overlap" else None
                    plans.append(planned(step.name, each, alone, policy, accounting, decided)[0])
                row.append(best(plans)._replace(sweep=sweep, value=f"{value:g}"))
        found += row
        print(step.name, sweep, f"{value:g}", *(f"{each.speedup:.3f}x" for each in row), flush=True)
    return found


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
    posed, nothing = step.problem(clock(), "plain"), Outcome(1.0, 1.0, 1.0)
    problem, (_, schedule) = posed.problem, planned(step.name, posed, nothing, "overlap", "published")
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
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER", help="folder of steps, MODEL.mlir")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"{', '.join(MODELS)} (default: all)")
    parser.add_argument("--composition", action="store_true", help="print the GPU's time by category")
    parser.add_argument("--plans", action="store_true", help="print each policy in both accountings (default)")
    parser.add_argument("--accounting", choices=ACCOUNTINGS, help="use only this accounting")
    parser.add_argument(
        "--sweep", choices=SWEEPS, nargs="+", default=[], help="vary one of these fields of the machine"
    )
    parser.add_argument("--verify", action="store_true", help="run each distinct near-data program at full size")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="add all figures as rows to this file")
    parser.add_argument("--from", type=Path, nargs="+", metavar="FILE", dest="rows", help="print tables of these rows")
    parser.add_argument("--document", type=Path, metavar="FILE", help="write these tables into this document")
    given = parser.parse_args(arguments)
    if given.rows:
        _show(tables(read_rows(given.rows)), given.document)
        return
    if given.folder is None:
        parser.error("give the folder of the steps, or files of figures (--from)")
    names = given.models or MODELS
    if missing := [name for name in names if not given.folder.joinpath(f"{name}.mlir").exists()]:
        how = f"python -m benchmarks.near_data.models.steps {given.folder} (needs jax)"
        sys.exit(f"{given.folder} has no {missing[0]}.mlir; write the steps with: {how}")
    console, at = Console(width=190), clock()
    accountings: list[Accounting] = [each for each in ACCOUNTINGS if given.accounting in (None, each)]
    rows, right = list[tuple[str, ...]](), True
    for name in names:
        step, figures = Step(given.folder / f"{name}.mlir"), list[Figures]()
        with unchanged():
            if given.composition:
                rows.append(composition_row(step, at))
            if given.plans or not (given.composition or given.sweep or given.verify):
                figures = policies(step, at, accountings)
                console.print(table(figures))
            for sweep in given.sweep:
                figures += swept(step, sweep, accountings)
            if given.verify:
                right &= verify(step)
        if given.csv is not None and figures:
            add_rows(given.csv, figures)
    if rows:
        console.print(composition_table(rows))
    sys.exit(not right)


def _show(found: Mapping[str, str], document: Path | None) -> None:
    """Print tables, or write them into a document."""
    if document is None:
        print("\n".join(f"{name}\n\n{text}" for name, text in found.items()))
    elif missing := write_document(document, found):
        print(f"{document} has no place for: {', '.join(missing)} (a line `<!-- xla_ndp: NAME -->`)", file=sys.stderr)


if __name__ == "__main__":
    main()
