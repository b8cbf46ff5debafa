"""Element-wise ops of one operand."""

from __future__ import annotations

from math import isnan
from typing import ClassVar

from xdsl.irdl import irdl_op_definition, operand_def, result_def
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import I1, is_float, tensor_type
from dialects.graph.broadcasting import ElementwiseOp
from dialects.graph.op import TENSOR, Tensor, ops_of, shape_of, tensor_of
from dialects.graph.properties import real_prop, word_prop
from dialects.graph.roles import FusionRole


class UnaryOp(ElementwiseOp):
    """Base class of ops of one operand, whose result has the operand's type.

    (C1) elements are floating-point; `graph.abs`, `neg`, `relu` and `clip` take integers too, but no truth values.
    """

    FLOATS_ONLY: ClassVar[bool] = True

    x = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        type_ = tensor_of(self.x)
        element = type_.element_type
        if self.FLOATS_ONLY and not is_float(element):  # (C1)
            raise VerifyException(f"{self.name} works on floating-point elements, not {element}; cast (graph.cast)")
        if element == I1:  # (C1)
            raise VerifyException(f"{self.name} works on numbers, not truth values; cast (graph.cast)")
        return (type_,)


@irdl_op_definition
class AbsOp(UnaryOp):
    """Absolute value; the least integer of a type wraps to itself.

    ```mlir
    %y = graph.abs %x : tensor<2x3xf32>
    ```
    """

    name = "graph.abs"
    FLOATS_ONLY: ClassVar = False


@irdl_op_definition
class NegOp(UnaryOp):
    """Negation; integers wrap.

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
class ErfcOp(UnaryOp):
    """1 - erf(x), with full relative accuracy also where the result is small.

    ```mlir
    %y = graph.erfc %x : tensor<2x3xf32>
    ```
    """

    name = "graph.erfc"


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
class SignOp(UnaryOp):
    """-1, 0 or 1 by the sign of each element; nan and the zeros stay as they are.

    ```mlir
    %y = graph.sign %x : tensor<2x3xf32>
    ```
    """

    name = "graph.sign"
    FLOATS_ONLY: ClassVar = False


@irdl_op_definition
class Log1pOp(UnaryOp):
    """Natural logarithm of 1 + x, exact to the last digits near 0.

    ```mlir
    %y = graph.log1p %x : tensor<2x3xf32>
    ```
    """

    name = "graph.log1p"
    FLOPS_EACH: ClassVar = 2


@irdl_op_definition
class Expm1Op(UnaryOp):
    """e to the power of each element, less 1, exact to the last digits near 0.

    ```mlir
    %y = graph.expm1 %x : tensor<2x3xf32>
    ```
    """

    name = "graph.expm1"
    FLOPS_EACH: ClassVar = 2


@irdl_op_definition
class CbrtOp(UnaryOp):
    """Cube root, of negative numbers too.

    ```mlir
    %y = graph.cbrt %x : tensor<2x3xf32>
    ```
    """

    name = "graph.cbrt"


@irdl_op_definition
class TanOp(UnaryOp):
    """Tangent of an angle in radians.

    ```mlir
    %y = graph.tan %x : tensor<2x3xf32>
    ```
    """

    name = "graph.tan"


@irdl_op_definition
class RoundOp(UnaryOp):
    """Nearest integer; ties are rounded to even, or with `ties = away` away from 0.

    ```mlir
    %y = graph.round %x ties = away : tensor<2x3xf32>
    ```
    """

    name = "graph.round"
    ties = word_prop("even", "away", default="even")


@irdl_op_definition
class GeluOp(UnaryOp):
    """Gaussian error linear unit (Hendrycks and Gimpel, 2016): x * (1 + erf(x / sqrt 2)) / 2.

    `approximate = tanh`: x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2.

    ```mlir
    %y = graph.gelu %x approximate = tanh : tensor<2x3xf32>
    ```
    """

    name = "graph.gelu"
    FLOPS_EACH: ClassVar = 8
    approximate = word_prop("none", "tanh", default="none")


@irdl_op_definition
class ClipOp(UnaryOp):
    """Each element limited to [`min`, `max`]; nan stays nan; where `min > max`, the result is `max`.

    (C2) the bounds are numbers, not nan.

    ```mlir
    %y = graph.clip %x min = 0.0, max = 6.0 : tensor<2x3xf32>
    ```
    """

    name = "graph.clip"
    FLOATS_ONLY: ClassVar = False
    FLOPS_EACH: ClassVar = 2
    min = real_prop(float("-inf"))
    max = real_prop(float("inf"))

    def infer(self) -> tuple[Tensor, ...]:
        if isnan(self.min.value.data) or isnan(self.max.value.data):  # (C2)
            raise VerifyException(
                "graph.clip: `min` and `max` must be numbers, not nan; for no bound, remove the attribute"
            )
        return super().infer()


@irdl_op_definition
class NotOp(ElementwiseOp):
    """Negation of truth values, bitwise on integers.

    (C1) elements are truth values or integers.

    ```mlir
    %y = graph.not %x : tensor<2x3xi1>
    ```
    """

    name = "graph.not"
    x = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        if is_float(tensor_of(self.x).element_type):  # (C1)
            raise VerifyException(
                f"{self.name} works on truth values and integers, not {tensor_of(self.x).element_type}"
            )
        return (tensor_of(self.x),)


class TestOp(ElementwiseOp):
    """Base class of tests of floating-point numbers: the result is a truth value for each element.

    (C1) elements are floating-point.
    """

    x = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        if not is_float(tensor_of(self.x).element_type):  # (C1)
            raise VerifyException(f"{self.name} works on floating-point elements, not {tensor_of(self.x).element_type}")
        return (tensor_type(shape_of(self.x), I1),)


@irdl_op_definition
class IsNanOp(TestOp):
    """True where an element is not a number.

    ```mlir
    %y = graph.isnan %x : tensor<2x3xf16>
    ```
    """

    name = "graph.isnan"


@irdl_op_definition
class IsFiniteOp(TestOp):
    """True where an element is neither infinite nor nan.

    ```mlir
    %y = graph.isfinite %x : tensor<2x3xf16>
    ```
    """

    name = "graph.isfinite"


@irdl_op_definition
class CastOp(ElementwiseOp):
    """Conversion of element types.

    Conversion to a floating-point type rounds to nearest even, and overflow gives infinity. A floating-point number is
    truncated to an integer towards zero, saturating at the type's smallest and largest number, as on GPUs; nan gives 0
    (ONNX leaves the results of overflow and nan open). Between integer types the low bits are kept: the number wraps. A
    cast to i1 gives true for every element but zero.

    (C1) the shape is the same.

    ```mlir
    %y = graph.cast %x : tensor<2x3xf32> -> tensor<2x3xf16>
    ```
    """

    name = "graph.cast"
    EXPLICIT_RESULT: ClassVar = True
    FUSION: ClassVar = FusionRole.CONVERSION
    x = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        if shape_of(self.y) != shape_of(self.x):  # (C1)
            raise VerifyException(f"graph.cast keeps the shape: {tensor_of(self.x)} can't become {tensor_of(self.y)}")
        return (tensor_of(self.y),)


UNARY_OPS = ops_of(__name__)
