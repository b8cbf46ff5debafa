"""Attention of com.microsoft: one graph op between the projections that some of the operators contain, the caches and
the masks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from dialects import graph as g
from ndpir.frontends.onnx.builder import known
from ndpir.frontends.onnx.microsoft.rotary import of_positions, rotated
from ndpir.frontends.onnx.operators import OnnxNode, Outputs, element_of, extents_of, handles_foreign, rank_of
from ndpir.frontends.onnx.quantized.products import MICROSOFT, scaled, small_product
from ndpir.frontends.onnx.quantized.scaling import columns_along


def heads_of(node: OnnxNode, x: SSAValue, heads: int) -> SSAValue:
    """[batch, length, heads * depth] as [batch, heads, length, depth]; a value of 4 axes is unchanged."""
    if rank_of(x) == 4:
        return x
    if rank_of(x) != 3 or heads < 1 or g.shape_of(x)[2] % heads:
        node.fail(f"a value of shape {list(g.shape_of(x))} can't be divided into {heads} heads along its last axis")
    batch, length, width = g.shape_of(x)
    return node.transposed(node.reshaped(x, (batch, length, heads, width // heads)), (0, 2, 1, 3))


def merged(node: OnnxNode, y: SSAValue) -> SSAValue:
    """[batch, heads, length, depth] as [batch, length, heads * depth]."""
    batch, heads, length, depth = g.shape_of(y)
    return node.reshaped(node.transposed(y, (0, 2, 1, 3)), (batch, length, heads * depth))


def _part(node: OnnxNode, x: SSAValue, axis: int, start: int, end: int) -> SSAValue:
    if rank_of(x) <= axis:
        node.fail(f"a value of {g.tensor_of(x)} was met, but it must have at least {axis + 1} axes")
    starts, ends = [0] * rank_of(x), list(g.shape_of(x))
    starts[axis], ends[axis] = start, end
    return node.build(g.SliceOp, x, starts=starts, ends=ends)


def _limits(
    node: OnnxNode, mask: SSAValue | None, bias: SSAValue | None, batch: int, keys: int, filter_value: float
) -> list[SSAValue]:
    """The mask and the lengths of an attention. `mask`: numbers of valid keys [batch], or, for each key, 1 where it
    counts, [batch, keys] or [batch, queries, keys]; `bias` is added to the scores."""
    lengths: list[SSAValue] = []
    if mask is not None and g.shape_of(mask) == (batch,):
        lengths, mask = [node.cast(mask, i32)], None
    if mask is not None:
        shape = g.shape_of(mask)
        if rank_of(mask) not in (2, 3) or shape[0] not in (1, batch) or shape[-1] != keys:
            node.fail(
                f"a mask of {g.tensor_of(mask)} is not supported; it must have the number of valid keys of each of "
                f"{batch} sequences, or one number for each of {keys} keys"
            )
        shown = node.build(g.CompareOp, mask, node.like(mask, 0), kind="ne")
        shown = node.reshaped(shown, (shape[0], 1, *((1,) if len(shape) == 2 else ()), *shape[1:]))
        if bias is None:
            return [shown, *lengths]
        hidden = node.build(g.SelectOp, shown, node.like(bias, 0), node.like(bias, filter_value))
        bias = node.build(g.AddOp, bias, hidden)
    return [*([] if bias is None else [bias]), *lengths]


def _attend(
    node: OnnxNode, q: SSAValue, k: SSAValue, v: SSAValue, limits: Sequence[SSAValue], causal: bool, window: int = 0
) -> SSAValue:
    return node.build(
        g.AttentionOp, q, k, v, *limits, scale=node.real("scale"), softcap=node.real("softcap") or None,
        causal=True if causal else None, window=window or None,
    )  # fmt: skip


def _joined(node: OnnxNode, past: SSAValue | None, x: SSAValue) -> SSAValue:
    return x if past is None else node.build(g.ConcatOp, past, x, axis=2)


@handles_foreign(
    MICROSOFT, "MultiHeadAttention", (1, 10), (1, 4), mask_filter_value=-10000.0, num_heads=int, scale=float,
    unidirectional=0,
)  # fmt: skip
def multi_head_attention(node: OnnxNode) -> Outputs:
    """Queries, keys and values with an added bias, or packed in one operand; earlier keys and values go before."""
    heads = node.integer("num_heads")
    q, k, v = node[0], node.get(1), node.get(2)
    if rank_of(q) == 5:  # [batch, length, heads, 3, depth]
        turned = node.transposed(q, (3, 0, 2, 1, 4))
        q, k, v = (node.reshaped(_part(node, turned, 0, i, i + 1), g.shape_of(turned)[1:]) for i in range(3))
    elif k is not None and rank_of(k) == 5:  # [batch, length, heads, 2, depth]
        turned = node.transposed(k, (3, 0, 2, 1, 4))
        k, v = (node.reshaped(_part(node, turned, 0, i, i + 1), g.shape_of(turned)[1:]) for i in range(2))
    if k is None or v is None:
        node.fail("keys and values are missing; connect them, or pack them with the queries")
    if (bias := node.get(3)) is not None:
        widths = [g.shape_of(x)[-1] if rank_of(x) == 3 else heads * g.shape_of(x)[-1] for x in (q, k, v)]
        ends = np.cumsum(widths).tolist()
        parts = [_part(node, bias, 0, end - width, end) for end, width in zip(ends, widths, strict=True)]
        q, k, v = (_biased(node, x, part, heads) for x, part in zip((q, k, v), parts, strict=True))
    q, k, v = (heads_of(node, x, heads) for x in (q, k, v))
    k, v = _joined(node, node.get(6), k), _joined(node, node.get(7), v)
    limits = _limits(
        node, node.get(4), node.get(5), g.shape_of(q)[0], g.shape_of(k)[2], node.real("mask_filter_value")
    )  # fmt: skip
    if node.get(8) is not None or node.get(9) is not None or any(node.wanted[3:]):
        node.fail("caches of fixed length, beams and the scores as an output are not supported; export without them")
    y = _attend(node, q, k, v, limits, bool(node.integer("unidirectional")))
    return [merged(node, y), k, v][: len(node.wanted)]


def _biased(node: OnnxNode, x: SSAValue, bias: SSAValue, heads: int) -> SSAValue:
    if rank_of(x) == 3:
        return node.build(g.AddOp, x, bias)
    return node.build(g.AddOp, x, node.reshaped(bias, (heads, 1, g.shape_of(bias)[0] // heads)))


@handles_foreign(
    MICROSOFT, "GroupQueryAttention", (7, 12), (1, 4), do_rotary=0, kv_num_heads=int, local_window_size=-1,
    num_heads=int, qk_output=0, rotary_interleaved=0, scale=float, smooth_softmax=0, softcap=float,
)  # fmt: skip
def group_query_attention(node: OnnxNode) -> Outputs:
    """Causal attention over a cache, whose keys are rotated before they are stored. The cache grows by the new keys; if
    it has room for all (its length is stated and not exceeded), they are written behind the valid ones."""
    heads, groups = node.integer("num_heads"), node.integer("kv_num_heads")
    q, k, v = node[0], node.get(1), node.get(2)
    if node.integer("smooth_softmax") > 0 or node.get(11) is not None or any(node.wanted[3:]):
        node.fail("a sink in the softmax, and the scores as an output, are not supported; export without them")
    if k is None or v is None:  # packed as [batch, length, (heads + 2 groups) * depth]
        depth = extents_of(node, q, 3)[2] // max(heads + 2 * groups, 1)
        ends = [0, heads * depth, (heads + groups) * depth, (heads + 2 * groups) * depth]
        q, k, v = (_part(node, q, 2, low, high) for low, high in pairwise(ends))
    q, k, v = heads_of(node, q, heads), heads_of(node, k, groups), heads_of(node, v, groups)
    batch, _, length, _ = g.shape_of(q)
    total = known(node[6])
    stored = 0 if node.get(3) is None else extents_of(node, node[3], 4)[2]
    shares = total is not None and stored >= int(total.reshape(-1)[0])
    past = int(total.reshape(-1)[0]) - length if shares and total is not None else stored
    if node.integer("do_rotary"):
        where = node.get(9)
        cos, sin = (of_positions(node, node[index], where, past, batch, length) for index in (7, 8))
        q, k = (rotated(node, x, cos, sin, bool(node.integer("rotary_interleaved"))) for x in (q, k))
    window = max(node.integer("local_window_size", -1), 0)
    bias = node.get(10)
    if not shares:
        k, v = _joined(node, node.get(3), k), _joined(node, node.get(4), v)
        y = _attend(node, q, k, v, [] if bias is None else [_fitting(node, bias, g.shape_of(k)[2])], True, window)
        return [merged(node, y), k, v][: len(node.wanted)]
    start = [node.constant(np.array(at, np.int32)) for at in (0, 0, past, 0)]
    k, v = (node.build(g.DynamicUpdateSliceOp, node[i], x, *start) for i, x in ((3, k), (4, v)))
    limits = [] if bias is None else [_fitting(node, bias, past + length)]
    keys, values = (_part(node, x, 2, 0, past + length) for x in (k, v))
    y = _attend(node, q, keys, values, limits, True, window)
    return [merged(node, y), k, v][: len(node.wanted)]


def _fitting(node: OnnxNode, bias: SSAValue, keys: int) -> SSAValue:
    """The part of a bias for the valid keys."""
    return bias if g.shape_of(bias)[-1] == keys else _part(node, bias, rank_of(bias) - 1, 0, keys)


@handles_foreign(
    MICROSOFT, "Attention", (2, 7), (1, 2), do_rotary=0, mask_filter_value=-10000.0, num_heads=int,
    past_present_share_buffer=0, qkv_hidden_sizes=(0,), rotary_embedding_dim=0, scale=float, unidirectional=0,
)  # fmt: skip
def attention(node: OnnxNode) -> Outputs:
    """The projections of one input to queries, keys and values, and attention among them."""
    if node.integer("do_rotary") or node.integer("past_present_share_buffer"):
        node.fail("rotation and caches of fixed length are not supported in this operator; export them separately")
    projected = node.build(g.MatmulOp, node[0], node[1], *node.optional(2))
    return _projected(node, projected, node.get(3), node.get(4), node.get(5))


@handles_foreign(
    MICROSOFT, "QAttention", (5, 9), (1, 2), do_rotary=0, mask_filter_value=-10000.0, num_heads=int,
    past_present_share_buffer=0, scale=float, unidirectional=0,
)  # fmt: skip
def quantized_attention(node: OnnxNode) -> Outputs:
    """The same with a projection of quantized factors."""
    if node.integer("do_rotary") or node.integer("past_present_share_buffer"):
        node.fail("rotation and caches of fixed length are not supported in this operator; export them separately")
    sums = small_product(node, node[0], node[1], node.get(6), node.get(7))
    projected = scaled(node, sums, node.reshaped(node[3], ()), columns_along(node, node[4]))
    return _projected(node, node.build(g.AddOp, projected, node[2]), node.get(5), node.get(8), None)


def _projected(
    node: OnnxNode, x: SSAValue, mask: SSAValue | None, past: SSAValue | None, bias: SSAValue | None
) -> Outputs:
    """Attention among queries, keys and values that are side by side, after earlier keys and values [2, batch, heads,
    length, depth]."""
    heads, width = node.integer("num_heads"), g.shape_of(x)[-1]
    sizes = node.integer_list("qkv_hidden_sizes") if node.has("qkv_hidden_sizes") else (width // 3,) * 3
    if sizes is None or len(sizes) != 3 or sum(sizes) != width:
        node.fail(f"a projection to {width} columns can't be divided into queries, keys and values ({sizes})")
    ends = np.cumsum(sizes).tolist()
    q, k, v = (heads_of(node, _part(node, x, 2, end - size, end), heads) for end, size in zip(ends, sizes, strict=True))
    if past is not None:
        shape = g.shape_of(past)[1:]
        k, v = (_joined(node, node.reshaped(_part(node, past, 0, i, i + 1), shape), y) for i, y in ((0, k), (1, v)))
    batch, keys = g.shape_of(q)[0], g.shape_of(k)[2]
    if bias is not None and element_of(bias) != element_of(q):
        node.fail(f"the bias of the scores must be of {element_of(q)}, not {element_of(bias)}")
    limits = _limits(node, mask, bias, batch, keys, node.real("mask_filter_value"))
    y = merged(node, _attend(node, q, k, v, limits, bool(node.integer("unidirectional"))))
    if not any(node.wanted[1:]):
        return y
    both = [node.reshaped(each, (1, *g.shape_of(each))) for each in (k, v)]
    return [y, node.build(g.ConcatOp, *both, axis=0)]
