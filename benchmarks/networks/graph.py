"""Builder of graphs of known networks, op by op as frameworks launch them, with repetition counts and element types."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from math import prod

from xdsl.dialects.builtin import Float16Type, Float32Type
from xdsl.ir import Block, SSAValue

from dialects.element_types import I1, I64, ElementType, tensor_type
from dialects.graph import (
    AddOp,
    CastOp,
    CompareOp,
    ConcatOp,
    GatherOp,
    GraphOp,
    LayerNormOp,
    MatmulOp,
    MulOp,
    ReduceOp,
    SelectOp,
    SoftmaxOp,
    TransposeOp,
    shape_of,
    tensor_of,
)

F16, F32 = Float16Type(), Float32Type()


class Network:
    """The graph ops of a network, in the order in which a framework launches them. Ops of a repeated layer are stored
    once, with the number of repetitions."""

    def __init__(self, element: ElementType = F32) -> None:
        self.element = element
        self.launches: list[tuple[GraphOp, int]] = []
        self.waited: set[GraphOp] = set()
        """The ops during which the host waits for the device instead of running ahead."""
        self.across: set[GraphOp] = set()
        """The sums whose second operand has its neighbouring elements in different sectors of memory."""
        self.kept: set[SSAValue] = set()
        """Results that are needed later, though no op of the graph tells so (`keep`)."""
        self.bases: dict[SSAValue, SSAValue] = {}
        """The tensor whose bytes a view shows, by the view."""
        self._block = Block()
        self._times = 1
        self._waits = False

    @contextmanager
    def times(self, count: int) -> Generator[None]:
        """A context in which each added op counts as `count` launches."""
        before = self._times
        self._times = before * count
        yield
        self._times = before

    @contextmanager
    def waits(self) -> Generator[None]:
        """A context in which the host waits for results of the device, and so submits each added op late."""
        before, self._waits = self._waits, True
        yield
        self._waits = before

    def value(self, *shape: int, element: ElementType | None = None) -> SSAValue:
        """Return a tensor that no op produces: a weight, an input, or a view of another tensor's bytes."""
        return self._block.insert_arg(tensor_type(shape, element or self.element), len(self._block.args))

    def add(self, op: GraphOp) -> SSAValue:
        """Add an op that the framework launches; return its result."""
        self.launches.append((op, self._times))
        if self._waits:
            self.waited.add(op)
        return op.results[0]

    def keep(self, x: SSAValue) -> SSAValue:
        """Return `x`, which is needed later: an op reads it through a view that this graph doesn't show."""
        self.kept.add(self.base(x))
        return x

    def base(self, x: SSAValue) -> SSAValue:
        """Return the tensor whose bytes `x` shows; `x` itself if it is no view."""
        while x in self.bases:
            x = self.bases[x]
        return x

    def view(self, x: SSAValue, *shape: int) -> SSAValue:
        """Return `x` in another shape, without a launch."""
        assert prod(shape) == prod(shape_of(x))
        view = self.value(*shape, element=_element(x))
        self.bases[view] = x
        return view

    def linear(self, x: SSAValue, out: int, bias: bool = True) -> SSAValue:
        """Add the product of `x` [rows, in] and a weight, and a bias if `bias`."""
        element, inner = _element(x), shape_of(x)[-1]
        operands = [x, self.value(inner, out, element=element)]
        if bias:
            operands.append(self.value(out, element=element))
        return self.add(MatmulOp(*operands))

    def matmul(self, a: SSAValue, b: SSAValue, transpose_a: bool = False, transpose_b: bool = False) -> SSAValue:
        return self.add(MatmulOp(a, b, transpose_a=transpose_a, transpose_b=transpose_b))

    def unary(self, kind: type[GraphOp], x: SSAValue) -> SSAValue:
        return self.add(kind(x))

    def binary(self, kind: type[GraphOp], a: SSAValue, b: SSAValue | None = None) -> SSAValue:
        """Add an op of two tensors, or of one tensor and a scalar."""
        return self.add(kind(a, self.value(element=_element(a)) if b is None else b))

    def sum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.binary(AddOp, a, b)

    def sum_across(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Add the sum of `a` and of `b`, a permuted view: its neighbouring elements are in different sectors of memory,
        so that each costs a sector."""
        y = self.sum(a, b)
        self.across.add(self.launches[-1][0])
        return y

    def compared(self, kind: str, x: SSAValue) -> SSAValue:
        """Add a comparison of `x` with a scalar; `kind`: the operator."""
        return self.add(CompareOp(x, self.value(element=_element(x)), kind=kind))

    def scaled(self, x: SSAValue) -> SSAValue:
        return self.binary(MulOp, x)

    def masked(self, x: SSAValue, shape: Sequence[int] | None = None) -> SSAValue:
        """Add a selection between `x` and a scalar by a mask (of the shape of `x`, or of `shape`), as for a causal mask
        or dropout."""
        mask = self.value(*(shape or shape_of(x)), element=I1)
        return self.add(SelectOp(mask, x, self.value(element=_element(x))))

    def softmax(self, x: SSAValue) -> SSAValue:
        return self.add(SoftmaxOp(x))

    def layer_norm(self, x: SSAValue) -> SSAValue:
        scale, bias = (self.value(shape_of(x)[-1], element=_element(x)) for _ in range(2))
        return self.add(LayerNormOp(x, scale, bias))

    def copied(self, x: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """Add a copy with permuted axes."""
        return self.add(TransposeOp(x, permutation=permutation))

    def joined(self, *parts: SSAValue, axis: int = -1) -> SSAValue:
        return self.add(ConcatOp(*parts, axis=axis))

    def summed(self, x: SSAValue, *axes: int) -> SSAValue:
        return self.add(ReduceOp(x, kind="sum", axes=axes))

    def mean_of_rows(self, x: SSAValue) -> SSAValue:
        return self.add(ReduceOp(x, kind="mean", axes=(-1,), keep_dims=True))

    def embedding(self, entries: int, width: int, ids: int) -> SSAValue:
        return self.add(GatherOp(self.value(entries, width), self.value(ids, element=I64)))

    def cast(self, x: SSAValue, element: ElementType) -> SSAValue:
        """Add a cast of `x` to an element type; return `x` if it has this type."""
        if _element(x) == element:
            return x
        return self.add(CastOp(x, result_type=tensor_type(shape_of(x), element)))


def _element(x: SSAValue) -> ElementType:
    return tensor_of(x).element_type
