"""Finds the n-th command of a channel's program, and its operands, without following the loops before it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Block, SSAValue

from dialects.locations import place_of
from dialects.pim import ChannelsOp, CommandOp, ForOp, KernelOp, ScopedOp
from interp.banks.program import Slot, on_bus, slot_of
from interp.banks.timing.streams import NO_ROW, table_row
from interp.machine.records import Pim, Scope

SPACES = ("column", "buffer", "accumulator")
"""The spaces, besides rows, whose indices a logged command states."""


class Operands(NamedTuple):
    """The operands of one command on a channel's bus. An index is -1 if the command has none of its kind; of several
    columns (`pim.add` reads two) it is the first in the command's text."""

    op: CommandOp | None
    row: int = NO_ROW
    column: int = -1
    buffer: int = -1
    accumulator: int = -1

    @property
    def place(self) -> str:
        """The line of the program that the command comes from."""
        return "" if self.op is None else place_of(self.op) or ""


class _Turn(NamedTuple):
    """The `turn`-th bus command of an op, under these values of the loop variables."""

    op: CommandOp
    values: Mapping[SSAValue, int]
    turn: int


@dataclass(frozen=True)
class _Part:
    """A command, or a loop with its body, and its number of bus commands."""

    op: CommandOp | ForOp
    count: int
    body: _Sequence | None = None


@dataclass
class _Sequence:
    """Commands and loops in program order. `starts`: the number of bus commands before each part; `count`: of all
    parts. `named`: the banks whose rows some command names."""

    parts: list[_Part] = field(default_factory=list[_Part])
    starts: list[int] = field(default_factory=list[int])
    count: int = 0
    named: set[int] = field(default_factory=set[int])

    def add(self, part: _Part) -> None:
        self.parts.append(part)
        self.starts.append(self.count)
        self.count += part.count


class ProgramOrder:
    """The bus commands of one channel of a kernel that `check_kernel` has accepted, numbered from 0 in program
    order; commands that only the channel's controller issues have no number."""

    def __init__(self, kernel: KernelOp, pim: Pim, channel: int) -> None:
        self.pim, self.channel = pim, channel
        self.managed = pim.rows_by == "controller"
        self.all = _Sequence()
        self._add(kernel.body.block, self.all)

    def operands(self, number: int) -> Operands:
        """The operands of the command of a number."""
        op, values, turn = self._at(number)
        found = dict.fromkeys(SPACES, -1)
        issues = op.issues(self.pim.lanes, self.pim.load_columns)
        for name, space in reversed(list(op.EXPRESSIONS.items())):
            if space in found:
                extent = op.extent(name, self.pim.lanes)
                step = -(-extent // issues) if extent > 1 else 0
                found[space] = op.linear(name).at(values) + turn * step
        return Operands(op, self._row(op, values, number), **found)

    def named_row(self, bank: int, number: int) -> int:
        """The row that the program named last for a bank, before the command of a number."""
        found = self._named(self.all, bank, {}, number)
        return NO_ROW if found is None else found

    def _row(self, op: CommandOp, values: Mapping[SSAValue, int], number: int) -> int:
        if rows := op.using("row", "names"):
            return op.linear(*rows).at(values)
        slot = slot_of(op, dict(values))
        form = self.pim.verbs[slot.verb].forms[slot.scope]
        if op.table is not None and not form.rowless:
            return table_row(op.table)
        if op.COMMAND.needs_row or op.COMMAND.row == "closes":
            return self.named_row(slot.banks(self.pim)[0], number)
        return NO_ROW

    def _add(self, block: Block, sequence: _Sequence) -> None:
        for op in block.ops:
            if isinstance(op, CommandOp):
                is_named = bool(op.using("row", "names"))
                issued = on_bus(op, self.pim) and not (self.managed and is_named)
                if issued or is_named:
                    sequence.add(_Part(op, op.issues(self.pim.lanes, self.pim.load_columns) if issued else 0))
                if is_named:
                    sequence.named |= self._reached(op)
            elif isinstance(op, ForOp):
                body = _Sequence()
                self._add(op.body.block, body)
                sequence.add(_Part(op, body.count * len(op.values), body))
                sequence.named |= body.named
            elif isinstance(op, ChannelsOp) and self.channel in op.numbers():
                self._add(op.body.block, sequence)

    def _reached(self, op: CommandOp) -> set[int]:
        """The banks that an op may address."""
        if not isinstance(op, ScopedOp):
            return set(self.pim.banks_of("all", 0))
        low, high = op.linear("unit").bounds()
        scope: Scope = op.reach
        return {bank for unit in range(low, high + 1) for bank in self.pim.banks_of(scope, unit)}

    def _at(self, number: int) -> _Turn:
        sequence, values = self.all, dict[SSAValue, int]()
        while True:
            at = bisect_right(sequence.starts, number) - 1
            part, number = sequence.parts[at], number - sequence.starts[at]
            if part.body is None:
                assert isinstance(part.op, CommandOp)
                return _Turn(part.op, values, number)
            assert isinstance(part.op, ForOp)
            iteration, number = divmod(number, part.body.count)
            values[part.op.body.block.args[0]] = part.op.values[iteration]
            sequence = part.body

    def _named(
        self, sequence: _Sequence, bank: int, values: dict[SSAValue, int], number: int | None = None
    ) -> int | None:
        """The row named last for a bank in a sequence, or in its first `number` bus commands."""
        last = len(sequence.parts)
        if number is not None and number < sequence.count:
            last = bisect_right(sequence.starts, number) - 1
            part = sequence.parts[last]
            if part.body is not None and part.body.count:
                done, inside = divmod(number - sequence.starts[last], part.body.count)
                if (found := self._in_loop(part, bank, values, done, inside)) is not None:
                    return found
        for part in reversed(sequence.parts[:last]):
            if part.body is not None:
                assert isinstance(part.op, ForOp)
                found = self._in_loop(part, bank, values, len(part.op.values), None)
            else:
                found = self._by(part.op, bank, values)
            if found is not None:
                return found
        return None

    def _in_loop(
        self, part: _Part, bank: int, values: dict[SSAValue, int], done: int, inside: int | None
    ) -> int | None:
        """The row named last for a bank after `done` iterations of a loop, and `inside` bus commands of the next."""
        assert isinstance(part.op, ForOp)
        assert part.body is not None
        if bank not in part.body.named:
            return None
        variable = part.op.body.block.args[0]
        if inside is not None:
            found = self._named(part.body, bank, values | {variable: part.op.values[done]}, inside)
            if found is not None:
                return found
        for iteration in range(done - 1, -1, -1):
            found = self._named(part.body, bank, values | {variable: part.op.values[iteration]})
            if found is not None:
                return found
        return None

    def _by(self, op: CommandOp | ForOp, bank: int, values: dict[SSAValue, int]) -> int | None:
        if not isinstance(op, CommandOp) or not (rows := op.using("row", "names")):
            return None
        slot: Slot = slot_of(op, values)
        return op.linear(*rows).at(values) if bank in slot.banks(self.pim) else None
