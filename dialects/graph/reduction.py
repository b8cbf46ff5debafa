"""Reductions and ops built on them: reduce, cumulative sum, softmax, normalisations, pooling."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import I1, element_count, is_float, tensor_type
from dialects.graph.boxes import Box, PartOperands, full_box
from dialects.graph.contraction import WindowedOp, broadcasts
from dialects.graph.op import TENSOR, GraphOp, Tensor, ops_of, shape_of, tensor_of
from dialects.graph.properties import flag_prop, int_prop, ints_prop, real_prop, word_prop
from dialects.graph.roles import AnyLayout, FusionRole
from dialects.work import Work


def axis_in(axis: int, rank: int, name: str) -> int:
    """`axis` counted from the front; negative ones count from the end. Raises VerifyException if there is no such
    axis."""
    if not -rank <= axis < rank:
        raise VerifyException(f"{name}: there is no axis {axis} in a tensor of rank {rank}")
    return axis % rank


class Reducing(GraphOp):
    """Base class of reductions of one operand over `axes` (all axes if none are given)."""

    FUSION: ClassVar = FusionRole.REDUCTION
    traits = traits_def(AnyLayout())
    kind = word_prop("sum", "mean", "prod", "min", "max")
    x = operand_def(TENSOR)
    axes = ints_prop(())
    keep_dims = flag_prop()
    y = result_def(TENSOR)

    def axis_set(self) -> tuple[int, ...]:
        """The reduced axes, counted from the front, in order."""
        rank = tensor_of(self.x).get_num_dims()
        axes = [axis_in(axis, rank, self.name) for axis in self.axes.get_values()]
        if len(set(axes)) != len(axes):  # (C1)
            raise VerifyException(f"{self.name}: an axis appears twice in {list(self.axes.get_values())}")
        return tuple(sorted(axes)) if axes else tuple(range(rank))

    @property
    def along_rows(self) -> bool:
        """True if only trailing axes are reduced, and at least one axis is kept."""
        rank, axes = tensor_of(self.x).get_num_dims(), self.axis_set()
        return 0 < len(axes) < rank and axes == tuple(range(axes[0], rank))

    def infer(self) -> tuple[Tensor, ...]:
        x, axes = tensor_of(self.x), self.axis_set()
        if x.element_type == I1:  # (C2)
            raise VerifyException(f"{self.name} works on numbers, not truth values; cast (graph.cast)")
        kept = [
            (1 if i in axes else n) for i, n in enumerate(x.get_shape()) if self.keep_dims.value.data or i not in axes
        ]
        return (tensor_type(kept, x.element_type),)

    def work(self) -> Work:
        read, written = self.bytes_moved()
        return Work(element_count(tensor_of(self.x)), read, written)

    def part(self, box: Box) -> PartOperands:
        reduced, kept = self.axis_set(), iter(box)
        keep_dims, need = self.keep_dims.value.data, list[range]()
        for axis, indices in enumerate(full_box(self.x)):
            axis_range = next(kept) if keep_dims or axis not in reduced else indices
            need.append(indices if axis in reduced else axis_range)
        return PartOperands((tuple(need),))


@irdl_op_definition
class ReduceOp(Reducing):
    """Sum, mean, product, minimum or maximum over `axes` (all axes if none are given).

    Sums and products of integers wrap. A mean of integers is exact, whatever their sum, and truncates towards zero.
    The minimum of an empty set is the type's largest number, the maximum its smallest.

    (C1) axes exist and differ. (C2) elements are numbers.

    ```mlir
    %y = graph.reduce mean %x axes = [2, 3], keep_dims : tensor<1x8x7x7xf32>
    ```
    """

    name = "graph.reduce"


@irdl_op_definition
class CumsumOp(GraphOp):
    """Running sum along `axis`; `exclusive` excludes each element's own value, `reverse` sums from the end. Integers
    wrap.

    (C1) the axis exists. (C2) elements are numbers.

    ```mlir
    %y = graph.cumsum %x axis = 1 : tensor<2x8xi64>
    ```
    """

    name = "graph.cumsum"
    x = operand_def(TENSOR)
    axis = int_prop()
    exclusive = flag_prop()
    reverse = flag_prop()
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        axis_in(self.axis.value.data, tensor_of(self.x).get_num_dims(), self.name)  # (C1)
        if tensor_of(self.x).element_type == I1:  # (C2)
            raise VerifyException("graph.cumsum works on numbers, not truth values; cast (graph.cast)")
        return (tensor_of(self.x),)

    def work(self) -> Work:
        return self.work_of(1)

    def part(self, box: Box) -> PartOperands | None:
        return self.part_by_broadcast(box, [self.axis.value.data % len(box)])


class AlongAxisOp(GraphOp):
    """Base class of ops that normalise along axes and keep type and shape. (C1) elements are floating-point."""

    def float_input(self, x: Tensor) -> Tensor:
        """The type `x`. Raises VerifyException unless its elements are floating-point."""
        if not is_float(x.element_type):  # (C1)
            raise VerifyException(f"{self.name} works on floating-point elements, not {x.element_type}")
        return x

    def check_factor(self, factor: Tensor, x: Tensor) -> None:
        """Raise VerifyException unless a scale or bias broadcasts to `x`."""
        if not broadcasts(factor, x):
            raise VerifyException(
                f"{self.name}: a scale or bias must broadcast to {x} and have its element type, but is {factor}"
            )


@irdl_op_definition
class SoftmaxOp(AlongAxisOp):
    """exp(x - max) / sum(exp(x - max)), along one axis. (C2) the axis exists.

    ```mlir
    %y = graph.softmax %x : tensor<1x12x128x128xf32>
    ```
    """

    name = "graph.softmax"
    FUSION: ClassVar = FusionRole.REDUCTION
    x = operand_def(TENSOR)
    axis = int_prop(-1)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        axis_in(self.axis.value.data, tensor_of(self.x).get_num_dims(), self.name)
        return (self.float_input(tensor_of(self.x)),)

    def work(self) -> Work:
        return self.work_of(4)  # maximum, subtract and exponential, sum, divide

    def part(self, box: Box) -> PartOperands | None:
        return self.part_by_broadcast(box, [self.axis.value.data % len(box)])


@irdl_op_definition
class LayerNormOp(AlongAxisOp):
    """(x - mean) / sqrt(variance + epsilon) * scale + bias over the axes from `axis` to the last (Ba et al., 2016).

    Statistics are computed in f32 (f64 for f64).

    (C2) the axis exists. (C3) `scale` and `bias` have x's element type and broadcast to it.

    ```mlir
    %y = graph.layer_norm %x, %scale, %bias epsilon = 1.0e-12 : tensor<1x128x768xf32>, tensor<768xf32>, tensor<768xf32>
    ```
    """

    name = "graph.layer_norm"
    FUSION: ClassVar = FusionRole.REDUCTION
    x = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    bias = opt_operand_def(TENSOR)
    axis = int_prop(-1)
    epsilon = real_prop(1e-5)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x = self.float_input(tensor_of(self.x))
        axis_in(self.axis.value.data, x.get_num_dims(), self.name)
        self.check_factor(tensor_of(self.scale), x)  # (C3)
        if self.bias is not None:
            self.check_factor(tensor_of(self.bias), x)  # (C3)
        return (x,)

    def work(self) -> Work:
        return self.work_of(8)

    def part(self, box: Box) -> PartOperands | None:
        return self.part_by_broadcast(box, range(self.axis.value.data % len(box), len(box)))


@irdl_op_definition
class RmsNormOp(AlongAxisOp):
    """x / sqrt(mean of squares + epsilon) * scale over the axes from `axis` to the last (Zhang and Sennrich, 2019).

    (C2) the axis exists. (C3) `scale` has x's element type and broadcasts to it.

    ```mlir
    %y = graph.rms_norm %x, %scale epsilon = 1.0e-06 : tensor<1x1x4096xf16>, tensor<4096xf16>
    ```
    """

    name = "graph.rms_norm"
    FUSION: ClassVar = FusionRole.REDUCTION
    x = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    axis = int_prop(-1)
    epsilon = real_prop(1e-5)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x = self.float_input(tensor_of(self.x))
        axis_in(self.axis.value.data, x.get_num_dims(), self.name)
        self.check_factor(tensor_of(self.scale), x)  # (C3)
        return (x,)

    def work(self) -> Work:
        return self.work_of(5)

    def part(self, box: Box) -> PartOperands | None:
        return self.part_by_broadcast(box, range(self.axis.value.data % len(box), len(box)))


@irdl_op_definition
class BatchNormOp(AlongAxisOp):
    """(x - mean) / sqrt(variance + epsilon) * scale + bias, per channel (axis 1), with given statistics.

    (C2) `x` is [N, C, …]. (C3) scale, bias, mean and variance are [C] of floating-point elements.

    ```mlir
    %y = graph.batch_norm %x, %s, %b, %m, %v
      : tensor<1x8x7x7xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    ```
    """

    name = "graph.batch_norm"
    FUSION: ClassVar = FusionRole.POINTWISE
    traits = traits_def(AnyLayout())
    x = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    bias = operand_def(TENSOR)
    mean = operand_def(TENSOR)
    variance = operand_def(TENSOR)
    epsilon = real_prop(1e-5)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x = self.float_input(tensor_of(self.x))
        if x.get_num_dims() < 2:  # (C2)
            raise VerifyException(f"graph.batch_norm takes [N, C, …], not {x}")
        channels = x.get_shape()[1]
        for value in map(tensor_of, (self.scale, self.bias, self.mean, self.variance)):
            if value.get_shape() != (channels,) or not is_float(value.element_type):  # (C3)
                raise VerifyException(
                    "graph.batch_norm: scale, bias, mean and variance must be floating-point tensors of shape "
                    f"{channels}, one number for each channel, not {value}"
                )
        return (x,)

    def work(self) -> Work:
        return self.work_of(4)

    def part(self, box: Box) -> PartOperands:
        return PartOperands((box, *((box[1],) for _ in self.operands[1:])))


@irdl_op_definition
class LrnOp(AlongAxisOp):
    """Local response normalisation across channels (Krizhevsky et al., 2012).

    x / (bias + alpha / size * sum of squares over the `size` channels around the element's channel) ** beta; for an
    even size, the window has one more channel after than before.

    (C2) `x` is [N, C, …]. (C3) `size` is at least 1.

    ```mlir
    %y = graph.lrn %x size = 5, alpha = 0.0002, bias = 2.0 : tensor<1x96x27x27xf32>
    ```
    """

    name = "graph.lrn"
    FUSION: ClassVar = FusionRole.WINDOWED
    traits = traits_def(AnyLayout())
    x = operand_def(TENSOR)
    size = int_prop()
    alpha = real_prop(1e-4)
    beta = real_prop(0.75)
    bias = real_prop(1.0)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, size = tensor_of(self.x), self.size.value.data
        if x.get_num_dims() < 2:  # (C2)
            raise VerifyException(f"graph.lrn takes [N, C, …], not {x}")
        if size < 1:  # (C3)
            raise VerifyException(f"graph.lrn sums over at least 1 channel, not {size}")
        return (self.float_input(tensor_of(self.x)),)

    def work(self) -> Work:
        return self.work_of(2 * self.size.value.data + 3)

    def part(self, box: Box) -> PartOperands | None:
        return self.part_by_broadcast(box, [1])


@irdl_op_definition
class PoolOp(WindowedOp):
    """Maximum or mean over a sliding window: [N, C, spatial…] to [N, C, spatial…].

    A maximum ignores padding; a mean includes padding only with `count_include_pad`. With `ceil`, a last window, which
    may be the only one, may reach past the end padding by less than a stride; positions beyond the padding are never
    included. A mean of integers is exact, whatever their sum, and truncates towards zero.

    (C4) the rank of `x` is at least 3, and elements are numbers. (C5) each window covers part of the image: pads are
    smaller than the window, and each dilated window reads an element of the image.

    ```mlir
    %y = graph.pool max %x kernel = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1] : tensor<1x64x112x112xf32>
    ```
    """

    name = "graph.pool"
    FUSION: ClassVar = FusionRole.WINDOWED
    traits = traits_def(AnyLayout())
    kind = word_prop("max", "mean")
    x = operand_def(TENSOR)
    kernel = ints_prop()
    ceil = flag_prop()
    count_include_pad = flag_prop()
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, kernel = tensor_of(self.x), tuple(self.kernel.get_values())
        if x.get_num_dims() < 3 or x.element_type == I1:  # (C4)
            raise VerifyException(f"graph.pool takes an image [N, C, spatial…] of numbers, not {x}")
        n, c, *image = x.get_shape()
        extents = self.spatial(tuple(image), kernel, bool(self.ceil.value.data))
        strides, pads, dilations = self.window(kernel)
        if any(max(pad) > (k - 1) * d for k, pad, d in zip(kernel, pads, dilations, strict=True)):  # (C5)
            raise VerifyException(f"graph.pool: pads must be smaller than the window {list(kernel)}, not {list(pads)}")
        for axis, (size, (low, _), stride, d) in enumerate(zip(image, pads, strides, dilations, strict=True)):
            # Windows that start in the padding: the first image index they can read is start mod d.
            before = min(-(-low // stride), extents[axis])
            if size < d and _below(size, before, d, stride, -low) < before:  # (C5)
                raise VerifyException(
                    f"graph.pool: with dilation {d} and pads {low}, a window of {list(kernel)} can read only padding "
                    f"and none of the {size} element{'s' if size != 1 else ''} of spatial axis {axis}; make pads or "
                    "dilation smaller"
                )
        return (tensor_type((n, c, *extents), x.element_type),)

    def work(self) -> Work:
        return self.work_of(prod(self.kernel.get_values()))

    def reach(self) -> list[tuple[int, int]]:
        """For each spatial axis, the pads at its beginning and end that cover all windows: with `ceil` the last window
        may reach past the specified pads."""
        kernel = tuple(self.kernel.get_values())
        spans = zip(shape_of(self.x)[2:], shape_of(self.y)[2:], kernel, *self.window(kernel), strict=True)
        return [
            (low, max(high, (count - 1) * stride + (k - 1) * dilation + 1 - low - size))
            for size, count, k, stride, (low, high), dilation in spans
        ]

    def part(self, box: Box) -> PartOperands | None:
        """The part of the image for a part of the result. None if the last window reaches beyond the padding and a mean
        counts padding: elements beyond the padding never count, which a pool op on the part can't express."""
        kernel = tuple(self.kernel.get_values())
        found = self.seen(box, kernel)
        if found is None:
            return None
        seen, pads = found
        ends = pads[len(kernel) :] or [0] * len(kernel)
        beyond = any(need > pad[1] for need, pad in zip(ends, self.window(kernel)[1], strict=True))
        if beyond and self.kind.data == "mean" and self.count_include_pad.value.data:
            return None
        return PartOperands(((box[0], box[1], *seen),), {"pads": pads, "ceil": False})


def _below(bound: int, count: int, modulus: int, factor: int, offset: int) -> int:
    """The number of integers i, 0 <= i < `count`, for which (factor * i + offset) mod modulus < bound; takes a
    logarithmic number of steps."""
    return _floor_sum(count, modulus, factor, offset) - _floor_sum(count, modulus, factor, offset - bound)


def _floor_sum(count: int, modulus: int, factor: int, offset: int) -> int:
    """The sum of (factor * i + offset) // modulus over all integers i, 0 <= i < `count`, by Euclid's algorithm on
    factor and modulus."""
    total = 0
    while count:
        quotient, factor = divmod(factor, modulus)
        base, offset = divmod(offset, modulus)
        total += quotient * (count * (count - 1) // 2) + base * count
        count, offset = divmod(factor * count + offset, modulus)
        modulus, factor = factor, modulus
    return total


REDUCTION_OPS = ops_of(__name__)
