"""Plain interpreter of the arithmetic of bank programs: one channel, one bank, one lane and one number at a time, in
scalars of the units' types. It reports no errors, and is independent of interp/kinds/pim/values/run.py, which is
compared with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, SSAValue

from dialects import pim as ops
from dialects.element_types import dtype_of, element_type_named
from dialects.pim import ChannelsOp, ForOp, KernelOp, memref_of
from interp.kinds.pim.values.activation_tables import FUNCTIONS
from interp.machine.records import Pim

Array = NDArray[Any]
Values = dict[SSAValue, int]
F32 = np.float32


class OneChannel:
    """The state of one channel: open rows, and each number in cells, buffer, sums and registers by its location."""

    def __init__(self) -> None:
        self.open: dict[int, int] = {}
        self.cells: dict[tuple[int, int, int, int], Any] = {}
        self.buffer: dict[tuple[int, int, int], Any] = {}
        self.sums: dict[tuple[int, int, int], Any] = {}
        self.registers: dict[int, Any] = {}
        self.softmax: dict[int, Any] = {}


class Naive:
    """An interpreter of kernels for one device."""

    def __init__(self, kernel: KernelOp, pim: Pim, inputs: Sequence[Array]) -> None:
        self.kernel, self.pim = kernel, pim
        self.number = dtype_of(element_type_named(pim.element)).type
        self.channels = [OneChannel() for _ in range(pim.channels)]
        self.host: dict[SSAValue, Array] = {}
        for value, array in zip(kernel.inputs, inputs, strict=True):
            self.host[value] = array
            if (first := kernel.in_banks.get(value)) is not None:
                for c, row, bank, column, lane in product(*map(range, array.shape)):
                    self.channels[c].cells[bank, first + row, column, lane] = array[c, row, bank, column, lane]
        for value in kernel.outputs:
            type_ = memref_of(value)
            self.host[value] = np.zeros(type_.get_shape(), dtype_of(type_.element_type))

    def results(self) -> list[Array]:
        self.block(self.kernel.body.block, [(0, {})], {})
        return [self.host[value] for value in self.kernel.outputs]

    def block(self, block: Block, here: Sequence[tuple[int, Mapping[Any, int]]], values: Values) -> None:
        for op in block.ops:
            if isinstance(op, ForOp):
                for value in op.values:
                    self.block(op.body.block, here, {**values, op.body.block.args[0]: value})
            elif isinstance(op, ChannelsOp):
                bound = [dict(zip(op.body.block.args, each, strict=True)) for each in op.combinations()]
                self.block(op.body.block, list(zip(op.numbers(), bound, strict=True)), values)
            else:
                for channel, own in here:
                    self.command(self.channels[channel], op, {**values, **own})

    def entries(self, op: ops.HostOp, values: Values) -> list[tuple[int, ...]]:
        axes = [range(start, start + max(part.extent, 1)) for part in op.parts for start in [part.start.at(values)]]
        axes += [range(extent) for extent in memref_of(op.memref).get_shape()[len(axes) :]]
        return list(product(*axes))

    def banks(self, op: ops.ScopedOp, values: Values) -> list[int]:
        groups, size, unit = self.pim.groups, self.pim.banks, op.linear("unit").at(values)
        everywhere = [(group, bank) for group in range(groups) for bank in range(size)]
        chosen = {
            "all": everywhere,
            "group": [(group, bank) for group, bank in everywhere if group == unit],
            "same": [(group, bank) for group, bank in everywhere if bank == unit],
            "bank": [(group, bank) for group, bank in everywhere if group * size + bank == unit],
        }
        return [group * size + bank for group, bank in chosen[op.reach]]

    def total(self, c: OneChannel, number: int, bank: int) -> Any:
        """The sum in an accumulator; with one sum per lane, their total as the host computes it."""
        if self.pim.numeric != "lanes":
            return c.sums[number, bank, 0]
        total = c.sums[number, bank, 0]
        for lane in range(1, self.pim.lanes):
            total = F32(total + c.sums[number, bank, lane])
        return total

    def command(self, c: OneChannel, op: Any, values: Values) -> None:
        banks = self.banks(op, values) if isinstance(op, ops.ScopedOp) else []
        at = {name: op.linear(name).at(values) for name in op.EXPRESSIONS}
        if isinstance(op, ops.ActOp):
            c.open.update(dict.fromkeys(banks, at["row"]))
        elif isinstance(op, ops.LoadOp | ops.SpreadOp | ops.FetchOp):
            self.into_buffer(c, op, at, banks, values)
        elif isinstance(op, ops.ColumnsOp):
            for bank, i, lane in product(banks, range(op.columns.extent), range(self.pim.lanes)):
                self.in_row(c, op, at, bank, i, lane)
            if isinstance(op, ops.WriteOp | ops.ReadOp):
                self.between(c, op, at, banks, values)
        elif isinstance(op, ops.HostOp):
            for bank, place in zip(banks, self.entries(op, values), strict=True):
                self.with_host(c, op, at, bank, place)
        elif isinstance(op, ops.ActivateOp):
            for bank in banks:
                c.registers[bank] = self.looked_up(op.function.data, self.total(c, at["accumulator"], bank))
        elif isinstance(op, ops.CollectOp):
            for i, bank in enumerate(banks):
                c.softmax[at["entry"] + i] = self.total(c, at["accumulator"], bank)
                self.read_out(c, at["accumulator"], bank)
        elif isinstance(op, ops.SoftmaxOp):
            entries = sorted(c.softmax) if op.entries is None else range_of(at["entry"], op.entries.extent)
            self.softmax(c, entries, F32(op.factor))

    def into_buffer(self, c: OneChannel, op: Any, at: dict[str, int], banks: list[int], values: Values) -> None:
        lanes, given = self.pim.lanes, list[Any]()
        if isinstance(op, ops.FetchOp):
            columns, [source] = range_of(at["column"], op.columns.extent), banks
            given = [self.cell(c, source, column, lane) for column in columns for lane in range(lanes)]
            banks = list(range(self.pim.banks_per_channel))
        elif isinstance(op, ops.SpreadOp):
            given = padded([c.softmax[i] for i in range_of(at["first"], op.entries.extent)], lanes)
        else:
            found, width = [self.host[op.memref][place] for place in self.entries(op, values)], op.block_shape[-1]
            for start in range(0, len(found), width):
                given += padded(found[start : start + width], lanes)
        for bank, (i, number) in product(banks, enumerate(given)):
            c.buffer[bank, at["entry"] + i // lanes, i % lanes] = self.number(number)

    def in_row(self, c: OneChannel, op: Any, at: dict[str, int], bank: int, i: int, lane: int) -> None:
        column = at["column"] + i
        match op:
            case ops.MacOp() if lane == 0:
                self.multiply(c, bank, column, at["entry"] + i, at["accumulator"])
            case ops.StoreOp():
                self.put(c, bank, column, lane, c.buffer[bank, at["entry"] + i, lane])
            case ops.AddColumnsOp():
                made = self.cell(c, bank, column, lane) + self.cell(c, bank, at["other"] + i, lane)
                self.put(c, bank, at["target"] + i, lane, made)
            case ops.GroupProductOp() if bank % self.pim.banks == 2:
                made = self.cell(c, bank - 2, column, lane) * self.cell(c, bank - 1, column, lane)
                self.put(c, bank, column, lane, made)
            case _:
                pass

    def between(self, c: OneChannel, op: Any, at: dict[str, int], banks: list[int], values: Values) -> None:
        places = iter(self.entries(op, values))
        for bank, i, lane in product(banks, range(op.columns.extent), range(self.pim.lanes)):
            if isinstance(op, ops.WriteOp):
                self.put(c, bank, at["column"] + i, lane, self.host[op.memref][next(places)])
            else:
                self.host[op.memref][next(places)] = self.cell(c, bank, at["column"] + i, lane)

    def with_host(self, c: OneChannel, op: Any, at: dict[str, int], bank: int, place: tuple[int, ...]) -> None:
        host = self.host[op.memref]
        if isinstance(op, ops.BiasOp):
            kind = F32 if self.pim.numeric == "wide" else self.number
            for lane in range(self.pim.lanes):
                c.sums[at["accumulator"], bank, lane] = F32(kind(host[place] if lane == 0 else 0))
        elif isinstance(op, ops.ActivatedOp):
            host[place] = host.dtype.type(c.registers[bank])
        else:
            found = host.dtype.type(self.total(c, at["accumulator"], bank))
            host[place] = host[place] + found if op.adds else found
            self.read_out(c, at["accumulator"], bank)

    def softmax(self, c: OneChannel, entries: Sequence[int], scale: Any) -> None:
        scaled = [c.softmax[i] * scale for i in entries]
        most = max(scaled)
        powers = [np.exp(np.array([number - most], F32))[0] for number in scaled]
        total = powers[0]
        for power in powers[1:]:
            total = total + power
        c.softmax.update({i: power / total for i, power in zip(entries, powers, strict=True)})

    def cell(self, c: OneChannel, bank: int, column: int, lane: int) -> Any:
        return self.number(c.cells[bank, c.open[bank], column, lane])

    def put(self, c: OneChannel, bank: int, column: int, lane: int, value: Any) -> None:
        c.cells[bank, c.open[bank], column, lane] = self.number(value)

    def read_out(self, c: OneChannel, number: int, bank: int) -> None:
        for lane in range(self.pim.lanes if self.pim.drain_clears else 0):
            c.sums[number, bank, lane] = F32(0)

    def multiply(self, c: OneChannel, bank: int, column: int, entry: int, into: int) -> None:
        pairs = [(self.cell(c, bank, column, k), c.buffer[bank, entry, k]) for k in range(self.pim.lanes)]
        sums, number = c.sums, self.number
        if self.pim.numeric == "lanes":
            for lane, (a, b) in enumerate(pairs):
                before = number(sums.get((into, bank, lane), 0))
                sums[into, bank, lane] = F32(before + number(number(a) * number(b)))
            return
        kind = F32 if self.pim.numeric == "wide" else number
        level = [kind(a) * kind(b) for a, b in pairs]
        while len(level) > 1:
            odd = level[len(level) - len(level) % 2 :]
            level = [level[i] + level[i + 1] for i in range(0, len(level) - 1, 2)] + odd
        sums[into, bank, 0] = F32(kind(sums.get((into, bank, 0), 0)) + level[0])

    def looked_up(self, function: str, x: Any) -> Any:
        count = self.pim.columns * self.pim.lanes
        exact, number = FUNCTIONS[function].exact, self.number
        place = (x + F32(8)) * F32(count / 16)
        if not 0 <= place <= count - 1:
            slope, offset = FUNCTIONS[function].left if place < 0 else FUNCTIONS[function].right
            return F32(number(x * F32(slope) + F32(offset) if slope else offset))
        first = int(place)
        ends = [F32(number(exact(np.array([at * 16 / count - 8]))[0])) for at in (first, min(first + 1, count - 1))]
        return F32(number(ends[0] + (place - F32(first)) * (ends[1] - ends[0])))


def range_of(first: int, count: int) -> range:
    return range(first, first + count)


def padded(numbers: list[Any], lanes: int) -> list[Any]:
    """The numbers, followed by zeros up to a multiple of `lanes`."""
    return numbers + [0] * (-len(numbers) % lanes)
