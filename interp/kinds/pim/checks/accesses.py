"""Detection, from index expressions alone, of entries of outputs to which a bank program stores twice or never, and of
columns that a lane command reads after it has overwritten them.

A program is refused only if it is certain to be wrong; what can't be decided here (interp/accesses/relations.py) is
left to a run with numbers (interp/kinds/pim/values/run.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import gcd, prod
from typing import Any

import numpy as np
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dialects.pim import ChannelsOp, ForOp, HostOp, KernelOp, LaneOp, Linear, Subscript, memref_of
from dialects.pim.loops import range_of
from interp.accesses.coverage import Memory, marks, missing
from interp.accesses.relations import LIMIT, Element, Ranges, Relation, Space, unless_undecided
from interp.kinds.pim.checks.sentences import (
    never_stored,
    overlapping_columns,
    stored_by_several_channels,
    stored_twice,
)

MOST_COMPARED = 64
"""Maximum number of commands that are compared with each other in pairs."""


def check_accesses(kernel: KernelOp) -> None:
    """Raise InputError, at the op, if entries of an output are certain to be stored to twice without `add to`, or
    never, or if result columns of a lane command are certain to overlap an operand's in an iteration of its loops.
    Outputs of a vendor's trace are registers, of which a trace may write some several times and others never."""
    for op in kernel.walk():
        if isinstance(op, LaneOp):
            _check_overlap(op)
    outputs = [] if kernel.is_trace else [_Output(kernel, output) for output in kernel.outputs]
    for output in outputs:
        output.check_stores()
    for output in outputs:
        output.check_all_written()


def _subscripts(op: HostOp) -> list[Subscript]:
    extents = memref_of(op.memref).get_shape()
    return [*op.parts, *(Subscript(Linear(), extent) for extent in extents[len(op.parts) :])]


def _memory(output: SSAValue, commands: Sequence[HostOp]) -> Memory:
    """Return an output as a memory of the largest cells of which all written blocks consist."""
    extents = memref_of(output).get_shape()
    parts = [_subscripts(op) for op in commands]
    cell = tuple(
        gcd(extent, *(gcd(each[axis].extent or 1, each[axis].start.step) for each in parts))
        for axis, extent in enumerate(extents)
    )
    return Memory(extents, cell)


def _check_overlap(op: LaneOp) -> None:
    count, target = op.columns.extent, op.linear("target")
    for word, source in op.sources():
        distance = target - source + (count - 1)
        ranges: dict[Any, range] = {variable: range_of(variable) for variable in distance.variables}
        numbered = {name: AffineExpr.dimension(at) for at, name in enumerate(ranges)}
        overlapping = Relation(ranges, (distance.expression(numbered.__getitem__),))
        on_it = Relation({}, (AffineExpr.constant(count - 1),))
        if unless_undecided(partial(missing, Memory.of((2 * count - 1,)), [on_it], overlapping)) is not None:
            raise overlapping_columns(op, word, count)


