"""The rule of each graph op for the extents of axes: which axes of operands and results are equal, and how an op
computes extents from others. Most ops' rules follow from their own shape rule (`inferred.py`); the others are here."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from dialects import graph as g
from dialects.graph.indexing import IndexingOp
from dialects.graph.roles import FusionRole
from dialects.graph.shape import MovementOp
from dialects.repeating import RepeatingOp
from interp.walk.interpret import Meaning
from lowering.resizing.extents import (
    ONE,
    Definition,
    Extent,
    Refused,
    blamed_on,
    define,
    factors,
    fixed,
    new,
    product,
    unify,
)
from lowering.resizing.inferred import Dependence, Place, Remake, Rule

Axes: TypeAlias = list[Extent]


@dataclass
class Traced(Meaning[Axes]):
    """The meaning of a value as the extents of its axes; with the conditions of ops on these extents."""

    remakes: Mapping[SSAValue, Remake]
    """Properties of ops that a front end derived from the operand's shape, by the op's result."""
    axes: dict[SSAValue, Axes] = field(default_factory=dict[SSAValue, Axes])
    mixed: list[tuple[Operation, Extent]] = field(default_factory=list[tuple[Operation, Extent]])
    """Ops that combine elements along an axis, each with the extent of the axis, which can't be the batch."""
    rigid: list[tuple[Operation, Extent, str]] = field(default_factory=list[tuple[Operation, Extent, str]])
    """Extents that an op needs unchanged, each with the reason as a sentence without subject."""
    sample_indices: dict[Operation, tuple[int, int]] = field(default_factory=dict[Operation, tuple[int, int]])
    """Gathers whose constant indices pick samples of the batch: the axis of the indices that is the batch, and the
    coordinate that counts samples."""
    ends: list[tuple[g.SliceOp, int, Extent]] = field(default_factory=list[tuple[g.SliceOp, int, Extent]])
    """Slices that take the last element of an axis, but give its number: each with the axis and its extent."""
    in_order: set[Operation] = field(default_factory=set[Operation])
    """Gathers whose constant indices are 0, 1, … to the end of the axis."""
    known: dict[Hashable, Dependence] = field(default_factory=dict[Hashable, Dependence])
    """The dependence of the results of ops on their operands, by the key of the op's shape rule."""
    constants: dict[Operation, Axes] = field(default_factory=dict[Operation, Axes])
    """Constants and weights, with the extents of their axes."""

    def __getitem__(self, value: SSAValue) -> Axes:
        return self.axes[value]

    def op(self, op: Operation, operands: list[Axes], dead: Sequence[int]) -> list[Axes]:
        """Apply the rule of an op. Raises Refused, at the op, if the extents that it needs contradict each other."""
        rule = next((RULES[cls] for cls in type(op).__mro__ if cls in RULES), _inferred)
        with blamed_on(op):
            return [rule(self, op)]

    def loop(self, loop: RepeatingOp, operands: list[Axes]) -> list[Axes]:
        """A loop keeps the extents that it has, since its body does."""
        for axes in operands:
            self.rigid += [(loop, extent, "is a loop, which has no rule for other extents") for extent in axes]
        return [[fixed(extent, "which a loop gives it") for extent in g.shape_of(value)] for value in loop.results]

    def combine(self, op: Operation, extents: Sequence[Extent]) -> None:
        """Note that an op combines the elements along axes."""
        self.mixed += [(op, each) for each in extents]

    def stretched(self, op: Operation, column: Sequence[Extent]) -> Extent:
        """The extent of an axis to which several axes broadcast."""
        wide = [each for each in column if each.old != 1]
        units = [each.root for each in column if each.old == 1 and each.root is not ONE]
        for each in units if wide else ():
            if each.is_batch:
                raise Refused(f"it aligns the batch with an axis of {wide[0].old} elements", op)
            self.rigid.append((op, each, "repeats its one element along an axis"))
        alike = wide or units
        for each in alike[1:]:
            unify(alike[0], each, op)
        return alike[0].root if alike else ONE


def _constant(traced: Traced, op: Any) -> Axes:
    axes = [ONE if extent == 1 else Extent(extent) for extent in g.shape_of(op.y)]
    if isinstance(op, g.WeightOp):
        for axis, extent in enumerate(axes):
            if extent is not ONE:
                extent.weights.append((op, axis))
    traced.constants[op] = axes
    return axes


