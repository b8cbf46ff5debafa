"""Graph ops as products that thread blocks compute: which problem an op is, and how its operands and result lie."""

from __future__ import annotations

from math import prod
from typing import TypeAlias

from xdsl.ir import SSAValue

from dialects.element_types import name_of
from dialects.graph import ConvOp, GraphOp, MatmulOp, shape_of, tensor_of
from dialects.tile import KernelOp, memref_of
from lowering.banks.layout import Chain
from lowering.tile.schedule import Convolution, Problem

Product: TypeAlias = MatmulOp | ConvOp
"""The ops that become products of thread blocks."""
NARROW = ("f16", "bf16")
"""Types of factors that templates multiply with matrix units, and sum in f32."""


def problem_of(op: GraphOp) -> Problem | str:
    """The product that an op is; where there is no template for it, why, in words that begin with the op's name."""
    match op:
        case MatmulOp():
            found = _matmul(op)
        case ConvOp():
            found = _convolution(op)
        case _:
            return f"{op.name} is no product of matrices"
    if isinstance(found, str):
        return f"{op.name} {found}"
    element = name_of(tensor_of(op.operands[0]).element_type)
    if element not in NARROW:
        return f"{op.name} multiplies {element}, which is left to the GPU's library; narrow it (narrow{{to=f16}})"
    return found


def _matmul(op: MatmulOp) -> Problem | str:
    batch, m, n, k = op.sizes
    if min(batch, m, n, k) < 1:
        return "has no elements"
    if op.bias is not None:
        return "adds a bias before it rounds"
    if op.transpose_a.value.data:
        return "has a first factor that lies as K x M"
    element = name_of(tensor_of(op.a).element_type)
    across = bool(op.transpose_b.value.data)
    left, right = (prod(shape_of(value)[:-2]) for value in (op.a, op.b))
    if right == 1:  # one right-hand matrix for all: rows of one product
        return Problem(batch * m, n, k, element=element, result=element, across=across)
    if left != batch or right != batch:
        return "broadcasts one of its factors along a part of the batch"
    return Problem(m, n, k, batch, element=element, result=element, across=across)


def _convolution(op: ConvOp) -> Problem | str:
    images, channels, *spatial = shape_of(op.x)
    filters = shape_of(op.w)[0]
    strides, pads, dilations = op.window(op.kernel)
    if min(shape_of(op.y)) < 1:
        return "has no elements"
    if op.bias is not None:
        return "adds a bias before it rounds"
    if op.groups.value.data > 1:
        return f"has {op.groups.value.data} groups of channels"
    if max(dilations) > 1:
        return "is dilated"
    element = name_of(tensor_of(op.x).element_type)
    if prod(op.kernel) == max(strides) == 1 and not any(map(any, pads)):  # each pixel is a row
        return Problem(images * prod(spatial), filters, channels, element=element, result=element)
    if len(spatial) not in (2, 3):
        return f"has {len(spatial)} spatial axis"
    convolution = Convolution(images, tuple(spatial), channels, filters, op.kernel, strides, pads)
    found = Problem.of_convolution(convolution)
    return Problem(found.m, found.n, found.k, element=element, result=element, convolution=convolution)


def lay(op: Product, kernel: KernelOp) -> list[Chain]:
    """The operands of an op as its kernel takes them: images with their channels last, filters as K x N."""
    shapes = [memref_of(value).get_shape() for value in kernel.inputs]
    chains = [Chain(value, (op,)) for value in op.operands[: len(shapes)]]
    if isinstance(op, ConvOp):
        rank = len(op.kernel)
        chains[0].transpose(0, *range(2, rank + 2), 1)
        chains[1].transpose(*range(2, rank + 2), 1, 0)
    return [chain.reshape(*shape) for chain, shape in zip(chains, shapes, strict=True)]


def lift(op: Product, result: SSAValue) -> Chain:
    """The result of an op from that of its kernel."""
    chain = Chain(result, (op,))
    if not isinstance(op, ConvOp):
        return chain.reshape(*shape_of(op.y))
    images, filters, *pixels = shape_of(op.y)
    rank = len(pixels)
    return chain.reshape(images, *pixels, filters).transpose(0, rank + 1, *range(1, rank + 1))
