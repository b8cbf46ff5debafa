"""Converters of element-wise operators: arithmetic with PyTorch's type promotion, comparisons, logic, casts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, ElementType, bit_width, is_float, tensor_type
from ndpir.frontends.torch.call import F32, F64, I64, AtenCall, Converter, converts, element_of, rank_of
from ndpir.frontends.torch.program import Ref
from ndpir.frontends.torch.promotion import Operand, promoted


def operand_of(call: AtenCall, name: str) -> Operand:
    """An argument as an operand of type promotion."""
    found = call.get(name)
    if isinstance(found, Ref) and call.values.is_tensor(found.name):
        value = call[name]
        return Operand(element_of(value), 2 if rank_of(value) else 1)
    number = call.plain(found)
    return Operand(I1 if isinstance(number, bool) else I64 if isinstance(number, int) else F32, 0)


def number_in(call: AtenCall, name: str, element: ElementType) -> SSAValue:
    """An argument, a tensor or a number, in an element type."""
    if call.is_tensor(name):
        return call.cast(call[name], element)
    number = call.plain(call.get(name))
    if not isinstance(number, bool | int | float):
        call.fail(f"the argument `{name}` must be a tensor or a number, not {number}")
    if isinstance(number, float) and not is_float(element) and element != I1:
        number = int(number)
    return call.number(bool(number) if element == I1 else number, element)


def pair(
    call: AtenCall, first: str = "self", second: str = "other", at_least: ElementType | None = None
) -> tuple[SSAValue, SSAValue]:
    """Two arguments in their common element type. `at_least`: a floating-point type to use for integers."""
    element = promoted([operand_of(call, first), operand_of(call, second)])
    if at_least is not None and not is_float(element):
        element = at_least
    return number_in(call, first, element), number_in(call, second, element)


def _scaled_by(call: AtenCall, x: SSAValue, name: str = "alpha") -> SSAValue:
    factor = call.plain(call.get(name))
    if factor is None or factor == 1:
        return x
    return call.build(g.MulOp, x, call.number(factor, element_of(x)))


@converts("add", "_foreach_add")
def add(call: AtenCall) -> SSAValue:
    a, b = pair(call)
    if element_of(a) == I1:
        return call.build(g.OrOp, a, b)
    return call.build(g.AddOp, a, _scaled_by(call, b))


@converts("sub", "subtract")
def sub(call: AtenCall) -> SSAValue:
    a, b = pair(call)
    return call.build(g.SubOp, a, _scaled_by(call, b))


@converts("rsub")
def rsub(call: AtenCall) -> SSAValue:
    a, b = pair(call)
    return call.build(g.SubOp, b, _scaled_by(call, a))


@converts("mul", "multiply")
def mul(call: AtenCall) -> SSAValue:
    a, b = pair(call)
    return call.build(g.AndOp if element_of(a) == I1 else g.MulOp, a, b)


@converts("div", "divide", "true_divide", "floor_divide", "_foreach_div")
def div(call: AtenCall) -> SSAValue:
    """Division; with `rounding_mode`, the quotient is truncated or rounded down, in the operands' type."""
    mode = "floor" if call.node.op == "aten.floor_divide" else call.word("rounding_mode")
    if not mode:
        a, b = pair(call, at_least=F32)
        return call.build(g.DivOp, a, b)
    a, b = pair(call)
    return floor_quotient(call, a, b) if mode == "floor" else truncated(call, call.build(g.DivOp, a, b))


def truncated(call: AtenCall, x: SSAValue) -> SSAValue:
    """Numbers rounded towards zero."""
    if not is_float(element_of(x)):
        return x
    term = call.term(x)
    return call.cast(term.compare("lt", 0.0).choose(term(g.CeilOp), term(g.FloorOp)).value, element_of(x))


