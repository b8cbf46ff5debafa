"""Races in a thread block, found without its numbers: what is read before it has arrived or before all threads can see
it, overwritten before all have read it, written by two threads in no order, never written, or read again though a
pipeline has moved on.

Threads of a block run freely between barriers, and asynchronous copies land at any time between their issue and the
wait that covers them. For each element of shared memory it is noted which barrier came last before it was written and
read, and which group of copies is on its way to it; likewise of global memory that a block both writes and reads.
Registers are of one thread each, so that there only the order counts. Blocks that do the same ops on the same parts of
their buffers are checked at once (of global memory, the parts of the first of them).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, gcd, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr

from dialects.diagnostics import InputError
from dialects.tile import (
    Access,
    AccessingOp,
    BarrierOp,
    BlocksOp,
    Box,
    BufferOp,
    CommitOp,
    CopyOp,
    KernelOp,
    WaitOp,
    memref_of,
    scope_of,
)
from dialects.tile.widths import step_of
from dialects.values import called
from interp.tile.walk import Variables, in_order, kinds_of_blocks, value_of, values_of

NEVER = -1
LIMIT = 1 << 20
"""Steps of a thread block that are followed one by one."""


@dataclass
class _Elements:
    """Of each element of a buffer: the barriers passed when it was written and read last (NEVER where it was not), and
    the group of asynchronous copies that is on its way to it (NEVER where none is)."""

    written: NDArray[np.int32]
    read: NDArray[np.int32]
    coming: NDArray[np.int32]

    fills: dict[int, int] = field(default_factory=dict[int, int])
    """Of a rotating buffer, by slot, the number of what it was filled with last."""
    filled: int = 0
    """Number of times that a slot was filled."""

    cells: tuple[int, ...] = ()
    """Elements of a cell along each axis: all boxes are made of whole cells, of which each stands once here."""

    @staticmethod
    def of(memory: SSAValue, cells: tuple[int, ...]) -> _Elements:
        shape = [ceil(extent / cell) for extent, cell in zip(memref_of(memory).get_shape(), cells, strict=True)]
        written, read, coming = (np.full(shape, NEVER, np.int32) for _ in range(3))
        return _Elements(written, read, coming, cells=cells)


class _Followed(NamedTuple):
    """An access of an op to memory that is followed; `fixed`: its box, where that is the same in all turns."""

    access: Access
    elements: _Elements
    reads: bool
    writes: bool
    fixed: tuple[slice, ...] | None


def check_races(kernel: KernelOp) -> None:
    """Raises InputError, at the op, for the first race of a kernel, and for an element that is read but never
    written."""
    for grid in kernel.grids:
        if (count := _steps(grid)) > LIMIT:
            raise InputError(
                f"a thread block does {count} steps, and at most {LIMIT} are followed one by one; take larger tiles",
                grid,
            )
        kinds = kinds_of_blocks(grid)
        if (count := count * len(kinds)) > LIMIT:
            raise InputError(
                f"what blocks do depends on their variables in {len(kinds)} ways, {count} steps in all, and at most "
                f"{LIMIT} are followed one by one; let fewer variables steer (tile.when, slots of buffers)",
                grid,
            )
        for steering, _ in kinds:
            _Follower(grid).follow(steering)


class _Follower:
    """Follows a thread block of a grid through its ops."""

    def __init__(self, grid: BlocksOp) -> None:
        self.grid = grid
        self.buffers: dict[SSAValue, _Elements] = {}
        self.barriers = 0
        self.group = 0
        """The number of the group that the next commit ends."""
        self.arrived = 0
        """Groups below this number have arrived."""
        self.issued: dict[int, Operation] = {}
        """One copy of each group that is on its way."""
        self.accesses: dict[AccessingOp, list[_Followed]] = {}
        """Facts that are known of ops, when they have been done once."""
        self.last: dict[tuple[Operation, SSAValue], int] = {}
        """Of each op that reads a rotating buffer, the number of what it read last."""

    def follow(self, steering: Mapping[SSAValue, int]) -> None:
        first = zip(self.grid.body.block.args, self.grid.ranges, strict=True)
        variables: Variables = {argument: each.start for argument, each in first} | dict(steering)
        cells = _cells(self.grid)
        for memory in _exchanged(self.grid):
            self.buffers[memory] = _Elements.of(memory, cells[memory])
        for op in in_order(self.grid.body.block, variables):
            match op:
                case BufferOp():
                    whole = memref_of(op.memory).get_shape()
                    self.buffers[op.memory] = _Elements.of(op.memory, cells.get(op.memory, whole))
                case BarrierOp():
                    self.barriers += 1
                case CommitOp():
                    self.group += 1
                case WaitOp():
                    self._wait(op.pending.value.data)
                case AccessingOp():
                    self._access(op, variables)
                case _:
                    pass
        if self.issued:
            copy = next(iter(self.issued.values()))
            raise InputError(
                "this asynchronous copy is still on its way when the thread block ends; wait for it (tile.wait 0)", copy
            )

    def _wait(self, pending: int) -> None:
        self.arrived = max(self.arrived, self.group - pending)
        for group in [each for each in self.issued if each < self.arrived]:
            del self.issued[group]
        for elements in self.buffers.values():
            landed = (elements.coming != NEVER) & (elements.coming < self.arrived)
            elements.coming[landed] = NEVER
            elements.written[landed] = self.barriers

    def _access(self, op: AccessingOp, variables: Variables) -> None:
        if (accesses := self.accesses.get(op)) is None:
            accesses = self.accesses[op] = list(self._own(op))
        values = values_of(op.indices, variables) if accesses else []
        coming = isinstance(op, CopyOp) and op.asynchronous is not None
        for known in accesses:
            box = known.fixed or slices(known.access.box, values, known.elements.cells)
            if known.reads:
                self._read(op, known.access, known.elements, box)
            if known.writes:
                self._write(op, known.access, known.elements, box, coming)

    def _own(self, op: AccessingOp) -> Iterator[_Followed]:
        """The accesses of an op to memory that is followed."""
        for number, access in enumerate(op.accesses):
            if (elements := self.buffers.get(access.memory)) is not None:
                starts = access.box.starts
                fixed = all(isinstance(start, AffineConstantExpr) for start in starts)
                box = slices(access.box, [], elements.cells) if fixed else None
                yield _Followed(access, elements, number in op.READS, number in op.WRITES, box)

    def _read(self, op: AccessingOp, access: Access, elements: _Elements, box: tuple[slice, ...]) -> None:
        name, scope = called(access.memory), scope_of(access.memory)
        if (elements.coming[box] != NEVER).any():
            raise InputError(
                f"{op.name} reads {name} before an asynchronous copy to it has arrived; commit the copy and wait for "
                "its group before (tile.commit, tile.wait)",
                op,
            )
        written = elements.written[box]
        if scope != "global" and (written == NEVER).any():
            raise InputError(f"{op.name} reads elements of {name} that were never written", op)
        if scope != "register":
            if (written == self.barriers).any():
                raise InputError(
                    f"{op.name} reads elements of {name} that other threads may not have written yet; put a "
                    "tile.barrier between",
                    op,
                )
            elements.read[box] = self.barriers
        if elements.fills:
            self._check_order(op, access, elements, box)

    def _check_order(self, op: AccessingOp, access: Access, elements: _Elements, box: tuple[slice, ...]) -> None:
        """Raises InputError where an op goes back to what it has read before what it read last."""
        number = elements.fills[box[0].start]
        if number < self.last.get((op, access.memory), NEVER):
            raise InputError(
                f"{op.name} reads a slot of {called(access.memory)} again, though it has gone on to later ones: the "
                "pipeline has drained; fill the slot anew before, or read the slot of this turn",
                op,
            )
        self.last[op, access.memory] = number

    def _write(
        self, op: AccessingOp, access: Access, elements: _Elements, box: tuple[slice, ...], asynchronous: bool
    ) -> None:
        name, own = called(access.memory), scope_of(access.memory) == "register"
        if (elements.coming[box] != NEVER).any():
            raise InputError(f"{op.name} writes to {name} while an asynchronous copy is on its way there", op)
        if not own and (elements.read[box] == self.barriers).any():
            raise InputError(
                f"{op.name} overwrites elements of {name} that other threads may still have to read; put a "
                "tile.barrier between",
                op,
            )
        if not own and (elements.written[box] == self.barriers).any():
            raise InputError(
                f"{op.name} overwrites elements of {name} that other threads may not have written yet; put a "
                "tile.barrier between",
                op,
            )
        if asynchronous:
            elements.coming[box] = self.group
            self.issued.setdefault(self.group, op)
        else:
            elements.written[box] = self.barriers
        if isinstance(buffer := access.memory.owner, BufferOp) and buffer.rotating is not None:
            elements.fills[box[0].start] = elements.filled
            elements.filled += 1


def _exchanged(grid: BlocksOp) -> list[SSAValue]:
    """Global memory that thread blocks of a grid both write and read."""
    read, written = dict[SSAValue, None](), set[SSAValue]()
    for op in grid.body.walk():
        if isinstance(op, AccessingOp):
            read.update((op.memories[number], None) for number in op.READS)
            written.update(op.memories[number] for number in op.WRITES)
    return [memory for memory in read if memory in written and scope_of(memory) == "global"]


def _cells(grid: BlocksOp) -> dict[SSAValue, tuple[int, ...]]:
    """Of each memory that a grid accesses, the largest cells of which all boxes are made."""
    found: dict[SSAValue, tuple[int, ...]] = {}
    for op in grid.body.walk():
        if isinstance(op, AccessingOp):
            for memory, box in op.accesses:
                before = found.get(memory, (0,) * len(box.sizes))
                edges = zip(before, box.starts, box.sizes, strict=True)
                found[memory] = tuple(gcd(cell, step_of(start), max(size, 1)) for cell, start, size in edges)
    return found


def slices(box: Box, values: list[int], cells: Sequence[int]) -> tuple[slice, ...]:
    """A box of a memory as slices of its cells, where the loop variables have these values; without what lies beyond
    it."""
    starts = [int(value_of(start, values)) for start in box.starts]
    edges = ((start, start + max(size, 1), cell) for start, size, cell in zip(starts, box.sizes, cells, strict=True))
    return tuple(slice(max(start // cell, 0), max(end // cell, 0)) for start, end, cell in edges)


def steps(kernel: KernelOp) -> int:
    """Number of ops that one thread block of each grid does, summed over the grids."""
    return sum(_steps(grid) for grid in kernel.grids)


def _steps(op: Operation) -> int:
    inner = sum(_steps(each) for region in op.regions for block in region.blocks for each in block.ops)
    turns = prod(map(len, op.ranges)) if hasattr(op, "ranges") and not isinstance(op, BlocksOp) else 1  # pyright: ignore
    return 1 + inner * turns
