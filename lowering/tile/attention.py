"""Template of attention kernels: two chained products with an online softmax between them (Milakov and Gimelshein,
2018; Dao et al., FlashAttention, NeurIPS 2022).

Each thread block holds rows of queries of one head in registers, and loops over tiles of keys and values. For each row
it keeps the greatest score so far, the sum of weights relative to it, and the weighted sum of values; when a tile has a
greater score, both sums are scaled down. Scores never leave registers. Weights are rounded to the element type before
they are multiplied with the values, as matrix units require; everything else is computed in f32.
"""

from __future__ import annotations

from math import ceil, inf, sqrt

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, TensorType, i32
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from dialects import graph as g
from dialects.element_types import I1
from dialects.programs.index import Variables
from dialects.tile import (
    Access,
    BarrierOp,
    Box,
    CommitOp,
    FillOp,
    IotaOp,
    KernelOp,
    MmaOp,
    ReadOp,
    WaitOp,
    WriteOp,
    memref_of,
)
from lowering.tile.building import Index, Operand, Tile, arguments, constant, copy, grid, loop, registers, shared, times
from lowering.tile.epilogue import Unfit, added, along, cast_to
from lowering.tile.schedule import Schedule

F32 = Float32Type()
BATCH, HEAD, ROW, COLUMN = (AffineExpr.dimension(position) for position in range(4))


def attention_kernel(op: g.AttentionOp, schedule: Schedule, name: str, device: str) -> KernelOp:
    """Return the kernel of an attention op. `schedule.block`: number of query rows, number of keys per tile, and K
    (unused); all warps are in one column. Raises Unfit for element types that matrix units can't accumulate in f32."""
    element = g.tensor_of(op.q).element_type
    if not isinstance(element, Float16Type | BFloat16Type):
        raise Unfit(f"attention on {element} has no template; reduce its precision first (reduce-precision{{to=f16}})")
    if op.lengths is not None:
        raise Unfit("attention with lengths has no template; give a mask instead")
    if op.sink_scores is not None:
        raise Unfit("attention with sinks has no template; write its scores, softmax and products as single ops")
    if op.hides and op.unseen.data == "mean":
        raise Unfit("attention whose queries without visible keys get the mean of values has no template")
    return _Attention(op, schedule).kernel(name, device)


