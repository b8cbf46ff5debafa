"""A kernel as the instruction stream of a machine with autonomous controllers: in program order over all channels,
loops kept, each command annotated with the facts about its row that are known before timing
(interp/kinds/pim/timing/controller_managed/rows.py). A slot is a command's verb, scope and unit
(interp/kinds/pim/program.py); channels that receive the same commands form a class."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias

from xdsl.ir import Block

from dialects.pim import (
    BarrierOp,
    ChannelsOp,
    CommandOp,
    ForOp,
    HostOp,
    KernelOp,
    Linear,
    ScopedOp,
    SetOp,
    StepOp,
    TransferOp,
)
from interp.kinds.pim.program import Slot, bus_bytes_of, classes_of, issues, on_bus, region_of, slot_of, walk_commands
from interp.kinds.pim.timing.controller_managed.rows import Ambiguous, BankRows, in_iteration, one_iteration_ago
from interp.kinds.pim.timing.periods import Repeat
from interp.kinds.pim.values.activation_tables import FUNCTIONS
from interp.kinds.pim.visitor import Visitor, steering
from interp.machine.records import Pim

NO_ROW = -1
ALL_BANKS = -1
"""A mask with all bits set: every bank that a command addresses."""
TABLE_ROWS = 1 << 29
"""The number of the first activation-table row, above all rows of data."""


class Do(NamedTuple):
    """One instruction: `times` commands of a slot, for each channel of some classes. `met`: for each of these classes,
    the banks, as bits, that used no other row since they used the row that the commands need."""

    slot: Slot
    times: int
    met: tuple[int, ...]
    classes: tuple[int, ...]


class Pause(NamedTuple):
    """An instruction without commands: a barrier between all channels (`barrier`), or an operation inside the
    decoder."""

    barrier: bool


Item: TypeAlias = "Do | Pause | Repeat"


@dataclass(frozen=True, eq=False)
class Stream:
    """The complete instruction stream of a kernel. `classes`: for each class, the numbers of its channels, which all
    receive the same commands; `bus_bytes`: for each class, the bytes transferred between one of its channels and the
    host."""

    classes: tuple[tuple[int, ...], ...]
    items: tuple[Item, ...]
    bus_bytes: tuple[int, ...]

    @cached_property
    def has_barrier(self) -> bool:
        """True if the stream contains a barrier between all channels."""
        return _has_barrier(self.items)

    @cached_property
    def by_class(self) -> tuple[Stream, ...]:
        """For each class, a stream with the instructions of this class only."""
        each = enumerate(zip(self.classes, self.bus_bytes, strict=True))
        return tuple(Stream((channels,), _of_class(self.items, at), (moved,)) for at, (channels, moved) in each)


def _has_barrier(items: Iterable[Item]) -> bool:
    return any(
        item.barrier if isinstance(item, Pause) else not isinstance(item, Do) and _has_barrier(item.body)
        for item in items
    )


def _of_class(items: Iterable[Item], at: int) -> tuple[Item, ...]:
    """The instructions and loops for one class of channels, which is the only class in the result."""
    found: list[Item] = []
    for item in items:
        if isinstance(item, Do):
            if at in item.classes:
                found.append(item._replace(met=(item.met[item.classes.index(at)],), classes=(0,)))
        elif not isinstance(item, Pause) and (body := _of_class(item.body, at)):
            found.append(item._replace(body=body))
    return tuple(found)


def stream_of(kernel: KernelOp, pim: Pim, *, unrolled: bool = False) -> Stream:
    """The stream of a kernel that `check_kernel` has accepted. Raises InputError for a command without a row."""
    classes = instructed(kernel, pim)
    items = list(StreamBuilder(kernel, pim, classes, unrolled).block(kernel.body.block))
    by_class = zip(classes_of(kernel), bus_bytes_of(kernel, pim), strict=True)
    moved = {channel: nbytes for channels, nbytes in by_class for channel in channels}
    return Stream(tuple(classes), tuple(items), tuple(moved[channels[0]] for channels in classes))


def instructed(kernel: KernelOp, pim: Pim) -> list[tuple[int, ...]]:
    """Classes of channels that receive the same commands in the same cycle. Where the decoder repeats an instruction
    for one channel after the other, these channels receive it in different cycles and are in separate classes."""
    classes = classes_of(kernel)
    if pim.decoder is None:
        return classes
    separate: set[int] = set()
    for op in kernel.walk():
        if isinstance(op, CommandOp) and each_channel(op) and (region := region_of(op)) is not None:
            separate.update(region.numbers())
    return [
        part for channels in classes for part in ([(c,) for c in channels] if separate & set(channels) else [channels])
    ]


def each_channel(op: CommandOp) -> bool:
    """True if a decoder takes one instruction per channel for a command. Only for commands of which one instruction
    accesses the same location in host memory for all of its channels (`ONE_PLACE`): if the location depends on the
    channel, or if the command writes rows of all banks."""
    if not isinstance(op, HostOp) or not op.ONE_PLACE:
        return False
    return op.by_channel or (isinstance(op, TransferOp) and op.reach == "all")


def each_column(op: CommandOp) -> bool:
    """True if a decoder takes one instruction for each column that a command transfers."""
    return isinstance(op, TransferOp)


def needs_row(op: CommandOp, pim: Pim) -> bool:
    """True if a command works on an open row, on a device whose controllers open rows."""
    scope = op.reach if isinstance(op, ScopedOp) else "all"
    return op.COMMAND.needs_row and not pim.verbs[op.COMMAND.verb].forms[scope].rowless


RowsOfClasses: TypeAlias = tuple[BankRows, ...]
"""For each class of channels, the rows of the banks of one of its channels."""


class _CommandFacts(NamedTuple):
    """The properties of a command that are the same in every iteration: its slot (None if a loop variable decides which
    banks it addresses), how many commands it issues, and for an activate its row."""

    slot: Slot | None
    times: int
    row: Linear | None


class StreamBuilder(Visitor[Item]):
    """A builder of a kernel's instruction stream (items); it tracks the rows of the banks (`state`)."""

    def __init__(self, kernel: KernelOp, pim: Pim, classes: Sequence[tuple[int, ...]], unrolled: bool) -> None:
        super().__init__()
        self.pim, self.unrolled = pim, unrolled
        self.class_of = {channel: at for at, channels in enumerate(classes) for channel in channels}
        self.classes = tuple(range(len(classes)))
        """The classes of channels that receive the current op."""
        self.state: RowsOfClasses = (BankRows.untouched(pim),) * len(classes)
        self.reached: dict[ChannelsOp, tuple[int, ...]] = {}
        self.by_rows: dict[ForOp, bool] = {}
        """True for a loop that names or uses rows."""
        self.steering = steering(walk_commands(kernel), ("unit",))
        """The loop variables that decide which banks are addressed. Loops over these are unrolled."""
        self.facts: dict[CommandOp, _CommandFacts] = {}
        self.loops: dict[Hashable, tuple[Sequence[Item], RowsOfClasses]] = {}

    def block(self, block: Block) -> Iterator[Item]:
        """The items of a block. Adjacent regions with equal instructions are merged into one for the channels of
        both."""
        items: list[Item] = []
        for op in block.ops:
            if isinstance(op, ChannelsOp) and op.joined:
                items = joined(items, list(self.channels(op)))
            else:
                items += self.op(op)
        return iter(items)

    def channels(self, op: ChannelsOp) -> Iterable[Item]:
        around, self.classes = self.classes, self.classes_in(op)
        yield from super().channels(op)
        self.classes = around

    def classes_in(self, op: ChannelsOp | None) -> tuple[int, ...]:
        """The classes of channels that receive the ops of a region; all of them outside of any."""
        if op is None:
            return tuple(range(len(self.state)))
        if op not in self.reached:
            self.reached[op] = tuple(sorted({self.class_of[channel] for channel in op.numbers()}))
        return self.reached[op]

    def command(self, op: CommandOp) -> Iterable[Item]:
        if isinstance(op, BarrierOp | StepOp) or (isinstance(op, SetOp) and not on_bus(op, self.pim)):
            return (Pause(isinstance(op, BarrierOp)),)
        item = self.do(op)
        return () if item is None else self.instructions(op, item)

    def instructions(self, op: CommandOp, item: Do) -> list[Item]:
        """The instructions that a decoder takes for a command."""
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

    def do(self, op: CommandOp) -> Do | None:
        """The instruction of a command; None for a command that only names a row."""
        facts, classes = self.facts.get(op) or self._facts(op), self.classes
        slot, times = facts.slot or slot_of(op, self.values), facts.times
        if facts.row is not None:
            row, reached = facts.row.given(self.values), slot.banks(self.pim)
            self.state = _changed(self.state, {c: self.state[c].name(reached, row) for c in classes})
            return None
        if not needs_row(op, self.pim):
            return Do(slot, times, (0,) * len(classes), classes)
        table = "" if op.table is None else f"table {op.table}"
        reached = slot.banks(self.pim)
        after: dict[int, BankRows] = {}
        met: list[int] = []
        for c in classes:
            here, after[c] = self.state[c].use(op, reached, table)
            met.append(here)
        self.state = _changed(self.state, after)
        return Do(slot, times, tuple(met), classes)

    def _facts(self, op: CommandOp) -> _CommandFacts:
        moves = isinstance(op, ScopedOp) and op.linear("unit").terms
        times = issues(op, self.pim)
        rows = op.using("row", "names")
        facts = _CommandFacts(None if moves else slot_of(op, {}), times, op.linear(*rows) if rows else None)
        self.facts[op] = facts
        return facts

    def loop(self, op: ForOp) -> Sequence[Item]:
        """The items of a loop; generated only once if all iterations are equal."""
        key = op, self.classes, tuple(self.values.items()), self.state
        if key not in self.loops:
            items = self._loop(op)
            self.loops[key] = items, self.state
        items, self.state = self.loops[key]
        return items

    def _loop(self, op: ForOp) -> Sequence[Item]:
        variable, before = op.variable, (self.state, self.classes, self.region, dict(self.values))
        if not self.unrolled and variable not in self.steering:
            try:
                return self.rolled(op)
            except Ambiguous as reason:
                if variable not in reason.variables:
                    raise
                self.state, self.classes, self.region, self.values = before
        return list(super().loop(op))

    def rolled(self, op: ForOp) -> Sequence[Item]:
        """The items of a loop: those of its first iterations, until an iteration to which all later ones are equal,
        then a loop over the later ones. Raises Ambiguous if there is no such iteration."""
        variable, body = op.variable, op.body.block
        if op not in self.by_rows:
            self.by_rows[op] = any(
                isinstance(inner, CommandOp) and (inner.COMMAND.row == "opens" or inner.COMMAND.needs_row)
                for inner in body.walk()
            )
        if not self.by_rows[op]:
            items = tuple(self.block(body))
            return [Repeat(len(op.values), items)] if items else []
        start = self.state
        other, after = self.steady(op)
        self.state = start
        first: list[list[Item]] = []
        for value in op.values:
            self.values[variable] = value
            first.append(list(self.block(body)))
            if self.state == tuple(banks.mapped(in_iteration(variable, value)) for banks in after):
                break
        self.values.pop(variable, None)
        if left := len(op.values) - len(first):
            self.state = tuple(banks.mapped(in_iteration(variable, op.values[-1])) for banks in after)
        if not other and not any(first):
            return []
        if all(items == other for items in first):
            return [Repeat(len(op.values), tuple(other))]
        return [*chain.from_iterable(first), *([Repeat(left, tuple(other))] if left else [])]

    def steady(self, op: ForOp) -> tuple[list[Item], RowsOfClasses]:
        """The items of the iteration to which all later ones are equal, and the rows of the banks after this iteration,
        as expressions of the loop variable. Raises Ambiguous if there is no such iteration among the first few."""
        variable, body, state = op.variable, op.body.block, self.state

        def one(before: RowsOfClasses) -> tuple[list[Item], RowsOfClasses]:
            self.state = before
            return list(self.block(body)), self.state

        _, after = one(tuple(banks.forgotten() for banks in state))
        after = tuple(banks.completed(before) for banks, before in zip(after, state, strict=True))
        for _ in range(3):
            other, found = one(tuple(banks.mapped(one_iteration_ago(variable)) for banks in after))
            if found == after:
                return other, after
            after = found
        raise Ambiguous(frozenset((variable,)))


def joined(items: list[Item], more: list[Item]) -> list[Item]:
    """Adds items for further channels to a list of items; where both have equal instructions, one instruction for the
    channels of both remains."""
    if not (items and more):
        return items
    one, other = items[-1], more[0]
    assert isinstance(one, Do)
    assert isinstance(other, Do)
    return [*items[:-1], one._replace(met=(*one.met, *other.met), classes=(*one.classes, *other.classes))]


def table_row(function: str) -> int:
    """The number of the row with a function's activation table; tables are numbered in the order of their names."""
    return TABLE_ROWS + list(FUNCTIONS).index(function)


def _changed(state: RowsOfClasses, changed: Mapping[int, BankRows]) -> RowsOfClasses:
    return tuple(changed.get(at, banks) for at, banks in enumerate(state))
