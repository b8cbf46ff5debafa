"""The operator Einsum."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ndpir.frontends.einsum import einsum_of
from ndpir.frontends.onnx.operators import OnnxNode, handles


@handles("Einsum", newest=28)
def einsum(node: OnnxNode) -> SSAValue:
    found = node.attribute("equation")
    equation = (b"" if found is None else found.s).decode("utf-8", "replace")
    return einsum_of(node, equation, [node[index] for index in range(len(node.inputs))])
