"""Branch and bound over schedules of a product: the fastest one on the clock of thread blocks, with a bound on any.

A closed formula bounds all schedules of a space at once: matrix units, shared memory and memory can't do less than
their work. What may still be faster than the best so far is tried on the clock: what the closed model of
lowering/tile/search/ranking.py ranks first, then what differs from the best in a knob or two. Where no trials are left,
the bound on a schedule's outline is asked for (interp/tile/bounds.py), which follows a block through its barriers, so
that the answer says by how much it may fall short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from lowering.tile.search.spaces import Integers, Space, extended, kind_of, published
from lowering.tile.search.trials import simulated_ns

GAP = 0.005
"""Fraction of the best time below which nothing is searched for any longer."""


RANKED = 3
"""Part of the trials that goes to the first ones of the closed model."""
NEAR = 2
"""Steps of knobs by which a schedule may differ from the best so far and still be like it."""


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
    moved = 0.0 if unit.warm else _moved_at_least(problem)  # all of it may be in a warm cache
    memory = moved / (unit.dram_bytes * unit.count * known.dram)
    cycles = _by_loops(problem, space, lambda problem, space: _busy(problem, space, unit, known))
    return np.where(np.isfinite(cycles), np.maximum(cycles, memory) / unit.clock_hz * 1e9, np.inf)


def _busy(problem: Problem, space: Space, unit: Multiprocessor, known: Constants) -> Floats:
    """Cycles for which the matrix units or shared memory of the busiest multiprocessor are kept."""
    blocks = blocks_of(problem, space, unit)
    depth = np.minimum(space["instruction"], space["block_k"])
    rows, columns = space["block_m"] / space["warps_m"], space["block_n"] / space["warps_n"]
    rate = unit.multiply_rate(problem.element, problem.accumulator) * known.matrix / PARTITIONS
    product = _at_least(2 * rows * columns * depth / rate)
    read = _at_least((rows + columns) * depth * ELEMENT_BYTES[problem.element] / (SHARED_BYTES * known.shared))
    # Blocks begin in waves, whose warps share the matrix units of all parts of a multiprocessor.
    each, held = blocks.each(unit), np.maximum(blocks.held, 1)
    waves, rest = np.divmod(each, held)
    fullest = waves * np.ceil(held * blocks.warps / PARTITIONS) + np.ceil(rest * blocks.warps / PARTITIONS)
    least = blocks.count / unit.count * blocks.warps  # stream-K shares turns evenly
    streams = space["stream"] == 1
    matrix = product * np.where(streams, least / PARTITIONS, fullest)
    shared = read * np.where(streams, least, each * blocks.warps)
    found = np.maximum(matrix, shared) * -(-space["block_k"] // depth) * blocks.iterations
    return np.where(blocks.held > 0, found, np.inf)


def _by_loops(problem: Problem, space: Space, function: Callable[[Problem, Space], Floats]) -> Floats:
    """A function of a problem and a space, in which a convolution is a plain product under those schedules that give
    its kernel one loop over all of K: whose tiles do not divide its channels, or that split K."""
    if (found := problem.convolution) is None:
        return function(problem, space)
    flat = (found.channels_in % space["block_k"] != 0) | (space["split"] > 1)
    result = np.empty(len(space))
    for mine, each in ((flat, replace(problem, convolution=None)), (~flat, problem)):
        result[mine] = function(each, space.take(mine))
    return result


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
    outlines: int = 0,
    wide: bool = False,
) -> Best | None:
    """The fastest schedule of a problem, with a bound on all of a space; None if no multiprocessor holds a block of
    any.

    `space`: the published one of the problem's kind by default; `wide`: from the best of that on, search ours, with K
    in parts or shared evenly, peeled loops, any number of stages and orders of blocks, by as many trials again.
    `trials` on the clock and bounds of `outlines`, at the most.
    """
    if space is None:
        space = published(kind_of(problem))
    found = _Search(problem, unit, constants, space).run(trials, outlines)
    if not wide or found is None:
        return found
    ours = _Search(problem, unit, constants, extended(kind_of(problem)))
    ours.begin(found)
    return ours.run(found.trials + trials, outlines)


class _Search:
    """Schedules of a space that may still be faster than the best so far."""

    def __init__(self, problem: Problem, unit: Multiprocessor, constants: Constants | None, space: Space) -> None:
        self.problem, self.unit, self.space = problem, unit, space
        self.constants = constants_of(unit) if constants is None else constants
        self.rated = slowed(unit, self.constants)
        self.coarse = coarse_ns(problem, space, unit, self.constants)
        self.estimate = _by_loops(
            problem, space, lambda problem, space: analytical_ns(problem, space, unit, self.constants)
        )
        self.steps = np.stack([np.unique(values, return_inverse=True)[1] for values in space.knobs.values()], 1)
        """Of each schedule, which of the values that a knob has in the space it has."""
        self.ns, self.schedule, self.place = inf, None, 0
        self.trials = self.bounded = 0
        self.met: set[Schedule] = set()
        self.left = inf
        """The least bound of schedules that are left without a trial."""

    def begin(self, best: Best) -> None:
        """Take the best schedule of another space as the best so far."""
        self.ns, self.schedule, self.trials = best.ns, best.schedule, best.trials
        self.met.add(self._same(best.schedule))
        knobs = Space.of([best.schedule]).knobs
        away = sum(np.abs(values - knobs[name]) for name, values in self.space.knobs.items())
        self.place = int(np.argmin(away))

    def run(self, trials: int, outlines: int) -> Best | None:
        """Try what may be faster: the first ones of the closed model, then what is like the best so far, then others in
        the order of the closed model."""
        places = np.argsort(self.estimate, kind="stable")
        places = places[np.isfinite(self.coarse[places])]
        first = iter(places.tolist())
        if self.schedule is None:
            self._try_all(first, trials // RANKED)
        center: Schedule | None = None
        while self.trials < trials and self.schedule is not center:
            center = self.schedule
            self._try_all(iter(self._near().tolist()), trials)
        self._try_all(first, trials)
        if self.schedule is None:
            return None
        rest = np.fromiter(first, np.int64)
        left = self.coarse[rest] < self.ns * (1 - GAP)
        for place in rest[left].tolist():
            if self.bounded >= outlines:
                break
            tried = self._same(schedule := self.space.schedule(place)) in self.met
            self.coarse[place] = self.ns if tried else max(float(self.coarse[place]), self._least(schedule))
        least = min(self.ns, self.left, float(self.coarse[rest].min(initial=inf)))
        return Best(self.schedule, self.ns, least, self.trials, self.bounded)

    def _try_all(self, places: Iterator[int], trials: int) -> None:
        """Try what may be faster, until there have been so many trials."""
        while self.trials < trials and (place := next(places, None)) is not None:
            if self._left(float(self.coarse[place])):
                continue
            schedule = self.space.schedule(place)
            if (same := self._same(schedule)) not in self.met:
                self.met.add(same)
                self._try(schedule, place)

    def _near(self) -> Integers:
        """Places of schedules that differ from the best in one or two steps of knobs, in the order of the model."""
        away = np.abs(self.steps - self.steps[self.place]).sum(1)
        near = np.flatnonzero((away <= NEAR) & np.isfinite(self.coarse))
        return near[np.argsort(self.estimate[near], kind="stable")]

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

    def _try(self, schedule: Schedule, place: int) -> None:
        self.trials += 1
        ns = simulated_ns(self.problem, schedule, self.unit, self.constants)
        if ns < self.ns:
            self.ns, self.schedule, self.place = ns, schedule, place

    def _same(self, schedule: Schedule) -> Schedule:
        """The schedule of the same kernel whose stages are those that its loops have turns for."""
        iterations = -(-self.problem.k // schedule.block[2])
        stages = schedule.stages if schedule.stream else min(schedule.stages, -(-iterations // schedule.split))
        steps = -(-schedule.block[2] // schedule.instruction)
        peeled = schedule.peeled and (stages > 1 or schedule.register_stages > 1)
        return replace(
            schedule, stages=stages, register_stages=min(schedule.register_stages, max(steps, 1)), peeled=peeled
        )
