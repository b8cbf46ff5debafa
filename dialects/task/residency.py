"""Residency of the bytes of a placed value: `task.prefetch`, `task.evict`, `task.write_back`, `task.discard`.

A value of `!task.on<@gpu, …>` belongs to the address space of @gpu. Its bytes are in the memory of @gpu, or in a tier
behind it: a device of kind `memory`, which a link connects with @gpu. The residency of a value states which of these
memories hold its bytes. Tasks, faults and these ops change the residency, but not the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import IntegerAttr, SymbolRefAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    EqAttrConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryFreeEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp
from dialects.element_types import byte_count
from dialects.task.repeat import RepeatOp
from dialects.task.schedule import check_tier
from dialects.task.types import ON, OnType, TokenType, placed
from dialects.values import called, read_device, resolve_known


class ResidencyOp(BracedOp):
    """Base class of the ops that change the residency of a value's bytes. Such an op is ordered among the tasks of the
    value's device and is issued when the last task before it has ended. An op that takes bytes off the device, or
    discards them, also waits for the copies and tasks before it that use them.

    (C1) the operand is a placed value. (C2) the parent is a function: a loop is one task of its device, and its body
    contains none of these ops. (C3) a range of bytes is within the value.
    """

    value = operand_def(ON)
    first = prop_def(IntegerAttr.constr(type=EqAttrConstraint(i64)), default_value=IntegerAttr(0, i64))
    last = opt_prop_def(IntegerAttr.constr(type=EqAttrConstraint(i64)))

    @property
    def place(self) -> str:
        """The name of the device that the value belongs to."""
        return placed(self.value).place

    @property
    def nbytes(self) -> int:
        """Bytes of the whole value."""
        return byte_count(placed(self.value).tensor)

    @property
    def range(self) -> tuple[int, int]:
        """The range of affected bytes: the first, and one past the last."""
        return self.first.value.data, self.nbytes if self.last is None else self.last.value.data

    @property
    def covers_value(self) -> bool:
        """True if the op affects all bytes of the value."""
        return self.range == (0, self.nbytes)

    def set_range(self, range_: tuple[int, int] | None) -> None:
        """Restrict the op to these bytes; None: all bytes."""
        first, last = (0, self.nbytes) if range_ is None else range_
        self.first = IntegerAttr(first, i64)
        self.last = None if last == self.nbytes else IntegerAttr(last, i64)

    def check_residency(self) -> None:
        """Raise VerifyException for an op in the body of a loop, and for a range outside the value."""
        if isinstance(self.parent_op(), RepeatOp):  # (C2)
            raise VerifyException(
                f"{self.name} must be in a function, not in the body of a task.repeat: a loop is one task of its "
                "device; move it before or after the loop"
            )
        first, last = self.range
        if not 0 <= first < last <= self.nbytes:  # (C3)
            raise VerifyException(
                f"{self.name}: the range [{first} to {last}] must be a non-empty part of the {self.nbytes} bytes of "
                f"{called(self.value)}"
            )

    @staticmethod
    def read_value(parser: Parser, name: str) -> SSAValue:
        """Read the operand. Raises ParseError if it is not a placed value."""
        start = parser.pos
        value = resolve_known(parser, parser.parse_unresolved_operand())
        if not isinstance(value.type, OnType):  # (C1)
            parser.raise_error(
                f"{name}: {called(value)} is a {value.type} and is not on a device; place it first (task.resident "
                f"{called(value)} on @DEVICE)",
                start,
                parser.pos,
            )
        return value

    @staticmethod
    def read_range(parser: Parser) -> tuple[int, int] | None:
        """Read `[0 to 1048576]` if present."""
        if parser.parse_optional_punctuation("[") is None:
            return None
        first = parser.parse_integer(allow_boolean=False)
        parser.parse_keyword("to")
        last = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation("]")
        return first, last

    def print_moved(self, printer: Printer) -> None:
        """Print the value, and the range unless it is the whole value."""
        printer.print_string(" ")
        printer.print_operand(self.value)
        if not self.covers_value:
            printer.print_string(f" [{self.range[0]} to {self.range[1]}]")


class MoveOp(ResidencyOp):
    """Base class of the ops that move bytes between a device's memory and its tiers, in parallel with its tasks.

    Moves of one direction are executed in program order. A move may be restricted to a range of the value's bytes, and
    may wait for other values. Its result is a token for the arrival of the bytes.

    (C4) the values it waits for are placed values or tokens.
    """

    value = operand_def(ON)  # declared again, since it precedes the values it waits for
    after = var_operand_def()
    token = result_def(base(TokenType))

    def verify_(self) -> None:
        self.check_residency()
        for value in self.after:
            if not isinstance(value.type, OnType | TokenType):  # (C4)
                raise VerifyException(
                    f"{self.name}: an op can wait for a placed value or a token, not for {value.type}"
                )

    @staticmethod
    def read_after(parser: Parser) -> list[SSAValue]:
        """Read `after %a, %b` if present."""
        after: list[SSAValue] = []
        if parser.parse_optional_keyword("after"):
            after.append(resolve_known(parser, parser.parse_unresolved_operand()))
            while parser.parse_optional_punctuation(","):
                after.append(resolve_known(parser, parser.parse_unresolved_operand()))
        return after

    def print_rest(self, printer: Printer) -> None:
        """Print the values that the op waits for, and its attributes."""
        if self.after:
            printer.print_string(" after ")
            printer.print_list(self.after, printer.print_operand)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class PrefetchOp(MoveOp):
    """Move bytes of a value into the memory of its device, from the tiers that hold them.

    Bytes already resident are not moved. A task that reads the value waits until all of it is resident.

    ```mlir
    %w = graph.weight "fc" = uniform(-0.1, 0.1, 7) : tensor<8x8xf16>
    %x = task.resident %w on @gpu at @host
    %a = task.prefetch %x [0 to 64]
    %b = task.prefetch %x [64 to 128] after %a
    %y = task.run @gpu (%p = %x) {
      %0 = graph.relu %p : tensor<8x8xf16>
      task.yield %0
    }
    ```
    """

    name = "task.prefetch"
    traits = traits_def(MemoryWriteEffect())

    def __init__(self, value: SSAValue, range_: tuple[int, int] | None = None, after: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[value, after], result_types=[TokenType()])
        self.set_range(range_)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = cls.read_value(parser, cls.name)
        range_ = cls.read_range(parser)
        op = cls(value, range_, cls.read_after(parser))
        return op.with_braces(parser, first=range_, last=range_)

    def print(self, printer: Printer) -> None:
        self.print_moved(printer)
        self.print_rest(printer)


class OutwardOp(MoveOp):
    """Base class of moves from a device's memory to a tier. (C5) the tier is another device."""

    value = operand_def(ON)
    tier = prop_def(SymbolRefAttr)
    after = var_operand_def()

    def __init__(
        self, value: SSAValue, tier: str, range_: tuple[int, int] | None = None, after: Sequence[SSAValue] = ()
    ) -> None:
        super().__init__(operands=[value, after], result_types=[TokenType()], properties={"tier": SymbolRefAttr(tier)})
        self.set_range(range_)

    @property
    def target(self) -> str:
        """The tier's name."""
        return self.tier.root_reference.data

    def verify_(self) -> None:
        super().verify_()
        check_tier(self.name, self.value, self.tier)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = cls.read_value(parser, cls.name)
        range_ = cls.read_range(parser)
        parser.parse_keyword("to")
        tier = read_device(parser).data
        op = cls(value, tier, range_, cls.read_after(parser))
        return op.with_braces(parser, first=range_, last=range_)

    def print(self, printer: Printer) -> None:
        self.print_moved(printer)
        printer.print_string(" to ")
        printer.print_symbol_name(self.target)
        self.print_rest(printer)


