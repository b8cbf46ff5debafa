"""PIMFlow traces (the input of PIMFlow_ramulator) as bank programs: the commands of one channel in order.

An address holds, from its highest bit down, bank group, bank (zero), row, column and six zero bits
(PIMFlow:pim/pim_trace.cc). GWRITE fills the whole global buffer, so the n-th one loads row n of the host's memref; the
n-th READRES drains into row n of the result. COMP works on the open row, whatever row its address names.

Two attributes keep information that a command of a bank program does not express, so that a trace can be reproduced
exactly: `text`, the words of a GWRITE with its count and steps, and `address`, if it differs from the one implied by
the command: a constant, and a factor for each enclosing loop, the outermost first.

Written lines have the mnemonics of the data sheet; sheets without a vendor's format use them, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import Float32Type, StringAttr
from xdsl.ir import Operation, SSAValue

from dialects.diagnostics import InputError, note
from dialects.element_types import element_type_named
from dialects.pim import (
    ActivateOp,
    ActOp,
    ColumnsOp,
    DrainOp,
    KernelOp,
    Linear,
    LoadOp,
    MacOp,
    PreOp,
    StepOp,
    Subscript,
)
from dialects.pim.addresses import ADDRESS, addressed, stated_address
from dialects.text.printable import clipped
from interp.kinds.pim.program import on_bus
from interp.machine.records import Pim
from ndpir.traces.addresses import AddressField, AddressLayout
from ndpir.traces.building import Argument, CommandKind, RolledProgram, kernel_of, weight_rows
from ndpir.traces.flat import FlatTrace
from ndpir.traces.lines import Grammar, LineForm, column_of, lines_of
from ndpir.traces.rolling import Ints, roll
from ndpir.traces.walk import AddressedCommand, commands_of, slot

Bools: TypeAlias = NDArray[np.bool_]

GRAMMAR = Grammar("pimflow", "0x00000040 COMP")

TEXT = "text"
"""The attribute of a load or precharge that stores its words in the trace, if a compiled program would print different
words."""

FUNCTION = "relu"
"""The function of ACT_OP: the trace does not specify the function in the table."""
ZERO_BITS = 6
"""Low bits of an address below the column: a column access moves 64 bytes of the address space."""


def layout(pim: Pim) -> AddressLayout:
    """The fields of an address and their bits."""
    return AddressLayout(
        ZERO_BITS,
        (
            AddressField("column", pim.columns),
            AddressField("row", pim.rows),
            AddressField("bank", pim.banks),
            AddressField("group", pim.groups),
        ),
    )


def read(text: str, pim: Pim, file: str, name: str, device: str) -> KernelOp:
    """A trace as a kernel for channel 0. Raises InputError, at line and column, for an invalid command."""
    flat = _bulk(text) or _line_by_line(text, file)
    if not len(flat.codes):
        raise InputError("the trace holds no command; write at least one", f"{file}:1:1")
    _check(flat, text, pim, file)
    if pim.variant_of:
        _tell_what_stops_the_simulator(text, file)
    commands, lines = _commands(flat, pim)
    program = RolledProgram(commands.kinds, roll(commands.codes, commands.numbers), lines)
    return kernel_of(program, commands.arguments, commands.maker, file, name, device)


def flat(text: str, pim: Pim) -> FlatTrace | None:
    """A trace as arrays, for its time alone; None for a trace that `read` must read. Addresses and offsets in host
    memory, which have no effect on time, are left out."""
    read = _bulk(text)
    if read is None or not len(read.codes) or (read.addresses >= layout(pim).size).any():
        return None
    if max(map(_unit, read.forms)) >= pim.groups:
        return None
    samples = (
        f"0x00000000 {words}" if form.fields else words for words, form in zip(read.words, read.forms, strict=True)
    )
    if pim.variant_of and any(NO_REQUEST.search(sample) for sample in samples):  # which `read` tells
        return None
    found, _ = _commands(read, pim)
    timed = np.array([kind.word in ("g_act", "comp") for kind in found.kinds], np.bool_)[found.codes]
    numbers = found.numbers * np.array((1, 1, 0))
    numbers[~timed, 0] = 0
    return replace(found, numbers=numbers)


@dataclass(frozen=True)
class _Flat:
    """Lines as arrays: per line the index of its words, its address (-1: none) and its line number."""

    words: Sequence[str]
    forms: Sequence[LineForm]
    codes: Ints
    addresses: Ints
    lines: Ints


HEX = np.full(256, -1, np.int64)
"""The value of each character as a hexadecimal digit; -1 for characters that are no digit."""
HEX[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)
HEX[np.frombuffer(b"ABCDEF", np.uint8)] = np.arange(10, 16)

HEAD, KEY = 11, 8
"""The number of characters of a line before its words (the address), and the number of characters of the words that are
compared at once."""
MOST_WORDS = 64
"""The largest number of distinct kinds of lines."""


def _bulk(text: str) -> _Flat | None:
    """Parse a trace by array operations on characters, if each line is an address of eight digits and a command, or
    READRES; else None."""
    if not text.isascii():
        return None
    data = np.frombuffer(text.encode(), np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    if not len(ends) or ends[-1] != len(data) - 1:
        return None
    starts = np.concatenate(([0], ends[:-1] + 1))
    size = ends - starts
    data = np.concatenate((data, np.zeros(HEAD + KEY, np.uint8)))
    alone = (size == len("READRES")) & (data[starts] == ord("R"))
    head = data[starts[:, None] + np.arange(HEAD)]
    digits = HEX[head[:, 2:10]]
    fits = (digits >= 0).all(axis=1) & (size > HEAD) & (head[:, 10] == ord(" "))
    if not (fits & (head[:, 0] == ord("0")) & (head[:, 1] == ord("x")) | alone).all():
        return None
    addresses = digits @ (1 << np.arange(28, -1, -4))
    addresses[alone] = -1
    first = np.where(alone, 0, HEAD)
    rest = data[(starts + first)[:, None] + np.arange(KEY)]
    rest[np.arange(KEY) >= (size - first)[:, None]] = 0
    return _with_words(text, rest.view(np.uint64)[:, 0], starts + first, ends, addresses)


def _with_words(text: str, keys: NDArray[np.uint64], starts: Ints, ends: Ints, addresses: Ints) -> _Flat | None:
    """The lines with the index of each line's words. `keys`: the first `KEY` characters of each line's words; lines
    whose words are no longer than that are compared by keys, longer ones as text. None if there are too many
    distinct words, or words that are no command."""
    words: dict[str, int] = {}
    codes = np.full(len(keys), -1)
    left = ends - starts <= KEY
    while left.any():
        at = int(left.argmax())
        codes[same := left & (keys == keys[at])] = words.setdefault(text[starts[at] : ends[at]], len(words))
        left &= ~same
        if len(words) > MOST_WORDS:
            return None
    for at in np.flatnonzero(codes < 0).tolist():
        codes[at] = words.setdefault(text[starts[at] : ends[at]], len(words))
    try:
        forms = [GRAMMAR.instruction(each if each == "READRES" else f"0x0 {each}", ("", 0)).form for each in words]
    except InputError:  # the slow path finds the location
        return None
    return _Flat(list(words), forms, codes, addresses, np.arange(1, len(codes) + 1))


def _line_by_line(text: str, file: str) -> _Flat:
    words: dict[str, int] = {}
    forms: list[LineForm] = []
    rows: list[tuple[int, int, int]] = []
    for number, line in lines_of(text):
        read = GRAMMAR.instruction(line, (file, number))
        has = "address" in read.form.fields
        rest = line.lstrip().partition(" ")[2] if has else line.strip()
        if words.setdefault(rest, len(words)) == len(forms):
            forms.append(read.form)
        rows.append((words[rest], read["address"] if has else -1, number))
    codes, addresses, lines = np.array(rows, np.int64).reshape(-1, 3).T
    return _Flat(list(words), forms, codes, addresses, lines)


def _check(flat: _Flat, text: str, pim: Pim, file: str) -> None:
    """Raise InputError for an address or a group that the device does not have."""
    end = layout(pim).size
    wrong = np.flatnonzero(flat.addresses >= end)
    units = np.array([_unit(form) for form in flat.forms])[flat.codes]
    far = np.flatnonzero(units >= pim.groups)
    if not len(wrong) and not len(far):
        return
    at = min([*wrong[:1].tolist(), *far[:1].tolist()])
    number = int(flat.lines[at])
    line = text.split("\n")[number - 1]
    if flat.addresses[at] >= end:
        message, column = (
            f"the address lies outside of a channel of {pim.name}, which ends at {end:#x}",
            column_of(line, 0),
        )
    else:
        message = f"there is no group {units[at]}; {pim.name} has {pim.groups}"
        column = line.index(flat.forms[int(flat.codes[at])].word) + 1
    raise InputError(message, f"{file}:{number}:{column}")


NO_REQUEST = re.compile(
    r"^(?!\Z|READRES|[ \t]*(?:0[xX])?[0-9a-fA-F]+(?:.*GWRITE.*|. *(?:G_ACT[0-3]|COMP|ACT_OP))$)", re.MULTILINE
)
"""The beginning of a line that stops PIMFlow's simulator (src/Processor.cpp, Trace::get_dramtrace_request)."""


