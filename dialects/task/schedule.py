"""Ops for placement and synchronisation of values: `task.resident`, `task.copy`, `task.join`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import Self

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, SymbolRefAttr, TensorType, UnitAttr, i32, i64
from xdsl.ir import Operation, SSAValue
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
from xdsl.traits import NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp
from dialects.task.types import ON, OnType, TokenType, placed
from dialects.values import called, read_device, resolve_known


class ScheduledOp(BracedOp):
    """Base class of ops that take time: a queue of their device, and values to wait for in addition to operands.

    (C1) queues are numbered from 0. (C2) the values it waits for are placed values or tokens. (C7) a stream is the
    result of a task or copy.
    """

    queue = prop_def(IntegerAttr.constr(type=EqAttrConstraint(i64)), default_value=IntegerAttr(0, i64))
    after = var_operand_def()

    @property
    def queue_number(self) -> int:
        """The number of the op's queue, 0 by default. Tasks of one device and queue run in program order."""
        return self.queue.value.data

    @property
    @abstractmethod
    def streamed(self) -> tuple[int, ...]:
        """The indices of the operands that the op takes as streams, i.e. while they are produced."""

    def wait_for(self, value: SSAValue) -> None:
        """Add a placed value or token to wait for."""
        self.operands = [*self.operands, value]  # `after` is the last of the operands
        sizes = self.properties.get("operandSegmentSizes")
        if isinstance(sizes, DenseArrayBase):
            *others, waits = map(int, sizes.get_values())
            self.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [*others, waits + 1])

    def check_schedule(self) -> None:
        """Raise VerifyException for an invalid queue or dependency."""
        if self.queue_number < 0:  # (C1)
            raise VerifyException(f"{self.name}: the queue must be a number of at least 0, not {self.queue_number}")
        for value in self.after:
            if not isinstance(value.type, OnType | TokenType):  # (C2)
                raise VerifyException(
                    f"{self.name}: an op can wait for a placed value or a token, not for {value.type}"
                )
        for number in self.streamed:
            maker = self.operands[number].owner
            if not isinstance(maker, Operation) or maker.name not in ("task.run", "task.copy"):  # (C7)
                name = called(self.operands[number])
                raise VerifyException(
                    f"{self.name}: only the result of a task.run or task.copy can be a stream, but {name} is not "
                    "such a result; remove `stream`"
                )

    @staticmethod
    def parse_schedule(parser: Parser) -> tuple[int | None, list[SSAValue]]:
        """Read `queue N` and `after %a, %b`, both optional: None for an omitted queue."""
        queue, start = None, parser.pos
        if parser.parse_optional_keyword("queue"):
            queue = parser.parse_integer(allow_boolean=False)
            if not 0 <= queue < 1 << 31:
                parser.raise_error(f"queues are numbered from 0 to 2147483647, not {queue}", start, parser.pos)
        after: list[SSAValue] = []
        if parser.parse_optional_keyword("after"):
            after.append(resolve_known(parser, parser.parse_unresolved_operand()))
            while parser.parse_optional_punctuation(","):
                after.append(resolve_known(parser, parser.parse_unresolved_operand()))
        return queue, after

    def print_schedule(self, printer: Printer) -> None:
        if self.queue_number:
            printer.print_string(f" queue {self.queue_number}")
        if self.after:
            printer.print_string(" after ")
            printer.print_list(self.after, printer.print_operand)


