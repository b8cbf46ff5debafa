"""AiM traces (SK hynix GDDR6-AiM, as arkhadem/aim_simulator reads them) as bank programs of all channels.

A line is an instruction for the channels of a mask; bit i of the mask selects channel C - 1 - i of C channels. A `MEM`
line contains the number of its one channel instead of a mask. Instructions on rows contain the row, so `pim.act` is
generated only if the row differs from the last one of these banks. A general register (GPR) holds a column's elements:
registers correspond to rows of the memref that instructions load from, and of the memref that they write. WR_BIAS,
RD_MAC and RD_AF use one register per channel, the first register for the channel of the mask's lowest bit. The trace
ends at `AiM EOC`.

Written lines use registers for host memory. Without the kernel's attribute `registers`, loaded inputs get consecutive
registers in memory order, and drained results and biases the next free ones: the choice does not affect timing. AiM's
text has no columns and no accumulators: a command that does not start at column 0 is preceded by a comment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i64
from xdsl.ir import Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import element_type_named
from dialects.pim import (
    HOST,
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
    Linear,
    LoadOp,
    MacOp,
    ReadOp,
    ScopedOp,
    SetOp,
    StepOp,
    StoreOp,
    Subscript,
    WriteOp,
)
from dialects.pim.addresses import addressed, stated_address
from dialects.programs.properties import values_of
from interp.kinds.pim.timing.streams import each_channel
from interp.kinds.pim.values.activation_tables import FUNCTIONS
from interp.machine.records import Pim, Scope
from ndpir.traces.building import Argument, CommandKind, FlatCommands, Maker, kernel_of, weight_rows
from ndpir.traces.bulk import BulkLines, bulk_lines
from ndpir.traces.flat import FlatTrace, distinct, numbered
from ndpir.traces.lines import LARGEST, Grammar, TraceLine, column_of, lines_of
from ndpir.traces.naming import Named, Reach
from ndpir.traces.rolling import Ints
from ndpir.traces.walk import AddressedCommand, NamedRows, columns_of, commands_of, offset_of, slot

GRAMMAR = Grammar("aim", "AiM MAC_ABK 64 1 0")

REGISTERS = "registers"
"""A kernel's attribute: the first general register of each of its memrefs in host memory."""

NO_REGISTER = -1
"""The entry in `registers` of a memref that only ordinary accesses (`MEM`) use, which have no register."""

DELIVERING = ("drain", "activated", "host read")
"""Instructions that write to registers."""

MODE = 2
"""The configuration register that selects the activation table."""
TABLES = tuple(FUNCTIONS)
"""The name of each activation table by its number; no published source states which number selects which function."""


class CommandWord(NamedTuple):
    """The command of a grammar rule: its keyword, its scope, and True if it uses the banks' open row."""

    word: str
    scope: Scope = "all"
    row: bool = False


RULES: Mapping[str, CommandWord] = {
    "wr_gb": CommandWord("load"),
    "wr_bias": CommandWord("bias"),
    "rd_mac": CommandWord("drain"),
    "rd_af": CommandWord("activated"),
    "mac_abk": CommandWord("mac", row=True),
    "mac_sbk": CommandWord("mac", "bank", row=True),
    "ewmul": CommandWord("ewmul", row=True),
    "copy_bkgb": CommandWord("fetch", "bank", row=True),
    "copy_gbbk": CommandWord("store", "bank", row=True),
    "wr_abk": CommandWord("write", row=True),
    "wr_sbk": CommandWord("host write", "bank", row=True),
    "rd_sbk": CommandWord("host read", "bank", row=True),
    "write_mem": CommandWord("mem write", "bank", row=True),
    "read_mem": CommandWord("mem read", "bank", row=True),
}

SPELLED: Mapping[str, Mapping[Scope, str]] = {
    word: {each.scope: rule.upper() for rule, each in RULES.items() if each.word == word}
    for word in (each.word for each in RULES.values())
}
"""The instruction of each keyword, by scope: `RULES` for writing."""
STEPS: Mapping[str, Callable[[TraceLine], str]] = {
    "ewadd": lambda line: f"AiM EWADD {line['ops']} {line['gpr']} {line['other_gpr']}",
    "read_cfr": lambda line: f"R CFR {line['register']} {line['value']}",
}
"""Instructions that the decoder executes itself."""

