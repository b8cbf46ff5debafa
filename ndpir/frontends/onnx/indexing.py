"""ONNX operators that read or write elements at computed indices."""

from __future__ import annotations

from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.operators import OnnxNode, handles, rank_of
from ndpir.writers.onnx.names import SCATTERED


@handles("Gather", newest=13)
def gather(node: OnnxNode) -> SSAValue:
    return node.build(g.GatherOp, node[0], node[1], axis=node.axis("axis", rank_of(node[0])))


@handles("GatherElements", newest=13)
def gather_elements(node: OnnxNode) -> SSAValue:
    return node.build(g.GatherElementsOp, node[0], node[1], axis=node.axis("axis", rank_of(node[0])))


@handles("GatherND", newest=13)
def gather_nd(node: OnnxNode) -> SSAValue:
    return node.build(g.GatherNdOp, node[0], node[1], batch_dims=node.integer("batch_dims"))


def _kind(node: OnnxNode) -> str:
    reduction = node.word("reduction", *SCATTERED.values())
    return next(kind for kind, word in SCATTERED.items() if word == reduction)


@handles("ScatterElements", newest=18)
def scatter_elements(node: OnnxNode) -> SSAValue:
    axis = node.axis("axis", rank_of(node[0]))
    return node.build(g.ScatterElementsOp, node[0], node[1], node[2], axis=axis, kind=_kind(node))


@handles("Scatter", newest=9)
def scatter(node: OnnxNode) -> SSAValue:
    """The older name of ScatterElements."""
    axis = node.axis("axis", rank_of(node[0]))
    return node.build(g.ScatterElementsOp, node[0], node[1], node[2], axis=axis, kind="set")


@handles("ScatterND", newest=18)
def scatter_nd(node: OnnxNode) -> SSAValue:
    return node.build(g.ScatterNdOp, node[0], node[1], node[2], kind=_kind(node))
