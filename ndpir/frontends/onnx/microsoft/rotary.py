"""Rotation of queries and keys by their positions (rotary embedding)."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.operators import OnnxNode, extents_of, handles_foreign, rank_of
from ndpir.frontends.onnx.quantized.products import MICROSOFT


def _columns(node: OnnxNode, x: SSAValue, start: int, end: int, step: int = 1) -> SSAValue:
    rank = rank_of(x)
    starts, ends, steps = [0] * rank, list(g.shape_of(x)), [1] * rank
    starts[-1], ends[-1], steps[-1] = start, end, step
    return node.build(g.SliceOp, x, starts=starts, ends=ends, steps=steps if step > 1 else None)


def rotated(node: OnnxNode, x: SSAValue, cos: SSAValue, sin: SSAValue, interleaved: bool) -> SSAValue:
    """Pairs of elements of each head rotated by angles. `x`: [batch, heads, length, depth]; `cos`, `sin`: [batch,
    length, angles] of the positions, for the first 2 * angles elements. The pairs are neighbours if `interleaved`,
    else the first and second half."""
    depth, width = g.shape_of(x)[-1], 2 * g.shape_of(cos)[-1]
    if width > depth:
        node.fail(f"{width // 2} angles rotate {width} elements, but a head has {depth}")
    batch, length, angles = extents_of(node, cos, 3)
    cos, sin = (node.reshaped(each, (batch, 1, length, angles)) for each in (cos, sin))
    if interleaved:
        a, b = _columns(node, x, 0, width, 2), _columns(node, x, 1, width, 2)
    else:
        a, b = _columns(node, x, 0, angles), _columns(node, x, angles, width)
    one = node.build(g.SubOp, node.build(g.MulOp, a, cos), node.build(g.MulOp, b, sin))
    other = node.build(g.AddOp, node.build(g.MulOp, b, cos), node.build(g.MulOp, a, sin))
    if interleaved:
        shape = g.shape_of(one)
        pair = [node.reshaped(each, (*shape, 1)) for each in (one, other)]
        turned = node.reshaped(node.build(g.ConcatOp, *pair, axis=len(shape)), (*shape[:-1], width))
        parts = [turned]
    else:
        parts = [one, other]
    if width < depth:
        parts.append(_columns(node, x, width, depth))
    return parts[0] if len(parts) == 1 else node.build(g.ConcatOp, *parts, axis=3)


def of_positions(
    node: OnnxNode, cache: SSAValue, positions: SSAValue | None, first: SSAValue | int, batch: int, length: int
) -> SSAValue:
    """The rows of a cache of cosines or sines for the positions [batch, length], [batch, length, angles]; without
    positions, they count from `first`, a number or a vector with one for each sequence."""
    if positions is None:
        counted = node.constant(np.arange(length, dtype=np.int64).reshape(1, length))
        if isinstance(first, int):
            positions = node.broadcast_to(node.constant(np.arange(first, first + length)[None]), (batch, length))
        else:
            positions = node.build(g.AddOp, node.cast(node.reshaped(first, (batch, 1)), i64), counted)
    return node.build(g.GatherOp, cache, node.broadcast_to(positions, (batch, length)), axis=0)


@handles_foreign(
    MICROSOFT, "RotaryEmbedding", (4, 4), interleaved=0, is_packed_batching=0, num_heads=0, rotary_embedding_dim=0,
    scale=1.0,
)  # fmt: skip
def rotary_embedding(node: OnnxNode) -> SSAValue:
    x, positions = node[0], node[1]
    if node.integer("is_packed_batching") or node.real("scale") != 1.0:
        node.fail("packed batches and a scale of positions other than 1 are not supported")
    flat = rank_of(x) == 3
    if flat:
        batch, length, width = g.shape_of(x)
        heads = node.integer("num_heads")
        depth = width // heads if heads > 0 else 2 * extents_of(node, node[2], 2)[-1]
        if depth < 1 or width % depth:
            node.fail(f"{width} elements can't be divided into heads of {depth}")
        x = node.transposed(node.reshaped(x, (batch, length, width // depth, depth)), (0, 2, 1, 3))
    batch, heads, length, depth = extents_of(node, x, 4)
    start = (
        None if g.shape_of(positions) not in ((), (1,)) else node.broadcast_to(node.reshaped(positions, (1,)), (batch,))
    )
    cos, sin = (
        of_positions(node, cache, positions if start is None else None, 0 if start is None else start, batch, length)
        for cache in (node[2], node[3])
    )
    y = rotated(node, x, cos, sin, bool(node.integer("interleaved")))
    return node.reshaped(node.transposed(y, (0, 2, 1, 3)), (batch, length, heads * depth)) if flat else y
