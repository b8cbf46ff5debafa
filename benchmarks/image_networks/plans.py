"""One network planned in one way on one machine, lowered and timed: what the tables of pimflow.py and pimflow_sweep.py
are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, process_time

from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import notes_to
from interp.program.entry import entry_of
from interp.schedule.simulation import simulate
from lowering.banks.templates import clock_for
from lowering.partition.pimflow.search import MODES, plan_pimflow
from lowering.placement.baseline import baseline_of, read_baseline, unpartitioned_clock
from lowering.placement.of_program import PlacementProblem
from ndpir.cli.machines import attach_machine
from ndpir.cli.settings import apply, settings_of

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"


@dataclass(frozen=True)
class Accounting:
    """An accounting. `plus`: the same machine with the PIM of PIMFlow's baseline Newton+. `lowered`: whether its PIM
    is given bank commands that compute all; those of the published generator drop work and have times alone."""

    name: str
    machine: str
    plus: str
    passes: str
    lowered: bool


ARTIFACT = Accounting(
    "artifact", "pimflow-artifact", "pimflow-artifact-plus", "canonicalize,fuse{residual=false},reduce-precision", False
)
FULL = Accounting("full", "pimflow", "pimflow-plus", "canonicalize,fuse,reduce-precision", True)
ACCOUNTINGS = {each.name: each for each in (ARTIFACT, FULL)}


@dataclass(frozen=True)
class Way:
    """A row of a table: how `place` is asked. `mode`: PIMFlow's, where it is one; `plus`: on the PIM of Newton+."""

    name: str
    place: str
    mode: str | None = None
    plus: bool = False


WAYS = {
    way.name: way
    for way in (
        Way("whole ops", "place{policy=cost}"),
        Way("newton+", "place{policy=pimflow mode=newton}", "newton", plus=True),
        Way("newton++", "place{policy=pimflow mode=newton}", "newton"),
        *(Way(mode, f"place{{policy=pimflow mode={mode}}}", mode) for mode in ("pipeline", "mddp", "pimflow")),
        Way("best", "place{policy=best},order"),
    )
}
BASELINE = "baseline"


@dataclass(frozen=True)
class PlanJob:
    """A case to plan: a network, in an accounting or on a machine beside it, in a way. `changes`: values of sheets, as
    after `--set`. `published`: whether to add up PIMFlow's own costs too."""

    model: str
    accounting: Accounting
    way: Way
    machine: str = ""
    changes: tuple[str, ...] = ()
    published: bool = False

    @property
    def on(self) -> str:
        """The machine."""
        return self.machine or (self.accounting.plus if self.way.plus else self.accounting.machine)


@dataclass(frozen=True)
class Row:
    """The result. Times in ns, energies in nJ, of the plan and of the whole GPU alone (`base_…`); `seconds`: what
    planning took, and all from the model's file to the timeline; `cpu_seconds`: the processor's time of the latter.

    `layers_ns`, `sum_ns`: PIMFlow's own sums over convolutions and over all (0: not asked for).
    """

    model: str
    machine: str
    accounting: str
    way: str
    ns: float
    base_ns: float
    nj: float
    base_nj: float
    board_nj: float
    base_board_nj: float
    metered: bool
    pim_share: float
    bound_ns: float
    any_plan_ns: float
    plan_seconds: float = 0.0
    all_seconds: float = 0.0
    cpu_seconds: float = 0.0
    layers_ns: float = 0.0
    base_layers_ns: float = 0.0
    sum_ns: float = 0.0

    @property
    def speedup(self) -> float:
        return self.base_ns / self.ns

    @property
    def energy_ratio(self) -> float:
        return self.nj / self.base_nj

    @property
    def board_ratio(self) -> float:
        return self.board_nj / self.base_board_nj

    @property
    def gap(self) -> float:
        """Makespan divided by the timeline's own bound, minus 1."""
        return self.ns / self.bound_ns - 1

    @property
    def baseline(self) -> Row:
        """The row of the GPU alone, with all of its memory channels."""
        return replace(
            self,
            way=BASELINE,
            ns=self.base_ns,
            nj=self.base_nj,
            board_nj=self.base_board_nj,
            pim_share=0.0,
            bound_ns=self.base_ns,
            any_plan_ns=0.0,
            plan_seconds=0.0,
            all_seconds=0.0,
            cpu_seconds=0.0,
            layers_ns=self.base_layers_ns,
            sum_ns=self.base_ns if self.sum_ns else 0.0,
        )


