"""Converters for ops that move elements by computed indices: gathers and scatters of windows, and dynamic slices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, IntegerType, dtype_of
from ndpir.frontends.padding import known_number
from ndpir.frontends.stablehlo.building import Building, converts
from ndpir.frontends.stablehlo.module import HloBlock
from ndpir.frontends.stablehlo.movement import known_integers
from ndpir.frontends.stablehlo.reduction import applied

SCATTERED = {"multiply": "mul", "minimum": "min", "maximum": "max", **{w: w for w in ("add", "and", "or", "xor")}}
"""The kind of `graph.scatter_nd` that folds elements with updates, by the op in the region."""
KINDS_OF_TRUTH_VALUES = {"add": "or", "mul": "and", "max": "or", "min": "and"}
"""The kind of `graph.scatter_nd` for truth values (i1), by the kind for numbers: their sum is an or, their product an
and."""


@converts("gather", "dynamic_gather")
def gather(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.gather_nd`: windows of `slice_sizes` from start indices, which are clamped so that windows are inside of
    the operand (specification, gather)."""
    x, indices, *computed = xs
    numbers = b.fields("dimension_numbers")

    def axes(key: str) -> tuple[int, ...]:
        return b.as_ints(key, numbers.get(key, []))

    offset, collapsed, start_map = axes("offset_dims"), axes("collapsed_slice_dims"), axes("start_index_map")
    batching, index_batching = axes("operand_batching_dims"), axes("start_indices_batching_dims")
    vector = b.as_ints("index_vector_dim", numbers.get("index_vector_dim", 0))[0]
    sizes = known_integers(b, computed[0]) if computed else b.ints("slice_sizes")
    picks = _IndexVectors(b, indices, vector, start_map, batching, index_batching)
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
    found = b.build(g.GatherNdOp, b.transposed(x, [*leading, *rest]), picks.vectors())
    # Its axes are: those of the index vectors, windows along indexed axes, all other axes.
    ranks = len(picks.shape) - len(moving)
    made = [*(("pick", i) for i in range(ranks)), *(("axis", a) for a in moving)]
    kept = [axis for axis in rest if axis not in collapsed]  # collapsed axes have extent 1
    made += [("axis", a) for a in kept]
    found = b.reshaped(found, [*picks.shape, *(g.shape_of(x)[axis] for axis in kept)])
    wanted: list[tuple[str, int]] = []
    windows, batches = iter(windowed), iter(range(ranks))
    for position in range(len(made)):
        wanted.append(("axis", next(windows)) if position in offset else ("pick", next(batches)))
    return b.transposed(found, [made.index(each) for each in wanted])


class _IndexVectors:
    """Index vectors for `graph.gather_nd` and `graph.scatter_nd`, built from start indices and window sizes."""

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
        """`indices`: start indices, with index vectors along axis `vector`. `start_map`: the operand axis of each
        coordinate. `batching`, `index_batching`: batch axes of the operand and of the indices. `fixed`: further indexed
        axes, along which every window starts at 0."""
        self.b, self.axes, self.fixed = b, [*batching, *start_map, *fixed], fixed
        shape = list(g.shape_of(indices))
        if vector == len(shape):
            shape.append(1)
            indices = b.reshaped(indices, shape)
        dtype = dtype_of(g.tensor_of(indices).element_type)
        if (
            dtype.itemsize < 4 or dtype.kind == "u"
        ):  # the sum of a start and a position in the window may exceed these types
            indices = b.cast(indices, IntegerType(32 if dtype.itemsize < 4 else 64))
        self.element = g.tensor_of(indices).element_type
        self.shape = shape[:vector] + shape[vector + 1 :]
        order = [*(a for a in range(len(shape)) if a != vector), vector]
        self.starts = b.transposed(indices, order)
        self.batches = [at - (at > vector) for at in index_batching]
        self.widths: list[tuple[int, int]] = []
        self.count = len(start_map)

    def clamp(self, most: Sequence[int]) -> None:
        """Clamp the start indices to the range from 0 to `most`, the largest start indices for which windows are inside
        of the operand."""
        b, dtype = self.b, dtype_of(self.element)
        if not self.count:
            return
        low = b.constant(np.zeros((), dtype))
        high = b.constant(np.array([min(n, np.iinfo(dtype).max) for n in most], dtype))
        self.starts = b.build(g.MinOp, b.build(g.MaxOp, self.starts, low), high)

    def widen(self, moving: Sequence[int], sizes: Sequence[int]) -> None:
        """Replace each index vector by one for each element of its window; the window's extent along each axis of
        `moving` is that axis's entry in `sizes`."""
        self.widths = [(axis, sizes[axis]) for axis in moving]
        self.shape = [*self.shape, *(size for _, size in self.widths)]

    def differ(self) -> bool:
        """True if all index vectors are constants and distinct."""
        made = self.starts.owner
        if not isinstance(made, g.ConstantOp):
            return False
        rows = made.value.array().reshape(-1, self.count)
        return len(np.unique(rows, axis=0)) == len(rows)

    def vectors(self) -> SSAValue:
        """The index vectors, along the last axis."""
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
                    column = b.build(g.AddOp, column, along)
            columns.append(column)
        expanded = [b.reshaped(b.broadcast_to(column, self.shape), [*self.shape, 1]) for column in columns]
        return b.build(g.ConcatOp, *expanded, axis=rank) if expanded else b.reshaped(self.starts, [*self.shape, 0])


