"""Sensitivity of a program's time to the parameters of its memory system: the program's time after each parameter is
improved by a factor of two.

A plan made for one memory does not take advantage of a larger one. Therefore, if the program records the policy that
planned its moves, this policy plans again for each parameter, on the program's trace. Moves without a recorded policy
are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError, notes_to, working
from dialects.hw import DeviceOp, LinkOp, SheetOp
from dialects.task import MemoryAttr
from interp.kinds.clock import Clock
from interp.machine.composition import Machine, record_of
from interp.machine.device import Device
from interp.machine.memory_system import MemorySystem
from interp.machine.records import Link
from interp.machine.sheets.fields import KINDS, Field
from interp.simulate.memory.paging import UnifiedMemory
from interp.simulate.memory.replay import replay
from interp.simulate.memory.residence import Residence
from interp.simulate.program_moves import in_tiers
from interp.simulate.program_trace import trace_of
from interp.simulate.simulation import simulate
from interp.units import in_unit
from lowering.banks.templates import clock_for
from lowering.machine.sheet_ops import changed, machine_ops_of
from lowering.memory.policies import POLICIES
from lowering.memory.prefetch import PrefetchPass

REPLANNED = 700
"""Kernels of a program up to which its data movement is planned again to determine the value of each parameter of a
memory."""

TWICE, HALF = 2.0, 0.5
FACTS: dict[str, float] = {
    "memory": TWICE,
    "read": TWICE,
    "write": TWICE,
    "bandwidth": TWICE,
    "fault.service": TWICE,
    "fault.latency": HALF,
}
"""The factor by which each parameter is changed, by the path of its field: parameters of a tier, or of a link to a
tier."""
OF_PRIMARY = ("memory",)
"""The paths of the parameters of the device itself that are changed, each by its factor in `FACTS`."""


@dataclass(frozen=True)
class ParameterEffect:
    """The effect of a changed parameter: its name as for `--set`, its stated and its changed value as text, and the
    program's time in ns with the changed value (None if the program can't run). `replanned`: True if moves were
    planned again for the changed value."""

    name: str
    stated: str
    other: str
    ns: float | None
    replanned: bool


def parameter_effects(
    module: ModuleOp, residence: Residence, clock: Clock, entry: str | None = None
) -> list[ParameterEffect]:
    """The times of a program with each parameter of its memory system changed, one at a time; the shortest time
    first."""
    ops = machine_ops_of(module)
    timed = _replanned_time(module, residence, clock, entry)
    found: list[ParameterEffect] = []
    for place, field, value in _facts(ops, residence.system):
        working(f"worth of {field.path}")
        other, record = value * FACTS[field.path], record_of(ops[place])
        try:
            with changed(ops, [place], {field.path: f"{other:.17g} {field.unit}"}), notes_to(lambda message, at: None):
                there = clock_for(module)
                ns = simulate(module, there, entry).makespan_ns if timed is None else timed(there.machine)
        except InputError:
            ns = None
        stated = in_unit(value, field.unit), in_unit(other, field.unit)
        found.append(ParameterEffect(f"{_name(ops[place], record)}.{field.path}", *stated, ns, timed is not None))
    return sorted(found, key=lambda worth: float("inf") if worth.ns is None else worth.ns)


def _replanned_time(
    module: ModuleOp, residence: Residence, clock: Clock, entry: str | None
) -> Callable[[Machine], float] | None:
    """A function from a machine to the program's time in ns with moves planned for its memory system by the program's
    policy. The time is estimated as the program's present time, multiplied by the replayed time of the new plan and
    divided by the replayed time of the present plan. None if no policy is recorded, or if the program is so long
    that planning several times would take minutes."""
    planner = planner_of(residence.note) if residence.note is not None else None
    if planner is None:
        return None
    program, options = trace_of(module, clock, entry), planner.options()
    trace = program.trace
    if len(trace.kernels) > REPLANNED:
        return None

    @cache
    def replayed(system: MemorySystem) -> tuple[float, bool]:
        """The time of the program in ns, and True if its data come by page faults."""
        if trace.peak_live <= system.capacity:
            return trace.ideal_ns, False
        plan = POLICIES[planner.policy](trace, system, options)
        if plan.regime.faults and system.dedicated is not None:
            system = system.dedicated
        pager = UnifiedMemory(trace, system) if plan.regime.faults else None
        start = in_tiers(trace, system) if plan.regime.faults else None
        return replay(trace, system, plan.moves, plan.regime, start=start, pager=pager).spans[-1], plan.regime.faults

    stated, faults = replayed(residence.system)

    def timed(machine: Machine) -> float:
        system = MemorySystem.of(machine, held=program.held)
        assert system is not None
        # Without page faults, no number of their service matters, and the plan is the present one.
        relevant = system if faults else replace(system, faults=residence.system.faults)
        return residence.makespan_ns * replayed(relevant)[0] / stated

    return timed


def planner_of(note: MemoryAttr) -> PrefetchPass | None:
    """The pass that planned the moves, from the program's attribute (`pump factor=80`); None if the attribute names no
    known policy."""
    policy, *words = note.policy.data.split()
    usual = PrefetchPass()
    kinds: dict[str, type[object]] = {field.name: type(getattr(usual, field.name)) for field in fields(PrefetchPass)}
    values: dict[str, str | int | bool] = {}
    for word in words:
        name, _, text = word.partition("=")
        if name not in kinds:
            return None
        values[name] = text == "true" if kinds[name] is bool else int(text) if kinds[name] is int else text
    return PrefetchPass(policy=policy, **values) if policy in POLICIES else None  # pyright: ignore[reportArgumentType]


def _facts(ops: list[SheetOp], system: MemorySystem) -> Iterator[tuple[int, Field, float]]:
    """The parameters to change, each as the number of the `hw` op, the field of its sheet, and the stated value."""
    tiers = {tier.name for tier in system.tiers}
    for place, op in enumerate(ops):
        record = record_of(op)
        if isinstance(op, DeviceOp) and op.sym_name.data in tiers:
            paths = [path for path in FACTS if path != "bandwidth"]
        elif isinstance(op, DeviceOp) and op.sym_name.data == system.device:
            paths = OF_PRIMARY
        elif isinstance(op, LinkOp) and {*op.ends} & tiers and {*op.ends} <= {*tiers, system.device}:
            paths = ["bandwidth"]
        else:
            continue
        for path in paths:
            field = KINDS[record.kind].field(path)
            if isinstance(field, Field) and (value := getattr(record, field.attribute)):
                yield place, field, value


def _name(op: SheetOp, record: Device | Link) -> str:
    return op.sym_name.data if isinstance(op, DeviceOp) else record.name
