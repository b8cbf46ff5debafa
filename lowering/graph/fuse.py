"""The pass `fuse`: replaces expanded patterns by single ops, then groups the ops that run as one kernel."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from dialects.diagnostics import InputError
from dialects.graph.rules import patterns
from dialects.text.suggestions import hint
from interp.walk.entry import with_loops
from lowering.graph.grouping import fuse_group, groups_of
from lowering.graph.kinds import KINDS, known_groups, name
from lowering.graph.multi_output import joined
from lowering.graph.rewriting import apply_patterns
from lowering.graph.rules import activations, attention, bias, gradients, norms, statistics
from lowering.graph.saved_weights import recompute_saved_weights

RULES = {**activations.RULES, **norms.RULES, **bias.RULES, **statistics.RULES, **gradients.RULES, **attention.RULES}
"""Rewrite rules that recognise patterns, each by the word for its pattern."""


@dataclass(frozen=True)
class FusePass(ModulePass):
    """Recognises norms, activations and biases that are expanded into several ops, then groups ops into kernels
    (`graph.fused`).

    `recognize`: patterns of older exporters become `layer_norm`, `rms_norm`, `gelu`, `silu`, `sigmoid`, `softmax`; a
    vector added to a `matmul` or `conv` becomes its bias. `attention`: softmax(q · kᵀ · scale + mask) · v becomes
    `attention`, whose scores stay inside the op. In training, attention and its gradients become one kernel each
    (lowering/graph/attention.py). Off by default, since the products of an `attention` can't be placed on different
    devices. `group`: a contraction, reduction or norm absorbs the element-wise ops that follow it, and element-wise ops
    join into chains, if intermediate values have no other uses and all ops are marked for the same device (or none is
    marked). Each op of a kernel still rounds once. `residual`: a contraction's kernel may read further run-time values
    (a shortcut that is added); switch it off for kernels as in TVM with cuDNN. `join`: kernels over the same elements
    or rows become one kernel with several results, whose purpose is named by a word: `adam`, `layer_norm_grad`,
    `threefry` (the rules are in lowering/graph/multi_output.py, the words in lowering/graph/kinds.py). `without`: words
    of patterns that are not recognised (`fuse{without=adam,softmax_grad}`).

    ```mlir
    %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
    %1 = graph.add %0, %b : tensor<4x8xf32>, tensor<8xf32>
    %2 = graph.sigmoid %1 : tensor<4x8xf32>
    %3 = graph.mul %1, %2 : tensor<4x8xf32>
    %4 = graph.add %3, %x : tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %0 = graph.fused (%a = %x, %c = %w, %d = %b) {
      %1 = graph.matmul %a, %c, %d : tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>
      %2 = graph.silu %1 : tensor<4x8xf32>
      %3 = graph.add %2, %a : tensor<4x8xf32>
      graph.yield %3
    }
    ```
    """

    name = "fuse"
    READS_MACHINE: ClassVar[bool] = False
    recognize: bool = True
    attention: bool = False
    group: bool = True
    residual: bool = True
    join: bool = True
    without: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for word in self.without:
            if word not in RULES and word not in KINDS:
                raise InputError(
                    f"fuse: option `without` names the unknown pattern `{word}`{hint(word, (*RULES, *KINDS))}", op
                )
        self.recognise(op)
        self.form_groups(op)

    @property
    def _without(self) -> set[str]:
        """The words of patterns that are not recognised."""
        return {*self.without, *(() if self.attention else ("attention",))}

    def recognise(self, module: ModuleOp) -> None:
        """Replace the patterns of a program by single ops."""
        if self.recognize:
            wanted = patterns(*(rows for word, rows in RULES.items() if word not in self._without))
            apply_patterns(module, wanted, remove_dead=True, name=self.name)
        if self.recognize and self.join and self.group and self.attention:
            recompute_saved_weights(module, _blocks(module))

    def form_groups(self, module: ModuleOp) -> None:
        """Group the ops of a program into kernels."""
        if self.group:
            for block in _blocks(module):
                self.group_block(block, self._without)

    def group_block(self, block: Block, without: Collection[str] = ()) -> None:
        """Group the ops of a block into kernels, without recognising the words in `without`."""
        named = self.recognize and self.join
        groups = groups_of(block, self.residual, known_groups(block, without) if named else ())
        if self.join:
            groups = joined(block, groups)
        if named:
            name(groups, without)
        for group in groups:
            fuse_group(group)


def _blocks(module: ModuleOp) -> list[Block]:
    """The blocks of all functions, including loop bodies."""
    functions = (op for op in module.ops if isinstance(op, FuncOp))
    return [block for function in functions for block in with_loops(function.body.blocks)]
