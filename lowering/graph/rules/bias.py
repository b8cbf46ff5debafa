"""Recognition of biases: a vector added after a contraction becomes the contraction's bias, which is added before
rounding."""

from __future__ import annotations

from typing import TypeVar

from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import tensor_type
from dialects.graph.patterns.matching import element_of, is_ahead_of_time, is_vector, keeps_type, only_made_by, rebuilt
from dialects.graph.rules import Replacement, RuleBuilder, Table
from lowering.graph.rules.activations import either_way

ContractionT = TypeVar("ContractionT", g.ConvOp, g.MatmulOp)


def _after_matmul(op: g.AddOp, new: RuleBuilder) -> Replacement:
    for x, vector in either_way(op):
        matmul = only_made_by(x, g.MatmulOp)
        if matmul and keeps_type(x, op.y) and is_vector(vector, g.shape_of(x)[-1]) and _is_fixed(vector):
            return _with_bias(matmul, vector, g.shape_of(x)[-1:], new)
    return None


def _after_conv(op: g.AddOp, new: RuleBuilder) -> Replacement:
    for x, vector in either_way(op):
        conv = only_made_by(x, g.ConvOp)
        if (
            conv
            and keeps_type(x, op.y)
            and is_vector(vector, g.shape_of(x)[1], 1 - len(g.shape_of(x)))
            and _is_stored(vector)
        ):
            return _with_bias(conv, vector, g.shape_of(x)[1:2], new)
    return None


def _is_fixed(vector: SSAValue) -> bool:
    """True if a vector is a parameter of the program. A vector of activations (a residual) is not fused."""
    return (len(g.shape_of(vector)) == 1 and _is_stored(vector)) or is_ahead_of_time(vector)


def _is_stored(vector: SSAValue) -> bool:
    """True unless an element-wise op computes a vector at run time, such as the conversion of a parameter in training:
    as the operand of an addition, the vector can be computed in the kernel of the contraction; as a bias, it would need
    a kernel of its own."""
    owner = vector.owner
    while isinstance(owner, g.ReshapeOp | g.BroadcastOp):
        owner = owner.operands[0].owner
    return not isinstance(owner, g.GraphOp) or not owner.FUSION.is_pointwise or is_ahead_of_time(vector)


def _with_bias(op: ContractionT, vector: SSAValue, shape: tuple[int, ...], new: RuleBuilder) -> Replacement:
    """`op` with `vector` as its bias, or with `vector` added ahead of time to its bias; None if that is not
    possible."""
    if op.bias is not None and not (is_ahead_of_time(vector) and is_ahead_of_time(op.bias)):
        return None
    if op.bias is not None and g.shape_of(op.bias) != shape:
        return None
    if g.shape_of(vector) != shape:
        vector = new(g.ReshapeOp(vector, result_type=tensor_type(shape, element_of(vector))))
    bias = vector if op.bias is None else new(g.AddOp(op.bias, vector), op)
    return new(rebuilt(op, op.operands[0], op.operands[1], bias), op)


RULES: dict[str, Table] = {
    "bias": (
        (g.AddOp, _after_matmul),  # a · b + v = matmul(a, b, v)         v along the columns
        (g.AddOp, _after_conv),  # conv(x, w) + v = conv(x, w, v)       v along the channels
    )
}
