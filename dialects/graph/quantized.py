"""Ops on quantized values: small numbers that stand for (number - zero point) * scale, their conversion, and products
of them."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, result_def, traits_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import (
    ElementType,
    element_count,
    element_type_named,
    is_float,
    is_small,
    is_small_float,
    tensor_type,
)
from dialects.graph.boxes import Box, PartOperands, full_box, stretched
from dialects.graph.contraction import WindowedOp, conv_part, conv_shape, matmul_part, matmul_shape
from dialects.graph.op import TENSOR, GraphOp, Tensor, ops_of, shape_of, tensor_of
from dialects.graph.properties import flag_prop, int_prop
from dialects.graph.roles import AnyLayout, FusionRole
from dialects.work import Work


class ScaledOp(GraphOp):
    """Base class of conversions between numbers and quantized numbers.

    `scale` (floating-point) and `zero` (of the quantized type; 0 if omitted) broadcast to `x`: one number for all, one
    for each index of an axis, … With `block` b > 0, they have the rank of `x`, and along `axis` one number for each b
    consecutive elements (the last block may be shorter).

    (C1) scale and zero broadcast, or have these extents. (C2) the zero point has the shape of the scale. (C3) `block`
    is not negative, and `axis` exists.
    """

    FUSION: ClassVar = FusionRole.POINTWISE
    traits = traits_def(AnyLayout())

    axis = int_prop(0)
    block = int_prop(0)

    def check_scale(self, scale: SSAValue, zero: SSAValue | None, element: ElementType) -> None:
        """Raise VerifyException unless scale and zero point fit `x` and the quantized type `element`."""
        shape, given = shape_of(self.operands[0]), shape_of(scale)
        axis, block = self.axis.value.data, self.block.value.data
        if block < 0 or (block and not 0 <= axis < len(shape)):  # (C3)
            raise VerifyException(
                f"{self.name}: `block` must not be negative, and `axis` be one of the {len(shape)} axes of "
                f"{tensor_of(self.operands[0])}, not {block} and {axis}"
            )
        if not is_float(tensor_of(scale).element_type) or not self._fits(given, shape):  # (C1)
            blocks = f", with one number for each {block} elements of axis {axis}" if block else ""
            raise VerifyException(
                f"{self.name}: a scale of {tensor_of(scale)} does not broadcast to {tensor_of(self.operands[0])}"
                f"{blocks}; it holds floating-point numbers, one for all elements or one for each index of some axes"
            )
        if zero is not None and tensor_of(zero) != tensor_type(given, element):  # (C2)
            raise VerifyException(
                f"{self.name}: the zero point must be {tensor_type(given, element)}, as the scale and the quantized "
                f"type say, not {tensor_of(zero)}"
            )

    def _fits(self, given: tuple[int, ...], shape: tuple[int, ...]) -> bool:
        block = self.block.value.data
        if block:
            axis = self.axis.value.data
            shape = (*shape[:axis], -(-shape[axis] // block), *shape[axis + 1 :])
            return len(given) == len(shape) and all(n in (1, full) for n, full in zip(given, shape, strict=True))
        ends = zip(reversed(given), reversed(shape), strict=False)
        return len(given) <= len(shape) and all(n in (1, full) for n, full in ends)

    def part(self, box: Box) -> PartOperands | None:
        """The parts of operands for a part of the result; None if the part cuts a block."""
        axis, block = self.axis.value.data, self.block.value.data
        shape = shape_of(self.operands[0])
        if block and any(edge % block and edge != shape[axis] for edge in (box[axis].start, box[axis].stop)):
            return None
        blocks = box
        if block:
            blocks = (*box[:axis], range(box[axis].start // block, -(-box[axis].stop // block)), *box[axis + 1 :])
        return PartOperands((box, *(stretched(shape_of(value), blocks) for value in self.operands[1:])))


@irdl_op_definition
class QuantizeOp(ScaledOp):
    """Each element divided by the scale, rounded to the nearest integer (ties to even), plus the zero point, saturating
    at the smallest and largest number of the quantized type. To a floating-point type of 8 or 4 bits: the quotient,
    limited to the type's finite numbers, rounded to nearest even. nan gives 0, or nan where the type has it.

    (C1) scale and zero broadcast, or have the extents of blocks. (C2) the zero point has the shape of the scale. (C3)
    `block` is not negative, and `axis` exists. (C4) `x` is of floating-point elements or of i32 (sums of products), and
    the result, of the same shape, of integers of at most 16 bits or floats of at most 8.

    ```mlir
    %q = graph.quantize %x, %s, %z : tensor<2x64xf32>, tensor<f32>, tensor<i8> -> tensor<2x64xi8>
    %w = graph.quantize %x, %t axis = 1, block = 32 : tensor<2x64xf32>, tensor<2x2xf32> -> tensor<2x64xi4>
    ```
    """

    name = "graph.quantize"
    EXPLICIT_RESULT: ClassVar = True
    x = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    zero = opt_operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, y = tensor_of(self.x), tensor_of(self.y)
        wide = is_float(x.element_type) or x.element_type == _I32
        if x.get_shape() != y.get_shape() or not wide or not _is_quantized(y.element_type):  # (C4)
            raise VerifyException(
                "graph.quantize makes integers of 2 to 16 bits, or floats of 4 or 8 bits, of a tensor of "
                f"floating-point numbers or i32 and the same shape; it can't make {y} of {x}"
            )
        self.check_scale(self.scale, self.zero, y.element_type)
        return (y,)

    def work(self) -> Work:
        return self.work_of(3 + (self.zero is not None))  # a division, a rounding, a limit


@irdl_op_definition
class DequantizeOp(ScaledOp):
    """(x - zero) * scale: the numbers that quantized numbers stand for, in the type of the scale, rounded once; with
    scales that are powers of two (f8E8M0FNU), as in microscaling formats, in bf16.

    A kernel that reads quantized weights converts them as it loads them, so that they stay small in memory: the op is
    not computed ahead of time, unless it is `stored`.

    (C1) scale and zero broadcast, or have the extents of blocks. (C2) the zero point has the shape of the scale. (C3)
    `block` is not negative, and `axis` exists. (C4) `x` is of integers of at most 32 bits or floats of at most 8, the
    scale of another floating-point type, or f8E8M0FNU.

    ```mlir
    %x = graph.dequantize %q, %s, %z : tensor<2x64xi8>, tensor<f32>, tensor<i8>
    %w = graph.dequantize %r, %t axis = 1, block = 32 : tensor<2x64xi4>, tensor<2x2xf16>
    %v = graph.dequantize %m, %u axis = 1, block = 32 : tensor<2x64xf4E2M1FN>, tensor<2x2xf8E8M0FNU>
    ```
    """

    name = "graph.dequantize"
    FUSION: ClassVar = FusionRole.CONVERSION
    x = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    zero = opt_operand_def(TENSOR)
    stored = flag_prop()
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, scale = tensor_of(self.x), tensor_of(self.scale)
        kept = _is_quantized(x.element_type) or x.element_type == _I32
        powers = scale.element_type == element_type_named("f8E8M0FNU")
        if not kept or (is_small_float(scale.element_type) and not powers):  # (C4)
            raise VerifyException(
                "graph.dequantize reads integers of 2 to 32 bits, or floats of 4 or 8 bits, and a scale of f16, bf16, "
                f"f32, f64 or f8E8M0FNU, not {x} and {scale}; cast (graph.cast)"
            )
        self.check_scale(self.scale, self.zero, x.element_type)
        return (tensor_type(x.get_shape(), element_type_named("bf16") if powers else scale.element_type),)

    def work(self) -> Work:
        return self.work_of(1 + (self.zero is not None))


_I32 = element_type_named("i32")


def _is_quantized(element: ElementType) -> bool:
    return is_small(element) or element in (element_type_named("i16"), element_type_named("ui16"))


class SmallProductOp(GraphOp):
    """Base class of products of quantized factors: (a - zero of a) * (b - zero of b), summed exactly in i32 (which
    wraps) for integers, in f32 for floats of at most 8 bits.

    `zeros` are none, or the zero points of both factors, each of the factor's type and broadcasting to it.

    (C1) the factors are both integers or both floats, of at most 8 bits. (C2) there are no zeros, or one for each
    factor, of its type, which broadcasts to it; factors of floats have none.
    """

    FUSION: ClassVar = FusionRole.CONTRACTION
    zeros = var_operand_def(TENSOR)

    def sum_type(self, a: SSAValue, b: SSAValue) -> ElementType:
        """The type of the sums. Raises VerifyException unless factors and zero points fit."""
        types = [tensor_of(value).element_type for value in (a, b)]
        floats = [is_float(each) for each in types]
        if not all(is_small(each) for each in types) or floats[0] != floats[1]:  # (C1)
            raise VerifyException(
                f"{self.name} multiplies two tensors of integers, or two of floats, of at most 8 bits, not "
                f"{tensor_of(a)} and {tensor_of(b)}; other types have graph.matmul and graph.conv"
            )
        if len(self.zeros) not in (0, 2) or (self.zeros and floats[0]):  # (C2)
            raise VerifyException(
                f"{self.name} takes no zero points, or, for integers, one for each factor, not {len(self.zeros)} for "
                f"{tensor_of(a)} and {tensor_of(b)}"
            )
        for zero, value in zip(self.zeros, (a, b), strict=False):
            given, shape = shape_of(zero), shape_of(value)
            ends = zip(reversed(given), reversed(shape), strict=False)
            fits = len(given) <= len(shape) and all(n in (1, full) for n, full in ends)
            if not fits or tensor_of(zero).element_type != tensor_of(value).element_type:  # (C2)
                raise VerifyException(
                    f"{self.name}: a zero point of {tensor_of(zero)} does not fit the factor {tensor_of(value)}; it "
                    "has the factor's type and broadcasts to it"
                )
        return element_type_named("f32") if floats[0] else _I32

    def product_work(self, macs: int) -> Work:
        """The work of `macs` products; with zero points, also of the sums over rows and columns of the factors, and of
        three operations for each result."""
        a, b = (element_count(tensor_of(value)) for value in self.operands[:2])
        more = a + b + 3 * element_count(tensor_of(self.results[0])) if self.zeros else 0
        total = self.work_of(0, macs=macs)
        return Work(total.flops + more, total.read, total.written, macs)

    def with_zeros(self, part: PartOperands | None) -> PartOperands | None:
        """The parts of the factors, completed by the parts of the zero points."""
        if part is None or not self.zeros:
            return part
        needs = part.needs
        boxes = [
            stretched(shape_of(zero), full_box(value) if need is None else need)
            for zero, value, need in zip(self.zeros, self.operands, needs, strict=False)
        ]
        return PartOperands((*needs[:2], *boxes), part.properties)


@irdl_op_definition
class QmatmulOp(SmallProductOp):
    """Matrix product of quantized factors over the last two axes, as `graph.matmul`: tensor cores multiply the small
    types themselves.

    `a`: [batch…, M, K] (or [K, M] with `transpose_a`), `b`: [batch…, K, N] (or [N, K] with `transpose_b`).

    (C1) the factors are both integers or both floats, of at most 8 bits. (C2) there are no zeros, or one for each
    factor, of its type, which broadcasts to it; factors of floats have none. (C3) matrices and batches fit as those of
    `graph.matmul`.

    ```mlir
    %y = graph.qmatmul %a, %b : tensor<1x4096xi8>, tensor<4096x11008xi8>
    %z = graph.qmatmul %c, %d, %p, %q transpose_b : tensor<4x64xui8>, tensor<32x64xi8>, tensor<ui8>, tensor<i8>
    ```
    """

    name = "graph.qmatmul"
    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    zeros = var_operand_def(TENSOR)
    transpose_a = flag_prop()
    transpose_b = flag_prop()
    y = result_def(TENSOR)

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """The sizes (batch, M, N, K) of the product."""
        *batch, m, n = shape_of(self.y)
        return prod(batch), m, n, shape_of(self.a)[-2 if self.transpose_a.value.data else -1]

    def infer(self) -> tuple[Tensor, ...]:
        element = self.sum_type(self.a, self.b)
        turned = bool(self.transpose_a.value.data), bool(self.transpose_b.value.data)
        return (tensor_type(matmul_shape(self.name, tensor_of(self.a), tensor_of(self.b), *turned), element),)  # (C3)

    def work(self) -> Work:
        batch, m, n, k = self.sizes
        return self.product_work(batch * m * n * k)

    def part(self, box: Box) -> PartOperands | None:
        turned = bool(self.transpose_a.value.data), bool(self.transpose_b.value.data)
        needs = matmul_part(shape_of(self.a), shape_of(self.b), self.sizes[3], *turned, box)
        return self.with_zeros(PartOperands(tuple(needs)))


@irdl_op_definition
class QconvOp(WindowedOp, SmallProductOp):
    """Cross-correlation of a quantized image with quantized filters, as `graph.conv`. Padding stands for the number 0,
    as the zero point of the image does.

    `x`: [N, C, spatial…], `w`: [M, C / groups, kernel…]; result [N, M, spatial…].

    (C1) the factors are both integers or both floats, of at most 8 bits. (C2) there are no zeros, or one for each
    factor, of its type, which broadcasts to it; factors of floats have none. (C3) image, filters, groups and window fit
    as those of `graph.conv`. (C4) the zero point of the image is one number.

    ```mlir
    %y = graph.qconv %x, %w pads = [1, 1, 1, 1] : tensor<1x3x9x9xui8>, tensor<4x3x3x3xi8>
    %z = graph.qconv %x, %w, %p, %q : tensor<1x3x9x9xui8>, tensor<4x3x3x3xi8>, tensor<ui8>, tensor<4x1x1x1xi8>
    ```
    """

    name = "graph.qconv"
    traits = traits_def(AnyLayout())
    x = operand_def(TENSOR)
    w = operand_def(TENSOR)
    zeros = var_operand_def(TENSOR)
    groups = int_prop(1)
    y = result_def(TENSOR)

    @property
    def kernel(self) -> tuple[int, ...]:
        """Extents of the filter's spatial axes."""
        return shape_of(self.w)[2:]

    def infer(self) -> tuple[Tensor, ...]:
        element = self.sum_type(self.x, self.w)
        if self.zeros and element_count(tensor_of(self.zeros[0])) != 1:  # (C4)
            raise VerifyException(
                f"graph.qconv: the zero point of the image must be one number, not {tensor_of(self.zeros[0])}"
            )
        shape = conv_shape(self, tensor_of(self.x), tensor_of(self.w), self.groups.value.data)  # (C3)
        return (tensor_type(shape, element),)

    def work(self) -> Work:
        return self.product_work(element_count(tensor_of(self.y)) * prod(shape_of(self.w)[1:]))

    def part(self, box: Box) -> PartOperands | None:
        return self.with_zeros(conv_part(self, self.groups.value.data, box))


QUANTIZED_OPS = ops_of(__name__)
