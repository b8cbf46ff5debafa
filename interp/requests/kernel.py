"""A kernel as the stream of requests that its channels' controllers are given, in the order of the program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Block, SSAValue

from dialects.diagnostics import InputError
from dialects.pim import (
    ActivateOp,
    ActOp,
    BarrierOp,
    ChannelsOp,
    ColumnsOp,
    CommandOp,
    ForOp,
    KernelOp,
    LoadOp,
    PreOp,
    ReadOp,
    SpreadOp,
    WriteOp,
)
from interp.activation_tables import FUNCTIONS
from interp.bank_program import Slot, classes_of, on_bus, slot_of
from interp.requests.layout import BARRIER
from interp.requests.request import Request
from interp.sheet import ELEMENT_BYTES, Pim

ADDRESS = "address"
"""An op's attribute: the address (below its channel's) that it bears where another one than its scope, row and column
give: its constant, then its factor of each loop's variable, the outermost first."""
TABLE_ROW = 1 << 29
"""Rows from here on hold activation tables."""
STEP = "step"

Values = Mapping[SSAValue, int]


def requests_of(kernel: KernelOp, pim: Pim) -> list[Request]:
    """The requests of a kernel that fits the device. Raises InputError, at the op, for a command without a row."""
    return list(_Expansion(kernel, pim).block(kernel.body.block, None, {}, ()))


def has_host_accesses(kernel: KernelOp) -> bool:
    """Whether ordinary accesses stand among the commands."""
    return any(isinstance(op, ReadOp | WriteOp) and op.by_host for op in kernel.walk())


class _Expansion:
    """`rows`: the rows named for the banks of each class of channels."""

    def __init__(self, kernel: KernelOp, pim: Pim) -> None:
        self.pim = pim
        self.classes = classes_of(kernel)
        self.class_of = {channel: at for at, numbers in enumerate(self.classes) for channel in numbers}
        self.rows: list[list[int]] = [[-1] * pim.banks_per_channel for _ in self.classes]
        self.everywhere = tuple(range(pim.channels))
        self.numbers: dict[ChannelsOp, tuple[int, ...]] = {}
        self.reached: dict[tuple[int, ...], list[int]] = {}
        width = pim.lanes * ELEMENT_BYTES[pim.element]
        self.column = 1 << (width - 1).bit_length()
        self.row = self.column << (pim.columns - 1).bit_length()
        self.bank = self.row << (pim.rows - 1).bit_length()
        scheduler = pim.scheduler
        self.addressed = scheduler is not None and scheduler.broadcast == "addressed"

    def block(
        self, block: Block, channels: tuple[int, ...] | None, values: Values, loops: tuple[int, ...]
    ) -> Iterator[Request]:
        held: list[Request] = []
        for op in block.ops:
            joined = isinstance(op, ChannelsOp) and op.joined
            if held and not joined:
                yield from held
                held = []
            if isinstance(op, ForOp):
                for value in op.values:
                    inner = {**values, op.body.block.args[0]: value}
                    yield from self.block(op.body.block, channels, inner, (*loops, value))
            elif isinstance(op, ChannelsOp):
                if op not in self.numbers:
                    self.numbers[op] = tuple(op.numbers())
                more = self.block(op.body.block, self.numbers[op], values, loops)
                held = _joined(held, more) if joined else list(more)
            elif isinstance(op, CommandOp):
                yield from self.command(op, channels, values, loops)
        yield from held

    def command(
        self, op: CommandOp, channels: tuple[int, ...] | None, values: Values, loops: Sequence[int]
    ) -> Iterator[Request]:
        if isinstance(op, BarrierOp):
            yield Request(BARRIER, channels=self.everywhere if channels is None else channels)
            return
        if not on_bus(op, self.pim):
            yield Request(STEP, channels=())
            return
        to, slot = (0,) if channels is None else channels, slot_of(op, dict(values))
        if isinstance(op, ActOp):
            self.name(to, slot, op.linear("row").at(values))
            return
        if isinstance(op, PreOp):
            raise InputError(f"pim.pre: on {self.pim.name} the channel's controller closes rows; leave pim.pre out", op)
        for row, some in self.by_row(op, slot, to):
            yield from self.requests(op, slot, row, some, values, loops)

    def requests(
        self, op: CommandOp, slot: Slot, row: int, channels: tuple[int, ...], values: Values, loops: Sequence[int]
    ) -> Iterator[Request]:
        times = op.issues(self.pim.lanes, self.pim.load_columns)
        host = isinstance(op, ReadOp | WriteOp) and op.by_host
        address = self.address(op, slot, row, values, loops)
        bank = slot.unit if slot.scope == "bank" else -1
        if self.addressed:
            bank = address // self.bank
        if not host:
            yield Request(slot.verb, slot.scope, slot.unit, row, channels, bank, times=times)
            return
        for _ in range(times):
            yield Request(slot.verb, slot.scope, slot.unit, row, channels, bank, True, address % self.row)
            address += self.column

    def name(self, channels: tuple[int, ...], slot: Slot, row: int) -> None:
        for at in self.classes_in(channels):
            if slot.scope == "all":
                self.rows[at] = [row] * self.pim.banks_per_channel
            else:
                for bank in slot.banks(self.pim):
                    self.rows[at][bank] = row

    def classes_in(self, channels: tuple[int, ...]) -> list[int]:
        if channels not in self.reached:
            self.reached[channels] = list(dict.fromkeys(self.class_of[channel] for channel in channels))
        return self.reached[channels]

    def by_row(self, op: CommandOp, slot: Slot, channels: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
        """The row that a command needs, and in which channels."""
        if isinstance(op, ActivateOp):
            return [(TABLE_ROW + list(FUNCTIONS).index(op.function.data), channels)]
        if op.COMMAND.row != "uses":
            return [(-1, channels)]
        first = slot.banks(self.pim)[0]
        rows = {at: self.rows[at][first] for at in self.classes_in(channels)}
        if -1 in rows.values():
            raise InputError(f"{op.name}: no row is named in bank {first}; name one first (pim.act)", op)
        if len(found := set(rows.values())) == 1:
            return [(found.pop(), channels)]
        groups: dict[int, list[int]] = {}
        for channel in channels:
            groups.setdefault(rows[self.class_of[channel]], []).append(channel)
        return [(row, tuple(some)) for row, some in groups.items()]

    def address(self, op: CommandOp, slot: Slot, row: int, values: Values, loops: Sequence[int]) -> int:
        """What a command bears below its channel's number."""
        stated = op.attributes.get(ADDRESS)
        if isinstance(stated, DenseArrayBase):
            first, *factors = map(int, cast("DenseArrayBase[IntegerType]", stated).get_values())
            return first + sum(factor * value for factor, value in zip(factors, loops, strict=False))
        column = 0
        if isinstance(op, ColumnsOp | ReadOp | WriteOp):
            column = op.columns.start.at(values)
        elif isinstance(op, LoadOp | SpreadOp):
            return op.linear("entry").at(values)
        if row < 0:
            return 0
        return slot.banks(self.pim)[0] * self.bank + row * self.row + column * self.column


def _joined(held: list[Request], more: Iterable[Request]) -> list[Request]:
    """The same requests for further channels."""
    return [one._replace(channels=one.channels + other.channels) for one, other in zip(held, more, strict=True)]
