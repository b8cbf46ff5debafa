"""What passes between the host and a channel: the global buffer is loaded, sums are drained, rows written and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import ClassVar, Self

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, opt_attr_def, opt_prop_def, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from dialects.pim.command import (
    ZERO,
    ColumnsOp,
    Command,
    HostOp,
    ScopedOp,
    Space,
    pack,
    parse_memref,
    parse_optional_linear,
    parse_optional_scope,
    parse_scope,
    print_scope,
    scope_of,
)
from dialects.pim.linear import (
    Index,
    Linear,
    Subscript,
    parse_range,
    parse_subscripts,
    print_linear,
    print_range,
    print_subscripts,
)
from dialects.pim.properties import INTS, integer


@irdl_op_definition
class LoadOp(ScopedOp, HostOp):
    """Host memory to the channel's global buffer, from column `at` on (0 where nothing is said).

    Where groups or banks have buffers of their own, a scope before the memref says whose is filled (`pim.load group 1
    %x`); all of them where nothing is said.

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
    COMMAND: ClassVar[Command] = Command(
        "load", "host or other memory into the channel's global buffer", bound="buffer fill"
    )
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {"unit": "unit", "entry": "buffer"}
    WORDS: ClassVar[Mapping[str, str]] = {"at": "entry"}
    entry = prop_def(INTS)
    text = opt_attr_def(StringAttr)
    """The vendor's line that it was read from."""

    def __init__(
        self,
        source: SSAValue,
        parts: Sequence[Subscript] = (),
        at: Index = 0,
        scope: str = "all",
        unit: Index = 0,
    ) -> None:
        words, of = scope_of(scope, unit)
        variables, properties = pack({"unit": of, "entry": Linear.of(at)}, parts)
        super().__init__(operands=[source, variables], properties=words | properties)

    def verify_(self) -> None:
        super().verify_()
        if (kernel := self.kernel) is not None:
            self.check_access(kernel.on_host, "reads an input that lies with the host")  # (C1) (C2)

    def buffer_columns(self, lanes: int) -> int:
        """Columns of the global buffer it fills."""
        *outer, last = self.block_shape or (1,)
        return prod(outer) * -(-last // lanes)

    def extent(self, expression: str, lanes: int) -> int:
        return self.buffer_columns(lanes) if expression == "entry" else 1

    def issues(self, lanes: int, load_columns: int) -> int:
        return -(-self.buffer_columns(lanes) // load_columns)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        said = parse_optional_scope(parser)
        scope, unit = said or (StringAttr("all"), ZERO)
        source, parts = parse_memref(parser), parse_subscripts(parser)
        at = parse_optional_linear(parser, "at")
        op = cls(source, parts, at or ZERO, scope.data, unit)
        return op.with_braces(parser, scope=said, unit=said, entry=at)

    def print(self, printer: Printer) -> None:
        if self.reach != "all":
            print_scope(printer, self)
        printer.print_string(" ")
        printer.print_operand(self.memref)
        print_subscripts(printer, self.parts)
        if (entry := self.linear("entry")) != ZERO:
            printer.print_string(" at ")
            print_linear(printer, entry)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class DrainOp(ScopedOp, HostOp):
    """Accumulators of the addressed banks to host memory, in the memref's element type; the accumulators are zero
    afterwards, or keep their sums until a `pim.bias` sets them, as the sheet says (`drain keeps`).

    What the subscripts take has an entry a bank; where units keep a sum in each lane, that is what the host makes of
    them, from the first lane on, and `lanes` entries a bank are the sums themselves. `add to` adds to what stands there
    (partial sums over pieces of the sum, kept in the memref's type; channels that run side by side add in program
    order, those of one `pim.channels` in the order of their numbers). `from` numbers the accumulator (0).

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
    COMMAND: ClassVar[Command] = Command("drain", "read the accumulators out", bound="drains", delivers=True)
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {"unit": "unit", "accumulator": "accumulator"}
    OWN_ELEMENT: ClassVar[bool] = False
    WORDS: ClassVar[Mapping[str, str]] = {"from": "accumulator"}
    accumulator = prop_def(INTS)
    add = opt_prop_def(UnitAttr)

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

    def wanted(self, banks: int, lanes: int) -> int:
        return banks

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        accumulator = parse_optional_linear(parser, "from")
        add = parser.parse_optional_keyword("add")
        parser.parse_keyword("to")
        target = parse_memref(parser)
        op = cls(target, parse_subscripts(parser), accumulator or ZERO, add is not None, scope.data, unit)
        return op.with_braces(parser, accumulator=accumulator, add=add)

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
class WriteOp(ColumnsOp, HostOp):
    """Host memory into columns of the open row of the addressed banks, one command a column.

    What the subscripts take is, in this order, one stretch a bank of so many columns, each of the device's `lanes`
    elements. The rows of the kernel's own operands hold weights: columns that they take are not written, columns behind
    them are free, and so are all other rows. What was written stands there until the kernel ends. `{host}` behind it
    marks an ordinary memory access, which a controller may schedule by itself; `{append}` what goes into the place that
    an operand keeps for it (the next entries of a cache).

    (C1) the range of columns is not empty and starts at 0 or more. (C2) the memref is an input that lies with the host.
    (C3) subscripts stay inside of it.

    ```mlir
    pim.kernel @double on @pim (%x: memref<2x8xf32>) -> (%y: memref<2x8xf32>) {
      pim.act all row 0
      pim.for %b = 0 to 2 {
        pim.write bank %b columns 0 to 2 from %x[%b]
      }
      pim.add all columns 0 to 2 and 0
      pim.for %b = 0 to 2 {
        pim.read bank %b columns 0 to 2 to %y[%b]
      }
      pim.pre all
    }
    ```
    """

    name = "pim.write"
    COMMAND: ClassVar[Command] = Command(
        "write", "host or other memory into one column of the open row", bound="row writes", row="uses"
    )
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {"unit": "unit", "column": "column"}
    host = opt_attr_def(UnitAttr)
    append = opt_attr_def(UnitAttr)

    def __init__(
        self,
        source: SSAValue,
        parts: Sequence[Subscript],
        columns: Subscript,
        scope: str = "all",
        unit: Index = 0,
        host: bool = False,
        append: bool = False,
    ) -> None:
        variables, properties = _transfer(parts, columns, scope, unit)
        marks: dict[str, Attribute] = {"append": UnitAttr()} if append else {}
        super().__init__(operands=[source, variables], properties=properties, attributes=_marked(host) | marks)

    @property
    def appends(self) -> bool:
        """Whether it goes into an operand's own place."""
        return self.append is not None

    @property
    def by_host(self) -> bool:
        """Whether it is an ordinary memory access."""
        return self.host is not None

    def verify_(self) -> None:
        super().verify_()
        if (kernel := self.kernel) is not None:
            self.check_access(kernel.on_host, "reads an input that lies with the host")  # (C2) (C3)

    def wanted(self, banks: int, lanes: int) -> int:
        return banks * self.count.value.data * lanes

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit, columns = _parse_columns(parser)
        parser.parse_keyword("from")
        source = parse_memref(parser)
        op = cls(source, parse_subscripts(parser), columns, scope, unit)
        return op.with_braces(parser)

    def print(self, printer: Printer) -> None:
        _print_transfer(printer, self, "from")


@irdl_op_definition
class ReadOp(ColumnsOp, HostOp):
    """Columns of the open row of the addressed banks to host memory, one command a column.

    What the subscripts take is laid out as for `pim.write`, and `{host}` means the same.

    (C1) the range of columns is not empty and starts at 0 or more. (C2) the memref is an output. (C3) subscripts stay
    inside of it.

    ```mlir
    pim.kernel @copy on @pim (%w: memref<1x2x2x8x4xf32> at row 0) -> (%y: memref<2x2x32xf32>) {
      pim.for %r = 0 to 2 {
        pim.act all row %r
        pim.for %b = 0 to 2 {
          pim.read bank %b columns 0 to 8 to %y[%r, %b]
        }
        pim.pre all
      }
    }
    ```
    """

    name = "pim.read"
    COMMAND: ClassVar[Command] = Command(
        "read", "one column of the open row to the host", bound="row reads", row="uses", delivers=True
    )
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {"unit": "unit", "column": "column"}
    host = opt_attr_def(UnitAttr)

    def __init__(
        self,
        target: SSAValue,
        parts: Sequence[Subscript],
        columns: Subscript,
        scope: str = "all",
        unit: Index = 0,
        host: bool = False,
    ) -> None:
        variables, properties = _transfer(parts, columns, scope, unit)
        super().__init__(operands=[target, variables], properties=properties, attributes=_marked(host))

    @property
    def by_host(self) -> bool:
        """Whether it is an ordinary memory access."""
        return self.host is not None

    def verify_(self) -> None:
        super().verify_()
        if (kernel := self.kernel) is not None:
            self.check_access(kernel.outputs, "writes an output")  # (C2) (C3)

    def wanted(self, banks: int, lanes: int) -> int:
        return banks * self.count.value.data * lanes

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit, columns = _parse_columns(parser)
        parser.parse_keyword("to")
        target = parse_memref(parser)
        op = cls(target, parse_subscripts(parser), columns, scope, unit)
        return op.with_braces(parser)

    def print(self, printer: Printer) -> None:
        _print_transfer(printer, self, "to")


def _transfer(
    parts: Sequence[Subscript], columns: Subscript, scope: str, unit: Index
) -> tuple[list[SSAValue], dict[str, Attribute]]:
    words, of = scope_of(scope, unit)
    variables, properties = pack({"unit": of, "column": columns.start}, parts)
    return variables, words | properties | {"count": integer(columns.extent)}


def _marked(host: bool) -> dict[str, Attribute]:
    return {"host": UnitAttr()} if host else {}


def _parse_columns(parser: Parser) -> tuple[str, Linear, Subscript]:
    scope, unit = parse_scope(parser)
    parser.parse_keyword("columns")
    return scope.data, unit, parse_range(parser)


def _print_transfer(printer: Printer, op: WriteOp | ReadOp, word: str) -> None:
    print_scope(printer, op)
    printer.print_string(" columns ")
    print_range(printer, op.columns)
    printer.print_string(f" {word} ")
    printer.print_operand(op.memref)
    print_subscripts(printer, op.parts)
    printer.print_op_attributes(op.attributes)
