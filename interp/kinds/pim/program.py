"""A kernel as the command program of each channel, with loops kept, and the check of a kernel against the sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import byte_width
from dialects.pim import (
    COMMANDS,
    BarrierOp,
    ChannelsOp,
    Command,
    CommandOp,
    ForOp,
    HostOp,
    KernelOp,
    ScopedOp,
    Space,
    memref_of,
)
from dialects.pim.addresses import ADDRESS
from dialects.pim.loops import range_of
from dialects.programs.properties import LIMIT
from interp.kinds.pim.timing.periods import Repeat
from interp.kinds.pim.values.activation_tables import FUNCTIONS
from interp.kinds.pim.values.arithmetic import NUMERICS
from interp.kinds.pim.visitor import ChannelVisitor, steering
from interp.machine.records import Pim, Scope


class Slot(NamedTuple):
    """The properties of a command on which timing constraints depend: its verb, its scope, and `unit`, the number of
    the addressed bank or group (0 for `all`)."""

    verb: str
    scope: Scope = "all"
    unit: int = 0

    @property
    def command(self) -> Command:
        """The properties of its verb that are the same on all devices."""
        return COMMANDS[self.verb]

    def banks(self, pim: Pim) -> range:
        """The banks of a channel that it addresses."""
        return pim.banks_of(self.scope, self.unit)


class Issue(NamedTuple):
    """A command issued `times` times consecutively."""

    slot: Slot
    times: int = 1


Step: TypeAlias = "Issue | Repeat"


@dataclass(frozen=True)
class ChannelProgram:
    """The command program of some channels, which all receive the same commands."""

    channels: tuple[int, ...]
    steps: tuple[Step, ...]
    bus_bytes: int
    """Bytes transferred between each of these channels and the host."""


def classes_of(kernel: KernelOp) -> list[tuple[int, ...]]:
    """The channels of a kernel, grouped into classes that receive the same commands: two channels are in one class if
    each `pim.channels` op names both or neither of them. Classes are in the order of their first command in the
    text; a kernel without `pim.channels` uses channel 0."""
    number_sets = dict.fromkeys(tuple(region.numbers()) for region in kernel.regions_of_channels)
    regions_of_channel: dict[int, list[int]] = {}
    for at, numbers in enumerate(number_sets):
        for channel in numbers:
            regions_of_channel.setdefault(channel, []).append(at)
    classes: dict[tuple[int, ...], list[int]] = {}
    for channel, regions in regions_of_channel.items():
        classes.setdefault(tuple(regions), []).append(channel)
    return [tuple(channels) for channels in classes.values()] or [(0,)]


def region_of(op: Operation) -> ChannelsOp | None:
    """The `pim.channels` around an op."""
    around = op.parent_op()
    while around is not None and not isinstance(around, ChannelsOp | KernelOp):
        around = around.parent_op()
    return around if isinstance(around, ChannelsOp) else None


def programs_of(kernel: KernelOp, pim: Pim) -> list[ChannelProgram]:
    """The programs of a kernel that `check_kernel` has accepted, one for each class of channels. Raises InputError, at
    the op, for a barrier between channels with different programs on a device that does not open rows itself: the
    channels of such a device are timed independently."""
    classes = classes_of(kernel)
    if len(classes) > 1 and pim.rows_by == "program":
        for op in walk_commands(kernel):
            if isinstance(op, BarrierOp) and region_of(op) is None and not on_bus(op, pim):
                raise InputError(
                    f"pim.barrier: the channels of {pim.name} do not wait for each other, and their programs differ "
                    "here; remove the barrier, or give all channels one program (one pim.channels)",
                    op,
                )
    return [_Projected(kernel, pim, channels).program() for channels in classes]


class _Projected(ChannelVisitor[Step]):
    """Builds the program of channels that receive the same commands."""

    def __init__(self, kernel: KernelOp, pim: Pim, channels: tuple[int, ...]) -> None:
        super().__init__(channels[0])
        self.kernel, self.pim, self.numbers = kernel, pim, channels
        self.steering = steering(walk_commands(kernel), ("unit",))
        """The loop variables that decide which banks are addressed. Loops over these are unrolled."""

    def program(self) -> ChannelProgram:
        steps = tuple(self.block(self.kernel.body.block))
        return ChannelProgram(self.numbers, steps, _bus_bytes(self.kernel, self.channel, self.pim))

    def loop(self, op: ForOp) -> Iterable[Step]:
        if op.variable in self.steering:
            yield from super().loop(op)
        elif body := tuple(self.block(op.body.block)):
            yield Repeat(len(op.values), body)

    def command(self, op: CommandOp) -> Iterable[Step]:
        if on_bus(op, self.pim):
            yield Issue(slot_of(op, self.values), issues(op, self.pim))


def counts_of(steps: Iterable[Step]) -> dict[Slot, int]:
    """The number of times that each command is issued; commands in the order of their first issue."""
    counts: dict[Slot, int] = {}
    for step in steps:
        if isinstance(step, Issue):
            counts[step.slot] = counts.get(step.slot, 0) + step.times
        else:
            for slot, count in counts_of(step.body).items():
                counts[slot] = counts.get(slot, 0) + count * step.times
    return counts


def bus_bytes_of(kernel: KernelOp, pim: Pim) -> tuple[int, ...]:
    """For each class of channels, the bytes transferred between one of its channels and the host."""
    return tuple(_bus_bytes(kernel, channels[0], pim) for channels in classes_of(kernel))


def _bus_bytes(kernel: KernelOp, channel: int, pim: Pim) -> int:
    return sum(_Moved(pim, channel).block(kernel.body.block))


class _Moved(ChannelVisitor[int]):
    """Counts the bytes transferred between one channel and the host."""

    def __init__(self, pim: Pim, channel: int) -> None:
        super().__init__(channel)
        self.pim = pim

    def loop(self, op: ForOp) -> Iterable[int]:
        yield len(op.values) * sum(self.block(op.body.block))

    def command(self, op: CommandOp) -> Iterable[int]:
        if isinstance(op, HostOp):
            yield moved_bytes(op, self.pim)


def on_bus(op: CommandOp, pim: Pim) -> bool:
    """True if a command occupies the channel's bus; False for an optional verb that the device's sheet lacks, which the
    device performs without a command."""
    return not op.COMMAND.optional or op.COMMAND.verb in pim.verbs


def slot_of(op: CommandOp, values: dict[SSAValue, int]) -> Slot:
    """The slot of a command under these values of the loop variables."""
    if isinstance(op, ScopedOp):
        return Slot(op.COMMAND.verb, op.reach, op.linear("unit").at(values))
    return Slot(op.COMMAND.verb)


def issues(op: CommandOp, pim: Pim) -> int:
    """The number of DRAM commands that an op represents on a device. An op with an explicit address is the one command
    with this address."""
    if isinstance(op, ScopedOp) and op.using("accumulator", "takes"):
        return 1 if ADDRESS in op.attributes else sum_moves(op.reach, pim)
    return op.issues(pim.lanes, pim.load_columns)


def sum_moves(scope: Scope, pim: Pim) -> int:
    """The number of commands that move one sum of each bank of a unit of `scope` to the host or the softmax buffer."""
    return -(-len(pim.banks_of(scope, 0)) // pim.moved_sums) if pim.moved_sums else 1


def sums_per_bank(op: CommandOp, pim: Pim) -> int:
    """The number of values in one accumulator, for a command that sets or reads it: 1, or the number of lanes where
    each lane keeps its own sum."""
    return pim.lanes if op.using("accumulator", "sets", "takes") and NUMERICS[pim.numeric].per_lane else 1


def moved_bytes(op: HostOp, pim: Pim) -> int:
    """Bytes that a command transfers between the host and a channel. Where each lane keeps a sum, all lanes' sums are
    transferred, even if the host adds them up."""
    width = byte_width(memref_of(op.memref).element_type)
    if isinstance(op, ScopedOp) and (sums := sums_per_bank(op, pim)) > 1:
        return len(pim.banks_of(op.reach, 0)) * sums * width
    return op.entries * width


def has_own_buffers(kernel: KernelOp) -> bool:
    """True if a program fills the global buffers of only some banks."""
    return any(
        isinstance(op, ScopedOp)
        and op.reach != "all"
        and op.using("buffer", "writes")
        and not op.using("column", "reads")
        for op in walk_commands(kernel)
    )


def may_open_over(pim: Pim) -> bool:
    """True if an activate may name another row while a row is open: the device permits it, or its controller closes the
    open row first."""
    return pim.reopen or pim.rows_by == "controller"


# Checks against the sheet. Each message names the op, the value met and the limit of the device.


def check_kernel(kernel: KernelOp, pim: Pim) -> None:
    """Raises InputError, at the op, for a command, scope, row, column, buffer entry or channel that the device does not
    have."""
    for value, row in kernel.in_banks.items():
        _check_layout(kernel, memref_of(value), row, value.name_hint or "an input", pim)
    for region in kernel.regions_of_channels:
        if (last := max(region.numbers())) >= pim.channels:
            raise InputError(
                f"{region.name}: there is no channel {last}; {pim.name} has {pim.channels} channels (0 to "
                f"{pim.channels - 1})",
                region,
            )
    for op in walk_commands(kernel):
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
            fitting = (min(channels, pim.channels), min(rows, max(pim.rows - row, 1)), pim.banks_per_channel)
            extents = "x".join(map(str, (*fitting, min(columns, pim.columns), pim.lanes)))
            raise InputError(
                f"pim.kernel: the memref %{called} has {met}; one that fits is memref<{extents}x{pim.element}>", kernel
            )


@dataclass(frozen=True)
class Room:
    """The limit of an index expression: the number of rows, columns, buffer columns, accumulators or other units that a
    device has (`size`), and the words for these units in messages (`what`)."""

    size: Callable[[Pim, CommandOp], int]
    what: Callable[[CommandOp], str]


def _units(pim: Pim, op: CommandOp) -> int:
    assert isinstance(op, ScopedOp)
    return pim.units(op.reach)


UNITS: dict[Scope, str] = {
    "all": "whole",
    "group": "groups of a channel",
    "same": "banks of a group",
    "twin": "banks of a pseudo-channel",
    "bank": "banks of a channel",
}
"""The words, in messages, for the units that a command's scope numbers."""

