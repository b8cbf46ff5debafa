"""Writes a kernel as an AiM trace with the commands of all channels (ndpir/traces/read/aim.py reads it back).

Lines use registers (GPR) for host memory. Without the kernel's attribute `registers`, loaded inputs get consecutive
registers in memory order, and drained results and biases the next free ones: the choice does not affect timing. AiM's
text has no columns and no accumulators: a command that does not start at column 0 is preceded by a comment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import SSAValue

from dialects.diagnostics import InputError
from dialects.pim import (
    ActivatedOp,
    ActivateOp,
    ActOp,
    BarrierOp,
    BiasOp,
    ColumnsOp,
    DrainOp,
    FetchOp,
    GroupProductOp,
    HostOp,
    KernelOp,
    LoadOp,
    MacOp,
    ReadOp,
    SetOp,
    StepOp,
    StoreOp,
    WriteOp,
)
from dialects.pim.addresses import stated_address
from dialects.programs.properties import values_of
from interp.kinds.pim.timing.streams import each_channel
from interp.machine.records import Pim
from ndpir.traces.read.aim import MODE, NO_REGISTER, NUMBER, REGISTERS, TABLES
from ndpir.traces.write.walk import AddressedCommand, NamedRows, columns_of, commands_of, offset_of, slot


def lines(kernel: KernelOp, pim: Pim) -> Iterator[str]:
    """All lines of a kernel except `AiM EOC`. Raises InputError for commands that the format can't express."""
    writer = _Writer(kernel, pim)
    for command in commands_of(kernel.body.block):
        yield from writer.lines(command)


