"""A mapping written out as a bank program: regions of channels, loops, commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.dialects.builtin import Float32Type, MemRefType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from dialects.element_types import element_type_named
from dialects.pim import (
    HOST,
    ActOp,
    ChannelsOp,
    DrainOp,
    ForOp,
    KernelOp,
    Linear,
    LoadOp,
    MacOp,
    PreOp,
    Subscript,
)
from dialects.pim.linear import INDEX
from interp.sheet import Pim, Scope
from lowering.bank_mapping import Mapping, Piece

SCOPES: tuple[Scope, ...] = ("all", "group", "bank")
"""From the widest: a command that need not be repeated is preferred."""


def shapes_of(mapping: Mapping, pim: Pim) -> list[tuple[tuple[int, ...], Attribute]]:
    """Shapes and element types of the kernel's memrefs: the input, the weights of each piece, the result.

    Input [batch, vectors, copies, inner], weights [channels, rows, banks, columns, lanes], result [batch, vectors,
    tiles, banks]; a batch or a number of copies of 1 drops out. The result is f32 where partial sums are added,
    otherwise as the operands.
    """
    product, element = mapping.product, element_type_named(mapping.product.element)
    batch = (product.batch,) if product.batch > 1 else ()
    copies = copies_of_input(mapping, pim)
    weights = [
        (
            mapping.channels,
            product.batch * piece.chunks * mapping.rows,
            pim.banks_per_channel,
            piece.tiles * mapping.copies(piece, pim) * piece.columns,
            pim.lanes,
        )
        for piece in mapping.pieces
    ]
    tiles = -(-product.outputs // (pim.banks_per_channel * mapping.tiles)) * mapping.tiles
    result = Float32Type() if mapping.partial else element
    return [
        ((*batch, product.vectors, *((copies,) if copies > 1 else ()), mapping.padded), element),
        *((shape, element) for shape in weights),
        ((*batch, product.vectors, tiles, pim.banks_per_channel), result),
    ]


def copies_of_input(mapping: Mapping, pim: Pim) -> int:
    """How often the buffer holds a vector: once for each tile in a row, where a row's columns are tied to the
    buffer's."""
    return mapping.tiles if pim.tied else 1


def kernel_of(mapping: Mapping, pim: Pim, name: str = "kernel", device: str = "pim") -> KernelOp:
    """The bank program of a mapping."""
    shapes = shapes_of(mapping, pim)
    block = Block(arg_types=[MemRefType(element, shape) for shape, element in shapes])
    weights = block.args[1:-1]
    hints = ["x", *(["w"] if len(weights) == 1 else [f"w{number}" for number in range(len(weights))]), "y"]
    for argument, hint in zip(block.args, hints, strict=True):
        argument.name_hint = hint
    writer = _Writer(mapping, pim, block.args[0], block.args[-1], block)
    writer.channels()
    base_rows, row = [HOST], 0
    for shape, _ in shapes[1:-1]:
        base_rows.append(row)
        row += shape[1]
    return KernelOp(name, device, Region(block), base_rows)


