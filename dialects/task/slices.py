"""Parts of a value that a residency op moves: a slice of a stack, by the counter of a loop, and the iterations in which
the op moves it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

from xdsl.ir import SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from dialects.values import resolve_known


@dataclass(frozen=True)
class Slice:
    """One of `of` equal, contiguous slices of a value: the one with the number `offset`, plus the counter `counter` of
    the loop if there is one, or minus the counter if `reversed`."""

    of: int
    offset: int
    counter: SSAValue | None = None
    reversed: bool = False

    def at(self, counter: int) -> int:
        """The number of the slice, if the loop's counter has this value."""
        if self.counter is None:
            return self.offset
        return self.offset - counter if self.reversed else self.offset + counter

    @staticmethod
    def parse(parser: Parser) -> Slice | None:
        """Read `slice %i + 2 of 24`, `slice 23 - %i of 24` or `slice 2 of 24` if present."""
        if parser.parse_optional_keyword("slice") is None:
            return None
        counter, offset, reversed_ = None, 0, False
        if (name := parser.parse_optional_unresolved_operand()) is not None:
            counter = resolve_known(parser, name)
            if parser.parse_optional_punctuation("+"):
                offset = parser.parse_integer(allow_boolean=False)
            elif parser.parse_optional_punctuation("-"):
                offset = -parser.parse_integer(allow_boolean=False)
            elif (number := parser.parse_optional_integer(allow_boolean=False)) is not None:  # read as one token: %i -2
                offset = number
        else:
            offset = parser.parse_integer(allow_boolean=False)
            if parser.parse_optional_punctuation("-"):
                counter, reversed_ = resolve_known(parser, parser.parse_unresolved_operand()), True
        parser.parse_keyword("of")
        return Slice(parser.parse_integer(allow_boolean=False), offset, counter, reversed_)

    def print(self, printer: Printer) -> None:
        """Write ` slice %i + 2 of 24`."""
        printer.print_string(" slice ")
        if self.counter is None:
            printer.print_string(str(self.offset))
        elif self.reversed:
            printer.print_string(f"{self.offset} - ")
            printer.print_operand(self.counter)
        else:
            printer.print_operand(self.counter)
            if self.offset:
                printer.print_string(f" {'+' if self.offset > 0 else '-'} {abs(self.offset)}")
        printer.print_string(f" of {self.of}")


def ranges_of(numbers: Iterable[int]) -> list[int]:
    """The bounds of the ranges of consecutive numbers in a set of numbers: first, end, first, end, …"""
    found: list[int] = []
    for _, same in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
        each = [number for _, number in same]
        found += [each[0], each[-1] + 1]
    return found


def parse_iterations(parser: Parser) -> list[int] | None:
    """Read `in 0 to 5, 8` if present: the bounds of ranges of iterations, each end exclusive."""
    if parser.parse_optional_keyword("in") is None:
        return None
    bounds: list[int] = []
    while True:
        first = parser.parse_integer(allow_boolean=False)
        end = parser.parse_integer(allow_boolean=False) if parser.parse_optional_keyword("to") else first + 1
        bounds += [first, end]
        if not parser.parse_optional_punctuation(","):
            return bounds


def print_iterations(printer: Printer, bounds: Iterable[int]) -> None:
    """Write ` in 0 to 5, 8`."""
    printer.print_string(" in " + ", ".join(f"{a} to {b}" if b > a + 1 else str(a) for a, b in _pairs(bounds)))


def _pairs(bounds: Iterable[int]) -> Iterator[tuple[int, int]]:
    listed = list(bounds)
    yield from list(pairwise(listed))[::2]
