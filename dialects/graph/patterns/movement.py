"""Patterns for ops that move elements: chains are merged into one op, no-op moves are removed, moves of unit axes
become views."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.ir import SSAValue

from dialects.graph.indexing import GatherNdOp, GatherOp
from dialects.graph.op import shape_of
from dialects.graph.patterns.matching import axes_of, keeps_type, made_by, numbers, rebuilt
from dialects.graph.reduction import ReduceOp
from dialects.graph.rules import Replacement, RuleBuilder, Table
from dialects.graph.shape import ConcatOp, PadOp, ReshapeOp, SliceOp, TransposeOp, appends


def _no_move(op: ReshapeOp, new: RuleBuilder) -> Replacement:
    return op.x if keeps_type(op.x, op.y) else None


def _chain(op: ReshapeOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, ReshapeOp)
    return new(ReshapeOp(inner.x, result_type=op.y.type), inner) if inner else None


def _transpose_of_unit_axes(op: TransposeOp, new: RuleBuilder) -> Replacement:
    shape = shape_of(op.x)
    moved = [axis for axis in axes_of(op.permutation) if shape[axis] != 1]
    if any(a > b for a, b in pairwise(moved)):
        return None
    return op.x if keeps_type(op.x, op.y) else new(ReshapeOp(op.x, result_type=op.y.type))


def _transpose_twice(op: TransposeOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, TransposeOp)
    if inner is None:
        return None
    first = axes_of(inner.permutation)
    return new(TransposeOp(inner.x, permutation=[first[axis] for axis in axes_of(op.permutation)]), inner)


def _joined_parts(op: ConcatOp, new: RuleBuilder) -> Replacement:
    if appends(op):
        return None
    axis = op.axis.value.data % len(shape_of(op.y))
    parts: list[SSAValue] = []
    sources: list[ConcatOp] = []
    for part in op.parts:
        inner = made_by(part, ConcatOp)
        if inner is not None and (appends(inner) or not inner.y.has_one_use()):
            inner = None
        if inner is not None and inner.axis.value.data % len(shape_of(op.y)) == axis:
            parts += inner.parts
            sources.append(inner)
        elif shape_of(part)[axis]:
            parts.append(part)
    if len(parts) == 1:
        return parts[0]
    if not parts or len(parts) == len(op.parts):
        return None
    return new(ConcatOp(*parts, axis=axis), *sources)


def _rejoined_slices(op: ConcatOp, new: RuleBuilder) -> Replacement:
    if appends(op):
        return None
    axis = op.axis.value.data % len(shape_of(op.y))
    parts: list[SSAValue] = [op.parts[0]]
    for part in op.parts[1:]:
        last, here = made_by(parts[-1], SliceOp), made_by(part, SliceOp)
        if last and here and (merged := _adjoining(last, here, axis)):
            parts[-1] = new(merged, last, here)
        else:
            parts.append(part)
    if len(parts) == len(op.parts):
        return None
    return parts[0] if len(parts) == 1 else new(ConcatOp(*parts, axis=axis))


def _adjoining(first: SliceOp, second: SliceOp, axis: int) -> SliceOp | None:
    """The slice that equals the concatenation of the slices `first` and `second` along `axis`; None if there is
    none."""
    if first.x is not second.x:
        return None
    a, b = list(first.ranges()), second.ranges()
    others_agree = all(a[i] == b[i] for i in range(len(a)) if i != axis)
    if not others_agree or a[axis].step != b[axis].step or a[axis].start + len(a[axis]) * a[axis].step != b[axis].start:
        return None
    a[axis] = range(a[axis].start, b[axis].stop, a[axis].step)
    return sliced(first.x, a)


def sliced(x: SSAValue, ranges: Sequence[range]) -> SliceOp:
    """A slice of `x` that selects, on each axis, the indices of a range; its stop is right after the last index."""
    ranges = [_tight(indices) for indices in ranges]
    steps = [indices.step for indices in ranges]
    return SliceOp(
        x,
        starts=[indices.start for indices in ranges],
        ends=[indices.stop for indices in ranges],
        steps=steps if any(step != 1 for step in steps) else [],
    )


def _tight(indices: range) -> range:
    match len(indices):
        case 0:
            return range(0)
        case 1:
            return range(indices[0], indices[0] + 1)
        case _:
            return range(indices[0], indices[-1] + (1 if indices.step > 0 else -1), indices.step)


def _full_slice(op: SliceOp, new: RuleBuilder) -> Replacement:
    merged = all(indices == range(extent) for indices, extent in zip(op.ranges(), shape_of(op.x), strict=True))
    return op.x if merged else None


def _slice_twice(op: SliceOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, SliceOp)
    if inner is None or 0 in shape_of(op.y):
        return None
    picked = [_picked(first, then) for first, then in zip(inner.ranges(), op.ranges(), strict=True)]
    return new(sliced(inner.x, picked), inner)


def _picked(first: range, then: range) -> range:
    """The range of the indices `first[i]` for all i in `then`."""
    step = first.step * then.step
    return range(first[then[0]], first[then[0]] + len(then) * step, step)


def _slice_of_parts(op: SliceOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, ConcatOp)
    if inner is None or 0 in shape_of(op.y):
        return None
    axis = inner.axis.value.data % len(shape_of(op.x))
    ranges = [_tight(indices) for indices in op.ranges()]
    kept, start = ranges[axis], 0
    low, high = min(kept), max(kept)
    read: list[tuple[SSAValue, range]] = []
    for part in inner.parts:
        end = start + shape_of(part)[axis]
        if low < end and high >= start:
            inside = kept if start <= low and high < end else range(max(low, start), min(high + 1, end))
            read.append((part, range(inside.start - start, inside.stop - start, inside.step)))
        start = end
    if len(read) > 1 and (kept.step != 1 or len(read) == len(inner.parts) or appends(inner)):
        return None
    parts = [new(sliced(part, [*ranges[:axis], inside, *ranges[axis + 1 :]]), inner) for part, inside in read]
    return parts[0] if len(parts) == 1 else new(ConcatOp(*parts, axis=axis), inner)


def _slice_of_moved_parts(op: SliceOp, new: RuleBuilder) -> Replacement:
    if 0 in shape_of(op.y) or isinstance(op.x.owner, ConcatOp) or (found := _moved_parts(op.x)) is None:
        return None
    joined, sources = found
    axis = joined.axis.value.data % len(shape_of(joined.y))
    ranges = {source: kept for source, kept in zip(sources, op.ranges(), strict=True) if source is not None}
    low, high = min(ranges[axis], default=0), max(ranges[axis], default=0)
    start = 0
    for part in joined.parts:
        end = start + shape_of(part)[axis]
        if start <= low and high < end:
            inside = range(ranges[axis].start - start, ranges[axis].stop - start, ranges[axis].step)
            picked = [
                inside if at == axis else ranges.get(at, range(extent)) for at, extent in enumerate(shape_of(part))
            ]
            order = [source for source in sources if source is not None]
            order += [at for at in range(len(picked)) if at not in order]
            moved = new(TransposeOp(new(sliced(part, picked), joined), permutation=order))
            return new(ReshapeOp(moved, result_type=op.y.type))
        start = end
    return None


def _moved_parts(value: SSAValue) -> tuple[ConcatOp, list[int | None]] | None:
    """The concat whose result a value is but for the order of axes and unit axes; and for each axis of the value, that
    of the concat that it is. None if there is no such concat, or if its axis is not among these."""
    axes: list[int | None] = list(range(len(shape_of(value))))
    while True:
        op = value.owner
        if isinstance(op, TransposeOp):
            sources: dict[int, int] = dict(enumerate(axes_of(op.permutation)))
            value = op.x
        elif isinstance(op, ReshapeOp):
            wide, narrow = ([at for at, n in enumerate(shape_of(each)) if n != 1] for each in (op.y, op.x))
            if [shape_of(op.y)[at] for at in wide] != [shape_of(op.x)[at] for at in narrow]:
                return None
            sources = dict(zip(wide, narrow, strict=True))
            value = op.x
        elif isinstance(op, ConcatOp) and not appends(op) and op.axis.value.data % len(shape_of(op.y)) in axes:
            return op, axes
        else:
            return None
        axes = [None if axis is None else sources.get(axis) for axis in axes]


def _no_padding(op: PadOp, new: RuleBuilder) -> Replacement:
    return op.x if keeps_type(op.x, op.y) else None


def _pad_twice(op: PadOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, PadOp)
    if inner is None or inner.value != op.value:
        return None
    low = [a + b for a, b in zip(axes_of(inner.low), axes_of(op.low), strict=True)]
    high = [a + b for a, b in zip(axes_of(inner.high), axes_of(op.high), strict=True)]
    return new(PadOp(inner.x, low=low, high=high, value=op.value), inner)


def _gather_in_a_row(op: GatherOp, new: RuleBuilder) -> Replacement:
    return _in_a_row(op, op.axis.value.data % len(shape_of(op.x)), new)


def _gather_nd_in_a_row(op: GatherNdOp, new: RuleBuilder) -> Replacement:
    return None if op.batch_dims.value.data or shape_of(op.indices)[-1] != 1 else _in_a_row(op, 0, new)


def _in_a_row(op: GatherOp | GatherNdOp, axis: int, new: RuleBuilder) -> Replacement:
    """The slice that picks the indices of a gather along an axis, if these are known and an arithmetic progression."""
    picks, shape = numbers(op.indices), shape_of(op.x)
    if picks is None or picks.size == 0:
        return None
    flat = [int(pick) % shape[axis] for pick in picks.reshape(-1) if -shape[axis] <= pick < shape[axis]]  # pyright: ignore
    step = flat[1] - flat[0] if len(flat) > 1 else 1
    if len(flat) != picks.size or step == 0 or any(b - a != step for a, b in pairwise(flat)):
        return None
    ranges = [range(extent) for extent in shape]
    ranges[axis] = range(flat[0], flat[0] + len(flat) * step, step)
    kept = new(sliced(op.x, ranges))
    return kept if keeps_type(kept, op.y) else new(ReshapeOp(kept, result_type=op.y.type))


def _reduce_of_unit_axes(op: ReduceOp, new: RuleBuilder) -> Replacement:
    if any(shape_of(op.x)[axis] != 1 for axis in op.axis_set()):
        return None
    return op.x if keeps_type(op.x, op.y) else new(ReshapeOp(op.x, result_type=op.y.type))


def _reduce_twice(op: ReduceOp, new: RuleBuilder) -> Replacement:
    inner = made_by(op.x, ReduceOp)
    if inner is None or inner.kind != op.kind or op.kind.data not in ("min", "max") or not inner.y.has_one_use():
        return None
    removed = inner.axis_set()
    kept = [axis for axis in range(len(shape_of(inner.x))) if inner.keep_dims.value.data or axis not in removed]
    axes = sorted({*removed, *(kept[axis] for axis in op.axis_set())})
    keeps_none = shape_of(op.y) == tuple(n for axis, n in enumerate(shape_of(inner.x)) if axis not in axes)
    reduced = new(ReduceOp(inner.x, kind=op.kind, axes=axes, keep_dims=not keeps_none), inner)
    return reduced if keeps_type(reduced, op.y) else new(ReshapeOp(reduced, result_type=op.y.type))


def _sorted_axes(op: ReduceOp, new: RuleBuilder) -> Replacement:
    axes = op.axis_set()
    return None if axes == axes_of(op.axes) else new(rebuilt(op, op.x, axes=axes))


VIEWS: Table = (
    (ReshapeOp, _no_move),  # reshape(x) = x                  to x's own shape
    (ReshapeOp, _chain),  # reshape(reshape(x)) = reshape(x)
    (TransposeOp, _transpose_of_unit_axes),  # transpose(x) = reshape(x)      where only extents of 1 change their order
    (TransposeOp, _transpose_twice),  # transpose(transpose(x, p), q) = transpose(x, p[q])
)
"""Rules that merge adjacent views and transposes, or remove them."""
RULES: Table = (
    *VIEWS,
    (ConcatOp, _joined_parts),  # concat(x) = x, concat(concat(a, b), c) = concat(a, b, c), concat(a, nothing) = a
    (ConcatOp, _rejoined_slices),  # concat(x[a:b], x[b:c]) = x[a:c]
    (SliceOp, _full_slice),  # x[0:n] = x
    (SliceOp, _slice_twice),  # x[a:b][c:d] = x[a+c:a+d]
    (
        SliceOp,
        _slice_of_parts,
    ),  # concat(a, b)[c:d] = a[c:d] if the slice lies in a; else the concat of the parts that it reads
    (SliceOp, _slice_of_moved_parts),  # transpose(concat(a, b))[c:d] = transpose(a[c:d]) if the slice lies in a
    (PadOp, _no_padding),  # pad(x) = x if no element is added
    (PadOp, _pad_twice),  # pad(pad(x)) = pad(x)         with one value
    (GatherOp, _gather_in_a_row),  # gather(x, [a, a+s, …]) = x[a::s]
    (GatherNdOp, _gather_nd_in_a_row),  # gather_nd(x, [[a], [a+s], …]) = x[a::s]
    (ReduceOp, _reduce_of_unit_axes),  # reduce(x) = reshape(x)         over extents of 1
    (ReduceOp, _reduce_twice),  # max(max(x)) = max(x)          over both's axes
    (ReduceOp, _sorted_axes),  # axes counted from the front, in order
)
