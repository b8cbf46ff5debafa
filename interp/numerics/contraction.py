"""Numerics of contractions: matrix product and attention, by BLAS."""

from __future__ import annotations

from math import prod, sqrt

import numpy as np

from dialects import graph as g
from interp.numerics.meaning import meaning
from interp.numerics.reduction import softmax
from interp.numerics.rounding import Array, rounded, widened


def product(a: Array, b: Array) -> Array:
    """Matrix product over the last two axes in the operands' own type, with a single call of BLAS if `b` is a single
    matrix."""
    if b.ndim == 2 and a.ndim > 2:
        return (a.reshape(prod(a.shape[:-1]), a.shape[-1]) @ b).reshape(*a.shape[:-1], b.shape[-1])
    return a @ b


@meaning.of(g.MatmulOp)
def matmul(op: g.MatmulOp, a: Array, b: Array, bias: Array | None = None) -> Array:
    dtype = a.dtype
    a, b = widened(a), widened(b)
    if op.transpose_a.value.data:
        a = a.swapaxes(-1, -2)
    if op.transpose_b.value.data:
        b = b.swapaxes(-1, -2)
    y = product(a, b)
    if bias is not None:
        y += widened(bias)
    return rounded(y, dtype)


@meaning.of(g.RaggedMatmulOp)
def ragged_matmul(op: g.RaggedMatmulOp, a: Array, b: Array, sizes: Array) -> Array:
    dtype = a.dtype
    a, b = widened(a), widened(b)
    if op.transpose_a.value.data:
        a = a.swapaxes(-1, -2)
    if op.transpose_b.value.data:
        b = b.swapaxes(-1, -2)
    y = np.zeros(g.shape_of(op.y), a.dtype)
    ends = np.cumsum(sizes, dtype=np.int64)
    for group, (start, end) in enumerate(np.maximum([ends - sizes, ends], 0).T.tolist()):
        if op.sums_in_groups:
            y[group] = a[:, start:end] @ b[start:end]
        else:
            y[start:end] += a[start:end] @ b[group]
    return rounded(y, dtype)


@meaning.of(g.AttentionOp)
def attention(op: g.AttentionOp, q: Array, k: Array, v: Array, *limits: Array) -> Array:
    dtype = q.dtype
    given = dict(zip(op.limits, limits, strict=True))
    mask = None if op.mask is None else given[op.mask]
    lengths = None if op.lengths is None else given[op.lengths]
    sinks = None if op.sink_scores is None else widened(limits[-1])
    q, k, v = widened(q), widened(k), widened(v)
    (batch, heads, queries, depth), (_, groups, keys, _) = q.shape, k.shape
    scale, cap = op.scale.value.data or 1 / sqrt(max(depth, 1)), op.softcap.value.data
    # Heads that share keys are stacked: one product per group.
    rows = q.reshape(batch, groups, heads // groups * queries, depth)
    scores = (rows @ k.swapaxes(-1, -2)).reshape(batch, heads, queries, keys)
    scores *= scale
    if cap > 0:
        scores /= cap
        np.tanh(scores, out=scores)
        scores *= cap
    if mask is not None:
        if mask.dtype == np.bool_:
            scores[~np.broadcast_to(mask, scores.shape)] = -np.inf
        else:
            scores += widened(mask).astype(scores.dtype, copy=False)
    if op.causal.value.data:
        scores[..., np.triu(np.ones((queries, keys), np.bool_), keys - queries + 1)] = -np.inf
    if op.window.value.data:
        scores[..., np.tril(np.ones((queries, keys), np.bool_), keys - queries - op.window.value.data)] = -np.inf
    if lengths is not None:
        places = np.arange(g.shape_of(op.k)[2])
        np.copyto(scores, -np.inf, where=places >= lengths.reshape(-1, 1, 1, 1))
    blind = scores.max(-1, keepdims=True, initial=-np.inf) == -np.inf if op.hides and op.unseen.data != "nans" else None
    if sinks is not None:
        own = np.broadcast_to(sinks.astype(scores.dtype, copy=False)[:, None, None], (batch, heads, queries, 1))
        weights = softmax(np.concatenate((scores, own), -1), -1)[..., :-1]
    else:
        weights = softmax(scores, -1, out=scores)
    if blind is not None and blind.any():
        np.copyto(weights, 1 / max(keys, 1) if op.unseen.data == "mean" else 0, where=blind)
    weights = weights.reshape(batch, groups, heads // groups * queries, keys)
    return rounded((weights @ v).reshape(batch, heads, queries, v.shape[-1]), dtype)
