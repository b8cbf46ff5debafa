"""Plugin with an op, a pass, a rewrite pattern, a pipeline, a placement policy and sheets; see README.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, TensorType, f64
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import Rewriter
from xdsl.traits import Pure
from xdsl.universe import Universe

from dialects.annotations import INTEGER, Annotation, Annotations
from dialects.element_types import dtype_of
from dialects.graph import ConstantOp, FusedOp, GraphOp, MulOp, tensor_of
from dialects.locations import located
from lowering.instance.choice import Choice, Placement
from lowering.instance.of_program import PlacementProblem


@irdl_op_definition
class ScaleOp(IRDLOperation):
    """Multiplies a tensor by a number.

    ```mlir
    %y = mine.scale %x by 0.5 : tensor<4xf32>
    ```
    """

    T: ClassVar = VarConstraint("T", base(TensorType))

    name = "mine.scale"
    x = operand_def(T)
    factor = prop_def(FloatAttr.constr(f64))
    y = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$x `by` $factor attr-dict `:` type($x)"


@dataclass(frozen=True)
class LowerMinePass(ModulePass):
    """Replace mine.scale by graph ops.

    Before: `%y = mine.scale %x by 0.5 : tensor<4xf32>`
    After: `%c = graph.constant 0.5 : tensor<f32>` and `%y = graph.mul %x, %c : tensor<4xf32>, tensor<f32>`
    """

    name = "lower-mine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for scale in [each for each in op.walk() if isinstance(each, ScaleOp)]:
            number = np.array(scale.factor.value.data, dtype_of(tensor_of(scale.x).element_type))
            factor = located(ConstantOp(number), scale)
            Rewriter.replace_op(scale, [factor, located(MulOp(scale.x, factor.y), scale)])


class ScaleByOne(RewritePattern):
    """A rewrite pattern that replaces `mine.scale %x by 1.0` by `%x`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScaleOp, rewriter: PatternRewriter) -> None:
        if op.factor.value.data == 1.0:
            rewriter.replace(op, (), [op.x])


LEAST = Annotation(
    "mine.least",
    "the arithmetic intensity below which the policy `intensity` moves the op to another device, 8 without it",
    "graph ops and groups",
    (GraphOp, FusedOp),
    kinds=(INTEGER,),
    example="16",
)
"""An annotation of ops that a program may state: `{mine.least = 16}`. A misspelt name is an error."""


def intensity(problem: PlacementProblem) -> Placement:
    """Place ops by arithmetic intensity.

    An op with fewer than 8 flops per byte (or the number that its annotation `mine.least` states) is memory-bound on
    the primary device. It is therefore placed on the first of the remaining devices that supports it.
    """
    placement: list[Choice] = []
    for node in problem.nodes:
        work = node.graph_op.work()
        others = [choice for choice in node.choices if choice.device != problem.primary]
        stated = [each.attributes.get(LEAST.name) for each in node.op.walk()]  # ops of a group, too
        least = next((each.value.data for each in stated if isinstance(each, IntegerAttr)), 8)
        placement.append(others[0] if others and work.flops < least * work.bytes else node.choices[0])
    return placement


UNIVERSE = Universe(
    all_dialects={"mine": lambda: Dialect("mine", [ScaleOp], [], [Annotations(LEAST)])},
    all_passes={"lower-mine": lambda: LowerMinePass},
)
PIPELINES = {
    "mine": (
        ("lower-mine", "replace our op by ops of the level graph"),
        ("canonicalize", "fold constants"),
        ("fuse", "group into kernels"),
        ("place{policy=intensity}", "place ops by our policy"),
        ("to-pim", "lower ops on a PIM to bank commands"),
    ),
}
POLICIES = {"intensity": intensity}
PATTERNS = {"canonicalize": [ScaleByOne()]}
SHEETS = "sheets"