def floor_quotient(call: AtenCall, a: SSAValue, b: SSAValue) -> SSAValue:
    """The quotient rounded down."""
    if is_float(element_of(a)):
        # As PyTorch computes it (c10/util/generic_math.h): by the remainder, so that rounding adds no error.
        element = element_of(a)
        x, y = call.term(a), call.term(b)
        rest = x(g.RemOp, y)
        quotient = (x - rest) / y
        zero = y.constant(0.0)
        wrong = rest.compare("ne", 0.0)(g.AndOp, rest.compare("lt", 0.0)(g.XorOp, y.compare("lt", 0.0)))
        quotient = wrong.choose(quotient - 1.0, quotient)
        whole = quotient(g.FloorOp)
        whole = (quotient - whole).compare("gt", 0.5).choose(whole + 1.0, whole)
        return call.cast(y.compare("eq", zero).choose(x / y, whole).value, element)
    quotient = call.build(g.DivOp, a, b)
    rest = call.build(g.SubOp, a, call.build(g.MulOp, quotient, b))
    zero, one = call.number(0, element_of(a)), call.number(1, element_of(a))
    differ = call.build(
        g.XorOp, call.build(g.CompareOp, rest, zero, kind="lt"), call.build(g.CompareOp, b, zero, kind="lt")
    )
    wrong = call.build(g.AndOp, call.build(g.CompareOp, rest, zero, kind="ne"), differ)
    return call.build(g.SelectOp, wrong, call.build(g.SubOp, quotient, one), quotient)


@converts("remainder")
def remainder(call: AtenCall) -> SSAValue:
    """The remainder with the sign of the divisor, as Python's."""
    a, b = pair(call)
    rest = call.build(g.RemOp, a, b)
    zero = call.number(0, element_of(a))
    differ = call.build(
        g.XorOp, call.build(g.CompareOp, rest, zero, kind="lt"), call.build(g.CompareOp, b, zero, kind="lt")
    )
    wrong = call.build(g.AndOp, call.build(g.CompareOp, rest, zero, kind="ne"), differ)
    return call.build(g.SelectOp, wrong, call.build(g.AddOp, rest, b), rest)


@converts("fmod")
def fmod(call: AtenCall) -> SSAValue:
    return call.build(g.RemOp, *pair(call))


@converts("pow", "float_power")
def power(call: AtenCall) -> SSAValue:
    if call.node.op == "aten.float_power":
        a, b = (number_in(call, name, F64) for name in ("self", "exponent"))
        return call.build(g.PowOp, a, b)
    exponent = None if call.is_tensor("exponent") else call.plain(call.get("exponent"))
    element = promoted([operand_of(call, "self"), operand_of(call, "exponent")])
    x = number_in(call, "self", element)
    if exponent == 2:
        return call.build(g.MulOp, x, x)
    if is_float(element) and exponent == 0.5:
        return call.build(g.SqrtOp, x)
    if is_float(element) and exponent == -0.5:
        return call.build(g.RsqrtOp, x)
    if exponent == 1:
        return x
    return call.build(g.PowOp, x, number_in(call, "exponent", element))


@converts("maximum", "max.other")
def maximum(call: AtenCall) -> SSAValue:
    a, b = pair(call)
    return call.build(g.OrOp if element_of(a) == I1 else g.MaxOp, a, b)


@converts("minimum", "min.other")
def minimum(call: AtenCall) -> SSAValue:
    a, b = pair(call)
    return call.build(g.AndOp if element_of(a) == I1 else g.MinOp, a, b)


@converts("fmax", "fmin")
def ignoring_nan(call: AtenCall) -> SSAValue:
    """The larger or smaller number; a number if the other is nan."""
    a, b = pair(call)
    made = call.build(g.MaxOp if call.node.op == "aten.fmax" else g.MinOp, a, b)
    if not is_float(element_of(a)):
        return made
    made = call.build(g.SelectOp, call.build(g.IsNanOp, a), b, made)
    return call.build(g.SelectOp, call.build(g.IsNanOp, b), a, made)


