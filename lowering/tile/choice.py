"""The schedule of a product that the clock of thread blocks finds the fastest, among the tiles of libraries."""

from __future__ import annotations

from collections.abc import Iterator
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
STAGES = (2, 3, 4)
PAD = 8
"""Elements behind each row in shared memory, so that rows of fragments lie in different banks."""


@dataclass(frozen=True)
class Choice:
    """The schedule that was chosen for a product, and the time of its kernel without launch."""

    schedule: Schedule
    ns: float


def choice_of(
    problem: Problem, unit: Multiprocessor, constants: Constants | None = None, pipelined: bool = True
) -> Choice | None:
    """The fastest schedule of a product on a GPU, among those with stages or, not `pipelined`, those without; None if
    no tile fits its multiprocessors. Tiles that can't be faster than what was found, even at the peak rate, are not
    simulated."""
    best: Choice | None = None
    for schedule in sorted(_schedules(problem, pipelined), key=lambda each: _least_ns(problem, each, unit)):
        if best is not None and _least_ns(problem, schedule, unit) >= best.ns:
            break
        ns = simulated_ns(problem, schedule, unit, constants)
        if ns < (inf if best is None else best.ns):
            best = Choice(schedule, ns)
    return best


def _schedules(problem: Problem, pipelined: bool) -> Iterator[Schedule]:
    """Tiles that are less than twice as large as the product, as far as there are such, with as many stages as a loop
    has turns at the most."""
    ways = [(stages, True) for stages in STAGES] if pipelined else [(1, True), (1, False)]
    for (m, n), warps in TILES:
        if m >= 2 * max(problem.m, SMALLEST) or n >= 2 * max(problem.n, SMALLEST):
            continue
        for k in DEPTHS:
            turns = ceil(problem.k / k)
            for stages, asynchronous in ways:
                if stages > max(turns, ways[0][0]):
                    continue
                yield Schedule((m, n, k), warps, stages=stages, asynchronous=asynchronous, pad=PAD)


def _least_ns(problem: Problem, schedule: Schedule, unit: Multiprocessor) -> float:
    """A time that no kernel with these tiles can beat: the products of the busiest multiprocessor at the peak rate."""
    m, n, k = schedule.block
    blocks = problem.batch * ceil(problem.m / m) * ceil(problem.n / n)
    flops = 2 * m * n * k * ceil(problem.k / k) * ceil(blocks / unit.count)
    return flops / unit.multiply_rate(problem.element, problem.accumulator) / unit.clock_hz * 1e9
