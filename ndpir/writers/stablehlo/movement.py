"""Writers of ops that move elements, at fixed or computed indices, as StableHLO."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, I64, IntegerType, dtype_of, is_float, tensor_type
from ndpir.writers.stablehlo.program import HloWriter, Written, integers, numbers_of, refuse, writer

SCATTERED = {"mul": "multiply", "min": "minimum", "max": "maximum"}
"""The StableHLO op that combines an element with an update, by the kind of scatter, for kinds whose name differs from
the op's; for `set`, the update is the result."""


@writer.of(g.ReshapeOp)
def reshape(w: HloWriter, op: g.ReshapeOp) -> Written:
    return w.reshaped(w[op.x], g.shape_of(op.y))


@writer.of(g.TransposeOp)
def transpose(w: HloWriter, op: g.TransposeOp) -> Written:
    return w.transposed(w[op.x], op.permutation.get_values())


@writer.of(g.BroadcastOp)
def broadcast(w: HloWriter, op: g.BroadcastOp) -> Written:
    return w.broadcast_to(w[op.x], g.shape_of(op.y))


@writer.of(g.ConcatOp)
def concat(w: HloWriter, op: g.ConcatOp) -> Written:
    return w.joined(w.operands(op), op.axis.value.data % len(g.shape_of(op.y)))


@writer.of(g.PadOp)
def pad(w: HloWriter, op: g.PadOp) -> Written:
    return w.padded(w[op.x], op.low.get_values(), op.high.get_values(), op.value.value.data)


@writer.of(g.SliceOp)
def slice_(w: HloWriter, op: g.SliceOp) -> Written:
    """`slice`; axes with negative steps are reversed first."""
    x, starts, ends = w[op.x], list(op.starts.get_values()), list(op.ends.get_values())
    steps = list(op.steps.get_values()) or [1] * len(starts)
    if reversed_axes := [axis for axis, step in enumerate(steps) if step < 0]:
        x = w.op("reverse", [x], x.type, dimensions=integers(reversed_axes))
    for axis in reversed_axes:
        last = x.shape[axis] - 1
        starts[axis], ends[axis], steps[axis] = last - starts[axis], last - ends[axis], -steps[axis]
    ends = [max(start, end) for start, end in zip(starts, ends, strict=True)]
    return w.sliced(x, starts, ends, steps)


@writer.of(g.DynamicSliceOp)
def dynamic_slice(w: HloWriter, op: g.DynamicSliceOp) -> Written:
    x, *starts = w.operands(op)
    sizes = integers(op.sizes.get_values())
    return w.op("dynamic_slice", [x, *_alike(w, starts)], g.tensor_of(op.results[0]), slice_sizes=sizes)


@writer.of(g.DynamicUpdateSliceOp)
def dynamic_update_slice(w: HloWriter, op: g.DynamicUpdateSliceOp) -> Written:
    x, update, *starts = w.operands(op)
    given = [x, update, *_alike(w, starts)]
    types = ", ".join(str(each.type) for each in given)
    made = Written(w.fresh(), x.type)
    names = ", ".join(each.name for each in given)
    w.line(f'{made.name} = "stablehlo.dynamic_update_slice"({names}) : ({types}) -> {x.type}')
    return made


def _alike(w: HloWriter, starts: Sequence[Written]) -> list[Written]:
    """Start indices of one type, as StableHLO requires: if their types differ, all are cast to i64."""
    return list(starts) if len({each.element for each in starts}) < 2 else [w.cast(each, I64) for each in starts]


# Ops with computed indices.


def from_start(w: HloWriter, value: SSAValue, extents: Sequence[int]) -> Written:
    """Indices counted from the start of their axis: negative indices count from the axis's end, so that its extent is
    added to them. `extents`: the extent of the indexed axis, or one extent for each coordinate of index vectors."""
    indices = w[value]
    if not extents or never_negative(value):
        return indices
    if max(extents) > np.iinfo(dtype_of(indices.element)).max:
        indices = w.cast(indices, I64)
    extent = w.constant(np.array(extents if len(extents) != 1 else extents[0]), indices.element)
    return w.selected(w.compared(indices, w.scalar(0, indices.element), "lt"), w.same("add", indices, extent), indices)


