"""Element-wise ops of two operands, and the choice between two operands by a condition."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition, operand_def, result_def
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import I1, ElementType, is_float, tensor_type
from dialects.graph.broadcasting import ElementwiseOp
from dialects.graph.op import TENSOR, Tensor, ops_of, tensor_of
from dialects.graph.properties import word_prop


class BinaryOp(ElementwiseOp):
    """Base class of ops of two operands, with numpy broadcasting.

    (C1) one element type, of numbers. (C2) the shapes broadcast: aligned at the end, extents are equal or 1.
    """

    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    y = result_def(TENSOR)

    def element(self) -> ElementType:
        """The operands' common element type. Raises VerifyException if they differ."""
        a, b = tensor_of(self.a).element_type, tensor_of(self.b).element_type
        if a != b:  # (C1)
            raise VerifyException(
                f"{self.name} needs operands of the same element type, not {a} and {b}; cast (graph.cast)"
            )
        return a

    def infer(self) -> tuple[Tensor, ...]:
        element = self.element()
        if element == I1:  # (C1)
            raise VerifyException(f"{self.name} works on numbers, not truth values; use graph.and, graph.or, graph.xor")
        return (tensor_type(self.broadcast(self.a, self.b), element),)


class LogicOp(BinaryOp):
    """Base class of ops of two operands of truth values or integers, with numpy broadcasting.

    (C1) one element type, of truth values or integers. (C2) the shapes broadcast.
    """

    def infer(self) -> tuple[Tensor, ...]:
        element = self.element()
        if is_float(element):  # (C1)
            raise VerifyException(f"{self.name} works on truth values and integers, not {element}")
        return (tensor_type(self.broadcast(self.a, self.b), element),)


@irdl_op_definition
class AddOp(BinaryOp):
    """Sum, with numpy broadcasting; integers wrap.

    ```mlir
    %y = graph.add %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.add"


@irdl_op_definition
class SubOp(BinaryOp):
    """Difference, with numpy broadcasting; integers wrap.

    ```mlir
    %y = graph.sub %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.sub"


@irdl_op_definition
class MulOp(BinaryOp):
    """Product, with numpy broadcasting; integers wrap.

    ```mlir
    %y = graph.mul %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.mul"


@irdl_op_definition
class DivOp(BinaryOp):
    """Quotient, with numpy broadcasting. Integers truncate towards zero; division by 0 gives 0, and the smallest number
    of a type divided by -1 wraps to itself (ONNX leaves both open).

    ```mlir
    %y = graph.div %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.div"


@irdl_op_definition
class MinOp(BinaryOp):
    """The smaller of two elements; nan if either is nan, with numpy broadcasting.

    ```mlir
    %y = graph.min %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.min"


@irdl_op_definition
class MaxOp(BinaryOp):
    """The larger of two elements; nan if either is nan, with numpy broadcasting.

    ```mlir
    %y = graph.max %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.max"


@irdl_op_definition
class PowOp(BinaryOp):
    """`a` to the power of `b`, with numpy broadcasting; the result has the element type of `a`.

    An exponent of another element type is not rounded to that of `a`. Integer powers wrap. An integer to a negative
    integer power is 1 / a^n truncated to an integer: 0, unless `a` is 1 or -1. An integer to a fractional power is
    computed in f64 and cast (`graph.cast`).

    (C1) both hold numbers; the exponent's element type may be another. (C2) the shapes broadcast.

    ```mlir
    %y = graph.pow %a, %b : tensor<2x3xf32>, tensor<f32>
    ```
    """

    name = "graph.pow"

    def infer(self) -> tuple[Tensor, ...]:
        a, b = tensor_of(self.a).element_type, tensor_of(self.b).element_type
        if I1 in (a, b):  # (C1)
            raise VerifyException("graph.pow works on numbers, not truth values; cast (graph.cast)")
        return (tensor_type(self.broadcast(self.a, self.b), a),)


