"""A kernel as the commands that each channel is given: loops stay loops, and all is checked against the sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import byte_width
from dialects.pim import (
    COMMANDS,
    ChannelsOp,
    Command,
    CommandOp,
    ForOp,
    HostOp,
    KernelOp,
    LoadOp,
    MacOp,
    ScopedOp,
    Space,
    memref_of,
)
from dialects.pim.properties import LIMIT
from interp.sheet import Pim, Scope


class Slot(NamedTuple):
    """A command as the gaps see it: what is done, to which banks. `unit` numbers the bank or group; 0 for `all`."""

    verb: str
    scope: Scope = "all"
    unit: int = 0

    @property
    def command(self) -> Command:
        """What holds of its verb on any device."""
        return COMMANDS[self.verb]

    def banks(self, pim: Pim) -> range:
        """The banks of a channel that it addresses."""
        return pim.banks_of(self.scope, self.unit)


class Issue(NamedTuple):
    """The same command, `times` times in a row."""

    slot: Slot
    times: int = 1


class Repeat(NamedTuple):
    """A loop."""

    times: int
    body: tuple[Step, ...]


Step: TypeAlias = "Issue | Repeat"


@dataclass(frozen=True)
class ChannelProgram:
    """What some channels are given, each of them the same."""

    channels: tuple[int, ...]
    steps: tuple[Step, ...]
    bus_bytes: int
    """Bytes that one channel's commands move between it and the host."""


def bodies_of(kernel: KernelOp) -> list[tuple[ChannelsOp | None, tuple[int, ...], Block]]:
    """The programs of a kernel with the numbers of the channels that run them; None stands for channel 0 without
    `pim.channels`."""
    if regions := kernel.regions_of_channels:
        return [(op, tuple(op.numbers()), op.body.block) for op in regions]
    return [(None, (0,), kernel.body.block)]


def programs_of(kernel: KernelOp, pim: Pim) -> list[ChannelProgram]:
    """The channels' programs. Raises InputError, at the op, for what the device can't do."""
    check_kernel(kernel, pim)
    return [
        ChannelProgram(numbers, tuple(_steps(block, pim, _steering(block), {})), _bus_bytes(block, pim))
        for _, numbers, block in bodies_of(kernel)
    ]


def _steering(block: Block) -> set[SSAValue]:
    """The loop variables that decide which banks are addressed: their loops are followed value by value."""
    found: set[SSAValue] = set()
    for op in block.walk():
        if isinstance(op, ScopedOp):
            found.update(variable for variable, _ in op.linear("unit").terms)
    return found


def _steps(block: Block, pim: Pim, steering: set[SSAValue], values: dict[SSAValue, int]) -> Iterator[Step]:
    for op in block.ops:
        if isinstance(op, ForOp):
            variable = op.body.block.args[0]
            if variable in steering:
                for value in op.values:
                    yield from _steps(op.body.block, pim, steering, values | {variable: value})
            else:
                yield Repeat(len(op.values), tuple(_steps(op.body.block, pim, steering, values)))
        elif isinstance(op, CommandOp):
            yield Issue(slot_of(op, values), op.issues(pim.lanes, pim.load_columns))


def slot_of(op: CommandOp, values: dict[SSAValue, int]) -> Slot:
    """A command where the loop variables have these values."""
    if isinstance(op, ScopedOp):
        return Slot(op.COMMAND.verb, op.reach, op.linear("unit").at(values))
    return Slot(op.COMMAND.verb)


def _bus_bytes(block: Block, pim: Pim) -> int:
    total = 0
    for op in block.ops:
        if isinstance(op, ForOp):
            total += len(op.values) * _bus_bytes(op.body.block, pim)
        elif isinstance(op, HostOp):
            total += op.entries * byte_width(memref_of(op.memref).element_type)
    return total


# What a sheet allows: each check names the op, what was met and what the device has.


def check_kernel(kernel: KernelOp, pim: Pim) -> None:
    """Raises InputError, at the op, for a command, scope, row, column, buffer entry or channel that the device
    does not have."""
    for value, row in kernel.in_banks.items():
        _check_layout(kernel, memref_of(value), row, value.name_hint or "an input", pim)
    for region, numbers, block in bodies_of(kernel):
        if max(numbers) >= pim.channels:
            at = region or kernel
            raise InputError(f"{at.name}: there is no channel {max(numbers)}; {pim.name} has {pim.channels}", at)
        for op in block.walk():
            if isinstance(op, CommandOp):
                _check_command(op, pim)


