"""Ranking of schedules by analytical formulas, for full spaces at once and without simulation.

The model of an iteration of a block's loop over K, in cycles of a multiprocessor that holds `o` blocks of `W` warps
(its form follows ALCOP's analysis, Huang et al., MLSys 2023, after Lym et al., DELTA, 2019):

    alone     time of one block alone: two barriers, and steps that wait for reads of fragments, for products, or
              for the chain of both; with several slots of fragments, later reads overlap with products
    waiting   (arrival + work after it) / stages: a tile is requested stages - 1 iterations before it is used
    interval  the longest of shared memory and matrix units for o blocks, the port to the last-level cache, `alone`
              and `waiting`; if fragments have one slot, longer than that if several of these are about equal
    wave      first tiles, iterations x interval, and the last products and results of blocks that start together
    grid      waves of o blocks and a remainder; bytes moved from and to memory

The model keeps only the steady state of the event simulation (interp/tile/events.py), so that it takes microseconds for
a kernel. Redundant copies of wrapped pipelines, partial last waves, misses of the last-level cache, and split K are
separate terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialects.tile.loops import WARP
from interp.kinds.gpu.multiprocessor import (
    MOST_REGISTERS,
    PARTITIONS,
    REGISTER_BYTES,
    SHARED_BYTES,
    Multiprocessor,
)
from interp.machine.records import ELEMENT_BYTES
from interp.tile.events import MEETING, READ
from interp.tile.traffic import Tiles, misses_of, reuse_of
from interp.tile.work import ADDRESSING, FRAGMENT, LINE, SEGMENT, VECTOR
from lowering.tile.schedule import Problem
from lowering.tile.search.spaces import Integers, Space

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Blocks:
    """Thread blocks of a problem under each schedule of a space; all arrays have an entry for each schedule.

    `grid`: number of tiles of the result's rows, and of its columns; `parts`: number of parts of K; `count`: number of
    thread blocks; `iterations`: those of a block's loop over K; `stages`: stages of shared memory, at most
    `iterations`; `warps`: warps of a block; `held`: blocks on a multiprocessor at a time, 0 if a block is too large.
    """

    grid: tuple[Integers, Integers]
    parts: Integers
    count: Integers
    iterations: Integers
    stages: Integers
    warps: Integers
    held: Integers

    def each(self, unit: Multiprocessor) -> Integers:
        """Return the number of blocks that the busiest multiprocessor computes."""
        return -(-self.count // unit.count)


def blocks_of(problem: Problem, space: Space, unit: Multiprocessor) -> Blocks:
    """Return the thread blocks of a problem under each schedule of a space."""
    size, sums = ELEMENT_BYTES[problem.element], ELEMENT_BYTES[problem.accumulator]
    m, n, k = (space[f"block_{axis}"] for axis in "mnk")
    grid = -(-problem.m // m), -(-problem.n // n)
    inner = problem.k if problem.convolution is None else problem.convolution.channels_in
    full = problem.k // inner * -(-inner // k)
    iterations = -(-full // np.minimum(space["split"], full))
    parts = -(-full // iterations)
    stages = np.minimum(space["stages"], np.where(space["stream"] > 0, full, iterations))
    warps = space["warps_m"] * space["warps_n"]
    threads = WARP * warps
    shared = stages * size * (m * (k + space["pad"]) + k * (n + space["pad"]))
    step = np.minimum(space["instruction"], k)
    slots = np.minimum(space["register_stages"], -(-k // step))
    fragments = 2 * slots * step * size * (m * space["warps_n"] + n * space["warps_m"])
    registers = np.ceil((ADDRESSING + (m * n * sums + fragments) / threads / REGISTER_BYTES) / 8) * 8
    each = np.minimum(np.minimum(registers, MOST_REGISTERS), unit.registers // threads).astype(np.int64)
    limits = (
        unit.shared_bytes // (shared + unit.shared_reserved),
        unit.threads // threads,
        np.full_like(threads, unit.blocks),
        unit.registers // np.maximum(each * threads, 1),
    )
    held = np.minimum.reduce(limits)
    tiles = grid[0] * grid[1] * problem.batch
    # In stream-K, as many blocks as run at once share the iterations of all tiles evenly.
    evenly = -(-tiles * full // np.maximum(1, held * unit.count))
    stream = space["stream"] > 0
    count = np.where(stream, -(-tiles * full // evenly), tiles * parts)
    return Blocks(grid, parts, count, np.where(stream, evenly, iterations), stages, warps, held)


@dataclass(frozen=True)
class Moved:
    """The traffic of a problem's thread blocks: bytes that they read from memory because the last-level cache does not
    hold them, bytes that they write, and the larger of the two factors' miss fractions (misses divided by reads)."""

    missed: Floats
    written: Floats
    largest_miss: Floats


