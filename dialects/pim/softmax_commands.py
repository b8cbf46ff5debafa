"""Attention's middle part inside a channel: sums are collected in its softmax buffer, turned into weights, and spread
to the global buffer as the next product's vector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.pim.command import (
    ZERO,
    Command,
    CommandOp,
    ScopedOp,
    Space,
    pack,
    parse_optional_linear,
    parse_scope,
    print_scope,
    scope_of,
)
from dialects.pim.linear import Index, Linear, Subscript, parse_range, print_linear, print_range
from dialects.pim.properties import INT, INTS, integer


@irdl_op_definition
class CollectOp(ScopedOp):
    """Accumulators of the addressed banks into the channel's softmax buffer, an entry a bank, in the banks' order, from
    entry `at` on (0 where nothing is said). `from` numbers the accumulator (0), which afterwards is as after
    `pim.drain`.

    ```mlir
    pim.kernel @attend on @pim (%q: memref<4xf32>, %kv: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.load %q
      pim.act all row 0
      pim.mac all columns 0 to 1
      pim.mac all columns 1 to 2 buffer 0 into 1
      pim.collect all
      pim.collect all from 1 at 2
      pim.softmax entries 0 to 4
      pim.spread all entries 0 to 4
      pim.pre all
      pim.act all row 1
      pim.mac all columns 0 to 1
      pim.drain all to %y
    }
    ```
    """

    name = "pim.collect"
    COMMAND: ClassVar[Command] = Command("collect", "accumulators into the softmax buffer", bound="drains")
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {"unit": "unit", "accumulator": "accumulator", "entry": "softmax"}
    WORDS: ClassVar[Mapping[str, str]] = {"from": "accumulator", "at": "entry"}
    accumulator = prop_def(INTS)
    entry = prop_def(INTS)

    def __init__(self, accumulator: Index = 0, at: Index = 0, scope: str = "all", unit: Index = 0) -> None:
        words, of = scope_of(scope, unit)
        variables, properties = pack({"unit": of, "accumulator": Linear.of(accumulator), "entry": Linear.of(at)})
        super().__init__(operands=[variables], properties=words | properties)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        accumulator, at = parse_optional_linear(parser, "from"), parse_optional_linear(parser, "at")
        op = cls(accumulator or ZERO, at or ZERO, scope.data, unit)
        return op.with_braces(parser, accumulator=accumulator, entry=at)

    def print(self, printer: Printer) -> None:
        print_scope(printer, self)
        for word, expression in (("from", self.linear("accumulator")), ("at", self.linear("entry"))):
            if expression != ZERO:
                printer.print_string(f" {word} ")
                print_linear(printer, expression)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class SoftmaxOp(CommandOp):
    """Entries of the softmax buffer as weights: e to each of them, over the sum of all these; all that was collected
    where no entries are named.

    (C1) a range of entries is not empty and starts at 0 or more.

    ```mlir
    pim.kernel @weights on @pim (%s: memref<2xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.bias all from %s
      pim.collect all
      pim.softmax
      pim.spread all entries 0 to 2
      pim.act all row 0
      pim.mac all columns 0 to 1
      pim.drain all to %y
    }
    ```
    """

    name = "pim.softmax"
    COMMAND: ClassVar[Command] = Command("softmax", "the softmax of the softmax buffer", bound="softmax")
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {"entry": "softmax"}
    WORDS: ClassVar[Mapping[str, str]] = {"entries": "entry"}
    entry = prop_def(INTS)
    count = prop_def(INT)

    def __init__(self, entries: Subscript | None = None) -> None:
        entries = Subscript(ZERO) if entries is None else entries
        variables, properties = pack({"entry": entries.start})
        super().__init__(operands=[variables], properties=properties | {"count": integer(entries.extent)})

    @property
    def entries(self) -> Subscript | None:
        """What it works on; None for all that was collected."""
        return Subscript(self.linear("entry"), self.count.value.data) if self.count.value.data else None

    def verify_(self) -> None:
        super().verify_()
        if self.count.value.data < 0:  # (C1)
            raise VerifyException("pim.softmax: a range of entries is not empty")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        entries = parse_range(parser) if parser.parse_optional_keyword("entries") else None
        return cls(entries).with_braces(parser, entry=entries, count=entries)

    def print(self, printer: Printer) -> None:
        if (entries := self.entries) is not None:
            printer.print_string(" entries ")
            print_range(printer, entries)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class SpreadOp(ScopedOp):
    """Entries of the softmax buffer into the global buffer of the addressed banks, rounded to the banks' element type,
    from column `at` on (0 where nothing is said), one command a column; the last one is filled up with zeros.

    (C1) the range of entries is not empty and starts at 0 or more.

    ```mlir
    pim.kernel @pass on @pim (%s: memref<2xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.bias all from %s
      pim.collect all
      pim.spread all entries 0 to 2 at 1
      pim.act all row 0
      pim.mac all columns 1 to 2
      pim.drain all to %y
    }
    ```
    """

    name = "pim.spread"
    COMMAND: ClassVar[Command] = Command("spread", "the softmax buffer into the global buffer", bound="buffer fill")
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {"unit": "unit", "first": "softmax", "entry": "buffer"}
    WORDS: ClassVar[Mapping[str, str]] = {"entries": "first", "at": "entry"}
    first = prop_def(INTS)
    count = prop_def(INT)
    entry = prop_def(INTS)

    def __init__(self, entries: Subscript, at: Index = 0, scope: str = "all", unit: Index = 0) -> None:
        words, of = scope_of(scope, unit)
        variables, properties = pack({"unit": of, "first": entries.start, "entry": Linear.of(at)})
        super().__init__(operands=[variables], properties=words | properties | {"count": integer(entries.extent)})

    @property
    def entries(self) -> Subscript:
        """Of the softmax buffer."""
        return Subscript(self.linear("first"), self.count.value.data)

    def buffer_columns(self, lanes: int) -> int:
        """Columns of the global buffer it fills."""
        return -(-self.count.value.data // lanes)

    def extent(self, expression: str, lanes: int) -> int:
        return {"first": self.count.value.data, "entry": self.buffer_columns(lanes)}.get(expression, 1)

    def issues(self, lanes: int, load_columns: int) -> int:
        return self.buffer_columns(lanes)

    def verify_(self) -> None:
        super().verify_()
        if self.count.value.data < 1:  # (C1)
            raise VerifyException("pim.spread: a range of entries is not empty")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        parser.parse_keyword("entries")
        entries = parse_range(parser)
        at = parse_optional_linear(parser, "at")
        op = cls(entries, at or ZERO, scope.data, unit)
        return op.with_braces(parser, entry=at)

    def print(self, printer: Printer) -> None:
        print_scope(printer, self)
        printer.print_string(" entries ")
        print_range(printer, self.entries)
        if (entry := self.linear("entry")) != ZERO:
            printer.print_string(" at ")
            print_linear(printer, entry)
        printer.print_op_attributes(self.attributes)
