"""Writers of matrix products, convolutions and attention as ONNX."""

from __future__ import annotations

from math import prod, sqrt

import numpy as np
from xdsl.dialects.builtin import f64, i64
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1, is_float
from ndpir.writers.onnx.graph import Array, OnnxGraph, writer


@writer.of(g.MatmulOp)
def matmul(graph: OnnxGraph, op: g.MatmulOp) -> str:
    """Gemm for two matrices, with transposes as attributes and the bias as an input; otherwise MatMul, with separate
    nodes for transposes and bias."""
    transposed = bool(op.transpose_a.value.data), bool(op.transpose_b.value.data)
    a, b = graph.widened("MatMul", op.a), graph.widened("MatMul", op.b)
    bias = [] if op.bias is None else [graph.widened("MatMul", op.bias)]
    matrices = len(g.shape_of(op.a)) == len(g.shape_of(op.b)) == 2
    if matrices and (bias or any(transposed)):
        y = graph.node("Gemm", a, b, *bias, transA=int(transposed[0]) or None, transB=int(transposed[1]) or None)
        return graph.cast_back("MatMul", y, op.a)
    a = _swapped(graph, a, op.a) if transposed[0] else a
    b = _swapped(graph, b, op.b) if transposed[1] else b
    y = graph.node("MatMul", a, b)
    return graph.cast_back("MatMul", graph.node("Add", y, *bias) if bias else y, op.a)


def _swapped(graph: OnnxGraph, name: str, value: SSAValue) -> str:
    *batch, row, column = range(len(g.shape_of(value)))
    return graph.node("Transpose", name, perm=[*batch, column, row])


@writer.of(g.RaggedMatmulOp)
def ragged_matmul(graph: OnnxGraph, op: g.RaggedMatmulOp) -> str:
    """A MatMul for each group; rows or summands of its factors that are outside of the group are set to zero."""
    a, b = graph.widened("MatMul", op.a), graph.widened("MatMul", op.b)
    a = _swapped(graph, a, op.a) if op.transpose_a.value.data else a
    b = _swapped(graph, b, op.b) if op.transpose_b.value.data else b
    groups, m, _, k = op.extents
    sizes = graph.reshape(graph.cast(graph[op.sizes], i64), (groups, 1, 1))
    ends = graph.node("CumSum", sizes, graph.constant(np.array(0, np.int64)))
    starts = graph.node("Sub", ends, sizes)
    zero = graph.node("CastLike", graph.constant(np.array(0, np.int64)), a)

    def masked(x: str, count: int, axis: int) -> str:
        at = graph.constant(np.arange(count).reshape([count if each == axis else 1 for each in range(3)]))
        inside = graph.node("And", graph.node("GreaterOrEqual", at, starts), graph.node("Less", at, ends))
        return graph.node("Where", inside, x, zero)

    if op.sums_in_groups:
        y = graph.node("MatMul", masked(a, k, 2), masked(b, k, 1))
    else:
        y = graph.node("ReduceSum", graph.node("MatMul", masked(a, m, 1), b), graph.integers([0]), keepdims=0)
    return graph.cast_back("MatMul", y, op.a)


@writer.of(g.ConvOp)
def conv(graph: OnnxGraph, op: g.ConvOp) -> str:
    words = {"kernel_shape": list(op.kernel), "group": op.groups.value.data, **window(op, op.kernel)}
    return graph.node("Conv", *graph.operands(op), **words)


def window(op: g.PoolOp | g.ConvOp | g.QconvOp | g.Im2colOp, kernel: tuple[int, ...]) -> dict[str, list[int]]:
    """The ONNX attributes of a sliding window."""
    strides, pads, dilations = op.window(kernel)
    begins, ends = [low for low, _ in pads], [high for _, high in pads]
    return {"strides": list(strides), "pads": begins + ends, "dilations": list(dilations)}


