"""Normalisations over the image of each channel or group of channels, as layer norms of reshaped tensors."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.operators import OnnxNode, handles, rank_of


@handles("InstanceNormalization", newest=22)
def instance_normalization(node: OnnxNode) -> SSAValue:
    """Layer norm over the image of each channel, with a scale and a bias for each channel."""
    return _grouped(node, g.shape_of(node[0])[1] if rank_of(node[0]) > 1 else 0)


@handles("GroupNormalization", newest=21)
def group_normalization(node: OnnxNode) -> SSAValue:
    """Layer norm over each group of channels, with a scale and a bias for each channel; before opset 21, for each
    group."""
    return _grouped(node, node.integer("num_groups"))


def _grouped(node: OnnxNode, groups: int) -> SSAValue:
    x, shape = node[0], g.shape_of(node[0])
    if len(shape) < 3 or groups < 1 or shape[1] % groups:
        node.fail(
            f"the operand must be [N, C, spatial…] with C a multiple of the number of groups, {groups}, "
            f"not {list(shape)}"
        )
    each = shape[1] // groups
    factors = [node[1], node[2]]
    for index, factor in enumerate(factors, start=1):
        counts = (groups,) if node.since == 18 else (shape[1],)
        if g.shape_of(factor) != counts:
            node.fail(f"input {index} must have the shape {list(counts)}, not {list(g.shape_of(factor))}; reshape it")
    wide = node.reshaped(x, (shape[0], groups, each, prod(shape[2:])))
    scale, bias = (node.reshaped(factor, (groups, prod(g.shape_of(factor)) // groups, 1)) for factor in factors)
    y = node.build(g.LayerNormOp, wide, scale, bias, axis=-2, epsilon=node.real("epsilon"))
    return node.reshaped(y, shape)