GPR_STEPS = {"write_gpr": "W GPR", "read_gpr": "R GPR"}
"""Decoder instructions whose only operand is a register."""

NUMBER = "number"
"""The attribute of a `pim.step` for the register at the end of its text, as an index expression: a constant, and a
factor for each enclosing loop, the outermost first."""


class Entry(NamedTuple):
    """The content of a trace line: the index of its `CommandKind`, its numbers (unit, row, register), and the banks
    whose row it needs."""

    code: int
    numbers: tuple[int, int, int] = (0, 0, 0)
    needs: Reach | None = None
    channels: tuple[int, ...] = ()


def read(text: str, pim: Pim, file: str, name: str, device: str) -> KernelOp:
    """A trace as a kernel. Raises InputError, at line and column, for an invalid instruction."""
    reader = _Reader(pim, file)
    for number, line in lines_of(text):
        reader.line(number, line)
    if not reader.ended:
        raise InputError(
            "the trace ends without the line `AiM EOC`; add it as the last line", f"{file}:{text.count(chr(10)) + 1}:1"
        )
    if not reader.commands.codes:  # a kernel must not be empty: this names a row, which takes no time
        reader.commands.add(reader.commands.code(CommandKind("act", (0,))), (0, 0, 0), 1)
    kernel = kernel_of(reader.commands.rolled(), reader.arguments(), reader.maker, file, name, device)
    first = {"gpr": 0, "out": reader.first_delivered}
    numbers = [first.get(argument.name, NO_REGISTER) for argument in reader.arguments() if argument.row == HOST]
    kernel.attributes[REGISTERS] = DenseArrayBase.from_list(i64, numbers)
    return kernel