def moved_by(problem: Problem, space: Space, unit: Multiprocessor, blocks: Blocks) -> Moved:
    """Return the traffic of a problem's blocks under each schedule, by the rules of interp/tile/traffic.py."""
    size = ELEMENT_BYTES[problem.element]
    rows, columns = blocks.grid
    wrapped = np.where(space["peeled"] == 1, 0, blocks.stages - 1)
    depth = ((blocks.iterations + wrapped) * space["block_k"] * size).astype(np.float64)
    read = depth * space["block_m"], depth * space["block_n"]
    fresh = read[0] * _distinct(problem), read[1]
    at_once = np.minimum(blocks.count, np.maximum(blocks.held, 1) * unit.count)
    kinds = np.stack((rows, columns, space["order"], blocks.parts, at_once), -1)
    different, kind = np.unique(kinds, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    missed = np.zeros_like(depth), np.zeros_like(depth)
    size_written = np.where(
        _has_partial_sums(space, blocks), ELEMENT_BYTES[problem.accumulator], ELEMENT_BYTES[problem.result]
    )
    written = (blocks.count * space["block_m"] * space["block_n"] * size_written).astype(np.float64)
    for number, (high, wide, order, parts, held) in enumerate(different.tolist()):
        selected = kind == number
        extents = (problem.batch, parts, high, wide)
        repeats = ((1, 1, 1, 0), (1, 1, 0, 1))
        reuse = [reuse_of(Tiles(extents, order, each), held) for each in repeats]
        waves = -(-problem.batch * parts * high * wide // held)
        a_wave = sum(each[selected] * found.reads for each, found in zip(fresh, reuse, strict=True)) / waves
        touched = written[selected] + sum(
            each[selected] * found.tiles for each, found in zip(fresh, reuse, strict=True)
        )
        first = misses_of(touched / unit.l2_bytes) if unit.warm else np.ones_like(touched)
        for each, found, result in zip(fresh, reuse, missed, strict=True):
            again = sum(times * misses_of(distance * a_wave / unit.l2_bytes) for distance, times in found.distances)
            result[selected] = each[selected] * (first * found.tiles + again)
        written[selected] *= first
    largest_miss = np.maximum(*(part / (blocks.count * full) for part, full in zip(missed, read, strict=True)))
    return Moved(missed[0] + missed[1], written, largest_miss)


def _distinct(problem: Problem) -> float:
    """Return the fraction of the first factor's reads that are distinct in memory; windows of a convolution overlap."""
    found = problem.convolution
    if found is None:
        return 1.0
    image = found.batch * prod(found.spatial) * found.channels_in
    return min(1.0, image / (problem.m * problem.k))


def analytical_ns(problem: Problem, space: Space, unit: Multiprocessor) -> Floats:
    """Return the predicted time of a problem's kernel under each schedule, in ns; infinite if a multiprocessor can't
    hold a thread block of the schedule."""
    blocks = blocks_of(problem, space, unit)
    moved = moved_by(problem, space, unit, blocks)
    work = _work(problem, space, unit, blocks)
    time = _time(_cycles(unit, blocks, work, moved), unit, blocks, moved)
    return time + np.where(_has_partial_sums(space, blocks), _summing(problem, space, unit, blocks), 0.0)


def bottleneck_ns(problem: Problem, space: Space, unit: Multiprocessor) -> Floats:
    """Return the longest of the times of matrix units, shared memory and DRAM under each schedule, in ns, without
    latencies, barriers or mutual waits (the kind of model that ALCOP is compared to).
    """
    blocks = blocks_of(problem, space, unit)
    moved, work = moved_by(problem, space, unit, blocks), _work(problem, space, unit, blocks)
    rounds, rest = np.divmod(blocks.each(unit), np.maximum(blocks.held, 1))
    busiest = rounds * work.busiest(np.maximum(blocks.held, 1)) + work.busiest(rest)
    return _time(blocks.iterations * busiest, unit, blocks, moved)


def _has_partial_sums(space: Space, blocks: Blocks) -> NDArray[np.bool_]:
    """Return an array that is True for schedules in which several thread blocks share a tile of the result, whose
    partial sums a second grid adds."""
    return (blocks.parts > 1) | (space["stream"] > 0)


def _summing(problem: Problem, space: Space, unit: Multiprocessor, blocks: Blocks) -> Floats:
    """Return the time of the grid that adds partial sums, in ns, with its launch: the time to move its bytes, from the
    last-level cache and from memory, after the latency of one load."""
    area = space["block_m"] * space["block_n"]
    parts = np.where(space["stream"] > 0, 2, 1) * blocks.count * area * ELEMENT_BYTES[problem.accumulator]
    results = problem.batch * problem.m * problem.n * ELEMENT_BYTES[problem.result]
    outside = misses_of((parts + results) / unit.l2_bytes) if unit.warm else np.ones(len(space))
    memory = unit.memory_cycles((parts + results) * outside)
    cycles = unit.dram_latency + np.maximum(memory, parts / (unit.port_bytes * unit.count))
    return unit.launch_ns + cycles / unit.clock_hz * 1e9


def _time(cycles: Floats, unit: Multiprocessor, blocks: Blocks, moved: Moved) -> Floats:
    """Return the time in ns that follows from the cycles of multiprocessors and the bytes that memory moves."""
    memory = unit.memory_cycles(moved.missed + moved.written)
    longest = np.maximum(cycles, memory)
    if contention := unit.constants.contention:
        order = 1 / contention
        longest *= ((cycles / longest) ** order + (memory / longest) ** order) ** contention
    return np.where(blocks.held > 0, longest / unit.clock_hz * 1e9, np.inf)


@dataclass(frozen=True)
class _Work:
    """Work of a thread block, in cycles.

    `steps`: number of steps of an iteration, each with fragments and a product; a warp's reads of a step occupy shared
    memory for `read` cycles, and its product occupies a partition's matrix units for `product` cycles, in `parts`
    serial parts. `partition`: number of warps that share the busiest matrix units. `slots`: number of slots of
    fragments. `copied`, `arriving`: cycles for which an iteration's copies occupy shared memory and the port to the
    last-level cache. `filled`, `stored`: cycles to fill and to store the sums, once per thread block.
    """

    steps: Integers
    slots: Integers
    read: Floats
    product: Floats
    parts: Floats
    partition: Floats
    warps: Integers
    copied: Floats
    arriving: Floats
    filled: Floats
    stored: Floats

    @property
    def shared(self) -> Floats:
        """Cycles for which an iteration of a thread block occupies shared memory."""
        return self.reads + self.copied

    @property
    def reads(self) -> Floats:
        """Cycles for which the fragment reads of an iteration occupy shared memory."""
        return self.steps * self.warps * self.read

    def products(self, held: Integers) -> Floats:
        """Return the cycles of the busiest partition's matrix units while `held` blocks on one multiprocessor each run
        one iteration; their warps are assigned to partitions round-robin.
        """
        return self.steps * np.ceil(held * self.warps / PARTITIONS) * self.product

    def busiest(self, held: Integers) -> Floats:
        """Return the cycles of the busiest unit while `held` blocks on one multiprocessor each run one iteration:
        of shared memory, the matrix units or the port to the last-level cache."""
        return np.maximum.reduce([held * self.shared, self.products(held), held * self.arriving])


def _work(problem: Problem, space: Space, unit: Multiprocessor, blocks: Blocks) -> _Work:
    size = ELEMENT_BYTES[problem.element]
    m, n, k = (space[f"block_{axis}"] for axis in "mnk")
    step = np.minimum(space["instruction"], k)
    steps = -(-k // step)
    rows, columns = m / space["warps_m"], n / space["warps_n"]
    rate = unit.multiply_rate(problem.element, problem.accumulator) * unit.constants.matrix / PARTITIONS
    ways = _conflicts(k, space, size), _conflicts(n, space, size)
    read = (rows * ways[0] + columns * ways[1]) * step * size / (SHARED_BYTES * unit.constants.shared)
    lines = m * np.ceil(k * size / LINE) + k * np.ceil(n * size / LINE)
    moved = ((m + n) * k * size).astype(np.float64)
    return _Work(
        steps,
        np.minimum(space["register_stages"], steps),
        read,
        2 * rows * columns * step / rate,
        np.maximum(1, columns // FRAGMENT) * np.maximum(1, step // FRAGMENT),
        np.ceil(blocks.warps / PARTITIONS),
        blocks.warps,
        np.where(space["asynchronous"] == 1, lines, lines + 2 * moved / SHARED_BYTES),
        moved / unit.port_bytes,
        rows * columns / (unit.lane_rate("f32") / PARTITIONS),
        m * n / SEGMENT * np.maximum(1.0, unit.constants.store),
    )


def _conflicts(width: Integers, space: Space, size: int) -> Integers:
    """Return the factor of bank conflicts for rows of `width` elements in shared memory (interp/tile/work.py,
    `conflicts`).
    """
    lines = SHARED_BYTES // VECTOR
    stride = (width + space["pad"]) * size
    chunks = np.stack([row * stride // VECTOR for row in range(lines)])
    met = np.where(space["swizzled"] == 1, chunks % lines ^ chunks // lines % lines, chunks % lines)
    return np.max([(met == line).sum(0) for line in range(lines)], axis=0)


def _cycles(unit: Multiprocessor, blocks: Blocks, work: _Work, moved: Moved) -> Floats:
    """Return the cycles of the busiest multiprocessor: the sum over waves of as many thread blocks as it holds at a
    time, and of a last wave with the remaining blocks."""
    latency = unit.l2_latency + moved.largest_miss * (unit.dram_latency - unit.l2_latency)
    slotted = work.slots > 1
    computed = _computed(work)
    alone = computed + np.where(slotted, _lateness(work), np.maximum(0, work.copied - MEETING))
    # Fragments of the next tile are requested in an iteration's last steps, so the tile must have arrived before these.
    early = slotted & (blocks.stages > 1)
    after = np.where(early, (work.slots - 1) * work.partition * work.product + 2 * MEETING, computed)
    arrival = latency + work.copied / work.warps + work.arriving
    waiting = (arrival + after) / np.where(early, blocks.stages - 1, blocks.stages)

    def wave(held: Integers) -> Floats:
        """Return the cycles of `held` blocks that start together."""
        busy = held * work.shared, work.products(held)
        longest = np.maximum.reduce([*busy, alone])
        order = 2.0 + held
        met: Floats = longest * np.sum([(each / longest) ** order for each in (*busy, alone)], axis=0) ** (1 / order)
        closest = np.where(slotted | (held == 1), longest, met)
        interval: Floats = np.maximum.reduce([closest, held * work.arriving, waiting])
        # All blocks end when the busiest unit does, or when the last block ends, whose copies wait for those of the
        # others.
        first = np.maximum(1, blocks.stages - 1)
        reads = work.reads + (work.slots - 1) * work.warps * work.read
        ends = (alone + held * work.stored, held * (reads + work.stored), work.products(held) + work.stored)
        shared = np.maximum(arrival, held * first * work.copied) + (blocks.iterations - 1) * interval
        late = arrival + (held * first - 1) * np.maximum(work.copied, work.arriving)
        chain = late + (blocks.iterations - 1) * np.maximum(alone, waiting) + alone + work.stored
        return work.filled + np.maximum(chain, shared + np.maximum.reduce(ends))

    rounds, rest = np.divmod(blocks.each(unit), np.maximum(blocks.held, 1))
    return rounds * wave(np.maximum(blocks.held, 1)) + np.where(rest > 0, wave(rest), 0.0)


def _computed(work: _Work) -> Floats:
    """Return the cycles of an iteration of a thread block that is alone on a multiprocessor and whose tiles have
    arrived: two barriers, and steps that wait for reads, for products, or for the chain of both."""
    part = work.product / work.parts
    chain = work.read + READ + part
    products = work.partition * work.product
    first = np.maximum(work.warps * work.read + READ + part, chain + products - work.product)
    step = np.maximum(products, chain / work.slots)
    serial = first + (work.steps - 1) * np.maximum(work.warps * work.read, step)
    return 2 * MEETING + np.where(work.slots > 1, work.steps * step, serial)


def _lateness(work: _Work) -> Floats:
    """Return the cycles by which fragments that are requested after an iteration's copies arrive later than the
    preceding products end; a barrier in between hides part of the delay.
    """
    requested = work.copied + work.warps * work.read + READ - work.product * (1 - 1 / work.parts)
    hidden = (work.slots - 1) * work.partition * work.product
    hidden += np.where(work.steps <= 2 * (work.slots - 1), MEETING, 0)
    return np.maximum(0, requested - hidden)
