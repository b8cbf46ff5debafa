"""The state of all channels of a kernel during a run: open rows, global buffers, accumulators, activation registers and
softmax buffers. The first axis of each array is the channel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects.element_types import dtype_of, element_type_named
from dialects.pim import (
    ChannelsOp,
    ColumnsOp,
    CommandOp,
    KernelOp,
    ScopedOp,
)
from dialects.pim.loops import range_of
from interp.kinds.pim.checks.sentences import no_row_is_open
from interp.kinds.pim.program import classes_of, has_own_buffers, walk_commands
from interp.kinds.pim.values.arithmetic import NUMERICS
from interp.kinds.pim.values.memory import ChannelPart, ChannelRows, KernelMemory
from interp.machine.records import Pim

Array: TypeAlias = NDArray[Any]
Values: TypeAlias = dict[SSAValue, int]

CLOSED = -1


class ChannelNumbers:
    """The state of a kernel's channels, as values that f32 represents exactly."""

    def __init__(self, kernel: KernelOp, pim: Pim, memory: KernelMemory) -> None:
        self.pim, self.memory = pim, memory
        self.channels = sorted(channel for channels in classes_of(kernel) for channel in channels)
        count, banks = len(self.channels), pim.banks_per_channel
        self.arithmetic = NUMERICS[pim.numeric]
        self.dtype = dtype_of(element_type_named(pim.element))
        self.rows = ChannelRows(pim, memory, self.channels)
        self.opened = np.full((count, banks), CLOSED, np.int64)
        self.buffers = banks if has_own_buffers(kernel) else 1
        """The number of global buffers of a channel: one, or one per bank where the program fills those of only some
        banks."""
        self.buffer = np.zeros((count, self.buffers, pim.buffer_columns, pim.lanes), np.float32)
        self.loaded = np.zeros(self.buffer.shape[:3], np.bool_)
        shape = (pim.accumulators, count, banks)
        self.sums = np.zeros((*shape, pim.lanes) if self.arithmetic.per_lane else shape, np.float32)
        self.holds, self.unread, self.spent = (np.zeros(shape, np.bool_) for _ in range(3))
        """Masks of the accumulators that hold a sum, hold a sum not read yet, and hold a sum that was read and not set
        since."""
        self.registers = np.zeros((count, banks), np.float32)
        self.activated = np.zeros((count, banks), np.bool_)
        self.weights = np.zeros((count, softmax_entries(kernel, pim)), np.float32)
        self.collected = np.zeros(self.weights.shape, np.bool_)
        """The softmax buffers, and a mask of their filled entries."""
        self._parts: dict[ChannelsOp | None, ChannelPart] = {}

    def part(self, region: ChannelsOp | None) -> ChannelPart:
        """The channels of a region."""
        if region not in self._parts:
            numbers = tuple(region.numbers()) if region is not None else (0,)
            self._parts[region] = ChannelPart(numbers, indices([self.channels.index(channel) for channel in numbers]))
        return self._parts[region]

    def banks_of(self, op: ScopedOp) -> Callable[[Values], slice]:
        """The banks that a command addresses."""
        unit, reach = op.linear("unit"), op.reach
        places = [self.pim.banks_of(reach, at) for at in range(self.pim.units(reach))]
        slices = [slice(place.start, place.stop, place.step) for place in places]
        return lambda values: slices[unit.at(values)]

    def buffers_of(self, banks: slice) -> slice:
        """The global buffers that some banks read from."""
        return banks if self.buffers > 1 else slice(None)

    def numbered(self, banks: slice) -> range:
        """The numbers of the banks that a slice of the bank axis selects."""
        return range(self.pim.banks_per_channel)[banks]

    def read(self, op: ColumnsOp, part: ChannelPart, banks: slice, first: int, count: int) -> Array:
        """Columns of the open rows of some banks, [channels, banks, columns, lanes]. Raises InputError for a closed row
        and for a column that holds no data."""
        opened = self._opened(op, part, banks)
        if (opened == opened[0, 0]).all():
            return self.rows.read(op, int(opened[0, 0]), part, banks, first, count)
        found = np.zeros((*opened.shape, count, self.pim.lanes), np.float32)
        for row in np.unique(opened):
            where = opened == row
            found[where] = self.rows.read(op, int(row), part, banks, first, count, where)[where]
        return found

    def write(self, op: ColumnsOp, part: ChannelPart, banks: slice, first: int, values: Array) -> None:
        """Writes columns, [channels, banks, columns, lanes], to the open rows of some banks."""
        opened = self._opened(op, part, banks)
        for row in np.unique(opened):
            self.rows.write(op, int(row), part, banks, first, values, opened == row)

    def _opened(self, op: ColumnsOp, part: ChannelPart, banks: slice) -> NDArray[np.int64]:
        opened = self.opened[part.at, banks]
        if (closed := (opened == CLOSED)).any():
            raise no_row_is_open(op, self.numbered(banks)[int(closed.any(axis=0).argmax())])
        return opened


def indices(places: list[int]) -> slice | list[int]:
    """Indices on an axis, as a slice if they are consecutive."""
    consecutive = places == list(range(places[0], places[0] + len(places)))
    return slice(places[0], places[-1] + 1) if consecutive else places


def softmax_entries(kernel: KernelOp, pim: Pim) -> int:
    """The number of entries of the softmax buffer that a program uses."""
    ends = [_last_entry(op, pim) for op in walk_commands(kernel)]
    return max(ends, default=0)


def _last_entry(op: CommandOp, pim: Pim) -> int:
    ends = [op.linear(name).bounds(range_of)[1] + op.extent(name, pim.lanes) for name in op.using("softmax", "reads")]
    if isinstance(op, ScopedOp):
        count = len(pim.banks_of(op.reach, 0))
        ends += [op.linear(name).bounds(range_of)[1] + count for name in op.using("softmax", "writes")]
    return max(ends, default=0)
