"""The values that a kernel computes: each op for all thread blocks of a grid at once, as far as memory allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import dtype_of
from dialects.graph.op import GraphOp
from dialects.tile import (
    Access,
    AccessingOp,
    BlocksOp,
    BufferOp,
    CopyOp,
    FillOp,
    KernelOp,
    MmaOp,
    ReadOp,
    WriteOp,
    bytes_in,
    memref_of,
)
from dialects.values import called
from interp.numerics import evaluate
from interp.numerics.meaning import Elementwise, meaning
from interp.numerics.rounding import Array, rounded
from interp.tile.races import check_races
from interp.tile.walk import Variables, in_order, value_of, values_of

AT_ONCE = 1 << 27
"""Bytes of buffers of the thread blocks that are run at once."""
NOBODY = -1


def run_kernel(kernel: KernelOp, operands: Sequence[Array]) -> list[Array]:
    """The outputs of a kernel. Raises InputError, at the op, for races in a thread block, for elements that two thread
    blocks of one grid write or one reads that another writes, and for elements of outputs that nobody writes."""
    check_races(kernel)
    memory: dict[SSAValue, Array] = dict(zip(kernel.inputs, operands, strict=True))
    for value in kernel.outputs:
        memory[value] = np.zeros(memref_of(value).get_shape(), dtype_of(memref_of(value).element_type))
    outputs: tuple[SSAValue, ...] = kernel.outputs
    written: dict[SSAValue, NDArray[np.bool_]] = {value: np.zeros(memory[value].shape, np.bool_) for value in outputs}
    for grid in kernel.grids:
        writers: dict[SSAValue, NDArray[np.int32]] = {
            value: np.full(memory[value].shape, NOBODY, np.int32) for value in outputs
        }
        for blocks in _chunks(grid):
            _Run(grid, memory, writers, written, blocks).run()
        for value, who in writers.items():
            written[value] |= who != NOBODY
    for value, there in written.items():
        if not there.all():
            raise InputError(
                f"tile.kernel: {int((~there).sum())} elements of {called(value)} are never written", kernel
            )
    return [memory[value] for value in kernel.outputs]


def _chunks(grid: BlocksOp) -> Iterator[NDArray[np.int64]]:
    """The numbers of the blocks that run at once."""
    each = sum(bytes_in(op.memory) for op in grid.body.block.ops if isinstance(op, BufferOp))
    count = max(1, AT_ONCE // max(each, 1))
    for start in range(0, grid.count, count):
        yield np.arange(start, min(start + count, grid.count))


class _Run:
    """Some thread blocks of a grid; buffers and values have an axis of blocks in front."""

    def __init__(
        self,
        grid: BlocksOp,
        memory: dict[SSAValue, Array],
        writers: dict[SSAValue, NDArray[np.int32]],
        written: dict[SSAValue, NDArray[np.bool_]],
        blocks: NDArray[np.int64],
    ) -> None:
        self.grid, self.memory, self.writers, self.written, self.blocks = grid, memory, writers, written, blocks
        self.buffers: dict[SSAValue, Array] = {}
        self.values: dict[SSAValue, Array] = {}
        numbers = np.unravel_index(blocks, [len(each) for each in grid.ranges])
        self.variables: Variables = {
            argument: each.start + number
            for argument, each, number in zip(grid.body.block.args, grid.ranges, numbers, strict=True)
        }

    def run(self) -> None:
        for op in in_order(self.grid.body.block, self.variables):
            match op:
                case BufferOp():
                    type_ = memref_of(op.memory)
                    shape = (len(self.blocks), *type_.get_shape())
                    self.buffers[op.memory] = np.zeros(shape, dtype_of(type_.element_type))
                case CopyOp():
                    self._write(op, op.target, self._read(op, op.source, op.padded is not None))
                case FillOp():
                    number = np.full((1, *op.target.shape), op.number.value.data)
                    self._write(op, op.target, number)
                case ReadOp():
                    self.values[op.value] = self._read(op, op.source).copy()  # the buffer may change later
                case WriteOp():
                    self._write(op, op.target, self.values[op.value])
                case MmaOp():
                    self._multiply(op)
                case GraphOp():
                    self._compute(op)
                case _:
                    pass

    def _starts(self, op: AccessingOp, access: Access) -> list[Any]:
        values = values_of(op.indices, self.variables)
        return [value_of(start, values) for start in access.box.starts]

    def _read(self, op: AccessingOp, access: Access, padded: bool = False) -> Array:
        """A box of each block, with an axis of blocks in front (of length 1 where all read the same)."""
        starts, sizes = self._starts(op, access), access.box.sizes
        if (buffer := self.buffers.get(access.memory)) is not None:
            return buffer[(slice(None), *_taken(starts, sizes))]
        source = self.memory[access.memory]
        if not any(isinstance(start, np.ndarray) for start in starts) and not padded:
            return source[_taken(starts, sizes)][None]
        columns = np.stack(np.broadcast_arrays(*(np.asarray(start) for start in starts)), -1).reshape(-1, len(starts))
        distinct, which = np.unique(columns, axis=0, return_inverse=True)  # blocks of one row read the same tile
        places = self._places(distinct, sizes)
        if access.memory in self.writers:
            self._check_reads(op, access, places, which)
        tiles = _padded(source, places) if padded else source[places]
        tiles = tiles.reshape(len(distinct), *access.shape)
        return tiles if len(distinct) == 1 else tiles[which.reshape(-1)]

    @staticmethod
    def _places(starts: NDArray[np.int64], sizes: Sequence[int]) -> tuple[NDArray[np.int64], ...]:
        """Subscripts of each axis, for boxes at these starts (boxes x axes)."""
        found: list[NDArray[np.int64]] = []
        for axis, size in enumerate(sizes):
            shape = [len(starts), *(1 for _ in sizes)]
            shape[axis + 1] = max(size, 1)
            found.append((starts[:, axis, None] + np.arange(max(size, 1))).reshape(shape))
        return tuple(found)

    def _check_reads(
        self, op: AccessingOp, access: Access, places: tuple[NDArray[np.int64], ...], which: NDArray[np.intp]
    ) -> None:
        owners = self.writers[access.memory][places].reshape(len(places[0]), -1)[which.reshape(-1)]
        if ((owners != NOBODY) & (owners != self.blocks.reshape(-1, 1)[: len(owners)])).any():
            raise InputError(
                f"{op.name} reads elements of {called(access.memory)} that another thread block of the same grid "
                "writes; put what reads them into a grid of its own (tile.blocks)",
                op,
            )
        if not (self.written[access.memory][places].all() or (owners != NOBODY).all()):
            raise InputError(f"{op.name} reads elements of {called(access.memory)} that were never written", op)

    def _write(self, op: AccessingOp, access: Access, values: Array) -> None:
        starts, sizes = self._starts(op, access), access.box.sizes
        buffer = self.buffers.get(access.memory)
        target = self.memory[access.memory] if buffer is None else buffer
        values = rounded(np.asarray(values), target.dtype)
        if buffer is not None:
            buffer[(slice(None), *_taken(starts, sizes))] = values
            return
        columns = np.stack(np.broadcast_arrays(*(np.asarray(start) for start in starts)), -1).reshape(-1, len(starts))
        if len(columns) != len(self.blocks):
            columns = np.repeat(columns, len(self.blocks), 0)
        places = np.broadcast_arrays(*self._places(columns, sizes))
        numbers = np.broadcast_to(self.blocks.reshape(-1, *(1 for _ in sizes)).astype(np.int32), places[0].shape)
        values = np.broadcast_to(values, (len(self.blocks), *access.shape)).reshape(places[0].shape)
        inside = np.ones(places[0].shape, np.bool_)
        for place, extent in zip(places, target.shape, strict=True):
            inside &= (place >= 0) & (place < extent)
        there = tuple(place[inside] for place in places)
        owners, numbers = self.writers[access.memory], numbers[inside]
        before = owners[there]
        owners[there] = numbers
        if ((before != NOBODY) & (before != numbers)).any() or (owners[there] != numbers).any():
            raise InputError(
                f"{op.name}: two thread blocks of one grid write to the same elements of {called(access.memory)}", op
            )
        target[there] = values[inside]

    def _multiply(self, op: MmaOp) -> None:
        a, b, sums = (self._read(op, access) for access in op.accesses)
        if op.across is not None:
            b = np.swapaxes(b, 1, 2)
        wide = np.dtype(np.float32) if sums.dtype.itemsize < 4 and sums.dtype.kind not in "iu" else sums.dtype
        with np.errstate(all="ignore"):
            self._write(op, op.accesses[2], sums.astype(wide) + a.astype(wide) @ b.astype(wide))

    def _compute(self, op: GraphOp) -> None:
        """An op of arithmetic, in all blocks; one whose axes are counted from the front, block by block."""
        operands = [self.values.get(value) for value in op.operands]
        given = [each for each in operands if each is not None]
        assert len(given) == len(operands)
        compute = meaning.find(type(op))
        if not given:  # a constant
            self.values[op.results[0]] = evaluate(op, [])[0][None]
        elif isinstance(compute, Elementwise) and len({each.ndim for each in given}) == 1:
            with np.errstate(all="ignore"):
                self.values[op.results[0]] = compute(op, *given)
        else:
            count = max(len(each) for each in given)
            parts = [evaluate(op, [each[number % len(each)] for each in given])[0] for number in range(count)]
            self.values[op.results[0]] = np.stack(parts)


def _taken(starts: Sequence[Any], sizes: Sequence[int]) -> tuple[slice | int, ...]:
    return tuple(
        slice(int(start), int(start) + size) if size else int(start) for start, size in zip(starts, sizes, strict=True)
    )


def _padded(source: Array, places: tuple[NDArray[np.int64], ...]) -> Array:
    """Elements at these subscripts, 0 where one reaches beyond its axis."""
    inside = [(place >= 0) & (place < extent) for place, extent in zip(places, source.shape, strict=True)]
    clipped = tuple(np.clip(place, 0, extent - 1) for place, extent in zip(places, source.shape, strict=True))
    there = inside[0]
    for each in inside[1:]:
        there = there & each
    return np.where(there, source[clipped], np.zeros((), source.dtype))
