"""If: the branch of a known condition, or both branches and a choice between their results."""

from __future__ import annotations

from onnx import GraphProto
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.diagnostics import note
from ndpir.frontends.onnx.builder import known
from ndpir.frontends.onnx.operators import OnnxNode, Outputs, handles


@handles("If", newest=25)
def branch(node: OnnxNode) -> Outputs:
    """If the condition depends on data, both branches are computed, since a timeline has no data to decide by: the time
    is at least that of the costlier one."""
    condition = known(node[0])
    if condition is not None:
        if condition.size != 1:
            node.fail(f"the condition must have one element, not {condition.size}")
        return _results(node, node.graph("then_branch" if condition.reshape(())[()] else "else_branch"))
    yes, no = (_results(node, node.graph(name)) for name in ("then_branch", "else_branch"))
    for number, (one, other) in enumerate(zip(yes, no, strict=False)):
        if one.type != other.type:
            node.fail(
                f"output {number} is {one.type} in one branch and {other.type} in the other, and the condition depends "
                "on data; export the model with the branch that is taken"
            )
    note(
        "the condition depends on data: both branches run, and the result is chosen afterwards, so that its time is "
        "that of both",
        at=place_of_node(node),
    )
    choice = node.reshaped(node[0], ())
    return [node.build(g.SelectOp, choice, one, other) for one, other in zip(yes, no, strict=True)]


def place_of_node(node: OnnxNode) -> str:
    """The place of a node in notes: the model and the node's name."""
    return f"{node.body.path}:{node.proto.name or node.proto.op_type}"


def _results(node: OnnxNode, graph: GraphProto) -> list[SSAValue]:
    names = [value.name for value in graph.output]
    if len(names) < len(node.wanted):
        node.fail(f"a branch gives {len(names)} outputs, but the node has {len(node.wanted)}")
    return node.inlined(graph, names[: len(node.wanted)], {})
