"""Which graph ops are matrix products with a weight, and how their operands and results are rows and columns of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Literal

from xdsl.ir import Operation, SSAValue

from dialects.graph import ConvOp, GraphOp, MatmulOp, shape_of, tensor_of
from lowering.bank_layout import Chain
from lowering.bank_mapping import Product


@dataclass(frozen=True)
class Form:
    """How one class of ops is a product: `product` says which, or why not.

    `rows` gives the activations as [batch, vectors, inner], `weights` the weight as [batch, outputs, inner], and
    `result` makes the op's result of [batch, vectors, outputs].
    """

    product: Callable[[GraphOp], Product | str]
    operands: Callable[[GraphOp], tuple[SSAValue, SSAValue]]
    """The activations and the weight."""
    rows: Callable[[Chain, GraphOp], Chain]
    weights: Callable[[Chain, GraphOp], Chain]
    result: Callable[[Chain, GraphOp], Chain]


class _Matmul:
    """`a b` with the weight on one side: `b` as it stands, or `a` where the product is the transpose of `bᵀ aᵀ`."""

    def __init__(self, weight: Literal["a", "b"]) -> None:
        self.weight = weight

    def form(self) -> Form:
        return Form(self.product, self.operands, self.rows, self.weights, self.result)

    def operands(self, op: GraphOp) -> tuple[SSAValue, SSAValue]:
        assert isinstance(op, MatmulOp)
        return (op.a, op.b) if self.weight == "b" else (op.b, op.a)

    def _sizes(self, op: GraphOp) -> tuple[int, int, int, int]:
        """Batch, vectors, outputs and the length of a sum; one weight for all makes the batch more vectors."""
        assert isinstance(op, MatmulOp)
        batch, m, n, k = op.sizes
        vectors, outputs = (m, n) if self.weight == "b" else (n, m)
        alone = prod(shape_of(self.operands(op)[1])[:-2]) == 1
        return (1, batch * vectors, outputs, k) if alone else (batch, vectors, outputs, k)

    def product(self, op: GraphOp) -> Product | str:
        assert isinstance(op, MatmulOp)
        if op.bias is not None:
            return "no bank program adds a bias to a product; split it off"
        batch, vectors, outputs, inner = self._sizes(op)
        if min(batch, vectors, outputs, inner) < 1:
            return "there is nothing to compute"
        return Product(batch, vectors, outputs, inner, str(tensor_of(op.a).element_type))

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

    def result(self, chain: Chain, op: GraphOp) -> Chain:
        *batch, m, n = shape_of(op.results[0])
        if self.weight == "b":
            return chain.reshape(*batch, m, n)
        return _swap(chain.reshape(*batch, n, m))


def _swap(chain: Chain) -> Chain:
    rank = len(chain.shape)
    return chain.transpose(*range(rank - 2), rank - 1, rank - 2)


def _conv(op: GraphOp) -> Product | str:
    assert isinstance(op, ConvOp)
    if op.bias is not None:
        return "no bank program adds a bias to a product; split it off"
    if op.groups.value.data != 1:
        return "a grouped convolution uses one bank a group's filter and leaves the others idle"
    m, *_ = shape_of(op.w)
    n, _, *spatial = shape_of(op.y)
    inner = prod(shape_of(op.w)[1:])
    if min(n, m, inner, *spatial) < 1:
        return "there is nothing to compute"
    return Product(1, n * prod(spatial), m, inner, str(tensor_of(op.x).element_type))


def _conv_rows(chain: Chain, op: GraphOp) -> Chain:
    """The windows as rows; where a window is one pixel these are the pixels themselves."""
    assert isinstance(op, ConvOp)
    n, channels, *image = shape_of(op.x)
    strides, pads, dilations = op.window(op.kernel)
    if prod(op.kernel) == 1 and all(stride == 1 for stride in strides) and all(pad == (0, 0) for pad in pads):
        chain.transpose(0, *range(2, 2 + len(image)), 1)
        return chain.reshape(1, n * prod(image), channels)
    flat = [low for low, _ in pads] + [high for _, high in pads]
    chain.unfold(op.kernel, strides, flat, dilations)
    return chain.reshape(1, n * chain.shape[2], chain.shape[3])


def _conv_weights(chain: Chain, op: GraphOp) -> Chain:
    m, *inner = chain.shape
    return chain.reshape(1, m, prod(inner))


def _conv_result(chain: Chain, op: GraphOp) -> Chain:
    n, m, *spatial = shape_of(op.results[0])
    chain.reshape(n, *spatial, m)
    return chain.transpose(0, len(spatial) + 1, *range(1, len(spatial) + 1))


def _conv_operands(op: GraphOp) -> tuple[SSAValue, SSAValue]:
    assert isinstance(op, ConvOp)
    return op.x, op.w


FORMS: dict[type[Operation], tuple[Form, ...]] = {
    MatmulOp: (_Matmul("b").form(), _Matmul("a").form()),
    ConvOp: (Form(_conv, _conv_operands, _conv_rows, _conv_weights, _conv_result),),
}
"""How each class of ops is a product: the first way whose weight is one counts. A plug-in adds its own rows."""
