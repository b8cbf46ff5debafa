"""Ops that move elements without arithmetic: reshape, transpose, broadcast, concatenate, slice, pad."""

from __future__ import annotations

from math import prod
from typing import ClassVar, TypeGuard

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_attr_def, result_def, traits_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import I1, bit_width, byte_count, element_count, integer_limits, is_float, tensor_type
from dialects.graph.boxes import Box, PartOperands, cut, full_box, replaced
from dialects.graph.contraction import broadcasts
from dialects.graph.op import TENSOR, GraphOp, Tensor, ops_of, shape_of, tensor_of
from dialects.graph.properties import INTS, flag_prop, float_text, int_prop, ints_prop, real_prop
from dialects.graph.reduction import axis_in
from dialects.graph.roles import AnyLayout, FusionRole
from dialects.work import Work


class MovementOp(GraphOp):
    """Base class of ops that only move elements, without flops."""

    FUSION: ClassVar = FusionRole.MOVEMENT

    def work(self) -> Work:
        return self.work_of(0)


@irdl_op_definition
class ReshapeOp(MovementOp):
    """The same elements in the same (row-major) order under another shape; also squeeze, unsqueeze and flatten.

    (C1) the number of elements is the same. (C2) the element type is the same.

    ```mlir
    %y = graph.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
    ```
    """

    name = "graph.reshape"
    FUSION: ClassVar = FusionRole.VIEW
    EXPLICIT_RESULT: ClassVar = True
    x = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, y = tensor_of(self.x), tensor_of(self.y)
        if element_count(x) != element_count(y):  # (C1)
            raise VerifyException(
                f"graph.reshape keeps all elements: {x} has {element_count(x)}, but {y} has {element_count(y)}"
            )
        if x.element_type != y.element_type:  # (C2)
            raise VerifyException(f"graph.reshape keeps the element type: {x} can't become {y}; use graph.cast")
        return (y,)

    def work(self) -> Work:
        read, written = self.bytes_moved()
        return Work(0, read, written, moves_only=True)

    def part(self, box: Box) -> PartOperands | None:
        """The part of the operand for a part of the result. Merged or split axes can be cut only along the outermost
        one longer than 1, at indices that exist in both shapes; unchanged axes can be cut anywhere. None for any
        other part."""
        x, y, need = shape_of(self.x), shape_of(self.y), list[range]()
        for source, target in _runs(x, y):
            axes = slice(target.start, target.stop)
            found = _through(x[source.start : source.stop], y[axes], box[axes])
            if found is None:
                return None
            need += found
        return PartOperands((tuple(need),))


@irdl_op_definition
class BitcastOp(MovementOp):
    """The same bits read as another element type. A cast to a narrower type appends a last axis
    with the narrow elements of each wide one, lowest bits first; a cast to a wider type removes such an axis.

    (C1) operand and result have the same number of bytes and, except for that axis, the same extents. (C2) neither has
    truth values as elements.

    ```mlir
    %y = graph.bitcast %x : tensor<2x3xf32> -> tensor<2x3xi32>
    ```
    """

    name = "graph.bitcast"
    EXPLICIT_RESULT: ClassVar = True
    x = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, y = tensor_of(self.x), tensor_of(self.y)
        wide, narrow = (x, y) if bit_width(x.element_type) >= bit_width(y.element_type) else (y, x)
        parts = bit_width(wide.element_type) // bit_width(narrow.element_type)
        if narrow.get_shape() != (*wide.get_shape(), *((parts,) if parts > 1 else ())):  # (C1)
            raise VerifyException(
                f"graph.bitcast: {x} can't be read as {y}; shapes must be equal, or, if element sizes differ, the "
                "tensor of smaller elements must have an additional last axis with the parts of each larger element"
            )
        if I1 in (x.element_type, y.element_type):  # (C2)
            raise VerifyException("graph.bitcast: truth values have no defined bits; convert them (graph.cast)")
        return (y,)

    def part(self, box: Box) -> PartOperands | None:
        x, y = shape_of(self.x), shape_of(self.y)
        if len(x) == len(y):
            return PartOperands((box,))
        if len(x) > len(y):
            return PartOperands(((*box, range(x[-1])),))
        return PartOperands((box[:-1],)) if len(box[-1]) == y[-1] else None


