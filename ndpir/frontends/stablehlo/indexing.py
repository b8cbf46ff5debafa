"""Ops that move elements by computed indices: gathers and scatters of whole windows, and dynamic slices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, IntegerType, dtype_of
from ndpir.frontends.stablehlo.building import Building, converts
from ndpir.frontends.stablehlo.module import HloBlock
from ndpir.frontends.stablehlo.movement import known_integers, known_number

SCATTERED = {"add": "add", "and": "and", "multiply": "mul", "minimum": "min", "maximum": "max", "or": "or"}
"""How elements and updates meet, by the op in the region."""


@converts("gather", "dynamic_gather")
def gather(b: Building, xs: list[SSAValue]) -> SSAValue:
    """Windows of `slice_sizes` from start indices that are clamped so that windows lie inside (specification,
    gather)."""
    x, indices, *computed = xs
    said = b.fields("dimension_numbers")

    def axes(key: str) -> tuple[int, ...]:
        return b.as_ints(key, said.get(key, []))

    offset, collapsed, start_map = axes("offset_dims"), axes("collapsed_slice_dims"), axes("start_index_map")
    batching, index_batching = axes("operand_batching_dims"), axes("start_indices_batching_dims")
    vector = b.as_ints("index_vector_dim", said.get("index_vector_dim", 0))[0]
    sizes = known_integers(b, computed[0]) if computed else b.ints("slice_sizes")
    picks = _Picks(b, indices, vector, start_map, batching, index_batching)
    shape = g.shape_of(x)
    picks.clamp([shape[axis] - sizes[axis] for axis in start_map])
    windowed = [axis for axis in range(len(shape)) if axis not in collapsed and axis not in batching]
    partial = [axis for axis, n in enumerate(shape) if axis not in (*start_map, *batching) and sizes[axis] < n]
    if partial:
        x = b.sliced(x, [0] * len(shape), [sizes[a] if a in partial else n for a, n in enumerate(shape)])
    moving = [axis for axis in windowed if axis in start_map]
    picks.widen(moving, sizes)
    leading = [*batching, *start_map]
    rest = [axis for axis in range(len(shape)) if axis not in leading]
    found = b.add(g.GatherNdOp, b.transposed(x, [*leading, *rest]), picks.vectors())
    # It is [what picks, windows along picked axes, all other axes].
    ranks = len(picks.shape) - len(moving)
    made = [*(("pick", i) for i in range(ranks)), *(("axis", a) for a in moving)]
    kept = [axis for axis in rest if axis not in collapsed]  # of the others one element is left
    made += [("axis", a) for a in kept]
    found = b.reshaped(found, [*picks.shape, *(g.shape_of(x)[axis] for axis in kept)])
    wanted: list[tuple[str, int]] = []
    windows, batches = iter(windowed), iter(range(ranks))
    for position in range(len(made)):
        wanted.append(("axis", next(windows)) if position in offset else ("pick", next(batches)))
    return b.transposed(found, [made.index(each) for each in wanted])


class _Picks:
    """Index vectors as one tensor a coordinate, over the shape of all that they pick."""

    def __init__(
        self,
        b: Building,
        indices: SSAValue,
        vector: int,
        start_map: Sequence[int],
        batching: Sequence[int],
        index_batching: Sequence[int],
        fixed: Sequence[int] = (),
    ) -> None:
        """`fixed`: further axes that are picked, along which every window starts at 0."""
        self.b, self.axes, self.fixed = b, [*batching, *start_map, *fixed], fixed
        shape = list(g.shape_of(indices))
        if vector == len(shape):
            shape.append(1)
            indices = b.reshaped(indices, shape)
        dtype = dtype_of(g.tensor_of(indices).element_type)
        if dtype.itemsize < 4 or dtype.kind == "u":  # a start and a place in its window may exceed such a type
            indices = b.cast(indices, IntegerType(32 if dtype.itemsize < 4 else 64))
        self.element = g.tensor_of(indices).element_type
        self.shape = shape[:vector] + shape[vector + 1 :]
        order = [*(a for a in range(len(shape)) if a != vector), vector]
        self.starts = b.transposed(indices, order)
        self.batches = [at - (at > vector) for at in index_batching]
        self.widths: list[tuple[int, int]] = []
        self.count = len(start_map)

    def clamp(self, most: Sequence[int]) -> None:
        """Start indices between 0 and the largest at which a window lies inside."""
        b, dtype = self.b, dtype_of(self.element)
        if not self.count:
            return
        low = b.constant(np.zeros((), dtype))
        high = b.constant(np.array([min(n, np.iinfo(dtype).max) for n in most], dtype))
        self.starts = b.add(g.MinOp, b.add(g.MaxOp, self.starts, low), high)

    def widen(self, moving: Sequence[int], sizes: Sequence[int]) -> None:
        """A window along some picked axes: each of its elements has an index vector of its own."""
        self.widths = [(axis, sizes[axis]) for axis in moving]
        self.shape = [*self.shape, *(size for _, size in self.widths)]

    def vectors(self) -> SSAValue:
        """[what picks…, coordinates]."""
        if not self.widths and not self.batches and not self.fixed:
            return self.starts
        b, rank = self.b, len(self.shape)
        own = rank - len(self.widths)
        columns: list[SSAValue] = []
        for at in self.batches:
            columns.append(b.along(at, self.shape, self.element))
        inner = len(self.batches)
        for index, axis in enumerate(self.axes[inner:]):
            shape = g.shape_of(self.starts)
            if index < self.count:
                one = b.sliced(self.starts, [0] * own + [index], [*shape[:-1], index + 1])
                column = b.reshaped(one, [*shape[:-1], *(1,) * len(self.widths)])
            else:
                column = b.constant(np.zeros((1,) * rank, dtype_of(self.element)))
            for position, (moving, size) in enumerate(self.widths):
                if moving == axis and size > 1:
                    along = b.along(own + position, self.shape, self.element)
                    column = b.add(g.AddOp, column, along)
            columns.append(column)
        whole = [b.reshaped(b.stretched(column, self.shape), [*self.shape, 1]) for column in columns]
        return b.add(g.ConcatOp, *whole, axis=rank) if whole else b.reshaped(self.starts, [*self.shape, 0])


@converts("scatter")
def scatter(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """Windows of updates at start indices; elements that fall outside are dropped (specification, scatter). Several
    operands are scattered one by one: each may be folded with its own updates alone."""
    count = len(xs) // 2
    kinds = _kinds(b, b.op.regions[0], count)
    indices = xs[count]
    given = zip(xs[:count], xs[count + 1 :], kinds, strict=True)
    return [x if kind is None else _scattered(b, x, indices, updates, kind) for x, updates, kind in given]


def _kinds(b: Building, block: HloBlock, count: int) -> list[str | None]:
    """How each operand's elements meet its updates: `set`, a kind of `graph.scatter_nd`, or None where they stay."""
    makers = {op.results[0]: op for op in block.ops if op.results}
    kinds: list[str | None] = []
    for index, value in enumerate(block.ops[-1].operands):
        old, new = block.arguments[index], block.arguments[count + index]
        op = makers.get(value)
        if value in (old, new):
            kinds.append("set" if value is new else None)
        elif op is not None and op.name in SCATTERED and {*op.operands} == {old, new}:
            kinds.append(SCATTERED[op.name])
        elif op is not None and op.name == "subtract" and op.operands == [old, new]:
            kinds.append("sub")
        else:
            b.fail(
                "a scatter replaces elements, or folds each with its update by one op: add, subtract, multiply, "
                "minimum, maximum, and for truth values and, or; compute the updates before"
            )
    return kinds


