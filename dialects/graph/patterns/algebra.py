"""Patterns for redundant element-wise ops: neutral elements, inverses, repeated ops; all rewrites are exact, including
the sign of zeros."""

from __future__ import annotations

from math import frexp, inf, isfinite

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type
from xdsl.ir import Attribute, SSAValue

from dialects.element_types import I1, dtype_of, is_float
from dialects.graph.binary import (
    AddOp,
    AndOp,
    BinaryOp,
    CompareOp,
    DivOp,
    MaxOp,
    MinOp,
    MulOp,
    OrOp,
    PowOp,
    SelectOp,
    SubOp,
    XorOp,
)
from dialects.graph.op import tensor_of
from dialects.graph.patterns.matching import (
    element_of,
    filled,
    is_minus_zero,
    keeps_type,
    made_by,
    never_negative,
    only_made_by,
    splat,
)
from dialects.graph.reduction import SoftmaxOp
from dialects.graph.rules import Replacement, Rule, RuleBuilder, Table
from dialects.graph.shape import BroadcastOp
from dialects.graph.unary import (
    AbsOp,
    CastOp,
    ClipOp,
    CosOp,
    ExpOp,
    NegOp,
    NotOp,
    ReciprocalOp,
    ReluOp,
    RsqrtOp,
    SigmoidOp,
    SqrtOp,
)


def _without(neutral: float, *, left: bool = True) -> Rule:
    """The rule that replaces x op `neutral` by x, and also `neutral` op x if `left`."""

    def rule(op: BinaryOp, new: RuleBuilder) -> Replacement:
        for x, other in ((op.a, op.b), (op.b, op.a))[: 1 + left]:
            if splat(other) == neutral:
                return x if keeps_type(x, op.y) else new(BroadcastOp(x, result_type=op.y.type))
        return None

    return rule


def _add_zero(op: AddOp, new: RuleBuilder) -> Replacement:
    for x, other in ((op.a, op.b), (op.b, op.a)):
        zero = splat(other)
        if zero != 0 or not keeps_type(x, op.y):
            continue
        if not is_float(element_of(x)) or is_minus_zero(zero) or _zeros_sign_is_lost(op.y):
            return x
    return None


def _zeros_sign_is_lost(value: SSAValue) -> bool:
    """True if each user of `value` computes the same result for +0 as for -0."""
    return all(
        isinstance(use.operation, AbsOp | CompareOp | CosOp | ExpOp | SigmoidOp | SoftmaxOp) for use in value.uses
    )


def _subtract_zero(op: SubOp, new: RuleBuilder) -> Replacement:
    zero = splat(op.b)
    return op.a if zero == 0 and not is_minus_zero(zero) and keeps_type(op.a, op.y) else None


def _times_zero(op: MulOp, new: RuleBuilder) -> Replacement:
    if is_float(element_of(op.y)) or 0 not in (splat(op.a), splat(op.b)):
        return None
    return new(filled(tensor_of(op.y), 0))


def _times_minus_one(op: MulOp, new: RuleBuilder) -> Replacement:
    for x, other in ((op.a, op.b), (op.b, op.a)):
        if splat(other) == -1 and keeps_type(x, op.y):
            return new(NegOp(x))
    return None


def _divide_by_minus_one(op: DivOp, new: RuleBuilder) -> Replacement:
    return new(NegOp(op.a)) if splat(op.b) == -1 and is_float(element_of(op.a)) and keeps_type(op.a, op.y) else None


def _divide_by_power_of_two(op: DivOp, new: RuleBuilder) -> Replacement:
    number, element = splat(op.b), element_of(op.b)
    if not number or not is_float(element) or not isfinite(number) or abs(frexp(number)[0]) != 0.5:
        return None
    inverse = np.asarray(1 / number, dtype_of(element))
    smallest = _FORMAT[type(element)][2]
    if not smallest <= abs(float(inverse)) < float("inf") or number in (1, -1):
        return None
    return new(MulOp(op.a, new(filled(tensor_of(op.b), 1 / number))))


_FORMAT: dict[type[Attribute], tuple[int, int, float]] = {
    Float16Type: (11, 5, 2.0**-14),
    BFloat16Type: (8, 8, 2.0**-126),
    Float32Type: (24, 8, 2.0**-126),
    Float64Type: (53, 11, 2.0**-1022),
}
"""For each floating-point type, the number of bits of its significand, the number of bits of its exponent, and its
smallest normal number."""


