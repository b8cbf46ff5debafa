"""What banks are told, in the engineer's verbs: load the global buffer, open a row, multiply, drain, precharge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.pim.command import (
    ZERO,
    HostOp,
    ScopedOp,
    pack,
    parse_memref,
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
    parse_subscripts,
    print_linear,
    print_range,
    print_subscripts,
)
from dialects.pim.properties import INT, INTS, integer


@irdl_op_definition
class LoadOp(HostOp):
    """Host memory to the channel's global buffer, from column `at` on (0 where nothing is said).

    What the subscripts take is cut along its last axis: each run of it starts a new column of the buffer and fills
    as many as it needs (a column is the device's `lanes` elements), the last one up with zeros.

    (C1) the memref is an input that lies with the host. (C2) subscripts stay inside of it.

    ```mlir
    pim.kernel @two_vectors on @pim (%x: memref<2x6xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
      pim.load %x[0 to 2, 0 to 6]
      pim.act all row 0
      pim.for %v = 0 to 2 {
        pim.mac all columns 0 to 2 buffer %v * 2
        pim.drain all to %y[%v]
      }
      pim.pre all
    }
    ```
    """

    name = "pim.load"
    VERB: ClassVar[str] = "load"
    entry = prop_def(INTS)
    EXPRESSIONS: ClassVar[tuple[str, ...]] = ("entry",)

    def __init__(self, source: SSAValue, parts: Sequence[Subscript] = (), at: Index = 0) -> None:
        variables, properties = pack({"entry": Linear.of(at)}, parts)
        super().__init__(operands=[source, variables], properties=properties)

    def verify_(self) -> None:
        super().verify_()
        if (kernel := self.kernel) is not None:
            self.check_access(  # (C1) (C2)
                [value for value in kernel.inputs if value not in kernel.in_banks],
                "reads an input that lies with the host",
            )

    def buffer_columns(self, lanes: int) -> int:
        """Columns of the global buffer it fills."""
        *outer, last = self.block_shape or (1,)
        runs = 1
        for extent in outer:
            runs *= extent
        return runs * -(-last // lanes)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        source, parts = parse_memref(parser), parse_subscripts(parser)
        at = parse_linear(parser) if parser.parse_optional_keyword("at") else ZERO
        op = cls(source, parts, at)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.memref)
        print_subscripts(printer, self.parts)
        if (entry := self.linear("entry")) != ZERO:
            printer.print_string(" at ")
            print_linear(printer, entry)
        printer.print_op_attributes(self.attributes)


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
    VERB: ClassVar[str] = "act"
    row = prop_def(INTS)
    EXPRESSIONS: ClassVar[tuple[str, ...]] = ("unit", "row")

    def __init__(self, row: Index, scope: str = "all", unit: Index = 0) -> None:
        words, of = scope_of(scope, unit)
        variables, properties = pack({"unit": of, "row": Linear.of(row)})
        super().__init__(operands=[variables], properties=words | properties)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        parser.parse_keyword("row")
        op = cls(parse_linear(parser), scope.data, unit)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        print_scope(printer, self)
        printer.print_string(" row ")
        print_linear(printer, self.linear("row"))
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class MacOp(ScopedOp):
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
    VERB: ClassVar[str] = "mac"
    column = prop_def(INTS)
    count = prop_def(INT)
    entry = prop_def(INTS)
    accumulator = prop_def(INTS)
    EXPRESSIONS: ClassVar[tuple[str, ...]] = ("unit", "column", "entry", "accumulator")

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

    @property
    def columns(self) -> Subscript:
        return Subscript(self.linear("column"), self.count.value.data)

    def verify_(self) -> None:
        super().verify_()
        if self.count.value.data < 1:  # (C1)
            raise VerifyException("pim.mac: a range of columns is not empty")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        parser.parse_keyword("columns")
        columns = parse_range(parser)
        entry = parse_linear(parser) if parser.parse_optional_keyword("buffer") else None
        accumulator = parse_linear(parser) if parser.parse_optional_keyword("into") else ZERO
        op = cls(columns, entry, accumulator, scope.data, unit)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

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
class DrainOp(ScopedOp, HostOp):
    """Accumulators of the addressed banks to host memory, in the memref's element type; the accumulators are zero
    afterwards.

    What the subscripts take has an entry a bank. `add to` adds to what stands there (partial sums over pieces of
    the sum, kept in the memref's type; channels that run side by side add in the order of their numbers). `from`
    numbers the accumulator (0).

    (C1) the memref is an output. (C2) subscripts stay inside of it.

    ```mlir
    pim.kernel @pieces on @pim (%x: memref<2x4xf32>, %w: memref<1x2x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.for %k = 0 to 2 {
        pim.load %x[%k]
        pim.act all row %k
        pim.mac all columns 0 to 1
        pim.drain all add to %y
        pim.pre all
      }
    }
    ```
    """

    name = "pim.drain"
    VERB: ClassVar[str] = "drain"
    accumulator = prop_def(INTS)
    add = opt_prop_def(UnitAttr)
    EXPRESSIONS: ClassVar[tuple[str, ...]] = ("unit", "accumulator")

    def __init__(
        self,
        target: SSAValue,
        parts: Sequence[Subscript] = (),
        accumulator: Index = 0,
        add: bool = False,
        scope: str = "all",
        unit: Index = 0,
    ) -> None:
        words, of = scope_of(scope, unit)
        variables, properties = pack({"unit": of, "accumulator": Linear.of(accumulator)}, parts)
        super().__init__(
            operands=[target, variables], properties=words | properties | ({"add": UnitAttr()} if add else {})
        )

    @property
    def adds(self) -> bool:
        return self.add is not None

    def verify_(self) -> None:
        super().verify_()
        if (kernel := self.kernel) is not None:
            self.check_access(kernel.outputs, "writes an output")  # (C1) (C2)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        accumulator = parse_linear(parser) if parser.parse_optional_keyword("from") else ZERO
        add = parser.parse_optional_keyword("add") is not None
        parser.parse_keyword("to")
        target = parse_memref(parser)
        op = cls(target, parse_subscripts(parser), accumulator, add, scope.data, unit)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        print_scope(printer, self)
        if (accumulator := self.linear("accumulator")) != ZERO:
            printer.print_string(" from ")
            print_linear(printer, accumulator)
        printer.print_string(" add to " if self.adds else " to ")
        printer.print_operand(self.memref)
        print_subscripts(printer, self.parts)
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
    VERB: ClassVar[str] = "pre"

    def __init__(self, scope: str = "all", unit: Index = 0) -> None:
        words, of = scope_of(scope, unit)
        variables, properties = pack({"unit": of})
        super().__init__(operands=[variables], properties=words | properties)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        op = cls(scope.data, unit)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        print_scope(printer, self)
        printer.print_op_attributes(self.attributes)
