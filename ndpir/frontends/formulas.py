"""Formulas of graph ops, written as arithmetic; among them functions of CHLO and ONNX, whose formulas are those of
CHLO's own decomposition (github.com/openxla/stablehlo, stablehlo/transforms/ChloLegalizeToStablehlo.cpp)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log, nan, pi

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import dtype_of
from dialects.graph.op import GraphOp
from ndpir.frontends.construction import Construction


class Term:
    """A value in a formula; operators and methods add graph ops, and plain numbers become constants."""

    def __init__(self, b: Construction, value: SSAValue) -> None:
        self.b, self.value = b, value

    def constant(self, number: float) -> Term:
        """A constant of the value's element type."""
        dtype = dtype_of(g.tensor_of(self.value).element_type)
        return Term(self.b, self.b.constant(np.array(number).astype(dtype)))

    def __call__(self, op: type[GraphOp], *others: Term | float, **properties: object) -> Term:
        """The result of a new op, with this value as first operand and `others` as further operands."""
        terms = [other if isinstance(other, Term) else self.constant(other) for other in others]
        return Term(self.b, self.b.build(op, self.value, *(term.value for term in terms), **properties))

    def __add__(self, other: Term | float) -> Term:
        return self(g.AddOp, other)

    def __sub__(self, other: Term | float) -> Term:
        return self(g.SubOp, other)

    def __rsub__(self, other: float) -> Term:
        return self.constant(other) - self

    def __mul__(self, other: Term | float) -> Term:
        return self(g.MulOp, other)

    def __truediv__(self, other: Term | float) -> Term:
        return self(g.DivOp, other)

    def __rtruediv__(self, other: float) -> Term:
        return self.constant(other) / self

    def __neg__(self) -> Term:
        return self(g.NegOp)

    def __abs__(self) -> Term:
        return self(g.AbsOp)

    def compare(self, kind: str, other: Term | float) -> Term:
        """The truth values (i1) of a comparison with another term; `kind` as in `graph.compare` (`lt`, …)."""
        return self(g.CompareOp, other, kind=kind)

    def choose(self, yes: Term, no: Term | float) -> Term:
        """`yes` for elements where this term is true, `no` for all other elements."""
        other = no if isinstance(no, Term) else yes.constant(no)
        return Term(self.b, self.b.build(g.SelectOp, self.value, yes.value, other.value))

    def polynomial(self, coefficients: Sequence[Term | float]) -> Term:
        """The polynomial with the given coefficients, highest power first, by Horner's scheme."""
        first, *rest = coefficients
        total = first if isinstance(first, Term) else self.constant(first)
        for coefficient in rest:
            total = total * self + coefficient
        return total


Formula = Callable[[Term], Term]


def sinh(x: Term) -> Term:
    """sinh(x) = (e^x - e^-x) / 2; for |x| < 1 computed from e^x - 1, and for larger |x| as e^(x - log 2) - e^(-x - log
    2), which does not overflow early."""
    wide = (x + log(0.5))(g.ExpOp) - (log(0.5) - x)(g.ExpOp)
    power = x(g.Expm1Op)
    return abs(x).compare("lt", 1.0).choose((power + power / (power + 1.0)) * 0.5, wide)


def cosh(x: Term) -> Term:
    """cosh(x) = (e^x + e^-x) / 2, computed as e^(x - log 2) + e^(-x - log 2), which does not overflow early."""
    return (x + log(0.5))(g.ExpOp) + (log(0.5) - x)(g.ExpOp)


def asin(x: Term) -> Term:
    """asin(x) = 2 atan2(x, 1 + sqrt(1 - x^2))."""
    return x(g.Atan2Op, ((1.0 - x) * (x + 1.0))(g.SqrtOp) + 1.0) * 2.0


def acos(x: Term) -> Term:
    """acos(x) = 2 atan2(sqrt(1 - x^2), 1 + x), and pi for x = -1."""
    angle = ((1.0 - x) * (x + 1.0))(g.SqrtOp)(g.Atan2Op, x + 1.0) * 2.0
    return x.compare("ne", -1.0).choose(angle, pi)


def atan(x: Term) -> Term:
    """atan(x) = atan2(x, 1)."""
    return x(g.Atan2Op, 1.0)


def asinh(x: Term) -> Term:
    """asinh(x) = log(|x| + sqrt(x^2 + 1)) with the sign of x; log(2 |x|) if x^2 would overflow."""
    size = abs(x)
    large = size.compare("ge", _largest_root(x))
    square = size * size
    small = (size + square / ((square + 1.0)(g.SqrtOp) + 1.0))(g.Log1pOp)
    return x(g.SignOp) * large.choose(size(g.LogOp) + log(2.0), small)


def acosh(x: Term) -> Term:
    """acosh(x) = log(x + sqrt((x + 1)(x - 1))); log(2 x) if the product would overflow, and nan below -1."""
    large = x.compare("ge", _largest_root(x))
    rest = x - 1.0
    small = (rest + (rest * (x + 1.0))(g.SqrtOp))(g.Log1pOp)
    return x.compare("lt", -1.0).choose(x.constant(nan), large.choose(x(g.LogOp) + log(2.0), small))


def _largest_root(x: Term) -> float:
    return float(np.sqrt(np.finfo(dtype_of(g.tensor_of(x.value).element_type)).max)) / 2


def atanh(x: Term) -> Term:
    """atanh(x) = (log(1 + x) - log(1 - x)) / 2; nan for |x| > 1."""
    inside = (x(g.Log1pOp) - (-x)(g.Log1pOp)) * 0.5
    return abs(x).compare("gt", 1.0).choose(x.constant(nan), inside)
