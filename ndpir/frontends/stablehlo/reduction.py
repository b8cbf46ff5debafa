"""Converters for reductions: as the single op in the reduction's region if there is only one, else by applying the
region to tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, IntegerType, dtype_of, element_type_of
from ndpir.frontends.padding import known_number, padded
from ndpir.frontends.stablehlo.building import Building, converts
from ndpir.frontends.stablehlo.elementwise import BY_ELEMENT, in_total_order, neutral_element
from ndpir.frontends.stablehlo.formulas import FORMULAS
from ndpir.frontends.stablehlo.module import HloBlock, HloOp, HloValue

KINDS = {"add": "sum", "multiply": "prod", "minimum": "min", "maximum": "max", "and": "min", "or": "max"}
"""The kind of `graph.reduce` that folds elements by an op. For truth values, `and` is the minimum and `or` the
maximum."""
BINARY = {"sum": g.AddOp, "prod": g.MulOp, "min": g.MinOp, "max": g.MaxOp}


def folding(block: HloBlock) -> str | None:
    """The name of the op with which a region folds its two arguments; None if the region contains more than this op."""
    match block.ops:
        case [HloOp(name=name, operands=[left, right], results=[made]), HloOp(name="return", operands=[returned])]:
            return name if returned is made and {id(left), id(right)} == {id(v) for v in block.arguments} else None
        case _:
            return None


@converts("reduce")
def reduce(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """One `graph.reduce` if the region is a single op. Otherwise the region is applied to pairs of neighbouring
    elements, then to pairs of the results, and so on; the specification permits any order (specification, reduce)."""
    count, axes = len(xs) // 2, b.ints("dimensions")
    name = folding(b.op.regions[0])
    of_bits = name in ("and", "or") and g.tensor_of(xs[0]).element_type != I1
    if count == 1 and name in KINDS and not of_bits:
        return [folded(b, xs[0], xs[1], str(name), axes)]
    values = xs[:count]
    shape = g.shape_of(values[0])
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    extents = [*(shape[axis] for axis in kept), prod(shape[axis] for axis in axes)]
    rows = [b.reshaped(b.transposed(x, [*kept, *axes]), extents) for x in values]
    last = len(kept)
    while (length := g.shape_of(rows[0])[last]) > 1:
        even = length - length % 2
        left, right = ([_every_second(b, x, last, at, even) for x in rows] for at in (0, 1))
        paired = applied(b, b.op.regions[0], [*left, *right])
        if even < length:
            paired = [
                b.build(g.ConcatOp, y, _cut(b, x, last, even, length), axis=last)
                for y, x in zip(paired, rows, strict=True)
            ]
        rows = paired
    starts = xs[count:]
    shape = tuple(extents[:-1])
    if extents[-1] == 0:
        return [b.broadcast_to(start, shape) for start in starts]
    rows = [b.reshaped(x, shape) for x in rows]
    return applied(b, b.op.regions[0], [*(b.broadcast_to(start, shape) for start in starts), *rows])


def _every_second(b: Building, x: SSAValue, axis: int, first: int, end: int) -> SSAValue:
    return _cut(b, x, axis, first, end, 2)


def _cut(b: Building, x: SSAValue, axis: int, start: int, end: int, step: int = 1) -> SSAValue:
    """A slice of `x` along one axis, from `start` to `end` by `step`, with all elements along the other axes."""
    shape = g.shape_of(x)
    starts, ends = [0] * len(shape), list(shape)
    starts[axis], ends[axis] = start, end
    return b.sliced(x, starts, ends, [step if a == axis else 1 for a in range(len(shape))])


def applied(b: Building, block: HloBlock, operands: list[SSAValue]) -> list[SSAValue]:
    """The results of a region on scalars, applied to tensors element by element. Raises InputError if the region
    contains an op that is not element-wise."""
    shape = g.shape_of(operands[0])
    for op in block.ops:
        if op.name != "return" and op.name not in BY_ELEMENT and op.name not in FORMULAS:
            b.fail(
                f"the region may hold only element-wise ops, but holds stablehlo.{op.name}; compute it outside of "
                "the region"
            )
    return [b.broadcast_to(x, shape) for x in b.inlined(block, operands)]


def folded(b: Building, x: SSAValue, start: SSAValue, name: str, axes: tuple[int, ...]) -> SSAValue:
    """The elements of `x` folded along some axes by the op `name`, and then with `start`, unless `start` is the neutral
    element."""
    element, kind = g.tensor_of(x).element_type, KINDS[name]
    if element == I1:
        kind = {"add": "max", "multiply": "min", "minimum": "min", "maximum": "max"}.get(name, kind)
    small = IntegerType(8)
    wide = b.cast(x, small) if element == I1 else x
    y = b.build(g.ReduceOp, wide, kind=kind, axes=axes) if axes else wide
    y = b.cast(y, element)
    if known_number(start) == neutral_element(kind, element):
        return y
    cls = BINARY[kind] if element != I1 else {"min": g.AndOp, "max": g.OrOp}[kind]
    return b.build(cls, y, start)


# Windows.


@converts("reduce_window")
def reduce_window(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """A running sum if windows are summed along one axis from its start or end; pooling for maxima.

    For other windows, the elements at each tap (position in the window) form a slice, and the slices are folded;
    windows of more than 256 taps are folded by halves, axis by axis.
    """
    count = len(xs) // 2
    values, starts = xs[:count], xs[count:]
    window = SlidingWindow(b, len(g.shape_of(values[0])))
    name = folding(b.op.regions[0])
    for shorter in (_running, _pooled) if count == 1 else ():
        if (found := shorter(b, window, values[0], starts[0], name)) is not None:
            return [found]
    rows = [window.around(b, x, start) for x, start in zip(values, starts, strict=True)]
    shape = window.shape(g.shape_of(rows[0]))
    if prod(window.sizes) > MOST_TAPS and 0 not in shape:
        found = window.folded(b, rows, lambda left, right: applied(b, b.op.regions[0], [*left, *right]))
        return applied(b, b.op.regions[0], [*(b.broadcast_to(start, shape) for start in starts), *found])
    total = [b.broadcast_to(start, shape) for start in starts]
    for at in window.taps():
        seen = [window.tap(b, x, at) for x in rows]
        total = applied(b, b.op.regions[0], [*total, *seen])
    return total


MOST_TAPS = 256
"""The largest number of elements in a window that are folded one after another; larger windows are folded by halves,
axis by axis."""
Fold: TypeAlias = Callable[[list[SSAValue], list[SSAValue]], list[SSAValue]]
"""A function that folds the elements of some tensors with the corresponding elements of as many other tensors."""


@converts("map")
def map_(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """The results of the region, applied to all elements of the operands at once."""
    return applied(b, b.op.regions[0], xs)


class SlidingWindow:
    """A sliding window over all axes of a tensor."""

    def __init__(self, b: Building, rank: int) -> None:
        ones = (1,) * rank
        self.sizes = b.ints("window_dimensions")
        self.strides = b.ints("window_strides", ones)
        self.dilations = b.ints("window_dilations", ones)
        self.spread = b.ints("base_dilations", ones)
        flat = b.pairs("padding", rank)
        self.low, self.high = tuple(low for low, _ in flat), tuple(high for _, high in flat)

    def around(self, b: Building, x: SSAValue, value: SSAValue) -> SSAValue:
        """`x` padded as the window's attributes specify, with elements of `value`."""
        return padded(b, x, self.low, self.high, tuple(n - 1 for n in self.spread), value)

    def shape(self, extents: Sequence[int]) -> tuple[int, ...]:
        """The number of windows that fit along each axis."""
        reach = [(size - 1) * dilation + 1 for size, dilation in zip(self.sizes, self.dilations, strict=True)]
        return tuple(max(0, (n - r) // s + 1) for n, r, s in zip(extents, reach, self.strides, strict=True))

    def folded(self, b: Building, rows: list[SSAValue], fold: Fold) -> list[SSAValue]:
        """The folded elements of each window, computed one axis after another.

        Along an axis, results for runs of 1, 2, 4, … elements are each folded from two results of half the size, and
        adjacent runs whose sizes add up to the window's are folded into the window's result. The specification permits
        any order (specification, reduce_window).
        """
        for axis, (size, dilation, stride) in enumerate(zip(self.sizes, self.dilations, self.strides, strict=True)):
            length = g.shape_of(rows[0])[axis] - (size - 1) * dilation
            made: list[SSAValue] | None = None
            at, width = 0, 1
            while True:
                if size & width:
                    part = [_cut(b, x, axis, at * dilation, at * dilation + length) for x in rows]
                    made, at = part if made is None else fold(made, part), at + width
                if 2 * width > size:
                    break
                rest = g.shape_of(rows[0])[axis] - width * dilation
                left = [_cut(b, x, axis, 0, rest) for x in rows]
                rows = fold(left, [_cut(b, x, axis, width * dilation, width * dilation + rest) for x in rows])
                width *= 2
            assert made is not None
            rows = [_cut(b, x, axis, 0, length, stride) for x in made]
        return rows

    def taps(self) -> Iterator[tuple[int, ...]]:
        """The positions in a window, in row-major order."""
        return product(*map(range, self.sizes))

    def tap(self, b: Building, x: SSAValue, at: Sequence[int]) -> SSAValue:
        """The elements at one position of each window, for all windows."""
        shape = self.shape(g.shape_of(x))
        starts = [place * dilation for place, dilation in zip(at, self.dilations, strict=True)]
        ends = [a + max((n - 1) * s + 1, 0) * (n > 0) for a, n, s in zip(starts, shape, self.strides, strict=True)]
        return b.sliced(x, starts, ends, self.strides)


def _running(b: Building, window: SlidingWindow, x: SSAValue, start: SSAValue, name: str | None) -> SSAValue | None:
    """A running sum, if the window extends along one axis only, is as long as this axis, and the axis is padded on only
    one side, by its extent minus 1; None otherwise."""
    shape = g.shape_of(x)
    wide = [axis for axis, size in enumerate(window.sizes) if size > 1]
    plain = {*window.strides, *window.dilations, *window.spread} <= {1}
    if name != "add" or len(wide) != 1 or not plain or known_number(start) != 0 or g.tensor_of(x).element_type == I1:
        return None
    axis = wide[0]
    n = shape[axis]
    sides = window.low[axis], window.high[axis]
    others = any(window.low[a] or window.high[a] for a in range(len(shape)) if a != axis)
    if others or window.sizes[axis] != n or sides not in ((n - 1, 0), (0, n - 1)):
        return None
    return b.build(g.CumsumOp, x, axis=axis, reverse=sides[0] == 0)


def _pooled(b: Building, window: SlidingWindow, x: SSAValue, start: SSAValue, name: str | None) -> SSAValue | None:
    """The maximum of each window by `graph.pool`: along the spatial axes of an image if possible, else along all axes
    of the tensor, reshaped to one image of one channel. None if pooling can't express the window."""
    shape, type_ = g.shape_of(x), g.tensor_of(x)
    lows, highs = np.array(window.low), np.array(window.high)
    fits = (np.maximum(lows, highs) < np.array(window.sizes)).all() and min((*lows, *highs), default=-1) >= 0
    padded_shape = [sum(extents) for extents in zip(shape, window.low, window.high, strict=True)]
    plain = {*window.dilations, *window.spread} <= {1} and 0 not in shape and 0 not in window.shape(padded_shape)
    if name != "maximum" or type_.element_type == I1 or not (fits and plain) or prod(window.sizes) > MOST_TAPS:
        return None
    if known_number(start) != neutral_element("max", type_.element_type):
        return None
    leading = zip(window.sizes[:2], window.strides, window.low, window.high, strict=False)
    image = 2 if len(shape) > 2 and all(each == (1, 1, 0, 0) for each in leading) else 0
    viewed = x if image else b.reshaped(x, (1, 1, *shape))
    pads = (*window.low[image:], *window.high[image:])
    y = b.build(g.PoolOp, viewed, kind="max", kernel=window.sizes[image:], pads=pads, strides=window.strides[image:])
    return y if image else b.reshaped(y, g.shape_of(y)[2:])


@converts("select_and_scatter")
def select_and_scatter(b: Building, xs: list[SSAValue]) -> SSAValue:
    """Adds each element of the source to that position of its window which the op's first region selects; if several
    positions qualify, the first is taken. The second region folds source elements that are added to the same
    position (specification, select_and_scatter)."""
    x, source, start = xs
    window = SlidingWindow(b, len(g.shape_of(x)))
    selects, folds = b.op.regions
    name = folding(folds)
    if name != "add" or prod(window.sizes) > MOST_TAPS:
        return _selected(b, window, xs, name)
    # Padding is never selected: a mask marks the positions inside of the operand.
    inside = window.around(b, b.broadcast_to(b.constant(np.array(True)), g.shape_of(x)), b.constant(np.array(False)))
    wide = window.around(b, x, b.constant(np.zeros((), dtype_of(g.tensor_of(x).element_type))))
    taps = list(window.taps())
    best, chosen, found = (
        window.tap(b, wide, taps[0]),
        b.constant(np.array(0, np.int32)),
        window.tap(b, inside, taps[0]),
    )
    for number, at in enumerate(taps[1:], 1):
        seen, there = window.tap(b, wide, at), window.tap(b, inside, at)
        keeps = b.build(g.AndOp, found, applied(b, selects, [best, seen])[0])
        takes = b.build(g.AndOp, there, b.build(g.NotOp, keeps))
        best = b.build(g.SelectOp, takes, seen, best)
        chosen = b.build(g.SelectOp, takes, b.constant(np.array(number, np.int32)), chosen)
        found = b.build(g.OrOp, found, there)
    zero = b.constant(np.zeros((), dtype_of(g.tensor_of(source).element_type)))
    padded_shape, shape = g.shape_of(wide), g.shape_of(source)
    total: SSAValue | None = None
    for number, at in enumerate(taps):
        hit = b.build(g.CompareOp, chosen, b.constant(np.array(number, np.int32)), kind="eq")
        contribution = b.broadcast_to(b.build(g.SelectOp, hit, source, zero), shape)
        reach = [(n - 1) * s + 1 for n, s in zip(shape, window.strides, strict=True)]
        low = tuple(place * dilation for place, dilation in zip(at, window.dilations, strict=True))
        high = tuple(n - r - a for n, r, a in zip(padded_shape, reach, low, strict=True))
        spread = padded(b, contribution, low, high, tuple(s - 1 for s in window.strides), zero)
        total = spread if total is None else b.build(g.AddOp, total, spread)
    assert total is not None
    ends = [low + n for low, n in zip(window.low, g.shape_of(x), strict=True)]
    y = b.sliced(total, window.low, ends)
    return y if known_number(start) == 0 else b.build(g.AddOp, y, start)


def _selected(b: Building, window: SlidingWindow, xs: list[SSAValue], name: str | None) -> SSAValue:
    """The result of select_and_scatter for any window: folds by halves find the selected position of each window, and a
    scatter adds the source at these positions."""
    x, source, start = xs
    shape, selects = g.shape_of(x), b.op.regions[0]
    kinds = {"add": "add", "multiply": "mul", "minimum": "min", "maximum": "max"}
    if name not in kinds or g.tensor_of(source).element_type == I1:
        b.fail(
            "the second region must be one op on numbers (add, multiply, minimum or maximum); write a scatter for "
            "other ops"
        )
    index = np.dtype(np.int64)
    place: SSAValue = b.constant(np.zeros((), index))
    for axis in range(len(shape)):
        along = b.along(axis, shape, element_type_of(index))
        place = b.build(g.AddOp, place, b.build(g.MulOp, along, b.constant(np.array(prod(shape[axis + 1 :]), index))))
    zero = b.constant(np.zeros((), dtype_of(g.tensor_of(x).element_type)))
    inside = b.broadcast_to(b.constant(np.array(True)), shape)
    rows = [
        window.around(b, x, zero),
        window.around(b, b.broadcast_to(place, shape), b.constant(np.zeros((), index))),
        window.around(b, inside, b.constant(np.array(False))),
    ]

    def fold(left: list[SSAValue], right: list[SSAValue]) -> list[SSAValue]:
        keeps = b.build(g.AndOp, left[2], applied(b, selects, [left[0], right[0]])[0])
        keeps = b.build(g.OrOp, keeps, b.build(g.NotOp, right[2]))
        best, at = (b.build(g.SelectOp, keeps, one, other) for one, other in zip(left[:2], right[:2], strict=True))
        return [best, at, b.build(g.OrOp, left[2], right[2])]

    _, places, _ = window.folded(b, rows, fold)
    count = prod(g.shape_of(source))
    start_vector = b.broadcast_to(start, (prod(shape),))
    flat = b.reshaped(places, (count, 1)), b.reshaped(source, (count,))
    return b.reshaped(b.build(g.ScatterNdOp, start_vector, *flat, kind=kinds[name], outside="drop"), shape)


@converts("sort")
def sort(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """Operands sorted along one axis by the first operand, or lexicographically by several operands; the sort is
    stable."""
    rank = len(g.shape_of(xs[0]))
    axis = b.integer("dimension", rank - 1) % rank
    order: SSAValue | None = None
    for index, descending, total in reversed(_keys(b)):
        key = in_total_order(b, xs[index]) if total else xs[index]
        key = key if order is None else b.build(g.GatherElementsOp, key, order, axis=axis)
        step = b.build(g.ArgsortOp, key, axis=axis, descending=descending)
        order = step if order is None else b.build(g.GatherElementsOp, order, step, axis=axis)
    assert order is not None
    return [b.build(g.GatherElementsOp, x, order, axis=axis) for x in xs]


def _keys(b: Building) -> list[tuple[int, bool, bool]]:
    """The sort keys of a comparator, most significant first.

    A key is the operand's index, True if the order is descending, and True if it is total, so that -0 and 0 differ, and
    nans of either sign. JAX writes `a < b` for one key, and `a0 < b0 or a0 == b0 and …` for several keys.
    """
    block = b.op.regions[0]
    at = {id(value): index for index, value in enumerate(block.arguments)}
    made = {id(op.results[0]): op for op in block.ops if op.results}

    def origin(value: HloValue) -> int | None:
        """The index of the comparator's argument from which a value is computed by the ops with which JAX makes zeros
        equal and nans equal; None for any other value."""
        while id(value) not in at:
            op = made.get(id(value))
            if op is None or op.name not in ("select", "bitcast_convert", "convert"):
                return None
            value = op.operands[-1]
        return at[id(value)]

    def is_total(op: HloOp | None) -> bool:
        return op is not None and "TOTALORDER" in str(op.attributes.get("compare_type"))

    def rest_of(value: HloValue, strict: HloOp | None) -> HloValue | None:
        """The comparison by the less significant keys: the operand of an `and` whose other operand is a comparison for
        equality, in total order if the comparison `strict` is in total order. None for any other value."""
        match made.get(id(value)):
            case HloOp(name="and", operands=[left, right]):
                for equal, rest in ((left, right), (right, left)):
                    op = made.get(id(equal))
                    if (
                        op is not None
                        and op.name == "compare"
                        and "EQ" in str(op.attributes.get("comparison_direction"))
                        and is_total(op) == is_total(strict)
                    ):
                        return rest
                return None
            case _:
                return None

    def keys(value: HloValue) -> list[tuple[int, bool, bool]] | None:
        match made.get(id(value)):
            case HloOp(name="compare", operands=[left, right], attributes=attributes) as op:
                first, second = origin(left), origin(right)
                direction = str(attributes.get("comparison_direction", ""))
                if first is None or second is None or first // 2 != second // 2 or direction not in ("LT", "GT"):
                    return None
                total = is_total(op) and {id(left), id(right)} <= at.keys()
                return [(first // 2, (direction == "GT") == (first < second), total)]
            case HloOp(name="or", operands=[strict, both]):
                further = rest_of(both, made.get(id(strict)))
                own, rest = keys(strict), keys(further) if further is not None else None
                return None if rest is None or own is None else [*own, *rest]
            case _:
                return None

    found = keys(block.ops[-1].operands[0]) if block.ops and block.ops[-1].operands else None
    return (
        found
        if found is not None
        else b.fail(
            "the comparator must compare one operand, or several lexicographically, by < or >; rewrite it, or sort "
            "by computed keys"
        )
    )


@converts("chlo.top_k")
def top_k(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """The k largest elements along the last axis, and their indices."""
    order = b.build(g.ArgsortOp, in_total_order(b, xs[0]), axis=-1, descending=True)
    first = _cut(b, order, len(g.shape_of(xs[0])) - 1, 0, b.integer("k"))
    return [b.build(g.GatherElementsOp, xs[0], first, axis=len(g.shape_of(xs[0])) - 1), first]
