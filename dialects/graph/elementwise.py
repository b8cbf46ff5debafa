"""Element-wise ops: each result element depends on the operands' elements at the same (broadcast) position alone."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import I1, is_float, tensor_type
from dialects.graph.op import TENSOR, GraphOp, Tensor, one_of, real_prop, shape_of, tensor_of
from dialects.work import Work


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that numpy broadcasting gives: extents are aligned at the end, and 1 stretches. Raises VerifyException."""
    rank = max(map(len, shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    result = tuple(max(column) if 0 not in column else 0 for column in zip(*padded, strict=True))
    for shape in padded:
        if any(extent not in (1, whole) for extent, whole in zip(shape, result, strict=True)):
            listed = " and ".join("x".join(map(str, s)) or "a scalar" for s in shapes)
            raise VerifyException(f"shapes {listed} do not broadcast: aligned at the end, extents are equal or 1")
    return result


class ElementwiseOp(GraphOp):
    """Common to all element-wise ops: result shape by broadcasting, `FLOPS_EACH` flops a result element."""

    FLOPS_EACH: ClassVar[int] = 1

    def work(self) -> Work:
        return self.work_of(self.FLOPS_EACH)


class UnaryOp(ElementwiseOp):
    """One operand, a result of the same type."""

    FLOATS_ONLY: ClassVar[bool] = True

    x = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        type_ = tensor_of(self.x)
        if self.FLOATS_ONLY and not is_float(type_.element_type):
            raise VerifyException(f"{self.name} works on floating-point elements, not {type_.element_type}; cast first (graph.cast)")
        if type_.element_type == I1:
            raise VerifyException(f"{self.name} does not work on truth values (i1); cast first (graph.cast)")
        return (type_,)


class BinaryOp(ElementwiseOp):
    """Two operands of one element type, with numpy broadcasting."""

    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    y = result_def(TENSOR)

    def element(self):
        """The operands' common element type. Raises VerifyException if they differ."""
        a, b = tensor_of(self.a).element_type, tensor_of(self.b).element_type
        if a != b:
            raise VerifyException(f"{self.name} takes operands of one element type, not {a} and {b}; cast one (graph.cast)")
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
class AbsOp(UnaryOp):
    """Absolute value.

    ```mlir
    %y = graph.abs %x : tensor<2x3xf32>
    ```
    """

    name = "graph.abs"
    FLOATS_ONLY: ClassVar = False


@irdl_op_definition
class NegOp(UnaryOp):
    """Negation.

    ```mlir
    %y = graph.neg %x : tensor<2x3xf32>
    ```
    """

    name = "graph.neg"
    FLOATS_ONLY: ClassVar = False


@irdl_op_definition
class ExpOp(UnaryOp):
    """e to the power of each element.

    ```mlir
    %y = graph.exp %x : tensor<2x3xf32>
    ```
    """

    name = "graph.exp"


@irdl_op_definition
class LogOp(UnaryOp):
    """Natural logarithm; minus infinity at zero, nan below.

    ```mlir
    %y = graph.log %x : tensor<2x3xf32>
    ```
    """

    name = "graph.log"


@irdl_op_definition
class SqrtOp(UnaryOp):
    """Square root; nan below zero.

    ```mlir
    %y = graph.sqrt %x : tensor<2x3xf32>
    ```
    """

    name = "graph.sqrt"


@irdl_op_definition
class RsqrtOp(UnaryOp):
    """One over the square root.

    ```mlir
    %y = graph.rsqrt %x : tensor<2x3xf32>
    ```
    """

    name = "graph.rsqrt"


@irdl_op_definition
class ReciprocalOp(UnaryOp):
    """One over each element.

    ```mlir
    %y = graph.reciprocal %x : tensor<2x3xf32>
    ```
    """

    name = "graph.reciprocal"


@irdl_op_definition
class SinOp(UnaryOp):
    """Sine of an angle in radians.

    ```mlir
    %y = graph.sin %x : tensor<2x3xf32>
    ```
    """

    name = "graph.sin"


@irdl_op_definition
class CosOp(UnaryOp):
    """Cosine of an angle in radians.

    ```mlir
    %y = graph.cos %x : tensor<2x3xf32>
    ```
    """

    name = "graph.cos"


@irdl_op_definition
class TanhOp(UnaryOp):
    """Hyperbolic tangent.

    ```mlir
    %y = graph.tanh %x : tensor<2x3xf32>
    ```
    """

    name = "graph.tanh"


@irdl_op_definition
class ErfOp(UnaryOp):
    """Gauss error function.

    ```mlir
    %y = graph.erf %x : tensor<2x3xf32>
    ```
    """

    name = "graph.erf"


@irdl_op_definition
class SigmoidOp(UnaryOp):
    """Logistic function 1 / (1 + exp(-x)).

    ```mlir
    %y = graph.sigmoid %x : tensor<2x3xf32>
    ```
    """

    name = "graph.sigmoid"
    FLOPS_EACH: ClassVar = 4


@irdl_op_definition
class ReluOp(UnaryOp):
    """max(x, 0).

    ```mlir
    %y = graph.relu %x : tensor<2x3xf32>
    ```
    """

    name = "graph.relu"
    FLOATS_ONLY: ClassVar = False


@irdl_op_definition
class SiluOp(UnaryOp):
    """x * sigmoid(x), also called swish.

    ```mlir
    %y = graph.silu %x : tensor<2x3xf32>
    ```
    """

    name = "graph.silu"
    FLOPS_EACH: ClassVar = 5


@irdl_op_definition
class FloorOp(UnaryOp):
    """Largest integer not above each element.

    ```mlir
    %y = graph.floor %x : tensor<2x3xf32>
    ```
    """

    name = "graph.floor"


@irdl_op_definition
class CeilOp(UnaryOp):
    """Smallest integer not below each element.

    ```mlir
    %y = graph.ceil %x : tensor<2x3xf32>
    ```
    """

    name = "graph.ceil"


@irdl_op_definition
class GeluOp(UnaryOp):
    """Gaussian error linear unit: x * (1 + erf(x / sqrt 2)) / 2, or its tanh approximation (Hendrycks and Gimpel, 2016).

    ```mlir
    %y = graph.gelu %x approximate = tanh : tensor<2x3xf32>
    ```
    """

    name = "graph.gelu"
    FLOPS_EACH: ClassVar = 8
    approximate = prop_def(one_of("none", "tanh"), default_value=StringAttr("none"))


@irdl_op_definition
class ClipOp(UnaryOp):
    """Each element limited to [`min`, `max`]; nan stays nan; where `min > max`, the result is `max`.

    ```mlir
    %y = graph.clip %x min = 0.0, max = 6.0 : tensor<2x3xf32>
    ```
    """

    name = "graph.clip"
    FLOPS_EACH: ClassVar = 2
    min = real_prop(float("-inf"))
    max = real_prop(float("inf"))


@irdl_op_definition
class NotOp(ElementwiseOp):
    """Negation of truth values.

    (C1) elements are i1.

    ```mlir
    %y = graph.not %x : tensor<2x3xi1>
    ```
    """

    name = "graph.not"
    x = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        if tensor_of(self.x).element_type != I1:  # (C1)
            raise VerifyException(f"{self.name} works on truth values (i1), not {tensor_of(self.x).element_type}")
        return (tensor_of(self.x),)


@irdl_op_definition
class IsNanOp(ElementwiseOp):
    """Whether each element is not a number.

    (C1) elements are floating-point.

    ```mlir
    %y = graph.isnan %x : tensor<2x3xf16>
    ```
    """

    name = "graph.isnan"
    x = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        if not is_float(tensor_of(self.x).element_type):  # (C1)
            raise VerifyException(f"{self.name} works on floating-point elements, not {tensor_of(self.x).element_type}")
        return (tensor_type(shape_of(self.x), I1),)


@irdl_op_definition
class CastOp(ElementwiseOp):
    """Conversion of element types: to floats rounds to nearest even, to integers truncates towards zero and wraps, to i1 tests against zero.

    (C1) the shape stays.

    ```mlir
    %y = graph.cast %x : tensor<2x3xf32> -> tensor<2x3xf16>
    ```
    """

    name = "graph.cast"
    EXPLICIT_RESULT: ClassVar = True
    x = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        if shape_of(self.y) != shape_of(self.x):  # (C1)
            raise VerifyException(f"graph.cast keeps the shape: {tensor_of(self.x)} can't become {tensor_of(self.y)}")
        return (tensor_of(self.y),)


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
            raise VerifyException(f"graph.select: the condition holds truth values (i1), not {tensor_of(self.condition).element_type}")
        if a.element_type != b.element_type:  # (C2)
            raise VerifyException(f"graph.select takes two values of one element type, not {a.element_type} and {b.element_type}")
        return (tensor_type(broadcast_shapes(shape_of(self.condition), a.get_shape(), b.get_shape()), a.element_type),)


ELEMENTWISE_OPS = (
    AbsOp,
    NegOp,
    ExpOp,
    LogOp,
    SqrtOp,
    RsqrtOp,
    ReciprocalOp,
    SinOp,
    CosOp,
    TanhOp,
    ErfOp,
    SigmoidOp,
    ReluOp,
    SiluOp,
    FloorOp,
    CeilOp,
    GeluOp,
    ClipOp,
    NotOp,
    IsNanOp,
    CastOp,
    AddOp,
    SubOp,
    MulOp,
    DivOp,
    MinOp,
    MaxOp,
    AndOp,
    OrOp,
    XorOp,
    PowOp,
    CompareOp,
    SelectOp,
)
