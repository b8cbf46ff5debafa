"""`task.repeat`: tasks and copies that run again and again, as often as the text says."""

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


@irdl_op_definition
class RepeatOp(RepeatingOp):
    """A loop of tasks and copies: the body is carried out once for each value of the counter, one turn after another,
    and stands in the program once.

    Values are carried and handed in as in `graph.repeat`, each where it lies. The device that is named turns the loop:
    the counter lies there. Nothing else runs beside a loop, and a turn starts when all of the turn before has ended; so
    time and energy of a loop are those of a turn, times its turns.

    (C1) the counter, a tensor<i32> on that device, runs upwards in 32 bits. (C2) the body's arguments are the counter
    and what the operands are; it sees nothing else. (C3) the body ends in `task.yield`, of the types of the operands
    that are carried: what is carried lies in the end where it lay in the beginning.

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

    def __init__(self, device: str, turns: range, inputs: Sequence[SSAValue], body: Region) -> None:
        """`body`: a block with the counter on `device` and one argument an input, ended by `task.yield` of what is
        carried."""
        super().__init__(turns, inputs, body)
        self.device = SymbolRefAttr(device)

    @property
    def place(self) -> str:
        """The name of the device that turns the loop."""
        return self.device.root_reference.data

    def counter_type(self) -> Attribute:
        return OnType.of(self.place, COUNTER)

    @staticmethod
    def inner_type(type_: Attribute) -> Attribute:
        if not isinstance(type_, OnType):
            raise VerifyException(f"task.repeat takes values that lie on a device, not a {type_}")
        return type_

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        device = parser.parse_symbol_name().data
        counter, turns = cls.parse_turns(parser)
        inputs, body, attributes = cls.read_body(parser, counter.resolve(OnType.of(device, COUNTER)))
        start = parser.pos
        try:
            op = cls(device, turns, inputs, body)
        except VerifyException as error:
            parser.raise_error(f"task.repeat: {error}", start, parser.pos)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.place)
        self.print_loop(printer)
