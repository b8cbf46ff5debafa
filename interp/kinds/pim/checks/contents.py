"""Finds reads of row columns that certainly hold no data, without running the bank program.

Rows and columns of commands in loops are treated as ranges. A read is refused only if it is certain to fail: it reads
every combination of a row and a column in its ranges, and for at least one combination no operand fills the column and
no command may have written it. All other reads are left to a run with numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from dialects.pim import CommandOp, ForOp, KernelOp, Linear, memref_of
from dialects.pim.loops import range_of
from interp.kinds.pim.checks.sentences import (
    beyond_the_weights,
    holds_a_weight,
    holds_nothing,
    never_written,
    no_weight,
)
from interp.kinds.pim.program import walk_commands
from interp.machine.records import Pim


class Opening(NamedTuple):
    """An activate, and the number of the row that it opens, as an expression of loop variables; only loop variables
    without a known value remain in it."""

    op: CommandOp
    row: Linear


class WrittenColumns(NamedTuple):
    """The columns that a command may have written: columns `first` to `last` of the rows that an activate (its index,
    `opening`) opens, in the banks `banks` (as bits)."""

    opening: int
    banks: int
    first: int
    last: int


class ColumnAccess(NamedTuple):
    """The columns that a command reads or writes: `extent` columns from `column` on, in the banks `banks` (as bits)."""

    column: Linear
    extent: int
    banks: int


class BankOperand(NamedTuple):
    """A range of rows and columns that an operand of the kernel fills before the program starts."""

    rows: range
    columns: int
    channels: int


class Contents:
    """The columns of the rows of some channels that hold data, as far as this is certain without running the
    program."""

    def __init__(self, kernel: KernelOp, pim: Pim, channels: Sequence[int]) -> None:
        self.pim, self.last_channel = pim, max(channels)
        self.operands: list[BankOperand] = []
        for value, row in kernel.in_banks.items():
            count, rows, _, columns, _ = memref_of(value).get_shape()
            self.operands.append(BankOperand(range(row, row + rows), columns, count))
        self.openings: list[Opening] = []
        self._opening_ids: dict[Opening, int] = {}
        self.written: list[WrittenColumns] = []
        self._written_ids: dict[WrittenColumns, int] = {}
        self._of_row: dict[int | None, list[int]] = defaultdict(list)
        self.writers = [op for op in walk_commands(kernel) if _accesses(op, -1, pim)[1]]
        self._steady: dict[Operation, bool] = {}

    def opening(self, op: CommandOp, values: dict[SSAValue, int]) -> int:
        """The index, in the list of all activates, of an activate op under these values of the loop variables."""
        opening = Opening(op, op.linear(*op.using("row", "names")).given(values))
        if opening not in self._opening_ids:
            self._opening_ids[opening] = len(self.openings)
            self.openings.append(opening)
        return self._opening_ids[opening]

    def used(self, op: CommandOp, banks: int) -> int:
        """The addressed banks whose rows a command uses, as bits."""
        return sum(_thirds(banks, self.pim)) if op.COMMAND.grouped else banks

    def after(
        self,
        op: CommandOp,
        opened: Iterable[tuple[int, int]],
        written: int,
        banks: int,
        values: dict[SSAValue, int],
    ) -> int:
        """The entries of `WrittenColumns` that exist after a command on open rows, as bits; `written` are those before
        it. Raises InputError for a read of a column that certainly holds no data, and for a write to a column that
        holds a weight."""
        reads, writes = _accesses(op, banks, self.pim)
        rows = self._by_row(op, opened)
        for access in reads:
            for number, mask in rows:
                if here := mask & access.banks:
                    found = ColumnAccess(access.column.given(values), access.extent, here)
                    self._read(op, self.openings[number], found, written)
        for access in writes:
            column = access.column.given(values)
            for number, mask in rows:
                if here := mask & access.banks:
                    self._refuse_weights(op, self.openings[number], column)
                    written |= 1 << self._write(number, ColumnAccess(column, access.extent, here))
        return written

    def _by_row(self, op: CommandOp, opened: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Open rows in ascending order of row number, as pairs (index of the activate, banks as bits); this is the
        order in which a run with numbers accesses them. Outside of loops, activates of the same row number are
        merged into one pair."""
        rows = sorted(opened, key=lambda row: self.openings[row[0]].row.bounds(range_of)[0])
        if any(True for _ in _loops(op)):
            return rows
        merged: dict[Linear, tuple[int, int]] = {}
        for number, mask in rows:
            first, before = merged.setdefault(self.openings[number].row, (number, 0))
            merged[self.openings[number].row] = first, before | mask
        return list(merged.values())

    def _write(self, opening: int, access: ColumnAccess) -> int:
        low, high = access.column.bounds(range_of)
        box = WrittenColumns(opening, access.banks, low, high + access.extent - 1)
        if box not in self._written_ids:
            self._written_ids[box] = len(self.written)
            row = self.openings[opening].row
            self._of_row[None if row.terms else row.constant].append(len(self.written))
            self.written.append(box)
        return self._written_ids[box]

    def _refuse_weights(self, op: CommandOp, opening: Opening, column: Linear) -> None:
        if self._certain(op, opening, column) and not op.appends:
            first = column.bounds(range_of)[0]
            for row in opening.row.bounds(range_of):
                operand = self._operand(row)
                if operand is not None and first < operand.columns:
                    raise holds_a_weight(op, first, row, operand.columns)

    def _read(self, op: CommandOp, opening: Opening, access: ColumnAccess, written: int) -> None:
        if not self._certain(op, opening, access.column):
            return
        (low, high), count = access.column.bounds(range_of), access.extent
        ends = range(low, low + count) if low == high else (low, low + count - 1, high, high + count - 1)
        for row in opening.row.bounds(range_of):
            operand = self._operand(row)
            if operand is not None and high + count <= operand.columns and self.last_channel < operand.channels:
                continue
            for at in ends:
                self._read_one(op, row, at, access.banks, written, high + count - 1)

    def _read_one(self, op: CommandOp, row: int, column: int, banks: int, written: int, last: int) -> None:
        operand = self._operand(row)
        has_channel = operand is not None and self.last_channel < operand.channels
        if has_channel and operand is not None and column < operand.columns:
            return
        here = [self.written[at] for at in (*self._of_row[row], *self._of_row[None]) if written >> at & 1]
        here = [box for box in here if self._may_be(box, row)]
        missing = banks & ~sum_of(box.banks for box in here if box.first <= column <= box.last)
        missing &= ~sum_of(self._around(op, column))
        if not missing:
            return
        if here:
            raise never_written(op, column, row, (missing & -missing).bit_length() - 1)
        if operand is None:
            raise holds_nothing(op, row)
        if not has_channel and column < operand.columns:
            raise beyond_the_weights(op, self.last_channel, row, operand.channels)
        raise no_weight(op, row, operand.columns, last)

    def _may_be(self, box: WrittenColumns, row: int) -> bool:
        low, high = self.openings[box.opening].row.bounds(range_of)
        return low <= row <= high

    def _around(self, op: CommandOp, column: int) -> Iterable[int]:
        """The banks, as bits, in which a column may be written by commands of a loop that also contains the op; these
        may run before the op, in an earlier iteration."""
        loops = set(_loops(op))
        for writer in self.writers if loops else ():
            if loops & set(_loops(writer)):
                for access in _accesses(writer, -1, self.pim)[1]:
                    low, high = access.column.bounds(range_of)
                    if low <= column < high + access.extent:
                        yield access.banks

    def _operand(self, row: int) -> BankOperand | None:
        return next((operand for operand in self.operands if row in operand.rows), None)

    def _certain(self, op: CommandOp, opening: Opening, column: Linear) -> bool:
        """True if the op certainly accesses each column of its range in each row that an activate may open."""
        of_row, of_column = (set(expression.variables) for expression in (opening.row, column))
        if not of_row and not of_column:
            return True
        if of_row & of_column:
            return False
        before = _comes_before(opening.op, op)
        if of_row and not before:
            return False
        around = set(_loops(opening.op))
        loops = [variable.owner.parent_op() for variable in of_column if not isinstance(variable.owner, Operation)]
        return all((before if loop in around else self._keeps_rows(loop)) for loop in loops)

    def _keeps_rows(self, loop: Operation | None) -> bool:
        """True if no command in a loop opens or closes rows."""
        if loop is None:
            return False
        if loop not in self._steady:
            self._steady[loop] = not any(op.COMMAND.row in ("opens", "closes") for op in walk_commands(loop))
        return self._steady[loop]


