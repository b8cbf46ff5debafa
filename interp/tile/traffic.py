"""Traffic, in bytes, of a grid's thread blocks with memory and with the last-level cache in the long run.

Blocks run in waves, so many at a time. Those of a wave read the same tile at the same time, so it comes from memory
once. A later wave finds it in the cache, unless what has been asked for since then has replaced it. How many waves lie
between is counted in closed form, since a convolution has millions of thread blocks.
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

from dialects.tile import BlocksOp, CopyOp, ForOp, WhenOp, bytes_in, scope_of, viewed
from interp.tile.walk import times_done, value_of
from interp.tile.work import bytes_of

Ints = NDArray[np.int64]

LINEAR = AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul


@dataclass(frozen=True)
class Traffic:
    """Bytes of a grid: that thread blocks read, that of these come from memory, and that go there."""

    read: float
    missed: float
    written: float
    latest: float = 0.0
    """The part that comes from memory of that copy whose part is largest."""

    @property
    def miss(self) -> float:
        """The part of what is read that comes from memory."""
        return self.missed / self.read if self.read else 0.0


@dataclass(frozen=True)
class Reuse:
    """Tiles that waves of blocks read, those of each wave once, summed over waves; and of those that an earlier wave
    has read, how many were read so many waves before last."""

    reads: int
    gaps: tuple[tuple[int, int], ...]

    @property
    def tiles(self) -> int:
        """Number of different tiles."""
        return self.reads - sum(times for _, times in self.gaps)


@dataclass(frozen=True)
class Tiles:
    """The tiles that the thread blocks of a grid read by one copy.

    `extents`, `order`: of the grid (see tile.blocks); `shares`: of each of its variables, how many neighbouring values
    read the same tile, 0 if all of them do; `numbers`: where the variables don't say it so simply, a number for the
    tile of each block in order, as bytes of 64-bit integers.
    """

    extents: tuple[int, ...]
    order: int = 1
    shares: tuple[int, ...] = ()
    numbers: bytes = b""

    @property
    def blocks(self) -> int:
        """Number of thread blocks."""
        return prod(self.extents)

    def each(self) -> Ints:
        """A number for the tile of each block, in order."""
        if self.numbers:
            return np.frombuffer(self.numbers, np.int64)
        found = np.zeros(self.blocks, np.int64)
        for values, extent, share in zip(in_order(self.extents, self.order), self.extents, self.shares, strict=True):
            found = found * extent + (values // share if share else 0)
        return found

    def reuse(self, at_once: int) -> Reuse:
        """The reuse of tiles among waves of so many blocks."""
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
        gaps = tuple(sorted((gap, times) for gap, times in found.items() if gap and times))
        tiles = prod(extent for extent, matters in axes if matters)
        return Reuse(tiles + sum(times for _, times in gaps), gaps)

    def _axes(self) -> list[tuple[int, bool]] | None:
        """Axes, from the slowest one, whose blocks follow each other in plain order: extents, and whether the tile
        hangs on them; None if there are no such."""
        if self.numbers:
            return None
        found = list[tuple[int, bool]]()
        for extent, share in zip(self.extents, self.shares, strict=True):
            if share > 1 and extent % share:
                return None
            found += [(extent // share, True), (share, False)] if share > 1 else [(extent, bool(share))]
        if self.order > 1 and len(self.extents) > 1 and self.order < (columns := self.extents[-1]):
            if columns % self.order or max(self.shares[-2:]) > 1:
                return None
            (rows, by_row), (_, by_column) = found[-2:]
            found[-2:] = [(columns // self.order, by_column), (rows, by_row), (self.order, by_column)]
        return found


def _levels(axes: Sequence[tuple[int, bool]]) -> list[tuple[int, int]]:
    """Strides and extents of what the tile does not hang on, from the fastest; neighbours are taken together."""
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
    """Number of waves that begin within a run of so many neighbours that read the same tile."""
    begins = np.arange(at_once, blocks, at_once)
    return int(np.count_nonzero(begins % run))


def _between_runs(blocks: int, stride: int, extent: int, run: int, at_once: int) -> Counter[int]:
    """Of runs of so many neighbours that read the same tile, of which `extent` follow each other at a stride, the waves
    from the end of one to the begin of the next."""
    distance = stride - run + 1
    starts = np.arange(0, blocks, stride * extent)
    if run == 1:
        full, rest = divmod(distance, at_once)
        late = int(np.sum(_late(starts + (extent - 1) * stride, rest, at_once) - _late(starts, rest, at_once)))
        return Counter({full + 1: late, full: len(starts) * (extent - 1) * stride - late})
    ends = (starts[:, None] + np.arange(run - 1, (extent - 1) * stride, run)[None, :]).reshape(-1)
    gaps, times = np.unique((ends + distance) // at_once - ends // at_once, return_counts=True)
    return Counter(dict(zip(gaps.tolist(), times.tolist(), strict=True)))


def _late(ends: Ints, last: int, at_once: int) -> Ints:
    """Number of blocks before each end that are among the last so many of their wave."""
    waves, within = np.divmod(ends, at_once)
    return waves * last + np.maximum(0, within - (at_once - last))


def counted(tiles: Ints, at_once: int) -> Reuse:
    """The reuse of tiles, block by block."""
    waves = np.arange(len(tiles)) // at_once
    pairs = np.unique(tiles * (len(tiles) + 1) + waves)
    read, waves = np.divmod(pairs, len(tiles) + 1)
    gaps, times = np.unique(np.diff(waves)[np.diff(read) == 0], return_counts=True)
    return Reuse(len(pairs), tuple(zip(gaps.tolist(), times.tolist(), strict=True)))


@dataclass(frozen=True)
class Stream:
    """Reads of a grid's blocks by one copy: bytes of each block in all its turns, their tiles, and the part of a
    block's bytes that are different ones in memory (windows of a convolution overlap, so that most of what they read is
    in the cache already)."""

    nbytes: float
    tiles: Tiles
    distinct: float = 1.0

    @property
    def fresh(self) -> float:
        """Bytes in memory that a block reads, each counted once."""
        return self.nbytes * self.distinct


def traffic_of(
    streams: Sequence[Stream], written: float, at_once: int, cache_bytes: float, warm: bool = False
) -> Traffic:
    """The traffic of a grid that reads these streams, and of which so many blocks run at the same time; `warm`: after
    the same grid, which has left in the cache of its memory as much as fits."""
    found = [reuse_of(each.tiles, at_once) for each in streams]
    waves = max(1, -(-max((each.tiles.blocks for each in streams), default=0) // at_once))
    a_wave = sum(each.fresh * reuse.reads for each, reuse in zip(streams, found, strict=True)) / waves
    touched = written + sum(each.fresh * reuse.tiles for each, reuse in zip(streams, found, strict=True))
    first = float(misses_of(np.array(touched / cache_bytes))) if warm else 1.0
    read, missed = list[float](), list[float]()
    for each, reuse in zip(streams, found, strict=True):
        gaps, times = np.array(reuse.gaps, np.float64).reshape(-1, 2).T
        again = float(times @ misses_of(gaps * a_wave / cache_bytes))
        read.append(each.nbytes * each.tiles.blocks)
        missed.append(each.fresh * (first * reuse.tiles + again))
    latest = max((part / whole for part, whole in zip(missed, read, strict=True) if whole), default=0.0)
    return Traffic(sum(read), sum(missed), first * written, latest)


@lru_cache(maxsize=4096)
def reuse_of(tiles: Tiles, at_once: int) -> Reuse:
    """The reuse of tiles among waves of so many blocks, which many schedules share."""
    return tiles.reuse(at_once)


def misses_of(loads: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of what is read again that a cache no longer holds, when so many times its size have been asked for in
    between: lines that miss replace others at random, so m = 1 - exp(-m load)."""
    found = np.ones_like(loads, dtype=np.float64)
    for _ in range(64 if (loads > 1).any() else 0):
        found = 1 - np.exp(-found * loads)
    return np.where(loads > 1, found, 0.0)