@converts("scatter")
def scatter(b: Building, xs: list[SSAValue]) -> list[SSAValue]:
    """`graph.scatter_nd`: updates at start indices; updates outside of the operand are dropped (specification,
    scatter).

    If no windows overlap, the region may hold any element-wise ops: the updated elements are gathered, and replaced by
    the region's results. Otherwise each operand is folded with its own updates by one op.
    """
    count = len(xs) // 2
    block, indices = b.op.regions[0], xs[count]
    operands, updates = xs[:count], xs[count + 1 :]
    kinds = _kinds(block, count)
    triples = list(zip(operands, updates, kinds, strict=True))
    if all(kind != "" for kind in kinds):
        return [x if kind is None else _Scatter(b, x, indices, each).folded(kind) for x, each, kind in triples]
    scatters = [_Scatter(b, x, indices, each) for x, each in zip(operands, updates, strict=True)]
    if not all(each.is_unique for each in scatters):
        b.fail(
            "a scatter whose windows may overlap must combine each element with its update by one op (add, "
            "subtract, multiply, minimum, maximum, and, or, xor); set `unique_indices` if windows never overlap, or "
            "compute the updates before the scatter"
        )
    made = applied(b, block, [*(each.old() for each in scatters), *(each.updates for each in scatters)])
    return [each.set(b.broadcast_to(new, g.shape_of(each.updates))) for each, new in zip(scatters, made, strict=True)]


def _kinds(block: HloBlock, count: int) -> list[str | None]:
    """The kind of combination of elements with updates, for each operand: `set`, `sub`, a kind of `graph.scatter_nd`,
    or None if elements stay unchanged; "" for any other region."""
    makers = {op.results[0]: op for op in block.ops if op.results}
    kinds: list[str | None] = []
    for index, value in enumerate(block.ops[-1].operands):
        old, new = block.arguments[index], block.arguments[count + index]
        op = makers.get(value)
        if value in (old, new):
            kinds.append("set" if value is new else None)
        elif op is not None and op.name in SCATTERED and {*op.operands} == {old, new}:
            kinds.append(SCATTERED[op.name])
        else:
            kinds.append("sub" if op is not None and op.name == "subtract" and op.operands == [old, new] else "")
    return kinds


