"""Values that a kernel computes: each op is executed for many thread blocks of a grid at once, as far as
memory allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects.element_types import dtype_of
from dialects.graph.op import GraphOp, tensor_of
from dialects.programs.index import value_of
from dialects.tile import (
    Access,
    AccessingOp,
    BlocksOp,
    BufferOp,
    CopyOp,
    FillOp,
    IotaOp,
    KernelOp,
    MmaOp,
    ReadOp,
    WriteOp,
    bytes_in,
    memref_of,
    viewed,
)
from interp.numerics import evaluate
from interp.numerics.meaning import Elementwise, meaning
from interp.numerics.rounding import Array, rounded
from interp.tile.races import check_races
from interp.tile.sentences import (
    never_written,
    read_before_written,
    written_by_another_block,
    written_by_two_blocks,
    written_twice_through,
)
from interp.tile.walk import Variables, executed_ops, groups_of_blocks, values_of

AT_ONCE = 1 << 27
"""Maximum number of bytes of buffers of the thread blocks that are executed at once."""
NO_BLOCK, SEVERAL = -1, -2


def run_kernel(kernel: KernelOp, operands: Sequence[Array]) -> list[Array]:
    """Return the outputs of a kernel. Raises InputError, at the op, for races within a thread block, for elements that
    two thread blocks of a grid write or that one block writes and another reads, and for elements of outputs that
    are never written."""
    check_races(kernel)
    memory: dict[SSAValue, Array] = dict(zip(kernel.inputs, operands, strict=True))
    temporaries = [op.memory for op in kernel.body.block.ops if isinstance(op, BufferOp)]
    for value in (*kernel.outputs, *temporaries):
        memory[value] = np.zeros(memref_of(value).get_shape(), dtype_of(memref_of(value).element_type))
    filled: tuple[SSAValue, ...] = (*kernel.outputs, *temporaries)
    written: dict[SSAValue, NDArray[np.bool_]] = {value: np.zeros(memory[value].shape, np.bool_) for value in filled}
    for grid in kernel.grids:
        users: dict[SSAValue, _Users] = {value: _Users(memory[value].shape) for value in filled}
        for path_variables, blocks in _chunks(grid):
            _Run(grid, memory, users, written, blocks, path_variables).run()
        for value, each in users.items():
            written[value] |= each.writers != NO_BLOCK
    for value in kernel.outputs:
        if len(left := np.argwhere(~written[value])):
            raise never_written(kernel, value, len(left), left[0].tolist())
    return [memory[value] for value in kernel.outputs]


def _chunks(grid: BlocksOp) -> Iterator[tuple[dict[SSAValue, int], NDArray[np.int64]]]:
    """Yield groups of blocks that are executed at once: for each group, the values of the grid's variables on which the
    ops that they execute depend, and the numbers of its blocks."""
    each = sum(bytes_in(op.memory) for op in grid.body.block.ops if isinstance(op, BufferOp))
    count = max(1, AT_ONCE // max(each, 1))
    for path_variables, blocks in groups_of_blocks(grid):
        for start in range(0, len(blocks), count):
            yield path_variables, blocks[start : start + count]


class _Users:
    """The thread blocks of a grid that have accessed each element of a global memory: the block that wrote it, and the
    block that read it, NO_BLOCK, or SEVERAL; `last`: the number, in `reads`, of the op that read the element last."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.writers, self.readers = np.full(shape, NO_BLOCK, np.int32), np.full(shape, NO_BLOCK, np.int32)
        self.last = np.zeros(shape, np.int32)
        self.reads: list[AccessingOp] = []

    def read(self, op: AccessingOp, places: tuple[NDArray[np.int64], ...], blocks: NDArray[np.int32]) -> None:
        """Note that `blocks` (or SEVERAL) read the elements with subscripts `places`."""
        before = self.readers[places]
        self.readers[places] = blocks
        alone = (self.readers[places] == blocks) & ((before == NO_BLOCK) | (before == blocks))
        self.readers[tuple(each[~alone] for each in places)] = SEVERAL
        self.last[places] = len(self.reads)
        self.reads.append(op)

    def read_before(self, places: tuple[NDArray[np.int64], ...], blocks: NDArray[np.int32]) -> AccessingOp | None:
        """Return an op that has read elements with subscripts `places` in other blocks than `blocks`, which write the
        elements; None if there is none."""
        readers = self.readers[places]
        others = np.flatnonzero((readers != NO_BLOCK) & (readers != blocks))
        return self.reads[self.last[tuple(each[others[0]] for each in places)]] if len(others) else None


