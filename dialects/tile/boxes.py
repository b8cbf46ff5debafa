"""Boxes of memory that ops of a thread block access: `%a[%i * 128 : 128, (%k + 2) mod 3]` has a start and a size for
each axis.

Starts are quasi-affine expressions of loop variables, as in MLIR's affine maps: sums, products with numbers, and
`floordiv` and `mod` by numbers. An axis without a size selects one element and is dropped from the box's shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.parser import Parser
from xdsl.printer import Printer

from dialects.launching import memref_of
from dialects.programs.index import Variables, parse_index, print_index, variables_in
from dialects.programs.properties import LIMIT


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

    @property
    def variables(self) -> set[int]:
        """Positions of the variables on which the starts depend."""
        return {position for start in self.starts for position in variables_in(start)}

    def over(self, variables: Sequence[AffineExpr]) -> Box:
        """Return the box whose starts have each variable replaced by the expression at its position in `variables`."""
        return Box(tuple(start.replace_dims_and_symbols(variables, ()) for start in self.starts), self.sizes)


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
