"""Operators of positions: ranges, masks by position, repetitions, blocks, reversed and overwritten sequences."""

from __future__ import annotations

from math import ceil, isfinite, prod

import numpy as np
from xdsl.dialects.builtin import f32, f64, i64
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import is_float
from ndpir.frontends.formulas import Term
from ndpir.frontends.onnx.operators import OnnxNode, element_of, handles, rank_of
from ndpir.frontends.onnx.tensors import TensorError, checked_shape, element_type


@handles("Size", newest=25)
def size(node: OnnxNode) -> SSAValue:
    return node.constant(np.array(prod(g.shape_of(node[0])), np.int64))


@handles("Range", newest=27)
def range_(node: OnnxNode) -> SSAValue:
    """start, start + delta, … below (or above) the limit, which are known at import; floats below f64 in f32."""
    numbers = [node.number(index) for index in range(3)]
    start, limit, delta = numbers
    if not delta or not all(map(isfinite, numbers)):
        node.fail(f"start, limit and delta must be finite, and delta not 0, not {start}, {limit} and {delta}")
    element = element_of(node[0])
    if not is_float(element):
        count = max(-((int(start) - int(limit)) // int(delta)), 0)
    else:
        count = max(ceil((limit - start) / delta), 0)
    try:
        checked_shape((count,))
    except TensorError as error:
        node.fail(f"the result {error}")
    wide = element if not is_float(element) or element == f64 else f32
    first, step = (Term(node, node.cast(node.reshaped(node[index], ()), wide)) for index in (0, 2))
    y = Term(node, node.cast(node.counted(count, i64), wide)) * step + first
    return node.cast(y.value, element)


@handles("Tile", newest=13)
def tile(node: OnnxNode) -> SSAValue:
    """Each axis repeated: a broadcast along a new axis before it."""
    x, repeats = node[0], node.integers(1)
    shape = g.shape_of(x)
    if len(repeats) != len(shape) or min(repeats, default=0) < 0:
        node.fail(f"{x.type} needs {len(shape)} repeats of at least 0, not {list(repeats)}")
    pairs = list(zip(repeats, shape, strict=True))
    apart = node.reshaped(x, [n for times, extent in pairs for n in ((1, extent) if times != 1 else (extent,))])
    wide = node.broadcast_to(apart, [n for pair in pairs for n in (pair if pair[0] != 1 else pair[1:])])
    return node.reshaped(wide, [times * extent for times, extent in pairs])


@handles("Trilu", newest=14)
def trilu(node: OnnxNode) -> SSAValue:
    """The upper or lower triangle of each matrix, and zeros elsewhere."""
    x = node[0]
    if rank_of(x) < 2:
        node.fail(f"the operand must be a matrix or a batch of matrices, not {x.type}")
    rows, columns = _coordinates(node, g.shape_of(x)[-2:])
    edge = rows + Term(node, node.reshaped(node[1], ())) if node.get(1) is not None else rows
    keep = columns.compare("ge" if node.integer("upper") else "le", edge)
    return keep.choose(Term(node, x), Term(node, node.like(x, 0))).value


def _coordinates(node: OnnxNode, shape: tuple[int, ...]) -> tuple[Term, Term]:
    """The row and the column of each element of a matrix, as i64."""
    return Term(node, node.along(0, shape, i64)), Term(node, node.along(1, shape, i64))


@handles("EyeLike", newest=22)
def eye_like(node: OnnxNode) -> SSAValue:
    """Ones on the k-th diagonal, and zeros elsewhere."""
    shape = g.shape_of(node[0])
    try:
        element = element_type(node.integer("dtype")) if node.has("dtype") else element_of(node[0])
    except TensorError as error:
        node.fail(f"the result {error}")
    if len(shape) != 2:
        node.fail(f"the operand must be a matrix, not {node[0].type}")
    rows, columns = _coordinates(node, shape)
    return node.cast((rows + node.integer("k")).compare("eq", columns).value, element)


@handles("OneHot", newest=28)
def one_hot(node: OnnxNode) -> SSAValue:
    """The second of two values where the position along a new axis is the index, and the first elsewhere."""
    depth = node.whole(1)
    if depth < 0:
        node.fail(f"the depth must be at least 0, not {depth}")
    indices = Term(node, node.cast(node[0], i64))
    indices = indices.compare("lt", 0).choose(indices + depth, indices)
    rank = rank_of(node[0]) + 1
    axis = node.axis("axis", rank)
    shape = g.shape_of(node[0])
    apart = Term(node, node.reshaped(indices.value, (*shape[:axis], 1, *shape[axis:])))
    places = Term(node, node.along(axis, (*shape[:axis], depth, *shape[axis:]), i64))
    if g.shape_of(node[2]) != (2,):
        node.fail(f"input 2 must hold two values, for off and on, not {node[2].type}")
    off, on = (Term(node, node.reshaped(node.sliced(node[2], (at,), (at + 1,)), ())) for at in (0, 1))
    return apart.compare("eq", places).choose(on, off).value


@handles("DepthToSpace", newest=28)
def depth_to_space(node: OnnxNode) -> SSAValue:
    """Channels to blocks of the image. In the order of channels, blocks come before the remaining channels (`DCR`), or
    after them (`CRD`)."""
    x, block = node[0], _block(node)
    n, c, *image = g.shape_of(x)
    blocks, spatial = block ** len(image), len(image)
    if c % blocks:
        node.fail(f"{c} channels can't be divided into blocks of {blocks}")
    inner = (block,) * spatial
    if node.word("mode", "DCR", "CRD") == "DCR":
        apart, channel, first = (n, *inner, c // blocks, *image), spatial + 1, 1
    else:
        apart, channel, first = (n, c // blocks, *inner, *image), 1, 2
    pairs = [axis for at in range(spatial) for axis in (2 + spatial + at, first + at)]
    y = node.transposed(node.reshaped(x, apart), (0, channel, *pairs))
    return node.reshaped(y, (n, c // blocks, *(extent * block for extent in image)))


@handles("SpaceToDepth", newest=28)
def space_to_depth(node: OnnxNode) -> SSAValue:
    """Blocks of the image to channels, before the operand's channels in their order (`DCR`), or after them (`CRD`)."""
    x, block = node[0], _block(node)
    n, c, *image = g.shape_of(x)
    if any(extent % block for extent in image):
        node.fail(f"an image of {image} can't be divided into blocks of {block}")
    apart = node.reshaped(x, (n, c, *(part for extent in image for part in (extent // block, block))))
    inner, outer = [3 + 2 * at for at in range(len(image))], [2 + 2 * at for at in range(len(image))]
    order = (0, *inner, 1, *outer) if node.word("mode", "DCR", "CRD") == "DCR" else (0, 1, *inner, *outer)
    y = node.transposed(apart, order)
    return node.reshaped(y, (n, c * block ** len(image), *(extent // block for extent in image)))


def _block(node: OnnxNode) -> int:
    block = node.integer("blocksize")
    if block < 1 or rank_of(node[0]) < 3:
        node.fail(f"the operand must be [N, C, spatial…], and `blocksize` at least 1, not {node[0].type} and {block}")
    return block


@handles("ReverseSequence", newest=28)
def reverse_sequence(node: OnnxNode) -> SSAValue:
    """The first `lengths[b]` elements of each sequence in reverse order: a gather of computed positions."""
    x, shape = node[0], g.shape_of(node[0])
    time, batch = node.axis("time_axis", len(shape)), node.axis("batch_axis", len(shape))
    if time == batch or g.shape_of(node[1]) != (shape[batch],):
        node.fail(
            f"{x.type} needs a length for each of {shape[batch]} sequences along another axis, not {node[1].type}"
        )
    lengths = Term(node, node.reshaped(node.cast(node[1], i64), [n if a == batch else 1 for a, n in enumerate(shape)]))
    places = Term(node, node.along(time, shape, i64))
    turned = places.compare("lt", lengths).choose(lengths - 1 - places, places)
    return node.build(g.GatherElementsOp, x, node.broadcast_to(turned.value, shape), axis=time)


@handles("TensorScatter", newest=24)
def tensor_scatter(node: OnnxNode) -> SSAValue:
    """The cache with new elements written along `axis` from a position of each sequence on, around its end if the mode
    is `circular`."""
    cache, update, shape = node[0], node[1], g.shape_of(node[1])
    starts = None if node.get(2) is None else g.shape_of(node[2])
    if len(shape) < 2 or rank_of(cache) != len(shape) or starts not in (None, shape[:1]):
        node.fail(f"a cache {cache.type} and an update {update.type} need a position for each of their sequences")
    axis, circular = node.axis("axis", len(shape)), node.word("mode", "linear", "circular") == "circular"
    places = Term(node, node.along(axis, shape, i64))
    if starts is not None:
        first = node.reshaped(node.cast(node[2], i64), (shape[0], *(1,) * (len(shape) - 1)))
        places = places + Term(node, first)
    if circular:
        places = places(g.RemOp, g.shape_of(cache)[axis])
    return node.build(g.ScatterElementsOp, cache, node.broadcast_to(places.value, shape), update, axis=axis, kind="set")
