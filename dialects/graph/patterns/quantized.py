"""Quantized values: moves on small elements, undone conversions, and products of small factors where a program
multiplies what they stand for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import Float32Type, IntegerType
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint

from dialects.element_types import bit_width, dtype_of, element_count, is_small, is_small_float, tensor_type
from dialects.graph.binary import AddOp, MulOp
from dialects.graph.constant import ConstantOp
from dialects.graph.contraction import ConvOp, MatmulOp
from dialects.graph.fused import expands
from dialects.graph.indexing import GatherOp
from dialects.graph.op import GraphOp, shape_of, tensor_of
from dialects.graph.patterns.matching import axes_of, element_of, made_by, numbers, only_made_by, rebuilt
from dialects.graph.quantized import DequantizeOp, QconvOp, QmatmulOp, QuantizeOp
from dialects.graph.reduction import PoolOp
from dialects.graph.repeat import RepeatOp
from dialects.graph.rules import Replacement, RuleBuilder, Table
from dialects.graph.shape import BroadcastOp, ConcatOp, ReshapeOp, SliceOp, TransposeOp
from dialects.graph.unary import CastOp
from dialects.locations import located

MOVES = (BroadcastOp, GatherOp, ReshapeOp, SliceOp, TransposeOp)
"""The ops that move elements of their first operand, whatever these stand for."""


def _is_whole(op: DequantizeOp | QuantizeOp) -> bool:
    """True if one scale applies to all elements."""
    return element_count(tensor_of(op.scale)) == 1


def _is_compressed(op: DequantizeOp) -> bool:
    """True if the small elements are kept in memory rather than the numbers."""
    return bit_width(element_of(op.x)) < bit_width(element_of(op.y)) and not op.stored.value.data


def scalar_of(value: SSAValue, new: RuleBuilder) -> SSAValue:
    """The one element of a tensor as a scalar."""
    if not shape_of(value):
        return value
    return new(ReshapeOp(value, result_type=tensor_type((), tensor_of(value).element_type)))


def _moved(op: GraphOp, x: SSAValue) -> GraphOp:
    """The moving op on other elements `x`, of the same shape as its first operand."""
    if not op.EXPLICIT_RESULT:
        return rebuilt(op, x, *op.operands[1:])
    type_ = tensor_type(shape_of(op.results[0]), tensor_of(x).element_type)
    words: dict[str, Attribute] = dict(op.properties)
    return type(op)(x, *op.operands[1:], result_type=type_, **words)


def _move_small(op: GraphOp, new: RuleBuilder) -> Replacement:
    """Only small elements are moved; scales of axes or blocks are moved with them."""
    found = made_by(op.operands[0], DequantizeOp)
    if found is None or op.attributes or not _is_compressed(found):
        return None
    if _is_whole(found):
        scales = [scalar_of(value, new) for value in found.operands[1:]]
        return new(DequantizeOp(new(_moved(op, found.x), found), *scales), found)
    axes = _axes_after(op)
    if axes is None:
        return None
    block, axis = found.block.value.data, found.axis.value.data
    rank, cut = len(shape_of(found.x)), _cut_axis(op)
    if block and (axes[axis] is None or axis == cut):
        return None
    made: list[SSAValue] = []
    for value in found.operands[1:]:
        shape, element = shape_of(value), element_of(value)
        if len(shape) < rank:
            value = new(ReshapeOp(value, result_type=tensor_type((1,) * (rank - len(shape)) + shape, element)))
        made.append(_moved_scale(op, value, axes, new))
    at = (axes[axis] or 0) if block else 0
    return new(DequantizeOp(new(_moved(op, found.x), found), *made, axis=at, block=block), found)


def _axes_after(op: GraphOp) -> list[int | None] | None:
    """The axis of the result that each axis of the moved operand becomes (None: an axis of extent 1 that is dropped);
    None for a move that mixes axes."""
    shape, after = shape_of(op.operands[0]), shape_of(op.results[0])
    match op:
        case TransposeOp():
            order = axes_of(op.permutation)
            return [order.index(axis) for axis in range(len(shape))]
        case SliceOp():
            return list(range(len(shape)))
        case GatherOp():
            at, more = op.axis.value.data % len(shape), len(shape_of(op.operands[1])) - 1
            return [axis if axis <= at else axis + more for axis in range(len(shape))]
        case ReshapeOp():
            before, behind = ([axis for axis, n in enumerate(each) if n != 1] for each in (shape, after))
            if [shape[axis] for axis in before] != [after[axis] for axis in behind]:
                return None
            place = dict(zip(before, behind, strict=True))
            return [place.get(axis) for axis in range(len(shape))]
        case _:
            return None


def _cut_axis(op: GraphOp) -> int | None:
    """The axis of which a move keeps only some indices."""
    if isinstance(op, GatherOp):
        return op.axis.value.data % len(shape_of(op.x))
    if isinstance(op, SliceOp):
        changed = [axis for axis, (a, b) in enumerate(zip(shape_of(op.x), shape_of(op.y), strict=True)) if a != b]
        return changed[0] if len(changed) == 1 else -1
    return None


def _moved_scale(op: GraphOp, scale: SSAValue, axes: Sequence[int | None], new: RuleBuilder) -> SSAValue:
    """Scales or zero points of axes, of the rank of the moved operand, moved as the elements."""
    shape, element = shape_of(scale), element_of(scale)
    match op:
        case TransposeOp():
            return new(TransposeOp(scale, permutation=axes_of(op.permutation)))
        case GatherOp():
            at, index = op.axis.value.data % len(shape), op.operands[1]
            if shape[at] > 1:
                return new(GatherOp(scale, index, axis=at))
            after = (*shape[:at], *(1,) * len(shape_of(index)), *shape[at + 1 :])
            return new(ReshapeOp(scale, result_type=tensor_type(after, element)))
        case SliceOp():
            starts, ends, steps = (list(axes_of(each)) for each in (op.starts, op.ends, op.steps))
            steps = steps or [1] * len(shape)
            for axis, (extent, full) in enumerate(zip(shape, shape_of(op.x), strict=True)):
                if extent != full:  # one scale for all indices, or for blocks, which are whole
                    starts[axis], ends[axis], steps[axis] = 0, extent, 1
            return new(SliceOp(scale, starts=starts, ends=ends, steps=steps))
        case _:
            after = [1] * len(shape_of(op.results[0]))
            for axis, place in enumerate(axes):
                if place is not None:
                    after[place] = shape[axis]
            return new(ReshapeOp(scale, result_type=tensor_type(after, element)))


def _concat_small(op: ConcatOp, new: RuleBuilder) -> Replacement:
    parts = [made_by(value, DequantizeOp) for value in op.operands]
    first = parts[0]
    if first is None or op.attributes or not _is_whole(first):
        return None
    same: list[DequantizeOp] = []
    for part in parts:
        if part is None or element_of(part.x) != element_of(first.x) or len(part.operands) != len(first.operands):
            return None
        if not all(equal_scales(a, b) for a, b in zip(part.operands[1:], first.operands[1:], strict=True)):
            return None
        same.append(part)
    x = new(ConcatOp(*(part.x for part in same), axis=op.axis.value.data), *same)
    return new(DequantizeOp(x, *(scalar_of(value, new) for value in first.operands[1:])), first)


def _pool_small(op: PoolOp, new: RuleBuilder) -> Replacement:
    """The greatest of small elements stands for the greatest number, since scales are positive."""
    found = made_by(op.x, DequantizeOp)
    if op.kind.data != "max" or found is None or not _is_whole(found) or is_small_float(element_of(found.x)):
        return None
    if any(axes_of(op.pads)) or bit_width(element_of(found.x)) != 8:
        return None
    scale = numbers(found.scale)
    if scale is None or not (scale > 0).all():
        return None
    return new(DequantizeOp(new(rebuilt(op, found.x), op), *(scalar_of(v, new) for v in found.operands[1:])), found)


def _quantize_first(op: QuantizeOp, new: RuleBuilder) -> Replacement:
    for kind in (ReshapeOp, TransposeOp):
        move = only_made_by(op.x, kind)
        if move is None or move.attributes or not _is_whole(op):
            continue
        type_ = tensor_type(shape_of(move.x), element_of(op.y))
        q = new(QuantizeOp(move.x, *(scalar_of(value, new) for value in op.operands[1:]), result_type=type_), op)
        return new(_moved(move, q), move)
    return None


def _quantized_again(op: QuantizeOp, new: RuleBuilder) -> Replacement:
    found = made_by(op.x, DequantizeOp)
    if found is None or element_of(found.x) != element_of(op.y):
        return None
    same = len(found.operands) == len(op.operands) and all(
        equal_scales(a, b) for a, b in zip(found.operands[1:], op.operands[1:], strict=True)
    )
    alike = (found.axis, found.block) == (op.axis, op.block)
    return found.x if same and alike else None


def equal_scales(a: SSAValue, b: SSAValue) -> bool:
    """True if two scales or zero points are the same value, or constants of the same numbers."""
    if a is b:
        return True
    x, y = numbers(a), numbers(b)
    if x is None or y is None or (a.type != b.type and max(x.size, y.size) > 1):
        return False
    return x.dtype == y.dtype and bool(np.array_equal(x.reshape(-1), y.reshape(-1)))


def _matmul(op: MatmulOp, new: RuleBuilder) -> Replacement:
    """(a - p) * s times (b - q) * t = ((a - p) (b - q)) * (s t), if the scales are the same along the sums."""
    a, b = made_by(op.a, DequantizeOp), made_by(op.b, DequantizeOp)
    if a is None or b is None or not _are_factors(a, b):
        return None
    turned = bool(op.transpose_a.value.data), bool(op.transpose_b.value.data)
    axes = (-2 if turned[0] else -1), (-1 if turned[1] else -2)
    if not all(_is_even(each, axis) for each, axis in zip((a, b), axes, strict=True)):
        return None
    sums = new(QmatmulOp(a.x, b.x, *_zeros(a, b, new), transpose_a=turned[0], transpose_b=turned[1]), a, b)
    scales = [_turned(each.scale, swap, new) for each, swap in zip((a, b), turned, strict=True)]
    return _finished(op, sums, scales, op.bias, new)


def _conv(op: ConvOp, new: RuleBuilder) -> Replacement:
    x, w = made_by(op.x, DequantizeOp), made_by(op.w, DequantizeOp)
    if x is None or w is None or not _are_factors(x, w) or not _is_whole(x):
        return None
    rank = len(shape_of(op.w))
    if any(not _is_even(w, axis) for axis in range(1 - rank, 0)):
        return None
    (x_zero, w_zero) = _zeros(x, w, new) or (None, None)
    zeros = () if x_zero is None or w_zero is None else (scalar_of(x_zero, new), w_zero)
    words = {name: value for name, value in op.properties.items() if name in ("groups", "strides", "pads", "dilations")}
    sums = new(QconvOp(x.x, w.x, *zeros, **words), x, w)
    scale, one = w.scale, (1,) * (rank - 1)
    if element_count(tensor_of(scale)) > 1:  # one for each filter
        scale = new(ReshapeOp(scale, result_type=tensor_type((shape_of(op.w)[0], *one[1:]), element_of(scale))))
    else:
        scale = scalar_of(scale, new)
    bias = op.bias
    if bias is not None:
        bias = new(ReshapeOp(bias, result_type=tensor_type((*shape_of(bias), *one[1:]), element_of(bias))))
    return _finished(op, sums, [scalar_of(x.scale, new), scale], bias, new)


def _are_factors(a: DequantizeOp, b: DequantizeOp) -> bool:
    """True if two dequantized values can be multiplied in their small types."""
    types = [element_of(each.x) for each in (a, b)]
    floats = [is_small_float(type_) for type_ in types]
    if not all(map(is_small, types)) or floats[0] != floats[1] or not (_is_compressed(a) and _is_compressed(b)):
        return False
    return not floats[0] or (a.zero is None and b.zero is None)


def _is_even(op: DequantizeOp, axis: int) -> bool:
    """True if the scale is the same for all indices of an axis, counted from the end."""
    shape = shape_of(op.scale)
    if op.block.value.data and op.axis.value.data == len(shape_of(op.x)) + axis and shape[axis] > 1:
        return False
    return (len(shape) < -axis or shape[axis] == 1) and (not op.block.value.data or _is_whole(op))


def _zeros(a: DequantizeOp, b: DequantizeOp, new: RuleBuilder) -> tuple[SSAValue, ...]:
    """The zero points of two factors: none if neither has one."""
    if a.zero is None and b.zero is None:
        return ()
    return tuple(
        new(ConstantOp(np.zeros((), dtype_of(element_of(each.x))))) if each.zero is None else each.zero
        for each in (a, b)
    )


def _turned(scale: SSAValue, swap: bool, new: RuleBuilder) -> SSAValue:
    """A factor's scale, with the last two axes swapped where the factor is transposed."""
    rank = len(shape_of(scale))
    if not swap or element_count(tensor_of(scale)) == 1:
        return scale
    if rank == 1:
        scale = new(ReshapeOp(scale, result_type=tensor_type((1, *shape_of(scale)), element_of(scale))))
        rank = 2
    return new(TransposeOp(scale, permutation=[*range(rank - 2), rank - 1, rank - 2]))


