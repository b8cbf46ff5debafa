"""Time of kernels of thread blocks on a GPU. Grids run serially. The time of a grid combines the time of its
multiprocessors, simulated event by event, and the time that DRAM needs for the grid's traffic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from dialects.diagnostics import InputError
from dialects.tile import BlocksOp, KernelOp
from dialects.tile.loops import WARP
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.tile.accesses import check_accesses
from interp.tile.events import BlocksOnUnit, Rates
from interp.tile.outline import Outline, outline_of
from interp.tile.races import check_races
from interp.tile.traffic import Traffic, traffic_of
from interp.tile.work import Steps, occupancy


@dataclass(frozen=True)
class GridTime:
    """Time of a grid and its components, in ns."""

    ns: float
    units_ns: float
    """Time that the multiprocessors take, simulated event by event, in ns."""
    memory_ns: float
    traffic: Traffic
    flops: int

    @property
    def bound(self) -> str:
        """Return the resource that limits the time: `memory` or `compute`."""
        return "memory" if self.memory_ns >= self.units_ns else "compute"


def grid_time(grid: BlocksOp, unit: Multiprocessor) -> GridTime:
    """Return the time of a grid of thread blocks. Raises InputError, at the grid, for a block that a multiprocessor
    can't hold.
    """
    outline = outline_of(grid, unit.slowed())
    if (found := time_of(outline, unit)) is not None:
        return found
    held = occupancy(outline.shared_bytes, outline.registers, outline.warps * WARP, unit)
    raise InputError(
        f"a thread block needs {held.shared_bytes} bytes of shared memory, {grid.threads} threads and "
        f"{held.registers} registers for each thread, but a multiprocessor of {unit.name} has only "
        f"{unit.shared_bytes} bytes, {unit.threads} threads and {unit.registers} registers (the limit met first: "
        f"{held.limit}); use smaller tiles or fewer stages",
        grid,
    )


def time_of(outline: Outline, unit: Multiprocessor) -> GridTime | None:
    """Return the time of a grid, or None if a multiprocessor can't hold one of its blocks. The steps of `outline` must
    have been computed for `unit.slowed()`."""
    found = occupancy(outline.shared_bytes, outline.registers, outline.warps * WARP, unit)
    if not found.blocks:
        return None
    at_once = min(outline.count, found.blocks * unit.count)
    traffic = traffic_of(outline.streams, outline.written, at_once, unit.l2_bytes, unit.warm)
    rates = Rates(latency_of(traffic, unit), unit.constants.store, unit.port_bytes, unit.dram_latency)
    cycles = _cycles(outline, found.blocks, ceil(outline.count / unit.count), rates)
    units_ns, memory_ns = cycles / unit.clock_hz * 1e9, _memory_ns(traffic, unit)
    return GridTime(combined_ns(cycles, traffic, unit), units_ns, memory_ns, traffic, outline.flops)


def latency_of(traffic: Traffic, unit: Multiprocessor) -> float:
    """Return the cycles from a load to the arrival of its data, rounded. A warp waits for all of its copies, so the
    cycles are those of the copy with the largest fraction of misses."""
    return float(round(unit.l2_latency + traffic.largest_miss * (unit.dram_latency - unit.l2_latency)))


def combined_ns(cycles: float, traffic: Traffic, unit: Multiprocessor) -> float:
    """Return the time of a grid whose multiprocessors take `cycles` each, with this traffic, in ns."""
    times = cycles / unit.clock_hz * 1e9, _memory_ns(traffic, unit)
    if not (contention := unit.constants.contention):
        return max(times)
    order = 1 / contention
    return max(times) * sum((each / max(times)) ** order for each in times) ** contention


def _memory_ns(traffic: Traffic, unit: Multiprocessor) -> float:
    return unit.memory_cycles(traffic.missed + traffic.written) / unit.clock_hz * 1e9


def _cycles(outline: Outline, places: int, blocks: int, rates: Rates) -> float:
    """Return the cycles that a multiprocessor takes for `blocks` blocks, of which it holds `places` at a time: the sum
    over waves of blocks that start together."""
    waves, rest = divmod(blocks, places)
    sizes = ((waves, places), (1, rest))
    return sum(count * wave_cycles(outline.steps, outline.warps, size, rates) for count, size in sizes if count * size)


@lru_cache(4096)
def wave_cycles(steps: Steps, warps: int, blocks: int, rates: Rates) -> float:
    """Return the cycles of a wave: blocks that start together on a multiprocessor. Results are cached, because equal
    waves recur in batches, in the layers of a network, and in schedules that differ only in the order of blocks.
    """
    return BlocksOnUnit(steps, warps, blocks, rates).run()


def kernel_time(kernel: KernelOp, unit: Multiprocessor) -> tuple[float, list[GridTime]]:
    """Return the time of a kernel in ns, with its launches, and the times of its grids. A kernel with a scale (see
    `KernelOp`) takes one launch and the scaled time of its grids: the library's kernel, whose time the scale is derived
    from, includes all of its launches but the first. If that was measured to take no longer than a launch by the sheet,
    the launch is scaled, too (`KernelOp.launch_scale`). Raises InputError, at the op, for a race, because the kernel's
    result would be undefined, and for a kernel that is certain to write elements of global memory from two thread
    blocks, to read elements before they are written, or to leave outputs unwritten.
    """
    check_accesses(kernel)
    check_races(kernel)
    grids = grid_times(kernel, unit)
    ns = sum(each.ns for each in grids)
    if kernel.scale is not None:
        return kernel.launch_scale * unit.launch_ns + kernel.scale * ns, grids
    return unit.launch_ns * len(grids) + ns, grids


def grid_times(kernel: KernelOp, unit: Multiprocessor) -> list[GridTime]:
    """Return the times of the grids of a kernel, unscaled and without launches. Raises InputError as `grid_time`
    does."""
    return [grid_time(grid, unit) for grid in kernel.grids]
