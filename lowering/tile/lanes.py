"""Outlines of products that single threads compute on ordinary lanes, not matrix units, like CLBlast's kernels
(Nugteren, IWOCL 2018, after Matsumoto et al., 2012).

    C[i, j] = sum over k of A[k, i] B[k, j]

Each thread block computes a tile of C, and each of its threads a part of the tile. Tiles of A and B are copied to
shared memory, or each thread reads its parts of them from global memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, prod

from dialects.tile.loops import WARP
from interp.kinds.gpu.multiprocessor import PARTITIONS, REGISTER_BYTES, Multiprocessor
from interp.tile import lanes
from interp.tile.lanes import Part, Speed
from interp.tile.outline import Outline
from interp.tile.traffic import Stream, Tiles
from interp.tile.work import ADDRESSING, LINE, SEGMENT, STORE_PARTS, Loop, Step, Steps

SIZE = 4
"""Bytes of an element of the factors, which are in f32."""


@dataclass(frozen=True)
class LaneSchedule:
    """Tiling of a product among threads.

    `tile`: rows, columns and K of a thread block's tiles; `threads`: numbers of threads among which the rows and the
    columns of a tile are divided; `loads`: numbers of threads that together copy one row of a tile to shared memory,
    for the first and for the second factor; `vectors`: number of elements that a thread moves at once, for each factor;
    `staged`: for each factor, True if it is copied through shared memory; `rows`: number of rows of K that a thread
    requests at once.
    """

    tile: tuple[int, int, int]
    threads: tuple[int, int]
    loads: tuple[int, int]
    vectors: tuple[int, int] = (1, 1)
    staged: tuple[bool, bool] = (True, True)
    rows: int = 4

    @property
    def thread_count(self) -> int:
        """Number of threads of a thread block."""
        return prod(self.threads)

    @property
    def parts(self) -> tuple[int, int]:
        """Number of rows and number of columns of each thread's part of the tile."""
        (m, n, _), (down, right) = self.tile, self.threads
        return m // down, n // right


def outline_of_lanes(shape: tuple[int, int, int], schedule: LaneSchedule, unit: Multiprocessor) -> Outline:
    """Return the outline of the grid of a product of a transposed K x M matrix and a K x N matrix. `shape`: M, N and K,
    multiples of the tile."""
    (m, n, k), (bm, bn, bk) = shape, schedule.tile
    count, warps = m // bm * (n // bn), schedule.thread_count // WARP
    kept = sum(wide for wide, shared in zip((bm, bn), schedule.staged, strict=True) if shared)
    return Outline(
        _steps(shape, schedule, unit),
        warps,
        count,
        kept * bk * SIZE,
        _registers(schedule),
        2 * m * n * k,
        _streams(shape, (bm, bn)),
        float(m * n * SIZE),
    )


def _registers(schedule: LaneSchedule) -> float:
    return ADDRESSING + (sum(schedule.parts) + prod(schedule.parts)) * SIZE / REGISTER_BYTES


def _streams(shape: tuple[int, int, int], tile: tuple[int, int]) -> tuple[Stream, Stream]:
    m, n, k = shape
    extents = n // tile[1], m // tile[0]
    first, second = Tiles(extents, repeats=(0, 1)), Tiles(extents, repeats=(1, 0))
    return Stream(float(tile[0] * k * SIZE), first), Stream(float(tile[1] * k * SIZE), second)


def _steps(shape: tuple[int, int, int], schedule: LaneSchedule, unit: Multiprocessor) -> Steps:
    (m, n, k), (bm, bn, bk) = shape, schedule.tile
    speed, warps, rows = Speed.of(unit), schedule.thread_count // WARP, schedule.rows
    fetches, asks = list[Step](), list[Step]()
    widths = list(schedule.vectors)
    if all(schedule.staged) and widths[0] > widths[1] and schedule.parts[1] % widths[0] == 0:
        widths[1] = widths[0]
    for axis, (wide, whole) in enumerate(((bm, m), (bn, n))):
        part = Part(schedule.threads, axis, schedule.parts[axis], SIZE, SIZE, widths[axis])
        one = lanes.factor_requests(part, speed)
        if schedule.staged[axis]:
            asks.append(Step("shared", rows * one.shared / unit.shared_rate))
            sharing = (schedule.loads[axis], schedule.vectors[axis])
            way = lanes.staging_requests(
                (bk, wide), SIZE, sharing, schedule.thread_count, (whole * SIZE, wide * SIZE), speed
            )
            stored = way.shared / unit.shared_rate
            fetches.append(Step("bring", bk * wide * SIZE / warps, way.loaded / unit.shared_rate, stored=stored))
        else:
            asks.append(Step("load", rows * wide * SIZE / warps, rows * one.loaded / unit.shared_rate))
    spilled = lanes.spill_cycles(_registers(schedule), schedule.thread_count, rows, unit)
    asks += [Step("shared", spilled / unit.shared_rate)] if spilled else []
    cycles = lanes.lane_cycles(*schedule.parts, schedule.vectors, rows, "f32", SIZE, unit)
    inner = Loop(bk // rows, (*asks, Step("multiply", cycles, rows)))
    barrier = (Step("barrier"),) if fetches else ()
    outer = Loop(k // bk, (*fetches, *barrier, inner, *barrier))
    fill = Step("lanes", bm * bn / warps / (unit.lane_rate("f32") / PARTITIONS))
    lines = bm * ceil(bn * SIZE / min(SEGMENT * SIZE, LINE)) / warps
    return fill, outer, *[Step("store", bm * bn * SIZE / warps / STORE_PARTS, lines / STORE_PARTS)] * STORE_PARTS
