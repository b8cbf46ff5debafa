"""The pass `unquantize`: writes a quantized program as if it had never been quantized, to see what that brings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeGuard

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from dialects import graph as g
from dialects.element_types import element_count, tensor_type
from dialects.graph.fused import expands
from dialects.graph.patterns.matching import element_of, is_ahead_of_time, made_by, numbers, rebuilt
from dialects.graph.patterns.quantized import equal_scales, scalar_of, scaled_sums
from dialects.graph.quantized import ScaledOp, SmallProductOp
from dialects.graph.rules import Replacement, RuleBuilder, Table, patterns
from lowering.graph.rewriting import apply_patterns

UNQUANTIZED = "quantized"
"""The word for what a plan of the program without quantized numbers leaves out."""
NEAR_ONE = 1e-4
"""The largest difference from 1 of a factor that is left out."""


@dataclass(frozen=True)
class UnquantizePass(ModulePass):
    """Writes a quantized program with floating-point numbers: values that are quantized and dequantized again stay as
    they are, weights are dequantized once, ahead of time (`stored`), and products of small factors are products of
    numbers. Results differ by the steps of the scales, and where quantized values saturate. Arguments and results of
    small types keep them.

    With `plan` behind it, the makespan is that of the model in f16 or in its own types; `--summary=why` prints both.

    ```mlir
    %q = graph.quantize %x, %s : tensor<1x4xf32>, tensor<f32> -> tensor<1x4xi8>
    %w = graph.weight "w" = file("w.bin", 0) : tensor<4x4xi8>
    %y = graph.qmatmul %q, %w : tensor<1x4xi8>, tensor<4x4xi8>
    %z = graph.dequantize %y, %t : tensor<1x4xi32>, tensor<f32>
    ```
    becomes
    ```mlir
    %w = graph.weight "w" = file("w.bin", 0) : tensor<4x4xi8>
    %u = graph.div %t, %s : tensor<f32>
    %v = graph.dequantize %w, %u stored : tensor<4x4xi8>, tensor<f32>
    %z = graph.matmul %x, %v : tensor<1x4xf32>, tensor<4x4xf32>
    ```
    """

    name = "unquantize"
    READS_MACHINE: ClassVar[bool] = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, patterns(RULES), remove_dead=True, name=self.name)


def is_quantized(module: ModuleOp) -> bool:
    """True if a program converts numbers by scales, or multiplies small factors."""
    return any(isinstance(op, ScaledOp | SmallProductOp) for op in module.walk())


def _again(op: g.DequantizeOp, new: RuleBuilder) -> Replacement:
    """dequantize(quantize(x, s, z), s, z) = x, but for the rounding to steps."""
    found = made_by(op.x, g.QuantizeOp)
    if found is None or not _alike(op, found):
        return None
    return _cast(found.x, op.y, new)


def _alike(op: ScaledOp, other: ScaledOp) -> bool:
    """True if two conversions have equal scales and zero points."""
    same = len(op.operands) == len(other.operands) and (op.axis, op.block) == (other.axis, other.block)
    return same and all(equal_scales(a, b) for a, b in zip(op.operands[1:], other.operands[1:], strict=True))


def _cast(value: SSAValue, like: SSAValue, new: RuleBuilder) -> SSAValue:
    return value if value.type == like.type else new(g.CastOp(value, result_type=like.type))


def _before_move(op: g.DequantizeOp, new: RuleBuilder) -> Replacement:
    """dequantize(move(q), s, z) = move(dequantize(q, s, z)), for q that were quantized."""
    move = op.x.owner
    whole = all(element_count(g.tensor_of(value)) == 1 for value in op.operands[1:])
    if not _is_move(move) or move.attributes or not whole or not _was_number(move.operands[0]):
        return None
    scales = [scalar_of(value, new) for value in op.operands[1:]]
    x = new(g.DequantizeOp(move.operands[0], *scales), op)
    if isinstance(move, g.ReshapeOp):
        return new(g.ReshapeOp(x, result_type=op.y.type), move)
    return new(rebuilt(move, x), move)


def _is_move(op: Operation | Block) -> TypeGuard[g.ReshapeOp | g.TransposeOp | g.PoolOp]:
    """True for an op that moves elements, or takes the greatest of some."""
    return isinstance(op, g.ReshapeOp | g.TransposeOp) or (isinstance(op, g.PoolOp) and op.kind.data == "max")


def _was_number(value: SSAValue) -> bool:
    """True if a small value was quantized in the program, perhaps moved since."""
    while _is_move(value.owner):
        value = value.owner.operands[0]
    return isinstance(value.owner, g.QuantizeOp)


def _bias(op: g.DequantizeOp, new: RuleBuilder) -> Replacement:
    """dequantize(sums + b, s) = dequantize(sums, s) + dequantize(b, s)."""
    total = made_by(op.x, g.AddOp)
    if total is None or op.zero is not None:
        return None
    for sums, bias in ((total.a, total.b), (total.b, total.a)):
        if isinstance(sums.owner, SmallProductOp) and is_ahead_of_time(bias) and sums.type == total.y.type:
            scale = new(g.DequantizeOp(sums, op.scale), op)
            flat = g.DequantizeOp(bias, op.scale) if _fits(op.scale, bias) else None
            if flat is None:
                wide = new(g.BroadcastOp(bias, result_type=sums.type))
                flat = g.DequantizeOp(wide, op.scale)
            return new(g.AddOp(scale, new(flat, op)), total)
    return None


def _fits(scale: SSAValue, value: SSAValue) -> bool:
    """True if a scale broadcasts to a value."""
    given, shape = g.shape_of(scale), g.shape_of(value)
    ends = zip(reversed(given), reversed(shape), strict=False)
    return len(given) <= len(shape) and all(n in (1, full) for n, full in ends)


def _product(op: g.DequantizeOp, new: RuleBuilder) -> Replacement:
    """The scaled sums of small factors as a product of the numbers that were quantized, or that weights stand for."""
    product = op.x.owner
    if not isinstance(product, g.QmatmulOp | g.QconvOp) or op.zero is not None or op.block.value.data:
        return None
    first, second = product.operands[:2]
    zeros = list(product.zeros) or [None, None]
    f32, scale = Float32Type(), op.scale
    left, right = (_quantized_by(value) for value in (first, second))
    if left is not None:
        scale, x = _without(scale, left.scale, new), _moved_number(first, new)
    else:
        x = _numbers(first, None, zeros[0], new)
    rest = None
    if right is not None:
        rest, w = _without(scale, right.scale, new), _moved_number(second, new)
    elif (own := _of_weight(product, scale)) is not None:
        w = _numbers(second, (scale, own), zeros[1], new)
    else:
        rest, w = scale, _numbers(second, None, zeros[1], new)
    words = dict(product.properties)
    kind = g.MatmulOp if isinstance(product, g.QmatmulOp) else g.ConvOp
    y = new(kind(*(_wide(value, f32, new) for value in (x, w)), **words), product)
    if rest is not None and not _is_one(rest):
        y = new(g.MulOp(y, rest), op)
    return _cast(y, op.y, new) if g.shape_of(y) == g.shape_of(op.y) else None


def _wide(value: SSAValue, element: Float32Type, new: RuleBuilder) -> SSAValue:
    if element_of(value) == element:
        return value
    return new(g.CastOp(value, result_type=tensor_type(g.shape_of(value), element)))


def _quantized_by(value: SSAValue) -> g.QuantizeOp | None:
    """The op with one scale that quantized a factor, perhaps moved since."""
    while _is_move(value.owner):
        value = value.owner.operands[0]
    found = made_by(value, g.QuantizeOp)
    return found if found is not None and element_count(g.tensor_of(found.scale)) == 1 else None


def _moved_number(value: SSAValue, new: RuleBuilder) -> SSAValue:
    """The number that a quantized factor was, moved as the factor."""
    moves: list[g.ReshapeOp | g.TransposeOp | g.PoolOp] = []
    while _is_move(value.owner):
        moves.append(value.owner)
        value = value.owner.operands[0]
    found = made_by(value, g.QuantizeOp)
    assert found is not None
    x = found.x
    for move in reversed(moves):
        if isinstance(move, g.ReshapeOp):
            x = new(g.ReshapeOp(x, result_type=tensor_type(g.shape_of(move.y), element_of(x))), move)
        else:
            x = new(rebuilt(move, x), move)
    return x


def _numbers(
    value: SSAValue, by: tuple[SSAValue, tuple[int, ...]] | None, zero: SSAValue | None, new: RuleBuilder
) -> SSAValue:
    """The numbers of a factor, times the scale in `by` (reshaped), or less its zero point alone."""
    if by is None:
        scale: SSAValue = new(g.ConstantOp(np.ones((), np.float32)))
    else:
        scale, shape = by
        if g.shape_of(scale) != shape:
            scale = new(g.ReshapeOp(scale, result_type=tensor_type(shape, element_of(scale))))
    zeros = () if zero is None else (_spread(zero, scale, new),)
    if zeros and g.shape_of(zeros[0]) != g.shape_of(scale):
        scale = new(g.BroadcastOp(scale, result_type=tensor_type(g.shape_of(zeros[0]), element_of(scale))))
    return new(g.DequantizeOp(value, scale, *zeros, stored=is_ahead_of_time(value) and is_ahead_of_time(scale)))


def _spread(zero: SSAValue, scale: SSAValue, new: RuleBuilder) -> SSAValue:
    """A zero point in the shape to which it and the scale broadcast."""
    shape = g.broadcast_shapes(g.shape_of(zero), g.shape_of(scale))
    if g.shape_of(zero) == shape:
        return zero
    return new(g.BroadcastOp(zero, result_type=tensor_type(shape, element_of(zero))))


def _of_weight(product: g.QmatmulOp | g.QconvOp, scale: SSAValue) -> tuple[int, ...] | None:
    """The shape in which a scale of sums is one of the second factor: one number, one for each column, or one for each
    filter; None if it differs otherwise."""
    shape, result = g.shape_of(scale), g.shape_of(product.y)
    places = [len(result) - len(shape) + place for place, extent in enumerate(shape) if extent > 1]
    if not places:
        return ()
    if isinstance(product, g.QconvOp):
        return (result[1], *(1,) * (len(result) - 1)) if places == [1] else None
    if places != [len(result) - 1]:
        return None
    return (result[-1], 1) if product.transpose_b.value.data else (result[-1],)


def _without(scale: SSAValue, factor: SSAValue, new: RuleBuilder) -> SSAValue:
    """A scale divided by one of its factors."""
    factor = scalar_of(factor, new)
    product = made_by(scale, g.MulOp)
    if product is not None and g.shape_of(scale) == ():
        for one, other in ((product.a, product.b), (product.b, product.a)):
            if equal_scales(one, factor):
                return other
    if element_of(factor) != element_of(scale):
        factor = new(g.CastOp(factor, result_type=tensor_type((), element_of(scale))))
    return new(g.DivOp(scale, factor))


def _is_one(value: SSAValue) -> bool:
    """True for a factor that is 1 but for its rounding: a quotient of constants is computed to see it."""
    array = numbers(value)
    quotient = made_by(value, g.DivOp)
    if array is None and quotient is not None:
        parts = [_known(part) for part in (quotient.a, quotient.b)]
        if parts[0] is None or parts[1] is None:
            return False
        array = parts[0] / parts[1]
    return array is not None and bool((np.abs(array.astype(np.float64) - 1) < NEAR_ONE).all())


def _known(value: SSAValue) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None:
    array, quotient = numbers(value), made_by(value, g.DivOp)
    if array is not None:
        return array.astype(np.float64)
    if quotient is None:
        return None
    a, b = _known(quotient.a), _known(quotient.b)
    return None if a is None or b is None else a / b


def _stored(op: g.DequantizeOp, new: RuleBuilder) -> Replacement:
    if op.stored.value.data or not expands(op) or not all(map(is_ahead_of_time, op.operands)):
        return None
    return new(rebuilt(op, *op.operands, stored=True), op)


RULES: Table = (
    (g.MulOp, scaled_sums),  # cast(sums) * s = dequantize(sums, s)
    (g.DequantizeOp, _again),  # dequantize(quantize(x)) = x
    (g.DequantizeOp, _before_move),  # dequantize(move(q)) = move(dequantize(q))
    (g.DequantizeOp, _bias),  # dequantize(sums + b) = dequantize(sums) + dequantize(b)
    (g.DequantizeOp, _product),  # dequantize(qmatmul(a, b)) = matmul(numbers of a, numbers of b)
    (g.DequantizeOp, _stored),  # weights are dequantized ahead of time
)
