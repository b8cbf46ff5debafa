"""Ops of programs that bind loop variables to ranges: `%i = 0 to 8, %j = 0 to 4 { … }`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Self

from xdsl.ir import BlockArgument, Region, SSAValue
from xdsl.irdl import prop_def, region_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp
from dialects.programs.index import INDEX
from dialects.programs.properties import INTS, LIMIT, Ints, ints, values_of
from dialects.values import called


class RangesOp(BracedOp):
    """Base class of ops with a body whose arguments are variables with ranges."""

    bounds = prop_def(INTS)
    body = region_def("single_block")
    FILL: ClassVar[str]
    """The advice in the error message for an empty body."""

    @property
    def ranges(self) -> tuple[range, ...]:
        """The ranges of the body's arguments. Raises VerifyException unless there is one range per argument."""
        ends, arguments = values_of(self.bounds), self.body.block.args
        if not arguments or len(ends) != 2 * len(arguments) or any(argument.type != INDEX for argument in arguments):
            raise VerifyException(f"{self.name} must bind one index variable to each range (`{self.name} %i = 0 to 8`)")
        return tuple(range(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True))

    def check_ranges(self) -> None:
        """Raise VerifyException for a range without values, and for an empty body."""
        for each in self.ranges:
            if not len(each):
                raise VerifyException(f"{self.name}: the range {each.start} to {each.stop} is empty")
        if not self.body.block.ops:
            raise VerifyException(f"{self.name}: the body is empty; {self.FILL}")

    @staticmethod
    def parse_range(parser: Parser) -> tuple[Parser.Argument, range]:
        """Read a variable with its range, `%i = 0 to 8`."""
        name = parser.parse_argument(expect_type=False)
        assert isinstance(name, Parser.UnresolvedArgument)
        parser.parse_punctuation("=")
        start, low = parser.pos, parser.parse_integer(allow_boolean=False)
        parser.parse_keyword("to")
        high = parser.parse_integer(allow_boolean=False)
        if max(abs(low), abs(high)) > LIMIT:
            largest = max(low, high, key=abs)
            parser.raise_error(f"{largest} is too large for a range (at most {LIMIT})", start, parser.pos)
        return name.resolve(INDEX), range(low, high)

    @classmethod
    def parse_ranges(cls, parser: Parser) -> tuple[list[Parser.Argument], list[range]]:
        """Read variables with their ranges, `%i = 0 to 8, %j = 0 to 4`."""
        found = [cls.parse_range(parser)]
        while parser.parse_optional_punctuation(","):
            found.append(cls.parse_range(parser))
        return [name for name, _ in found], [values for _, values in found]

    def with_body(self, parser: Parser, variables: Sequence[Parser.Argument], **optional: object) -> Self:
        """Read attributes and the body. `optional`: see `with_braces`."""
        self.with_braces(parser, keyword=True, **optional)
        self.add_region(parser.parse_region(variables))
        return self

    def print_loop(self, printer: Printer, behind: Callable[[], None] = lambda: None) -> None:
        """Write the ranges, attributes and body. `behind`: the function that writes the text after the ranges."""
        # The variables' names are local to the body, so that sibling loops may reuse them.
        printer.enter_scope()
        printer.print_string(" ")
        for index, (argument, each) in enumerate(zip(self.body.block.args, self.ranges, strict=True)):
            printer.print_string(", " if index else "")
            printer.print_ssa_value(argument)
            printer.print_string(f" = {each.start} to {each.stop}")
        behind()
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)
        printer.exit_scope()


class LoopOp(RangesOp):
    """Base class of loops: the body is executed once for each value of one variable, in order."""

    def __init__(self, values: range, body: Region) -> None:
        """`body`: one block with one index argument."""
        super().__init__(properties={"bounds": ends_of([values])}, regions=[body])

    @property
    def values(self) -> range:
        """The range of the variable."""
        return self.ranges[0]

    @property
    def variable(self) -> BlockArgument:
        """The variable, the body's argument."""
        return self.body.block.args[0]

    def print(self, printer: Printer) -> None:
        self.print_loop(printer)


def ends_of(ranges: Sequence[range]) -> Ints:
    """Ranges as the property `bounds`."""
    return ints([end for each in ranges for end in (each.start, each.stop)])


def range_of(variable: SSAValue, bound_by: type[RangesOp], otherwise: str) -> range:
    """The range of a loop variable. Raises VerifyException for a value that no op of the class `bound_by` binds;
    `otherwise`: the end of the message."""
    if isinstance(variable, BlockArgument):
        owner = variable.block.parent_op()
        if isinstance(owner, bound_by):
            return owner.ranges[variable.index]
    raise VerifyException(f"{called(variable)} is not a loop variable; {otherwise}")