def _tell_what_stops_the_simulator(text: str, file: str) -> None:
    """Emit a note for the first line at which the published simulator aborts, although ndpir can time the line; if no
    line aborts it, for a last line that the simulator ignores because no line feed follows."""
    if (found := NO_REQUEST.search(text)) is not None:
        line = text[found.start() :].partition("\n")[0].strip()
        why = f"`{clipped(line)}` is no request of a trace" if line else "an empty line holds no address"
        note(
            f"PIMFlow's simulator aborts here, since {why} (src/Processor.cpp, get_dramtrace_request); the time "
            "shown follows the sheet and can't be compared with the simulator's",
            f"{file}:{text.count(chr(10), 0, found.start()) + 1}:1",
        )
    elif not text.endswith("\n"):
        note(
            "PIMFlow's simulator ignores a last line without a line feed (src/Processor.cpp, "
            "get_dramtrace_request), but ndpir times it; end the line with a line feed",
            f"{file}:{text.count(chr(10)) + 1}:1",
        )


def _unit(form: LineForm) -> int:
    """The group of a G_ACT; -1 for all groups and for other commands."""
    match = re.fullmatch(r"G_ACT(\d+)", form.word)
    return min(int(match[1]), 1 << 40) if match else -1


def _commands(read: _Flat, pim: Pim) -> tuple[FlatTrace, Ints]:
    """The commands, with consecutive columns as one, and the line of each; the numbers of a command are (row, column or
    count, unit, address)."""
    codes, addresses = read.codes, np.maximum(read.addresses, 0)
    rules = np.array([RULES.index(form.rule) for form in read.forms])[codes]
    units = np.array([_unit(form) for form in read.forms])[codes]
    places = layout(pim)
    rows, columns = places.part("row", addresses), places.part("column", addresses)
    load, act, mac, drain = (rules == at for at in range(4))
    first = np.zeros(len(codes), np.int64)
    first[load], first[drain] = np.arange(load.sum()), np.arange(drain.sum())
    first[act], first[mac] = rows[act], columns[mac]
    opened = _latest(act & (units <= 0), rows)
    usual = np.full(len(codes), -1)
    usual[load] = 0
    usual[act] = places.address(row=rows[act], group=np.maximum(units[act], 0))
    usual[mac] = places.address(row=opened[mac], column=columns[mac])
    odd = usual != read.addresses
    starts = np.flatnonzero(~_continues(mac & ~odd, columns))
    counts = np.diff(np.append(starts, len(codes)))
    keys = ((codes * 2 + odd)[starts] << 32) + counts
    distinct, kinds = np.unique(keys, return_inverse=True)
    numbers = np.stack((first[starts], np.maximum(units[starts], 0), np.where(odd, read.addresses, 0)[starts]), axis=1)
    shapes = [
        Argument("x", (max(int(load.sum()), 1), pim.buffer_columns * pim.lanes), element_type_named(pim.element)),
        *weight_rows(np.unique(rows[act]).tolist(), 1, pim),
        Argument("y", (max(int(drain.sum()), 1), pim.banks_per_channel), Float32Type(), output=True),
    ]
    keyed = [_kind(int(key), read) for key in distinct]
    none = np.full(len(kinds), -1)
    found = FlatTrace(keyed, kinds, numbers, none, shapes, lambda values: _Maker(pim, values).make)
    return found, read.lines[starts]


