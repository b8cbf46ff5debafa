"""Contractions, the ops of multiply-accumulates: matrix product, products of experts, convolution, attention, with
im2col."""

from __future__ import annotations

from math import exp, log, prod
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, result_def, traits_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import (
    I1,
    ElementType,
    byte_count,
    element_count,
    element_type_named,
    is_float,
    is_small,
    tensor_type,
)
from dialects.graph.boxes import Box, PartOperands, cut, full_box, stretched
from dialects.graph.broadcasting import broadcast_shapes
from dialects.graph.constant import ConstantOp
from dialects.graph.op import TENSOR, GraphOp, Tensor, ops_of, shape_of, tensor_of
from dialects.graph.properties import flag_prop, int_prop, ints_prop, real_prop, word_prop
from dialects.graph.roles import AnyLayout, FusionRole
from dialects.work import Work


@irdl_op_definition
class MatmulOp(GraphOp):
    """Matrix product over the last two axes; leading axes are a batch and broadcast.

    `a`: [batch…, M, K] (or [K, M] with `transpose_a`), `b`: [batch…, K, N] (or [N, K] with `transpose_b`), `bias`:
    broadcasts to [batch…, M, N] and is added before rounding. f16 and bf16 accumulate in f32 and round once.

    (C1) rank of `a` and `b` is at least 2. (C2) K is the same in both. (C3) one element type, of numbers. (C4) the
    batches broadcast. (C5) the bias has that element type and broadcasts to the result.

    ```mlir
    %y = graph.matmul %a, %b : tensor<1x4096xf16>, tensor<4096x11008xf16>
    %z = graph.matmul %a, %c, %d transpose_b : tensor<1x4096xf16>, tensor<1000x4096xf16>, tensor<1000xf16>
    ```
    """

    name = "graph.matmul"
    FUSION: ClassVar = FusionRole.CONTRACTION
    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    bias = opt_operand_def(TENSOR)
    transpose_a = flag_prop()
    transpose_b = flag_prop()
    y = result_def(TENSOR)

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """The sizes (batch, M, N, K) of the product."""
        *batch, m, n = shape_of(self.y)
        return prod(batch), m, n, shape_of(self.a)[-2 if self.transpose_a.value.data else -1]

    def infer(self) -> tuple[Tensor, ...]:
        a, b = tensor_of(self.a), tensor_of(self.b)
        turned = bool(self.transpose_a.value.data), bool(self.transpose_b.value.data)
        shape = matmul_shape(self.name, a, b, *turned)  # (C1), (C2), (C4)
        if a.element_type != b.element_type or a.element_type == I1:  # (C3)
            raise VerifyException(
                f"graph.matmul needs operands of the same numeric element type, not {a.element_type} and "
                f"{b.element_type}"
            )
        y = tensor_type(shape, a.element_type)
        if self.bias is not None and not broadcasts(tensor_of(self.bias), y):  # (C5)
            raise VerifyException(f"graph.matmul: a bias of {tensor_of(self.bias)} does not broadcast to {y}")
        return (y,)

    def work(self) -> Work:
        batch, m, n, k = self.sizes
        return self.work_of(0 if self.bias is None else 1, macs=batch * m * n * k)

    def part(self, box: Box) -> PartOperands:
        turned = bool(self.transpose_a.value.data), bool(self.transpose_b.value.data)
        needs = matmul_part(shape_of(self.a), shape_of(self.b), self.sizes[3], *turned, box)
        if self.bias is not None:
            needs.append(stretched(shape_of(self.bias), box))
        return PartOperands(tuple(needs))


def matmul_shape(name: str, a: Tensor, b: Tensor, turned_a: bool, turned_b: bool) -> tuple[int, ...]:
    """The shape of a matrix product over the last two axes, the factors transposed where `turned`. Raises
    VerifyException, with the op's name, for factors that do not fit."""
    if min(a.get_num_dims(), b.get_num_dims()) < 2:
        raise VerifyException(f"{name} takes matrices, not {a} and {b}; give a vector a unit axis (graph.reshape)")
    *batch_a, m, k = _swap(a.get_shape()) if turned_a else a.get_shape()
    *batch_b, k_b, n = _swap(b.get_shape()) if turned_b else b.get_shape()
    if k != k_b:
        raise VerifyException(f"{name} sums over {k} columns of {a}, but {b} has {k_b} rows")
    try:
        return (*broadcast_shapes(tuple(batch_a), tuple(batch_b)), m, n)
    except VerifyException as error:
        raise VerifyException(f"{name}: batches of {a} and {b}: {error}") from None


def matmul_part(
    a: tuple[int, ...], b: tuple[int, ...], k: int, turned_a: bool, turned_b: bool, box: Box
) -> list[Box | None]:
    """The parts of the factors of a matrix product that a part of the result needs. `a`, `b`: their shapes; `k`: the
    number of summands."""
    *batch, rows, columns = box
    depth = range(k)
    matrices = (
        (a, (depth, rows) if turned_a else (rows, depth)),
        (b, (columns, depth) if turned_b else (depth, columns)),
    )
    return [(*stretched(shape[:-2], tuple(batch)), *matrix) for shape, matrix in matrices]


