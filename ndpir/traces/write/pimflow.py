"""Writes the commands of one channel as a PIMFlow trace: `0xADDRESS COMMAND` per line, with the mnemonics of the data
sheet (ndpir/traces/read/pimflow.py reads it back). Sheets without a vendor's format use it too."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import StringAttr

from dialects.diagnostics import note
from dialects.pim import ActOp, ColumnsOp, KernelOp, LoadOp, PreOp, StepOp
from dialects.pim.addresses import stated_address
from interp.kinds.pim.program import on_bus
from interp.machine.records import Pim
from ndpir.traces.read.pimflow import TEXT, layout
from ndpir.traces.write.walk import AddressedCommand, commands_of, slot


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
