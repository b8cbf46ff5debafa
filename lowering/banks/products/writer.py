"""A writer of a mapping's commands as ops: channel regions, loops, loads, multiplies and drains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Region, SSAValue

from dialects.pim import (
    ActivatedOp,
    ActivateOp,
    ActOp,
    BiasOp,
    ChannelsOp,
    DrainOp,
    Linear,
    LoadOp,
    MacOp,
    PreOp,
    Subscript,
    WriteOp,
)
from dialects.programs.index import INDEX
from lowering.banks.cursor import Cursor
from lowering.banks.products.mapping import SumRange
from lowering.banks.products.traversal import ZERO, Traversal, closes_rows, interleaving, widest


@dataclass
class ProgramWriter(Cursor, Traversal):
    """A traversal that writes a product's program into a block, op by op."""

    x: SSAValue
    starts: SSAValue | None
    weights: Sequence[SSAValue]
    y: SSAValue
    block: Block
    """The insertion point of the next op."""
    part: Linear = field(default=ZERO, init=False)
    channel: Linear = field(default=ZERO, init=False)

    def _region(self, groups: range, vectors: int, channels: range, tile_rows: int) -> None:
        mapping, axes = self.mapping, self.axes(groups, channels)
        body = Block(arg_types=[INDEX] * len(axes))
        number, values = Linear(), {"h": Linear(), "g": Linear(), "part": Linear()}
        for argument, (name, numbers, stride) in zip(body.args, axes, strict=True):
            argument.name_hint = name
            number += Linear.of(argument) * stride
            values[name] = variable_or_value(argument, numbers)
        outer, self.block = self.block, body
        self.part, self.split, self.channel = values["h"], values["part"], number
        self._program(values["g"] * mapping.group_vectors, vectors, values["c"] * mapping.rows, tile_rows)
        self.block = outer
        self.add(ChannelsOp([numbers for _, numbers, _ in axes], number, Region(body)))

    def _row(self, number: int, chunk: Linear, row: Linear) -> Linear:
        """The number of a row in its range of the sum, in the order [batch, chunk, row of tiles]."""
        return (self.batch * self.mapping.sum_ranges[number].chunks + chunk) * self.mapping.rows + row

    def _load(self, sum_range: SumRange, chunk: Linear, vector: Linear, vectors: int) -> None:
        width, lanes = sum_range.columns, self.pim.lanes
        elements = min(width * lanes, self.mapping.span - sum_range.first * lanes)
        first = self.split * self.mapping.span + chunk * (width * lanes) + sum_range.first * lanes
        copies = self.mapping.input_copies(self.pim)
        parts = [
            *self._batch(),
            Subscript(vector, vectors if vectors > 1 else 0),
            *([Subscript(Linear(), copies)] if copies > 1 else []),
            Subscript(first, elements),
        ]
        self.add(LoadOp(self.x, parts))

    def _batch(self) -> list[Subscript]:
        batch = self.part * self.mapping.batch + self.batch
        return [Subscript(batch)] if self.mapping.product.batch > 1 else []

    def _start(self, tile: Linear, start: Linear, accumulator: Linear = ZERO) -> None:
        """Set the accumulators, unless they are zero already. The first partial sum of an output starts from the bias,
        all others from zero."""
        if self.starts is None:
            return
        parts: list[Subscript] = []
        if self.mapping.product.bias:
            several = [Subscript(start)] if self.mapping.starts > 1 else []
            parts = [*self._batch(), *several, Subscript(tile)]
        for scope, unit, banks in self.everywhere(BiasOp):
            self.add(BiasOp(self.starts, [*parts, *banks], accumulator, scope, unit))

    def _mac(self, sum_range: SumRange, tile: Linear, vector: Linear, accumulator: Linear = ZERO) -> None:
        columns = Subscript((tile + vector if self.pim.tied else tile) * sum_range.columns, sum_range.columns)
        entry = columns.start if self.pim.tied else vector * sum_range.columns  # tied: one of `tile` and `vector` is 0
        order, scope = interleaving(self.pim), widest(self.pim, MacOp.COMMAND.verb)
        if order.units == 1:
            for scope, unit, _ in self.everywhere(MacOp):
                self.add(MacOp(columns, entry, accumulator, scope, unit))
            return
        with (
            self.loop("round", order.rounds) as first,
            self.loop("column", columns.extent) as column,
            self.loop(scope, order.units) as unit,
        ):
            one = Subscript(columns.start + column, 1)
            self.add(MacOp(one, entry + column, accumulator, scope, first + unit * order.stride))

    def _drain(self, vector: Linear, tile: Linear, accumulator: Linear = ZERO) -> None:
        parts, function = [*self._batch(), Subscript(vector), Subscript(tile)], self.mapping.product.function
        if function:
            for scope, unit, _ in self.everywhere(ActivateOp):
                self.add(ActivateOp(function, accumulator, scope, unit))
            for scope, unit, banks in self.everywhere(ActivatedOp):
                self.add(ActivatedOp(self.y, [*parts, *banks], scope, unit))
            return
        for scope, unit, banks in self.everywhere(DrainOp):
            self.add(DrainOp(self.y, [*parts, *banks], accumulator, self.mapping.partial, scope, unit))

    def _open(self, number: int, chunk: Linear, row: Linear) -> None:
        """Open a row of tiles of a chunk. All rows of a written operand are written to row 0, one after another."""
        mapping, within = self.mapping, self._row(number, chunk, row)
        base = mapping.batch * mapping.rows * sum(sum_range.chunks for sum_range in mapping.sum_ranges[:number])
        for scope, unit, _ in self.everywhere(ActOp):
            self.add(ActOp(Linear() if mapping.product.written else within + base, scope, unit))
        if mapping.product.written:
            sum_range = mapping.sum_ranges[number]
            columns = Subscript(Linear(), sum_range.tiles * mapping.copies(sum_range, self.pim) * sum_range.columns)
            for scope, unit, banks in self.everywhere(WriteOp):
                parts = [Subscript(self.channel), Subscript(within), *banks]
                self.add(WriteOp(self.weights[number], parts, columns, scope, unit))

    def _close(self) -> None:
        if closes_rows(self.pim):
            for scope, unit, _ in self.everywhere(PreOp):
                self.add(PreOp(scope, unit))


def variable_or_value(variable: BlockArgument, values: range) -> Linear:
    """The loop variable, or its value if it takes only one value."""
    return Linear.of(variable) if len(values) > 1 else Linear(values.start)
