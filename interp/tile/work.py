"""Steps of each warp of a thread block, as work on the units of a multiprocessor.

All warps of a block do the same on shares of its tiles: fragments of a product's first factor are read by each column
of warps, those of the second by each row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, lcm, prod
from typing import Literal, TypeAlias

from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr

from dialects.graph.constant import ConstantOp
from dialects.graph.op import GraphOp
from dialects.tile import (
    Access,
    BarrierOp,
    BlocksOp,
    BufferOp,
    CommitOp,
    CopyOp,
    FillOp,
    ForOp,
    MmaOp,
    WaitOp,
    WhenOp,
    bytes_in,
    memref_of,
    scope_of,
)
from interp.machine.multiprocessor import (
    MOST_REGISTERS,
    PARTITIONS,
    REGISTER_BYTES,
    RESERVED_SHARED,
    SHARED_BYTES,
    Multiprocessor,
)
from interp.tile.walk import value_of

Kind: TypeAlias = Literal["fetch", "prefetch", "store", "shared", "multiply", "lanes", "commit", "wait", "barrier"]
VECTOR = 16
"""Bytes that a thread, or a row of a fragment, accesses at once (128-bit loads, ldmatrix)."""
PIECES = 8
LINE = 128
"""Bytes of a line of the first-level cache, which looks up one line a cycle for each request (CUDA C++ best practices
guide, coalesced access; Nsight Compute, tag stage of L1TEX)."""
SEGMENT = 8
"""Elements of a row that threads hold side by side in a fragment of sums (PTX ISA, mma.m16n8k16: four threads with two
columns each)."""
FRAGMENT = 16
"""Rows, columns and K of a matrix instruction's fragments (PTX ISA, mma and wmma m16n16k16)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a warp.

    `fetch`: `amount` bytes from global memory that the warp then stores to shared memory itself; `prefetch`: bytes of
    an asynchronous copy; `store`: bytes to global memory; of these three, `parts` lines of memory that are asked for
    one after another. `shared`: cycles of shared memory; `multiply`: cycles of its partition's matrix units, in `parts`
    that each need as large a part of the fragments; `lanes`: cycles of its partition's lanes; `wait`: `amount` groups
    may be on their way.
    """

    kind: Kind
    amount: float = 0.0
    parts: float = 1
    behind: int = 0


@dataclass(frozen=True, slots=True)
class Loop:
    """Steps that are done so many times."""

    turns: int
    body: tuple[Step | Loop | When, ...]
    variable: SSAValue
    start: int


@dataclass(frozen=True, slots=True)
class When:
    """Steps that are done where the op's expression is 0."""

    op: WhenOp
    body: tuple[Step | Loop | When, ...]

    @property
    def period(self) -> int:
        """After so many turns of any loop around it the expression is 0 again where it was."""
        found = 1
        for each in self.op.zero.dfs():
            match each:
                case AffineBinaryOpExpr(kind, _, AffineConstantExpr(value)) if kind not in (_ADD, _MUL):
                    found = lcm(found, value)
                case _:
                    pass
        return found

    def done(self, values: Mapping[SSAValue, int]) -> bool:
        """True if the steps are done where loop variables have these values."""
        return value_of(self.op.zero, [values.get(index, 0) for index in self.op.indices]) == 0


_ADD, _MUL = AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul

Steps: TypeAlias = "tuple[Step | Loop | When, ...]"


def steps_of(grid: BlocksOp, unit: Multiprocessor) -> Steps:
    """Steps of each warp of a grid's thread blocks on a multiprocessor."""
    return tuple(_steps(grid.body.block, grid, unit))


def _steps(block: Block, grid: BlocksOp, unit: Multiprocessor) -> Iterator[Step | Loop | When]:
    for op in block.ops:
        match op:
            case ForOp():
                yield Loop(len(op.values), tuple(_steps(op.body.block, grid, unit)), op.variable, op.values.start)
            case WhenOp():
                yield When(op, tuple(_steps(op.body.block, grid, unit)))
            case CommitOp():
                yield Step("commit")
            case WaitOp():
                yield Step("wait", op.pending.value.data)
            case BarrierOp():
                yield Step("barrier")
            case CopyOp():
                step = _copy(op, grid, unit)
                if step.kind == "store":
                    yield from [Step("store", step.amount / PIECES, step.parts / PIECES)] * PIECES
                else:
                    yield step
            case MmaOp():
                yield _product(op, grid, unit)
            case FillOp():
                elements = prod(op.target.shape) / warps_of(grid)
                yield Step("lanes", elements / (unit.lane_rate("f32") / PARTITIONS))
            case GraphOp() if not isinstance(op, ConstantOp):
                element = str(op.results[0].type.get_element_type())  # pyright: ignore
                work = op.work().flops / warps_of(grid)
                yield Step("lanes", work / (unit.lane_rate(element) / PARTITIONS))
            case _:
                pass


def warps_of(grid: BlocksOp) -> int:
    """Warps of a thread block."""
    return prod(grid.warp_grid)


def bytes_of(access: Access) -> float:
    """Bytes of the elements of a box."""
    return prod(access.shape) * bytes_in(access.memory) / prod(memref_of(access.memory).get_shape())


