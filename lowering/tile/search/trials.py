"""Trials of schedules: the time of a problem's kernel under a schedule, simulated event by event."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from dialects.tile.loops import WARP
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.tile.clock import time_of
from interp.tile.work import occupancy
from lowering.tile.outlines import outline_of_schedule
from lowering.tile.schedule import Problem, Schedule


def simulated_ns(problem: Problem, schedule: Schedule, unit: Multiprocessor) -> float:
    """Return the time of a problem's kernel under a schedule, in ns; infinite if a multiprocessor can't hold a thread
    block of the kernel.

    The time excludes the launch of the first grid; each later grid adds a launch.
    """
    if schedule.stream == 1:
        schedule = streaming(problem, schedule, unit)
    rated = unit.slowed()
    total = -unit.launch_ns
    for outline in outline_of_schedule(problem, schedule, rated):
        time = time_of(outline, unit)
        if time is None:
            return inf
        total += unit.launch_ns + time.ns
    return total


def streaming(problem: Problem, schedule: Schedule, unit: Multiprocessor) -> Schedule:
    """Return the schedule as a stream-K schedule in which as many thread blocks as a GPU runs at once share all
    iterations."""
    outline = outline_of_schedule(problem, replace(schedule, stream=0, split=1), unit)[0]
    held = occupancy(outline.shared_bytes, outline.registers, outline.warps * WARP, unit)
    return replace(schedule, stream=max(1, held.blocks) * unit.count, split=1)
