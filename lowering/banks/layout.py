"""Conversion of tensors to the layout of a bank program, and of the program's result back: chains of graph ops that
move elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from dialects.element_types import dtype_of, element_type_named, tensor_type
from dialects.graph import (
    BroadcastOp,
    CastOp,
    ConcatOp,
    ConstantOp,
    GraphOp,
    Im2colOp,
    PadOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
    shape_of,
    tensor_of,
)
from dialects.locations import located
from interp.machine.records import Pim
from lowering.banks.products.mapping import Mapping, SumRange


@dataclass
class Chain:
    """A value and the data-movement ops applied to it so far; a step that would not change the value adds no op."""

    value: SSAValue
    sources: tuple[Operation, ...]
    """The ops whose source locations the new ops get."""
    ops: list[GraphOp] = field(default_factory=list[GraphOp])

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.value)

    @property
    def element(self) -> Attribute:
        return tensor_of(self.value).element_type

    def _add(self, op: GraphOp) -> None:
        self.ops.append(located(op, *self.sources))
        self.value = op.results[0]

    def reshape(self, *shape: int) -> Chain:
        if self.ops and isinstance(last := self.ops[-1], ReshapeOp):  # replace two successive reshapes by one
            self.ops.pop()
            self.value = last.x
            last.drop_all_references()
        if shape != self.shape:
            self._add(ReshapeOp(self.value, result_type=tensor_type(shape, self.element)))
        return self

    def transpose(self, *permutation: int) -> Chain:
        """Reorder the axes. Axes of extent 1 are left out of the transpose, so that moving only such axes becomes a
        reshape."""
        shape = self.shape
        wide = [axis for axis, extent in enumerate(shape) if extent != 1]
        order = [wide.index(axis) for axis in permutation if axis in wide]
        if order != sorted(order):
            self.reshape(*(shape[axis] for axis in wide))
            self._add(TransposeOp(self.value, permutation=order))
        return self.reshape(*(shape[axis] for axis in permutation))

    def broadcast(self, *shape: int) -> Chain:
        if shape != self.shape:
            self._add(BroadcastOp(self.value, result_type=tensor_type(shape, self.element)))
        return self

    def pad_to(self, *shape: int) -> Chain:
        """Pad with zeros at the end of each axis, up to this shape."""
        if shape != self.shape:
            high = [wanted - extent for wanted, extent in zip(shape, self.shape, strict=True)]
            self._add(PadOp(self.value, low=[0] * len(shape), high=high))
        return self

    def part(self, axis: int, start: int, end: int) -> Chain:
        """Slice entries `start` to `end` (exclusive) of an axis."""
        if (start, end) != (0, self.shape[axis]):
            starts, ends = [0] * len(self.shape), list(self.shape)
            starts[axis], ends[axis] = start, end
            self._add(SliceOp(self.value, starts=starts, ends=ends))
        return self

    def beside(self, axis: int, other: Chain) -> Chain:
        """Concatenate this chain's value and another chain's value, in this order, along an axis."""
        self.ops += other.ops
        self._add(ConcatOp(self.value, other.value, axis=axis))
        return self

    def cast(self, element: Attribute) -> Chain:
        if element != self.element:
            self._add(CastOp(self.value, result_type=tensor_type(self.shape, element)))
        return self

    def unfold(
        self, kernel: Sequence[int], strides: Sequence[int], pads: Sequence[int], dilations: Sequence[int]
    ) -> Chain:
        self._add(Im2colOp(self.value, kernel=kernel, strides=strides, pads=pads, dilations=dilations))
        return self


def lay_input(rows: Chain, mapping: Mapping, pim: Pim) -> Chain:
    """Convert [batch, vectors, inner] to the layout that the kernel loads: [batch, vectors, copies, inner]; a batch or
    copies of 1 are dropped."""
    product, copies, inner = mapping.product, mapping.input_copies(pim), mapping.padded
    batch = (product.batch,) if product.batch > 1 else ()
    rows.pad_to(product.batch, mapping.vectors, inner)
    if copies > 1:
        rows.reshape(product.batch, mapping.vectors, 1, inner)
        rows.broadcast(product.batch, mapping.vectors, copies, inner)
        return rows.reshape(*batch, mapping.vectors, copies, inner)
    return rows.reshape(*batch, mapping.vectors, inner)


def lay_starts(bias: Chain, mapping: Mapping, pim: Pim) -> Chain:
    """Convert a bias [batch, outputs] to the layout from which the kernel sets accumulators: [batch, starts, tiles,
    banks], where `starts` counts the partial sums of an output. The first partial sum of an output starts from the
    bias, all others from zero. A batch or starts of 1 are dropped."""
    product, tiles = mapping.product, mapping.tile_rows(pim) * mapping.tiles
    batch = (product.batch,) if product.batch > 1 else ()
    bias.pad_to(product.batch, tiles * pim.banks_per_channel)
    if mapping.starts == 1:
        return bias.reshape(*batch, tiles, pim.banks_per_channel)
    bias.reshape(product.batch, 1, tiles, pim.banks_per_channel)
    bias.pad_to(product.batch, mapping.starts, tiles, pim.banks_per_channel)
    return bias.reshape(*batch, mapping.starts, tiles, pim.banks_per_channel)


def zero_starts(mapping: Mapping, pim: Pim, *sources: Operation) -> Chain:
    """Initial accumulator values of zero: one entry per bank, used for all sums."""
    element = element_type_named(mapping.product.element)
    zeros = located(ConstantOp(np.zeros(pim.banks_per_channel, dtype_of(element))), *sources)
    return Chain(zeros.y, sources, [zeros])


def lay_weights(weights: Chain, mapping: Mapping, pim: Pim) -> tuple[list[GraphOp], list[SSAValue]]:
    """Convert a matrix [batch, outputs, inner] to its layout in the banks: one tensor [channels, batch x chunks x rows
    of tiles, banks, tiles x copies x columns, lanes] per range of the sum. Returns the ops, and the tensors.

    In each part of the batch and each split, output `((channel * rows + row) * tiles + tile) * banks + bank` is stored
    in that channel of the split, row, tile and bank; missing elements are 0.
    """
    weights.pad_to(mapping.product.batch, mapping.product.outputs, mapping.padded)
    if len(mapping.sum_ranges) == 1:
        return weights.ops, [_lay_sum_range(weights, mapping.sum_ranges[0], mapping, pim).value]
    parts = [
        _lay_sum_range(Chain(weights.value, weights.sources), sum_range, mapping, pim)
        for sum_range in mapping.sum_ranges
    ]
    return [*weights.ops, *(op for part in parts for op in part.ops)], [part.value for part in parts]


def _lay_sum_range(chain: Chain, sum_range: SumRange, mapping: Mapping, pim: Pim) -> Chain:
    product, banks, lanes = mapping.product, pim.banks_per_channel, pim.lanes
    start, width = sum_range.first * lanes, sum_range.chunks * sum_range.columns * lanes
    chain.reshape(product.batch, product.outputs, mapping.splits, mapping.span)
    chain.part(3, start, min(start + width, mapping.span))
    outputs = (mapping.width, mapping.rows, sum_range.tiles, banks)
    chain.pad_to(product.batch, prod(outputs), mapping.splits, width)
    chain.reshape(mapping.parts, mapping.batch, *outputs, mapping.splits, sum_range.chunks, sum_range.columns * lanes)
    # parts, splits, width, batch, chunks, rows, banks, tiles, columns * lanes
    chain.transpose(0, 6, 2, 1, 7, 3, 5, 4, 8)
    rows, copies = mapping.batch * sum_range.chunks * mapping.rows, mapping.copies(sum_range, pim)
    if mapping.groups * copies > 1:  # each group stores all weights; a row stores each of them `copies` times
        runs = mapping.splits * mapping.width * rows * banks * sum_range.tiles
        chain.reshape(mapping.parts, 1, runs, 1, sum_range.columns * lanes)
        chain.broadcast(mapping.parts, mapping.groups, runs, copies, sum_range.columns * lanes)
    return chain.reshape(mapping.channels, rows, banks, sum_range.tiles * copies * sum_range.columns, lanes)


def lift_result(result: Chain, mapping: Mapping, element: Attribute) -> Chain:
    """The kernel's drained sums converted to [batch, vectors, outputs], rounded to `element`."""
    product = mapping.product
    result.reshape(product.batch, mapping.vectors, prod(result.shape[-2:]))
    return result.part(1, 0, product.vectors).part(2, 0, product.outputs).cast(element)
