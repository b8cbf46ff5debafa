"""Iteration over a kernel's commands as if loops were unrolled, each command with the channels that it addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Block, SSAValue

from dialects.diagnostics import InputError
from dialects.pim import ChannelsOp, CommandOp, HostOp, ScopedOp, memref_of
from interp.kinds.pim.program import Slot
from interp.kinds.pim.visitor import Visitor
from interp.machine.records import Pim

Values = Mapping[SSAValue, int]


class AddressedCommand(NamedTuple):
    """A command in one iteration of its loops, with the values of their variables. `channels`: the addressed channels,
    each with its values of the variables of `pim.channels`; empty outside of `pim.channels`."""

    op: CommandOp
    values: Values
    channels: Mapping[int, Values]


def commands_of(block: Block, only: int | None = None) -> Iterator[AddressedCommand]:
    """All commands of a block, in program order. `only`: the number of a channel, for the commands of this channel
    only."""
    return _Commands(only).block(block)


class _Commands(Visitor[AddressedCommand]):
    def __init__(self, only: int | None) -> None:
        super().__init__()
        self.only, self.reached = only, dict[int, Values]()

    def channels(self, op: ChannelsOp) -> Iterable[AddressedCommand]:
        if op.joined:
            return
        self.reached = dict(_reached(op))
        following = op.next_op
        while isinstance(following, ChannelsOp) and following.joined:
            self.reached |= _reached(following)
            following = following.next_op
        if self.only is None or self.only in self.reached:
            yield from super().channels(op)
        self.reached = {}

    def command(self, op: CommandOp) -> Iterable[AddressedCommand]:
        return (AddressedCommand(op, dict(self.values), self.reached),)


def _reached(op: ChannelsOp) -> Iterator[tuple[int, Values]]:
    for channel, combination in zip(op.numbers(), op.combinations(), strict=True):
        yield channel, dict(zip(op.body.block.args, combination, strict=True))


@dataclass
class NamedRows:
    """The row that each bank of each channel works on, which is the row of the last `pim.act` for the bank."""

    pim: Pim
    named: dict[int, list[int]] = field(default_factory=dict[int, list[int]])

    def name(self, command: AddressedCommand, row: int) -> None:
        banks = slot(command).banks(self.pim)
        for channel in command.channels or (0,):
            rows = self.named.setdefault(channel, [0] * self.pim.banks_per_channel)
            for bank in banks:
                rows[bank] = row

    def row(self, command: AddressedCommand) -> int:
        """The row that a command works on. Raises InputError if its banks have different rows."""
        banks = slot(command).banks(self.pim)
        found = {
            rows[bank]
            for rows in (
                self.named.get(channel) or [0] * self.pim.banks_per_channel for channel in command.channels or (0,)
            )
            for bank in banks
        }
        if len(found) > 1:
            raise InputError(
                f"{command.op.name}: the op's banks work on different rows ({', '.join(map(str, sorted(found)))}), but "
                "a line of this text has one row; write one op for each row",
                command.op,
            )
        return found.pop()


def slot(command: AddressedCommand) -> Slot:
    """The verb of a command, with the scope and the unit that it addresses, if it has a scope."""
    if isinstance(command.op, ScopedOp):
        return Slot(command.op.COMMAND.verb, command.op.reach, command.op.linear("unit").at(command.values))
    return Slot(command.op.COMMAND.verb)


def offset_of(op: HostOp, values: Values, lanes: int) -> int:
    """The offset at which an access starts in its memref, in columns of `lanes` elements; each row along the last axis
    starts a new column."""
    shape = memref_of(op.memref).get_shape()
    starts = [part.start.at(values) for part in op.parts]
    starts += [0] * (len(shape) - len(starts))
    position = 0
    for size, start in zip(shape[:-1], starts[:-1], strict=True):
        position = position * size + start
    return position * -(-shape[-1] // lanes) + starts[-1] // lanes


def columns_of(memref: SSAValue, lanes: int) -> int:
    """The number of columns that a memref occupies."""
    *outer, last = memref_of(memref).get_shape()
    size = -(-last // lanes)
    for each in outer:
        size *= each
    return size
