"""What lies in memory while a bank program runs: the host's memrefs, weights in rows of the banks, and what the program
itself writes there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects.diagnostics import InputError
from dialects.element_types import dtype_of, element_type_named
from dialects.pim import ColumnsOp, KernelOp, memref_of
from interp.sheet import Pim

Array: TypeAlias = NDArray[Any]


class Memory:
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


@dataclass
class _Row:
    """A row that the program has written to: what its columns hold, [channels, banks, columns, lanes], and which of
    them hold anything, [banks, columns]. The first `weights` columns are an operand's."""

    columns: Array
    held: NDArray[np.bool_]
    weights: int


class Rows:
    """The rows of some channels' banks. Columns hold f32, exactly what the banks' element type would."""

    def __init__(self, pim: Pim, memory: Memory, numbers: tuple[int, ...]) -> None:
        self.pim, self.memory, self.numbers = pim, memory, numbers
        self.dtype = dtype_of(element_type_named(pim.element))
        together = numbers == tuple(range(numbers[0], numbers[0] + len(numbers)))
        self.pick = slice(numbers[0], numbers[-1] + 1) if together else list(numbers)
        self.written: dict[int, _Row] = {}

    def read(self, op: ColumnsOp, number: int, banks: slice, first: int, count: int) -> Array:
        """Columns of a row, [channels, banks, columns, lanes]. Raises InputError for one that holds nothing."""
        columns = slice(first, first + count)
        if (row := self.written.get(number)) is not None:
            if not row.held[banks, columns].all():
                bank, column = (int(i) for i in np.argwhere(~row.held[banks, columns])[0])
                raise InputError(
                    f"{op.name}: column {first + column} of row {number} was never written in bank "
                    f"{banks.start + bank}; write it first (pim.write)",
                    op,
                )
            return row.columns[:, banks, columns]
        held = self.memory.row(number)
        if held is None:
            raise InputError(
                f"{op.name}: row {number} is open, but no operand of the kernel lies there, and nothing was written", op
            )
        array, at = held
        if first + count > array.shape[3]:
            last = first + count - 1
            raise InputError(
                f"{op.name}: row {number} holds {array.shape[3]} columns, so column {last} is no weight", op
            )
        if (last := max(self.numbers)) >= array.shape[0]:
            raise InputError(
                f"{op.name}: channel {last} computes, but row {number} lies in {array.shape[0]} channels", op
            )
        return array[self.pick, at, banks, columns]

    def write(self, op: ColumnsOp, number: int, banks: slice, first: int, values: Array) -> None:
        """Store columns, rounded to the banks' element type. Raises InputError where a weight lies."""
        row = self._row(number)
        if first < row.weights:
            raise InputError(
                f"{op.name}: column {first} of row {number} holds a weight of the kernel; write behind its "
                f"{row.weights} columns or to another row",
                op,
            )
        columns = slice(first, first + values.shape[2])
        row.columns[:, banks, columns] = values.astype(self.dtype)
        row.held[banks, columns] = True

    def _row(self, number: int) -> _Row:
        """A row to write to; the weights in it are seen there too."""
        if (row := self.written.get(number)) is None:
            pim, count = self.pim, len(self.numbers)
            columns = np.zeros((count, pim.banks_per_channel, pim.columns, pim.lanes), np.float32)
            row = self.written[number] = _Row(columns, np.zeros(columns.shape[1:3], np.bool_), 0)
            if (held := self.memory.row(number)) is not None:
                array, at = held
                here = [(i, channel) for i, channel in enumerate(self.numbers) if channel < array.shape[0]]
                row.weights = array.shape[3]
                for i, channel in here:
                    columns[i, :, : row.weights] = array[channel, at]
                row.held[:, : row.weights] = len(here) == count
        return row
