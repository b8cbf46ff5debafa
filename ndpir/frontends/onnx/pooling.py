"""Pooling: a maximum or mean over a sliding window or over the whole image."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import is_float
from ndpir.frontends.onnx.contraction import window
from ndpir.frontends.onnx.operators import OnnxNode, element_of, handles, rank_of
from ndpir.frontends.onnx.shapes import reshaped, transposed


@handles("AveragePool", newest=22)
def average_pool(node: OnnxNode) -> SSAValue:
    return _pool(node, "mean", count_include_pad=bool(node.integer("count_include_pad")))


@handles("MaxPool", newest=22)
def max_pool(node: OnnxNode) -> list[SSAValue]:
    y = _pool(node, "max")
    return [y, _indices(node, y)] if any(node.wanted[1:]) else [y]


def _pool(node: OnnxNode, kind: str, count_include_pad: bool = False) -> SSAValue:
    kernel = node.integer_list("kernel_shape") or ()
    return node.build(
        g.PoolOp,
        node[0],
        kind=kind,
        kernel=kernel,
        **window(node, g.shape_of(node[0])[2:], kernel),
        ceil=True if node.integer("ceil_mode") else None,
        count_include_pad=True if count_include_pad else None,
    )


def _indices(node: OnnxNode, y: SSAValue) -> SSAValue:
    """Where each window's maximum stands: its first place in the flattened operand, as i64.

    Operand and positions are unfolded into windows; positions where a window is below its maximum become too large to
    be the smallest.
    """
    x, kernel = node[0], node.integer_list("kernel_shape") or ()
    extents = g.shape_of(x)
    if not is_float(element_of(x)):
        node.fail("indices of a maximum are supported for floating-point elements")
    properties = window(node, extents[2:], kernel)
    pads = _pads_to(extents[2:], g.shape_of(y)[2:], kernel, properties)
    windows = {
        "kernel": kernel,
        "strides": properties["strides"],
        "dilations": properties["dilations"],
        "groups": extents[1],
    }
    low, high = (0, 0, *pads[0]), (0, 0, *pads[1])
    values = node.build(g.Im2colOp, node.build(g.PadOp, x, low=low, high=high, value=float("-inf")), **windows)
    places = node.build(
        g.Im2colOp, node.build(g.PadOp, _places(node, extents), low=low, high=high, value=0.0), **windows
    )
    best = reshaped(node, y, (*extents[:2], prod(g.shape_of(y)[2:]), 1))
    nowhere = node.constant(np.array(prod(extents), np.int64))
    hit = node.build(g.SelectOp, node.build(g.CompareOp, values, best, kind="eq"), places, nowhere)
    return reshaped(node, node.build(g.ReduceOp, hit, kind="min", axes=(3,)), g.shape_of(y))


def _pads_to(
    image: tuple[int, ...],
    result: tuple[int, ...],
    kernel: tuple[int, ...],
    properties: dict[str, tuple[int, ...] | None],
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Pads that give exactly `result` windows, also where `ceil_mode` lets the last one reach past the written pads."""
    rank = len(kernel)
    pads = properties["pads"] or (0,) * (2 * rank)
    strides, dilations = (properties[name] or (1,) * rank for name in ("strides", "dilations"))
    reach = [
        (count - 1) * stride + (k - 1) * dilation + 1
        for count, stride, k, dilation in zip(result, strides, kernel, dilations, strict=True)
    ]
    lows, highs = pads[:rank], pads[rank:]
    return lows, tuple(
        max(high, end - size - low) for high, end, size, low in zip(highs, reach, image, lows, strict=True)
    )


def _places(node: OnnxNode, extents: tuple[int, ...]) -> SSAValue:
    """The position of each element in the flattened tensor; with `storage_order` 1, image columns come first."""
    turn = (0, 1, *reversed(range(2, len(extents)))) if node.integer("storage_order") else tuple(range(len(extents)))
    return transposed(node, reshaped(node, counting(node, prod(extents)), [extents[axis] for axis in turn]), turn)


def counting(node: OnnxNode, count: int) -> SSAValue:
    """0, 1, 2, … `count` numbers in i64."""
    ones = node.splat(g.NumbersAttr.of(np.array(1, np.int64)), (count,))
    return node.build(g.CumsumOp, ones, axis=0, exclusive=True)


@handles("GlobalAveragePool", newest=22)
def global_average_pool(node: OnnxNode) -> SSAValue:
    return _global(node, "mean")


@handles("GlobalMaxPool", newest=22)
def global_max_pool(node: OnnxNode) -> SSAValue:
    return _global(node, "max")


def _global(node: OnnxNode, kind: str) -> SSAValue:
    axes = tuple(range(2, rank_of(node[0])))
    if not axes:
        node.fail("the operand is an image: [N, C, spatial…]")
    return node.build(g.ReduceOp, node[0], kind=kind, axes=axes, keep_dims=True)
