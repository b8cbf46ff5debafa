"""Placements of one program on one machine by every policy, as a row of the tables of placement.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp

import ndpir
from benchmarks.image_networks.plans import MODELS
from benchmarks.placements.transformers import LENGTHS, SIZES, model, transformer
from dialects.diagnostics import notes_to
from interp.simulate.simulation import simulate
from interp.walk.entry import entry_of
from lowering.banks.templates import clock_for
from lowering.instance.of_program import PlacementProblem
from lowering.instance.options import Options
from lowering.instance.problem import Policy, Problem, Schedule
from lowering.optimise.policies import POLICIES
from lowering.optimise.search.lowest import lowest
from lowering.optimise.search.optimal import optimise
from lowering.optimise.search.small import place_small
from lowering.optimise.serial.path import least_serial
from lowering.place.place import place_function
from lowering.profiling.plan import profile_plan
from ndpir.cli.profile import main as profile
from ndpir.compiler.settings import apply, apply_profiles, settings_of
from ndpir.frontends.machines import attach_machine

PASSES = "canonicalize,fuse,reduce-precision"
PARALLEL = ("serial.executor=parallel",)
"""The settings with which the devices of `cpu-pim` overlap; in the published work, they run serially."""


@dataclass(frozen=True)
class Case:
    """A program on a machine with changed fields of sheets, as after `--set`.

    The program is one of SIZES at a sequence length, or else a file of examples/models.
    """

    program: str
    machine: str
    length: int = 0
    changes: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    """The paths of profiles with measured costs."""

    @property
    def name(self) -> str:
        return f"{self.program} {self.length}" if self.length else self.program


@dataclass(frozen=True)
class CaseOutcome:
    """The result of a policy's decision for a case.

    `ns`: makespan with the overlap that the machine allows; `serial_ns`: sum of the times of all tasks and copies;
    `seconds`: time that the policy took to decide.
    """

    policy: str
    ns: float
    serial_ns: float
    seconds: float


@dataclass(frozen=True)
class Row:
    """A case with all outcomes and lower bounds, ns.

    `bound_ns`: bound on all placements in any order; `serial_bound_ns`: bound on the serial time of all placements
    (`exact`: a placement reaches it). `runs`: the numbers of profiling runs for nodes, and of further runs for copies;
    `together`: the number of runs if each measures both. `replayed`: True if the simulated makespan of every plan
    equals the predicted one.
    """

    case: Case
    nodes: int
    outcomes: tuple[CaseOutcome, ...]
    bound_ns: float
    serial_bound_ns: float
    exact: bool
    runs: tuple[str, str]
    together: str
    replayed: bool | None = None

    def of(self, policy: str) -> CaseOutcome:
        """Return the outcome of a policy."""
        return next(each for each in self.outcomes if each.policy == policy)

    def has(self, policy: str) -> bool:
        """Return True if a policy's plan exists and fits into memory."""
        return any(each.policy == policy for each in self.outcomes)

    def like(self, word: str) -> list[CaseOutcome]:
        """Return the outcomes of all policies whose names begin with `word`."""
        return [each for each in self.outcomes if each.policy.startswith(word)]


def transformer_cases(lengths: Sequence[int], changes: tuple[str, ...], profiles: tuple[str, ...] = ()) -> list[Case]:
    """Return cases for the transformers at all lengths, and for GPT-2 with one more token, on the platform of Kim et
    al."""
    cases = [Case(name, "cpu-pim", length, changes, profiles) for name in SIZES for length in lengths]
    return [*cases, Case("gpt2_decode_kv255", "cpu-pim", 0, changes, profiles)]


def measured(case: Case, folder: Path) -> Case:
    """Return the case with costs that `ndp-profile` measures on this computer; costs that `folder` contains are not
    measured again."""
    out = folder / f"{case.name.replace(' ', '_')}.json"
    if not out.exists():
        program = MODELS / f"{case.program}.onnx"
        if case.program in SIZES:
            program = out.with_suffix(".mlir")
            program.write_text(transformer(case.program, case.length))
        if profile([str(program), "--machine", case.machine, "--passes", PASSES, "-o", str(out)]):
            raise ndpir.InputError(f"{case.name} can't be measured; see the error of ndp-profile above")
    return replace(case, profiles=(str(out),))


