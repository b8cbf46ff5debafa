"""Programs in time: what they take on a machine, whose memories hold them, or whose primary device has memory behind
its own."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dialects.diagnostics import InputError
from interp.cost.clock import Clock
from interp.machine.memory_system import MemorySystem
from interp.memory.reading import says_where
from interp.memory.running import run_resident
from interp.program.discarded import check_discards
from interp.program.entry import entry_of, functions
from interp.program.level import programs_in
from interp.schedule.memory import Need
from interp.schedule.residency import WAY_OUT, too_large
from interp.schedule.timeline import Plan, Timeline


def simulate(module: ModuleOp, clock: Clock, entry: str | None = None) -> Timeline:
    """The timeline of a program's entry function, or of each `pim.kernel` once where the program has no function.

    At graph level everything runs on the primary device, one op after another. What depends on constants alone is
    prepared ahead of time and takes none. What the primary device's memory can't hold pages in from the memory behind
    it, where the machine has such and serves faults, or as the moves in the program say (interp/memory). Raises
    InputError for an op that its device can't run, for a program that a device's memory can't hold, and for a plan that
    can't be followed.
    """
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
    planned = says_where(function)
    if planned is not None or needs[primary].total > clock.machine.devices[primary].memory_bytes:
        system = MemorySystem.of(clock.machine)
        if planned is not None and system is None:
            raise InputError(
                f"{getattr(planned, 'name', '')}: @{primary} has no memory behind it; declare one (hw.device @host = "
                f'"host_memory", hw.link @{primary} to @host = "pcie4_copies")',
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
    """Raises InputError for what a device's memory does not hold."""
    for device, need in needs.items():
        record = clock.machine.devices[device]
        if need.total > record.memory_bytes:
            way_out = WAY_OUT
            if system is not None and device == system.device:
                way_out = "the memory behind it serves no faults: plan what moves when (prefetch{policy=plan})"
            elif device == clock.machine.primary:
                way_out += f", or put memory behind @{device}, as the machines v100-uvm, a100-uvm and a100-g10 do"
            raise InputError(too_large(f"@{function.sym_name.data}", device, need, record, way_out), function)
