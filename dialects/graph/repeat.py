"""`graph.repeat`: ops that are computed again and again, as often as the text says."""

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
    """A loop: the body is run once for each value of the counter, in order, and stands in the program once.

    The first operands are carried: a turn has what the turn before has yielded, the first turn the operand itself; the
    results are what the last turn yields (the operands where there is no turn). The other operands are the same in all
    turns. JAX's `scan` and `fori_loop` are this: a scan reads slices (`graph.dynamic_slice`), and writes slices
    (`graph.dynamic_update_slice`).

    (C1) the counter, a tensor<i32>, runs upwards in 32 bits. (C2) the body's arguments are the counter and what the
    operands are; it sees nothing else. (C3) the body ends in `graph.yield`, of the types of the operands that are
    carried. (C4) it holds graph ops, groups, loops and calls.

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

    def __init__(self, turns: range, inputs: Sequence[SSAValue], body: Region) -> None:
        """`body`: a block with the counter and one argument an input, ended by `graph.yield` of what is carried."""
        super().__init__(turns, inputs, body)

    def verify_(self) -> None:
        super().verify_()
        for op in self.ops:
            if not isinstance(op, GraphOp | FusedOp | RepeatOp | CallOp):  # (C4)
                raise VerifyException(f"graph.repeat holds graph ops, groups, loops and calls, not {op.name}")

    @staticmethod
    def inner_type(type_: Attribute) -> Attribute:
        if (wrong := tensor_problem(type_)) is not None:
            raise VerifyException(wrong)
        return type_

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        counter, turns = cls.parse_turns(parser)
        inputs, body, attributes = cls.read_body(parser, counter.resolve(COUNTER))
        op = cls(turns, inputs, body)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        self.print_loop(printer)
