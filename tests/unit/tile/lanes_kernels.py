"""Builder of the kernels whose outlines lowering/tile/lanes.py states."""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, MemRefType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from dialects.programs.index import INDEX
from dialects.tile import Access, BarrierOp, BlocksOp, Box, BufferOp, CopyOp, FillOp, ForOp, KernelOp, MmaOp
from dialects.tile.loops import WARP
from lowering.tile.lanes import LaneSchedule


def lanes_kernel(name: str, device: str, shape: tuple[int, int, int], schedule: LaneSchedule) -> KernelOp:
    """Return the kernel of the product of a transposed K x M matrix and a K x N matrix in f32. `shape`: M, N and K,
    multiples of the tile."""
    (m, n, k), (bm, bn, bk) = shape, schedule.tile
    type_ = Float32Type()
    body = Block(arg_types=[MemRefType(type_, each) for each in ((k, m), (k, n), (m, n))])
    grid, outer, inner = (Block(arg_types=[INDEX] * count) for count in (2, 1, 1))
    for value, hint in zip(
        (*body.args, *grid.args, *outer.args, *inner.args), ("a", "b", "c", "j", "i", "k", "t"), strict=True
    ):
        value.name_hint = hint
    column, row = grid.args
    depth, step = outer.args[0], inner.args[0]
    first, second, third = (AffineExpr.dimension(each) for each in range(3))
    zero, rows = AffineExpr.constant(0), schedule.rows
    fragments, staged, brought = list[SSAValue](), list[Operation](), list[Operation]()
    factors = zip(
        "ab", body.args, (bm, bn), (row, column), schedule.loads, schedule.vectors, schedule.staged, strict=False
    )
    for hint, memory, wide, place, loads, vector, shared in factors:
        fragment = _buffer(grid, "register", MemRefType(type_, (rows, wide)), f"{hint}f")
        fragments.append(fragment)
        if shared:
            tile = _buffer(grid, "shared", MemRefType(type_, (bk, wide)), f"{hint}s")
            there = Access(memory, Box((first * bk, second * wide), (bk, wide)))
            here = Access(tile, Box.full((bk, wide)))
            staged.append(CopyOp(there, here, [depth, place], threads=(loads, vector)))
            source, indices = Access(tile, Box((first * rows, zero), (rows, wide))), [step]
        else:
            box = Box((first * bk + second * rows, third * wide), (rows, wide))
            source, indices = Access(memory, box), [depth, step, place]
        brought.append(CopyOp(source, Access(fragment, Box.full((rows, wide))), indices))
    total = _buffer(grid, "register", MemRefType(type_, (bm, bn)), "sum")
    a, b = (
        Access(each, Box.full((rows, wide))) for each, wide in zip(fragments, (bm, bn), strict=True)
    )  # fmt: skip
    sums = Access(total, Box.full((bm, bn)))
    product = MmaOp(a, b, sums, turned=True, threads=schedule.threads, vectors=schedule.vectors)
    inner.add_ops([*brought, product])
    around = [BarrierOp()] if staged else []
    outer.add_ops([*staged, *around, ForOp(range(bk // rows), Region(inner)), *([BarrierOp()] if staged else [])])
    corner = Access(body.args[2], Box((first * bm, second * bn), (bm, bn)))
    grid.add_ops([FillOp(sums, 0.0), ForOp(range(k // bk), Region(outer)), CopyOp(sums, corner, [row, column])])
    warps = (1, schedule.thread_count // WARP)
    body.add_op(BlocksOp([range(n // bn), range(m // bm)], warps, Region(grid)))
    return KernelOp(name, device, Region(body), 2)


def _buffer(grid: Block, scope: str, type_: MemRefType[Attribute], hint: str) -> SSAValue:
    op = BufferOp(scope, type_)
    grid.add_op(op)
    op.memory.name_hint = hint
    return op.memory
