"""Plugin with two tensor ops that all of ndpir treats like the ops of dialect `graph`; see README.md.

Each op is a class that declares its shape rule, its work, the operands of its shards and its fusion, and has a
definition in numpy. All passes, the clock, `--check`, other sizes and the search for plans use only these. One more
function gives the op's time on GPUs; without it, the op is timed as one pass over its elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, operand_def, result_def
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from dialects.graph.boxes import Box, PartOperands
from dialects.graph.op import TENSOR, GraphOp, Tensor, tensor_of
from dialects.graph.properties import int_prop
from dialects.graph.roles import FusionRole
from dialects.graph.unary import UnaryOp
from dialects.work import Work
from interp.kinds.gpu.kernels import Description, launches
from interp.numerics.meaning import elementwise, meaning
from interp.numerics.rounding import Array, rounded, widened


@irdl_op_definition
class HardSwishOp(UnaryOp):
    """x * clip(x / 6 + 1/2, 0, 1) (Howard et al., 2019): an element-wise op, which can be sharded and fused like other
    element-wise ops.

    ```mlir
    %y = mobile.hard_swish %x : tensor<2x3xf32>
    ```
    """

    name = "mobile.hard_swish"
    FLOPS_EACH: ClassVar = 5


@elementwise(HardSwishOp)
def hard_swish(op: HardSwishOp, xs: Sequence[Array], out: Array | None) -> Array:
    return xs[0] * np.clip(xs[0] / 6 + 0.5, 0, 1)


@irdl_op_definition
class LogSoftmaxOp(GraphOp):
    """x - max - log(sum of exp(x - max)) along one axis.

    ```mlir
    %y = mobile.log_softmax %x axis = 1 : tensor<2x3xf32>
    ```
    """

    name = "mobile.log_softmax"
    FUSION: ClassVar = FusionRole.REDUCTION
    x = operand_def(TENSOR)
    axis = int_prop(-1)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        rank = tensor_of(self.x).get_num_dims()
        if not -rank <= self.axis.value.data < rank:
            raise VerifyException(f"{self.name}: a tensor of rank {rank} has no axis {self.axis.value.data}")
        return (tensor_of(self.x),)

    def work(self) -> Work:
        return self.work_of(4)

    def part(self, box: Box) -> PartOperands | None:
        return self.part_by_broadcast(box, [self.axis.value.data % len(box)])


@meaning.of(LogSoftmaxOp)
def log_softmax(op: LogSoftmaxOp, x: Array) -> Array:
    wide, axis = widened(x), op.axis.value.data
    below = wide - wide.max(axis, keepdims=True)
    return rounded(below - np.log(np.exp(below).sum(axis, keepdims=True)), x.dtype)


@launches(LogSoftmaxOp, rank=1)
def kernel(op: LogSoftmaxOp, work: Work) -> Description:
    """Describe the op's kernel, for GPUs with `model kernels` in their sheet: a row-wise kernel, like that of a
    softmax."""
    shape = tensor_of(op.x).get_shape()
    columns = max(shape[op.axis.value.data], 1)
    rows = max(prod(shape) // columns, 1)
    numbers = {"rows": rows, "cols": columns, "read": work.read, "written": work.written, "flops": work.flops}
    return "softmax", {**numbers, "centred": 1.0}


UNIVERSE = Universe(all_dialects={"mobile": lambda: Dialect("mobile", [HardSwishOp, LogSoftmaxOp])})