def streams_of(grid: BlocksOp) -> tuple[Stream, ...]:
    """Reads of a grid's blocks from global memory; copies of the same tiles are taken together."""
    return merged_streams(
        (tiles_of(op, grid), distinct_of(op, grid), bytes_of(op.target) * turns_of(op, grid))
        for op in grid.body.walk()
        if isinstance(op, CopyOp) and scope_of(op.source.memory) == "global"
    )


def merged_streams(copies: Iterable[tuple[Tiles, float, float]]) -> tuple[Stream, ...]:
    """The streams of copies, of which each has tiles, the part of its bytes that are different ones, and bytes."""
    found: dict[tuple[Tiles, float], float] = {}
    for tiles, distinct, nbytes in copies:
        found[tiles, distinct] = found.get((tiles, distinct), 0.0) + nbytes
    return tuple(Stream(nbytes, *key) for key, nbytes in found.items())


def distinct_in(memory: SSAValue) -> float:
    """The part of a view's elements that are different ones of the memory behind it, on average; 1 for a memory."""
    root, _ = viewed(memory)
    return min(1.0, bytes_in(root) / bytes_in(memory))


def distinct_of(op: CopyOp, grid: BlocksOp) -> float:
    """The part of a block's bytes of a copy that are different ones in memory, on average. Where turns of loops and
    blocks are counted as one, as in stream-K, blocks read tiles of each other, and all together read the memory once
    before any of it is read again."""
    for start in op.source.box.starts:
        for part in start.dfs():
            if not isinstance(part, AffineBinaryOpExpr) or part.kind in LINEAR:
                continue
            if len({_of_grid(op.indices[each], grid) for each in _variables(part)}) > 1:
                root, _ = viewed(op.source.memory)
                return min(1.0, bytes_in(root) / (bytes_of(op.target) * turns_of(op, grid) * grid.count))
    return distinct_in(op.source.memory)


