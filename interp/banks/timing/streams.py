"""A kernel as the stream of instructions that a machine with controllers of its own is given: in program order over all
channels, loops kept, and each command with what is known of its row ahead of time
(interp/banks/timing/managed/rows.py)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from xdsl.ir import Block, SSAValue

from dialects.pim import (
    ActivateOp,
    ActOp,
    BarrierOp,
    ChannelsOp,
    CommandOp,
    ForOp,
    KernelOp,
    Linear,
    LoadOp,
    ReadOp,
    ScopedOp,
    SetOp,
    StepOp,
    WriteOp,
)
from interp.banks.program import Slot, bus_bytes_of, classes_of, on_bus, region_of, slot_of
from interp.banks.timing.managed.rows import Ambiguous, Banks, Row, at, in_round, one_round_ago
from interp.banks.timing.periods import Repeat
from interp.banks.values.activation_tables import FUNCTIONS
from interp.machine.records import Pim

NO_ROW = -1
ALL_BANKS = -1
"""All bits: whichever banks a command addresses."""
TABLE_ROWS = 1 << 29
"""Rows of activation tables are numbered from here on, beyond all rows of data."""


class Do(NamedTuple):
    """One instruction: `times` commands of a slot, for each channel of some classes. `met`, for each of these classes:
    the banks (as bits) that were last used with the very row that it needs. `row`: that row's number in the first of
    them, where the stream is unrolled."""

    slot: Slot
    times: int
    met: tuple[int, ...]
    classes: tuple[int, ...]
    row: int = NO_ROW


class Pause(NamedTuple):
    """An instruction without commands: all channels wait for each other (`barrier`), or the decoder does something by
    itself."""

    barrier: bool


Item: TypeAlias = "Do | Pause | Repeat"


class Stream(NamedTuple):
    """All that a device is given for a kernel. `classes`: the channels that are given the same commands; `bus_bytes`:
    what passes between one channel of a class and the host."""

    classes: tuple[tuple[int, ...], ...]
    items: tuple[Item, ...]
    bus_bytes: tuple[int, ...]


def stream_of(kernel: KernelOp, pim: Pim, *, unrolled: bool = False) -> Stream:
    """The stream of a kernel that fits the device (`check_kernel`). Raises InputError for a command without a row."""
    classes = _instructed(kernel, pim)
    builder = _Builder(pim, classes, unrolled)
    everywhere = tuple(range(len(classes)))
    banks = (Banks.untouched(pim),) * len(classes)
    items, _ = builder.block(kernel.body.block, everywhere, {}, banks)
    whole = zip(classes_of(kernel), bus_bytes_of(kernel, pim), strict=True)
    moved = {channel: nbytes for channels, nbytes in whole for channel in channels}
    return Stream(tuple(classes), tuple(items), tuple(moved[channels[0]] for channels in classes))


def _instructed(kernel: KernelOp, pim: Pim) -> list[tuple[int, ...]]:
    """The channels that a machine gives the same commands at the same time: those of an instruction that a decoder
    takes once for each channel differ in when they get it."""
    classes = classes_of(kernel)
    if pim.decoder is None:
        return classes
    apart: set[int] = set()
    for op in kernel.walk():
        if isinstance(op, CommandOp) and each_channel(op) and (region := region_of(op)) is not None:
            apart.update(region.numbers())
    return [
        part for channels in classes for part in ([(c,) for c in channels] if apart & set(channels) else [channels])
    ]


def each_channel(op: CommandOp) -> bool:
    """Whether a decoder takes an instruction for each channel: one names one place in host memory to load or write
    from, and writes to all banks go to one channel."""
    return (isinstance(op, LoadOp | WriteOp) and op.by_channel) or (isinstance(op, WriteOp) and op.reach == "all")


def each_column(op: CommandOp) -> bool:
    """Whether a decoder takes an instruction for each column."""
    return isinstance(op, WriteOp | ReadOp)


State: TypeAlias = tuple[Banks, ...]
"""What the banks of each class were told."""
Values: TypeAlias = Mapping[SSAValue, int]


class _Told(NamedTuple):
    """What a command says wherever its loops stand: its slot (None where a loop variable decides which banks it
    addresses) and how many commands of it there are; for an activate, the row."""

    slot: Slot | None
    times: int
    row: Linear | None


class _Builder:
    def __init__(self, pim: Pim, classes: Sequence[tuple[int, ...]], unrolled: bool) -> None:
        self.pim, self.unrolled = pim, unrolled
        self.class_of = {channel: at for at, channels in enumerate(classes) for channel in channels}
        self.reached: dict[ChannelsOp, tuple[int, ...]] = {}
        self.by_rows: dict[ForOp, bool] = {}
        """Whether a loop names rows or uses them."""
        self.steering: dict[ForOp, bool] = {}
        """Whether a loop's variable decides which banks are addressed: it is followed value by value then."""
        self.told: dict[CommandOp, _Told] = {}
        self.loops: dict[Hashable, tuple[Sequence[Item], State]] = {}

    def block(self, block: Block, classes: tuple[int, ...], values: Values, state: State) -> tuple[list[Item], State]:
        """The items of a block, and what the banks were told after it."""
        items: list[Item] = []
        for op in block.ops:
            if isinstance(op, ForOp):
                more, state = self.loop(op, classes, values, state)
                items += more
            elif isinstance(op, ChannelsOp):
                if op not in self.reached:
                    self.reached[op] = tuple(sorted({self.class_of[channel] for channel in op.numbers()}))
                more, state = self.block(op.body.block, self.reached[op], values, state)
                items = _joined(items, more) if op.joined else [*items, *more]
            elif isinstance(op, BarrierOp | StepOp) or (isinstance(op, SetOp) and not on_bus(op, self.pim)):
                items.append(Pause(isinstance(op, BarrierOp)))
            elif isinstance(op, CommandOp):
                item, state = self.command(op, classes, values, state)
                if item is not None:
                    items += self.instructions(op, item)
        return items, state

    def instructions(self, op: CommandOp, item: Do) -> list[Item]:
        """A command as a decoder takes it."""
        if self.pim.decoder is None:
            return [item]
        found = [item]
        if each_channel(op):
            found = [item._replace(met=(m,), classes=(c,)) for m, c in zip(item.met, item.classes, strict=True)]
        if each_column(op) and item.times > 1:
            first = [one._replace(times=1) for one in found]
            others = [one._replace(met=(ALL_BANKS,) * len(one.met)) for one in first]
            return [*first, Repeat(item.times - 1, tuple(others))]
        return list(found)

    def command(self, op: CommandOp, classes: tuple[int, ...], values: Values, state: State) -> tuple[Do | None, State]:
        told = self.told.get(op) or self._told(op)
        slot, times = told.slot or slot_of(op, dict(values)), told.times
        if told.row is not None:
            row, reached = at(told.row, values), slot.banks(self.pim)
            return None, _changed(state, {c: state[c].name(reached, row) for c in classes})
        form = self.pim.verbs[slot.verb].forms[slot.scope]
        if not op.COMMAND.needs_row or form.rowless:
            named = state[classes[0]].named[slot.banks(self.pim)[0]] if form.rowless and self.unrolled else None
            return Do(slot, times, (0,) * len(classes), classes, _number(named)), state
        table = f"table {op.function.data}" if isinstance(op, ActivateOp) else ""
        reached = slot.banks(self.pim)
        after: dict[int, Banks] = {}
        met: list[int] = []
        rows: list[Row] = []
        for c in classes:
            here, row, after[c] = state[c].use(op, reached, table)
            met.append(here)
            rows.append(row)
        number = _number(rows[0]) if self.unrolled else NO_ROW
        return Do(slot, times, tuple(met), classes, number), _changed(state, after)

    def _told(self, op: CommandOp) -> _Told:
        moves = isinstance(op, ScopedOp) and op.linear("unit").terms
        times = op.issues(self.pim.lanes, self.pim.load_columns)
        told = _Told(None if moves else slot_of(op, {}), times, op.linear("row") if isinstance(op, ActOp) else None)
        self.told[op] = told
        return told

    def loop(self, op: ForOp, classes: tuple[int, ...], values: Values, state: State) -> tuple[Sequence[Item], State]:
        """The items of a loop, and what the banks were told after it; found but once where nothing differs."""
        key = op, classes, tuple(values.items()), state
        if key not in self.loops:
            self.loops[key] = self._loop(op, classes, values, state)
        return self.loops[key]

    def _loop(self, op: ForOp, classes: tuple[int, ...], values: Values, state: State) -> tuple[Sequence[Item], State]:
        variable = op.body.block.args[0]
        if op not in self.steering:
            self.steering[op] = variable in _steering(op)
        if not self.unrolled and not self.steering[op]:
            try:
                return self.rolled(op, classes, values, state)
            except Ambiguous as reason:
                if variable not in reason.variables:
                    raise
        items: list[Item] = []
        for value in op.values:
            more, state = self.block(op.body.block, classes, {**values, variable: value}, state)
            items += more
        return items, state

    def rolled(self, op: ForOp, classes: tuple[int, ...], values: Values, state: State) -> tuple[Sequence[Item], State]:
        """A loop as its first rounds, one by one until all others are alike, and these. Raises Ambiguous."""
        variable, body = op.body.block.args[0], op.body.block
        if op not in self.by_rows:
            self.by_rows[op] = any(
                isinstance(inner, ActOp) or (isinstance(inner, CommandOp) and inner.COMMAND.needs_row)
                for inner in body.walk()
            )
        if not self.by_rows[op]:
            items, _ = self.block(body, classes, {v: n for v, n in values.items() if v is not variable}, state)
            return [Repeat(len(op.values), tuple(items))] if items else [], state
        other, after = self.steady(op, classes, values, state)
        first: list[list[Item]] = []
        for value in op.values:
            items, state = self.block(body, classes, {**values, variable: value}, state)
            first.append(items)
            if state == tuple(banks.mapped(in_round(variable, value)) for banks in after):
                break
        if left := len(op.values) - len(first):
            state = tuple(banks.mapped(in_round(variable, op.values[-1])) for banks in after)
        if not other and not any(first):
            return [], state
        if all(items == other for items in first):
            return [Repeat(len(op.values), tuple(other))], state
        return [*chain.from_iterable(first), *([Repeat(left, tuple(other))] if left else [])], state

    def steady(self, op: ForOp, classes: tuple[int, ...], values: Values, state: State) -> tuple[list[Item], State]:
        """The round that all others are like, sooner or later, and what the banks were told after it, as expressions of
        the loop's variable."""
        variable, body = op.body.block.args[0], op.body.block
        inner = {v: n for v, n in values.items() if v is not variable}
        _, after = self.block(body, classes, inner, tuple(banks.forgotten() for banks in state))
        after = tuple(banks.completed(before) for banks, before in zip(after, state, strict=True))
        for _ in range(3):
            before = tuple(banks.mapped(one_round_ago(variable)) for banks in after)
            other, found = self.block(body, classes, inner, before)
            if found == after:
                return other, after
            after = found
        raise Ambiguous(frozenset((variable,)))


def _joined(items: list[Item], more: list[Item]) -> list[Item]:
    """The same instruction for further channels."""
    if not (items and more):
        return items
    one, other = items[-1], more[0]
    assert isinstance(one, Do)
    assert isinstance(other, Do)
    return [*items[:-1], one._replace(met=(*one.met, *other.met), classes=(*one.classes, *other.classes))]


def _number(row: Row) -> int:
    """A row's number where no loop is left; tables have theirs in the order of their names."""
    if row is None:
        return NO_ROW
    if isinstance(row, Linear):
        return row.constant
    return table_row(row.rpartition(" ")[2])


def table_row(function: str) -> int:
    """The number of the row that holds a function's activation table."""
    return TABLE_ROWS + list(FUNCTIONS).index(function)


def _changed(state: State, told: Mapping[int, Banks]) -> State:
    return tuple(told.get(at, banks) for at, banks in enumerate(state))


def _steering(op: ForOp) -> set[SSAValue]:
    """The loop variables that decide which banks are addressed: their loops are followed value by value."""
    return {
        variable
        for inner in op.body.block.walk()
        if isinstance(inner, CommandOp) and "unit" in inner.EXPRESSIONS
        for variable, _ in inner.linear("unit").terms
    }
