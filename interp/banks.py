"""What a bank program computes: rows, open rows, global buffers and accumulators hold real numbers, for all channels at
once.

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
from dialects.element_types import dtype_of
from dialects.pim import (
    ActOp,
    ChannelsOp,
    CommandOp,
    DrainOp,
    ForOp,
    HostOp,
    KernelOp,
    Linear,
    LoadOp,
    MacOp,
    PreOp,
    ScopedOp,
    Subscript,
    memref_of,
)
from interp.bank_program import Slot, bodies_of, check_kernel
from interp.sheet import Pim

Array: TypeAlias = NDArray[Any]
Values: TypeAlias = dict[SSAValue, int]
Action: TypeAlias = Callable[[Values], None]

CLOSED = -1


def run_kernel(kernel: KernelOp, pim: Pim, inputs: Sequence[Array]) -> list[Array]:
    """The kernel's outputs, given its inputs in order, each of its memref's shape and element type.

    Raises InputError, at the op, for what the device can't do and for hazards: a multiply with a closed row or a buffer
    column that was never loaded, a row that holds no data, an activate over an open row (where the sheet forbids it), a
    drain of nothing, or over what was drained before, sums or results that are left behind.
    """
    check_kernel(kernel, pim)
    memory = _Memory(kernel, inputs)
    with np.errstate(all="ignore"):
        for region, numbers, block in bodies_of(kernel):
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


class _Memory:
    """What lies outside the channels' state: the host's memrefs, and rows in the banks as f32 (exact for every narrower
    type)."""

    def __init__(self, kernel: KernelOp, inputs: Sequence[Array]) -> None:
        if len(inputs) != len(kernel.inputs):
            raise InputError(
                f"pim.kernel @{kernel.sym_name.data} takes {len(kernel.inputs)} inputs, not {len(inputs)}", kernel
            )
        self.host: dict[SSAValue, Array] = {}
        self.rows: list[tuple[range, Array]] = []
        in_banks = kernel.in_banks
        for value, array in zip(kernel.inputs, inputs, strict=True):
            type_ = memref_of(value)
            if array.shape != type_.get_shape() or array.dtype != dtype_of(type_.element_type):
                met = f"{array.dtype.name} of shape {list(array.shape)}"
                raise InputError(
                    f"pim.kernel @{kernel.sym_name.data}: %{value.name_hint} is a {type_}, not {met}", kernel
                )
            if value in in_banks:
                first = in_banks[value]
                self.rows.append((range(first, first + array.shape[1]), array.astype(np.float32)))
            else:
                self.host[value] = np.ascontiguousarray(array).reshape(-1)
        self.written: dict[SSAValue, NDArray[np.bool_]] = {}
        for value in kernel.outputs:
            type_ = memref_of(value)
            count = prod(type_.get_shape())
            self.host[value] = np.zeros(count, dtype_of(type_.element_type))
            self.written[value] = np.zeros(count, np.bool_)

    def row(self, number: int) -> tuple[Array, int] | None:
        """The operand that holds a row, [channels, rows, banks, columns, lanes], and the row's place in it."""
        return next(((array, number - rows.start) for rows, array in self.rows if number in rows), None)

    def results(self, kernel: KernelOp) -> list[Array]:
        for value in kernel.outputs:
            if not self.written[value].all():
                shape = memref_of(value).get_shape()
                entry = [int(i) for i in np.unravel_index(int(self.written[value].argmin()), shape)]
                raise InputError(
                    f"pim.kernel @{kernel.sym_name.data}: %{value.name_hint}{entry} is never drained", kernel
                )
        return [self.host[value].reshape(memref_of(value).get_shape()) for value in kernel.outputs]


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

    def __init__(self, pim: Pim, memory: _Memory, region: ChannelsOp | None, numbers: tuple[int, ...]) -> None:
        self.pim, self.memory, self.region = pim, memory, region
        self.numbers = numbers
        count, banks = len(numbers), pim.banks_per_channel
        self.opened = np.full(banks, CLOSED, np.int64)
        self.buffer = np.zeros((count, pim.buffer_columns, pim.lanes), np.float32)
        self.loaded = np.zeros(pim.buffer_columns, np.bool_)
        self.sums = np.zeros((pim.accumulators, count, banks), np.float32)
        self.holding = np.zeros((pim.accumulators, banks), np.bool_)
        self.multiply = NUMERICS[pim.numeric]
        together = numbers == tuple(range(numbers[0], numbers[0] + count))
        self.pick = slice(numbers[0], numbers[0] + count) if together else list(numbers)

    def actions(self, block: Block) -> list[Action]:
        """The block's ops as functions of the loop variables' values."""
        found: list[Action] = []
        for op in block.ops:
            if isinstance(op, ForOp):
                found.append(self._loop(op))
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
                met = int(opened.max())
                raise InputError(f"pim.act: row {met} is open; {self.pim.name} closes it first (pim.pre)", op)
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
                raise InputError(f"pim.mac: column {at} of the global buffer was never loaded (pim.load)", op)
            sums = self.sums[into, :, reached]
            sums[:] = self.multiply(self._columns(op, reached, column.at(values), count), self.buffer[:, buffer], sums)
            self.holding[into, reached] = True

        return run

    def _columns(self, op: MacOp, banks: slice, first: int, count: int) -> Array:
        """Columns of the open rows of some banks, [channels, banks, columns, lanes]."""
        opened = self.opened[banks]
        row = int(opened[0])
        if (opened == row).all():
            return self._row(op, row, banks, first, count)
        parts = [
            self._row(op, int(r), slice(bank, bank + 1), first, count) for bank, r in enumerate(opened, banks.start)
        ]
        return np.concatenate(parts, axis=1)

    def _row(self, op: MacOp, row: int, banks: slice, first: int, count: int) -> Array:
        if row == CLOSED:
            raise InputError(f"pim.mac: no row is open in bank {banks.start}; activate one first (pim.act)", op)
        held = self.memory.row(row)
        if held is None:
            raise InputError(f"pim.mac: row {row} is open, but no operand of the kernel lies there", op)
        array, at = held
        if first + count > array.shape[3]:
            raise InputError(
                f"pim.mac: row {row} holds {array.shape[3]} columns, so column {first + count - 1} is no weight", op
            )
        if (last := max(self.numbers)) >= array.shape[0]:
            raise InputError(f"pim.mac: channel {last} computes, but row {row} lies in {array.shape[0]} channels", op)
        return array[self.pick, at, banks, first : first + count]

    def drain(self, op: DrainOp) -> Action:
        access, banks, accumulator = _Access(op, self.region), self.banks_of(op), op.linear("accumulator")
        target, written = self.memory.host[op.memref], self.memory.written[op.memref]

        if not op.adds and not (access.distinct and len(access.at) == len(self.numbers)):
            raise InputError("pim.drain: several channels store to the same entries; let them `add`", op)

        def run(values: Values) -> None:
            reached, number, at = banks(values), accumulator.at(values), access(values)
            if not self.holding[number, reached].all():
                raise InputError("pim.drain: an accumulator holds no sum; multiply first (pim.mac)", op)
            sums = self.sums[number, :, reached]
            self._deliver(op, target, written, np.broadcast_to(at, sums.shape), sums.astype(target.dtype))
            sums[:] = 0
            self.holding[number, reached] = False

        return run

    def _deliver(self, op: DrainOp, target: Array, written: NDArray[np.bool_], at: Array, sums: Array) -> None:
        if op.adds:
            np.add.at(target, at, sums)
        elif written[at].any():
            entry = [int(i) for i in np.unravel_index(int(at[written[at]][0]), memref_of(op.memref).get_shape())]
            raise InputError(f"pim.drain: %{op.memref.name_hint}{entry} was drained before; let this `add`", op)
        else:
            target[at] = sums
        written[at] = True

    def check_end(self, kernel: KernelOp) -> None:
        """Raises InputError if sums are left behind."""
        if self.holding.any():
            number, bank = (int(i) for i in np.argwhere(self.holding)[0])
            raise InputError(
                f"pim.kernel @{kernel.sym_name.data} ends with a sum in accumulator {number} of bank {bank}; drain it",
                kernel,
            )


ACTIONS: dict[type[CommandOp], Callable[[_Channels, Any], Action]] = {
    LoadOp: _Channels.load,
    ActOp: _Channels.act,
    MacOp: _Channels.mac,
    DrainOp: _Channels.drain,
    PreOp: _Channels.pre,
}
"""What each command does to a channel's state; a new verb is an op in the dialect and a row here."""
