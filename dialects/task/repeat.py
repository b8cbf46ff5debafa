"""`task.repeat`: a counted loop of tasks and copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, traits_def, var_operand_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

from dialects.binding import YieldingOp
from dialects.repeating import COUNTER, RepeatingOp
from dialects.task.run import YieldOp
from dialects.task.types import ON, OnType
from dialects.values import read_device


@irdl_op_definition
class RepeatOp(RepeatingOp):
    """A counted loop of tasks and copies: the body is executed once for each value of the counter, serially.

    Values are carried and passed in as in `graph.repeat`, each on its device. The named device controls the loop and
    holds the counter. Nothing overlaps with a loop, and an iteration starts when the previous one has completed; so
    time and energy of a loop are those of one iteration times the trip count.

    (C1) the counter, a tensor<i32> on that device, counts upwards, and its values fit into 32 bits. (C2) the body is
    isolated; its arguments are the counter and one per operand, of its type. (C3) the body ends in `task.yield`, with
    the types of the carried operands, so carried values end on the device where they started.

    ```mlir
    %w = graph.weight "fc" = uniform(-0.1, 0.1, 7) : tensor<8x8xf16>
    %x = task.resident %w on @gpu
    %y = task.repeat @gpu %i = 0 to 12 (%a = %x) {
      %b = task.run @gpu (%c = %a) {
        %0 = graph.relu %c : tensor<8x8xf16>
        task.yield %0
      }
      task.yield %b
    }
    ```
    """

    name = "task.repeat"
    YIELD: ClassVar[type[YieldingOp]] = YieldOp
    device = prop_def(SymbolRefAttr)
    inputs = var_operand_def(ON)
    outputs = var_result_def(ON)
    traits = traits_def(IsolatedFromAbove())

    def __init__(self, device: str, iterations: range, inputs: Sequence[SSAValue], body: Region) -> None:
        """`device`: the device that controls the loop and holds the counter. `body`: a block with the counter and one
        argument per input, ended by `task.yield` of the carried values."""
        super().__init__(iterations, inputs, body)
        self.device = SymbolRefAttr(device)

    @property
    def place(self) -> str:
        """The name of the device that controls the loop."""
        return self.device.root_reference.data

    def counter_type(self) -> Attribute:
        return OnType.of(self.place, COUNTER)

    @staticmethod
    def inner_type(type_: Attribute) -> Attribute:
        if not isinstance(type_, OnType):
            raise VerifyException(f"task.repeat needs operands placed on a device, not a {type_}")
        return type_

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        device = read_device(parser).data
        counter, iterations = cls.parse_iterations(parser)
        inputs, body, attributes = cls.read_body(parser, counter.resolve(OnType.of(device, COUNTER)))
        start = parser.pos
        try:
            op = cls(device, iterations, inputs, body)
        except VerifyException as error:
            parser.raise_error(f"task.repeat: {error}", start, parser.pos)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.place)
        self.print_loop(printer)
