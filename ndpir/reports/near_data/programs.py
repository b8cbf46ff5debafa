"""`-t ndp`: the counts and cycles of each near-data program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from dialects.text.columns import table
from ndpir.reports.near_data.answers import NearDataAnswer, NearDataProgram, near_data_answer
from ndpir.reports.run import Run
from ndpir.reports.target import AnswerTarget

COLUMNS = (
    *("program", "launches", "phases", "elements", "inputs", "outputs", "reductions", "ops", "lines"),
    *("bytes", "unit cycles", "cycles", "bound"),
)


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
    counts = (one.phases, one.elements, one.inputs, one.outputs, one.reductions, one.ops, one.lines)
    numbers = (*counts, one.bytes, one.unit_cycles, one.cycles)
    return one.name, str(one.launches), *(f"{number:,.0f}" for number in numbers), one.bound
