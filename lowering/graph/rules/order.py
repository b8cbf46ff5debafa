"""The order in which views read elements: an axis of a view is a mixed-radix number, each digit of which has an extent
and a stride in another index space.

Reshapes regroup digits, transposes permute axes, and broadcasts add digits with stride 0. Therefore any chain of views
is described exactly, as are the parts of its axes that repeat elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import tensor_type
from dialects.graph.constant import Array
from dialects.graph.patterns.matching import element_of
from dialects.graph.rules import RuleBuilder


class Digit(NamedTuple):
    """A digit of an index: `extent` values, each `stride` elements apart in another index space (0: repeated)."""

    extent: int
    stride: int


Axis: TypeAlias = tuple[Digit, ...]
"""The digits of an axis, the most significant one first; empty for an extent of 1."""
Axes: TypeAlias = tuple[Axis, ...]


class Piece(NamedTuple):
    """`extent` positions that are `at` elements apart in one index space and `to` elements in another."""

    extent: int
    at: int
    to: int


def row_major(shape: Sequence[int]) -> Axes:
    """The axes of a tensor in its own index space."""
    return tuple((Digit(n, prod(shape[axis + 1 :])),) if n != 1 else () for axis, n in enumerate(shape))


def extent_of(axis: Axis) -> int:
    """The number of indices of an axis."""
    return prod(digit.extent for digit in axis)


def regrouped(axes: Axes, shape: Sequence[int]) -> Axes | None:
    """The axes of a reshape to `shape`; None if a digit would have to be cut at no divisor of its extent."""
    left, found = [digit for axis in axes for digit in axis][::-1], list[Axis]()
    for extent in shape:
        axis = list[Digit]()
        while extent > 1:
            if not left:
                return None
            digit = left.pop()
            if digit.extent % extent == 0 and digit.extent > extent:
                below = digit.extent // extent
                left.append(Digit(below, digit.stride))
                digit = Digit(extent, digit.stride * below)
            elif extent % digit.extent:
                return None
            axis.append(digit)
            extent //= digit.extent
        found.append(tuple(axis))
    return None if left else tuple(found)


def stretched(axes: Axes, shape: Sequence[int]) -> Axes:
    """The axes of a broadcast to `shape`, from the right, as in numpy."""
    behind = ((),) * (len(shape) - len(axes)) + axes
    return tuple((Digit(n, 0),) if not axis and n != 1 else axis for axis, n in zip(behind, shape, strict=True))


def merged(axis: Iterable[Digit]) -> Axis:
    """The same axis with as few digits as possible."""
    found = list[Digit]()
    for digit in axis:
        if found and found[-1].stride == digit.stride * digit.extent:
            digit = Digit(found.pop().extent * digit.extent, digit.stride)
        found.append(digit)
    return tuple(found)


def together(*several: Axis) -> list[tuple[int, tuple[int, ...]]] | None:
    """One axis as described in several index spaces, cut into common digits: their extents, each with its strides; None
    if the digits have no common cuts."""
    left, found = [list(axis)[::-1] for axis in several], list[tuple[int, tuple[int, ...]]]()
    while any(left):
        if not all(left):
            return None
        heads = [axis.pop() for axis in left]
        extent = min(digit.extent for digit in heads)
        if any(digit.extent % extent for digit in heads):
            return None
        strides = list[int]()
        for axis, digit in zip(left, heads, strict=True):
            below = digit.extent // extent
            strides.append(digit.stride * below)
            if below > 1:
                axis.append(Digit(below, digit.stride))
        found.append((extent, tuple(strides)))
    return found


def pieces(at: Axes, to: Axes) -> list[Piece] | None:
    """The relation of two index spaces that describe the same axes; None if their digits have no common cuts."""
    found = list[Piece]()
    for here, there in zip(at, to, strict=True):
        if (cut := together(here, there)) is None:
            return None
        found += [Piece(extent, *strides) for extent, strides in cut]
    return found


def follow(axis: Axis, relation: Iterable[Piece]) -> Axis | None:
    """An axis, described in the index space `at` of a relation, in the space `to`; None if a digit has no counterpart
    there."""
    found = list[Digit]()
    for digit in axis:
        if not digit.stride:
            found.append(digit)
            continue
        inside = list[Digit]()
        end = digit.stride * digit.extent
        for piece in sorted(relation, key=lambda each: -each.at):
            low, high = max(digit.stride, piece.at), min(end, piece.at * piece.extent)
            if not piece.at or low >= high:
                continue
            if low % piece.at or high % low:
                return None
            inside.append(Digit(high // low, piece.to * (low // piece.at)))
        if extent_of(tuple(inside)) != digit.extent:
            return None
        found += inside
    return tuple(found)


def followed(axes: Axes, relation: Sequence[Piece]) -> Axes | None:
    """`follow` for each of several axes."""
    found = [follow(axis, relation) for axis in axes]
    return tuple(axis for axis in found if axis is not None) if None not in found else None


def is_reshape(axes: Axes) -> bool:
    """True if axes read each element once, in order."""
    kept = merged(digit for axis in axes for digit in axis)
    return not kept or (len(kept) == 1 and kept[0].stride == 1)


def moved(op: object, axes: Axes) -> Axes | None:
    """The axes of the result of a view, of whose operand these are the axes; None for another op, and for a reshape
    that cuts digits."""
    match op:
        case g.ReshapeOp():
            return regrouped(axes, g.shape_of(op.y))
        case g.TransposeOp():
            return tuple(axes[axis] for axis in op.permutation.get_values())
        case g.BroadcastOp():
            return stretched(axes, g.shape_of(op.y))
        case g.CastOp():
            return axes
        case _:
            return None


def arranged(value: SSAValue, axes: Axes, new: RuleBuilder, full: bool = True) -> SSAValue:
    """A tensor with these axes, each of which is described in the index space of `value`; built of a reshape, a
    transpose, a broadcast and another reshape at most. Unless `full`, an axis along which elements repeat has extent
    1."""
    if not full:
        axes = tuple(axis if any(digit.stride for digit in axis) else () for axis in axes)
    shape = tuple(map(extent_of, axes))
    if is_reshape(axes):
        return viewed(value, shape, new)
    own = row_major(g.shape_of(value))
    cuts = [Piece(digit.extent, digit.stride, digit.stride) for axis in own for digit in axis]
    axes = tuple(follow(merged(axis), cuts) or axis for axis in axes)
    digits = [digit for axis in axes for digit in axis]
    grid = sorted((digit for digit in digits if digit.stride), key=lambda digit: -digit.stride)
    order = [grid.index(digit) for digit in digits if digit.stride]
    is_whole = [(digit,) for digit in grid] == [axis for axis in own if axis]
    if is_whole and len(own) == len(axes) and all(len(axis) < 2 for axis in axes):
        units = [number for number, axis in enumerate(own) if not axis]
        places = [number for number, axis in enumerate(own) if axis]
        order = [places[order.pop(0)] if any(digit.stride for digit in axis) else units.pop(0) for axis in axes]
    else:
        value = viewed(value, tuple(digit.extent for digit in grid), new)
    if any(a > b for a, b in pairwise(order)):
        value = new(g.TransposeOp(value, permutation=order))
    if any(not digit.stride for digit in digits):
        value = viewed(value, tuple(digit.extent if digit.stride else 1 for digit in digits), new)
        wide = tensor_type(tuple(digit.extent for digit in digits), element_of(value))
        value = new(g.BroadcastOp(value, result_type=wide))
    return viewed(value, shape, new)


def arranged_array(array: Array, axes: Axes) -> Array:
    """`arranged` for the elements of a known value; an axis along which elements repeat has extent 1."""
    axes = tuple(axis if any(digit.stride for digit in axis) else () for axis in axes)
    digits = [digit for axis in axes for digit in axis]
    flat = np.ascontiguousarray(array).reshape(-1)
    grid = np.lib.stride_tricks.as_strided(
        flat, [digit.extent for digit in digits], [digit.stride * flat.itemsize for digit in digits], writeable=False
    )
    return grid.reshape([extent_of(axis) for axis in axes])


def viewed(value: SSAValue, shape: tuple[int, ...], new: RuleBuilder) -> SSAValue:
    """A value in another shape, with the same elements in the same order."""
    kept = g.shape_of(value) == shape
    return value if kept else new(g.ReshapeOp(value, result_type=tensor_type(shape, element_of(value))))