def broadcasts(part: Tensor, result: Tensor) -> bool:
    """True if `part` stretches to the shape of `result` and has its element type."""
    if part.element_type != result.element_type or part.get_num_dims() > result.get_num_dims():
        return False
    ends = zip(reversed(part.get_shape()), reversed(result.get_shape()), strict=False)
    return all(extent in (1, full) for extent, full in ends)


@irdl_op_definition
class RaggedMatmulOp(GraphOp):
    """Matrix products of consecutive groups of rows or summands; the group sizes are run-time data (experts and their
    tokens).

    `a`: [M, K] (or [K, M] with `transpose_a`), `sizes`: [G], of integers. `b`: [G, K, N] (or [G, N, K] with
    `transpose_b`) if the rows of `a` are grouped, with one matrix per group: result [M, N]; rows after the last group
    are 0. `b`: [K, N] (or [N, K]) if the summands (K) are grouped: result [G, M, N], one product per group. f16 and
    bf16 accumulate in f32 and round once. The work is counted as if all M rows, or all K summands, belonged to some
    group, and each row to any group with the same chance: matrices of groups without rows are not read.

    (C1) ranks as above. (C2) K is the same in both. (C3) `a` and `b` have one element type, of numbers. (C4) `sizes`
    has G integers.

    ```mlir
    %y = graph.ragged_matmul %a, %w, %n : tensor<64x256xf16>, tensor<8x256x512xf16>, tensor<8xi32>
    %z = graph.ragged_matmul %a, %y, %n transpose_a : tensor<64x256xf16>, tensor<64x512xf16>, tensor<8xi32>
    ```
    """

    name = "graph.ragged_matmul"
    a = operand_def(TENSOR)
    b = operand_def(TENSOR)
    sizes = operand_def(TENSOR)
    transpose_a = flag_prop()
    transpose_b = flag_prop()
    y = result_def(TENSOR)

    @property
    def sums_in_groups(self) -> bool:
        """True if the summands are grouped rather than the rows."""
        return tensor_of(self.b).get_num_dims() == 2

    @property
    def extents(self) -> tuple[int, int, int, int]:
        """The sizes (G, M, N, K) of the products."""
        m, n = shape_of(self.y)[-2:]
        return shape_of(self.sizes)[0], m, n, shape_of(self.a)[0 if self.transpose_a.value.data else 1]

    def infer(self) -> tuple[Tensor, ...]:
        a, b, sizes = tensor_of(self.a), tensor_of(self.b), tensor_of(self.sizes)
        if a.get_num_dims() != 2 or b.get_num_dims() not in (2, 3):  # (C1)
            raise VerifyException(
                f"graph.ragged_matmul takes a matrix, then a matrix or a batch of matrices, not {a} and {b}"
            )
        m, k = _swap(a.get_shape()) if self.transpose_a.value.data else a.get_shape()
        *groups, k_b, n = _swap(b.get_shape()) if self.transpose_b.value.data else b.get_shape()
        if k != k_b:  # (C2)
            raise VerifyException(f"graph.ragged_matmul sums over {k} columns of {a}, but {b} has {k_b} rows")
        if a.element_type != b.element_type or a.element_type == I1:  # (C3)
            raise VerifyException(
                f"graph.ragged_matmul needs factors of the same numeric element type, not {a.element_type} and "
                f"{b.element_type}"
            )
        count = groups or sizes.get_shape()[:1]
        if sizes.get_shape() != tuple(count) or is_float(sizes.element_type) or sizes.element_type == I1:  # (C4)
            raise VerifyException(
                f"graph.ragged_matmul takes the groups' sizes as a vector of integers, one per matrix, not {sizes}"
            )
        return (tensor_type((m, n) if groups else (*count, m, n), a.element_type),)

    @property
    def touched(self) -> float:
        """The expected number of groups that have rows; all groups of summands."""
        groups, m, _, _ = self.extents
        return float(groups) if self.sums_in_groups else expected_experts(m, 1, groups)

    @property
    def share_read(self) -> float:
        """The expected share of `b` that the groups with rows read."""
        return self.touched / max(self.extents[0], 1)

    def work(self) -> Work:
        _, m, n, k = self.extents
        whole = self.work_of(0, macs=m * n * k)
        unread = round((1 - self.share_read) * byte_count(tensor_of(self.b)))
        return Work(whole.flops, whole.read - unread, whole.written, whole.macs)

    def part(self, box: Box) -> PartOperands | None:
        """The parts of operands for a part of the result. None if the part does not contain the whole grouped axis and
        all groups, since the start of each group depends on the sizes of the groups before it."""
        *groups, rows, columns = box
        count, m, _, k = self.extents
        if len(groups[0]) != count if groups else len(rows) != m:
            return None
        depth = range(k)
        a = (depth, rows) if self.transpose_a.value.data else (rows, depth)
        b = (columns, depth) if self.transpose_b.value.data else (depth, columns)
        return PartOperands((a, b if groups else (range(count), *b), (range(count),)))