@converts("atan2", "arctan2")
def atan2(call: AtenCall) -> SSAValue:
    return call.build(g.Atan2Op, *pair(call, at_least=F32))


@converts("hypot")
def hypot(call: AtenCall) -> SSAValue:
    a, b = pair(call)
    x, y = abs(call.term(a)), abs(call.term(b))
    large, small = x(g.MaxOp, y), x(g.MinOp, y)
    ratio = large.compare("eq", 0.0).choose(large, small / large)
    root = large * (ratio * ratio + 1.0)(g.SqrtOp)
    return call.cast(large.compare("eq", float("inf")).choose(large, root).value, element_of(a))


@converts("copysign")
def copysign(call: AtenCall) -> SSAValue:
    a, b = pair(call, at_least=F32)
    size = call.build(g.AbsOp, a)
    width = bit_width(element_of(b))
    bits = call.build(g.BitcastOp, b, result_type=tensor_type(g.shape_of(b), IntegerType(width)))
    negative = call.build(g.CompareOp, bits, call.number(0, IntegerType(width)), kind="lt")
    return call.build(g.SelectOp, negative, call.build(g.NegOp, size), size)


@converts("logaddexp", "logaddexp2")
def logaddexp(call: AtenCall) -> SSAValue:
    a, b = pair(call)
    x, y = call.term(a), call.term(b)
    top = x(g.MaxOp, y)
    off = -abs(x - y)
    scale = float(np.log(2))
    if call.node.op == "aten.logaddexp2":
        made = top + (off * scale)(g.ExpOp)(g.Log1pOp) / scale
    else:
        made = top + off(g.ExpOp)(g.Log1pOp)
    return call.cast(
        x.compare("eq", y).choose(x + (1.0 if call.node.op == "aten.logaddexp2" else scale), made).value, element_of(a)
    )


@converts("xlogy", "special_xlogy")
def xlogy(call: AtenCall) -> SSAValue:
    a, b = pair(call, at_least=F32)
    x, y = call.term(a), call.term(b)
    made = x.compare("eq", 0.0).choose(x * 0.0, x * y(g.LogOp))
    return call.cast(y(g.IsNanOp).choose(y, made).value, element_of(a))


# Comparisons and logic.

_COMPARISONS = {
    "eq": "eq",
    "ne": "ne",
    "not_equal": "ne",
    "lt": "lt",
    "less": "lt",
    "le": "le",
    "less_equal": "le",
    "gt": "gt",
    "greater": "gt",
    "ge": "ge",
    "greater_equal": "ge",
}


def _compare(kind: str) -> Converter:
    def handler(call: AtenCall) -> SSAValue:
        a, b = pair(call)
        if element_of(a) == I1 and kind not in ("eq", "ne"):
            small = IntegerType(8)
            a, b = call.cast(a, small), call.cast(b, small)
        return call.build(g.CompareOp, a, b, kind=kind)

    return handler


for _name, _kind in _COMPARISONS.items():
    converts(_name)(_compare(_kind))


def _logic(op: type[g.GraphOp], on_truth: bool) -> Converter:
    def handler(call: AtenCall) -> SSAValue:
        if on_truth:
            return call.build(op, call.truth(call["self"]), call.truth(call["other"]))
        return call.build(op, *pair(call))

    return handler


for _word, _op in (("and", g.AndOp), ("or", g.OrOp), ("xor", g.XorOp)):
    converts(f"logical_{_word}")(_logic(_op, True))
    converts(f"bitwise_{_word}", f"__{_word}__", f"__i{_word}__")(_logic(_op, False))


@converts("logical_not")
def logical_not(call: AtenCall) -> SSAValue:
    return call.build(g.NotOp, call.truth(call["self"]))


@converts("bitwise_not")
def bitwise_not(call: AtenCall) -> SSAValue:
    return call.build(g.NotOp, call["self"])


