"""Operands as a GPU's kernel loads them: the element type that it multiplies, the bytes in memory, and the scales that
it applies."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue

from dialects import graph as g
from dialects.element_types import bit_width, byte_count, element_count, is_small, is_small_float, name_of
from dialects.graph.patterns.matching import widens
from dialects.graph.roles import FusionRole

SCALE_BLOCK = 128
"""Elements of a sum, at least and in multiples, for which kernels that multiply small floats apply a scale of their own
to partial sums; with shorter blocks they convert the factors first."""


def element_name(value: SSAValue) -> str:
    """The name of a value's element type in sheets, ignoring signs: `f16`, `i8`. Integers of fewer than 8 bits are
    computed as i8, and all small floats as f8, of which sheets state rates."""
    element = g.tensor_of(value).element_type
    if is_small_float(element):
        return "f8"
    return "i8" if is_small(element) else name_of(element).removeprefix("u")


def first_read(op: g.GraphOp) -> SSAValue:
    """A value of the element type that an op's kernel multiplies: its first operand. If a group widens both factors of
    a product from the same type, or dequantizes both from small floats, the value before: tensor cores multiply the
    narrow type and accumulate in f32."""
    if _is_in_group(op) and isinstance(op, _PRODUCTS):
        if (factors := small_factors(op)) is not None:
            return factors.first
        if isinstance(op, g.MatmulOp | g.ConvOp):
            read, other = map(_before_widening, op.operands[:2])
            if element_name(read) == element_name(other):
                return read
    return op.operands[0] if op.operands else op.results[0]


_PRODUCTS = (g.MatmulOp, g.ConvOp, g.GroupedMatmulOp, g.AttentionOp)


def _is_in_group(op: Operation | Block) -> bool:
    return isinstance(op, Operation) and isinstance(op.parent_op(), g.FusedOp)


def _before_widening(value: SSAValue) -> SSAValue:
    """The value in memory that a kernel loads as a factor of a product: the factor before moves and type conversions
    that the kernel performs itself."""
    while isinstance(op := value.owner, g.GraphOp) and len(op.operands) == 1:
        if not widens(op) and op.FUSION not in (FusionRole.MOVEMENT, FusionRole.VIEW):
            break
        value = op.operands[0]
    return value


class SmallFactors(NamedTuple):
    """Two factors that a group dequantizes, and that its kernel multiplies as the small floats that they are."""

    first: SSAValue
    in_blocks: bool
    """True if scales differ along the sums, for blocks of their elements, so that the kernel scales partial sums."""


def small_factors(op: g.GraphOp) -> SmallFactors | None:
    """The small floats of which a product's kernel dequantizes both factors; None if it multiplies other numbers:
    where scales differ along the sums by element, or for blocks that are too short."""
    sums = _sums(op)
    found = [dequantized(made) for _, made in sums]
    in_blocks = False
    for (summed, made), value in zip(sums, found, strict=True):
        if value is None or not is_small_float(g.tensor_of(value.x).element_type) or value.zero is not None:
            return None
        along = _block_along(value, summed, made)
        if along is None:
            return None
        in_blocks = in_blocks or along > 0
    return next((SmallFactors(first.x, in_blocks) for first in found if first is not None), None)


def _sums(op: g.GraphOp) -> list[tuple[int, SSAValue]]:
    """The axis along which a product sums, for each of its factors, counted from the end, and the factor."""
    match op:
        case g.MatmulOp():
            turned = bool(op.transpose_a.value.data), bool(op.transpose_b.value.data)
            return [(-2 if turned[0] else -1, op.a), (-1 if turned[1] else -2, op.b)]
        case g.GroupedMatmulOp():
            return [(-1, op.x), (-1 if op.transpose_b.value.data else -2, op.w)]
        case g.AttentionOp():
            return [(-1, op.q), (-1, op.k), (-2, op.v)]
        case _:
            return []


def dequantized(value: SSAValue) -> g.DequantizeOp | None:
    """The op of a group that dequantizes a value, perhaps reshaped or cast since; None if there is none."""
    while isinstance(op := value.owner, g.CastOp | g.ReshapeOp) and _is_in_group(op):
        value = op.x
    return op if isinstance(op, g.DequantizeOp) and _is_in_group(op) else None


def _block_along(op: g.DequantizeOp, summed: int, made: SSAValue) -> int | None:
    """The number of elements of the axis `summed` of a factor `made` for which dequantization has a scale: 0 if all
    have the same; None if it is no multiple of `SCALE_BLOCK`. Where the factor was reshaped, an axis of the same
    extent counts as this axis."""
    shape, factor = g.shape_of(op.x), g.shape_of(made)
    scales = (1,) * (len(shape) - len(g.shape_of(op.scale))) + g.shape_of(op.scale)
    length = factor[summed]
    same = len(shape) == len(factor)
    axes = [len(shape) + summed] if same else [axis for axis, extent in enumerate(shape) if extent == length]
    if not axes:  # axes were joined or divided, of which scales may tell nothing
        return 0 if prod(scales) == 1 else None
    axis = axes[-1]
    if scales[axis] == 1:
        return 0
    block = op.block.value.data
    return block if block and op.axis.value.data == axis and block % SCALE_BLOCK == 0 else None


def stored_bytes(value: SSAValue) -> float:
    """Bytes in memory of an element of a product's factor that the product's kernel converts: those of the small
    elements and of their scales; 0 if it is stored as it is multiplied."""
    if (op := dequantized(value)) is not None:
        return sum(byte_count(g.tensor_of(read)) for read in op.operands) / max(element_count(g.tensor_of(op.x)), 1)
    while isinstance(move := value.owner, g.CastOp | g.ReshapeOp) and _is_in_group(move):
        value = move.x
    bits = bit_width(g.tensor_of(value).element_type)
    return bits / 8 if bits < 8 else 0.0


def scaled_in_kernel(value: SSAValue) -> g.QuantizeOp | None:
    """The op of a group that scales a factor to the small type in which the group's kernel multiplies it; None if the
    factor is scaled before."""
    while isinstance(op := value.owner, g.CastOp | g.DequantizeOp | g.ReshapeOp) and _is_in_group(op):
        value = op.x
    return op if isinstance(op, g.QuantizeOp) and _is_in_group(op) else None
