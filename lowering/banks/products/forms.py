"""Recognition of graph ops as matrix products, with conversions of the ops' operands and results to matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

from xdsl.ir import Operation, SSAValue

from dialects.element_types import is_float
from dialects.graph import ConvOp, GraphOp, MatmulOp, ReduceOp, shape_of, tensor_of
from lowering.banks.layout import Chain
from lowering.banks.products.mapping import Product


@dataclass(frozen=True)
class ProductForm:
    """The form in which one class of ops is a product. `product` returns the product, or the reason why an op is no
    product.

    `rows` converts the activations to [batch, vectors, inner], `weights` converts the weight to [batch, outputs,
    inner], and `result` converts [batch, vectors, outputs] to the op's result.
    """

    product: Callable[[GraphOp], Product | str]
    operands: Callable[[GraphOp], tuple[SSAValue, SSAValue | None]]
    """The activations and the second operand of the product. The second operand is None for a matrix whose elements all
    equal `number`."""
    rows: Callable[[Chain, GraphOp], Chain]
    weights: Callable[[Chain, GraphOp], Chain]
    result: Callable[[Chain, GraphOp], Chain]
    bias: Callable[[GraphOp], SSAValue | None] = lambda op: None
    """The bias added to each output, or None."""
    starts: Callable[[Chain, GraphOp], Chain] = lambda chain, op: chain
    """Converts the bias to [batch, outputs]."""
    number: Callable[[GraphOp], float] = lambda op: 1.0
    outputs_axis: Callable[[GraphOp], int] = lambda op: 0
    """The axis of the second operand that numbers outputs, counted from the end (-1 or -2)."""


class _Matmul:
    """The forms of a matrix product `a b` with a weight as one factor: with `b` as the weight, or with `a` as the
    weight, where the product is computed as the transpose of `bᵀ aᵀ`."""

    def __init__(self, weight: Literal["a", "b"]) -> None:
        self.weight = weight

    def form(self) -> ProductForm:
        return ProductForm(
            self.product,
            self.operands,
            self.rows,
            self.weights,
            self.result,
            _bias,
            self.starts,
            outputs_axis=self.outputs_axis,
        )

    def outputs_axis(self, op: GraphOp) -> int:
        assert isinstance(op, MatmulOp)
        turned = op.transpose_b.value.data if self.weight == "b" else not op.transpose_a.value.data
        return -2 if turned else -1

    def operands(self, op: GraphOp) -> tuple[SSAValue, SSAValue]:
        assert isinstance(op, MatmulOp)
        return (op.a, op.b) if self.weight == "b" else (op.b, op.a)

    def _sizes(self, op: GraphOp) -> tuple[int, int, int, int]:
        """The sizes of the product: batch, vectors, outputs and the length of a sum. If one weight is shared by the
        whole batch, the batch is folded into the vectors."""
        assert isinstance(op, MatmulOp)
        batch, m, n, k = op.sizes
        vectors, outputs = (m, n) if self.weight == "b" else (n, m)
        alone = prod(shape_of(self.operands(op)[1])[:-2]) == 1
        return (1, batch * vectors, outputs, k) if alone else (batch, vectors, outputs, k)

    def product(self, op: GraphOp) -> Product | str:
        assert isinstance(op, MatmulOp)
        batch, vectors, outputs, inner = self._sizes(op)
        if min(batch, vectors, outputs, inner) < 1:
            return "there is nothing to compute"
        product = Product(batch, vectors, outputs, inner, str(tensor_of(op.a).element_type))
        if op.bias is None:
            return product
        *leading, m, n = (1,) * (len(shape_of(op.y)) - len(shape_of(op.bias))) + shape_of(op.bias)
        if (m if self.weight == "b" else n) != 1 or (batch == 1 and prod(leading) != 1):
            return "its bias differs between vectors, but banks start all sums of an output from one number"
        return replace(product, bias=True)

    def rows(self, chain: Chain, op: GraphOp) -> Chain:
        assert isinstance(op, MatmulOp)
        if op.transpose_a.value.data if self.weight == "b" else not op.transpose_b.value.data:
            _swap(chain)
        batch, vectors, _, inner = self._sizes(op)
        chain.broadcast(*shape_of(op.y)[:-2], *chain.shape[-2:])
        return chain.reshape(batch, vectors, inner)

    def weights(self, chain: Chain, op: GraphOp) -> Chain:
        assert isinstance(op, MatmulOp)
        if op.transpose_a.value.data if self.weight == "a" else not op.transpose_b.value.data:
            _swap(chain)
        batch, _, outputs, inner = self._sizes(op)
        if batch > 1:
            chain.broadcast(*shape_of(op.y)[:-2], outputs, inner)
        return chain.reshape(batch, outputs, inner)

    def starts(self, chain: Chain, op: GraphOp) -> Chain:
        batch, _, outputs, _ = self._sizes(op)
        if batch > 1:
            ones = (1, outputs) if self.weight == "b" else (outputs, 1)
            chain.broadcast(*shape_of(op.results[0])[:-2], *ones)
        elif prod(chain.shape) < outputs:
            chain.broadcast(*((1,) * (len(chain.shape) - 1)), outputs)
        return chain.reshape(batch, outputs)

    def result(self, chain: Chain, op: GraphOp) -> Chain:
        *batch, m, n = shape_of(op.results[0])
        if self.weight == "b":
            return chain.reshape(*batch, m, n)
        return _swap(chain.reshape(*batch, n, m))


def _swap(chain: Chain) -> Chain:
    rank = len(chain.shape)
    return chain.transpose(*range(rank - 2), rank - 1, rank - 2)


def _conv(op: GraphOp) -> Product | str:
    """A convolution as a batch of one product per group. In a depthwise convolution, each product has one output, from
    one channel's windows."""
    assert isinstance(op, ConvOp)
    m, *_ = shape_of(op.w)
    n, _, *spatial = shape_of(op.y)
    inner, groups = prod(shape_of(op.w)[1:]), op.groups.value.data
    if min(n, m, inner, *spatial) < 1:
        return "there is nothing to compute"
    element = str(tensor_of(op.x).element_type)
    return Product(groups, n * prod(spatial), m // groups, inner, element, bias=op.bias is not None)


def _bias(op: GraphOp) -> SSAValue | None:
    assert isinstance(op, ConvOp | MatmulOp)
    return op.bias


def _conv_starts(chain: Chain, op: GraphOp) -> Chain:
    assert isinstance(op, ConvOp)
    groups = op.groups.value.data
    return chain.reshape(groups, prod(chain.shape) // groups)


def _conv_rows(chain: Chain, op: GraphOp) -> Chain:
    """The windows of a convolution as rows of a matrix. 1x1 windows without strides and padding are the pixels
    themselves, so that no unfolding is needed."""
    assert isinstance(op, ConvOp)
    groups = op.groups.value.data
    n, channels, *image = shape_of(op.x)
    strides, pads, dilations = op.window(op.kernel)
    if prod(op.kernel) == 1 and all(stride == 1 for stride in strides) and all(pad == (0, 0) for pad in pads):
        chain.transpose(0, *range(2, 2 + len(image)), 1)
        chain.reshape(n * prod(image), groups, channels // groups)
    else:
        flat = [low for low, _ in pads] + [high for _, high in pads]
        chain.unfold(op.kernel, strides, flat, dilations)
        chain.reshape(n * chain.shape[2], groups, chain.shape[3] // groups)
    return chain.transpose(1, 0, 2)


def _conv_weights(chain: Chain, op: GraphOp) -> Chain:
    assert isinstance(op, ConvOp)
    (m, *inner), groups = chain.shape, op.groups.value.data
    return chain.reshape(groups, m // groups, prod(inner))


def _conv_result(chain: Chain, op: GraphOp) -> Chain:
    n, m, *spatial = shape_of(op.results[0])
    chain.transpose(1, 0, 2)
    chain.reshape(n, *spatial, m)
    return chain.transpose(0, len(spatial) + 1, *range(1, len(spatial) + 1))


def _conv_operands(op: GraphOp) -> tuple[SSAValue, SSAValue]:
    assert isinstance(op, ConvOp)
    return op.x, op.w


def _reduced(op: GraphOp) -> Product | str:
    """A sum or mean as a product with a matrix of one column whose elements are all equal."""
    assert isinstance(op, ReduceOp)
    kind, element = op.kind.data, tensor_of(op.x).element_type
    if kind not in ("sum", "mean"):
        return f"banks only multiply and add; no command computes the {kind} of several numbers"
    if not is_float(element):
        return f"units multiply floating-point numbers, not {element}"
    inner = prod(shape_of(op.x)[axis] for axis in op.axis_set())
    vectors = prod(shape_of(op.y))
    if min(inner, vectors) < 1:
        return "there is nothing to compute"
    return Product(1, vectors, 1, inner, str(element))


def _reduced_rows(chain: Chain, op: GraphOp) -> Chain:
    assert isinstance(op, ReduceOp)
    axes, rank = op.axis_set(), len(chain.shape)
    chain.transpose(*(axis for axis in range(rank) if axis not in axes), *axes)
    return chain.reshape(1, prod(shape_of(op.y)), prod(shape_of(op.x)[axis] for axis in axes))


def _reduced_number(op: GraphOp) -> float:
    """The factor for each summand: 1 for a sum, 1 / number of elements for a mean. It is rounded to the element
    type."""
    assert isinstance(op, ReduceOp)
    return 1.0 if op.kind.data == "sum" else 1 / prod(shape_of(op.x)[axis] for axis in op.axis_set())


FORMS: dict[type[Operation], tuple[ProductForm, ...]] = {
    MatmulOp: (_Matmul("b").form(), _Matmul("a").form()),
    ConvOp: (ProductForm(_conv, _conv_operands, _conv_rows, _conv_weights, _conv_result, _bias, _conv_starts),),
    ReduceOp: (
        ProductForm(
            _reduced,
            lambda op: (op.operands[0], None),
            _reduced_rows,
            lambda chain, op: chain,
            lambda chain, op: chain.reshape(*shape_of(op.results[0])),
            number=_reduced_number,
        ),
    ),
}
"""The forms in which each class of ops can be a product. The first form whose second operand is a weight is used. A
plugin can add classes."""
