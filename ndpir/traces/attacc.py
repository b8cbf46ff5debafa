"""AttAcc traces (scale-snu/attacc_simulator) as bank programs of all channels: one request per line, a word and an
address.

An address holds, from its highest bit down, channel, bank (pseudo-channel, rank, group, bank of the group), row, column
and the bytes of a column. Consecutive lines that differ only in their channel become one command in
`pim.channels`; if an address contains more than the command expresses, the attribute `address` keeps it, without the
channel: controllers apply timing constraints to the addressed bank, and distinguish accesses by it.

A written address contains the row that the kernel opened last. A command for several channels or columns becomes one
line for each of them. Its keyword is the sheet's mnemonic, so a drain is the move to the softmax buffer by which
results leave the stack. Reads and writes of banks become LD and ST, ordinary accesses, which the simulator reorders up
to the next barrier. The format carries no data: host memory, the buffer columns of a multiply, and the sums that a
drain adds to are not represented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import element_type_named
from dialects.pim import (
    ActOp,
    BarrierOp,
    CollectOp,
    ColumnsOp,
    KernelOp,
    Linear,
    LoadOp,
    MacOp,
    PreOp,
    ReadOp,
    SoftmaxOp,
    SpreadOp,
    Subscript,
    WriteOp,
)
from dialects.pim.addresses import ADDRESS, addressed, stated_address
from interp.kinds.pim.program import issues
from interp.machine.records import ELEMENT_BYTES, Pim, Scope
from ndpir.traces.addresses import AddressField, AddressLayout
from ndpir.traces.building import Argument, CommandKind, FlatCommands, Maker, kernel_of, weight_rows
from ndpir.traces.bulk import bulk_lines
from ndpir.traces.flat import FlatTrace, numbered
from ndpir.traces.lines import Grammar, column_of, lines_of
from ndpir.traces.naming import Named, Reach
from ndpir.traces.rolling import Ints
from ndpir.traces.walk import AddressedCommand, NamedRows, commands_of, slot

GRAMMAR = Grammar("attacc", "PIM_MAC_AB 0x00000000")


class Word(NamedTuple):
    """A type of request: the sheet's mnemonic of its command, the keyword of our command, its scope, and True if it
    uses a row."""

    mnemonic: str
    verb: str
    scope: Scope = "all"
    row: bool = False


WORDS: Mapping[str, Word] = {
    "LD": Word("RD", "read", "bank", row=True),
    "ST": Word("WR", "write", "bank", row=True),
    "PIM_MAC_AB": Word("MACAB", "mac", "all", row=True),
    "PIM_MAC_SB": Word("MACSB", "mac", "same", row=True),
    "PIM_MAC_PB": Word("MACPB", "mac", "twin", row=True),
    "PIM_WR_GB": Word("WRGB", "load"),
    "PIM_MV_SB": Word("MVSB", "collect"),
    "PIM_MV_GB": Word("MVGB", "spread"),
    "PIM_SFM": Word("SFM", "softmax"),
    "PIM_BARRIER": Word("barrier", "barrier"),
}


def layout(pim: Pim) -> AddressLayout:
    """The fields of an address and their bits."""
    width = pim.lanes * ELEMENT_BYTES[pim.element]
    fields = ("column", pim.columns), ("row", pim.rows), ("bank", pim.banks_per_channel), ("channel", pim.channels)
    return AddressLayout((width - 1).bit_length(), tuple(AddressField(*field) for field in fields))


def read(text: str, pim: Pim, file: str, name: str, device: str) -> KernelOp:
    """A trace as a kernel. Raises InputError, at its line and column, for an invalid request."""
    reader = _Reader(pim, file)
    for request in _across_columns(_across_channels(reader.requests(text), reader.layout), reader.layout):
        reader.add(request)
    if not reader.commands.codes:
        raise InputError("the trace holds no command; write at least one", f"{file}:1:1")
    return kernel_of(reader.commands.rolled(), reader.arguments(), reader.maker, file, name, device)


ORDER = tuple(WORDS)
"""The words in a fixed order: a word as a number."""


def flat(text: str, pim: Pim) -> FlatTrace | None:
    """A trace as arrays, for its time alone; None for a trace that `read` must read. Offsets in host memory, which have
    no effect on time, are left out."""
    found = bulk_lines(text, GRAMMAR)
    if found is None or pim.rows_by == "program":
        return None
    places = layout(pim)
    words = np.array([ORDER.index(form.word) for form in found.forms], np.int64)[found.codes]
    addresses = found.field("address")
    if (addresses >= places.size).any():
        return None
    step = places.number(channel=1)
    kept, channels = _chains(words, addresses, step)
    words, addresses = words[kept], addresses[kept]
    macs = np.array([word.verb == "mac" for word in WORDS.values()], np.bool_)[words]
    columns, step = pim.columns, places.number(column=1)
    inside = macs & (addresses % step == 0) & (addresses // step % columns > 0)
    kept, counts = _chains(words * (pim.channels + 1) + channels, addresses, step, inside)
    words, addresses, channels = words[kept], addresses[kept], channels[kept]
    first, address = np.divmod(addresses, 1 << places.shift("channel"))
    bank, below = np.divmod(address, 1 << places.shift("bank"))
    row, below = np.divmod(below, 1 << places.shift("row"))
    column = below >> places.shift("column")
    unit, of = (np.zeros(len(words), np.int64) for _ in range(2))
    uses = np.array([word.row for word in WORDS.values()], np.bool_)[words]
    for number, word in enumerate(WORDS.values()):
        if word.row:
            mine = words == number
            units = np.array([unit_of(pim, word.scope, each) for each in range(pim.banks_per_channel)], np.int64)
            unit[mine], of[mine] = units[bank[mine]].T
    buffered = np.array([word.verb in ("load", "spread") for word in WORDS.values()], np.bool_)[words]
    column = np.where(uses, column, np.where(buffered & (address < pim.buffer_columns), address, 0))
    usual = np.where(uses, places.address(bank=of, row=row, column=column), column)
    odd = (address != usual) | np.array([word.verb == "collect" for word in WORDS.values()], np.bool_)[words]
    firsts, codes = numbered([words, first, channels, counts, odd.astype(np.int64)])
    kinds = [
        CommandKind(word.verb, tuple(range(low, low + wide)), count, word.scope, odd=is_odd)
        for word, low, wide, count, is_odd in zip(
            [WORDS[ORDER[at]] for at in words[firsts].tolist()],
            first[firsts].tolist(),
            channels[firsts].tolist(),
            counts[firsts].tolist(),
            odd[firsts].tolist(),
            strict=True,
        )
    ]
    numbers = np.stack((unit, column, np.zeros_like(unit), np.where(odd, address, 0)), axis=1)
    element = element_type_named(pim.element)
    arguments = [
        Argument("x", (1, pim.lanes), element),
        Argument("to", (1, pim.lanes), element),
        Argument("y", (1, pim.channels, pim.lanes), element, output=True),
    ]
    return FlatTrace(kinds, codes, numbers, np.where(uses, row, -1), arguments, lambda values: _Maker(pim, values).make)


def _chains(keys: Ints, addresses: Ints, step: int, inside: NDArray[np.bool_] | None = None) -> tuple[Ints, Ints]:
    """Chains of consecutive requests with equal keys, whose addresses grow by `step`: the index of the first request of
    each chain, and the number of its requests. `inside`: False for requests that begin a chain in any case."""
    follows = np.zeros(len(keys), np.bool_)
    follows[1:] = (keys[1:] == keys[:-1]) & (addresses[1:] == addresses[:-1] + step)
    if inside is not None:
        follows &= inside
    first = np.flatnonzero(~follows)
    return first, np.diff(np.append(first, len(keys)))


def unit_of(pim: Pim, scope: Scope, bank: int) -> tuple[int, int]:
    """The index of the unit of `scope` that contains a bank, and the index of that unit's first bank."""
    units = pim.units(scope)
    unit = bank % units if scope in ("same", "twin") else bank * units // pim.banks_per_channel
    return unit, pim.banks_of(scope, unit)[0]


