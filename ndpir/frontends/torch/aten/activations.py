"""Converters of activations and of element-wise operators that are formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, log, pi
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import ElementType, dtype_of, is_float
from ndpir.frontends.formulas import Formula, Term, acos, acosh, asin, asinh, atan, atanh, cosh, sinh
from ndpir.frontends.onnx.compositions.activations import softplus as plain_softplus
from ndpir.frontends.stablehlo.formulas import FORMULAS
from ndpir.frontends.torch.aten.elementwise import floating
from ndpir.frontends.torch.call import AtenCall, Converter, converts, element_of, rank_of


def by_formula(formula: Callable[[AtenCall, Term], Term]) -> Converter:
    """A converter that computes a formula of `self`, in f32 or f64, rounded once."""

    def handler(call: AtenCall) -> SSAValue:
        x = floating(call)
        return call.cast(formula(call, call.term(x)).value, element_of(x))

    return handler


_PLAIN: Mapping[str, Formula] = {
    "sinh": sinh,
    "cosh": cosh,
    "asin": asin,
    "arcsin": asin,
    "acos": acos,
    "arccos": acos,
    "atan": atan,
    "arctan": atan,
    "asinh": asinh,
    "arcsinh": asinh,
    "acosh": acosh,
    "arccosh": acosh,
    "atanh": atanh,
    "arctanh": atanh,
    "log2": lambda x: x(g.LogOp) / log(2.0),
    "log10": lambda x: x(g.LogOp) / log(10.0),
    "exp2": lambda x: (x * log(2.0))(g.ExpOp),
    "special_exp2": lambda x: (x * log(2.0))(g.ExpOp),
    "deg2rad": lambda x: x * (pi / 180),
    "rad2deg": lambda x: x * (180 / pi),
    "sinc": lambda x: x.compare("eq", 0.0).choose(x.constant(1.0), (x * pi)(g.SinOp) / (x * pi)),
    "mish": lambda x: x * plain_softplus(x)(g.TanhOp),
    "hardsigmoid": lambda x: (x + 3.0)(g.ClipOp, min=0.0, max=6.0) / 6.0,
    "hardswish": lambda x: x * (x + 3.0)(g.ClipOp, min=0.0, max=6.0) / 6.0,
    "log_sigmoid": lambda x: -plain_softplus(-x),
    "softsign": lambda x: x / (abs(x) + 1.0),
    "tanhshrink": lambda x: x - x(g.TanhOp),
    "selu": lambda x: elu(x, 1.6732632423543772, 1.0507009873554805),
}
for _name, _formula in _PLAIN.items():
    converts(_name)(by_formula(lambda call, x, formula=_formula: formula(x)))


def elu(x: Term, alpha: float, scale: float = 1.0, input_scale: float = 1.0) -> Term:
    """scale * x for x > 0, else scale * alpha * (e^(x * input_scale) - 1)."""
    below = (x * input_scale)(g.Expm1Op) * (alpha * scale)
    return x.compare("gt", 0.0).choose(x * scale if scale != 1.0 else x, below)


@converts("relu6")
def relu6(call: AtenCall) -> SSAValue:
    return call.build(g.ClipOp, call["self"], min=0.0, max=6.0)


@converts("elu")
def elu_(call: AtenCall) -> SSAValue:
    x = call["self"]
    made = elu(call.term(x), call.real("alpha", 1.0), call.real("scale", 1.0), call.real("input_scale", 1.0))
    return call.cast(made.value, element_of(x))


@converts("celu")
def celu(call: AtenCall) -> SSAValue:
    x, alpha = call["self"], call.real("alpha", 1.0)
    return call.cast(elu(call.term(x), alpha, 1.0, 1 / alpha).value, element_of(x))


@converts("leaky_relu", "rrelu")
def leaky_relu(call: AtenCall) -> SSAValue:
    x = call["self"]
    slope = call.real("negative_slope", 0.01)
    if call.node.op == "aten.rrelu":
        if call.flag("training"):
            call.fail("its slopes are random in training; call it in inference")
        slope = (call.real("lower", 1 / 8) + call.real("upper", 1 / 3)) / 2
    term = Term(call, x)
    return term.compare("gt", 0.0).choose(term, term * slope).value


@converts("prelu", "_prelu_kernel")
def prelu(call: AtenCall) -> SSAValue:
    x, weight = call["self"], call["weight"]
    if call.node.op == "aten.prelu" and rank_of(weight) == 1 and rank_of(x) > 1:
        weight = call.reshaped(weight, (g.shape_of(weight)[0], *(1,) * (rank_of(x) - 2)))
    zero = call.number(0, element_of(x))
    positive = call.build(g.CompareOp, x, zero, kind="gt")
    return call.build(g.SelectOp, positive, x, call.build(g.MulOp, x, weight))


@converts("gelu")
def gelu(call: AtenCall) -> SSAValue:
    return call.build(g.GeluOp, call["self"], approximate="tanh" if call.word("approximate") == "tanh" else None)


@converts("glu")
def glu(call: AtenCall) -> SSAValue:
    x = call["self"]
    shape = g.shape_of(x)
    axis = call.axis("dim", len(shape), -1)
    half = shape[axis] // 2
    starts, ends = [0] * len(shape), list(shape)
    ends[axis] = half
    a = call.sliced(x, starts, ends)
    starts[axis], ends[axis] = half, 2 * half
    return call.build(g.MulOp, a, call.build(g.SigmoidOp, call.sliced(x, starts, ends)))


@converts("softplus")
def softplus(call: AtenCall) -> SSAValue:
    """log(1 + e^(beta x)) / beta; x itself beyond the threshold."""
    x, beta, threshold = call["self"], call.real("beta", 1.0), call.real("threshold", 20.0)
    term = call.term(x)
    scaled = term * beta if beta != 1 else term
    made = plain_softplus(scaled)
    made = made / beta if beta != 1 else made
    return call.cast(scaled.compare("gt", threshold).choose(term, made).value, element_of(x))


@converts("log_sigmoid_forward")
def log_sigmoid_forward(call: AtenCall) -> list[SSAValue | None]:
    x = call["self"]
    made = call.cast((-plain_softplus(-call.term(x))).value, element_of(x))
    return [made, call.constant(np.zeros(0, np.float32)) if call.result(1).get_shape() == (0,) else made]


@converts("hardshrink", "softshrink", "threshold", "logit", "special_logit", "nan_to_num", "heaviside")
def thresholds(call: AtenCall) -> SSAValue:
    x = call["self"]
    if not is_float(element_of(x)) and call.node.op in ("aten.nan_to_num", "aten.threshold"):
        return x if call.node.op == "aten.nan_to_num" else _threshold(call, Term(call, x)).value
    term = call.term(x) if is_float(element_of(x)) or call.node.op != "aten.heaviside" else Term(call, x)
    match call.node.op.removeprefix("aten."):
        case "hardshrink":
            made = abs(term).compare("gt", call.real("lambd", 0.5)).choose(term, 0.0)
            made = term(g.IsNanOp).choose(term, made)
        case "softshrink":
            bound = call.real("lambd", 0.5)
            made = term.compare("gt", bound).choose(term - bound, 0.0)
            made = term.compare("lt", -bound).choose(term + bound, made)
        case "logit" | "special_logit":
            epsilon = call.plain(call.get("eps"))
            inside = term if epsilon is None else term(g.ClipOp, min=epsilon, max=1 - epsilon)
            made = (inside / (1.0 - inside))(g.LogOp)
        case "nan_to_num":
            info = _limits(element_of(x))
            high = call.plain(call.get("posinf"))
            low = call.plain(call.get("neginf"))
            made = term.compare("eq", float("inf")).choose(
                term.constant(float(info.max) if high is None else high), term
            )
            made = term.compare("eq", float("-inf")).choose(
                term.constant(float(info.min) if low is None else low), made
            )
            made = term(g.IsNanOp).choose(term.constant(call.real("nan", 0.0)), made)
        case "heaviside":
            values = Term(call, call.cast(call["values"], element_of(term.value)))
            made = term.compare("eq", 0.0).choose(values, term.compare("gt", 0.0).choose(term.constant(1.0), 0.0))
        case _:
            made = _threshold(call, term)
    return call.cast(made.value, element_of(x))


def _limits(element: ElementType) -> Any:
    """The largest and the smallest finite number of a floating-point type, as numpy states them."""
    described: Any = ml_dtypes.finfo
    return described(dtype_of(element))


def _threshold(call: AtenCall, x: Term) -> Term:
    return x.compare("gt", call.plain(call.get("threshold"))).choose(x, call.plain(call.get("value")))


_SPECIAL: Mapping[str, str] = {
    "erfinv": "chlo.erf_inv",
    "lgamma": "chlo.lgamma",
    "gammaln": "chlo.lgamma",
    "digamma": "chlo.digamma",
    "psi": "chlo.digamma",
}
"""Special functions by their names in CHLO, whose formulas they have."""
for _name, _chlo in _SPECIAL.items():
    converts(_name, f"special_{_name}")(by_formula(lambda call, x, formula=FORMULAS[_chlo]: formula(x)))


@converts("special_ndtr")
def ndtr(call: AtenCall) -> SSAValue:
    """The distribution function of the normal distribution."""
    x = floating(call)
    return call.cast(((call.term(x) * -(0.5**0.5))(g.ErfcOp) * 0.5).value, element_of(x))


@converts("special_entr")
def entr(call: AtenCall) -> SSAValue:
    """-x log x; 0 at 0, and minus infinity below."""
    x = floating(call)
    term = call.term(x)
    made = term.compare("eq", 0.0).choose(term * 0.0, -(term * term(g.LogOp)))
    return call.cast(term.compare("lt", 0.0).choose(term.constant(-inf), made).value, element_of(x))
