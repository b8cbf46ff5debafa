"""Instructions of a near-data unit: filters, streaming loads and stores, reductions in two levels, barriers."""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BareOp, BracedOp, parse_braces
from dialects.element_types import tensor_type
from dialects.graph.op import TENSOR, GraphOp, Tensor, tensor_of
from dialects.graph.reduction import Reducing
from dialects.launching import MEMREF, is_plain, memref_of
from dialects.values import resolve_known
from dialects.work import Work


def streamed(memory: SSAValue) -> Tensor:
    """The tensor type of the value that loading a memory (a memref) gives."""
    type_ = memref_of(memory)
    return tensor_type(type_.get_shape(), type_.element_type)


def _memory(parser: Parser) -> SSAValue:
    """Read an operand that is a memory defined above."""
    start, unresolved = parser.pos, parser.parse_unresolved_operand()
    value = resolve_known(parser, unresolved)
    if not isinstance(value.type, MemRefType):
        parser.raise_error(
            f"a memory (memref<…>) is expected here, not a value of type {value.type}", start, parser.pos
        )
    return value


@irdl_op_definition
class FilterOp(BracedOp):
    """Select the memories whose traffic is routed to the units; other accesses bypass them.

    ```mlir
    ndp.program @double on @ndp (%a: memref<64xf32>) -> (%r: memref<64xf32>) {
      ndp.filter %a
      %x = ndp.load %a
      %y = graph.add %x, %x : tensor<64xf32>
      ndp.store %y to %r
      ndp.join
    }
    ```
    """

    name = "ndp.filter"
    memories = var_operand_def(MEMREF)

    def __init__(self, *memories: SSAValue) -> None:
        super().__init__(operands=[memories])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        found = parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: _memory(parser))
        return cls(*found).with_braces(parser)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.memories, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class AllocOp(BracedOp):
    """Scratch memory of a program. (C1) its memref is static, contiguous and row-major, and holds numbers.

    ```mlir
    %t = ndp.alloc : memref<64xf32>
    ```
    """

    name = "ndp.alloc"
    memory = result_def(MEMREF)

    def __init__(self, type_: Attribute) -> None:
        super().__init__(result_types=[type_])

    def verify_(self) -> None:
        if not is_plain(self.memory.type):  # (C1)
            raise VerifyException(f"ndp.alloc needs a static, contiguous memref of numbers, not {self.memory.type}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        _, attributes = parse_braces(parser, cls, ())
        parser.parse_punctuation(":")
        start, type_ = parser.pos, parser.parse_type()
        if type_.name != MemRefType.name:
            parser.raise_error(f"ndp.alloc needs a memref type, not {type_}", start, parser.pos)
        op = cls(type_)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memory.type)


@irdl_op_definition
class LoadOp(BracedOp):
    """Stream the elements of a memory.

    ```mlir
    ndp.program @double on @ndp (%a: memref<64xf32>) -> (%r: memref<64xf32>) {
      ndp.filter %a
      %x = ndp.load %a
      %y = graph.add %x, %x : tensor<64xf32>
      ndp.store %y to %r
      ndp.join
    }
    ```
    """

    name = "ndp.load"
    memory = operand_def(MEMREF)
    value = result_def(TENSOR)

    def __init__(self, memory: SSAValue) -> None:
        super().__init__(operands=[memory], result_types=[streamed(memory)])

    def verify_(self) -> None:
        if self.value.type != streamed(self.memory):
            raise VerifyException(
                f"ndp.load: the value loaded from {self.memory.type} must be {streamed(self.memory)}, not "
                f"{self.value.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(_memory(parser)).with_braces(parser)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memory)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class StoreOp(BracedOp):
    """Stream a value's elements to a memory. (C1) the memory has the value's shape and element type.

    ```mlir
    ndp.program @double on @ndp (%a: memref<64xf32>) -> (%r: memref<64xf32>) {
      ndp.filter %a
      %x = ndp.load %a
      %y = graph.add %x, %x : tensor<64xf32>
      ndp.store %y to %r
      ndp.join
    }
    ```
    """

    name = "ndp.store"
    value = operand_def(TENSOR)
    memory = operand_def(MEMREF)

    def __init__(self, value: SSAValue, memory: SSAValue) -> None:
        super().__init__(operands=[value, memory])

    def verify_(self) -> None:
        if self.value.type != streamed(self.memory):  # (C1)
            raise VerifyException(
                f"ndp.store: a value stored to {self.memory.type} must be {streamed(self.memory)}, not "
                f"{self.value.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = resolve_known(parser, parser.parse_unresolved_operand())
        parser.parse_keyword("to")
        return cls(value, _memory(parser)).with_braces(parser)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(" to ")
        printer.print_ssa_value(self.memory)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ReduceOp(Reducing):
    """The first level of a reduction: each unit reduces its share of the elements over `axes` and keeps the result,
    until `ndp.combine`, after a barrier, combines the results of all units.

    (C1) axes exist and differ. (C2) elements are numbers.

    ```mlir
    ndp.program @sums on @ndp (%a: memref<8x64xf32>) -> (%r: memref<8xf32>) {
      ndp.filter %a
      %x = ndp.load %a
      %p = ndp.reduce sum %x axes = [1] : tensor<8x64xf32>
      ndp.barrier
      %s = ndp.combine %p : tensor<8xf32>
      ndp.store %s to %r
      ndp.join
    }
    ```
    """

    name = "ndp.reduce"


@irdl_op_definition
class CombineOp(GraphOp):
    """The second level of a reduction: combines the partial results of all units. A mean is divided by the number of
    its elements in this level.

    ```mlir
    ndp.program @sums on @ndp (%a: memref<8x64xf32>) -> (%r: memref<8xf32>) {
      ndp.filter %a
      %x = ndp.load %a
      %p = ndp.reduce sum %x axes = [1] : tensor<8x64xf32>
      ndp.barrier
      %s = ndp.combine %p : tensor<8xf32>
      ndp.store %s to %r
      ndp.join
    }
    ```
    """

    name = "ndp.combine"
    partial = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        return (tensor_of(self.partial),)

    def work(self) -> Work:
        return Work()


@irdl_op_definition
class BarrierOp(BareOp):
    """The end of a phase: each unit waits for all others; afterwards, stored values can be loaded.

    ```mlir
    ndp.barrier
    ```
    """

    name = "ndp.barrier"


@irdl_op_definition
class JoinOp(BareOp):
    """The end of a program: the launch completes when all units have reached it.

    ```mlir
    ndp.join
    ```
    """

    name = "ndp.join"
    traits = traits_def(IsTerminator())
