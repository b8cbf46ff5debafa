"""Operators that sort or select: the largest elements, and elements by conditions that are known at import."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.builder import known
from ndpir.frontends.onnx.operators import OnnxNode, handles, rank_of


@handles("TopK", newest=24)
def top_k(node: OnnxNode) -> list[SSAValue]:
    """The k largest or smallest elements along an axis, in order, and their positions as i64: a stable sort, so that of
    equal elements the first comes first."""
    x, axis = node[0], node.axis("axis", rank_of(node[0]))
    count = node.integer("k") if node.since < 10 else node.whole(1)
    extent = g.shape_of(x)[axis]
    if not 0 <= count <= extent:
        node.fail(f"`k` must be from 0 to {extent}, the extent of axis {axis}, not {count}")
    order = node.build(g.ArgsortOp, x, axis=axis, descending=True if node.integer("largest", 1) else None)
    ends = [count if at == axis else n for at, n in enumerate(g.shape_of(x))]
    first = node.sliced(order, [0] * len(ends), ends)
    return [node.build(g.GatherElementsOp, x, first, axis=axis), node.cast(first, i64)]


_DEPENDS = "the shape of its result depends on its numbers, which are computed from an input of the model"


@handles("NonZero", newest=13)
def non_zero(node: OnnxNode) -> SSAValue:
    """The positions of elements that are not 0, of an operand that is known at import."""
    array = known(node[0])
    if array is None:
        node.fail(f"{_DEPENDS}; end the model before it, or make the positions an input")
    return node.constant(np.stack(np.nonzero(array)).astype(np.int64).reshape(array.ndim, -1))


@handles("Compress", newest=28)
def compress(node: OnnxNode) -> SSAValue:
    """The slices along an axis, or of the flattened operand, for which a condition, known at import, is true."""
    x, condition = node[0], known(node[1])
    if condition is None:
        node.fail(f"{_DEPENDS}; end the model before it, or store the condition in the model")
    axis = node.axis("axis", rank_of(x)) if node.has("axis") else 0
    if not node.has("axis"):
        x = node.reshaped(x, (int(np.prod(g.shape_of(x))),))
    places = np.flatnonzero(condition.reshape(-1))
    if places.size and places[-1] >= g.shape_of(x)[axis]:
        node.fail(f"the condition selects element {places[-1]}, but axis {axis} has {g.shape_of(x)[axis]} elements")
    return node.build(g.GatherOp, x, node.constant(places.astype(np.int64)), axis=axis)