def _opaque(traced: Traced, op: Any, reason: str = "has no rule for other extents") -> Axes:
    """The rule of an op without one: it needs the extents that it has."""
    for value in op.operands:
        traced.rigid += [(op, extent, reason) for extent in traced[value]]
    return [fixed(extent, f"which {op.name} gives it") for extent in g.shape_of(op.results[0])]


def _keep_parameter(traced: Traced, value: SSAValue) -> None:
    """Fix the extents of a factor of products if it is a constant, or one that was moved: it is a parameter."""
    owner = value.owner
    while isinstance(owner, MovementOp) and len(owner.operands) == 1:
        owner = owner.operands[0].owner
    if isinstance(owner, g.ConstantOp):
        for extent in traced[value]:
            if extent.root is not ONE:
                extent.root.fixed.append("the extent of a parameter")


def _inferred(traced: Traced, op: Any) -> Axes:
    """The rule of any op, from its own shape rule (`inferred.py`)."""
    if op.EXPLICIT_RESULT and g.shape_of(op.operands[0]) != g.shape_of(op.results[0]):
        return _opaque(traced, op)
    places: dict[Extent, list[Place]] = {}
    for number, value in enumerate(op.operands):
        for axis, extent in enumerate(traced[value]):
            if extent.root is not ONE:
                places.setdefault(extent.root, []).append((number, axis))
    rule = Rule(op, list(places.values()), traced.remakes.get(op.results[0]))
    if (found := traced.known.get(rule.key)) is None:
        found = traced.known[rule.key] = rule.dependence()
    variables, old = list(places), g.shape_of(op.results[0])
    if any(extent != 1 and not uses for extent, uses in zip(old, found.results, strict=True)):
        return _opaque(traced, op)
    if op.FUSION is FusionRole.CONTRACTION:
        for factor in op.operands[:2]:
            _keep_parameter(traced, factor)
    traced.combine(op, [variables[each] for each in found.combined])
    for each in found.rigid:
        if variables[each].is_batch and variables[each].old == 1:
            raise Refused("it aligns the batch with an axis of several elements", op)
        traced.rigid.append((op, variables[each], "allows no other extent of an axis"))
    for first, *others in found.tied:
        for other in others:
            unify(variables[first], variables[other], op)
    axes: Axes = []
    for axis, (extent, uses, same) in enumerate(zip(old, found.results, found.same, strict=True)):
        parts = [variables[each].root for each in uses]
        if same:
            for other in parts[1:]:
                unify(parts[0], other, op)
        axes.append(parts[0].root if same else define(extent, parts, _value(rule, uses, axis), op) if parts else ONE)
    return axes


def _value(rule: Rule, uses: Sequence[int], axis: int) -> Callable[[Sequence[int]], int]:
    """The extent of an axis of an op's result as a function of the variables `uses`."""

    def value(found: Sequence[int]) -> int:
        try:
            return g.shape_of(rule.op_for(tuple(zip(uses, found, strict=True))).results[0])[axis]
        except VerifyException as error:
            raise Refused(str(error), rule.op) from None

    return value


# Movement


def _broadcast(traced: Traced, op: g.BroadcastOp) -> Axes:
    shape = g.shape_of(op.y)
    x = [*[ONE] * (len(shape) - len(traced[op.x])), *traced[op.x]]
    axes: Axes = []
    for extent, wanted in zip(x, shape, strict=True):
        if extent.old == wanted:
            axes.append(extent)
        else:
            if extent.root is not ONE:
                traced.rigid.append((op, extent, f"repeats its one element {wanted} times"))
            axes.append(Extent(wanted))
    return axes


def _concat(traced: Traced, op: g.ConcatOp) -> Axes:
    parts = [traced[value] for value in op.parts]
    axis = op.axis.value.data % len(parts[0])
    joined = [part[axis] for part in parts]
    if len(parts) > 1:
        traced.combine(op, joined)
    columns = zip(*parts, strict=True)
    result = [joined[0] if a == axis else traced.stretched(op, column) for a, column in enumerate(columns)]
    result[axis] = _sum(joined, op)
    return result


def _sum(terms: Sequence[Extent], op: Operation) -> Extent:
    if len(terms) == 1:
        return terms[0]
    return define(sum(term.old for term in terms), terms, sum, op)