@irdl_op_definition
class TransposeOp(MovementOp):
    """Axes reordered: result axis i is operand axis `permutation[i]`.

    It moves elements, unless an attribute `{order = array<i64: …>}`, the outermost axis first, gives the order of the
    operand's axes in memory, and either operand or result is then row-major. The pass `layout` sets this attribute.

    (C1) `permutation` holds each axis once.

    ```mlir
    %y = graph.transpose %x permutation = [0, 2, 1] : tensor<2x3x4xf32>
    ```
    """

    name = "graph.transpose"
    x = operand_def(TENSOR)
    permutation = ints_prop()
    order = opt_attr_def(INTS)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, permutation = tensor_of(self.x), tuple(self.permutation.get_values())
        if sorted(permutation) != list(range(x.get_num_dims())):  # (C1)
            raise VerifyException(
                f"graph.transpose: {list(permutation)} is no permutation of the {x.get_num_dims()} axes of {x}"
            )
        return (tensor_type([x.get_shape()[axis] for axis in permutation], x.element_type),)

    def part(self, box: Box) -> PartOperands:
        found = dict(zip(self.permutation.get_values(), box, strict=True))
        return PartOperands((tuple(found[axis] for axis in range(len(box))),))


@irdl_op_definition
class BroadcastOp(MovementOp):
    """Stretch extents of 1 (and missing leading axes) to the result's shape.

    (C1) the operand's shape broadcasts to the result's. (C2) the element type is the same.

    ```mlir
    %y = graph.broadcast %x : tensor<1x3xf32> -> tensor<2x4x3xf32>
    ```
    """

    name = "graph.broadcast"
    EXPLICIT_RESULT: ClassVar = True
    x = operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, y = tensor_of(self.x), tensor_of(self.y)
        if not broadcasts(x, y):  # (C1) (C2)
            raise VerifyException(
                f"graph.broadcast: {x} can't be broadcast to {y}; aligned at the last axis, extents must be equal or 1"
            )
        return (y,)

    def part(self, box: Box) -> PartOperands | None:
        return self.part_by_broadcast(box)


@irdl_op_definition
class ConcatOp(MovementOp):
    """Tensors joined along `axis`, in order.

    The op copies the operands, unless an attribute `{order = array<i64: …>}` gives the order in memory of the axes of
    operands and result, and the operands can be produced directly in adjacent parts of the result: then it is a view
    and takes no time. The pass `layout` sets it.

    With `in_place`, the first operand is a state (`task.state`), whose memory has room behind its rows, or is a ring
    that the new rows go round: only the other operands are written. The pass `state` sets it where that holds.

    (C1) at least one operand. (C2) all other extents and the element types are equal. (C3) the axis exists.

    ```mlir
    %y = graph.concat %a, %b axis = 0 : tensor<2x3xf32>, tensor<1x3xf32>
    %k = graph.concat %cache, %new axis = 0, in_place : tensor<511x128xf16>, tensor<1x128xf16>
    ```
    """

    name = "graph.concat"
    traits = traits_def(AnyLayout())
    parts = var_operand_def(TENSOR)
    axis = int_prop()
    in_place = flag_prop()
    order = opt_attr_def(INTS)
    y = result_def(TENSOR)

    def work(self) -> Work:
        """The work of the concat; `in_place`, only parts after the first are moved."""
        moved = sum(byte_count(tensor_of(part)) for part in self.parts[int(self.in_place.value.data) :])
        return Work(0, moved, moved)

    def infer(self) -> tuple[Tensor, ...]:
        if not self.parts:  # (C1)
            raise VerifyException("graph.concat needs at least one operand")
        first = tensor_of(self.parts[0])
        axis = axis_in(self.axis.value.data, first.get_num_dims(), self.name)  # (C3)
        extent = 0
        for part in map(tensor_of, self.parts):
            shape = part.get_shape()
            fits = len(shape) == first.get_num_dims() and _without(shape, axis) == _without(first.get_shape(), axis)
            if part.element_type != first.element_type or not fits:  # (C2)
                raise VerifyException(
                    f"graph.concat along axis {axis}: {part} does not fit {first}; element types and all extents "
                    f"except along axis {axis} must be equal"
                )
            extent += shape[axis]
        shape = first.get_shape()
        return (tensor_type((*shape[:axis], extent, *shape[axis + 1 :]), first.element_type),)

    def part(self, box: Box) -> PartOperands | None:
        """The parts of operands for a part of the result; None for a part of a state, which is not divided."""
        if self.in_place.value.data and box != full_box(self.y):
            return None
        axis, at = self.axis.value.data % len(box), 0
        needs: list[Box | None] = []
        for value in self.parts:
            extent = shape_of(value)[axis]
            inside, _, _ = cut(box[axis].start - at, box[axis].stop - at, extent)
            needs.append(replaced(box, axis, inside) if inside else None)
            at += extent
        return PartOperands(tuple(needs))


