"""Subscripts and ranges in the text of bank programs, `[%i * 4 to %i * 4 + 4, %t]`, and index expressions as properties
of ops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.programs.index import Linear, parse_linear, print_linear
from dialects.programs.properties import Ints, ints, values_of


@dataclass(frozen=True, slots=True)
class Subscript:
    """A subscript of one axis: `extent` entries from `start`, or, with `extent` 0, the single entry at `start`, which
    drops the axis."""

    start: Linear
    extent: int = 0


def variables_of(expressions: Iterable[Linear]) -> list[SSAValue]:
    """All loop variables that occur in some expressions, without repetition."""
    return list(dict.fromkeys(variable for expression in expressions for variable, _ in expression.terms))


def encode(expressions: Iterable[Linear], variables: Sequence[SSAValue]) -> Ints:
    """Expressions as one integer property: for each expression its constant, then its factor for each of `variables`,
    the op's index operands."""
    return ints([number for expression in expressions for number in expression.numbers(variables)])


def decode(numbers: Ints, variables: Sequence[SSAValue]) -> list[Linear]:
    """The expressions that `encode` stored in a property. Raises VerifyException if the number of integers does not fit
    the number of `variables`."""
    values, width = values_of(numbers), 1 + len(variables)
    if len(values) % width:
        raise VerifyException(
            f"{len(values)} numbers were met, but index expressions of {len(variables)} variables have {width} "
            "numbers each (a constant, then a factor for each variable)"
        )
    return [Linear.over(variables, values[at : at + width]) for at in range(0, len(values), width)]


def parse_range(parser: Parser) -> Subscript:
    """Read `A to B`, whose length must be a positive constant."""
    start, low = parser.pos, parse_linear(parser)
    parser.parse_keyword("to")
    return Subscript(low, _length(parser, start, low, parse_linear(parser)))


def parse_subscripts(parser: Parser) -> list[Subscript]:
    """Read `[A, B to C, …]`; an empty list without brackets."""

    def subscript() -> Subscript:
        start, low = parser.pos, parse_linear(parser)
        if parser.parse_optional_keyword("to") is None:
            return Subscript(low)
        return Subscript(low, _length(parser, start, low, parse_linear(parser)))

    return parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, subscript) or []


def _length(parser: Parser, start: int, low: Linear, high: Linear) -> int:
    length = high - low
    if length.terms or length.constant < 1:
        parser.raise_error(
            "the length of a range must be a positive constant, as in `%i * 4 to %i * 4 + 4`", start, parser.pos
        )
    return length.constant


def print_range(printer: Printer, part: Subscript) -> None:
    """Write `A to B`."""
    print_linear(printer, part.start)
    if part.extent:
        printer.print_string(" to ")
        print_linear(printer, part.start + part.extent)


def print_subscripts(printer: Printer, parts: Sequence[Subscript]) -> None:
    """Write `[A, B to C, …]`, or nothing for an access to the whole memref."""
    if parts:
        with printer.in_square_brackets():
            printer.print_list(parts, lambda part: print_range(printer, part))
