"""A builder of bank programs: an insertion point, with loops and channel regions around the ops added there."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

from xdsl.ir import Block, Operation, Region

from dialects.pim import ChannelsOp, CommandOp, ForOp, Linear, Subscript
from dialects.programs.index import INDEX
from interp.machine.records import Pim, Scope
from lowering.banks.products.traversal import widest


class Cursor:
    """The base class of writers of bank programs, which add ops one after another at an insertion point."""

    pim: Pim
    block: Block
    """The insertion point of the next op."""

    def add(self, op: Operation) -> None:
        self.block.add_op(op)

    @contextmanager
    def loop(self, name: str, count: int) -> Generator[Linear]:
        """A loop around the ops that are added inside the context; no loop if `count` is 1. Yields the loop variable (0
        without a loop)."""
        if count == 1:
            yield Linear()
            return
        body = Block(arg_types=[INDEX])
        body.args[0].name_hint = name
        outer, self.block = self.block, body
        yield Linear.of(body.args[0])
        self.block = outer
        self.add(ForOp(range(count), Region(body)))

    def everywhere(self, op: type[CommandOp]) -> Iterator[tuple[Scope, Linear, list[Subscript]]]:
        """Loop over all banks by the command's widest scope. Yields the scope, the number of the unit (bank, group or
        channel) that a command addresses in the current iteration, and the subscript of the unit's banks (empty for
        scope `all`)."""
        scope = widest(self.pim, op.COMMAND.verb)
        units = self.pim.units(scope)
        size = self.pim.banks_per_channel // units
        with self.loop(scope, units) as unit:
            yield scope, unit, [] if scope == "all" else [Subscript(unit * size, size if size > 1 else 0)]

    @contextmanager
    def channels_alike(self, count: int) -> Generator[Linear]:
        """A region in which `count` channels run the ops that are added inside the context. Yields the channel's
        number."""
        outer, self.block = self.block, Block(arg_types=[INDEX])
        self.block.args[0].name_hint = "c"
        channel = Linear.of(self.block.args[0])
        yield channel
        body, self.block = self.block, outer
        self.add(ChannelsOp([range(count)], channel, Region(body)))
