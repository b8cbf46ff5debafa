"""Finds hazards of bank programs without running them: commands on closed rows, buffers and registers that were never
filled, columns that hold no data, and sums that are missing, overwritten or never read.

Only the state on which hazards depend is tracked: banks with an open row and the activate that opened it, loaded
columns of the buffer, accumulators that hold a sum, and commands that wrote into rows. This state repeats after one or
two iterations of a loop, and the remaining iterations are skipped. A loop is followed iteration by iteration only where
its variable decides the bank, column or accumulator that a command addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import NamedTuple, TypeAlias

from xdsl.ir import Operation, SSAValue

from dialects.pim import CommandOp, ForOp, KernelOp, ScopedOp, Space, Use
from interp.kinds.pim.checks.contents import Contents
from interp.kinds.pim.checks.sentences import (
    continued,
    never_activated,
    never_collected,
    never_loaded,
    no_row_is_open,
    no_sum,
    nothing_collected,
    overwritten,
    row_is_open,
    sums_left,
)
from interp.kinds.pim.program import classes_of, has_own_buffers, may_open_over, slot_of, walk_commands
from interp.kinds.pim.visitor import ChannelVisitor, steering
from interp.machine.records import Pim

Values: TypeAlias = "dict[SSAValue, int]"

FOLLOWED: tuple[Space, ...] = ("unit", "buffer", "accumulator", "softmax")
"""The index expressions whose values are computed in each iteration, since hazards depend on them: numbers of banks or
groups, of buffer columns, of accumulators, and of entries of the softmax buffer."""


class Held(NamedTuple):
    """The state of a channel; sets of banks, of columns and of entries are masks of bits.

    `opened`: pairs of an activate (its number in `Contents`) and the banks whose open row it opened. `loaded`: columns
    of the global buffers that were loaded. `holds`, `unread`, `spent`: for each accumulator, the banks in which it
    holds a sum, in which it holds a sum that was not read yet, and in which its sum was read and not set since.
    `activated`: banks whose activation register is filled. `collected`: filled entries of the softmax buffer.
    `written`: the writes to rows so far (their numbers in `Contents`).
    """

    opened: tuple[tuple[int, int], ...]
    loaded: int
    holds: tuple[int, ...]
    unread: tuple[int, ...]
    spent: tuple[int, ...]
    activated: int = 0
    collected: int = 0
    written: int = 0


_TRUSTING: ContextVar[bool] = ContextVar("trusting", default=False)


@contextmanager
def trusting_programs() -> Generator[None]:
    """A context in which hazards of bank programs are not looked for: for tools that time thousands of programs that
    the templates wrote, whose tests look for them."""
    token = _TRUSTING.set(True)
    try:
        yield
    finally:
        _TRUSTING.reset(token)


def check_hazards(kernel: KernelOp, pim: Pim) -> None:
    """Raises InputError, at the op, for the first hazard of a kernel that `check_kernel` has accepted."""
    if _TRUSTING.get():
        return
    none = (0,) * pim.accumulators
    for channels in classes_of(kernel):
        follower = _Follower(pim, kernel, channels, Held((), 0, none, none, none))
        for _ in follower.block(kernel.body.block):
            pass
        for number, banks in enumerate(follower.held.unread):
            if banks:
                raise sums_left(kernel, number, _first(banks))


class _Follower(ChannelVisitor[None]):
    """Tracks the state of one channel through its program."""

    def __init__(self, pim: Pim, kernel: KernelOp, channels: tuple[int, ...], held: Held) -> None:
        super().__init__(channels[0])
        self.pim, self.held = pim, held
        self.contents = Contents(kernel, pim, channels)
        self.own_buffers = has_own_buffers(kernel)
        self.steering = steering(walk_commands(kernel), FOLLOWED)
        self.known: dict[tuple[Operation, Held, tuple[int, ...]], Held] = {}

    def loop(self, op: ForOp) -> Iterable[None]:
        key = op, self.held, tuple(self.values.values())
        if key not in self.known:
            yield from super().loop(op) if op.variable in self.steering else self._rounds(op)
            self.known[key] = self.held
        self.held = self.known[key]

    def _rounds(self, op: ForOp) -> Iterable[None]:
        """Follows the iterations of a loop until the channel's state is one that it had before; the state after the
        last iteration is then found without following the iterations in between."""
        orbit, seen = [self.held], {self.held: 0}
        for _ in op.values:
            yield from self.block(op.body.block)
            if (first := seen.get(self.held)) is not None:
                self.held = orbit[first + (len(op.values) - first) % (len(orbit) - first)]
                return
            seen[self.held] = len(orbit)
            orbit.append(self.held)

    def command(self, op: CommandOp) -> Iterable[None]:
        banks, values = 0, self.values
        if isinstance(op, ScopedOp):
            banks = sum(1 << bank for bank in slot_of(op, values).banks(self.pim))
        if op.COMMAND.register == "reads" and (missing := banks & ~self.held.activated):
            raise never_activated(op, _first(missing))
        for name, effect in _effects_of(type(op)):
            self.held = effect(self, op, name, self.held, banks)
        if op.COMMAND.register == "fills":
            self.held = self.held._replace(activated=self.held.activated | banks)
        self.held = self._row(op, self.held, banks, values)
        return ()

    def _row(self, op: CommandOp, held: Held, banks: int, values: Values) -> Held:
        opened = sum(mask for _, mask in held.opened)
        match op.COMMAND.row:
            case "opens":
                if not may_open_over(self.pim) and opened & banks:
                    raise row_is_open(op, _first(opened & banks), self.pim)
                if not op.using("row", "names"):
                    return held
                left = [(at, mask & ~banks) for at, mask in held.opened]
                rows = sorted([*left, (self.contents.opening(op, values), banks)])
                return held._replace(opened=_merged(rows))
            case "closes":
                return held._replace(opened=_merged([(at, mask & ~banks) for at, mask in held.opened]))
            case "uses":
                needed = self.contents.used(op, banks)
                if needed & ~opened:
                    raise no_row_is_open(op, _first(needed & ~opened))
                return held._replace(written=self.contents.after(op, held.opened, held.written, banks, values))
            case "leaves" | "table":
                return held

    def columns(self, first: int, count: int, banks: int) -> int:
        """The columns `first` to `first` + `count` - 1 of the global buffers that the given banks read from, as
        bits."""
        columns = (1 << first + count) - (1 << first)
        if not self.own_buffers:
            return columns
        size = self.pim.buffer_columns
        return sum(columns << bank * size for bank in range(self.pim.banks_per_channel) if banks >> bank & 1)

    def refuse_unloaded(self, op: CommandOp, held: Held, banks: int, first: int, count: int) -> None:
        if missing := self.columns(first, count, banks) & ~held.loaded:
            size, folded = self.pim.buffer_columns, 0
            while missing:
                folded, missing = folded | missing & (1 << size) - 1, missing >> size
            raise never_loaded(op, _first(folded))


def _merged(rows: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    found: dict[int, int] = {}
    for at, mask in rows:
        if mask:
            found[at] = found.get(at, 0) | mask
    return tuple(found.items())


def _read_buffer(f: _Follower, op: CommandOp, name: str, held: Held, banks: int) -> Held:
    f.refuse_unloaded(op, held, banks, op.linear(name).at(f.values), op.extent(name, f.pim.lanes))
    return held


def _fill_buffer(f: _Follower, op: CommandOp, name: str, held: Held, banks: int) -> Held:
    if op.using("column", "reads"):  # from any bank into the channel's buffer
        banks = (1 << f.pim.banks_per_channel) - 1
    columns = f.columns(op.linear(name).at(f.values), op.extent(name, f.pim.lanes), banks)
    return held._replace(loaded=held.loaded | columns)


def _add(f: _Follower, op: CommandOp, name: str, held: Held, banks: int) -> Held:
    number = op.linear(name).at(f.values)
    if spent := banks & held.spent[number]:
        raise continued(op, number, _first(spent))
    return held._replace(holds=_with(held.holds, number, banks), unread=_with(held.unread, number, banks))


def _set(f: _Follower, op: CommandOp, name: str, held: Held, banks: int) -> Held:
    number = op.linear(name).at(f.values)
    if unread := banks & held.unread[number]:
        raise overwritten(op, number, _first(unread))
    return held._replace(holds=_with(held.holds, number, banks), spent=_without(held.spent, number, banks))


def _read(f: _Follower, op: CommandOp, name: str, held: Held, banks: int) -> Held:
    number = op.linear(name).at(f.values)
    if banks & ~held.holds[number]:
        raise no_sum(op)
    return held._replace(
        unread=_without(held.unread, number, banks),
        spent=_with(held.spent, number, banks),
    )


def _take(f: _Follower, op: CommandOp, name: str, held: Held, banks: int) -> Held:
    held = _read(f, op, name, held, banks)
    if not f.pim.drain_clears:
        return held
    number = op.linear(name).at(f.values)
    return held._replace(holds=_without(held.holds, number, banks), spent=_without(held.spent, number, banks))


def _read_softmax(f: _Follower, op: CommandOp, name: str, held: Held, banks: int) -> Held:
    first, count = op.linear(name).at(f.values), op.extent(name, f.pim.lanes)
    if not count and not held.collected:
        raise nothing_collected(op)
    if missing := ((1 << count) - 1 << first) & ~held.collected:
        raise never_collected(op, _first(missing))
    return held


def _fill_softmax(f: _Follower, op: CommandOp, name: str, held: Held, banks: int) -> Held:
    entries = (1 << banks.bit_count()) - 1 << op.linear(name).at(f.values)
    return held._replace(collected=held.collected | entries)


Effect: TypeAlias = "Callable[[_Follower, CommandOp, str, Held, int], Held]"

EFFECTS: dict[tuple[Space, Use], Effect] = {
    ("buffer", "reads"): _read_buffer,
    ("softmax", "reads"): _read_softmax,
    ("accumulator", "adds to"): _add,
    ("accumulator", "sets"): _set,
    ("accumulator", "reads"): _read,
    ("accumulator", "takes"): _take,
    ("softmax", "writes"): _fill_softmax,
    ("buffer", "writes"): _fill_buffer,
}
"""The effects of a command on buffers and accumulators, in the order in which they happen. The key of each is the unit
that an index expression of the command numbers (a buffer column, an accumulator, an entry of the softmax buffer) and
the use that the command makes of it. Effects on rows are given by the op's `COMMAND`."""


@cache
def _effects_of(command: type[CommandOp]) -> tuple[tuple[str, Effect], ...]:
    return tuple((name, effect) for way, effect in EFFECTS.items() for name in command.using(*way))


def _with(sets: tuple[int, ...], number: int, banks: int) -> tuple[int, ...]:
    return (*sets[:number], sets[number] | banks, *sets[number + 1 :])


def _without(sets: tuple[int, ...], number: int, banks: int) -> tuple[int, ...]:
    return (*sets[:number], sets[number] & ~banks, *sets[number + 1 :])


def _first(bits: int) -> int:
    return (bits & -bits).bit_length() - 1
