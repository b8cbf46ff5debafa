"""The schedule of a product that the clock of thread blocks finds the fastest, among the tiles of libraries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, inf

from interp.machine.multiprocessor import Multiprocessor
from interp.tile.clock import Constants
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.search.trials import simulated_ns

TILES: tuple[tuple[tuple[int, int], tuple[int, int]], ...] = (
    ((256, 128), (4, 2)),
    ((128, 256), (2, 4)),
    ((128, 128), (2, 2)),
    ((128, 64), (2, 2)),
    ((64, 128), (2, 2)),
    ((64, 64), (2, 2)),
    ((64, 32), (2, 1)),
    ((32, 64), (1, 2)),
    ((32, 32), (1, 1)),
)
"""Rows and columns of the tiles that libraries have, and of the warps that share one."""
SMALLEST = min(side for tile, _ in TILES for side in tile)
DEPTHS = (32, 64)
"""K of tiles."""
PIPELINED = ((2, True), (3, True), (4, True))
UNPIPELINED = ((1, True), (1, False))
"""Stages of shared memory, and whether copies to it are asynchronous."""
PAD = 8
"""Elements behind each row in shared memory, so that rows of fragments lie in different banks."""


@dataclass(frozen=True)
class Choice:
    """The schedule that was chosen for a product, and the time of its kernel without launch."""

    schedule: Schedule
    ns: float
    lost: tuple[tuple[Schedule, float], ...] = ()
    """Others with their times, the fastest first."""


def choice_of(
    problem: Problem,
    unit: Multiprocessor,
    schedules: Iterable[Schedule],
    constants: Constants | None = None,
) -> Choice | None:
    """The fastest of some schedules of a product on a GPU; None if its multiprocessors hold a block of none. What can't
    be faster than the best so far, even at the peak rate, is not simulated."""
    tried, best = list[tuple[Schedule, float]](), inf
    for schedule in sorted(schedules, key=lambda each: _least_ns(problem, each, unit)):
        if _least_ns(problem, schedule, unit) >= best:
            break
        tried.append((schedule, simulated_ns(problem, schedule, unit, constants)))
        best = min(best, tried[-1][1])
    held = sorted(((schedule, ns) for schedule, ns in tried if ns < inf), key=lambda each: each[1])
    return Choice(*held[0], tuple(held[1:])) if held else None


def schedules_of(
    problem: Problem, ways: Iterable[tuple[int, bool]] = PIPELINED, depths: Iterable[int] = DEPTHS
) -> Iterator[Schedule]:
    """Schedules of the tiles that are less than twice as large as the product, as far as there are such; `ways`: of how
    many stages, and whether copies are asynchronous; `depths`: K of tiles. There are no more stages than the loop over
    K has turns."""
    for (m, n), warps in TILES:
        if m >= 2 * max(problem.m, SMALLEST) or n >= 2 * max(problem.n, SMALLEST):
            continue
        for k in depths:
            turns = ceil(problem.k / k)
            found = {(min(stages, turns), asynchronous) for stages, asynchronous in ways}
            for stages, asynchronous in sorted(found):
                yield Schedule((m, n, k), warps, stages=stages, asynchronous=asynchronous, pad=PAD)


def _least_ns(problem: Problem, schedule: Schedule, unit: Multiprocessor) -> float:
    """A time that no kernel with these tiles can beat: the products of the busiest multiprocessor at the peak rate."""
    m, n, k = schedule.block
    blocks = problem.batch * ceil(problem.m / m) * ceil(problem.n / n)
    flops = 2 * m * n * k * ceil(problem.k / k) * ceil(blocks / unit.count)
    return flops / unit.multiply_rate(problem.element, problem.accumulator) / unit.clock_hz * 1e9
