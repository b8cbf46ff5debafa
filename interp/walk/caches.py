"""Caches: values that are states with rows appended, seen through views, copies and the borders of tasks and groups."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from xdsl.ir import Block, BlockArgument, OpResult, SSAValue

from dialects.graph.fused import FusedOp
from dialects.graph.indexing import DynamicUpdateSliceOp
from dialects.graph.op import shape_of
from dialects.graph.shape import ReshapeOp, SliceOp, TransposeOp, appends
from dialects.task import CopyOp, RunOp
from interp.walk.views import axis_of


class CacheRows(NamedTuple):
    """The rows of a cache: the axis of the value along which they are counted, and how many were there before the
    step."""

    axis: int
    kept: int


def cache_rows(value: SSAValue) -> CacheRows | None:
    """The rows of a value that is a cache: a state to which an op of the program appends rows in place, or of which it
    replaces rows. None for any other value. A device that computes on a cache holds it from the start, in the layout
    that it reads; only new rows are written."""
    owner = value.owner
    if isinstance(value, BlockArgument):
        around = value.block.parent_op()
        return cache_rows(around.inputs[value.index]) if isinstance(around, RunOp | FusedOp) else None
    if isinstance(owner, CopyOp):
        return cache_rows(owner.value)
    if isinstance(owner, RunOp) and isinstance(value, OpResult):
        return cache_rows(owner.yielded[value.index]) if value.index < len(owner.yielded) else None
    if isinstance(owner, Block):
        return None
    if appends(owner):
        axis = axis_of(owner)
        return CacheRows(axis, shape_of(owner.parts[0])[axis])
    if isinstance(owner, DynamicUpdateSliceOp) and owner.in_place.value.data:
        pairs = zip(shape_of(owner.x), shape_of(owner.update), strict=True)
        changed = [(axis, whole - part) for axis, (whole, part) in enumerate(pairs) if whole != part]
        return CacheRows(*changed[0]) if len(changed) == 1 else None
    if isinstance(owner, TransposeOp) and (found := cache_rows(owner.x)) is not None:
        return found._replace(axis=list(owner.permutation.get_values()).index(found.axis))
    if isinstance(owner, ReshapeOp) and (found := cache_rows(owner.x)) is not None:
        return _reshaped(found, shape_of(owner.x), shape_of(value))
    if isinstance(owner, SliceOp) and (found := cache_rows(owner.x)) is not None:
        lost = shape_of(owner.x)[found.axis] - shape_of(value)[found.axis]
        whole = lost == sum(shape_of(owner.x)) - sum(shape_of(value))
        return found._replace(kept=found.kept - lost) if whole and found.kept > lost else None
    return None


def _reshaped(rows: CacheRows, before: tuple[int, ...], after: tuple[int, ...]) -> CacheRows | None:
    """The rows under another shape that has an axis of the same extent and distance; None if it has none."""
    extent, distance = before[rows.axis], prod(before[rows.axis + 1 :])
    fits = (axis for axis, n in enumerate(after) if n == extent and prod(after[axis + 1 :]) == distance)
    axis = next(fits, None)
    return None if axis is None else rows._replace(axis=axis)
