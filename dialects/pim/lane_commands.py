"""What banks compute lane by lane, on columns of the open row alone: sums, differences, products, rectified values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.pim.command import (
    ColumnsOp,
    Command,
    Space,
    pack,
    parse_optional_linear,
    parse_scope,
    print_scope,
    scope_of,
)
from dialects.pim.linear import Index, Linear, Subscript, parse_linear, parse_range, print_linear, print_range
from dialects.pim.properties import INTS, integer


class LaneOp(ColumnsOp):
    """Common to commands that compute new columns of the open row from columns of it, one command a column: each lane
    is rounded once to the element type of the banks.

    Columns are worked through in order. `into` numbers the first new column; where nothing is said, the first operand
    is overwritten.
    """

    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {"unit": "unit", "column": "column", "target": "column"}
    WORDS: ClassVar[Mapping[str, str]] = {"into": "target"}
    target = prop_def(INTS)

    def sources(self) -> tuple[tuple[str, Linear], ...]:
        """Its operands: how the text calls each, and its first column."""
        return (("columns", self.linear("column")),)

    def verify_(self) -> None:
        super().verify_()
        count, target = self.count.value.data, self.linear("target")
        for _, source in self.sources():
            apart = target - source
            if not apart.terms and 0 < abs(apart.constant) < count:
                raise VerifyException(
                    f"{self.name}: {count} columns into columns that begin {abs(apart.constant)} beside them overwrite "
                    "what is still to be read; results lie on an operand or apart from it"
                )


class BinaryLaneOp(LaneOp):
    """Two operands: `columns A to B`, and as many columns from `and` on."""

    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {**LaneOp.EXPRESSIONS, "other": "column"}
    other = prop_def(INTS)

    def __init__(
        self, columns: Subscript, other: Index, into: Index | None = None, scope: str = "all", unit: Index = 0
    ) -> None:
        words, of = scope_of(scope, unit)
        target = columns.start if into is None else Linear.of(into)
        expressions = {"unit": of, "column": columns.start, "target": target, "other": Linear.of(other)}
        variables, properties = pack(expressions)
        super().__init__(operands=[variables], properties=words | properties | {"count": integer(columns.extent)})

    def sources(self) -> tuple[tuple[str, Linear], ...]:
        return ("columns", self.linear("column")), ("and", self.linear("other"))

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        parser.parse_keyword("columns")
        columns = parse_range(parser)
        parser.parse_keyword("and")
        other = parse_linear(parser)
        into = parse_optional_linear(parser, "into")
        op = cls(columns, other, into, scope.data, unit)
        return op.with_braces(parser, target=into)

    def print(self, printer: Printer) -> None:
        print_scope(printer, self)
        printer.print_string(" columns ")
        print_range(printer, self.columns)
        printer.print_string(" and ")
        print_linear(printer, self.linear("other"))
        _print_target(printer, self)


class UnaryLaneOp(LaneOp):
    """One operand: `columns A to B`."""

    def __init__(self, columns: Subscript, into: Index | None = None, scope: str = "all", unit: Index = 0) -> None:
        words, of = scope_of(scope, unit)
        target = columns.start if into is None else Linear.of(into)
        variables, properties = pack({"unit": of, "column": columns.start, "target": target})
        super().__init__(operands=[variables], properties=words | properties | {"count": integer(columns.extent)})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        parser.parse_keyword("columns")
        columns = parse_range(parser)
        into = parse_optional_linear(parser, "into")
        op = cls(columns, into, scope.data, unit)
        return op.with_braces(parser, target=into)

    def print(self, printer: Printer) -> None:
        print_scope(printer, self)
        printer.print_string(" columns ")
        print_range(printer, self.columns)
        _print_target(printer, self)


def _print_target(printer: Printer, op: LaneOp) -> None:
    if (target := op.linear("target")) != op.columns.start:
        printer.print_string(" into ")
        print_linear(printer, target)
    printer.print_op_attributes(op.attributes)


@irdl_op_definition
class AddColumnsOp(BinaryLaneOp):
    """Add columns of the open row of each addressed bank, lane by lane: `columns A to B` and as many from `and` on,
    into as many from `into` on (over the first ones where nothing is said).

    (C1) the range of columns is not empty and starts at 0 or more. (C2) results lie on an operand's columns or apart
    from them.

    ```mlir
    pim.kernel @sum on @pim (%x: memref<2x16xf32>) -> (%y: memref<16xf32>) {
      pim.act bank 0 row 0
      pim.write bank 0 columns 0 to 4 from %x[0]
      pim.write bank 0 columns 4 to 8 from %x[1]
      pim.add bank 0 columns 0 to 4 and 4
      pim.read bank 0 columns 0 to 4 to %y
      pim.pre bank 0
    }
    ```
    """

    name = "pim.add"
    COMMAND: ClassVar[Command] = Command(
        "add", "add two columns of the open row, lane by lane", bound="lane arithmetic", row="uses", flops=1
    )


@irdl_op_definition
class SubColumnsOp(BinaryLaneOp):
    """Subtract columns of the open row of each addressed bank, lane by lane: from `columns A to B` as many from `and`
    on, into as many from `into` on (over the first ones where nothing is said).

    (C1) the range of columns is not empty and starts at 0 or more. (C2) results lie on an operand's columns or apart
    from them.

    ```mlir
    pim.kernel @difference on @pim (%x: memref<2x8xf32>) -> (%y: memref<8xf32>) {
      pim.act bank 1 row 0
      pim.write bank 1 columns 0 to 2 from %x[0]
      pim.write bank 1 columns 2 to 4 from %x[1]
      pim.sub bank 1 columns 0 to 2 and 2 into 2
      pim.read bank 1 columns 2 to 4 to %y
      pim.pre bank 1
    }
    ```
    """

    name = "pim.sub"
    COMMAND: ClassVar[Command] = Command(
        "sub", "subtract one column of the open row from another", bound="lane arithmetic", row="uses", flops=1
    )


@irdl_op_definition
class MulColumnsOp(BinaryLaneOp):
    """Multiply columns of the open row of each addressed bank, lane by lane: `columns A to B` with as many from `and`
    on, into as many from `into` on (over the first ones where nothing is said).

    Here the second operand is a weight: it takes the row's first two columns, and what is written lies behind it.

    (C1) the range of columns is not empty and starts at 0 or more. (C2) results lie on an operand's columns or apart
    from them.

    ```mlir
    pim.kernel @scale on @pim (%x: memref<2x8xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
      pim.act all row 0
      pim.for %b = 0 to 2 {
        pim.write bank %b columns 2 to 4 from %x[%b]
      }
      pim.mul all columns 2 to 4 and 0
      pim.for %b = 0 to 2 {
        pim.read bank %b columns 2 to 4 to %y[%b]
      }
      pim.pre all
    }
    ```
    """

    name = "pim.mul"
    COMMAND: ClassVar[Command] = Command(
        "mul", "multiply two columns of the open row, lane by lane", bound="lane arithmetic", row="uses", flops=1
    )


@irdl_op_definition
class ReluColumnsOp(UnaryLaneOp):
    """The larger of 0 and each lane of columns of the open row of each addressed bank: `columns A to B`, into as many
    from `into` on (over themselves where nothing is said).

    (C1) the range of columns is not empty and starts at 0 or more. (C2) results lie on the operand's columns or apart
    from them.

    ```mlir
    pim.kernel @rectify on @pim (%x: memref<2x8xf32>) -> (%y: memref<2x8xf32>) {
      pim.act all row 0
      pim.for %b = 0 to 2 {
        pim.write bank %b columns 0 to 2 from %x[%b]
      }
      pim.relu all columns 0 to 2 into 2
      pim.for %b = 0 to 2 {
        pim.read bank %b columns 2 to 4 to %y[%b]
      }
      pim.pre all
    }
    ```
    """

    name = "pim.relu"
    COMMAND: ClassVar[Command] = Command(
        "relu", "the larger of 0 and a column of the open row", bound="lane arithmetic", row="uses", flops=1
    )
