"""Mappings of a matrix product to channels, banks, rows and the global buffer, and the mappings to try."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dialects.pim import MappingAttr
from interp.machine.records import Pim

Order: TypeAlias = Literal["buffer", "row", "sum"]
"""The stationary operand. `buffer`: loaded inputs meet all rows of tiles before the next load. `row`: an
open row meets all vectors before the next one is opened. `sum`: a tile's sum over all chunks is finished before it is
drained; the other orders drain partial sums, a chunk at a time."""


@dataclass(frozen=True)
class Product:
    """A product: `batch` products of [vectors, inner] with [inner, outputs].

    A GEMV has one vector; a convolution has one a pixel. `element`: the element type of the operands. The second
    operand is a weight, or known at run time only and `written` into rows by the program. `bias`: each output's sum
    starts from a number of its own. `function`: what the units' activation table makes of a sum before it is delivered.
    `grows`: the second operand is a cache in the banks, of which the first `kept` outputs or elements of the sum lie
    there, and the program writes the others.
    """

    batch: int
    vectors: int
    outputs: int
    inner: int
    element: str
    written: bool = False
    bias: bool = False
    function: str = ""
    grows: Literal["", "outputs", "inner"] = ""
    kept: int = 0


@dataclass(frozen=True)
class SumPiece:
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
    """Channels numbered [parts, groups, splits, width]: a part takes an equal part of the batch, a group of it `share`
    vectors, a split of that `span` elements of the sum, and each of a split's channels `rows` rows of tiles.

    A tile is one output a bank; `tiles` of them share a row in every piece. A row of tiles is the unit that is dealt to
    channels. `pieces` are those of a split's span. Where it is `even`, the last channels do the same as all others, on
    zeros.
    """

    product: Product
    groups: int
    width: int
    share: int
    rows: int
    tiles: int
    pieces: tuple[SumPiece, ...]
    lanes: int
    order: Order = "buffer"
    splits: int = 1
    parts: int = 1
    even: bool = False
    held: int = 1
    """Rows of tiles whose sums are in the accumulators at one time, where each sum is finished before it is drained."""

    def __str__(self) -> str:
        """In a few words, to tell mappings of one product apart."""
        words = {"parts of the batch": self.parts, "groups of vectors": self.groups, "splits of the sum": self.splits}
        dealt = ", ".join(f"{number} {word}" for word, number in words.items() if number > 1)
        first = self.pieces[0]
        inside = f"{first.columns} columns, {first.vectors} vectors a buffer, {self.tiles} tiles a row"
        inside += (
            f", {self.held * self.tiles} sums at a time" if self.held * self.tiles > 1 and self.order == "sum" else ""
        )
        return f"{self.order}-first on {self.channels} channels ({dealt + '; ' if dealt else ''}{inside})"

    @property
    def channels(self) -> int:
        return self.parts * self.groups * self.splits * self.width

    @property
    def batch(self) -> int:
        """Products that one channel works on."""
        return self.product.batch // self.parts

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
    def chunks(self) -> int:
        """Chunks of a split's sum, in all pieces."""
        return sum(piece.chunks for piece in self.pieces)

    @property
    def partial(self) -> bool:
        """True if several drains add up to one output."""
        return self.starts > 1

    @property
    def starts(self) -> int:
        """The number of partial sums of one output."""
        return self.splits * (1 if self.order == "sum" else self.chunks)

    @property
    def vectors(self) -> int:
        """Vectors that the program takes, with the zeros of an even mapping."""
        return self.groups * self.share if self.even else self.product.vectors

    def tile_rows(self, pim: Pim) -> int:
        """Rows of tiles, with the zeros of an even mapping."""
        wanted = -(-self.product.outputs // (pim.banks_per_channel * self.tiles))
        return self.width * self.rows if self.even else wanted

    def copies(self, piece: SumPiece, pim: Pim) -> int:
        """The number of copies of a tile's weights in a row, one for each vector that shares the buffer."""
        return piece.vectors if pim.tied else 1

    def input_copies(self, pim: Pim) -> int:
        """The number of copies of a vector in the buffer: one for each tile in a row, where a row's columns are tied to
        the buffer's."""
        return self.tiles if pim.tied else 1

    def activations(self, piece: SumPiece) -> int:
        """The number of times that the busiest channel opens a row of a piece."""
        times = 1 if self.order == "row" else -(-self.share // piece.vectors)
        return self.batch * piece.chunks * self.rows * times

    def rows_needed(self) -> int:
        """Rows of each bank that the second operand takes. What is written can go where the last row was."""
        return 1 if self.product.written else self.batch * self.rows * self.chunks

    def survives(self, pim: Pim, cycles: int) -> bool:
        """True if a program of so many cycles computes what it should where a refresh closes rows: on open rows that
        the controller forgets, no sum may start after a refresh."""
        return self.order != "row" or not pim.forgets_rows or (pim.refresh is None or cycles < pim.refresh.interval)

    def opens_once(self) -> bool:
        """True if each row is opened once, so that it may be written when it is."""
        return self.order == "row" or all(piece.vectors >= self.share for piece in self.pieces)


ORDERS: tuple[Order, ...] = ("buffer", "row", "sum")


def padded(inner: int, splits: int, lanes: int) -> int:
    """The length of a sum that is filled up so that each split has the same number of whole columns."""
    return inner if splits == 1 else -(-inner // (splits * lanes)) * splits * lanes


def mappings(product: Product, pim: Pim) -> Iterator[Mapping]:
    """The mappings worth timing: an even division of the channels into parts of the batch, these into groups of
    vectors, these again into splits of the sum, and per piece as many vectors to a buffer and tiles to a row as fit."""
    seen: set[Mapping] = set()
    for parts in _part_counts(pim.channels, product.batch):
        channels = pim.channels // parts
        for groups in _group_counts(channels, product.vectors) if not product.grows else (1,):
            for splits in _split_counts(channels // groups, -(-product.inner // pim.lanes)):
                for in_row in _tiles_in_a_row(product, pim, channels // (groups * splits)):
                    for order in ORDERS:
                        for held in {1, pim.accumulators} if order == "sum" else {1}:
                            found = _mapping(product, pim, (parts, groups, splits), in_row, order, held)
                            if found not in seen and not _pointless(found) and not _wrong(found):
                                seen.add(found)
                                yield found


def _part_counts(channels: int, batch: int) -> list[int]:
    """All channels on each product of the batch, or each on as few of them as can be."""
    most = max(parts for parts in range(1, min(channels, batch) + 1) if batch % parts == 0)
    return [1] if most == 1 else [most, 1]


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


def _tiles_in_a_row(product: Product, pim: Pim, width: int) -> list[int]:
    """All tiles to a row, as far as there is room; one; or as many as each of `width` channels has, so that no row is
    shared at the price of a channel that has nothing to do."""
    tiles = -(-product.outputs // pim.banks_per_channel)
    return list(dict.fromkeys((tiles, 1, -(-tiles // width))))


def mapping_of(plan: MappingAttr, product: Product, pim: Pim) -> Mapping | str:
    """The mapping of a product that a plan tells, or a sentence that says what the product or the device forbids."""
    asked = plan.shares
    parts, groups, splits, held = (asked[name] for name in ("parts", "groups", "splits", "held"))
    order: Order = next(order for order in ORDERS if order == plan.order.data)
    if product.batch % parts:
        return f"cuts a batch of {product.batch} into {parts} parts; write a divisor"
    if product.grows and groups > 1:
        return f"makes {groups} groups of vectors, but new entries of a cache go to one; leave groups out"
    if splits > (columns := -(-product.inner // pim.lanes)):
        return f"makes {splits} splits of a sum of {columns} columns; write fewer"
    if parts * groups * splits > pim.channels:
        return f"is for {parts * groups * splits} channels; {pim.name} has {pim.channels}: write fewer"
    sums = min(held * asked["tiles"], pim.accumulators) if order == "sum" else 1
    found = _mapping(product, pim, (parts, groups, splits), asked["tiles"], order, sums, asked["rows"])
    for name, share in asked.items():
        if share and getattr(found, name) != share:
            return f"says {name} = {share}, of which {pim.name} and the product make {getattr(found, name)}; write that"
    if found.channels > pim.channels:
        return f"is for {found.channels} channels; {pim.name} has {pim.channels}: write more rows"
    if found.rows_needed() > pim.rows:
        return f"takes {found.rows_needed()} rows of each bank; {pim.name} has {pim.rows}: write more tiles"
    return _wrong(found) or found


def plan_of(mapping: Mapping, pim: Pim) -> MappingAttr:
    """The note by which `mapping_of` finds a mapping again."""
    order, parts, groups, splits, rows = mapping.order, mapping.parts, mapping.groups, mapping.splits, mapping.rows
    even = _mapping(mapping.product, pim, (parts, groups, splits), mapping.tiles, order, mapping.held * mapping.tiles)
    return MappingAttr.of(order, parts, groups, splits, 0 if even == mapping else rows, mapping.tiles, mapping.held)


def _pointless(mapping: Mapping) -> bool:
    """True if an order by sums has nothing to keep inside."""
    return mapping.order == "sum" and mapping.chunks == 1 and mapping.held * mapping.tiles == 1


def _wrong(mapping: Mapping) -> str:
    """The mistake of a program of the mapping, in words; empty if there is none."""
    if mapping.product.written and not mapping.opens_once():
        return "opens rows more than once, but the second operand is written when its row is opened; write order row"
    if mapping.product.function and mapping.partial:
        return f"takes sums in parts, but `{mapping.product.function}` is of the whole sum; write order sum"
    return ""


def _mapping(
    product: Product,
    pim: Pim,
    divisions: tuple[int, int, int],
    in_row: int,
    order: Order,
    sums: int,
    each: int = 0,
) -> Mapping:
    """A mapping in this order with so many parts, groups and splits, as many tiles to a row of `in_row` and sums at a
    time of `sums` as there is room for, and `each` rows of tiles to a channel, or an even share of them."""
    parts, groups, splits = divisions
    share = -(-product.vectors // groups)
    tiles = -(-product.outputs // pim.banks_per_channel)
    span = padded(product.inner, splits, pim.lanes) // splits
    if order == "sum":
        in_row = min(in_row, sums, pim.columns // min(-(-span // pim.lanes), _widest(pim))) if not pim.tied else 1
    pieces = tuple(_pieces(span, share, in_row, pim, order))
    in_row = pieces[0].tiles
    rows = -(-tiles // in_row)
    each = min(each, rows) or -(-rows // (pim.channels // (parts * groups * splits)))
    held = min(sums // in_row, each) if order == "sum" else 1
    groups, width = -(-product.vectors // share), -(-rows // each)
    even = pim.decoder is not None  # what differs between channels is decoded, and waited for, one after the other
    return Mapping(product, groups, width, share, each, in_row, pieces, pim.lanes, order, splits, parts, even, held)


def _widest(pim: Pim) -> int:
    """Columns of a chunk that fills the buffer or a row."""
    return min(pim.columns, pim.buffer_columns)


def _pieces(span: int, share: int, tiles: int, pim: Pim, order: Order) -> Iterator[SumPiece]:
    """Chunks as wide as a row and the buffer allow, all of whole columns, then what is left."""
    widest = _widest(pim)
    chunks = span // pim.lanes // widest
    rest = -(-span // pim.lanes) - chunks * widest
    if order == "sum":  # sums of one vector at a time; rows of all chunks hold the same tiles
        if chunks:
            yield SumPiece(0, widest, chunks, 1, tiles)
        if rest:
            yield SumPiece(chunks * widest, rest, 1, 1, tiles)
        return
    if chunks:
        yield SumPiece(0, widest, chunks, *_sharing(widest, share, 1, pim))
    if rest:
        yield SumPiece(chunks * widest, rest, 1, *_sharing(rest, share, tiles if not chunks else 1, pim))


def _sharing(columns: int, share: int, tiles: int, pim: Pim) -> tuple[int, int]:
    """The numbers of vectors that share the buffer, and of tiles that share a row."""
    vectors, room = min(share, pim.buffer_columns // columns), pim.columns // columns
    if not pim.tied:
        return vectors, min(tiles, room)
    vectors = min(vectors, room)
    return (vectors, 1) if vectors > 1 else (1, min(tiles, room, pim.buffer_columns // columns))