@irdl_op_definition
class EvictOp(OutwardOp):
    """Move bytes of a value out of the memory of its device, to a tier.

    Bytes with a valid copy in a tier are dropped without a transfer in mode `copy` (`#task.memory<…, mode = "copy">`).

    ```mlir
    %w = graph.weight "fc" = uniform(-0.1, 0.1, 7) : tensor<8x8xf16>
    %x = task.resident %w on @gpu
    %y = task.run @gpu (%p = %x) {
      %0 = graph.relu %p : tensor<8x8xf16>
      task.yield %0
    }
    %left = task.evict %x to @host after %y
    ```
    """

    name = "task.evict"
    traits = traits_def(MemoryWriteEffect())


@irdl_op_definition
class WriteBackOp(OutwardOp):
    """Copy bytes of a value to a tier while they stay in the memory of its device: a later `task.evict` need not
    transfer them.

    ```mlir
    %w = graph.weight "fc" = uniform(-0.1, 0.1, 7) : tensor<8x8xf16>
    %x = task.resident %w on @gpu
    %copied = task.write_back %x to @host
    %gone = task.evict %x to @host after %copied
    ```
    """

    name = "task.write_back"
    traits = traits_def(MemoryWriteEffect())


@irdl_op_definition
class DiscardOp(ResidencyOp):
    """Free all copies of a dead value's bytes without a transfer. No op may use the value afterwards, nor a view of it.

    With `at`, only the copy in a tier is dropped, of bytes that are also resident in the memory of the device.

    (C5) the tier is another device.

    ```mlir
    %w = graph.weight "fc" = uniform(-0.1, 0.1, 7) : tensor<8x8xf16>
    %x = task.resident %w on @gpu
    %copied = task.write_back %x to @host
    task.discard %x [0 to 64] at @host
    %y = task.run @gpu (%p = %x) {
      %0 = graph.relu %p : tensor<8x8xf16>
      task.yield %0
    }
    task.discard %x
    ```
    """

    name = "task.discard"
    tier = opt_prop_def(SymbolRefAttr)
    traits = traits_def(MemoryFreeEffect())

    def __init__(self, value: SSAValue, range_: tuple[int, int] | None = None, tier: str | None = None) -> None:
        super().__init__(operands=[value], properties={} if tier is None else {"tier": SymbolRefAttr(tier)})
        self.set_range(range_)

    @property
    def copy_in(self) -> str | None:
        """The tier whose copy is dropped; None: the value is dead and all copies are."""
        return None if self.tier is None else self.tier.root_reference.data

    def verify_(self) -> None:
        self.check_residency()
        if self.tier is not None:
            check_tier(self.name, self.value, self.tier)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = cls.read_value(parser, cls.name)
        range_ = cls.read_range(parser)
        tier = read_device(parser).data if parser.parse_optional_keyword("at") else None
        return cls(value, range_, tier).with_braces(parser, tier=tier, first=range_, last=range_)

    def print(self, printer: Printer) -> None:
        self.print_moved(printer)
        if self.copy_in is not None:
            printer.print_string(" at ")
            printer.print_symbol_name(self.copy_in)
        printer.print_op_attributes(self.attributes)
