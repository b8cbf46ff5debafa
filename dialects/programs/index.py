"""Values, linear forms and changes of coordinates of quasi-affine index expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr

MOD, FLOORDIV = AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv


def value_of(expression: AffineExpr, values: Sequence[Any]) -> Any:
    """Return the value of an index expression, given the values of its variables; an array if these values are
    arrays."""
    match expression:
        case AffineConstantExpr(value):
            return value
        case AffineDimExpr(position):
            return values[position]
        case AffineBinaryOpExpr():
            left, right = value_of(expression.lhs, values), value_of(expression.rhs, values)
            match expression.kind:
                case AffineBinaryOpKind.Add:
                    return left + right
                case AffineBinaryOpKind.Mul:
                    return left * right
                case AffineBinaryOpKind.Mod:
                    return left % right
                case AffineBinaryOpKind.FloorDiv:
                    return left // right
                case _:
                    return -(-left // right)
        case _:
            raise ValueError(f"expected an index expression, not {expression}")


def variables_in(expression: AffineExpr) -> set[int]:
    """Return the positions of the variables of an expression."""
    return {each.position for each in expression.dfs() if isinstance(each, AffineDimExpr)}


class LinearForm(NamedTuple):
    """A constant plus a sum of variables, each times a constant: `factors` by the variables' positions."""

    constant: int
    factors: dict[int, int]

    def expression(self, divisor: int = 1) -> AffineExpr:
        """Return the form as an expression, divided by a number that divides the constant and all factors."""
        total = AffineExpr.constant(self.constant // divisor)
        for position, factor in self.factors.items():
            total = total + AffineExpr.dimension(position) * (factor // divisor)
        return total


def linear_form(expression: AffineExpr) -> LinearForm | None:
    """Return an expression as a linear form; None if it has a quotient or a remainder of variables."""
    match expression:
        case AffineConstantExpr(value):
            return LinearForm(value, {})
        case AffineDimExpr(position):
            return LinearForm(0, {position: 1})
        case AffineBinaryOpExpr(kind, lhs, rhs):
            left, right = linear_form(lhs), linear_form(rhs)
            if left is None or right is None:
                return None
            if kind is AffineBinaryOpKind.Add:
                positions = dict.fromkeys((*left.factors, *right.factors))
                factors = {each: left.factors.get(each, 0) + right.factors.get(each, 0) for each in positions}
                return LinearForm(left.constant + right.constant, {at: one for at, one in factors.items() if one})
            if kind is AffineBinaryOpKind.Mul and not right.factors:
                scaled = {at: one * right.constant for at, one in left.factors.items() if right.constant}
                return LinearForm(left.constant * right.constant, scaled)
            if left.factors or right.factors:
                return None
            numbers = (AffineConstantExpr(each.constant) for each in (left, right))
            return LinearForm(value_of(AffineBinaryOpExpr(kind, *numbers), ()), {})
        case _:
            return None


def divided(expression: AffineExpr, divisor: int) -> AffineExpr:
    """Return the quotient of an expression by a number of which it is always a multiple."""
    form = linear_form(expression)
    if form is None or any(each % divisor for each in (form.constant, *form.factors.values())):
        return expression if divisor == 1 else AffineBinaryOpExpr(FLOORDIV, expression, AffineConstantExpr(divisor))
    return form.expression(divisor)


def joined_digits(
    subscripts: Sequence[AffineExpr], extents: Sequence[int]
) -> tuple[tuple[AffineExpr, ...], tuple[int, ...]]:
    """Return subscripts and extents with those axes joined whose subscripts are the digits of one number: (n floordiv
    b, n mod b), with an extent of b along the second axis, are one axis with subscript n. Joined axes hold the same
    elements as before, and a number is outside of the joined axis where one of its digits is outside of its axis.
    """
    axes = list(zip(subscripts, extents, strict=True))
    joined = True
    while joined:
        joined = False
        for high in axes:
            for low in axes:
                if low is not high and (one := _joined(*high, *low)) is not None:
                    axes = [one if each is low else each for each in axes if each is not high]
                    joined = True
                    break
            if joined:
                break
    return tuple(each for each, _ in axes), tuple(extent for _, extent in axes)


def _joined(high: AffineExpr, count: int, low: AffineExpr, base: int) -> tuple[AffineExpr, int] | None:
    """Return the number whose digits are `high` and `low`, and its extent; None if they are no such digits."""
    remainder = _of_kind(low, MOD)
    if remainder is None or remainder[1] != base:
        return None
    number, size = remainder[0], base * count
    modulus = _of_kind(high, MOD)
    if modulus is not None and modulus[1] == count and _quotient(modulus[0]) == (number, base):
        return AffineBinaryOpExpr(MOD, number, AffineConstantExpr(size)), size
    return (number, size) if _quotient(high) == (number, base) else None


def _quotient(expression: AffineExpr) -> tuple[AffineExpr, int] | None:
    """Return dividend and divisor of a quotient, whose dividend is no quotient itself."""
    found = _of_kind(expression, FLOORDIV)
    if found is not None and (inner := _quotient(found[0])) is not None:
        return inner[0], inner[1] * found[1]
    return found


def _of_kind(expression: AffineExpr, kind: AffineBinaryOpKind) -> tuple[AffineExpr, int] | None:
    """Return left operand and divisor of a quotient or remainder (`kind`) by a number; None for all others."""
    match expression:
        case AffineBinaryOpExpr(met, left, AffineConstantExpr(value)) if met is kind and value > 0:
            return left, value
        case _:
            return None
