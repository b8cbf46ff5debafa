"""Ranking of schedules by closed formulas, over whole spaces at once and without a simulation.

The model of a turn of a block's loop over K, in cycles of a multiprocessor that holds `o` blocks of `W` warps (the form
is that of ALCOP's analysis, Huang et al., MLSys 2023, after Lym et al., DELTA, 2019):

    alone     what one block takes by itself: two barriers, and steps that wait for reads of fragments, for products, or
              for the chain of both; with several slots of fragments, reads of the next ones hide behind products
    waiting   (arrival + what follows it) / stages: a tile is asked for stages - 1 turns before it is there
    interval  the longest of shared memory and matrix units for o blocks, the port to the last-level cache, `alone` and
              `waiting`; two that are about as long hold each other up where fragments have one slot
    wave      first tiles, turns x interval, the last products and results of blocks that begin together
    grid      waves of o blocks and what is left; bytes that come from memory or go there

What a simulation finds event by event (interp/tile/events.py) is here what is left in the long run, so that one kernel
takes microseconds. Redundant copies of wrapped pipelines, last waves that are not full, misses of the last-level cache,
and parts of K are terms of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialects.tile.loops import WARP
from interp.machine.multiprocessor import (
    MOST_REGISTERS,
    PARTITIONS,
    REGISTER_BYTES,
    SHARED_BYTES,
    Multiprocessor,
)
from interp.machine.records import ELEMENT_BYTES
from interp.tile.clock import Constants, constants_of
from interp.tile.events import MEETING, READ
from interp.tile.traffic import Tiles, misses_of, reuse_of
from interp.tile.work import ADDRESSING, FRAGMENT, LINE, SEGMENT, VECTOR
from lowering.tile.schedule import Problem
from lowering.tile.search.spaces import Integers, Space

Floats: TypeAlias = NDArray[np.float64]
Ranking: TypeAlias = Callable[[Problem, Space, Multiprocessor], Floats]


@dataclass(frozen=True)
class Blocks:
    """Thread blocks of a problem under each schedule of a space; all arrays have an entry a schedule.

    `grid`: tiles of the result's rows and of its columns; `parts` of K; `count`: blocks; `turns`: of a block's loop
    over K; `stages`: no more than turns; `warps` of a block; `held`: blocks on a multiprocessor at a time, 0 where one
    is too large.
    """

    grid: tuple[Integers, Integers]
    parts: Integers
    count: Integers
    iterations: Integers
    stages: Integers
    warps: Integers
    held: Integers

    def each(self, unit: Multiprocessor) -> Integers:
        """Blocks that the busiest multiprocessor computes, one after another."""
        return -(-self.count // unit.count)


def blocks_of(problem: Problem, space: Space, unit: Multiprocessor) -> Blocks:
    """The thread blocks of a problem under each schedule of a space."""
    size, sums = ELEMENT_BYTES[problem.element], ELEMENT_BYTES[problem.accumulator]
    m, n, k = (space[f"block_{axis}"] for axis in "mnk")
    grid = -(-problem.m // m), -(-problem.n // n)
    inner = problem.k if problem.convolution is None else problem.convolution.channels_in
    whole = problem.k // inner * -(-inner // k)
    iterations = -(-whole // np.minimum(space["split"], whole))
    parts = -(-whole // iterations)
    stages = np.minimum(space["stages"], np.where(space["stream"] > 0, whole, iterations))
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
    # Blocks that share all turns of all tiles evenly are as many as run at once.
    evenly = -(-tiles * whole // np.maximum(1, held * unit.count))
    stream = space["stream"] > 0
    count = np.where(stream, -(-tiles * whole // evenly), tiles * parts)
    return Blocks(grid, parts, count, np.where(stream, evenly, iterations), stages, warps, held)


@dataclass(frozen=True)
class Moved:
    """Bytes that a problem's blocks read from memory, because the last-level cache does not hold them, and that they
    write; and the part that comes from memory of that factor whose part is largest."""

    missed: Floats
    written: Floats
    largest_miss: Floats


def moved_by(problem: Problem, space: Space, unit: Multiprocessor, blocks: Blocks) -> Moved:
    """The traffic of a problem's blocks under each schedule, by the rules of interp/tile/traffic.py."""
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
    share = np.where(_in_parts(space, blocks), ELEMENT_BYTES[problem.accumulator], ELEMENT_BYTES[problem.result])
    written = (blocks.count * space["block_m"] * space["block_n"] * share).astype(np.float64)
    for number, (high, wide, order, parts, held) in enumerate(different.tolist()):
        mine = kind == number
        extents = (problem.batch, parts, high, wide)
        shares = ((1, 1, 1, 0), (1, 1, 0, 1))
        reuse = [reuse_of(Tiles(extents, order, each), held) for each in shares]
        waves = -(-problem.batch * parts * high * wide // held)
        a_wave = sum(each[mine] * found.reads for each, found in zip(fresh, reuse, strict=True)) / waves
        touched = written[mine] + sum(each[mine] * found.tiles for each, found in zip(fresh, reuse, strict=True))
        first = misses_of(touched / unit.l2_bytes) if unit.warm else np.ones_like(touched)
        for each, found, result in zip(fresh, reuse, missed, strict=True):
            again = sum(times * misses_of(distance * a_wave / unit.l2_bytes) for distance, times in found.distances)
            result[mine] = each[mine] * (first * found.tiles + again)
        written[mine] *= first
    largest_miss = np.maximum(*(part / (blocks.count * whole) for part, whole in zip(missed, read, strict=True)))
    return Moved(missed[0] + missed[1], written, largest_miss)


def _distinct(problem: Problem) -> float:
    """The part of what blocks read of the first factor that lies at different places of memory: windows overlap."""
    found = problem.convolution
    if found is None:
        return 1.0
    image = found.batch * prod(found.spatial) * found.channels_in
    return min(1.0, image / (problem.m * problem.k))


def analytical_ns(problem: Problem, space: Space, unit: Multiprocessor, constants: Constants | None = None) -> Floats:
    """The predicted time of a problem's kernel under each schedule, in ns; infinite where no multiprocessor holds a
    block of it. `constants`: those of the GPU's family by default."""
    known = constants_of(unit) if constants is None else constants
    blocks = blocks_of(problem, space, unit)
    moved = moved_by(problem, space, unit, blocks)
    work = _work(problem, space, unit, known, blocks)
    time = _time(_cycles(unit, blocks, work, moved), unit, known, blocks, moved)
    return time + np.where(_in_parts(space, blocks), _summing(problem, space, unit, known, blocks), 0.0)


def bottleneck_ns(problem: Problem, space: Space, unit: Multiprocessor, constants: Constants | None = None) -> Floats:
    """The longest of what matrix units, shared memory and memory take under each schedule, in ns, without latencies,
    barriers, or waits for each other (the kind of model that ALCOP is compared to)."""
    known = constants_of(unit) if constants is None else constants
    blocks = blocks_of(problem, space, unit)
    moved, work = moved_by(problem, space, unit, blocks), _work(problem, space, unit, known, blocks)
    rounds, rest = np.divmod(blocks.each(unit), np.maximum(blocks.held, 1))
    busiest = rounds * work.busiest(np.maximum(blocks.held, 1)) + work.busiest(rest)
    return _time(blocks.iterations * busiest, unit, known, blocks, moved)


def _in_parts(space: Space, blocks: Blocks) -> NDArray[np.bool_]:
    """Truth of whether several blocks sum up a tile of the result, which a second grid adds up."""
    return (blocks.parts > 1) | (space["stream"] > 0)


def _summing(problem: Problem, space: Space, unit: Multiprocessor, known: Constants, blocks: Blocks) -> Floats:
    """The time of the grid that adds up parts of sums, in ns, with its launch: its bytes, from the last-level cache and
    from memory, after the latency of one load."""
    area = space["block_m"] * space["block_n"]
    parts = np.where(space["stream"] > 0, 2, 1) * blocks.count * area * ELEMENT_BYTES[problem.accumulator]
    results = problem.batch * problem.m * problem.n * ELEMENT_BYTES[problem.result]
    outside = misses_of((parts + results) / unit.l2_bytes) if unit.warm else np.ones(len(space))
    memory = (parts + results) * outside / (unit.dram_bytes * unit.count * known.dram)
    cycles = unit.dram_latency + np.maximum(memory, parts / (unit.port_bytes * unit.count))
    return unit.launch_ns + cycles / unit.clock_hz * 1e9


def _time(cycles: Floats, unit: Multiprocessor, known: Constants, blocks: Blocks, moved: Moved) -> Floats:
    """The time, in ns, of multiprocessors that take so many cycles and of memory together."""
    memory = (moved.missed + moved.written) / (unit.dram_bytes * unit.count * known.dram)
    longest = np.maximum(cycles, memory)
    if known.contention:
        order = 1 / known.contention
        longest *= ((cycles / longest) ** order + (memory / longest) ** order) ** known.contention
    return np.where(blocks.held > 0, longest / unit.clock_hz * 1e9, np.inf)


@dataclass(frozen=True)
class _Work:
    """Cycles of a block's work.

    `steps` of fragments and products in a turn, in each of which a warp's reads take shared memory `read` and its
    product a partition's matrix units `product`, of which `parts` begin one after another; `partition`: warps that
    share the matrix units of the busiest one; `slots` of fragments. A turn's copies take `copied` of the way to shared
    memory and `arriving` of the port to the last-level cache. Sums are `filled` once, and `stored` once.
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
        """Shared memory, in a turn."""
        return self.reads + self.copied

    @property
    def reads(self) -> Floats:
        """Reads of fragments, in a turn."""
        return self.steps * self.warps * self.read

    def products(self, held: Integers) -> Floats:
        """Matrix units of the busiest partition, in a turn of so many blocks, whose warps take partitions in turns."""
        return self.steps * np.ceil(held * self.warps / PARTITIONS) * self.product

    def busiest(self, held: Integers) -> Floats:
        """The longest of both and of the port, in a turn of so many blocks."""
        return np.maximum.reduce([held * self.shared, self.products(held), held * self.arriving])


def _work(problem: Problem, space: Space, unit: Multiprocessor, known: Constants, blocks: Blocks) -> _Work:
    size = ELEMENT_BYTES[problem.element]
    m, n, k = (space[f"block_{axis}"] for axis in "mnk")
    step = np.minimum(space["instruction"], k)
    steps = -(-k // step)
    rows, columns = m / space["warps_m"], n / space["warps_n"]
    rate = unit.multiply_rate(problem.element, problem.accumulator) * known.matrix / PARTITIONS
    ways = _conflicts(k, space, size), _conflicts(n, space, size)
    read = (rows * ways[0] + columns * ways[1]) * step * size / (SHARED_BYTES * known.shared)
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
        m * n / SEGMENT * np.maximum(1.0, known.store),
    )


def _conflicts(width: Integers, space: Space, size: int) -> Integers:
    """Factor of bank conflicts for rows of so many elements in shared memory (interp/tile/work.py, `conflicts`)."""
    lines = SHARED_BYTES // VECTOR
    stride = (width + space["pad"]) * size
    chunks = np.stack([row * stride // VECTOR for row in range(lines)])
    met = np.where(space["swizzled"] == 1, chunks % lines ^ chunks // lines % lines, chunks % lines)
    return np.max([(met == line).sum(0) for line in range(lines)], axis=0)


def _cycles(unit: Multiprocessor, blocks: Blocks, work: _Work, moved: Moved) -> Floats:
    """Cycles of the busiest multiprocessor: waves of as many blocks as it holds, and what is left."""
    latency = unit.l2_latency + moved.largest_miss * (unit.dram_latency - unit.l2_latency)
    slotted = work.slots > 1
    computed = _computed(work)
    alone = computed + np.where(slotted, _late(work), np.maximum(0, work.copied - MEETING))
    # Fragments of the next tile are asked for in a turn's last steps, so that it has to be there before these.
    early = slotted & (blocks.stages > 1)
    after = np.where(early, (work.slots - 1) * work.partition * work.product + 2 * MEETING, computed)
    arrival = latency + work.copied / work.warps + work.arriving
    waiting = (arrival + after) / np.where(early, blocks.stages - 1, blocks.stages)

    def wave(held: Integers) -> Floats:
        """Cycles of so many blocks that begin together."""
        busy = held * work.shared, work.products(held)
        longest = np.maximum.reduce([*busy, alone])
        order = 2.0 + held
        met: Floats = longest * np.sum([(each / longest) ** order for each in (*busy, alone)], axis=0) ** (1 / order)
        closest = np.where(slotted | (held == 1), longest, met)
        interval: Floats = np.maximum.reduce([closest, held * work.arriving, waiting])
        # All end when the busiest unit does, or the last block ends late, whose copies wait for those of the others.
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
    """Cycles of a turn of a block that has a multiprocessor to itself, its tiles there already: two barriers, and steps
    that wait for reads, for products, or for the chain of both."""
    part = work.product / work.parts
    chain = work.read + READ + part
    products = work.partition * work.product
    first = np.maximum(work.warps * work.read + READ + part, chain + products - work.product)
    step = np.maximum(products, chain / work.slots)
    serial = first + (work.steps - 1) * np.maximum(work.warps * work.read, step)
    return 2 * MEETING + np.where(work.slots > 1, work.steps * step, serial)


def _late(work: _Work) -> Floats:
    """Cycles by which fragments that are asked for behind a turn's copies come later than the products before them end;
    the barrier before the next tile's fragments hides some where it is met in between."""
    asked = work.copied + work.warps * work.read + READ - work.product * (1 - 1 / work.parts)
    hidden = (work.slots - 1) * work.partition * work.product
    hidden += np.where(work.steps <= 2 * (work.slots - 1), MEETING, 0)
    return np.maximum(0, asked - hidden)


RANKINGS: Mapping[str, Ranking] = {"analytical": analytical_ns, "bottleneck": bottleneck_ns}
"""Closed models by name; the less, the better."""