class _Request(NamedTuple):
    """A word with an address, for one or several channels and columns: the address is that of the first channel and
    column. `line`: the number of its line in the trace."""

    word: str
    address: int
    line: int
    channels: int = 1
    columns: int = 1


def _merged(requests: Iterator[_Request], grown: Callable[[_Request, _Request], _Request | None]) -> Iterator[_Request]:
    """Merge consecutive requests. `grown`: the function that gives a request together with the one after it; None if
    the two can't be merged."""
    held: _Request | None = None
    for request in requests:
        both = None if held is None else grown(held, request)
        if held is not None and both is None:
            yield held
        held = request if both is None else both
    if held is not None:
        yield held


def _across_channels(requests: Iterator[_Request], layout: AddressLayout) -> Iterator[_Request]:
    """Merge consecutive requests that differ only in the channel."""
    step = layout.number(channel=1)

    def grown(held: _Request, request: _Request) -> _Request | None:
        follows = request.word == held.word and request.address == held.address + held.channels * step
        return held._replace(channels=held.channels + 1) if follows else None

    return _merged(requests, grown)


def _across_columns(requests: Iterator[_Request], layout: AddressLayout) -> Iterator[_Request]:
    """Merge multiplies of consecutive columns of one row."""
    step = layout.number(column=1)

    def grown(held: _Request, request: _Request) -> _Request | None:
        after = held.address + held.columns * step
        follows = request[:2] == (held.word, after) and request.channels == held.channels
        in_row = not after % step and after // step % layout.fields[0].size
        return (
            held._replace(columns=held.columns + 1) if follows and in_row and WORDS[held.word].verb == "mac" else None
        )

    return _merged(requests, grown)


