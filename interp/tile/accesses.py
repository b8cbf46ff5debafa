"""Detection, from index expressions alone, of elements of global memory that two thread blocks of a grid access and one
of them writes, of elements that are read before they are written, and of elements of outputs that no block writes.

A kernel is refused only if it is certain to be wrong; what can't be decided here (interp/accesses/relations.py) is left
to a run with numbers (interp/tile/values.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import gcd, prod
from typing import Any, NamedTuple

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dialects.programs.index import bounds_of, divided, joined_digits, simplified, step_of
from dialects.tile import Access, AccessingOp, BlocksOp, BufferOp, KernelOp, ViewOp, WhenOp, memref_of, viewed
from dialects.tile.loops import range_of
from interp.accesses.coverage import Memory, Missing, missing
from interp.accesses.relations import Element, Relation, Space, Undecided, unless_undecided
from interp.tile.sentences import (
    never_written,
    read_before_written,
    written_by_another_block,
    written_by_two_blocks,
    written_twice_through,
)


def check_accesses(kernel: KernelOp) -> None:
    """Raise InputError, at the op, if two thread blocks of a grid are certain to write the same elements, if a block is
    certain to read elements that another block of the same grid writes or that were not written before, or if elements
    of an output are never written."""
    buffers = [op.memory for op in kernel.body.block.ops if isinstance(op, BufferOp)]
    found: dict[SSAValue, list[_GridAccess]] = {memory: [] for memory in (*kernel.outputs, *buffers)}
    for grid in kernel.grids:
        for op in grid.body.walk():
            if isinstance(op, AccessingOp):
                for number, access in enumerate(op.accesses):
                    if (accesses := found.get(viewed(access.memory)[0])) is not None:
                        accesses.append(_GridAccess(grid, op, access, number in op.WRITES))
    for root, accesses in found.items():
        memory = _AccessedMemory(root, accesses)
        for grid in kernel.grids:
            memory.check_grid(grid)
        memory.check_reads(kernel.grids)
        if root in kernel.outputs and (left := unless_undecided(memory.never_written)) is not None:
            raise never_written(kernel, root, *left)


class _GridAccess(NamedTuple):
    """An access of the thread blocks of a grid to an output or a global buffer, or to a view of one."""

    grid: BlocksOp
    op: AccessingOp
    access: Access
    writes: bool

    @property
    def conditions(self) -> list[WhenOp]:
        """The conditions around the op."""
        found, around = list[WhenOp](), self.op.parent_op()
        while around is not None and around is not self.grid:
            found += [around] if isinstance(around, WhenOp) else []
            around = around.parent_op()
        return found

    def relation(self, cell: Sequence[int] | None) -> Relation:
        """The accessed cells of `cell` elements, or, if `cell` is None, the accessed elements of the memory behind a
        view. Instances give values to the variables of grids and loops, and to the places in the box, whose variables
        are the numbers of its axes."""
        box, memory = self.access.box, self.access.memory
        units = (1,) * len(box.sizes) if cell is None else cell
        counts = [max(size, 1) // unit for size, unit in zip(box.sizes, units, strict=True)]
        ranges: dict[Any, range] = {value: range_of(value) for value in self.op.indices}
        ranges |= {value: range_of(value) for condition in self.conditions for value in condition.indices}
        ranges |= {axis: range(count) for axis, count in enumerate(counts) if count > 1}
        numbered = {name: AffineExpr.dimension(at) for at, name in enumerate(ranges)}
        values = list(ranges.values())
        zeros = tuple(
            each.zero.replace_dims_and_symbols([numbered[value] for value in each.indices], ())
            for each in self.conditions
        )
        starts = box.over([numbered[value] for value in self.op.indices]).starts
        places = tuple(
            divided(simplified(start, values), unit) + numbered.get(axis, AffineExpr.constant(0))
            for axis, (start, unit) in enumerate(zip(starts, units, strict=True))
        )
        if cell is not None or not isinstance(view := memory.owner, ViewOp):
            return Relation(ranges, places, zeros)
        subscripts = tuple(each.replace_dims_and_symbols(places, ()) for each in view.map.data.results)
        within = tuple(
            (place, extent)
            for place, extent in zip(places, memref_of(memory).get_shape(), strict=True)
            if (ends := bounds_of(place, values))[0] < 0 or ends[1] >= extent
        )
        return Relation(ranges, subscripts, zeros, within)


class _AccessedMemory:
    """An output or global buffer with all accesses to it."""

    def __init__(self, root: SSAValue, accesses: Sequence[_GridAccess]) -> None:
        self.root, self.accesses = root, accesses
        self.memory, cell = Memory.of(memref_of(root).get_shape()), None
        memories = {each.access.memory for each in accesses}
        if len(memories) == 1 and _holds_each_element_once(one := memories.pop()):
            # Subscripts are those of the view, and count cells, the largest boxes of which all accessed boxes consist.
            boxes, extents = [each.access.box for each in accesses], memref_of(one).get_shape()
            cell = tuple(
                gcd(*(gcd(step_of(box.starts[axis]), max(box.sizes[axis], 1)) for box in boxes))
                for axis in range(len(extents))
            )
            self.memory = Memory(extents, cell)
        self.relations = [each.relation(cell) for each in accesses]
        self.through_view = cell is None

    def check_grid(self, grid: BlocksOp) -> None:
        """Raise InputError if blocks of a grid are certain to access the same elements, and one of them writes."""
        blocks = dict(zip(grid.body.block.args, grid.ranges, strict=True))
        here = [at for at, each in enumerate(self.accesses) if each.grid is grid]
        accesses = [self.accesses[at] for at in here]
        space = Space(self.memory.cells, [self.relations[at] for at in here], blocks)
        for at, each in enumerate(accesses):
            if each.writes and unless_undecided(partial(space.meeting, at)) is not None:
                raise written_by_two_blocks(each.op, self.root)
            repeated = partial(_repeated, self.memory, space.relations[at])
            if each.writes and self.through_view and unless_undecided(repeated) is not None:
                raise written_twice_through(each.op, each.access.memory, self.root)
        for one, other in combinations(range(len(accesses)), 2):
            first, second = accesses[one], accesses[other]
            if not (first.writes or second.writes) or unless_undecided(partial(space.conflict, one, other)) is None:
                continue
            if first.writes and second.writes:
                raise written_by_two_blocks(second.op, self.root)
            raise written_by_another_block((second if first.writes else first).op, self.root)

    def check_reads(self, grids: Sequence[BlocksOp]) -> None:
        """Raise InputError for a read of elements that neither its grid nor an earlier one writes."""
        order = {grid: at for at, grid in enumerate(grids)}
        for read, elements in zip(self.accesses, self.relations, strict=True):
            if not read.writes:
                before = [
                    relation
                    for each, relation in zip(self.accesses, self.relations, strict=True)
                    if each.writes and order[each.grid] <= order[read.grid]
                ]
                if unless_undecided(partial(missing, self.memory, before, elements)) is not None:
                    raise read_before_written(read.op, self.root)

    def never_written(self) -> Missing | None:
        """The elements that no access writes; None if there are none. Raises Undecided."""
        pairs = zip(self.accesses, self.relations, strict=True)
        return missing(self.memory, [relation for each, relation in pairs if each.writes])


def _holds_each_element_once(memory: SSAValue) -> bool:
    """Return True for a memory, and for a view that has each element of its memory exactly once."""
    if not isinstance(view := memory.owner, ViewOp):
        return True
    axes, extents = memref_of(memory).get_shape(), memref_of(view.source).get_shape()
    if prod(axes) != prod(extents):
        return False
    subscripts, extents = joined_digits(view.map.data.results, extents)
    map_ = Relation({axis: range(extent) for axis, extent in enumerate(axes)}, subscripts)
    try:
        return Space(extents, [map_], map_.ranges).meeting(0) is None and missing(Memory.of(extents), [map_]) is None
    except Undecided:
        return False


def _repeated(memory: Memory, relation: Relation) -> Element | None:
    """Return an element that an instance of an op accesses at two places of its box; None if there is none. Raises
    Undecided."""
    places = {name: each for name, each in relation.ranges.items() if isinstance(name, int)}
    fixed = [(at, each) for at, (name, each) in enumerate(relation.ranges.items()) if name not in places]
    subscripts = (*relation.subscripts, *(AffineExpr.dimension(at) - each.start for at, each in fixed))
    extents = (*memory.cells, *(len(each) for _, each in fixed))
    return Space(extents, [replace(relation, subscripts=subscripts)], places).meeting(0)
