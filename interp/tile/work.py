"""Steps of each warp of a thread block, as amounts of work for the units of a multiprocessor.

All warps of a block do the same work on parts of its tiles. The warps of a block form a grid: warps of one row read the
same fragments of a product's first factor, warps of one column the same fragments of the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil, prod
from typing import Literal, TypeAlias

import numpy as np
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from dialects.graph.constant import ConstantOp
from dialects.graph.op import GraphOp
from dialects.programs.index import value_of
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
    ForOp,
    MmaOp,
    WaitOp,
    WhenOp,
    bytes_in,
    memref_of,
    scope_of,
)
from interp.kinds.gpu.multiprocessor import (
    MOST_REGISTERS,
    PARTITIONS,
    REGISTER_BYTES,
    SHARED_BYTES,
    Multiprocessor,
)
from interp.tile import lanes
from interp.tile.walk import execution_counts

Kind: TypeAlias = Literal[
    "fetch", "bring", "load", "prefetch", "store", "shared", "multiply", "lanes", "commit", "wait", "barrier"
]
VECTOR = 16
"""Bytes that a thread, or a row of a fragment, accesses at once (128-bit loads, ldmatrix)."""
LINE = 128
"""Bytes of a line of the first-level cache, which shares its data path with shared memory and looks up one line per
cycle (NVIDIA, CUDA C++ best practices guide, coalesced access; Nsight Compute, tag stage of L1TEX).
"""
SEGMENT = 8
"""Number of neighbouring elements of a row of a fragment of sums that threads store at once (PTX ISA, mma.m16n8k16:
four threads hold two columns each)."""
STORE_PARTS = 8
"""Number of stores into which a warp divides the store of its sums; the stores of several warps interleave, so that no
warp waits for all stores of another."""
FRAGMENT = 16
"""Rows, columns and K of a matrix instruction's fragments (PTX ISA, mma and wmma m16n16k16)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a warp, by `kind`; the meaning of `amount` and of other fields depends on the kind.

    `fetch`: `amount` bytes are read from global memory, and then stored to shared memory by the warp itself.
    `prefetch`: `amount` bytes are read by an asynchronous copy. `store`: `amount` bytes are written to global memory.
    Each of these three requests `parts` lines serially. `shared`: shared memory is used for `amount` cycles.
    `multiply`: the partition's matrix units are used for `amount` cycles, divided into `parts` that each need an equal
    part of the fragments; the last `ahead` requests to shared memory were for fragments that this product does not
    need. `lanes`: the partition's lanes are used for `amount` cycles. `wait`: the warp waits until at most `amount`
    groups of its copies are in flight.

    Steps of `mma threads` (interp/tile/lanes.py): `bring`: `amount` bytes are read from global memory, requested in
    `parts` cycles, and stored to shared memory in `stored` cycles; `load`: `amount` bytes are read from global memory
    to registers, requested in `parts` cycles; the warp continues before they arrive.
    """

    kind: Kind
    amount: float = 0.0
    parts: float = 1
    ahead: int = 0
    stored: float = 0.0


@dataclass(frozen=True, slots=True)
class Loop:
    """Steps that are executed `iterations` times; the loop's variable begins at `start`."""

    iterations: int
    body: tuple[Step | Loop | When, ...]
    start: int = 0


@dataclass(frozen=True, slots=True)
class When:
    """Steps that are executed where an expression is 0. The expression is over the variables of the enclosing loops,
    outermost first.
    """

    zero: AffineExpr
    body: tuple[Step | Loop | When, ...]


Steps: TypeAlias = "tuple[Step | Loop | When, ...]"
StepsOf: TypeAlias = "Callable[[Operation, BlocksOp, Multiprocessor], Iterable[Step]]"
"""Function that returns the steps of an op in a grid on a multiprocessor."""


def steps_of(grid: BlocksOp, unit: Multiprocessor, of: StepsOf | None = None) -> Steps:
    """Return the steps of each warp of a grid's thread blocks on a multiprocessor. Conditions that depend on the block
    are evaluated for the block that moves most bytes. `of`: function that returns the steps of an op that moves or
    computes, by default `steps_of_op`."""
    return tuple(_steps(grid.body.block, grid, unit, steps_of_op if of is None else of, (), busiest(grid)))


