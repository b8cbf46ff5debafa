"""The time of kernels of thread blocks on a GPU: grids one after another, each the longest of what its multiprocessors
do event by event, and of what memory and the last-level cache need in the long run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil

from dialects.diagnostics import InputError
from dialects.tile import BlocksOp, KernelOp
from dialects.tile.loops import WARP
from interp.machine.multiprocessor import Multiprocessor
from interp.tile.events import BlocksOnUnit, Rates
from interp.tile.outline import Outline, outline_of
from interp.tile.races import check_races
from interp.tile.traffic import Traffic, traffic_of
from interp.tile.work import Occupancy, Steps, occupancy


@dataclass(frozen=True)
class Constants:
    """Constants that no data sheet states, the same for all kernels of a family of GPUs."""

    matrix: float = 1.0
    """Of the peak rate that matrix units reach (clocks under load)."""
    shared: float = 1.0
    """Of the peak rate that shared memory reaches."""
    store: float = 1.0
    """Cycles that the way to memory takes for each line that a multiprocessor writes."""
    dram: float = 0.9
    """Of the peak bandwidth that streams reach."""
    contention: float = 0.0
    """To what degree memory and multiprocessors hold each other up, from 0 (the longer of both sets the time) to 1
    (their times add up): the time is their norm of order 1 / contention."""


SHEET = Constants()
FITTED: Mapping[str, Constants] = {
    "ada": Constants(matrix=0.953, shared=0.996, store=2.26, dram=0.858, contention=0.482),
}
"""By family of GPUs. Those of `ada` are fitted on 232 products in f16 on an L20 (DefTruth/CUDA-Learn-Notes at 0aeb450
and older commits, hgemm/README.md), with one more constant for the loop in which these were measured: 2.0 % mean error
on these rows, 2.1 % on shapes left out of five fits (`python -m benchmarks tile_accuracy --fit`). All other families
are timed from sheets alone."""


def constants_of(unit: Multiprocessor) -> Constants:
    """The constants that hold on a GPU."""
    return FITTED.get(unit.family, SHEET)


@dataclass(frozen=True)
class GridTime:
    """The time of a grid, and what it is made of; ns."""

    ns: float
    units_ns: float
    """Time that multiprocessors take, simulated event by event."""
    memory_ns: float
    occupancy: Occupancy
    traffic: Traffic
    flops: int

    @property
    def bound(self) -> str:
        """Limit that sets the time: `memory` or `compute`."""
        return "memory" if self.memory_ns >= self.units_ns else "compute"


def grid_time(grid: BlocksOp, unit: Multiprocessor, constants: Constants = SHEET) -> GridTime:
    """The time of a grid of thread blocks. Raises InputError, at the grid, for a block that no multiprocessor holds."""
    outline = outline_of(grid, slowed(unit, constants))
    if (found := time_of(outline, unit, constants)) is not None:
        return found
    held = occupancy(outline.shared_bytes, outline.registers, outline.warps * WARP, unit)
    raise InputError(
        f"a thread block takes {held.shared_bytes} bytes of shared memory and {grid.threads} threads, but a "
        f"multiprocessor of {unit.name} has {unit.shared_bytes} bytes, {unit.threads} threads and {unit.registers} "
        f"registers; make tiles or stages fewer ({held.limit} is short)",
        grid,
    )


def time_of(outline: Outline, unit: Multiprocessor, constants: Constants = SHEET) -> GridTime | None:
    """The time of a grid with this outline (its steps timed on `slowed(unit, constants)`); None if no multiprocessor
    holds a block of it."""
    found = occupancy(outline.shared_bytes, outline.registers, outline.warps * WARP, unit)
    if not found.blocks:
        return None
    at_once = min(outline.count, found.blocks * unit.count)
    traffic = traffic_of(outline.streams, outline.written, at_once, unit.l2_bytes, unit.warm)
    rates = Rates(latency_of(traffic, unit), constants.store, unit.port_bytes, unit.dram_latency)
    cycles = _cycles(outline, found.blocks, ceil(outline.count / unit.count), rates)
    units_ns, memory_ns = cycles / unit.clock_hz * 1e9, _memory_ns(traffic, unit, constants)
    return GridTime(combined_ns(cycles, traffic, unit, constants), units_ns, memory_ns, found, traffic, outline.flops)


def latency_of(traffic: Traffic, unit: Multiprocessor) -> float:
    """Whole cycles from a load to its arrival: a warp waits for the copy of which most comes from memory."""
    return float(round(unit.l2_latency + traffic.latest * (unit.dram_latency - unit.l2_latency)))


def combined_ns(cycles: float, traffic: Traffic, unit: Multiprocessor, constants: Constants) -> float:
    """The time of a grid of which each multiprocessor takes so many cycles, and memory needs for this traffic."""
    times = cycles / unit.clock_hz * 1e9, _memory_ns(traffic, unit, constants)
    if not constants.contention:
        return max(times)
    order = 1 / constants.contention
    return max(times) * sum((each / max(times)) ** order for each in times) ** constants.contention


def _memory_ns(traffic: Traffic, unit: Multiprocessor, constants: Constants) -> float:
    moved = (traffic.missed + traffic.written) / (unit.dram_bytes * unit.count * constants.dram)
    return moved / unit.clock_hz * 1e9


def _cycles(outline: Outline, places: int, blocks: int, rates: Rates) -> float:
    """Cycles that a multiprocessor takes for so many blocks, of which it holds so many at a time: waves of blocks that
    begin together."""
    waves, rest = divmod(blocks, places)
    sizes = ((waves, places), (1, rest))
    return sum(count * wave_cycles(outline.steps, outline.warps, size, rates) for count, size in sizes if count * size)


@lru_cache(4096)
def wave_cycles(steps: Steps, warps: int, blocks: int, rates: Rates) -> float:
    """Cycles of so many blocks that begin together on a multiprocessor. The same waves come back: in batches, in
    layers of a network, and where schedules differ in the order of blocks alone."""
    return BlocksOnUnit(steps, warps, blocks, rates).run()


def kernel_time(kernel: KernelOp, unit: Multiprocessor, constants: Constants = SHEET) -> tuple[float, list[GridTime]]:
    """The time of a kernel in ns, a launch included, and that of its grids. Raises InputError, at the op, for races: a
    kernel that a GPU would get wrong has no time."""
    check_races(kernel)
    grids = [grid_time(grid, unit, constants) for grid in kernel.grids]
    return unit.launch_ns * len(grids) + sum(each.ns for each in grids), grids


def slowed(unit: Multiprocessor, constants: Constants) -> Multiprocessor:
    """A multiprocessor at the rates that constants leave of its peak."""

    matrix = {name: rate * constants.matrix for name, rate in unit.matrix.items()}
    return replace(unit, matrix=matrix, shared_rate=constants.shared)