def _latest(flags: Bools, values: Ints) -> Ints:
    """For each index, the value at the last index before it whose flag is set; 0 if there is none."""
    last = np.maximum.accumulate(np.where(flags, np.arange(len(flags)), -1))
    return np.where(last >= 0, values[last], 0)


def _continues(flags: Bools, columns: Ints) -> Bools:
    """For each index a flag: True for a flagged command whose column directly follows that of the previous flagged
    command."""
    found = np.zeros(len(flags), np.bool_)
    found[1:] = flags[1:] & flags[:-1] & (columns[1:] == columns[:-1] + 1)
    return found


RULES = ("gwrite", "g_act", "comp", "readres", "prea", "act_op")


def _kind(key: int, flat: _Flat) -> CommandKind:
    code, odd, count = key >> 33, bool(key >> 32 & 1), key & 0xFFFFFFFF
    form = flat.forms[code]
    return CommandKind(form.rule, (), count, "group" if _unit(form) >= 0 else "all", flat.words[code], odd)


@dataclass(frozen=True)
class _Maker:
    """Builds the ops of commands; the numbers of a command are (row, column or count, unit, address)."""

    pim: Pim
    values: dict[str, SSAValue]

    def make(self, kind: CommandKind, numbers: Sequence[Linear], place: Linear, loops: Sequence[SSAValue]) -> Operation:
        op = self.plain(kind, numbers)
        if kind.word == "prea" or (kind.word == "gwrite" and kind.text != self.pim.verbs["load"].mnemonic):
            op.attributes[TEXT] = StringAttr(kind.text)
        if kind.odd:
            op.attributes[ADDRESS] = addressed(numbers[2], loops)
        return op

    def plain(self, kind: CommandKind, numbers: Sequence[Linear]) -> Operation:
        first, unit, _ = numbers
        match kind.word:
            case "gwrite":
                return LoadOp(self.values["x"], [Subscript(first)])
            case "g_act":
                return ActOp(first, kind.scope, unit)
            case "comp":
                return MacOp(Subscript(first, kind.columns))
            case "act_op":
                return ActivateOp(FUNCTION)
            case "readres":
                return DrainOp(self.values["y"], [Subscript(first)])
            case _:
                return PreOp()