@irdl_op_definition
class ResidentOp(BracedOp):
    """A weight or constant that is on a device before the program starts: it takes capacity, but no time.

    With `at`, it belongs to the device but is in a tier behind its memory: it takes capacity there, and `task.prefetch`
    moves it.

    (C1) the tensor type is unchanged. (C2) a tier is another device.

    ```mlir
    %w = graph.weight "fc" = uniform(-0.1, 0.1, 7) : tensor<8x8xf16>
    %wp = task.resident %w on @pim
    %wg = task.resident %w on @gpu at @host
    ```
    """

    name = "task.resident"
    tier = opt_prop_def(SymbolRefAttr)
    value = operand_def(base(TensorType))
    placed = result_def(ON)
    traits = traits_def(NoMemoryEffect())

    def __init__(self, value: SSAValue, device: str, tier: str | None = None) -> None:
        properties = {} if tier is None else {"tier": SymbolRefAttr(tier)}
        super().__init__(operands=[value], result_types=[OnType.of(device, value.type)], properties=properties)

    @property
    def starts_at(self) -> str | None:
        """The tier that holds the weight or constant when the program starts; None if the device's own memory does."""
        return None if self.tier is None else self.tier.root_reference.data

    def verify_(self) -> None:
        if placed(self.placed).tensor != self.value.type:  # (C1)
            raise VerifyException(
                f"task.resident keeps the tensor: {self.value.type} does not become {self.placed.type}"
            )
        if self.tier is not None:  # (C2)
            check_tier(self.name, self.placed, self.tier)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        value = resolve_known(parser, parser.parse_unresolved_operand())
        parser.parse_keyword("on")
        device = read_device(parser).data
        if not isinstance(value.type, TensorType):
            parser.raise_error(
                f"task.resident takes a weight or constant (a tensor), not {value.type}", start, parser.pos
            )
        tier = read_device(parser).data if parser.parse_optional_keyword("at") else None
        op = cls(value, device, tier)
        return op.with_braces(parser, tier=tier)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(" on ")
        printer.print_symbol_name(placed(self.placed).place)
        if self.starts_at is not None:
            printer.print_string(" at ")
            printer.print_symbol_name(self.starts_at)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class CopyOp(ScheduledOp):
    """Copy a value to another device over the link between the two devices. No other op copies values between devices.

    With `stream`, the value is copied while it is produced: the copy starts no earlier than the producer starts and
    ends no earlier than the producer ends. This is for near-data units that compute on the fly on data that other
    devices write or read, as their sheet specifies (`fly`).

    (C3) source and target differ. (C4) the tensor type is unchanged.

    ```mlir
    %w = graph.weight "fc" = uniform(-0.1, 0.1, 7) : tensor<8x8xf16>
    %wg = task.resident %w on @gpu
    %wn = task.copy %wg to @ndp
    %wb = task.copy stream %wn to @gpu
    %wp = task.copy %wg to @pim queue 1
    ```
    """

    name = "task.copy"
    stream = opt_prop_def(UnitAttr)
    value = operand_def(ON)
    copied = result_def(ON)

    def __init__(self, value: SSAValue, device: str, queue: int = 0, after: Sequence[SSAValue] = ()) -> None:
        super().__init__(
            operands=[value, after],
            result_types=[OnType.of(device, placed(value).tensor)],
            properties={"queue": IntegerAttr(queue, i64)},
        )

    @property
    def streamed(self) -> tuple[int, ...]:
        return () if self.stream is None else (0,)

    def take_as_stream(self, numbers: Collection[int]) -> None:
        """Mark the operand as a stream if `numbers` contains 0."""
        self.stream = UnitAttr() if 0 in numbers else None

    @property
    def ends(self) -> tuple[str, str]:
        """The names of the source and the target device."""
        return placed(self.value).place, placed(self.copied).place

    def verify_(self) -> None:
        self.check_schedule()
        if self.ends[0] == self.ends[1]:  # (C3)
            raise VerifyException(f"task.copy: the value is on @{self.ends[0]} already; name another device as target")
        if placed(self.value).tensor != placed(self.copied).tensor:  # (C4)
            raise VerifyException(f"task.copy keeps the tensor: {self.value.type} does not become {self.copied.type}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        stream = UnitAttr() if parser.parse_optional_keyword("stream") else None
        value = resolve_known(parser, parser.parse_unresolved_operand())
        parser.parse_keyword("to")
        device = read_device(parser).data
        queue, after = cls.parse_schedule(parser)
        try:
            op = cls(value, device, queue or 0, after)
        except VerifyException as error:
            parser.raise_error(f"task.copy: {error}", start, parser.pos)
        op.stream = stream
        return op.with_braces(parser, queue=queue, stream=stream)

    def print(self, printer: Printer) -> None:
        printer.print_string(" stream " if self.streamed else " ")
        printer.print_operand(self.value)
        printer.print_string(" to ")
        printer.print_symbol_name(self.ends[1])
        self.print_schedule(printer)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class JoinOp(BracedOp):
    """A token for the moment at which all operands are available, for other ops to wait for; takes no time.

    (C1) it waits for at least one value, placed values and tokens only.

    ```mlir
    %w = graph.weight "fc" = uniform(-0.1, 0.1, 7) : tensor<8x8xf16>
    %a = task.resident %w on @gpu
    %t = task.join %a
    %b = task.copy %a to @pim after %t
    ```
    """

    name = "task.join"
    values = var_operand_def()
    token = result_def(base(TokenType))

    def __init__(self, values: Sequence[SSAValue]) -> None:
        super().__init__(operands=[values], result_types=[TokenType()])

    def verify_(self) -> None:
        if not self.values:  # (C1)
            raise VerifyException("task.join must wait for at least one value, but has no operands")
        for value in self.values:
            if not isinstance(value.type, OnType | TokenType):  # (C1)
                raise VerifyException(f"task.join waits for placed values and tokens, not {value.type}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        values = [resolve_known(parser, parser.parse_unresolved_operand())]
        while parser.parse_optional_punctuation(","):
            values.append(resolve_known(parser, parser.parse_unresolved_operand()))
        op = cls(values)
        return op.with_braces(parser)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.values, printer.print_operand)
        printer.print_op_attributes(self.attributes)


def check_tier(name: str, value: SSAValue, tier: SymbolRefAttr) -> None:
    """Raise VerifyException for a tier that is no name, or is the value's own device."""
    if tier.nested_references.data:
        raise VerifyException(f"{name}: the tier must be one name (@host), not {tier}")
    if tier.root_reference.data == placed(value).place:
        raise VerifyException(
            f"{name}: {called(value)} belongs to @{placed(value).place}, which can't be its own tier; name a memory "
            "behind this device (@host)"
        )
