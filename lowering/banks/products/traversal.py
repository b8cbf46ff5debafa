"""The order of a mapping's commands: sets of channels with equal programs, loops, and the positions of loads,
multiplies and drains. Subclasses write the commands as ops, or as plain steps for the clock."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from dialects.pim import Linear, MacOp
from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.constraints import least
from interp.machine.records import Pim, Scope
from lowering.banks.products.mapping import Mapping, Product, SumRange

ZERO = Linear()

SCOPES: tuple[Scope, ...] = ("all", "same", "group", "twin", "bank")
"""All scopes, the widest first: a wide scope needs fewer commands."""


def sets_sums(product: Product, pim: Pim) -> bool:
    """True if a program sets accumulators before it multiplies: to a bias, or to zero on a device whose drains do not
    clear the accumulators."""
    return product.bias or not pim.drain_clears


def closes_rows(pim: Pim) -> bool:
    """True if a program must close the rows that it opened."""
    return pim.rows_by == "program" and not pim.reopen


def widest(pim: Pim, verb: str) -> Scope:
    """The widest scope among a device's forms of a verb that leave rows open; if every form closes rows, the widest
    scope of all forms."""
    forms, written = pim.verbs[verb].forms, pim.scopes_written(verb)
    able: list[Scope] = [scope for scope in SCOPES if scope in written]
    open_after: list[Scope] = [scope for scope in able if not forms[scope].closes]
    return (open_after or able)[0]


class Interleaving(NamedTuple):
    """The order in which a device's units (banks or groups of banks that one command addresses) multiply: one round
    after another. In each of `rounds` rounds, `units` units, whose numbers differ by `stride`, alternate column by
    column. With one unit per round, each unit processes all its columns before the next unit starts."""

    rounds: int
    units: int
    stride: int
    cycles: int
    """Cycles from one multiply to the next."""


@lru_cache(maxsize=256)
def interleaving(pim: Pim, few: bool = False) -> Interleaving:
    """The order of multiplies with the most columns per cycle. Commands to different bank groups can follow each other
    sooner than commands to the same group (tCCD_S and tCCD_L). Units do not alternate if no order is faster, or if
    the controller reorders commands itself. Of equally fast orders, the one with the most units per round is taken, or
    with `few` the one with the fewest: few rows are open at a time, and a refresh closes them all."""
    verb = MacOp.COMMAND.verb
    scope = widest(pim, verb)
    units = pim.units(scope)

    def cycles_apart(stride: int) -> int:
        pairs = ((unit, (unit + stride) % units) for unit in range(0, units, stride))
        return max(least(pim, Slot(verb, scope, one), Slot(verb, scope, other)) for one, other in pairs)

    alone = max(least(pim, Slot(verb, scope), Slot(verb, scope)), pim.command_cycles)
    best = Interleaving(units, 1, 1, alone)
    if pim.scheduler is not None and pim.scheduler.picks == "ready":
        return best
    for stride in (stride for stride in range(1, units) if units % stride == 0):
        count = units // stride
        cycles = max(cycles_apart(stride), pim.command_cycles, -(-alone // count))
        if cycles < best.cycles or (few and cycles == best.cycles and count < best.units):
            best = Interleaving(stride, count, stride, cycles)
    return best


@lru_cache(maxsize=1024)
def written_for(pim: Pim) -> Pim:
    """The device for which programs are written: one record that represents all devices with equal programs. Such
    devices differ only in gaps between commands, energies and clock rates, and their units multiply in the same
    order (`interleaving`), the only property of the gaps on which programs depend."""
    alone = replace(pim.banks_alone, constraints=(), timing={}, places={}, end_cycles=0, clock_hz=0.0, bit_pj=0.0)
    return _WRITTEN_FOR.setdefault((repr(alone), *interleaving(pim)[:3]), pim)


_WRITTEN_FOR: dict[tuple[str, int, int, int], Pim] = {}


@dataclass
class Traversal(ABC):
    """A walk over the program of a mapping, one channel region after another, that calls a method for each command;
    subclasses define these methods."""

    mapping: Mapping
    pim: Pim
    batch: Linear = field(default=ZERO, init=False)
    """The number of the current product in the channel's part of the batch."""
    split: Linear = field(default=ZERO, init=False)

    @abstractmethod
    def loop(self, name: str, count: int) -> AbstractContextManager[Linear]:
        """A loop around the commands inside the context; no loop if `count` is 1."""

    @abstractmethod
    def _region(self, groups: range, vectors: int, channels: range, tile_rows: int) -> None:
        """Write the program (`_program`) of the channels `channels` of each group in `groups`; each group multiplies
        `vectors` vectors with `tile_rows` rows of tiles."""

    @abstractmethod
    def _load(self, sum_range: SumRange, chunk: Linear, vector: Linear, vectors: int) -> None:
        """Load a chunk of `vectors` vectors into the buffer."""

    @abstractmethod
    def _open(self, number: int, chunk: Linear, row: Linear) -> None:
        """Open a row of tiles of a chunk of a range of the sum, and write its content if the second operand is not
        resident."""

    @abstractmethod
    def _start(self, tile: Linear, start: Linear, accumulator: Linear = ZERO) -> None:
        """Set the accumulators, unless they are zero already."""

    @abstractmethod
    def _mac(self, sum_range: SumRange, tile: Linear, vector: Linear, accumulator: Linear = ZERO) -> None:
        """Multiply a tile's columns with a vector in the buffer."""

    @abstractmethod
    def _drain(self, vector: Linear, tile: Linear, accumulator: Linear = ZERO) -> None:
        """Deliver the values of the accumulators, or the activation function of these values, to the host."""

    @abstractmethod
    def _close(self) -> None:
        """Close the open row, if programs must close rows on the device."""

    def channels(self) -> None:
        """Write a region for each set of channels with equal amounts of work: the channels with a full share of vectors
        and of rows, and the channels whose share of vectors or rows is smaller, because the shares do not divide
        evenly."""
        mapping = self.mapping
        for groups, group_vectors in _equal_parts(mapping.vectors, mapping.group_vectors):
            for channels, count in _equal_parts(mapping.tile_rows(self.pim), mapping.rows):
                self._region(groups, group_vectors, channels, count)

    def axes(self, groups: range, channels: range) -> list[tuple[str, range, int]]:
        """The axes that number a region's channels: name, numbers, and distance in channels between successive numbers
        of each axis. Axes of extent 1 are left out, except for the last axis, since a region needs a variable."""
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
            for number, sum_range in enumerate(self.mapping.sum_ranges):
                with self.loop("k", sum_range.chunks) as chunk:
                    write(number, chunk, vector, vectors, tile_row, tile_rows)

    def _by_buffer(
        self, number: int, chunk: Linear, vector: Linear, vectors: int, tile_row: Linear, tile_rows: int
    ) -> None:
        """Order `buffer`: multiply loaded inputs with all rows of tiles."""
        for first, together in self._loads(number, chunk, vector, vectors):
            with self.loop("t", tile_rows) as row:
                self._open(number, chunk, row)
                self._multiply(number, chunk, first, together, tile_row + row)
                self._close()

    def _by_row(
        self, number: int, chunk: Linear, vector: Linear, vectors: int, tile_row: Linear, tile_rows: int
    ) -> None:
        """Order `row`: multiply an open row with all vectors."""
        with self.loop("t", tile_rows) as row:
            self._open(number, chunk, row)
            for first, together in self._loads(number, chunk, vector, vectors):
                self._multiply(number, chunk, first, together, tile_row + row)
            self._close()

    def _loads(self, number: int, chunk: Linear, vector: Linear, vectors: int) -> Iterator[tuple[Linear, int]]:
        """Load all vectors, as many at a time as fit the buffer. Yields the first vector of a load and their number
        inside the loop over loads, so that the caller adds the commands that use them."""
        sum_range = self.mapping.sum_ranges[number]
        full, rest = divmod(vectors, sum_range.vectors)
        if full:
            with self.loop("p", full) as at:
                first = vector + at * sum_range.vectors
                self._load(sum_range, chunk, first, sum_range.vectors)
                yield first, sum_range.vectors
        if rest:
            self._load(sum_range, chunk, vector + full * sum_range.vectors, rest)
            yield vector + full * sum_range.vectors, rest

    def _multiply(self, number: int, chunk: Linear, vector: Linear, vectors: int, tile_row: Linear) -> None:
        sum_range, earlier = (
            self.mapping.sum_ranges[number],
            sum(sum_range.chunks for sum_range in self.mapping.sum_ranges[:number]),
        )
        with self.loop("s", sum_range.tiles) as tile, self.loop("v", vectors) as each:
            self._start(tile_row * sum_range.tiles + tile, self.split * self.mapping.chunks + chunk + earlier)
            self._mac(sum_range, tile, each)
            self._drain(vector + each, tile_row * sum_range.tiles + tile)

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
        """Order `sum`: accumulate the sums of some rows of tiles over all chunks, each in its own accumulator, and
        drain them."""
        tiles = self.mapping.tiles
        if sets_sums(self.mapping.product, self.pim):
            with self._each_sum(rows) as (row, tile):
                self._start((tile_row + first + row) * tiles + tile, self.split, row * tiles + tile)
        for number, sum_range in enumerate(self.mapping.sum_ranges):
            with self.loop("k", sum_range.chunks) as chunk:
                self._load(sum_range, chunk, vector, 1)
                with self.loop("r", rows) as row:
                    self._open(number, chunk, first + row)
                    with self.loop("s", tiles) as tile:
                        self._mac(sum_range, tile, ZERO, row * tiles + tile)
                    self._close()
        with self._each_sum(rows) as (row, tile):
            self._drain(vector, (tile_row + first + row) * tiles + tile, row * tiles + tile)

    @contextmanager
    def _each_sum(self, rows: int):
        with self.loop("r", rows) as row, self.loop("s", self.mapping.tiles) as tile:
            yield row, tile


def _equal_parts(total: int, each: int) -> Sequence[tuple[range, int]]:
    """Division of `total` into parts of size `each`: the range of full parts, then the last, smaller part, each with
    its size."""
    full, rest = divmod(total, each)
    equal = [(range(full), each)] if full else []
    return [*equal, (range(full, full + 1), rest)] if rest else equal
