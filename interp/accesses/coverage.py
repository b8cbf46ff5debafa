"""Elements of a memory that no relation accesses, by factors of the memory (interp/accesses/relations.py)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import ceil, prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from interp.accesses.relations import LIMIT, Part, Relation, Space, Undecided

Ints: TypeAlias = "NDArray[np.int64]"
MOST_RELATIONS = 62
"""Maximum number of relations whose combinations are numbered by bits of an integer."""


class Missing(NamedTuple):
    """Elements that are not accessed: their number, and the subscripts of the first one."""

    elements: int
    first: tuple[int, ...]


class Memory(NamedTuple):
    """A memory of `extents` elements, of which relations access whole cells of `cell` elements (the last one along an
    axis may be shorter). Subscripts of relations number cells."""

    extents: tuple[int, ...]
    cell: tuple[int, ...]

    @staticmethod
    def of(extents: Sequence[int]) -> Memory:
        """A memory whose relations access single elements."""
        return Memory(tuple(extents), (1,) * len(extents))

    @property
    def cells(self) -> tuple[int, ...]:
        return tuple(ceil(extent / cell) for extent, cell in zip(self.extents, self.cell, strict=True))

    def elements(self, axis: int, first: int, last: int) -> int:
        """The number of elements of the cells `first` to `last` - 1 along an axis."""
        return min(last * self.cell[axis], self.extents[axis]) - first * self.cell[axis]

    def at(self, cell: Mapping[int, int]) -> tuple[int, ...]:
        """The subscripts of the first element of a cell."""
        return tuple(cell[axis] * size for axis, size in enumerate(self.cell))


def missing(memory: Memory, accessed: Sequence[Relation], of: Relation | None = None) -> Missing | None:
    """Return the elements of a memory (or those that the relation `of` accesses) that none of the relations `accessed`
    accesses; None if there are none. Raises Undecided."""
    if not accessed and of is None:
        return Missing(prod(memory.extents), (0,) * len(memory.extents))
    space = Space(memory.cells, [*accessed, *([] if of is None else [of])])
    if prod(memory.cells) <= LIMIT:
        return _marked(space, memory, len(accessed), of is not None)
    if len(accessed) + 1 > MOST_RELATIONS:
        raise Undecided
    return _by_classes(space, memory, len(accessed), of is not None)


def marks(space: Space, at: int) -> Ints:
    """Return the row-major numbers of the elements that a relation accesses. Raises Undecided."""
    found = np.zeros(1, np.int64)
    if at in space.empty:
        return found[:0]
    steps = {axis: prod(space.extents[axis + 1 :]) for axis in range(len(space.extents))}
    for factor in space.factors:
        cells, numbers = _cells(factor[at]), np.int64(0)
        for axis, subscripts in zip(factor[at].axes, _unraveled(cells, factor[at]), strict=True):
            numbers = numbers + subscripts * steps[axis]
        found = (found[:, None] + np.broadcast_to(numbers, len(cells))).reshape(-1)
    return found


def _unraveled(cells: Ints, part: Part) -> Sequence[Ints]:
    return np.unravel_index(cells, list(part.axes.values())) if part.axes else ()


def _cells(part: Part) -> Ints:
    """Return the row-major numbers of the elements that a part accesses, in ascending order."""
    if (run := part.run) is not None:
        if run.length > LIMIT:
            raise Undecided
        return run.first + run.step * np.arange(run.length, dtype=np.int64)
    return np.unique(part.listed.cells)


def _marked(space: Space, memory: Memory, count: int, selected: bool) -> Missing | None:
    wanted = np.full(prod(space.extents), not selected)
    if selected:
        wanted[marks(space, count)] = True
    for at in range(count):
        wanted[marks(space, at)] = False
    left = np.flatnonzero(wanted)
    if not len(left):
        return None
    subscripts = np.unravel_index(left, space.extents) if space.extents else ()
    sizes = [
        np.minimum((each + 1) * cell, extent) - each * cell
        for each, cell, extent in zip(subscripts, memory.cell, memory.extents, strict=True)
    ]
    first = {axis: int(each[0]) for axis, each in enumerate(subscripts)}
    return Missing(int(prod(sizes, start=np.ones(len(left), np.int64)).sum()), memory.at(first))


class _Class(NamedTuple):
    """Elements of some axes that are in the same relations: their number, and the first of them (subscripts of its cell
    by axis)."""

    elements: int
    first: dict[int, int]


def _by_classes(space: Space, memory: Memory, count: int, selected: bool) -> Missing | None:
    """Classes of elements of each factor are combined; an element of the memory is in the relations in which all of its
    parts are."""
    every = (1 << len(space.relations)) - 1
    found = {every & ~sum(1 << at for at in space.empty): _Class(1, {})}
    for factor in space.factors:
        combined: dict[int, _Class] = {}
        for bits, one in found.items():
            for more, other in _classes(factor, memory):
                both = _Class(one.elements * other.elements, {**one.first, **other.first})
                combined[bits & more] = _together(combined.get(bits & more), both)
        found = combined
    chosen = 1 << count if selected else 0
    left: _Class | None = None
    for bits, one in found.items():
        if bits & ((1 << count) - 1) == 0 and bits & chosen == chosen:
            left = _together(left, one)
    return None if left is None or not left.elements else Missing(left.elements, memory.at(left.first))


def _together(one: _Class | None, other: _Class) -> _Class:
    if one is None or not one.elements:
        return other
    if not other.elements:
        return one
    order = sorted(one.first)
    first = min(one.first, other.first, key=lambda each: [each[axis] for axis in order])
    return _Class(one.elements + other.elements, first)


def _classes(factor: Sequence[Part], memory: Memory) -> Iterable[tuple[int, _Class]]:
    """Yield the classes of a factor's elements, with the relations in which they are as bits."""
    axes = factor[0].axes
    runs = [each.run for each in factor]
    if len(axes) == 1 and all(run is not None and (run.step == 1 or run.length <= 1) for run in runs):
        ((axis, extent),) = axes.items()
        ends = {0, extent}
        for run in runs:
            assert run is not None
            ends |= {run.first, run.last + 1} if run.length else set()
        edges = sorted(ends)
        for low, high in pairwise(edges):
            bits = sum(1 << at for at, run in enumerate(runs) if run is not None and run.first <= low <= run.last)
            yield bits, _Class(memory.elements(axis, low, high), {axis: low})
        return
    if prod(axes.values()) > LIMIT:
        raise Undecided
    bits, sizes = np.zeros(prod(axes.values()), np.int64), np.ones((), np.int64)
    for at, part in enumerate(factor):
        bits[_cells(part)] |= 1 << at
    for axis, extent in axes.items():
        along = np.array([memory.elements(axis, each, each + 1) for each in range(extent)], np.int64)
        sizes = np.multiply.outer(sizes, along)
    found, first, inverse = np.unique(bits, return_index=True, return_inverse=True)
    counts = np.bincount(inverse.reshape(-1), sizes.reshape(-1))
    for each, at, size in zip(found.tolist(), first.tolist(), counts.tolist(), strict=True):
        yield each, _Class(int(size), factor[0].element(at))
