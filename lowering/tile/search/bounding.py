"""Branch and bound over schedules of a product: the fastest simulated schedule, and a lower bound on the times of all
others.

An analytical formula bounds all schedules of a space at once, by the work of matrix units, shared memory and DRAM.
Schedules whose bound is below the best time are simulated: first those that the analytical model in
lowering/tile/search/ranking.py ranks first, then those that differ from the best one in one or two options. The bounds
of all others show how far the result can be from the optimum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf, prod

import numpy as np

from interp.kinds.gpu.multiprocessor import PARTITIONS, SHARED_BYTES, Multiprocessor
from interp.machine.records import ELEMENT_BYTES
from interp.tile.events import TICKS
from lowering.limits import LIMITS
from lowering.solve.climbing import Budget, improve
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.search.ranking import Floats, analytical_ns, blocks_of
from lowering.tile.search.spaces import Space, extended, kind_of, published
from lowering.tile.search.trials import simulated_ns

GAP = 0.005
"""Fraction of the best time below which possible gains are ignored."""
RANKED = 3
"""Divisor of the number of trials: 1 / RANKED of the trials are made with the schedules that the analytical model ranks
first."""
NEIGHBOUR_STEPS = 2
"""Maximum number of option steps between the best schedule and its neighbours."""


@dataclass(frozen=True)
class Best:
    """Fastest schedule found, and its time in ns without launch. `bound`: lower bound in ns on the times of all
    schedules of the space; `trials`: number of simulated schedules."""

    schedule: Schedule
    ns: float
    bound: float
    trials: int


def coarse_ns(problem: Problem, space: Space, unit: Multiprocessor) -> Floats:
    """Return a lower bound on the time of a problem's kernel under each schedule, in ns: the products and reads of the
    busiest multiprocessor, and the bytes that DRAM must move at least once. Infinite for a schedule of which a
    multiprocessor can't hold a thread block."""
    moved = 0.0 if unit.warm else _moved_at_least(problem)  # a warm cache may hold all data
    memory = unit.memory_cycles(moved)
    cycles = _by_loops(problem, space, lambda problem, space: _busy(problem, space, unit))
    return np.where(np.isfinite(cycles), np.maximum(cycles, memory) / unit.clock_hz * 1e9, np.inf)


