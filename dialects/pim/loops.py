"""Loops of commands, and groups of channels that run the same program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import prod
from operator import mul
from typing import ClassVar, Self

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.irdl import irdl_op_definition, opt_attr_def, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from dialects.pim.subscripts import decode, encode
from dialects.programs import loops as programs
from dialects.programs.index import INDEX, Linear, parse_linear, print_linear
from dialects.programs.properties import INTS, Ints, values_of

MOST_CHANNELS = 1 << 16
"""The largest number of channels, more than any device has, so that a typing error does not cause a long wait."""

JOINED = "joined"
"""The attribute of a region whose channels share an instruction with those of the previous region."""


class RangesOp(programs.RangesOp):
    """Base class of `for` and `channels`: `%i = 0 to 8, … [as EXPRESSION] { … }`."""

    FILL: ClassVar[str] = "write commands into it"


def range_of(variable: SSAValue) -> range:
    """The range of a loop variable. Raises VerifyException for a value that is not a loop variable."""
    allowed = "an index expression may use only the variables of pim.for and pim.channels"
    return programs.range_of(variable, RangesOp, allowed)


@irdl_op_definition
class ForOp(programs.LoopOp, RangesOp):
    """A loop: the body is executed once for each value of the variable, in order. It is never unrolled: the simulator's
    run time grows with the length of a program's text, not with its trip counts.

    (C1) the range and the body are not empty. (C2) its parent is a kernel, `pim.channels` or another loop.

    ```mlir
    pim.kernel @sum on @pim (%x: memref<3x4xf32>, %w: memref<1x3x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.for %i = 0 to 3 {
        pim.load %x[%i]
        pim.act all row %i
        pim.mac all columns 0 to 1
        pim.pre all
      }
      pim.drain all to %y
    }
    ```
    """

    name = "pim.for"
    traits = traits_def(NoTerminator())

    def verify_(self) -> None:
        self.check_ranges()  # (C1)
        if len(self.bounds) != 2:
            raise VerifyException("pim.for has one variable; nest loops for more")
        parent = self.parent_op()
        if parent is not None and not parent.name.startswith("pim."):  # (C2)
            raise VerifyException(f"pim.for must be in a pim.kernel, not in {parent.name}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variable, values = cls.parse_range(parser)
        return cls.create(properties={"bounds": programs.ends_of([values])}).with_body(parser, [variable])


@irdl_op_definition
class ChannelsOp(RangesOp):
    """A group of channels that run the body in parallel, each with its own channel number.

    With one variable its value is the channel number; with several, `as` gives the number as an expression of them.
    Only host subscripts may depend on the variables, so that all channels of the group issue the same commands.

    A channel may be in several regions, and regions may be in loops: each channel executes its commands in order,
    independently of other channels (`pim.barrier` synchronises them). Variables of enclosing loops may be used inside.
    `{joined}` marks a region whose only command belongs to the same instruction as that of the previous region: on a
    decoder that takes one instruction at a time, an instruction may address a set of channels that no single product of
    ranges describes.

    (C1) ranges are not empty. (C2) each combination of the variables' values is a different channel, from 0 on. (C3)
    its parent is a kernel or a loop, not another `pim.channels`. (C4) a joined region holds one command, the same as
    the previous region.

    ```mlir
    pim.kernel @rows on @pim (%x: memref<4x4xf32>, %w: memref<4x1x2x1x4xf32> at row 0) -> (%y: memref<4x2xf32>) {
      pim.channels %g = 0 to 2, %c = 0 to 2 as %g * 2 + %c {
        pim.load %x[%g * 2 + %c]
        pim.act all row 0
        pim.mac all columns 0 to 1
        pim.drain all to %y[%g * 2 + %c]
        pim.pre all
      }
    }
    ```
    """

    name = "pim.channels"
    number = prop_def(INTS)
    joins = opt_attr_def(UnitAttr, attr_name=JOINED)
    traits = traits_def(NoTerminator())

    def __init__(self, ranges: Sequence[range], number: Linear | None, body: Region) -> None:
        """`body`: one block with one index argument per range; `number`: the channel number over those arguments, None
        for a single argument."""
        super().__init__(properties=_properties(ranges, number, body.block.args), regions=[body])

    @property
    def joined(self) -> bool:
        """True if the region's command belongs to the same instruction as the command of the previous region."""
        return self.joins is not None

    @property
    def channel(self) -> Linear:
        """The channel number as an expression of the body's arguments."""
        return decode(self.number, self.body.block.args)[0]

    def combinations(self) -> list[tuple[int, ...]]:
        """The values of the region's variables for each of its channels."""
        return list(product(*self.ranges))

    def numbers(self) -> list[int]:
        """The channels' numbers, in the order of `combinations`."""
        return list(_numbers(values_of(self.bounds), values_of(self.number)))

    def verify_(self) -> None:
        self.check_ranges()  # (C1)
        if len(self.number) != 1 + len(self.body.block.args):
            raise VerifyException(
                f"pim.channels: the channel's number must be one expression of the {len(self.body.block.args)} "
                f"variables ({1 + len(self.body.block.args)} numbers), not {len(self.number)} numbers"
            )
        if prod(map(len, self.ranges)) > MOST_CHANNELS:
            raise VerifyException(
                f"pim.channels: the ranges give {prod(map(len, self.ranges))} channels, but no device has more than "
                f"{MOST_CHANNELS}; shorten the ranges"
            )
        numbers = self.numbers()
        if min(numbers) < 0:  # (C2)
            raise VerifyException(f"pim.channels: the channel's number can be {min(numbers)}; it must be at least 0")
        if len(set(numbers)) < len(numbers):  # (C2)
            raise VerifyException(
                f"pim.channels: the variables have {len(numbers)} combinations, but the expression after `as` has only "
                f"{len(set(numbers))} different values; each combination must give a different channel number"
            )
        around = self.parent_op()
        while isinstance(around, ForOp):
            around = around.parent_op()
        if around is not None and around.name != "pim.kernel":  # (C3)
            raise VerifyException(
                f"pim.channels must be in a pim.kernel, directly or inside of pim.for loops, not in {around.name}"
            )
        before = self.prev_op
        if self.joined and not (isinstance(before, ChannelsOp) and self.command == before.command != ""):
            raise VerifyException(  # (C4)
                "pim.channels: a region marked `joined` must hold one command, the same as the previous op, which must "
                "also be a pim.channels with one command; change the command, or remove `joined`"
            )

    @property
    def command(self) -> str:
        """The name of the region's only command; empty if it has several."""
        ops = list(self.body.block.ops)
        return ops[0].name if len(ops) == 1 and not isinstance(ops[0], RangesOp) else ""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        names, ranges = cls.parse_ranges(parser)
        block, number = Block(arg_types=[INDEX] * len(names)), None
        if parser.parse_optional_keyword("as"):
            # The expression is parsed before the body, so the variables are created here.
            outside = parser.ssa_values
            parser.ssa_values = {name.name.text[1:]: (value,) for name, value in zip(names, block.args, strict=True)}
            try:
                number = parse_linear(parser)
            finally:
                parser.ssa_values = outside
        elif len(names) > 1:
            parser.raise_error(
                "pim.channels: for several variables, an expression must state the channel's number (`as %g * 4 + %c`)"
            )
        op = cls.create(properties=_properties(ranges, number, block.args))
        return op.with_body(parser, names, number=number)

    def print(self, printer: Printer) -> None:
        channel = self.channel

        def number() -> None:
            if channel != Linear.of(self.body.block.args[0]):
                printer.print_string(" as ")
                print_linear(printer, channel)

        self.print_loop(printer, number)


@lru_cache(maxsize=1 << 12)
def _numbers(bounds: tuple[int, ...], number: tuple[int, ...]) -> tuple[int, ...]:
    constant, *factors = number
    ranges = [range(low, high) for low, high in zip(bounds[::2], bounds[1::2], strict=True)]
    return tuple(constant + sum(map(mul, factors, values)) for values in product(*ranges))


def _properties(ranges: Sequence[range], number: Linear | None, arguments: Sequence[BlockArgument]) -> dict[str, Ints]:
    return {
        "bounds": programs.ends_of(ranges),
        "number": encode([Linear.of(arguments[0]) if number is None else number], arguments),
    }
