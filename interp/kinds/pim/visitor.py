"""A traversal of a kernel's ops, shared by clocks, checks, runs on data and traces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from xdsl.ir import Block, Operation, SSAValue

from dialects.pim import ChannelsOp, CommandOp, ForOp, Space

T = TypeVar("T")


class Visitor(ABC, Generic[T]):
    """Traverses a kernel in program order and yields one result per visited op. By default, loops are followed
    iteration by iteration, and the channels of a region are treated as one; subclasses override `loop` and `channels`.
    """

    def __init__(self) -> None:
        self.values: dict[SSAValue, int] = {}
        """The values of the surrounding loops' variables, where they are followed."""
        self.region: ChannelsOp | None = None
        """The surrounding region of channels; None outside of any."""

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
        variable = op.variable
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
        """The results for a command."""


class ChannelVisitor(Visitor[T]):
    """Traverses a kernel as one of its channels executes it."""

    def __init__(self, channel: int) -> None:
        super().__init__()
        self.channel = channel
        self._contains: dict[ChannelsOp, bool] = {}
        """A cache: True for a region that contains the channel."""

    def channels(self, op: ChannelsOp) -> Iterable[T]:
        if op not in self._contains:
            self._contains[op] = self.channel in op.numbers()
        return super().channels(op) if self._contains[op] else ()


def steering(ops: Iterable[CommandOp], spaces: Iterable[Space]) -> set[SSAValue]:
    """The loop variables on which the index expressions of some commands in the given spaces depend."""
    wanted = set(spaces)
    return {
        variable
        for op in ops
        if len(op.operands) > op.BEFORE_INDICES
        for name, space in op.EXPRESSIONS.items()
        if space in wanted
        for variable in op.linear(name).variables
    }
