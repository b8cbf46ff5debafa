"""A kernel as an AttAcc trace: a request a line, for all channels (ndpir/frontends/traces/attacc.py reads it back).

The text opens no rows: an address names the row that was opened last. A command for several channels is a line for each
of them, and one for several columns takes these one by one.
"""

from __future__ import annotations

from collections.abc import Iterator

from dialects.diagnostics import InputError
from dialects.pim import ActOp, ColumnsOp, CommandOp, KernelOp, LoadOp, PreOp, ScopedOp, SpreadOp
from dialects.pim.addresses import stated_address
from interp.sheet import Pim
from ndpir.frontends.traces.attacc import WORDS, layout
from ndpir.targets.pim_trace_walk import Rows, Told, commands_of, slot

SPELLED = {(word.verb, word.scope): text for text, word in WORDS.items()}


def lines(kernel: KernelOp, pim: Pim) -> Iterator[str]:
    """All lines of a kernel. Raises InputError for what the text can't say."""
    places, rows = layout(pim), Rows(pim)
    for told in commands_of(kernel.body.block):
        op = told.op
        if isinstance(op, ActOp):
            rows.name(told, op.linear("row").at(told.values))
        elif not isinstance(op, PreOp):
            word, channels = _word(op), told.channels or (0,)
            first = _address(told, rows, pim)
            step = places.number(column=1) if isinstance(op, ColumnsOp) else 1
            for address in range(first, first + _count(op, pim) * step, step):
                yield from (f"{word} 0x{places.number(channel=channel) + address:08x}" for channel in channels)


def _word(op: CommandOp) -> str:
    scope = op.reach if isinstance(op, ScopedOp) else "all"
    word = SPELLED.get((op.COMMAND.verb, scope))
    if word is None:
        raise InputError(f"{op.name}: AttAcc's text has no word for it at this scope ({scope})", op)
    return word


def _count(op: CommandOp, pim: Pim) -> int:
    """How many lines a channel takes."""
    if isinstance(op, ColumnsOp):
        return op.columns.extent
    return op.buffer_columns(pim.lanes) if isinstance(op, LoadOp | SpreadOp) else 1


def _address(told: Told, rows: Rows, pim: Pim) -> int:
    """The address of a command's first line, less its channel."""
    op, places = told.op, layout(pim)
    if (stated := stated_address(op)) is not None:
        return stated.at(told.values)
    if isinstance(op, ColumnsOp):
        bank, column = slot(told).banks(pim)[0], op.linear("column").at(told.values)
        return places.number(bank=bank, row=rows.row(told), column=column)
    return op.linear("entry").at(told.values) if isinstance(op, LoadOp | SpreadOp) else 0
