"""A kernel as the stream of requests to its channels' controllers, in program order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.ir import Operation, SSAValue

from dialects.diagnostics import InputError
from dialects.pim import (
    BarrierOp,
    ChannelsOp,
    CommandOp,
    KernelOp,
    Linear,
    ScopedOp,
    TransferOp,
)
from dialects.pim.addresses import stated_address
from interp.banks.program import classes_of, on_bus
from interp.banks.timing.controller_managed.rows import differing_rows, no_row
from interp.banks.timing.requests.layout import BARRIER
from interp.banks.timing.requests.request import Request
from interp.banks.timing.streams import NO_ROW, each_channel, each_column, table_row
from interp.banks.visitor import Visitor
from interp.machine.records import ELEMENT_BYTES, Pim, Scope

STEP = "step"
ZERO = Linear()


def requests_of(kernel: KernelOp, pim: Pim) -> list[Request]:
    """The requests of a kernel that `check_kernel` has accepted. Raises InputError, at the op, for a command without a
    row."""
    expansion = _Expansion(kernel, pim)
    for _ in expansion.block(kernel.body.block):
        pass
    return expansion.found


def is_reordered(kernel: KernelOp, pim: Pim) -> bool:
    """True if a device's controllers may issue a kernel's commands out of program order. The kernel is then timed
    request by request."""
    return pim.scheduler is not None and (pim.scheduler.picks == "ready" or has_host_accesses(kernel, pim))


def has_host_accesses(kernel: KernelOp, pim: Pim) -> bool:
    """True if a kernel has ordinary accesses among its commands."""
    return any(_is_ordinary(op, pim) for op in kernel.walk())


def _is_ordinary(op: Operation, pim: Pim) -> bool:
    """True if an op is an ordinary access: a read or write of a single bank, which the decoder passes on unchanged."""
    return isinstance(op, TransferOp) and (op.by_host or (pim.decoder is not None and op.reach == "bank"))


class _Expansion(Visitor[None]):
    """A traversal of a kernel that expands it to requests. `rows`: for each class of channels, the row that the program
    named last for each bank. `found`: the requests so far."""

    def __init__(self, kernel: KernelOp, pim: Pim) -> None:
        super().__init__()
        self.pim = pim
        self.class_of = {channel: at for at, numbers in enumerate(classes_of(kernel)) for channel in numbers}
        self.rows = [[-1] * pim.banks_per_channel for _ in set(self.class_of.values())]
        self.everywhere = tuple(range(pim.channels))
        self.found: list[Request] = []
        self.known: dict[CommandOp, _Command] = {}
        width = pim.lanes * ELEMENT_BYTES[pim.element]
        self.column = 1 << (width - 1).bit_length()
        self.row = self.column << (pim.columns - 1).bit_length()
        self.bank = self.row << (pim.rows - 1).bit_length()
        scheduler = pim.scheduler
        self.addressed = scheduler is not None and scheduler.broadcast == "addressed"

    def channels(self, op: ChannelsOp) -> Iterable[None]:
        before = len(self.found)
        yield from super().channels(op)
        if op.joined:
            self._join(before)

    def command(self, op: CommandOp) -> Iterable[None]:
        if (command := self.known.get(op)) is None:
            channels = None if self.region is None else tuple(self.region.numbers())
            command = self.known[op] = _Command(self, op, channels)
        command.request(self.values)
        return ()

    def _join(self, before: int) -> None:
        """Merges each request from index `before` on with an equal request earlier in the list; the merged request is
        for the channels of both."""
        more = self.found[before:]
        del self.found[before:]
        for place, other in enumerate(more, before - len(more)):
            one = self.found[place]
            self.found[place] = one._replace(channels=one.channels + other.channels)


class _Command:
    """A command op, with its requests as a function of the loop variables around it."""

    def __init__(self, around: _Expansion, op: CommandOp, channels: tuple[int, ...] | None) -> None:
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
        self.times = op.issues(pim.lanes, pim.load_columns)
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

    def request(self, values: dict[SSAValue, int]) -> None:
        """Appends the command's requests, or records the row that it names."""
        around = self.around
        if self.same is not None:
            around.found += self.same
            return
        unit = self.unit.at(values)
        if self.names is not None:
            self._name(unit, self.names.at(values))
            return
        banks = around.pim.banks_of(self.scope, unit)
        first = banks[0]
        rows = [self._row(around.rows[at], banks) for at in self.classes] if self.uses else [self.table]
        address = -1
        if self.stated is not None:
            address = self.stated.at(values)
            if not self.host:  # only the bank matters
                address -= address % around.bank
        elif self.host:
            address = first * around.bank + self.start.at(values) * around.column
        elif around.addressed:
            address = first * around.bank if rows[0] >= 0 else 0
        key = unit, address, *rows
        if (made := self.made.get(key)) is None:
            made = self.made[key] = list(self._requests(unit, first, address, rows))
        around.found += made

    def _row(self, named: list[int], banks: range) -> int:
        """The row named for all banks that the command addresses."""
        row = named[banks[0]]
        if len(banks) > 1 and (reached := named[banks.start : banks.stop : banks.step]).count(row) < len(reached):
            other = next(bank for bank in banks if named[bank] != row)
            raise differing_rows(self.op, banks[0], other)
        return row

    def _name(self, unit: int, row: int) -> None:
        around = self.around
        for at in self.classes:
            if self.scope == "all":
                around.rows[at] = [row] * around.pim.banks_per_channel
            else:
                for bank in around.pim.banks_of(self.scope, unit):
                    around.rows[at][bank] = row

    def _requests(self, unit: int, first: int, address: int, rows: list[int]) -> Iterator[Request]:
        around = self.around
        if self.uses and -1 in rows:
            raise no_row(self.op, first)
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
