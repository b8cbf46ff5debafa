"""Products of small floats that scale their first factor themselves, as one kernel.

Libraries' products in f8 take activations of 16 bits and are measured so: the scales of rows or blocks, from their
largest numbers, the conversion by them, the product, and its scaling back:

    s = max |x| / 448; q = quantize(x, s); y = cast(qmatmul(q, w) * (s * t)) + …

Activations that several products read are scaled once, by a kernel of their own. A scale that is known ahead of time
(static quantization) needs no kernel before: the op that computes the activations converts them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from xdsl.ir import Block, Operation, SSAValue

from dialects import graph as g
from dialects.element_types import element_count, is_small_float
from interp.walk.entry import ahead_of_time
from lowering.graph.moving import own_moves, scaling_of, take_makers, take_scaling

KIND = "scaled_product"
"""The word for the group of such a product."""
_BEHIND = 8
"""Ops after a product, at most, that its kernel computes."""


def scaled_groups(block: Block) -> Iterator[tuple[str, list[g.GraphOp]]]:
    """The products of a block that scale their first factor, each with the word for its kind and its ops."""
    early: Collection[Operation] | None = None
    place: dict[Operation, int] = {}
    for op in list(block.ops):
        if isinstance(op, g.QmatmulOp | g.MatmulOp) and scaling_of(op.a) is not None and _is_small(op.b):
            if early is None:
                early, place = ahead_of_time(block), {each: number for number, each in enumerate(block.ops)}
            if op not in early and not _is_known(op.a, early) and (ops := _group(op, early, place)):
                yield KIND, ops


def _is_known(factor: SSAValue, early: Collection[Operation]) -> bool:
    """True if the scale of a factor is known ahead of time."""
    scaling = scaling_of(factor)
    return (
        isinstance(scaling, g.QuantizeOp)
        and isinstance(scaling.scale.owner, Operation)
        and (isinstance(scaling.scale.owner, g.WeightOp | g.ConstantOp) or scaling.scale.owner in early)
    )


def _is_small(value: SSAValue) -> bool:
    """True for a factor of small floats, dequantized or not."""
    while isinstance(op := value.owner, g.CastOp | g.DequantizeOp | g.ReshapeOp):
        value = op.x
    return is_small_float(g.tensor_of(value).element_type)


def _group(
    product: g.QmatmulOp | g.MatmulOp, early: Collection[Operation], place: dict[Operation, int]
) -> list[g.GraphOp]:
    """The ops of a product's kernel; empty if others read the scaled factor, too."""
    found: set[g.GraphOp] = {product, *_behind(product, place)}
    seeds = [value for op in found if op is not product for value in op.operands]
    rows = element_count(g.tensor_of(product.y)) // max(g.shape_of(product.y)[-1], 1)
    take_makers(found, seeds, early, lambda op: op.FUSION.is_pointwise and _count(op) <= rows)
    take_scaling(found, product.a, early)
    if scaling_of(product.a) not in found:
        return []
    is_load = (g.CastOp, g.DequantizeOp, g.ReshapeOp)
    found.update(own_moves(product, 1, lambda op: isinstance(op, is_load) and op not in early))
    return list(found)


def _behind(product: g.GraphOp, place: dict[Operation, int]) -> list[g.GraphOp]:
    """The element-wise ops that follow a product, each the only reader of the value before, and whose other operands
    are scales and biases or were computed before the product."""
    ops: list[g.GraphOp] = []
    value = product.results[0]
    while value.has_one_use() and len(ops) < _BEHIND:
        op = next(iter(value.uses)).operation
        if not isinstance(op, g.AddOp | g.CastOp | g.DequantizeOp | g.MulOp):
            break
        if _count(op) != _count(product) or not all(
            other is value or element_count(g.tensor_of(other)) < _count(product) or _is_before(other, product, place)
            for other in op.operands
        ):
            break
        ops.append(op)
        value = op.results[0]
    return ops


def _is_before(value: SSAValue, op: Operation, place: dict[Operation, int]) -> bool:
    return not isinstance(value.owner, Operation) or place.get(value.owner, len(place)) < place[op]


def _count(op: g.GraphOp) -> int:
    return element_count(g.tensor_of(op.results[0]))
