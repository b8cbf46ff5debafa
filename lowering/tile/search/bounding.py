"""Branch and bound over schedules of a product: the fastest one on the clock of thread blocks, with a bound on any.

A closed formula bounds all schedules of a space at once: matrix units, shared memory and memory can't do less than
their work. What may still be faster than the best so far is tried on the clock, those first that the closed model of
lowering/tile/search/ranking.py ranks first. Where no trials are left, the bound on a schedule's outline is asked for
(interp/tile/bounds.py), which follows a block through its barriers, so that the answer says by how much it may fall
short.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, prod

import numpy as np

from interp.machine.multiprocessor import PARTITIONS, SHARED_BYTES, Multiprocessor
from interp.machine.records import ELEMENT_BYTES
from interp.tile.bounds import least_ns
from interp.tile.clock import Constants, constants_of, slowed
from interp.tile.events import TICKS
from lowering.limits import LIMITS
from lowering.tile.outlines import outline_of_schedule
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.search.ranking import Floats, analytical_ns, blocks_of
from lowering.tile.search.spaces import Space, extended, kind_of, published
from lowering.tile.search.trials import simulated_ns

GAP = 0.005
"""Fraction of the best time below which nothing is searched for any longer."""


@dataclass(frozen=True)
class Best:
    """The fastest schedule that was found and its time in ns without launch; `bound`: no schedule of the space is
    faster; `trials` on the clock, and `bounded` outlines."""

    schedule: Schedule
    ns: float
    bound: float
    trials: int
    bounded: int

    @property
    def gap(self) -> float:
        """Fraction of its time by which another schedule may be faster, at most."""
        return 1 - self.bound / self.ns


def coarse_ns(problem: Problem, space: Space, unit: Multiprocessor, constants: Constants | None = None) -> Floats:
    """A bound on the time of a problem's kernel under each schedule, in ns: the products and reads of the busiest
    multiprocessor, and the bytes that come from memory at least once. Infinite where no multiprocessor holds a
    block."""
    known = constants_of(unit) if constants is None else constants
    blocks = blocks_of(problem, space, unit)
    depth = np.minimum(space["instruction"], space["block_k"])
    rows, columns = space["block_m"] / space["warps_m"], space["block_n"] / space["warps_n"]
    rate = unit.multiply_rate(problem.element, problem.accumulator) * known.matrix / PARTITIONS
    product = _at_least(2 * rows * columns * depth / rate)
    read = _at_least((rows + columns) * depth * ELEMENT_BYTES[problem.element] / (SHARED_BYTES * known.shared))
    steps = -(-space["block_k"] // depth)
    turn = steps * np.maximum(blocks.warps / PARTITIONS * product, blocks.warps * read)
    evenly = blocks.count * (-(-problem.k // space["block_k"])) / unit.count  # stream-K
    units = np.where(space["stream"] == 1, evenly, blocks.each(unit) * blocks.turns) * turn
    memory = (0 if unit.warm else _moved_at_least(problem)) / (unit.dram_bytes * unit.count * known.dram)
    return np.where(blocks.held > 0, np.maximum(units, memory) / unit.clock_hz * 1e9, np.inf)


def _at_least(cycles: Floats) -> Floats:
    """Cycles as the clock counts them, in whole ticks that may be rounded down."""
    return np.floor(cycles * TICKS) / TICKS


def _moved_at_least(problem: Problem) -> float:
    """Bytes that come from memory and go there if each element does once."""
    size, result = ELEMENT_BYTES[problem.element], ELEMENT_BYTES[problem.result]
    first = problem.batch * problem.m * problem.k
    if (found := problem.convolution) is not None:
        first = min(first, found.batch * prod(found.spatial) * found.channels_in)
        if max(found.strides) > 1:  # pixels between windows need not be read
            first = 0
    second = problem.batch * problem.n * problem.k
    return (first + second) * size + problem.batch * problem.m * problem.n * result


def best_schedule(
    problem: Problem,
    unit: Multiprocessor,
    constants: Constants | None = None,
    space: Space | None = None,
    trials: int = LIMITS.tile_trials,
    outlines: int = LIMITS.tile_outlines,
    wide: bool = False,
) -> Best | None:
    """The fastest schedule of a problem, with a bound on all of a space; None if no multiprocessor holds a block of
    any. `space`: the published one of the problem's kind by default, or, `wide`, ours with K in parts, peeled loops,
    any number of stages and orders of blocks; `trials` on the clock and bounds of
    `outlines`, at the most."""
    if space is None:
        kind = kind_of(problem)
        space = extended(kind) if wide else published(kind)
    return _Search(problem, unit, constants, space).run(trials, outlines)


class _Search:
    """Schedules of a space that may still be faster than the best so far."""

    def __init__(self, problem: Problem, unit: Multiprocessor, constants: Constants | None, space: Space) -> None:
        self.problem, self.unit, self.space = problem, unit, space
        self.constants = constants_of(unit) if constants is None else constants
        self.rated = slowed(unit, self.constants)
        self.coarse = coarse_ns(problem, space, unit, self.constants)
        self.estimate = analytical_ns(problem, space, unit, self.constants)
        self.ns, self.schedule = inf, None
        self.trials = self.bounded = 0
        self.met: set[Schedule] = set()
        self.left = inf
        """The least bound of schedules that are left without a trial."""

    def run(self, trials: int, outlines: int) -> Best | None:
        """Try what may be faster, in the order of the closed model."""
        for place in np.argsort(self.estimate, kind="stable"):
            least = float(self.coarse[place])
            if least == inf or self._left(least):
                continue
            schedule = self.space.schedule(int(place))
            if (same := self._same(schedule)) in self.met:
                continue
            self.met.add(same)
            if self.trials < trials:
                self._try(schedule)
            elif self.bounded < outlines:
                self.left = min(self.left, max(least, self._least(schedule)))
            else:
                self.left = min(self.left, least)
        if self.schedule is None:
            return None
        return Best(self.schedule, self.ns, min(self.ns, self.left), self.trials, self.bounded)

    def _left(self, least: float) -> bool:
        """True if a schedule with this bound is no longer worth a trial."""
        if least < self.ns * (1 - GAP):
            return False
        self.left = min(self.left, least)
        return True

    def _least(self, schedule: Schedule) -> float:
        """A bound on a schedule's time, from its outlines."""
        self.bounded += 1
        total = -self.unit.launch_ns
        for outline in outline_of_schedule(self.problem, schedule, self.rated):
            if (least := least_ns(outline, self.unit, self.constants)) is None:
                return inf
            total += self.unit.launch_ns + least
        return total

    def _try(self, schedule: Schedule) -> None:
        self.trials += 1
        ns = simulated_ns(self.problem, schedule, self.unit, self.constants)
        if ns < self.ns:
            self.ns, self.schedule = ns, schedule

    def _same(self, schedule: Schedule) -> Schedule:
        """The schedule of the same kernel whose stages are those that its loops have turns for."""
        turns = -(-self.problem.k // schedule.block[2])
        stages = schedule.stages if schedule.stream else min(schedule.stages, -(-turns // schedule.split))
        steps = -(-schedule.block[2] // schedule.instruction)
        peeled = schedule.peeled and (stages > 1 or schedule.register_stages > 1)
        return replace(
            schedule, stages=stages, register_stages=min(schedule.register_stages, max(steps, 1)), peeled=peeled
        )
