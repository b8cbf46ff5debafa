"""The pass `canonicalize`: removes redundant ops, and rewrites a program into one standard form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dialects.graph.patterns import CANONICAL
from dialects.graph.rules import patterns
from lowering.graph.folding import Folding
from lowering.graph.merging import merge_equal_ops
from lowering.graph.rewriting import apply_patterns

ROUNDS = 4
"""Rounds of `canonicalize` in which rules and merging alternate; merging rarely enables further rules."""


@dataclass(frozen=True)
class CanonicalizePass(ModulePass):
    """Folds constants, removes ops without effect, merges equal ops, and removes unused ones.

    `fold`: evaluate ops whose operands are all small constants; `cse`: merge equal ops of a block; `dce`: remove unused
    ops. Patterns for single ops (`dialects/graph/patterns/`) always apply. Functions keep their signatures, and ops
    with side effects are kept.

    ```mlir
    %c = graph.constant 1.0 : tensor<f32>
    %d = graph.add %c, %c : tensor<f32>
    %0 = graph.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
    %1 = graph.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
    %2 = graph.mul %1, %c : tensor<24xf32>, tensor<f32>
    %3 = graph.add %2, %d : tensor<24xf32>, tensor<f32>
    ```
    becomes
    ```mlir
    %d = graph.constant 2.0 : tensor<f32>
    %1 = graph.reshape %x : tensor<2x3x4xf32> -> tensor<24xf32>
    %3 = graph.add %1, %d : tensor<24xf32>, tensor<f32>
    ```
    """

    name = "canonicalize"
    READS_MACHINE: ClassVar[bool] = False
    fold: bool = True
    cse: bool = True
    dce: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rules = (*patterns(Folding().rules(op) if self.fold else ()), *CANONICAL)
        for _ in range(ROUNDS):
            apply_patterns(op, rules, remove_dead=self.dce, name=self.name)
            if not self.cse or not merge_equal_ops(op):
                break
