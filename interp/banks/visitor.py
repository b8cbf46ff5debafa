"""One way through a kernel's ops, for all that follow its commands: clocks, checks, runs with numbers, traces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from xdsl.ir import Block, Operation, SSAValue

from dialects.pim import ChannelsOp, CommandOp, ForOp, Space

T = TypeVar("T")


class Visitor(ABC, Generic[T]):
    """Goes through a kernel in program order, and gives what its ops become. Loops are followed value by value, and
    channels that stand together are one; who knows better says so in `loop` and `channels`."""

    def __init__(self) -> None:
        self.values: dict[SSAValue, int] = {}
        """The values of the loops' variables around, as far as they are followed."""
        self.region: ChannelsOp | None = None
        """The channels around."""

    def block(self, block: Block) -> Iterator[T]:
        for op in block.ops:
            yield from self.op(op)

    def op(self, op: Operation) -> Iterable[T]:
        if isinstance(op, CommandOp):
            return self.command(op)
        if isinstance(op, ForOp):
            return self.loop(op)
        return self.channels(op) if isinstance(op, ChannelsOp) else ()

    def loop(self, op: ForOp) -> Iterable[T]:
        variable = op.body.block.args[0]
        for value in op.values:
            self.values[variable] = value
            yield from self.block(op.body.block)
        del self.values[variable]

    def channels(self, op: ChannelsOp) -> Iterable[T]:
        self.region = op
        yield from self.block(op.body.block)
        self.region = None

    @abstractmethod
    def command(self, op: CommandOp) -> Iterable[T]:
        """The result type of a visit."""


class ChannelVisitor(Visitor[T]):
    """Goes through a kernel as one of its channels sees it."""

    def __init__(self, channel: int) -> None:
        super().__init__()
        self.channel = channel
        self._standing: dict[ChannelsOp, bool] = {}
        """True if the channel stands in a region, where that was asked before."""

    def channels(self, op: ChannelsOp) -> Iterable[T]:
        if op not in self._standing:
            self._standing[op] = self.channel in op.numbers()
        return super().channels(op) if self._standing[op] else ()


def steering(ops: Iterable[CommandOp], spaces: Iterable[Space]) -> set[SSAValue]:
    """The loop variables that decide which of these things some commands address."""
    wanted = set(spaces)
    return {
        variable
        for op in ops
        if len(op.operands) > op.BEFORE_INDICES
        for name, space in op.EXPRESSIONS.items()
        if space in wanted
        for variable, _ in op.linear(name).terms
    }
