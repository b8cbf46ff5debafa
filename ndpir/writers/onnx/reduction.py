"""Writers of reductions, normalisations and pooling as ONNX."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import BoolAttr
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of, is_float
from ndpir.writers.onnx.contraction import window
from ndpir.writers.onnx.graph import OnnxGraph, refuse, takes, writer
from ndpir.writers.onnx.names import REDUCED


@writer.of(g.ReduceOp)
def reduce(graph: OnnxGraph, op: g.ReduceOp) -> str:
    axes = op.axis_set()
    if not axes:  # a scalar
        return graph.node("Identity", graph[op.x])
    kind, element = REDUCED[op.kind.data], graph.element_of(op.x)
    if op.kind.data == "mean" and not takes(kind, element):
        refuse(op, f"ONNX's {kind} does not support {element}; cast (graph.cast)")
    y = graph.node(kind, graph.widened(kind, op.x), graph.integers(axes), keepdims=_flag(op.keep_dims))
    return graph.cast_back(kind, y, op.x)


@writer.of(g.CumsumOp)
def cumsum(graph: OnnxGraph, op: g.CumsumOp) -> str:
    words = {
        name: 1 if value.value.data else None for name, value in (("exclusive", op.exclusive), ("reverse", op.reverse))
    }
    x = graph.widened("CumSum", op.x)
    y = graph.node("CumSum", x, graph.constant(np.array(op.axis.value.data, np.int64)), **words)
    return graph.cast_back("CumSum", y, op.x)


@writer.of(g.SoftmaxOp)
def softmax(graph: OnnxGraph, op: g.SoftmaxOp) -> str:
    return graph.node("Softmax", graph[op.x], axis=op.axis.value.data)


@writer.of(g.LayerNormOp)
def layer_norm(graph: OnnxGraph, op: g.LayerNormOp) -> str:
    return _normalised(graph, "LayerNormalization", op, op.scale, op.bias)


@writer.of(g.RmsNormOp)
def rms_norm(graph: OnnxGraph, op: g.RmsNormOp) -> str:
    return _normalised(graph, "RMSNormalization", op, op.scale, None)


def _normalised(
    graph: OnnxGraph, kind: str, op: g.LayerNormOp | g.RmsNormOp, scale: SSAValue, bias: SSAValue | None
) -> str:
    """A normalisation node. Scale and bias are inputs of the node if they extend along the normalised axes only;
    otherwise they are applied by separate nodes after it."""
    shape = g.shape_of(op.x)
    axes = shape[op.axis.value.data % len(shape) :]
    words = {"axis": op.axis.value.data, "epsilon": op.epsilon.value.data}
    factors = [scale] if bias is None else [scale, bias]
    if all(_over(value, axes) for value in factors):
        return graph.node(kind, graph[op.x], *(_broadcast(graph, value, axes) for value in factors), **words)
    ones = graph.constant(np.ones(axes, graph.dtype_of(op.x)))
    y = graph.node("Mul", graph.node(kind, graph[op.x], ones, **words), graph[scale])
    return y if bias is None else graph.node("Add", y, graph[bias])


def _over(value: SSAValue, axes: tuple[int, ...]) -> bool:
    """True if a value has extent 1 along all axes before the normalised ones, which are the last `axes`."""
    return all(extent == 1 for extent in g.shape_of(value)[: -len(axes)])


def _broadcast(graph: OnnxGraph, value: SSAValue, axes: tuple[int, ...]) -> str:
    shape = g.shape_of(value)
    if shape == axes:
        return graph[value]
    last = shape[-len(axes) :]
    name = graph[value] if last == shape else graph.reshape(graph[value], last)
    return name if last == axes else graph.node("Expand", name, graph.integers(axes))


@writer.of(g.BatchNormOp)
def batch_norm(graph: OnnxGraph, op: g.BatchNormOp) -> str:
    """An ONNX BatchNormalization. The standard requires that scale and bias have the same type, and that mean and
    variance have the same type. If the types of a pair differ, all four operands are cast to the image's type."""
    numbers = (op.scale, op.bias, op.mean, op.variance)
    scale, bias, mean, variance = (graph.element_of(value) for value in numbers)
    mixed = scale != bias or mean != variance
    given = [graph.cast(graph[value], graph.element_of(op.x)) if mixed else graph[value] for value in numbers]
    return graph.node("BatchNormalization", graph[op.x], *given, epsilon=op.epsilon.value.data)


@writer.of(g.LrnOp)
def lrn(graph: OnnxGraph, op: g.LrnOp) -> str:
    words = {name: getattr(op, name).value.data for name in ("size", "alpha", "beta", "bias")}
    return graph.node("LRN", graph[op.x], **words)


@writer.of(g.PoolOp)
def pool(graph: OnnxGraph, op: g.PoolOp) -> str:
    element, kernel = g.tensor_of(op.x).element_type, tuple(op.kernel.get_values())
    largest = op.kind.data == "max"
    if not is_float(element) and not (largest and dtype_of(element).itemsize == 1):
        kinds = "8-bit integers and floating-point elements" if largest else "floating-point elements"
        refuse(op, f"ONNX's pooling supports {kinds}, not {element}; cast (graph.cast)")
    words = {"kernel_shape": list(kernel), "ceil_mode": _flag(op.ceil), **window(op, kernel)}
    if not largest:
        words["count_include_pad"] = _flag(op.count_include_pad)
    return graph.node("MaxPool" if largest else "AveragePool", graph[op.x], **words)


def _flag(value: BoolAttr) -> int:
    """A truth value as 1 or 0 (in the IR, true is -1)."""
    return int(bool(value.value.data))
