"""Import of scaled dot-product attention with heads, key-value cache and masks: one graph op, unless the scores are an
output."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from onnx import TensorProto
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import I1
from ndpir.frontends.onnx.operators import OnnxNode, Outputs, element_of, handles, rank_of

_PRECISIONS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE, TensorProto.UNDEFINED)


@dataclass(frozen=True, slots=True)
class Scores:
    """Parameters of the steps from attention scores to attention weights.

    They are the scale, the cap (0: no cap), and what hides keys.
    """

    scale: float
    softcap: float
    hidden: Hidden


@dataclass(frozen=True, slots=True)
class Hidden:
    """What hides keys from queries: a mask (floating-point numbers are added to the scores; i1 is true for visible
    keys), and what the graph op itself applies: the causal mask, a window (0: none), the numbers of valid keys."""

    mask: SSAValue | None
    causal: bool = False
    window: int = 0
    lengths: SSAValue | None = None


@handles("Attention", newest=25)
def attention(node: OnnxNode) -> Outputs:
    """The outputs Y, present key, present value and scores of a node; new keys and values are appended to past ones."""
    q, k, v = (
        _split_heads(node, node[0], "q_num_heads"),
        *(_split_heads(node, node[i], "kv_num_heads") for i in (1, 2)),
    )
    new = g.shape_of(k)[2]
    k, v = _with_past(node, 4, k), _with_past(node, 5, v)
    if node.integer("softmax_precision") not in _PRECISIONS:
        node.fail(
            "`softmax_precision` must be f32, f16, bf16 or f64, not ONNX's element type "
            f"{node.integer('softmax_precision')}"
        )
    if (given := node.get(3)) is not None and element_of(given) not in (I1, element_of(q)):
        node.fail(f"the mask must be of i1, or of {element_of(q)} like the queries, not of {element_of(given)}")
    hidden = _hidden(node, q, k, past=g.shape_of(k)[2] - new)
    scores = Scores(node.real("scale", 1 / sqrt(max(g.shape_of(q)[3], 1))), node.real("softcap"), hidden)
    shown = None
    if len(node.wanted) > 3 and node.wanted[3]:
        y, shown = _as_separate_ops(node, q, k, v, scores)
    else:
        scale = scores.scale if node.has("scale") else 0.0
        y = node.build(
            g.AttentionOp, q, k, v, *(value for value in (hidden.mask, hidden.lengths) if value is not None),
            scale=scale, softcap=scores.softcap, causal=True if hidden.causal else None, window=hidden.window,
        )  # fmt: skip
    if rank_of(node[0]) == 3:
        b, h, length, depth = g.shape_of(y)
        y = node.reshaped(node.transposed(y, (0, 2, 1, 3)), (b, length, h * depth))
    return [y, k, v, shown][: len(node.wanted)]


def _split_heads(node: OnnxNode, x: SSAValue, heads_attribute: str) -> SSAValue:
    """An operand of shape [B, L, heads * D] reshaped to [B, heads, L, D]; an operand of rank 4 is unchanged."""
    if rank_of(x) == 4:
        return x
    heads = node.integer(heads_attribute)
    if rank_of(x) != 3 or heads < 1 or g.shape_of(x)[2] % heads:
        node.fail(
            f"an operand of shape {list(g.shape_of(x))} must have the shape [batch, length, heads * depth] with "
            f"heads = {heads} (`{heads_attribute}`)"
        )
    b, length, width = g.shape_of(x)
    return node.transposed(node.reshaped(x, (b, length, heads, width // heads)), (0, 2, 1, 3))


def _with_past(node: OnnxNode, index: int, x: SSAValue) -> SSAValue:
    past = node.get(index)
    return x if past is None else node.build(g.ConcatOp, past, x, axis=2)


def _hidden(node: OnnxNode, q: SSAValue, k: SSAValue, past: int) -> Hidden:
    """What hides keys by operands and attributes.

    Query i has position i + offset among the keys; the offset is `past`, or, with an external cache, the number of its
    filled keys minus the number of queries. The graph op counts positions from the last key: it has its own properties
    for a causal mask and a window only without an external cache, or for one query, which no filled key follows.
    """
    length, total = g.shape_of(q)[2], g.shape_of(k)[2]
    filled = node.get(6)
    left, right = node.integer("left_window_size", -1), node.integer("right_window_size", -1)
    mask = _padded(node, node.get(3), total)
    causal = bool(node.integer("is_causal")) or right == 0
    if filled is not None and rank_of(filled) != 1:
        node.fail(
            "the numbers of filled keys must be a vector with one number for each batch element, not a tensor "
            f"of {rank_of(filled)} axes"
        )
    if filled is None and right <= 0 and past + length == total:
        return Hidden(mask, causal, left + 1)
    if filled is not None and left < 0 and right <= 0 and (length == 1 or not causal):
        return Hidden(mask, lengths=filled)
    keys = node.counted(total, i64)
    offset: SSAValue = node.constant(np.array(past, np.int64))
    if filled is not None:
        counts = node.reshaped(filled, (g.shape_of(filled)[0], 1, 1, 1))
        offset = node.build(g.SubOp, counts, node.constant(np.array(length, np.int64)))
    places = node.build(g.AddOp, node.reshaped(node.counted(length, i64), (length, 1)), offset)
    if causal:
        mask = _both(node, mask, node.build(g.CompareOp, keys, places, kind="le"))
    for size, kind in ((left, "ge"), (right, "le")):
        if size >= 0 and not (causal and kind == "le"):
            edge = node.build(g.AddOp, places, node.constant(np.array(size if kind == "le" else -size, np.int64)))
            mask = _both(node, mask, node.build(g.CompareOp, keys, edge, kind=kind))
    return Hidden(mask, lengths=filled)


def _padded(node: OnnxNode, mask: SSAValue | None, total: int) -> SSAValue | None:
    """The mask, extended to `total` keys if it has fewer; the added keys are masked out."""
    if mask is None or not rank_of(mask) or g.shape_of(mask)[-1] in (1, total) or g.shape_of(mask)[-1] > total:
        return mask
    high = (*(0,) * (rank_of(mask) - 1), total - g.shape_of(mask)[-1])
    value = 0.0 if element_of(mask) == I1 else float("-inf")
    return node.build(g.PadOp, mask, low=(0,) * rank_of(mask), high=high, value=value)


def _both(node: OnnxNode, mask: SSAValue | None, keep: SSAValue) -> SSAValue:
    """`mask`, with positions where `keep` is false masked out."""
    if mask is None:
        return keep
    if element_of(mask) == I1:
        return node.build(g.AndOp, mask, keep)
    return node.build(g.SelectOp, keep, mask, node.like(mask, float("-inf")))


def _as_separate_ops(
    node: OnnxNode, q: SSAValue, k: SSAValue, v: SSAValue, scores: Scores
) -> tuple[SSAValue, SSAValue]:
    """Attention as matrix products and a softmax, and the scores at the stage that `qk_matmul_output_mode` selects."""
    _, h, length, _ = g.shape_of(q)
    total, groups = g.shape_of(k)[2], g.shape_of(k)[1]
    if not groups or h % groups or g.shape_of(v)[1] != groups:
        node.fail(
            f"the number of query heads, {h}, must be a multiple of the number of key and value heads, {groups} and "
            f"{g.shape_of(v)[1]}"
        )
    k, v = _repeated(node, k, h), _repeated(node, v, h)
    raw = node.build(g.MulOp, node.build(g.MatmulOp, q, k, transpose_b=True), node.like(q, scores.scale))
    capped = raw
    if scores.softcap:
        cap = node.like(q, scores.softcap)
        capped = node.build(g.MulOp, node.build(g.TanhOp, node.build(g.DivOp, raw, cap)), cap)
    hidden = scores.hidden
    mask, keys = hidden.mask, node.counted(total, i64)
    for wanted, before, kind in ((hidden.causal, 0, "le"), (hidden.window > 0, hidden.window, "gt")):
        if wanted:
            start = node.constant(np.array(total - length - before, np.int64))
            edge = node.build(g.AddOp, node.reshaped(node.counted(length, i64), (length, 1)), start)
            mask = _both(node, mask, node.build(g.CompareOp, keys, edge, kind=kind))
    if hidden.lengths is not None:
        counts = node.reshaped(hidden.lengths, (*g.shape_of(hidden.lengths), 1, 1, 1))
        mask = _both(node, mask, node.build(g.CompareOp, keys, counts, kind="lt"))
    masked = capped
    if mask is not None and element_of(mask) == I1:
        masked = node.build(g.SelectOp, mask, capped, node.like(q, float("-inf")))
    elif mask is not None:
        masked = node.build(g.AddOp, capped, mask)
    weights = node.build(g.SoftmaxOp, masked)
    if mask is not None:  # a query without visible keys gets zeros
        top = node.build(g.ReduceOp, masked, kind="max", axes=(3,), keep_dims=True)
        sees = node.build(g.CompareOp, top, node.like(q, float("-inf")), kind="ne")
        weights = node.build(g.SelectOp, sees, weights, node.like(q, 0.0))
    mode = node.integer("qk_matmul_output_mode")
    if not 0 <= mode <= 3:
        node.fail(f"`qk_matmul_output_mode` must be 0, 1, 2 or 3, not {mode}")
    return node.build(g.MatmulOp, weights, v), (raw, capped, masked, weights)[mode]


def _repeated(node: OnnxNode, x: SSAValue, heads: int) -> SSAValue:
    """The key or value heads `x`, each repeated for all query heads that use it, so that there are `heads` of them."""
    b, groups, length, depth = g.shape_of(x)
    if groups == heads:
        return x
    wide = node.broadcast_to(
        node.reshaped(x, (b, groups, 1, length, depth)), (b, groups, heads // groups, length, depth)
    )
    return node.reshaped(wide, (b, heads, length, depth))
