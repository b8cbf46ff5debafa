"""Coalescing of perfect nests of loops around a pipelined loop, so that the pipeline runs through all of their
iterations.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from dialects.tile import AccessingOp, ForOp, IotaOp, WhenOp, scope_of
from lowering.tile.pipelining.indices import simplify, substitute_all
from lowering.tile.pipelining.pipelines import pipelines
from lowering.tile.pipelining.steps import TilePass


def nest_of(loop: ForOp) -> list[ForOp]:
    """Return the loops of the perfect nest whose innermost loop is `loop`, outermost first: each but the innermost
    contains only the next loop."""
    found = [loop]
    while isinstance(around := found[0].parent_op(), ForOp) and len(around.body.block.ops) == 1:
        if not all(isinstance(use.operation, AccessingOp | IotaOp | WhenOp) for use in around.variable.uses):
            break
        found.insert(0, around)
    return found


@dataclass(frozen=True)
class CoalesceNestsPass(TilePass):
    """Merge a perfect nest into one loop if its innermost loop fills shared memory for later iterations. The first
    copies are then before the whole nest, and the pipeline does not drain at the end of an inner loop (for example the
    loops over rows, columns and channels of a convolution's window). Loops over fragments are not merged.

    Before:
    ```mlir
    tile.kernel @copy on @gpu (%x: memref<6x16x64xf16>) -> (%y: memref<6x16x64xf16>) {
      tile.blocks %i = 0 to 1 warps 4, 1 {
        %t = tile.buffer shared stages 2 : memref<16x64xf16>
        tile.for %r = 0 to 3 {
          tile.for %s = 0 to 2 {
            tile.copy async %x[%r * 2 + %s] to %t
            tile.commit
            tile.wait 0
            tile.barrier
            tile.copy %t to %y[%r * 2 + %s]
            tile.barrier
          }
        }
      }
    }
    ```
    After:
    ```mlir
    tile.kernel @copy on @gpu (%x: memref<6x16x64xf16>) -> (%y: memref<6x16x64xf16>) {
      tile.blocks %i = 0 to 1 warps 4, 1 {
        %t = tile.buffer shared stages 2 : memref<16x64xf16>
        tile.for %rs = 0 to 6 {
          tile.copy async %x[(%rs floordiv 2) * 2 + %rs mod 2] to %t
          tile.commit
          tile.wait 0
          tile.barrier
          tile.copy %t to %y[(%rs floordiv 2) * 2 + %rs mod 2]
          tile.barrier
        }
      }
    }
    ```
    """

    name = "coalesce-nests"

    def ops(self, module: ModuleOp) -> list[Operation]:
        found = (each.loop for each in pipelines(module) if scope_of(each.copies[0].target.memory) == "shared")
        return [loop for loop in found if len(nest_of(loop)) > 1]

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _Coalesce()


class _Coalesce(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        nest = nest_of(op)
        block = op.body.block
        iterations = [len(each.values) for each in nest]
        block.args[0].name_hint = "".join(each.variable.name_hint or "" for each in nest) or None
        iteration, number = AffineExpr.dimension(0), block.args[0]
        # Replace the innermost variable first: the new variable is its block argument; the other variables'
        # replacements also use it.
        for at in reversed(range(len(nest))):
            within = iteration // prod(iterations[at + 1 :]) if at < len(nest) - 1 else iteration
            value = (within if at == 0 else within % iterations[at]) + nest[at].values.start
            substitute_all(op, nest[at].variable, value, [number])
        op.body.detach_block(block)
        coalesced = ForOp(range(prod(iterations)), Region(block))
        rewriter.insert(coalesced, InsertPoint.before(nest[0]))
        rewriter.erase(nest[0])
        simplify(coalesced)
