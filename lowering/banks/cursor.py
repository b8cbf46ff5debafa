"""Where the next op of a bank program goes, and loops around what is added there."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.ir import Block, Operation, Region

from dialects.pim import ForOp, Linear
from dialects.pim.linear import INDEX


class Cursor:
    """Common to all that write bank programs op by op."""

    block: Block
    """Where the next op goes."""

    def add(self, op: Operation) -> None:
        self.block.add_op(op)

    @contextmanager
    def loop(self, name: str, count: int) -> Generator[Linear]:
        """A loop around what is added inside; none where it would run once."""
        if count == 1:
            yield Linear()
            return
        body = Block(arg_types=[INDEX])
        body.args[0].name_hint = name
        outer, self.block = self.block, body
        yield Linear.of(body.args[0])
        self.block = outer
        self.add(ForOp(range(count), Region(body)))