@irdl_op_definition
class GroupedMatmulOp(GraphOp):
    """Products of rows with the matrices of the experts that they choose: a step of a mixture of experts reads the
    matrices of those experts only.

    `x`: [rows…, K], `w`: [E, K, N] (or [E, N, K] with `transpose_b`), `ids`: [rows…], `bias`: [E, N]; result
    [rows…, N]: a row times w[id] plus bias[id]. The axes of `x` before its last broadcast to those of `ids`, so that a
    row can be multiplied by several experts. f16 and bf16 accumulate in f32 and round once. Factors of at most 8 bits
    are summed exactly in i32 (integers) or in f32 (floats), as by `graph.qmatmul`.

    Ids are as indices of `graph.gather`. With `experts`, rows choose among more experts than E, of which the first E
    are here and the others on other devices: rows of the others, whose ids are not in 0 … E-1, are zeros.

    Which experts rows choose is data. For its work, a row of `ids` is a token, the last axis holds its choices, which
    are distinct, and every expert is equally likely; ids of one axis are tokens of one choice each. With `skew`, the
    experts' shares of the tokens t follow a power law with this exponent on [1, 0.8 t].

    PyTorch's `grouped_mm` has rows sorted by expert, and gives the end of each expert's rows: the id of row i is the
    number of ends that are at most i. JAX's `ragged_dot` gives numbers of rows (`graph.ragged_matmul`).

    (C1) `ids` has an axis or more and `x` one more than `ids`; `w` has three. (C2) the leading axes of `x` have
    extent 1 or that of `ids`. (C3) K is the same in both. (C4) the factors have one numeric type of at least 16 bits,
    or are both integers or both floats of at most 8 bits. (C5) ids are integers. (C6) the bias has the type of the
    result and is [E, N]. (C7) `experts` is 0 (as many as matrices) or at least E, and `skew` is not negative.

    ```mlir
    %up = graph.grouped_matmul %x, %w, %ids : tensor<64x1x256xf16>, tensor<8x256x512xf16>, tensor<64x2xi32>
    %y = graph.grouped_matmul %h, %v, %i, %b : tensor<7x4xf32>, tensor<8x4x5xf32>, tensor<7xi64>, tensor<8x5xf32>
    ```
    """

    name = "graph.grouped_matmul"
    FUSION: ClassVar = FusionRole.CONTRACTION
    x = operand_def(TENSOR)
    w = operand_def(TENSOR)
    ids = operand_def(TENSOR)
    bias = opt_operand_def(TENSOR)
    transpose_b = flag_prop()
    experts = int_prop(0)
    skew = real_prop(0.0)
    y = result_def(TENSOR)

    @property
    def extents(self) -> tuple[int, int, int, int]:
        """The sizes (E, rows, N, K) of the products; `rows` counts every choice of every token."""
        *rows, n = shape_of(self.y)
        return shape_of(self.w)[0], prod(rows), n, shape_of(self.x)[-1]

    @property
    def choices(self) -> int:
        """The number of experts that a token chooses."""
        ids = shape_of(self.ids)
        return ids[-1] if len(ids) > 1 else 1

    @property
    def all_experts(self) -> int:
        """The number of experts among which tokens choose, on all devices."""
        return self.experts.value.data or shape_of(self.w)[0]

    @property
    def rows_here(self) -> float:
        """The expected number of rows whose experts are among the E here."""
        here, rows, _, _ = self.extents
        return rows * here / max(self.all_experts, 1)

    @property
    def touched(self) -> float:
        """The expected number of distinct experts among the E here that the rows choose."""
        here, rows, _, _ = self.extents
        tokens = rows // max(self.choices, 1)
        share = here / max(self.all_experts, 1)
        return share * expected_experts(tokens, self.choices, self.all_experts, self.skew.value.data)

    def infer(self) -> tuple[Tensor, ...]:
        x, w, ids = tensor_of(self.x), tensor_of(self.w), tensor_of(self.ids)
        rows, count = ids.get_shape(), len(ids.get_shape())
        if not count or x.get_num_dims() != count + 1 or w.get_num_dims() != 3:  # (C1)
            raise VerifyException(
                f"graph.grouped_matmul takes rows, a batch of matrices, and ids with an axis less than the rows, not "
                f"{x}, {w} and {ids}"
            )
        if any(extent not in (1, full) for extent, full in zip(x.get_shape(), rows, strict=False)):  # (C2)
            raise VerifyException(f"graph.grouped_matmul: the rows of {x} do not broadcast to the ids of {ids}")
        matrices, *matrix = w.get_shape()
        k, n = reversed(matrix) if self.transpose_b.value.data else matrix
        if x.get_shape()[-1] != k:  # (C3)
            raise VerifyException(
                f"graph.grouped_matmul sums over {x.get_shape()[-1]} columns of {x}, but each matrix of {w} "
                f"has {k} rows"
            )
        if not isinstance(ids.element_type, IntegerType) or ids.element_type == I1:  # (C5)
            raise VerifyException(f"graph.grouped_matmul: ids are integers, not {ids.element_type}")
        y = tensor_type((*rows, n), self._sum_type(x, w))
        wanted = tensor_type((matrices, n), y.element_type)
        if self.bias is not None and tensor_of(self.bias) != wanted:  # (C6)
            raise VerifyException(f"graph.grouped_matmul: the bias must be {wanted}, not {tensor_of(self.bias)}")
        if 0 != self.experts.value.data < matrices or not self.skew.value.data >= 0:  # (C7)
            raise VerifyException(
                f"graph.grouped_matmul: `experts` must be 0 or at least the {matrices} matrices, and `skew` at least "
                f"0, not {self.experts.value.data} and {self.skew.value.data}"
            )
        return (y,)

    def _sum_type(self, x: Tensor, w: Tensor) -> ElementType:
        """The type of the result. Raises VerifyException unless the factors' types fit."""
        types = x.element_type, w.element_type
        if all(map(is_small, types)) and I1 not in types and is_float(types[0]) == is_float(types[1]):  # (C4)
            return element_type_named("f32") if is_float(types[0]) else element_type_named("i32")
        if types[0] != types[1] or is_small(types[0]) or types[0] == I1:  # (C4)
            raise VerifyException(
                "graph.grouped_matmul needs factors of the same numeric element type, or two of integers, or two of "
                f"floats, of at most 8 bits, not {types[0]} and {types[1]}"
            )
        return types[0]

    def work(self) -> Work:
        _, _, n, k = self.extents
        rows, share = self.rows_here, self.share_read
        macs = round(rows * n * k)
        unshared = sum(byte_count(tensor_of(value)) for value in dict.fromkeys((self.x, self.ids)))
        shared = sum(byte_count(tensor_of(value)) for value in (self.w, self.bias) if value is not None)
        more = 0 if self.bias is None else round(rows * n)
        return Work(2 * macs + more, unshared + round(share * shared), byte_count(tensor_of(self.y)), macs)

    @property
    def share_read(self) -> float:
        """The expected share of the matrices, and of the biases, that the rows choose."""
        return self.touched / max(self.extents[0], 1)

    def part(self, box: Box) -> PartOperands:
        *rows, columns = box
        here, _, _, k = self.extents
        matrix = (columns, range(k)) if self.transpose_b.value.data else (range(k), columns)
        x = (*stretched(shape_of(self.x)[:-1], tuple(rows)), range(k))
        bias = () if self.bias is None else ((range(here), columns),)
        return PartOperands((x, (range(here), *matrix), tuple(rows), *bias))