def lines(kernel: KernelOp, pim: Pim, channel: int) -> Iterator[str] | None:
    """The lines of a channel's commands in order; None if the channel has no commands."""
    commands = commands_of(kernel.body.block, channel)
    first = next(commands, None)
    # Without `pim.channels`, the program is channel 0's.
    if first is None or (not first.channels and channel):
        return None
    return _lines(_Writer(pim), first, commands)


def _lines(writer: _Writer, first: AddressedCommand, others: Iterator[AddressedCommand]) -> Iterator[str]:
    yield from writer.lines(first)
    for command in others:
        yield from writer.lines(command)


class _Writer:
    """The writer of a channel's lines, which tracks the open row of each bank for the addresses of later commands."""

    def __init__(self, pim: Pim) -> None:
        self.pim, self.layout = pim, layout(pim)
        self.rows = [0] * pim.banks_per_channel
        self.noted = False
        """True if the note about omitted precharges was emitted."""

    def lines(self, command: AddressedCommand) -> Iterator[str]:
        op, address, pim = command.op, self.layout.number, self.pim
        if isinstance(op, StepOp):
            yield op.text.data
            return
        if not on_bus(op, pim):
            return
        if pim.trace and isinstance(op, PreOp) and TEXT not in op.attributes:
            if not self.noted:
                note(
                    "pim-trace: pim.pre is left out, since PIMFlow's traces have no precharge: its simulator opens a "
                    "row without closing the open one",
                    op,
                )
            self.noted = True
            return
        to, stated = slot(command), stated_address(op)
        verb = pim.verbs[to.verb]
        form = verb.forms.get(to.scope)
        word = (form.mnemonic if form else verb.mnemonic) + ("" if to.scope == "all" else str(to.unit))
        banks = to.banks(pim)
        group, bank = divmod(banks.start, pim.banks)
        if stated is not None:
            if isinstance(op, ActOp):
                self.open(banks, op.linear("row").at(command.values))
            yield f"0x{stated.at(command.values):08x} {_words(op, word)}"
        elif isinstance(op, LoadOp):
            first = op.linear("entry").at(command.values)
            for column in range(first, first + op.buffer_columns(pim.lanes), pim.load_columns):
                yield f"0x{address(column=column):08x} {_words(op, word)}"
        elif isinstance(op, ActOp):
            row = op.linear("row").at(command.values)
            self.open(banks, row)
            yield f"0x{address(group=group, bank=bank, row=row):08x} {word}"
        elif isinstance(op, ColumnsOp):
            first, row = op.linear("column").at(command.values), self.rows[banks.start]
            for column in range(first, first + op.columns.extent):
                yield f"0x{address(group=group, bank=bank, row=row, column=column):08x} {word}"
        else:
            yield word

    def open(self, banks: range, row: int) -> None:
        for at in banks:
            self.rows[at] = row


def _words(op: object, word: str) -> str:
    text = op.attributes.get(TEXT) if isinstance(op, LoadOp) else None
    return text.data if isinstance(text, StringAttr) else word
