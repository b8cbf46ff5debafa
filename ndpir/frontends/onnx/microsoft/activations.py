"""Activations of com.microsoft, and products and convolutions with factors, transpositions and activations in one
operator."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.contraction import conv, gemm
from ndpir.frontends.onnx.operators import Handler, OnnxNode, handles_foreign, rank_of
from ndpir.frontends.onnx.quantized.products import MICROSOFT


def _plus(node: OnnxNode, index: int) -> SSAValue:
    """The first operand, and the bias at `index` added if there is one."""
    return node[0] if node.get(index) is None else node.build(g.AddOp, node[0], node[index])


@handles_foreign(MICROSOFT, "Gelu", (1, 1))
def gelu(node: OnnxNode) -> SSAValue:
    return node.build(g.GeluOp, node[0])


@handles_foreign(MICROSOFT, "BiasGelu", (2, 2))
def bias_gelu(node: OnnxNode) -> SSAValue:
    return node.build(g.GeluOp, _plus(node, 1))


@handles_foreign(MICROSOFT, "FastGelu", (1, 2))
def fast_gelu(node: OnnxNode) -> SSAValue:
    return node.build(g.GeluOp, _plus(node, 1), approximate="tanh")


@handles_foreign(MICROSOFT, "QuickGelu", (1, 1), alpha=1.702)
def quick_gelu(node: OnnxNode) -> SSAValue:
    x = node[0]
    inner = node.build(g.MulOp, x, node.like(x, node.real("alpha")))
    return node.build(g.MulOp, x, node.build(g.SigmoidOp, inner))


def _turned(node: OnnxNode, x: SSAValue, batch: bool) -> SSAValue:
    """A factor whose first axis is moved behind the batch, where the operator says so."""
    rank = rank_of(x)
    return node.transposed(x, (*range(1, rank - 1), 0, rank - 1)) if batch and rank > 2 else x


@handles_foreign(MICROSOFT, "FusedMatMul", (2, 2), alpha=1.0, transA=0, transB=0, transBatchA=0, transBatchB=0)
def fused_matmul(node: OnnxNode) -> SSAValue:
    a, b = (_turned(node, node[index], bool(node.integer(f"transBatch{name}"))) for index, name in enumerate("AB"))
    if min(rank_of(a), rank_of(b)) < 2:
        node.fail("both operands must have at least two axes")
    words = {f"transpose_{name.lower()}": True for name in "AB" if node.integer(f"trans{name}")}
    y = node.build(g.MatmulOp, a, b, **words)
    alpha = node.real("alpha")
    return y if alpha == 1.0 else node.build(g.MulOp, y, node.like(y, alpha))


ACTIVATIONS: dict[str, type[g.GraphOp]] = {"Relu": g.ReluOp, "Sigmoid": g.SigmoidOp, "Tanh": g.TanhOp}


def _activated(node: OnnxNode, y: SSAValue, parameters: tuple[float, ...]) -> SSAValue:
    """The activation of a fused operator, by its name; the parameters are those of Clip, LeakyRelu and HardSigmoid."""
    name = node.word("activation", "", *ACTIVATIONS, "Clip", "LeakyRelu", "HardSigmoid")
    if not name:
        return y
    if (kind := ACTIVATIONS.get(name)) is not None:
        return node.build(kind, y)
    if len(parameters) < (1 if name == "LeakyRelu" else 2):
        node.fail(f"the activation {name} lacks its parameters (`activation_params`)")
    if name == "Clip":
        return node.build(g.ClipOp, y, min=parameters[0], max=parameters[1])
    scaled = node.build(g.MulOp, y, node.like(y, parameters[0]))
    if name == "HardSigmoid":
        return node.build(g.ClipOp, node.build(g.AddOp, scaled, node.like(y, parameters[1])), min=0.0, max=1.0)
    return node.build(g.SelectOp, node.build(g.CompareOp, y, node.like(y, 0), kind="lt"), scaled, y)


def _fused(plain: Handler) -> Callable[[OnnxNode], SSAValue]:
    def handler(node: OnnxNode) -> SSAValue:
        y = plain(node)
        assert isinstance(y, SSAValue)
        if node.get(3) is not None:  # a residual, added before the activation
            y = node.build(g.AddOp, y, node[3])
        found = node.attribute("activation_params")
        return _activated(node, y, () if found is None else tuple(found.floats))

    return handler


handles_foreign(
    MICROSOFT, "FusedConv", (2, 4), activation="", activation_params=(0.0,), auto_pad="NOTSET", dilations=(0,), group=1,
    kernel_shape=(0,), pads=(0,), strides=(0,),
)(_fused(conv))  # fmt: skip
handles_foreign(
    MICROSOFT, "FusedGemm", (2, 3), activation="", activation_params=(0.0,), alpha=1.0, beta=1.0, transA=0, transB=0,
)(_fused(gemm))  # fmt: skip
