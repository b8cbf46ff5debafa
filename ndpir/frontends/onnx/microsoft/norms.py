"""Norms of com.microsoft: of a value, and of the sum of a value and a residual."""

from __future__ import annotations

from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.operators import OnnxNode, Outputs, extents_of, handles_foreign
from ndpir.frontends.onnx.quantized.products import MICROSOFT


def _summed(node: OnnxNode, bias: int) -> SSAValue:
    """The first two operands and a bias, added."""
    total = node.build(g.AddOp, node[0], node[1])
    return total if node.get(bias) is None else node.build(g.AddOp, total, node[bias])


def _only(node: OnnxNode, outputs: dict[int, SSAValue]) -> Outputs:
    for index, wanted in enumerate(node.wanted):
        if wanted and index not in outputs:
            node.fail(f"output {index} (statistics for training) is not supported; export for inference")
    return [outputs.get(index) for index in range(len(node.wanted))]


@handles_foreign(MICROSOFT, "SkipLayerNormalization", (3, 5), (1, 4), epsilon=1e-12)
def skip_layer_normalization(node: OnnxNode) -> Outputs:
    total = _summed(node, 4)
    y = node.build(g.LayerNormOp, total, node[2], *node.optional(3), epsilon=node.real("epsilon"))
    return _only(node, {0: y, 3: total})


@handles_foreign(MICROSOFT, "SkipSimplifiedLayerNormalization", (3, 4), (1, 4), epsilon=1e-12)
def skip_simplified_layer_normalization(node: OnnxNode) -> Outputs:
    total = _summed(node, 3)
    return _only(node, {0: node.build(g.RmsNormOp, total, node[2], epsilon=node.real("epsilon")), 3: total})


def simplified_layer_normalization(node: OnnxNode) -> Outputs:
    axis = node.integer("axis", -1)
    rank = len(g.shape_of(node[0]))
    y = node.build(
        g.RmsNormOp, node[0], node[1], axis=node.axis_of(axis, rank) - rank, epsilon=node.real("epsilon")
    )  # fmt: skip
    return _only(node, {0: y})


for _domain in ("", MICROSOFT):  # onnxruntime registers it in the main domain, in which the standard has none
    handles_foreign(_domain, "SimplifiedLayerNormalization", (2, 2), (1, 2), axis=-1, epsilon=1e-5, stash_type=1)(
        simplified_layer_normalization
    )


@handles_foreign(MICROSOFT, "EmbedLayerNormalization", (7, 9), (1, 3), epsilon=1e-12, mask_index_type=0)
def embed_layer_normalization(node: OnnxNode) -> Outputs:
    """The norm of the sum of the embeddings of words, positions and, if given, segments."""
    batch, length = extents_of(node, node[0], 2)
    extents_of(node, node[3], 2)
    words = node.build(g.GatherOp, node[2], node[0], axis=0)
    width = g.shape_of(words)[-1]
    if node.get(8) is None:
        positions = node.build(g.SliceOp, node[3], starts=[0, 0], ends=[length, width])
    else:
        positions = node.build(g.GatherOp, node[3], node[8], axis=0)
    total = node.build(g.AddOp, words, positions)
    if node.get(1) is not None and node.get(4) is not None:
        total = node.build(g.AddOp, total, node.build(g.GatherOp, node[4], node[1], axis=0))
    y = node.build(g.LayerNormOp, total, node[5], node[6], epsilon=node.real("epsilon"))
    made = {0: y, 2: total}
    if len(node.wanted) > 1 and node.wanted[1] and node.get(7) is not None:
        made[1] = node.reshaped(node.build(g.ReduceOp, node[7], kind="sum", axes=[1]), (batch,))
    return _only(node, made)