def _power(op: PowOp, new: RuleBuilder) -> Replacement:
    exponent = splat(op.b)
    if exponent is None or not is_float(element_of(op.a)) or not keeps_type(op.a, op.y):
        return None
    if exponent == 1:
        return op.a
    if exponent == 2:
        return new(MulOp(op.a, op.a))
    if exponent == -1:
        return new(ReciprocalOp(op.a))
    if exponent == 0.5 and never_negative(op.a):
        return new(SqrtOp(op.a))
    if exponent == -0.5 and never_negative(op.a):
        return new(RsqrtOp(op.a))
    return None


def _twice_undone(op: NegOp | NotOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, type(op))
    return inner.x if inner else None


def _again(op: AbsOp | ReluOp, new: RuleBuilder) -> Replacement:
    return op.x if isinstance(op.x.owner, type(op)) else None


def _absolute_of_negative(op: AbsOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, NegOp)
    return new(AbsOp(inner.x), inner) if inner else None


def _add_negative(op: AddOp, new: RuleBuilder) -> Replacement:
    if inner := made_by(op.b, NegOp):
        return new(SubOp(op.a, inner.x), inner)
    if inner := made_by(op.a, NegOp):
        return new(SubOp(op.b, inner.x), inner)
    return None


def _subtract_negative(op: SubOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.b, NegOp)
    return new(AddOp(op.a, inner.x), inner) if inner else None


def _open_clip(op: ClipOp, new: RuleBuilder) -> Replacement:
    return op.x if (op.min.value.data, op.max.value.data) == (float("-inf"), float("inf")) else None


def _clip_at_zero(op: ClipOp, new: RuleBuilder) -> Replacement:
    return new(ReluOp(op.x)) if (op.min.value.data, op.max.value.data) == (0, float("inf")) else None


def _clip_twice(op: ClipOp, new: RuleBuilder) -> Replacement:
    # not if other ops read the inner clip: both clips are one kernel, but two clips of `x` would be two
    inner = only_made_by(op.x, ClipOp)
    if inner is None or inner.min.value.data > inner.max.value.data or op.min.value.data > op.max.value.data:
        return None
    low, high = op.min.value.data, op.max.value.data
    bounds = [min(max(bound.value.data, low), high) for bound in (inner.min, inner.max)]
    return new(ClipOp(inner.x, min=bounds[0], max=bounds[1]), inner)


def _larger_than_zero(op: MaxOp, new: RuleBuilder) -> Replacement:
    for x, other in ((op.a, op.b), (op.b, op.a)):
        if splat(other) == 0 and keeps_type(x, op.y):
            return new(ReluOp(x))
    return None


def _same_twice(op: BinaryOp, new: RuleBuilder) -> Replacement:
    return op.a if op.a is op.b else None


def _absorbing(absorbing: bool) -> Rule:
    """The rule that replaces x op `absorbing` by `absorbing`, for truth values."""

    def rule(op: AndOp | OrOp, new: RuleBuilder) -> Replacement:
        if element_of(op.y) != I1 or absorbing not in (splat(op.a), splat(op.b)):
            return None
        return new(filled(tensor_of(op.y), absorbing))

    return rule


def _neutral_truth(neutral: bool) -> Rule:
    """The rule that replaces x op `neutral` by x, for truth values."""
    without = _without(neutral)
    return lambda op, new: without(op, new) if element_of(op.y) == I1 else None


def _not_equal(op: NotOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, CompareOp)
    if inner is None or not inner.y.has_one_use():
        return None
    opposite = _OPPOSITE.get(inner.kind.data)
    ordered = inner.kind.data not in ("eq", "ne")
    if opposite is None or (ordered and is_float(element_of(inner.a))):
        return None
    return new(CompareOp(inner.a, inner.b, kind=opposite), inner)


_OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}


def _choice_made(op: SelectOp, new: RuleBuilder) -> Replacement:
    condition = splat(op.condition)
    if op.a is op.b:
        chosen = op.a
    elif condition is not None:
        chosen = op.a if condition else op.b
    else:
        return None
    return chosen if keeps_type(chosen, op.y) else new(BroadcastOp(chosen, result_type=op.y.type))


def _choice_turned(op: SelectOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.condition, NotOp)
    return new(SelectOp(inner.x, op.b, op.a), inner) if inner else None


