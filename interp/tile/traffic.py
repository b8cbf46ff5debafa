"""Traffic, in bytes, of a grid's thread blocks with memory and with the last-level cache in the long run.

Blocks run in waves, so many at a time. Those of a wave read the same tile at the same time, so it comes from memory
once. A later wave finds it in the cache, unless what has been asked for since then has replaced it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from dialects.tile import AccessingOp, BlocksOp, CopyOp, ForOp, bytes_in, scope_of, viewed
from interp.tile.walk import value_of
from interp.tile.work import bytes_of


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
class Stream:
    """Reads of one copy: bytes that it brings a block in all turns, a number for the tiles of each block (equal
    numbers for equal tiles), and the part of a block's bytes that are different ones in memory (windows of a
    convolution overlap, so that most of what they read is in the cache already)."""

    nbytes: float
    tiles: NDArray[np.int64]
    distinct: float = 1.0

    @property
    def fresh(self) -> float:
        """Bytes in memory that a block reads, each counted once."""
        return self.nbytes * self.distinct


def traffic_of(streams: Sequence[Stream], written: float, at_once: int, cache_bytes: float) -> Traffic:
    """The traffic of a grid that reads these streams, and of which so many blocks run at the same time."""
    found = [in_waves(each.tiles, at_once) for each in streams]
    waves = max(1, -(-max((len(each.tiles) for each in streams), default=0) // at_once))
    a_wave = sum(each.fresh * count for each, (count, _) in zip(streams, found, strict=True)) / waves
    read, missed = list[float](), list[float]()
    for each, (count, gaps) in zip(streams, found, strict=True):
        distances, counts = np.unique(gaps, return_counts=True)
        again = float(counts @ misses_of(distances.astype(np.float64) * (a_wave / cache_bytes)))
        read.append(each.nbytes * len(each.tiles))
        missed.append(each.fresh * (count - len(gaps) + again))
    latest = max((part / whole for part, whole in zip(missed, read, strict=True) if whole), default=0.0)
    return Traffic(sum(read), sum(missed), written, latest)


def in_waves(tiles: NDArray[np.int64], at_once: int) -> tuple[int, NDArray[np.int64]]:
    """Number of tiles that waves of so many blocks read, those of each wave once; and of tiles that an earlier wave
    read too, the waves in between. `tiles`: a number for the tile of each block."""
    apart = len(tiles) + 1
    read, waves = np.divmod(np.unique(tiles * apart + np.arange(len(tiles)) // at_once), apart)
    return len(read), np.diff(waves)[np.diff(read) == 0]


def misses_of(loads: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of what is read again that a cache no longer holds, when so many times its size have been asked for in
    between: lines that miss replace others at random, so m = 1 - exp(-m load)."""
    found = np.ones(loads.shape)
    for _ in range(64):
        found = 1 - np.exp(-found * loads)
    return np.where(loads > 1, found, 0.0)


def streams_of(grid: BlocksOp) -> tuple[Stream, ...]:
    """What the blocks of a grid read from global memory: a stream a copy."""
    variables = _in_order(grid)
    return tuple(
        Stream(bytes_of(op.target) * turns_of(op, grid), _tiles(op, grid, variables), distinct_in(op.source.memory))
        for op in grid.body.walk()
        if isinstance(op, CopyOp) and scope_of(op.source.memory) == "global"
    )


def distinct_in(memory: SSAValue) -> float:
    """The part of a view's elements that are different ones of the memory behind it, on average; 1 for a memory."""
    root, _ = viewed(memory)
    return min(1.0, bytes_in(root) / bytes_in(memory))


def written_by(grid: BlocksOp) -> float:
    """Bytes that all blocks of a grid write to global memory."""
    return sum(
        bytes_of(op.target) * turns_of(op, grid) * grid.count
        for op in grid.body.walk()
        if isinstance(op, CopyOp) and scope_of(op.target.memory) == "global"
    )


def _in_order(grid: BlocksOp) -> list[NDArray[np.int64]]:
    """Of each variable of a grid its values, block by block in the order in which they start."""
    extents, order = [len(each) for each in grid.ranges], grid.order.value.data
    numbers = np.arange(grid.count)
    if order == 1 or len(extents) < 2:
        found = list(np.unravel_index(numbers, extents))
    else:
        *outer, rows, columns = extents
        before, inner = np.divmod(numbers, rows * columns)
        group, rest = np.divmod(inner, rows * order)
        width = np.minimum(order, columns - group * order)
        found = [*np.unravel_index(before, outer or [1])][: len(outer)]
        found += [rest // width, group * order + rest % width]
    return [np.asarray(each) + values.start for each, values in zip(found, grid.ranges, strict=True)]


def turns_of(op: Operation, grid: BlocksOp) -> int:
    """Number of times that a block does an op."""
    found, around = 1, op.parent_op()
    while around is not None and around is not grid:
        if isinstance(around, ForOp):
            found *= len(around.values)
        around = around.parent_op()
    return found


def _tiles(op: AccessingOp, grid: BlocksOp, variables: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """A number for what each block reads, equal for equal tiles; loops around read the same in all blocks."""
    values: dict[SSAValue, NDArray[np.int64]] = dict(zip(grid.body.block.args, variables, strict=True))
    known = [values.get(index, np.zeros(1, np.int64)) for index in op.indices]
    starts = [np.broadcast_to(value_of(start, known), grid.count) for start in op.accesses[0].box.starts]
    return np.unique(np.stack(starts, -1), axis=0, return_inverse=True)[1].reshape(-1)
