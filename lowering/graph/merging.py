"""Common subexpression elimination: of equal graph ops on equal operands in a block, only the first is kept."""

from __future__ import annotations

from collections.abc import Hashable

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from dialects.graph import GraphOp, is_overwritten
from dialects.graph.constant import ConstantOp, WeightOp
from dialects.locations import located
from lowering.graph.rewriting import apply_once


def merge_equal_ops(module: ModuleOp) -> int:
    """Replace equal graph ops of a block by the first of them, which gets the source locations of all of them. Returns
    the number of removed ops."""
    pattern = MergeEqual()
    count = apply_once([op for block in module.walk_blocks() for op in block.ops if isinstance(op, GraphOp)], pattern)
    for first, others in pattern.merged.items():
        if not isinstance(first, ConstantOp | WeightOp):
            located(first, first, *others)
    return count


class MergeEqual(RewritePattern):
    """Keeps only the first of equal ops on equal operands in a block, in program order."""

    def __init__(self) -> None:
        self.seen: dict[Hashable, Operation] = {}
        self.merged: dict[Operation, list[Operation]] = {}

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GraphOp, rewriter: PatternRewriter) -> None:
        if is_overwritten(op):
            return  # its memory must not be shared: it is overwritten
        first = self.seen.setdefault((op.parent, _identity(op)), op)
        if first is not op:
            self.merged.setdefault(first, []).append(op)
            rewriter.replace(op, (), first.results)


def _identity(op: GraphOp) -> Hashable:
    """A key that is equal for ops that compute the same result."""
    types = tuple(op.result_types) if op.EXPLICIT_RESULT else ()
    return type(op), tuple(op.operands), frozenset(op.properties.items()), frozenset(op.attributes.items()), types