def busiest(grid: BlocksOp) -> Mapping[SSAValue, int]:
    """Return the values of a grid's variables in the block that moves the most bytes; empty if all blocks move equally
    many."""
    arguments = grid.body.block.args
    conditions = [op for op in grid.body.walk() if isinstance(op, WhenOp) and {*op.indices} & {*arguments}]
    copies = dict.fromkeys(op for each in conditions for op in each.body.walk() if isinstance(op, CopyOp))
    if not copies:
        return {}
    moved = sum((bytes_of(op.target) * execution_counts(op, grid) for op in copies), np.zeros(()))
    place = np.unravel_index(int(np.argmax(moved)), moved.shape)
    return {argument: values[int(at)] for argument, values, at in zip(arguments, grid.ranges, place, strict=True)}


def _steps(
    block: Block,
    grid: BlocksOp,
    unit: Multiprocessor,
    of: StepsOf,
    around: tuple[SSAValue, ...],
    known: Mapping[SSAValue, int],
) -> Iterator[Step | Loop | When]:
    """Yield the steps of a block of ops. `around`: variables of the enclosing loops, outermost first; `known`: values
    of the grid's variables.
    """
    for op in block.ops:
        match op:
            case ForOp():
                body = tuple(_steps(op.body.block, grid, unit, of, (*around, op.variable), known))
                yield Loop(len(op.values), body, op.values.start)
            case WhenOp():
                depths = [
                    AffineExpr.dimension(around.index(value))
                    if value in around
                    else AffineExpr.constant(known.get(value, 0))
                    for value in op.indices
                ]
                zero = op.zero.replace_dims_and_symbols(depths, ())
                yield When(zero, tuple(_steps(op.body.block, grid, unit, of, around, known)))
            case CommitOp():
                yield Step("commit")
            case WaitOp():
                yield Step("wait", op.pending.value.data)
            case BarrierOp():
                yield Step("barrier")
            case _:
                yield from of(op, grid, unit)


def steps_of_op(op: Operation, grid: BlocksOp, unit: Multiprocessor) -> Iterator[Step]:
    """Yield the steps of an op that moves data or computes."""
    match op:
        case CopyOp():
            yield from _copy(op, grid, unit)
        case MmaOp():
            yield from _spilling(op, grid, unit)
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
    """Return the number of warps of a thread block."""
    return prod(grid.warp_grid)


def bytes_of(access: Access) -> float:
    """Return the bytes of the elements of a box."""
    return prod(access.shape) * bytes_in(access.memory) / prod(memref_of(access.memory).get_shape())


def role_of(memory: SSAValue) -> int | None:
    """Return the number, 0 or 1, of a product's factor if a buffer holds fragments of this factor; None for any other
    buffer."""
    for use in memory.uses:
        if isinstance(use.operation, MmaOp) and use.index in (0, 1):
            return use.index
    return None


def copies_of(memory: SSAValue, grid: BlocksOp) -> int:
    """Return the number of warps of a block that hold the same elements of a register buffer: warps in one row of the
    block's warps hold the same fragments of the first factor, and warps in one column the same fragments of the
    second."""
    rows, columns = grid.warp_grid
    return {0: columns, 1: rows}.get(-1 if (role := role_of(memory)) is None else role, 1)


