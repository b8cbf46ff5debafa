"""Writers of element-wise ops and constants as ONNX."""

from __future__ import annotations

from math import ceil, floor

import numpy as np
from xdsl.dialects.builtin import bf16, f32
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, bit_width, dtype_of, integer_limits, is_float
from interp.numerics.rounding import cast
from ndpir.writers.onnx.graph import OnnxGraph, Writer, refuse, takes, writer
from ndpir.writers.onnx.names import COMPARED, SAME


def _same(kind: str) -> Writer:
    def write(graph: OnnxGraph, op: g.GraphOp) -> str:
        element = graph.element_of(op.operands[0])
        if not takes(kind, element):
            refuse(op, f"ONNX's {kind} does not support {element}; cast (graph.cast)")
        return graph.node(kind, *graph.operands(op))

    return write


for _op_class, _kind, _newest in SAME:
    writer.attach(_same(_kind), _op_class)

# Further writers; some replace those that were registered above.


@writer.of(g.ConstantOp)
def constant(graph: OnnxGraph, op: g.ConstantOp) -> str:
    return graph.constant(cast(op.value.array(), graph.dtype_of(op.y)))


@writer.of(g.WeightOp)
def weight(graph: OnnxGraph, op: g.WeightOp) -> str:
    from interp.numerics.weights import weight_array

    return graph.initialiser(op.sym.data, cast(weight_array(op), graph.dtype_of(op.y)))


@writer.of(g.CastOp)
def cast_op(graph: OnnxGraph, op: g.CastOp) -> str:
    """Cast. ONNX wraps floating-point numbers beyond the range of an integer of fewer than 8 bits; they are limited
    before."""
    element = graph.element_of(op.y)
    x = graph[op.x]
    if is_float(graph.element_of(op.x)) and not is_float(element) and bit_width(element) < 8:
        x = graph.node("Clip", x, *(graph.scalar(limit, op.x) for limit in integer_limits(element)))
    return graph.cast(x, element)


@writer.of(g.RsqrtOp)
def rsqrt(graph: OnnxGraph, op: g.RsqrtOp) -> str:
    return graph.node("Reciprocal", graph.node("Sqrt", graph[op.x]))


@writer.of(g.SiluOp)
def silu(graph: OnnxGraph, op: g.SiluOp) -> str:
    return graph.node("Mul", graph[op.x], graph.node("Sigmoid", graph[op.x]))


@writer.of(g.GeluOp)
def gelu(graph: OnnxGraph, op: g.GeluOp) -> str:
    return graph.node("Gelu", graph[op.x], approximate=op.approximate.data)


@writer.of(g.ReluOp)
def relu(graph: OnnxGraph, op: g.ReluOp) -> str:
    """An ONNX Relu. Unsigned integers are returned unchanged, since ONNX has no Relu for them."""
    return graph.node("Identity" if _unsigned(op.x) else "Relu", graph[op.x])


@writer.of(g.NegOp)
def neg(graph: OnnxGraph, op: g.NegOp) -> str:
    """An ONNX Neg; 0 - x for unsigned integers, which wraps around."""
    if _unsigned(op.x):
        return graph.node("Sub", graph.scalar(0, op.x), graph[op.x])
    return graph.node("Neg", graph[op.x])


@writer.of(g.NotOp)
def not_op(graph: OnnxGraph, op: g.NotOp) -> str:
    """An ONNX Not for truth values, BitwiseNot for integers."""
    return graph.node("Not" if g.tensor_of(op.x).element_type == I1 else "BitwiseNot", graph[op.x])


@writer.of(g.RoundOp)
def round_op(graph: OnnxGraph, op: g.RoundOp) -> str:
    if op.ties.data != "even":
        refuse(op, "ONNX's Round supports ties to even only (ties = even)")
    return graph.node("Round", graph[op.x])


@writer.of(g.IsFiniteOp)
def is_finite(graph: OnnxGraph, op: g.IsFiniteOp) -> str:
    wide = (
        graph.cast(graph[op.x], f32) if graph.element_of(op.x) == bf16 else graph[op.x]
    )  # IsInf does not support bf16
    return graph.node("Not", graph.node("Or", graph.node("IsInf", wide), graph.node("IsNaN", wide)))


