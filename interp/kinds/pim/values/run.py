"""Runs bank programs on data: rows, global buffers, accumulators, activation registers and softmax buffers hold
numbers, for all channels at once (interp/kinds/pim/values/state.py, and interp/kinds/pim/values/memory.py for rows).

Loops run as written; a command is one numpy operation over all channels of its region, all banks and all of its
columns. Channels of different regions run in program order, channels of the same region in the order of their numbers;
`add to` adds in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialects.diagnostics import InputError
from dialects.pim import (
    ActivatedOp,
    ActivateOp,
    ActOp,
    AddColumnsOp,
    BarrierOp,
    BiasOp,
    CollectOp,
    CommandOp,
    DrainOp,
    FetchOp,
    ForOp,
    GroupProductOp,
    KernelOp,
    LaneOp,
    LoadOp,
    MacOp,
    MulColumnsOp,
    PreOp,
    ReadOp,
    ReluColumnsOp,
    SetOp,
    SoftmaxOp,
    SpreadOp,
    StepOp,
    StoreOp,
    SubColumnsOp,
    WriteOp,
)
from interp.kinds.pim.checks.sentences import never_loaded, overlapping_columns, row_is_open, sums_left
from interp.kinds.pim.program import check_kernel, may_open_over
from interp.kinds.pim.values import units
from interp.kinds.pim.values.access import Access, Delivery
from interp.kinds.pim.values.arithmetic import NUMERICS
from interp.kinds.pim.values.memory import ChannelPart, KernelMemory
from interp.kinds.pim.values.state import CLOSED, ChannelNumbers, Values
from interp.kinds.pim.visitor import Visitor
from interp.machine.records import Pim

__all__ = ["ACTIONS", "LANES", "NUMERICS", "effect", "run_kernel"]

Array: TypeAlias = NDArray[Any]
Action: TypeAlias = Callable[[Values], None]
Effect: TypeAlias = Callable[[ChannelNumbers, Any, ChannelPart], Action]


def run_kernel(kernel: KernelOp, pim: Pim, inputs: Sequence[Array]) -> list[Array]:
    """The kernel's outputs, given its inputs in order, each with its memref's shape and element type.

    Raises InputError, at the op, for commands that the device does not have and for hazards: a multiply with a closed
    row or a buffer column that was never loaded, a row or column that holds no data, a write over a weight, an activate
    over an open row (where the sheet forbids it), a drain of an empty accumulator or to an entry that was already
    stored, registers and buffers that were never filled, and sums or results that are never read. If the sheet's
    programs are checked (`pim.checked`), also for sums that are overwritten before they were read, and for sums that
    are added to after they were read.
    """
    # Where programs are not checked, columns may exceed the device's; a run on data needs all of them to exist.
    check_kernel(kernel, pim if pim.checked else replace(pim, checked=True))
    state = ChannelNumbers(kernel, pim, KernelMemory(kernel, inputs))
    with np.errstate(all="ignore"):
        for action in _Actions(state).block(kernel.body.block):
            action({})
    if state.unread.any():
        number, _, bank = (int(i) for i in np.argwhere(state.unread.any(axis=1, keepdims=True))[0])
        raise sums_left(kernel, number, bank)
    return state.memory.results(kernel)


class _Actions(Visitor[Action]):
    """Compiles a kernel's ops to functions of the loop variables' values."""

    def __init__(self, state: ChannelNumbers) -> None:
        super().__init__()
        self.state = state

    def loop(self, op: ForOp) -> Iterable[Action]:
        variable, rounds, body = op.variable, op.values, list(self.block(op.body.block))

        def run(values: Values) -> None:
            for value in rounds:
                values[variable] = value
                for action in body:
                    action(values)

        return (run,)

    def command(self, op: CommandOp) -> Iterable[Action]:
        if isinstance(op, BarrierOp | SetOp):
            return ()  # barriers and registers don't affect the numbers of any channel
        part = self.state.part(self.region)
        if isinstance(op, LaneOp):
            return (_lanes(self.state, op, part),)
        if (effect := ACTIONS.get(type(op))) is None:
            raise InputError(
                f"{op.name}: the effect of this op on values is not defined; register it "
                "(interp.kinds.pim.values.run.effect)",
                op,
            )
        return (effect(self.state, op, part),)


def _load(state: ChannelNumbers, op: LoadOp, part: ChannelPart) -> Action:
    access, entry, banks = Access(op), op.linear("entry"), state.banks_of(op)
    source, lanes = state.memory.host[op.memref], state.pim.lanes
    *outer, last = op.block_shape or (1,)
    runs, width = prod(outer), -(-last // lanes)

    def run(values: Values) -> None:
        taken = source[access(values)].astype(np.float32).reshape(-1, 1, runs, last)
        if last % lanes:
            taken = np.pad(taken, ((0, 0), (0, 0), (0, 0), (0, width * lanes - last)))
        first, seats = entry.at(values), state.buffers_of(banks(values))
        columns = slice(first, first + runs * width)
        state.buffer[part.at, seats, columns] = taken.reshape(-1, 1, runs * width, lanes)
        state.loaded[part.at, seats, columns] = True

    return run


def _act(state: ChannelNumbers, op: ActOp, part: ChannelPart) -> Action:
    banks, row, over = state.banks_of(op), op.linear("row"), may_open_over(state.pim)

    def run(values: Values) -> None:
        reached = banks(values)
        already = (state.opened[part.at, reached] != CLOSED).any(axis=0)
        if not over and already.any():
            raise row_is_open(op, state.numbered(reached)[int(already.argmax())], state.pim)
        state.opened[part.at, reached] = row.at(values)

    return run


def _pre(state: ChannelNumbers, op: PreOp, part: ChannelPart) -> Action:
    banks = state.banks_of(op)

    def run(values: Values) -> None:
        state.opened[part.at, banks(values)] = CLOSED

    return run


def _mac(state: ChannelNumbers, op: MacOp, part: ChannelPart) -> Action:
    banks, count = state.banks_of(op), op.columns.extent
    column, entry, accumulator = op.linear("column"), op.linear("entry"), op.linear("accumulator")

    def run(values: Values) -> None:
        reached, into = banks(values), accumulator.at(values)
        buffer = loaded_columns(state, op, part, reached, entry.at(values), count)
        units.refuse_consumed(state, op, part, into, reached)
        sums = state.sums[into]
        row = state.read(op, part, reached, column.at(values), count)
        sums[part.at, reached] = state.arithmetic.multiply(row, buffer, sums[part.at, reached], state.dtype)
        state.holds[into][part.at, reached] = True
        state.unread[into][part.at, reached] = True

    return run


def loaded_columns(
    state: ChannelNumbers, op: CommandOp, part: ChannelPart, banks: slice, first: int, count: int
) -> Array:
    """Columns of the global buffer as seen by some banks, [channels, banks or 1, columns, lanes]. Raises InputError for
    a column that was never loaded."""
    seats, columns = state.buffers_of(banks), slice(first, first + count)
    loaded = state.loaded[part.at, seats, columns].all(axis=(0, 1))
    if not loaded.all():
        raise never_loaded(op, first + int(loaded.argmin()))
    return state.buffer[part.at, seats, columns]


def _lanes(state: ChannelNumbers, op: LaneOp, part: ChannelPart) -> Action:
    banks, count = state.banks_of(op), op.columns.extent
    sources, target, compute = op.sources(), op.linear("target"), LANES[type(op)]

    def run(values: Values) -> None:
        reached, into = banks(values), target.at(values)
        operands: list[Array] = []
        for word, source in sources:
            first = source.at(values)
            if 0 < abs(into - first) < count:
                raise overlapping_columns(op, word, count)
            operands.append(state.read(op, part, reached, first, count))
        state.write(op, part, reached, into, compute(*operands))

    return run


def _group_product(state: ChannelNumbers, op: GroupProductOp, part: ChannelPart) -> Action:
    banks, column, count = state.banks_of(op), op.linear("column"), op.columns.extent
    size = state.pim.banks

    def run(values: Values) -> None:
        reached, first = state.numbered(banks(values)), column.at(values)
        left, right, target = (slice(reached.start + bank, reached.stop, size) for bank in range(3))
        operands = [state.read(op, part, bank, first, count) for bank in (left, right)]
        state.write(op, part, target, first, np.multiply(*operands))

    return run


def _fetch(state: ChannelNumbers, op: FetchOp, part: ChannelPart) -> Action:
    banks, column, entry, count = state.banks_of(op), op.linear("column"), op.linear("entry"), op.columns.extent

    def run(values: Values) -> None:
        columns = slice(entry.at(values), entry.at(values) + count)
        state.buffer[part.at, :, columns] = state.read(op, part, banks(values), column.at(values), count)
        state.loaded[part.at, :, columns] = True

    return run


def _store(state: ChannelNumbers, op: StoreOp, part: ChannelPart) -> Action:
    banks, column, entry, count = state.banks_of(op), op.linear("column"), op.linear("entry"), op.columns.extent

    def run(values: Values) -> None:
        reached = banks(values)
        taken = loaded_columns(state, op, part, reached, entry.at(values), count)
        shape = (len(taken), len(state.numbered(reached)), *taken.shape[2:])
        state.write(op, part, reached, column.at(values), np.broadcast_to(taken, shape))

    return run


def _write(state: ChannelNumbers, op: WriteOp, part: ChannelPart) -> Action:
    access, banks, column = Access(op), state.banks_of(op), op.linear("column")
    source, shape = state.memory.host[op.memref], (len(part.numbers), -1, op.columns.extent, state.pim.lanes)

    def run(values: Values) -> None:
        taken = source[access(values)].astype(np.float32)
        taken = np.broadcast_to(taken, (len(part.numbers), taken.shape[1])).reshape(shape)
        state.write(op, part, banks(values), column.at(values), taken)

    return run


def _read(state: ChannelNumbers, op: ReadOp, part: ChannelPart) -> Action:
    delivery, banks, column = Delivery(op, state.memory, len(part.numbers)), state.banks_of(op), op.linear("column")

    def run(values: Values) -> None:
        taken = state.read(op, part, banks(values), column.at(values), op.columns.extent)
        delivery.put(values, taken.reshape(len(part.numbers), -1))

    return run


def _step(state: ChannelNumbers, op: StepOp, part: ChannelPart) -> Action:
    def run(values: Values) -> None:
        raise InputError(
            f'pim.step "{op.text.data}": the effect of a vendor\'s own instruction on values is unknown; write '
            "commands of the pim dialect instead, or request timing only (-t timeline)",
            op,
        )

    return run


def _rectified(x: Array) -> Array:
    return np.maximum(x, np.float32(0))


LANES: dict[type[LaneOp], Callable[..., Array]] = {
    AddColumnsOp: np.add,
    SubColumnsOp: np.subtract,
    MulColumnsOp: np.multiply,
    ReluColumnsOp: _rectified,
}
"""The lane-wise function of each command, in f32; its result is rounded to the banks' element type when it is stored.
"""

ACTIONS: dict[type[CommandOp], Effect] = {
    LoadOp: _load,
    ActOp: _act,
    MacOp: _mac,
    DrainOp: units.drain,
    PreOp: _pre,
    WriteOp: _write,
    ReadOp: _read,
    GroupProductOp: _group_product,
    FetchOp: _fetch,
    StoreOp: _store,
    BiasOp: units.bias,
    ActivateOp: units.activate,
    ActivatedOp: units.read_activated,
    CollectOp: units.collect,
    SoftmaxOp: units.softmax,
    SpreadOp: units.spread,
    StepOp: _step,
}
"""The effects on the state of all commands that are not in `LANES`, for the channels of a part. A new verb needs an op
in the dialect and an entry in one of these two tables."""


def effect(op: type[CommandOp]) -> Callable[[Effect], Effect]:
    """Registers the effect of a command on data: a function of the state, the op and the addressed channels. It returns
    the function of the loop variables' values that performs the command."""

    def register(does: Effect) -> Effect:
        ACTIONS[op] = does
        return does

    return register
