"""Import of pooling: a maximum or mean over a sliding window or over the whole image."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import is_float
from ndpir.frontends.onnx.contraction import note_pads, window
from ndpir.frontends.onnx.operators import OnnxNode, element_of, handles, rank_of


@handles("AveragePool", newest=22)
def average_pool(node: OnnxNode) -> SSAValue:
    y = node.add(_pool(node, "mean", bool(node.integer("count_include_pad"))))
    note_pads(node, y, node.integer_list("kernel_shape") or ())
    return y


@handles("MaxPool", newest=22)
def max_pool(node: OnnxNode) -> list[SSAValue]:
    op = _pool(node, "max")
    pads, y = op.reach(), node.add(op)
    note_pads(node, y, node.integer_list("kernel_shape") or ())
    return [y, _indices(node, op, pads, y)] if any(node.wanted[1:]) else [y]


def _pool(node: OnnxNode, kind: str, count_include_pad: bool = False) -> g.PoolOp:
    kernel = node.integer_list("kernel_shape") or ()
    return g.PoolOp(
        node[0],
        kind=kind,
        kernel=kernel,
        **window(node, g.shape_of(node[0])[2:], kernel),
        ceil=True if node.integer("ceil_mode") else None,
        count_include_pad=True if count_include_pad else None,
        result_type=None,
    )


def _indices(node: OnnxNode, op: g.PoolOp, pads: Sequence[tuple[int, int]], y: SSAValue) -> SSAValue:
    """The position of each window's maximum in the flattened operand, as i64; the first position if several elements
    are equal.

    The operand and the positions of its elements are unfolded into windows. Positions of elements below the maximum are
    replaced by a large number, and the minimum over the window is taken.
    """
    x, kernel = node[0], tuple(op.kernel.get_values())
    extents = g.shape_of(x)
    if not is_float(element_of(x)):
        node.fail(
            f"indices of a maximum are supported only for floating-point elements, not for {element_of(x)}; cast the "
            "operand"
        )
    strides, _, dilations = op.window(kernel)
    low, high = zip((0, 0), (0, 0), *pads, strict=True)

    def windows(value: SSAValue, fill: float) -> SSAValue:
        image = node.build(g.PadOp, value, low=low, high=high, value=fill)
        return node.build(g.Im2colOp, image, kernel=kernel, strides=strides, dilations=dilations, groups=extents[1])

    values, places = windows(x, float("-inf")), windows(_places(node, extents), 0.0)
    best = node.reshaped(y, (*extents[:2], prod(g.shape_of(y)[2:]), 1))
    nowhere = node.constant(np.array(prod(extents), np.int64))
    hit = node.build(g.SelectOp, node.build(g.CompareOp, values, best, kind="eq"), places, nowhere)
    return node.reshaped(node.build(g.ReduceOp, hit, kind="min", axes=(3,)), g.shape_of(y))


def _places(node: OnnxNode, extents: tuple[int, ...]) -> SSAValue:
    """The position of each element in the flattened tensor; if the attribute `storage_order` is 1, images are flattened
    column by column."""
    order = (0, 1, *reversed(range(2, len(extents)))) if node.integer("storage_order") else tuple(range(len(extents)))
    return node.transposed(node.reshaped(node.counted(prod(extents), i64), [extents[axis] for axis in order]), order)


@handles("GlobalAveragePool", newest=22)
def global_average_pool(node: OnnxNode) -> SSAValue:
    return _global(node, "mean")


@handles("GlobalMaxPool", newest=22)
def global_max_pool(node: OnnxNode) -> SSAValue:
    return _global(node, "max")


def _global(node: OnnxNode, kind: str) -> SSAValue:
    axes = tuple(range(2, rank_of(node[0])))
    if not axes:
        node.fail(f"the operand must be an image [N, C, spatial…] of at least 3 axes, not of {rank_of(node[0])}")
    return node.build(g.ReduceOp, node[0], kind=kind, axes=axes, keep_dims=True)
