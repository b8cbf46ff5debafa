"""How a matrix product is laid over channels, banks, rows and the global buffer; which of these mappings to try."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from interp.sheet import Pim

Order: TypeAlias = Literal["buffer", "row", "sum"]
"""What stays while the rest goes by. `buffer`: what is loaded meets all rows of tiles before the next load. `row`: an
open row meets all vectors before the next one is opened. `sum`: a tile's sum over all chunks is finished before it is
drained; the other orders drain partial sums, a chunk at a time."""


@dataclass(frozen=True)
class Product:
    """What is asked for: `batch` products of [vectors, inner] with [inner, outputs], the second a weight.

    A GEMV has one vector; a convolution has one a pixel. `element` is what the operands are made of.
    """

    batch: int
    vectors: int
    outputs: int
    inner: int
    element: str


@dataclass(frozen=True)
class Piece:
    """A part of the sum in equal chunks: `chunks` times `columns` column accesses, from `first` on.

    `vectors` share the global buffer; `tiles` (one output a bank) share a row.
    """

    first: int
    columns: int
    chunks: int
    vectors: int = 1
    tiles: int = 1


@dataclass(frozen=True)
class Mapping:
    """Channels numbered [groups, splits, width]: a group takes `share` vectors, a split of it `span` elements of the
    sum, and each of a split's channels `rows` rows of tiles.

    A tile is one output a bank; `tiles` of them share a row in every piece. A row of tiles is the unit that is dealt to
    channels. `pieces` are those of a split's span.
    """

    product: Product
    groups: int
    width: int
    share: int
    rows: int
    tiles: int
    pieces: tuple[Piece, ...]
    lanes: int
    order: Order = "buffer"
    splits: int = 1

    @property
    def channels(self) -> int:
        return self.groups * self.splits * self.width

    @property
    def span(self) -> int:
        """Elements of the sum that one split takes; whole columns, the last of them filled up with zeros, if there are
        several."""
        return self.product.inner if self.splits == 1 else self.padded // self.splits

    @property
    def padded(self) -> int:
        """Elements of the sum, with the zeros that make all splits equal."""
        return padded(self.product.inner, self.splits, self.lanes)

    @property
    def partial(self) -> bool:
        """Whether several drains add up to one output."""
        return self.splits > 1 or (self.order != "sum" and sum(piece.chunks for piece in self.pieces) > 1)

    def copies(self, piece: Piece, pim: Pim) -> int:
        """How often a tile's weights stand in a row, once for each vector that shares the buffer."""
        return piece.vectors if pim.tied else 1

    def activations(self, piece: Piece) -> int:
        """How often the busiest channel opens a row of a piece."""
        times = 1 if self.order == "row" else -(-self.share // piece.vectors)
        return self.product.batch * piece.chunks * self.rows * times

    def rows_needed(self) -> int:
        """Rows of each bank that the weights take."""
        return self.product.batch * self.rows * sum(piece.chunks for piece in self.pieces)


ORDERS: tuple[Order, ...] = ("buffer", "row", "sum")
ORDERS_IF_FORGOTTEN: tuple[Order, ...] = ("buffer", "sum")
"""Where a refresh closes rows and the controller forgets them."""


def padded(inner: int, splits: int, lanes: int) -> int:
    """The length of a sum that is filled up so that each split has the same number of whole columns."""
    return inner if splits == 1 else -(-inner // (splits * lanes)) * splits * lanes


def mappings(product: Product, pim: Pim) -> Iterator[Mapping]:
    """The mappings worth timing: any even division of the channels into groups, these again into splits, and per piece
    as many vectors to a buffer and tiles to a row as fit."""
    seen: set[Mapping] = set()
    for groups in _group_counts(pim.channels, product.vectors):
        for splits in _split_counts(pim.channels // groups, -(-product.inner // pim.lanes)):
            for share_row in (True, False):
                for order in ORDERS if pim.refresh is None or pim.refresh.reopens else ORDERS_IF_FORGOTTEN:
                    found = _mapping(product, pim, groups, splits, share_row, order)
                    if found is not None and found not in seen:
                        seen.add(found)
                        yield found


def _group_counts(channels: int, vectors: int) -> Iterator[int]:
    """Divisors of the number of channels, up to one vector a group."""
    for groups in range(1, channels + 1):
        if channels % groups == 0:
            yield groups
            if groups >= vectors:
                return


def _split_counts(channels: int, columns: int) -> Iterator[int]:
    """By doubling, up to as many as there are channels, or columns to share out."""
    splits, most = 1, min(channels, columns)
    while splits < most:
        yield splits
        splits *= 2
    yield most


def _mapping(product: Product, pim: Pim, groups: int, splits: int, share_row: bool, order: Order) -> Mapping | None:
    share = -(-product.vectors // groups)
    tiles = -(-product.outputs // pim.banks_per_channel)
    span = padded(product.inner, splits, pim.lanes) // splits
    pieces = tuple(_pieces(span, share, tiles if share_row else 1, pim, order))
    if order == "sum" and sum(piece.chunks for piece in pieces) == 1:
        return None  # nothing to keep inside
    in_row = pieces[0].tiles
    rows = -(-tiles // in_row)
    each = -(-rows // (pim.channels // (groups * splits)))
    groups, width = -(-product.vectors // share), -(-rows // each)
    return Mapping(product, groups, width, share, each, in_row, pieces, pim.lanes, order, splits)


def _pieces(span: int, share: int, tiles: int, pim: Pim, order: Order) -> Iterator[Piece]:
    """Chunks as wide as a row and the buffer allow, all of whole columns, then what is left."""
    widest = min(pim.columns, pim.buffer_columns)
    chunks = span // pim.lanes // widest
    rest = -(-span // pim.lanes) - chunks * widest
    together = order != "sum"
    if chunks:
        yield Piece(0, widest, chunks, *_sharing(widest, share, 1, pim, together))
    if rest:
        in_row = tiles if together and not chunks else 1
        yield Piece(chunks * widest, rest, 1, *_sharing(rest, share, in_row, pim, together))


def _sharing(columns: int, share: int, tiles: int, pim: Pim, together: bool) -> tuple[int, int]:
    """How many vectors share the buffer and how many tiles a row."""
    vectors = min(share, pim.buffer_columns // columns) if together else 1
    room = pim.columns // columns
    if not pim.tied:
        return vectors, min(tiles, room)
    vectors = min(vectors, room)
    return (vectors, 1) if vectors > 1 else (1, min(tiles, room, pim.buffer_columns // columns))