def _slice(traced: Traced, op: g.SliceOp) -> Axes:
    x, remake = traced[op.x], traced.remakes.get(op.y)
    axes: Axes = []
    for axis, (extent, kept) in enumerate(zip(x, op.ranges(), strict=True)):
        if kept == range(extent.old):
            axes.append(extent)
            continue
        traced.combine(op, [extent])
        rule = Rule(op, [[(0, axis)]], remake)
        same, more = (cast(g.SliceOp, rule.op_for(((0, n),))).ranges()[axis] for n in (extent.old, extent.old + 1))
        if remake is not None and (more.start, more.stop) != (same.start, same.stop):  # it counts from the axis' end
            if len(kept) == 1:
                if len(more) != 1:
                    traced.ends.append((op, axis, extent))
                axes.append(ONE)
                continue
            axes.append(define(len(kept), [extent], _value(rule, [0], axis), op))
        elif remake is not None and kept.step == 1:
            axes.append(Extent(len(kept)) if len(kept) != 1 else ONE)
            if kept != range(1):
                reason = f"takes elements {kept.start} to {kept.stop}, which may depend on the extent"
                traced.rigid.append((op, extent, reason))
        else:
            traced.rigid.append((op, extent, "divides this axis into parts of fixed sizes"))
            axes.append(fixed(len(kept), "the size of one of several parts"))
    return axes


def boundary(extent: Extent, at: int) -> int | None:
    """The index in the resized program of the first element of the operand of a concat that begins at index `at` in the
    program as read: if an axis joins a cache and one new token, and `at` is the length of the cache as read, this is
    the new length. None if the axis is not the result of a concat, or no operand begins at `at`."""
    for each in extent.root.definitions:
        terms = each.parts if isinstance(each.op, g.ConcatOp) else ()
        for count in range(1, len(terms)):
            if sum(term.old for term in terms[:count]) == at:
                return sum(map(new, terms[:count]))
    return None


def _reshape(traced: Traced, op: g.ReshapeOp) -> Axes:
    pieces = [piece for extent in traced[op.x] for piece in factors(extent)]
    return _regrouped(pieces, g.shape_of(op.y), op) or _opaque(traced, op, "divides elements into other axes")


