"""The pass `fuse`: replaces expanded patterns by single ops, then groups the ops that run as one kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from dialects.diagnostics import InputError, note
from dialects.graph import ATTENTIONS, FusedOp, MatmulOp
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
        products = _other_products(op) if self.recognize and self.attention else []
        self.form_groups(op)
        _report(products)

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


def report_attention(module: ModuleOp) -> None:
    """Notes that say how many attentions of a program `fuse{attention=true}` leaves as they are written, and why. The
    program is not changed."""
    copy, fuse = module.clone(), FusePass(attention=True)
    fuse.recognise(copy)
    if products := _other_products(copy):
        fuse.form_groups(copy)
        _report(products)


def _other_products(module: ModuleOp) -> list[tuple[FuncOp, MatmulOp, str]]:
    """The products of the weights of a softmax that did not become attention, each with its function and the reason."""
    found = list[tuple[FuncOp, MatmulOp, str]]()
    for function in (op for op in module.ops if isinstance(op, FuncOp)):
        for op in function.walk():
            reason = attention.found_at(op) if isinstance(op, MatmulOp) else ""
            if isinstance(op, MatmulOp) and isinstance(reason, str) and reason:
                found.append((function, op, reason))
    return found


def _report(products: list[tuple[FuncOp, MatmulOp, str]]) -> None:
    """A note for each function and reason. Products in a group that is an attention are left out."""
    counts = Counter[tuple[FuncOp, str]]()
    for function, op, reason in products:
        group = op.parent_op()
        if not (isinstance(group, FusedOp) and group.kind is not None and group.kind.data in ATTENTIONS):
            counts[function, reason] += 1
    for (function, reason), count in counts.items():
        what = f"{count} products of softmax weights are" if count > 1 else "1 product of softmax weights is"
        note(f"@{function.sym_name.data}: {what} no graph.attention: {reason}", function)


def _blocks(module: ModuleOp) -> list[Block]:
    """The blocks of all functions, including loop bodies."""
    functions = (op for op in module.ops if isinstance(op, FuncOp))
    return [block for function in functions for block in with_loops(function.body.blocks)]
