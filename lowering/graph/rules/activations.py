"""Recognition of activations that exporters expand: sigmoid, silu, gelu in both forms, softmax."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, pi, sqrt
from typing import NamedTuple

from xdsl.ir import Attribute, Operation, SSAValue

from dialects import graph as g
from dialects.graph.patterns.matching import SIGNIFICAND, element_of, keeps_type, made_by, only_made_by, splat
from dialects.graph.rules import Replacement, RuleBuilder, Table

FACTORED_OPS = 16
"""Multiplications, divisions and negations, at most, of a product in which an activation is recognised."""


class FactoredProduct(NamedTuple):
    """A scalar or tensor product: `constant` times all `factors`; `ops` are its multiplications."""

    constant: float
    factors: tuple[SSAValue, ...]
    ops: tuple[Operation, ...]


def product(
    value: SSAValue, shared: bool = False, root: bool = True, most: int = FACTORED_OPS
) -> FactoredProduct | None:
    """The product of constants and factors that `value` equals; None if it has more than `most` multiplications, which
    no formula of a rule has. Its multiplications must have no other uses, unless `shared`."""
    if (number := splat(value)) is not None:
        return FactoredProduct(number, (), ())
    op = value.owner
    divisor = splat(op.b) if isinstance(op, g.DivOp) else None
    is_product = isinstance(op, g.MulOp | g.NegOp) or (isinstance(op, g.DivOp) and divisor)
    if not is_product or not (root or shared or value.has_one_use()):
        return FactoredProduct(1.0, (value,), ())
    assert isinstance(op, Operation)
    left = product(op.operands[0], shared, False, most - 1) if most else None
    if left is None:
        return None
    if divisor:
        return FactoredProduct(left.constant / divisor, left.factors, (*left.ops, op))
    if isinstance(op, g.NegOp):
        return FactoredProduct(-left.constant, left.factors, (*left.ops, op))
    right = product(op.operands[1], shared, False, most - 1 - len(left.ops))
    if right is None:
        return None
    return FactoredProduct(left.constant * right.constant, left.factors + right.factors, (*left.ops, *right.ops, op))


def either_way(op: g.AddOp | g.MulOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The operands of a commutative op in both orders."""
    a, b = op.a, op.b
    yield a, b
    yield b, a


def about(number: float, expected: float, element: Attribute) -> bool:
    """True if `number` equals `expected` up to a few roundings to a floating-point type; False for integer types."""
    bits = SIGNIFICAND.get(type(element))
    return bits is not None and abs(number - expected) <= abs(expected) * 2.0 ** (2 - bits)


def _one_plus(value: SSAValue, op_class: type[g.ErfOp] | type[g.TanhOp], shared: bool) -> tuple[SSAValue, int] | None:
    """(u, sign) if `value` is 1 + op_class(sign · u); otherwise None."""
    made = made_by if shared else only_made_by
    add, sub = made(value, g.AddOp), made(value, g.SubOp)
    for x, other in either_way(add) if add else ():
        if splat(other) == 1 and (inner := made(x, op_class)):
            return inner.x, 1
    if sub and splat(sub.a) == 1 and (inner := made(sub.b, op_class)):
        return inner.x, -1  # the function is odd
    if op_class is g.ErfOp and (complement := made(value, g.ErfcOp)):
        return complement.x, -1
    return None


class Gelu(NamedTuple):
    """An expanded GELU of `x`, computed by `ops`."""

    x: SSAValue
    approximate: str
    ops: tuple[Operation, ...]


def gelu_of(op: g.MulOp, shared: bool) -> Gelu | None:
    """The GELU whose last op is `op`; None if `op` ends no GELU. `shared`: intermediate values may have other
    readers."""
    factored = product(op.y, shared)
    if factored is None or len(factored.factors) != 2 or not about(factored.constant, 0.5, element_of(op.y)):
        return None
    for x, bracket in (factored.factors, factored.factors[::-1]):
        if not keeps_type(x, op.y):
            continue
        if inner := _one_plus(bracket, g.ErfOp, shared):
            u, sign = inner
            if _is_monomial(u, x, sign * sqrt(0.5), 1, shared):
                return Gelu(x, "none", factored.ops)
        if (inner := _one_plus(bracket, g.TanhOp, shared)) and inner[1] == 1 and _is_cubic(inner[0], x, shared):
            return Gelu(x, "tanh", factored.ops)
    return None


def _gelu(op: g.MulOp, new: RuleBuilder) -> Replacement:
    found = gelu_of(op, shared=False)
    return new(g.GeluOp(found.x, approximate=found.approximate), *found.ops) if found else None


def _is_cubic(value: SSAValue, x: SSAValue, shared: bool) -> bool:
    """True if `value` is √(2/π) (x + 0.044715 x³)."""
    if (factored := product(value, shared)) is None:
        return False
    sums = [factor for factor in factored.factors if isinstance(factor.owner, g.AddOp) and factor is not x]
    if len(sums) != 1 or any(factor is not x for factor in factored.factors if factor is not sums[0]):
        return False
    outside = len(factored.factors) - 1
    add = sums[0].owner
    assert isinstance(add, g.AddOp)
    element = element_of(x)
    return about(factored.constant, sqrt(2 / pi), element) and any(
        _is_monomial(a, x, 1.0, 1 - outside, shared) and _is_monomial(b, x, 0.044715, 3 - outside, shared)
        for a, b in either_way(add)
    )