def prepared(job: PlanJob) -> ModuleOp:
    """A network in kernels, on the job's machine."""
    module = ndpir.read(MODELS / f"{job.model}.onnx")
    attach_machine(module, job.on, None)
    apply(module, settings_of(job.changes))
    return ndpir.compile(module, job.accounting.passes)


def lowered(job: PlanJob, placed: ModuleOp) -> ModuleOp:
    """A placed network as far down as its machine goes."""
    return ndpir.compile(placed, "to-pim") if job.accounting.lowered else placed


def planned(job: PlanJob) -> Row:
    """Plan, lower and time. Raises InputError where that can't be done."""
    start, worked = perf_counter(), process_time()
    network = prepared(job)
    before = perf_counter()
    problem = PlacementProblem(entry_of(network), clock_for(network))
    # Of these kernels, and not of the host's best ones: PIMFlow has sums with shortcuts as kernels of their own.
    baseline = baseline_of(problem)
    problem.drop()
    if baseline is None:
        raise ndpir.InputError(f"{job.model} can't run on the GPU of {job.on} alone: there is nothing to compare with")
    placed = ndpir.compile(network, job.way.place)
    after = perf_counter()
    program = lowered(job, placed)
    clock = clock_for(program)
    timeline = simulate(program, clock)
    end = perf_counter()
    noted = read_baseline(entry_of(program), clock) or baseline
    flops = sum(noted.flops.values())
    row = Row(
        job.model,
        job.on,
        job.accounting.name,
        job.way.name,
        timeline.makespan_ns,
        baseline.ns,
        timeline.total_energy_nj,
        baseline.nj,
        timeline.board_nj,
        baseline.board_nj,
        timeline.metered,
        1 - noted.flops.get(clock.machine.primary, 0) / flops if flops else 0.0,
        timeline.bound_ns,
        noted.bound_ns,
        after - before,
        end - start,
        process_time() - worked,
    )
    return published(job, network, row) if job.published and job.way.mode else row


def published(job: PlanJob, network: ModuleOp, row: Row) -> Row:
    """A row with the sums that PIMFlow's own tools print: steps one after the other, each as long as its slower
    device."""
    assert job.way.mode is not None
    clock = clock_for(network)
    plan = plan_pimflow(entry_of(network), clock, MODES[job.way.mode])
    whole = unpartitioned_clock(clock)
    layers = [op for step in plan.steps for op in step.ops]
    whole.prepare(layers, whole.machine.primary)
    alone = sum(whole.op_cost(op, whole.machine.primary).ns for op in layers)
    return replace(row, layers_ns=plan.convolutions_ns, base_layers_ns=alone, sum_ns=plan.ns)


def attempted(job: PlanJob) -> Row | str:
    """A row, or the sentence that says why there is none: what a worker process hands back. Notes are not shown."""
    try:
        with notes_to(lambda message, place: None):
            return planned(job)
    except ndpir.InputError as error:
        return f"{job.model}, {job.way.name} on {job.on}: {error}"


def ways_of(names: Sequence[str]) -> list[Way]:
    """Ways by name. Raises InputError for one that does not exist."""
    for name in names:
        if name not in WAYS:
            raise ndpir.InputError(f"there is no mode `{name}`; there are {', '.join(WAYS)}")
    return [WAYS[name] for name in names]


def models_of(names: Sequence[str]) -> list[str]:
    """Networks by the names of their files. Raises InputError for one that does not exist."""
    for name in names:
        if not (MODELS / f"{name}.onnx").exists():
            known = sorted(path.stem for path in MODELS.glob("*.onnx"))
            raise ndpir.InputError(f"there is no model `{name}`; there are {', '.join(known)}")
    return list(names)