class _Scatter:
    """The scatter of one operand, with axes in the order of `graph.scatter_nd`: indexed axes first."""

    def __init__(self, b: Building, x: SSAValue, indices: SSAValue, updates: SSAValue) -> None:
        numbers = b.fields("scatter_dimension_numbers")

        def axes(key: str) -> tuple[int, ...]:
            return b.as_ints(key, numbers.get(key, []))

        windows, inserted = axes("update_window_dims"), axes("inserted_window_dims")
        batching, index_batching = axes("input_batching_dims"), axes("scatter_indices_batching_dims")
        start_map = axes("scatter_dims_to_operand_dims")
        vector = b.as_ints("index_vector_dim", numbers.get("index_vector_dim", 0))[0]
        shape = g.shape_of(x)
        windowed = [axis for axis in range(len(shape)) if axis not in inserted and axis not in batching]
        extents = dict(zip(windowed, (g.shape_of(updates)[w] for w in windows), strict=True))
        others = [axis for axis in range(len(shape)) if axis not in start_map and axis not in batching]
        fixed = [axis for axis in others if extents.get(axis, 1) < shape[axis]]
        picks = _IndexVectors(b, indices, vector, start_map, batching, index_batching, fixed)
        each = [n for axis, n in enumerate(picks.shape) if axis not in picks.batches]
        leading = [*batching, *start_map, *fixed]
        moving = [axis for axis in windowed if axis in leading]
        declared_unique = b.op.attributes.get("unique_indices") in (True, "true")
        self.is_unique = declared_unique or prod(each) <= 1 or (all(extents[a] == 1 for a in moving) and picks.differ())
        """True if no two windows overlap: the program states so, each batch element has one window, or the indices are
        distinct constants."""
        picks.widen(moving, [extents.get(axis, 1) for axis in range(len(shape))])
        rest = [axis for axis in range(len(shape)) if axis not in leading]
        batches = [position for position in range(len(g.shape_of(updates))) if position not in windows]
        order = [*batches, *(windows[windowed.index(a)] for a in moving)]
        order += [windows[windowed.index(a)] for a in rest if a in windowed]
        self.b, self.permutation, self.leading = b, [*leading, *rest], [shape[a] for a in leading]
        self.updates = b.reshaped(b.transposed(updates, order), [*picks.shape, *(shape[a] for a in rest)])
        self.vectors, self.x = picks.vectors(), b.transposed(x, self.permutation)

    def folded(self, kind: str) -> SSAValue:
        """The operand, with each updated element folded with its updates by `kind`."""
        updates = self.updates
        if kind == "sub":
            kind, updates = "add", self.b.build(g.NegOp, updates)
        if g.tensor_of(self.x).element_type == I1:
            kind = KINDS_OF_TRUTH_VALUES.get(kind, kind)
        return self.set(updates, kind)

    def old(self) -> SSAValue:
        """The elements that updates replace. For updates outside of the operand, the values are arbitrary."""
        b, dtype = self.b, dtype_of(g.tensor_of(self.vectors).element_type)
        most = b.constant(np.array([max(n, 1) - 1 for n in self.leading], dtype))
        inside = b.build(g.MinOp, b.build(g.MaxOp, self.vectors, b.constant(np.zeros((), dtype))), most)
        return b.build(g.GatherNdOp, self.x, inside)

    def set(self, updates: SSAValue, kind: str = "set") -> SSAValue:
        """The operand in its original order of axes, with elements replaced by their updates, or folded with them by
        the kind `kind`."""
        y = self.b.build(g.ScatterNdOp, self.x, self.vectors, updates, kind=kind, outside="drop")
        return self.b.transposed(y, [self.permutation.index(axis) for axis in range(len(self.permutation))])


@converts("dynamic_slice")
def dynamic_slice(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.dynamic_slice` with clamped starts; `graph.slice` if all starts are constants, as in an unrolled loop."""
    sizes, starts = b.ints("slice_sizes"), [known_number(start) for start in xs[1:]]
    if len(starts) == len(sizes) and all(start is not None for start in starts):
        most = [n - size for n, size in zip(g.shape_of(xs[0]), sizes, strict=True)]
        first = [min(max(int(start), 0), end) for start, end in zip(starts, most, strict=True)]
        return b.sliced(xs[0], first, [at + size for at, size in zip(first, sizes, strict=True)])
    return b.build(g.DynamicSliceOp, *xs, sizes=b.ints("slice_sizes"))


@converts("dynamic_update_slice")
def dynamic_update_slice(b: Building, xs: list[SSAValue]) -> SSAValue:
    """`graph.dynamic_update_slice` with clamped starts."""
    return b.build(g.DynamicUpdateSliceOp, *xs)
