"""Products with weights of 2, 4 or 8 bits that are packed into bytes, with a scale for each block."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import byte_width, dtype_of, element_type_named, is_float, tensor_type
from ndpir.frontends.onnx.builder import known
from ndpir.frontends.onnx.operators import OnnxNode, element_of, handles_foreign, rank_of
from ndpir.frontends.onnx.quantized.products import MICROSOFT
from ndpir.frontends.onnx.quantized.scaling import Scaling

BITS = (2, 4, 8)
"""The widths of packed elements, which divide a byte evenly."""


def unpacked(node: OnnxNode, x: SSAValue, bits: int, count: int) -> SSAValue:
    """The first `count` unsigned elements of each row of packed bytes, [rows, count]; the first element has the lowest
    bits."""
    rows = g.shape_of(x)[0]
    x = node.reshaped(x, (rows, prod(g.shape_of(x)[1:])))
    if bits < 8:
        parts = 8 // bits
        small = element_type_named(f"ui{bits}")
        x = node.build_as(tensor_type((*g.shape_of(x), parts), small), g.BitcastOp, x)
        x = node.reshaped(x, (rows, g.shape_of(x)[1] * parts))
    if g.shape_of(x)[1] < count:
        node.fail(f"the packed rows hold {g.shape_of(x)[1]} elements of {bits} bits, but {count} are needed")
    return x if g.shape_of(x)[1] == count else node.build(g.SliceOp, x, starts=[0, 0], ends=[rows, count])


def _bits(node: OnnxNode) -> int:
    bits = node.integer("bits")
    if bits not in BITS:
        node.fail(f"weights of {bits} bits are not supported; `bits` must be one of {', '.join(map(str, BITS))}")
    return bits


@handles_foreign(
    MICROSOFT, "MatMulNBits", (3, 6), K=int, N=int, accuracy_level=0, bits=4, block_size=int, weight_prepacked=0
)
def matmul_nbits(node: OnnxNode) -> SSAValue:
    """A·Bᵀ, where B is [N, K] in blocks along K; without zero points, the middle of the range stands for 0."""
    rows, depth, block, bits = node.integer("N"), node.integer("K"), node.integer("block_size"), _bits(node)
    if block < 1 or depth < 1 or rows < 1 or node.integer("weight_prepacked"):
        node.fail("`K`, `N` and `block_size` must be at least 1, and the weights not prepacked for a device")
    blocks = -(-depth // block)
    _check_groups(node, depth, block)
    if g.shape_of(node[1])[:1] != (rows,) or element_of(node[1]) != element_type_named("ui8"):
        node.fail(f"the packed weights must be ui8 with {rows} rows, not {g.tensor_of(node[1])}")
    weights = unpacked(node, node[1], bits, depth)
    scale = node.reshaped(node[2], (rows, blocks))
    w = _dequantized(node, weights, scale, node.get(3), bits, block)
    if element_of(w) != element_of(node[0]):
        w = node.build_as(tensor_type(g.shape_of(w), element_of(node[0])), g.CastOp, w)
    return node.build(g.MatmulOp, *_matrix(node, w), transpose_b=True)


def _matrix(node: OnnxNode, w: SSAValue) -> tuple[SSAValue, ...]:
    if rank_of(node[0]) < 2:
        node.fail("the first operand must have at least two axes")
    return (node[0], w, *node.optional(5))


def _check_groups(node: OnnxNode, depth: int, block: int) -> None:
    """Refuse columns whose blocks are not in order."""
    if (given := node.get(4)) is None:
        return
    groups = known(given)
    if groups is None or not np.array_equal(groups.reshape(-1)[:depth], np.arange(depth) // block):
        node.fail("columns in another order than that of their blocks (`g_idx`) are not supported; export without it")


def _dequantized(
    node: OnnxNode, x: SSAValue, scale: SSAValue, zero: SSAValue | None, bits: int, block: int
) -> SSAValue:
    """The numbers that unsigned elements [rows, K] stand for. Zero points are packed as the elements, or numbers."""
    rows, blocks = g.shape_of(scale)
    element = element_of(x)
    if zero is not None and is_float(element_of(zero)):
        whole = Scaling(scale, None, 1, block).dequantize(node, x)
        depth = g.shape_of(x)[1]
        if depth % block:
            node.fail(f"zero points that are numbers need blocks of {block} that divide {depth} columns evenly")
        offset = node.build(g.MulOp, scale, node.reshaped(zero, (rows, blocks)))
        parts = node.reshaped(whole, (rows, blocks, block))
        less = node.build(g.SubOp, parts, node.reshaped(offset, (rows, blocks, 1)))
        return node.reshaped(less, (rows, depth))
    if zero is None:
        middle = np.array(1 << (bits - 1)).astype(dtype_of(element))
        zero = node.splat(g.NumbersAttr.of(middle), (rows, blocks))
    else:
        packed = -(-blocks * bits // (8 * byte_width(element_of(zero))))
        zero = unpacked(node, node.reshaped(zero, (rows, packed)), bits, blocks)
    return Scaling(scale, zero, 1, block).dequantize(node, x)


@handles_foreign(
    MICROSOFT, "GatherBlockQuantized", (3, 4), bits=4, block_size=128, gather_axis=0, quantize_axis=1
)  # fmt: skip
def gather_block_quantized(node: OnnxNode) -> SSAValue:
    """Rows of a table of small elements, with the scales of their blocks: only rows that are read become numbers."""
    data, rank = node[0], rank_of(node[0])
    axis = node.axis_of(node.integer("quantize_axis"), rank)
    if node.axis_of(node.integer("gather_axis"), rank) != 0 or axis != rank - 1 or rank != 2:
        node.fail("rows of a matrix with blocks along its columns are supported (gather_axis 0, quantize_axis 1)")
    bits, block = _bits(node), node.integer("block_size")
    rows, blocks = g.shape_of(node[2])
    if element_of(data) == element_type_named("ui8") and bits < 8:
        data = unpacked(node, data, bits, g.shape_of(data)[1] * 8 // bits)
    zero = node.get(3)
    if zero is not None and element_of(zero) != element_of(data):
        zero = unpacked(node, zero, bits, blocks)
    if zero is None and element_of(node[0]) == element_type_named("ui8"):
        middle = np.array(1 << (bits - 1)).astype(dtype_of(element_of(data)))
        zero = node.splat(g.NumbersAttr.of(middle), (rows, blocks))
    picked = [None if x is None else node.build(g.GatherOp, x, node[1], axis=0) for x in (data, node[2], zero)]
    x, scale, offset = picked
    assert x is not None
    assert scale is not None
    return Scaling(scale, offset, rank_of(x) - 1, block).dequantize(node, x)
