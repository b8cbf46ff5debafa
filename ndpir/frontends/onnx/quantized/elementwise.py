"""The QLinear operators of com.microsoft: an operator between a conversion to numbers and one back."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.contraction import window
from ndpir.frontends.onnx.operators import OnnxNode, handles_foreign, rank_of
from ndpir.frontends.onnx.quantized.products import MICROSOFT, requantized
from ndpir.frontends.onnx.quantized.scaling import scaling_of


def number_of(node: OnnxNode, index: int) -> SSAValue:
    """What the quantized operand `index` stands for; its scale and zero point are the next two operands."""
    return scaling_of(node, node[index], node[index + 1], node.get(index + 2), 1).dequantize(node, node[index])


def _pair(kind: type[g.GraphOp]) -> Callable[[OnnxNode], SSAValue]:
    def handler(node: OnnxNode) -> SSAValue:
        y = node.build(kind, number_of(node, 0), number_of(node, 3))
        return requantized(node, y, node[6], node.get(7))

    return handler


handles_foreign(MICROSOFT, "QLinearAdd", (7, 8))(_pair(g.AddOp))
handles_foreign(MICROSOFT, "QLinearMul", (7, 8))(_pair(g.MulOp))


@handles_foreign(MICROSOFT, "QLinearSigmoid", (4, 5))
def qlinear_sigmoid(node: OnnxNode) -> SSAValue:
    return requantized(node, node.build(g.SigmoidOp, number_of(node, 0)), node[3], node.get(4))


@handles_foreign(MICROSOFT, "QLinearLeakyRelu", (4, 5), alpha=0.01)
def qlinear_leaky_relu(node: OnnxNode) -> SSAValue:
    x = number_of(node, 0)
    small = node.build(g.MulOp, x, node.like(x, node.real("alpha")))
    negative = node.build(g.CompareOp, x, node.like(x, 0), kind="lt")
    return requantized(node, node.build(g.SelectOp, negative, small, x), node[3], node.get(4))


@handles_foreign(MICROSOFT, "QLinearSoftmax", (5, 5), axis=-1, opset=int)
def qlinear_softmax(node: OnnxNode) -> SSAValue:
    """Softmax along an axis; for opsets before 13, all axes from it on are one."""
    x = number_of(node, 0)
    axis, rank = node.axis("axis", rank_of(x)), rank_of(x)
    if node.integer("opset", 13) < 13 and axis != rank - 1:
        node.fail("softmax over several axes (before opset 13) is supported along the last axis only")
    return requantized(node, node.build(g.SoftmaxOp, x, axis=axis), node[3], node.get(4))


@handles_foreign(MICROSOFT, "QLinearConcat", (5, 1 << 30), axis=int)
def qlinear_concat(node: OnnxNode) -> SSAValue:
    """The parts, three operands each, follow scale and zero point of the result."""
    if (len(node.inputs) - 2) % 3:
        node.fail(f"each part takes three inputs (values, scale, zero point), but {len(node.inputs) - 2} are given")
    parts = [number_of(node, index) for index in range(2, len(node.inputs), 3)]
    y = node.build(g.ConcatOp, *parts, axis=node.axis("axis", rank_of(parts[0])))
    return requantized(node, y, node[0], node[1])


@handles_foreign(MICROSOFT, "QLinearWhere", (9, 9))
def qlinear_where(node: OnnxNode) -> SSAValue:
    y = node.build(g.SelectOp, node[0], number_of(node, 1), number_of(node, 4))
    return requantized(node, y, node[7], node.get(8))


@handles_foreign(MICROSOFT, "QLinearReduceMean", (4, 5), axes=(0,), keepdims=1)
def qlinear_reduce_mean(node: OnnxNode) -> SSAValue:
    x = number_of(node, 0)
    axes = sorted(node.axis_of(axis, rank_of(x)) for axis in node.integer_list("axes") or range(rank_of(x)))
    y = node.build(g.ReduceOp, x, kind="mean", axes=axes, keep_dims=True if node.integer("keepdims") else None)
    return requantized(node, y, node[3], node.get(4))


@handles_foreign(MICROSOFT, "QLinearGlobalAveragePool", (5, 5), channels_last=0)
def qlinear_global_average_pool(node: OnnxNode) -> SSAValue:
    x = number_of(node, 0)
    last = bool(node.integer("channels_last"))
    axes = range(1, rank_of(x) - 1) if last else range(2, rank_of(x))
    return requantized(node, node.build(g.ReduceOp, x, kind="mean", axes=list(axes), keep_dims=True), node[3], node[4])


@handles_foreign(
    MICROSOFT, "QLinearAveragePool", (4, 5), auto_pad="NOTSET", ceil_mode=0, channels_last=0, count_include_pad=0,
    kernel_shape=(0,), pads=(0,), strides=(0,),
)  # fmt: skip
def qlinear_average_pool(node: OnnxNode) -> SSAValue:
    x = number_of(node, 0)
    last = bool(node.integer("channels_last"))
    if last:
        x = node.transposed(x, (0, rank_of(x) - 1, *range(1, rank_of(x) - 1)))
    kernel = node.integer_list("kernel_shape") or ()
    y = node.build(
        g.PoolOp, x, kind="mean", kernel=kernel, **window(node, g.shape_of(x)[2:], kernel),
        ceil=True if node.integer("ceil_mode") else None,
        count_include_pad=True if node.integer("count_include_pad") else None,
    )  # fmt: skip
    if last:
        y = node.transposed(y, (0, *range(2, rank_of(y)), 1))
    return requantized(node, y, node[3], node.get(4))
