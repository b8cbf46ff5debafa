"""Op that computes the indices of elements as numbers, for arithmetic that depends on an element's position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import TensorType, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.braces import parse_braces
from dialects.graph.op import TENSOR, shape_of, tensor_of
from dialects.programs.index import Variables, parse_index, print_index
from dialects.tile.loops import IndexedOp, check_inside, map_of


@irdl_op_definition
class IotaOp(IndexedOp):
    """Make a tensor of the numbers START, START + 1, and so on along its only axis longer than 1. START is an
    expression of loop variables. A causal mask needs these numbers to compare the rows and columns of a tile.

    (C1) The tensor is of i32 or i64. (C2) At most one axis is longer than 1.

    ```mlir
    tile.kernel @lower on @gpu (%x: memref<64x64xf32>) -> (%y: memref<64x64xf32>) {
      tile.blocks %i = 0 to 4 warps 1, 1 {
        %t = tile.buffer register : memref<16x64xf32>
        tile.copy %x[%i * 16 : 16] to %t
        %v = tile.read %t
        %row = tile.iota %i * 16 : tensor<16x1xi32>
        %column = tile.iota 0 : tensor<1x64xi32>
        %seen = graph.compare le %column, %row : tensor<1x64xi32>, tensor<16x1xi32>
        %zero = graph.constant 0.0 : tensor<f32>
        %r = graph.select %seen, %v, %zero : tensor<16x64xi1>, tensor<16x64xf32>, tensor<f32>
        tile.write %r to %t
        tile.copy %t to %y[%i * 16 : 16]
      }
    }
    ```
    """

    name = "tile.iota"
    value = result_def(TENSOR)
    MEANING: ClassVar[str] = "start"

    def __init__(self, start: AffineExpr, indices: Sequence[SSAValue], type_: Attribute) -> None:
        """Create the op; `start` is an expression over `indices`."""
        properties = {"expression": map_of([start], indices)}
        super().__init__(operands=[indices], properties=properties, result_types=[type_])

    @property
    def start(self) -> AffineExpr:
        """First number, as an expression over the op's indices."""
        return self.index

    def verify_(self) -> None:
        check_inside(self)
        self.check_index()
        if tensor_of(self.value).element_type not in (i32, i64):  # (C1)
            raise VerifyException(f"tile.iota makes a tensor of i32 or i64, not {self.value.type}")
        if sum(extent > 1 for extent in shape_of(self.value)) > 1:  # (C2)
            raise VerifyException(
                f"tile.iota numbers elements along one axis, but {self.value.type} has several axes with more than 1 "
                "element"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variables = Variables()
        start = parse_index(parser, variables)
        _, attributes = parse_braces(parser, cls, ("expression",))
        parser.parse_punctuation(":")
        place, type_ = parser.pos, parser.parse_type()
        if type_.name != TensorType.name:
            parser.raise_error(f"tile.iota makes a tensor, not {type_}", place, parser.pos)

        op = cls(start, variables.values, type_)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_index(printer, self.start, self.indices)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