class _Run:
    """Execution of some thread blocks of a grid; buffers and values have a leading axis for the blocks."""

    def __init__(
        self,
        grid: BlocksOp,
        memory: dict[SSAValue, Array],
        users: Mapping[SSAValue, _Users],
        written: Mapping[SSAValue, NDArray[np.bool_]],
        blocks: NDArray[np.int64],
        path_variables: dict[SSAValue, int],
    ) -> None:
        self.grid, self.memory, self.users, self.written, self.blocks = grid, memory, users, written, blocks
        self.buffers: dict[SSAValue, Array] = {}
        self.values: dict[SSAValue, Array] = {}
        numbers = np.unravel_index(blocks, [len(each) for each in grid.ranges])
        self.variables: Variables = {
            argument: each.start + number
            for argument, each, number in zip(grid.body.block.args, grid.ranges, numbers, strict=True)
        }
        self.variables |= path_variables

    def run(self) -> None:
        for op in executed_ops(self.grid.body.block, self.variables):
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
                    self.values[op.value] = self._read(op, op.source).copy()  # a later op may overwrite the buffer
                case WriteOp():
                    self._write(op, op.target, self.values[op.value])
                case IotaOp():
                    self.values[op.value] = self._numbers(op)
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
        """Return the elements of an access, with a leading axis for the blocks (of length 1 if all blocks read the same
        elements)."""
        starts, sizes = self._starts(op, access), access.box.sizes
        if (buffer := self.buffers.get(access.memory)) is not None:
            return buffer[(slice(None), *_taken(starts, sizes))]
        root, map_ = viewed(access.memory)
        source = self.memory[root]
        static = not any(isinstance(start, np.ndarray) for start in starts)
        if static and not padded and map_ is None and root not in self.users:
            return source[_taken(starts, sizes)][None]
        columns = np.stack(np.broadcast_arrays(*(np.asarray(start) for start in starts)), -1).reshape(-1, len(starts))
        distinct, which = np.unique(columns, axis=0, return_inverse=True)  # blocks of one row read the same tile
        places, inside = self._resolved(access.memory, self._places(distinct, sizes))
        if root in self.users:
            self._check_reads(op, access, places, inside, which)
        tiles = source[places]
        if not inside.all():
            tiles = np.where(inside, tiles, np.zeros((), source.dtype))
        tiles = tiles.reshape(len(distinct), *access.shape)
        return tiles if len(distinct) == 1 else tiles[which.reshape(-1)]

    @staticmethod
    def _resolved(memory: SSAValue, places: tuple[NDArray[np.int64], ...]) -> tuple[tuple[Any, ...], NDArray[np.bool_]]:
        """Return the subscripts, in the memory behind a view, of the elements with subscripts `places` in the view,
        clipped to that memory's extents; and an array that is True for elements inside of the view and of the
        memory. A memory that is no view counts as a view of itself."""
        root, map_ = viewed(memory)
        inside = _within(places, memref_of(memory).get_shape())
        if map_ is not None:
            places = tuple(np.asarray(value_of(each, places)) for each in map_.results)
            inside = inside & _within(places, memref_of(root).get_shape())
        extents = memref_of(root).get_shape()
        kept = tuple(np.clip(place, 0, extent - 1) for place, extent in zip(places, extents, strict=True))
        shape = np.broadcast_shapes(inside.shape, *(each.shape for each in kept))
        return tuple(np.broadcast_to(each, shape) for each in kept), np.broadcast_to(inside, shape)

    @staticmethod
    def _places(starts: NDArray[np.int64], sizes: Sequence[int]) -> tuple[NDArray[np.int64], ...]:
        """Return the subscripts along each axis of all elements of boxes; `starts`: the first subscripts of each box,
        [boxes, axes]; `sizes`: the extents of all boxes."""
        found: list[NDArray[np.int64]] = []
        for axis, size in enumerate(sizes):
            shape = [len(starts), *(1 for _ in sizes)]
            shape[axis + 1] = max(size, 1)
            found.append((starts[:, axis, None] + np.arange(max(size, 1))).reshape(shape))
        return tuple(found)

    def _check_reads(
        self,
        op: AccessingOp,
        access: Access,
        places: tuple[Any, ...],
        inside: NDArray[np.bool_],
        which: NDArray[np.intp],
    ) -> None:
        root, _ = viewed(access.memory)
        users, which = self.users[root], which.reshape(-1)
        owners = np.where(inside, users.writers[places], NO_BLOCK).reshape(len(inside), -1)[which]
        if ((owners != NO_BLOCK) & (owners != self.blocks.reshape(-1, 1))).any():
            raise written_by_another_block(op, root)
        defined = ~inside | self.written[root][places] | (users.writers[places] != NO_BLOCK)
        if not defined.all():
            raise read_before_written(op, root)
        readers = np.full(len(inside), SEVERAL, np.int32)
        once = (np.bincount(which, minlength=len(inside)) == 1) & (len(which) == len(self.blocks))
        readers[once] = self.blocks[np.unique(which, return_index=True)[1][once]]
        readers = np.broadcast_to(readers.reshape(-1, *(1 for _ in inside.shape[1:])), inside.shape)
        users.read(op, tuple(place[inside] for place in places), readers[inside])

    def _write(self, op: AccessingOp, access: Access, values: Array) -> None:
        starts, sizes = self._starts(op, access), access.box.sizes
        buffer = self.buffers.get(access.memory)
        root, _ = viewed(access.memory)
        target = self.memory[root] if buffer is None else buffer
        values = rounded(np.asarray(values), target.dtype)
        if buffer is not None:
            buffer[(slice(None), *_taken(starts, sizes))] = values
            return
        columns = np.stack(np.broadcast_arrays(*(np.asarray(start) for start in starts)), -1).reshape(-1, len(starts))
        if len(columns) != len(self.blocks):
            columns = np.repeat(columns, len(self.blocks), 0)
        places, inside = self._resolved(access.memory, self._places(columns, sizes))
        numbers = np.broadcast_to(self.blocks.reshape(-1, *(1 for _ in sizes)).astype(np.int32), inside.shape)
        values = np.broadcast_to(values, (len(self.blocks), *access.shape)).reshape(inside.shape)
        targets = tuple(place[inside] for place in places)
        users, numbers = self.users[root], numbers[inside]
        owners = users.writers
        before = owners[targets]
        owners[targets] = numbers
        if ((before != NO_BLOCK) & (before != numbers)).any() or (owners[targets] != numbers).any():
            raise written_by_two_blocks(op, root)
        if (reading := users.read_before(targets, numbers)) is not None:
            raise written_by_another_block(reading, root)
        if root is not access.memory:
            flat = np.ravel_multi_index(targets, target.shape)
            if np.unique(flat).size != np.size(flat):
                raise written_twice_through(op, access.memory, root)
        target[targets] = values[inside]

    def _numbers(self, op: IotaOp) -> Array:
        type_ = tensor_of(op.value)
        start = np.asarray(value_of(op.start, values_of(op.indices, self.variables)), np.int64)
        numbers = np.arange(prod(type_.get_shape())).reshape(type_.get_shape())
        return (start.reshape(-1, *(1 for _ in type_.get_shape())) + numbers).astype(dtype_of(type_.element_type))

    def _multiply(self, op: MmaOp) -> None:
        a, b, sums = (self._read(op, access) for access in op.accesses)
        if op.turned is not None:
            a = np.swapaxes(a, 1, 2)
        if op.across is not None:
            b = np.swapaxes(b, 1, 2)
        wide = np.dtype(np.float32) if sums.dtype.itemsize < 4 and sums.dtype.kind not in "iu" else sums.dtype
        with np.errstate(all="ignore"):
            self._write(op, op.accesses[2], sums.astype(wide) + a.astype(wide) @ b.astype(wide))

    def _compute(self, op: GraphOp) -> None:
        """Execute an arithmetic op in all blocks; ops that address axes by number are executed block by block."""
        operands = [self.values.get(value) for value in op.operands]
        given = [each for each in operands if each is not None]
        assert len(given) == len(operands)
        compute = meaning.find(type(op))
        if not given:  # a constant
            self.values[op.results[0]] = evaluate(op, [])[0][None]
        elif isinstance(compute, Elementwise):
            rank = max(each.ndim for each in given)
            alike = [each.reshape(len(each), *(1,) * (rank - each.ndim), *each.shape[1:]) for each in given]
            with np.errstate(all="ignore"):
                self.values[op.results[0]] = compute(op, *alike)
        else:
            count = max(len(each) for each in given)
            parts = [evaluate(op, [each[number % len(each)] for each in given])[0] for number in range(count)]
            self.values[op.results[0]] = np.stack(parts)


def _taken(starts: Sequence[Any], sizes: Sequence[int]) -> tuple[slice | int, ...]:
    return tuple(
        slice(int(start), int(start) + size) if size else int(start) for start, size in zip(starts, sizes, strict=True)
    )


def _within(places: Sequence[NDArray[np.int64]], extents: Sequence[int]) -> NDArray[np.bool_]:
    """Return an array that is True for each element whose subscripts `places` are inside a memory of these extents."""
    found = np.ones((), np.bool_)
    for place, extent in zip(places, extents, strict=True):
        found = found & (place >= 0) & (place < extent)
    return found
