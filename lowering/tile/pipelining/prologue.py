"""Prologues of pipelined loops: copies for the first iterations."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from dialects.programs.index import INDEX
from dialects.tile import BarrierOp, CommitOp, ForOp, WaitOp, scope_of
from lowering.tile.pipelining.indices import simplify, substitute
from lowering.tile.pipelining.pipelines import Pipeline, group_of, pipelines
from lowering.tile.pipelining.steps import TilePass


@dataclass(frozen=True)
class CopyFirstStagesPass(TilePass):
    """Copy the data of the first S - 1 iterations (of S stages) before a pipelined loop, one group for each iteration.
    First fragments are copied directly before their loop. In a fused pipeline, whose fragments continue across
    iterations of the outer loop, they are copied once, before the outer loop, after a wait for the first tiles in
    shared memory.

    After, with three stages of shared memory, and two of fragments:
    ```mlir
    tile.for %p = 0 to 2 {
      tile.copy async %x[%p * 16 : 16] to %t[%p]
      tile.commit
    }
    tile.wait 1
    tile.barrier
    tile.for %p = 0 to 1 {
      tile.copy %t[0, %p * 16 : 16] to %f[%p]
    }
    ```
    """

    name = "copy-first-stages"

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Prologue(pipelines(module))


class _Prologue(RewritePattern):
    def __init__(self, found: list[Pipeline]) -> None:
        self.found = {each.loop: each for each in found}
        self.fused: dict[ForOp, list[Pipeline]] = {}
        for each in found:
            if each.outer is not None:
                self.fused.setdefault(each.outer.loop, []).append(each)

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        pipeline, place = self.found[op], InsertPoint.before(op)
        if pipeline.outer is not None:
            return  # its prologue is before the outer loop
        shared = scope_of(pipeline.copies[0].target.memory) == "shared"
        ops = list[Operation]([_first(pipeline, shared)])
        if inner := self.fused.get(op, []):
            groups = [group_of(pipeline, each.copies[0].source.memory) for each in inner]
            ops += [WaitOp(pipeline.ahead * len(pipeline.groups) - max(groups) - 1), BarrierOp()]
            ops += [_first(each, False) for each in inner]
        rewriter.insert(ops, place)
        for each in ops:
            simplify(each)


def _first(pipeline: Pipeline, committed: bool) -> ForOp:
    """Return the loop that copies the data of the first iterations."""
    body = Block(arg_types=[INDEX])
    body.args[0].name_hint = "p"
    # Iteration k copies the data of iteration k + ahead, so data of iteration p would be copied in iteration p - ahead.
    iteration = AffineExpr.dimension(0) + (pipeline.loop.values.start - pipeline.ahead)
    for group in pipeline.groups:
        for copy in group:
            first = copy.clone()
            for number in (0, 1):
                substitute(first, number, pipeline.loop.variable, iteration, [body.args[0]])
                if pipeline.outer is not None:
                    begin = AffineExpr.constant(pipeline.outer.loop.values.start)
                    substitute(first, number, pipeline.outer.loop.variable, begin, [])
            body.add_op(first)
        body.add_ops([CommitOp()] if committed else [])
    return ForOp(range(pipeline.ahead), Region(body))