class _Attention:
    """Builder of the kernel of one attention op with one schedule."""

    def __init__(self, op: g.AttentionOp, schedule: Schedule) -> None:
        self.op, self.schedule = op, schedule
        self.batch, self.heads, self.queries, self.depth = g.shape_of(op.q)
        _, groups, self.keys, self.width = g.shape_of(op.v)
        self.sharing = self.heads // groups
        self.bm, self.bn, _ = schedule.block
        self.step = schedule.instruction
        self.element = g.tensor_of(op.q).element_type
        self.inner, self.outer = (ceil(extent / 16) * 16 for extent in (self.depth, self.width))
        self.chunk = min(self.step, self.inner, self.bn)

    def kernel(self, name: str, device: str) -> KernelOp:
        op = self.op
        inputs = [
            Operand(hint, g.shape_of(value), g.tensor_of(value).element_type, ())
            for hint, value in zip(("q", "k", "v", "mask"), op.operands, strict=False)
        ]
        body = arguments([*inputs, Operand("y", g.shape_of(op.y), self.element, ())])
        ranges = {"b": self.batch, "h": self.heads, "i": ceil(self.queries / self.bm)}
        block, variables = grid(body, ranges, self.schedule, self.schedule.order)
        self._block(block, list(body.args), variables)
        return KernelOp(name, device, Region(body), len(inputs))

    def _block(self, block: Block, memories: list[SSAValue], variables: list[SSAValue]) -> None:
        q, k, v, *others, y = memories
        b, h, i = variables
        schedule, bm, bn, element = self.schedule, self.bm, self.bn, self.element
        once = Schedule(schedule.block, schedule.warps, pad=schedule.pad, swizzled=schedule.swizzled)
        staged_q = shared(block, "qs", element, (bm, self.inner), once)
        keys = shared(block, "ks", element, (bn, self.inner), schedule)
        values = shared(block, "vs", element, (bn, self.outer), schedule)
        queries = registers(block, "qf", element, (bm, self.inner))
        key_part = registers(block, "kf", element, (bn, self.chunk), schedule.register_stages)
        value_part = registers(block, "vf", element, (self.chunk, self.outer), schedule.register_stages)
        scores = registers(block, "s", F32, (bm, bn))
        weights = registers(block, "pf", element, (bm, bn))
        total = registers(block, "o", F32, (bm, self.outer))
        greatest = registers(block, "m", F32, (bm, 1))
        norm = registers(block, "l", F32, (bm, 1))
        mask = [registers(block, "maskf", memref_of(each).element_type, self._mask_tile()) for each in others]

        rows = times(i, bm)
        copy(block, _rows(q, times(b), times(h), rows, bm, self.inner), Tile.full(staged_q))
        block.add_op(BarrierOp())
        copy(block, Tile.full(staged_q), Tile.full(queries))
        block.add_ops([FillOp(_full(total), 0.0), FillOp(_full(norm), 0.0)])
        lowest = added(block, g.ConstantOp(np.full((bm, 1), -inf, np.float32)))
        block.add_op(WriteOp(lowest, _full(greatest)))

        iteration, t = loop(block, "t", ceil(self.keys / bn))
        shared_by: Index = (lambda found: found.number(h) // self.sharing) if self.sharing > 1 else times(h)
        for source, target, extent in ((k, keys, self.inner), (v, values, self.outer)):
            box = _rows(source, times(b), shared_by, times(t, bn), bn, extent)
            copy(iteration, box, Tile.full(target), schedule.asynchronous)
        iteration.add_ops([CommitOp(), WaitOp(0)] if schedule.asynchronous else [])
        iteration.add_ops([BarrierOp(), FillOp(_full(scores), 0.0)])
        inner, d = loop(iteration, "d", ceil(self.inner / self.chunk))
        copy(inner, Tile(keys, (constant(0), times(d, self.chunk)), (bn, self.chunk)), Tile.full(key_part))
        _mma(inner, Tile(queries, (constant(0), times(d, self.chunk)), (bm, self.chunk)), key_part, scores, across=True)
        for memory, buffer in zip(others, mask, strict=True):
            self._copy_mask(iteration, memory, buffer, variables, t)
        self._softmax(iteration, variables, t, scores, weights, total, greatest, norm, mask)
        inner, d = loop(iteration, "d", ceil(bn / self.chunk))
        copy(inner, Tile(values, (times(d, self.chunk), constant(0)), (self.chunk, self.outer)), Tile.full(value_part))
        _mma(inner, Tile(weights, (constant(0), times(d, self.chunk)), (bm, self.chunk)), value_part, total)
        iteration.add_op(BarrierOp())

        sums, divisor = _read(block, total), _read(block, norm)
        if self._masked:
            divisor = added(block, g.SelectOp(self._is(block, divisor, 0.0), _number(block, 1.0), divisor))
        block.add_op(WriteOp(added(block, g.DivOp(sums, divisor)), _full(total)))
        copy(block, Tile.full(total), _rows(y, times(b), times(h), rows, bm, self.outer))

    @property
    def _masked(self) -> bool:
        """True if some query may have no visible key, and gets zeros."""
        return self.op.hides and self.op.unseen.data == "zeros"

    def _mask_at(self) -> tuple[AffineExpr, ...]:
        """Return the subscripts of the mask, over batch, head, row and column."""
        assert self.op.mask is not None
        shape = (self.batch, self.heads, self.queries, self.keys)
        return along(g.shape_of(self.op.mask), shape, (BATCH, HEAD, ROW, COLUMN))

    def _mask_tile(self) -> tuple[int, int]:
        at = self._mask_at()
        return (self.bm if ROW in at else 1), (self.bn if COLUMN in at else 1)

    def _copy_mask(
        self, block: Block, memory: SSAValue, buffer: SSAValue, variables: list[SSAValue], t: SSAValue
    ) -> None:
        b, h, i = variables
        where: dict[AffineExpr, tuple[Index, int]] = {
            BATCH: (times(b), 0),
            HEAD: (times(h), 0),
            ROW: (times(i, self.bm), self.bm),
            COLUMN: (times(t, self.bn), self.bn),
        }
        found = [where.get(each, (constant(0), 0)) for each in self._mask_at()]
        rows, columns = (size if size > 1 else 0 for size in self._mask_tile())
        source = Tile(memory, tuple(index for index, _ in found), tuple(size for _, size in found))
        copy(block, source, Tile(buffer, (constant(0), constant(0)), (rows, columns)))

    def _softmax(
        self,
        block: Block,
        variables: list[SSAValue],
        t: SSAValue,
        scores: SSAValue,
        weights: SSAValue,
        total: SSAValue,
        greatest: SSAValue,
        norm: SSAValue,
        mask: list[SSAValue],
    ) -> None:
        """Add the softmax of one tile of scores: compute weights relative to the greatest score so far, and update the
        sums.
        """
        op = self.op
        scale = op.scale.value.data or 1 / sqrt(max(self.depth, 1))
        value = added(block, g.MulOp(_read(block, scores), _number(block, scale)))
        if (cap := op.softcap.value.data) > 0:
            value = added(block, g.DivOp(value, _number(block, cap)))
            value = added(block, g.MulOp(added(block, g.TanhOp(value)), _number(block, cap)))
        for buffer in mask:
            each = _read(block, buffer)
            if g.tensor_of(each).element_type == I1:
                value = added(block, g.SelectOp(each, value, _number(block, -inf)))
            else:
                value = added(block, g.AddOp(value, cast_to(block, each, F32)))
        for seen in self._seen(block, variables, t):
            value = added(block, g.SelectOp(seen, value, _number(block, -inf)))
        before = _read(block, greatest)
        here = added(block, g.ReduceOp(value, kind="max", axes=(1,), keep_dims=True))
        now = added(block, g.MaxOp(before, here))
        block.add_op(WriteOp(now, _full(greatest)))
        if self.op.hides:  # a row without a visible key so far has no greatest score to subtract
            now = added(block, g.SelectOp(self._is(block, now, -inf), _number(block, 0.0), now))
        value = added(block, g.ExpOp(added(block, g.SubOp(value, now))))
        block.add_op(WriteOp(value, _full(weights)))
        factor = added(block, g.ExpOp(added(block, g.SubOp(before, now))))
        added_up = added(block, g.ReduceOp(value, kind="sum", axes=(1,), keep_dims=True))
        scaled = added(block, g.MulOp(_read(block, norm), factor))
        block.add_op(WriteOp(added(block, g.AddOp(scaled, added_up)), _full(norm)))
        block.add_op(WriteOp(added(block, g.MulOp(_read(block, total), factor)), _full(total)))

    def _seen(self, block: Block, variables: list[SSAValue], t: SSAValue) -> list[SSAValue]:
        """Return the conditions under which a query sees a key: the key exists, and neither the causal mask nor the
        window hides it.
        """
        found: list[SSAValue] = []
        causal, window = bool(self.op.causal.value.data), self.op.window.value.data
        if not causal and not window and self.keys % self.bn == 0:
            return found
        column = _iota(block, times(t, self.bn), (1, self.bn))
        if self.keys % self.bn:
            found.append(added(block, g.CompareOp(column, _integer(block, self.keys), kind="lt")))
        rows = times(variables[2], self.bm)
        for wanted, ahead, kind in ((causal, 0, "le"), (window > 0, -window, "gt")):
            if wanted:
                ahead += self.keys - self.queries
                row = _iota(block, lambda each, ahead=ahead: rows(each) + ahead, (self.bm, 1))
                found.append(added(block, g.CompareOp(column, row, kind=kind)))
        return found

    def _is(self, block: Block, value: SSAValue, number: float) -> SSAValue:
        return added(block, g.CompareOp(value, _number(block, number), kind="eq"))


def _rows(memory: SSAValue, batch: Index, head: Index, rows: Index, count: int, width: int) -> Tile:
    """Return the tile that consists of `count` rows, of `width` elements each, of one head."""
    return Tile(memory, (batch, head, rows, constant(0)), (0, 0, count, width))


def _full(memory: SSAValue) -> Access:
    return Access(memory, Box.full(memref_of(memory).get_shape()))


def _read(block: Block, memory: SSAValue) -> SSAValue:
    op = ReadOp(_full(memory))
    block.add_op(op)
    return op.value


def _mma(block: Block, first: Tile, second: SSAValue, total: SSAValue, across: bool = False) -> None:
    variables = Variables()
    a = first.access(variables)
    block.add_op(MmaOp(a, _full(second), _full(total), variables.values, across))


def _iota(block: Block, start: Index, shape: tuple[int, int]) -> SSAValue:
    variables = Variables()
    op = IotaOp(start(variables), variables.values, TensorType(i32, shape))
    block.add_op(op)
    return op.value


def _number(block: Block, number: float) -> SSAValue:
    return added(block, g.ConstantOp(np.array(number, np.float32)))


def _integer(block: Block, number: int) -> SSAValue:
    return added(block, g.ConstantOp(np.array(number, np.int32)))
