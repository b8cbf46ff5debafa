"""Finds the n-th command of a channel's program, and its operands, without following the loops before it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Block, SSAValue

from dialects.locations import place_of
from dialects.pim import ChannelsOp, CommandOp, ForOp, KernelOp, Linear, ScopedOp
from dialects.pim.loops import range_of
from interp.kinds.pim.program import issues, on_bus
from interp.kinds.pim.timing.streams import NO_ROW, table_row
from interp.machine.records import Pim, Scope

SPACES = ("column", "buffer", "accumulator")
"""The spaces, besides rows, whose indices `Operands` contains."""


class Operands(NamedTuple):
    """The operands of one command on a channel's bus: the numbers of its row, column, buffer column and accumulator,
    each -1 if the command names none. Of several columns (`pim.add` reads two) it has the first in the command's
    text."""

    row: int = NO_ROW
    column: int = -1
    buffer: int = -1
    accumulator: int = -1
    place: str = ""
    """The source location of the command's op."""


@dataclass(frozen=True, eq=False)
class _Loop:
    """A loop: its variable, the values of the variable, and its body."""

    variable: SSAValue
    values: range
    body: _Sequence

    @property
    def count(self) -> int:
        """The number of bus commands of all iterations."""
        return len(self.values) * self.body.count


@dataclass(frozen=True, eq=False)
class _Command:
    """A command op: `count` bus commands, the scope and unit that it addresses, its index in each of the `SPACES` with
    its increment from one bus command to the next, and the row that it names."""

    count: int
    scope: Scope
    unit: Linear
    indices: tuple[tuple[Linear, int] | None, ...]
    names: Linear | None
    uses: bool
    """True if the command uses, or closes, the row that the program named last for its banks."""
    row: int
    """The row of an activation table; -1 if it uses none."""
    place: str

    @property
    def steps(self) -> tuple[int, int, int]:
        """The increments of the command's indices in `SPACES` from one of its bus commands to the next."""
        column, buffer, accumulator = (0 if each is None else each[1] for each in self.indices)
        return column, buffer, accumulator


class _Run(NamedTuple):
    """The bus commands of an op in one iteration, by number from `first` to `end` - 1: the operands of the first one,
    and the increments of its indices."""

    first: int
    end: int
    operands: Operands
    steps: tuple[int, int, int]


@dataclass
class _Sequence:
    """Commands and loops (`parts`) in program order. `starts`: for each part, the number of bus commands before it;
    `count`: the number of bus commands of all parts. `named`: the banks for which some command may name a row."""

    parts: list[_Command | _Loop] = field(default_factory=list["_Command | _Loop"])
    starts: list[int] = field(default_factory=list[int])
    count: int = 0
    named: set[int] = field(default_factory=set[int])

    def add(self, part: _Command | _Loop) -> None:
        self.parts.append(part)
        self.starts.append(self.count)
        self.count += part.count


