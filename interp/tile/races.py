"""Races in a thread block, found without its numbers: what is read before it has arrived or before all threads can see
it, overwritten before all have read it, or never written.

Threads of a block run freely between barriers, and asynchronous copies land at any time between their issue and the
wait that covers them. For each element of shared memory it is noted which barrier came last before it was written and
read, and which group of copies is on its way to it. Registers are of one thread each, so that there only the order
counts. Which boxes an op accesses does not depend on the block, so that all blocks of a grid are checked at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

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
    FillOp,
    KernelOp,
    MmaOp,
    ReadOp,
    WaitOp,
    WriteOp,
    memref_of,
    scope_of,
)
from dialects.values import called
from interp.tile.walk import Variables, in_order, value_of, values_of

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

    @staticmethod
    def of(memory: SSAValue) -> _Elements:
        shape = memref_of(memory).get_shape()
        return _Elements(*(np.full(shape, NEVER, np.int32) for _ in range(3)))


def check_races(kernel: KernelOp) -> None:
    """Raises InputError, at the op, for the first race of a kernel, and for an element that is read but never
    written."""
    for grid in kernel.grids:
        if (count := _steps(grid)) > LIMIT:
            raise InputError(
                f"a thread block does {count} steps, and at most {LIMIT} are followed one by one; take larger tiles",
                grid,
            )
        _Follower(grid).follow()


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

    def follow(self) -> None:
        variables: Variables = dict.fromkeys(self.grid.body.block.args, 0)
        for op in in_order(self.grid.body.block, variables):
            match op:
                case BufferOp():
                    self.buffers[op.memory] = _Elements.of(op.memory)
                case BarrierOp():
                    self.barriers += 1
                case CommitOp():
                    self.group += 1
                case WaitOp():
                    self._wait(op.pending.value.data)
                case CopyOp():
                    self._read(op, op.source, variables)
                    self._write(op, op.target, variables, op.asynchronous is not None)
                case FillOp() | WriteOp():
                    self._write(op, op.target, variables)
                case ReadOp():
                    self._read(op, op.source, variables)
                case MmaOp():
                    for access in op.accesses:
                        self._read(op, access, variables)
                    self._write(op, op.accesses[2], variables)
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

    def _box(self, op: AccessingOp, access: Access, variables: Variables) -> tuple[_Elements, tuple[slice, ...]] | None:
        elements = self.buffers.get(access.memory)
        return None if elements is None else (elements, slices(access.box, values_of(op.indices, variables)))

    def _read(self, op: AccessingOp, access: Access, variables: Variables) -> None:
        found = self._box(op, access, variables)
        if found is None:
            return
        elements, box = found
        name = called(access.memory)
        if (elements.coming[box] != NEVER).any():
            raise InputError(
                f"{op.name} reads {name} before an asynchronous copy to it has arrived; commit the copy and wait for "
                "its group before (tile.commit, tile.wait)",
                op,
            )
        written = elements.written[box]
        if (written == NEVER).any():
            raise InputError(f"{op.name} reads elements of {name} that were never written", op)
        if scope_of(access.memory) == "shared":
            if (written == self.barriers).any():
                raise InputError(
                    f"{op.name} reads elements of {name} that other threads may not have written yet; put a "
                    "tile.barrier between",
                    op,
                )
            elements.read[box] = self.barriers

    def _write(self, op: AccessingOp, access: Access, variables: Variables, asynchronous: bool = False) -> None:
        found = self._box(op, access, variables)
        if found is None:
            return
        elements, box = found
        name, shared = called(access.memory), scope_of(access.memory) == "shared"
        if (elements.coming[box] != NEVER).any():
            raise InputError(f"{op.name} writes to {name} while an asynchronous copy is on its way there", op)
        if shared and (elements.read[box] == self.barriers).any():
            raise InputError(
                f"{op.name} overwrites elements of {name} that other threads may still have to read; put a "
                "tile.barrier between",
                op,
            )
        if asynchronous:
            elements.coming[box] = self.group
            self.issued.setdefault(self.group, op)
        else:
            elements.written[box] = self.barriers


def slices(box: Box, values: list[int]) -> tuple[slice, ...]:
    """A box of a buffer as slices, where the loop variables have these values."""
    starts = [int(value_of(start, values)) for start in box.starts]
    return tuple(slice(start, start + max(size, 1)) for start, size in zip(starts, box.sizes, strict=True))


def steps(kernel: KernelOp) -> int:
    """Number of ops that one thread block of each grid does, summed over the grids."""
    return sum(_steps(grid) for grid in kernel.grids)


def _steps(op: Operation) -> int:
    inner = sum(_steps(each) for region in op.regions for block in region.blocks for each in block.ops)
    turns = prod(map(len, op.ranges)) if hasattr(op, "ranges") and not isinstance(op, BlocksOp) else 1  # pyright: ignore
    return 1 + inner * turns
