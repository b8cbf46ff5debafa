"""Writer of the products of a mixture of experts as ONNX."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I64, is_float, is_small
from ndpir.writers.onnx.graph import OnnxGraph, writer
from ndpir.writers.onnx.movement import indices


@writer.of(g.GroupedMatmulOp)
def grouped_matmul(graph: OnnxGraph, op: g.GroupedMatmulOp) -> str:
    """A Gather of the matrix of each row, and a product for each row; ONNX has no product that reads a matrix once for
    all rows that choose it. With ids of other devices' experts, rows of those are set to zero."""
    *rows, n = g.shape_of(op.y)
    here = g.shape_of(op.w)[0]
    ids, others = indices(graph, op.ids), None
    if op.experts.value.data:
        ids = graph.cast(ids, I64)
        first, last = (graph.constant(np.array(number, np.int64)) for number in (0, here - 1))
        inside = graph.node("Clip", ids, first, last)
        own = graph.node("Equal", ids, inside)
        ids, others = inside, graph.node("Unsqueeze", own, graph.integers([-1]))
    x, w = (_factor(graph, value) for value in (op.x, op.w))
    w = graph.node("Gather", w, ids, axis=0)
    if op.transpose_b.value.data:
        w = graph.node("Transpose", w, perm=[*range(len(rows)), len(rows) + 1, len(rows)])
    lines = graph.node("Unsqueeze", x, graph.integers([-2]))
    y = graph.reshape(graph.node("MatMul", lines, w), (*rows, n))
    if op.bias is not None:
        bias = graph.node("Gather", graph.widened("MatMul", op.bias), ids, axis=0)
        y = graph.node("Add", y, bias)
    if others is not None:
        y = graph.node("Where", others, y, graph.node("CastLike", graph.constant(np.array(0, np.int64)), y))
    return y if is_small(g.tensor_of(op.x).element_type) else graph.cast_back("MatMul", y, op.x)


def _factor(graph: OnnxGraph, value: SSAValue) -> str:
    """A factor; one of at most 8 bits in the type in which its products are summed."""
    element = g.tensor_of(value).element_type
    if not is_small(element):
        return graph.widened("MatMul", value)
    return graph.cast(graph[value], f32 if is_float(element) else i32)
