"""`task.run`: graph ops or kernel launches that run on a device as one task."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Self

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, SymbolRefAttr, TensorType, i64
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator
from xdsl.utils.exceptions import VerifyException

from dialects.binding import EndsBody, YieldingOp, parse_bindings, print_bindings, type_list
from dialects.braces import parse_braces
from dialects.task.schedule import ScheduledOp
from dialects.task.types import ON, OnType, placed
from dialects.values import called, read_device


@irdl_op_definition
class YieldOp(YieldingOp):
    """Terminator with the results of the body of a `task.run`, or of one iteration of a `task.repeat`.

    ```mlir
    %x = graph.constant 1.0 : tensor<2x3xf16>
    %xg = task.resident %x on @gpu
    %y = task.run @gpu (%a = %xg) {
      %0 = graph.relu %a : tensor<2x3xf16>
      task.yield %0
    }
    ```
    """

    name = "task.yield"
    traits = traits_def(IsTerminator(), EndsBody(("task.run", "task.repeat")))


@irdl_op_definition
class RunOp(ScheduledOp):
    """Graph ops (or launches of a `pim.kernel`) run on a device, as one task.

    A task may take an operand as a stream while it is produced (`%a = stream %x`): it starts no earlier than the
    producer starts and ends no earlier than the producer ends. This is for near-data units that compute on the fly on
    data that other devices write or read, as their sheet specifies (`fly`). If a task has several phases, its first
    phase overlaps with the producer of its operands, and its last phase with the reader of its results.

    (C3) operands and results are on that device. (C4) the body is isolated, works on plain tensors, and ends in
    `task.yield`. (C5) it holds no ops of this level. (C6) the results must be the yielded tensors. (C8) `streams` are
    operand indices, ascending.

    ```mlir
    %w = graph.weight "fc" = uniform(-0.1, 0.1, 7) : tensor<8x8xf16>
    %wp = task.resident %w on @pim
    %y = task.run @pim (%a = %wp) {
      %0 = graph.relu %a : tensor<8x8xf16>
      task.yield %0
    }
    %yg = task.copy stream %y to @gpu
    %z = task.run @gpu (%a = stream %yg) {
      %0 = graph.relu %a : tensor<8x8xf16>
      task.yield %0
    }
    ```
    """

    name = "task.run"
    device = prop_def(SymbolRefAttr)
    streams = opt_prop_def(DenseArrayBase.constr(i64))
    inputs = var_operand_def(ON)
    body = region_def("single_block")
    outputs = var_result_def(ON)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsolatedFromAbove())

    def __init__(
        self, device: str, inputs: Sequence[SSAValue], body: Region, queue: int = 0, after: Sequence[SSAValue] = ()
    ) -> None:
        """`body` is a block with one plain tensor argument per input, ended by `task.yield`."""
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

    @property
    def streamed(self) -> tuple[int, ...]:
        return () if self.streams is None else tuple(self.streams.get_values())

    def take_as_stream(self, numbers: Collection[int]) -> None:
        """Mark exactly the inputs with these indices as streams."""
        self.streams = DenseArrayBase.from_list(i64, sorted(numbers)) if numbers else None

    def verify_(self) -> None:
        if self.streams is not None and list(self.streamed) != sorted(
            set(self.streamed) & set(range(len(self.inputs)))
        ):
            raise VerifyException(  # (C8)
                f"task.run @{self.place}: `streams` must be ascending numbers of operands, each from 0 to "
                f"{len(self.inputs) - 1}, not {list(self.streamed)}"
            )
        self.check_schedule()
        if self.device.nested_references.data:
            raise VerifyException(f"task.run: the device must be one name (@gpu), not {self.device}")
        for value in self.inputs:
            _on(self.place, value)  # (C3)
        inner = [argument.type for argument in self.body.block.args]
        if inner != [placed(value).tensor for value in self.inputs]:  # (C4)
            raise VerifyException(
                f"task.run @{self.place}: the body's arguments have types {type_list(inner)}, but the operands hold "
                f"{type_list([placed(value).tensor for value in self.inputs])}; they must be equal"
            )
        last = self.body.block.last_op
        if not isinstance(last, YieldOp):  # (C4)
            raise VerifyException(f"task.run @{self.place}: the body must end in task.yield")
        for op in self.body.block.ops:
            if op.name.startswith("task.") and op is not last:  # (C5)
                raise VerifyException(
                    f"task.run @{self.place}: a task's body holds graph ops or pim.launch, not {op.name}"
                )
        yielded = [value.type for value in last.values]
        results = [placed(value) for value in self.outputs]
        if [on.place for on in results] != [self.place] * len(results):  # (C3)
            raise VerifyException(
                f"task.run @{self.place}: all results must be on @{self.place}, not on "
                f"{', '.join(f'@{on.place}' for on in results if on.place != self.place)}"
            )
        if [on.tensor for on in results] != yielded:  # (C6)
            raise VerifyException(
                f"task.run @{self.place}: the results hold {type_list([on.tensor for on in results])}, but the body "
                f"yields {type_list(yielded)}; they must be equal"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        device = read_device(parser).data
        queue, after = cls.parse_schedule(parser)

        def inner(type_: Attribute) -> Attribute:
            if not isinstance(type_, OnType):
                raise VerifyException(
                    f"task.run @{device} needs operands on @{device}, not a {type_}; place it there first "
                    "(task.resident for weights, task.copy for values on another device)"
                )
            return type_.tensor  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

        streamed = list[int]()
        inputs, body = parse_bindings(parser, inner, _EARLIER, streamed=streamed)
        left_out = {word for word, met in (("queue", queue is not None), ("streams", streamed)) if not met}
        header = cls.get_irdl_definition().properties.keys() - left_out
        properties, attributes = parse_braces(parser, cls, header, keyword=True)
        last = body.block.last_op
        if not isinstance(last, YieldOp):
            parser.raise_error(f"task.run @{device}: the body must end in task.yield", start, parser.pos)
        if any(not isinstance(value.type, TensorType) for value in last.values):
            parser.raise_error(
                f"task.run @{device}: the body must yield tensors (tensor<…>), not values of types "
                f"{type_list([value.type for value in last.values])}",
                start,
                parser.pos,
            )
        op = cls(device, inputs, body, queue or 0, after)
        op.take_as_stream(streamed)
        op.properties |= properties
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.place)
        self.print_schedule(printer)
        printer.print_string(" ")
        print_bindings(printer, self.inputs, self.body, streamed=self.streamed)
        printer.print_op_attributes(self.attributes, print_keyword=True)


_EARLIER = {
    word: f"task.run: `{word}` stands before the operands: task.run @DEVICE queue 1 after %t (%a = %x) {{ … }}"
    for word in ("queue", "after")
}


def _on(device: str, value: SSAValue) -> None:
    place = placed(value).place
    if place != device:
        name = called(value)
        raise VerifyException(
            f"task.run @{device}: {name} is on @{place}; copy it first (task.copy {name} to @{device})"
        )