def never_negative(value: SSAValue) -> bool:
    """True if all elements of an integer value are known to be at least 0, for example for clamped indices."""
    known: dict[SSAValue, bool] = {}
    waiting = [value]
    while waiting:
        here, op = waiting[-1], waiting[-1].owner
        needed: Sequence[SSAValue] = op.operands if isinstance(op, _KEEP_SIGN) else ()
        needed = op.operands[1:] if isinstance(op, g.SelectOp) else needed
        if missing := [operand for operand in needed if operand not in known]:
            waiting += missing
            continue
        waiting.pop()
        if dtype_of(g.tensor_of(here).element_type).kind == "u":
            known[here] = True
        elif isinstance(op, g.ConstantOp):
            known[here] = bool((op.value.array() >= 0).all())
        else:
            fits = any if isinstance(op, g.MaxOp) else all
            known[here] = bool(needed) and fits(known[operand] for operand in needed)
    return known[value]


_KEEP_SIGN = (g.MaxOp, g.MinOp, g.ConcatOp, g.ReshapeOp, g.TransposeOp, g.BroadcastOp, g.SliceOp)
"""Ops whose results are known to be at least 0 if their operands are; of a maximum, if one of its operands is."""


def gathered(
    w: HloWriter, x: Written, indices: Written, type_: g.Tensor, sizes: Sequence[int], **others: object
) -> Written:
    numbers: dict[str, object] = {"offset_dims": [], "collapsed_slice_dims": [], "operand_batching_dims": [], **others}
    return w.op(
        "gather",
        [x, indices],
        type_,
        dimension_numbers=numbers_of("gather", numbers),
        slice_sizes=integers(sizes),
        indices_are_sorted="false",
    )


@writer.of(g.GatherOp)
def gather(w: HloWriter, op: g.GatherOp) -> Written:
    x, axis = w[op.x], op.axis.value.data % len(g.shape_of(op.x))
    picks = from_start(w, op.indices, [x.shape[axis]])
    rank, own = len(picks.shape), len(x.shape)
    return gathered(
        w,
        x,
        picks,
        g.tensor_of(op.y),
        [1 if a == axis else n for a, n in enumerate(x.shape)],
        offset_dims=[*range(axis), *range(axis + rank, own + rank - 1)],
        collapsed_slice_dims=[axis],
        start_index_map=[axis],
        index_vector_dim=rank,
    )


@writer.of(g.GatherElementsOp)
def gather_elements(w: HloWriter, op: g.GatherElementsOp) -> Written:
    """A `gather` whose batch axes are all axes except the gathered one. Along these axes, the operand is first sliced
    to the extents of the indices."""
    axis, shape = op.axis.value.data % len(g.shape_of(op.x)), g.shape_of(op.indices)
    x = w.sliced(w[op.x], [0] * len(shape), [g.shape_of(op.x)[a] if a == axis else n for a, n in enumerate(shape)])
    picks = from_start(w, op.indices, [x.shape[axis]])
    others = [a for a in range(len(x.shape)) if a != axis]
    return gathered(
        w,
        x,
        picks,
        g.tensor_of(op.y),
        [1] * len(x.shape),
        collapsed_slice_dims=[axis],
        operand_batching_dims=others,
        start_indices_batching_dims=others,
        start_index_map=[axis],
        index_vector_dim=len(x.shape),
    )


@writer.of(g.GatherNdOp)
def gather_nd(w: HloWriter, op: g.GatherNdOp) -> Written:
    x, shared = w[op.x], op.batch_dims.value.data
    *outer, count = g.shape_of(op.indices)
    picks = from_start(w, op.indices, x.shape[shared : shared + count])
    rest = range(shared + count, len(x.shape))
    return gathered(
        w,
        x,
        picks,
        g.tensor_of(op.y),
        [1 if a < shared + count else n for a, n in enumerate(x.shape)],
        offset_dims=list(range(len(outer), len(outer) + len(rest))),
        collapsed_slice_dims=list(range(shared, shared + count)),
        operand_batching_dims=list(range(shared)),
        start_indices_batching_dims=list(range(shared)),
        start_index_map=list(range(shared, shared + count)),
        index_vector_dim=len(outer),
    )


