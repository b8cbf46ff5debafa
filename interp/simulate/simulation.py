"""Simulation of programs on machines: programs that fit into their devices' memories, and programs whose data move
between the primary device's memory and further memory tiers (host memory, SSD)."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import byte_count
from dialects.graph.op import Tensor
from dialects.repeating import RepeatingOp
from dialects.task import OnType
from interp.kinds.clock import Clock
from interp.machine.device import Device
from interp.machine.memory_system import MemorySystem
from interp.simulate.program_moves import residency_statement
from interp.simulate.schedule.iterations import IteratedPlan
from interp.simulate.schedule.memory import Need
from interp.simulate.schedule.planning import Plan
from interp.simulate.schedule.residency import WAY_OUT, too_large
from interp.simulate.schedule.timeline import Timeline
from interp.simulate.tiered_run import run_resident
from interp.walk.discarded import check_discards
from interp.walk.entry import entry_of, functions, reserved_bytes, states_of
from interp.walk.level import is_launch, is_program, programs_in
from interp.walk.unchanged import unchanged


def simulate(module: ModuleOp, clock: Clock, entry: str | None = None) -> Timeline:
    """The timeline of a program's entry function, or of one run of each `pim.kernel` if the program has no function.

    At graph level everything runs on the primary device, serially. Ops that depend on constants alone are prepared
    ahead of time and take no time. A loop is one event, unless the program exceeds the primary device's memory or
    states moves: then each iteration has events of its own. The data of such a program are paged in from a further
    tier, if the machine has one that serves faults, or moved by the program's own moves (interp/simulate/memory).

    Raises InputError for an op that its device can't run, for a program that exceeds a device's memory, and for a plan
    of moves that can't be carried out.
    """
    with unchanged():
        return _simulated(module, clock, entry)


def simulate_unlimited(module: ModuleOp, clock: Clock, entry: str | None = None) -> Timeline:
    """The timeline of a program's entry function if all memories were unlimited. The program must not plan moves
    between memories. Raises InputError for an op that its device can't run."""
    with unchanged():
        plan = Plan(module, clock)
        plan.entry(entry_of(module, entry))
        return plan.timeline()


def needs_moves(function: FuncOp, clock: Clock) -> bool:
    """True if a function without planned moves exceeds its primary device's memory, and further memory is behind that.
    Raises InputError for an op that its device can't run."""
    module = function.parent_op()
    if MemorySystem.of(clock.machine) is None or not isinstance(module, ModuleOp):
        return False
    primary = clock.machine.primary
    record = clock.machine.devices[primary]
    capacity = record.memory_bytes
    if clock.model(primary).by_sheet and (most := _most_bytes(function, record)) is not None and most <= capacity:
        return False  # on a processor, weights lie in memory as they are
    need = simulate_unlimited(module, clock, function.sym_name.data).memory[primary]
    if need.total <= capacity or not _has_loops(module):
        return need.total > capacity
    with unchanged():
        plan = IteratedPlan(module, clock)
        plan.entry(function)
        return plan.timeline().memory[primary].total > capacity


def _most_bytes(function: FuncOp, record: Device) -> int | None:
    """The bytes of all values of a function, each of which is in a memory at most once; None for functions whose loops,
    calls or launches may hold a value several times, or in another layout."""
    total, values = 0, list[SSAValue](function.body.block.args)
    for op in function.walk():
        if isinstance(op, RepeatingOp | CallOp) or is_launch(op) or is_program(op):
            return None
        values += op.results
    for value in values:
        type_ = value.type.tensor if isinstance(value.type, OnType) else value.type
        if not isinstance(type_, TensorType):
            return None
        total += byte_count(cast("Tensor", type_)) + record.granule_bytes
    types = function.function_type.outputs.data
    for value, state in states_of(function).items():
        number = state.result if state.rows is None else state.rows
        total += reserved_bytes(value, state, types[number]) if number is not None else 0
    return total


def _has_loops(module: ModuleOp) -> bool:
    return any(isinstance(op, RepeatingOp) for op in module.walk())


def _simulated(module: ModuleOp, clock: Clock, entry: str | None) -> Timeline:
    plan = Plan(module, clock)
    programs = programs_in(module)
    if entry is None and not functions(module) and programs:
        for program in programs.values():
            plan.program(program)
        return plan.timeline()
    function = entry_of(module, entry)
    results = plan.entry(function)
    timeline = plan.timeline()
    primary, needs = clock.machine.primary, timeline.memory
    check_discards(module)
    planned, capacity = residency_statement(function), clock.machine.devices[primary].memory_bytes
    if (planned is not None or needs[primary].total > capacity) and _has_loops(module):
        plan = IteratedPlan(module, clock)
        results = plan.entry(function)
        timeline = plan.timeline()
        needs = timeline.memory
    if planned is not None or needs[primary].total > capacity:
        system = MemorySystem.of(clock.machine, held={name: need.total for name, need in needs.items()})
        if planned is not None and system is None:
            raise InputError(
                f"{getattr(planned, 'name', '')}: @{primary} has no memory behind it for the planned moves; declare "
                f'one (hw.device @host = "host_memory", hw.link @{primary} to @host = "pcie4_copies")',
                planned,
            )
        if planned is not None or (system is not None and system.faults is not None):
            assert system is not None
            timeline = run_resident(plan, function, results, timeline, system)
        needs = {name: need for name, need in needs.items() if timeline.residence is None or name != primary}
        _check(function, needs, clock, system)
    else:
        _check(function, needs, clock, None)
    return timeline


def _check(function: FuncOp, needs: dict[str, Need], clock: Clock, system: MemorySystem | None) -> None:
    """Raises InputError if a program needs more memory than a device has."""
    for device, need in needs.items():
        record = clock.machine.devices[device]
        if need.total > record.memory_bytes:
            way_out = WAY_OUT
            if system is not None and device == system.device:
                way_out = "the memory behind it serves no page faults: plan the moves ahead (prefetch{policy=plan})"
            elif device == clock.machine.primary:
                way_out += f", or put memory behind @{device}, as the machines v100-uvm, a100-uvm and a100-g10 do"
            raise InputError(too_large(f"@{function.sym_name.data}", device, need, record, way_out), function)
