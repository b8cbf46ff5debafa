"""The pass `fuse`: what older exporters wrote out becomes one op, then what runs as one kernel becomes a group."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from dialects.graph.rules import patterns
from interp.program.entry import with_loops
from lowering.graph.grouping import fuse_group, groups_of
from lowering.graph.rewriting import apply_patterns
from lowering.graph.rules import activations, attention, bias, norms

PATTERNS = patterns(activations.RULES, norms.RULES, bias.RULES)
ATTENTION = patterns(attention.RULES)


@dataclass(frozen=True)
class FusePass(ModulePass):
    """Recognise norms, activations and biases that are written out, then group ops into kernels (`graph.fused`).

    `recognize`: patterns of older exporters become `layer_norm`, `rms_norm`, `gelu`, `silu`, `sigmoid`, `softmax`; a
    vector added to a `matmul` or `conv` becomes its bias. `attention`: softmax(q · kᵀ · scale + mask) · v becomes
    `attention`, which keeps its scores to itself; off by default, since its two products can't go to different devices.
    `group`: a contraction, reduction or norm takes in the element-wise ops that follow it and element-wise ops join
    into chains, where nothing else uses what lies between and all are marked for the same device, or none is. Each op
    of a kernel still rounds once. `residual`: a
    contraction's kernel may read further run-time values (a shortcut that is added); off, as TVM has it with cuDNN.

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
    recognize: bool = True
    attention: bool = False
    group: bool = True
    residual: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.recognize:
            wanted = (*PATTERNS, *(ATTENTION if self.attention else ()))
            apply_patterns(op, wanted, remove_dead=True, name=self.name)
        if self.group:
            for function in op.ops:
                if isinstance(function, FuncOp):
                    _group_function(function, self.residual)


def _group_function(function: FuncOp, residual: bool) -> None:
    for block in with_loops(function.body.blocks):
        for group in groups_of(block, residual):
            fuse_group(group)
