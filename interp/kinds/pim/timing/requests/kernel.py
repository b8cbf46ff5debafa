"""A kernel as the stream of requests to its channels' controllers, in program order, with its loops.

In a loop whose iterations differ only in the rows that they use, each bank's rows grow by the same number from one
iteration to the next. Such a loop stays a loop: its body is written for the first iteration, and ends with `Shift`s,
which add that number to the rows of all later requests. Any other loop is expanded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

from xdsl.ir import Block, Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.pim import (
    BarrierOp,
    ChannelsOp,
    CommandOp,
    ForOp,
    KernelOp,
    Linear,
    ScopedOp,
    TransferOp,
)
from dialects.pim.addresses import stated_address
from interp.kinds.pim.program import classes_of, issues, on_bus, region_of, walk_commands
from interp.kinds.pim.timing.controller_managed.rows import Ambiguous, differing_rows, equal, in_iteration, no_row
from interp.kinds.pim.timing.periods import Repeat
from interp.kinds.pim.timing.requests.layout import BARRIER, layout_of, scheduler_of
from interp.kinds.pim.timing.requests.request import Request
from interp.kinds.pim.timing.streams import NO_ROW, each_channel, each_column, table_row
from interp.kinds.pim.visitor import Visitor, steering
from interp.machine.records import ELEMENT_BYTES, Pim, Scope

STEP = "step"
ZERO = Linear()
UNROLLED = 64
"""The number of commands up to which a loop is expanded: twice a controller's queue, so that skipping iterations would
save nothing."""


class Shift(NamedTuple):
    """From here on, the row of each request to one of some banks of some channels is larger by `rows`. The commands for
    a request reach either only such banks or none of them."""

    channels: tuple[int, ...]
    banks: tuple[int, ...]
    rows: int


Item: TypeAlias = "Request | Shift | Repeat"


def requests_of(kernel: KernelOp, pim: Pim) -> list[Request]:
    """The requests of a kernel that `check_kernel` has accepted, without loops. Raises InputError, at the op, for a
    command without a row."""
    found = Expansion(kernel, pim, rolls=False).block(kernel.body.block)
    return [item for item in found if isinstance(item, Request)]


def stream_of_requests(kernel: KernelOp, pim: Pim) -> tuple[Item, ...]:
    """The requests of a kernel as `requests_of`, with loops, if the controllers reorder commands to units."""
    return tuple(Expansion(kernel, pim, rolls=scheduler_of(pim).picks == "ready").block(kernel.body.block))


def requests_in(items: Iterable[Item]) -> Iterator[Request]:
    """The requests of a stream; those of a loop once, for its first iteration."""
    for item in items:
        if isinstance(item, Repeat):
            yield from requests_in(item.body)
        elif isinstance(item, Request):
            yield item


def _commands_in(items: Iterable[Item]) -> int:
    """The number of commands of a stream."""
    return sum(
        item.times * _commands_in(item.body) if isinstance(item, Repeat) else item.times
        for item in items
        if not isinstance(item, Shift)
    )


def is_reordered(kernel: KernelOp, pim: Pim) -> bool:
    """True if a device's controllers may issue a kernel's commands out of program order. The kernel is then timed
    request by request."""
    return pim.scheduler is not None and (pim.scheduler.picks == "ready" or has_host_accesses(kernel, pim))


def has_host_accesses(kernel: KernelOp, pim: Pim) -> bool:
    """True if a kernel has ordinary accesses among its commands."""
    return any(_is_ordinary(op, pim) for op in kernel.walk())


def _is_ordinary(op: Operation, pim: Pim) -> bool:
    """True if an op is an ordinary access: a read or write of a single bank, which the decoder passes on unchanged. A
    controller that reorders commands to units has no other reads and writes."""
    if not isinstance(op, TransferOp):
        return False
    passed = pim.decoder is not None or (pim.scheduler is not None and pim.scheduler.picks == "ready")
    return op.by_host or (passed and op.reach == "bank")


class _Use(NamedTuple):
    """A row that a command uses, as an expression of loop variables, in some banks of a class of channels."""

    channels: int
    banks: tuple[int, ...]
    row: Linear


class _Level:
    """A loop whose iterations are written as one. `begun`: the number of rows named before its body. `carried`: the
    banks, each with its class of channels, that use a row named before the body."""

    def __init__(self, begun: int) -> None:
        self.begun = begun
        self.carried = set[tuple[int, int]]()


class Expansion(Visitor[Item]):
    """A traversal of a kernel that expands it to requests. `named`: for each class of channels, the row that the
    program named last for each bank, and the number of rows named before this one."""

    def __init__(self, kernel: KernelOp, pim: Pim, *, rolls: bool) -> None:
        super().__init__()
        self.pim, self.rolls = pim, rolls
        self.members = classes_of(kernel)
        self.class_of = {channel: at for at, numbers in enumerate(self.members) for channel in numbers}
        self.named: list[list[tuple[Linear | None, int]]] = [[(None, -1)] * pim.banks_per_channel for _ in self.members]
        self.times_named = 0
        self.everywhere = tuple(range(pim.channels))
        self.known: dict[CommandOp, _Command] = {}
        self.starts: dict[SSAValue, int] = {}
        """The first values of the variables of the loops around, if their iterations are written as one."""
        self.levels: list[_Level] = []
        self.uses: list[_Use] = []
        self.steering = steering(walk_commands(kernel), ("unit",))
        """The loop variables that decide which banks are addressed. Loops over these are expanded."""
        width = pim.lanes * ELEMENT_BYTES[pim.element]
        self.column = 1 << (width - 1).bit_length()
        self.row = self.column << (pim.columns - 1).bit_length()
        self.bank = self.row << (pim.rows - 1).bit_length()
        scheduler = pim.scheduler
        self.addressed = scheduler is not None and scheduler.broadcast == "addressed"

    def block(self, block: Block) -> Iterator[Item]:
        found: list[Item] = []
        for op in block.ops:
            items = list(self.op(op))
            if isinstance(op, ChannelsOp) and op.joined:
                found = _joined(found, items)
            else:
                found += items
        return iter(found)

    def command(self, op: CommandOp) -> Iterable[Item]:
        return self.of(op, self.region).requests()

    def of(self, op: CommandOp, region: ChannelsOp | None) -> _Command:
        """A command, with the channels of the region around it, as a source of requests."""
        if (command := self.known.get(op)) is None:
            channels = None if region is None else tuple(region.numbers())
            command = self.known[op] = _Command(self, op, channels)
        return command

    def source(self, ops: Sequence[CommandOp]) -> Callable[[int], Sequence[Request]]:
        """The requests of one command of a flat program as a function of the row that is named for its banks, with the
        values of the loop variables in `values`. The command stands as several ops (`joined`) if one region can't hold
        its channels."""
        commands = [self.of(op, region_of(op)) for op in ops]

        def made(row: int) -> list[Request]:
            found: list[Item] = []
            for command in commands:
                items: list[Item] = list(command.on_row(row))
                found = _joined(found, items) if found else items
            return [item for item in found if isinstance(item, Request)]

        return made if len(commands) > 1 else commands[0].on_row

    def loop(self, op: ForOp) -> Iterable[Item]:
        variable = op.variable
        if self.rolls and variable not in self.steering and len(op.values) > 1:
            named, uses = [list(banks) for banks in self.named], len(self.uses)
            levels, region = len(self.levels), self.region
            try:
                if (items := self._rolled(op)) is not None:
                    return items
            except Ambiguous as reason:
                if variable not in reason.variables:
                    raise
            finally:
                del self.levels[levels:]
                self.starts.pop(variable, None)
            self.named, self.region = named, region
            del self.uses[uses:]
        return list(super().loop(op))

    def _rolled(self, op: ForOp) -> list[Item] | None:
        """A loop whose iterations are written as one; None if it has few commands. Raises Ambiguous if its iterations
        differ in more than their rows, or if rows of one bank grow by different numbers."""
        variable = op.variable
        self.starts[variable] = op.values[0]
        level, uses = _Level(self.times_named), len(self.uses)
        self.levels.append(level)
        body = tuple(self.block(op.body.block))
        growth: dict[tuple[int, int], int] = {}
        for use in self.uses[uses:]:
            rows = use.row.factor(variable) * op.values.step
            if any(growth.setdefault((use.channels, bank), rows) != rows for bank in use.banks):
                raise Ambiguous(frozenset((variable,)))
        if any(self.named[channels][bank][1] >= level.begun for channels, bank in level.carried):
            raise Ambiguous(frozenset((variable,)))  # an iteration uses a row that the one before has named
        if len(op.values) * _commands_in(body) <= UNROLLED:
            return None
        last = in_iteration(variable, op.values[-1])
        for banks in self.named:
            banks[:] = [(row and last(row), stamp) if stamp >= level.begun else (row, stamp) for row, stamp in banks]
        if not any(requests_in(body)):
            return []
        shifts, back = list[Shift](), list[Shift]()
        for channels, rows in dict.fromkeys((channels, rows) for (channels, _), rows in growth.items() if rows):
            banks = tuple(bank for (at, bank), each in growth.items() if (at, each) == (channels, rows))
            shifts.append(Shift(self.members[channels], banks, rows))
            back.append(Shift(self.members[channels], banks, -rows * len(op.values)))
        return [Repeat(len(op.values), (*body, *shifts)), *back]


def _joined(items: list[Item], more: list[Item]) -> list[Item]:
    """Merges the requests `more` with the equal requests at the end of `items`; the merged requests are for the
    channels of both."""
    if not more:
        return items
    for place, other in enumerate(more, len(items) - len(more)):
        one = items[place]
        assert isinstance(one, Request)
        assert isinstance(other, Request)
        items[place] = one._replace(channels=one.channels + other.channels)
    return items


class _Command:
    """A command op, with its requests as a function of the loop variables around it."""

    def __init__(self, around: Expansion, op: CommandOp, channels: tuple[int, ...] | None) -> None:
        self.around, self.op = around, op
        self.channels = (0,) if channels is None else channels
        self.classes = list(dict.fromkeys(around.class_of.get(channel, 0) for channel in self.channels))
        self.same: list[Request] | None = None
        """Its requests, if they are the same in every iteration."""
        self.made: dict[tuple[int, ...], list[Request]] = {}
        pim = around.pim
        if isinstance(op, BarrierOp):
            self.same = [Request(BARRIER, channels=around.everywhere if channels is None else channels)]
            return
        if not on_bus(op, pim):
            self.same = [Request(STEP, channels=())]
            return
        if op.COMMAND.row == "closes":
            raise InputError(
                f"{op.name}: on {pim.name} the channel's controller closes rows by itself; remove {op.name}", op
            )
        self.verb = op.COMMAND.verb
        self.scope: Scope = op.reach if isinstance(op, ScopedOp) else "all"
        self.unit = op.linear("unit") if isinstance(op, ScopedOp) else ZERO
        self.times = issues(op, pim)
        self.host = _is_ordinary(op, pim)
        self.decoded_separately = (
            pim.decoder is not None and each_channel(op),
            pim.decoder is not None and each_column(op),
        )
        self.names = op.linear(*rows) if (rows := op.using("row", "names")) else None
        self.uses = op.COMMAND.row == "uses"
        self.table = NO_ROW if op.table is None else table_row(op.table)
        self.start = op.columns.start if isinstance(op, TransferOp) else ZERO
        self.stated = stated_address(op)

    def requests(self) -> Sequence[Request]:
        """The command's requests in the current iterations of the loops around; none for a command that names a row."""
        around = self.around
        if self.same is not None:
            return self.same
        unit = self.unit.at(around.values)
        if self.names is not None:
            self._name(unit, self.names.given(around.values))
            return ()
        banks = around.pim.banks_of(self.scope, unit)
        used = [self._row(channels, banks) for channels in self.classes] if self.uses else []
        for one, other in combinations(dict.fromkeys(used), 2):
            equal(one, other)  # which channels need the same row may not depend on the iteration
        made = self._on_rows(unit, banks[0], [row.at(around.starts) for row in used] or [self.table])
        if used and around.levels:
            self._note_uses(made[0], used)
        return made

    def on_row(self, row: int) -> Sequence[Request]:
        """The command's requests with the loop variables' values of `around`, if `row` is named for all of its banks in
        all of its channels; none for a command that names a row."""
        if self.same is not None:
            return self.same
        if self.names is not None:
            return ()
        unit = self.unit.at(self.around.values)
        rows = [row] * len(self.classes) if self.uses else [self.table]
        return self._on_rows(unit, self.around.pim.banks_of(self.scope, unit)[0], rows)

    def _on_rows(self, unit: int, first: int, rows: list[int]) -> list[Request]:
        """The requests to the banks of `unit`, the first of which is `first`; `rows`: the row for each class of
        channels, or the one row that is no row of data."""
        around = self.around
        address = -1
        if self.stated is not None:
            address = self._fixed(self.stated)
            if not self.host:  # only the bank matters
                address -= address % around.bank
        elif self.host:
            address = first * around.bank + self._fixed(self.start) * around.column
        elif around.addressed:
            address = first * around.bank if rows[0] >= 0 else 0
        key = unit, address, *rows
        if (made := self.made.get(key)) is None:
            made = self.made[key] = list(self._requests(unit, first, address, rows))
        return made

    def _fixed(self, expression: Linear) -> int:
        """The value of an expression. Raises Ambiguous if it differs between the iterations of a loop that are written
        as one."""
        if all(variable in self.around.values for variable, _ in expression.terms):
            return expression.at(self.around.values)
        found = expression.given(self.around.values)
        if found.terms:
            raise Ambiguous(frozenset(found.variables))
        return found.constant

    def _note_uses(self, request: Request, used: Sequence[Linear]) -> None:
        """Record the rows that a request uses, in all banks that its commands reach."""
        around = self.around
        banks = layout_of(around.pim).reached(request)
        for channels, row in zip(self.classes, used, strict=True):
            around.uses.append(_Use(channels, banks, row))
            for level in around.levels:
                level.carried.update(
                    (channels, bank) for bank in banks if around.named[channels][bank][1] < level.begun
                )

    def _row(self, channels: int, banks: range) -> Linear:
        """The row named for all banks that the command addresses."""
        named = self.around.named[channels]
        row = named[banks[0]][0]
        if row is None:
            raise no_row(self.op, banks[0])
        for bank in banks:
            other = named[bank][0]
            if other is not row and not equal(other, row):
                raise differing_rows(self.op, banks[0], bank)
        return row

    def _name(self, unit: int, row: Linear) -> None:
        around = self.around
        named = row, around.times_named
        around.times_named += 1
        for channels in self.classes:
            for bank in around.pim.banks_of(self.scope, unit):
                around.named[channels][bank] = named

    def _requests(self, unit: int, first: int, address: int, rows: list[int]) -> Iterator[Request]:
        around = self.around
        for row, channels in self._by_row(rows):
            bank = unit if self.scope == "bank" else -1
            if around.addressed:
                bank = address // around.bank
                if not 0 <= bank < around.pim.banks_per_channel:
                    raise InputError(f"{self.op.name}: no bank of a channel has the address {address}", self.op)
            parts, columns = (
                [(c,) for c in channels] if self.decoded_separately[0] else [channels],
                self.host or self.decoded_separately[1],
            )
            for column in range(self.times if columns else 1):
                tag = (address + column * around.column) % around.row if self.host else 0
                times = 1 if columns else self.times
                for part in parts:
                    yield Request(self.verb, self.scope, unit, row, part, bank, self.host, tag, times)

    def _by_row(self, rows: list[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The rows that the command needs, each with the channels in which it needs that row."""
        if len(set(rows)) == 1:
            yield rows[0], self.channels
            return
        groups: dict[int, list[int]] = {}
        for channel in self.channels:
            row = rows[self.classes.index(self.around.class_of[channel])]
            groups.setdefault(row, []).append(channel)
        for row, some in groups.items():
            yield row, tuple(some)