def _scattered(b: Building, x: SSAValue, indices: SSAValue, updates: SSAValue, kind: str) -> SSAValue:
    """One operand with its updates."""
    said = b.fields("scatter_dimension_numbers")

    def axes(key: str) -> tuple[int, ...]:
        return b.as_ints(key, said.get(key, []))

    windows, inserted = axes("update_window_dims"), axes("inserted_window_dims")
    batching, index_batching = axes("input_batching_dims"), axes("scatter_indices_batching_dims")
    start_map = axes("scatter_dims_to_operand_dims")
    vector = b.as_ints("index_vector_dim", said.get("index_vector_dim", 0))[0]
    shape = g.shape_of(x)
    windowed = [axis for axis in range(len(shape)) if axis not in inserted and axis not in batching]
    extents = dict(zip(windowed, (g.shape_of(updates)[w] for w in windows), strict=True))
    others = [axis for axis in range(len(shape)) if axis not in start_map and axis not in batching]
    fixed = [axis for axis in others if extents.get(axis, 1) < shape[axis]]
    picks = _Picks(b, indices, vector, start_map, batching, index_batching, fixed)
    leading = [*batching, *start_map, *fixed]
    moving = [axis for axis in windowed if axis in leading]
    picks.widen(moving, [extents.get(axis, 1) for axis in range(len(shape))])
    rest = [axis for axis in range(len(shape)) if axis not in leading]
    batches = [position for position in range(len(g.shape_of(updates))) if position not in windows]
    order = [*batches, *(windows[windowed.index(a)] for a in moving)]
    order += [windows[windowed.index(a)] for a in rest if a in windowed]
    given = b.transposed(updates, order)
    given = b.reshaped(given, [*picks.shape, *(shape[a] for a in rest)])
    permutation, element = [*leading, *rest], g.tensor_of(x).element_type
    if kind in ("and", "or") and element != I1:
        b.fail(f"bits of integers are not folded by `{kind}` in a scatter; scatter truth values")
    if kind == "sub":
        kind, given = "add", b.add(g.NegOp, given)
    if element == I1 and kind != "set":  # a sum of truth values is their largest, a product their least
        kind = {"add": "max", "mul": "min", "or": "max", "and": "min"}.get(kind, kind)
        x, given = (b.cast(each, IntegerType(8)) for each in (x, given))
    y = b.add(g.ScatterNdOp, b.transposed(x, permutation), picks.vectors(), given, kind=kind, outside="drop")
    y = b.cast(y, element)
    return b.transposed(y, [permutation.index(axis) for axis in range(len(shape))])


@converts("dynamic_slice")
def dynamic_slice(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.dynamic_slice`, clamped; a plain slice where all starts are known, as in the turns of a loop."""
    sizes, starts = b.ints("slice_sizes"), [known_number(start) for start in xs[1:]]
    if len(starts) == len(sizes) and all(start is not None for start in starts):
        most = [n - size for n, size in zip(g.shape_of(xs[0]), sizes, strict=True)]
        first = [min(max(int(start), 0), end) for start, end in zip(starts, most, strict=True)]
        return b.sliced(xs[0], first, [at + size for at, size in zip(first, sizes, strict=True)])
    return b.add(g.DynamicSliceOp, *xs, sizes=b.ints("slice_sizes"))


@converts("dynamic_update_slice")
def dynamic_update_slice(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.dynamic_update_slice`, clamped."""
    return b.add(g.DynamicUpdateSliceOp, *xs)
