"""Boxes of memory that ops of a thread block access: `%a[%i * 128 : 128, (%k + 2) mod 3]`, a start and a size an axis.

Starts are quasi-affine expressions of loop variables (sums, products with numbers, `floordiv` and `mod` by numbers), as
MLIR's affine maps have them. An axis without a size is taken at its start and drops out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.launching import memref_of
from dialects.values import resolve_known

INDEX = IndexType()
LIMIT = 1 << 40
"""More elements than any axis has; keeps a typing error from becoming a wait."""


@dataclass(frozen=True)
class Box:
    """A part of a memory: a start an axis, over numbered variables, and a size, 0 for an axis that drops out."""

    starts: tuple[AffineExpr, ...]
    sizes: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes that stay."""
        return tuple(size for size in self.sizes if size)

    @staticmethod
    def whole(shape: Sequence[int]) -> Box:
        """All of a memory."""
        return Box((AffineExpr.constant(0),) * len(shape), tuple(shape))

    def over(self, variables: Sequence[AffineExpr]) -> Box:
        """The same box with these expressions in the place of its variables."""
        return Box(tuple(start.replace_dims_and_symbols(variables, ()) for start in self.starts), self.sizes)


def bounds_of(expression: AffineExpr, ranges: Sequence[range]) -> tuple[int, int]:
    """The least and the greatest value of an expression; at the ends of variables' ranges, or beyond what it takes
    where `mod` is in it."""
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
            raise VerifyException(f"{expression} is no expression of loop variables")


def simplified(expression: AffineExpr, ranges: Sequence[range]) -> AffineExpr:
    """The same expression without remainders and quotients that the ranges of its variables make superfluous."""
    if not isinstance(expression, AffineBinaryOpExpr):
        return expression
    left, right = simplified(expression.lhs, ranges), simplified(expression.rhs, ranges)
    if isinstance(right, AffineConstantExpr) and expression.kind in (_MOD, _FLOORDIV):
        low, high = bounds_of(left, ranges)
        if low // right.value == high // right.value:
            quotient = low // right.value
            return left - quotient * right.value if expression.kind is _MOD else AffineExpr.constant(quotient)
    return AffineExpr.binary(expression.kind, left, right)


_MOD, _FLOORDIV = AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv


def check_expression(expression: AffineExpr) -> None:
    """Raises VerifyException for what is no quasi-affine expression: a symbol, a product of variables, a division by
    what is no positive number."""
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
            if expression.kind is AffineBinaryOpKind.Add:
                return
            if constant is None:
                raise VerifyException(f"an index multiplies, divides and takes remainders by numbers, not by {right}")
            if expression.kind is not AffineBinaryOpKind.Mul and constant < 1:
                raise VerifyException(f"an index divides and takes remainders by positive numbers, not by {constant}")
        case _:
            raise VerifyException(f"an index is an expression of loop variables, not {expression}")


class Variables:
    """Loop variables in the order of their first use, each an operand of the op that is read."""

    def __init__(self) -> None:
        self.values: list[SSAValue] = []

    def number(self, value: SSAValue) -> AffineExpr:
        """A variable as an expression."""
        if value not in self.values:
            self.values.append(value)
        return AffineExpr.dimension(self.values.index(value))


def parse_index(parser: Parser, variables: Variables) -> AffineExpr:
    """Read `%i * 4 + (%t + 2) mod 3`; raises a located ParseError for anything else."""
    start = parser.pos
    total = _product(parser, variables)
    while True:
        if parser.parse_optional_punctuation("+"):
            total = total + _product(parser, variables)
        elif parser.parse_optional_punctuation("-"):
            total = total - _product(parser, variables)
        else:
            break
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
                parser.raise_error("an index multiplies a variable by a number, not by a variable", start, parser.pos)
            found = found * other if isinstance(other, AffineConstantExpr) else other * found
            continue
        word = parser.parse_optional_keyword("mod") or parser.parse_optional_keyword("floordiv")
        if word is None:
            return found
        other = _factor(parser, variables)
        if not isinstance(other, AffineConstantExpr) or other.value < 1:
            parser.raise_error(f"`{word}` takes a positive number", start, parser.pos)
        found = found % other if word == "mod" else found // other


