"""Softmax and norms decomposed into element-wise ops and reductions, for devices that have no kernel for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Operation, Region, SSAValue

from dialects.element_types import ElementType, dtype_of, tensor_type
from dialects.graph.binary import AddOp, DivOp, MulOp, SubOp
from dialects.graph.constant import ConstantOp
from dialects.graph.fused import FusedOp, YieldOp
from dialects.graph.op import GraphOp, tensor_of
from dialects.graph.reduction import LayerNormOp, ReduceOp, RmsNormOp, SoftmaxOp
from dialects.graph.unary import CastOp, ExpOp, SqrtOp
from dialects.locations import located


class _Writer:
    """Appends ops to a block, each with the location of the op it replaces."""

    def __init__(self, block: Block, op: GraphOp) -> None:
        self.block, self.op = block, op
        self.element = tensor_of(op.results[0]).element_type
        self.wide: ElementType = f32 if dtype_of(self.element).itemsize < 4 else self.element

    def add(self, op: GraphOp) -> SSAValue:
        self.block.add_op(located(op, self.op))
        return op.results[0]

    def widened(self, value: SSAValue) -> SSAValue:
        """The value in the type of accumulation."""
        return self._cast(value, self.wide)

    def rounded(self, value: SSAValue) -> SSAValue:
        """The value in the op's element type, rounded once."""
        return self._cast(value, self.element)

    def _cast(self, value: SSAValue, element: ElementType) -> SSAValue:
        tensor = tensor_of(value)
        if tensor.element_type == element:
            return value
        return self.add(CastOp(value, result_type=tensor_type(tensor.get_shape(), element)))

    def reduced(self, kind: str, x: SSAValue, axes: list[int]) -> SSAValue:
        return self.add(ReduceOp(x, kind=kind, axes=axes, keep_dims=True))

    def root_of_mean_square(self, x: SSAValue, axes: list[int], epsilon: float) -> SSAValue:
        square = self.reduced("mean", self.add(MulOp(x, x)), axes)
        offset = self.add(ConstantOp(np.array(epsilon, dtype_of(tensor_of(x).element_type))))
        return self.add(SqrtOp(self.add(AddOp(square, offset))))


def _softmax(write: _Writer, op: SoftmaxOp, x: SSAValue, *_: SSAValue) -> SSAValue:
    wide, axes = write.widened(x), [op.axis.value.data]
    powers = write.add(ExpOp(write.add(SubOp(wide, write.reduced("max", wide, axes)))))
    return write.rounded(write.add(DivOp(powers, write.reduced("sum", powers, axes))))


def _norm(
    write: _Writer, op: LayerNormOp | RmsNormOp, x: SSAValue, scale: SSAValue, bias: SSAValue | None = None
) -> SSAValue:
    rank, wide = tensor_of(x).get_num_dims(), write.widened(x)
    axes = list(range(op.axis.value.data % rank, rank))
    if isinstance(op, LayerNormOp):
        wide = write.add(SubOp(wide, write.reduced("mean", wide, axes)))
    y = write.add(DivOp(wide, write.root_of_mean_square(wide, axes, op.epsilon.value.data)))
    y = write.add(MulOp(y, write.widened(scale)))
    return write.rounded(y if bias is None else write.add(AddOp(y, write.widened(bias))))


_WRITERS: dict[type[Operation], Callable[..., SSAValue]] = {
    SoftmaxOp: _softmax,
    LayerNormOp: _norm,
    RmsNormOp: _norm,
}


def in_primitives(op: GraphOp | FusedOp) -> FusedOp:
    """A new, detached group equivalent to an op or group, with each softmax and norm decomposed into element-wise ops
    and reductions, and rounded once, like the original. The group has no operands, so that it adds no uses to the
    program's values: the arguments of its body represent the operands of `op`, in order."""
    fused = isinstance(op, FusedOp)
    outer = op.body.block.args if fused else op.operands
    block = Block(arg_types=[value.type for value in outer])
    values: dict[SSAValue, SSAValue] = dict(zip(outer, block.args, strict=True))
    for value, argument in zip(outer, block.args, strict=True):
        argument.name_hint = value.name_hint
    for inner in op.ops if fused else (op,):
        given = [values[operand] for operand in inner.operands]
        if (writer := _WRITERS.get(type(inner))) is not None:
            assert isinstance(inner, GraphOp)
            values[inner.results[0]] = writer(_Writer(block, inner), inner, *given)
        else:
            clone = located(inner.clone(), inner)
            clone.operands = given
            block.add_op(clone)
            values |= zip(inner.results, clone.results, strict=True)
    yielded = op.yielded if fused else op.results
    block.add_op(YieldOp(*(values[value] for value in yielded)))
    types = [values[value].type for value in yielded]
    return located(FusedOp.create(result_types=types, regions=[Region(block)]), op)