@converts("bitwise_left_shift", "__lshift__", "bitwise_right_shift", "__rshift__")
def shift(call: AtenCall) -> SSAValue:
    a, b = pair(call)
    element = element_of(a)
    signed = isinstance(element, IntegerType) and element.signedness.data != Signedness.UNSIGNED
    left = "left" in call.node.op or "lshift" in call.node.op
    return call.build(g.ShiftOp, a, b, kind="left" if left else "arithmetic" if signed else "right")


@converts("where")
def where(call: AtenCall) -> SSAValue:
    a, b = pair(call)
    return call.build(g.SelectOp, call.truth(call["condition"]), a, b)


@converts("masked_fill")
def masked_fill(call: AtenCall) -> SSAValue:
    x = call["self"]
    value = call.reshaped(number_in(call, "value", element_of(x)), ())
    return call.build(g.SelectOp, call["mask"], value, x)


@converts("isnan")
def isnan(call: AtenCall) -> SSAValue:
    x = call["self"]
    return call.build(g.IsNanOp, x) if is_float(element_of(x)) else call.splat(False, tensor_type(g.shape_of(x), I1))


@converts("isfinite")
def isfinite(call: AtenCall) -> SSAValue:
    x = call["self"]
    return call.build(g.IsFiniteOp, x) if is_float(element_of(x)) else call.splat(True, tensor_type(g.shape_of(x), I1))


@converts("isinf", "isposinf", "isneginf")
def isinf(call: AtenCall) -> SSAValue:
    x = call["self"]
    if not is_float(element_of(x)):
        return call.splat(False, tensor_type(g.shape_of(x), I1))
    kind = call.node.op.removeprefix("aten.")
    size = call.build(g.AbsOp, x) if kind == "isinf" else x
    return call.build(
        g.CompareOp, size, call.number(-np.inf if kind == "isneginf" else np.inf, element_of(x)), kind="eq"
    )


# One operand.

_FLOATS: Mapping[str, type[g.GraphOp]] = {
    "exp": g.ExpOp,
    "log": g.LogOp,
    "sqrt": g.SqrtOp,
    "rsqrt": g.RsqrtOp,
    "reciprocal": g.ReciprocalOp,
    "sin": g.SinOp,
    "cos": g.CosOp,
    "tan": g.TanOp,
    "tanh": g.TanhOp,
    "erf": g.ErfOp,
    "special_erf": g.ErfOp,
    "erfc": g.ErfcOp,
    "special_erfc": g.ErfcOp,
    "sigmoid": g.SigmoidOp,
    "special_expit": g.SigmoidOp,
    "log1p": g.Log1pOp,
    "special_log1p": g.Log1pOp,
    "expm1": g.Expm1Op,
    "special_expm1": g.Expm1Op,
    "silu": g.SiluOp,
}
"""Operators whose integer operands are computed as f32."""
_NUMBERS: Mapping[str, type[g.GraphOp]] = {
    "abs": g.AbsOp,
    "absolute": g.AbsOp,
    "neg": g.NegOp,
    "negative": g.NegOp,
    "relu": g.ReluOp,
}
_ROUNDED: Mapping[str, type[g.GraphOp]] = {"floor": g.FloorOp, "ceil": g.CeilOp, "round": g.RoundOp}


def floating(call: AtenCall, name: str = "self") -> SSAValue:
    """An operand; integers as f32."""
    x = call[name]
    return x if is_float(element_of(x)) else call.cast(x, F32)


def _unary(op: type[g.GraphOp], as_float: bool) -> Converter:
    return lambda call: call.build(op, floating(call) if as_float else call["self"])


for _name, _op in _FLOATS.items():
    converts(_name)(_unary(_op, True))
for _name, _op in _NUMBERS.items():
    converts(_name)(_unary(_op, False))


def _rounding(op: type[g.GraphOp]) -> Converter:
    def handler(call: AtenCall) -> SSAValue:
        x = call["self"]
        if not is_float(element_of(x)):
            return x
        if call.has("decimals") and (places := call.integer("decimals")):
            factor = 10.0 ** abs(places)
            term = call.term(x)
            term = (term * factor)(op) / factor if places > 0 else (term / factor)(op) * factor
            return call.cast(term.value, element_of(x))
        return call.build(op, x)

    return handler