def _factor(parser: Parser, variables: Variables) -> AffineExpr:
    if parser.parse_optional_punctuation("("):
        inner = parse_index(parser, variables)
        parser.parse_punctuation(")")
        return inner
    if parser.parse_optional_punctuation("-"):
        return AffineExpr.constant(0) - _factor(parser, variables)
    if (number := parser.parse_optional_integer(allow_boolean=False, allow_negative=False)) is not None:
        return AffineExpr.constant(number)
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
    return variables.number(value)


def print_index(
    printer: Printer, expression: AffineExpr, variables: Sequence[SSAValue | str], inner: bool = False
) -> None:
    """Write an expression so that `parse_index` reads it back (an affine map's parser where variables are words); in
    parentheses where it is a sum or product and `inner`."""
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
            if expression.kind is AffineBinaryOpKind.Add:
                terms = [_signed(term) for term in _terms(expression)]
                for number, (negative, term) in enumerate(sorted(terms, key=lambda each: each[0])):
                    sign = ("-" if negative else "") if not number else (" - " if negative else " + ")
                    printer.print_string(sign)
                    print_index(printer, term, variables, negative and isinstance(term, AffineBinaryOpExpr))
            else:
                print_index(printer, expression.lhs, variables, _is_compound(expression.lhs))
                printer.print_string(f" {_WORDS[expression.kind]} ")
                print_index(printer, expression.rhs, variables, _is_compound(expression.rhs))
            if inner:
                printer.print_string(")")
        case _:
            raise ValueError(f"{expression} is no index expression")


def _terms(expression: AffineExpr) -> list[AffineExpr]:
    """The terms of a sum."""
    if isinstance(expression, AffineBinaryOpExpr) and expression.kind is AffineBinaryOpKind.Add:
        return [*_terms(expression.lhs), *_terms(expression.rhs)]
    return [expression]


def _signed(term: AffineExpr) -> tuple[bool, AffineExpr]:
    """Sign of a term, True if it is negative, and the term without its sign."""
    match term:
        case AffineConstantExpr(value) if value < 0:
            return True, AffineExpr.constant(-value)
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, lhs, AffineConstantExpr(value)) if value < 0:
            return True, lhs * -value
        case _:
            return False, term


_WORDS: Mapping[AffineBinaryOpKind, str] = {
    AffineBinaryOpKind.Mul: "*",
    AffineBinaryOpKind.Mod: "mod",
    AffineBinaryOpKind.FloorDiv: "floordiv",
}


def _is_compound(expression: AffineExpr) -> bool:
    negative = isinstance(expression, AffineConstantExpr) and expression.value < 0
    return isinstance(expression, AffineBinaryOpExpr) or negative


def parse_box(parser: Parser, memory: SSAValue, variables: Variables) -> Box:
    """Read `[START : SIZE, START, …]` behind a memory; all of it where there is no bracket."""
    shape = memref_of(memory).get_shape()
    starts, sizes = list[AffineExpr](), list[int]()

    def axis() -> None:
        starts.append(parse_index(parser, variables))
        if parser.parse_optional_punctuation(":") is None:
            sizes.append(0)
            return
        place, size = parser.pos, parser.parse_integer(allow_boolean=False, allow_negative=False)
        if not 1 <= size <= LIMIT:
            parser.raise_error(f"a box has a positive size along an axis, not {size}", place, parser.pos)
        sizes.append(size)

    start = parser.pos
    if parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, axis) is None:
        return Box.whole(shape)
    if len(starts) > len(shape):
        parser.raise_error(f"{memory.type} has {len(shape)} axes, but {len(starts)} are written", start, parser.pos)
    left = shape[len(starts) :]  # axes that are not named are taken whole
    return Box((*starts, *(AffineExpr.constant(0) for _ in left)), (*sizes, *left))


def print_box(printer: Printer, box: Box, memory: SSAValue, variables: Sequence[SSAValue]) -> None:
    """Write what `parse_box` reads."""
    shape = memref_of(memory).get_shape()
    count = len(shape)
    while count and box.sizes[count - 1] == shape[count - 1] and box.starts[count - 1] == AffineConstantExpr(0):
        count -= 1
    if count:
        with printer.in_square_brackets():
            for number in range(count):
                printer.print_string(", " if number else "")
                print_index(printer, box.starts[number], variables)
                if box.sizes[number]:
                    printer.print_string(f" : {box.sizes[number]}")