def prepared(case: Case) -> ModuleOp:
    """Return the program as kernels on its machine."""
    if case.program in SIZES:
        module = model(case.program, case.length or LENGTHS[2])
    else:
        module = ndpir.read(MODELS / f"{case.program}.onnx")
    attach_machine(module, case.machine, None)
    apply_profiles(module, case.profiles)
    apply(module, settings_of(case.changes))
    return ndpir.compile(module, PASSES)


def problem_for(module: ModuleOp, options: Options = Options()) -> PlacementProblem:  # noqa: B008 - it is frozen
    problem = PlacementProblem(entry_of(module), clock_for(module))
    problem.options = options
    return problem


DECIDED: dict[str, Policy] = {"effort 1": place_small, "optimal": optimise}
"""The searches of the policy `optimal` for unpartitioned ops: that of the least effort, and that of more."""


def outcomes(problem: Problem, options: Options) -> Iterator[tuple[CaseOutcome, Schedule]]:
    """Yield the outcome and the schedule of every policy.

    First comes policy priority with lists of devices: `alone DEVICE` names one device, and uses others only for ops
    that it does not support; `list …` names all devices, in each possible order. Then come all other policies by name.
    """
    decisions = [(f"alone {device}", "priority", replace(options, devices=(device,))) for device in problem.devices]
    for devices in permutations(problem.devices):
        decisions.append((f"list {','.join(devices)}", "priority", replace(options, devices=devices)))
    decisions += [(name, name, options) for name in (*DECIDED, "greedy", "path")]
    for label, policy, given in decisions:
        problem.options = given
        start = perf_counter()
        schedule = Schedule.of((DECIDED.get(policy) or POLICIES[policy])(problem))
        seconds = perf_counter() - start
        if not problem.overfull(schedule):  # plans that exceed a memory would be rejected
            ends, serial = problem.ends(schedule), problem.serial_ns(schedule.placement)
            yield CaseOutcome(label, ends, serial, seconds), schedule


def evaluated(case: Case, limit_s: float, replay: bool) -> Row:
    """Apply all policies to a case. Raises InputError if the case can't be planned."""
    module = prepared(case)
    problem = problem_for(module)
    found = list(outcomes(problem, Options(limit=limit_s)))
    bound = max([lowest(problem).ns, *(plan.bound.ns for _, plan in found if plan.bound is not None)])
    serial = least_serial(problem, Options.width)
    plan = profile_plan(problem)
    return Row(
        case,
        sum(not node.view for node in problem.nodes),
        tuple(outcome for outcome, _ in found),
        bound,
        serial.bound_ns,
        serial.exact,
        (str(plan.nodes), str(plan.copies)),
        str(plan.together),
        all(replayed(module, problem, schedule) == outcome.ns for outcome, schedule in found) if replay else None,
    )


def replayed(module: ModuleOp, problem: Problem, schedule: Schedule) -> float:
    """Return the makespan of a plan in ns: the end of the timeline of the program to which the plan was applied."""
    picks = [node.choices.index(choice) for node, choice in zip(problem.nodes, schedule.placement, strict=True)]

    def policy(again: Problem) -> Schedule:
        placement = [node.choices[pick] for node, pick in zip(again.nodes, picks, strict=True)]
        return replace(schedule, placement=placement, bound=None, ns=0.0)

    placed = module.clone()
    POLICIES["replayed"] = policy
    try:
        place_function(entry_of(placed), clock_for(placed), "replayed")
    finally:
        del POLICIES["replayed"]
    return simulate(placed, clock_for(placed)).makespan_ns


def row_or_error(case: Case, limit_s: float, replay: bool) -> Row | str:
    """Return the row of a case, or its error message. This function is called in worker processes; notes are
    suppressed."""
    try:
        with notes_to(lambda message, place: None):
            return evaluated(case, limit_s, replay)
    except ndpir.InputError as error:
        return f"{case.name} on {case.machine}: {error}"
