"""Conversion of values by scales and zero points, as ONNX writes them: QuantizeLinear and DequantizeLinear, and what
the operators on quantized values are composed of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import ElementType, element_type_named, is_float, is_small_float, tensor_type
from ndpir.frontends.onnx.builder import known
from ndpir.frontends.onnx.operators import OnnxNode, element_of, handles, rank_of
from ndpir.frontends.onnx.tensors import TensorError, element_type


@dataclass(frozen=True, slots=True)
class Scaling:
    """How quantized numbers stand for others: scale and zero point (None: 0), which broadcast, or have one number for
    each `block` elements along `axis`."""

    scale: SSAValue
    zero: SSAValue | None = None
    axis: int = 0
    block: int = 0

    def quantize(self, node: OnnxNode, x: SSAValue, element: ElementType) -> SSAValue:
        """`x` in the quantized type `element`."""
        zeros = () if self.zero is None else (self.zero,)
        op = g.QuantizeOp(
            x, self.scale, *zeros, result_type=tensor_type(g.shape_of(x), element), **self._blocks()
        )  # fmt: skip
        return node.add(op)

    def dequantize(self, node: OnnxNode, x: SSAValue) -> SSAValue:
        """The numbers that `x` stands for, in the type of the scale."""
        zeros = () if self.zero is None else (self.zero,)
        return node.build(g.DequantizeOp, x, self.scale, *zeros, **self._blocks())

    def _blocks(self) -> dict[str, int | None]:
        return {"axis": self.axis if self.block else None, "block": self.block or None}


def scaling_of(
    node: OnnxNode, x: SSAValue, scale: SSAValue, zero: SSAValue | None, axis: int, block: int = 0
) -> Scaling:
    """The scaling of a value that ONNX writes as a scalar, as a vector along `axis`, or, with `block` > 0, as blocks
    along it."""
    shape, given = g.shape_of(x), g.shape_of(scale)
    if zero is not None and given in _SINGLE and g.shape_of(zero) in _SINGLE:
        zero = node.reshaped(zero, given)
    if zero is not None and g.shape_of(zero) != given:
        node.fail(f"the zero point of {g.tensor_of(zero)} must have the shape of the scale, {list(given)}")
    if block:
        axis = node.axis_of(axis, len(shape))
        return Scaling(scale, _unless_zero(zero), axis, block)
    extents: Sequence[int] = ()
    if given not in _SINGLE or (given == (1,) and shape and -len(shape) <= axis < len(shape) and shape[axis] == 1):
        axis = node.axis_of(axis, len(shape))
        if given != (shape[axis],):
            node.fail(
                f"the scale must be one number, or a vector of {shape[axis]} for axis {axis} of {g.tensor_of(x)}, not "
                f"{g.tensor_of(scale)}"
            )
        extents = along(shape, axis)
    return Scaling(node.reshaped(scale, extents), _unless_zero(None if zero is None else node.reshaped(zero, extents)))


def along(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    """The extents of a vector along an axis, so that it broadcasts to `shape`."""
    return tuple(extent if place == axis else 1 for place, extent in enumerate(shape))


def _unless_zero(zero: SSAValue | None) -> SSAValue | None:
    """A zero point; None if it is known to be 0."""
    array = None if zero is None else known(zero)
    return None if array is not None and not array.astype(np.float32).any() else zero


@handles("QuantizeLinear", newest=28)
def quantize_linear(node: OnnxNode) -> SSAValue:
    x, zero = node[0], node.get(2)
    try:
        stated = node.integer("output_dtype")
        element = element_of(zero) if zero is not None else element_type(stated) if stated else _UI8
        if zero is not None and stated and element_type(stated) != element:
            node.fail(f"`output_dtype` is {element_type(stated)}, but the zero point is of {element}")
        precision = element_type(node.integer("precision")) if node.integer("precision") else None
    except TensorError as error:
        node.fail(f"the result {error}")
    scaling = scaling_of(node, x, node[1], zero, node.integer("axis", 1), node.integer("block_size"))
    if precision is not None and is_float(precision) and precision != element_of(x):
        x = node.build_as(tensor_type(g.shape_of(x), precision), g.CastOp, x)
    if is_small_float(element) and not node.integer("saturate", 1) and not scaling.block:
        divided = node.build(g.DivOp, x, node.cast(scaling.scale, element_of(x)))
        return node.build_as(tensor_type(g.shape_of(x), element), g.CastOp, divided)
    return scaling.quantize(node, x, element)


@handles("DequantizeLinear", newest=28)
def dequantize_linear(node: OnnxNode) -> SSAValue:
    x, scale = node[0], node[1]
    if (stated := node.integer("output_dtype")) != 0:
        try:
            scale = node.cast(scale, element_type(stated))
        except TensorError as error:
            node.fail(f"the result {error}")
    return scaling_of(node, x, scale, node.get(2), node.integer("axis", 1), node.integer("block_size")).dequantize(
        node, x
    )


def rows_along(node: OnnxNode, numbers: SSAValue, x: SSAValue) -> SSAValue:
    """Scale or zero point of the rows of a matrix (a vector), so that it broadcasts to the matrix; a single number is
    made a scalar, and other tensors are unchanged."""
    if g.shape_of(numbers) in _SINGLE:
        return node.reshaped(numbers, ())
    return node.reshaped(numbers, (*g.shape_of(numbers), 1)) if rank_of(numbers) == 1 and rank_of(x) > 1 else numbers


def columns_along(node: OnnxNode, numbers: SSAValue) -> SSAValue:
    """Scale or zero point of the columns of a matrix; a single number is made a scalar."""
    return node.reshaped(numbers, ()) if g.shape_of(numbers) in _SINGLE else numbers


_SINGLE = ((), (1,))
"""The shapes of a scale that holds for all elements."""
_UI8 = element_type_named("ui8")
