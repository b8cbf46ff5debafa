"""Which fact of a memory system would help a program most: the same plan with twice as much of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError, working
from dialects.hw import DeviceOp, LinkOp, SheetOp
from interp.machine.composition import record_of
from interp.machine.device import Device
from interp.machine.memory_system import MemorySystem
from interp.machine.records import Link
from interp.machine.sheets.fields import KINDS, Field
from interp.machine.sheets.units import in_unit
from interp.schedule.simulation import simulate
from lowering.banks.templates import clock_for
from lowering.placement.sensitivity import changed, machine_ops_of

TWICE, HALF = 2.0, 0.5
FACTS: dict[str, float] = {
    "memory": TWICE,
    "read": TWICE,
    "write": TWICE,
    "bandwidth": TWICE,
    "fault.service": TWICE,
    "fault.latency": HALF,
}
"""What of a tier, or of a link to one, is changed, and by how much."""
OF_HOME = ("memory",)
"""What of the device itself."""


@dataclass(frozen=True)
class Worth:
    """What a fact is worth: its name as after `--set`, its value and the other one as text, and the time of the program
    at that, ns; None where it can't run so."""

    name: str
    stated: str
    other: str
    ns: float | None


def worths(module: ModuleOp, system: MemorySystem, entry: str | None = None) -> list[Worth]:
    """What a program takes with each fact of a memory system changed, all else and the plan as they are; those that
    help most first."""
    ops = machine_ops_of(module)
    found: list[Worth] = []
    for place, field, value in _facts(ops, system):
        working(f"what {field.path} is worth")
        other, record = value * FACTS[field.path], record_of(ops[place])
        try:
            with changed(ops, [place], {field.path: f"{other:.17g} {field.unit}"}):
                ns = simulate(module, clock_for(module), entry).makespan_ns
        except InputError:
            ns = None
        stated = in_unit(value, field.unit), in_unit(other, field.unit)
        found.append(Worth(f"{_name(ops[place], record)}.{field.path}", *stated, ns))
    return sorted(found, key=lambda worth: float("inf") if worth.ns is None else worth.ns)


def _facts(ops: list[SheetOp], system: MemorySystem) -> Iterator[tuple[int, Field, float]]:
    """The `hw` op of each fact, by its number, the fact's field, and its value."""
    tiers = {tier.name for tier in system.tiers}
    for place, op in enumerate(ops):
        record = record_of(op)
        if isinstance(op, DeviceOp) and op.sym_name.data in tiers:
            paths = [path for path in FACTS if path != "bandwidth"]
        elif isinstance(op, DeviceOp) and op.sym_name.data == system.device:
            paths = OF_HOME
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
