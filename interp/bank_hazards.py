"""Which bank programs a device would get wrong, found without running them: closed rows, a buffer column that was never
loaded, sums that are missing or left behind.

Only what commands depend on is followed: which banks have an open row, which columns of the buffer were loaded, which
accumulators hold a sum. That repeats after a round or two of a loop, and then the loop is passed. A loop is followed
round by round only where its variable decides which of these a command addresses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from xdsl.ir import Block, Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.pim import CommandOp, DrainOp, ForOp, KernelOp, LoadOp, MacOp, ScopedOp, Space
from interp.bank_program import Projection, classes_of, slot_of, walk_commands
from interp.sheet import Pim

Values: TypeAlias = "dict[SSAValue, int]"

FOLLOWED: tuple[Space, ...] = ("unit", "buffer", "accumulator")
"""Index expressions whose values matter."""


class Held(NamedTuple):
    """What a channel holds, as bits: banks with an open row, loaded columns of the buffer, and for each accumulator the
    banks where it holds a sum."""

    opened: int
    loaded: int
    sums: tuple[int, ...]


def check_hazards(kernel: KernelOp, pim: Pim) -> None:
    """Raises InputError, at the op, for the first hazard of a kernel that fits the device (`check_kernel`)."""
    for channels in classes_of(kernel):
        held = _Follower(pim, kernel, channels[0]).block(kernel.body.block, Held(0, 0, (0,) * pim.accumulators), {})
        for number, banks in enumerate(held.sums):
            if banks:
                raise sums_left(kernel, number, _first(banks))


# The sentences, for the clock and for interp/banks.py.


def row_is_open(op: CommandOp, bank: int, pim: Pim) -> InputError:
    return InputError(f"{op.name}: a row is open in bank {bank}; {pim.name} closes it first (pim.pre)", op)


def no_row_is_open(op: CommandOp, bank: int) -> InputError:
    return InputError(f"{op.name}: no row is open in bank {bank}; activate one first (pim.act)", op)


def never_loaded(op: CommandOp, column: int) -> InputError:
    return InputError(f"{op.name}: column {column} of the global buffer was never loaded (pim.load)", op)


def no_sum(op: CommandOp) -> InputError:
    return InputError(f"{op.name}: an accumulator holds no sum; multiply first (pim.mac)", op)


def sums_left(kernel: KernelOp, number: int, bank: int) -> InputError:
    return InputError(
        f"pim.kernel @{kernel.sym_name.data} ends with a sum in accumulator {number} of bank {bank}; drain it", kernel
    )


class _Follower:
    """Follows what one channel holds through its program."""

    def __init__(self, pim: Pim, kernel: KernelOp, channel: int) -> None:
        self.pim, self.seen = pim, Projection(kernel, channel)
        self.steering = {
            variable
            for op in walk_commands(kernel)
            for name, space in op.EXPRESSIONS.items()
            if space in FOLLOWED
            for variable, _ in op.linear(name).terms
        }
        self.known: dict[tuple[Operation, Held, tuple[int, ...]], Held] = {}

    def block(self, block: Block, held: Held, values: Values) -> Held:
        for op in self.seen.ops(block):
            if isinstance(op, ForOp):
                key = op, held, tuple(values.values())
                if key not in self.known:
                    self.known[key] = self._loop(op, held, values)
                held = self.known[key]
            else:
                held = self._command(op, held, values)
        return held

    def _loop(self, op: ForOp, held: Held, values: Values) -> Held:
        body, variable = op.body.block, op.body.block.args[0]
        if variable in self.steering:
            for value in op.values:
                held = self.block(body, held, values | {variable: value})
            return held
        orbit, seen = [held], {held: 0}
        for _ in op.values:
            held = self.block(body, held, values)
            if held in seen:  # the states repeat from here on
                first = seen[held]
                return orbit[first + (len(op.values) - first) % (len(orbit) - first)]
            seen[held] = len(orbit)
            orbit.append(held)
        return held

    def _command(self, op: CommandOp, held: Held, values: Values) -> Held:
        banks = 0
        if isinstance(op, ScopedOp):
            banks = sum(1 << bank for bank in slot_of(op, values).banks(self.pim))
        if (effect := EFFECTS.get(type(op))) is not None:
            held = effect(op, held, banks, values, self.pim)
        return self._row(op, held, banks)

    def _row(self, op: CommandOp, held: Held, banks: int) -> Held:
        match op.COMMAND.row:
            case "opens":
                if not (self.pim.reopen or self.pim.rows_by == "controller") and held.opened & banks:
                    raise row_is_open(op, _first(held.opened & banks), self.pim)
                return held._replace(opened=held.opened | banks)
            case "closes":
                return held._replace(opened=held.opened & ~banks)
            case "uses":
                if banks & ~held.opened:
                    raise no_row_is_open(op, _first(banks & ~held.opened))
            case "leaves" | "table":
                pass
        return held


def _load(op: LoadOp, held: Held, banks: int, values: Values, pim: Pim) -> Held:
    return held._replace(loaded=held.loaded | _columns(op, values, pim))


def _mac(op: MacOp, held: Held, banks: int, values: Values, pim: Pim) -> Held:
    if missing := _columns(op, values, pim) & ~held.loaded:
        raise never_loaded(op, _first(missing))
    number = op.linear("accumulator").at(values)
    return _with_sum(held, number, held.sums[number] | banks)


def _drain(op: DrainOp, held: Held, banks: int, values: Values, pim: Pim) -> Held:
    number = op.linear("accumulator").at(values)
    if banks & ~held.sums[number]:
        raise no_sum(op)
    return _with_sum(held, number, held.sums[number] & ~banks)


EFFECTS: dict[type[CommandOp], Callable[[Any, Held, int, Values, Pim], Held]] = {
    LoadOp: _load,
    MacOp: _mac,
    DrainOp: _drain,
}
"""What commands do besides opening, closing and using rows, which their `COMMAND` says."""


def _columns(op: LoadOp | MacOp, values: Values, pim: Pim) -> int:
    """The columns of the buffer that a command fills or reads."""
    first = op.linear("entry").at(values)
    return (1 << first + op.extent("entry", pim.lanes)) - (1 << first)


def _with_sum(held: Held, number: int, banks: int) -> Held:
    return held._replace(sums=(*held.sums[:number], banks, *held.sums[number + 1 :]))


def _first(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