@writer.of(g.RemOp)
def rem(graph: OnnxGraph, op: g.RemOp) -> str:
    """An ONNX Mod with the sign of `a`. The standard does not define the remainder of an integer by zero; here it is
    `a`."""
    a, b = graph.operands(op)
    if is_float(g.tensor_of(op.a).element_type):
        return graph.node("Mod", a, b, fmod=1)
    by_zero = graph.node("Equal", b, graph.scalar(0, op.b))
    return graph.node(
        "Where", by_zero, a, graph.node("Mod", a, graph.node("Where", by_zero, graph.scalar(1, op.b), b), fmod=1)
    )


@writer.of(g.ErfcOp, g.Log1pOp, g.Expm1Op, g.CbrtOp, g.Atan2Op, g.ShiftOp)
def unknown(graph: OnnxGraph, op: g.GraphOp) -> str:
    refuse(op, "ONNX has no equivalent operator; rewrite the op with others, whose last digits may differ")


@writer.of(g.ClipOp)
def clip(graph: OnnxGraph, op: g.ClipOp) -> str:
    """An ONNX Clip; for integers, the bounds are rounded to integers within the range of the operand's type."""
    element = g.tensor_of(op.x).element_type
    low, high = op.min.value.data, op.max.value.data
    if not is_float(element):
        least, most = integer_limits(element)
        low = float(least) if low <= least else float(most) if low >= most else ceil(low)
        high = float(most) if high >= most else float(least) if high <= least else floor(high)
        bounds = [
            graph.constant(np.array(int(min(max(bound, least), most)), dtype_of(element))) for bound in (low, high)
        ]
        return graph.node("Clip", graph[op.x], *bounds)
    bounds = [
        graph.scalar(bound, op.x) for bound in (low, high)
    ]  # omitted bounds are the largest finite numbers, so that infinities would be clipped
    return graph.node("Clip", graph[op.x], *bounds)


@writer.of(g.DivOp)
def div(graph: OnnxGraph, op: g.DivOp) -> str:
    """An ONNX Div. The standard does not define integer division by zero, and of the least number by -1 (runtimes
    crash); here the results are 0 and -a."""
    a, b = graph[op.a], graph[op.b]
    element = g.tensor_of(op.a).element_type
    if is_float(element):
        return graph.node("Div", a, b)
    zero, one = graph.scalar(0, op.b), graph.scalar(1, op.b)
    by_zero = graph.node("Equal", b, zero)
    if _unsigned(op.b):
        quotient = graph.node("Div", a, graph.node("Where", by_zero, one, b))
        return graph.node("Where", by_zero, zero, quotient)
    by_minus_one = graph.node("Equal", b, graph.scalar(-1, op.b))
    safe = graph.node("Where", graph.node("Or", by_zero, by_minus_one), one, b)
    sign = graph.node("Where", by_zero, zero, graph.node("Where", by_minus_one, graph.scalar(-1, op.b), one))
    return graph.node("Mul", graph.node("Div", a, safe), sign)


@writer.of(g.AndOp, g.OrOp, g.XorOp)
def _logic(graph: OnnxGraph, op: g.AndOp | g.OrOp | g.XorOp) -> str:
    """An ONNX And, Or or Xor for truth values, BitwiseAnd, BitwiseOr or BitwiseXor for integers."""
    bits = "" if g.tensor_of(op.a).element_type == I1 else "Bitwise"
    return graph.node(bits + op.name.removeprefix("graph.").capitalize(), *graph.operands(op))


@writer.of(g.CompareOp)
def compare(graph: OnnxGraph, op: g.CompareOp) -> str:
    """An ONNX comparison. ONNX does not order truth values: for them, a < b is written as `not a and b`, a <= b as `not
    a or b`."""
    kind, (a, b) = op.kind.data, graph.operands(op)
    if g.tensor_of(op.a).element_type == I1 and kind not in ("eq", "ne"):
        first, second = (a, b) if kind in ("lt", "le") else (b, a)
        return graph.node("And" if kind in ("lt", "gt") else "Or", graph.node("Not", first), second)
    compared = graph.node(COMPARED["eq" if kind == "ne" else kind], a, b)
    return graph.node("Not", compared) if kind == "ne" else compared


def _unsigned(value: SSAValue) -> bool:
    return dtype_of(g.tensor_of(value).element_type).kind == "u"
