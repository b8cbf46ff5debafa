"""Programs in time: what they take on a machine, whose memories hold them, or whose home device has memory behind its
own."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from interp.cost.clock import Clock
from interp.program.entry import entry_of, functions
from interp.program.level import programs_in
from interp.schedule.residency import WAY_OUT, too_large
from interp.schedule.timeline import Plan, Timeline


def simulate(module: ModuleOp, clock: Clock, entry: str | None = None) -> Timeline:
    """The timeline of a program's entry function, or of each `pim.kernel` once where the program has no function.

    At graph level everything runs on the home device, one op after another. What depends on constants alone is prepared
    ahead of time and takes none. Raises InputError for an op that its device can't run, and for a program that a
    device's memory can't hold.
    """
    plan = Plan(module, clock)
    programs = programs_in(module)
    if entry is None and not functions(module) and programs:
        for program in programs.values():
            plan.program(program)
        return plan.timeline()
    function = entry_of(module, entry)
    plan.entry(function)
    timeline = plan.timeline()
    for device, need in timeline.memory.items():
        record = clock.machine.devices[device]
        if need.total > record.memory_bytes:
            raise InputError(too_large(f"@{function.sym_name.data}", device, need, record, WAY_OUT), function)
    return timeline
