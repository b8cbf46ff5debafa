"""Residency of the bytes of a placed value: `task.prefetch`, `task.evict`, `task.write_back`, `task.discard`.

A value of `!task.on<@gpu, …>` belongs to the address space of @gpu. Its bytes are in the memory of @gpu, or in a tier
behind it: a device of kind `memory`, which a link connects with @gpu, or the free memory of another device behind a
duplex link of its own. The residency of a value states which of these memories hold its bytes. Tasks, faults and these
ops change the residency, but not the value.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, Self

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, SymbolRefAttr, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    EqAttrConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
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
from dialects.task.slices import Slice, parse_iterations, print_iterations
from dialects.task.types import ON, OnType, TokenType, placed
from dialects.values import called, read_device, resolve_known


class ResidencyOp(BracedOp):
    """Base class of the ops that change the residency of a value's bytes. Such an op is ordered among the tasks of the
    value's device and is issued when the last task before it has ended. An op that takes bytes off the device, or
    discards them, also waits for the copies and tasks before it that use them.

    In the body of a loop, an op may move another slice of a stack in each iteration, by the loop's counter, and may be
    executed in some iterations alone (`in 0 to 5, 8`): executions of the body are numbered from 0 on, over all runs of
    the loop.

    (C1) the operand is a placed value. (C2) the parent is a function or a loop; slices by a counter, and iterations,
    are those of the loop whose body contains the op. (C3) a range of bytes is within the value, or within its slice.
    (C6) slices have equal sizes, and each slice that the op moves exists. (C7) ranges of iterations ascend.
    """

    value = operand_def(ON)
    counter = opt_operand_def(ON)
    first = prop_def(IntegerAttr.constr(type=EqAttrConstraint(i64)), default_value=IntegerAttr(0, i64))
    last = opt_prop_def(IntegerAttr.constr(type=EqAttrConstraint(i64)))
    slice = opt_prop_def(IntegerAttr.constr(type=EqAttrConstraint(i64)))
    of = opt_prop_def(IntegerAttr.constr(type=EqAttrConstraint(i64)))
    reversed = opt_prop_def(UnitAttr)
    iterations = opt_prop_def(DenseArrayBase.constr(i64))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @property
    def place(self) -> str:
        """The name of the device that the value belongs to."""
        return placed(self.value).place

    @property
    def nbytes(self) -> int:
        """Bytes of the whole value."""
        return byte_count(placed(self.value).tensor)

    @property
    def sliced(self) -> Slice | None:
        """The slice that the op moves; None if it moves the value, or bytes of it."""
        if self.of is None or self.slice is None:
            return None
        return Slice(self.of.value.data, self.slice.value.data, self.counter, self.reversed is not None)

    @property
    def whole(self) -> int:
        """Bytes of the value, or of its slice."""
        return self.nbytes if self.of is None else self.nbytes // max(self.of.value.data, 1)

    @property
    def range(self) -> tuple[int, int]:
        """The range of affected bytes of the value, or of its slice: the first, and one past the last."""
        return self.first.value.data, self.whole if self.last is None else self.last.value.data

    @property
    def covers_value(self) -> bool:
        """True if the op affects all bytes of the value, or of its slice."""
        return self.range == (0, self.whole)

    def range_at(self, counter: int) -> tuple[int, int]:
        """The range of affected bytes of the value, if the counter of the loop around the op has this value."""
        start = 0 if self.sliced is None else self.sliced.at(counter) * self.whole
        return start + self.range[0], start + self.range[1]

    def executes(self, number: int) -> bool:
        """True if the op is executed in the body's execution of this number, from 0 on."""
        if self.iterations is None:
            return True
        return bisect_right(self.iterations.get_values(), number) % 2 == 1

    def restrict(self, part: Part) -> None:
        """Restrict the op to a part of the value."""
        if part.slice is not None:
            self.slice, self.of = IntegerAttr(part.slice.offset, i64), IntegerAttr(part.slice.of, i64)
            self.reversed = UnitAttr() if part.slice.reversed else None
        if part.iterations is not None:
            self.iterations = DenseArrayBase.from_list(i64, part.iterations)
        first, last = (0, self.whole) if part.range is None else part.range
        self.first = IntegerAttr(first, i64)
        self.last = None if last == self.whole else IntegerAttr(last, i64)

    def check_residency(self) -> None:
        """Raise VerifyException for a range outside the value, and for slices and iterations that do not exist."""
        loop = self.parent_op()
        if not isinstance(loop, RepeatOp):
            loop = None
        if self.counter is not None and (loop is None or self.counter is not loop.counter):  # (C2)
            raise VerifyException(
                f"{self.name}: {called(self.counter)} is not the counter of the loop around this op; a slice is chosen "
                "by this counter alone, or by a number"
            )
        if self.iterations is not None:
            bounds = list(self.iterations.get_values())
            if loop is None:  # (C2)
                raise VerifyException(
                    f"{self.name}: `in` names iterations of the loop around this op, but it is in no loop; remove it"
                )
            if len(bounds) % 2 or not bounds or bounds[0] < 0 or any(a >= b for a, b in pairwise(bounds)):  # (C7)
                raise VerifyException(
                    f"{self.name}: iterations are ascending ranges that do not touch (in 0 to 5, 8), not {bounds}"
                )
        if (part := self.sliced) is not None:
            if part.of < 1 or self.nbytes % part.of:  # (C6)
                raise VerifyException(
                    f"{self.name}: the {self.nbytes} bytes of {called(self.value)} can't be divided into {part.of} "
                    "slices of equal size"
                )
            for number in (part.at(counter) for counter in self._counters(loop)):
                if not 0 <= number < part.of:  # (C6)
                    raise VerifyException(
                        f"{self.name}: {called(self.value)} has slices 0 to {part.of - 1}, but slice {number} is "
                        "moved; restrict the op to the iterations in which its slice exists (in 0 to 5)"
                    )
        first, last = self.range
        if not 0 <= first < last <= self.whole:  # (C3)
            what = called(self.value) if self.sliced is None else f"a slice of {called(self.value)}"
            raise VerifyException(
                f"{self.name}: the range [{first} to {last}] must be a non-empty part of the {self.whole} bytes of "
                f"{what}"
            )

    def _counters(self, loop: RepeatOp | None) -> Iterator[int]:
        """The least and the greatest value of the loop's counter in each range of iterations of the op."""
        if loop is None:
            yield 0
            return
        count, start = loop.iterations, loop.counted.start
        bounds = [0, count] if self.iterations is None else list(self.iterations.get_values())
        for first, end in list(pairwise(bounds))[::2] if count else ():
            if end - first >= count or first % count > (end - 1) % count:
                yield from (start, start + count - 1)
            else:
                yield from (start + first % count, start + (end - 1) % count)

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
    def read_part(parser: Parser) -> Part:
        """Read `slice %i + 2 of 24 [0 to 1048576]`, of which each may be missing."""
        part = Slice.parse(parser)
        if parser.parse_optional_punctuation("[") is None:
            return Part(None, part)
        first = parser.parse_integer(allow_boolean=False)
        parser.parse_keyword("to")
        last = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation("]")
        return Part((first, last), part)

    def with_part(self, parser: Parser, part: Part, tier: object = True) -> Self:
        """Read the attribute dictionary, which may state the part of the value that the text leaves out, and the tier
        if it is None."""
        whole, sliced = part.range, part.slice
        return self.with_braces(
            parser,
            tier=tier,
            first=whole,
            last=whole,
            slice=sliced,
            of=sliced,
            reversed=sliced,
            iterations=part.iterations,
        )

    def print_moved(self, printer: Printer) -> None:
        """Print the value and its slice, and the range unless it is the whole of this."""
        printer.print_string(" ")
        printer.print_operand(self.value)
        if self.sliced is not None:
            self.sliced.print(printer)
        if not self.covers_value:
            printer.print_string(f" [{self.range[0]} to {self.range[1]}]")

    def print_iterations(self, printer: Printer) -> None:
        """Print the iterations in which the op is executed, unless it is in all."""
        if self.iterations is not None:
            print_iterations(printer, self.iterations.get_values())


