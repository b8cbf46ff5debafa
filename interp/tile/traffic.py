"""Traffic, in bytes, of a grid's thread blocks with memory and with the last-level cache.

A wave is as many consecutive blocks as the GPU holds at a time. The blocks of a wave read a tile at the same time, so a
wave reads the tile from memory at most once. A later wave finds the tile in the cache, unless data requested since then
has replaced it. The number of waves between two reads of a tile is computed in closed form, because a convolution can
have millions of thread blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineDimExpr, AffineExpr

from dialects.programs.index import value_of, variables_in
from dialects.tile import BlocksOp, CopyOp, ForOp, WhenOp, bytes_in, scope_of, viewed
from interp.tile.walk import execution_counts
from interp.tile.work import bytes_of

Ints = NDArray[np.int64]

LINEAR = AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul


@dataclass(frozen=True)
class Traffic:
    """Traffic of a grid in bytes: `read` by thread blocks, `missed` (the part of `read` that comes from memory), and
    `written` to memory."""

    read: float
    missed: float
    written: float
    largest_miss: float = 0.0
    """Largest fraction of a copy's bytes that comes from memory, among all copies."""


@dataclass(frozen=True)
class Reuse:
    """Repeated reads of tiles: by a wave of blocks, after an earlier wave read the same tile. `reads`: number of reads
    of tiles, where all blocks of a wave that read a tile count as one read. `distances`: pairs of a distance, which is
    the number of waves from a tile's previous read to a read of it, and the number of reads at this distance."""

    reads: int
    distances: tuple[tuple[int, int], ...]

    @property
    def tiles(self) -> int:
        """Number of different tiles."""
        return self.reads - sum(times for _, times in self.distances)


