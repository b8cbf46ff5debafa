"""Bulk copies: a copy unit of the GPU carries out the whole copy of a box."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from dialects.tile import CopyOp
from dialects.tile.widths import bulk_problem
from lowering.tile.pipelining.steps import TilePass


@dataclass(frozen=True)
class CopyInBulkPass(TilePass):
    """Let one thread request the full box of an asynchronous copy, where the box allows it: rows of multiples of 16
    bytes, without gaps in shared memory. The field `bulk_copies` of a GPU's sheet is true for GPUs with this unit.

    Before: `tile.copy async %x[%k * 16 : 16] to %t`. After: `tile.copy async bulk %x[%k * 16 : 16] to %t`.
    """

    name = "copy-in-bulk"

    def ops(self, module: ModuleOp) -> list[Operation]:
        return [op for op in module.walk() if isinstance(op, CopyOp) and op.asynchronous is not None]

    def pattern(self, module: ModuleOp) -> RewritePattern:
        return _InBulk()


class _InBulk(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CopyOp, rewriter: PatternRewriter) -> None:
        if op.bulk is None and not bulk_problem(op):
            op.bulk = UnitAttr()
            rewriter.notify_op_modified(op)