def _busy(problem: Problem, space: Space, unit: Multiprocessor) -> Floats:
    """Return the cycles for which the matrix units or shared memory of the busiest multiprocessor are busy."""
    blocks = blocks_of(problem, space, unit)
    depth = np.minimum(space["instruction"], space["block_k"])
    rows, columns = space["block_m"] / space["warps_m"], space["block_n"] / space["warps_n"]
    rate = unit.multiply_rate(problem.element, problem.accumulator) * unit.constants.matrix / PARTITIONS
    product = _at_least(2 * rows * columns * depth / rate)
    read = _at_least((rows + columns) * depth * ELEMENT_BYTES[problem.element] / (SHARED_BYTES * unit.constants.shared))
    # Blocks start in waves, whose warps share the matrix units of all partitions of a multiprocessor.
    each, held = blocks.each(unit), np.maximum(blocks.held, 1)
    waves, rest = np.divmod(each, held)
    fullest = waves * np.ceil(held * blocks.warps / PARTITIONS) + np.ceil(rest * blocks.warps / PARTITIONS)
    least = blocks.count / unit.count * blocks.warps  # stream-K distributes iterations evenly
    streams = space["stream"] == 1
    matrix = product * np.where(streams, least / PARTITIONS, fullest)
    shared = read * np.where(streams, least, each * blocks.warps)
    found = np.maximum(matrix, shared) * -(-space["block_k"] // depth) * blocks.iterations
    return np.where(blocks.held > 0, found, np.inf)


def _by_loops(problem: Problem, space: Space, function: Callable[[Problem, Space], Floats]) -> Floats:
    """Evaluate a function of a problem and a space. For schedules that give a convolution's kernel one loop over all of
    K (tiles do not divide the channels, or K is split), the convolution is treated as a plain product.
    """
    if (found := problem.convolution) is None:
        return function(problem, space)
    flat = (found.channels_in % space["block_k"] != 0) | (space["split"] > 1)
    result = np.empty(len(space))
    for selected, each in ((flat, replace(problem, convolution=None)), (~flat, problem)):
        result[selected] = function(each, space.take(selected))
    return result


def _at_least(cycles: Floats) -> Floats:
    """Round cycles down to whole ticks, as the simulation may do."""
    return np.floor(cycles * TICKS) / TICKS


def _moved_at_least(problem: Problem) -> float:
    """Return the bytes moved from and to memory if each element moves once."""
    size, result = ELEMENT_BYTES[problem.element], ELEMENT_BYTES[problem.result]
    first = problem.batch * problem.m * problem.k
    if (found := problem.convolution) is not None:
        first = min(first, found.batch * prod(found.spatial) * found.channels_in)
        if max(found.strides) > 1:  # pixels between windows may be skipped
            first = 0
    second = problem.batch * problem.n * problem.k
    return (first + second) * size + problem.batch * problem.m * problem.n * result


def best_schedule(
    problem: Problem,
    unit: Multiprocessor,
    space: Space | None = None,
    trials: int = LIMITS.tile_trials,
    wide: bool = False,
) -> Best | None:
    """Return the fastest schedule of a problem, with a lower bound on the times of all schedules of a space; None if a
    multiprocessor can't hold a thread block of any schedule.

    `space`: by default the published space of the problem's kind. `wide`: continue from the best schedule of that space
    in the extended space, with split or streamed K, peeled loops, any number of stages and orders of blocks, with as
    many trials again. `trials`: the maximum number of simulations in a space.
    """
    if space is None:
        space = published(kind_of(problem))
    found = _Search(problem, unit, space).run(trials)
    if not wide or found is None:
        return found
    ours = _Search(problem, unit, extended(kind_of(problem)))
    ours.begin(found)
    return ours.run(found.trials + trials)


class _Search:
    """Search over the schedules of a space that may be faster than the best one so far."""

    def __init__(self, problem: Problem, unit: Multiprocessor, space: Space) -> None:
        self.problem, self.unit, self.space = problem, unit, space
        self.coarse = coarse_ns(problem, space, unit)
        self.estimate = _by_loops(problem, space, lambda problem, space: analytical_ns(problem, space, unit))
        self.steps = np.stack([np.unique(values, return_inverse=True)[1] for values in space.knobs.values()], 1)
        """For each schedule and option: the rank of its value among the option's values in the space."""
        self.ns, self.schedule, self.place = inf, None, 0
        self.trials = 0
        self.tried_schedules: set[Schedule] = set()
        self.least_untried = inf
        """Smallest bound of all schedules that are left without a trial."""

    def begin(self, best: Best) -> None:
        """Set the best schedule of another space as the best so far."""
        self.ns, self.schedule, self.trials = best.ns, best.schedule, best.trials
        self.tried_schedules.add(self._canonical(best.schedule))
        knobs = Space.of([best.schedule]).knobs
        distance = sum(np.abs(values - knobs[name]) for name, values in self.space.knobs.items())
        self.place = int(np.argmin(distance))

    def run(self, trials: int) -> Best | None:
        """Try schedules that may be faster: first those that the analytical model ranks first, then neighbours of the
        best one so far, then all others in the order of the analytical model."""
        places = np.argsort(self.estimate, kind="stable")
        places = places[np.isfinite(self.coarse[places])]
        first = iter(places.tolist())
        if self.schedule is None:
            self._try_all(first, trials // RANKED)
        if self.schedule is not None:
            left = Budget(trials - self.trials)

            def better(best: Schedule, place: int) -> Schedule | None:
                before = self.trials
                self._try(place)
                left.spend(self.trials - before)
                return None if self.schedule is best else self.schedule

            improve(self.schedule, lambda best: self._neighbours(), better, left)
        self._try_all(first, trials)
        if self.schedule is None:
            return None
        rest = np.fromiter(first, np.int64)
        least = min(self.ns, self.least_untried, float(self.coarse[rest].min(initial=inf)))
        return Best(self.schedule, self.ns, least, self.trials)

    def _try_all(self, places: Iterator[int], trials: int) -> None:
        """Simulate those of the schedules with the indices `places` that may be faster than the best one so far, until
        the search has made `trials` trials in all."""
        while self.trials < trials and (place := next(places, None)) is not None:
            self._try(place)

    def _neighbours(self) -> list[int]:
        """Return the indices of schedules that differ from the best one by at most `NEIGHBOUR_STEPS` steps of options,
        in the order of the analytical model.
        """
        distance = np.abs(self.steps - self.steps[self.place]).sum(1)
        neighbours = np.flatnonzero((distance <= NEIGHBOUR_STEPS) & np.isfinite(self.coarse))
        return neighbours[np.argsort(self.estimate[neighbours], kind="stable")].tolist()

    def _is_hopeless(self, least: float) -> bool:
        """Return True if a schedule whose time has the lower bound `least` is not worth a trial, since it can't be
        faster than the best one by more than `GAP`; the bound is then recorded."""
        if least < self.ns * (1 - GAP):
            return False
        self.least_untried = min(self.least_untried, least)
        return True

    def _try(self, place: int) -> None:
        """Simulate the schedule with the index `place`, unless it can't be faster than the best one or was tried."""
        if self._is_hopeless(float(self.coarse[place])):
            return
        schedule = self.space.schedule(place)
        if (canonical := self._canonical(schedule)) in self.tried_schedules:
            return
        self.tried_schedules.add(canonical)
        self.trials += 1
        ns = simulated_ns(self.problem, schedule, self.unit)
        if ns < self.ns:
            self.ns, self.schedule, self.place = ns, schedule, place

    def _canonical(self, schedule: Schedule) -> Schedule:
        """Return an equivalent schedule without those stages for which its loops have no iterations."""
        iterations = -(-self.problem.k // schedule.block[2])
        stages = schedule.stages if schedule.stream else min(schedule.stages, -(-iterations // schedule.split))
        steps = -(-schedule.block[2] // schedule.instruction)
        peeled = schedule.peeled and (stages > 1 or schedule.register_stages > 1)
        return replace(
            schedule, stages=stages, register_stages=min(schedule.register_stages, max(steps, 1)), peeled=peeled
        )
