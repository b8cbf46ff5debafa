"""Attention with sinks: each head has a score that takes part in the softmax and has no value, so that a query may see
less than all of its keys (Xiao et al., StreamingLLM, 2023; gpt-oss, 2025)."""

from __future__ import annotations

from math import sqrt

from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import element_type_named
from ndpir.frontends.configs.building import StepBuilder


def with_sinks(b: StepBuilder, query: SSAValue, key: SSAValue, value: SSAValue, window: int) -> SSAValue:
    """Causal attention [sequences, heads, new, elements] over keys and values [sequences, groups, keys, elements], of
    which each query sees the last `window` ones (0: all), with the sinks of the layer."""
    (sequences, heads, new, size), (_, groups, keys, width) = g.shape_of(query), g.shape_of(value)
    name = b.name("sinks")
    sinks = b.weight(name, (heads,), (-1.0, 1.0))
    b.part(f"layers.{b.layer}.attention")
    query = b.build(g.MulOp, query, b.number(b.config.scale or 1 / sqrt(size), query))
    query = b.reshaped(query, (sequences, groups, heads // groups * new, size))
    scores = b.reshaped(b.build(g.MatmulOp, query, key, transpose_b=True), (sequences, heads, new, keys))
    if new > 1 or window:
        scores = b.build(g.SelectOp, _seen(b, new, keys, window), scores, b.number(float("-inf"), scores))
    sink = b.broadcast_to(b.reshaped(sinks, (1, heads, 1, 1)), (sequences, heads, new, 1))
    weights = b.build(g.SoftmaxOp, b.build(g.ConcatOp, scores, sink, axis=3), axis=-1)
    weights = b.sliced(weights, (0, 0, 0, 0), (sequences, heads, new, keys))
    weights = b.reshaped(weights, (sequences, groups, heads // groups * new, keys))
    return b.reshaped(b.build(g.MatmulOp, weights, value), (sequences, heads, new, width))


def _seen(b: StepBuilder, new: int, keys: int, window: int) -> SSAValue:
    """Which keys each query sees, [1, 1, new, keys]: those up to its own, of these the last `window` ones (0: all)."""
    i32 = element_type_named("i32")
    own = b.build(g.AddOp, b.along(2, (1, 1, new, 1), i32), b.integer(keys - new, i32))
    others = b.along(3, (1, 1, 1, keys), i32)
    seen = b.build(g.CompareOp, others, own, kind="le")
    if not window:
        return seen
    recent = b.build(g.CompareOp, others, b.build(g.SubOp, own, b.integer(window, i32)), kind="gt")
    return b.build(g.AndOp, seen, recent)
