"""Writes the commands of a mapping: regions of channels, loops, what is loaded, multiplied and drained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Region, SSAValue

from dialects.pim import (
    ActivatedOp,
    ActivateOp,
    ActOp,
    BiasOp,
    ChannelsOp,
    CommandOp,
    DrainOp,
    Linear,
    LoadOp,
    MacOp,
    PreOp,
    Subscript,
    WriteOp,
)
from dialects.pim.linear import INDEX
from interp.sheet import Pim, Scope
from lowering.bank_cursor import Cursor
from lowering.bank_mapping import Mapping, Piece, Product

ZERO = Linear()

SCOPES: tuple[Scope, ...] = ("all", "same", "group", "twin", "bank")
"""From the widest: a command that need not be repeated is preferred."""


def sets_sums(product: Product, pim: Pim) -> bool:
    """Whether a program sets accumulators before it multiplies: to a bias, or to the zeros that a drain does not
    leave."""
    return product.bias or not pim.drain_clears


def closes_rows(pim: Pim) -> bool:
    """Whether a program closes rows that it opened."""
    return pim.rows_by == "program" and not pim.reopen


@dataclass
class Writer(Cursor):
    """Writes a product's program into a block, op by op."""

    mapping: Mapping
    pim: Pim
    x: SSAValue
    starts: SSAValue | None
    pieces: Sequence[SSAValue]
    y: SSAValue
    block: Block
    """Where the next op goes."""
    part: Linear = field(default_factory=Linear)
    batch: Linear = field(default_factory=Linear)
    """The product in the channel's part of the batch."""
    split: Linear = field(default_factory=Linear)
    channel: Linear = field(default_factory=Linear)

    def channels(self) -> None:
        """A region for each kind of channel: with a full or a last share of vectors, a full or a last share of rows."""
        mapping = self.mapping
        for groups, share in _shares(mapping.vectors, mapping.share):
            for channels, count in _shares(mapping.tile_rows(self.pim), mapping.rows):
                self._region(groups, share, channels, count)

    def _region(self, groups: range, vectors: int, channels: range, tile_rows: int) -> None:
        """What the channels of some groups do: `vectors` vectors with `tile_rows` rows of tiles each."""
        mapping = self.mapping
        inside = mapping.splits * mapping.width
        axes = [
            ("h", range(mapping.parts), mapping.parts, mapping.groups * inside),
            ("g", groups, mapping.groups, inside),
            ("part", range(mapping.splits), mapping.splits, mapping.width),
            ("c", channels, 0, 1),
        ]
        axes = [axis for axis in axes if axis[2] != 1]  # the last one stays: a region has a variable
        body = Block(arg_types=[INDEX] * len(axes))
        number, values = Linear(), {"h": Linear(), "g": Linear(), "part": Linear()}
        for argument, (name, numbers, _, stride) in zip(body.args, axes, strict=True):
            argument.name_hint = name
            number += Linear.of(argument) * stride
            values[name] = variable_or_value(argument, numbers)
        outer, self.block = self.block, body
        self.part, self.split, self.channel = values["h"], values["part"], number
        self._program(values["g"] * mapping.share, vectors, values["c"] * mapping.rows, tile_rows)
        self.block = outer
        self.add(ChannelsOp([numbers for _, numbers, _, _ in axes], number, Region(body)))

    def _program(self, vector: Linear, vectors: int, tile_row: Linear, tile_rows: int) -> None:
        with self.loop("b", self.mapping.batch) as self.batch:
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
                self._open(number, chunk, row)
                self._multiply(number, chunk, first, together, tile_row + row)
                self._close()

    def _by_row(
        self, number: int, chunk: Linear, vector: Linear, vectors: int, tile_row: Linear, tile_rows: int
    ) -> None:
        """An open row meets all vectors."""
        with self.loop("t", tile_rows) as row:
            self._open(number, chunk, row)
            for first, together in self._loads(number, chunk, vector, vectors):
                self._multiply(number, chunk, first, together, tile_row + row)
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

    def _multiply(self, number: int, chunk: Linear, vector: Linear, vectors: int, tile_row: Linear) -> None:
        piece, earlier = self.mapping.pieces[number], sum(piece.chunks for piece in self.mapping.pieces[:number])
        with self.loop("s", piece.tiles) as tile, self.loop("v", vectors) as each:
            self._start(tile_row * piece.tiles + tile, self.split * self.mapping.chunks + chunk + earlier)
            self._mac(piece, tile, each)
            self._drain(vector + each, tile_row * piece.tiles + tile)

    def _by_sum(self, vector: Linear, vectors: int, tile_row: Linear, tile_rows: int) -> None:
        held = self.mapping.held
        full, rest = divmod(tile_rows, held)
        with self.loop("p", vectors) as at:
            if full:
                with self.loop("t", full) as block:
                    self._sums(vector + at, tile_row, block * held, held)
            if rest:
                self._sums(vector + at, tile_row, Linear(full * held), rest)

    def _sums(self, vector: Linear, tile_row: Linear, first: Linear, rows: int) -> None:
        """Sums of some rows of tiles, from the first to the last chunk, each in an accumulator of its own."""
        tiles = self.mapping.tiles
        if self.starts is not None:
            with self._each_sum(rows) as (row, tile):
                self._start((tile_row + first + row) * tiles + tile, self.split, row * tiles + tile)
        for number, piece in enumerate(self.mapping.pieces):
            with self.loop("k", piece.chunks) as chunk:
                self._load(piece, chunk, vector, 1)
                with self.loop("r", rows) as row:
                    self._open(number, chunk, first + row)
                    with self.loop("s", tiles) as tile:
                        self._mac(piece, tile, Linear(), row * tiles + tile)
                    self._close()
        with self._each_sum(rows) as (row, tile):
            self._drain(vector, (tile_row + first + row) * tiles + tile, row * tiles + tile)

    @contextmanager
    def _each_sum(self, rows: int):
        with self.loop("r", rows) as row, self.loop("s", self.mapping.tiles) as tile:
            yield row, tile

    def _row(self, number: int, chunk: Linear, row: Linear) -> Linear:
        """A row of tiles of a chunk, counted in its piece: [batch, chunk, row of tiles]."""
        return (self.batch * self.mapping.pieces[number].chunks + chunk) * self.mapping.rows + row

    def _load(self, piece: Piece, chunk: Linear, vector: Linear, vectors: int) -> None:
        width, lanes = piece.columns, self.pim.lanes
        elements = min(width * lanes, self.mapping.span - piece.first * lanes)
        first = self.split * self.mapping.span + chunk * (width * lanes) + piece.first * lanes
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
        """Set the accumulators, where they are not zero anyway. A bias stands in the first of all sums that are added
        up, zeros in the others."""
        if self.starts is None:
            return
        parts: list[Subscript] = []
        if self.mapping.product.bias:
            several = [Subscript(start)] if self.mapping.starts > 1 else []
            parts = [*self._batch(), *several, Subscript(tile)]
        for scope, unit, banks in self._reach(BiasOp):
            self.add(BiasOp(self.starts, [*parts, *banks], accumulator, scope, unit))

    def _mac(self, piece: Piece, tile: Linear, vector: Linear, accumulator: Linear = ZERO) -> None:
        columns = Subscript((tile + vector if self.pim.tied else tile) * piece.columns, piece.columns)
        entry = columns.start if self.pim.tied else vector * piece.columns  # tied: one of `tile` and `vector` is 0
        for scope, unit, _ in self._reach(MacOp):
            self.add(MacOp(columns, entry, accumulator, scope, unit))

    def _drain(self, vector: Linear, tile: Linear, accumulator: Linear = ZERO) -> None:
        parts, function = [*self._batch(), Subscript(vector), Subscript(tile)], self.mapping.product.function
        if function:
            for scope, unit, _ in self._reach(ActivateOp):
                self.add(ActivateOp(function, accumulator, scope, unit))
            for scope, unit, banks in self._reach(ActivatedOp):
                self.add(ActivatedOp(self.y, [*parts, *banks], scope, unit))
            return
        for scope, unit, banks in self._reach(DrainOp):
            self.add(DrainOp(self.y, [*parts, *banks], accumulator, self.mapping.partial, scope, unit))

    def _reach(self, op: type[CommandOp]) -> Iterator[tuple[Scope, Linear, list[Subscript]]]:
        """All banks, by a command's widest scope: its unit, in a loop, and their subscript (none for all of them)."""
        scope = widest(self.pim, op.COMMAND.verb)
        units = self.pim.units(scope)
        size = self.pim.banks_per_channel // units
        with self.loop(scope, units) as unit:
            yield scope, unit, [] if scope == "all" else [Subscript(unit * size, size if size > 1 else 0)]

    def _open(self, number: int, chunk: Linear, row: Linear) -> None:
        """Open a row of tiles of a chunk; one that is written lies where the one before it did."""
        mapping, within = self.mapping, self._row(number, chunk, row)
        base = mapping.batch * mapping.rows * sum(piece.chunks for piece in mapping.pieces[:number])
        for scope, unit, _ in self._reach(ActOp):
            self.add(ActOp(Linear() if mapping.product.written else within + base, scope, unit))
        if mapping.product.written:
            piece = mapping.pieces[number]
            columns = Subscript(Linear(), piece.tiles * mapping.copies(piece, self.pim) * piece.columns)
            for scope, unit, banks in self._reach(WriteOp):
                parts = [Subscript(self.channel), Subscript(within), *banks]
                self.add(WriteOp(self.pieces[number], parts, columns, scope, unit))

    def _close(self) -> None:
        if closes_rows(self.pim):
            for scope, unit, _ in self._reach(PreOp):
                self.add(PreOp(scope, unit))


def widest(pim: Pim, verb: str) -> Scope:
    """The widest scope a verb has on a device, of those that leave rows open if there are any."""
    forms = pim.verbs[verb].forms
    able: list[Scope] = [scope for scope in SCOPES if scope in forms]
    open_after: list[Scope] = [scope for scope in able if not forms[scope].closes]
    return (open_after or able)[0]


def variable_or_value(variable: BlockArgument, values: range) -> Linear:
    """A variable, or the one value it takes."""
    return Linear.of(variable) if len(values) > 1 else Linear(values.start)


def _shares(total: int, each: int) -> Sequence[tuple[range, int]]:
    """Who gets how much, where `total` is dealt out `each` at a time: the full shares, then a last smaller one."""
    full, rest = divmod(total, each)
    shares = [(range(full), each)] if full else []
    return [*shares, (range(full, full + 1), rest)] if rest else shares
