"""The pass `number-values`: value numbering of near-data programs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from dialects.graph import GraphOp
from dialects.ndp import AllocOp, LoadOp, ProgramOp, StoreOp
from interp.kinds.ndp.phases import computation_key
from lowering.graph.rewriting import apply_once
from lowering.ndp.dead import sweep


@dataclass(frozen=True)
class NumberValuesPass(ModulePass):
    """Merges equal loads and equal ops in each phase of a near-data program, and replaces loads by values that the
    phase has already computed and stored.

    Before:
    ```mlir
    ndp.program @square on @ndp (%a: memref<64xf32>) -> (%r: memref<64xf32>) {
      ndp.filter %a
      %x = ndp.load %a
      %y = ndp.load %a
      %s = graph.mul %x, %y : tensor<64xf32>
      ndp.store %s to %r
      ndp.join
    }
    ```
    After:
    ```mlir
    ndp.program @square on @ndp (%a: memref<64xf32>) -> (%r: memref<64xf32>) {
      ndp.filter %a
      %x = ndp.load %a
      %s = graph.mul %x, %x : tensor<64xf32>
      ndp.store %s to %r
      ndp.join
    }
    ```
    """

    name = "number-values"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_once([each for each in op.body.block.ops if isinstance(each, ProgramOp)], NumberValues())


class NumberValues(RewritePattern):
    """Replaces, in each phase, equal loads by the first of them, equal ops on equal operands by the first of them, and
    a load after a store to the same memory by the stored value. Each memory is stored to only once, so that all its
    loads are equal. If a value is stored to several memories, later phases load it from only one of them, and stores
    of the value to other scratch memories are erased."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ProgramOp)
        for phase in op.phases:
            first: dict[Hashable, SSAValue] = {}
            for inner in phase:
                if isinstance(inner, StoreOp):
                    first[_loading(inner.memory)] = inner.value
                if not isinstance(inner, GraphOp | LoadOp):
                    continue
                key = (
                    _loading(inner.memory)
                    if isinstance(inner, LoadOp)
                    else computation_key(inner, tuple(inner.operands))
                )
                value = first.setdefault(key, inner.results[0])
                if value is not inner.results[0]:
                    rewriter.replace(inner, [], [value])
            _load_once(phase, rewriter)
        sweep(op, rewriter, stores=False)


def _loading(memory: SSAValue) -> Hashable:
    return LoadOp, memory


def _load_once(phase: Sequence[Operation], rewriter: PatternRewriter) -> None:
    """If a phase stores a value to several memories, let later phases load the value from only one of them: an output
    if it is stored to one, otherwise the first memory."""
    first = dict[SSAValue, SSAValue]()
    stores = [op for op in phase if isinstance(op, StoreOp)]
    for store in sorted(stores, key=lambda op: isinstance(op.memory.owner, AllocOp)):
        memory = first.setdefault(store.value, store.memory)
        loads = [use.operation for use in store.memory.uses if isinstance(use.operation, LoadOp)]
        if memory is store.memory or not loads or not set(loads).isdisjoint(phase):
            continue
        for load in loads:
            load.operands = [memory]
            rewriter.notify_op_modified(load)
        if isinstance(store.memory.owner, AllocOp):
            rewriter.erase(store)
