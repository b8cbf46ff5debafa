"""Effects of commands on the sums of the banks' units: setting and reading them, and passing them through activation
tables and the softmax buffer. Each effect is a function of the loop variables for some channels of the state;
interp/kinds/pim/values/run.py lists them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialects.pim import ActivatedOp, ActivateOp, BiasOp, CollectOp, CommandOp, DrainOp, SoftmaxOp, SpreadOp
from interp.kinds.pim.checks.sentences import (
    continued,
    never_activated,
    never_collected,
    no_sum,
    nothing_collected,
    overwritten,
)
from interp.kinds.pim.values.access import Access, Delivery
from interp.kinds.pim.values.activation_tables import activated
from interp.kinds.pim.values.arithmetic import lanes_added
from interp.kinds.pim.values.memory import ChannelPart
from interp.kinds.pim.values.state import ChannelNumbers, Values

Array: TypeAlias = NDArray[Any]
Action: TypeAlias = Callable[[Values], None]


def refuse_consumed(state: ChannelNumbers, op: CommandOp, part: ChannelPart, number: int, banks: slice) -> None:
    """Raises InputError for an accumulator that was read and not set since, on a sheet whose programs are checked."""
    spent = state.spent[number][part.at, banks].any(axis=0)
    if state.pim.checked and spent.any():
        raise continued(op, number, state.numbered(banks)[int(spent.argmax())])


def taken(state: ChannelNumbers, op: CommandOp, part: ChannelPart, number: int, banks: slice, clears: bool) -> Array:
    """The sums that are read from some banks, [channels, banks] or [channels, banks, lanes]. `clears`: the read empties
    the accumulators. Raises InputError for an accumulator without a sum."""
    here = part.at, banks
    if not state.holds[number][here].all():
        raise no_sum(op)
    sums = state.sums[number][here].copy()
    if clears:
        state.sums[number][here] = 0
        state.holds[number][here] = False
    state.unread[number][here] = False
    state.spent[number][here] = not clears
    return sums


def per_bank(state: ChannelNumbers, sums: Array) -> Array:
    """One sum for each bank, [channels, banks]: where each lane keeps a sum, the sums of a bank's lanes are added."""
    return lanes_added(sums) if state.arithmetic.per_lane else sums


def bias(state: ChannelNumbers, op: BiasOp, part: ChannelPart) -> Action:
    access, banks, accumulator = Access(op), state.banks_of(op), op.linear("accumulator")
    source, channels = state.memory.host[op.memref], len(part.numbers)

    def run(values: Values) -> None:
        reached, number = banks(values), accumulator.at(values)
        here, count = (part.at, reached), len(state.numbered(reached))
        unread = state.unread[number][here].any(axis=0)
        if state.pim.checked and unread.any():
            raise overwritten(op, number, state.numbered(reached)[int(unread.argmax())])
        given = source[access(values)]
        if state.arithmetic.narrow:
            given = given.astype(state.dtype)
        given = given.astype(np.float32)
        given = np.broadcast_to(given, (channels, given.shape[1])).reshape(channels, count, -1)
        if not state.arithmetic.per_lane:
            state.sums[number][here] = given[..., 0]
        else:  # each bank's number goes into its first lane
            state.sums[number][here] = 0
            lanes = state.sums[number][here]
            lanes[..., : given.shape[2]] = given
            state.sums[number][here] = lanes
        state.holds[number][here] = True
        state.unread[number][here] = state.spent[number][here] = False

    return run


def drain(state: ChannelNumbers, op: DrainOp, part: ChannelPart) -> Action:
    delivery = Delivery(op, state.memory, len(part.numbers), op.adds)
    banks, accumulator, entries = state.banks_of(op), op.linear("accumulator"), op.entries

    def run(values: Values) -> None:
        reached = banks(values)
        sums = taken(state, op, part, accumulator.at(values), reached, state.pim.drain_clears)
        if entries == len(state.numbered(reached)):
            sums = per_bank(state, sums)
        delivery.put(values, sums.reshape(len(part.numbers), -1))

    return run


def activate(state: ChannelNumbers, op: ActivateOp, part: ChannelPart) -> Action:
    banks, accumulator, pim = state.banks_of(op), op.linear("accumulator"), state.pim

    def run(values: Values) -> None:
        reached = banks(values)
        sums = per_bank(state, taken(state, op, part, accumulator.at(values), reached, clears=False))
        samples = pim.columns * pim.lanes
        state.registers[part.at, reached] = activated(op.function.data, sums, samples, pim.element)
        state.activated[part.at, reached] = True

    return run


def read_activated(state: ChannelNumbers, op: ActivatedOp, part: ChannelPart) -> Action:
    delivery, banks = Delivery(op, state.memory, len(part.numbers)), state.banks_of(op)

    def run(values: Values) -> None:
        reached = banks(values)
        filled = state.activated[part.at, reached].all(axis=0)
        if not filled.all():
            raise never_activated(op, state.numbered(reached)[int(filled.argmin())])
        delivery.put(values, state.registers[part.at, reached])

    return run


def collect(state: ChannelNumbers, op: CollectOp, part: ChannelPart) -> Action:
    banks, accumulator, entry = state.banks_of(op), op.linear("accumulator"), op.linear("entry")

    def run(values: Values) -> None:
        reached, first = banks(values), entry.at(values)
        sums = per_bank(state, taken(state, op, part, accumulator.at(values), reached, state.pim.drain_clears))
        entries = slice(first, first + sums.shape[1])
        state.weights[part.at, entries] = sums
        state.collected[part.at, entries] = True

    return run


def softmax(state: ChannelNumbers, op: SoftmaxOp, part: ChannelPart) -> Action:
    """The softmax, all in f32: entries are scaled, the largest is subtracted, and the exponentials are summed from the
    first entry on."""
    named, scale = op.entries, np.float32(op.factor)

    def run(values: Values) -> None:
        entries = slice(None)
        if named is not None:
            first = named.start.at(values)
            entries = slice(first, first + named.extent)
            refuse_empty(state, op, part, entries)
        here = part.at, entries
        filled = state.collected[here]
        if not filled.any(axis=1).all():
            raise nothing_collected(op)
        x = np.where(filled, state.weights[here] * scale, -np.inf)
        powers = np.exp(x - x.max(axis=1, keepdims=True))
        state.weights[here] = powers / np.add.accumulate(powers, axis=1)[:, -1:]

    return run


def refuse_empty(state: ChannelNumbers, op: CommandOp, part: ChannelPart, entries: slice) -> None:
    """Raises InputError for an entry of the softmax buffer that was never filled."""
    filled = state.collected[part.at, entries].all(axis=0)
    if not filled.all():
        raise never_collected(op, entries.start + int(filled.argmin()))


def spread(state: ChannelNumbers, op: SpreadOp, part: ChannelPart) -> Action:
    banks, entries, entry, lanes = state.banks_of(op), op.entries, op.linear("entry"), state.pim.lanes
    width = op.buffer_columns(lanes)

    def run(values: Values) -> None:
        first, column = entries.start.at(values), entry.at(values)
        chosen, columns = slice(first, first + entries.extent), slice(column, column + width)
        refuse_empty(state, op, part, chosen)
        numbers = state.weights[part.at, chosen].astype(state.dtype).astype(np.float32)
        padded = np.pad(numbers, ((0, 0), (0, width * lanes - entries.extent)))
        seats = state.buffers_of(banks(values))
        state.buffer[part.at, seats, columns] = padded.reshape(-1, 1, width, lanes)
        state.loaded[part.at, seats, columns] = True

    return run