@dataclass(frozen=True)
class Tiles:
    """The tiles that the thread blocks of a grid read with one copy.

    `extents`, `order`: as of the grid (see tile.blocks). `repeats`: for each variable of the grid, the number of its
    successive values for which blocks read the same tile, or 0 if blocks read the same tile for all values. `numbers`:
    where `repeats` can't express the pattern, a number for each block in order, as bytes of 64-bit integers; blocks
    with equal numbers read the same tile.
    """

    extents: tuple[int, ...]
    order: int = 1
    repeats: tuple[int, ...] = ()
    numbers: bytes = b""

    @property
    def blocks(self) -> int:
        """Number of thread blocks."""
        return prod(self.extents)

    def each(self) -> Ints:
        """Return a number for each block, in order; blocks with equal numbers read the same tile."""
        if self.numbers:
            return np.frombuffer(self.numbers, np.int64)
        found = np.zeros(self.blocks, np.int64)
        for values, extent, repeat in zip(
            block_order(self.extents, self.order), self.extents, self.repeats, strict=True
        ):
            found = found * extent + (values // repeat if repeat else 0)
        return found

    def reuse(self, at_once: int) -> Reuse:
        """Return how often waves of `at_once` blocks read tiles that earlier waves read."""
        axes = self._axes()
        levels = [] if axes is None else _levels(axes)
        if axes is None or len(levels) > 2 or (len(levels) == 2 and levels[0][0] > 1):
            return counted(self.each(), at_once)
        found = Counter[int]()
        run = 1
        for stride, extent in levels:
            if stride == 1:
                found[1] += _within_runs(self.blocks, extent, at_once)
                run = extent
            else:
                found.update(_between_runs(self.blocks, stride, extent, run, at_once))
        distances = tuple(sorted((distance, times) for distance, times in found.items() if distance and times))
        tiles = prod(extent for extent, matters in axes if matters)
        return Reuse(tiles + sum(times for _, times in distances), distances)

    def _axes(self) -> list[tuple[int, bool]] | None:
        """Return axes, slowest first, whose nested loops enumerate the blocks in their order: the extent of each, and
        True if the tile depends on it. None if no such axes exist."""
        if self.numbers:
            return None
        found = list[tuple[int, bool]]()
        for extent, repeat in zip(self.extents, self.repeats, strict=True):
            if repeat > 1 and extent % repeat:
                return None
            found += [(extent // repeat, True), (repeat, False)] if repeat > 1 else [(extent, bool(repeat))]
        if self.order > 1 and len(self.extents) > 1 and self.order < (columns := self.extents[-1]):
            if columns % self.order or max(self.repeats[-2:]) > 1:
                return None
            (rows, by_row), (_, by_column) = found[-2:]
            found[-2:] = [(columns // self.order, by_column), (rows, by_row), (self.order, by_column)]
        return found


def _levels(axes: Sequence[tuple[int, bool]]) -> list[tuple[int, int]]:
    """Return the axes that the tile does not depend on, fastest first, each as the number of blocks between two of its
    neighbouring values (stride) and its extent; adjacent axes are merged."""
    found, stride = list[tuple[int, int]](), 1
    for extent, matters in reversed(axes):
        if not matters and extent > 1:
            before = found[-1] if found else (0, 0)
            if found and before[0] * before[1] == stride:
                found[-1] = before[0], before[1] * extent
            else:
                found.append((stride, extent))
        stride *= extent
    return found


def _within_runs(blocks: int, run: int, at_once: int) -> int:
    """Return the number of waves that begin within a run of `run` neighbouring blocks that read the same tile."""
    begins = np.arange(at_once, blocks, at_once)
    return int(np.count_nonzero(begins % run))


def _between_runs(blocks: int, stride: int, extent: int, run: int, at_once: int) -> Counter[int]:
    """Return how often each distance occurs from the end of a run of blocks that read the same tile to the begin of the
    next run of the same tile. A distance is a number of waves. Each tile has `extent` runs, `stride` blocks apart."""
    distance = stride - run + 1
    starts = np.arange(0, blocks, stride * extent)
    if run == 1:
        full, rest = divmod(distance, at_once)
        late = int(np.sum(_late(starts + (extent - 1) * stride, rest, at_once) - _late(starts, rest, at_once)))
        return Counter({full + 1: late, full: len(starts) * (extent - 1) * stride - late})
    ends = (starts[:, None] + np.arange(run - 1, (extent - 1) * stride, run)[None, :]).reshape(-1)
    distances, times = np.unique((ends + distance) // at_once - ends // at_once, return_counts=True)
    return Counter(dict(zip(distances.tolist(), times.tolist(), strict=True)))


def _late(ends: Ints, last: int, at_once: int) -> Ints:
    """Return, for each block number in `ends`, how many blocks of smaller number are among the last `last` blocks of
    their wave."""
    waves, within = np.divmod(ends, at_once)
    return waves * last + np.maximum(0, within - (at_once - last))


def counted(tiles: Ints, at_once: int) -> Reuse:
    """Return how often waves of `at_once` blocks read tiles that earlier waves read, counted block by block. `tiles`:
    the number of the tile that each block reads."""
    waves = np.arange(len(tiles)) // at_once
    pairs = np.unique(tiles * (len(tiles) + 1) + waves)
    read, waves = np.divmod(pairs, len(tiles) + 1)
    distances, times = np.unique(np.diff(waves)[np.diff(read) == 0], return_counts=True)
    return Reuse(len(pairs), tuple(zip(distances.tolist(), times.tolist(), strict=True)))


@dataclass(frozen=True)
class Stream:
    """The reads of a grid's thread blocks from global memory by one copy. `nbytes`: bytes that each block reads in all
    its iterations; `tiles`: the tiles that blocks read; `distinct`: the number of different bytes in memory that a
    block reads, divided by `nbytes` (windows of a convolution overlap, so that most bytes are read several times)."""

    nbytes: float
    tiles: Tiles
    distinct: float = 1.0

    @property
    def fresh(self) -> float:
        """Number of different bytes in memory that a block reads."""
        return self.nbytes * self.distinct


def traffic_of(
    streams: Sequence[Stream], written: float, at_once: int, cache_bytes: float, warm: bool = False
) -> Traffic:
    """Return the traffic of a grid that reads these streams and of which `at_once` blocks run at the same time. `warm`:
    the same grid ran just before, so its data is in the cache as far as it fits.
    """
    found = [reuse_of(each.tiles, at_once) for each in streams]
    waves = max(1, -(-max((each.tiles.blocks for each in streams), default=0) // at_once))
    a_wave = sum(each.fresh * reuse.reads for each, reuse in zip(streams, found, strict=True)) / waves
    touched = written + sum(each.fresh * reuse.tiles for each, reuse in zip(streams, found, strict=True))
    first = float(misses_of(np.array(touched / cache_bytes))) if warm else 1.0
    read, missed = list[float](), list[float]()
    for each, reuse in zip(streams, found, strict=True):
        distances, times = np.array(reuse.distances, np.float64).reshape(-1, 2).T
        again = float(times @ misses_of(distances * a_wave / cache_bytes))
        read.append(each.nbytes * each.tiles.blocks)
        missed.append(each.fresh * (first * reuse.tiles + again))
    largest_miss = max((part / total for part, total in zip(missed, read, strict=True) if total), default=0.0)
    return Traffic(sum(read), sum(missed), first * written, largest_miss)


@lru_cache(maxsize=4096)
def reuse_of(tiles: Tiles, at_once: int) -> Reuse:
    """Return how often waves of `at_once` blocks read tiles that earlier waves read; cached, because many schedules
    share the result."""
    return tiles.reuse(at_once)


def misses_of(loads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the fraction of data read again that the cache no longer contains, if the data requested since the last
    read are `loads` times the size of the cache. A missing line replaces a random line: m = 1 - exp(-m load)."""
    found = np.ones_like(loads, dtype=np.float64)
    for _ in range(64 if (loads > 1).any() else 0):
        found = 1 - np.exp(-found * loads)
    return np.where(loads > 1, found, 0.0)


def streams_of(grid: BlocksOp) -> tuple[Stream, ...]:
    """Return the reads of a grid's blocks from global memory; copies of the same tiles are merged."""
    return merged_streams(
        (tiles_of(op, grid), distinct_of(op, grid), bytes_of(op.target) * iterations_of(op, grid))
        for op in grid.body.walk()
        if isinstance(op, CopyOp) and scope_of(op.source.memory) == "global"
    )


def merged_streams(copies: Iterable[tuple[Tiles, float, float]]) -> tuple[Stream, ...]:
    """Return the reads of copies as streams; copies with the same tiles and the same fraction form one stream. Each
    copy is given by its tiles, the fraction of its bytes that are distinct in memory, and its bytes."""
    found: dict[tuple[Tiles, float], float] = {}
    for tiles, distinct, nbytes in copies:
        found[tiles, distinct] = found.get((tiles, distinct), 0.0) + nbytes
    return tuple(Stream(nbytes, *key) for key, nbytes in found.items())


def distinct_in(memory: SSAValue) -> float:
    """Return the average fraction of a view's elements that are distinct in the memory behind it; 1 for a memory that
    is no view.
    """
    root, _ = viewed(memory)
    return min(1.0, bytes_in(root) / bytes_in(memory))


def distinct_of(op: CopyOp, grid: BlocksOp) -> float:
    """Return the number of different bytes in memory that a block reads with a copy, divided by all bytes that it reads
    with the copy, on average over blocks. Where an index combines variables of blocks and of loops, as in stream-K,
    blocks read each other's tiles; the fraction is then computed as if all blocks together read the memory once
    before any tile is read again."""
    for start in op.source.box.starts:
        for part in start.dfs():
            if not isinstance(part, AffineBinaryOpExpr) or part.kind in LINEAR:
                continue
            if len({_of_grid(op.indices[each], grid) for each in variables_in(part)}) > 1:
                root, _ = viewed(op.source.memory)
                return min(1.0, bytes_in(root) / (bytes_of(op.target) * iterations_of(op, grid) * grid.count))
    return distinct_in(op.source.memory)


def written_by(grid: BlocksOp) -> float:
    """Return the bytes that all blocks of a grid write to global memory."""
    return sum(
        bytes_of(op.target) * iterations_of(op, grid) * grid.count
        for op in grid.body.walk()
        if isinstance(op, CopyOp) and scope_of(op.target.memory) == "global"
    )


def iterations_of(op: Operation, grid: BlocksOp) -> float:
    """Return the average number of times that a block executes an op."""
    found, around = 1, op.parent_op()
    while around is not None and around is not grid:
        if isinstance(around, WhenOp):
            return float(execution_counts(op, grid).mean())
        if isinstance(around, ForOp):
            found *= len(around.values)
        around = around.parent_op()
    return found


def block_order(extents: Sequence[int], order: int) -> list[Ints]:
    """Return the values of each variable of a grid, from 0, for all blocks in the order in which they start."""
    numbers = np.arange(prod(extents))
    if order == 1 or len(extents) < 2:
        return [np.asarray(each) for each in np.unravel_index(numbers, extents)]
    *outer, rows, columns = extents
    before, inner = np.divmod(numbers, rows * columns)
    group, rest = np.divmod(inner, rows * order)
    width = np.minimum(order, columns - group * order)
    found = [*np.unravel_index(before, outer or [1])][: len(outer)]
    return [*(np.asarray(each) for each in found), rest // width, group * order + rest % width]


def tiles_of(op: CopyOp, grid: BlocksOp) -> Tiles:
    """Return the tiles that a copy from global memory reads; loops around the copy are ignored, because they read the
    same tiles in all blocks.
    """
    extents = tuple(len(values) for values in grid.ranges)
    found = Tiles(extents, grid.order.value.data)
    starts, indices = op.source.box.starts, list(op.indices)
    repeats = list[int]()
    for variable, values in zip(grid.body.block.args, grid.ranges, strict=True):
        at = indices.index(variable) if variable in indices else -1
        repeat = _repeat([start for start in starts if at in variables_in(start)], at, values)
        if repeat is None or any(
            at in (used := variables_in(start)) and any(_of_grid(indices[other], grid) for other in used - {at})
            for start in starts
        ):
            return replace(found, numbers=_numbers(op, grid))
        repeats.append(repeat)
    return replace(found, repeats=tuple(repeats))


def _of_grid(variable: SSAValue, grid: BlocksOp) -> bool:
    return variable in grid.body.block.args


def _repeat(starts: Sequence[AffineExpr], at: int, values: range) -> int | None:
    """Return the number of successive values of a variable for which all `starts` of a tile are the same, 0 if they are
    the same for all values; None if this number is not constant."""
    if not starts or len(values) == 1:
        return 0
    if any(at in variables_in(start) and _is_linear(start, at) for start in starts):
        return 1
    found = np.stack([np.broadcast_to(_along(start, at, values), len(values)) for start in starts], -1)
    changes = np.flatnonzero((found[1:] != found[:-1]).any(axis=1)) + 1
    if not len(changes):
        return 0
    repeat = int(changes[0])
    regular = np.array_equal(changes, np.arange(repeat, len(values), repeat))
    return repeat if regular and len(np.unique(found, axis=0)) == len(changes) + 1 else None


def _is_linear(expression: AffineExpr, at: int) -> bool:
    """Return True if an expression grows linearly with a variable."""
    match expression:
        case AffineDimExpr(position):
            return position == at
        case AffineBinaryOpExpr(AffineBinaryOpKind.Add, left, right):
            return _is_linear(left, at) != _is_linear(right, at) and not (_is_hidden(left, at) or _is_hidden(right, at))
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, left, right):
            return _is_linear(left, at) and value_of(right, [0] * (at + 1)) != 0
        case _:
            return False


def _is_hidden(expression: AffineExpr, at: int) -> bool:
    """Return True if an expression depends on a variable, but not linearly."""
    return at in variables_in(expression) and not _is_linear(expression, at)


def _along(start: AffineExpr, at: int, values: range) -> Ints:
    """Return the values of an expression for all values of one variable, with all other variables 0."""
    size = max(variables_in(start)) + 1
    return np.asarray(
        value_of(start, [np.arange(values.start, values.stop) if each == at else 0 for each in range(size)])
    )


def _numbers(op: CopyOp, grid: BlocksOp) -> bytes:
    """Return a number for each block, as bytes of 64-bit integers; blocks with equal numbers read the same tile."""
    extents, order = [len(values) for values in grid.ranges], grid.order.value.data
    known: dict[SSAValue, Ints] = {
        variable: each + values.start
        for variable, each, values in zip(grid.body.block.args, block_order(extents, order), grid.ranges, strict=True)
    }
    values = [known.get(index, np.zeros(1, np.int64)) for index in op.indices]
    starts = [np.broadcast_to(value_of(start, values), grid.count) for start in op.source.box.starts]
    return np.unique(np.stack(starts, -1), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64).tobytes()
