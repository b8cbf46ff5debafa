"""Finds commands whose row is the row that their banks used last, so that no activate is needed, by symbolic comparison
of index expressions and before any timing is computed.

Where controllers open rows, a command's row is the row named for its banks (`pim.act`), and the open row of a bank is
that of the last command that used the bank. Both follow from program order, so the comparison does not depend on
timing. In a loop, the result of the comparison is the same from the second iteration on, unless it depends on the loop
variable; then the loop is unrolled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from xdsl.ir import SSAValue

from dialects.diagnostics import InputError
from dialects.pim import CommandOp, Linear
from dialects.pim.loops import range_of
from interp.machine.records import Pim

Row: TypeAlias = "Linear | str | None"
"""A row number as an expression of loop variables; the name of an activation table; or None if no row is known yet."""


class Ambiguous(Exception):
    """Raised if the equality of two rows depends on the value of a loop variable."""

    def __init__(self, variables: frozenset[SSAValue]) -> None:
        super().__init__()
        self.variables = variables


class BankRows(NamedTuple):
    """Two rows for each bank of a channel: the row that the program named last for the bank (`named`), and the row that
    the bank used last (`used`). They are the same for all channels of a class."""

    named: tuple[Row, ...]
    used: tuple[Row, ...]

    @staticmethod
    def untouched(pim: Pim) -> BankRows:
        none = (None,) * pim.banks_per_channel
        return BankRows(none, none)

    def mapped(self, change: Callable[[Linear], Linear]) -> BankRows:
        """A copy with all expressions transformed."""
        known: dict[int, Row] = {}

        def changed(rows: tuple[Row, ...]) -> tuple[Row, ...]:
            if _is_uniform(rows):
                first = rows[0]
                return (change(first),) * len(rows) if isinstance(first, Linear) and first.terms else rows
            found: list[Row] = []
            for row in rows:
                if isinstance(row, Linear) and row.terms:
                    if id(row) not in known:
                        known[id(row)] = change(row)
                    row = known[id(row)]
                found.append(row)
            return tuple(found)

        return BankRows(changed(self.named), changed(self.used))

    def forgotten(self) -> BankRows:
        """A copy without the rows that banks used last."""
        return self._replace(used=(None,) * len(self.used))

    def completed(self, before: BankRows) -> BankRows:
        """A copy in which banks without a last used row take theirs from `before`."""
        return self._replace(
            used=tuple(old if new is None else new for new, old in zip(self.used, before.used, strict=True))
        )

    def name(self, reached: Sequence[int], row: Row) -> BankRows:
        """The rows after a `pim.act`, which names `row` for the banks `reached`."""
        return self._replace(named=_with(self.named, reached, row))

    def use(self, op: CommandOp, reached: Sequence[int], table: str) -> tuple[int, BankRows]:
        """The addressed banks, as bits, that used no other row since they used the command's row; and the rows of the
        banks after the command. `table`: the activation table whose row the command uses; empty if it uses the row
        named for its banks. Raises InputError if no row, or more than one, is named for its banks."""
        row: Row = table or self.named[reached[0]]
        if row is None:
            raise no_row(op, reached[0])
        if len(reached) == len(self.used) and _is_uniform(self.used) and (table or _is_uniform(self.named)):
            met = (1 << len(reached)) - 1 if equal(self.used[0], row) else 0
            return met, BankRows(self.named, (row,) * len(reached))
        if not table:
            for bank in reached:
                if self.named[bank] is not row and not equal(self.named[bank], row):
                    raise differing_rows(op, reached[0], bank)
        met, answers = 0, dict[int, bool]()
        for bank in reached:
            last = self.used[bank]
            if id(last) not in answers:
                answers[id(last)] = equal(last, row)
            if answers[id(last)]:
                met |= 1 << bank
        return met, self._replace(used=_with(self.used, reached, row))


def no_row(op: CommandOp, bank: int) -> InputError:
    """The error for a command that needs a row, where the program has named no row for `bank`."""
    return InputError(f"{op.name}: no row is selected in bank {bank}; select one first (pim.act)", op)


def differing_rows(op: CommandOp, one: int, other: int) -> InputError:
    """The error for a command whose banks have different rows named."""
    return InputError(
        f"{op.name}: banks {one} and {other} have different rows selected, but one command needs the same row "
        "in all of its banks",
        op,
    )


def _is_uniform(rows: tuple[Row, ...]) -> bool:
    """True if all banks have the same row, the common case."""
    return rows.count(rows[0]) == len(rows)


def _with(rows: tuple[Row, ...], reached: Sequence[int], row: Row) -> tuple[Row, ...]:
    if len(reached) == len(rows):
        return (row,) * len(rows)
    changed = list(rows)
    for bank in reached:
        changed[bank] = row
    return tuple(changed)


def equal(one: Row, other: Row) -> bool:
    """True if two rows are equal. Raises Ambiguous if their equality depends on the values of loop variables."""
    if not isinstance(one, Linear) or not isinstance(other, Linear):
        return one == other
    difference = one - other
    if not difference.terms:
        return difference.constant == 0
    low, high = difference.bounds(range_of)
    if low > 0 or high < 0:
        return False
    raise Ambiguous(frozenset(difference.variables))


def one_iteration_ago(variable: SSAValue) -> Callable[[Linear], Linear]:
    """A transformation of an expression to its value in the previous iteration of a loop."""
    return lambda row: row - row.factor(variable)


def in_iteration(variable: SSAValue, value: int) -> Callable[[Linear], Linear]:
    """A transformation of an expression to its value in the iteration where the loop variable has `value`."""
    return lambda row: row.given({variable: value})
