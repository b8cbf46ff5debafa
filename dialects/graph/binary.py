"""Element-wise ops of two operands, and the choice between two."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import I1, is_float, tensor_type
from dialects.graph.broadcasting import ElementwiseOp, broadcast_shapes
from dialects.graph.op import TENSOR, Tensor, one_of, shape_of, tensor_of


class BinaryOp(ElementwiseOp):
    """Two operands of one element type, with numpy broadcasting."""

    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    y = result_def(TENSOR)

    def element(self):
        """The operands' common element type. Raises VerifyException if they differ."""
        a, b = tensor_of(self.a).element_type, tensor_of(self.b).element_type
        if a != b:
            raise VerifyException(
                f"{self.name} takes operands of one element type, not {a} and {b}; cast one (graph.cast)"
            )
        return a

    def infer(self) -> tuple[Tensor, ...]:
        element = self.element()
        if element == I1:
            raise VerifyException(f"{self.name} does not work on truth values (i1); use graph.and, graph.or, graph.xor")
        return (tensor_type(broadcast_shapes(shape_of(self.a), shape_of(self.b)), element),)


class LogicOp(BinaryOp):
    """Two operands of truth values or integers, with numpy broadcasting."""

    def infer(self) -> tuple[Tensor, ...]:
        element = self.element()
        if is_float(element):
            raise VerifyException(f"{self.name} works on truth values and integers, not {element}")
        return (tensor_type(broadcast_shapes(shape_of(self.a), shape_of(self.b)), element),)


@irdl_op_definition
class AddOp(BinaryOp):
    """Sum, with numpy broadcasting.

    ```mlir
    %y = graph.add %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.add"


@irdl_op_definition
class SubOp(BinaryOp):
    """Difference, with numpy broadcasting.

    ```mlir
    %y = graph.sub %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.sub"


@irdl_op_definition
class MulOp(BinaryOp):
    """Product, with numpy broadcasting.

    ```mlir
    %y = graph.mul %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.mul"


@irdl_op_definition
class DivOp(BinaryOp):
    """Quotient; integers truncate towards zero, with numpy broadcasting.

    ```mlir
    %y = graph.div %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.div"


@irdl_op_definition
class MinOp(BinaryOp):
    """The smaller of two; nan if either is nan, with numpy broadcasting.

    ```mlir
    %y = graph.min %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.min"


@irdl_op_definition
class MaxOp(BinaryOp):
    """The larger of two; nan if either is nan, with numpy broadcasting.

    ```mlir
    %y = graph.max %a, %b : tensor<2x3xf32>, tensor<3xf32>
    ```
    """

    name = "graph.max"


@irdl_op_definition
class PowOp(BinaryOp):
    """`a` to the power of `b`, with numpy broadcasting; the exponent may have another element type.

    ```mlir
    %y = graph.pow %a, %b : tensor<2x3xf32>, tensor<f32>
    ```
    """

    name = "graph.pow"

    def infer(self) -> tuple[Tensor, ...]:
        return (tensor_type(broadcast_shapes(shape_of(self.a), shape_of(self.b)), tensor_of(self.a).element_type),)


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
    """Truth of `a kind b`, with numpy broadcasting; kinds are eq, ne, lt, le, gt, ge. Comparisons with nan are false, but ne is true.

    ```mlir
    %y = graph.compare lt %a, %b : tensor<2x3xi64>, tensor<i64>
    ```
    """

    name = "graph.compare"
    kind = prop_def(one_of("eq", "ne", "lt", "le", "gt", "ge"))

    def infer(self) -> tuple[Tensor, ...]:
        self.element()
        return (tensor_type(broadcast_shapes(shape_of(self.a), shape_of(self.b)), I1),)


@irdl_op_definition
class SelectOp(ElementwiseOp):
    """`a` where the condition holds, else `b`; all three broadcast.

    (C1) the condition holds truth values. (C2) `a` and `b` have one element type.

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
        a, b = tensor_of(self.a), tensor_of(self.b)
        if tensor_of(self.condition).element_type != I1:  # (C1)
            raise VerifyException(
                f"graph.select: the condition holds truth values (i1), not {tensor_of(self.condition).element_type}"
            )
        if a.element_type != b.element_type:  # (C2)
            raise VerifyException(
                f"graph.select takes two values of one element type, not {a.element_type} and {b.element_type}"
            )
        return (tensor_type(broadcast_shapes(shape_of(self.condition), a.get_shape(), b.get_shape()), a.element_type),)


BINARY_OPS = (
    AddOp,
    SubOp,
    MulOp,
    DivOp,
    MinOp,
    MaxOp,
    PowOp,
    AndOp,
    OrOp,
    XorOp,
    CompareOp,
    SelectOp,
)
