"""`task`: where and when; a value's place is part of its type.

`task.copy` is the only door between places, and a task's body is level one again: the same graph ops on plain tensors,
with the same numbers. Each device runs the tasks of one queue in program order; queues and devices run side by side
wherever no value ties them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import IntegerAttr, SymbolRefAttr, TensorType, i64
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    EqAttrConstraint,
    IRDLOperation,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dialects.binding import YieldingOp, parse_bindings, print_bindings
from dialects.graph.op import Tensor
from dialects.values import resolve_known


@irdl_attr_definition
class OnType(ParametrizedAttribute, TypeAttribute):
    """A tensor that lies in a device's memory: `!task.on<@pim, tensor<1x4096xf16>>`."""

    name = "task.on"
    device: SymbolRefAttr
    tensor: TensorType

    @staticmethod
    def of(device: str, tensor: Attribute) -> OnType:
        assert isinstance(tensor, TensorType)
        return OnType(SymbolRefAttr(device), tensor)  # pyright: ignore[reportUnknownArgumentType]

    @property
    def place(self) -> str:
        """The device's name."""
        return self.device.root_reference.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            device = SymbolRefAttr(parser.parse_symbol_name())
            parser.parse_punctuation(",")
            start = parser.pos
            tensor = parser.parse_type()
            if not isinstance(tensor, TensorType):
                parser.raise_error(f"a place holds tensors, not {tensor}", start, parser.pos)
            return device, tensor

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_symbol_name(self.place)
            printer.print_string(", ")
            printer.print_attribute(self.tensor)


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """A moment in time: that everything it was made from is done."""

    name = "task.token"


ON = base(OnType)


def placed(value: SSAValue) -> OnType:
    """The type of a value that lies somewhere. Raises VerifyException for one that does not."""
    if not isinstance(value.type, OnType):
        called = f"%{value.name_hint}" if value.name_hint else "the value"
        raise VerifyException(
            f"{called} is a {value.type} and lies on no device; place it first (task.resident {called} on @DEVICE)"
        )
    return value.type


class ScheduledOp(IRDLOperation):
    """Common to ops that take time: a queue of their device, and values to wait for besides their operands."""

    queue = prop_def(IntegerAttr.constr(type=EqAttrConstraint(i64)), default_value=IntegerAttr(0, i64))
    after = var_operand_def()

    @property
    def queue_number(self) -> int:
        """Tasks of one device and queue run in program order."""
        return self.queue.value.data

    def check_schedule(self) -> None:
        """Raises VerifyException if the queue or a dependency makes no sense."""
        if self.queue_number < 0:
            raise VerifyException(f"{self.name}: queues are numbered from 0, not {self.queue_number}")
        for value in self.after:
            if not isinstance(value.type, OnType | TokenType):
                raise VerifyException(f"{self.name}: one waits for a placed value or a token, not {value.type}")

    @staticmethod
    def parse_schedule(parser: Parser) -> tuple[IntegerAttr, list[SSAValue]]:
        queue = parser.parse_integer(allow_boolean=False) if parser.parse_optional_keyword("queue") else 0
        after: list[SSAValue] = []
        if parser.parse_optional_keyword("after"):
            after.append(resolve_known(parser, parser.parse_unresolved_operand()))
            while parser.parse_optional_punctuation(","):
                after.append(resolve_known(parser, parser.parse_unresolved_operand()))
        return IntegerAttr(queue, i64), after

    def print_schedule(self, printer: Printer) -> None:
        if self.queue_number:
            printer.print_string(f" queue {self.queue_number}")
        if self.after:
            printer.print_string(" after ")
            printer.print_list(self.after, printer.print_operand)


