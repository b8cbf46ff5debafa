"""Simplification of gradients from automatic differentiation, in terms of the forward op's result."""

from __future__ import annotations

from collections import Counter
from math import isclose
from typing import NamedTuple

from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.graph.patterns.matching import is_ahead_of_time, made_by, only_made_by, splat
from dialects.graph.rules import Replacement, RuleBuilder, Table
from lowering.graph.rules.activations import FACTORED_OPS, either_way


class Powers(NamedTuple):
    """A product of powers: `constant` times each key of `of` raised to its exponent. `ops`: the number of its
    multiplications, divisions and negations."""

    constant: float
    of: Counter[SSAValue]
    ops: int = 0


def powers(value: SSAValue) -> Powers:
    """The product of powers that `value` equals, found through multiplications, divisions and negations. A value with
    more than `FACTORED_OPS` of these is a single factor."""
    return _powers(value, FACTORED_OPS) or Powers(1.0, Counter([value]))


def _powers(value: SSAValue, most: int) -> Powers | None:
    """The product of powers that `value` equals; None if it has more than `most` ops."""
    if (number := splat(value)) is not None:
        return Powers(number, Counter())
    op = value.owner
    if not isinstance(op, g.MulOp | g.DivOp | g.NegOp):
        return Powers(1.0, Counter([value]))
    a = _powers(op.operands[0], most - 1) if most else None
    if a is None or isinstance(op, g.NegOp):
        return a and Powers(-a.constant, a.of, a.ops + 1)
    b = _powers(op.operands[1], most - 1 - a.ops)
    sign = 1 if isinstance(op, g.MulOp) else -1
    if b is None or not (sign > 0 or b.constant):
        return b and Powers(1.0, Counter([value]))
    combined = Counter(a.of)
    for factor, power in b.of.items():
        combined[factor] += sign * power
    combined = Counter({factor: power for factor, power in combined.items() if power})
    return Powers(a.constant * b.constant**sign, combined, a.ops + b.ops + 1)


class SoftmaxGradient(NamedTuple):
    """The gradient (dy/s - Σ(dy e)/s²) e of a softmax e/s, where e are the exponentials and s their sums; `dy` may be a
    product itself, as after dropout."""

    dy: SSAValue
    e: SSAValue
    s: SSAValue


def softmax_gradient(op: g.MulOp) -> SoftmaxGradient | None:
    """The gradient of a softmax whose last op is `op`, in terms of exponentials `e` and their sums `s`; None if `op`
    ends no such gradient."""
    for difference, e in either_way(op):
        sub = made_by(difference, g.SubOp)
        if sub is None:
            continue
        quotient = powers(sub.a)
        inverted = [factor for factor, power in quotient.of.items() if power == -1]
        parts = _parts(sub.a) if inverted else {}
        for s in inverted:
            others = Powers(quotient.constant, Counter({f: n for f, n in quotient.of.items() if f is not s}))
            dy = next((part for part, equal in parts.items() if _are_equal(equal, others)), None)
            if dy is None or not dy.type == e.type == op.y.type:
                continue
            inner = Counter(others.of)
            inner.update({e: 1, s: -2})
            if _is_inner_product(sub.b, Powers(others.constant, inner), e, s):
                return SoftmaxGradient(dy, e, s)
    return None


def _parts(value: SSAValue) -> dict[SSAValue, Powers]:
    """A value and the operands of its products and quotients, and of theirs, in breadth-first order, each with the
    product of powers that it equals; at most `FACTORED_OPS` values."""
    pending = [value]
    for each in pending:
        if isinstance(op := each.owner, g.MulOp | g.DivOp):
            pending += [operand for operand in dict.fromkeys(op.operands) if operand not in pending]
        del pending[FACTORED_OPS:]
    return {each: powers(each) for each in pending}


def _are_equal(one: Powers, other: Powers) -> bool:
    return isclose(one.constant, other.constant, rel_tol=1e-9) and one.of == other.of


def _softmax(op: g.MulOp, new: RuleBuilder) -> Replacement:
    found = softmax_gradient(op)
    total = made_by(found.s, g.ReduceOp) if found and isinstance(found.e.owner, g.ExpOp) else None
    if found is None or total is None or total.x is not found.e or total.kind.data != "sum":
        return None
    if (y := _quotient(found.e, found.s)) is None:
        return None
    inner = new(g.ReduceOp(new(g.MulOp(found.dy, y)), kind="sum", axes=total.axis_set(), keep_dims=True))
    return new(g.MulOp(new(g.SubOp(found.dy, inner)), y))


def _quotient(e: SSAValue, s: SSAValue) -> SSAValue | None:
    """The value e / s if the program computes it; otherwise None."""
    found = (use.operation for use in e.uses)
    return next((op.y for op in found if isinstance(op, g.DivOp) and op.a is e and op.b is s), None)


def _is_inner_product(value: SSAValue, expected: Powers, e: SSAValue, s: SSAValue) -> bool:
    """True if `value` is `expected` summed over the axes along which `s` is the sum of `e`."""
    outside = powers(value)
    for factor, power in outside.of.items():
        reduce = made_by(factor, g.ReduceOp)
        if (
            reduce is None
            or power != 1
            or reduce.kind.data != "sum"
            or (factor.type, reduce.x.type) != (s.type, e.type)
        ):
            continue
        inside = powers(reduce.x)
        combined = Counter(inside.of)
        for other, exponent in outside.of.items():
            if other is not factor:
                if other.type != s.type:
                    return False  # it may differ within a row
                combined[other] += exponent
        return _are_equal(
            Powers(inside.constant * outside.constant, Counter({f: n for f, n in combined.items() if n})), expected
        )
    return False


def _transposed(op: g.TransposeOp, new: RuleBuilder) -> Replacement:
    matmul, order = only_made_by(op.x, g.MatmulOp), list(op.permutation.get_values())
    last = len(order) - 1
    if matmul is None or matmul.bias is not None or order != [*range(last - 1), last, last - 1]:
        return None
    a, b = matmul.a, matmul.b
    if min(len(g.shape_of(a)), len(g.shape_of(b))) < 2 or is_ahead_of_time(a) or is_ahead_of_time(b):
        return None  # weights keep their layout on devices
    turned_a, turned_b = bool(matmul.transpose_a.value.data), bool(matmul.transpose_b.value.data)
    return new(g.MatmulOp(b, a, transpose_a=not turned_b, transpose_b=not turned_a), matmul)


RULES: dict[str, Table] = {
    "transposed_product": ((g.TransposeOp, _transposed),),  # (a · b)ᵀ = bᵀ · aᵀ
    "softmax_grad": ((g.MulOp, _softmax),),  # (dy/s - Σ(dy e)/s²) e = (dy - Σ(dy y)) y       where y = e/s = softmax
}