class ProgramOrder:
    """The bus commands of one channel of a kernel that `check_kernel` has accepted, numbered from 0 in program order.
    Commands that only the channel's controller issues have no number."""

    def __init__(self, kernel: KernelOp, pim: Pim, channel: int) -> None:
        self.pim, self.channel = pim, channel
        self.all = _Sequence()
        self._add(kernel.body.block, self.all)
        self._run: _Run | None = None

    def operands(self, number: int) -> Operands:
        """The operands of the bus command with a given number."""
        run = self._run
        if run is None or not run.first <= number < run.end:
            run = self._run = self._find(number)
        turn, operands = number - run.first, run.operands
        if not turn or run.steps == (0, 0, 0):
            return operands
        column, buffer, accumulator = run.steps
        return Operands(
            operands.row,
            operands.column + turn * column,
            operands.buffer + turn * buffer,
            operands.accumulator + turn * accumulator,
            operands.place,
        )

    def named_row(self, bank: int, number: int) -> int:
        """The row that the program named last for a bank before the bus command with a given number."""
        found = self._named(self.all, bank, {}, number)
        return NO_ROW if found is None else found

    # The parts of a program.

    def _add(self, block: Block, sequence: _Sequence) -> None:
        for op in block.ops:
            if isinstance(op, CommandOp):
                self._add_command(op, sequence)
            elif isinstance(op, ForOp):
                body = _Sequence()
                self._add(op.body.block, body)
                sequence.add(_Loop(op.variable, op.values, body))
                sequence.named |= body.named
            elif isinstance(op, ChannelsOp) and self.channel in op.numbers():
                self._add(op.body.block, sequence)

    def _add_command(self, op: CommandOp, sequence: _Sequence) -> None:
        pim = self.pim
        rows = op.using("row", "names")
        # Where the controller opens rows, an activate only names a row.
        issued = on_bus(op, pim) and not (rows and pim.rows_by == "controller")
        if not issued and not rows:
            return
        scope, unit = (op.reach, op.linear("unit")) if isinstance(op, ScopedOp) else ("all", Linear())
        count = issues(op, pim)
        form = pim.verbs[op.COMMAND.verb].forms.get(scope)
        by_table = op.table is not None and not (form and form.rowless)
        sequence.add(
            _Command(
                count if issued else 0,
                scope,
                unit,
                tuple(self._index(op, space, count) for space in SPACES),
                op.linear(*rows) if rows else None,
                (op.COMMAND.needs_row and not by_table) or op.COMMAND.row == "closes",
                table_row(op.table) if by_table and op.table is not None else NO_ROW,
                place_of(op) or "",
            )
        )
        if rows:
            low, high = unit.bounds(range_of)
            sequence.named |= {bank for each in range(low, high + 1) for bank in pim.banks_of(scope, each)}

    def _index(self, op: CommandOp, space: str, issues: int) -> tuple[Linear, int] | None:
        """The index expression of a command in a space, and its increment from one bus command to the next."""
        for name, indexed in op.EXPRESSIONS.items():
            if indexed == space:
                extent = op.extent(name, self.pim.lanes)
                return op.linear(name), -(-extent // issues) if extent > 1 and issues else 0
        return None

    # Search by number.

    def _find(self, number: int) -> _Run:
        sequence, values, left = self.all, dict[SSAValue, int](), number
        while True:
            at = bisect_right(sequence.starts, left) - 1
            part, left = sequence.parts[at], left - sequence.starts[at]
            if isinstance(part, _Command):
                break
            iteration, left = divmod(left, part.body.count)
            values[part.variable] = part.values[iteration]
            sequence = part.body
        row = part.row
        if part.names is not None:
            row = part.names.at(values)
        elif part.uses:
            row = self.named_row(self.pim.banks_of(part.scope, part.unit.at(values))[0], number)
        column, buffer, accumulator = (-1 if each is None else each[0].at(values) for each in part.indices)
        operands = Operands(row, column, buffer, accumulator, part.place)
        return _Run(number - left, number - left + part.count, operands, part.steps)

    def _named(
        self, sequence: _Sequence, bank: int, values: dict[SSAValue, int], number: int | None = None
    ) -> int | None:
        """The row that the program named last for a bank in a sequence or, if `number` is given, in the first `number`
        bus commands of the sequence; None if it named none there."""
        last, found = len(sequence.parts), None
        if number is not None and number < sequence.count:
            last = bisect_right(sequence.starts, number) - 1
            part = sequence.parts[last]
            if isinstance(part, _Loop):
                found = self._in_loop(part, bank, values, *divmod(number - sequence.starts[last], part.body.count))
        for part in reversed(sequence.parts[:last]):
            if found is not None:
                break
            if isinstance(part, _Loop):
                found = self._in_loop(part, bank, values, len(part.values), None)
            elif part.names is not None and bank in self.pim.banks_of(part.scope, part.unit.at(values)):
                found = part.names.at(values)
        return found

    def _in_loop(
        self, loop: _Loop, bank: int, values: dict[SSAValue, int], done: int, inside: int | None
    ) -> int | None:
        """The row named last for a bank after `done` iterations of a loop, and `inside` bus commands of the next."""
        if bank not in loop.body.named:
            return None
        if inside is not None:
            found = self._named(loop.body, bank, values | {loop.variable: loop.values[done]}, inside)
            if found is not None:
                return found
        for iteration in range(done - 1, -1, -1):
            found = self._named(loop.body, bank, values | {loop.variable: loop.values[iteration]})
            if found is not None:
                return found
        return None
