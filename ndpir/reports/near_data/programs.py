"""`-t ndp`: the counts and cycles of each near-data program."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from dialects.ndp import LaunchOp, ProgramOp
from dialects.text.columns import table
from interp.kinds.ndp.costs import NearDataCosts
from interp.kinds.ndp.streams import streams
from interp.machine.composition import Machine
from interp.machine.near_data import as_near_data
from interp.walk.level import device_of
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget


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
    launched: dict[str, Any] = {name: sum(each.launches * getattr(each, name) for each in found) for name in COUNTED}
    total = NearDataProgram("all launches", sum(each.launches for each in found), bound="", **launched)
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


COUNTED = (
    *("phases", "elements", "inputs", "outputs", "reductions", "ops", "lines"),
    *("bytes", "unit_cycles", "cycles"),
)
"""The fields of `NearDataProgram` that hold for one launch, and that the row of all launches sums up."""
COLUMNS = ("program", "launches", *(name.replace("_", " ") for name in COUNTED), "bound")


@dataclass(frozen=True)
class NdpTarget(AnswerTarget[NearDataAnswer]):
    """A table of all near-data programs, with numbers for one launch each: phases; elements of the largest phase; loads
    (inputs), stores (outputs), reductions and other ops in the program's text, in all phases together; lines of the
    program; bytes from and to memory; cycles of the unit with the most elements, and cycles with its waits for the
    memory behind all units; and the component that limits the time. The last row adds up all launches. After `to-ndp`
    the table shows the unoptimized programs; after each further pass, it shows the savings of that pass. `json`: the
    answer as JSON."""

    name: ClassVar[str] = "ndp"

    def answer(self, module: ModuleOp) -> NearDataAnswer:
        return near_data_answer(Run.of(module))

    def text(self, answer: NearDataAnswer) -> str:
        return table(COLUMNS, [_cells(each) for each in (*answer.programs, answer.total)], left=[0, 12])


def _cells(one: NearDataProgram) -> tuple[str, ...]:
    numbers = (getattr(one, name) for name in COUNTED)
    return one.name, str(one.launches), *(f"{number:,.0f}" for number in numbers), one.bound