def lines_of(access: Access, width: float) -> float:
    """Lines of memory that the rows of a box lie in, where so many bytes of a row are accessed at once."""
    row = bytes_of(access) / prod(access.shape[:-1])
    return prod(access.shape[:-1]) * ceil(row / min(width, LINE))


def role_of(memory: SSAValue) -> int | None:
    """Number, 0 or 1, of the factor of a product whose fragments a buffer holds; None for all other buffers."""
    for use in memory.uses:
        if isinstance(use.operation, MmaOp) and use.index in (0, 1):
            return use.index
    return None


def copies_of(memory: SSAValue, grid: BlocksOp) -> int:
    """Number of warps that hold the same part of a register buffer: the warps of a row of the grid hold the same
    fragments of the first factor, those of a column the same of the second."""
    rows, columns = grid.warp_grid
    return {0: columns, 1: rows}.get(-1 if (role := role_of(memory)) is None else role, 1)


def _copy(op: CopyOp, grid: BlocksOp, unit: Multiprocessor) -> Step:
    source, target = op.accesses
    ways = scope_of(source.memory), scope_of(target.memory)
    nbytes = bytes_of(target) / warps_of(grid)
    if ways[0] == "global":
        kind = "prefetch" if ways[1] == "shared" and op.asynchronous is not None else "fetch"
        return Step(kind, nbytes, lines_of(target, LINE) / warps_of(grid))
    if ways[1] == "global":
        element = bytes_of(target) / prod(target.shape)
        return Step("store", nbytes, lines_of(target, SEGMENT * element if ways[0] == "register" else LINE) / warps_of(grid))
    memory, other = (source.memory, target.memory) if ways[0] == "shared" else (target.memory, source.memory)
    cycles = nbytes * copies_of(other, grid) / (SHARED_BYTES * unit.shared_rate) * conflicts(memory)
    return Step("shared", cycles)


def _product(op: MmaOp, grid: BlocksOp, unit: Multiprocessor) -> Step:
    a, _, sums = op.accesses
    rate = unit.multiply_rate(str(memref_of(a.memory).element_type), str(memref_of(sums.memory).element_type))
    _, n, k = op.extents
    parts = max(1, n // grid.warp_grid[1] // FRAGMENT) * max(1, k // FRAGMENT)
    return Step("multiply", op.flops / warps_of(grid) / (rate / PARTITIONS), parts)


def conflicts(memory: SSAValue) -> int:
    """Factor by which bank conflicts lengthen the access to a fragment's rows in shared memory: eight rows of 16 bytes
    are read at once, and take all banks where none meet."""
    buffer = memory.owner
    assert isinstance(buffer, BufferOp)
    shape = memref_of(memory).get_shape()
    size = bytes_in(memory) // prod(shape)
    rows = SHARED_BYTES // VECTOR
    if buffer.swizzled is not None or len(shape) < 2:
        return 1
    stride = (shape[-1] + buffer.padding) * size
    lines = [row * stride // VECTOR % rows for row in range(rows)]
    return max(lines.count(each) for each in set(lines))


@dataclass(frozen=True)
class Occupancy:
    """Thread blocks that a multiprocessor holds at a time, and what limits them; shared memory in bytes a block,
    registers a thread."""

    blocks: int
    limit: str
    shared_bytes: int
    registers: int


ADDRESSING = 40
"""Registers of a thread for addresses, loop variables and what is on its way, beside fragments and sums (assumed; what
compilers take for such loops lies between 30 and 60)."""


def shared_bytes_of(grid: BlocksOp) -> int:
    """Bytes of shared memory that a thread block takes, padding included."""
    found = 0
    for op in grid.body.block.ops:
        if isinstance(op, BufferOp) and op.scope.data == "shared":
            last = (memref_of(op.memory).get_shape() or (1,))[-1]
            found += bytes_in(op.memory) // last * (last + op.padding)
    return found


def registers_of(grid: BlocksOp) -> float:
    """Registers of a thread. Fragments of both factors take twice the registers of their elements (16 elements a thread
    in nvcuda::wmma; 8 would be enough)."""
    found = float(ADDRESSING)
    for op in grid.body.block.ops:
        if isinstance(op, BufferOp) and op.scope.data == "register":
            twice = 1 if role_of(op.memory) is None else 2
            found += bytes_in(op.memory) * copies_of(op.memory, grid) * twice / grid.threads / REGISTER_BYTES
    return found


def occupancy(shared_bytes: int, registers: float, threads: int, unit: Multiprocessor) -> Occupancy:
    """Number of blocks of so many threads that a multiprocessor holds, with its limit. A compiler spills what goes
    beyond the most registers that a thread may have."""
    each = min(ceil(registers / 8) * 8, MOST_REGISTERS, unit.registers // threads)
    limits = {
        "shared memory": unit.shared_bytes // (shared_bytes + RESERVED_SHARED),
        "threads": unit.threads // threads,
        "registers": unit.registers // (each * threads) if each else 0,
    }
    limit = min(limits, key=lambda name: limits[name])
    return Occupancy(limits[limit], limit, shared_bytes, each)
