"""Ops that move elements by computed indices: gather and scatter in ONNX's three forms each."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import I1, byte_count, is_float, tensor_type
from dialects.graph.boxes import Box, PartOperands, full_box, replaced
from dialects.graph.op import TENSOR, GraphOp, Tensor, ops_of, shape_of, tensor_of
from dialects.graph.properties import flag_prop, int_prop, ints_prop, word_prop
from dialects.graph.reduction import axis_in
from dialects.work import Work


class IndexingOp(GraphOp):
    """Base class of gathers and scatters: negative indices count from the end; an index out of range is a run-time
    error.

    (C1) indices are integers.
    """

    def check_indices(self, indices: Tensor) -> None:
        """Raise VerifyException unless `indices` holds integers."""
        if not isinstance(indices.element_type, IntegerType) or indices.element_type == I1:  # (C1)
            raise VerifyException(f"{self.name}: indices are integers, not {indices.element_type}")

    def check_over(self, x: Tensor, indices: Tensor, axis: int) -> None:
        """Raise VerifyException unless `indices`, each of which selects a single element, has the rank of `x`, and on
        all axes but `axis` extents no larger than those of `x`."""
        axis = axis_in(axis, x.get_num_dims(), self.name)  # (C2)
        others = [(i, n) for a, (i, n) in enumerate(zip(indices.get_shape(), x.get_shape(), strict=False)) if a != axis]
        if x.get_num_dims() != indices.get_num_dims() or any(i > n for i, n in others):  # (C3)
            raise VerifyException(
                f"{self.name}: indices {indices} must have the rank of {x} and no larger "
                f"extents, except along axis {axis}"
            )

    def work(self) -> Work:
        moved = byte_count(tensor_of(self.results[0]))
        return Work(0, moved + byte_count(tensor_of(self.operands[1])), moved)


@irdl_op_definition
class GatherOp(IndexingOp):
    """Whole slices of `x` along `axis`, picked by index: the embedding look-up.

    Result shape: x's extents before the axis, the indices' shape, x's extents after it.

    (C2) the axis exists.

    ```mlir
    %y = graph.gather %table, %ids : tensor<50257x768xf32>, tensor<1x128xi64>
    ```
    """

    name = "graph.gather"
    x = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    axis = int_prop(0)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, indices = tensor_of(self.x), tensor_of(self.indices)
        self.check_indices(indices)
        axis, shape = axis_in(self.axis.value.data, x.get_num_dims(), self.name), x.get_shape()
        return (tensor_type((*shape[:axis], *indices.get_shape(), *shape[axis + 1 :]), x.element_type),)

    def part(self, box: Box) -> PartOperands:
        axis, rank = self.axis.value.data % len(shape_of(self.x)), len(shape_of(self.indices))
        table = (*box[:axis], range(shape_of(self.x)[axis]), *box[axis + rank :])
        return PartOperands((table, box[axis : axis + rank]))


@irdl_op_definition
class GatherElementsOp(IndexingOp):
    """Single elements of `x`: the result at p is x at p with coordinate `axis` replaced by indices[p].

    (C2) the axis exists. (C3) x and indices have the same rank, and indices do not reach beyond x on the other axes.

    ```mlir
    %y = graph.gather_elements %x, %i axis = 1 : tensor<3x4xf32>, tensor<3x2xi64>
    ```
    """

    name = "graph.gather_elements"
    x = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    axis = int_prop(0)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, indices = tensor_of(self.x), tensor_of(self.indices)
        self.check_indices(indices)
        self.check_over(x, indices, self.axis.value.data)
        return (tensor_type(indices.get_shape(), x.element_type),)

    def part(self, box: Box) -> PartOperands:
        axis = self.axis.value.data % len(box)
        return PartOperands((replaced(box, axis, full_box(self.x)[axis]), box))


@irdl_op_definition
class GatherNdOp(IndexingOp):
    """Slices of `x` picked by index vectors, which are the last axis of `indices`.

    A vector contains coordinates on the axes of x after the first `batch_dims` axes, which x and indices have in
    common.

    (C2) the first `batch_dims` extents of x and indices are equal. (C3) an index vector is no longer than x's remaining
    rank.

    ```mlir
    %y = graph.gather_nd %x, %i : tensor<3x4x5xf32>, tensor<2x2xi64>
    ```
    """

    name = "graph.gather_nd"
    x = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    batch_dims = int_prop(0)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, indices, b = tensor_of(self.x), tensor_of(self.indices), self.batch_dims.value.data
        self.check_indices(indices)
        shape, picks = x.get_shape(), indices.get_shape()
        if not picks or not 0 <= b < min(len(shape), len(picks)) or shape[:b] != picks[:b]:  # (C2)
            raise VerifyException(
                f"graph.gather_nd: {x} and {indices} must have more than {b} axes, the first {b} of them equal "
                f"(`batch_dims = {b}`)"
            )
        if picks[-1] > len(shape) - b:  # (C3)
            raise VerifyException(
                f"graph.gather_nd: index vectors have {picks[-1]} coordinates, but {x} has only {len(shape) - b} "
                f"axes after its {b} batch axes"
            )
        return (tensor_type((*picks[:-1], *shape[b + picks[-1] :]), x.element_type),)

    def part(self, box: Box) -> PartOperands | None:
        *picks, vector = full_box(self.indices)
        if not vector:
            return None
        shared, rest = self.batch_dims.value.data, len(picks)
        indexed = full_box(self.x)[shared : shared + len(vector)]
        return PartOperands(((*box[:shared], *indexed, *box[rest:]), (*box[:rest], vector)))


class OverwritingOp(IndexingOp):
    """Base class of ops whose result is `x`, their first operand, with some elements replaced. With `in_place` the
    result reuses the memory of `x`, which has no later reader; the pass `layout` sets it where that holds."""

    in_place = flag_prop()

    @property
    def before(self) -> SSAValue:
        """The operand that is overwritten."""
        return self.operands[0]


def is_overwritten(op: Operation) -> bool:
    """True if another op writes its result over the memory of a result of `op` (`in_place`). The overwritten result
    exists for that op only, and each run of the program must compute it again."""
    for result in op.results:
        for use in result.uses:
            user = use.operation
            if use.index == 0 and isinstance(user, OverwritingOp) and user.in_place.value.data:
                return True
    return False


BITWISE = ("and", "or", "xor")


class ScatterOp(OverwritingOp):
    """Base class of scatters: `kind` is how an update is combined with an element: set, add, mul, min, max, or bit by
    bit and, or, xor.

    If two updates set one element, the later wins. With `in_place`, the result reuses the memory of `x`, which has no
    later reader: only updated elements are moved. The pass `layout` sets it where that holds.

    (C1) indices are integers. (C2) updates have x's element type and the shape that the indices imply. (C3) truth
    values allow only set and the bitwise kinds; floating-point numbers do not allow the bitwise kinds.
    """

    kind = word_prop("set", "add", "mul", "min", "max", *BITWISE, default="set")

    def updated(self, x: Tensor, indices: Tensor, updates: Tensor, expected: tuple[int, ...]) -> tuple[Tensor, ...]:
        """The result type of the scatter. `expected`: the shape that updates must have. Raises VerifyException unless
        indices and updates fit `x`."""
        self.check_indices(indices)  # (C1)
        if updates != tensor_type(expected, x.element_type):  # (C2)
            raise VerifyException(
                f"{self.name}: updates must be {tensor_type(expected, x.element_type)}, not {updates}"
            )
        kind = self.kind.data
        if x.element_type == I1 and kind not in ("set", *BITWISE):  # (C3)
            raise VerifyException(f"{self.name}: truth values allow only `set` and bitwise kinds, not `{kind}`")
        if is_float(x.element_type) and kind in BITWISE:
            raise VerifyException(f"{self.name}: `{kind}` needs integers or truth values, not {x.element_type}")
        return (x,)

    def work(self) -> Work:
        """The work of the scatter. Unless `in_place`, it includes a copy of the elements of `x` that are not updated,
        since other ops may still read `x`."""
        if self.in_place.value.data:
            return self.work_in_place()
        x, *given = (byte_count(tensor_of(operand)) for operand in self.operands)
        return Work(0, x + sum(given), x)

    def work_in_place(self) -> Work:
        """The work of the scatter alone, in the memory of `x`."""
        _, *given = (byte_count(tensor_of(operand)) for operand in self.operands)
        return Work(0, sum(given) + (given[-1] if self.kind.data != "set" else 0), given[-1])


@irdl_op_definition
class ScatterElementsOp(ScatterOp):
    """`x` with single elements updated: for each position p of `indices`, the element of `x` at p with coordinate
    `axis` replaced by indices[p] is combined with updates[p].

    (C4) the axis exists. (C5) x and indices have the same rank, and indices do not reach beyond x on the other axes.

    ```mlir
    %y = graph.scatter_elements add %x, %i, %u axis = 1 : tensor<3x4xf32>, tensor<3x2xi64>, tensor<3x2xf32>
    ```
    """

    name = "graph.scatter_elements"
    x = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    updates = operand_def(TENSOR)
    axis = int_prop(0)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, indices = tensor_of(self.x), tensor_of(self.indices)
        self.check_over(x, indices, self.axis.value.data)  # (C4) (C5)
        return self.updated(x, indices, tensor_of(self.updates), indices.get_shape())

    def part(self, box: Box) -> PartOperands | None:
        """The parts of operands for a part of the result: along other axes than `axis`, only the indices and updates
        for this part. None if the part cuts `axis`, or has no updates."""
        axis, updates = self.axis.value.data % len(box), full_box(self.updates)
        hit = tuple(range(part.start, min(part.stop, n.stop)) for part, n in zip(box, updates, strict=True))
        hit = replaced(hit, axis, updates[axis])
        return PartOperands((box, hit, hit)) if box[axis] == full_box(self.x)[axis] and all(hit) else None


@irdl_op_definition
class ScatterNdOp(ScatterOp):
    """`x` with slices updated: each index vector (last axis of `indices`) selects a slice of `x`, which is combined
    with the update at the vector's position.

    `outside = drop`: an index vector outside of `x`, below 0 or beyond its extents, changes nothing.

    (C4) an index vector is no longer than x's rank.

    ```mlir
    %y = graph.scatter_nd set %x, %i, %u : tensor<8x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>
    ```
    """

    name = "graph.scatter_nd"
    x = operand_def(TENSOR)
    indices = operand_def(TENSOR)
    updates = operand_def(TENSOR)
    outside = word_prop("error", "drop", default="error")
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, indices = tensor_of(self.x), tensor_of(self.indices)
        picks = indices.get_shape()
        if not picks or picks[-1] > x.get_num_dims():  # (C4)
            raise VerifyException(
                f"graph.scatter_nd: the last axis of {indices} holds index vectors; it must have at most "
                f"{x.get_num_dims()} elements, one for each axis of {x}"
            )
        return self.updated(x, indices, tensor_of(self.updates), (*picks[:-1], *x.get_shape()[picks[-1] :]))

    def part(self, box: Box) -> PartOperands | None:
        """The parts of operands for a part of the result; None if the part cuts an axis that index vectors address."""
        *picks, vector = full_box(self.indices)
        indexed = len(vector)
        if not all(full_box(self.indices)) or box[:indexed] != full_box(self.x)[:indexed]:
            return None
        return PartOperands((box, full_box(self.indices), (*picks, *box[indexed:])))


class DynamicOp(IndexingOp):
    """Base class of slices with scalar operands as starts, clamped so that the slice is within the tensor (StableHLO,
    dynamic_slice).

    (C1) one start per axis, each a scalar integer. (C2) the slice is no larger than the tensor.
    """

    def check_starts(self, x: Tensor, starts: Sequence[SSAValue], sizes: Sequence[int]) -> None:
        """Raise VerifyException unless each axis has a start and the slice fits."""
        for start in starts:
            self.check_indices(tensor_of(start))  # (C1)
        if len(starts) != x.get_num_dims() or any(shape_of(start) for start in starts):  # (C1)
            raise VerifyException(
                f"{self.name}: {x} needs {x.get_num_dims()} starts, each a scalar, not "
                f"{', '.join(str(start.type) for start in starts) or 'none'}"
            )
        if len(sizes) != len(starts) or any(not 0 <= n <= m for n, m in zip(sizes, x.get_shape(), strict=True)):  # (C2)
            raise VerifyException(f"{self.name}: a slice of {list(sizes)} does not fit {x}")


@irdl_op_definition
class DynamicSliceOp(DynamicOp):
    """A slice of `sizes` elements at the starts given by scalar operands; a start is clamped so that the slice is
    within the tensor.

    (C1) one start per axis, each a scalar integer. (C2) the slice is no larger than the tensor.

    ```mlir
    %y = graph.dynamic_slice %x, %i, %j sizes = [1, 4] : tensor<8x4xf32>, tensor<i32>, tensor<i32>
    ```
    """

    name = "graph.dynamic_slice"
    x = operand_def(TENSOR)
    starts = var_operand_def(TENSOR)
    sizes = ints_prop()
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, sizes = tensor_of(self.x), tuple(self.sizes.get_values())
        self.check_starts(x, self.starts, sizes)
        return (tensor_type(sizes, x.element_type),)

    def work(self) -> Work:
        moved = byte_count(tensor_of(self.y))
        return Work(0, moved, moved)

    def part(self, box: Box) -> PartOperands | None:
        """The part of `x` for a part of the result; None if the part cuts an axis along which the slice is shorter than
        `x`."""
        x, y = full_box(self.x), full_box(self.y)
        if any(a != b and c != b for a, b, c in zip(x, y, box, strict=True)):
            return None
        need = tuple(c if a == b else a for a, b, c in zip(x, y, box, strict=True))
        return PartOperands((need, *(() for _ in self.starts)), {"sizes": [len(indices) for indices in box]})


@irdl_op_definition
class DynamicUpdateSliceOp(DynamicOp, OverwritingOp):
    """`x` with the slice at the starts, which are scalar operands, replaced by `update`; a start is clamped so that the
    slice is within the tensor.

    With `in_place`, the result reuses the memory of `x`, which has no later reader: only the slice is written. The pass
    `layout` sets it where that holds.

    (C1) one start per axis, each a scalar integer. (C2) the update is no larger than the tensor. (C3) one element type.

    ```mlir
    %y = graph.dynamic_update_slice %x, %u, %i, %j : tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>
    ```
    """

    name = "graph.dynamic_update_slice"
    x = operand_def(TENSOR)
    update = operand_def(TENSOR)
    starts = var_operand_def(TENSOR)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, update = tensor_of(self.x), tensor_of(self.update)
        if x.element_type != update.element_type:  # (C3)
            raise VerifyException(
                f"{self.name}: the update has elements of {update.element_type}, but the updated tensor is {x}; the "
                "element types must be equal"
            )
        self.check_starts(x, self.starts, update.get_shape())
        return (x,)

    def work(self) -> Work:
        """The work of the update. Unless `in_place`, it includes a copy of the elements of `x` outside of the slice,
        since other ops may still read `x`."""
        moved = byte_count(tensor_of(self.update if self.in_place.value.data else self.x))
        return Work(0, moved, moved)

    def part(self, box: Box) -> PartOperands | None:
        """The parts of `x` and `update` for a part of the result; None if the part cuts an axis along which the update
        is shorter than `x`."""
        x, update = full_box(self.x), full_box(self.update)
        if any(a != b and a != c for a, b, c in zip(x, update, box, strict=True)):
            return None
        need = tuple(c if a == b else b for a, b, c in zip(x, update, box, strict=True))
        return PartOperands((box, need, *(() for _ in self.starts)))


@irdl_op_definition
class ArgsortOp(GraphOp):
    """Indices that sort along `axis`, smallest element first. The sort is stable, and nan comes last; with `descending`
    the largest element comes first, and nan before it.

    (C1) the axis exists. (C2) no axis is longer than 2^31 - 1.

    ```mlir
    %y = graph.argsort %x axis = 1, descending : tensor<2x8xf32>
    ```
    """

    name = "graph.argsort"
    x = operand_def(TENSOR)
    axis = int_prop(-1)
    descending = flag_prop()
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x = tensor_of(self.x)
        axis = axis_in(self.axis.value.data, x.get_num_dims(), self.name)  # (C1)
        if x.get_shape()[axis] >= 1 << 31:  # (C2)
            raise VerifyException(f"graph.argsort: axis {axis} of {x} is too long: indices along it must fit in i32")
        return (tensor_type(x.get_shape(), IntegerType(32)),)

    def work(self) -> Work:
        """The work of the sort: the comparisons of a merge sort as flops."""
        x = tensor_of(self.x)
        length = x.get_shape()[self.axis.value.data]
        return self.work_of(max(1, (length - 1).bit_length()))

    def part(self, box: Box) -> PartOperands | None:
        return self.part_by_broadcast(box, [self.axis.value.data % len(box)])


INDEXING_OPS = ops_of(__name__)