class _Writer:
    def __init__(self, kernel: KernelOp, pim: Pim) -> None:
        self.pim, self.rows, self.mode = pim, NamedRows(pim), 0
        hosts = [*kernel.on_host, *kernel.outputs]
        self.first: dict[SSAValue, int] = {}
        """The first register of each memref."""
        self.free: int | None = None
        """The next free register; None if the kernel specifies its registers."""
        stated = kernel.attributes.get(REGISTERS)
        if isinstance(stated, DenseArrayBase):
            numbers = values_of(cast("DenseArrayBase[IntegerType]", stated))
            self.first = dict(zip(hosts, numbers, strict=False))
            return
        self.free = 0
        loaded = {op.memref for op in kernel.body.walk() if isinstance(op, LoadOp | WriteOp)}
        for value in kernel.on_host:
            if value in loaded:
                self.first[value] = self.free
                self.free += columns_of(value, pim.lanes)

    def lines(self, command: AddressedCommand) -> Iterator[str]:
        op = command.op
        if isinstance(op, ActOp):
            self.rows.name(command, op.linear("row").at(command.values))
            return
        for kind, write in WRITERS.items():
            if isinstance(op, kind):
                yield from write(self, command)
                return
        raise InputError(
            f"AiM's text has no instruction for {op.name}; remove the op, or write the program for another device", op
        )

    # What a line names.

    def mask(self, command: AddressedCommand) -> str:
        last = self.pim.channels - 1
        return str(sum(1 << (last - channel) for channel in command.channels or (0,)))

    def register(self, command: AddressedCommand) -> int:
        """The number of the register that holds a command's data for all channels."""
        op = command.op
        assert isinstance(op, HostOp)
        if self.free is None or op.memref in self.first:
            values = dict(command.values)
            for own in list(command.channels.values())[:1]:
                values |= own
            return self.first.get(op.memref, 0) + offset_of(op, values, self.pim.lanes)
        return self.own_registers(command)

    def own_registers(self, command: AddressedCommand) -> int:
        """The number of the first register of a command for which each channel has its own register: the register of
        the channel that the lowest bit of the mask selects."""
        op, channels = command.op, command.channels or {0: {}}
        assert isinstance(op, HostOp)
        width = -(-op.entries // self.pim.lanes)
        if self.free is None:
            some = next(iter(channels))
            own = self.first.get(op.memref, 0) + offset_of(op, {**command.values, **channels[some]}, self.pim.lanes)
            return own - width * sum(channel > some for channel in channels)
        register, self.free = self.free, self.free + width * len(channels)
        return register

    def columns(self, command: AddressedCommand) -> tuple[int, list[str]]:
        """The number of columns that a command works on, and a comment for operands that the format can't express."""
        op = command.op
        assert isinstance(op, ColumnsOp)
        first = op.linear("column").at(command.values)
        entry = op.linear("entry").at(command.values) if "entry" in op.EXPRESSIONS else first
        into = op.linear("accumulator").at(command.values) if "accumulator" in op.EXPRESSIONS else 0
        words = [
            *([f"columns {first} to {first + op.columns.extent}"] if first else []),
            *([f"buffer {entry}"] if entry != first else []),
            *([f"into {into}"] if into else []),
        ]
        return op.columns.extent, [f"# {' '.join(words)}"] if words else []

    # The instructions.

    def load(self, command: AddressedCommand) -> Iterator[str]:
        op = cast(LoadOp, command.op)
        entry, count = op.linear("entry").at(command.values), op.buffer_columns(self.pim.lanes)
        if entry:
            yield f"# buffer {entry}"
        if not op.by_channel:
            yield f"AiM WR_GB {count} {self.register(command)} {self.mask(command)}"
            return
        for channel, values in command.channels.items():
            one = command._replace(channels={channel: values})
            yield f"AiM WR_GB {count} {self.register(one)} {self.mask(one)}"

    def of_registers(self, command: AddressedCommand) -> Iterator[str]:
        word = {"bias": "WR_BIAS", "drain": "RD_MAC", "activated": "RD_AF"}[command.op.COMMAND.verb]
        yield f"AiM {word} {self.own_registers(command)} {self.mask(command)}"

    def mac(self, command: AddressedCommand) -> Iterator[str]:
        op = cast(MacOp, command.op)
        count, comment = self.columns(command)
        yield from comment
        if op.reach == "all":
            yield f"AiM MAC_ABK {count} {self.mask(command)} {self.rows.row(command)}"
        else:
            yield f"AiM MAC_SBK {count} {self.mask(command)} {slot(command).unit} {self.rows.row(command)}"

    def of_all_banks(self, command: AddressedCommand) -> Iterator[str]:
        count, comment = self.columns(command)
        yield from comment
        yield f"AiM EWMUL {count} {self.mask(command)} {self.rows.row(command)}"

    def of_a_bank(self, command: AddressedCommand) -> Iterator[str]:
        word = "COPY_BKGB" if isinstance(command.op, FetchOp) else "COPY_GBBK"
        count, comment = self.columns(command)
        yield from comment
        yield f"AiM {word} {count} {self.mask(command)} {slot(command).unit} {self.rows.row(command)}"

    def activate(self, command: AddressedCommand) -> Iterator[str]:
        mode = TABLES.index(cast(ActivateOp, command.op).function.data)
        if mode != self.mode:
            self.mode = mode
            yield f"W CFR {MODE} {mode}"
        yield f"AiM AF {self.mask(command)}"

    def access(self, command: AddressedCommand) -> Iterator[str]:
        """The lines of a command that writes or reads columns of rows: one line per column."""
        op = command.op
        assert isinstance(op, WriteOp | ReadOp)
        count, comment = self.columns(command)
        yield from comment
        row, word, unit = self.rows.row(command), "WR" if isinstance(op, WriteOp) else "RD", slot(command).unit
        if self.first.get(op.memref) == NO_REGISTER:
            for channel in (channel for _ in range(count) for channel in command.channels or (0,)):
                yield f"{word[0]} MEM {channel} {unit} {row}"
            return
        if isinstance(op, ReadOp):
            register = self.own_registers(command)
            yield from (f"AiM RD_SBK {register + at} {self.mask(command)} {unit} {row}" for at in range(count))
            return
        parts = [command]
        if each_channel(op):
            parts = [
                command._replace(channels={channel: values})
                for channel, values in (command.channels or {0: {}}).items()
            ]
        for at in range(count):
            for part in parts:
                where = f"{self.register(part) + at} {self.mask(part)}"
                yield f"AiM WR_SBK {where} {unit} {row}" if op.reach == "bank" else f"AiM WR_ABK {where} {row}"

    def set(self, command: AddressedCommand) -> Iterator[str]:
        op = cast(SetOp, command.op)
        register, value = op.register.value.data, op.value.value.data
        if register == MODE:
            self.mode = value
        yield f"W CFR {register} {value}"

    def step(self, command: AddressedCommand) -> Iterator[str]:
        number = stated_address(command.op, NUMBER)
        yield cast(StepOp, command.op).text.data + ("" if number is None else f" {number.at(command.values)}")

    def barrier(self, command: AddressedCommand) -> Iterator[str]:
        yield "AiM SYNC"


WRITERS: Mapping[type, Callable[[_Writer, AddressedCommand], Iterator[str]]] = {
    LoadOp: _Writer.load,
    BiasOp: _Writer.of_registers,
    DrainOp: _Writer.of_registers,
    ActivatedOp: _Writer.of_registers,
    MacOp: _Writer.mac,
    GroupProductOp: _Writer.of_all_banks,
    FetchOp: _Writer.of_a_bank,
    StoreOp: _Writer.of_a_bank,
    ActivateOp: _Writer.activate,
    WriteOp: _Writer.access,
    ReadOp: _Writer.access,
    SetOp: _Writer.set,
    StepOp: _Writer.step,
    BarrierOp: _Writer.barrier,
}