def _finished(
    op: GraphOp, sums: SSAValue, scales: Sequence[SSAValue], bias: SSAValue | None, new: RuleBuilder
) -> SSAValue:
    """The sums of a product times both scales, with the bias, in the type of `op`. The scales are multiplied in f32,
    where the product of two small ones is no subnormal number."""
    f32, type_ = Float32Type(), tensor_of(op.results[0])
    rank = len(type_.get_shape())
    wide: list[SSAValue] = []
    for scale in scales:
        if len(shape_of(scale)) > rank:
            scale = scalar_of(scale, new)
        if element_of(scale) != f32:
            scale = new(CastOp(scale, result_type=tensor_type(shape_of(scale), f32)))
        wide.append(scale)
    if element_of(sums) == f32 and all(element_count(tensor_of(scale)) > 1 for scale in wide):
        y = new(MulOp(new(MulOp(sums, wide[0])), wide[1]), op)  # rows and columns: as many products as sums
    elif element_of(sums) == f32:  # of small floats
        y = new(MulOp(sums, new(MulOp(*wide))), op)
    else:
        y = new(DequantizeOp(sums, new(MulOp(*wide))), op)
    if bias is not None:
        if element_of(bias) != f32:
            bias = new(CastOp(bias, result_type=tensor_type(shape_of(bias), f32)))
        y = new(AddOp(y, bias), op)
    return y if y.type == type_ else new(CastOp(y, result_type=type_))


