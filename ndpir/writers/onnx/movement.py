"""Writers of graph ops that move elements, by shape or by indices, as ONNX."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I64
from interp.numerics.rounding import cast
from ndpir.writers.onnx.graph import OnnxGraph, refuse, writer
from ndpir.writers.onnx.names import SCATTERED

_FROM_THE_START = -(1 << 62)
"""The end of a slice with a negative step, if the slice includes element 0."""


@writer.of(g.ReshapeOp)
def reshape(graph: OnnxGraph, op: g.ReshapeOp) -> str:
    return graph.reshape(graph[op.x], g.shape_of(op.y))


@writer.of(g.TransposeOp)
def transpose(graph: OnnxGraph, op: g.TransposeOp) -> str:
    return graph.node("Transpose", graph[op.x], perm=list(op.permutation.get_values()) or None)


@writer.of(g.BroadcastOp)
def broadcast(graph: OnnxGraph, op: g.BroadcastOp) -> str:
    return graph.node("Expand", graph[op.x], graph.integers(g.shape_of(op.y)))


@writer.of(g.ConcatOp)
def concat(graph: OnnxGraph, op: g.ConcatOp) -> str:
    return graph.node("Concat", *graph.operands(op), axis=op.axis.value.data)


@writer.of(g.SliceOp)
def slice_op(graph: OnnxGraph, op: g.SliceOp) -> str:
    """An ONNX Slice of those axes from which elements are removed, or whose order is changed."""
    kept = [
        (axis, r if len(r) else range(0))
        for axis, (r, extent) in enumerate(zip(op.ranges(), g.shape_of(op.x), strict=True))
        if r != range(extent)
    ]
    if not kept:
        return graph.node("Identity", graph[op.x])
    ends = [r.stop if r.stop >= 0 else _FROM_THE_START for _, r in kept]
    given = [[r.start for _, r in kept], ends, [axis for axis, _ in kept], [r.step for _, r in kept]]
    return graph.node("Slice", graph[op.x], *map(graph.integers, given))


@writer.of(g.PadOp)
def pad(graph: OnnxGraph, op: g.PadOp) -> str:
    if not g.shape_of(op.x):
        return graph.node("Identity", graph[op.x])
    fill = graph.constant(cast(np.array(op.value.value.data), graph.dtype_of(op.x)))
    return graph.node("Pad", graph[op.x], graph.integers([*op.low.get_values(), *op.high.get_values()]), fill)


@writer.of(g.GatherOp)
def gather(graph: OnnxGraph, op: g.GatherOp) -> str:
    return graph.node("Gather", graph[op.x], indices(graph, op.indices), axis=op.axis.value.data)


@writer.of(g.GatherElementsOp)
def gather_elements(graph: OnnxGraph, op: g.GatherElementsOp) -> str:
    return graph.node("GatherElements", graph[op.x], indices(graph, op.indices), axis=op.axis.value.data)


@writer.of(g.GatherNdOp)
def gather_nd(graph: OnnxGraph, op: g.GatherNdOp) -> str:
    _has_coordinates(op, op.indices)
    return graph.node("GatherND", graph[op.x], indices(graph, op.indices, True), batch_dims=op.batch_dims.value.data)


def _reduction(op: g.ScatterElementsOp | g.ScatterNdOp) -> str:
    if (kind := op.kind.data) not in SCATTERED:
        refuse(op, f"ONNX's scatters do not support the kind `{kind}`")
    return SCATTERED[kind]


@writer.of(g.ScatterElementsOp)
def scatter_elements(graph: OnnxGraph, op: g.ScatterElementsOp) -> str:
    found = indices(graph, op.indices)
    reduction = _reduction(op)
    return graph.node(
        "ScatterElements", graph[op.x], found, graph[op.updates], axis=op.axis.value.data, reduction=reduction
    )


@writer.of(g.ScatterNdOp)
def scatter_nd(graph: OnnxGraph, op: g.ScatterNdOp) -> str:
    _has_coordinates(op, op.indices)
    if op.outside.data != "error":
        refuse(op, "ONNX's ScatterND does not support indices outside of the tensor; use outside = error")
    found = indices(graph, op.indices, True)
    return graph.node("ScatterND", graph[op.x], found, graph[op.updates], reduction=_reduction(op))


@writer.of(g.ArgsortOp)
def argsort(graph: OnnxGraph, op: g.ArgsortOp) -> str:
    refuse(op, "ONNX's TopK does not define the order of equal elements")


@writer.of(g.BitcastOp)
def bitcast(graph: OnnxGraph, op: g.BitcastOp) -> str:
    refuse(op, "ONNX has no operator that reinterprets bits; cast numbers (graph.cast)")


@writer.of(g.DynamicSliceOp, g.DynamicUpdateSliceOp)
def dynamic(graph: OnnxGraph, op: g.GraphOp) -> str:
    refuse(op, "ONNX's Slice does not clamp starts as this op does; use known starts (graph.slice)")


def indices(graph: OnnxGraph, value: SSAValue, long: bool = False) -> str:
    """Indices cast to i32 or i64, the index types of ONNX; to i64 if `long`."""
    element = g.tensor_of(value).element_type
    taken = element == I64 or (not long and element == IntegerType(32))
    return graph[value] if taken else graph.cast(graph[value], I64)


def _has_coordinates(op: g.GraphOp, picks: SSAValue) -> None:
    if g.shape_of(picks)[-1] == 0:
        refuse(op, "ONNX's index vectors must have at least one coordinate, but these have none")