def appends(op: Operation) -> TypeGuard[ConcatOp]:
    """True for a concat that adds rows behind those of a state, in the state's memory."""
    return isinstance(op, ConcatOp) and bool(op.in_place.value.data)


@irdl_op_definition
class SliceOp(MovementOp):
    """Elements `starts` to `ends` (exclusive) of every axis, each `steps`-th (default 1).

    Starts and ends count from the front, one per axis. A negative step runs from start down to end; an end of -1 means
    down to and including element 0.

    The op copies these elements, unless an attribute `{order = array<i64: …>}`, the outermost axis first, gives the
    order in memory of the axes of operand and result, and the result is contiguous in the operand: then it is a view
    and takes no time. The pass `layout` sets it.

    With `in_place`, the result is rows of a state, in the state's memory, and takes no time either. The pass `state`
    sets it where the oldest rows of a ring are dropped.

    (C1) one start, end and step per axis. (C2) steps are not 0. (C3) starts and ends lie within the extent.

    ```mlir
    %y = graph.slice %x starts = [0, 1], ends = [2, 3] : tensor<2x4xf32>
    ```
    """

    name = "graph.slice"
    traits = traits_def(AnyLayout())
    x = operand_def(TENSOR)
    starts = ints_prop()
    ends = ints_prop()
    steps = ints_prop(())
    in_place = flag_prop()
    order = opt_attr_def(INTS)
    y = result_def(TENSOR)

    @staticmethod
    def of(value: SSAValue, box: Box) -> SliceOp:
        """The slice that extracts a box from a tensor."""
        return SliceOp(value, starts=[indices.start for indices in box], ends=[indices.stop for indices in box])

    def ranges(self) -> tuple[range, ...]:
        """The indices kept along each axis. Raises VerifyException if they are out of bounds."""
        shape = shape_of(self.x)
        starts, ends = tuple(self.starts.get_values()), tuple(self.ends.get_values())
        steps = tuple(self.steps.get_values()) or (1,) * len(shape)
        if not len(starts) == len(ends) == len(steps) == len(shape):  # (C1)
            raise VerifyException(
                f"graph.slice: {tensor_of(self.x)} needs {len(shape)} starts, ends and steps, "
                f"not {len(starts)}, {len(ends)} and {len(steps)}"
            )
        if 0 in steps:  # (C2)
            raise VerifyException("graph.slice: a step of 0 was met; steps must not be 0")
        for axis, (start, end, step, extent) in enumerate(zip(starts, ends, steps, shape, strict=True)):
            least = 0 if step > 0 else -1
            if not least <= min(start, end) <= max(start, end) <= extent + least:  # (C3)
                raise VerifyException(
                    f"graph.slice: {start} to {end} is out of bounds on axis {axis} of {tensor_of(self.x)}"
                )
        return tuple(range(*bounds) for bounds in zip(starts, ends, steps, strict=True))

    def infer(self) -> tuple[Tensor, ...]:
        return (tensor_type([len(indices) for indices in self.ranges()], tensor_of(self.x).element_type),)

    def work(self) -> Work:
        written = self.bytes_moved()[1]
        return Work(0, written, written)

    def part(self, box: Box) -> PartOperands:
        kept = [indices[part.start : part.stop] for indices, part in zip(self.ranges(), box, strict=True)]
        spans = tuple(range(min(indices), max(indices) + 1) for indices in kept)
        starts = [indices[0] - span.start for indices, span in zip(kept, spans, strict=True)]
        ends = [
            indices[-1] - span.start + (1 if indices.step > 0 else -1)
            for indices, span in zip(kept, spans, strict=True)
        ]
        return PartOperands((spans,), {"starts": starts, "ends": ends, "steps": [indices.step for indices in kept]})