def _copy(op: CopyOp, grid: BlocksOp, unit: Multiprocessor) -> Iterator[Step]:
    source, target = op.accesses
    ways = scope_of(source.memory), scope_of(target.memory)
    nbytes = bytes_of(target) / warps_of(grid)
    if ways[1] == "register" and (product := lanes.product_of(target.memory)) is not None:
        requests = lanes.fragment_requests(op, *product, unit)
        if ways[0] == "shared":
            yield Step("shared", requests.shared / unit.shared_rate)
        else:
            yield Step("load", nbytes, requests.loaded / unit.shared_rate)
        return
    if op.sharing is not None and op.asynchronous is None:
        requests = lanes.tile_requests(op, op.sharing, grid.threads, unit)
        requested, stored = requests.loaded / unit.shared_rate, requests.shared / unit.shared_rate
        yield Step("bring", nbytes, requested, stored=stored)
        return
    if ways[0] == "global":
        kind = "prefetch" if op.asynchronous is not None and ways[1] == "shared" else "fetch"
        lines = 1 if op.bulk is not None else lines_of(target, LINE)  # one thread makes one request
        yield Step(kind, nbytes, lines / warps_of(grid))
        return
    if ways[1] == "global":
        width = SEGMENT * bytes_of(target) / prod(target.shape) if ways[0] == "register" else LINE
        lines = lines_of(target, width) / warps_of(grid)
        yield from [Step("store", nbytes / STORE_PARTS, lines / STORE_PARTS)] * STORE_PARTS
        return
    memory, other = (source.memory, target.memory) if ways[0] == "shared" else (target.memory, source.memory)
    cycles = nbytes * copies_of(other, grid) / (SHARED_BYTES * unit.shared_rate) * conflicts(memory)
    yield Step("shared", cycles)


def lines_of(access: Access, width: float) -> int:
    """Return the number of lines of memory that are requested if each row of a box is accessed in pieces of `width`
    bytes."""
    rows = prod(access.shape[:-1])
    return rows * ceil(bytes_of(access) / rows / min(width, LINE))


def _spilling(op: MmaOp, grid: BlocksOp, unit: Multiprocessor) -> Iterator[Step]:
    cycles = 0.0
    if op.thread_grid is not None:
        cycles = lanes.spill_cycles(registers_of(grid), grid.threads, op.extents[2], unit)
    if cycles:
        yield Step("shared", cycles / unit.shared_rate)


