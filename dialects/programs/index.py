"""Index expressions of programs: sums of loop variables times numbers, with `floordiv` and `mod` by numbers, for
instance `%i * 4 + (%t + 2) mod 3`.

Kernels of thread blocks have quasi-affine expressions: expressions of xDSL (AffineExpr) over the positions of an op's
loop variables, as in MLIR's affine maps. They keep the order in which they were written, so they are printed as they
were read. Bank programs have sums only, without `floordiv` and `mod`: `Linear`. xDSL's class does not fit these, for
three reasons. Expressions of different ops and loops are subtracted and compared, so that variables must be values, not
positions. The difference of equal sums must be 0, but xDSL keeps `d0 * 4 + d0 * -4` as it is. And every clock and check
decodes and evaluates the expressions of all commands: a sum of three variables takes 7 times as long to evaluate with
xDSL's class, and 10 times as long to build. `linear_form` and `Linear.expression` convert one class into the other.
"""

from __future__ import annotations

from collections.abc import Callable, Container, KeysView, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import gcd, lcm
from typing import Any, TypeAlias, TypeVar

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.programs.properties import LIMIT
from dialects.values import resolve_known

INDEX = IndexType()
_ADD, _MUL = AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul
_MOD, _FLOORDIV = AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv


@dataclass(frozen=True, slots=True)
class Linear:
    """A constant plus a sum of variables, each times a constant; each variable occurs once, and no factor is 0. Terms
    keep the order in which they were added; sums in different orders are equal if their difference is 0. Variables are
    loop variables of a program, or other hashable values, such as positions in a list of variables."""

    constant: int = 0
    terms: tuple[tuple[Any, int], ...] = ()

    @staticmethod
    def of(value: Index) -> Linear:
        """A plain number or a loop variable as an expression."""
        if isinstance(value, Linear):
            return value
        return Linear(value) if isinstance(value, int) else Linear(0, ((value, 1),))

    @staticmethod
    def over(variables: Sequence[Any], numbers: Sequence[int]) -> Linear:
        """The expression with these numbers: its constant, then a factor for each of `variables`."""
        if not variables:
            return Linear(numbers[0])
        terms = zip(variables, numbers[1:], strict=True)
        return Linear(numbers[0], tuple((variable, factor) for variable, factor in terms if factor))

    def numbers(self, variables: Sequence[Any]) -> list[int]:
        """The constant, then the factor of each of `variables`."""
        factors = dict(self.terms)
        return [self.constant, *[factors.get(variable, 0) for variable in variables]]

    def __add__(self, other: Index) -> Linear:
        other = Linear.of(other)
        factors = dict(self.terms)
        for variable, factor in other.terms:
            factors[variable] = factors.get(variable, 0) + factor
        return Linear(self.constant + other.constant, tuple((v, f) for v, f in factors.items() if f))

    def __sub__(self, other: Index) -> Linear:
        return self + Linear.of(other) * -1

    def __mul__(self, factor: int) -> Linear:
        return Linear(self.constant * factor, tuple((v, f * factor) for v, f in self.terms if f * factor))

    @property
    def variables(self) -> list[Any]:
        """The variables of the expression."""
        return [variable for variable, _ in self.terms]

    def factor(self, variable: Any) -> int:
        """The factor of a variable; 0 if the expression does not depend on it."""
        return next((factor for each, factor in self.terms if each == variable), 0)

    def at(self, values: Mapping[Any, int]) -> int:
        """The value of the expression for these values of its variables."""
        return self.constant + sum(factor * values[variable] for variable, factor in self.terms)

    def given(self, values: Mapping[Any, int]) -> Linear:
        """The expression with the values of some variables substituted."""
        if not any(variable in values for variable, _ in self.terms):
            return self
        constant = self.constant + sum(factor * values[v] for v, factor in self.terms if v in values)
        return Linear(constant, tuple(term for term in self.terms if term[0] not in values))

    def bounds(self, range_of: Callable[[Any], range]) -> tuple[int, int]:
        """The minimum and maximum of the expression, from the ranges of its variables."""
        low = high = self.constant
        for variable, factor in self.terms:
            values = range_of(variable)
            ends = (factor * values.start, factor * (values.stop - 1))
            low, high = low + min(ends), high + max(ends)
        return low, high

    @property
    def step(self) -> int:
        """The largest number of which the expression is a multiple for all values of its variables; 0 if it is 0."""
        return gcd(self.constant, *(factor for _, factor in self.terms))

    def expression(self, numbered: Callable[[Any], AffineExpr] = AffineExpr.dimension, divisor: int = 1) -> AffineExpr:
        """The quotient by a number that divides `step`, as an expression of xDSL. `numbered`: the function that gives
        the expression of a variable; by default, variables are positions."""
        total = AffineExpr.constant(self.constant // divisor)
        for variable, factor in self.terms:
            total = total + numbered(variable) * (factor // divisor)
        return total


Index: TypeAlias = Linear | SSAValue | int
"""The Python types of an index: a number, a loop variable, or a sum of them."""


# Quasi-affine expressions, over the positions of variables.


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


def variables_in(expression: AffineExpr) -> KeysView[int]:
    """Return the positions of the variables of an expression, in the order in which they are written."""
    return dict.fromkeys(each.position for each in expression.dfs() if isinstance(each, AffineDimExpr)).keys()


def bounds_of(expression: AffineExpr, ranges: Sequence[range]) -> tuple[int, int]:
    """Return the least and the greatest value of an expression over its variables' ranges. An expression with `mod` may
    get wider bounds than it attains.
    """
    match expression:
        case AffineConstantExpr(value):
            return value, value
        case AffineDimExpr(position):
            return ranges[position].start, ranges[position].stop - 1
        case AffineBinaryOpExpr():
            low, high = bounds_of(expression.lhs, ranges)
            other = bounds_of(expression.rhs, ranges)
            match expression.kind:
                case AffineBinaryOpKind.Add:
                    return low + other[0], high + other[1]
                case AffineBinaryOpKind.Mul:
                    ends = [one * two for one in (low, high) for two in other]
                    return min(ends), max(ends)
                case AffineBinaryOpKind.FloorDiv:
                    return low // other[0], high // other[0]
                case AffineBinaryOpKind.CeilDiv:
                    return -(-low // other[0]), -(-high // other[0])
                case _:
                    divisor = other[0]
                    inside = low // divisor == high // divisor
                    return (low % divisor, high % divisor) if inside else (0, divisor - 1)
        case _:
            raise VerifyException(f"expected an expression of loop variables, not {expression}")


def step_of(expression: AffineExpr) -> int:
    """Return a number of which an index expression is always a multiple; 0 if the expression is always 0."""
    match expression:
        case AffineConstantExpr(value):
            return abs(value)
        case AffineBinaryOpExpr(kind, left, right):
            one, other = step_of(left), step_of(right)
            match kind:
                case AffineBinaryOpKind.Mul:
                    return one * other
                case AffineBinaryOpKind.Add | AffineBinaryOpKind.Mod:
                    return gcd(one, other)
                case _:
                    return one // other if one % other == 0 else 1
        case _:
            return 1


def period_of(expression: AffineExpr) -> int:
    """Return a number of iterations, of any loop, after which an expression has changed by the same amount from any
    start: its remainders repeat, and its quotients have grown by a constant."""
    match expression:
        case AffineBinaryOpExpr(kind, left, right):
            inner = lcm(period_of(left), period_of(right))
            return inner * right.value if kind not in (_ADD, _MUL) and isinstance(right, AffineConstantExpr) else inner
        case _:
            return 1


def repeats(expression: AffineExpr, variables: Container[int]) -> bool:
    """Return True if an expression repeats, False if it may grow as some of `variables` do.

    If it repeats, it has the same value after `period_of` iterations of any loop.
    """
    match expression:
        case AffineDimExpr(position):
            return position not in variables
        case AffineBinaryOpExpr(kind, left, right):
            return kind == _MOD or (repeats(left, variables) and repeats(right, variables))
        case _:
            return True


def simplified(expression: AffineExpr, ranges: Sequence[range]) -> AffineExpr:
    """Return the same expression without remainders and quotients that the ranges of its variables make superfluous."""
    if not isinstance(expression, AffineBinaryOpExpr):
        return expression
    left, right = simplified(expression.lhs, ranges), simplified(expression.rhs, ranges)
    if isinstance(right, AffineConstantExpr) and expression.kind in (_MOD, _FLOORDIV):
        low, high = bounds_of(left, ranges)
        if low // right.value == high // right.value:
            quotient = low // right.value
            return left - quotient * right.value if expression.kind is _MOD else AffineExpr.constant(quotient)
    return AffineExpr.binary(expression.kind, left, right)


def linear_form(expression: AffineExpr) -> Linear | None:
    """Return an expression as a linear one over positions; None if it has a quotient or a remainder of variables."""
    match expression:
        case AffineConstantExpr(value):
            return Linear(value)
        case AffineDimExpr(position):
            return Linear(0, ((position, 1),))
        case AffineBinaryOpExpr(kind, lhs, rhs):
            left, right = linear_form(lhs), linear_form(rhs)
            if left is None or right is None:
                return None
            if kind is _ADD:
                return left + right
            if kind is _MUL and not right.terms:
                return left * right.constant
            if left.terms or right.terms:
                return None
            numbers = (AffineConstantExpr(each.constant) for each in (left, right))
            return Linear(value_of(AffineBinaryOpExpr(kind, *numbers), ()))
        case _:
            return None


def divided(expression: AffineExpr, divisor: int) -> AffineExpr:
    """Return the quotient of an expression by a number of which it is always a multiple."""
    form = linear_form(expression)
    if form is None or form.step % divisor:
        return expression if divisor == 1 else AffineBinaryOpExpr(_FLOORDIV, expression, AffineConstantExpr(divisor))
    return form.expression(divisor=divisor)


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
    remainder = _of_kind(low, _MOD)
    if remainder is None or remainder[1] != base:
        return None
    number, size = remainder[0], base * count
    modulus = _of_kind(high, _MOD)
    if modulus is not None and modulus[1] == count and _quotient(modulus[0]) == (number, base):
        return AffineBinaryOpExpr(_MOD, number, AffineConstantExpr(size)), size
    return (number, size) if _quotient(high) == (number, base) else None


def _quotient(expression: AffineExpr) -> tuple[AffineExpr, int] | None:
    """Return dividend and divisor of a quotient, whose dividend is no quotient itself."""
    found = _of_kind(expression, _FLOORDIV)
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


def check_expression(expression: AffineExpr) -> None:
    """Raise VerifyException for an expression that is not quasi-affine: a symbol, a product of variables, or a division
    or remainder by anything but a positive number.
    """
    match expression:
        case AffineConstantExpr(value) if abs(value) > LIMIT:
            raise VerifyException(f"{value} is too large for an index (at most {LIMIT})")
        case AffineConstantExpr() | AffineDimExpr():
            return
        case AffineBinaryOpExpr():
            check_expression(expression.lhs)
            check_expression(expression.rhs)
            right = expression.rhs
            constant = right.value if isinstance(right, AffineConstantExpr) else None
            if expression.kind is _ADD:
                return
            if constant is None:
                raise VerifyException(f"an index may be multiplied or divided only by numbers, not by {right}")
            if expression.kind is not _MUL and constant < 1:
                raise VerifyException(
                    f"an index may be divided (floordiv, mod) only by positive numbers, not by {constant}"
                )
        case _:
            raise VerifyException(f"an index must be an expression of loop variables, not {expression}")


# Text: sums of products of numbers and loop variables.


class Variables:
    """Loop variables of the op that is being parsed, in the order of their first use; each becomes an operand."""

    def __init__(self) -> None:
        self.values: list[SSAValue] = []

    def number(self, value: SSAValue) -> AffineExpr:
        """Return a variable as an affine dimension, adding it to the list at its first use."""
        if value not in self.values:
            self.values.append(value)
        return AffineExpr.dimension(self.values.index(value))


def parse_linear(parser: Parser) -> Linear:
    """Read `%i * 4 + %t + 2`. Raises a located ParseError for anything else."""
    start = parser.pos
    sign = -1 if parser.parse_optional_punctuation("-") else 1
    total = _sum(parser, _linear_product(parser) * sign, partial(_linear_product, parser))
    largest = max((total.constant, *(factor for _, factor in total.terms)), key=abs)
    if abs(largest) > LIMIT:
        parser.raise_error(f"{largest} is too large for an index (at most {LIMIT})", start, parser.pos)
    return total


def _linear_product(parser: Parser) -> Linear:
    start = parser.pos
    left = Linear.of(_number_or_variable(parser))
    if parser.parse_optional_punctuation("*") is None:
        return left
    right = Linear.of(_number_or_variable(parser))
    if left.terms and right.terms:
        parser.raise_error(
            "an index expression must be linear; multiply a variable only by a number, not by another variable",
            start,
            parser.pos,
        )
    return left * right.constant if left.terms else right * left.constant


def parse_index(parser: Parser, variables: Variables) -> AffineExpr:
    """Parse an index expression such as `%i * 4 + (%t + 2) mod 3`; raise a located ParseError for anything else."""
    start = parser.pos
    total = _sum(parser, _product(parser, variables), partial(_product, parser, variables))
    try:
        check_expression(total)
    except VerifyException as error:
        parser.raise_error(str(error), start, parser.pos)
    return total


def _product(parser: Parser, variables: Variables) -> AffineExpr:
    found = _factor(parser, variables)
    while True:
        start = parser.pos
        if parser.parse_optional_punctuation("*"):
            other = _factor(parser, variables)
            if not isinstance(other, AffineConstantExpr) and not isinstance(found, AffineConstantExpr):
                parser.raise_error(
                    "a variable may be multiplied only by a number, not by another variable", start, parser.pos
                )
            found = found * other if isinstance(other, AffineConstantExpr) else other * found
            continue
        word = parser.parse_optional_keyword("mod") or parser.parse_optional_keyword("floordiv")
        if word is None:
            return found
        other = _factor(parser, variables)
        if not isinstance(other, AffineConstantExpr) or other.value < 1:
            parser.raise_error(
                f"`{word}` must be followed by a positive number, as in `%i {word} 2`", start, parser.pos
            )
        found = found % other if word == "mod" else found // other


def _factor(parser: Parser, variables: Variables) -> AffineExpr:
    if parser.parse_optional_punctuation("("):
        inner = parse_index(parser, variables)
        parser.parse_punctuation(")")
        return inner
    if parser.parse_optional_punctuation("-"):
        return AffineExpr.constant(0) - _factor(parser, variables)
    found = _number_or_variable(parser)
    return AffineExpr.constant(found) if isinstance(found, int) else variables.number(found)


Expression = TypeVar("Expression", Linear, AffineExpr)


def _sum(parser: Parser, total: Expression, term: Callable[[], Expression]) -> Expression:
    """Parse the terms of a sum after the first one, `total`."""
    while True:
        if parser.parse_optional_punctuation("+"):
            total = total + term()
        elif parser.parse_optional_punctuation("-"):
            total = total - term()
        else:
            return total


def _number_or_variable(parser: Parser) -> int | SSAValue:
    if (number := parser.parse_optional_integer(allow_boolean=False, allow_negative=False)) is not None:
        return number
    unresolved = parser.parse_optional_unresolved_operand()
    if unresolved is None:
        parser.raise_error("expected an index expression of numbers and loop variables (%i * 4 + 2)")
    value = resolve_known(parser, unresolved)
    if not isinstance(value.type, IndexType):
        parser.raise_error(
            f"%{unresolved.operand_name} is a {value.type}, not a loop variable",
            unresolved.span.start,
            unresolved.span.end,
        )
    return value


def print_linear(printer: Printer, expression: Linear) -> None:
    """Write an expression so that `parse_linear` reads it back."""
    if not expression.terms:
        printer.print_string(str(expression.constant))
        return
    for number, (variable, factor) in enumerate(expression.terms):
        _print_sign(printer, number, factor < 0)
        printer.print_ssa_value(variable)
        if abs(factor) != 1:
            printer.print_string(f" * {abs(factor)}")
    if expression.constant:
        _print_sign(printer, 1, expression.constant < 0)
        printer.print_string(str(abs(expression.constant)))


def print_index(
    printer: Printer, expression: AffineExpr, variables: Sequence[SSAValue | str], inner: bool = False
) -> None:
    """Print an expression in the syntax of `parse_index`; if `variables` are words instead of values, in the syntax of
    MLIR's affine maps. With `inner`, sums and products get parentheses."""
    match expression:
        case AffineConstantExpr(value):
            printer.print_string(f"({value})" if inner and value < 0 else str(value))
        case AffineDimExpr(position):
            if isinstance(variable := variables[position], str):
                printer.print_string(variable)
            else:
                printer.print_ssa_value(variable)
        case AffineBinaryOpExpr():
            if inner:
                printer.print_string("(")
            if expression.kind is _ADD:
                terms = [_signed(term) for term in _terms(expression)]
                for number, (negative, term) in enumerate(sorted(terms, key=lambda each: each[0])):
                    _print_sign(printer, number, negative)
                    print_index(printer, term, variables, negative and isinstance(term, AffineBinaryOpExpr))
            else:
                print_index(printer, expression.lhs, variables, _is_compound(expression.lhs))
                printer.print_string(f" {_WORDS[expression.kind]} ")
                print_index(printer, expression.rhs, variables, _is_compound(expression.rhs))
            if inner:
                printer.print_string(")")
        case _:
            raise ValueError(f"expected an index expression, not {expression}")


def _print_sign(printer: Printer, number: int, negative: bool) -> None:
    """Print the sign before the term of a sum with index `number`."""
    sign = "-" if negative else "+"
    printer.print_string(f" {sign} " if number else sign.removeprefix("+"))


def _terms(expression: AffineExpr) -> list[AffineExpr]:
    """Return the terms of a sum."""
    if isinstance(expression, AffineBinaryOpExpr) and expression.kind is _ADD:
        return [*_terms(expression.lhs), *_terms(expression.rhs)]
    return [expression]


def _signed(term: AffineExpr) -> tuple[bool, AffineExpr]:
    """Return True if a term is negative, and the term without its sign."""
    match term:
        case AffineConstantExpr(value) if value < 0:
            return True, AffineExpr.constant(-value)
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, lhs, AffineConstantExpr(value)) if value < 0:
            return True, lhs * -value
        case _:
            return False, term


_WORDS: Mapping[AffineBinaryOpKind, str] = {_MUL: "*", _MOD: "mod", _FLOORDIV: "floordiv"}


def _is_compound(expression: AffineExpr) -> bool:
    negative = isinstance(expression, AffineConstantExpr) and expression.value < 0
    return isinstance(expression, AffineBinaryOpExpr) or negative