def _scattered(
    w: HloWriter,
    op: g.ScatterElementsOp | g.ScatterNdOp,
    x: Written,
    picks: Written,
    updates: Written,
    **others: object,
) -> Written:
    """A scatter of elements or slices. Elements of a floating-point type shorter than f32 are combined with the updates
    in f32, and rounded once."""
    kind = op.kind.data
    wide = w.widened(x) if kind != "set" else x
    updates = w.cast(updates, wide.element)
    made, scalar = Written(w.fresh(), wide.type), tensor_type((), wide.element)
    numbers = numbers_of("scatter", {"update_window_dims": [], "inserted_window_dims": [], **others})
    with w.region(
        f'{made.name} = "stablehlo.scatter"({wide.name}, {picks.name}, {updates.name}) '
        f"<{{scatter_dimension_numbers = {numbers}, indices_are_sorted = false, unique_indices = false}}> ({{",
        f"}}) : ({wide.type}, {picks.type}, {updates.type}) -> {wide.type}",
    ):
        a, b, y = w.fresh(), w.fresh(), w.fresh()
        w.line(f"^bb0({a}: {scalar}, {b}: {scalar}):")
        if kind == "set":
            y = b
        else:
            w.line(f"  {y} = stablehlo.{SCATTERED.get(kind, kind)} {a}, {b} : {scalar}")
        w.line(f"  stablehlo.return {y} : {scalar}")
    return w.cast(made, x.element)


@writer.of(g.ScatterElementsOp)
def scatter_elements(w: HloWriter, op: g.ScatterElementsOp) -> Written:
    """`scatter` with a full index vector for each element of the updates."""
    x, axis = w[op.x], op.axis.value.data % len(g.shape_of(op.x))
    picks = w.cast(from_start(w, op.indices, [x.shape[axis]]), I64)
    shape = picks.shape
    columns = [
        picks if a == axis else w.op("iota", [], tensor_type(shape, I64), iota_dimension=f"{a} : i64")
        for a in range(len(shape))
    ]
    vectors = w.joined([w.reshaped(column, (*shape, 1)) for column in columns], len(shape))
    every = list(range(len(shape)))
    attributes = {"inserted_window_dims": every, "scatter_dims_to_operand_dims": every, "index_vector_dim": len(shape)}
    return _scattered(w, op, x, vectors, w[op.updates], **attributes)


@writer.of(g.ScatterNdOp)
def scatter_nd(w: HloWriter, op: g.ScatterNdOp) -> Written:
    x = w[op.x]
    *outer, count = g.shape_of(op.indices)
    if not count:
        refuse(op, "StableHLO's runtimes disagree on index vectors without coordinates")
    picks = w[op.indices] if op.outside.data == "drop" else from_start(w, op.indices, x.shape[:count])
    attributes = {
        "update_window_dims": list(range(len(outer), len(outer) + len(x.shape) - count)),
        "inserted_window_dims": list(range(count)),
        "scatter_dims_to_operand_dims": list(range(count)),
        "index_vector_dim": len(outer),
    }
    return _scattered(w, op, x, picks, w[op.updates], **attributes)


@writer.of(g.ArgsortOp)
def argsort(w: HloWriter, op: g.ArgsortOp) -> Written:
    """A `sort` of the elements together with their indices. Floating-point keys are compared in total order; before the
    comparison, zeros of both signs are made equal, and so are all nans, as JAX does."""
    x, axis = w[op.x], op.axis.value.data % len(g.shape_of(op.x))
    kind = ""
    if is_float(x.element):
        x = w.selected(w.compared(x, w.scalar(0, x.element), "eq"), w.scalar(0, x.element), x)
        x = w.selected(w.compared(x, x, "ne"), w.scalar(float("nan"), x.element), x)
        kind = ", compare_type = #stablehlo<comparison_type TOTALORDER>"
    element = IntegerType(32)
    place = w.op("iota", [], tensor_type(x.shape, element), iota_dimension=f"{axis} : i64")
    keys, order = w.fresh(), Written(w.fresh(), place.type)
    scalar, other = tensor_type((), x.element), tensor_type((), element)
    with w.region(
        f'{keys}, {order.name} = "stablehlo.sort"({x.name}, {place.name}) '
        f"<{{dimension = {axis} : i64, is_stable = true}}> ({{",
        f"}}) : ({x.type}, {place.type}) -> ({x.type}, {place.type})",
    ):
        a, b, i, j, y = (w.fresh() for _ in range(5))
        direction = "GT" if op.descending.value.data else "LT"
        attributes = f"comparison_direction = #stablehlo<comparison_direction {direction}>{kind}"
        truth = tensor_type((), I1)
        w.line(f"^bb0({a}: {scalar}, {b}: {scalar}, {i}: {other}, {j}: {other}):")
        w.line(f'  {y} = "stablehlo.compare"({a}, {b}) <{{{attributes}}}> : ({scalar}, {scalar}) -> {truth}')
        w.line(f"  stablehlo.return {y} : {truth}")
    return order
