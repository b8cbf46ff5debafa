"""A mapping's program as steps of its channels, for the clock: the commands that `lowering/banks/products/kernel.py`
writes, without creating ops. Creating steps takes a fraction of the time of creating ops, so that many mappings can
be timed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product as combinations

from dialects.pim import (
    ActivatedOp,
    ActivateOp,
    ActOp,
    BiasOp,
    CommandOp,
    DrainOp,
    Linear,
    LoadOp,
    MacOp,
    PreOp,
    WriteOp,
)
from interp.kinds.pim.program import ChannelProgram, Issue, Repeat, Slot, Step, sum_moves
from interp.kinds.pim.values.arithmetic import NUMERICS
from interp.machine.records import ELEMENT_BYTES, Pim
from lowering.banks.products.mapping import Mapping, SumRange
from lowering.banks.products.traversal import ZERO, Traversal, closes_rows, interleaving, sets_sums, widest


def programs_by(mapping: Mapping, pim: Pim) -> list[ChannelProgram]:
    """The channels' programs, equal to those that `interp.kinds.pim.program.programs_of` reads from the mapping's
    kernel. Products with a cache are not supported, since their new entries differ between channels."""
    assert not mapping.product.grows
    counter = _Counter(mapping, pim)
    counter.channels()
    return counter.programs


@lru_cache(maxsize=1024)
def _everywhere(op: type[CommandOp], pim: Pim, times: int) -> tuple[Issue, ...]:
    """A command to all banks, in the widest scope that the PIM has for it: for each unit of this scope, the command
    issued `times` times."""
    verb = op.COMMAND.verb
    scope = widest(pim, verb)
    return tuple(Issue(Slot(verb, scope, unit), times) for unit in range(pim.units(scope)))


@lru_cache(maxsize=1024)
def _multiplies(pim: Pim, columns: int) -> tuple[Step, ...]:
    """Multiplies of `columns` columns in all banks, in the fastest order."""
    order, verb = interleaving(pim), MacOp.COMMAND.verb
    scope = widest(pim, verb)
    if order.units == 1:
        return _everywhere(MacOp, pim, columns)
    steps: list[Step] = []
    for first in range(order.rounds):
        unit = tuple(Issue(Slot(verb, scope, first + unit * order.stride), 1) for unit in range(order.units))
        steps += [Repeat(columns, unit)] if columns > 1 else unit
    return tuple(steps)


@lru_cache(maxsize=1024)
def _load(times: int) -> Issue:
    return Issue(Slot(LoadOp.COMMAND.verb), times)


@dataclass
class _Counter(Traversal):
    """A traversal that collects, for each set of channels with the same program, their steps and the bytes that they
    transfer."""

    programs: list[ChannelProgram] = field(default_factory=list[ChannelProgram], init=False)
    steps: list[Step] = field(default_factory=list[Step], init=False)
    """The insertion point of the next step."""
    moved: int = field(default=0, init=False)

    @contextmanager
    def loop(self, name: str, count: int) -> Generator[Linear]:
        if count == 1:
            yield ZERO
            return
        outer, before = self.steps, self.moved
        self.steps, self.moved = [], 0
        yield ZERO
        body, self.steps, self.moved = self.steps, outer, before + count * self.moved
        self.steps.append(Repeat(count, tuple(body)))

    def _region(self, groups: range, vectors: int, channels: range, tile_rows: int) -> None:
        axes = self.axes(groups, channels)
        numbers = [
            sum(value * stride for value, (_, _, stride) in zip(values, axes, strict=True))
            for values in combinations(*(values for _, values, _ in axes))
        ]
        self.steps, self.moved = [], 0
        self._program(ZERO, vectors, ZERO, tile_rows)
        self.programs.append(ChannelProgram(tuple(numbers), tuple(self.steps), self.moved))

    def _load(self, sum_range: SumRange, chunk: Linear, vector: Linear, vectors: int) -> None:
        pim, mapping = self.pim, self.mapping
        elements = min(sum_range.columns * pim.lanes, mapping.span - sum_range.first * pim.lanes)
        copies = vectors * mapping.input_copies(pim)
        columns = copies * -(-elements // pim.lanes)
        self.steps.append(_load(-(-columns // pim.load_columns)))
        self.moved += copies * elements * self._width

    def _open(self, number: int, chunk: Linear, row: Linear) -> None:
        self._issue(ActOp)
        if self.mapping.product.written:
            sum_range, pim = self.mapping.sum_ranges[number], self.pim
            columns = sum_range.tiles * self.mapping.copies(sum_range, pim) * sum_range.columns
            self._issue(WriteOp, columns)
            self.moved += pim.banks_per_channel * columns * pim.lanes * self._width

    def _start(self, tile: Linear, start: Linear, accumulator: Linear = ZERO) -> None:
        if sets_sums(self.mapping.product, self.pim):
            self._issue(BiasOp)
            self._move_sums(self._width)

    def _mac(self, sum_range: SumRange, tile: Linear, vector: Linear, accumulator: Linear = ZERO) -> None:
        self.steps += _multiplies(self.pim, sum_range.columns)

    def _drain(self, vector: Linear, tile: Linear, accumulator: Linear = ZERO) -> None:
        if self.mapping.product.function:
            self._issue(ActivateOp)
            self._issue(ActivatedOp)
            self.moved += self.pim.banks_per_channel * self._width
        else:
            self._issue(DrainOp, sum_moves(widest(self.pim, DrainOp.COMMAND.verb), self.pim))
            self._move_sums(ELEMENT_BYTES["f32"] if self.mapping.partial else self._width)

    def _close(self) -> None:
        if closes_rows(self.pim):
            self._issue(PreOp)

    def _issue(self, op: type[CommandOp], times: int = 1) -> None:
        self.steps += _everywhere(op, self.pim, times)

    def _move_sums(self, width: int) -> None:
        each = self.pim.lanes if NUMERICS[self.pim.numeric].per_lane else 1
        self.moved += self.pim.banks_per_channel * each * width

    @property
    def _width(self) -> int:
        return ELEMENT_BYTES[self.mapping.product.element]
