"""What a bank program computes: rows, open rows, global buffers and accumulators hold real numbers, for all channels at
once. What rows hold is kept in interp/bank_memory.py.

Loops run as written; a command is one numpy operation over all channels that stand together, all banks and all its
columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, BlockArgument, SSAValue

from dialects.diagnostics import InputError
from dialects.pim import (
    ActOp,
    AddColumnsOp,
    ChannelsOp,
    ColumnsOp,
    CommandOp,
    DrainOp,
    ForOp,
    HostOp,
    KernelOp,
    LaneOp,
    Linear,
    LoadOp,
    MacOp,
    MulColumnsOp,
    PreOp,
    ReadOp,
    ReluColumnsOp,
    ScopedOp,
    SubColumnsOp,
    Subscript,
    WriteOp,
    memref_of,
)
from interp.bank_hazards import never_loaded, no_row_is_open, no_sum, row_is_open, sums_left
from interp.bank_memory import Memory, Rows
from interp.bank_program import Slot, check_kernel, classes_of
from interp.sheet import Pim

Array: TypeAlias = NDArray[Any]
Values: TypeAlias = dict[SSAValue, int]
Action: TypeAlias = Callable[[Values], None]

CLOSED = -1


def run_kernel(kernel: KernelOp, pim: Pim, inputs: Sequence[Array]) -> list[Array]:
    """The kernel's outputs, given its inputs in order, each of its memref's shape and element type.

    Raises InputError, at the op, for what the device can't do and for hazards: a multiply with a closed row or a buffer
    column that was never loaded, a row that holds no data, a write over a weight, an activate over an open row (where
    the sheet forbids it), a drain of nothing, or over what was drained before, sums or results that are left behind.
    """
    check_kernel(kernel, pim)
    memory = Memory(kernel, inputs)
    with np.errstate(all="ignore"):
        regions = [(op, tuple(op.numbers()), op.body.block) for op in kernel.regions_of_channels]
        for region, numbers, block in regions or [(None, classes_of(kernel)[0], kernel.body.block)]:
            channels = _Channels(pim, memory, region, numbers)
            for action in channels.actions(block):
                action({})
            channels.check_end(kernel)
    return memory.results(kernel)


def wide(row: Array, buffer: Array, sums: Array) -> Array:
    """Numeric mode `wide`: exact products (of f32: rounded to f32), lanes summed by a tree of neighbours, then columns
    one after another onto the accumulator, all in f32.

    `row`: [channels, banks, columns, lanes], `buffer`: [channels, columns, lanes], `sums`: [channels, banks]; all f32.
    """
    terms = row * buffer[:, None]
    while (lanes := terms.shape[-1]) > 1:
        even = terms[..., : lanes - 1 : 2] + terms[..., 1::2]
        terms = np.concatenate([even, terms[..., -1:]], axis=-1) if lanes % 2 else even
    return np.add.accumulate(np.concatenate([sums[..., None], terms[..., 0]], axis=-1), axis=-1)[..., -1]


NUMERICS: dict[str, Callable[[Array, Array, Array], Array]] = {"wide": wide}
"""What a multiply command does to the accumulators, by the sheet's word for it."""


class _Access:
    """Where a host command's entries lie in the flat memref: [channels or 1, entries], plus what loops add."""

    def __init__(self, op: HostOp, region: ChannelsOp | None) -> None:
        shape = memref_of(op.memref).get_shape()
        strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
        parts = [*op.parts, *(Subscript(Linear(), extent) for extent in shape[len(op.parts) :])]
        first = Linear()
        block = np.zeros(1, np.intp)
        for part, stride in zip(parts, strides, strict=True):
            first += part.start * stride
            block = (block[:, None] + np.arange(max(part.extent, 1)) * stride).reshape(-1)
        self.loops = Linear(0, tuple(term for term in first.terms if not _is_channel(term[0], region)))
        self.at = _per_channel(first - self.loops, region)[:, None] + block
        self.distinct = len(np.unique(self.at)) == self.at.size

    def __call__(self, values: Values) -> Array:
        return self.at + self.loops.at(values)


def _is_channel(variable: SSAValue, region: ChannelsOp | None) -> bool:
    return isinstance(variable, BlockArgument) and region is not None and variable.block is region.body.block


def _per_channel(expression: Linear, region: ChannelsOp | None) -> NDArray[np.intp]:
    """An expression of the channel's variables, for all channels; one number where it has none."""
    if not expression.terms or region is None:
        return np.array([expression.constant], np.intp)
    arguments = region.body.block.args
    return np.array(
        [expression.at(dict(zip(arguments, combination, strict=True))) for combination in region.combinations()],
        np.intp,
    )


