"""Products of quantized factors: MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv, and those of com.microsoft."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import element_type_named
from ndpir.frontends.onnx.builder import known
from ndpir.frontends.onnx.contraction import note_pads, window
from ndpir.frontends.onnx.operators import OnnxNode, element_of, handles, handles_foreign, rank_of
from ndpir.frontends.onnx.quantized.scaling import Scaling, along, columns_along, rows_along, scaling_of

_F32 = element_type_named("f32")


def small_product(
    node: OnnxNode,
    a: SSAValue,
    b: SSAValue,
    zero_a: SSAValue | None = None,
    zero_b: SSAValue | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> SSAValue:
    """The sums of products (a - zero_a) * (b - zero_b) of matrices, in i32; a vector gets a unit axis for the product,
    which is removed from the result."""
    if not rank_of(a) or not rank_of(b):
        node.fail("a scalar was met, but both operands must have at least one axis")
    row, column = rank_of(a) == 1, rank_of(b) == 1
    rows = None if zero_a is None else rows_along(node, zero_a, a)
    columns = None if zero_b is None else columns_along(node, zero_b)
    if row:
        a = node.reshaped(a, (1, *g.shape_of(a)))
    if column:
        b = node.reshaped(b, (*g.shape_of(b), 1))
    y = node.build(
        g.QmatmulOp, a, b, *zeros_of(node, a, b, rows, columns),
        transpose_a=True if transpose_a else None, transpose_b=True if transpose_b else None,
    )  # fmt: skip
    extents = g.shape_of(y)
    return node.reshaped(y, (*extents[:-2], *(() if row else extents[-2:-1]), *(() if column else extents[-1:])))


def zeros_of(
    node: OnnxNode, a: SSAValue, b: SSAValue, zero_a: SSAValue | None, zero_b: SSAValue | None
) -> tuple[SSAValue, ...]:
    """The zero points of two factors as operands of their product: none if both are 0."""
    if all(zero is None or _is_zero(zero) for zero in (zero_a, zero_b)):
        return ()
    return tuple(node.like(x, 0) if zero is None else zero for x, zero in ((a, zero_a), (b, zero_b)))


def _is_zero(zero: SSAValue) -> bool:
    array = known(zero)
    return array is not None and not array.astype("float32").any()


def small_convolution(node: OnnxNode, x: SSAValue, w: SSAValue, zeros: Sequence[SSAValue | None]) -> SSAValue:
    """The sums of a convolution of quantized image and filters, in i32, by the node's attributes."""
    kernel = g.shape_of(w)[2:]
    if (kernel_shape := node.integer_list("kernel_shape")) not in (None, kernel):
        node.fail(
            f"`kernel_shape` is {kernel_shape}, but the filters have the shape {g.shape_of(w)}; correct one of the two"
        )
    zero_x, zero_w = zeros
    zero_x = None if zero_x is None else node.reshaped(zero_x, ()) if g.shape_of(zero_x) == (1,) else zero_x
    if zero_w is not None:
        zero_w = node.reshaped(zero_w, () if g.shape_of(zero_w) in ((), (1,)) else along(g.shape_of(w), 0))
    places = window(node, g.shape_of(x)[2:], kernel)
    y = node.build(g.QconvOp, x, w, *zeros_of(node, x, w, zero_x, zero_w), **places, groups=node.integer("group"))
    note_pads(node, y, kernel)
    return y


@handles("MatMulInteger", newest=10)
def matmul_integer(node: OnnxNode) -> SSAValue:
    return small_product(node, node[0], node[1], node.get(2), node.get(3))


@handles("ConvInteger", newest=10)
def conv_integer(node: OnnxNode) -> SSAValue:
    return small_convolution(node, node[0], node[1], (node.get(2), node.get(3)))


def scaled(node: OnnxNode, sums: SSAValue, *scales: SSAValue) -> SSAValue:
    """The numbers that the sums of a product stand for: times the product of the factors' scales."""
    scale = scales[0]
    for other in scales[1:]:
        scale = node.build(g.MulOp, node.cast(scale, _F32), node.cast(other, _F32))
    return Scaling(scale).dequantize(node, sums)


@handles("QLinearMatMul", newest=21)
def qlinear_matmul(node: OnnxNode) -> SSAValue:
    """The product of small factors, scaled, and quantized again."""
    sums = small_product(node, node[0], node[3], node[2], node[5])
    y = scaled(node, sums, rows_along(node, node[1], node[0]), columns_along(node, node[4]))
    return requantized(node, y, node[6], node[7])


