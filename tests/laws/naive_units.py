"""What a bank program computes, written plainly: one channel, one bank, one lane and one number at a time, in scalars
of the very types that the units have. Nothing is refused. Kept apart from interp/banks.py, to hold that against it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, SSAValue

from dialects import pim as ops
from dialects.element_types import dtype_of, element_type_named
from dialects.pim import ChannelsOp, ForOp, KernelOp, memref_of
from interp.activation_tables import FUNCTIONS
from interp.sheet import Pim

Array = NDArray[Any]
Values = dict[SSAValue, int]
F32 = np.float32


class OneChannel:
    """What one channel holds, each number by its place."""

    def __init__(self) -> None:
        self.open: dict[int, int] = {}
        self.cells: dict[tuple[int, int, int, int], Any] = {}
        self.buffer: dict[tuple[int, int, int], Any] = {}
        self.sums: dict[tuple[int, int, int], Any] = {}
        self.registers: dict[int, Any] = {}
        self.softmax: dict[int, Any] = {}


class Naive:
    """Runs a kernel on a device."""

    def __init__(self, kernel: KernelOp, pim: Pim, inputs: Sequence[Array]) -> None:
        self.kernel, self.pim = kernel, pim
        self.number = dtype_of(element_type_named(pim.element)).type
        self.channels = [OneChannel() for _ in range(pim.channels)]
        self.host: dict[SSAValue, Array] = {}
        for value, array in zip(kernel.inputs, inputs, strict=True):
            self.host[value] = array
            if (first := kernel.in_banks.get(value)) is not None:
                for (c, row, bank, column, lane), number in np.ndenumerate(array):
                    self.channels[c].cells[bank, first + row, column, lane] = number
        for value in kernel.outputs:
            type_ = memref_of(value)
            self.host[value] = np.zeros(type_.get_shape(), dtype_of(type_.element_type))

    def results(self) -> list[Array]:
        self.block(self.kernel.body.block, [(0, {})], {})
        return [self.host[value] for value in self.kernel.outputs]

    def block(self, block: Block, here: list[tuple[int, Values]], values: Values) -> None:
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
        """The sum of an accumulator; of lanes, what the host makes of them."""
        if self.pim.numeric != "lanes":
            return c.sums[number, bank, 0]
        total = c.sums[number, bank, 0]
        for lane in range(1, self.pim.lanes):
            total = F32(total + c.sums[number, bank, lane])
        return total

    def command(self, c: OneChannel, op: Any, values: Values) -> None:
        def at(name: str) -> int:
            return op.linear(name).at(values)

        lanes, number = range(self.pim.lanes), self.number
        banks = self.banks(op, values) if isinstance(op, ops.ScopedOp) else []
        if isinstance(op, ops.ColumnsOp):
            columns = range(op.columns.extent)
        match op:
            case ops.ActOp():
                c.open.update(dict.fromkeys(banks, at("row")))
            case ops.PreOp() | ops.BarrierOp() | ops.SetOp():
                pass
            case ops.LoadOp():
                places, width = self.entries(op, values), op.block_shape[-1]
                step = -(-width // len(lanes))
                for i in range(op.buffer_columns(len(lanes)) * len(lanes)):
                    run, inside = divmod(i, step * len(lanes))
                    given = self.host[op.memref][places[run * width + inside]] if inside < width else number(0)
                    for bank in banks:
                        c.buffer[bank, at("entry") + i // len(lanes), i % len(lanes)] = given
            case ops.MacOp():
                for bank in banks:
                    for i in columns:
                        self.multiply(c, bank, at("column") + i, at("entry") + i, at("accumulator"))
            case ops.BiasOp():
                kind = F32 if self.pim.numeric == "wide" else number
                for bank, place in zip(banks, self.entries(op, values), strict=True):
                    for lane in lanes:
                        given = self.host[op.memref][place] if lane == 0 else 0
                        c.sums[at("accumulator"), bank, lane] = F32(kind(given))
            case ops.DrainOp() | ops.ActivatedOp():
                target = self.host[op.memref]
                for bank, place in zip(banks, self.entries(op, values), strict=True):
                    drained = isinstance(op, ops.DrainOp)
                    found = self.total(c, at("accumulator"), bank) if drained else c.registers[bank]
                    found = target.dtype.type(found)
                    target[place] = target[place] + found if drained and op.adds else found
                    if drained and self.pim.drain_clears:
                        self.clear(c, at("accumulator"), bank)
            case ops.ActivateOp():
                for bank in banks:
                    c.registers[bank] = self.looked_up(op.function.data, self.total(c, at("accumulator"), bank))
            case ops.CollectOp():
                for i, bank in enumerate(banks):
                    c.softmax[at("entry") + i] = self.total(c, at("accumulator"), bank)
                    if self.pim.drain_clears:
                        self.clear(c, at("accumulator"), bank)
            case ops.SoftmaxOp():
                named = op.entries
                chosen = sorted(c.softmax) if named is None else [at("entry") + i for i in range(named.extent)]
                most = max(c.softmax[i] for i in chosen)
                powers = [np.exp(np.array([c.softmax[i] - most], F32))[0] for i in chosen]
                total = powers[0]
                for power in powers[1:]:
                    total = total + power
                c.softmax.update({i: power / total for i, power in zip(chosen, powers, strict=True)})
            case ops.SpreadOp():
                count = op.entries.extent
                for i in range(-(-count // len(lanes)) * len(lanes)):
                    for bank in banks:
                        given = number(c.softmax[at("first") + i]) if i < count else number(0)
                        c.buffer[bank, at("entry") + i // len(lanes), i % len(lanes)] = given
            case ops.FetchOp():
                for i, lane, bank in product(columns, lanes, range(self.pim.banks_per_channel)):
                    c.buffer[bank, at("entry") + i, lane] = self.cell(c, banks[0], at("column") + i, lane)
            case ops.StoreOp():
                for i, lane, bank in product(columns, lanes, banks):
                    self.put(c, bank, at("column") + i, lane, c.buffer[bank, at("entry") + i, lane])
            case ops.GroupProductOp():
                for group, i, lane in product({bank // self.pim.banks for bank in banks}, columns, lanes):
                    left, right, target = (group * self.pim.banks + bank for bank in range(3))
                    column = at("column") + i
                    made = self.cell(c, left, column, lane) * self.cell(c, right, column, lane)
                    self.put(c, target, column, lane, made)
            case ops.AddColumnsOp():
                for i, lane, bank in product(columns, lanes, banks):
                    made = self.cell(c, bank, at("column") + i, lane) + self.cell(c, bank, at("other") + i, lane)
                    self.put(c, bank, at("target") + i, lane, made)
            case ops.WriteOp() | ops.ReadOp():
                places = iter(self.entries(op, values))
                for bank, i, lane in product(banks, columns, lanes):
                    place = next(places)
                    if isinstance(op, ops.WriteOp):
                        self.put(c, bank, at("column") + i, lane, self.host[op.memref][place])
                    else:
                        self.host[op.memref][place] = self.cell(c, bank, at("column") + i, lane)
            case _:
                raise NotImplementedError(op.name)

    def cell(self, c: OneChannel, bank: int, column: int, lane: int) -> Any:
        return self.number(c.cells[bank, c.open[bank], column, lane])

    def put(self, c: OneChannel, bank: int, column: int, lane: int, value: Any) -> None:
        c.cells[bank, c.open[bank], column, lane] = self.number(value)

    def clear(self, c: OneChannel, number: int, bank: int) -> None:
        for lane in range(self.pim.lanes):
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
