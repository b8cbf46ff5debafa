"""Writes a kernel as an AttAcc trace: one request per line, for all channels (ndpir/traces/read/attacc.py reads it
back).

A trace has no commands that open rows; each address contains the row that the kernel opened last. A command for several
channels or columns becomes one line for each of them. Its keyword is the sheet's mnemonic, so a drain is the move to
the softmax buffer by which results leave the stack. The format carries no data: host memory, the buffer columns of a
multiply, and the sums that a drain adds to are not represented.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dialects.diagnostics import InputError
from dialects.pim import ActOp, BarrierOp, ColumnsOp, KernelOp, LoadOp, PreOp, ReadOp, SpreadOp, WriteOp
from dialects.pim.addresses import stated_address
from interp.machine.records import Pim
from ndpir.traces.read.attacc import WORDS, layout
from ndpir.traces.write.walk import AddressedCommand, NamedRows, commands_of, slot

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
            step = places.number(column=1) if isinstance(op, ColumnsOp) else 1
            for address in range(first, first + op.issues(pim.lanes, pim.load_columns) * step, step):
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
    if isinstance(op, ReadOp | WriteOp) and not op.by_host:
        raise InputError(
            f"{op.name}: in AttAcc's text, {word} is an ordinary access of the host, which the controllers schedule by "
            "themselves; mark the op {host} if it is one",
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