def _regrouped(pieces: list[Extent], target: Sequence[int], op: Operation) -> Axes | None:
    """Axes of extents `target`, which merge or split axes of extents `pieces` in order; None if an axis would be split
    at a place where it can't be."""
    if 0 in target:
        return None
    axes: Axes = []
    taken = 0  # pieces before this one are in `axes`
    at = 0
    while at < len(target):
        if target[at] == 1:
            count = next((n for n, extent in enumerate(target[at:]) if extent != 1), len(target) - at)
            units = 0
            while taken + units < len(pieces) and pieces[taken + units].old == 1:
                units += 1
            row: list[list[Extent]] = [[] for _ in range(count)]
            for index in range(units):
                if (piece := pieces[taken + index].root) is not ONE:
                    row[min(index, count - 1)].append(piece)
            axes += [product(each, op) for each in row]
            taken, at = taken + units, at + count
            continue
        mine: list[Extent] = []
        need = target[at]
        while need > 1:
            piece = pieces[taken]
            if need % piece.old:
                if piece.old % need:
                    return None
                outer, inner = Extent(need), Extent(piece.old // need)
                piece.root.definitions.append(_split(outer, inner, op))
                pieces[taken : taken + 1] = [outer, inner]
                piece = outer
            if piece.root is not ONE:
                mine.append(piece)
            need //= piece.old
            taken += 1
        axes.append(product(mine, op))
        at += 1
    rest = [piece for piece in pieces[taken:] if piece.root is not ONE]
    if rest:
        if not axes:
            raise Refused("it removes the axis of the batch", op)
        axes[-1] = product([*factors(axes[-1]), *rest], op)
    return axes


def _split(outer: Extent, inner: Extent, op: Operation) -> Definition:
    return Definition((outer, inner), prod, op, is_product=True)


# Indices


def _gather(traced: Traced, op: g.GatherOp) -> Axes:
    x, indices = traced[op.x], traced[op.indices]
    axis = op.axis.value.data % len(x)
    if (whole := _all_in_order(op, x[axis])) is not None:
        for own, extent in zip(indices, whole, strict=True):
            if own.old != 1:
                unify(own, extent, op)
        traced.in_order.add(op)
        return [*x[:axis], *whole, *x[axis + 1 :]]
    traced.combine(op, [x[axis]])
    return [*x[:axis], *indices, *x[axis + 1 :]]


def _all_in_order(op: g.GatherOp, extent: Extent) -> Axes | None:
    """The axes of the indices of a gather that only gives an axis another shape: constants 0, 1, … to the end of the
    axis. None for any other gather, and for a table of the model, which keeps its rows."""
    array = numbers(op.indices)
    if array is None or isinstance(op.x.owner, g.ConstantOp | g.WeightOp) or array.size != extent.old or extent is ONE:
        return None
    if (array.reshape(-1) != np.arange(extent.old)).any():
        return None
    return _regrouped(list(factors(extent)), array.shape, op)


def _gather_elements(traced: Traced, op: g.GatherElementsOp) -> Axes:
    x, indices = traced[op.x], traced[op.indices]
    axis = op.axis.value.data % len(x)
    traced.combine(op, [x[axis]])
    axes: Axes = []
    for at, (mine, theirs) in enumerate(zip(indices, x, strict=True)):
        if at == axis:
            axes.append(mine)
        elif mine.old == theirs.old:
            axes.append(traced.stretched(op, [mine, theirs]))
        else:
            traced.rigid.append((op, theirs, "reads only the first elements along an axis"))
            axes.append(mine)
    return axes


def _gather_nd(traced: Traced, op: g.GatherNdOp) -> Axes:
    x, (*rows, _) = traced[op.x], traced[op.indices]
    shared, width = op.batch_dims.value.data, g.shape_of(op.indices)[-1]
    lead = [traced.stretched(op, [a, b]) for a, b in zip(x[:shared], rows[:shared], strict=True)]
    rows = [*lead, *rows[shared:]]
    for place in range(width):
        extent, array = x[shared + place], numbers(op.indices)
        if extent.root.is_batch and extent.old == 1:
            rows = _per_sample(traced, op, place, rows, extent)
            continue
        axis = _cover(op, op.x, extent, None if array is None else array[..., place], rows)
        if axis is not None and extent.root.is_batch:
            traced.sample_indices[op] = axis, place
        else:
            traced.combine(op, [extent])
    return [*rows, *x[shared + width :]]


def _cover(
    op: Operation, data: SSAValue, extent: Extent, indices: np.ndarray[Any, Any] | None, axes: Sequence[Extent]
) -> int | None:
    """Make an axis of data equal to the axis of constant indices along which they are 0, 1, … to the end of the data's
    axis; returns the axis of the indices, if there is one. Tables of the model keep their rows."""
    if indices is None or extent.old == 1 or isinstance(data.owner, g.ConstantOp | g.WeightOp):
        return None
    for axis, own in enumerate(axes):
        order = np.arange(extent.old).reshape([-1 if each == axis else 1 for each in range(indices.ndim)])
        if own.old == extent.old and (indices == order).all():
            unify(own, extent, op)
            return axis
    return None


def _per_sample(traced: Traced, op: g.GatherNdOp, place: int, rows: Axes, batch: Extent) -> Axes:
    """The axes of indices that pick sample 0 of a batch of one: sample i for each i, on the first unit axis."""
    array = numbers(op.indices)
    free = [axis for axis, extent in enumerate(rows) if extent is ONE]
    if array is None or array[..., place].any() or not free:
        raise Refused("it picks samples of the batch by their number", op)
    traced.sample_indices[op] = free[0], place
    return [batch if axis == free[0] else extent for axis, extent in enumerate(rows)]


def numbers(value: SSAValue) -> np.ndarray[Any, Any] | None:
    """The elements of a constant or weight whose elements are in a file or in the program, but not of a seeded fill;
    None for any other value."""
    owner = value.owner
    if isinstance(owner, g.ConstantOp):
        return owner.value.array()
    if isinstance(owner, g.WeightOp) and not isinstance(owner.source, g.UniformAttr):
        from dialects.diagnostics import InputError
        from interp.numerics.weights import weight_array

        try:
            return weight_array(owner)
        except InputError:
            return None
    return None


RULES: dict[type[Any], Callable[[Traced, Any], Axes]] = {
    g.ConstantOp: _constant,
    g.WeightOp: _constant,
    g.BroadcastOp: _broadcast,
    g.ConcatOp: _concat,
    g.SliceOp: _slice,
    g.ReshapeOp: _reshape,
    g.GatherOp: _gather,
    g.GatherElementsOp: _gather_elements,
    g.GatherNdOp: _gather_nd,
    IndexingOp: _opaque,
    g.OpaqueOp: _opaque,
}
"""The rules of ops whose extents follow from properties, constants or written result types, rather than from the shape
rule alone: from the op to the extents of its result's axes."""
