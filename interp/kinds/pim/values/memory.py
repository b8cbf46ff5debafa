"""The content of memory during a run of a bank program: the host's memrefs, weights in rows of the banks, and rows that
the program writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import dtype_of, element_type_named
from dialects.pim import ColumnsOp, KernelOp, memref_of
from interp.kinds.pim.checks.sentences import (
    beyond_the_weights,
    holds_a_weight,
    holds_nothing,
    never_stored,
    never_written,
    no_weight,
)
from interp.machine.records import Pim

Array: TypeAlias = NDArray[Any]


class KernelMemory:
    """Memory outside of the channels' state: the host's memrefs, and rows in the banks as f32 (exact for every narrower
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
                    f"pim.kernel @{kernel.sym_name.data}: input %{value.name_hint} must be a {type_}, not {met}", kernel
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
        """The operand that contains a row, [channels, rows, banks, columns, lanes], and the row's index in it; None if
        there is none."""
        return next(((array, number - rows.start) for rows, array in self.rows if number in rows), None)

    def results(self, kernel: KernelOp) -> list[Array]:
        for value in kernel.outputs:
            if not self.written[value].all():
                shape = memref_of(value).get_shape()
                entry = [int(i) for i in np.unravel_index(int(self.written[value].argmin()), shape)]
                raise never_stored(kernel, value, entry)
        return [self.host[value].reshape(memref_of(value).get_shape()) for value in kernel.outputs]


class ChannelPart(NamedTuple):
    """Channels of a kernel: their numbers, and their indices on the channel axis of the arrays of `ChannelNumbers`."""

    numbers: tuple[int, ...]
    at: slice | list[int]


@dataclass
class _Row:
    """A row that the program has written to: the content of its columns, [channels, banks, columns, lanes], and a mask
    of the columns with content, [channels, banks, columns]. The first `weights` columns belong to an operand."""

    columns: Array
    held: NDArray[np.bool_]
    weights: int


class ChannelRows:
    """The rows of the banks of a kernel's channels. Columns are stored as f32 and hold values of the banks' element
    type exactly."""

    def __init__(self, pim: Pim, memory: KernelMemory, channels: Sequence[int]) -> None:
        self.pim, self.memory, self.channels = pim, memory, channels
        self.dtype = dtype_of(element_type_named(pim.element))
        self.written: dict[int, _Row] = {}

    def read(
        self,
        op: ColumnsOp,
        number: int,
        part: ChannelPart,
        banks: slice,
        first: int,
        count: int,
        where: NDArray[np.bool_] | None = None,
    ) -> Array:
        """Columns of a row, [channels, banks, columns, lanes]. Only the banks selected by `where`, [channels, banks],
        are checked. Raises InputError for a column that holds no data."""
        columns = slice(first, first + count)
        if (row := self.written.get(number)) is not None:
            missing = ~row.held[part.at, banks, columns]
            if where is not None:
                missing &= where[:, :, None]
            if missing.any():
                column, bank = (int(i) for i in np.argwhere(missing.any(axis=0).T)[0])
                raise never_written(op, first + column, number, range(self.pim.banks_per_channel)[banks][bank])
            return row.columns[part.at, banks, columns]
        held = self.memory.row(number)
        if held is None:
            raise holds_nothing(op, number)
        array, at = held
        if first + count > array.shape[3]:
            raise no_weight(op, number, array.shape[3], first + count - 1)
        last = max(part.numbers) if where is None else max(np.array(part.numbers)[where.any(axis=1)])
        if last >= array.shape[0]:
            raise beyond_the_weights(op, int(last), number, array.shape[0])
        return array[self._pick(part, array.shape[0]), at, banks, columns]

    def _pick(self, part: ChannelPart, channels: int) -> slice | list[int]:
        """The channels of a part as indices into an operand's channel axis."""
        low, high = part.numbers[0], part.numbers[-1]
        if part.numbers == tuple(range(low, high + 1)) and high < channels:
            return slice(low, high + 1)
        return [min(number, channels - 1) for number in part.numbers]

    def write(
        self,
        op: ColumnsOp,
        number: int,
        part: ChannelPart,
        banks: slice,
        first: int,
        values: Array,
        where: NDArray[np.bool_],
    ) -> None:
        """Stores columns in the banks selected by `where`, [channels, banks], rounded to the banks' element type.
        Raises InputError for a column that holds a weight."""
        row = self._row(number)
        if first < row.weights and not op.appends:
            raise holds_a_weight(op, first, number, row.weights)
        columns = slice(first, first + values.shape[2])
        held, taken = row.held[part.at, banks, columns], row.columns[part.at, banks, columns]
        row.held[part.at, banks, columns] = held | where[:, :, None]
        row.columns[part.at, banks, columns] = np.where(
            where[:, :, None, None], values.astype(self.dtype).astype(np.float32), taken
        )

    def _row(self, number: int) -> _Row:
        """A row to write to, initialised with the weights in it."""
        if (row := self.written.get(number)) is None:
            pim, count = self.pim, len(self.channels)
            columns = np.zeros((count, pim.banks_per_channel, pim.columns, pim.lanes), np.float32)
            row = self.written[number] = _Row(columns, np.zeros(columns.shape[:3], np.bool_), 0)
            if (held := self.memory.row(number)) is not None:
                array, at = held
                row.weights = array.shape[3]
                for i, channel in enumerate(self.channels):
                    if channel < array.shape[0]:
                        columns[i, :, : row.weights] = array[channel, at]
                        row.held[i, :, : row.weights] = True
        return row
