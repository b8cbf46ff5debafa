"""In which order the commands of a mapping come: kinds of channels, loops, and when to load, multiply and drain. How
they are written down (as ops, or as bare steps for the clock) is left to those who write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from dialects.pim import Linear, MacOp
from interp.banks.program import Slot
from interp.banks.timing.gaps import least
from interp.machine.records import Pim, Scope
from lowering.banks.products.mapping import Mapping, Product, SumPiece

ZERO = Linear()

SCOPES: tuple[Scope, ...] = ("all", "same", "group", "twin", "bank")
"""From the widest: a command that need not be repeated is preferred."""


def sets_sums(product: Product, pim: Pim) -> bool:
    """True if a program sets accumulators before it multiplies: to a bias, or to the zeros that a drain does not
    leave."""
    return product.bias or not pim.drain_clears


def closes_rows(pim: Pim) -> bool:
    """True if a program closes rows that it opened."""
    return pim.rows_by == "program" and not pim.reopen


def widest(pim: Pim, verb: str) -> Scope:
    """The widest scope in which programs for a device have a verb, of those that leave rows open if there are any."""
    forms, written = pim.verbs[verb].forms, pim.scopes_written(verb)
    able: list[Scope] = [scope for scope in SCOPES if scope in written]
    open_after: list[Scope] = [scope for scope in able if not forms[scope].closes]
    return (open_after or able)[0]


class Turns(NamedTuple):
    """The order in which a device's units multiply: in each of `rounds` rounds, units `stride` apart take turns, a
    column each; a single turn a round where each goes through all of its columns by itself."""

    rounds: int
    turns: int
    stride: int
    cycles: int
    """From one multiply to the next."""


@lru_cache(maxsize=256)
def turns(pim: Pim) -> Turns:
    """The order in which columns come fastest. Commands of different bank groups may follow each other sooner than
    those of one (tCCD_S and tCCD_L). Where no order is faster, or a controller finds one by itself, units do not take
    turns."""
    verb = MacOp.COMMAND.verb
    scope = widest(pim, verb)
    units = pim.units(scope)

    def apart(stride: int) -> int:
        pairs = ((unit, (unit + stride) % units) for unit in range(0, units, stride))
        return max(least(pim, Slot(verb, scope, one), Slot(verb, scope, other)) for one, other in pairs)

    alone = max(least(pim, Slot(verb, scope), Slot(verb, scope)), pim.command_cycles)
    best = Turns(units, 1, 1, alone)
    if pim.scheduler is not None and pim.scheduler.picks == "ready":
        return best
    for stride in (stride for stride in range(1, units) if units % stride == 0):
        count = units // stride
        cycles = max(apart(stride), pim.command_cycles, -(-alone // count))
        if cycles < best.cycles:
            best = Turns(stride, count, stride, cycles)
    return best


@dataclass
class Traversal(ABC):
    """Goes through a mapping's program, region by region."""

    mapping: Mapping
    pim: Pim
    batch: Linear = field(default=ZERO, init=False)
    """The product in the channel's part of the batch."""
    split: Linear = field(default=ZERO, init=False)

    @abstractmethod
    def loop(self, name: str, count: int) -> AbstractContextManager[Linear]:
        """A loop around what comes inside; none where it would run once."""

    @abstractmethod
    def _region(self, groups: range, vectors: int, channels: range, tile_rows: int) -> None:
        """The work of the channels of some groups: `vectors` vectors with `tile_rows` rows of tiles each
        (`_program`)."""

    @abstractmethod
    def _load(self, piece: SumPiece, chunk: Linear, vector: Linear, vectors: int) -> None:
        """Bring a chunk of some vectors into the buffer."""

    @abstractmethod
    def _open(self, number: int, chunk: Linear, row: Linear) -> None:
        """Open a row of tiles of a chunk of a piece, and write it where it is not there yet."""

    @abstractmethod
    def _start(self, tile: Linear, start: Linear, accumulator: Linear = ZERO) -> None:
        """Set the accumulators, where they are not zero anyway."""

    @abstractmethod
    def _mac(self, piece: SumPiece, tile: Linear, vector: Linear, accumulator: Linear = ZERO) -> None:
        """Multiply a tile's columns with a vector of the buffer."""

    @abstractmethod
    def _drain(self, vector: Linear, tile: Linear, accumulator: Linear = ZERO) -> None:
        """Deliver the accumulators, or what the activation table makes of them."""

    @abstractmethod
    def _close(self) -> None:
        """Close the row, where the program does so."""

    def channels(self) -> None:
        """A region for each kind of channel: with a full or a last share of vectors, a full or a last share of rows."""
        mapping = self.mapping
        for groups, share in _shares(mapping.vectors, mapping.share):
            for channels, count in _shares(mapping.tile_rows(self.pim), mapping.rows):
                self._region(groups, share, channels, count)

    def axes(self, groups: range, channels: range) -> list[tuple[str, range, int]]:
        """The axes that number a region's channels: name, values and stride of each axis. The last one always stands,
        since a region has a variable."""
        mapping = self.mapping
        inside = mapping.splits * mapping.width
        axes = [
            ("h", range(mapping.parts), mapping.parts, mapping.groups * inside),
            ("g", groups, mapping.groups, inside),
            ("part", range(mapping.splits), mapping.splits, mapping.width),
            ("c", channels, 0, 1),
        ]
        return [(name, numbers, stride) for name, numbers, count, stride in axes if count != 1]

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
        """Loaded inputs meet all rows of tiles."""
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
        if sets_sums(self.mapping.product, self.pim):
            with self._each_sum(rows) as (row, tile):
                self._start((tile_row + first + row) * tiles + tile, self.split, row * tiles + tile)
        for number, piece in enumerate(self.mapping.pieces):
            with self.loop("k", piece.chunks) as chunk:
                self._load(piece, chunk, vector, 1)
                with self.loop("r", rows) as row:
                    self._open(number, chunk, first + row)
                    with self.loop("s", tiles) as tile:
                        self._mac(piece, tile, ZERO, row * tiles + tile)
                    self._close()
        with self._each_sum(rows) as (row, tile):
            self._drain(vector, (tile_row + first + row) * tiles + tile, row * tiles + tile)

    @contextmanager
    def _each_sum(self, rows: int):
        with self.loop("r", rows) as row, self.loop("s", self.mapping.tiles) as tile:
            yield row, tile


def _shares(total: int, each: int) -> Sequence[tuple[range, int]]:
    """Who gets how much, where `total` is dealt out `each` at a time: the full shares, then a last smaller one."""
    full, rest = divmod(total, each)
    shares = [(range(full), each)] if full else []
    return [*shares, (range(full, full + 1), rest)] if rest else shares