@irdl_op_definition
class ResidentOp(IRDLOperation):
    """A weight or constant that lies on a device before the program starts: it costs capacity, but no time.

    ```mlir
    %w = graph.weight "fc" = uniform(-0.1, 0.1, 7) : tensor<8x8xf16>
    %wp = task.resident %w on @pim
    ```
    """

    name = "task.resident"
    value = operand_def(base(TensorType))
    placed = result_def(ON)
    traits = traits_def(NoMemoryEffect())

    def __init__(self, value: SSAValue, device: str) -> None:
        super().__init__(operands=[value], result_types=[OnType.of(device, value.type)])

    def verify_(self) -> None:
        if placed(self.placed).tensor != self.value.type:
            raise VerifyException(
                f"task.resident keeps the tensor: {self.value.type} does not become {self.placed.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        value = resolve_known(parser, parser.parse_unresolved_operand())
        parser.parse_keyword("on")
        device = parser.parse_symbol_name().data
        if not isinstance(value.type, TensorType):
            parser.raise_error(
                f"task.resident takes a weight or constant (a tensor), not {value.type}", start, parser.pos
            )
        op = cls(value, device)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(" on ")
        printer.print_symbol_name(placed(self.placed).place)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class CopyOp(ScheduledOp):
    """A value brought to another device, over the link between the two: the only way there.

    (C1) source and target differ. (C2) the tensor stays.

    ```mlir
    %w = graph.weight "fc" = uniform(-0.1, 0.1, 7) : tensor<8x8xf16>
    %wg = task.resident %w on @gpu
    %wp = task.copy %wg to @pim queue 1
    ```
    """

    name = "task.copy"
    value = operand_def(ON)
    copied = result_def(ON)

    def __init__(self, value: SSAValue, device: str, queue: int = 0, after: Sequence[SSAValue] = ()) -> None:
        super().__init__(
            operands=[value, after],
            result_types=[OnType.of(device, placed(value).tensor)],
            properties={"queue": IntegerAttr(queue, i64)},
        )

    @property
    def ends(self) -> tuple[str, str]:
        """The names of the device it comes from and of the one it goes to."""
        return placed(self.value).place, placed(self.copied).place

    def verify_(self) -> None:
        self.check_schedule()
        if self.ends[0] == self.ends[1]:  # (C1)
            raise VerifyException(f"task.copy: the value is on @{self.ends[0]} already")
        if placed(self.value).tensor != placed(self.copied).tensor:  # (C2)
            raise VerifyException(f"task.copy keeps the tensor: {self.value.type} does not become {self.copied.type}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        value = resolve_known(parser, parser.parse_unresolved_operand())
        parser.parse_keyword("to")
        device = parser.parse_symbol_name().data
        queue, after = cls.parse_schedule(parser)
        try:
            op = cls(value, device, queue.value.data, after)
        except VerifyException as error:
            parser.raise_error(f"task.copy: {error}", start, parser.pos)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(" to ")
        printer.print_symbol_name(self.ends[1])
        self.print_schedule(printer)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class YieldOp(YieldingOp):
    """The results of a `task.run` body.

    ```mlir
    task.yield %y
    ```
    """

    name = "task.yield"
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(RunOp)))


