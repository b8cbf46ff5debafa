"""The base class of counted loops on graph and task level, which have the same textual form and rules.

A loop stays a loop on all levels. Its body uses no values from outside except its arguments, so every pass processes
the body as a block of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, TensorType, i32, i64
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import EqAttrConstraint, prop_def, region_def, var_operand_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.binding import YieldingOp, parse_bindings, print_bindings, type_list
from dialects.braces import BracedOp, parse_braces

COUNTER = TensorType(i32, ())
"""The type of the counter on graph level."""
LEAST, MOST = -(1 << 31), (1 << 31) - 1


class RepeatingOp(BracedOp):
    """Base class of `graph.repeat` and `task.repeat`: a body that is run once per iteration, in order.

        %y = NAME %i = 0 to 12 (%a = %x, %w = %weights) { … NAME.yield %b }

    The first operands are loop-carried: each starts as the operand, and the next iteration receives the yielded value;
    the results are the values yielded by the last iteration. The other operands are loop-invariant. (C1) the counter's
    values fit into 32 bits. (C2) the body's arguments are the counter and one per operand, of its type. (C3) the body
    ends in a yield with the types of the carried operands.
    """

    YIELD: ClassVar[type[YieldingOp]]
    start = prop_def(IntegerAttr.constr(type=EqAttrConstraint(i64)))
    end = prop_def(IntegerAttr.constr(type=EqAttrConstraint(i64)))
    inputs = var_operand_def()
    body = region_def("single_block")
    outputs = var_result_def()

    @property
    def counted(self) -> range:
        """The values of the counter."""
        return range(self.start.value.data, self.end.value.data)

    @property
    def iterations(self) -> int:
        """The number of iterations."""
        return len(self.counted)

    @property
    def counter(self) -> BlockArgument:
        """The body's argument for the counter."""
        return self.body.block.args[0]

    @property
    def arguments(self) -> Sequence[BlockArgument]:
        """The body's arguments for the operands."""
        return self.body.block.args[1:]

    @property
    def last(self) -> YieldingOp:
        """The terminator of the body."""
        last = self.body.block.last_op
        assert isinstance(last, YieldingOp)
        return last

    @property
    def ops(self) -> tuple[Operation, ...]:
        """The ops of the body, without the yield."""
        return tuple(op for op in self.body.block.ops if not isinstance(op, self.YIELD))

    def __init__(self, iterations: range, inputs: Sequence[SSAValue], body: Region) -> None:
        """`body`: a block with the counter and one argument per input, ended by a yield of the carried values."""
        last = body.block.last_op
        assert isinstance(last, self.YIELD)
        super().__init__(
            operands=[inputs],
            result_types=[[value.type for value in last.values]],
            properties={"start": IntegerAttr(iterations.start, i64), "end": IntegerAttr(iterations.stop, i64)},
            regions=[body],
        )

    def counter_type(self) -> Attribute:
        """The type of the counter in the body."""
        return COUNTER

    def verify_(self) -> None:
        start, end = self.start.value.data, self.end.value.data
        if not LEAST <= start <= end <= MOST:  # (C1)
            raise VerifyException(
                f"{self.name}: a counter needs start <= end, both signed 32-bit numbers (%i = 0 to 12), "
                f"not {start} to {end}"
            )
        inner, outer = [argument.type for argument in self.body.block.args], [value.type for value in self.inputs]
        if inner != [self.counter_type(), *outer]:  # (C2)
            raise VerifyException(
                f"{self.name}: the body's arguments have types {type_list(inner)}, but the counter and the operands "
                f"have types {type_list([self.counter_type(), *outer])}; they must be equal"
            )
        last = self.body.block.last_op
        if not isinstance(last, self.YIELD):  # (C3)
            raise VerifyException(f"{self.name}: the body must end in {self.YIELD.name}")
        yielded = [value.type for value in last.values]
        for index, type_ in enumerate(yielded):
            if index >= len(outer):  # (C3)
                raise VerifyException(
                    f"{self.name}: {len(yielded)} values are yielded, but there are only {len(outer)} operands; the "
                    "first operands are the initial values of the carried values"
                )
            if type_ != outer[index]:  # (C3)
                raise VerifyException(
                    f"{self.name}: value {index} starts as {outer[index]}, but the body yields {type_} for it"
                )
        results = [value.type for value in self.outputs]
        if yielded != results:  # (C3)
            raise VerifyException(
                f"{self.name}: the results have types {type_list(results)}, but the yielded values have types "
                f"{type_list(yielded)}; they must be equal"
            )

    @classmethod
    def parse_iterations(cls, parser: Parser) -> tuple[Parser.UnresolvedArgument, range]:
        """Read `%i = 0 to 12`."""
        name = parser.parse_argument(expect_type=False)
        assert isinstance(name, Parser.UnresolvedArgument)
        parser.parse_punctuation("=")
        place, start = parser.pos, parser.parse_integer(allow_boolean=False)
        parser.parse_keyword("to")
        end = parser.parse_integer(allow_boolean=False)
        if not LEAST <= start <= end <= MOST:
            message = f"a counter needs start <= end, both signed 32-bit numbers (%i = 0 to 12), not {start} to {end}"
            parser.raise_error(f"{cls.name}: {message}", place, parser.pos)
        return name, range(start, end)

    @staticmethod
    def inner_type(type_: Attribute) -> Attribute:
        """Type of the body's argument for an operand. Raises VerifyException for an operand of an unsupported type."""
        return type_

    @classmethod
    def read_body(cls, parser: Parser, counter: Parser.Argument) -> tuple[list[SSAValue], Region, dict[str, Attribute]]:
        """Read the bindings, the body and the attributes after it."""
        start = parser.pos
        inputs, body = parse_bindings(parser, cls.inner_type, first=[counter])
        header = cls.get_irdl_definition().properties.keys()
        _, attributes = parse_braces(parser, cls, header, keyword=True)
        if not isinstance(body.block.last_op, cls.YIELD):
            parser.raise_error(f"{cls.name}: the body must end in {cls.YIELD.name}", start, parser.pos)
        return inputs, body, attributes

    def print_loop(self, printer: Printer) -> None:
        """Write `%i = 0 to 12 (…) { … }`."""
        printer.print_string(" ")
        printer.print_ssa_value(self.counter)
        printer.print_string(f" = {self.start.value.data} to {self.end.value.data} ")
        print_bindings(printer, self.inputs, self.body, first=1)
        printer.print_op_attributes(self.attributes, print_keyword=True)