def _is_monomial(value: SSAValue, x: SSAValue, coefficient: float, degree: int, shared: bool) -> bool:
    """True if `value` is coefficient · x^degree."""
    factored = product(value, shared) if value is not x else FactoredProduct(1.0, (x,), ())
    if factored is None:
        return False
    found = 0
    for factor in factored.factors:
        power = made_by(factor, g.PowOp)
        if factor is x:
            found += 1
        elif power and power.a is x and (exponent := splat(power.b)) is not None and exponent == int(exponent):
            found += int(exponent)
        else:
            return False
    return found == degree and about(factored.constant, coefficient, element_of(x))


def _silu(op: g.MulOp, new: RuleBuilder) -> Replacement:
    for x, other in either_way(op):
        gate = only_made_by(other, g.SigmoidOp)
        if gate and gate.x is x:
            return new(g.SiluOp(x), gate)
    return None


def _negated_exponential_plus_one(value: SSAValue) -> SSAValue | None:
    """x if `value` is 1 + exp(-x); otherwise None."""
    add = only_made_by(value, g.AddOp)
    for e, other in either_way(add) if add else ():
        exponential = only_made_by(e, g.ExpOp) if splat(other) == 1 else None
        if exponential and (negated := made_by(exponential.x, g.NegOp)):
            return negated.x
    return None


def _sigmoid(op: g.DivOp | g.ReciprocalOp, new: RuleBuilder) -> Replacement:
    divisor = op.b if isinstance(op, g.DivOp) else op.x
    x = _negated_exponential_plus_one(divisor)
    if x is None or not keeps_type(x, op.y):
        return None
    if isinstance(op, g.ReciprocalOp) or splat(op.a) == 1:
        return new(g.SigmoidOp(x), divisor.owner) if isinstance(divisor.owner, Operation) else None
    return new(g.SiluOp(x)) if op.a is x else None


class Exponentials(NamedTuple):
    """The exponentials of `x` less its largest elements along `axis`, computed by `ops`."""

    x: SSAValue
    axis: int
    ops: tuple[Operation, ...]


def exponentials(value: SSAValue) -> Exponentials | None:
    """The exponentials exp(x - max x) that `value` equals; None if it is something else."""
    exponential = made_by(value, g.ExpOp)
    shifted = made_by(exponential.x, g.SubOp) if exponential else None
    largest = reduced_rows(shifted.b, shifted.a, "max") if shifted else None
    if exponential is None or shifted is None or largest is None or not keeps_type(shifted.a, value):
        return None
    return Exponentials(shifted.a, largest[0], (*largest[1], shifted, exponential))


def reduced_rows(value: SSAValue, x: SSAValue, kind: str) -> tuple[int, tuple[Operation, ...]] | None:
    """The axis of `x` along which `value` reduces it, with extent 1 or repeated along this axis, and the ops that
    compute it; None if it is something else."""
    ops = list[Operation]()
    shape = list(g.shape_of(x))
    if (broadcast := made_by(value, g.BroadcastOp)) and g.shape_of(value) == g.shape_of(x):
        ops.append(broadcast)
        value = broadcast.x
    kept = g.shape_of(value)
    if reshape := made_by(value, g.ReshapeOp):
        ops.append(reshape)
        value = reshape.x
    if kind == "max" and (limit := made_by(value, g.MaxOp)):
        value = next((one for one, other in ((limit.a, limit.b), (limit.b, limit.a)) if splat(other) == -inf), value)
        ops.append(limit)
    reduce = made_by(value, g.ReduceOp)
    if reduce is None or reduce.x is not x or reduce.kind.data != kind or len(reduce.axis_set()) != 1:
        return None
    axis = reduce.axis_set()[0]
    shape[axis] = 1
    return (axis, (*ops, reduce)) if kept == tuple(shape) else None


def _softmax(op: g.DivOp | g.MulOp, new: RuleBuilder) -> Replacement:
    pairs = [(op.a, op.b)]
    if isinstance(op, g.MulOp):
        inverses = [(a, made_by(b, g.ReciprocalOp)) for a, b in either_way(op)]
        pairs = [(a, inverse.x) for a, inverse in inverses if inverse is not None]
    for numerator, divisor in pairs:
        power, total = exponentials(numerator), reduced_rows(divisor, numerator, "sum")
        if power is None or total is None or total[0] != power.axis or not keeps_type(power.x, op.y):
            continue
        if all(each.results[0].has_one_use() for each in total[1]):
            axis = power.axis - len(g.shape_of(op.y))
            return new(g.SoftmaxOp(power.x, axis=axis), *power.ops, *total[1])
    return None


RULES: dict[str, Table] = {
    # x · ½ · (1 + erf(x / √2)) = gelu(x), and with tanh(√(2/π) (x + 0.044715 x³)) its approximation
    "gelu": ((g.MulOp, _gelu),),
    "silu": ((g.MulOp, _silu),),  # x · sigmoid(x) = silu(x)
    # 1 / (1 + exp(-x)) = sigmoid(x), x / (1 + exp(-x)) = silu(x)
    "sigmoid": (((g.DivOp, g.ReciprocalOp), _sigmoid),),
    "softmax": (((g.DivOp, g.MulOp), _softmax),),  # exp(x - max x) / sum of it = softmax(x)
}
