"""The product of a mixture of experts, in which each row chooses its matrix, and the experts that rows are expected to
choose."""

from __future__ import annotations

from math import exp, log, prod
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, result_def
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import I1, ElementType, byte_count, element_type_named, is_float, is_small, tensor_type
from dialects.graph.boxes import Box, PartOperands, stretched
from dialects.graph.op import TENSOR, GraphOp, Tensor, ops_of, shape_of, tensor_of
from dialects.graph.properties import flag_prop, int_prop, real_prop
from dialects.graph.roles import FusionRole
from dialects.work import Work


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
            return element_type_named("f32") if is_float(types[0]) else _I32
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
_I32 = element_type_named("i32")
EXPERT_OPS = ops_of(__name__)
