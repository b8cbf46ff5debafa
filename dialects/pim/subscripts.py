"""Index expressions of bank programs: sums of loop variables, each times a constant, e.g. `%i * 4 + %t + 2`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import IndexType
from xdsl.ir import BlockArgument, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp
from dialects.programs.properties import LIMIT, Ints, ints, values_of
from dialects.values import called, resolve_known


class BindingOp(BracedOp):
    """Base class of ops whose body arguments are loop variables with ranges."""

    @abstractmethod
    def range_of(self, variable: BlockArgument) -> range:
        """The range of a body argument."""


def range_of(variable: SSAValue) -> range:
    """The range of a loop variable. Raises VerifyException for a value that is not a loop variable."""
    if isinstance(variable, BlockArgument):
        owner = variable.block.parent_op()
        if isinstance(owner, BindingOp):
            return owner.range_of(variable)
    raise VerifyException(
        f"{called(variable)} is not a loop variable; an index expression may use only the variables of pim.for and "
        "pim.channels"
    )


@dataclass(frozen=True, slots=True)
class Linear:
    """A constant plus a sum of loop variables, each times a constant; each variable occurs once, and no factor is 0."""

    constant: int = 0
    terms: tuple[tuple[SSAValue, int], ...] = ()

    @staticmethod
    def of(value: Index) -> Linear:
        """A plain number or a loop variable as an expression."""
        if isinstance(value, Linear):
            return value
        return Linear(value) if isinstance(value, int) else Linear(0, ((value, 1),))

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

    def at(self, values: Mapping[SSAValue, int]) -> int:
        """The value of the expression for these values of the loop variables."""
        return self.constant + sum(factor * values[variable] for variable, factor in self.terms)

    def bounds(self) -> tuple[int, int]:
        """The minimum and maximum of the expression. Raises VerifyException for a variable that is not a loop
        variable."""
        low = high = self.constant
        for variable, factor in self.terms:
            values = range_of(variable)
            ends = (factor * values.start, factor * (values.stop - 1))
            low, high = low + min(ends), high + max(ends)
        return low, high


Index: TypeAlias = Linear | SSAValue | int
"""The Python types of an index: a number, a loop variable, or a sum of them."""

INDEX = IndexType()


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
    numbers: list[int] = []
    for expression in expressions:
        factors = dict(expression.terms)
        numbers += (expression.constant, *(factors.get(variable, 0) for variable in variables))
    return ints(numbers)


def decode(numbers: Ints, variables: Sequence[SSAValue]) -> list[Linear]:
    """The expressions that `encode` stored in a property. Raises VerifyException if the number of integers does not fit
    the number of `variables`."""
    values, width = values_of(numbers), 1 + len(variables)
    if len(values) % width:
        raise VerifyException(
            f"{len(values)} numbers were met, but index expressions of {len(variables)} variables have {width} "
            "numbers each (a constant, then a factor for each variable)"
        )
    return [
        Linear(
            int(values[at]),
            tuple((v, int(f)) for v, f in zip(variables, values[at + 1 : at + width], strict=True) if f),
        )
        for at in range(0, len(values), width)
    ]


def parse_linear(parser: Parser) -> Linear:
    """Read `%i * 4 + %t + 2`. Raises a located ParseError for anything else."""
    start = parser.pos
    total, sign = Linear(), -1 if parser.parse_optional_punctuation("-") else 1
    while True:
        total += _parse_product(parser) * sign
        if parser.parse_optional_punctuation("+"):
            sign = 1
        elif parser.parse_optional_punctuation("-"):
            sign = -1
        else:
            break
    largest = max((total.constant, *(factor for _, factor in total.terms)), key=abs)
    if abs(largest) > LIMIT:
        parser.raise_error(f"{largest} is too large for an index (at most {LIMIT})", start, parser.pos)
    return total


def _parse_product(parser: Parser) -> Linear:
    start = parser.pos
    left = _parse_factor(parser)
    if parser.parse_optional_punctuation("*") is None:
        return left
    right = _parse_factor(parser)
    if left.terms and right.terms:
        parser.raise_error(
            "an index expression must be linear; multiply a variable only by a number, not by another variable",
            start,
            parser.pos,
        )
    return left * right.constant if left.terms else right * left.constant


def _parse_factor(parser: Parser) -> Linear:
    if (number := parser.parse_optional_integer(allow_boolean=False, allow_negative=False)) is not None:
        return Linear(number)
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
    return Linear.of(value)


def print_linear(printer: Printer, expression: Linear) -> None:
    """Write an expression so that `parse_linear` reads it back."""
    first = True
    for variable, factor in expression.terms:
        printer.print_string(("-" if factor < 0 else "") if first else (" - " if factor < 0 else " + "))
        printer.print_ssa_value(variable)
        if abs(factor) != 1:
            printer.print_string(f" * {abs(factor)}")
        first = False
    if first:
        printer.print_string(str(expression.constant))
    elif expression.constant:
        printer.print_string(f" {'-' if expression.constant < 0 else '+'} {abs(expression.constant)}")


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
