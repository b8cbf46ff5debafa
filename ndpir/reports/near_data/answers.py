"""The answers of `-t decisions` and `-t ndp`: decisions on kernels that near-data units can run, and the counts and
cycles of near-data programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dialects.diagnostics import InputError
from dialects.ndp import LaunchOp, ProgramOp
from dialects.task import DecisionAttr
from dialects.task.decision import DECISION
from interp.kinds.ndp.costs import NearDataCosts
from interp.kinds.ndp.streams import streams
from interp.machine.composition import Machine
from interp.machine.near_data import as_near_data
from interp.simulate.events.jobs import above
from interp.walk.entry import entry_of
from interp.walk.level import device_of
from lowering.alone.baseline import read_baseline
from ndpir.reports.answers.summary import above_recorded
from ndpir.reports.run import Run

RANDOM = "threefry"
"""The name of kernels that draw random numbers; they are also summed up separately."""


@dataclass(frozen=True)
class Decision:
    """The placement decision on one kernel that near-data units can run. Times are those of one execution."""

    decision: str
    """The decision. On near-data units: `parallel` (overlaps independent kernels), `fly-write` (runs while its operands
    are written), `fly-read` (runs while its results are read), `sequential` (overlaps no kernel); on the primary
    device: `gpu`."""
    name: str
    place: str
    """The line of the program from which the kernel was compiled."""
    times: int
    """The number of executions of the kernel."""
    primary_ns: float
    """The kernel's time on the primary device; 0 if it can't run on that device."""
    near_data_ns: float
    """The kernel's time on the near-data units."""
    hidden_ns: float
    """The part of `near_data_ns` that overlaps kernels on the primary device."""
    exposed_ns: float
    """The part of `near_data_ns` that overlaps no kernel on the primary device; 0 for a kernel that runs on the primary
    device."""
    overlaps_ns: Mapping[str, float]
    """The time for which the kernel overlaps each kernel on the primary device, by the name and source line of the
    latter."""
    reason: str


@dataclass(frozen=True)
class DecisionSum:
    """The totals of several kernels, each counted once for each execution."""

    decision: str
    """The decision that was made for these kernels; `all` for the sum of all kernels."""
    kind: str
    """The name that the kernels have in common; empty for all kernels."""
    kernels: int
    primary_ns: float
    near_data_ns: float
    """The time on the near-data units, without kernels that run on the primary device."""
    hidden_ns: float
    exposed_ns: float


PICOSECONDS = 1e-6
"""The relative difference below which two times in the published accounting count as equal: hidden times are exact to a
picosecond for each kernel."""


@dataclass(frozen=True)
class Accounting:
    """The program's time according to one accounting (method of adding up times), and the time of the GPU alone, which
    is the same in both accountings if pass `place` recorded it."""

    name: str
    """`published`: the sum of the times of kernels on the primary device and of the exposed times of kernels on
    near-data units; `full`: the simulated timeline."""
    alone_ns: float
    ns: float
    bound_ns: float | None
    """A lower bound on the time of any placement of these kernels; null if pass `place` recorded none."""
    above: float | None
    """The fraction by which the time is above the bound; null if no bound is known, or if later passes made the program
    faster than any placement of the kernels as they were placed."""


@dataclass(frozen=True)
class DecisionsAnswer:
    """The decisions of a placement policy that overlaps kernels on near-data units with kernels on the primary
    device."""

    total: DecisionSum
    random: DecisionSum | None
    """The totals of the kernels that draw random numbers; null if there are no such kernels."""
    without_random: DecisionSum | None
    """The totals of the kernels that draw no random numbers; null if no kernel draws random numbers."""
    kinds: tuple[DecisionSum, ...]
    """The totals of the kernels of the same decision and name, in order of the time on the primary device, longest
    first."""
    kernels: tuple[Decision, ...]
    """The decision on each kernel, in order of the kernels' times, longest first."""
    accountings: tuple[Accounting, ...]


def decisions_answer(run: Run) -> DecisionsAnswer:
    """The answer of `-t decisions` for a run. Raises InputError if the program has no such decisions."""
    decided = list(_decided(run))
    if not decided:
        raise InputError(
            "decisions: the program has no placement decisions; place it by a policy that overlaps kernels with "
            "those of the GPU (-p 'place{policy=overlap}'), on a machine with near-data units",
            run.module,
        )
    by: dict[tuple[str, str], list[Decision]] = {}
    for each in decided:
        by.setdefault((each.decision, each.name), []).append(each)
    kinds = [_summed(*key, found) for key, found in by.items()]
    drawn = [each for each in decided if each.name == RANDOM]
    return DecisionsAnswer(
        _summed("all", "", decided),
        _summed("all", RANDOM, drawn) if drawn else None,
        _summed("all", f"all but {RANDOM}", (each for each in decided if each.name != RANDOM)) if drawn else None,
        tuple(sorted(kinds, key=lambda kind: -kind.primary_ns)),
        tuple(sorted(decided, key=lambda each: -max(each.primary_ns, _away(each)))),
        tuple(_accountings(run)),
    )