ROOMS: dict[Space, Room] = {
    "unit": Room(_units, lambda op: UNITS[op.reach] if isinstance(op, ScopedOp) else "units"),
    "row": Room(lambda pim, op: pim.rows, lambda op: "rows of a bank"),
    "column": Room(lambda pim, op: pim.columns, lambda op: "columns of a row"),
    "buffer": Room(lambda pim, op: pim.buffer_columns, lambda op: "columns of the global buffer"),
    "accumulator": Room(lambda pim, op: pim.accumulators, lambda op: "accumulators of a bank"),
    "softmax": Room(lambda pim, op: LIMIT, lambda op: "entries of the softmax buffer"),
}
"""For each index expression of a command, the number of units that it may address on a device."""


def _check_command(op: CommandOp, pim: Pim) -> None:
    managed = pim.rows_by == "controller"
    if managed and op.COMMAND.row == "closes":
        raise InputError(
            f"{op.name}: on {pim.name} the channel's controller closes rows by itself; remove {op.name}", op
        )
    if not on_bus(op, pim):
        return
    verb = pim.verbs.get(op.COMMAND.verb)
    if verb is None:
        raise InputError(
            f"{op.name}: {pim.name} has no verb `{op.COMMAND.verb}`; its verbs are {', '.join(pim.verbs)}", op
        )
    # Where the controller opens rows, an activate is not issued as a command: it only names a row, for any banks.
    if isinstance(op, ScopedOp) and op.reach not in verb.scopes and not (managed and op.COMMAND.row == "opens"):
        legal = " or ".join(verb.scopes)
        raise InputError(f"{op.name} {op.reach}: {pim.name} has this command only with scope {legal}", op)
    if isinstance(op, HostOp):
        _check_transfer(op, pim)
    for name, space in op.EXPRESSIONS.items():
        last, limit = op.linear(name).bounds(range_of)[1] + op.extent(name, pim.lanes) - 1, ROOMS[space].size(pim, op)
        # Where the sheet is not checked for hazards, column numbers matter only for their count, so they may exceed the
        # device's.
        if last >= limit and (pim.checked or space not in ("column", "buffer")):
            raise InputError(
                f"{op.name}: {name} {last} is out of range; "
                f"{pim.name} has {limit} {ROOMS[space].what(op)} (0 to {limit - 1})",
                op,
            )
    _check_units(op, pim)


