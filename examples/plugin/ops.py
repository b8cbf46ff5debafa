"""A plugin with two tensor ops that are as good as those of the level `graph`; see README.md.

Each is a class that says its shape rule and its work, what parts of it need and how it fuses, and has a meaning in
numpy. All passes, the clock, `--check` and the search for plans know it by these; a class of GPU kernels is one more
function, without which it is timed as an op that goes over its elements once.
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
from interp.cost.gpu.kernels import Description, launches
from interp.numerics.meaning import elementwise, meaning
from interp.numerics.rounding import Array, rounded, widened


@irdl_op_definition
class HardSwishOp(UnaryOp):
    """x * clip(x / 6 + 1/2, 0, 1) (Howard et al., 2019): element-wise, so it has parts and fuses as such ops do.

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
            raise VerifyException(f"{self.name}: there is no axis {self.axis.value.data} in a tensor of rank {rank}")
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
    """On GPUs whose sheet says `model kernels`: a kernel like softmax's, a row at a time."""
    shape = tensor_of(op.x).get_shape()
    columns = max(shape[op.axis.value.data], 1)
    rows = max(prod(shape) // columns, 1)
    numbers = {"rows": rows, "cols": columns, "read": work.read, "written": work.written, "flops": work.flops}
    return "softmax", {**numbers, "centred": 1.0}


UNIVERSE = Universe(all_dialects={"mobile": lambda: Dialect("mobile", [HardSwishOp, LogSoftmaxOp])})
