"""Access relations: the elements of a memory that an op accesses in each of its instances, as in the polyhedral model.

Questions about them (do two instances access the same element, which elements does no instance access) are answered by
factors: axes of the memory whose subscripts share no variable are independent, so an answer is composed of answers
about groups of axes. A group of one axis with a linear subscript is answered from its strides
(interp/accesses/strides.py); for all others, the instances are listed, at most LIMIT in a group.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from xdsl.ir.affine import AffineExpr

from dialects.programs.index import Linear, linear_form, value_of, variables_in
from interp.accesses.strides import Run, Stride, Strided, analysed

LIMIT = 1 << 20
"""Maximum number of instances of a group of axes, and of elements of a memory, that are listed one by one."""
MOST_NUMBERS = 1 << 62

Ints: TypeAlias = "NDArray[np.int64]"
Ranges: TypeAlias = Mapping[Any, range]
"""The values of variables, by hashable names."""
Element: TypeAlias = dict[int, int]
"""A subscript for each axis of a memory, or of a group of its axes."""


class Undecided(Exception):
    """The answer is not known: a list of more than LIMIT entries would be needed."""


T = TypeVar("T")


def unless_undecided(answer: Callable[[], T | None]) -> T | None:
    """Return an answer; None if it is not known."""
    try:
        return answer()
    except Undecided:
        return None


@dataclass(frozen=True)
class Relation:
    """The elements that an op accesses in its instances, one element in each instance.

    An instance is a value for each variable in `ranges`: variables of the loops and grids around the op, and positions
    within an accessed box. It exists if all expressions `zeros` are 0, and each expression in `within` is at least 0
    and less than its limit. It accesses the element with subscripts `subscripts`, or no element if that is outside of
    the memory. Expressions number the variables in the order of `ranges`.
    """

    ranges: Ranges
    subscripts: tuple[AffineExpr, ...]
    zeros: tuple[AffineExpr, ...] = ()
    within: tuple[tuple[AffineExpr, int], ...] = ()

    @property
    def conditions(self) -> list[AffineExpr]:
        """The expressions on which it depends whether an instance exists."""
        return [*self.zeros, *(expression for expression, _ in self.within)]

    def exists(self, values: Sequence[Any]) -> Any:
        """True for the instances that exist, given values of the variables (numbers or arrays); conditions on
        variables whose value is None are left out."""
        found: Any = True
        for at, condition in enumerate(self.conditions):
            if all(values[each] is not None for each in variables_in(condition)):
                value = value_of(condition, values)
                limit = 1 if at < len(self.zeros) else self.within[at - len(self.zeros)][1]
                found = found & (value >= 0) & (value < limit)
        return found


class Listed(NamedTuple):
    """The instances of a part that access an element: the row-major numbers of their elements in the part's axes
    (`cells`), and the row-major numbers of the values of their shared variables (`own`); sorted, each pair once."""

    cells: Ints
    own: Ints


class Part:
    """A relation restricted to a group of axes and to the variables on which they depend."""

    def __init__(self, relation: Relation, axes: Mapping[int, int], names: Sequence[Any], shared: Ranges) -> None:
        """`axes`: the extents of the group's axes, by their numbers. `names`: the relation's variables in the group.
        `shared`: the variables that identify an instance; one that the relation does not have may have any value."""
        self.relation, self.axes, self.shared = relation, axes, shared
        self.ranges = {**{name: relation.ranges[name] for name in names}, **shared}

    @cached_property
    def strided(self) -> Strided | None:
        """The analysis of a group of at most one axis by its strides; None if the subscript is not linear, or if
        conditions depend on the group's variables."""
        numbers = {name: at for at, name in enumerate(self.relation.ranges)}
        here = {numbers[name] for name in self.ranges if name in numbers}
        if len(self.axes) > 1 or any(variables_in(each) & here for each in self.relation.conditions):
            return None
        axis, extent = next(iter(self.axes.items()), (None, 1))
        form = Linear() if axis is None else linear_form(self.relation.subscripts[axis])
        if form is None:
            return None
        factors = {name: form.factor(numbers.get(name, -1)) for name in self.ranges}
        constant = form.constant + sum(factor * self.ranges[name].start for name, factor in factors.items())
        variables = (Stride(factors[name], len(each), name in self.shared) for name, each in self.ranges.items())
        return analysed(constant, variables, extent)

    @property
    def run(self) -> Run | None:
        """The accessed elements, if the group is one axis and they are a run."""
        return self.strided.run if self.strided is not None else None

    @cached_property
    def listed(self) -> Listed:
        """The part's instances. Raises Undecided if they are too many."""
        cells, owners = prod(self.axes.values()), prod(len(each) for each in self.shared.values())
        shape = tuple(map(len, self.ranges.values()))
        if prod(shape) > LIMIT or cells * owners > MOST_NUMBERS:
            raise Undecided
        numbers: dict[Any, Ints] = {}
        for at, (name, each) in enumerate(self.ranges.items()):
            along = [len(each) if axis == at else 1 for axis in range(len(shape))]
            numbers[name] = np.arange(each.start, each.stop, dtype=np.int64).reshape(along)
        values = [numbers.get(name) for name in self.relation.ranges]
        inside: Any = self.relation.exists(values)
        key: Any = np.zeros((), np.int64)
        for axis, extent in self.axes.items():
            found = value_of(self.relation.subscripts[axis], values)
            inside = inside & (found >= 0) & (found < extent)
            key = key * extent + found
        for name, each in self.shared.items():
            key = key * len(each) + (numbers[name] - each.start)
        keys = np.broadcast_to(key, shape)[np.broadcast_to(np.asarray(inside, np.bool_), shape)]
        return Listed(*np.divmod(np.unique(keys), owners))

    def element(self, cell: int) -> Element:
        """The subscripts of an element by its row-major number."""
        found: Element = {}
        for axis in reversed(self.axes):
            cell, found[axis] = divmod(cell, self.axes[axis])
        return found

    def first(self) -> Element | None:
        """The first element that the part accesses; None if it accesses none. Raises Undecided."""
        if (run := self.run) is not None:
            return self.element(run.first) if run.length else None
        cells = self.listed.cells
        return self.element(int(cells[0])) if len(cells) else None

    def meeting(self) -> Element | None:
        """An element that two different instances access; None if there is none. Raises Undecided."""
        if self.strided is not None and self.strided.decided:
            return None if self.strided.meeting is None else self.element(self.strided.meeting)
        cells = self.listed.cells
        twice = np.flatnonzero(cells[1:] == cells[:-1])
        return self.element(int(cells[twice[0]])) if len(twice) else None

    def common(self, other: Part) -> Element | None:
        """An element that both parts access; None if there is none. Raises Undecided."""
        if (mine := self.run) is not None and (its := other.run) is not None:
            first, last = max(mine.first, its.first), min(mine.last, its.last)
            if first > last:
                return None
            if mine.step == its.step == 1:
                return self.element(first)
        both = np.intersect1d(self.listed.cells, other.listed.cells)
        return self.element(int(both[0])) if len(both) else None

    def conflict(self, other: Part) -> Element | None:
        """An element that instances of both parts access whose shared variables have different values; None if there
        is none. Raises Undecided."""
        if not self.shared or self.common(other) is None:
            return None
        cells = np.concatenate([self.listed.cells, other.listed.cells])
        own = np.concatenate([self.listed.own, other.listed.own])
        both = np.isin(cells, np.intersect1d(self.listed.cells, other.listed.cells))
        pairs = np.unique(np.stack([cells[both], own[both]]), axis=1)[0]
        twice = np.flatnonzero(pairs[1:] == pairs[:-1])
        return self.element(int(pairs[twice[0]])) if len(twice) else None