def expected_experts(tokens: int, choices: int, experts: int, skew: float = 0.0) -> float:
    """The expected number of distinct experts that `tokens` choose, each of them `choices` different ones: with
    `skew` 0 every expert is equally likely, else their shares are those of `power_law_shares`."""
    if not tokens or not experts:
        return 0.0
    if not skew:
        return experts * _chosen(min(choices / experts, 1.0), tokens)
    shares = power_law_shares(tokens, experts, skew)
    return max(sum(_chosen(min(choices * share, 1.0), tokens) for share in shares), float(min(choices, experts)))


def _chosen(likely: float, tokens: int) -> float:
    """The chance that at least one of `tokens` makes a choice that each makes with the chance `likely`."""
    return 1 - (1 - likely) ** tokens


def power_law_shares(tokens: int, experts: int, skew: float) -> tuple[float, ...]:
    """The experts' shares of all choices, the least first: quantiles of the density x^-skew on [1, 0.8 tokens], as
    NVIDIA's aiconfigurator draws loads of experts for its measurements (collector/helper.py)."""
    most = max(0.8 * tokens, 1.0)
    middles = [(expert + 0.5) / experts for expert in range(experts)]
    if abs(1 - skew) < _LOGARITHMIC:
        loads = [exp(middle * log(most)) for middle in middles]
    else:
        end = most ** (1 - skew)
        loads = [(1 + (end - 1) * middle) ** (1 / (1 - skew)) for middle in middles]
    total = sum(loads)
    return tuple(load / total for load in loads)


_LOGARITHMIC = 1e-6
"""The distance from 1 below which the quantiles of a power law are computed by their limit."""


