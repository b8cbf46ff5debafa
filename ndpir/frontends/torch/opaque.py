"""Opaque ops for operators of PyTorch that are not supported (`--opaque`): their result types are known, and no
more."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, StringAttr, f64
from xdsl.ir import Attribute, Block, Region, SSAValue

from dialects import graph as g
from dialects.graph.properties import integer
from ndpir.frontends.torch.call import AtenCall
from ndpir.frontends.torch.program import Node, Ref, Subgraph

RANDOM = ("aten.multinomial", "aten.poisson", "aten.normal", "aten.binomial")


def why_never(node: Node) -> str | None:
    """The reason why a call can't become opaque ops; None if it can."""
    if any(isinstance(value, Subgraph) for value in node.inputs.values()):
        return "it holds graphs"
    if node.op in RANDOM:
        return "its numbers differ from run to run"
    if not any(isinstance(value, Ref) for value in node.inputs.values()):
        return "it has no operand"
    return None


def converted(call: AtenCall) -> list[SSAValue | None]:
    """The results of a call as opaque ops: of one, or of a group with one op for each result."""
    node = call.node
    operands: list[SSAValue] = []
    given: dict[str, Attribute] = {}
    for name, value in node.inputs.items():
        if isinstance(value, Ref) and call.values.is_tensor(value.name):
            operands.append(call.tensor(value))
        elif isinstance(value, list | tuple) and any(isinstance(each, Ref) for each in value):
            operands += [call.tensor(each) for each in value if each is not None]
        elif (attribute := _attribute(value)) is not None:
            given[f"arg{name}" if name.isdigit() else name] = attribute
    names = node.names
    common: dict[str, Any] = {
        "operator": node.target,
        "domain": "pytorch",
        "opset": integer(1),
        "given": DictionaryAttr(given),
        "outputs": len(names),
    }
    types = [call.result(at) for at in range(len(names))]
    if len(names) == 1:
        return [call.body.add(g.OpaqueOp(*operands, result_type=types[0], output=0, **common), call.location)]
    block = Block(arg_types=[value.type for value in operands])
    ops = [g.OpaqueOp(*block.args, result_type=type_, output=at, **common) for at, type_ in enumerate(types)]
    for op in ops:
        op.location = call.location
    block.add_ops([*ops, g.YieldOp(*(op.y for op in ops))])
    return list(call.body.add_group(g.FusedOp(operands, Region(block)), call.location))


def _attribute(value: object) -> Attribute | None:
    match value:
        case bool() | int():
            return integer(int(value))
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
        case _:
            return None
