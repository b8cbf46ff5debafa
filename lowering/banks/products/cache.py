"""A cache in the banks as the second operand of a product: earlier entries stay in the banks, and new entries are
written at run time, before the multiplication.

If new entries are outputs (keys), each is a row of the matrix, and all its elements are written to one bank. If they
are elements of the sum (values), each is a column of the matrix, and is written to all banks. New columns are written
as whole column accesses, so that `kept` is a multiple of the elements of a column access too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from interp.machine.records import Pim
from lowering.banks.layout import Chain
from lowering.banks.products.mapping import Mapping, SumRange


@dataclass(frozen=True)
class NewOutput:
    """The position of a new row of the matrix: channel within a split, row of tiles in that channel, tile in that row
    of tiles, and bank."""

    entry: int
    """The number of the row among the new rows."""
    channel: int
    row: int
    tile: int
    bank: int


@dataclass(frozen=True)
class NewColumn:
    """The position at which new columns of the matrix are stored, one column access at a time: the number of the split,
    of the range in it, of the chunk in that range, and of the column access in that chunk."""

    entry: int
    split: int
    sum_range: int
    chunk: int
    column: int


def column_accesses(mapping: Mapping) -> int:
    """The number of column accesses per tile for the elements of the sum in one split."""
    return -(-mapping.span // mapping.lanes)


def shape_of_new(mapping: Mapping, pim: Pim) -> tuple[int, ...]:
    """Shape of the new entries in the host's layout: [batch, entries, splits, columns x lanes] for outputs, [columns,
    batch, tiles, banks, lanes] for elements of the sum."""
    product, lanes = mapping.product, mapping.lanes
    if product.grows == "outputs":
        return product.batch, product.outputs - product.kept, mapping.splits, column_accesses(mapping) * lanes
    columns = -(-product.inner // lanes) - product.kept // lanes
    return columns, product.batch, mapping.width * mapping.rows * mapping.tiles, pim.banks_per_channel, lanes


def lay_new(matrix: Chain, mapping: Mapping, pim: Pim) -> Chain:
    """Convert the new entries of a matrix [batch, outputs, inner] to the host's layout."""
    product, shape = mapping.product, shape_of_new(mapping, pim)
    if product.grows == "outputs":
        matrix.part(1, product.kept, product.outputs).pad_to(*shape[:2], mapping.padded)
        matrix.reshape(*shape[:3], mapping.span)
        return matrix.pad_to(*shape)
    columns, batch, tiles, banks, lanes = shape
    matrix.part(2, product.kept, product.inner).pad_to(batch, tiles * banks, columns * lanes)
    return matrix.reshape(batch, tiles, banks, columns, lanes).transpose(3, 0, 1, 2, 4)


def keep(matrix: Chain, mapping: Mapping) -> Chain:
    """The content of the banks before the program runs: the matrix with zeros instead of the new entries."""
    product, axis = mapping.product, 1 if mapping.product.grows == "outputs" else 2
    return matrix.part(axis, 0, product.kept).pad_to(product.batch, product.outputs, product.inner)


def new_outputs(mapping: Mapping, pim: Pim) -> Iterator[NewOutput]:
    """The position of each new row of the matrix."""
    for entry in range(mapping.product.outputs - mapping.product.kept):
        tile, bank = divmod(mapping.product.kept + entry, pim.banks_per_channel)
        row, tile = divmod(tile, mapping.tiles)
        yield NewOutput(entry, *divmod(row, mapping.rows), tile, bank)


def new_columns(mapping: Mapping) -> Iterator[NewColumn]:
    """The position of each column access that stores new columns of the matrix."""
    first, last = mapping.product.kept // mapping.lanes, -(-mapping.product.inner // mapping.lanes)
    for entry, column in enumerate(range(first, last)):
        split, column = divmod(column, column_accesses(mapping))
        number, sum_range = next(
            (number, sum_range) for number, sum_range in enumerate(mapping.sum_ranges) if column < _end(sum_range)
        )
        yield NewColumn(entry, split, number, *divmod(column - sum_range.first, sum_range.columns))


def _end(sum_range: SumRange) -> int:
    return sum_range.first + sum_range.columns * sum_range.chunks