def _cast_to_itself(op: CastOp, new: RuleBuilder) -> Replacement:
    return op.x if keeps_type(op.x, op.y) else None


def _cast_twice(op: CastOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, CastOp)
    if inner is None or not holds_exactly(element_of(inner.x), element_of(inner.y)):
        return None
    x, between, y = (is_float(element_of(value)) for value in (inner.x, inner.y, op.y))
    if between and not (x or y) and not holds_exactly(element_of(inner.x), element_of(op.y)) and element_of(op.y) != I1:
        return None  # an out-of-range integer keeps its low bits, but the float in between is the nearest number
    return new(CastOp(inner.x, result_type=op.y.type), inner)


def holds_exactly(narrow: Attribute, wide: Attribute) -> bool:
    """True if each number of element type `narrow` is a number of `wide`."""
    if narrow in (wide, I1):
        return True
    if is_float(narrow):
        (a, b, _), (c, d, _) = _FORMAT[type(narrow)], _FORMAT.get(type(wide), (0, 0, 0))
        return a <= c and b <= d
    if wide == I1:
        return False
    limits = np.iinfo(dtype_of(narrow))
    if is_float(wide):
        return max(-int(limits.min), int(limits.max)) <= 2 ** _FORMAT[type(wide)][0]
    room = np.iinfo(dtype_of(wide))
    return int(room.min) <= int(limits.min) and int(limits.max) <= int(room.max)


RULES: Table = (
    (AddOp, _add_zero),  # x + 0 = x             for integers, for -0, and where no user sees the sign of a zero
    (AddOp, _add_negative),  # a + (-b) = a - b
    (SubOp, _subtract_zero),  # x - 0 = x
    (SubOp, _subtract_negative),  # a - (-b) = a + b
    (MulOp, _without(1)),  # x · 1 = x
    (MulOp, _times_zero),  # x · 0 = 0           for integers (a float may be inf, nan or negative)
    (MulOp, _times_minus_one),  # x · (-1) = -x
    (DivOp, _without(1, left=False)),  # x / 1 = x
    (DivOp, _divide_by_minus_one),  # x / (-1) = -x
    (DivOp, _divide_by_power_of_two),  # x / 2ⁿ = x · 2⁻ⁿ       where 2⁻ⁿ is a normal number
    (PowOp, _power),  # x¹ = x, x² = x·x, x⁻¹ = 1/x, x^½ = √x, x^-½ = 1/√x      the roots where x ≥ 0
    (NegOp, _twice_undone),  # -(-x) = x
    (NotOp, _twice_undone),  # not not x = x
    (
        NotOp,
        _not_equal,
    ),  # not (a = b) = (a ≠ b), not (a < b) = (a ≥ b)      the latter for integers: nan is in no order
    (AbsOp, _again),  # | |x| | = |x|
    (AbsOp, _absolute_of_negative),  # |-x| = |x|
    (ReluOp, _again),  # relu(relu(x)) = relu(x)
    (ClipOp, _open_clip),  # clip(x, -inf, inf) = x
    (ClipOp, _clip_at_zero),  # clip(x, 0, inf) = relu(x)
    (ClipOp, _clip_twice),  # clip(clip(x, a, b), c, d) = clip(x, clip(a, c, d), clip(b, c, d))
    (MaxOp, _larger_than_zero),  # max(x, 0) = relu(x)
    (MaxOp, _without(-inf)),  # max(x, -inf) = x
    (MaxOp, _same_twice),  # max(x, x) = x
    (MinOp, _without(inf)),  # min(x, inf) = x
    (MinOp, _same_twice),  # min(x, x) = x
    (AndOp, _same_twice),  # x and x = x
    (AndOp, _neutral_truth(True)),  # x and true = x
    (AndOp, _absorbing(False)),  # x and false = false
    (OrOp, _same_twice),  # x or x = x
    (OrOp, _neutral_truth(False)),  # x or false = x
    (OrOp, _absorbing(True)),  # x or true = true
    (XorOp, _neutral_truth(False)),  # x xor false = x
    (SelectOp, _choice_made),  # select(true, a, b) = a, select(c, a, a) = a
    (SelectOp, _choice_turned),  # select(not c, a, b) = select(c, b, a)
    (CastOp, _cast_to_itself),  # cast(x) = x            to x's own type
    (CastOp, _cast_twice),  # cast(cast(x)) = cast(x)     where the inner type holds all of x's numbers
)