class _Channels:
    """The state of channels that run the same program."""

    def __init__(self, pim: Pim, memory: Memory, region: ChannelsOp | None, numbers: tuple[int, ...]) -> None:
        self.pim, self.memory, self.region = pim, memory, region
        self.numbers = numbers
        count, banks = len(numbers), pim.banks_per_channel
        self.opened = np.full(banks, CLOSED, np.int64)
        self.buffer = np.zeros((count, pim.buffer_columns, pim.lanes), np.float32)
        self.loaded = np.zeros(pim.buffer_columns, np.bool_)
        self.sums = np.zeros((pim.accumulators, count, banks), np.float32)
        self.holding = np.zeros((pim.accumulators, banks), np.bool_)
        self.multiply = NUMERICS[pim.numeric]
        self.rows = Rows(pim, memory, numbers)

    def actions(self, block: Block) -> list[Action]:
        """The block's ops as functions of the loop variables' values."""
        found: list[Action] = []
        for op in block.ops:
            if isinstance(op, ForOp):
                found.append(self._loop(op))
            elif isinstance(op, LaneOp):
                found.append(self.lanes(op))
            elif isinstance(op, CommandOp):
                found.append(ACTIONS[type(op)](self, op))
        return found

    def _loop(self, op: ForOp) -> Action:
        variable, rounds, body = op.body.block.args[0], op.values, self.actions(op.body.block)

        def run(values: Values) -> None:
            for value in rounds:
                values[variable] = value
                for action in body:
                    action(values)

        return run

    def banks_of(self, op: ScopedOp) -> Callable[[Values], slice]:
        """The banks that a command addresses."""
        unit, size = op.linear("unit"), len(Slot(op.COMMAND.verb, op.reach).banks(self.pim))

        def banks(values: Values) -> slice:
            first = unit.at(values) * size
            return slice(first, first + size)

        return banks

    def load(self, op: LoadOp) -> Action:
        access, entry = _Access(op, self.region), op.linear("entry")
        source, lanes = self.memory.host[op.memref], self.pim.lanes
        *outer, last = op.block_shape or (1,)
        runs, width = prod(outer), -(-last // lanes)

        def run(values: Values) -> None:
            taken = source[access(values)].astype(np.float32).reshape(-1, runs, last)
            if last % lanes:
                taken = np.pad(taken, ((0, 0), (0, 0), (0, width * lanes - last)))
            first = entry.at(values)
            columns = slice(first, first + runs * width)
            self.buffer[:, columns] = taken.reshape(-1, runs * width, lanes)
            self.loaded[columns] = True

        return run

    def act(self, op: ActOp) -> Action:
        banks, row = self.banks_of(op), op.linear("row")

        def run(values: Values) -> None:
            opened = self.opened[banks(values)]
            if not self.pim.reopen and (opened != CLOSED).any():
                raise row_is_open(op, banks(values).start + int((opened != CLOSED).argmax()), self.pim)
            opened[:] = row.at(values)

        return run

    def pre(self, op: PreOp) -> Action:
        banks = self.banks_of(op)

        def run(values: Values) -> None:
            self.opened[banks(values)] = CLOSED

        return run

    def mac(self, op: MacOp) -> Action:
        banks, column, entry, accumulator = (
            self.banks_of(op),
            op.linear("column"),
            op.linear("entry"),
            op.linear("accumulator"),
        )
        count = op.columns.extent

        def run(values: Values) -> None:
            reached, first, into = banks(values), entry.at(values), accumulator.at(values)
            buffer = slice(first, first + count)
            if not self.loaded[buffer].all():
                at = first + int(self.loaded[buffer].argmin())
                raise never_loaded(op, at)
            sums = self.sums[into, :, reached]
            sums[:] = self.multiply(self._columns(op, reached, column.at(values), count), self.buffer[:, buffer], sums)
            self.holding[into, reached] = True

        return run

    def _columns(self, op: ColumnsOp, banks: slice, first: int, count: int) -> Array:
        """Columns of the open rows of some banks, [channels, banks, columns, lanes]."""
        parts = [self.rows.read(op, row, part, first, count) for row, part in self._open(op, banks)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def _open(self, op: ColumnsOp, banks: slice) -> list[tuple[int, slice]]:
        """The open rows of some banks: one for all of them, or one each."""
        opened = self.opened[banks]
        if (opened == CLOSED).any():
            raise no_row_is_open(op, banks.start + int((opened == CLOSED).argmax()))
        if (opened == opened[0]).all():
            return [(int(opened[0]), banks)]
        return [(int(row), slice(bank, bank + 1)) for bank, row in enumerate(opened, banks.start)]

    def _put(self, op: ColumnsOp, banks: slice, first: int, values: Array) -> None:
        """New columns, [channels, banks, columns, lanes], for the open rows of some banks."""
        for row, part in self._open(op, banks):
            here = slice(part.start - banks.start, part.stop - banks.start)
            self.rows.write(op, row, part, first, values[:, here])

    def lanes(self, op: LaneOp) -> Action:
        banks, count = self.banks_of(op), op.columns.extent
        sources, target, compute = op.sources(), op.linear("target"), LANES[type(op)]

        def run(values: Values) -> None:
            reached, into = banks(values), target.at(values)
            operands: list[Array] = []
            for word, source in sources:
                first = source.at(values)
                if 0 < abs(into - first) < count:
                    raise InputError(
                        f"{op.name}: results go into columns from {into} on, but `{word}` reads {count} from {first} "
                        "on: results lie on an operand or apart from it",
                        op,
                    )
                operands.append(self._columns(op, reached, first, count))
            self._put(op, reached, into, compute(*operands))

        return run

    def write(self, op: WriteOp) -> Action:
        access, banks, column = _Access(op, self.region), self.banks_of(op), op.linear("column")
        source, shape = self.memory.host[op.memref], (-1, op.columns.extent, self.pim.lanes)

        def run(values: Values) -> None:
            taken = source[access(values)].astype(np.float32)
            taken = np.broadcast_to(taken, (len(self.numbers), taken.shape[1]))
            self._put(op, banks(values), column.at(values), taken.reshape(len(self.numbers), *shape))

        return run

    def read(self, op: ReadOp) -> Action:
        access, banks, column = _Access(op, self.region), self.banks_of(op), op.linear("column")
        target, written = self.memory.host[op.memref], self.memory.written[op.memref]
        if not (access.distinct and len(access.at) == len(self.numbers)):
            raise InputError("pim.read: several channels store to the same entries; give each its own", op)

        def run(values: Values) -> None:
            at = access(values)
            taken = self._columns(op, banks(values), column.at(values), op.columns.extent).reshape(at.shape)
            _refuse_twice(op, written[at], at, "read", "give each read entries of its own")
            target[at] = taken.astype(target.dtype)
            written[at] = True

        return run

    def drain(self, op: DrainOp) -> Action:
        access, banks, accumulator = _Access(op, self.region), self.banks_of(op), op.linear("accumulator")
        target, written = self.memory.host[op.memref], self.memory.written[op.memref]

        if not op.adds and not (access.distinct and len(access.at) == len(self.numbers)):
            raise InputError("pim.drain: several channels store to the same entries; let them `add`", op)

        def run(values: Values) -> None:
            reached, number, at = banks(values), accumulator.at(values), access(values)
            if not self.holding[number, reached].all():
                raise no_sum(op)
            sums = self.sums[number, :, reached]
            self._deliver(op, target, written, np.broadcast_to(at, sums.shape), sums.astype(target.dtype))
            sums[:] = 0
            self.holding[number, reached] = False

        return run

    def _deliver(self, op: DrainOp, target: Array, written: NDArray[np.bool_], at: Array, sums: Array) -> None:
        if op.adds:
            np.add.at(target, at, sums)
        else:
            _refuse_twice(op, written[at], at, "drained", "let this `add`")
            target[at] = sums
        written[at] = True

    def check_end(self, kernel: KernelOp) -> None:
        """Raises InputError if sums are left behind."""
        if self.holding.any():
            number, bank = (int(i) for i in np.argwhere(self.holding)[0])
            raise sums_left(kernel, number, bank)


def _refuse_twice(op: HostOp, written: NDArray[np.bool_], at: Array, done: str, way_out: str) -> None:
    if written.any():
        entry = [int(i) for i in np.unravel_index(int(at[written][0]), memref_of(op.memref).get_shape())]
        raise InputError(f"{op.name}: %{op.memref.name_hint}{entry} was {done} before; {way_out}", op)


def _rectified(x: Array) -> Array:
    return np.maximum(x, np.float32(0))


LANES: dict[type[LaneOp], Callable[..., Array]] = {
    AddColumnsOp: np.add,
    SubColumnsOp: np.subtract,
    MulColumnsOp: np.multiply,
    ReluColumnsOp: _rectified,
}
"""What commands compute in each lane, in f32; it is rounded to the banks' element type where it is stored."""

ACTIONS: dict[type[CommandOp], Callable[[_Channels, Any], Action]] = {
    LoadOp: _Channels.load,
    ActOp: _Channels.act,
    MacOp: _Channels.mac,
    DrainOp: _Channels.drain,
    PreOp: _Channels.pre,
    WriteOp: _Channels.write,
    ReadOp: _Channels.read,
}
"""What all other commands do to a channel's state; a new verb is an op in the dialect and a row in one of these two
tables."""