class _Reader:
    def __init__(self, pim: Pim, file: str) -> None:
        self.pim, self.file, self.layout = pim, file, layout(pim)
        self.commands = FlatCommands()
        self.named = Named(pim)
        self.rows: set[int] = set()
        self.written: set[int] = set()
        self.loads = self.reads = self.writes = 0
        self.last_channel = 0
        self.column_size, self.row_size, self.bank_size, self.channel_size = (
            1 << self.layout.shift(name) for name in ("column", "row", "bank", "channel")
        )
        self.ranges: dict[tuple[int, int], tuple[int, ...]] = {}
        self.masks: dict[tuple[int, ...], int] = {}
        self.units: dict[tuple[Scope, int], tuple[int, int]] = {}

    def requests(self, text: str) -> Iterator[_Request]:
        requests_by_line: dict[str, tuple[str, int]] = {}
        end = self.layout.size
        for number, line in lines_of(text):
            if (found := requests_by_line.get(line)) is None:
                read = GRAMMAR.instruction(line, (self.file, number))
                found = requests_by_line[line] = read.form.word, read.numbers[0]
                if found[1] >= end:
                    raise InputError(
                        f"the address lies outside of {self.pim.name}, whose last channel ends at {end:#x}",
                        f"{self.file}:{number}:{column_of(line, 0)}",
                    )
            yield _Request(*found, number)

    def add(self, request: _Request) -> None:
        """Add a command, preceded by `pim.act` if its row is not open."""
        word, pim = WORDS[request.word], self.pim
        first, address = divmod(request.address, self.channel_size)
        bank, inside = divmod(address, self.bank_size)
        row, below = divmod(inside, self.row_size)
        channels = self.channels(first, request.channels)
        if word.row:
            unit, of = self.unit(word.scope, bank)
            column = below // self.column_size
            usual = of * self.bank_size + row * self.row_size + column * self.column_size
            self.open(Reach(self.masks[channels], word.scope, unit), row, channels, request.line)
            (self.written if word.verb == "write" else self.rows).add(row)
        else:
            unit, column = 0, address if address < pim.buffer_columns and word.verb in ("load", "spread") else 0
            usual = column
        # A move with an address is one command; without, as many as move a sum of each bank.
        odd = address != usual or word.verb == "collect"
        kind = CommandKind(word.verb, channels, request.columns, word.scope, odd=odd)
        numbers = unit, column, self.count(word.verb), address if odd else 0
        self.commands.add(self.commands.code(kind), numbers, request.line)

    def channels(self, first: int, count: int) -> tuple[int, ...]:
        if (found := self.ranges.get((first, count))) is None:
            found = self.ranges[first, count] = tuple(range(first, first + count))
            self.masks[found] = ((1 << count) - 1) << first
            self.last_channel = max(self.last_channel, found[-1])
        return found

    def unit(self, scope: Scope, bank: int) -> tuple[int, int]:
        """The index of the unit of `scope` that contains a bank, and the index of that unit's first bank."""
        if (found := self.units.get((scope, bank))) is None:
            found = self.units[scope, bank] = unit_of(self.pim, scope, bank)
        return found

    def count(self, verb: str) -> int:
        """Count an access of a verb, such as `load`; returns the number of its earlier accesses, which is the access's
        offset in the verb's data in host memory."""
        match verb:
            case "load":
                self.loads += 1
                return self.loads - 1
            case "read":
                self.reads += 1
                return self.reads - 1
            case "write":
                self.writes += 1
                return self.writes - 1
            case _:
                return 0

    def open(self, reach: Reach, row: int, channels: tuple[int, ...], line: int) -> None:
        if self.named.holds(reach, row):
            return
        code, scopes = self.commands.code, self.pim.verbs["pre"].scopes if "pre" in self.pim.verbs else ()
        if self.pim.rows_by == "program" and self.named.others(reach, row):
            closing = reach if reach.scope in scopes else Reach(reach.channels, "all", 0)
            self.commands.add(code(CommandKind("pre", channels, scope=closing.scope)), (closing.unit, 0, 0, 0), line)
            self.named.forget(closing)
        self.commands.add(code(CommandKind("act", channels, scope=reach.scope)), (reach.unit, row, 0, 0), line)
        self.named.name(reach, row)

    def arguments(self) -> list[Argument]:
        pim, element = self.pim, element_type_named(self.pim.element)
        return [
            Argument("x", (max(self.loads, 1), pim.lanes), element),
            *([Argument("to", (self.writes, pim.lanes), element)] if self.writes else []),
            *weight_rows(self.rows - self.written, self.last_channel + 1, pim),
            Argument("y", (max(self.reads, 1), pim.channels, pim.lanes), element, output=True),
        ]

    def maker(self, values: dict[str, SSAValue]) -> Maker:
        return _Maker(self.pim, values).make