for _name, _op in _ROUNDED.items():
    converts(_name)(_rounding(_op))


@converts("trunc", "fix")
def trunc(call: AtenCall) -> SSAValue:
    return truncated(call, call["self"])


@converts("frac")
def frac(call: AtenCall) -> SSAValue:
    return call.build(g.SubOp, call["self"], truncated(call, call["self"]))


@converts("sign", "sgn")
def sign(call: AtenCall) -> SSAValue:
    x = call["self"]
    if element_of(x) == I1:
        return x
    made = call.build(g.SignOp, x)
    if not is_float(element_of(x)):
        return made
    return call.build(g.SelectOp, call.build(g.IsNanOp, x), call.number(0, element_of(x)), made)


@converts("signbit")
def signbit(call: AtenCall) -> SSAValue:
    x = call["self"]
    if element_of(x) == I1 or not is_float(element_of(x)):
        wide = call.cast(x, I64) if element_of(x) == I1 else x
        return call.build(g.CompareOp, wide, call.number(0, element_of(wide)), kind="lt")
    width = IntegerType(bit_width(element_of(x)))
    bits = call.build(g.BitcastOp, x, result_type=tensor_type(g.shape_of(x), width))
    return call.build(g.CompareOp, bits, call.number(0, width), kind="lt")


@converts("square")
def square(call: AtenCall) -> SSAValue:
    return call.build(g.MulOp, call["self"], call["self"])


@converts("clamp", "clip", "clamp_min", "clamp_max", "hardtanh")
def clamp(call: AtenCall) -> SSAValue:
    """Limits that are numbers or tensors."""
    if call.node.op == "aten.hardtanh":
        low, high = call.real("min_val", -1.0), call.real("max_val", 1.0)
        return call.build(g.ClipOp, call["self"], min=low, max=high)
    given = [name for name in ("min", "max") if call.has(name)]
    element = promoted([operand_of(call, name) for name in ("self", *given)])
    x = number_in(call, "self", element)
    if not any(call.is_tensor(name) for name in given) and is_float(element):
        bounds = {name: call.real(name) for name in given}
        if not any(np.isnan(each) for each in bounds.values()):
            return call.build(g.ClipOp, x, **bounds)
    if "min" in given:
        x = call.build(g.MaxOp, x, number_in(call, "min", element))
    return call.build(g.MinOp, x, number_in(call, "max", element)) if "max" in given else x


# Types and copies.


@converts("to", "_to_copy", "type_as", "float", "half", "double", "long", "int", "bool", "_cast_Float", "to_dense")
def to(call: AtenCall) -> SSAValue:
    """A cast to the type that the program states for the result; a conversion to integers truncates."""
    return converted(call, call["self"], element_of_type(call.result()))


def element_of_type(type_: g.Tensor) -> ElementType:
    return type_.element_type  # pyright: ignore[reportReturnType]


def converted(call: AtenCall, x: SSAValue, element: ElementType) -> SSAValue:
    """A cast as on CPUs: to unsigned integers and to those narrower than 64 bits by way of i64, which wraps."""
    here = element_of(x)
    if is_float(here) and not is_float(element) and element not in (I1, I64):
        x = call.cast(x, I64)
    return call.cast(x, element)


@converts("prims.convert_element_type")
def convert_element_type(call: AtenCall) -> SSAValue:
    return converted(call, call["a"], element_of_type(call.result()))


@converts(
    "clone",
    "alias",
    "detach",
    "contiguous",
    "lift",
    "lift_fresh",
    "lift_fresh_copy",
    "positive",
    "alias_copy",
    "detach_copy",
    "resolve_conj",
    "resolve_neg",
    "conj",
    "conj_physical",
    "real",
    "pin_memory",
    "_conj",
    "requires_grad_",
)
def same(call: AtenCall) -> SSAValue:
    return call["self"]


