"""Base class of the passes of pipelining: each is one rewrite pattern, applied once to some ops."""

from __future__ import annotations

from abc import abstractmethod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import RewritePattern

from lowering.graph.rewriting import apply_once
from lowering.tile.pipelining.pipelines import pipelines


class TilePass(ModulePass):
    """Common to the passes of pipelining: one rewrite pattern on some ops, by default on the pipelined loops."""

    def ops(self, module: ModuleOp) -> list[Operation]:
        """The ops to rewrite."""
        return [each.loop for each in pipelines(module)]

    @abstractmethod
    def pattern(self, module: ModuleOp) -> RewritePattern:
        """The pattern that rewrites them."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_once(self.ops(op), self.pattern(op))
