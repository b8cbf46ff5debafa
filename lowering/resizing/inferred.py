"""Extents of an op's result as functions of those of its operands, for any op: its own shape rule (`infer`) and its
rule for parts (`part`) are run for other extents of each axis of the operands."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations
from typing import Any, TypeAlias

from xdsl.ir import Block
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import tensor_type
from dialects.graph import GraphOp, shape_of, tensor_of
from dialects.graph.boxes import full_box, replaced
from dialects.graph.properties import as_property

Shape: TypeAlias = tuple[int, ...]
Place: TypeAlias = tuple[int, int]
"""An axis of an operand: the operand's number, and the axis."""
Extents: TypeAlias = tuple[tuple[int, int], ...]
"""Pairs of a variable and its extent; the other variables are as in the op as read."""
Remake: TypeAlias = Callable[[Shape], Mapping[str, Any]]
"""A function from the new shape of an op's first operand to the op's properties."""


@dataclass(frozen=True)
class Dependence:
    """The rule of one op for other extents; variables are numbered."""

    tied: tuple[tuple[int, ...], ...]
    """Groups of variables that must stay equal."""
    rigid: tuple[int, ...]
    """Variables that can't change."""
    results: tuple[tuple[int, ...], ...]
    """For each axis of the result, the variables from which its extent is computed, one of each tied group."""
    same: tuple[bool, ...]
    """For each axis of the result, True if its extent is that of each of these variables."""
    combined: tuple[int, ...]
    """Variables with an axis along which the op combines elements: an element of the result does not depend on one
    index of this axis alone, or depends on it in another way than its neighbours do."""


class Rule:
    """The shape rule of an op as a function of variables. `places`: the axes of operands that have each variable as
    their extent; the other axes keep their extent."""

    def __init__(self, op: GraphOp, places: Sequence[Sequence[Place]], remake: Remake | None) -> None:
        self.op, self.places, self.remake = op, places, remake
        self.old = [shape_of(op.operands[number])[axis] for (number, axis), *_ in places]
        self.shape = cache(self._shape)

    @property
    def key(self) -> Hashable:
        """Equal for rules with equal dependences."""
        op = self.op
        return type(op), tuple(op.operand_types), frozenset(op.properties.items()), str(self.places), self.remake

    def op_for(self, extents: Extents) -> GraphOp:
        """The op for operands with these extents; a written result type has the shape of the first operand. Raises
        VerifyException if the op does not allow them."""
        shapes = [list(shape_of(value)) for value in self.op.operands]
        for variable, extent in extents:
            for number, axis in self.places[variable]:
                shapes[number][axis] = extent
        types = [tensor_type(s, tensor_of(v).element_type) for s, v in zip(shapes, self.op.operands, strict=True)]
        remade = as_properties(self.remake(tuple(shapes[0]))) if self.remake is not None else {}
        made = type(self.op).create(operands=Block(arg_types=types).args, properties={**self.op.properties, **remade})
        made.settle_results(
            tensor_type(shapes[0], tensor_of(self.op.results[0]).element_type) if made.EXPLICIT_RESULT else None
        )
        return made

    def _shape(self, extents: Extents) -> Shape | None:
        """The shape of the result for operands with these extents; None if the op does not allow them."""
        try:
            return shape_of(self.op_for(extents).results[0])
        except VerifyException:
            return None

    def dependence(self) -> Dependence:
        """The dependence of the result on the variables, found by the shape rule for three other extents of each."""
        tied, rigid = self._tied()
        groups = [*tied, *((each,) for each in range(len(self.old)) if each not in sum(tied, ()))]
        found = {group[0]: self._shapes(group) for group in groups}
        made, is_same = list[tuple[int, ...]](), {variable: set[int]() for variable in found}
        for axis, extent in enumerate(shape_of(self.op.results[0])):
            changing = [v for v, pairs in found.items() if any(shape[axis] != extent for _, shape in pairs)]
            if not changing:  # what can't change in any way may give its extent to the result
                changing = [v for v in rigid if not found[v] and extent == self.old[v] != 1]
            made.append(tuple(changing))
            for v in changing:
                if extent == self.old[v] and all(given == shape[axis] for given, shape in found[v]):
                    is_same[v].add(axis)
        same = tuple(bool(vs) and all(axis in is_same[v] for v in vs) for axis, vs in enumerate(made))
        combined = [v for group in groups for v in group if self._is_combined(group, v, is_same[group[0]])]
        return Dependence(tuple(tied), tuple(rigid), tuple(made), same, tuple(combined))

    def _shapes(self, group: Sequence[int]) -> list[tuple[int, Shape]]:
        """The other extents of some variables, all of one extent, that the op allows, and the result's shape for
        each."""
        shapes = ((each, self.shape(tuple((v, each) for v in group))) for each in _others(self.old[group[0]]))
        return [(each, shape) for each, shape in shapes if shape is not None]

    def _allows(self, group: Sequence[int]) -> bool:
        others = _others(self.old[group[0]])
        return all(self.shape(tuple((v, each) for v in group)) is not None for each in others)

    def _tied(self) -> tuple[list[tuple[int, ...]], list[int]]:
        """The smallest groups of variables that can only change together, and the variables that can't change."""
        tied, rigid = list[tuple[int, ...]](), list[int]()
        for variable, old in enumerate(self.old):
            if variable in sum(tied, ()) or self._allows([variable]):
                continue
            others = [other for other, extent in enumerate(self.old) if extent == old and other != variable]
            if not self._allows([variable, *others]):
                rigid.append(variable)
                continue
            sets = chain.from_iterable(combinations(others, count) for count in range(1, len(others) + 1))
            group = next((variable, *each) for each in sets if self._allows([variable, *each]))
            joined = [each for each in tied if not {*each}.isdisjoint(group)]
            tied = [each for each in tied if each not in joined]
            tied.append(tuple(dict.fromkeys([*sum(joined, ()), *group])))
        return tied, rigid

    def _is_combined(self, group: Sequence[int], variable: int, axes: Iterable[int]) -> bool:
        """True unless, for each axis with this variable, there is an axis of the result whose index alone selects the
        index that is read, and selects nothing else. `axes`: the axes of the result that have the group's extent."""
        try:
            op = self.op_for(tuple((each, 2 * self.old[each] or 2) for each in group))
        except VerifyException:
            return True
        separate: set[Place] = set()
        for axis in axes:
            parts = [op.part(replaced(full_box(op.results[0]), axis, range(at, at + 1))) for at in (0, 1)]
            first, second = parts
            if first is None or second is None or first.properties != second.properties:
                continue
            pairs = [
                ((number, place), one, two)
                for number, boxes in enumerate(zip(first.needs, second.needs, strict=True))
                for place, (one, two) in enumerate(zip(*(box or () for box in boxes), strict=True))
            ]
            moved = {place for place, one, two in pairs if (one, two) == (range(1), range(1, 2))}
            if all(one == two for place, one, two in pairs if place not in moved):
                separate |= moved
        return not separate.issuperset(self.places[variable])


def _others(extent: int) -> tuple[int, ...]:
    """Other extents for an axis, for which a shape rule shows how its result follows the axis, whatever its strides."""
    return extent + 1, 2 * extent, 8 * extent + 1


def as_properties(given: Mapping[str, Any]) -> dict[str, Any]:
    """Plain Python values as properties of an op."""
    return {name: as_property(value) for name, value in given.items() if value is not None}
