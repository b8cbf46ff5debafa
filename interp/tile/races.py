"""Detection of races in a thread block, without computing its values. Errors: reads of data that has not arrived or
that not all threads can see yet, overwrites before all threads have read, unordered writes by two threads, reads of
elements never written, and reads of a pipeline slot out of order.

Threads of a block run independently between barriers, and asynchronous copies arrive at any time between their issue
and the wait for their group. For each element of shared memory, the checker records the last barrier before the
element's last write, the last barrier before its last read, and the group of copies that is writing it; likewise for
global memory that a block both writes and reads. Each register belongs to one thread, so that only program order
counts. Of all blocks that execute the same ops on the same parts of their buffers only one is checked (its addresses
are used for global memory).
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
from dialects.programs.index import step_of, value_of
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
from dialects.values import called
from interp.tile.walk import Variables, executed_ops, groups_of_blocks, values_of

NEVER = -1
LIMIT = 1 << 20
"""Maximum number of steps of a thread block that are checked one by one."""


@dataclass
class _Elements:
    """State of each element of a buffer: the number of barriers passed at its last write, and at its last read (NEVER
    if there was none), and the number of the group of asynchronous copies that is writing it (NEVER if there is
    none)."""

    written: NDArray[np.int32]
    read: NDArray[np.int32]
    in_flight: NDArray[np.int32]

    fills: dict[int, int] = field(default_factory=dict[int, int])
    """For each slot of a rotating buffer, the number of its last fill (fills of all slots are numbered together)."""
    filled: int = 0
    """Number of fills of all slots so far."""

    cells: tuple[int, ...] = ()
    """Extents of a cell along each axis. All boxes consist of full cells, so the arrays have one entry for each cell.
    """

    @staticmethod
    def of(memory: SSAValue, cells: tuple[int, ...]) -> _Elements:
        shape = [ceil(extent / cell) for extent, cell in zip(memref_of(memory).get_shape(), cells, strict=True)]
        written, read, in_flight = (np.full(shape, NEVER, np.int32) for _ in range(3))
        return _Elements(written, read, in_flight, cells=cells)


class _Checked(NamedTuple):
    """An access of an op to a checked memory. `fixed`: its box, if the box is the same in all iterations, else None."""

    access: Access
    elements: _Elements
    reads: bool
    writes: bool
    fixed: tuple[slice, ...] | None


def check_races(kernel: KernelOp) -> None:
    """Raise InputError, at the op, for the first race of a kernel, or for the first read of an element that was never
    written.
    """
    for grid in kernel.grids:
        if (count := _steps(grid)) > LIMIT:
            raise InputError(
                f"a thread block has {count} steps, but races are checked for at most {LIMIT} steps; use larger tiles",
                grid,
            )
        groups = groups_of_blocks(grid)
        if (count := count * len(groups)) > LIMIT:
            raise InputError(
                f"thread blocks take {len(groups)} different paths of {count} steps in all, but races are checked for "
                f"at most {LIMIT} steps; let fewer block variables decide conditions (tile.when) and buffer slots",
                grid,
            )
        for path_variables, _ in groups:
            _Checker(grid).check(path_variables)


class _Checker:
    """Checker that follows one thread block of a grid through its ops."""

    def __init__(self, grid: BlocksOp) -> None:
        self.grid = grid
        self.buffers: dict[SSAValue, _Elements] = {}
        self.barriers = 0
        self.group = 0
        """Number of the group that the next commit ends."""
        self.arrived = 0
        """Groups with lower numbers have arrived."""
        self.issued: dict[int, Operation] = {}
        """One copy of each group that is in flight, for messages."""
        self.accesses: dict[AccessingOp, list[_Checked]] = {}
        """Checked accesses of each op, computed at its first execution."""
        self.last: dict[tuple[Operation, SSAValue], int] = {}
        """For each op that reads a rotating buffer: the number of the fill that it read last."""

    def check(self, path_variables: Mapping[SSAValue, int]) -> None:
        first = zip(self.grid.body.block.args, self.grid.ranges, strict=True)
        variables: Variables = {argument: each.start for argument, each in first} | dict(path_variables)
        cells = _cells(self.grid)
        for memory in _exchanged(self.grid):
            self.buffers[memory] = _Elements.of(memory, cells[memory])
        for op in executed_ops(self.grid.body.block, variables):
            match op:
                case BufferOp():
                    shape = memref_of(op.memory).get_shape()
                    self.buffers[op.memory] = _Elements.of(op.memory, cells.get(op.memory, shape))
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
                "this asynchronous copy may still be in progress when the thread block ends; wait for it (tile.wait 0)",
                copy,
            )

    def _wait(self, pending: int) -> None:
        self.arrived = max(self.arrived, self.group - pending)
        for group in [each for each in self.issued if each < self.arrived]:
            del self.issued[group]
        for elements in self.buffers.values():
            landed = (elements.in_flight != NEVER) & (elements.in_flight < self.arrived)
            elements.in_flight[landed] = NEVER
            elements.written[landed] = self.barriers

    def _access(self, op: AccessingOp, variables: Variables) -> None:
        if (accesses := self.accesses.get(op)) is None:
            accesses = self.accesses[op] = list(self._checked(op))
        values = values_of(op.indices, variables) if accesses else []
        in_flight = isinstance(op, CopyOp) and op.asynchronous is not None
        for known in accesses:
            box = known.fixed or slices(known.access.box, values, known.elements.cells)
            if known.reads:
                self._read(op, known.access, known.elements, box)
            if known.writes:
                self._write(op, known.access, known.elements, box, in_flight)

    def _checked(self, op: AccessingOp) -> Iterator[_Checked]:
        """Yield the accesses of an op to checked memories."""
        for number, access in enumerate(op.accesses):
            if (elements := self.buffers.get(access.memory)) is not None:
                starts = access.box.starts
                fixed = all(isinstance(start, AffineConstantExpr) for start in starts)
                box = slices(access.box, [], elements.cells) if fixed else None
                yield _Checked(access, elements, number in op.READS, number in op.WRITES, box)

    def _read(self, op: AccessingOp, access: Access, elements: _Elements, box: tuple[slice, ...]) -> None:
        name, scope = called(access.memory), scope_of(access.memory)
        if (elements.in_flight[box] != NEVER).any():
            raise InputError(
                f"{op.name} reads {name} before an asynchronous copy to it has arrived; commit the copy and wait for "
                "its group before this op (tile.commit, tile.wait)",
                op,
            )
        written = elements.written[box]
        if scope != "global" and (written == NEVER).any():
            raise InputError(
                f"{op.name} reads elements of {name} that were never written; fill or copy to them first", op
            )
        if scope != "register":
            if (written == self.barriers).any():
                raise InputError(
                    f"{op.name} reads elements of {name} that other threads may not have written yet; add a "
                    "tile.barrier before it",
                    op,
                )
            elements.read[box] = self.barriers
        if elements.fills:
            self._check_order(op, access, elements, box)

    def _check_order(self, op: AccessingOp, access: Access, elements: _Elements, box: tuple[slice, ...]) -> None:
        """Raise InputError if an op reads a slot of a rotating buffer whose fill is older than a fill that the op read
        before."""
        number = elements.fills[box[0].start]
        if number < self.last.get((op, access.memory), NEVER):
            raise InputError(
                f"{op.name} reads an older fill of {called(access.memory)} than in an earlier iteration, so a slot "
                "was not refilled in time; refill the slot first, or read the slot that was filled for this "
                "iteration",
                op,
            )
        self.last[op, access.memory] = number

    def _write(
        self, op: AccessingOp, access: Access, elements: _Elements, box: tuple[slice, ...], asynchronous: bool
    ) -> None:
        name, is_register = called(access.memory), scope_of(access.memory) == "register"
        if (elements.in_flight[box] != NEVER).any():
            raise InputError(
                f"{op.name} writes to {name} while an asynchronous copy to the same elements is in progress; wait "
                "for the copy first (tile.wait)",
                op,
            )
        if not is_register and (elements.read[box] == self.barriers).any():
            raise InputError(
                f"{op.name} overwrites elements of {name} that other threads may still have to read; add a "
                "tile.barrier before it",
                op,
            )
        if not is_register and (elements.written[box] == self.barriers).any():
            raise InputError(
                f"{op.name} overwrites elements of {name} that other threads may not have written yet; add a "
                "tile.barrier before it",
                op,
            )
        if asynchronous:
            elements.in_flight[box] = self.group
            self.issued.setdefault(self.group, op)
        else:
            elements.written[box] = self.barriers
        if isinstance(buffer := access.memory.owner, BufferOp) and buffer.rotating is not None:
            elements.fills[box[0].start] = elements.filled
            elements.filled += 1


def _exchanged(grid: BlocksOp) -> list[SSAValue]:
    """Return the global memories that thread blocks of a grid both write and read."""
    read, written = dict[SSAValue, None](), set[SSAValue]()
    for op in grid.body.walk():
        if isinstance(op, AccessingOp):
            read.update((op.memories[number], None) for number in op.READS)
            written.update(op.memories[number] for number in op.WRITES)
    return [memory for memory in read if memory in written and scope_of(memory) == "global"]


def _cells(grid: BlocksOp) -> dict[SSAValue, tuple[int, ...]]:
    """Return, for each memory that a grid accesses, the extents of its cells: the largest extents that divide the start
    and the extents of each accessed box."""
    found: dict[SSAValue, tuple[int, ...]] = {}
    for op in grid.body.walk():
        if isinstance(op, AccessingOp):
            for memory, box in op.accesses:
                before = found.get(memory, (0,) * len(box.sizes))
                edges = zip(before, box.starts, box.sizes, strict=True)
                found[memory] = tuple(gcd(cell, step_of(start), max(size, 1)) for cell, start, size in edges)
    return found


def slices(box: Box, values: list[int], cells: Sequence[int]) -> tuple[slice, ...]:
    """Return a box of a memory as slices of its cells, for these values of the loop variables; parts before the
    memory's begin are cut off.
    """
    starts = [int(value_of(start, values)) for start in box.starts]
    edges = ((start, start + max(size, 1), cell) for start, size, cell in zip(starts, box.sizes, cells, strict=True))
    return tuple(slice(max(start // cell, 0), max(end // cell, 0)) for start, end, cell in edges)


def steps(kernel: KernelOp) -> int:
    """Return the number of ops that one thread block of each grid executes, summed over the grids."""
    return sum(_steps(grid) for grid in kernel.grids)


def _steps(op: Operation) -> int:
    inner = sum(_steps(each) for region in op.regions for block in region.blocks for each in block.ops)
    iterations = prod(map(len, op.ranges)) if hasattr(op, "ranges") and not isinstance(op, BlocksOp) else 1  # pyright: ignore
    return 1 + inner * iterations
