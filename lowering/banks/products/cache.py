"""The second operand of a product as a cache in the banks: what was there before stays, and new entries are written at
run time before they are multiplied with.

New outputs (keys) are rows of the matrix: a bank gets all columns of one. New elements of the sum (values) are columns
of it: all banks get one, filled up to whole columns, so what is `kept` are whole columns too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from interp.machine.records import Pim
from lowering.banks.layout import Chain
from lowering.banks.products.mapping import Mapping, SumPiece


@dataclass(frozen=True)
class NewOutput:
    """The position of a new row of the matrix: channel of a split, row of tiles there, tile of that row, and bank."""

    entry: int
    """Its number among the new ones."""
    channel: int
    row: int
    tile: int
    bank: int


@dataclass(frozen=True)
class NewColumn:
    """The position of a new column access of the sum: the split, the number of its piece, the chunk and the column
    there."""

    entry: int
    split: int
    piece: int
    chunk: int
    column: int


def whole_columns(mapping: Mapping) -> int:
    """Column accesses of a split's sum."""
    return -(-mapping.span // mapping.lanes)


def shape_of_new(mapping: Mapping, pim: Pim) -> tuple[int, ...]:
    """New entries as the host keeps them: of outputs [batch, entries, splits, columns x lanes], of the sum [columns,
    batch, tiles, banks, lanes]."""
    product, lanes = mapping.product, mapping.lanes
    if product.grows == "outputs":
        return product.batch, product.outputs - product.kept, mapping.splits, whole_columns(mapping) * lanes
    columns = -(-product.inner // lanes) - product.kept // lanes
    return columns, product.batch, mapping.width * mapping.rows * mapping.tiles, pim.banks_per_channel, lanes


def lay_new(matrix: Chain, mapping: Mapping, pim: Pim) -> Chain:
    """The new entries of [batch, outputs, inner] as the host keeps them."""
    product, shape = mapping.product, shape_of_new(mapping, pim)
    if product.grows == "outputs":
        matrix.part(1, product.kept, product.outputs).pad_to(*shape[:2], mapping.padded)
        matrix.reshape(*shape[:3], mapping.span)
        return matrix.pad_to(*shape)
    columns, batch, tiles, banks, lanes = shape
    matrix.part(2, product.kept, product.inner).pad_to(batch, tiles * banks, columns * lanes)
    return matrix.reshape(batch, tiles, banks, columns, lanes).transpose(3, 0, 1, 2, 4)


def keep(matrix: Chain, mapping: Mapping) -> Chain:
    """The earlier content of the banks: zeros in place of new entries."""
    product, axis = mapping.product, 1 if mapping.product.grows == "outputs" else 2
    return matrix.part(axis, 0, product.kept).pad_to(product.batch, product.outputs, product.inner)


def new_outputs(mapping: Mapping, pim: Pim) -> Iterator[NewOutput]:
    """The position of each new row of the matrix."""
    for entry in range(mapping.product.outputs - mapping.product.kept):
        tile, bank = divmod(mapping.product.kept + entry, pim.banks_per_channel)
        row, tile = divmod(tile, mapping.tiles)
        yield NewOutput(entry, *divmod(row, mapping.rows), tile, bank)


def new_columns(mapping: Mapping) -> Iterator[NewColumn]:
    """The position of each new column access."""
    first, last = mapping.product.kept // mapping.lanes, -(-mapping.product.inner // mapping.lanes)
    for entry, column in enumerate(range(first, last)):
        split, column = divmod(column, whole_columns(mapping))
        number, piece = next((number, piece) for number, piece in enumerate(mapping.pieces) if column < _end(piece))
        yield NewColumn(entry, split, number, *divmod(column - piece.first, piece.columns))


def _end(piece: SumPiece) -> int:
    return piece.first + piece.columns * piece.chunks
