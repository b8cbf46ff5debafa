"""Trials of schedules: the time of a problem's kernel under a schedule, simulated event by event."""

from __future__ import annotations

from math import inf

from interp.machine.multiprocessor import Multiprocessor
from interp.tile.clock import Constants, constants_of, slowed, time_of
from interp.tile.outline import outline_of
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.templates import pipelined_kernel


def simulated_ns(
    problem: Problem, schedule: Schedule, unit: Multiprocessor, constants: Constants | None = None
) -> float:
    """The time of a problem's kernel under a schedule, in ns; infinite if no multiprocessor holds a thread block of it.

    It begins with the first grid (its launch is not in it); each grid after the first one adds a launch. `constants`:
    those of the GPU's family by default.
    """
    found = constants_of(unit) if constants is None else constants
    rated = slowed(unit, found)
    total = -unit.launch_ns
    for grid in pipelined_kernel(problem, schedule).grids:
        time = time_of(outline_of(grid, rated), unit, found)
        if time is None:
            return inf
        total += unit.launch_ns + time.ns
    return total
