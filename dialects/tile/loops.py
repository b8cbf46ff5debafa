"""Ops with a body: a grid of parallel thread blocks, a loop over tiles, and a condition on loop variables."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar, Self

from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, IndexType, i64
from xdsl.ir import Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, prop_def, region_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp
from dialects.programs import loops as programs
from dialects.programs.index import Variables, check_expression, parse_index, print_index
from dialects.programs.properties import INT, INTS, integer, values_of

WARP = 32
"""Number of threads of a warp."""
MOST_WARPS = 32
"""Largest number of warps of a thread block: 1,024 threads (CUDA programming guide, all compute capabilities)."""


class RangesOp(programs.RangesOp):
    """Base class of `blocks` and `for`, which bind variables to ranges: `%i = 0 to 8, … { … }`."""

    FILL: ClassVar[str] = "add at least one op"


def range_of(variable: SSAValue) -> range:
    """Return the values that a loop variable takes. Raises VerifyException for a value that no loop binds."""
    return programs.range_of(variable, RangesOp, "an index may use only variables of tile.blocks and tile.for")


@irdl_op_definition
class BlocksOp(RangesOp):
    """Run the body in parallel thread blocks, one for each combination of values of the variables.

    `warps M, N`: a block has M x N warps, which divide the rows and columns of the block's tile among them. Blocks
    start in the order of their variables, the last variable fastest. With `order N`, the last variable is cut into
    groups of N values, within which the variable before it runs fastest (CUDA kernels call this a swizzle of blocks;
    blocks that run at the same time then read more of the same data).

    (C1) Ranges are not empty, and the body has ops. (C2) There are 1 to 32 warps. (C3) The op is in a tile.kernel. (C4)
    `order` is a positive number.

    ```mlir
    tile.kernel @copy on @gpu (%x: memref<256x64xf16>) -> (%y: memref<256x64xf16>) {
      tile.blocks %i = 0 to 2 warps 4, 1 {
        %t = tile.buffer shared : memref<128x64xf16>
        tile.copy %x[%i * 128 : 128] to %t
        tile.barrier
        tile.copy %t to %y[%i * 128 : 128]
      }
    }
    ```
    """

    name = "tile.blocks"
    warps = prop_def(INTS)
    order = prop_def(INT, default_value=integer(1))
    traits = traits_def(NoTerminator())

    def __init__(self, ranges: Sequence[range], warps: Sequence[int], body: Region, order: int = 1) -> None:
        """Create the op. `body`: one block with an index argument for each range; `warps`: rows and columns."""
        super().__init__(
            properties={
                "bounds": programs.ends_of(ranges),
                "warps": DenseArrayBase.from_list(i64, list(warps)),
                "order": integer(order),
            },
            regions=[body],
        )

    @property
    def warp_grid(self) -> tuple[int, int]:
        """Rows and columns of warps."""
        rows, columns = values_of(self.warps)
        return rows, columns

    @property
    def threads(self) -> int:
        """Number of threads of a block."""
        return WARP * prod(self.warp_grid)

    @property
    def count(self) -> int:
        """Number of thread blocks."""
        return prod(map(len, self.ranges))

    def verify_(self) -> None:
        self.check_ranges()  # (C1)
        counts = [*values_of(self.warps)]
        if len(counts) != 2 or min(counts) < 1 or prod(counts) > MOST_WARPS:  # (C2)
            raise VerifyException(
                f"tile.blocks: `warps` must be rows and columns of 1 to {MOST_WARPS} warps in all (`warps 4, "
                f"2`), not {counts}"
            )
        parent = self.parent_op()
        if parent is not None and parent.name != "tile.kernel":  # (C3)
            raise VerifyException(f"tile.blocks must be in a tile.kernel, not in {parent.name}")
        if self.order.value.data < 1:  # (C4)
            raise VerifyException(
                f"tile.blocks: `order` must be a positive number of blocks, not {self.order.value.data}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variables, ranges = cls.parse_ranges(parser)
        parser.parse_keyword("warps")
        rows = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(",")
        columns = parser.parse_integer(allow_boolean=False)
        order = parser.parse_integer(allow_boolean=False) if parser.parse_optional_keyword("order") else None
        op = cls.create(
            properties={
                "bounds": programs.ends_of(ranges),
                "warps": DenseArrayBase.from_list(i64, [rows, columns]),
                "order": integer(1 if order is None else order),
            }
        )
        return op.with_body(parser, variables, order=order)

    def print(self, printer: Printer) -> None:
        def warps() -> None:
            rows, columns = self.warp_grid
            printer.print_string(f" warps {rows}, {columns}")
            if self.order.value.data != 1:
                printer.print_string(f" order {self.order.value.data}")

        self.print_loop(printer, warps)


@irdl_op_definition
class ForOp(programs.LoopOp, RangesOp):
    """Run the body once for each value of the variable, in order.

    (C1) The range is not empty, and the body has ops. (C2) The op has one variable, and is in tile.blocks or in another
    loop.

    ```mlir
    tile.kernel @copy on @gpu (%x: memref<256x64xf16>) -> (%y: memref<256x64xf16>) {
      tile.blocks %i = 0 to 2 warps 4, 1 {
        %t = tile.buffer shared : memref<32x64xf16>
        tile.for %k = 0 to 4 {
          tile.copy %x[%i * 128 + %k * 32 : 32] to %t
          tile.barrier
          tile.copy %t to %y[%i * 128 + %k * 32 : 32]
          tile.barrier
        }
      }
    }
    ```
    """

    name = "tile.for"
    traits = traits_def(NoTerminator())

    def verify_(self) -> None:
        self.check_ranges()  # (C1)
        if len(self.ranges) != 1:  # (C2)
            raise VerifyException("tile.for expects one variable; nest loops for more")
        check_inside(self)  # (C2)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        variables, ranges = cls.parse_ranges(parser)
        if len(variables) != 1:
            parser.raise_error("tile.for expects one variable; nest loops for more", start, parser.pos)
        return cls.create(properties={"bounds": programs.ends_of(ranges)}).with_body(parser, variables)


class IndexedOp(BracedOp):
    """Base class of ops with one index expression: the only result of the map `expression` over the loop variables
    `indices`."""

    indices = var_operand_def(IndexType)
    expression = prop_def(AffineMapAttr)
    MEANING: ClassVar[str]
    """A noun for the expression in error messages."""

    @property
    def index(self) -> AffineExpr:
        """The expression, over the positions of `indices`."""
        return self.expression.data.results[0]

    def set_index(self, expression: AffineExpr, indices: Sequence[SSAValue]) -> None:
        """Replace the expression by one over other loop variables."""
        self.operands = indices
        self.expression = map_of([expression], indices)

    def check_index(self) -> None:
        """Raise VerifyException unless the map is one quasi-affine expression of loop variables."""
        if len(self.expression.data.results) != 1 or self.expression.data.num_dims != len(self.indices):
            raise VerifyException(
                f"{self.name}: the {self.MEANING} must be one expression of {len(self.indices)} loop variables, not "
                f"{len(self.expression.data.results)} expressions of {self.expression.data.num_dims}"
            )
        check_expression(self.index)
        for value in self.indices:
            range_of(value)


@irdl_op_definition
class WhenOp(IndexedOp):
    """Run the body only in those iterations in which an index expression is 0. With it, the pipeline of an inner loop
    can wait once in each iteration of the outer loop.

    (C1) The body has ops. (C2) The op is in tile.blocks or in a loop.

    ```mlir
    tile.kernel @copy on @gpu (%x: memref<64x64xf16>) -> (%y: memref<64x64xf16>) {
      tile.blocks %i = 0 to 1 warps 1, 1 {
        %t = tile.buffer shared : memref<16x64xf16>
        tile.for %k = 0 to 4 {
          tile.when %k mod 2 {
            tile.barrier
          }
          tile.copy %x[%k * 16 : 16] to %y[%k * 16 : 16]
        }
      }
    }
    ```
    """

    name = "tile.when"
    body = region_def("single_block")
    MEANING: ClassVar[str] = "condition"
    traits = traits_def(NoTerminator())

    def __init__(self, expression: AffineExpr, indices: Sequence[SSAValue], body: Region) -> None:
        properties = {"expression": map_of([expression], indices)}
        super().__init__(operands=[indices], properties=properties, regions=[body])

    @property
    def zero(self) -> AffineExpr:
        """Expression over the op's indices; the body runs when it is 0."""
        return self.index

    def verify_(self) -> None:
        if not self.body.block.ops:  # (C1)
            raise VerifyException("tile.when: the body is empty; add at least one op")
        self.check_index()
        check_inside(self)  # (C2)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variables = Variables()
        properties = {"expression": map_of([parse_index(parser, variables)], variables.values)}
        op = cls.create(operands=variables.values, properties=properties).with_braces(parser, keyword=True)
        op.add_region(parser.parse_region())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_index(printer, self.zero, self.indices)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


def map_of(expressions: Sequence[AffineExpr], indices: Sequence[SSAValue]) -> AffineMapAttr:
    """Return expressions over the positions of loop variables as one map."""
    return AffineMapAttr(AffineMap(len(indices), 0, tuple(expressions)))


def check_inside(op: BracedOp) -> None:
    """Raise VerifyException for an op that is valid only inside of tile.blocks and is elsewhere."""
    parent = op.parent_op()
    if parent is not None and not isinstance(parent, RangesOp | WhenOp):
        raise VerifyException(f"{op.name} must be in tile.blocks, not in {parent.name}")


def enclosing_blocks(op: BracedOp) -> BlocksOp | None:
    """Return the grid of thread blocks that contains an op, or None."""
    around = op.parent_op()
    while around is not None and not isinstance(around, BlocksOp):
        around = around.parent_op()
    return around