@irdl_op_definition
class RunOp(ScheduledOp):
    """Graph ops (or launches of a `pim.kernel`) run on a device, as one task.

    (C1) operands lie on that device, and results do. (C2) the body sees plain tensors, only those it is handed, and
    ends in `task.yield`.

    ```mlir
    %w = graph.weight "fc" = uniform(-0.1, 0.1, 7) : tensor<8x8xf16>
    %wp = task.resident %w on @pim
    %y = task.run @pim (%a = %wp) {
      %0 = graph.relu %a : tensor<8x8xf16>
      task.yield %0
    }
    ```
    """

    name = "task.run"
    device = prop_def(SymbolRefAttr)
    inputs = var_operand_def(ON)
    body = region_def("single_block")
    outputs = var_result_def(ON)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsolatedFromAbove())

    def __init__(
        self, device: str, inputs: Sequence[SSAValue], body: Region, queue: int = 0, after: Sequence[SSAValue] = ()
    ) -> None:
        """`body` is a block with one plain tensor argument an input, ended by `task.yield`."""
        last = body.block.last_op
        assert isinstance(last, YieldOp)
        super().__init__(
            operands=[inputs, after],
            result_types=[[OnType.of(device, value.type) for value in last.values]],
            properties={"device": SymbolRefAttr(device), "queue": IntegerAttr(queue, i64)},
            regions=[body],
        )

    @property
    def place(self) -> str:
        """The device's name."""
        return self.device.root_reference.data

    @property
    def yielded(self) -> tuple[SSAValue, ...]:
        """The values inside the body that become the results."""
        last = self.body.block.last_op
        return tuple(last.operands) if isinstance(last, YieldOp) else ()

    def verify_(self) -> None:
        self.check_schedule()
        for value in self.inputs:
            _on(self.place, value)  # (C1)
        inner = [argument.type for argument in self.body.block.args]
        if inner != [placed(value).tensor for value in self.inputs]:  # (C2)
            raise VerifyException(
                f"task.run @{self.place}: the body's arguments are the tensors of the operands they stand for"
            )
        last = self.body.block.last_op
        if not isinstance(last, YieldOp):  # (C2)
            raise VerifyException(f"task.run @{self.place}: the body ends in task.yield")
        for op in self.body.block.ops:
            if op.name.startswith("task.") and op is not last:  # (C2)
                raise VerifyException(
                    f"task.run @{self.place}: a task's body holds graph ops or pim.launch, not {op.name}"
                )
        yielded = [value.type for value in last.values]
        if [placed(value).tensor for value in self.outputs] != yielded or any(
            placed(value).place != self.place for value in self.outputs
        ):  # (C1)
            raise VerifyException(f"task.run @{self.place}: the results are the yielded tensors on @{self.place}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        device = parser.parse_symbol_name().data
        queue, after = cls.parse_schedule(parser)

        def inner(type_: Attribute) -> Attribute:
            if not isinstance(type_, OnType):
                raise VerifyException(f"task.run @{device} takes values that lie on @{device}, not a {type_}")
            return type_.tensor  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

        inputs, body = parse_bindings(parser, inner)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        last = body.block.last_op
        if not isinstance(last, YieldOp):
            parser.raise_error(f"task.run @{device}: the body ends in task.yield", start, parser.pos)
        if any(not isinstance(value.type, TensorType) for value in last.values):
            parser.raise_error(f"task.run @{device}: a body yields plain tensors", start, parser.pos)
        op = cls(device, inputs, body, queue.value.data, after)
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.place)
        self.print_schedule(printer)
        printer.print_string(" ")
        print_bindings(printer, self.inputs, self.body)
        printer.print_op_attributes(self.attributes, print_keyword=True)


def _on(device: str, value: SSAValue) -> None:
    place = placed(value).place
    if place != device:
        called = f"%{value.name_hint}" if value.name_hint else "an operand"
        raise VerifyException(
            f"task.run @{device}: {called} is on @{place}; copy it first (task.copy {called} to @{device})"
        )


@irdl_op_definition
class JoinOp(IRDLOperation):
    """The moment at which all its operands are there, as a token that others can wait for; takes no time.

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
        for value in self.values:
            if not isinstance(value.type, OnType | TokenType):
                raise VerifyException(f"task.join waits for placed values and tokens, not {value.type}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        values = [resolve_known(parser, parser.parse_unresolved_operand())]
        while parser.parse_optional_punctuation(","):
            values.append(resolve_known(parser, parser.parse_unresolved_operand()))
        op = cls(values)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.values, printer.print_operand)
        printer.print_op_attributes(self.attributes)


def tensor_on(value: SSAValue) -> Tensor:
    """The tensor type of a placed value."""
    return placed(value).tensor  # pyright: ignore[reportReturnType]


Task = Dialect("task", [RunOp, YieldOp, CopyOp, ResidentOp, JoinOp], [OnType, TokenType])