@dataclass(frozen=True)
class _Maker:
    """Builds the ops of commands; the numbers of a command are (unit, column or row, offset in host memory,
    address)."""

    pim: Pim
    values: Mapping[str, SSAValue]

    def make(self, kind: CommandKind, numbers: Sequence[Linear], place: Linear, loops: Sequence[SSAValue]) -> Operation:
        op = self.plain(kind, numbers, place)
        if kind.odd:
            op.attributes[ADDRESS] = addressed(numbers[3], loops)
        return op

    def plain(self, kind: CommandKind, numbers: Sequence[Linear], place: Linear) -> Operation:
        unit, column, counted, _ = numbers
        scope, columns = kind.scope, Subscript(column, kind.columns)
        match kind.word:
            case "act":
                return ActOp(column, scope, unit)
            case "pre":
                return PreOp(scope, unit)
            case "mac":
                return MacOp(columns, scope=scope, unit=unit)
            case "load":
                return LoadOp(self.values["x"], [Subscript(counted)], column)
            case "read":
                return ReadOp(self.values["y"], [Subscript(counted), Subscript(place)], columns, scope, unit, host=True)
            case "write":
                return WriteOp(self.values["to"], [Subscript(counted)], columns, scope, unit, host=True)
            case "collect":
                return CollectOp(scope=scope, unit=unit)
            case "spread":
                return SpreadOp(Subscript(Linear(), self.pim.lanes), column, scope, unit)
            case "softmax":
                return SoftmaxOp()
            case _:
                return BarrierOp()


SPELLED = {word.mnemonic: text for text, word in WORDS.items()}


def lines(kernel: KernelOp, pim: Pim) -> Iterator[str]:
    """All lines of a kernel. Raises InputError for commands that the format can't express."""
    places, rows = layout(pim), NamedRows(pim)
    for command in commands_of(kernel.body.block):
        op = command.op
        if isinstance(op, ActOp):
            rows.name(command, op.linear("row").at(command.values))
        elif not isinstance(op, PreOp):
            word, channels = _word(command, pim), _channels(command, pim)
            first = _address(command, rows, pim)
            step = places.number(column=1) if isinstance(op, ColumnsOp) else int(isinstance(op, LoadOp | SpreadOp))
            for address in (first + at * step for at in range(issues(op, pim))):
                yield from (f"{word} 0x{places.number(channel=channel) + address:08x}" for channel in channels)


def _word(command: AddressedCommand, pim: Pim) -> str:
    """The keyword of a command: the sheet's mnemonic of its verb, which the sheet states for each verb of a kernel that
    passed `check_kernel`."""
    op, addressed = command.op, slot(command)
    verb = pim.verbs.get(addressed.verb)
    mnemonic = verb.forms[addressed.scope].mnemonic if verb else addressed.verb
    word = SPELLED.get(mnemonic)
    if word is None:
        raise InputError(
            f"{op.name}: AttAcc's text has no instruction for {mnemonic}; remove the op, or write the program for "
            "another device",
            op,
        )
    return word


def _channels(command: AddressedCommand, pim: Pim) -> Iterable[int]:
    """The numbers of the channels for which a command is written as one line each; a barrier outside of `pim.channels`
    is a single line."""
    return command.channels or (range(pim.channels) if isinstance(command.op, BarrierOp) else (0,))


def _address(command: AddressedCommand, rows: NamedRows, pim: Pim) -> int:
    """The address of a command's first line, without the channel."""
    op, places = command.op, layout(pim)
    if (stated := stated_address(op)) is not None:
        return stated.at(command.values)
    if isinstance(op, ColumnsOp):
        bank, column = slot(command).banks(pim)[0], op.linear("column").at(command.values)
        return places.number(bank=bank, row=rows.row(command), column=column)
    return op.linear("entry").at(command.values) if isinstance(op, LoadOp | SpreadOp) else 0