def written_by(grid: BlocksOp) -> float:
    """Bytes that all blocks of a grid write to global memory."""
    return sum(
        bytes_of(op.target) * turns_of(op, grid) * grid.count
        for op in grid.body.walk()
        if isinstance(op, CopyOp) and scope_of(op.target.memory) == "global"
    )


def turns_of(op: Operation, grid: BlocksOp) -> float:
    """Number of times that a block does an op, on average."""
    found, around = 1, op.parent_op()
    while around is not None and around is not grid:
        if isinstance(around, WhenOp):
            return float(times_done(op, grid).mean())
        if isinstance(around, ForOp):
            found *= len(around.values)
        around = around.parent_op()
    return found


def in_order(extents: Sequence[int], order: int) -> list[Ints]:
    """Of each variable of a grid its values, from 0 on, block by block in the order in which they start."""
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
    """The tiles that a copy from global memory reads; loops around it read the same in all blocks."""
    extents = tuple(len(values) for values in grid.ranges)
    found = Tiles(extents, grid.order.value.data)
    starts, indices = op.source.box.starts, list(op.indices)
    shares = list[int]()
    for variable, values in zip(grid.body.block.args, grid.ranges, strict=True):
        at = indices.index(variable) if variable in indices else -1
        share = _share([start for start in starts if at in _variables(start)], at, values)
        if share is None or any(
            at in (used := _variables(start)) and any(_of_grid(indices[other], grid) for other in used - {at})
            for start in starts
        ):
            return replace(found, numbers=_numbers(op, grid))
        shares.append(share)
    return replace(found, shares=tuple(shares))


def _variables(expression: AffineExpr) -> set[int]:
    return {each.position for each in expression.dfs() if isinstance(each, AffineDimExpr)}


def _of_grid(variable: SSAValue, grid: BlocksOp) -> bool:
    return variable in grid.body.block.args


def _share(starts: Sequence[AffineExpr], at: int, values: range) -> int | None:
    """Number of neighbouring values of a variable that give the same starts, 0 if all do; None where it is not so
    simple."""
    if not starts or len(values) == 1:
        return 0
    if any(at in _variables(start) and _is_linear(start, at) for start in starts):
        return 1
    found = np.stack([np.broadcast_to(_along(start, at, values), len(values)) for start in starts], -1)
    changes = np.flatnonzero((found[1:] != found[:-1]).any(axis=1)) + 1
    if not len(changes):
        return 0
    share = int(changes[0])
    regular = np.array_equal(changes, np.arange(share, len(values), share))
    return share if regular and len(np.unique(found, axis=0)) == len(changes) + 1 else None


def _is_linear(expression: AffineExpr, at: int) -> bool:
    """True if an expression grows with a variable, by the same number each time."""
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
    """True if an expression hangs on a variable, but not in proportion."""
    return at in _variables(expression) and not _is_linear(expression, at)


def _along(start: AffineExpr, at: int, values: range) -> Ints:
    """An expression where one variable runs over its values and the others are 0."""
    size = max(_variables(start)) + 1
    return np.asarray(
        value_of(start, [np.arange(values.start, values.stop) if each == at else 0 for each in range(size)])
    )


def _numbers(op: CopyOp, grid: BlocksOp) -> bytes:
    """A number for the tile of each block."""
    extents, order = [len(values) for values in grid.ranges], grid.order.value.data
    known: dict[SSAValue, Ints] = {
        variable: each + values.start
        for variable, each, values in zip(grid.body.block.args, in_order(extents, order), grid.ranges, strict=True)
    }
    values = [known.get(index, np.zeros(1, np.int64)) for index in op.indices]
    starts = [np.broadcast_to(value_of(start, values), grid.count) for start in op.source.box.starts]
    return np.unique(np.stack(starts, -1), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64).tobytes()
