"""Gradients that automatic differentiation writes out, in terms of what the forward op gives."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.graph.patterns.matching import keeps_type, made_by, splat
from dialects.graph.rules import Replacement, RuleBuilder, Table
from lowering.graph.rules.activations import either_way


class Powers(NamedTuple):
    """A product: `constant` times values to powers."""

    constant: float
    of: Counter[SSAValue]


def powers(value: SSAValue, depth: int = 8) -> Powers:
    """`value` as a product, through multiplications, quotients and signs."""
    if (number := splat(value)) is not None:
        return Powers(number, Counter())
    op = value.owner
    if depth and isinstance(op, g.NegOp):
        inner = powers(op.x, depth - 1)
        return Powers(-inner.constant, inner.of)
    if depth and isinstance(op, g.MulOp | g.DivOp):
        a, b = powers(op.a, depth - 1), powers(op.b, depth - 1)
        sign = 1 if isinstance(op, g.MulOp) else -1
        if sign > 0 or b.constant:
            whole = Counter(a.of)
            for factor, power in b.of.items():
                whole[factor] += sign * power
            return Powers(a.constant * b.constant**sign, Counter({f: n for f, n in whole.items() if n}))
    return Powers(1.0, Counter([value]))


def _softmax(op: g.MulOp, new: RuleBuilder) -> Replacement:
    """`dy`, `e`, `s`: the result's gradient, exponentials, and their sums along rows."""
    for difference, e in either_way(op):
        sub = made_by(difference, g.SubOp)
        if sub is None or not isinstance(e.owner, g.ExpOp):
            continue
        quotient = powers(sub.a)
        for s in quotient.of:
            y = _quotient(e, s)
            total = made_by(s, g.ReduceOp)
            if y is None or total is None or total.x is not e or total.kind.data != "sum":
                continue
            rest = Counter(quotient.of)
            rest[s] += 1
            gradient = [factor for factor, power in rest.items() if power]
            if quotient.constant != 1 or len(gradient) != 1 or rest[gradient[0]] != 1:
                continue
            dy = gradient[0]
            if keeps_type(dy, op.y) and _is_inner_product(sub.b, Counter({dy: 1, e: 1, s: -2}), total):
                inner = new(g.ReduceOp(new(g.MulOp(dy, y)), kind="sum", axes=total.axis_set(), keep_dims=True))
                return new(g.MulOp(new(g.SubOp(dy, inner)), y), sub)
    return None


def _quotient(e: SSAValue, s: SSAValue) -> SSAValue | None:
    """e / s, where the program has it."""
    found = (use.operation for use in e.uses)
    return next((op.y for op in found if isinstance(op, g.DivOp) and op.a is e and op.b is s), None)


def _is_inner_product(value: SSAValue, expected: Counter[SSAValue], total: g.ReduceOp) -> bool:
    """Whether `value` is the sum, along the axes of `total`, of a product."""
    outside = powers(value)
    for factor, power in outside.of.items():
        reduce = made_by(factor, g.ReduceOp)
        if reduce is None or power != 1 or reduce.kind.data != "sum" or reduce.axis_set() != total.axis_set():
            continue
        if factor.type != total.y.type or reduce.x.type != total.x.type:
            continue
        inside = powers(reduce.x)
        whole = Counter(inside.of)
        for other, exponent in outside.of.items():
            if other is not factor:
                if other.type != total.y.type:
                    return False  # not the same in all of a row
                whole[other] += exponent
        return inside.constant * outside.constant == 1 and {f: n for f, n in whole.items() if n} == expected
    return False


RULES: dict[str, Table] = {
    "softmax_grad": ((g.MulOp, _softmax),)  # (dy/s - Σ(dy e)/s²) e = (dy - Σ(dy y)) y       where y = e/s = softmax
}