@writer.of(g.Im2colOp)
def im2col(graph: OnnxGraph, op: g.Im2colOp) -> str:
    """A Gather of the elements of each window from the padded, flattened image; ONNX has no im2col operator."""
    (n, c, *image), kernel, groups = g.shape_of(op.x), tuple(op.kernel.get_values()), op.groups.value.data
    _, pads, _ = op.window(kernel)
    around = [0, 0, *(low for low, _ in pads), 0, 0, *(high for _, high in pads)]
    padded = [size + sum(pad) for size, pad in zip(image, pads, strict=True)]
    x = graph.node("Pad", graph[op.x], graph.integers(around), graph.scalar(0, op.x)) if any(around) else graph[op.x]
    flat = graph.reshape(x, (n, c, prod(padded)))
    places = _places(op, tuple(image), kernel, tuple(padded))
    windows = graph.node("Gather", flat, graph.constant(places), axis=2)  # [n, c, pixels, taps]
    pixels, taps = places.shape
    parted = graph.reshape(windows, (n, groups, c // groups, pixels, taps))
    return graph.reshape(graph.node("Transpose", parted, perm=[0, 1, 3, 2, 4]), g.shape_of(op.y))


def _places(op: g.Im2colOp, image: tuple[int, ...], kernel: tuple[int, ...], padded: tuple[int, ...]) -> Array:
    """The index in the flattened padded image of each element of each window, as [pixels, taps]."""
    extents = op.spatial(image, kernel)
    strides, _, dilations = op.window(kernel)
    corners = np.indices(extents).reshape(len(extents), -1, 1) * np.array(strides).reshape(-1, 1, 1)
    taps = np.indices(kernel).reshape(len(kernel), 1, -1) * np.array(dilations).reshape(-1, 1, 1)
    return np.asarray(np.ravel_multi_index(tuple(corners + taps), padded), np.int64)


@writer.of(g.AttentionOp)
def attention(graph: OnnxGraph, op: g.AttentionOp) -> str:
    """One Attention node in most cases. Attention with both a softcap and a mask is written as separate ops, since
    versions of ONNX apply softcap and mask in different orders; attention with sinks, or in which a query without
    visible keys does not get zeros, too. So is attention in f64, since for f64, runtimes execute the function body from
    ONNX's standard, which gives nan for a query without visible keys."""
    scale, cap, causal = op.scale.value.data, op.softcap.value.data, bool(op.causal.value.data)
    square = g.shape_of(op.q)[2] == g.shape_of(op.k)[2]
    unlike = (cap > 0 and op.hides) or (op.hides and op.unseen.data != "zeros") or op.sink_scores is not None
    if unlike or graph.element_of(op.q) == f64:
        return _as_separate_ops(graph, op)
    # With ONNX's `is_causal`, the first query sees only the first key, for any number of keys.
    mask = _mask(graph, op, causal and not square)
    words = {"is_causal": 1 if causal and square else None, "softcap": cap or None, "scale": scale or None}
    return graph.node("Attention", graph[op.q], graph[op.k], graph[op.v], *([mask] if mask else []), **words)


def _mask(graph: OnnxGraph, op: g.AttentionOp, causal: bool) -> str | None:
    """The mask as a tensor of four axes, of which the last two have full extent; its elements are truth values or have
    the queries' type. It masks out keys outside of the window and beyond lengths, and with `causal` those after a
    query's position. None if no mask is needed."""
    pairs = g.shape_of(op.q)[2], g.shape_of(op.k)[2]
    seen = graph.constant(_seen(op, causal)) if causal or op.window.value.data else None
    if op.lengths is not None:
        places = graph.constant(np.arange(pairs[1], dtype=np.int64)[None, None, None])
        counts = graph.reshape(graph.cast(graph[op.lengths], i64), (*g.shape_of(op.lengths), 1, 1, 1))
        valid = graph.node("Less", places, counts)
        seen = (
            graph.node("Expand", valid, graph.integers((1, 1, *pairs)))
            if seen is None
            else graph.node("And", valid, seen)
        )
    if op.mask is None:
        return seen
    shape = g.shape_of(op.mask)
    mask = graph[op.mask] if len(shape) == 4 else graph.reshape(graph[op.mask], (1,) * (4 - len(shape)) + shape)
    if shape[-2:] != pairs:  # onnxruntime broadcasts no other axes
        mask = graph.node("Expand", mask, graph.integers((1, 1, *pairs)))
    if g.tensor_of(op.mask).element_type == I1:
        return mask if seen is None else graph.node("And", mask, seen)
    if graph.element_of(op.mask) != graph.element_of(op.q):
        mask = graph.cast(mask, graph.element_of(op.q))
    return mask if seen is None else graph.node("Where", seen, mask, graph.scalar(float("-inf"), op.q))


def _seen(op: g.AttentionOp, causal: bool) -> Array:
    """The mask of the window, and with `causal` the causal mask, as an array [1, 1, L, S]: true where query i may
    attend to a key, which it may for the keys i + S - L - window + 1 to i + S - L."""
    queries, keys, window = g.shape_of(op.q)[2], g.shape_of(op.k)[2], op.window.value.data
    seen = np.ones((queries, keys), np.bool_)
    seen = np.tril(seen, keys - queries) if causal else seen
    return (np.triu(seen, keys - queries - window + 1) if window else seen)[None, None]


def _as_separate_ops(graph: OnnxGraph, op: g.AttentionOp) -> str:
    """Attention as matrix products and a softmax; query heads that share keys are merged into the axis of queries."""
    (batch, heads, length, depth), (_, groups, keys, width) = g.shape_of(op.q), g.shape_of(op.v)
    scale, cap = op.scale.value.data or 1 / sqrt(max(depth, 1)), op.softcap.value.data
    q = graph.reshape(graph[op.q], (batch, groups, heads // groups * length, depth))
    k = graph.node("Transpose", graph[op.k], perm=[0, 1, 3, 2])
    scores = graph.node("Mul", graph.node("MatMul", q, k), graph.scalar(scale, op.q))
    if cap > 0:
        capped = graph.node("Tanh", graph.node("Div", scores, graph.scalar(cap, op.q)))
        scores = graph.node("Mul", capped, graph.scalar(cap, op.q))
    masked = graph.reshape(scores, (batch, heads, length, keys))
    lowest = graph.scalar(float("-inf"), op.q)
    if (mask := _mask(graph, op, bool(op.causal.value.data))) is not None:
        adds = op.mask is not None and is_float(g.tensor_of(op.mask).element_type)
        masked = graph.node("Add", masked, mask) if adds else graph.node("Where", mask, masked, lowest)
    if op.sink_scores is not None:
        sinks = graph.cast(graph[op.sink_scores], graph.element_of(op.q))
        sinks = graph.node("Expand", graph.reshape(sinks, (1, heads, 1, 1)), graph.integers((batch, heads, length, 1)))
        weights = graph.node("Softmax", graph.node("Concat", masked, sinks, axis=3), axis=3)
        weights = graph.node("Slice", weights, *(graph.integers([number]) for number in (0, keys, 3)))
    else:
        weights = graph.node("Softmax", masked, axis=3)
    if op.unseen.data != "nans" and op.sink_scores is None:  # a query without visible keys
        top = graph.node("ReduceMax", masked, graph.integers([3]), keepdims=1)
        instead = graph.scalar(1 / max(keys, 1) if op.unseen.data == "mean" else 0.0, op.q)
        weights = graph.node("Where", graph.node("Equal", top, lowest), instead, weights)
    shared = graph.reshape(weights, (batch, groups, heads // groups * length, keys))
    return graph.reshape(graph.node("MatMul", shared, graph[op.v]), (batch, heads, length, width))
