"""Mappings of a matrix product to channels, banks, rows and the global buffer, and the enumeration of candidate
mappings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from dialects.pim import MappingAttr
from interp.machine.records import Pim

Order: TypeAlias = Literal["buffer", "row", "sum"]
"""The order of a program's loops, by the data that are reused. `buffer`: loaded inputs are multiplied with all rows of
tiles before the next load. `row`: an open row is multiplied with all vectors before the next row is opened. `sum`: a
tile's sum is accumulated over all chunks before it is drained; in the other orders, a partial sum is drained per
chunk."""


@dataclass(frozen=True)
class Product:
    """A batch of matrix products: `batch` products of [vectors, inner] with [inner, outputs].

    A GEMV has one vector; a convolution has one per pixel. `element`: the element type of the operands. The second
    operand is a weight, or a run-time value that the program writes into rows (`written`). `bias`: each output's sum
    starts from its own initial value. `function`: the activation function that the units apply to a sum, by table,
    before it is delivered. `grows`: the second operand is a cache, whose first `kept` outputs or elements of the sum
    are resident in the banks; the program writes all later ones.
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
class SumRange:
    """A range of the elements of the sum, divided into `chunks` equal chunks of `columns` column accesses each; the
    first chunk starts at column access `first`.

    The global buffer contains `vectors` vectors at a time; a row contains `tiles` tiles (a tile is one output per
    bank).
    """

    first: int
    columns: int
    chunks: int
    vectors: int = 1
    tiles: int = 1


