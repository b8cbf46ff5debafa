"""Traffic, in bytes, of a grid's thread blocks with memory and with the last-level cache in the long run.

Blocks run in order, so many at a time. Those that read the same tiles find them in the cache, unless more than it holds
has been read in between. How much that is hangs on how far apart two blocks are in the order; those that run at the
same time drift apart by as large a part of a block as the distance is of all that run together.
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
    read = sum(each.nbytes * len(each.tiles) for each in streams)
    return Traffic(read, sum(_missed(each, streams, at_once, cache_bytes) for each in streams), written)


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


def _missed(stream: Stream, streams: Sequence[Stream], at_once: int, cache_bytes: float) -> float:
    """Bytes of a copy that come from memory: the first time, and again where the cache could not keep them."""
    by_tile = np.argsort(stream.tiles, kind="stable")
    tiles = stream.tiles[by_tile]
    again = tiles[1:] == tiles[:-1]
    distances, counts = np.unique(np.diff(by_tile)[again], return_counts=True)
    first = len(stream.tiles) - int(again.sum())
    found = first * stream.fresh
    for distance, count in zip(distances.tolist(), counts.tolist(), strict=True):
        between = sum(each.fresh * len(np.unique(each.tiles[:distance])) for each in streams)
        kept = cache_bytes / (between * min(1.0, distance / at_once))
        found += count * stream.fresh * min(1.0, max(0.0, 1 / kept - 1))
    return found
