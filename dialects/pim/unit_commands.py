"""What the banks' units do with their sums besides adding products: they are set, and passed through an activation
table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from dialects.pim.command import (
    ZERO,
    Command,
    HostOp,
    ScopedOp,
    Space,
    pack,
    parse_memref,
    parse_optional_linear,
    parse_scope,
    print_scope,
    scope_of,
)
from dialects.pim.linear import Index, Linear, Subscript, parse_subscripts, print_linear, print_subscripts
from dialects.pim.properties import INTS


@irdl_op_definition
class BiasOp(ScopedOp, HostOp):
    """Set accumulators of the addressed banks from host memory, an entry a bank; `into` numbers the accumulator (0).
    What they held is gone. Accumulators of the banks' element type round it. Where units keep a sum in each lane, an
    entry a bank goes into the first one.

    (C1) the memref is an input that lies with the host. (C2) subscripts stay inside of it.

    ```mlir
    pim.kernel @f on @pim (%x: memref<2x2xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.load %x[0]
      pim.bias all from %x[1]
      pim.act all row 0
      pim.mac all columns 0 to 1
      pim.drain all to %y
      pim.pre all
    }
    ```
    """

    name = "pim.bias"
    COMMAND: ClassVar[Command] = Command("bias", "set the accumulators", bound="biases")
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {"unit": "unit", "accumulator": "accumulator"}
    OWN_ELEMENT: ClassVar[bool] = False
    WORDS: ClassVar[Mapping[str, str]] = {"into": "accumulator"}
    accumulator = prop_def(INTS)

    def __init__(
        self,
        source: SSAValue,
        parts: Sequence[Subscript] = (),
        accumulator: Index = 0,
        scope: str = "all",
        unit: Index = 0,
    ) -> None:
        words, of = scope_of(scope, unit)
        variables, properties = pack({"unit": of, "accumulator": Linear.of(accumulator)}, parts)
        super().__init__(operands=[source, variables], properties=words | properties)

    def verify_(self) -> None:
        super().verify_()
        if (kernel := self.kernel) is not None:
            self.check_access(kernel.on_host, "reads an input that lies with the host")  # (C1) (C2)

    def wanted(self, banks: int, lanes: int) -> int:
        return banks

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        parser.parse_keyword("from")
        source, parts = parse_memref(parser), parse_subscripts(parser)
        accumulator = parse_optional_linear(parser, "into")
        op = cls(source, parts, accumulator or ZERO, scope.data, unit)
        return op.with_braces(parser, accumulator=accumulator)

    def print(self, printer: Printer) -> None:
        print_scope(printer, self)
        printer.print_string(" from ")
        printer.print_operand(self.memref)
        print_subscripts(printer, self.parts)
        if (accumulator := self.linear("accumulator")) != ZERO:
            printer.print_string(" into ")
            print_linear(printer, accumulator)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ActivateOp(ScopedOp):
    """A function of an accumulator of each addressed bank, by the units' table of it, into the bank's activation
    register. `from` numbers the accumulator (0), which keeps its sum.

    Tables are sampled functions with straight lines between the samples (interp/banks/values/activation_tables.py):
    results are what the table gives, not the function.

    ```mlir
    pim.kernel @gate on @pim (%x: memref<8xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
      pim.load %x
      pim.act all row 0
      pim.mac all columns 0 to 2
      pim.pre all
      pim.activate all "sigmoid"
      pim.activated all to %y[1]
      pim.drain all to %y[0]
    }
    ```
    """

    name = "pim.activate"
    COMMAND: ClassVar[Command] = Command(
        "activate", "a function of the accumulators, by table", bound="activations", row="table"
    )
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {"unit": "unit", "accumulator": "accumulator"}
    WORDS: ClassVar[Mapping[str, str]] = {"from": "accumulator"}
    function = prop_def(StringAttr)
    accumulator = prop_def(INTS)

    def __init__(self, function: str, accumulator: Index = 0, scope: str = "all", unit: Index = 0) -> None:
        words, of = scope_of(scope, unit)
        variables, properties = pack({"unit": of, "accumulator": Linear.of(accumulator)})
        super().__init__(operands=[variables], properties=words | properties | {"function": StringAttr(function)})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        if (function := parser.parse_optional_str_literal()) is None:
            parser.raise_error('expected the name of an activation table ("gelu")')
        accumulator = parse_optional_linear(parser, "from")
        op = cls(function, accumulator or ZERO, scope.data, unit)
        return op.with_braces(parser, accumulator=accumulator)

    def print(self, printer: Printer) -> None:
        print_scope(printer, self)
        printer.print_string(" ")
        printer.print_string_literal(self.function.data)
        if (accumulator := self.linear("accumulator")) != ZERO:
            printer.print_string(" from ")
            print_linear(printer, accumulator)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ActivatedOp(ScopedOp, HostOp):
    """Activation registers of the addressed banks to host memory, in the memref's element type, an entry a bank. They
    keep what they hold.

    (C1) the memref is an output. (C2) subscripts stay inside of it.

    ```mlir
    pim.kernel @one on @pim (%b: memref<2xf32>) -> (%y: memref<2xf32>) {
      pim.bias all from %b
      pim.activate all "gelu"
      pim.activated all to %y
    }
    ```
    """

    name = "pim.activated"
    COMMAND: ClassVar[Command] = Command(
        "activated", "read the activation registers out", bound="drains", delivers=True
    )
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {"unit": "unit"}
    OWN_ELEMENT: ClassVar[bool] = False

    def __init__(self, target: SSAValue, parts: Sequence[Subscript] = (), scope: str = "all", unit: Index = 0) -> None:
        words, of = scope_of(scope, unit)
        variables, properties = pack({"unit": of}, parts)
        super().__init__(operands=[target, variables], properties=words | properties)

    def verify_(self) -> None:
        super().verify_()
        if (kernel := self.kernel) is not None:
            self.check_access(kernel.outputs, "writes an output")  # (C1) (C2)

    def wanted(self, banks: int, lanes: int) -> int:
        return banks

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        scope, unit = parse_scope(parser)
        parser.parse_keyword("to")
        target = parse_memref(parser)
        op = cls(target, parse_subscripts(parser), scope.data, unit)
        return op.with_braces(parser)

    def print(self, printer: Printer) -> None:
        print_scope(printer, self)
        printer.print_string(" to ")
        printer.print_operand(self.memref)
        print_subscripts(printer, self.parts)
        printer.print_op_attributes(self.attributes)
