"""`-t ndp`: the counts and cycles of each near-data program."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from dialects.ndp import LaunchOp, ProgramOp
from interp.cost.near_data.costs import NearDataCosts
from interp.figures import table
from interp.machine.composition import Machine
from interp.machine.near_data import as_near_data
from interp.near_data.streams import streams
from interp.program.level import device_of

COLUMNS = ("program", "launches", "phases", "elements", "inputs", "outputs", "ops", "lines", "cycles")


@dataclass(frozen=True)
class NdpTarget(Target):
    """A table of all near-data programs, with numbers for one launch each: phases; elements of the largest phase; loads
    (inputs), stores (outputs) and ops in the text of all phases; lines of the program; and cycles on the device. The
    last row sums up all launches. After `to-ndp` the table shows the unoptimized programs, and after each further pass
    its savings."""

    name: ClassVar[str] = "ndp"
    NEEDS_MACHINE: ClassVar[bool] = True

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
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
        rows = [_numbers(program, machine) for program in programs]
        times = [launches[program.sym_name.data] if launches else 1 for program in programs]
        sums = [sum(n * each for n, each in zip(times, column, strict=True)) for column in zip(*rows, strict=True)]
        shown = [
            (program.sym_name.data, str(count), *(f"{number:,.0f}" for number in row))
            for program, count, row in zip(programs, times, rows, strict=True)
        ]
        total = ("all launches", str(sum(times)), *(f"{number:,.0f}" for number in sums))
        output.write(table(COLUMNS, [*shown, total], left=[0]))


def _numbers(program: ProgramOp, machine: Machine) -> tuple[float, ...]:
    """The numbers of one program's row, for one launch."""
    device = as_near_data(machine.device(device_of(program), program), device_of(program), program)
    found = streams(program)
    cycles = sum(NearDataCosts(device).cycles([each.counts for each in found])[0])
    return (
        len(found),
        max(each.elements for each in found),
        sum(each.inputs for each in found),
        sum(each.outputs for each in found),
        sum(each.ops for each in found),
        len(program.body.block.ops),
        cycles,
    )
