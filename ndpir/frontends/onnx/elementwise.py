"""Element-wise operators: most are a row of a table, one graph op each."""

from __future__ import annotations

from functools import reduce

import numpy as np
from xdsl.ir import SSAValue

from dialects.element_types import is_float, tensor_type
from dialects.graph import elementwise as graph
from dialects.graph.op import GraphOp, shape_of, tensor_of
from ndpir.frontends.onnx.builder import known
from ndpir.frontends.onnx.operators import Handler, Node, element_of, handles
from ndpir.frontends.onnx.tensors import TensorError, element_type


def _unary(kind: type[GraphOp]) -> Handler:
    return lambda node: node.build(kind, node[0])


def _binary(kind: type[GraphOp]) -> Handler:
    return lambda node: node.build(kind, node[0], node[1])


def _variadic(kind: type[GraphOp]) -> Handler:
    return lambda node: reduce(lambda a, b: node.build(kind, a, b), [node[i] for i in range(len(node.inputs))])


def _compare(kind: str) -> Handler:
    return lambda node: node.build(graph.CompareOp, node[0], node[1], kind=kind)


# operator: (handler, newest version whose meaning that is)
_TABLE: dict[str, tuple[Handler, int]] = {
    "Abs": (_unary(graph.AbsOp), 13),
    "Ceil": (_unary(graph.CeilOp), 13),
    "Cos": (_unary(graph.CosOp), 22),
    "Erf": (_unary(graph.ErfOp), 13),
    "Exp": (_unary(graph.ExpOp), 13),
    "Floor": (_unary(graph.FloorOp), 13),
    "IsNaN": (_unary(graph.IsNanOp), 20),
    "Log": (_unary(graph.LogOp), 13),
    "Neg": (_unary(graph.NegOp), 13),
    "Not": (_unary(graph.NotOp), 1),
    "Reciprocal": (_unary(graph.ReciprocalOp), 13),
    "Relu": (_unary(graph.ReluOp), 14),
    "Sigmoid": (_unary(graph.SigmoidOp), 13),
    "Sin": (_unary(graph.SinOp), 22),
    "Sqrt": (_unary(graph.SqrtOp), 13),
    "Tanh": (_unary(graph.TanhOp), 13),
    "Add": (_binary(graph.AddOp), 14),
    "And": (_binary(graph.AndOp), 7),
    "Div": (_binary(graph.DivOp), 14),
    "Mul": (_binary(graph.MulOp), 14),
    "Or": (_binary(graph.OrOp), 7),
    "Pow": (_binary(graph.PowOp), 15),
    "Sub": (_binary(graph.SubOp), 14),
    "Xor": (_binary(graph.XorOp), 7),
    "Max": (_variadic(graph.MaxOp), 13),
    "Min": (_variadic(graph.MinOp), 13),
    "Sum": (_variadic(graph.AddOp), 13),
    "Equal": (_compare("eq"), 19),
    "Greater": (_compare("gt"), 13),
    "GreaterOrEqual": (_compare("ge"), 16),
    "Less": (_compare("lt"), 13),
    "LessOrEqual": (_compare("le"), 16),
}
for _name, (_handler, _newest) in _TABLE.items():
    handles(_name, _newest)(_handler)


@handles("Where", newest=16)
def where(node: Node) -> SSAValue:
    return node.build(graph.SelectOp, node[0], node[1], node[2])


@handles("Gelu", newest=20)
def gelu(node: Node) -> SSAValue:
    return node.build(graph.GeluOp, node[0], approximate=node.word("approximate", "none", "tanh"))


@handles("Clip", newest=13)
def clip(node: Node) -> SSAValue:
    """Bounds are attributes before opset 11, then operands; known ones of floats become properties."""
    x = node[0]
    low: SSAValue | None = None
    high: SSAValue | None = None
    if node.since < 11:
        low, high = node.like(x, node.real("min")), node.like(x, node.real("max"))
    else:
        low, high = node.get(1), node.get(2)
    bounds = [None if value is None else known(value) for value in (low, high)]
    if is_float(element_of(x)) and all(value is None or _is_scalar(known(value)) for value in (low, high)):
        least, most = (None if bound is None else float(bound.reshape(())) for bound in bounds)
        return node.build(graph.ClipOp, x, min=least, max=most)
    if low is not None:
        x = node.build(graph.MaxOp, x, low)
    return x if high is None else node.build(graph.MinOp, x, high)


def _is_scalar(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]] | None) -> bool:
    return array is not None and array.size == 1


@handles("Cast", newest=28)
def cast(node: Node) -> SSAValue:
    return _cast(node, node.integer("to"))


@handles("CastLike", newest=25)
def cast_like(node: Node) -> SSAValue:
    return _cast(node, None)


def _cast(node: Node, to: int | None) -> SSAValue:
    try:
        element = element_of(node[1]) if to is None else element_type(to)
    except TensorError as error:
        node.fail(f"the result {error}")
    x = node[0]
    if tensor_of(x).element_type == element:
        return x
    return node.build_as(tensor_type(shape_of(x), element), graph.CastOp, x)
