"""Base class of the pipelining passes: each applies one rewrite pattern once to some ops."""

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
    """Base class of passes that apply one rewrite pattern to some ops, by default to the pipelined loops."""

    def ops(self, module: ModuleOp) -> list[Operation]:
        """Return the ops to rewrite."""
        return [each.loop for each in pipelines(module)]

    @abstractmethod
    def pattern(self, module: ModuleOp) -> RewritePattern:
        """Return the pattern that rewrites the ops."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_once(self.ops(op), self.pattern(op))