@dataclass(frozen=True)
class Mapping:
    """The distribution of a product over channels, numbered [parts, groups, splits, width]. A part of the channels
    computes an equal part of the batch; a group of this part computes `group_vectors` vectors; a split of this group
    computes `span` elements of the sum; and each of a split's `width` channels computes `rows` rows of tiles.

    A tile is one output per bank; a row contains `tiles` tiles in every range. Channels are assigned whole rows of
    tiles. `sum_ranges` divide a split's span. In an `even` mapping, the last channels run the same commands as all
    others, on zeros.
    """

    product: Product
    groups: int
    width: int
    group_vectors: int
    rows: int
    tiles: int
    sum_ranges: tuple[SumRange, ...]
    lanes: int
    order: Order = "buffer"
    splits: int = 1
    parts: int = 1
    even: bool = False
    held: int = 1
    """In order `sum`: number of rows of tiles whose sums are in the accumulators at the same time."""

    def __str__(self) -> str:
        """A short description that distinguishes mappings of the same product."""
        words = {"parts of the batch": self.parts, "groups of vectors": self.groups, "splits of the sum": self.splits}
        dealt = ", ".join(f"{number} {word}" for word, number in words.items() if number > 1)
        first = self.sum_ranges[0]
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
        """Number of products of the batch that one channel computes."""
        return self.product.batch // self.parts

    @property
    def span(self) -> int:
        """The number of elements of the sum in one split. With several splits, these are whole column accesses, and the
        last split is padded with zeros."""
        return self.product.inner if self.splits == 1 else self.padded // self.splits

    @property
    def padded(self) -> int:
        """The number of elements of the sum, including the zeros that make all splits equally long."""
        return padded(self.product.inner, self.splits, self.lanes)

    @property
    def chunks(self) -> int:
        """Number of chunks of a split's sum, over all ranges."""
        return sum(sum_range.chunks for sum_range in self.sum_ranges)

    @property
    def partial(self) -> bool:
        """True if an output is the sum of several drained partial sums."""
        return self.starts > 1

    @property
    def starts(self) -> int:
        """The number of partial sums of one output."""
        return self.splits * (1 if self.order == "sum" else self.chunks)

    @property
    def vectors(self) -> int:
        """Number of vectors in the program's input, including the zeros of an even mapping."""
        return self.groups * self.group_vectors if self.even else self.product.vectors

    def tile_rows(self, pim: Pim) -> int:
        """Number of rows of tiles, including the zeros of an even mapping."""
        wanted = -(-self.product.outputs // (pim.banks_per_channel * self.tiles))
        return self.width * self.rows if self.even else wanted

    def copies(self, sum_range: SumRange, pim: Pim) -> int:
        """The number of copies of a tile's weights in a row, one for each vector that shares the buffer."""
        return sum_range.vectors if pim.tied else 1

    def input_copies(self, pim: Pim) -> int:
        """The number of copies of a vector in the buffer: one for each tile in a row, on devices where a column of the
        row is always multiplied with the same column of the buffer."""
        return self.tiles if pim.tied else 1

    def activations(self, sum_range: SumRange) -> int:
        """Number of row activations for a range of the sum in the busiest channel."""
        times = 1 if self.order == "row" else -(-self.group_vectors // sum_range.vectors)
        return self.batch * sum_range.chunks * self.rows * times

    def rows_needed(self) -> int:
        """Number of rows per bank for the second operand. A written operand reuses one row."""
        return 1 if self.product.written else self.batch * self.rows * self.chunks

    def survives(self, pim: Pim, cycles: int) -> bool:
        """True if a program of `cycles` cycles stays correct under refresh. If the controller does not reopen rows
        after a refresh (`forgets_rows`), a program in the order `row` must end before the first refresh."""
        return self.order != "row" or not pim.forgets_rows or (pim.refresh is None or cycles < pim.refresh.interval)

    def opens_once(self) -> bool:
        """True if each row is opened only once, so that the program can write its content on opening it."""
        return self.order == "row" or all(sum_range.vectors >= self.group_vectors for sum_range in self.sum_ranges)


ORDERS: tuple[Order, ...] = ("buffer", "row", "sum")


def padded(inner: int, splits: int, lanes: int) -> int:
    """The number of elements of a sum after padding it so that all splits have equally many, whole column accesses."""
    return inner if splits == 1 else -(-inner // (splits * lanes)) * splits * lanes


def mappings(product: Product, pim: Pim) -> Iterator[Mapping]:
    """The candidate mappings of a product: channels are divided evenly into parts of the batch, parts into groups of
    vectors, groups into splits of the sum. Each range has as many vectors per buffer and tiles per row as fit."""
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
    """Candidate numbers of parts: 1 (all channels compute each product of the batch), and the largest divisor of the
    batch up to the number of channels."""
    most = max(parts for parts in range(1, min(channels, batch) + 1) if batch % parts == 0)
    return [1] if most == 1 else [most, 1]


def _group_counts(channels: int, vectors: int) -> Iterator[int]:
    """Candidate numbers of groups: divisors of the number of channels, at most the number of vectors."""
    for groups in range(1, channels + 1):
        if channels % groups == 0:
            yield groups
            if groups >= vectors:
                return


def _split_counts(channels: int, columns: int) -> Iterator[int]:
    """Candidate numbers of splits: the maximum, which is the number of channels or of columns, and the powers of two
    below it."""
    splits, most = 1, min(channels, columns)
    while splits < most:
        yield splits
        splits *= 2
    yield most


def _tiles_in_a_row(product: Product, pim: Pim, width: int) -> list[int]:
    """Candidate numbers of tiles per row: as many as there are tiles, one, and the number with which each of `width`
    channels gets an equal part of the tiles (rounded up)."""
    tiles = -(-product.outputs // pim.banks_per_channel)
    return list(dict.fromkeys((tiles, 1, -(-tiles // width))))


def mapping_of(plan: MappingAttr, product: Product, pim: Pim) -> Mapping | str:
    """The mapping of a product that a plan specifies, or the reason why the product or the device does not allow it."""
    requested = plan.shares
    parts, groups, splits, held = (requested[name] for name in ("parts", "groups", "splits", "held"))
    order: Order = next(order for order in ORDERS if order == plan.order.data)
    if product.batch % parts:
        return f"divides a batch of {product.batch} into {parts} parts; write a divisor of {product.batch}"
    if product.grows and groups > 1:
        return f"makes {groups} groups of vectors, but a cache's new entries are in one group; leave groups out"
    if splits > (columns := -(-product.inner // pim.lanes)):
        return f"makes {splits} splits of a sum of {columns} columns; write at most {columns}"
    if parts * groups * splits > pim.channels:
        return f"is for {parts * groups * splits} channels; {pim.name} has {pim.channels}: write fewer"
    sums = min(held * requested["tiles"], pim.accumulators) if order == "sum" else 1
    found = _mapping(product, pim, (parts, groups, splits), requested["tiles"], order, sums, requested["rows"])
    for name, number in requested.items():
        if number and getattr(found, name) != number:
            return (
                f"says {name} = {number}, of which {pim.name} and the product make {getattr(found, name)}; write that"
            )
    if found.channels > pim.channels:
        return f"is for {found.channels} channels; {pim.name} has {pim.channels}: write more rows"
    if found.rows_needed() > pim.rows:
        return f"takes {found.rows_needed()} rows of each bank; {pim.name} has {pim.rows}: write more tiles"
    return _wrong(found) or found


@lru_cache(maxsize=4096)
def plan_of(mapping: Mapping, pim: Pim) -> MappingAttr:
    """The plan attribute from which `mapping_of` reconstructs a mapping."""
    order, parts, groups, splits, rows = mapping.order, mapping.parts, mapping.groups, mapping.splits, mapping.rows
    even = _mapping(mapping.product, pim, (parts, groups, splits), mapping.tiles, order, mapping.held * mapping.tiles)
    return MappingAttr.of(order, parts, groups, splits, 0 if even == mapping else rows, mapping.tiles, mapping.held)


def _pointless(mapping: Mapping) -> bool:
    """True for order `sum` with only one chunk and one sum at a time: the commands are then the same as in the other
    orders."""
    return mapping.order == "sum" and mapping.chunks == 1 and mapping.held * mapping.tiles == 1


def _wrong(mapping: Mapping) -> str:
    """The reason why a mapping's program would compute wrong results; empty if its results would be correct."""
    if mapping.product.written and not mapping.opens_once():
        return "opens rows more than once, but writes the second operand whenever a row is opened; write order row"
    if mapping.product.function and mapping.partial:
        return f"computes partial sums, but `{mapping.product.function}` needs the complete sum; write order sum"
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
    """The mapping of a product in an order. `divisions`: numbers of parts, groups and splits. `in_row` and `sums`:
    upper limits of tiles per row and of sums at a time, reduced to the numbers that fit. `each`: rows of tiles per
    channel; 0 for an even distribution."""
    parts, groups, splits = divisions
    group_vectors = -(-product.vectors // groups)
    tiles = -(-product.outputs // pim.banks_per_channel)
    span = padded(product.inner, splits, pim.lanes) // splits
    if order == "sum":
        in_row = min(in_row, sums, pim.columns // min(-(-span // pim.lanes), _widest(pim))) if not pim.tied else 1
    sum_ranges = tuple(_sum_ranges(span, group_vectors, in_row, pim, order))
    in_row = sum_ranges[0].tiles
    rows = -(-tiles // in_row)
    each = min(each, rows) or -(-rows // (pim.channels // (parts * groups * splits)))
    held = min(sums // in_row, each) if order == "sum" else 1
    groups, width = -(-product.vectors // group_vectors), -(-rows // each)
    even = pim.decoder is not None  # commands that differ between channels are decoded serially
    return Mapping(
        product, groups, width, group_vectors, each, in_row, sum_ranges, pim.lanes, order, splits, parts, even, held
    )


def _widest(pim: Pim) -> int:
    """Columns of the widest chunk: it fills the buffer or a row."""
    return min(pim.columns, pim.buffer_columns)


def _sum_ranges(span: int, group_vectors: int, tiles: int, pim: Pim, order: Order) -> Iterator[SumRange]:
    """The ranges of a split's sum: a range of chunks of the maximum width, then a range of a single chunk with the
    remaining columns."""
    widest = _widest(pim)
    chunks = span // pim.lanes // widest
    rest = -(-span // pim.lanes) - chunks * widest
    if order == "sum":  # the sums of one vector at a time; rows of all chunks hold the same tiles
        if chunks:
            yield SumRange(0, widest, chunks, 1, tiles)
        if rest:
            yield SumRange(chunks * widest, rest, 1, 1, tiles)
        return
    if chunks:
        yield SumRange(0, widest, chunks, *_packing(widest, group_vectors, 1, pim))
    if rest:
        yield SumRange(chunks * widest, rest, 1, *_packing(rest, group_vectors, tiles if not chunks else 1, pim))


def _packing(columns: int, group_vectors: int, tiles: int, pim: Pim) -> tuple[int, int]:
    """The number of vectors that the buffer holds at a time, and the number of tiles that a row holds, if a chunk has
    `columns` column accesses."""
    vectors, room = min(group_vectors, pim.buffer_columns // columns), pim.columns // columns
    if not pim.tied:
        return vectors, min(tiles, room)
    vectors = min(vectors, room)
    return (vectors, 1) if vectors > 1 else (1, min(tiles, room, pim.buffer_columns // columns))