class WindowedOp(GraphOp):
    """Base class of ops that slide a window over spatial axes: `strides`, `pads` (first those at the beginning of each
    axis, then those at the end), `dilations`.

    (C1) there is one stride, one dilation and two pads for each spatial axis; an empty list means 1, 1 and 0. (C2)
    strides, dilations and the window's extents are at least 1, pads at least 0. (C3) the window fits into the padded
    image.
    """

    strides = ints_prop(())
    pads = ints_prop(())
    dilations = ints_prop(())

    def window(self, kernel: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...], tuple[int, ...]]:
        """The strides, the (begin, end) pads and the dilations, with one entry per spatial axis.

        Raises VerifyException if their number is wrong or a value is out of range.
        """
        rank = len(kernel)
        strides = tuple(self.strides.get_values()) or (1,) * rank
        pads = tuple(self.pads.get_values()) or (0,) * (2 * rank)
        dilations = tuple(self.dilations.get_values()) or (1,) * rank
        if (len(strides), len(pads), len(dilations)) != (rank, 2 * rank, rank):  # (C1)
            raise VerifyException(
                f"{self.name}: {rank} spatial axes need {rank} strides, {2 * rank} pads and {rank} dilations, "
                f"not {len(strides)}, {len(pads)} and {len(dilations)}"
            )
        if min((*strides, *dilations, *kernel), default=1) < 1 or min(pads, default=0) < 0:  # (C2)
            raise VerifyException(
                f"{self.name}: strides, dilations and the window's extents must be at least 1 and pads at least 0, "
                f"not {list(strides)}, {list(dilations)}, {list(kernel)} and {list(pads)}"
            )
        return strides, tuple(zip(pads[:rank], pads[rank:], strict=True)), dilations

    def spatial(self, image: tuple[int, ...], kernel: tuple[int, ...], ceil: bool = False) -> tuple[int, ...]:
        """Extents of the result's spatial axes. Raises VerifyException if the window does not fit."""
        if len(image) != len(kernel):  # (C1)
            raise VerifyException(f"{self.name}: the window has {len(kernel)} axes, but the image has {len(image)}")
        strides, pads, dilations = self.window(kernel)
        extents = tuple(
            _windows(size, k, stride, pad, dilation, ceil)
            for size, k, stride, pad, dilation in zip(image, kernel, strides, pads, dilations, strict=True)
        )
        if min(extents, default=1) < 1:  # (C3)
            raise VerifyException(
                f"{self.name}: a window of {list(kernel)} does not fit an image of {list(image)} with pads {list(pads)}"
            )
        return extents

    def seen(self, box: Box, kernel: tuple[int, ...]) -> tuple[Box, list[int]] | None:
        """The box of the image's spatial axes that the windows of a part of the result read, and the padding around
        this box; None if a window is entirely in padding. If the part contains a whole axis, so does the box, even
        if the windows do not read all of it, so that rows stay contiguous in memory."""
        image, results = shape_of(self.operands[0])[2:], shape_of(self.results[0])[2:]
        seen: list[range] = []
        low: list[int] = []
        high: list[int] = []
        for indices, count, extent, k, stride, pad, dilation in zip(
            box[2:], results, image, kernel, *self.window(kernel), strict=True
        ):
            first = indices.start * stride - pad[0]
            last = (indices.stop - 1) * stride - pad[0] + (k - 1) * dilation + 1
            inside, before, behind = cut(first, last, extent)
            if not inside:
                return None
            seen.append(range(extent) if len(indices) == count else inside)
            low.append(before)
            high.append(behind)
        return tuple(seen), [*low, *high] if any((*low, *high)) else []


