"""`graph.repeat`: a counted loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import irdl_op_definition, traits_def, var_operand_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, Pure
from xdsl.utils.exceptions import VerifyException

from dialects.binding import YieldingOp
from dialects.graph.fused import FusedOp, YieldOp
from dialects.graph.op import TENSOR, Canonical, GraphOp, tensor_problem
from dialects.repeating import COUNTER, RepeatingOp


@irdl_op_definition
class RepeatOp(RepeatingOp):
    """A counted loop: the body is run once for each value of the counter, in order.

    The first operands are loop-carried: an iteration receives the values yielded by the previous one, the first
    iteration the operands; the results are the values yielded by the last iteration (the operands if there is none).
    The other operands are loop-invariant. JAX's `scan` and `fori_loop` map to it: a scan reads slices
    (`graph.dynamic_slice`), and writes slices (`graph.dynamic_update_slice`).

    (C1) the counter, a tensor<i32>, counts upwards, and its values fit into 32 bits. (C2) the body is isolated; its
    arguments are the counter and one per operand, of its type. (C3) the body ends in `graph.yield`, with the types of
    the carried operands. (C4) the body holds graph ops, groups (`graph.fused`), loops and calls.

    ```mlir
    %h = graph.repeat %i = 0 to 12 (%a = %x, %layers = %w) {
      %w1 = graph.gather %layers, %i : tensor<12x4x4xf32>, tensor<i32>
      %0 = graph.matmul %a, %w1 : tensor<2x4xf32>, tensor<4x4xf32>
      %1 = graph.relu %0 : tensor<2x4xf32>
      graph.yield %1
    }
    ```
    """

    name = "graph.repeat"
    YIELD: ClassVar[type[YieldingOp]] = YieldOp
    inputs = var_operand_def(TENSOR)
    outputs = var_result_def(TENSOR)
    traits = traits_def(Pure(), IsolatedFromAbove(), Canonical())

    def __init__(self, iterations: range, inputs: Sequence[SSAValue], body: Region) -> None:
        """`body`: a block with the counter and one argument per input, ended by `graph.yield` of the carried values."""
        super().__init__(iterations, inputs, body)

    def verify_(self) -> None:
        super().verify_()
        for op in self.ops:
            if not isinstance(op, GraphOp | FusedOp | RepeatOp | CallOp):  # (C4)
                raise VerifyException(
                    f"graph.repeat may hold graph ops, graph.fused, graph.repeat and func.call, but not {op.name}; "
                    "move it out of the loop"
                )

    @staticmethod
    def inner_type(type_: Attribute) -> Attribute:
        if (wrong := tensor_problem(type_)) is not None:
            raise VerifyException(wrong)
        return type_

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        counter, iterations = cls.parse_iterations(parser)
        inputs, body, attributes = cls.read_body(parser, counter.resolve(COUNTER))
        op = cls(iterations, inputs, body)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        self.print_loop(printer)