class Space:
    """A memory with relations to it, divided into factors: groups of axes, each with a part of each relation."""

    def __init__(self, extents: Sequence[int], relations: Sequence[Relation], shared: Ranges | None = None) -> None:
        """`extents`: of the memory. `shared`: the variables that identify an instance; instances with equal values of
        them count as one."""
        self.extents, self.relations = tuple(extents), tuple(relations)
        shared = shared or {}
        groups = _Groups()
        for axis in range(len(extents)):
            groups.join([axis])
        for name in shared:
            groups.join([("shared", name)])
        for at, relation in enumerate(relations):
            nodes = [("shared", name) if name in shared else (at, name) for name in relation.ranges]
            for axis, subscript in enumerate(relation.subscripts):
                groups.join([axis, *(nodes[each] for each in variables_in(subscript))])
            for condition in relation.conditions:
                groups.join([nodes[each] for each in variables_in(condition)])
        self.factors: list[list[Part]] = []
        for nodes in groups.sets():
            axes = {axis: extent for axis, extent in enumerate(extents) if axis in nodes}
            own = {name: each for name, each in shared.items() if ("shared", name) in nodes}
            self.factors.append(
                [
                    Part(each, axes, [name for name in each.ranges if name in own or (at, name) in nodes], own)
                    for at, each in enumerate(relations)
                ]
            )
        self.empty = {at for at, each in enumerate(relations) if not each.exists([None] * len(each.ranges))}
        """The numbers of relations without instances, since a condition without variables does not hold."""

    def meeting(self, at: int) -> Element | None:
        """An element that two different instances of a relation access; None if there is none. Raises Undecided."""
        parts = [factor[at] for factor in self.factors]
        return self._composed({at}, [each.first for each in parts], [each.meeting for each in parts])

    def common(self, one: int, other: int) -> Element | None:
        """An element that two relations access; None if there is none. Raises Undecided."""
        return self._composed({one, other}, [partial(each[one].common, each[other]) for each in self.factors])

    def conflict(self, one: int, other: int) -> Element | None:
        """An element that different instances of two relations access; None if there is none. Raises Undecided."""
        everywhere = [partial(each[one].common, each[other]) for each in self.factors]
        somewhere = [partial(each[one].conflict, each[other]) for each in self.factors]
        return self._composed({one, other}, everywhere, somewhere)

    def _composed(
        self, of: set[int], everywhere: Sequence[Finder], somewhere: Sequence[Finder] | None = None
    ) -> Element | None:
        """An element composed of an element of each factor: of those that `everywhere` finds, or in one factor of that
        which `somewhere` finds. None if one of `everywhere` or all of `somewhere` find nothing."""
        if of & self.empty:
            return None
        special, undecided = _decided(somewhere or ())
        chosen = next((each for each in special if each is not None), None)
        if somewhere is not None and chosen is None and not undecided:
            return None
        found, more = _decided(everywhere)
        if None in found:
            return None
        if more or (somewhere is not None and chosen is None):
            raise Undecided
        return {axis: at for each in (*found, chosen or {}) if each is not None for axis, at in each.items()}


Finder: TypeAlias = Callable[[], Element | None]


def _decided(finders: Iterable[Finder]) -> tuple[list[Element | None], bool]:
    """Return what some functions find, without those that raise Undecided, and True if one does."""
    found, undecided = list[Element | None](), False
    for find in finders:
        try:
            found.append(find())
        except Undecided:
            undecided = True
    return found, undecided


class _Groups:
    """Groups of hashable nodes; nodes that were joined are in one group."""

    def __init__(self) -> None:
        self.of: dict[Hashable, dict[Hashable, None]] = {}

    def join(self, nodes: Sequence[Hashable]) -> None:
        if nodes:
            joined = self.of.setdefault(nodes[0], {nodes[0]: None})
            for node in nodes[1:]:
                if (other := self.of.get(node, {node: None})) is not joined:
                    joined.update(other)
                    self.of |= dict.fromkeys(other, joined)

    def sets(self) -> list[dict[Hashable, None]]:
        return list({id(each): each for each in self.of.values()}.values())