def scaled_sums(op: MulOp, new: RuleBuilder) -> Replacement:
    """cast(sums) * s = dequantize(sums, s)."""
    for value, scale in ((op.a, op.b), (op.b, op.a)):
        cast = only_made_by(value, CastOp)
        if cast is None or element_of(cast.x) != IntegerType(32) or not isinstance(cast.x.owner, QmatmulOp | QconvOp):
            continue
        if value.type == op.y.type and element_of(cast.y) == Float32Type():
            return new(DequantizeOp(cast.x, scale), cast)
    return None


def _in_loop(op: RepeatOp, new: RuleBuilder) -> Replacement:
    """Each iteration dequantizes what it reads: the loop is passed the small elements."""
    carried = len(op.outputs)
    found = {
        index: value.owner
        for index, value in enumerate(op.inputs)
        if index >= carried and isinstance(value.owner, DequantizeOp) and expands(value.owner)
    }
    if not found:
        return None
    inputs = [value for index, value in enumerate(op.inputs) if index not in found]
    arguments, body = list(op.arguments), op.detach_region(op.body)
    block = body.block
    for index, source in found.items():
        given = [block.insert_arg(value.type, len(block.args)) for value in source.operands]
        for argument, value in zip(given, source.operands, strict=True):
            argument.name_hint = value.name_hint
        inputs += source.operands
        copy = located(rebuilt(source, *given), source)
        new.rewriter.insert(copy, InsertPoint.at_start(block))
        new.rewriter.replace_all_uses_with(arguments[index], copy.y)
    for index in sorted(found, reverse=True):
        block.erase_arg(arguments[index])
    made = RepeatOp(op.counted, inputs, body)
    new(made)
    made.attributes |= op.attributes
    return list(made.results)


RULES: Table = (
    (RepeatOp, _in_loop),  # repeat(… dequantize(w, s) …) = repeat(… w, s …), dequantized inside
    (QuantizeOp, _quantized_again),  # quantize(dequantize(q, s, z), s, z) = q
    (ConcatOp, _concat_small),  # concat of parts with one scale
    (PoolOp, _pool_small),  # max(dequantize(q, s, z)) = dequantize(max(q), s, z)
    (MOVES, _move_small),  # move(dequantize(q, s, z)) = dequantize(move(q), s, z)
    (QuantizeOp, _quantize_first),  # quantize(move(x), s, z) = move(quantize(x, s, z))
    (MatmulOp, _matmul),  # dequantize(a, s) · dequantize(b, t) = dequantize(a · b, s t)
    (ConvOp, _conv),  # the same for convolutions
    (MulOp, scaled_sums),  # cast(a · b) * s = dequantize(a · b, s)
)