class Part(NamedTuple):
    """A part of a value that a residency op affects: a range of bytes of the value or of its slice, the slice, and the
    bounds of the ranges of iterations; each None for all."""

    range: tuple[int, int] | None = None
    slice: Slice | None = None
    iterations: Sequence[int] | None = None

    @property
    def counters(self) -> list[SSAValue]:
        """The loop's counter, if it chooses the slice."""
        return [] if self.slice is None or self.slice.counter is None else [self.slice.counter]


WHOLE = Part()
"""All bytes of a value, in each iteration."""


class MoveOp(ResidencyOp):
    """Base class of the ops that move bytes between a device's memory and its tiers, in parallel with its tasks.

    Moves of one direction are executed in program order. A move may be restricted to a range of the value's bytes, and
    may wait for other values. Its result is a token for the arrival of the bytes.

    (C4) the values it waits for are placed values or tokens.
    """

    value = operand_def(ON)  # declared again, since it precedes the values it waits for
    counter = opt_operand_def(ON)
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
        """Print the iterations, the values that the op waits for, and its attributes."""
        self.print_iterations(printer)
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

    def __init__(self, value: SSAValue, part: Part = WHOLE, after: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[value, part.counters, after], result_types=[TokenType()])
        self.restrict(part)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = cls.read_value(parser, cls.name)
        part = cls.read_part(parser)._replace(iterations=parse_iterations(parser))
        return cls(value, part, cls.read_after(parser)).with_part(parser, part)

    def print(self, printer: Printer) -> None:
        self.print_moved(printer)
        self.print_rest(printer)


class OutwardOp(MoveOp):
    """Base class of moves from a device's memory to a tier. (C5) the tier is another device."""

    value = operand_def(ON)
    counter = opt_operand_def(ON)
    tier = prop_def(SymbolRefAttr)
    after = var_operand_def()

    def __init__(self, value: SSAValue, tier: str, part: Part = WHOLE, after: Sequence[SSAValue] = ()) -> None:
        super().__init__(
            operands=[value, part.counters, after],
            result_types=[TokenType()],
            properties={"tier": SymbolRefAttr(tier)},
        )
        self.restrict(part)

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
        part = cls.read_part(parser)
        parser.parse_keyword("to")
        tier = read_device(parser).data
        part = part._replace(iterations=parse_iterations(parser))
        return cls(value, tier, part, cls.read_after(parser)).with_part(parser, part)

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

    def __init__(self, value: SSAValue, part: Part = WHOLE, tier: str | None = None) -> None:
        super().__init__(
            operands=[value, part.counters], properties={} if tier is None else {"tier": SymbolRefAttr(tier)}
        )
        self.restrict(part)

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
        part = cls.read_part(parser)
        tier = read_device(parser).data if parser.parse_optional_keyword("at") else None
        part = part._replace(iterations=parse_iterations(parser))
        return cls(value, part, tier).with_part(parser, part, tier=tier)

    def print(self, printer: Printer) -> None:
        self.print_moved(printer)
        if self.copy_in is not None:
            printer.print_string(" at ")
            printer.print_symbol_name(self.copy_in)
        self.print_iterations(printer)
        printer.print_op_attributes(self.attributes)
