"""Ranking, by analytical formulas, of f32 products on CUDA cores, for kernels with CLBlast's tuning options.

A thread block of `threads_m` x `threads_n` threads computes a tile of `tile_m` x `tile_n`; each thread sums `tile_m /
threads_m` x `tile_n / threads_n` products for each step of K. Factors are staged in shared memory (`smem_a`, `smem_b`)
by `load_m` or `load_n` threads per row, or read through the first-level cache; threads read `vec_m` and `vec_n`
elements at once, with the stride of their tile (Nugteren, CLBlast, IWOCL 2018).

A step of K of `o` blocks on a multiprocessor takes about the longest of

    products     arithmetic of the lanes
    issue        instructions: products, loads, the loop
    reads        shared memory (bank conflicts), first-level cache (lines), staging, second-level cache
    alone        one warp's products, and the latencies that it waits for

and more if several of these are about equally long: a norm with exponent `SHARPNESS` replaces the maximum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialects.tile.loops import WARP
from interp.kinds.gpu.multiprocessor import MOST_REGISTERS, PARTITIONS, Multiprocessor

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

KNOBS = (
    "tile_m",
    "tile_n",
    "tile_k",
    "threads_m",
    "threads_n",
    "load_m",
    "load_n",
    "vec_m",
    "vec_n",
    "smem_a",
    "smem_b",
)
"""The names of the tuning options of the kernels."""
BANKS, WORD, WIDEST = 32, 4, 4
"""Number of banks of shared memory; number of bytes of a word of a bank; and the maximum number of words that a thread
reads at once."""
LINE, SECTOR = 32, 8
"""Number of words of a line of the first-level cache; and number of words of a sector, the smallest transfer from the
second-level cache."""
ADDRESSING = 28
"""Number of registers that a thread needs in addition to those for sums and loaded values."""
LOOP = 4
"""Number of instructions in a step of K in addition to products and loads."""
UNROLLED = 2
"""Number of steps of K whose loads are in flight at the same time."""
BARRIERS = 60
"""Cycles of the two barriers around a tile of K."""
SPILLED = 2.0
"""Cycles per step of K for each sum of a warp that does not fit in registers."""
MOST_BLOCKS = 16
"""Maximum number of blocks on a multiprocessor (CUDA programming guide, compute capabilities 7.5 and 8.6)."""
SHARPNESS = 2.5


@dataclass(frozen=True)
class LaneConstants:
    """Constants of a GPU. `load`: number of instructions for a load and its address; `line`: cycles to read a line of
    the first-level cache; `sector`: cycles to stage a sector; `cache`: bytes per cycle that a multiprocessor
    receives from the second-level cache."""

    load: float = 1.0
    line: float = 1.0
    sector: float = 0.5
    cache: float = 64.0


FITTED: Mapping[str, LaneConstants] = {
    "ampere": LaneConstants(1.32, 0.84, 0.27, 71.65),
    "turing": LaneConstants(1.06, 1.29, 0.51, 63.6),
}
"""Constants by family, each fitted on 6,216 schedules of a product of 4096 x 4096 x 4096 that were measured on one GPU:
an RTX 3090 and an RTX 2080 Ti (AutoTuningAssociation/benchmark_hub 8eeb99e, MIT).
"""


def lanes_ns(
    shape: tuple[int, int, int], knobs: Mapping[str, Integers], unit: Multiprocessor, constants: LaneConstants
) -> Floats:
    """Return the predicted time, in ns, of a product of M x K by K x N for each choice of options. `knobs`: an array
    for each option of `KNOBS`, with an entry per choice."""
    found = _demands(knobs, unit, constants)
    parts = (found.held * found.products, found.held * found.issue, found.held * found.access, found.alone)
    step = np.sum([part**SHARPNESS for part in parts], axis=0) ** (1 / SHARPNESS)
    return _of_steps(step, shape, knobs, unit, found.held)


def lanes_bottleneck_ns(
    shape: tuple[int, int, int], knobs: Mapping[str, Integers], unit: Multiprocessor, constants: LaneConstants
) -> Floats:
    """Return the longest of the times of lanes, issue and reads, in ns, without waits."""
    found = _demands(knobs, unit, constants)
    step = found.held * np.maximum.reduce([found.products, found.issue, found.access])
    return _of_steps(step, shape, knobs, unit, found.held)


def _of_steps(
    step: Floats, shape: tuple[int, int, int], knobs: Mapping[str, Integers], unit: Multiprocessor, held: Floats
) -> Floats:
    """Return the time of all thread blocks in ns. A multiprocessor holds `held` of them at a time, and a step of K of
    these takes `step` cycles."""
    m, n, k = shape
    blocks = np.ceil(m / knobs["tile_m"]) * np.ceil(n / knobs["tile_n"])
    return np.maximum(blocks / (unit.count * held), 1.0) * step * k / unit.clock_hz * 1e9


@dataclass(frozen=True)
class _Demands:
    """Demands of a thread block for a step of K, in cycles: of lanes (`products`), of instruction issue, and of data
    paths (`access`); the cycles of a thread block that is `alone` on a multiprocessor; and the number of blocks
    `held` by a multiprocessor at a time."""

    products: Floats
    issue: Floats
    access: Floats
    alone: Floats
    held: Floats


def _demands(knobs: Mapping[str, Integers], unit: Multiprocessor, constants: LaneConstants) -> _Demands:
    at = {name: knobs[name].astype(np.float64) for name in KNOBS}
    rows, columns = at["tile_m"] / at["threads_m"], at["tile_n"] / at["threads_n"]
    threads = at["threads_m"] * at["threads_n"]
    warps = threads / WARP
    lanes = unit.lane_rate("f32") / 2
    sums = rows * columns

    reads_m, reads_n = _reads(knobs, "m"), _reads(knobs, "n")
    loads = reads_m.count + reads_n.count
    shared, cached = (at["smem_a"], at["smem_b"]), (1 - at["smem_a"], 1 - at["smem_b"])
    access = warps * (shared[0] * reads_m.conflicts + shared[1] * reads_n.conflicts)
    access += warps * (cached[0] * reads_m.lines + cached[1] * reads_n.lines) * constants.line
    for staged, axis in zip(shared, "mn", strict=True):
        access += warps * staged * _staged(knobs, axis, constants) / at["tile_k"]
    access += (at["tile_m"] + at["tile_n"]) * WORD / constants.cache
    access += warps * np.maximum(0.0, sums + rows + columns + ADDRESSING - MOST_REGISTERS) * SPILLED

    staging_cycles = np.maximum(*shared) * (unit.l2_latency + BARRIERS) / at["tile_k"]
    waiting = staging_cycles + np.maximum(*cached) * unit.l2_latency / UNROLLED
    return _Demands(
        warps * sums * WARP / lanes,
        warps * (sums + loads * constants.load + LOOP) / PARTITIONS,
        access,
        np.maximum(1.0, np.ceil(warps / PARTITIONS)) * sums * PARTITIONS * WARP / lanes + waiting,
        _held(at, sums + 2 * (rows + columns), threads, unit),
    )


def _held(at: Mapping[str, Floats], values: Floats, threads: Floats, unit: Multiprocessor) -> Floats:
    """Return the number of blocks that a multiprocessor holds at a time, at least one."""
    registers = np.minimum(MOST_REGISTERS, np.ceil((values + ADDRESSING) / 8) * 8)
    shared = WORD * at["tile_k"] * (at["tile_m"] * at["smem_a"] + at["tile_n"] * at["smem_b"])
    limits = (
        unit.threads // threads,
        unit.shared_bytes // np.maximum(1.0, shared + unit.shared_reserved),
        unit.registers // (registers * threads),
        np.full_like(threads, MOST_BLOCKS),
    )
    return np.maximum(1.0, np.minimum.reduce(limits))


@dataclass(frozen=True)
class _Reads:
    """A warp's reads of one factor in a step of K: the number of load instructions, cycles for which they occupy shared
    memory, and the number of cache lines that they read."""

    count: Floats
    conflicts: Floats
    lines: Floats


def _reads(knobs: Mapping[str, Integers], axis: str) -> _Reads:
    """Return a warp's reads of a factor. Threads of a warp are neighbours along M; along N, all threads of a column
    read the same elements."""

    def of(along: int, other: int, tile: int, width: int) -> tuple[float, float, float]:
        stride = tile // along
        threads = range(WARP)
        starts = [(each % along if axis == "m" else each // other % along) * stride for each in threads]
        times = stride // width
        wide = max(1, width // WIDEST)
        words = min(width, WIDEST)
        return times * wide, times * _conflicts(starts, words, wide), times * _lines(starts, words, wide)

    names = ("threads_m", "threads_n") if axis == "m" else ("threads_n", "threads_m")
    found = _by_kind(of, [knobs[name] for name in (*names, f"tile_{axis}", f"vec_{axis}")])
    return _Reads(*found)


def _staged(knobs: Mapping[str, Integers], axis: str, constants: LaneConstants) -> Floats:
    """Return the cycles that a warp takes to stage its part of a tile of one factor: those of bank conflicts and of the
    transfer of sectors."""

    def of(rows: int, columns: int, tile: int, depth: int, loaders: int, width: int) -> tuple[float]:
        stride = tile // loaders
        times = max(1, stride // width) * (depth * loaders // (rows * columns))
        words, wide = min(width, WIDEST), max(1, width // WIDEST)
        stored = [each % loaders * stride + each // loaders * tile for each in range(WARP)]
        row = [each % loaders * stride for each in range(WARP)]
        sectors = sum(
            len({(at + part * words) // SECTOR for at in row[i : i + group]})
            for part in range(wide)
            for group in (WARP // words,)
            for i in range(0, WARP, group)
        )
        rows_read = max(1.0, WARP / loaders)
        return (times * (_conflicts(stored, words, wide) + sectors * rows_read * constants.sector),)

    names = ("threads_m", "threads_n", f"tile_{axis}", "tile_k", f"load_{axis}", f"vec_{axis}")
    return _by_kind(of, [knobs[name] for name in names])[0]


def _conflicts(starts: Sequence[int], words: int, wide: int) -> int:
    """Return the cycles of shared memory for a warp's access to `words` words from each of `starts`: the number of
    distinct words in the busiest bank."""
    cycles = 0
    for part in range(wide):
        met = {start + part * words + word for start in starts for word in range(words)}
        cycles += int(np.bincount([word % BANKS for word in met]).max())
    return cycles


def _lines(starts: Sequence[int], words: int, wide: int) -> int:
    """Return the number of cache line lookups for a warp's access. Groups of `WARP // words` successive threads access
    their `wide` parts, of `words` words each, one after another; threads of a group that access the same line at a
    time share its lookup."""
    group = WARP // words
    return sum(
        len({(start + part * words) // LINE for start in starts[first : first + group]})
        for part in range(wide)
        for first in range(0, WARP, group)
    )


def _by_kind(of: Callable[..., tuple[float, ...]], columns: Sequence[Integers]) -> list[Floats]:
    """Return the results of a function for each row of some columns; the function is evaluated once for equal rows."""
    kinds, back = np.unique(np.stack(columns, -1), axis=0, return_inverse=True)
    found = np.array([of(*map(int, kind)) for kind in kinds])
    return [found[back.reshape(-1), index] for index in range(found.shape[1])]
