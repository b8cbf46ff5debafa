"""Boxes of memory that ops of a thread block access: `%a[%i * 128 : 128, (%k + 2) mod 3]` has a start and a size for
each axis.

Starts are quasi-affine expressions of loop variables, as in MLIR's affine maps: sums, products with numbers, and
`floordiv` and `mod` by numbers. An axis without a size selects one element and is dropped from the box's shape.
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
"""Largest number that an index expression may contain. No axis has as many elements; without this limit a typing error
could make the compiler enumerate a huge range.
"""


@dataclass(frozen=True)
class Box:
    """A box of a memory: a start for each axis, as an expression over numbered variables, and a size for each axis;
    size 0 marks an axis that is dropped.
    """

    starts: tuple[AffineExpr, ...]
    sizes: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes that are kept."""
        return tuple(size for size in self.sizes if size)

    @staticmethod
    def full(shape: Sequence[int]) -> Box:
        """Return the box that covers all of a memory of this shape."""
        return Box((AffineExpr.constant(0),) * len(shape), tuple(shape))

    def over(self, variables: Sequence[AffineExpr]) -> Box:
        """Return the box whose starts have each variable replaced by the expression at its position in `variables`."""
        return Box(tuple(start.replace_dims_and_symbols(variables, ()) for start in self.starts), self.sizes)


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


_MOD, _FLOORDIV = AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv


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
            if expression.kind is AffineBinaryOpKind.Add:
                return
            if constant is None:
                raise VerifyException(f"an index may be multiplied or divided only by numbers, not by {right}")
            if expression.kind is not AffineBinaryOpKind.Mul and constant < 1:
                raise VerifyException(
                    f"an index may be divided (floordiv, mod) only by positive numbers, not by {constant}"
                )
        case _:
            raise VerifyException(f"an index must be an expression of loop variables, not {expression}")


class Variables:
    """Loop variables of the op that is being parsed, in the order of their first use; each becomes an operand."""

    def __init__(self) -> None:
        self.values: list[SSAValue] = []

    def number(self, value: SSAValue) -> AffineExpr:
        """Return a variable as an affine dimension, adding it to the list at its first use."""
        if value not in self.values:
            self.values.append(value)
        return AffineExpr.dimension(self.values.index(value))


def parse_index(parser: Parser, variables: Variables) -> AffineExpr:
    """Parse an index expression such as `%i * 4 + (%t + 2) mod 3`; raise a located ParseError for anything else."""
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
            raise ValueError(f"expected an index expression, not {expression}")


def _terms(expression: AffineExpr) -> list[AffineExpr]:
    """Return the terms of a sum."""
    if isinstance(expression, AffineBinaryOpExpr) and expression.kind is AffineBinaryOpKind.Add:
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


_WORDS: Mapping[AffineBinaryOpKind, str] = {
    AffineBinaryOpKind.Mul: "*",
    AffineBinaryOpKind.Mod: "mod",
    AffineBinaryOpKind.FloorDiv: "floordiv",
}


def _is_compound(expression: AffineExpr) -> bool:
    negative = isinstance(expression, AffineConstantExpr) and expression.value < 0
    return isinstance(expression, AffineBinaryOpExpr) or negative


def parse_box(parser: Parser, memory: SSAValue, variables: Variables) -> Box:
    """Parse `[START : SIZE, START, …]` after a memory; without a bracket the box covers all of the memory."""
    shape = memref_of(memory).get_shape()
    starts, sizes = list[AffineExpr](), list[int]()

    def axis() -> None:
        starts.append(parse_index(parser, variables))
        if parser.parse_optional_punctuation(":") is None:
            sizes.append(0)
            return
        place, size = parser.pos, parser.parse_integer(allow_boolean=False, allow_negative=False)
        if not 1 <= size <= LIMIT:
            parser.raise_error(f"the size of a box along an axis must be 1 to {LIMIT}, not {size}", place, parser.pos)
        sizes.append(size)

    start = parser.pos
    if parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, axis) is None:
        return Box.full(shape)
    if len(starts) > len(shape):
        parser.raise_error(f"{memory.type} has {len(shape)} axes, but the box has {len(starts)}", start, parser.pos)
    left = shape[len(starts) :]  # the box covers all of each axis that is not written
    return Box((*starts, *(AffineExpr.constant(0) for _ in left)), (*sizes, *left))


def print_box(printer: Printer, box: Box, memory: SSAValue, variables: Sequence[SSAValue]) -> None:
    """Print a box in the syntax that `parse_box` parses."""
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
