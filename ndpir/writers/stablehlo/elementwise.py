"""Writers of element-wise ops and constants as StableHLO."""

from __future__ import annotations

from math import ceil, floor, pi, sqrt
from typing import Any

import numpy as np

from dialects import graph as g
from dialects.element_types import dtype_of, integer_limits, is_float
from interp.numerics.weights import weight_array
from ndpir.writers.stablehlo.names import ONE_TO_ONE
from ndpir.writers.stablehlo.program import HloWriter, Writer, Written, refuse, writer


def _named(names: dict[tuple[tuple[str, Any], ...], str]) -> Writer:
    def write(w: HloWriter, op: g.GraphOp) -> Written:
        for properties, name in names.items():
            if all(getattr(op, key).data == value for key, value in properties):
                return w.same(name, *w.operands(op))
        refuse(op, "StableHLO has no equivalent op")

    return write


def _attach() -> None:
    """Register a writer for each op that the front end converts from exactly one StableHLO op."""
    names: dict[type[g.GraphOp], dict[tuple[tuple[str, Any], ...], str]] = {}
    for name, (cls, properties) in ONE_TO_ONE.items():
        names.setdefault(cls, {}).setdefault(tuple(properties.items()), name)
    for cls, found in names.items():  # most specific properties first
        writer.attach(_named(dict(sorted(found.items(), key=lambda each: -len(each[0])))), cls)


_attach()

# Further writers; some replace those that were registered above.


@writer.of(g.ConstantOp)
def constant(w: HloWriter, op: g.ConstantOp) -> Written:
    return w.constant(op.value.array(), g.tensor_of(op.y).element_type)


@writer.of(g.WeightOp)
def weight(w: HloWriter, op: g.WeightOp) -> Written:
    """An argument after the arguments of the function, as JAX passes parameters; a weight that comes from a StableHLO
    literal is written as a literal."""
    if isinstance(op.source, g.LiteralAttr | g.HeldAttr):
        return w.constant(weight_array(op), g.tensor_of(op.y).element_type)
    if op.sym.data not in w.weights:
        w.weights[op.sym.data] = Written(w.fresh(), g.tensor_of(op.y)), op
    return w.weights[op.sym.data][0]


@writer.of(g.CastOp)
def cast(w: HloWriter, op: g.CastOp) -> Written:
    return w.cast(w[op.x], g.tensor_of(op.y).element_type)


@writer.of(g.BitcastOp)
def bitcast(w: HloWriter, op: g.BitcastOp) -> Written:
    return w[op.x] if op.x.type == op.y.type else w.op("bitcast_convert", [w[op.x]], g.tensor_of(op.y))


@writer.of(g.AbsOp)
def absolute(w: HloWriter, op: g.AbsOp) -> Written:
    """`abs`. Unsigned integers are returned unchanged, since StableHLO has no abs for them."""
    return w[op.x] if _unsigned(w[op.x]) else w.same("abs", w[op.x])


@writer.of(g.SignOp)
def sign(w: HloWriter, op: g.SignOp) -> Written:
    return w.with_scalar("minimum", w[op.x], 1) if _unsigned(w[op.x]) else w.same("sign", w[op.x])


@writer.of(g.ErfOp)
def erf(w: HloWriter, op: g.ErfOp) -> Written:
    return w.op("chlo.erf", [w[op.x]], w[op.x].type)


@writer.of(g.ErfcOp)
def erfc(w: HloWriter, op: g.ErfcOp) -> Written:
    return w.op("chlo.erfc", [w[op.x]], w[op.x].type)


@writer.of(g.ReluOp)
def relu(w: HloWriter, op: g.ReluOp) -> Written:
    return w.with_scalar("maximum", w[op.x], 0)


@writer.of(g.ReciprocalOp)
def reciprocal(w: HloWriter, op: g.ReciprocalOp) -> Written:
    return w.same("divide", w.broadcast_to(w.scalar(1, w[op.x].element), w[op.x].shape), w[op.x])


@writer.of(g.SiluOp)
def silu(w: HloWriter, op: g.SiluOp) -> Written:
    x = w.widened(w[op.x])
    return w.cast(w.same("multiply", x, w.same("logistic", x)), w[op.x].element)


@writer.of(g.GeluOp)
def gelu(w: HloWriter, op: g.GeluOp) -> Written:
    x = w.widened(w[op.x])
    if op.approximate.data == "tanh":
        cube = w.same("multiply", w.same("multiply", x, x), x)
        inner = w.same("add", x, w.with_scalar("multiply", cube, 0.044715))
        curve = w.same("tanh", w.with_scalar("multiply", inner, sqrt(2 / pi)))
    else:
        curve = w.op("chlo.erf", [w.with_scalar("multiply", x, sqrt(0.5))], x.type)
    half = w.with_scalar("multiply", x, 0.5)
    return w.cast(w.same("multiply", half, w.with_scalar("add", curve, 1)), w[op.x].element)


@writer.of(g.ClipOp)
def clip(w: HloWriter, op: g.ClipOp) -> Written:
    """`clamp`; bounds for integers are integers of the operand's type."""
    x = w[op.x]
    low, high = op.min.value.data, op.max.value.data
    if not is_float(x.element):
        least, most = integer_limits(x.element)
        low, high = (
            (least if low < least else most if low > most else ceil(low)),
            (most if high > most else least if high < least else floor(high)),
        )
    bounds = [w.scalar(bound, x.element) for bound in (low, high)]
    return w.op("clamp", [bounds[0], x, bounds[1]], x.type)


@writer.of(g.IsNanOp)
def is_nan(w: HloWriter, op: g.IsNanOp) -> Written:
    return w.compared(w[op.x], w[op.x], "ne")


@writer.of(g.IsFiniteOp)
def is_finite(w: HloWriter, op: g.IsFiniteOp) -> Written:
    return w.op("is_finite", [w[op.x]], g.tensor_of(op.y))


@writer.of(g.DivOp, g.RemOp)
def divided(w: HloWriter, op: g.DivOp | g.RemOp) -> Written:
    """`divide` or `remainder`. StableHLO does not define integer division by zero; here the quotient is 0, and the
    remainder is the dividend."""
    a, b = w[op.a], w[op.b]
    name = "divide" if isinstance(op, g.DivOp) else "remainder"
    if is_float(a.element) or _has_no_zero(op):
        return w.same(name, a, b)
    by_zero = w.compared(b, w.scalar(0, b.element), "eq")
    found = w.same(name, a, w.selected(by_zero, w.scalar(1, b.element), b))
    return w.selected(by_zero, w.scalar(0, a.element) if name == "divide" else a, found)


def _has_no_zero(op: g.DivOp | g.RemOp) -> bool:
    return isinstance(op.b.owner, g.ConstantOp) and bool(np.all(op.b.owner.value.array()))


@writer.of(g.PowOp)
def power(w: HloWriter, op: g.PowOp) -> Written:
    a, b = w[op.a], w[op.b]
    if a.element != b.element and not is_float(a.element):
        refuse(op, "StableHLO's power needs an exponent of the base's type; cast one operand (graph.cast)")
    return w.same("power", a, w.cast(b, a.element))


@writer.of(g.CompareOp)
def compare(w: HloWriter, op: g.CompareOp) -> Written:
    return w.compared(w[op.a], w[op.b], op.kind.data)


@writer.of(g.SelectOp)
def select(w: HloWriter, op: g.SelectOp) -> Written:
    return w.selected(*w.operands(op))


def _unsigned(x: Written) -> bool:
    return dtype_of(x.element).kind == "u"