def _check_layout(kernel: KernelOp, type_: MemRefType[Attribute], row: int, called: str, pim: Pim) -> None:
    channels, rows, banks, columns, lanes = type_.get_shape()
    have = (
        (channels <= pim.channels, f"{channels} channels, but {pim.name} has {pim.channels}"),
        (row + rows <= pim.rows, f"rows up to {row + rows - 1}, but a bank of {pim.name} has {pim.rows}"),
        (banks == pim.banks_per_channel, f"{banks} banks, but a channel of {pim.name} has {pim.banks_per_channel}"),
        (columns <= pim.columns, f"{columns} columns, but a row of {pim.name} has {pim.columns}"),
        (lanes == pim.lanes, f"{lanes} lanes, but a column of {pim.name} has {pim.lanes}"),
        (str(type_.element_type) == pim.element, f"{type_.element_type} elements, but {pim.name} holds {pim.element}"),
    )
    for holds, met in have:
        if not holds:
            raise InputError(f"pim.kernel: %{called} takes {met}", kernel)


@dataclass(frozen=True)
class Room:
    """How many of a thing a device has."""

    size: Callable[[Pim, CommandOp], int]
    what: Callable[[CommandOp], str]


def _units(pim: Pim, op: CommandOp) -> int:
    assert isinstance(op, ScopedOp)
    return pim.units(op.reach)


ROOMS: dict[Space, Room] = {
    "unit": Room(_units, lambda op: f"{op.reach}s of a channel" if isinstance(op, ScopedOp) else "units"),
    "row": Room(lambda pim, op: pim.rows, lambda op: "rows of a bank"),
    "column": Room(lambda pim, op: pim.columns, lambda op: "columns of a row"),
    "buffer": Room(lambda pim, op: pim.buffer_columns, lambda op: "columns of the global buffer"),
    "accumulator": Room(lambda pim, op: pim.accumulators, lambda op: "accumulators of a bank"),
    "softmax": Room(lambda pim, op: LIMIT, lambda op: "entries of the softmax buffer"),
}
"""What index expressions number, and where it ends on a device."""


def _check_command(op: CommandOp, pim: Pim) -> None:
    verb = pim.verbs.get(op.COMMAND.verb)
    if verb is None:
        raise InputError(f"{op.name}: {pim.name} has no such verb; it has {', '.join(pim.verbs)}", op)
    if isinstance(op, ScopedOp) and op.reach not in verb.scopes and not (isinstance(op, LoadOp) and op.reach == "all"):
        legal = " or ".join(verb.scopes)
        raise InputError(f"{op.name} {op.reach}: {pim.name} has this command for {legal} only", op)
    if isinstance(op, HostOp):
        _check_transfer(op, pim)
    for name, space in op.EXPRESSIONS.items():
        last, limit = op.linear(name).bounds()[1] + op.extent(name, pim.lanes) - 1, ROOMS[space].size(pim, op)
        if last >= limit:
            raise InputError(
                f"{op.name}: {name} {last} is out of reach; "
                f"{pim.name} has {limit} {ROOMS[space].what(op)} (0 to {limit - 1})",
                op,
            )
    if isinstance(op, MacOp) and pim.tied and op.linear("entry") != op.columns.start:
        raise InputError(
            f"pim.mac: on {pim.name} a column meets the buffer's column of the same number; leave `buffer` out", op
        )


def _check_transfer(op: HostOp, pim: Pim) -> None:
    element = memref_of(op.memref).element_type
    if op.OWN_ELEMENT and str(element) != pim.element:
        raise InputError(f"{op.name} moves {element}, but {pim.name} computes in {pim.element}", op)
    if not isinstance(op, ScopedOp):
        return
    wanted = op.wanted(len(Slot(op.COMMAND.verb, op.reach).banks(pim)), pim.lanes)
    if wanted is not None and op.entries != wanted:
        raise InputError(f"{op.name} {op.reach} moves {wanted} numbers, but {op.entries} entries are named", op)


def walk_commands(op: Operation) -> Sequence[CommandOp]:
    """All commands below an op, in the order of the text."""
    return [inner for inner in op.walk() if isinstance(inner, CommandOp)]
