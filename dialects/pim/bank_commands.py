"""What banks are told: open a row, multiply with the global buffer, close the row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, opt_attr_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from dialects.pim.command import (
    ZERO,
    ColumnsOp,
    Command,
    ScopedOp,
    Space,
    pack,
    parse_optional_linear,
    parse_scope,
    print_scope,
    scope_of,
)
from dialects.pim.linear import (
    Index,
    Linear,
    Subscript,
    parse_linear,
    parse_range,
    print_linear,
    print_range,
)
from dialects.pim.properties import INTS, integer


@irdl_op_definition
class ActOp(ScopedOp):
    """Open a row in the addressed banks, so that its columns can be reached.

    (C1) the row is 0 or more. Whether a row may be opened over an open one is a fact of the sheet (`reopen`).

    ```mlir
    pim.kernel @open on @pim (%x: memref<4xf32>, %w: memref<1x2x2x1x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
      pim.load %x
      pim.for %r = 0 to 2 {
        pim.for %b = 0 to 2 {
          pim.act bank %b row %r
        }
        pim.mac all columns 0 to 1
        pim.drain all to %y[%r]
        pim.pre all
      }
    }
    ```
    """

    name = "pim.act"
    COMMAND: ClassVar[Command] = Command("act", "open a row", bound="row cycles", row="opens")
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {"unit": "unit", "row": "row"}
    row = prop_def(INTS)

    def __init__(self, row: Index, scope: str = "all", unit: Index = 0) -> None:
        words, of = scope_of(scope, unit)
        variables, properties = pack({"unit": of, "row": Linear.of(row)})
        super().__init__(operands=[variables], properties=words | properties)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        parser.parse_keyword("row")
        op = cls(parse_linear(parser), scope.data, unit)
        return op.with_braces(parser)

    def print(self, printer: Printer) -> None:
        print_scope(printer, self)
        printer.print_string(" row ")
        print_linear(printer, self.linear("row"))
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class MacOp(ColumnsOp):
    """Multiply columns of the open row with columns of the global buffer, lane by lane, and add all products to an
    accumulator of each addressed bank: one command a column.

    `columns A to B` of the row meet the buffer's columns from `buffer` on (from A where nothing is said); `into`
    numbers the accumulator (0).

    (C1) the range of columns is not empty and starts at 0 or more.

    ```mlir
    pim.kernel @dot on @pim (%x: memref<8xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.load %x at 2
      pim.act all row 0
      pim.mac all columns 0 to 2 buffer 2
      pim.drain all to %y
      pim.pre all
    }
    ```
    """

    name = "pim.mac"
    COMMAND: ClassVar[Command] = Command(
        "mac", "multiply one column with a buffer column and accumulate", bound="mac cadence", row="uses", flops=2
    )
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {
        "unit": "unit",
        "column": "column",
        "entry": "buffer",
        "accumulator": "accumulator",
    }
    WORDS: ClassVar[Mapping[str, str]] = {"buffer": "entry", "into": "accumulator"}
    entry = prop_def(INTS)
    accumulator = prop_def(INTS)

    def __init__(
        self,
        columns: Subscript,
        entry: Index | None = None,
        accumulator: Index = 0,
        scope: str = "all",
        unit: Index = 0,
    ) -> None:
        words, of = scope_of(scope, unit)
        start = columns.start
        entry = start if entry is None else Linear.of(entry)
        variables, properties = pack(
            {"unit": of, "column": start, "entry": entry, "accumulator": Linear.of(accumulator)}
        )
        super().__init__(operands=[variables], properties=words | properties | {"count": integer(columns.extent)})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        parser.parse_keyword("columns")
        columns = parse_range(parser)
        entry, accumulator = parse_optional_linear(parser, "buffer"), parse_optional_linear(parser, "into")
        op = cls(columns, entry, accumulator or ZERO, scope.data, unit)
        return op.with_braces(parser, entry=entry, accumulator=accumulator)

    def print(self, printer: Printer) -> None:
        columns, entry, accumulator = self.columns, self.linear("entry"), self.linear("accumulator")
        print_scope(printer, self)
        printer.print_string(" columns ")
        print_range(printer, columns)
        if entry != columns.start:
            printer.print_string(" buffer ")
            print_linear(printer, entry)
        if accumulator != ZERO:
            printer.print_string(" into ")
            print_linear(printer, accumulator)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class PreOp(ScopedOp):
    """Close the open row of the addressed banks.

    ```mlir
    pim.kernel @close on @pim (%x: memref<4xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.load %x
      pim.act all row 0
      pim.mac all columns 0 to 1
      pim.drain all to %y
      pim.pre bank 0
      pim.pre bank 1
    }
    ```
    """

    name = "pim.pre"
    COMMAND: ClassVar[Command] = Command("pre", "close the open row", bound="row cycles", row="closes")
    text = opt_attr_def(StringAttr)
    """The vendor's line that it was read from."""

    def __init__(self, scope: str = "all", unit: Index = 0) -> None:
        words, of = scope_of(scope, unit)
        variables, properties = pack({"unit": of})
        super().__init__(operands=[variables], properties=words | properties)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        op = cls(scope.data, unit)
        return op.with_braces(parser)

    def print(self, printer: Printer) -> None:
        print_scope(printer, self)
        printer.print_op_attributes(self.attributes)