def _decided(run: Run) -> Iterator[Decision]:
    for event, times, _ in run.timeline.tasks():
        decision = event.op.attributes.get(DECISION)
        if isinstance(decision, DecisionAttr):
            yield Decision(
                decision.word.data,
                event.name,
                event.place,
                times,
                decision.primary.value.data,
                decision.away.value.data,
                decision.hidden_ns,
                decision.exposed_ns,
                decision.shares,
                decision.why.data,
            )


def _away(one: Decision) -> float:
    """The time that a kernel spends on the near-data units; 0 if it runs on the GPU."""
    return one.near_data_ns if one.decision != "gpu" else 0.0


def _summed(decision: str, kind: str, several: Iterable[Decision]) -> DecisionSum:
    rows = list(several)
    return DecisionSum(
        decision,
        kind,
        sum(each.times for each in rows),
        sum(each.primary_ns * each.times for each in rows),
        sum(_away(each) * each.times for each in rows),
        sum(each.hidden_ns * each.times for each in rows),
        sum(each.exposed_ns * each.times for each in rows),
    )


def _accountings(run: Run) -> Iterator[Accounting]:
    function, noted = entry_of(run.module, run.entry), run.prediction
    baseline = read_baseline(function, run.clock)
    if noted is not None and (published := noted.published) is not None:
        part = above(published.ns, published.bound, "any plan in the published accounting", PICOSECONDS)
        known = published.bound or None
        alone = baseline.ns if baseline is not None else published.alone
        yield Accounting("published", alone, published.ns, known, None if known is None else part)
    if baseline is not None:
        bound = noted.bound.ns if noted is not None and noted.bound is not None else None
        part = above_recorded(run.timeline, bound, noted, "any placement") if bound else None
        yield Accounting("full", baseline.ns, run.timeline.makespan_ns, bound or None, part)


@dataclass(frozen=True)
class NearDataProgram:
    """The counts and cycles of a near-data program for one launch; in the row of all launches, their sums."""

    name: str
    launches: int
    phases: int
    elements: int
    """The number of elements of the largest phase."""
    inputs: int
    """The number of load instructions in the program's text, in all phases together."""
    outputs: int
    """The number of store instructions in the program's text, in all phases together."""
    reductions: int
    """The number of reductions in the program's text, in all phases together."""
    ops: int
    """The number of other ops in the program's text, in all phases together, without loads and stores."""
    lines: int
    """The number of lines of the program's text."""
    bytes: int
    """The bytes that all units load from memory and store to it."""
    unit_cycles: float
    """The cycles of the unit with the most elements, if the memory delivered any number of bytes per cycle."""
    cycles: float
    """The cycles from the start of the units until the last one has ended, with waits for the memory."""
    bound: str
    """The component that limits the time of a launch: `launch`, `floor`, `stream` (the units) or `memory`; empty in the
    row of all launches."""


@dataclass(frozen=True)
class NearDataAnswer:
    """The counts and cycles of all near-data programs of a program."""

    programs: tuple[NearDataProgram, ...]
    total: NearDataProgram
    """The sums of counts and cycles over all launches."""


def near_data_answer(run: Run) -> NearDataAnswer:
    """The answer of `-t ndp` for a run. Raises InputError if the program has no near-data programs."""
    module = run.module
    programs = [op for op in module.body.block.ops if isinstance(op, ProgramOp)]
    if not programs:
        raise InputError(
            "ndp: the program has no near-data programs; place ops on near-data units and lower them "
            "(-p place,to-ndp), "
            "on a machine that has such units",
            module,
        )
    machine = Machine.of(module)
    launches = Counter(op.kernel.root_reference.data for op in module.walk() if isinstance(op, LaunchOp))
    found = [
        _near_data_program(program, machine, launches[program.sym_name.data] if launches else 1) for program in programs
    ]
    total = NearDataProgram(
        "all launches",
        sum(each.launches for each in found),
        sum(each.launches * each.phases for each in found),
        sum(each.launches * each.elements for each in found),
        sum(each.launches * each.inputs for each in found),
        sum(each.launches * each.outputs for each in found),
        sum(each.launches * each.reductions for each in found),
        sum(each.launches * each.ops for each in found),
        sum(each.launches * each.lines for each in found),
        sum(each.launches * each.bytes for each in found),
        sum(each.launches * each.unit_cycles for each in found),
        sum(each.launches * each.cycles for each in found),
        "",
    )
    return NearDataAnswer(tuple(found), total)


def _near_data_program(program: ProgramOp, machine: Machine, launches: int) -> NearDataProgram:
    device = as_near_data(machine.device(device_of(program), program), device_of(program), program)
    found, costs = streams(program), NearDataCosts(device)
    cycles, cost = costs.cycles(found), costs.launch(found)
    return NearDataProgram(
        program.sym_name.data,
        launches,
        len(found),
        max(each.elements for each in found),
        sum(each.inputs for each in found),
        sum(each.outputs for each in found),
        sum(each.reductions for each in found),
        sum(each.ops for each in found),
        len(program.body.block.ops),
        cost.bytes,
        sum(each.floor + each.stream for each in cycles),
        sum(each.total for each in cycles),
        cost.bound,
    )
