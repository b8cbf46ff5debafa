"""The template of matrix products: a kernel that loops over tiles of K, as naive as it can be typed.

    C[i, j] = sum over k of A[i, k] B[k, j]

Each thread block computes a tile of C. It brings tiles of A and B to shared memory, from there fragments to registers,
multiplies, and at last writes the sums. What is to be pipelined is only marked (`stages`).
"""

from __future__ import annotations

from math import ceil

from xdsl.dialects.builtin import Float32Type, IntegerAttr, MemRefType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from dialects.tile import (
    Access,
    BarrierOp,
    BlocksOp,
    Box,
    BufferOp,
    CommitOp,
    CopyOp,
    FillOp,
    ForOp,
    KernelOp,
    MmaOp,
    WaitOp,
)
from dialects.tile.boxes import INDEX
from lowering.tile.schedule import Schedule


def matmul(
    name: str,
    device: str,
    shape: tuple[int, int, int],
    elements: tuple[Attribute, Attribute],
    schedule: Schedule,
    accumulator: Attribute | None = None,
) -> KernelOp:
    """The kernel of a product of M x K by K x N.

    `shape`: M, N and K; `elements`: of the factors and of the product; `accumulator`: the type of sums, f32 where
    nothing is said. Tiles that reach beyond the matrices are filled with zeros, and what they compute there is dropped.
    """
    m, n, k = shape
    bm, bn, bk = schedule.block
    factor, product = elements
    sums = Float32Type() if accumulator is None else accumulator
    arguments = [MemRefType(factor, (m, k)), MemRefType(factor, (k, n)), MemRefType(product, (m, n))]
    body, grid = Block(arg_types=arguments), Block(arg_types=[INDEX, INDEX])
    for value, hint in zip((*body.args, *grid.args), ("a", "b", "c", "i", "j"), strict=True):
        value.name_hint = hint
    a, b, c = body.args
    i, j = grid.args

    shared_a = _buffer(grid, "shared", factor, (bm, bk), "as", schedule.stages, schedule.pad)
    shared_b = _buffer(grid, "shared", factor, (bk, bn), "bs", schedule.stages, schedule.pad)
    step = min(schedule.instruction, bk)
    fragment_a = _buffer(grid, "register", factor, (bm, step), "af", schedule.register_stages)
    fragment_b = _buffer(grid, "register", factor, (step, bn), "bf", schedule.register_stages)
    total = _buffer(grid, "register", sums, (bm, bn), "sum")
    padded = bool(m % bm or n % bn or k % bk)

    inner = Block(arg_types=[INDEX])
    inner.args[0].name_hint = "t"
    zero, first, second = (AffineExpr.constant(0), AffineExpr.dimension(0), AffineExpr.dimension(1))
    whole_sum = Access(total, Box.whole((bm, bn)))
    inner.add_ops(
        [
            _copy(shared_a, Box((zero, first * step), (bm, step)), fragment_a, (bm, step), [inner.args[0]]),
            _copy(shared_b, Box((first * step, zero), (step, bn)), fragment_b, (step, bn), [inner.args[0]]),
            MmaOp(Access(fragment_a, Box.whole((bm, step))), Access(fragment_b, Box.whole((step, bn))), whole_sum),
        ]
    )
    outer = Block(arg_types=[INDEX])
    t = outer.args[0]
    t.name_hint = "k"
    kind = (schedule.asynchronous, padded)
    outer.add_ops(
        [
            _copy(a, Box((first * bm, second * bk), (bm, bk)), shared_a, (bm, bk), [i, t], *kind),
            _copy(b, Box((second * bk, first * bn), (bk, bn)), shared_b, (bk, bn), [j, t], *kind),
            *([CommitOp(), WaitOp(0)] if schedule.asynchronous else []),
            BarrierOp(),
            ForOp(range(ceil(bk / step)), Region(inner)),
            BarrierOp(),
        ]
    )
    corner = Box((first * bm, second * bn), (bm, bn))
    grid.add_ops(
        [
            FillOp(whole_sum, 0.0),
            ForOp(range(ceil(k / bk)), Region(outer)),
            CopyOp(whole_sum, Access(c, corner), [i, j], padded=padded),
        ]
    )
    blocks = [range(ceil(m / bm)), range(ceil(n / bn))]
    body.add_op(BlocksOp(blocks, schedule.warps, Region(grid), schedule.order))
    return KernelOp(name, device, Region(body), 2)


def _buffer(
    grid: Block, scope: str, element: Attribute, shape: tuple[int, ...], hint: str, stages: int = 1, pad: int = 0
) -> SSAValue:
    op = BufferOp(scope, MemRefType(element, shape))
    if stages > 1:
        op.stages = IntegerAttr(stages, i64)
    if pad:
        op.pad = IntegerAttr(pad, i64)
    grid.add_op(op)
    op.memory.name_hint = hint
    return op.memory


def _copy(
    source: SSAValue,
    box: Box,
    target: SSAValue,
    shape: tuple[int, ...],
    indices: list[SSAValue],
    asynchronous: bool = False,
    padded: bool = False,
) -> Operation:
    return CopyOp(Access(source, box), Access(target, Box.whole(shape)), indices, asynchronous, padded)
