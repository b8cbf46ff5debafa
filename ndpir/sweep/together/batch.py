"""Points of a sweep that differ only in timing parameters of PIMs, timed together.

If no pass of a point needs the machine, all these points run the same program. Its bank programs are then timed for all
of them at once (interp/kinds/pim/timing/variants/), and so are tasks that follow each other. The figures equal those of
each point alone, to the last digit. Other points are evaluated one by one: those of programs whose tasks overlap, share
resources, or have a baseline or a plan to be compared with; those of machines with calibrated boards; and single points
with invalid numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dialects.diagnostics import InputError
from dialects.hw import DeviceOp
from dialects.task import RunOp
from interp.kinds.pim.timing.variants.clock import FEWEST
from interp.machine.composition import Machine
from interp.machine.sheets.varied import Unvaried, varied
from interp.machine.variants import PimVariants
from interp.simulate.schedule.many import ManyTotals, is_plain, totals_of_many
from interp.simulate.schedule.timeline import Event
from interp.walk.level import is_launch, is_program, level_with, program_of
from ndpir.compiler.settings import names_of, settings_of
from ndpir.reports.columns import Figure
from ndpir.reports.run import Run
from ndpir.sweep.axes import number
from ndpir.sweep.request import Variant, variant_of
from ndpir.sweep.structures import Structure, Table

Reals = NDArray[np.float64]


class Apart(Exception):
    """Raised for points that must be evaluated one by one."""


@dataclass
class Batch:
    """The figures of points of one structure. `module`: the program of one of them, after all passes; `row`: its
    figures."""

    module: ModuleOp
    row: Mapping[str, Figure]
    timings: tuple[str, ...]

    def __post_init__(self) -> None:
        run = Run(self.module)
        self.timeline, self.clock = run.timeline, run.clock
        compared = run.baseline[0] is not None or run.prediction is not None
        if compared or self.timeline.metered or not is_plain(self.timeline, self.clock):
            raise Apart

    def figures(self, values: Sequence[Sequence[str]]) -> tuple[Table, NDArray[np.bool_]]:
        """The figures of points, and False for those that must be evaluated alone. `values`: the values of each timing
        parameter as texts, one for each point. Raises Apart if all points must be evaluated alone."""
        devices, usable = varied_devices(self.module, self.clock.machine, self.timings, values)
        events, count = self.timeline.events, len(usable)
        ns, nj = np.zeros((len(events), count)), np.zeros((len(events), count))
        for index, event in enumerate(events):
            ns[index], nj[index] = event.cost.ns, event.cost.energy_nj
            if event.resource not in devices:
                continue
            program, variants = self._program(event), devices[event.resource]
            try:
                costs = level_with(program).varied_costs(program, variants)
            except InputError:
                raise Apart from None
            if costs is None:
                raise Apart
            ns[index], nj[index] = costs.ns, costs.energy_nj
            usable[list(costs.alone)] = False
        return self._table(ns, nj, devices, usable), usable

    def _program(self, event: Event) -> Operation:
        """The device program of a task that only launches it."""
        work = self.clock.work_of(event.op, event.resource) if isinstance(event.op, RunOp) else [event.op]
        programs = {each: each if is_program(each) else program_of(each) if is_launch(each) else None for each in work}
        found = [program for program in programs.values() if program is not None]
        others = [each for each, program in programs.items() if program is None]
        if len(found) != 1 or any(self.clock.op_cost(each, event.resource).ns for each in others):
            raise Apart
        return found[0]

    def _table(self, ns: Reals, nj: Reals, devices: Mapping[str, PimVariants], usable: NDArray[np.bool_]) -> Table:
        """The figures that depend on times and energies."""
        ns, idle_w = np.where(usable, ns, 1.0), {name: each.idle_w for name, each in devices.items()}
        return Table(dict(self.row), columns_of(totals_of_many(self.timeline, self.clock, ns, nj, nj, idle_w)))


def columns_of(totals: ManyTotals) -> dict[str, Reals]:
    """The figures of many timelines, by column."""
    return {
        "makespan_ns": totals.makespan_ns,
        "energy_nj": totals.energy_nj,
        "bound_ns": totals.bound_ns,
        "gap": totals.gap,
        "serial_ns": totals.serial_ns,
        **{f"busy_ns.{name}": each for name, each in totals.busy_ns.items()},
    }


def varied_devices(
    module: ModuleOp, machine: Machine, timings: Sequence[str], values: Sequence[Sequence[str]]
) -> tuple[dict[str, PimVariants], NDArray[np.bool_]]:
    """The variants of each PIM of a program's machine whose timing parameters differ, by name, and True for points with
    valid numbers. `timings`: the names of the parameters in settings; `values`: as in `Batch.figures`. Raises Apart."""
    usable = np.ones(len(values[0]), np.bool_)
    settings = settings_of([f"{name}=0" for name in timings])
    ops = [op for op in module.body.block.ops if isinstance(op, DeviceOp)]
    found: dict[str, PimVariants] = {}
    fields: dict[str, dict[str, list[int | float | str]]] = {}
    for place, setting in enumerate(settings):
        for op in ops:
            if setting.name in names_of(op):
                column = fields.setdefault(op.sym_name.data, {})
                numbers = {text: number(text) for text in set(values[place])}
                column[setting.field] = [numbers[text] for text in values[place]]
    for op in ops:
        name = op.sym_name.data
        if name not in fields:
            continue
        changes = {field: value for field, value in op.changed().items() if field not in fields[name]}
        try:
            found[name], refused = varied(machine.devices[name], op.sheet.data, changes, fields[name], op)
        except (Unvaried, InputError):
            raise Apart from None
        usable &= ~refused
    return found, usable


def in_batch(
    structure: Structure,
    compiled: Callable[[Variant], ModuleOp | None],
    row_of: Callable[[int], Mapping[str, Figure]],
) -> tuple[Table, NDArray[np.intp]] | None:
    """The figures of those points of a structure that can be timed together, and their positions among its points;
    None if there are none. `compiled`: the program of a variant after all passes, None if they depend on its machine;
    `row_of`: the figures of the point at a position, evaluated alone; empty if it fails."""
    if len(structure.points) < FEWEST or not structure.timings:
        return None
    names, values = structure.settings()
    # The figures of two points, evaluated alone, must be equal to those from the batch.
    alone = {place: row_of(place) for place in (0, len(structure.points) - 1)}
    base = next((place for place, row in alone.items() if row), None)
    if base is None or (module := compiled(variant_of(structure.request, structure.points[base]))) is None:
        return None
    try:
        table, usable = Batch(module, alone[base], names).figures(values)
    except Apart:
        return None
    if any(usable[place] and row and table.row(place) != dict(row) for place, row in alone.items()):
        return None
    places = np.flatnonzero(usable)
    return table.at(places), places
