"""Element-wise operators; most are rows of the table in `ndpir/writers/onnx/names.py`, with one graph op each."""

from __future__ import annotations

from functools import reduce

import numpy as np
from xdsl.dialects.builtin import Float4E2M1FNType, f32, i32
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import (
    I1,
    bit_width,
    dtype_of,
    is_float,
    is_small,
    is_small_float,
    name_of,
    tensor_type,
)
from dialects.graph.op import declaration_of
from interp.numerics.rounding import largest_of
from ndpir.frontends.onnx.builder import known
from ndpir.frontends.onnx.operators import Handler, OnnxNode, element_of, handles
from ndpir.frontends.onnx.tensors import TensorError, element_type
from ndpir.writers.onnx.names import COMPARED, SAME


def _plain(kind: type[g.GraphOp]) -> Handler:
    count = declaration_of(kind).least
    return lambda node: node.build(kind, *(node[i] for i in range(count)))


def _variadic(kind: type[g.GraphOp]) -> Handler:
    return lambda node: reduce(lambda a, b: node.build(kind, a, b), [node[i] for i in range(len(node.inputs))])


def _compare(kind: str) -> Handler:
    return lambda node: node.build(g.CompareOp, node[0], node[1], kind=kind)


for _kind, _name, _newest in SAME:
    handles(_name, _newest)(_plain(_kind))
for _name, _handler, _newest in (
    ("BitwiseAnd", _plain(g.AndOp), 18),
    ("BitwiseOr", _plain(g.OrOp), 18),
    ("BitwiseXor", _plain(g.XorOp), 18),
    ("BitwiseNot", _plain(g.NotOp), 18),
    ("Max", _variadic(g.MaxOp), 13),
    ("Min", _variadic(g.MinOp), 13),
    ("Sum", _variadic(g.AddOp), 13),
):
    handles(_name, _newest)(_handler)
for _word, _name in COMPARED.items():
    handles(_name, {"eq": 19, "le": 16, "ge": 16}.get(_word, 13))(_compare(_word))


@handles("Mod", newest=28)
def mod(node: OnnxNode) -> SSAValue:
    """The remainder with the sign of `a` if `fmod` is set, else with the sign of `b`: `b` is added if the signs differ
    and the remainder is not 0."""
    a, b = node[0], node[1]
    left = node.build(g.RemOp, a, b)
    if node.integer("fmod") or dtype_of(element_of(a)).kind == "u":
        return left
    zero = node.like(b, 0)
    some = node.build(g.CompareOp, left, zero, kind="ne")
    apart = node.build(
        g.XorOp, node.build(g.CompareOp, left, zero, kind="lt"), node.build(g.CompareOp, b, zero, kind="lt")
    )
    return node.build(g.SelectOp, node.build(g.AndOp, some, apart), node.build(g.AddOp, left, b), left)


@handles("BitShift", newest=28)
def bit_shift(node: OnnxNode) -> SSAValue:
    """A shift; to the right, signed integers are filled with their sign."""
    kind = node.word("direction", "LEFT", "RIGHT").lower()
    if kind == "right" and dtype_of(element_of(node[0])).kind == "i":
        kind = "arithmetic"
    return node.build(g.ShiftOp, node[0], node[1], kind=kind)


@handles("IsInf", newest=20)
def is_inf(node: OnnxNode) -> SSAValue:
    x = node[0]
    up, down = node.integer("detect_positive"), node.integer("detect_negative")
    if not up and not down:
        return node.build(g.CompareOp, x, x, kind="lt")
    wanted = node.build(g.AbsOp, x) if up and down else x
    return node.build(g.CompareOp, wanted, node.like(x, np.inf if up else -np.inf), kind="eq")


@handles("Gelu", newest=20)
def gelu(node: OnnxNode) -> SSAValue:
    return node.build(g.GeluOp, node[0], approximate=node.word("approximate", "none", "tanh"))


@handles("Clip", newest=13)
def clip(node: OnnxNode) -> SSAValue:
    """`graph.clip`, whose bounds are attributes before opset 11, then operands; known bounds of floating-point elements
    become properties."""
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
        return node.build(g.ClipOp, x, min=least, max=most)
    if low is not None:
        x = node.build(g.MaxOp, x, low)
    return x if high is None else node.build(g.MinOp, x, high)


def _is_scalar(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]] | None) -> bool:
    return array is not None and array.size == 1


@handles("Cast", newest=28)
def cast(node: OnnxNode) -> SSAValue:
    return _cast(node, node.integer("to"))


@handles("CastLike", newest=25)
def cast_like(node: OnnxNode) -> SSAValue:
    return _cast(node, None)


def _cast(node: OnnxNode, to: int | None) -> SSAValue:
    try:
        element = element_of(node[1]) if to is None else element_type(to)
    except TensorError as error:
        node.fail(f"the result {error}")
    x = node[0]
    if g.tensor_of(x).element_type == element:
        return x
    if is_small_float(element):
        x = node.cast(x, f32)
        if name_of(element) == "f8E8M0FNU":
            x = power_of_two(node, x, node.word("round_mode", "up", "down", "nearest"))
        elif node.integer("saturate", 1) or element == Float4E2M1FNType():
            most = largest_of(dtype_of(element))
            x = node.build(g.ClipOp, x, min=-most, max=most)
    elif is_float(element_of(x)) and element != I1 and is_small(element) and element_of(x) != I1:
        bits = bit_width(element)
        x = node.cast(x, i32) if bits < 8 else x  # of numbers beyond the range, the low bits are kept
    return node.cast(x, element)


def power_of_two(node: OnnxNode, x: SSAValue, mode: str) -> SSAValue:
    """f32 numbers rounded to powers of two, as numbers of f8E8M0FNU: the bits of the fraction decide; numbers outside
    of the range become its least or greatest number."""
    whole = node.build_as(tensor_type(g.shape_of(x), i32), g.BitcastOp, x)
    step = {"up": 0x7FFFFF, "nearest": 0x400000, "down": 0}[mode]
    exponent = node.build(g.AndOp, node.build(g.AddOp, whole, node.like(whole, step)), node.like(whole, -0x800000))
    rounded = node.build_as(tensor_type(g.shape_of(x), f32), g.BitcastOp, exponent)
    small = node.build(g.CompareOp, x, node.like(x, _LEAST), kind="le")
    large = node.build(g.CompareOp, x, node.like(x, _MOST), kind="ge")
    inside = node.build(g.SelectOp, large, node.like(x, _MOST), rounded)
    return node.build(g.SelectOp, small, node.like(x, _LEAST), inside)


_LEAST, _MOST = 2.0**-127, 2.0**127
"""The least and the greatest number of f8E8M0FNU."""
