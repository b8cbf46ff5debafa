"""Writers of conversions by scales, and of products of small factors, as StableHLO: by arithmetic, since its quantized
types hold scales that are known."""

from __future__ import annotations

from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of, integer_limits, is_float, is_small_float, tensor_type
from interp.numerics.rounding import largest_of
from ndpir.writers.stablehlo.contraction import convolved, multiplied
from ndpir.writers.stablehlo.program import HloWriter, Written, writer


def _scale(w: HloWriter, op: g.QuantizeOp | g.DequantizeOp, value: SSAValue) -> Written:
    """Scales or zero points that broadcast to the elements: each repeated for the elements of its block."""
    x, block, axis = w[value], op.block.value.data, op.axis.value.data
    if not block or x.shape[axis] == 1:
        return x
    before, behind = x.shape[:axis], x.shape[axis + 1 :]
    parts = w.reshaped(x, (*before, x.shape[axis], 1, *behind))
    spread = w.broadcast_to(parts, (*before, x.shape[axis], block, *behind))
    flat = w.reshaped(spread, (*before, x.shape[axis] * block, *behind))
    shape = g.shape_of(op.x)
    return w.sliced(flat, (0,) * len(shape), (*before, shape[axis], *behind))


@writer.of(g.QuantizeOp)
def quantize(w: HloWriter, op: g.QuantizeOp) -> Written:
    x, element = w.cast(w[op.x], f32) if not is_float(w[op.x].element) else w.widened(w[op.x]), g.tensor_of(op.y)
    y = w.same("divide", x, w.cast(_scale(w, op, op.scale), x.element))
    small = element.element_type
    if not is_small_float(small):
        y = w.op("round_nearest_even", [y], y.type)
    if op.zero is not None:
        y = w.same("add", y, w.cast(_scale(w, op, op.zero), x.element))
    if is_small_float(small):
        most = largest_of(dtype_of(small))
        low, high = -most, most
    else:
        low, high = map(float, integer_limits(small))
        y = w.selected(w.compared(y, y, "ne"), w.scalar(0.0, y.element), y)
    y = w.with_scalar("minimum", w.with_scalar("maximum", y, low), high)
    return w.cast(y, small)


@writer.of(g.DequantizeOp)
def dequantize(w: HloWriter, op: g.DequantizeOp) -> Written:
    scale = w.widened(_scale(w, op, op.scale))
    x = w.cast(w[op.x], scale.element)
    if op.zero is not None:
        x = w.same("subtract", x, w.cast(_scale(w, op, op.zero), scale.element))
    return w.cast(w.same("multiply", x, scale), g.tensor_of(op.y).element_type)


def _factors(w: HloWriter, op: g.QmatmulOp | g.QconvOp) -> list[Written]:
    """The factors less their zero points, in the type of the sums."""
    wide = f32 if is_float(g.tensor_of(op.operands[0]).element_type) else i32
    found = [w.cast(w[value], wide) for value in op.operands[:2]]
    zeros = [w.cast(w[value], wide) for value in op.zeros]
    return [w.same("subtract", x, zero) for x, zero in zip(found, zeros, strict=True)] if zeros else found


@writer.of(g.QmatmulOp)
def qmatmul(w: HloWriter, op: g.QmatmulOp) -> Written:
    a, b = _factors(w, op)
    return multiplied(w, a, b, bool(op.transpose_a.value.data), bool(op.transpose_b.value.data))


@writer.of(g.QconvOp)
def qconv(w: HloWriter, op: g.QconvOp) -> Written:
    x, filters = _factors(w, op)
    return convolved(w, x, filters, op, tensor_type(g.shape_of(op.y), x.element))
