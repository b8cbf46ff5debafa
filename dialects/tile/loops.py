"""Ops with a body that runs many times, as thread blocks side by side or as a loop over tiles, or in some turns
alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Self

from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, IndexType, IntegerAttr, i64
from xdsl.ir import BlockArgument, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import EqAttrConstraint, irdl_op_definition, prop_def, region_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp
from dialects.tile.boxes import INDEX, LIMIT, Variables, check_expression, parse_index, print_index
from dialects.values import called

INTS = DenseArrayBase.constr(i64)
INT = IntegerAttr.constr(type=EqAttrConstraint(i64))
WARP = 32
"""Threads of a warp."""
MOST_WARPS = 32
"""Warps of a thread block, at most (CUDA programming guide, all compute capabilities: 1,024 threads)."""


class RangesOp(BracedOp):
    """Common to `blocks` and `for`: `%i = 0 to 8, … { … }`."""

    bounds = prop_def(INTS)
    body = region_def("single_block")

    @property
    def ranges(self) -> tuple[range, ...]:
        """The range of each of the body's arguments. Raises VerifyException if there is not one range an argument."""
        ends, arguments = [int(end) for end in self.bounds.get_values()], self.body.block.args
        if not arguments or len(ends) != 2 * len(arguments) or any(argument.type != INDEX for argument in arguments):
            raise VerifyException(f"{self.name} binds an index variable to each range (`{self.name} %i = 0 to 8`)")
        return tuple(range(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True))

    def check_ranges(self) -> None:
        """Raises VerifyException for a range without values and a body that does nothing."""
        for each in self.ranges:
            if not len(each):
                raise VerifyException(f"{self.name}: the range {each.start} to {each.stop} is empty")
        if not self.body.block.ops:
            raise VerifyException(f"{self.name}: the body is empty; write commands into it")

    @staticmethod
    def parse_ranges(parser: Parser) -> tuple[list[Parser.Argument], DenseArrayBase]:
        """Read `%i = 0 to 8, %j = 0 to 4`."""
        names, ends = list[Parser.Argument](), list[int]()
        while True:
            name = parser.parse_argument(expect_type=False)
            assert isinstance(name, Parser.UnresolvedArgument)
            parser.parse_punctuation("=")
            start, low = parser.pos, parser.parse_integer(allow_boolean=False)
            parser.parse_keyword("to")
            high = parser.parse_integer(allow_boolean=False)
            if max(abs(low), abs(high)) > LIMIT:
                parser.raise_error(f"a number is too large for a range (at most {LIMIT})", start, parser.pos)
            names.append(name.resolve(INDEX))
            ends += (low, high)
            if parser.parse_optional_punctuation(",") is None:
                return names, DenseArrayBase.from_list(i64, ends)

    def print_ranges(self, printer: Printer) -> None:
        printer.print_string(" ")
        for index, (argument, each) in enumerate(zip(self.body.block.args, self.ranges, strict=True)):
            printer.print_string(", " if index else "")
            printer.print_ssa_value(argument)
            printer.print_string(f" = {each.start} to {each.stop}")

    def print_body(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


def range_of(variable: SSAValue) -> range:
    """The values that a loop variable takes. Raises VerifyException for a value that no loop binds."""
    if isinstance(variable, BlockArgument):
        owner = variable.block.parent_op()
        if isinstance(owner, RangesOp):
            return owner.ranges[variable.index]
    raise VerifyException(
        f"{called(variable)} is no loop variable; index expressions are of those of tile.blocks and tile.for"
    )


@irdl_op_definition
class BlocksOp(RangesOp):
    """Thread blocks side by side, each with its own values of the variables: what is written inside, each of them does.

    `warps M, N`: the block's warps, as rows and columns of the tile that it computes. The last variable runs fastest,
    unless `order` says otherwise: in groups of so many of its values, within which the variable before it runs fastest
    (what CUDA kernels call a swizzle of blocks: neighbours in time share what they read).

    (C1) ranges are not empty, and the body does something. (C2) there are 1 to 32 warps. (C3) it stands in a
    tile.kernel. (C4) `order` is a positive number.

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
    order = prop_def(INT, default_value=IntegerAttr(1, i64))
    traits = traits_def(NoTerminator())

    def __init__(self, ranges: Sequence[range], warps: Sequence[int], body: Region, order: int = 1) -> None:
        """`body`: one block with an index argument a range; `warps`: rows and columns."""
        ends = [end for each in ranges for end in (each.start, each.stop)]
        super().__init__(
            properties={
                "bounds": DenseArrayBase.from_list(i64, ends),
                "warps": DenseArrayBase.from_list(i64, list(warps)),
                "order": IntegerAttr(order, i64),
            },
            regions=[body],
        )

    @property
    def warp_grid(self) -> tuple[int, int]:
        """Rows and columns of warps."""
        rows, columns = (int(count) for count in self.warps.get_values())
        return rows, columns

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return WARP * prod(self.warp_grid)

    @property
    def count(self) -> int:
        """Number of thread blocks."""
        return prod(map(len, self.ranges))

    def verify_(self) -> None:
        self.check_ranges()  # (C1)
        counts = [int(count) for count in self.warps.get_values()]
        if len(counts) != 2 or min(counts) < 1 or prod(counts) > MOST_WARPS:  # (C2)
            raise VerifyException(
                f"tile.blocks: a block has 1 to {MOST_WARPS} warps, as rows and columns (`warps 4, 2`), not {counts}"
            )
        parent = self.parent_op()
        if parent is not None and parent.name != "tile.kernel":  # (C3)
            raise VerifyException(f"tile.blocks stands in a tile.kernel, not in {parent.name}")
        if self.order.value.data < 1:  # (C4)
            raise VerifyException(f"tile.blocks: `order` is a positive number of blocks, not {self.order.value.data}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        names, bounds = cls.parse_ranges(parser)
        parser.parse_keyword("warps")
        rows = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(",")
        columns = parser.parse_integer(allow_boolean=False)
        order = parser.parse_integer(allow_boolean=False) if parser.parse_optional_keyword("order") else None
        op = cls.create(
            properties={
                "bounds": bounds,
                "warps": DenseArrayBase.from_list(i64, [rows, columns]),
                "order": IntegerAttr(1 if order is None else order, i64),
            }
        )
        op.with_braces(parser, keyword=True, order=order)
        op.add_region(parser.parse_region(names))
        return op

    def print(self, printer: Printer) -> None:
        printer.enter_scope()
        self.print_ranges(printer)
        rows, columns = (int(count) for count in self.warps.get_values())
        printer.print_string(f" warps {rows}, {columns}")
        if self.order.value.data != 1:
            printer.print_string(f" order {self.order.value.data}")
        self.print_body(printer)
        printer.exit_scope()


@irdl_op_definition
class ForOp(RangesOp):
    """The body, once for each value of the variable in order.

    (C1) the range is not empty, and the body does something. (C2) it has one variable, and stands in tile.blocks or in
    another loop.

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

    def __init__(self, values: range, body: Region) -> None:
        """`body`: one block with one index argument."""
        super().__init__(
            properties={"bounds": DenseArrayBase.from_list(i64, [values.start, values.stop])}, regions=[body]
        )

    @property
    def values(self) -> range:
        """The values that the variable runs over."""
        return self.ranges[0]

    @property
    def variable(self) -> BlockArgument:
        return self.body.block.args[0]

    def verify_(self) -> None:
        self.check_ranges()  # (C1)
        if len(self.ranges) != 1:  # (C2)
            raise VerifyException("tile.for has one variable; nest loops for more")
        check_inside(self)  # (C2)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        names, bounds = cls.parse_ranges(parser)
        if len(names) != 1:
            parser.raise_error("tile.for has one variable; nest loops for more", start, parser.pos)
        op = cls.create(properties={"bounds": bounds}).with_braces(parser, keyword=True)
        op.add_region(parser.parse_region(names))
        return op

    def print(self, printer: Printer) -> None:
        printer.enter_scope()
        self.print_ranges(printer)
        self.print_body(printer)
        printer.exit_scope()


@irdl_op_definition
class WhenOp(BracedOp):
    """The body, in those turns alone in which an index expression is 0: how a pipeline of an inner loop waits once a
    turn of the outer one.

    (C1) the body does something. (C2) it stands in tile.blocks or in a loop.

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
    indices = var_operand_def(IndexType)
    expression = prop_def(AffineMapAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())

    def __init__(self, expression: AffineExpr, indices: Sequence[SSAValue], body: Region) -> None:
        super().__init__(
            operands=[indices],
            properties={"expression": AffineMapAttr(AffineMap(len(indices), 0, (expression,)))},
            regions=[body],
        )

    @property
    def zero(self) -> AffineExpr:
        """The expression that is 0 when the body is run, over the op's indices."""
        return self.expression.data.results[0]

    def verify_(self) -> None:
        if not self.body.block.ops:  # (C1)
            raise VerifyException("tile.when: the body is empty; write commands into it")
        if len(self.expression.data.results) != 1 or self.expression.data.num_dims != len(self.indices):
            raise VerifyException("tile.when has one expression of its loop variables")
        check_expression(self.zero)
        for value in self.indices:
            range_of(value)
        check_inside(self)  # (C2)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variables = Variables()
        expression = parse_index(parser, variables)
        op = cls.create(
            operands=variables.values,
            properties={"expression": AffineMapAttr(AffineMap(len(variables.values), 0, (expression,)))},
        ).with_braces(parser, keyword=True)
        op.add_region(parser.parse_region())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_index(printer, self.zero, self.indices)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


def check_inside(op: BracedOp) -> None:
    """Raises VerifyException for an op of a thread block that stands in none."""
    parent = op.parent_op()
    if parent is not None and not isinstance(parent, RangesOp | WhenOp):
        raise VerifyException(f"{op.name} stands in tile.blocks, not in {parent.name}")


def enclosing_blocks(op: BracedOp) -> BlocksOp | None:
    """The grid of thread blocks that an op stands in, if any."""
    around = op.parent_op()
    while around is not None and not isinstance(around, BlocksOp):
        around = around.parent_op()
    return around