def sum_of(masks: Iterable[int]) -> int:
    """The bitwise union of some masks."""
    found = 0
    for mask in masks:
        found |= mask
    return found


def _thirds(banks: int, pim: Pim) -> tuple[int, int, int]:
    """Three masks of banks, as bits: the first bank of each addressed group, the second bank of each, and the third of
    each."""
    bank_count = pim.banks_per_channel
    left, right, target = (banks & sum(1 << bank for bank in range(at, bank_count, pim.banks)) for at in range(3))
    return left, right, target


def _accesses(op: CommandOp, banks: int, pim: Pim) -> tuple[list[ColumnAccess], list[ColumnAccess]]:
    """The columns that a command reads, and the columns that it writes."""

    def access(name: str, banks: int) -> ColumnAccess:
        return ColumnAccess(op.linear(name), op.extent(name, pim.lanes), banks)

    if op.COMMAND.grouped:
        left, right, target = (access("column", third) for third in _thirds(banks, pim))
        return [left, right], [target]
    reads, writes = ([access(name, banks) for name in op.using("column", use)] for use in ("reads", "writes"))
    return reads, writes


def _loops(op: Operation) -> Iterable[ForOp]:
    around = op.parent_op()
    while around is not None:
        if isinstance(around, ForOp):
            yield around
        around = around.parent_op()


def _comes_before(first: Operation, op: Operation) -> bool:
    """True if `op` runs after `first` in every execution of the block that contains `first`."""
    block, here = first.parent_block(), op
    while here is not None and here.parent_block() is not block:
        here = here.parent_op()
    return here is not None and here is not first and first.is_before_in_block(here)
