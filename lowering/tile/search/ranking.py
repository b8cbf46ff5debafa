"""Ranking of schedules by closed formulas, over whole spaces at once and without a simulation.

The model of a turn of a block's loop over K, in cycles of a multiprocessor that holds `o` blocks of `W` warps (the form
is that of ALCOP's analysis, Huang et al., MLSys 2023, after Lym et al., DELTA, 2019):

    alone     what one block takes by itself: barriers, its copies' way into shared memory, and its chain of fragments
              and products; with several slots of fragments, reads of the next ones hide behind products
    interval  max(o x shared memory, o x matrix units, alone, (latency + alone) / stages)
    block     filling sums + latency + turns x interval + storing results
    grid      max(blocks of a multiprocessor, o at a time; bytes that come from memory or go there)

What a simulation finds event by event (interp/tile/events.py) is here what is left in the long run, so that one kernel
takes microseconds. Redundant copies of wrapped pipelines, last waves that are not full, misses of the last-level cache,
and parts of K are terms of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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

    `grid`: tiles of the result's rows and of its columns; `count`: blocks; `turns`: of a block's loop over K; `stages`:
    no more than turns; `warps` of a block; `held`: blocks on a multiprocessor at a time, 0 where one is too large.
    """

    grid: tuple[Integers, Integers]
    count: Integers
    turns: Integers
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
    tiles = -(-problem.k // k)
    turns = -(-tiles // space["split"])
    stages = np.minimum(space["stages"], turns)
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
    count = grid[0] * grid[1] * problem.batch * space["split"]
    return Blocks(grid, count, turns, stages, warps, held)


@dataclass(frozen=True)
class Moved:
    """Bytes that a problem's blocks read through the last-level cache, that of these come from memory, and that they
    write."""

    read: Floats
    missed: Floats
    written: Floats


def moved_by(problem: Problem, space: Space, unit: Multiprocessor, blocks: Blocks) -> Moved:
    """The traffic of a problem's blocks under each schedule, by the rules of interp/tile/traffic.py."""
    size = ELEMENT_BYTES[problem.element]
    rows, columns = (each.astype(np.float64) for each in blocks.grid)
    wrapped = np.where(space["peeled"] == 1, 0, blocks.stages - 1)
    depth = ((blocks.turns + wrapped) * space["block_k"] * size).astype(np.float64)
    first, second = depth * space["block_m"], depth * space["block_n"]
    copies = problem.batch * space["split"]
    at_once = np.minimum(blocks.count, np.maximum(blocks.held, 1) * unit.count)
    order = np.where(space["order"] > 1, np.minimum(space["order"], blocks.grid[1]), blocks.grid[1])
    kinds, kind = np.unique(np.stack((*blocks.grid, order, copies, at_once)), axis=1, return_inverse=True)
    missed = np.zeros_like(first)
    for number, each in enumerate(kinds.T):
        high, across, wide, apart, held = (int(extent) for extent in each)
        grid, groups = (apart, high, across), wide if wide < across else 1
        seen = [reuse_of(Tiles(grid, groups, shares), held) for shares in ((1, 1, 0), (1, 0, 1))]
        mine, waves = kind.reshape(-1) == number, -(-high * across * apart // held)
        a_wave = (first[mine] * seen[0].reads + second[mine] * seen[1].reads) / waves
        for nbytes, reuse in zip((first[mine], second[mine]), seen, strict=True):
            again = [misses_of(gap * a_wave / unit.l2_bytes) * times for gap, times in reuse.gaps]
            missed[mine] += nbytes * (reuse.tiles + sum(again))
    result = np.where(space["split"] > 1, ELEMENT_BYTES[problem.accumulator], ELEMENT_BYTES[problem.result])
    tiles = rows * columns * space["block_m"] * space["block_n"] * result
    return Moved(copies * rows * columns * (first + second), missed, copies * tiles)


def analytical_ns(problem: Problem, space: Space, unit: Multiprocessor, constants: Constants | None = None) -> Floats:
    """The predicted time of a problem's kernel under each schedule, in ns; infinite where no multiprocessor holds a
    block of it. `constants`: those of the GPU's family by default."""
    known = constants_of(unit) if constants is None else constants
    blocks = blocks_of(problem, space, unit)
    moved = moved_by(problem, space, unit, blocks)
    units = _cycles(problem, space, unit, known, blocks, moved)
    memory = (moved.missed + moved.written) / (unit.dram_bytes * unit.count * known.dram)
    return np.where(blocks.held > 0, np.maximum(units, memory) / unit.clock_hz * 1e9, np.inf)


def bottleneck_ns(problem: Problem, space: Space, unit: Multiprocessor, constants: Constants | None = None) -> Floats:
    """The longest of what matrix units, shared memory and memory take under each schedule, in ns, without latencies,
    barriers, or waits for each other (the kind of model that ALCOP is compared to)."""
    known = constants_of(unit) if constants is None else constants
    blocks = blocks_of(problem, space, unit)
    moved, work = moved_by(problem, space, unit, blocks), _work(problem, space, unit, known, blocks)
    turn = np.maximum(blocks.warps * work.shared, work.partition * work.products)
    units = blocks.each(unit) * blocks.turns * turn
    memory = (moved.missed + moved.written) / (unit.dram_bytes * unit.count * known.dram)
    return np.where(blocks.held > 0, np.maximum(units, memory) / unit.clock_hz * 1e9, np.inf)


@dataclass(frozen=True)
class _Work:
    """Cycles of a turn: `steps` of fragments and products, in each of which a warp's reads take shared memory `read`
    and its product a part's matrix units `product`, of which `parts` begin one after another; `copied`: what its copies
    take of shared memory. `partition`: warps that share the matrix units of the busiest part."""

    steps: Integers
    read: Floats
    product: Floats
    parts: Floats
    copied: Floats
    partition: Floats

    @property
    def shared(self) -> Floats:
        """Shared memory, for a warp."""
        return self.steps * self.read + self.copied

    @property
    def products(self) -> Floats:
        """Matrix units, for a warp."""
        return self.steps * self.product


def _work(problem: Problem, space: Space, unit: Multiprocessor, known: Constants, blocks: Blocks) -> _Work:
    size = ELEMENT_BYTES[problem.element]
    step = np.minimum(space["instruction"], space["block_k"])
    rows, columns = space["block_m"] / space["warps_m"], space["block_n"] / space["warps_n"]
    rate = unit.multiply_rate(problem.element, problem.accumulator) * known.matrix / PARTITIONS
    ways = _conflicts(space["block_k"], space, size), _conflicts(space["block_n"], space, size)
    read = (rows * ways[0] + columns * ways[1]) * step * size / (SHARED_BYTES * known.shared)
    parts = np.maximum(1, columns // FRAGMENT) * np.maximum(1, step // FRAGMENT)
    lines = space["block_m"] * np.ceil(space["block_k"] * size / LINE)
    lines += space["block_k"] * np.ceil(space["block_n"] * size / LINE)
    passed = 2 * (space["block_m"] + space["block_n"]) * space["block_k"] * size / SHARED_BYTES
    copied = (lines + np.where(space["asynchronous"] == 1, 0.0, passed)) / blocks.warps
    return _Work(
        -(-space["block_k"] // step),
        read,
        2 * rows * columns * step / rate,
        parts,
        copied,
        np.ceil(blocks.warps / PARTITIONS),
    )


def _conflicts(width: Integers, space: Space, size: int) -> Integers:
    """Factor of bank conflicts for rows of so many elements in shared memory (interp/tile/work.py, `conflicts`)."""
    lines = SHARED_BYTES // VECTOR
    stride = (width + space["pad"]) * size
    chunks = np.stack([row * stride // VECTOR for row in range(lines)])
    met = np.where(space["swizzled"] == 1, chunks % lines ^ chunks // lines % lines, chunks % lines)
    return np.max([(met == line).sum(0) for line in range(lines)], axis=0)


def _cycles(
    problem: Problem, space: Space, unit: Multiprocessor, known: Constants, blocks: Blocks, moved: Moved
) -> Floats:
    """Cycles of the busiest multiprocessor."""
    work = _work(problem, space, unit, known, blocks)
    latency = unit.l2_latency + moved.missed / moved.read * (unit.dram_latency - unit.l2_latency)
    alone = _alone(space, blocks, work, known)
    sums = space["block_m"] * space["block_n"] / blocks.warps
    filled = sums / (unit.lane_rate("f32") / PARTITIONS)
    stored = space["block_m"] * space["block_n"] / SEGMENT * known.store

    def together(held: Integers) -> Floats:
        """Cycles of so many blocks that begin at once."""
        busy = held * np.maximum(blocks.warps * work.shared, work.partition * work.products)
        interval = np.maximum.reduce([busy, alone, (latency + alone) / blocks.stages])
        chain = filled + latency + (blocks.stages - 1) * blocks.warps * work.copied + blocks.turns * interval + stored
        return np.maximum.reduce([chain, blocks.turns * busy, held * stored])

    each, held = blocks.each(unit), np.maximum(blocks.held, 1)
    rounds, rest = np.divmod(each, held)
    tail = (np.minimum(each, held) - 1) * stored
    return rounds * together(held) + np.where(rest > 0, together(rest), 0.0) + tail


def _alone(space: Space, blocks: Blocks, work: _Work, known: Constants) -> Floats:
    """Cycles of a turn of a block that has a multiprocessor to itself, its copies there already."""
    part = work.product / work.parts
    chain = work.read + READ + part
    first = np.maximum(blocks.warps * work.read + READ + part, chain + (work.partition - 1) * work.product)
    slots = np.minimum(space["register_stages"], work.steps)
    step = np.maximum.reduce([blocks.warps * work.read, work.partition * work.product, chain / slots])
    return 2 * MEETING + blocks.warps * work.copied + first + (work.steps - 1) * step


RANKINGS: Mapping[str, Ranking] = {"analytical": analytical_ns, "bottleneck": bottleneck_ns}
"""Closed models by name; the less, the better."""