def _windows(size: int, kernel: int, stride: int, pad: tuple[int, int], dilation: int, ceil: bool) -> int:
    room = size + sum(pad) - dilation * (kernel - 1) - 1
    count = (-(-room // stride) if ceil else room // stride) + 1
    # A last window that would start in the end padding is dropped (ONNX, PyTorch).
    return count - 1 if ceil and (count - 1) * stride >= size + pad[0] else count


@irdl_op_definition
class ConvOp(WindowedOp):
    """Cross-correlation of an image with filters, any number of spatial axes.

    `x`: [N, C, spatial…], `w`: [M, C / groups, kernel…], `bias`: [M], added before rounding; result [N, M, spatial…].
    f16 and bf16 accumulate in f32 and round once.

    (C4) `x` and `w` have the same rank, at least 3. (C5) C = groups * w's second extent. (C6) M is a multiple of
    groups. (C7) one floating-point element type. (C8) the bias is [M].

    ```mlir
    %y = graph.conv %x, %w, %b strides = [2, 2] : tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>
    %z = graph.conv %y, %d groups = 4, pads = [1, 1, 1, 1] : tensor<1x4x4x4xf32>, tensor<4x1x3x3xf32>
    ```
    """

    name = "graph.conv"
    FUSION: ClassVar = FusionRole.CONTRACTION
    traits = traits_def(AnyLayout())
    x = operand_def(TENSOR)
    w = operand_def(TENSOR)
    bias = opt_operand_def(TENSOR)
    groups = int_prop(1)
    y = result_def(TENSOR)

    @property
    def kernel(self) -> tuple[int, ...]:
        """Extents of the filter's spatial axes."""
        return shape_of(self.w)[2:]

    def infer(self) -> tuple[Tensor, ...]:
        x, w = tensor_of(self.x), tensor_of(self.w)
        element, shape = x.element_type, conv_shape(self, x, w, self.groups.value.data)  # (C1) to (C6)
        if element != w.element_type or not is_float(element):  # (C7)
            raise VerifyException(
                f"graph.conv needs operands of the same floating-point type, not {element} and {w.element_type}"
            )
        if self.bias is not None and tensor_of(self.bias) != tensor_type(shape[1:2], element):  # (C8)
            raise VerifyException(
                f"graph.conv: the bias must be {tensor_type(shape[1:2], element)}, not {tensor_of(self.bias)}"
            )
        return (tensor_type(shape, element),)

    def work(self) -> Work:
        macs = element_count(tensor_of(self.y)) * prod(shape_of(self.w)[1:])
        return self.work_of(0 if self.bias is None else 1, macs=macs)

    def part(self, box: Box) -> PartOperands | None:
        """The parts of operands for a part of the result; None if the part cuts output channels within one of several
        groups."""
        found = conv_part(self, self.groups.value.data, box)
        if found is None or self.bias is None:
            return found
        return PartOperands((*found.needs, (box[1],)), found.properties)


def conv_shape(op: WindowedOp, x: Tensor, w: Tensor, groups: int) -> tuple[int, ...]:
    """The shape of a convolution of an image with filters. Raises VerifyException for operands that do not fit."""
    if x.get_num_dims() < 3 or w.get_num_dims() != x.get_num_dims():
        raise VerifyException(f"{op.name} takes [N, C, spatial…] and [M, C / groups, kernel…], not {x} and {w}")
    n, c, *image = x.get_shape()
    m, c_group, *kernel = w.get_shape()
    if groups < 1:
        raise VerifyException(f"{op.name}: `groups` must be at least 1, but is {groups}")
    if c != groups * c_group:
        raise VerifyException(
            f"{op.name}: groups = {groups} and filters of {c_group} channels need an input of {groups * c_group} "
            f"channels, but it has {c}"
        )
    if m % groups:
        raise VerifyException(f"{op.name}: {m} filters can't be divided evenly into {groups} groups")
    return (n, m, *op.spatial(tuple(image), tuple(kernel)))


def conv_part(op: WindowedOp, groups: int, box: Box) -> PartOperands | None:
    """The parts of image and filters for a part of a convolution's result; None if the part cuts output channels within
    one of several groups."""
    x, w = op.operands[:2]
    found = op.seen(box, shape_of(w)[2:])
    if found is None:
        return None
    seen, pads = found
    filters, channels = box[1], range(shape_of(x)[1])
    if len(filters) != shape_of(w)[0] and groups > 1:
        each, depth = shape_of(w)[0] // groups, shape_of(w)[1]
        if filters.start % each or filters.stop % each:
            return None
        channels = range(filters.start // each * depth, filters.stop // each * depth)
        groups = len(filters) // each
    return PartOperands(((box[0], channels, *seen), (filters, *full_box(w)[1:])), {"pads": pads, "groups": groups})


@irdl_op_definition
class Im2colOp(WindowedOp):
    """The windows of an image as rows of a matrix, so that a convolution is a matrix product.

    `x`: [N, C, spatial…]; result [N, groups, pixels, C / groups * kernel…], with rows in the order channel, then kernel
    axes; padding is zero. conv(x, w) = im2col(x) times w, reshaped to [groups, M / groups, C / groups * kernel…] and
    transposed.

    (C4) the rank of `x` is at least 3. (C5) C is a multiple of groups.

    ```mlir
    %rows = graph.im2col %x kernel = [3, 3], pads = [1, 1, 1, 1] : tensor<1x3x8x8xf32>
    ```
    """

    name = "graph.im2col"
    x = operand_def(TENSOR)
    kernel = ints_prop()
    groups = int_prop(1)
    y = result_def(TENSOR)

    def infer(self) -> tuple[Tensor, ...]:
        x, groups, kernel = tensor_of(self.x), self.groups.value.data, tuple(self.kernel.get_values())
        if x.get_num_dims() < 3:  # (C4)
            raise VerifyException(f"graph.im2col takes an image [N, C, spatial…], not {x}")
        n, c, *image = x.get_shape()
        if groups < 1 or c % groups:  # (C5)
            raise VerifyException(f"graph.im2col: {c} channels can't be divided evenly into {groups} groups")
        pixels = prod(self.spatial(tuple(image), kernel))
        return (tensor_type((n, groups, pixels, c // groups * prod(kernel)), x.element_type),)

    def work(self) -> Work:
        return self.work_of(0)

    def part(self, box: Box) -> PartOperands | None:
        """The part of `x` for a part of the result that has some images of the batch and some groups of channels, but
        all windows; None for a part with only some of the windows."""
        images, groups, *rows = box
        if tuple(rows) != full_box(self.y)[2:]:
            return None
        _, channels, *image = full_box(self.x)
        each = len(channels) // self.groups.value.data
        needed = range(groups.start * each, groups.stop * each)
        return PartOperands(((images, needed, *image),), {"groups": len(groups)})


@irdl_op_definition
class AttentionOp(GraphOp):
    """Scaled dot-product attention (Vaswani et al., 2017), per head: softmax(q · kᵀ * scale + mask) · v.

    `q`: [B, H, L, D], `k`: [B, G, S, D], `v`: [B, G, S, E]; H / G heads of q share one of k and v. Result [B, H, L, E].
    `scale` 0 means 1 / sqrt D. `softcap` c > 0 maps scores s to c * tanh(s / c) before the mask.

    `limits` are up to three further operands: a mask, lengths and sinks. The mask broadcasts to [B, H, L, S]; it is
    added to the scores, or i1, where true keeps a score. The lengths, [B] integers, say how many keys of each sequence
    are valid: keys from there on are hidden. With `causal`, query i sees keys 0 to i + S - L; with `window` w > 0, it
    sees keys from i + S - L - w + 1 on. `unseen` says what a query that sees no key gets: `zeros`, as ONNX specifies;
    `nans`, as from softmax over scores of -inf; or the `mean` of all values, as from softmax over equal numbers. With
    `sinks`, the last operand is a further score of each head, [H], for each of its queries: it takes part in the
    softmax as it is, and has no value (gpt-oss, 2025).

    (C1) extents agree as above. (C2) H is a multiple of G. (C3) q, k, v have one floating-point type. (C4) the mask is
    of floating-point elements or i1, and broadcasts. (C5) lengths are B integers, and follow the mask. (C6) the window
    is not negative. (C7) sinks are H floating-point elements, and a query that sees no key gets zeros.

    ```mlir
    %y = graph.attention %q, %k, %v causal : tensor<1x8x4x64xf16>, tensor<1x2x6x64xf16>, tensor<1x2x6x64xf16>
    %z = graph.attention %q, %q, %q window = 4, unseen = nans : tensor<1x8x4x64xf16>
    %s = graph.attention %a, %a, %a, %b sinks : tensor<1x2x4x4xf16>, tensor<1x2x4x4xf16>, tensor<1x2x4x4xf16>,
      tensor<2xf16>
    ```
    """

    name = "graph.attention"
    FUSION: ClassVar = FusionRole.CONTRACTION
    q = operand_def(TENSOR)
    k = operand_def(TENSOR)
    v = operand_def(TENSOR)
    limits = var_operand_def(TENSOR)
    scale = real_prop(0.0)
    softcap = real_prop(0.0)
    causal = flag_prop()
    window = int_prop(0)
    unseen = word_prop("zeros", "nans", "mean", default="zeros")
    sinks = flag_prop()
    y = result_def(TENSOR)

    @property
    def hiding(self) -> tuple[SSAValue, ...]:
        """The mask and the lengths, as far as there are some."""
        return tuple(self.limits[:-1] if self.sinks.value.data else self.limits)

    @property
    def mask(self) -> SSAValue | None:
        """The operand that is added to the scores or says which of them count; None if there is none."""
        return next((value for value in self.hiding if not _counts(value)), None)

    @property
    def lengths(self) -> SSAValue | None:
        """The operand with the number of valid keys of each sequence; None if all are valid."""
        return next((value for value in self.hiding if _counts(value)), None)

    @property
    def sink_scores(self) -> SSAValue | None:
        """The operand with a score of each head that has no value; None if there are none."""
        return self.limits[-1] if self.sinks.value.data and self.limits else None

    @property
    def hides(self) -> bool:
        """True if a query may see fewer keys than there are."""
        return bool(self.hiding) or bool(self.causal.value.data) or self.window.value.data > 0

    def infer(self) -> tuple[Tensor, ...]:
        q, k, v = tensor_of(self.q), tensor_of(self.k), tensor_of(self.v)
        if not q.get_num_dims() == k.get_num_dims() == v.get_num_dims() == 4:  # (C1)
            raise VerifyException(
                f"graph.attention takes q, k and v of shape [batch, heads, length, depth], not {q}, {k} and {v}"
            )
        (b, h, length, d), (b_k, g, s, d_k), (b_v, g_v, s_v, e) = q.get_shape(), k.get_shape(), v.get_shape()
        if not (b == b_k == b_v and g == g_v and s == s_v and d == d_k):  # (C1)
            raise VerifyException(
                f"graph.attention takes q, k and v of shapes [B, H, L, D], [B, G, S, D] and [B, G, S, E], "
                f"not {q}, {k} and {v}"
            )
        if g == 0 or h % g:  # (C2)
            raise VerifyException(
                f"graph.attention: the {h} query heads can't be divided evenly among the {g} key heads"
            )
        if not q.element_type == k.element_type == v.element_type or not is_float(q.element_type):  # (C3)
            raise VerifyException(
                f"graph.attention needs q, k, v of the same floating-point type, not {q}, {k} and {v}"
            )
        if len(self.hiding) > (self.mask is not None) + (self.lengths is not None):  # (C5)
            raise VerifyException(
                "graph.attention takes at most one mask and one tensor of lengths, not "
                f"{' and '.join(str(tensor_of(value)) for value in self.hiding)}"
            )
        if self.mask is not None:
            mask = tensor_of(self.mask)
            scores = tensor_type((b, h, length, s), mask.element_type)
            if not (is_float(mask.element_type) or mask.element_type == I1) or not broadcasts(mask, scores):  # (C4)
                raise VerifyException(
                    f"graph.attention: the mask must be floating-point or i1 and broadcast to {b}x{h}x{length}x{s}, "
                    f"but is {mask}"
                )
        if self.lengths is not None and (shape_of(self.lengths) != (b,) or self.hiding[-1] is not self.lengths):  # (C5)
            raise VerifyException(
                f"graph.attention: the lengths must be a vector of {b} integers and follow the mask, "
                f"but are {tensor_of(self.lengths)}"
            )
        if self.window.value.data < 0:  # (C6)
            raise VerifyException(f"graph.attention: the window must not be negative, but is {self.window.value.data}")
        sinks = None if self.sink_scores is None else tensor_of(self.sink_scores)
        if self.sinks.value.data and (sinks is None or sinks.get_shape() != (h,) or not is_float(sinks.element_type)):
            given = "there is no operand behind v" if sinks is None else f"the last operand is {sinks}"
            raise VerifyException(  # (C7)
                f"graph.attention: sinks must be a vector of {h} floating-point elements, one of each head, but {given}"
            )
        if sinks is not None and self.unseen.data != "zeros":  # (C7)
            raise VerifyException(
                f"graph.attention: with sinks, a query that sees no key gets zeros, not {self.unseen.data}"
            )
        return (tensor_type((b, h, length, e), q.element_type),)

    def reach(self) -> tuple[float, float]:
        """What a sequence has on average: the number of pairs of a query and a key that its window and lengths show (a
        causal mask counts only together with a window), and the number of keys that some query may see. Lengths count
        if they are constant."""
        length, s = shape_of(self.q)[2], shape_of(self.k)[2]
        counts = self.lengths.owner if self.lengths is not None else None
        valid = counts.value.array() if isinstance(counts, ConstantOp) else [s]
        window, causal = self.window.value.data, bool(self.causal.value.data)
        pairs = keys = 0
        for end in (min(max(int(each), 0), s) for each in valid):
            if not window:
                pairs, keys = pairs + length * end, keys + end
                continue
            for last in range(s - length, s):  # the key at each query's own position
                pairs += max(0, (min(end, last + 1) if causal else end) - max(0, last - window + 1))
            keys += max(0, (min(end, s) if causal else end) - max(0, s - length - window + 1))
        return pairs / len(valid), keys / len(valid)

    def work(self) -> Work:
        b, h, length, d = shape_of(self.q)
        s, e = shape_of(self.v)[2:]
        pairs, keys = self.reach() if self.window.value.data or self.lengths is not None else (length * s, s)
        scores = round(b * h * pairs)
        # Scale, four flops of softmax and, if present, three of softcap and one of the mask.
        each = 5 + 3 * bool(self.softcap.value.data) + self.hides
        read, written = self.bytes_moved()
        unread = sum(byte_count(tensor_of(value)) for value in dict.fromkeys((self.k, self.v))) if keys < s else 0
        macs = scores * (d + e)
        return Work(2 * macs + each * scores, read - round(unread * (1 - keys / max(s, 1))), written, macs)

    def part(self, box: Box) -> PartOperands | None:
        """The parts of operands for a part of the result: with `causal`, keys are needed only up to the last key that
        the part's last query sees. None if the part cuts the last axis, a group of heads that share keys, or the
        queries of an attention whose hidden keys a part of the keys would not show."""
        batch, heads, queries, depth = box
        shared = shape_of(self.q)[1] // shape_of(self.k)[1]
        if len(depth) != shape_of(self.y)[3] or heads.start % shared or heads.stop % shared:
            return None
        caches = range(heads.start // shared, heads.stop // shared)
        length, keys = shape_of(self.q)[2], range(shape_of(self.k)[2])
        if (self.causal.value.data or self.window.value.data) and len(queries) < length:
            if not self.causal.value.data or self.unseen.data == "mean":
                return None
            keys = range(len(keys) - length + queries.stop)
            if not keys:
                return None
        needs: list[Box] = [
            (batch, heads, queries, range(shape_of(self.q)[3])),
            (batch, caches, keys, range(shape_of(self.k)[3])),
            (batch, caches, keys, depth),
        ]
        if self.mask is not None:
            needs.append(stretched(shape_of(self.mask), (batch, heads, queries, keys)))
        if self.lengths is not None:
            needs.append((batch,))
        if self.sink_scores is not None:
            needs.append((heads,))
        return PartOperands(tuple(needs))


def _counts(value: SSAValue) -> bool:
    """True for the lengths of an attention, false for its mask."""
    element = tensor_of(value).element_type
    return element != I1 and not is_float(element)


def _swap(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2])


CONTRACTION_OPS = ops_of(__name__)