@dataclass
class _Writer:
    mapping: Mapping
    pim: Pim
    x: SSAValue
    y: SSAValue
    block: Block
    """Where the next op goes."""
    batch: Linear = field(default_factory=Linear)
    split: Linear = field(default_factory=Linear)

    def add(self, op: Operation) -> None:
        self.block.add_op(op)

    @contextmanager
    def loop(self, name: str, count: int):
        """A loop around what is added inside; none where it would run once."""
        if count == 1:
            yield Linear()
            return
        body = Block(arg_types=[INDEX])
        body.args[0].name_hint = name
        outer, self.block = self.block, body
        yield Linear.of(body.args[0])
        self.block = outer
        self.add(ForOp(range(count), Region(body)))

    def channels(self) -> None:
        """A region for each kind of channel: with a full or a last share of vectors, a full or a last share of rows."""
        mapping, product = self.mapping, self.mapping.product
        rows = -(-product.outputs // (self.pim.banks_per_channel * mapping.tiles))
        for groups, share in _shares(product.vectors, mapping.share):
            for channels, count in _shares(rows, mapping.rows):
                self._region(groups, share, channels, count)

    def _region(self, groups: range, vectors: int, channels: range, tile_rows: int) -> None:
        """What the channels of some groups do: `vectors` vectors with `tile_rows` rows of tiles each."""
        mapping = self.mapping
        axes = [("g", groups, mapping.groups, mapping.splits * mapping.width)]
        axes += [("part", range(mapping.splits), mapping.splits, mapping.width), ("c", channels, 0, 1)]
        axes = [axis for axis in axes if axis[2] != 1]  # the last one stays: a region has a variable
        body = Block(arg_types=[INDEX] * len(axes))
        number, values = Linear(), {"g": Linear(), "part": Linear()}
        for argument, (name, numbers, _, stride) in zip(body.args, axes, strict=True):
            argument.name_hint = name
            number += Linear.of(argument) * stride
            values[name] = _value(argument, numbers)
        outer, self.block, self.split = self.block, body, values["part"]
        self._program(values["g"] * mapping.share, vectors, values["c"] * mapping.rows, tile_rows)
        self.block = outer
        self.add(ChannelsOp([numbers for _, numbers, _, _ in axes], number, Region(body)))

    def _program(self, vector: Linear, vectors: int, tile_row: Linear, tile_rows: int) -> None:
        with self.loop("b", self.mapping.product.batch) as self.batch:
            if self.mapping.order == "sum":
                self._by_sum(vector, vectors, tile_row, tile_rows)
                return
            write = self._by_row if self.mapping.order == "row" else self._by_buffer
            for number, piece in enumerate(self.mapping.pieces):
                with self.loop("k", piece.chunks) as chunk:
                    write(number, chunk, vector, vectors, tile_row, tile_rows)

    def _by_buffer(
        self, number: int, chunk: Linear, vector: Linear, vectors: int, tile_row: Linear, tile_rows: int
    ) -> None:
        """What is loaded meets all rows of tiles."""
        for first, together in self._loads(number, chunk, vector, vectors):
            with self.loop("t", tile_rows) as row:
                self._open(self._row(number, chunk, row))
                self._multiply(number, first, together, tile_row + row)
                self._close()

    def _by_row(
        self, number: int, chunk: Linear, vector: Linear, vectors: int, tile_row: Linear, tile_rows: int
    ) -> None:
        """An open row meets all vectors."""
        with self.loop("t", tile_rows) as row:
            self._open(self._row(number, chunk, row))
            for first, together in self._loads(number, chunk, vector, vectors):
                self._multiply(number, first, together, tile_row + row)
            self._close()

    def _loads(self, number: int, chunk: Linear, vector: Linear, vectors: int) -> Iterator[tuple[Linear, int]]:
        """Loads that bring all vectors, as many at a time as share the buffer; gives the first one and their number,
        for what is to be done with them inside the same loop."""
        piece = self.mapping.pieces[number]
        full, rest = divmod(vectors, piece.vectors)
        if full:
            with self.loop("p", full) as at:
                first = vector + at * piece.vectors
                self._load(piece, chunk, first, piece.vectors)
                yield first, piece.vectors
        if rest:
            self._load(piece, chunk, vector + full * piece.vectors, rest)
            yield vector + full * piece.vectors, rest

    def _multiply(self, number: int, vector: Linear, vectors: int, tile_row: Linear) -> None:
        piece = self.mapping.pieces[number]
        with self.loop("s", piece.tiles) as tile, self.loop("v", vectors) as each:
            self._mac(piece, tile, each)
            self._drain(vector + each, tile_row * piece.tiles + tile)

    def _by_sum(self, vector: Linear, vectors: int, tile_row: Linear, tile_rows: int) -> None:
        with self.loop("p", vectors) as at, self.loop("t", tile_rows) as row:
            for number, piece in enumerate(self.mapping.pieces):
                with self.loop("k", piece.chunks) as chunk:
                    self._load(piece, chunk, vector + at, 1)
                    self._open(self._row(number, chunk, row))
                    self._mac(piece, Linear(), Linear())
                    self._close()
            self._drain(vector + at, tile_row + row)

    def _row(self, number: int, chunk: Linear, row: Linear) -> Linear:
        """The bank row of a row of tiles: [piece, batch, chunk, row of tiles]."""
        pieces, rows = self.mapping.pieces, self.mapping.rows
        base = self.mapping.product.batch * rows * sum(piece.chunks for piece in pieces[:number])
        return (self.batch * pieces[number].chunks + chunk) * rows + row + base

    def _load(self, piece: Piece, chunk: Linear, vector: Linear, vectors: int) -> None:
        width, lanes = piece.columns, self.pim.lanes
        elements = min(width * lanes, self.mapping.span - piece.first * lanes)
        first = self.split * self.mapping.span + chunk * (width * lanes) + piece.first * lanes
        copies = copies_of_input(self.mapping, self.pim)
        parts = [
            *self._batch(),
            Subscript(vector, vectors if vectors > 1 else 0),
            *([Subscript(Linear(), copies)] if copies > 1 else []),
            Subscript(first, elements),
        ]
        self.add(LoadOp(self.x, parts))

    def _batch(self) -> list[Subscript]:
        return [Subscript(self.batch)] if self.mapping.product.batch > 1 else []

    def _mac(self, piece: Piece, tile: Linear, vector: Linear) -> None:
        width = piece.columns
        if self.pim.tied:  # one of `tile` and `vector` is always 0
            self.add(MacOp(Subscript((tile + vector) * width, width)))
        else:
            self.add(MacOp(Subscript(tile * width, width), entry=vector * width))

    def _drain(self, vector: Linear, tile: Linear) -> None:
        parts = [*self._batch(), Subscript(vector), Subscript(tile)]
        self.add(DrainOp(self.y, parts, add=self.mapping.partial))

    def _open(self, row: Linear) -> None:
        scope = widest(self.pim, "act")
        with self.loop(scope, self.pim.units(scope)) as unit:
            self.add(ActOp(row, scope, unit))

    def _close(self) -> None:
        if not self.pim.reopen:
            scope = widest(self.pim, "pre")
            with self.loop(scope, self.pim.units(scope)) as unit:
                self.add(PreOp(scope, unit))


def widest(pim: Pim, verb: str) -> Scope:
    """The widest scope a verb has on a device."""
    return next(scope for scope in SCOPES if scope in pim.verbs[verb].scopes)


def _value(variable: BlockArgument, values: range) -> Linear:
    """A variable, or the one value it takes."""
    return Linear.of(variable) if len(values) > 1 else Linear(values.start)


def _shares(total: int, each: int) -> Sequence[tuple[range, int]]:
    """Who gets how much, where `total` is dealt out `each` at a time: the full shares, then a last smaller one."""
    full, rest = divmod(total, each)
    shares = [(range(full), each)] if full else []
    return [*shares, (range(full, full + 1), rest)] if rest else shares