@irdl_op_definition
class PadOp(MovementOp):
    """Elements of value `value` added around a tensor: `low[i]` before and `high[i]` after axis i.

    (C1) one low and one high per axis, none negative. (C2) integers are padded with an integer of their type, truth
    values with 0 or 1.

    ```mlir
    %y = graph.pad %x low = [0, 1], high = [0, 2] : tensor<2x4xf32>
    ```
    """

    name = "graph.pad"
    traits = traits_def(AnyLayout())
    x = operand_def(TENSOR)
    low = ints_prop()
    high = ints_prop()
    value = real_prop(0.0)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, low, high = tensor_of(self.x), tuple(self.low.get_values()), tuple(self.high.get_values())
        axes, fill = x.get_num_dims(), self.value.value.data
        if not len(low) == len(high) == axes or min((*low, *high), default=0) < 0:  # (C1)
            raise VerifyException(
                f"graph.pad: {x} needs {axes} numbers of at least 0 for each of `low` and `high`, not {list(low)} "
                f"and {list(high)}"
            )
        if not is_float(x.element_type) and not _holds(x.element_type, fill):  # (C2)
            raise VerifyException(f"graph.pad: the fill value {float_text(fill)} can't be an element of {x}")
        return (tensor_type([a + n + b for a, n, b in zip(low, x.get_shape(), high, strict=True)], x.element_type),)

    def part(self, box: Box) -> PartOperands | None:
        lows, shape = self.low.get_values(), shape_of(self.x)
        found = [cut(i.start - low, i.stop - low, n) for i, low, n in zip(box, lows, shape, strict=True)]
        inside, low, high = zip(*found, strict=True) if found else ((), (), ())
        return PartOperands((inside,), {"low": low, "high": high}) if all(inside) else None


def _runs(source: tuple[int, ...], target: tuple[int, ...]) -> list[tuple[range, range]]:
    """Pairs of consecutive axes of both shapes, such that the axes of a pair have equal numbers of elements; each pair
    is as short as possible."""
    runs: list[tuple[range, range]] = []
    i = j = 0
    while i < len(source) or j < len(target):
        begin, other = i, j
        i, j = min(i + 1, len(source)), min(j + 1, len(target))
        while prod(source[begin:i]) != prod(target[other:j]):
            if prod(source[begin:i]) < prod(target[other:j]):
                i += 1
            else:
                j += 1
        runs.append((range(begin, i), range(other, j)))
    return runs


def _through(inner: tuple[int, ...], outer: tuple[int, ...], box: Box) -> list[range] | None:
    """For a pair of axis groups with equal numbers of elements: the ranges of indices, on axes of extents `inner`, of
    the elements in `box`, which has axes of extents `outer`. None if these elements are no box on the inner axes."""
    if all(len(indices) == extent for indices, extent in zip(box, outer, strict=True)):
        return [range(extent) for extent in inner]
    lead = next(axis for axis, extent in enumerate(outer) if extent > 1)
    if any(len(indices) != extent for indices, extent in zip(box[lead + 1 :], outer[lead + 1 :], strict=True)):
        return None
    step = prod(outer[lead + 1 :])
    first, last = box[lead].start * step, box[lead].stop * step
    own = next(axis for axis, extent in enumerate(inner) if extent > 1)
    size = prod(inner[own + 1 :])
    if first % size or last % size:
        return None
    return [range(first // size, last // size) if axis == own else range(extent) for axis, extent in enumerate(inner)]


def _holds(element: Attribute, value: float) -> bool:
    """True if an integer type holds `value`."""
    low, high = integer_limits(element)
    return value.is_integer() and low <= value <= high


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


SHAPE_OPS = ops_of(__name__)
