"""Conversion of tensors to the layout of a bank program, and of its result back: chains of graph ops that move
elements."""

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
from lowering.banks.products.mapping import Mapping, SumPiece


@dataclass
class Chain:
    """A value on its way through ops that move elements; what would change nothing adds no op."""

    value: SSAValue
    sources: tuple[Operation, ...]
    """Whose place in the source the ops get."""
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
        if self.ops and isinstance(last := self.ops[-1], ReshapeOp):  # two reshapes are one
            self.ops.pop()
            self.value = last.x
            last.drop_all_references()
        if shape != self.shape:
            self._add(ReshapeOp(self.value, result_type=tensor_type(shape, self.element)))
        return self

    def transpose(self, *permutation: int) -> Chain:
        """Axes reordered; those of extent 1 do not take part, so that a transpose of nothing else is a reshape."""
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
        """Zeros added behind."""
        if shape != self.shape:
            high = [wanted - extent for wanted, extent in zip(shape, self.shape, strict=True)]
            self._add(PadOp(self.value, low=[0] * len(shape), high=high))
        return self

    def part(self, axis: int, start: int, end: int) -> Chain:
        """Entries `start` to `end` of an axis."""
        if (start, end) != (0, self.shape[axis]):
            starts, ends = [0] * len(self.shape), list(self.shape)
            starts[axis], ends[axis] = start, end
            self._add(SliceOp(self.value, starts=starts, ends=ends))
        return self

    def beside(self, axis: int, other: Chain) -> Chain:
        """Another chain's value behind this one, along an axis."""
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
    """[batch, vectors, inner] as the kernel loads it: [batch, vectors, copies, inner]; a batch or copies of 1 drop
    out."""
    product, copies, inner = mapping.product, mapping.input_copies(pim), mapping.padded
    batch = (product.batch,) if product.batch > 1 else ()
    rows.pad_to(product.batch, mapping.vectors, inner)
    if copies > 1:
        rows.reshape(product.batch, mapping.vectors, 1, inner)
        rows.broadcast(product.batch, mapping.vectors, copies, inner)
        return rows.reshape(*batch, mapping.vectors, copies, inner)
    return rows.reshape(*batch, mapping.vectors, inner)


def lay_starts(bias: Chain, mapping: Mapping, pim: Pim) -> Chain:
    """[batch, outputs] as the kernel sets sums: [batch, starts, tiles, banks]; of several sums that are added up, the
    first one starts from it, and the others from zeros. A batch or starts of 1 drop out."""
    product, tiles = mapping.product, mapping.tile_rows(pim) * mapping.tiles
    batch = (product.batch,) if product.batch > 1 else ()
    bias.pad_to(product.batch, tiles * pim.banks_per_channel)
    if mapping.starts == 1:
        return bias.reshape(*batch, tiles, pim.banks_per_channel)
    bias.reshape(product.batch, 1, tiles, pim.banks_per_channel)
    bias.pad_to(product.batch, mapping.starts, tiles, pim.banks_per_channel)
    return bias.reshape(*batch, mapping.starts, tiles, pim.banks_per_channel)


def zero_starts(mapping: Mapping, pim: Pim, *sources: Operation) -> Chain:
    """Zeros for every sum to start from, an entry a bank."""
    element = element_type_named(mapping.product.element)
    zeros = located(ConstantOp(np.zeros(pim.banks_per_channel, dtype_of(element))), *sources)
    return Chain(zeros.y, sources, [zeros])


def lay_weights(weights: Chain, mapping: Mapping, pim: Pim) -> tuple[list[GraphOp], list[SSAValue]]:
    """[batch, outputs, inner] as it lies in the banks, [channels, batch x chunks x rows of tiles, banks,
    tiles x copies x columns, lanes] for each piece of the sum: all ops of the chain, and the pieces.

    Of each part of the batch and each split, output `((channel * rows + row) * tiles + tile) * banks + bank` stands in
    that channel of the split, row, tile and bank; what is missing is 0.
    """
    weights.pad_to(mapping.product.batch, mapping.product.outputs, mapping.padded)
    if len(mapping.pieces) == 1:
        return weights.ops, [_lay_piece(weights, mapping.pieces[0], mapping, pim).value]
    pieces = [_lay_piece(Chain(weights.value, weights.sources), piece, mapping, pim) for piece in mapping.pieces]
    return [*weights.ops, *(op for piece in pieces for op in piece.ops)], [piece.value for piece in pieces]


def _lay_piece(chain: Chain, piece: SumPiece, mapping: Mapping, pim: Pim) -> Chain:
    product, banks, lanes = mapping.product, pim.banks_per_channel, pim.lanes
    start, width = piece.first * lanes, piece.chunks * piece.columns * lanes
    chain.reshape(product.batch, product.outputs, mapping.splits, mapping.span)
    chain.part(3, start, min(start + width, mapping.span))
    outputs = (mapping.width, mapping.rows, piece.tiles, banks)
    chain.pad_to(product.batch, prod(outputs), mapping.splits, width)
    chain.reshape(mapping.parts, mapping.batch, *outputs, mapping.splits, piece.chunks, piece.columns * lanes)
    # parts, splits, width, batch, chunks, rows, banks, tiles, columns * lanes
    chain.transpose(0, 6, 2, 1, 7, 3, 5, 4, 8)
    rows, copies = mapping.batch * piece.chunks * mapping.rows, mapping.copies(piece, pim)
    if mapping.groups * copies > 1:  # each group holds all weights, and each copy in a row
        runs = mapping.splits * mapping.width * rows * banks * piece.tiles
        chain.reshape(mapping.parts, 1, runs, 1, piece.columns * lanes)
        chain.broadcast(mapping.parts, mapping.groups, runs, copies, piece.columns * lanes)
    return chain.reshape(mapping.channels, rows, banks, piece.tiles * copies * piece.columns, lanes)


def lift_result(result: Chain, mapping: Mapping, element: Attribute) -> Chain:
    """The kernel's drained sums as [batch, vectors, outputs], rounded to `element`."""
    product = mapping.product
    result.reshape(product.batch, mapping.vectors, prod(result.shape[-2:]))
    return result.part(1, 0, product.vectors).part(2, 0, product.outputs).cast(element)
