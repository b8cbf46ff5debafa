"""The pass `forward-stores`: removes redundant loads and stores of near-data programs."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from dialects.ndp import LoadOp, ProgramOp, StoreOp
from lowering.graph.rewriting import apply_once
from lowering.ndp.dead import sweep


@dataclass(frozen=True)
class ForwardStoresPass(ModulePass):
    """Replaces loads of a near-data program by the values stored to the same memory in the same phase, and removes
    stores to scratch memory that is then never loaded.

    Before:
    ```mlir
    ndp.program @neg_exp on @ndp (%b: memref<64xf32>) -> (%r: memref<64xf32>) {
      ndp.filter %b
      %1 = ndp.load %b
      %2 = graph.neg %1 : tensor<64xf32>
      %3 = ndp.alloc : memref<64xf32>
      ndp.store %2 to %3
      %4 = ndp.load %3
      %5 = graph.exp %4 : tensor<64xf32>
      ndp.store %5 to %r
      ndp.join
    }
    ```
    After:
    ```mlir
    ndp.program @neg_exp on @ndp (%b: memref<64xf32>) -> (%r: memref<64xf32>) {
      ndp.filter %b
      %1 = ndp.load %b
      %2 = graph.neg %1 : tensor<64xf32>
      %3 = graph.exp %2 : tensor<64xf32>
      ndp.store %3 to %r
      ndp.join
    }
    ```
    """

    name = "forward-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_once([each for each in op.body.block.ops if isinstance(each, ProgramOp)], ForwardStores())


class ForwardStores(RewritePattern):
    """Replaces a load by the value that was stored to the same memory earlier in the same phase."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ProgramOp)
        for phase in op.phases:
            stored: dict[SSAValue, SSAValue] = {}
            for inner in phase:
                if isinstance(inner, StoreOp):
                    stored[inner.memory] = inner.value
                elif isinstance(inner, LoadOp) and (value := stored.get(inner.memory)) is not None:
                    rewriter.replace(inner, [], [value])
        sweep(op, rewriter)