class _Reader:
    def __init__(self, pim: Pim, file: str) -> None:
        self.pim, self.file = pim, file
        self.commands = FlatCommands()
        self.entries: dict[str, Entry] = {}
        self.named = Named(pim)
        self.mode = 0
        self.ended = False
        self.registers = 1
        self.delivered = LARGEST, 0
        """The first register written to, and one past the last."""
        self.used: set[int] = set()
        self.written: set[int] = set()
        self.mem = False
        self.last_channel = 0

    # One line.

    def line(self, number: int, line: str) -> None:
        if self.ended:
            raise self.error(line, number, "nothing runs behind `AiM EOC`; delete what follows it")
        entry = self.entries.get(line)
        if entry is None:
            read = GRAMMAR.instruction(line, (self.file, number))
            entry = self.entry(read, line, number)
            if entry is None:
                return
            if read.form.rule != "write_cfr":  # which changes the meaning of later lines
                self.entries[line] = entry
        if entry.needs is not None:
            self.name_row(entry, number)
        self.commands.add(entry.code, entry.numbers, number)

    def entry(self, read: TraceLine, line: str, number: int) -> Entry | None:
        """The instruction of a line; None at the end of the trace."""
        rule = read.form.rule
        if rule == "eoc":
            self.ended = True
            return None
        self.check(read, line, number)
        if rule == "sync":
            return Entry(self.commands.code(CommandKind("barrier")))
        if rule in GPR_STEPS:
            return Entry(self.commands.code(CommandKind("register step", text=GPR_STEPS[rule])), (0, 0, read["gpr"]))
        if rule in STEPS:
            return Entry(self.commands.code(CommandKind("step", text=STEPS[rule](read))))
        if rule == "write_cfr":
            return self.configured(read)
        channels = self.channels_of(read, line, number)
        if rule == "af":
            return Entry(self.commands.code(CommandKind("activate", channels, text=TABLES[self.mode])))
        work, count = RULES[rule], read.get("ops", 1)
        if not count:  # an instruction without effect: only decoded
            return Entry(self.commands.code(CommandKind("step", text=" ".join(line.split()))))
        register = read.get("gpr")
        end = register + self.registers_of(work.word, count, len(channels))
        if work.word in DELIVERING:
            self.delivered = (min(self.delivered[0], register), max(self.delivered[1], end))
        else:
            self.registers = max(self.registers, end)
        self.last_channel = max(self.last_channel, channels[-1])
        self.mem |= work.word.startswith("mem")
        code = self.commands.code(CommandKind(work.word, channels, count, work.scope))
        needs = Reach(_mask(channels), work.scope, read.get("bank")) if work.row else None
        if work.row:
            (self.written if "write" in work.word or work.word in ("store", "ewmul") else self.used).add(read["row"])
        return Entry(code, (read.get("bank"), read.get("row"), register), needs, channels)

    def configured(self, read: TraceLine) -> Entry:
        if read["register"] == MODE:
            self.mode = read["value"]
            self.entries = {
                line: entry for line, entry in self.entries.items() if " AF" not in line and "_AF" not in line
            }
        return Entry(self.commands.code(CommandKind("set", text=f"{read['register']} {read['value']}")))

    def registers_of(self, word: str, count: int, channels: int) -> int:
        """The number of consecutive general registers (GPRs) that an instruction reads or writes. `word`: its kind
        (`load`, `drain`, …); `count`: its repetitions; `channels`: the number of channels that it addresses."""
        banks = -(-self.pim.banks_per_channel // self.pim.lanes)
        return {
            "load": count,
            "write": self.pim.banks_per_channel,
            "bias": banks * channels,
            "drain": banks * channels,
            "activated": banks * channels,
            "host read": channels,
        }.get(word, 1)

    def name_row(self, entry: Entry, number: int) -> None:
        """Emit `pim.act` unless the last `pim.act` for the entry's banks opened the same row. `number`: the line's
        number."""
        assert entry.needs is not None
        row, reach = entry.numbers[1], entry.needs
        if not self.named.holds(reach, row):
            self.named.name(reach, row)
            kind = CommandKind("act", entry.channels, scope=reach.scope)
            self.commands.add(self.commands.code(kind), (reach.unit, row, 0), number)

    # What a device has.

    def check(self, read: TraceLine, line: str, number: int) -> None:
        pim = self.pim
        limits = {
            "row": (pim.rows, "rows of a bank"),
            "bank": (pim.banks_per_channel, "banks of a channel"),
            "channel": (pim.channels, "channels"),
            "register": (MODE + 1, "configuration registers"),
        }
        for field, value in zip(read.form.fields, read.numbers, strict=True):
            if field in limits and value >= (limit := limits[field])[0]:
                raise self.error(
                    line, number, f"{field} {value} is out of range; {pim.name} has {limit[0]} {limit[1]}", read, field
                )
        if read.form.rule == "write_cfr" and read["register"] == MODE and read["value"] >= len(TABLES):
            raise self.error(
                line, number, f"there is no activation table {read['value']}; there are {len(TABLES)}", read, "value"
            )

    def channels_of(self, read: TraceLine, line: str, number: int) -> tuple[int, ...]:
        """The channels addressed by a line, in ascending order."""
        if "channel" in read.form.fields:
            return (read["channel"],)
        mask = read["mask"]
        if not mask:
            raise self.error(line, number, "the mask names no channel; bit 0 is the last channel", read, "mask")
        if mask >> self.pim.channels:
            raise self.error(
                line, number, f"the mask {mask:#x} has more bits than {self.pim.name} has channels", read, "mask"
            )
        channels = channels_in(mask, self.pim)
        if read.form.rule == "wr_abk" and len(channels) > 1:
            raise self.error(line, number, "WR_ABK writes to one channel; its mask has a single bit", read, "mask")
        return channels

    def error(self, line: str, number: int, message: str, read: TraceLine | None = None, field: str = "") -> InputError:
        column = column_of(line, read.form.fields.index(field)) if read is not None and field else 1
        return InputError(message, f"{self.file}:{number}:{column}")

    # The kernel.

    def arguments(self) -> list[Argument]:
        pim, element = self.pim, element_type_named(self.pim.element)
        found = [Argument("gpr", (self.registers, pim.lanes), element)]
        if self.mem:
            found.append(Argument("mem", (pim.lanes,), element))
        found += weight_rows(self.used - self.written, self.last_channel + 1, pim)
        first, end = self.delivered
        found.append(Argument("out", (max(end - first, 1), pim.lanes), element, output=True))
        if self.mem:
            found.append(Argument("read", (pim.lanes,), element, output=True))
        return found

    @property
    def first_delivered(self) -> int:
        """The number of the first register to which the trace writes results."""
        first, end = self.delivered
        return first if end else 0

    def maker(self, values: dict[str, SSAValue]) -> Maker:
        return _Maker(self.pim, values, self.first_delivered).make


def flat(text: str, pim: Pim) -> FlatTrace | None:
    """A trace as arrays, for its time alone; None for a trace that `read` must read. Registers, which have no effect on
    time, are left out."""
    found = bulk_lines(text, GRAMMAR)
    if found is None or not _is_sound(found, pim):
        return None
    ops = found.field("ops", 1)
    ops = np.where(found.rule("wr_bias", "rd_mac", "rd_af", "wr_abk", "wr_sbk", "rd_sbk"), 1, ops)
    to = np.where(found.has("channel"), found.field("channel"), found.field("mask"))
    register, value = found.field("register"), found.field("value")
    setting = np.where(found.rule("write_cfr"), register << 32 | value, -1)
    chooses = found.rule("write_cfr") & (register == MODE)
    table = np.where(found.rule("af"), _last_of(value, chooses), -1)
    keep = np.flatnonzero(~found.rule("eoc"))
    if not len(keep):
        return None
    first, codes = numbered([column[keep] for column in (found.codes, ops, to, setting, table)])
    found_kinds = [
        _flat_kind(
            found.forms[int(found.codes[at])].rule, int(ops[at]), int(to[at]), int(setting[at]), int(table[at]), pim
        )
        for at in keep[first].tolist()
    ]
    kinds, codes = distinct(found_kinds, codes)
    uses = np.array([kind.word in ROW_WORDS for kind in kinds], np.bool_)[codes]
    unit, row = (np.where(uses, found.field(name)[keep], 0) for name in ("bank", "row"))
    numbers = np.stack((unit, row, np.zeros_like(row)), axis=1)
    element = element_type_named(pim.element)
    rows = pim.banks_per_channel * pim.channels
    arguments = [
        Argument("gpr", (max(rows, int(ops.max())), pim.lanes), element),
        Argument("mem", (pim.lanes,), element),
        Argument("out", (rows, pim.lanes), element, output=True),
        Argument("read", (pim.lanes,), element, output=True),
    ]
    return FlatTrace(
        kinds, codes, numbers, np.where(uses, row, -1), arguments, lambda values: _Maker(pim, values, 0).make
    )


ROW_WORDS = frozenset(work.word for work in RULES.values() if work.row)
"""The keywords of commands that use a row."""


def _last_of(values: Ints, flags: NDArray[np.bool_]) -> Ints:
    """For each line, the value of the last flagged line so far; 0 before any."""
    last = np.maximum.accumulate(np.where(flags, np.arange(len(flags)), -1))
    return np.where(last >= 0, values[last], 0)


def _is_sound(found: BulkLines, pim: Pim) -> bool:
    """True if a device has all that the lines name, and the trace ends with its only end marker."""
    ends = np.flatnonzero(found.rule("eoc"))
    if len(ends) != 1 or int(ends[0]) != len(found.codes) - 1:
        return False
    limits = {"row": pim.rows, "bank": pim.banks_per_channel, "channel": pim.channels, "register": MODE + 1}
    if any((found.field(name) >= limit).any() for name, limit in limits.items()):
        return False
    chooses = found.rule("write_cfr") & (found.field("register") == MODE)
    masks = found.field("mask")[found.has("mask")]
    single = found.field("mask")[found.rule("wr_abk")]
    return not (
        (found.field("value")[chooses] >= len(TABLES)).any()
        or (found.field("value") >= 1 << 31).any()
        or (masks < 1).any()
        or (masks >> pim.channels).any()
        or (single & (single - 1)).any()
    )


def _flat_kind(rule: str, ops: int, to: int, setting: int, table: int, pim: Pim) -> CommandKind:
    if rule == "sync":
        return CommandKind("barrier")
    if rule == "write_cfr":
        return CommandKind("set", text=f"{setting >> 32} {setting & (1 << 32) - 1}")
    if rule in GPR_STEPS or rule in STEPS:
        return CommandKind("step", text=rule)
    channels = (to,) if rule in ("write_mem", "read_mem") else channels_in(to, pim)
    if rule == "af":
        return CommandKind("activate", channels, text=TABLES[table])
    work = RULES[rule]
    return CommandKind(work.word, channels, ops, work.scope) if ops else CommandKind("step", text=rule)


def channels_in(mask: int, pim: Pim) -> tuple[int, ...]:
    """The channels that a mask selects, in ascending order."""
    last = pim.channels - 1
    return tuple(channel for channel in range(last + 1) if mask >> (last - channel) & 1)


@dataclass(frozen=True)
class _Maker:
    """Builds the ops of commands; the numbers of a command are (unit, row, register)."""

    pim: Pim
    values: Mapping[str, SSAValue]
    delivered: int

    def make(self, kind: CommandKind, numbers: Sequence[Linear], place: Linear, loops: Sequence[SSAValue]) -> Operation:
        unit, row, register = numbers
        if kind.word in DELIVERING:
            register -= self.delivered
        columns, scope = Subscript(Linear(), kind.columns), kind.scope
        gpr, out, banks = self.values["gpr"], self.values["out"], self.pim.banks_per_channel
        match kind.word:
            case "act":
                return ActOp(row, scope, unit)
            case "load":
                return LoadOp(gpr, [Subscript(register, kind.columns)])
            case "bias":
                return BiasOp(gpr, self.each_bank(register, kind, place))
            case "drain":
                return DrainOp(out, self.each_bank(register, kind, place))
            case "activated":
                return ActivatedOp(out, self.each_bank(register, kind, place))
            case "activate":
                return ActivateOp(kind.text)
            case "mac":
                return MacOp(columns, scope=scope, unit=unit)
            case "ewmul":
                return GroupProductOp(columns)
            case "fetch":
                return FetchOp(columns, scope=scope, unit=unit)
            case "store":
                return StoreOp(columns, scope=scope, unit=unit)
            case "write":
                return WriteOp(gpr, [Subscript(register, banks)], columns)
            case "host write":
                return WriteOp(gpr, [Subscript(register)], columns, scope, unit, host=True)
            case "host read":
                return ReadOp(out, [Subscript(self.behind(register, kind, place))], columns, scope, unit, host=True)
            case "mem write":
                return WriteOp(self.values["mem"], [], columns, scope, unit, host=True)
            case "mem read":
                return ReadOp(self.values["read"], [], columns, scope, unit, host=True)
            case "register step":
                if not register.terms:
                    return StepOp(f"{kind.text} {register.constant}")
                op = StepOp(kind.text)
                op.attributes[NUMBER] = addressed(register, loops)
                return op
            case "set":
                return SetOp(*map(int, kind.text.split()))
            case "barrier":
                return BarrierOp()
            case _:
                return StepOp(kind.text)

    def behind(self, register: Linear, kind: CommandKind, place: Linear) -> Linear:
        """The register of the channel at index `place` among the addressed ones: the last channel corresponds to the
        mask's lowest bit, hence to the first register."""
        return register + (len(kind.channels) - 1) - place

    def each_bank(self, register: Linear, kind: CommandKind, place: Linear) -> list[Subscript]:
        """The subscripts of a command's data in a memref of registers: one element for each bank, and separate
        registers for each channel."""
        banks, lanes = self.pim.banks_per_channel, self.pim.lanes
        if banks <= lanes:
            own = Subscript(self.behind(register, kind, place))
            return [own] if banks == lanes else [own, Subscript(Linear(), banks)]
        width = -(-banks // lanes)
        return [Subscript(register + ((len(kind.channels) - 1) * width) - place * width, width)]


def _mask(channels: Iterable[int]) -> int:
    return sum(1 << channel for channel in channels)


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
        word = SPELLED[command.op.COMMAND.verb]["all"]
        yield f"AiM {word} {self.own_registers(command)} {self.mask(command)}"

    def on_rows(self, command: AddressedCommand) -> Iterator[str]:
        op = command.op
        assert isinstance(op, ScopedOp)
        words = SPELLED[op.COMMAND.verb]
        scope = op.reach if op.reach in words else list(words)[-1]
        unit = f"{slot(command).unit} " if scope == "bank" else ""
        count, comment = self.columns(command)
        yield from comment
        yield f"AiM {words[scope]} {count} {self.mask(command)} {unit}{self.rows.row(command)}"

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
    MacOp: _Writer.on_rows,
    GroupProductOp: _Writer.on_rows,
    FetchOp: _Writer.on_rows,
    StoreOp: _Writer.on_rows,
    ActivateOp: _Writer.activate,
    WriteOp: _Writer.access,
    ReadOp: _Writer.access,
    SetOp: _Writer.set,
    StepOp: _Writer.step,
    BarrierOp: _Writer.barrier,
}