@irdl_op_definition
class RemOp(BinaryOp):
    """Remainder of the division of `a` by `b` whose quotient is truncated towards zero, with numpy broadcasting: the
    remainder has the sign of `a`. For integers, the remainder of `a` by 0 is `a`.

    ```mlir
    %y = graph.rem %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.rem"


@irdl_op_definition
class Atan2Op(BinaryOp):
    """Angle of the point (b, a) in radians, from -pi to pi, with numpy broadcasting.

    (C1) one element type, floating-point. (C2) the shapes broadcast.

    ```mlir
    %y = graph.atan2 %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.atan2"

    def infer(self) -> tuple[Tensor, ...]:
        if not is_float(element := self.element()):  # (C1)
            raise VerifyException(f"graph.atan2 works on floating-point elements, not {element}; cast (graph.cast)")
        return super().infer()


@irdl_op_definition
class ShiftOp(BinaryOp):
    """Bits of `a` shifted by `b` positions, with numpy broadcasting: to the left (`left`), to the right filled with
    zeros (`right`), or to the right filled with the sign (`arithmetic`). A shift by the width of the type or more
    leaves only the fill bits.

    (C1) one element type, of integers. (C2) the shapes broadcast.

    ```mlir
    %y = graph.shift left %a, %b : tensor<2x3xi32>, tensor<i32>
    ```
    """

    name = "graph.shift"
    kind = word_prop("left", "right", "arithmetic")

    def infer(self) -> tuple[Tensor, ...]:
        if is_float(element := self.element()):  # (C1)
            raise VerifyException(f"graph.shift works on integers, not {element}; cast (graph.cast)")
        return super().infer()


@irdl_op_definition
class AndOp(LogicOp):
    """Conjunction of truth values, bitwise on integers, with numpy broadcasting.

    ```mlir
    %y = graph.and %a, %b : tensor<2x3xi1>, tensor<3xi1>
    ```
    """

    name = "graph.and"


@irdl_op_definition
class OrOp(LogicOp):
    """Disjunction of truth values, bitwise on integers, with numpy broadcasting.

    ```mlir
    %y = graph.or %a, %b : tensor<2x3xi1>, tensor<3xi1>
    ```
    """

    name = "graph.or"


@irdl_op_definition
class XorOp(LogicOp):
    """Exclusive or of truth values, bitwise on integers, with numpy broadcasting.

    ```mlir
    %y = graph.xor %a, %b : tensor<2x3xi1>, tensor<3xi1>
    ```
    """

    name = "graph.xor"


@irdl_op_definition
class CompareOp(BinaryOp):
    """Comparison `a kind b` of two elements, a truth value, with numpy broadcasting; the kind is eq, ne, lt, le, gt or
    ge.

    If an element is nan, ne is true and all other comparisons are false. (C1) one element type. (C2) the shapes
    broadcast.

    ```mlir
    %y = graph.compare lt %a, %b : tensor<2x3xi64>, tensor<i64>
    ```
    """

    name = "graph.compare"
    kind = word_prop("eq", "ne", "lt", "le", "gt", "ge")

    def infer(self) -> tuple[Tensor, ...]:
        self.element()
        return (tensor_type(self.broadcast(self.a, self.b), I1),)


@irdl_op_definition
class SelectOp(ElementwiseOp):
    """`a` where the condition holds, else `b`; all three broadcast.

    (C1) the condition holds truth values. (C2) `a` and `b` have one element type. (C3) the shapes broadcast.

    ```mlir
    %y = graph.select %c, %a, %b : tensor<2x3xi1>, tensor<2x3xf32>, tensor<f32>
    ```
    """

    name = "graph.select"
    condition = operand_def(TENSOR)
    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        condition, a, b = (tensor_of(value).element_type for value in self.operands)
        if condition != I1:  # (C1)
            raise VerifyException(f"graph.select: the condition must hold truth values (i1), not {condition}")
        if a != b:  # (C2)
            raise VerifyException(f"graph.select needs two values of the same element type, not {a} and {b}")
        return (tensor_type(self.broadcast(*self.operands), a),)


BINARY_OPS = ops_of(__name__)