def _product(op: MmaOp, grid: BlocksOp, unit: Multiprocessor) -> Step:
    a, _, sums = op.accesses
    if op.thread_grid is not None:
        return Step("multiply", lanes.multiply_cycles(op, unit), op.extents[2], ahead(op))
    rate = unit.multiply_rate(str(memref_of(a.memory).element_type), str(memref_of(sums.memory).element_type))
    _, n, k = op.extents
    parts = max(1, n // grid.warp_grid[1] // FRAGMENT) * max(1, k // FRAGMENT)
    return Step("multiply", op.flops / warps_of(grid) / (rate / PARTITIONS), parts, ahead(op))


def ahead(op: MmaOp) -> int:
    """Return the number of requests for fragments that a warp issues between the requests that a product waits for and
    the product itself; it is more than 0 only where the buffers of fragments have several slots."""
    loop = op.parent_op()
    if not isinstance(loop, ForOp):
        return 0
    ops = list(loop.body.block.ops)
    copies = [each for each in ops if isinstance(each, CopyOp) and _fills_fragments(each)]
    before = sum(ops.index(copy) < ops.index(op) for copy in copies)
    found = [
        iterations * len(copies) + before - 1 - number
        for access in op.accesses[:2]
        for number, copy in enumerate(copies)
        if copy.target.memory is access.memory
        and (iterations := _iterations_between(copy, op, access, loop, int(number >= before))) is not None
    ]
    return min(found, default=0)


def _fills_fragments(copy: CopyOp) -> bool:
    """Return True for a copy from shared memory to registers."""
    return (scope_of(copy.source.memory), scope_of(copy.target.memory)) == ("shared", "register")


def _iterations_between(copy: CopyOp, op: MmaOp, access: Access, loop: ForOp, least: int) -> int | None:
    """Return the number of iterations of a loop, at least `least`, from a copy into a slot to the product that reads
    the slot; None if no product reads it."""
    slots = prod(memref_of(access.memory).get_shape())
    steady = loop.values.start + slots * len(loop.values)  # in the steady state of the loop

    rounds = access.memory.owner.slots if isinstance(access.memory.owner, BufferOp) else 1

    def slot(of: AccessingOp, box: Box, iteration: int) -> list[int]:
        values = [iteration if each is loop.variable else 0 for each in of.indices]
        first, *others = (value_of(start, values) for start in box.starts)
        return [first % rounds if rounds > 1 else first, *others]  # slots rotate

    read = slot(op, access.box, steady)
    return next(
        (iterations for iterations in range(least, SLOTS) if slot(copy, copy.target.box, steady - iterations) == read),
        None,
    )


SLOTS = 64
"""Maximum number of iterations from a copy into a slot of fragments to the product that reads the slot."""


def conflicts(memory: SSAValue) -> int:
    """Return the factor by which bank conflicts lengthen the access to a fragment's rows in shared memory. Eight rows
    of 16 bytes are read at once, and use all banks if no two rows share a bank. In swizzled memory the number of
    each 16-byte chunk within a line of all banks is XORed with the line's number (ALCOP's pass: index ^ (index / 64
    mod 8) * 8, of f16); if a row takes two lines, pairs of rows still share banks."""
    buffer = memory.owner
    assert isinstance(buffer, BufferOp)
    shape = memref_of(memory).get_shape()
    size = bytes_in(memory) // prod(shape)
    rows = SHARED_BYTES // VECTOR
    if len(shape) < 2:
        return 1
    stride = (shape[-1] + buffer.padding) * size
    chunks = [row * stride // VECTOR for row in range(rows)]
    mask = rows if buffer.swizzled is not None else 1
    lines = [chunk % rows ^ chunk // rows % mask for chunk in chunks]
    return max(lines.count(each) for each in set(lines))


@dataclass(frozen=True)
class Occupancy:
    """The number of thread blocks that a multiprocessor holds at a time, and the resource that limits it.
    `shared_bytes`: bytes of shared memory of a block; `registers`: number of registers of a thread."""

    blocks: int
    limit: str
    shared_bytes: int
    registers: int


ADDRESSING = 40
"""Registers of a thread for addresses, loop variables and data in flight, in addition to fragments and sums (assumed;
compilers take 30 to 60 for such loops).
"""


def shared_bytes_of(grid: BlocksOp) -> int:
    """Return the bytes of shared memory that a thread block takes, padding included."""
    return sum(shared_bytes_in(op) for op in grid.body.block.ops if isinstance(op, BufferOp))


def registers_of(grid: BlocksOp) -> float:
    """Return the number of registers that a thread of a grid needs."""
    held = sum(register_bytes_in(op, grid) for op in grid.body.block.ops if isinstance(op, BufferOp))
    return ADDRESSING + held / grid.threads / REGISTER_BYTES


def shared_bytes_in(buffer: BufferOp) -> int:
    """Return the bytes of shared memory that a buffer takes, padding included."""
    last = (memref_of(buffer.memory).get_shape() or (1,))[-1]
    return bytes_in(buffer.memory) // last * (last + buffer.padding) if buffer.scope.data == "shared" else 0


def register_bytes_in(buffer: BufferOp, grid: BlocksOp) -> int:
    """Return the bytes of registers that a buffer takes in all threads of a block. Fragments of factors take twice the
    registers of their elements (16 elements per thread in nvcuda::wmma, though 8 would be enough).
    """
    if buffer.scope.data != "register":
        return 0
    if (product := lanes.product_of(buffer.memory)) is not None:
        return lanes.register_bytes(buffer.memory, *product) * grid.threads
    return bytes_in(buffer.memory) * copies_of(buffer.memory, grid) * (1 if role_of(buffer.memory) is None else 2)


def occupancy(shared_bytes: int, registers: float, threads: int, unit: Multiprocessor) -> Occupancy:
    """Return the number of blocks of `threads` threads that a multiprocessor holds, and the limiting resource.
    Registers beyond the maximum of a thread are spilled, and do not limit the number."""
    each = min(ceil(registers / 8) * 8, MOST_REGISTERS, unit.registers // threads)
    limits = {
        "shared memory": unit.shared_bytes // max(1, shared_bytes + unit.shared_reserved),
        "threads": unit.threads // threads,
        "blocks": unit.blocks,
        "registers": unit.registers // (each * threads) if each else 0,
    }
    limit = min(limits, key=lambda name: limits[name])
    return Occupancy(limits[limit], limit, shared_bytes, each)