class _Write:
    """A command that writes entries of an output."""

    def __init__(self, op: HostOp, memory: Memory) -> None:
        self.op, self.memory = op, memory
        self.loops, self.channels = list[SSAValue](), list[SSAValue]()
        around = op.parent_op()
        while isinstance(around, ForOp | ChannelsOp):
            (self.loops if isinstance(around, ForOp) else self.channels)[:0] = around.body.block.args
            around = around.parent_op()
        parts = _subscripts(op)
        counts = [max(part.extent, 1) // cell for part, cell in zip(parts, memory.cell, strict=True)]
        ranges: dict[Any, range] = {value: range_of(value) for value in (*self.loops, *self.channels)}
        ranges |= {axis: range(count) for axis, count in enumerate(counts) if count > 1}
        numbered = {name: AffineExpr.dimension(at) for at, name in enumerate(ranges)}
        places = [
            part.start.expression(numbered.__getitem__, cell) for part, cell in zip(parts, memory.cell, strict=True)
        ]
        subscripts = (each + numbered[axis] if axis in numbered else each for axis, each in enumerate(places))
        self.relation = Relation(ranges, tuple(subscripts))

    @property
    def adds(self) -> bool:
        """True if the command adds to entries instead of storing to them."""
        return "add" in self.op.properties

    def check_alone(self) -> None:
        """Raise InputError if the command is certain to store to an entry several times."""
        if self.adds:
            return
        every = {value: range_of(value) for value in (*self.loops, *self.channels)}
        if (entry := self._meeting(self.relation, every)) is None:
            return
        channels = {value: every[value] for value in self.channels}
        once = {name: each[:1] if name in self.loops else each for name, each in self.relation.ranges.items()}
        if self._meeting(replace(self.relation, ranges=once), channels) is not None:
            raise stored_by_several_channels(self.op)
        raise stored_twice(self.op, self.memory.at(entry))

    def _meeting(self, relation: Relation, shared: Ranges) -> Element | None:
        return unless_undecided(partial(Space(self.memory.cells, [relation], shared).meeting, 0))

    def together_in(self, loops: Sequence[SSAValue]) -> Relation:
        """The relation with a further subscript for each of some loops' variables, so that only instances of the same
        iterations access the same elements."""
        at = {name: number for number, name in enumerate(self.relation.ranges)}
        more = (AffineExpr.dimension(at[value]) - range_of(value).start for value in loops)
        return replace(self.relation, subscripts=(*self.relation.subscripts, *more))


class _Output:
    """An output of a kernel, with the commands that write it, in the order of the text."""

    def __init__(self, kernel: KernelOp, output: SSAValue) -> None:
        self.kernel, self.output = kernel, output
        commands = [op for op in kernel.walk() if isinstance(op, HostOp) and op.memref is output and not op.reads_host]
        self.memory = _memory(output, commands)
        self.writes = [_Write(op, self.memory) for op in commands]

    def check_all_written(self) -> None:
        """Raise InputError if an entry is certain to be never written."""
        relations = [each.relation for each in self.writes]
        if (left := unless_undecided(partial(missing, self.memory, relations))) is not None:
            raise never_stored(self.kernel, self.output, left.first)

    def check_stores(self) -> None:
        """Raise InputError if a command is certain to store to entries several times, to entries to which another
        command stores, or to entries to which a command before it adds."""
        for each in self.writes:
            each.check_alone()
        self._check_pairs_of_stores([each for each in self.writes if not each.adds])
        if len(self.writes) <= MOST_COMPARED:
            for before, each in combinations(self.writes, 2):
                if before.adds and not each.adds and (entry := self._stored_after(before, each)) is not None:
                    raise stored_twice(each.op, self.memory.at(entry))

    def _check_pairs_of_stores(self, stores: Sequence[_Write]) -> None:
        cells = self.memory.cells
        space = Space(cells, [each.relation for each in stores])
        if prod(cells) <= LIMIT:
            stored = np.zeros(prod(cells), np.bool_)
            for at, each in enumerate(stores):
                if (entries := unless_undecided(partial(marks, space, at))) is not None:
                    if (again := entries[stored[entries]]).size:
                        place = np.unravel_index(int(again[0]), cells)
                        raise stored_twice(
                            each.op, self.memory.at({axis: int(number) for axis, number in enumerate(place)})
                        )
                    stored[entries] = True
        elif len(stores) <= MOST_COMPARED:
            for one, other in combinations(range(len(stores)), 2):
                if (entry := unless_undecided(partial(space.common, one, other))) is not None:
                    raise stored_twice(stores[other].op, self.memory.at(entry))

    def _stored_after(self, one: _Write, other: _Write) -> Element | None:
        """Return an entry that a command writes before another, later in the text, writes it in the same iteration of
        their common loops; None if none is known."""
        loops = [value for value in one.loops if value in other.loops]
        extents = (*self.memory.cells, *(len(range_of(value)) for value in loops))
        return unless_undecided(
            partial(Space(extents, [each.together_in(loops) for each in (one, other)]).common, 0, 1)
        )