def requantized(node: OnnxNode, y: SSAValue, scale: SSAValue, zero: SSAValue | None, axis: int = 1) -> SSAValue:
    """`y` in the type of the zero point (ui8 without one)."""
    element = element_type_named("ui8") if zero is None else element_of(zero)
    return scaling_of(node, y, node.cast(scale, _F32), zero, axis).quantize(node, y, element)


@handles("QLinearConv", newest=10)
def qlinear_conv(node: OnnxNode) -> SSAValue:
    """The convolution of small factors, with a bias of sums, scaled by one number or one a filter, and quantized
    again."""
    x, w = node[0], node[3]
    sums = small_convolution(node, x, w, (node[2], node[5]))
    if (bias := node.get(8)) is not None:
        sums = node.build(g.AddOp, sums, node.reshaped(bias, along(g.shape_of(sums), 1)))
    scale = node[4]
    scale = node.reshaped(scale, () if g.shape_of(scale) in ((), (1,)) else along(g.shape_of(sums), 1))
    return requantized(node, scaled(node, sums, node.reshaped(node[1], ()), scale), node[6], node[7])


MICROSOFT = "com.microsoft"


@handles_foreign(MICROSOFT, "QGemm", (6, 9), alpha=1.0, transA=0, transB=0)
def qgemm(node: OnnxNode) -> SSAValue:
    """alpha * A·B + C, where C holds sums; quantized if the result has a scale."""
    a, b = node[0], node[3]
    turned = bool(node.integer("transA")), bool(node.integer("transB"))
    zero_b = node[5]
    if turned[1] and g.shape_of(zero_b) not in ((), (1,)):
        zero_b = node.reshaped(zero_b, (*g.shape_of(zero_b), 1))
    sums = small_product(node, a, b, node[2], zero_b, *turned)
    if (c := node.get(6)) is not None:
        sums = node.build(g.AddOp, sums, c)
    scale = node.build(g.MulOp, node[1], node.like(node[1], node.real("alpha")))
    y = scaled(node, sums, rows_along(node, scale, sums), columns_along(node, node[4]))
    return y if node.get(7) is None else requantized(node, y, node[7], node.get(8))


@handles_foreign(MICROSOFT, "MatMulIntegerToFloat", (4, 7))
def matmul_integer_to_float(node: OnnxNode) -> SSAValue:
    sums = small_product(node, node[0], node[1], node.get(4), node.get(5))
    y = scaled(node, sums, rows_along(node, node[2], node[0]), columns_along(node, node[3]))
    return y if node.get(6) is None else node.build(g.AddOp, y, node[6])


@handles_foreign(MICROSOFT, "DynamicQuantizeMatMul", (3, 5))
def dynamic_quantize_matmul(node: OnnxNode) -> SSAValue:
    """The first factor is quantized by its own range."""
    q, scale, zero = dynamic(node, node[0])
    y = scaled(node, small_product(node, q, node[1], zero, node.get(3)), scale, columns_along(node, node[2]))
    return y if node.get(4) is None else node.build(g.AddOp, y, node[4])


def dynamic(node: OnnxNode, x: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """`x` in ui8 by the range of its own numbers and 0, its scale and its zero point, as DynamicQuantizeLinear defines
    them; a scale of 0 becomes 1."""
    low, high = (node.build(g.ReduceOp, x, kind=kind) for kind in ("min", "max"))
    low = node.build(g.MinOp, low, node.like(x, 0))
    high = node.build(g.MaxOp, high, node.like(x, 0))
    span = node.build(g.DivOp, node.build(g.SubOp, high, low), node.like(x, 255))
    flat = node.build(g.CompareOp, span, node.like(x, 0), kind="eq")
    scale = node.build(g.SelectOp, flat, node.like(x, 1), span)
    zero = Scaling(scale).quantize(node, node.build(g.NegOp, low), element_type_named("ui8"))
    return Scaling(scale, zero).quantize(node, x, element_type_named("ui8")), scale, zero


@handles("DynamicQuantizeLinear", newest=11)
def dynamic_quantize_linear(node: OnnxNode) -> Sequence[SSAValue]:
    return dynamic(node, node[0])
