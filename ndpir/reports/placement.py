"""The placement of a run: the device of each task, and the weights that each device holds from the start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from dialects.element_types import byte_count
from dialects.task import DecisionAttr, ResidentOp, RunOp, YieldOp, placed
from dialects.task.decision import DECISION
from interp.walk.entry import functions
from ndpir.reports.run import Run


@dataclass(frozen=True)
class PlacedTask:
    """A task and its device."""

    name: str
    on: str
    ops: tuple[str, ...]
    """The names of the task's ops, in order."""
    place: str
    """The line of the program that the task comes from."""
    times: int
    """The number of times that the task runs."""
    ns: float
    """The time of one run of the task."""
    decision: str | None
    """The decision on a task that near-data units can run, as one word; null if none was made."""


@dataclass(frozen=True)
class ResidentWeight:
    """A weight or constant that a device holds before the program starts."""

    name: str
    """The name of the weight; empty for a constant or a value without a name."""
    on: str
    tier: str | None
    """The memory tier that holds the weight at the start; null if the device's own memory does."""
    bytes: int
    """The size of the weight; a PIM, which stores weights in entire rows, may need more bytes for it."""


@dataclass(frozen=True)
class PlacementAnswer:
    """The device of each task, in program order within each loop, and that of each weight."""

    primary: str
    """The device on which the program starts and ends."""
    tasks: tuple[PlacedTask, ...]
    residents: tuple[ResidentWeight, ...]
    """The weights and constants on each device; empty for a program that is not placed."""


def placement_answer(run: Run) -> PlacementAnswer:
    """The placement of a run."""
    tasks = (
        PlacedTask(
            event.name,
            event.resource,
            tuple(_ops_of(event.op)),
            event.place,
            times,
            event.cost.ns,
            _decision(event.op),
        )
        for event, times, _ in run.timeline.tasks()
        if not event.is_copy
    )
    return PlacementAnswer(run.clock.machine.primary, tuple(tasks), tuple(_residents(run)))


def _ops_of(op: Operation) -> Iterator[str]:
    ops = op.body.block.ops if isinstance(op, RunOp) else (op,)
    return (each.name for each in ops if not isinstance(each, YieldOp))


def _decision(op: Operation) -> str | None:
    decision = op.attributes.get(DECISION)
    return decision.word.data if isinstance(decision, DecisionAttr) else None


def _residents(run: Run) -> Iterator[ResidentWeight]:
    if not functions(run.module):
        return
    for op in run.module.walk():
        if isinstance(op, ResidentOp):
            name = _name_of(op)
            yield ResidentWeight(name, placed(op.placed).place, op.starts_at, byte_count(placed(op.placed).tensor))


def _name_of(op: ResidentOp) -> str:
    """The name of the weight from which a resident value is computed; empty if the weight has no name."""
    value = op.value
    while isinstance(maker := value.owner, Operation):
        symbol = getattr(maker, "sym", None)
        if isinstance(symbol, StringAttr):
            return symbol.data
        if len(maker.operands) != 1:
            break
        value = maker.operands[0]
    return op.value.name_hint or ""