@converts("view.dtype")
def view_dtype(call: AtenCall) -> SSAValue:
    """The same bits as another type; the last axis grows or shrinks with the width of elements."""
    x, type_ = call["self"], call.result()
    shape, wanted = g.shape_of(x), element_of_type(type_)
    here, there = bit_width(element_of(x)), bit_width(wanted)
    if element_of(x) == wanted:
        return x
    if here == there:
        return call.build(g.BitcastOp, x, result_type=tensor_type(shape, wanted))
    if here > there:
        wide = tensor_type((*shape, here // there), wanted)
        return call.reshaped(call.build(g.BitcastOp, x, result_type=wide), type_.get_shape())
    apart = call.reshaped(x, (*shape[:-1], shape[-1] * here // there, there // here))
    return call.build(g.BitcastOp, apart, result_type=tensor_type(g.shape_of(apart)[:-1], wanted))


@converts("addcmul")
def addcmul(call: AtenCall) -> SSAValue:
    return _added(call, g.MulOp)


@converts("addcdiv")
def addcdiv(call: AtenCall) -> SSAValue:
    return _added(call, g.DivOp)


def _added(call: AtenCall, op: type[g.GraphOp]) -> SSAValue:
    element = promoted([operand_of(call, name) for name in ("self", "tensor1", "tensor2")])
    x, a, b = (number_in(call, name, element) for name in ("self", "tensor1", "tensor2"))
    factor = call.plain(call.get("value"))
    if factor is not None and factor != 1:
        a = call.build(g.MulOp, a, call.number(factor, element))
    return call.build(g.AddOp, x, call.build(op, a, b))


@converts("lerp")
def lerp(call: AtenCall) -> SSAValue:
    """start + weight * (end - start), from the nearer end, as PyTorch computes it."""
    x, y = call["self"], call["end"]
    if not call.is_tensor("weight"):
        weight = call.real("weight")
        off = call.build(g.SubOp, y, x)
        if abs(weight) < 0.5:
            return call.build(g.AddOp, x, call.build(g.MulOp, off, call.number(weight, element_of(x))))
        return call.build(g.SubOp, y, call.build(g.MulOp, off, call.number(1 - weight, element_of(x))))
    w = call.term(call["weight"])
    a, b = call.term(x), call.term(y)
    near = abs(w).compare("lt", 0.5)
    made = near.choose(a + w * (b - a), b - (b - a) * (1.0 - w))
    return call.cast(made.value, element_of(x))


@converts("ldexp")
def ldexp(call: AtenCall) -> SSAValue:
    """self * 2^other."""
    x, power_ = floating(call), call.term(floating(call, "other"))
    element = promoted([Operand(element_of(x), 2 if rank_of(x) else 1), operand_of(call, "other")])
    factor = call.constant(np.array(2.0, np.float64 if element == F64 else np.float32))
    grown = call.build(g.PowOp, factor, power_.value)
    return call.cast(call.build(g.MulOp, call.wide(x), grown), element)


@converts("gcd", "lcm")
def gcd(call: AtenCall) -> SSAValue:
    """Euclid's algorithm, as many steps as the type can need."""
    a, b = pair(call)
    x, y = call.build(g.AbsOp, a), call.build(g.AbsOp, b)
    zero = call.number(0, element_of(x))
    steps = {8: 12, 16: 24, 32: 47, 64: 93}[bit_width(element_of(x))]
    for _ in range(steps):
        done = call.build(g.CompareOp, y, zero, kind="eq")
        safe = call.build(g.SelectOp, done, call.number(1, element_of(x)), y)
        x, y = call.build(g.SelectOp, done, x, y), call.build(g.SelectOp, done, y, call.build(g.RemOp, x, safe))
    if call.node.op == "aten.gcd":
        return x
    return call.build(g.AbsOp, call.build(g.MulOp, call.build(g.DivOp, a, x), b))