def _check_transfer(op: HostOp, pim: Pim) -> None:
    element = memref_of(op.memref).element_type
    if op.OWN_ELEMENT and str(element) != pim.element:
        raise InputError(
            f"{op.name} moves elements of {element}, but {pim.name} computes in {pim.element}; change the memref's "
            "element type",
            op,
        )
    if not isinstance(op, ScopedOp):
        return
    wanted = op.wanted(len(Slot(op.COMMAND.verb, op.reach).banks(pim)), pim.lanes)
    if wanted is not None and op.entries not in (wanted, wanted * sums_per_bank(op, pim)):
        raise InputError(
            f"{op.name} {op.reach} moves {wanted} numbers, but the memref's subscripts select {op.entries} entries; "
            f"select {wanted}",
            op,
        )


def _check_units(op: CommandOp, pim: Pim) -> None:
    if pim.tied and op.using("accumulator", "adds to"):
        met = {op.linear(name) for space in ("column", "buffer") for name in op.using(space, "reads")}
        if len(met) > 1:
            raise InputError(
                f"{op.name}: {pim.name} multiplies a column of a row with the same column of the global buffer; remove "
                "`buffer`",
                op,
            )
    if op.COMMAND.grouped and pim.banks < 3:
        raise InputError(
            f"{op.name} multiplies bank 0 with bank 1 into bank 2, but a group of {pim.name} has {pim.banks} banks", op
        )
    if (table := op.table) is not None and table not in FUNCTIONS:
        raise InputError(f"{op.name}: there is no activation function `{table}`; there are {', '.join(FUNCTIONS)}", op)


def walk_commands(op: Operation) -> Sequence[CommandOp]:
    """All commands below an op, in the order of the text."""
    return [inner for inner in op.walk() if isinstance(inner, CommandOp)]
