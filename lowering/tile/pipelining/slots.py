"""Slots of pipelined buffers: one for each stage; each iteration reads one slot and fills another."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType, ModuleOp, UnitAttr
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from dialects.tile import Box, BufferOp, ForOp, memref_of
from lowering.tile.pipelining.indices import accesses_of, set_slot, substitute, wrap_slot
from lowering.tile.pipelining.pipelines import Pipeline, pipelines
from lowering.tile.pipelining.steps import TilePass


@dataclass(frozen=True)
class EnlargeBuffersPass(TilePass):
    """Give each pipelined buffer a slot for each stage, as a new first axis (`rotating`); all accesses still use the
    first slot.

    Before: `%t = tile.buffer shared stages 3 : memref<16x64xf16>`, read as `%t`. After: `%t = tile.buffer shared stages
    3 rotating : memref<3x16x64xf16>`, read as `%t[0]`.
    """

    name = "enlarge-buffers"

    def ops(self, module: ModuleOp) -> list[Operation]:
        found = [copy.target.memory.owner for each in pipelines(module) for copy in each.copies]
        return [op for op in dict.fromkeys(found) if isinstance(op, BufferOp)]

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Enlarge()


class _Enlarge(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BufferOp, rewriter: PatternRewriter) -> None:
        type_ = memref_of(op.memory)
        larger = BufferOp(op.scope.data, MemRefType(type_.element_type, (op.requested_stages, *type_.get_shape())))
        larger.attributes, larger.properties = dict(op.attributes), dict(op.properties)
        larger.rotating = UnitAttr()
        larger.memory.name_hint = op.memory.name_hint
        users = accesses_of(op.memory)
        rewriter.insert(larger, InsertPoint.before(op))
        for user, number in users:
            box = user.accesses[number].box
            slot = Box((AffineExpr.constant(0), *box.starts), (0, *box.sizes))
            user.retarget(number, larger.memory, slot, user.indices)
            rewriter.notify_op_modified(user)
        rewriter.erase(op)


@dataclass(frozen=True)
class ShiftCopiesPass(TilePass):
    """Let iteration k of a loop with S stages read slot k, and copy the data of iteration k + S - 1 to slot k + S - 1.
    In fused pipelines, whose fragments continue across iterations of the outer loop, k counts the iterations of the
    inner loop over all iterations of the outer loop.

    Slots and tiles then exceed their ranges; ops are marked for this (`unwrapped`), and `wrap-indices` corrects it.
    Before: `tile.copy async %x[%k * 16 : 16] to %t[0]`. After, with three stages: `tile.copy async %x[%k * 16 + 32 :
    16] to %t[%k + 2] {unwrapped}`.
    """

    name = "shift-copies"

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Shift({each.loop: each for each in pipelines(module)})


@dataclass
class _Shift(RewritePattern):
    found: dict[ForOp, Pipeline]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        pipeline = self.found[op]
        iteration, values = pipeline.iteration
        for copy in pipeline.copies:
            for user, number in accesses_of(copy.target.memory):
                set_slot(user, number, iteration + pipeline.ahead if user is copy else iteration, values)
                user.unwrapped = UnitAttr()
                rewriter.notify_op_modified(user)
            substitute(copy, 0, op.variable, AffineExpr.dimension(0) + pipeline.ahead, [op.variable])


@dataclass(frozen=True)
class WrapIndicesPass(TilePass):
    """Wrap the slots of pipelined buffers, and the iterations whose data is copied. In a loop of E iterations with S
    stages, the last S - 1 iterations then copy the tiles of the first iterations again, and nothing reads these
    copies; this increases the traffic by a fraction of (S - 1) / E.

    In fused pipelines, the last iterations copy fragments from the slot of shared memory that the next iteration of the
    outer loop reads.

    Before: `tile.copy async %x[%k * 16 + 32 : 16] to %t[%k + 2] {unwrapped}`. After, with three stages and four
    iterations: `tile.copy async %x[((%k + 2) mod 4) * 16 : 16] to %t[(%k + 2) mod 3]`. With fragments in two stages of
    two iterations: `tile.copy %t[(%k + (%s + 1) floordiv 2) mod 3, ((%s + 1) mod 2) * 16 : 16] to %f[(%s + 1) mod 2]`.
    """

    name = "wrap-indices"

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Wrap({each.loop: each for each in pipelines(module)})


@dataclass
class _Wrap(RewritePattern):
    found: dict[ForOp, Pipeline]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        pipeline = self.found[op]
        start, ahead = op.values.start, pipeline.ahead
        later = AffineExpr.dimension(0) + (ahead - start)
        for copy in pipeline.copies:
            for user, number in accesses_of(copy.target.memory):
                wrap_slot(user, number, pipeline.stages)
                user.unwrapped = None
                rewriter.notify_op_modified(user)
            # The copy's index already is k + ahead.
            substitute(copy, 0, op.variable, later % pipeline.iterations + (start - ahead), [op.variable])
            if (outer := pipeline.outer) is not None:
                around = AffineExpr.dimension(1) + later // pipeline.iterations
                substitute(copy, 0, outer.loop.variable, around, [op.variable, outer.loop.variable])
