"""Plan, lowering and timing of one network on one machine, as a row of the tables of pimflow.py and
pimflow_sweep.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, process_time

from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import notes_to
from interp.simulate.schedule.what_if import outcome_of
from interp.simulate.simulation import simulate
from interp.walk.entry import entry_of
from lowering.alone.baseline import read_baseline, unpartitioned_clock
from lowering.alone.forms import Form
from lowering.alone.primary_alone import Alone
from lowering.banks.templates import clock_for
from lowering.graph.allowed_types import OWN
from lowering.partition.pimflow.search import MODES, plan_pimflow
from ndpir.compiler.settings import apply, settings_of
from ndpir.frontends.machines import attach_machine

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"


@dataclass(frozen=True)
class Accounting:
    """A set of costs in which plans are compared: a machine, and the passes before planning.

    `plus`: the same machine with the PIM of PIMFlow's baseline Newton+. `lowered`: True if plans are lowered to bank
    commands that compute all numbers. The bank commands of PIMFlow's published generator omit part of the work, so that
    only their times are used.
    """

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
class PlanMode:
    """A mode of planning: the pass options that plan a network for a row of a table.

    `mode`: the mode's name in PIMFlow, if PIMFlow has it; `plus`: True if the plan uses the PIM of Newton+.
    """

    name: str
    place: str
    mode: str | None = None
    plus: bool = False


WAYS = {
    way.name: way
    for way in (
        PlanMode("whole ops", "place{effort=1}"),
        PlanMode("newton+", "place{policy=pimflow mode=newton}", "newton", plus=True),
        PlanMode("newton++", "place{policy=pimflow mode=newton}", "newton"),
        *(PlanMode(mode, f"place{{policy=pimflow mode={mode}}}", mode) for mode in ("pipeline", "mddp", "pimflow")),
        PlanMode("optimal", "place"),
    )
}
BASELINE = "baseline"


@dataclass(frozen=True)
class PlanJob:
    """A network to plan on the machine of an accounting, or on another machine, with the options of a `PlanMode`.

    `changes`: changed fields of sheets, as after `--set`. `published`: True to compute PIMFlow's sums of costs as well.
    """

    model: str
    accounting: Accounting
    way: PlanMode
    machine: str = ""
    changes: tuple[str, ...] = ()
    published: bool = False

    @property
    def on(self) -> str:
        """Return the name of the machine on which the network is planned."""
        return self.machine or (self.accounting.plus if self.way.plus else self.accounting.machine)


@dataclass(frozen=True)
class Row:
    """The result of a job: times in ns and energies in nJ of the plan and of the GPU alone (`base_…`).

    `plan_seconds`: wall time of planning; `all_seconds`: wall time from the model's file to the timeline;
    `cpu_seconds`: processor time from the model's file to the timeline. `layers_ns`, `sum_ns`: PIMFlow's sums over
    convolutions and over all layers (0: not computed).
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
    split_bound_ns: float
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
        """The gap: the makespan divided by the timeline's lower bound, minus 1."""
        return self.ns / self.bound_ns - 1

    @property
    def baseline(self) -> Row:
        """Return the row of the GPU alone, with all of its memory channels."""
        return replace(
            self,
            way=BASELINE,
            ns=self.base_ns,
            nj=self.base_nj,
            board_nj=self.base_board_nj,
            pim_share=0.0,
            bound_ns=self.base_ns,
            split_bound_ns=0.0,
            plan_seconds=0.0,
            all_seconds=0.0,
            cpu_seconds=0.0,
            layers_ns=self.base_layers_ns,
            sum_ns=self.base_ns if self.sum_ns else 0.0,
        )


def prepared(job: PlanJob) -> ModuleOp:
    """Return a job's network as kernels on the job's machine, before planning."""
    module = ndpir.read(MODELS / f"{job.model}.onnx")
    attach_machine(module, job.on, None)
    apply(module, settings_of(job.changes))
    return ndpir.compile(module, job.accounting.passes)


def lowered(job: PlanJob, placed: ModuleOp) -> ModuleOp:
    """Return the placed network, lowered to bank commands if the job's accounting requires it."""
    return ndpir.compile(placed, "to-pim") if job.accounting.lowered else placed


def planned(job: PlanJob) -> Row:
    """Plan, lower and time a job's network. Raises InputError if one of these steps fails."""
    start, worked = perf_counter(), process_time()
    network = prepared(job)
    before = perf_counter()
    # The base uses these kernels instead of better fused ones: PIMFlow runs sums with shortcuts as separate kernels.
    alone = Alone.of(Form(OWN, "as written", network), entry_of(network).sym_name.data, clock_for(network), {})
    if alone is None:
        raise ndpir.InputError(f"{job.model} can't run on the GPU of {job.on} alone, so that no base time exists")
    base = outcome_of(alone.timeline)
    placed = ndpir.compile(network, job.way.place)
    after = perf_counter()
    program = lowered(job, placed)
    clock = clock_for(program)
    timeline = simulate(program, clock)
    end = perf_counter()
    noted = read_baseline(entry_of(program), clock)
    assert noted is not None  # since `alone` exists
    flops = sum(noted.flops.values())
    row = Row(
        job.model,
        job.on,
        job.accounting.name,
        job.way.name,
        timeline.makespan_ns,
        base.ns,
        timeline.total_energy_nj,
        base.nj,
        timeline.board_nj,
        base.board_nj,
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
    """Return a row with the sums that PIMFlow's tools print; in these sums, each step of a plan takes the time of its
    slower device."""
    assert job.way.mode is not None
    clock = clock_for(network)
    plan = plan_pimflow(entry_of(network), clock, MODES[job.way.mode])
    unpartitioned = unpartitioned_clock(clock)
    layers = [op for step in plan.steps for op in step.ops]
    unpartitioned.prepare(layers, unpartitioned.machine.primary)
    alone = sum(unpartitioned.op_cost(op, unpartitioned.machine.primary).ns for op in layers)
    return replace(row, layers_ns=plan.convolutions_ns, base_layers_ns=alone, sum_ns=plan.ns)


def row_or_error(job: PlanJob) -> Row | str:
    """Return the row of a job, or its error message. This function is called in worker processes; notes are
    suppressed."""
    try:
        with notes_to(lambda message, place: None):
            return planned(job)
    except ndpir.InputError as error:
        return f"{job.model}, {job.way.name} on {job.on}: {error}"


def ways_of(names: Sequence[str]) -> list[PlanMode]:
    """Return the modes (entries of `WAYS`) of these names. Raises InputError for an unknown name."""
    for name in names:
        if name not in WAYS:
            raise ndpir.InputError(f"unknown mode `{name}`; expected one of {', '.join(WAYS)}")
    return [WAYS[name] for name in names]


def models_of(names: Sequence[str]) -> list[str]:
    """Return the names of networks, which are their files' names, after a check. Raises InputError for an unknown
    name."""
    for name in names:
        if not (MODELS / f"{name}.onnx").exists():
            known = sorted(path.stem for path in MODELS.glob("*.onnx"))
            raise ndpir.InputError(f"unknown model `{name}`; expected one of {', '.join(known)}")
    return list(names)
