"""Attention over caches, written out as two products and a softmax whose products read the caches as they lie.

Exporters scale keys, transpose them, or repeat them for the heads that share them, each of which would be an op on a
whole cache. Attention is recognised in all of these forms (attention.py), and written out again in one:

    q' = q * scale; s = q' · kᵀ; p = softmax(s + mask); y = p · v      with one product for all heads that share a cache
"""

from __future__ import annotations

from math import sqrt

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import tensor_type
from dialects.graph.patterns.matching import element_of, filled
from dialects.graph.properties import flag
from dialects.graph.rules import Replacement, RuleBuilder, Table, patterns
from interp.walk.caches import cache_rows
from lowering.graph.rewriting import apply_patterns
from lowering.graph.rules.attention import RULES, attention_at, found_at
from lowering.graph.rules.order import extent_of, viewed


def write_out(module: ModuleOp) -> None:
    """Write out each attention of a program that reads caches: keys or values to which it appends, or of which it
    replaces rows. Attention of which some queries see only some keys, by other means than a mask that is added, is left
    as it is."""
    if not any(g.appends(op) or isinstance(op, g.DynamicUpdateSliceOp) for op in module.walk()):
        return
    others = [row for row in RULES["attention"] if row[1] is not attention_at]
    apply_patterns(module, patterns(((g.MatmulOp, _over_caches), *others)), remove_dead=True, name="fuse")
    apply_patterns(module, patterns(_WRITTEN), remove_dead=True, name="fuse")


def _over_caches(op: g.MatmulOp, new: RuleBuilder) -> Replacement:
    found = found_at(op)
    if isinstance(found, str) or not any(cache_rows(part.value) for part in (found.k, found.v)):
        return None
    limits, single = found.limits, extent_of(found.frame.queries) == 1
    if limits.lengths is not None or limits.seen or ((limits.causal or limits.window) and not single):
        return None
    return attention_at(op, new)


def _written(op: g.AttentionOp, new: RuleBuilder) -> Replacement:
    if not any(cache_rows(value) for value in (op.k, op.v)) or op.lengths is not None:
        return None
    (b, h, length, d), (_, groups, keys, e) = g.shape_of(op.q), g.shape_of(op.v)
    element, mask, window = element_of(op.q), op.mask, op.window.value.data
    if mask is not None and element_of(mask) != element:
        return None
    if (window or op.causal.value.data) and (length > 1 or (window and mask is not None)):
        return None  # one query sees all keys, or the last ones
    rows, k, v = h // groups * length, op.k, op.v
    if 0 < window < keys:
        k, v = (new(_last_rows(value, window)) for value in (k, v))
        keys = window

    def times(value: SSAValue, number: float) -> SSAValue:
        return new(g.MulOp(value, new(filled(tensor_type((), element), number))))

    scale, cap = op.scale.value.data or 1 / sqrt(d), op.softcap.value.data
    q = viewed(op.q if scale == 1 else times(op.q, scale), (b, groups, rows, d), new)
    scores = new(g.MatmulOp(q, k, transpose_b=True))
    if cap:
        scores = times(new(g.TanhOp(times(scores, 1 / cap))), cap)
    if mask is not None:
        scores = new(g.AddOp(viewed(scores, (b, h, length, keys), new), mask))
    if op.sink_scores is not None:
        weights = _beside_sinks(viewed(scores, (b, h, length, keys), new), op.sink_scores, new)
    else:
        weights = new(g.SoftmaxOp(scores, axis=-1))
    return viewed(new(g.MatmulOp(viewed(weights, (b, groups, rows, keys), new), v)), (b, h, length, e), new)


def _beside_sinks(scores: SSAValue, sinks: SSAValue, new: RuleBuilder) -> SSAValue:
    """The weights of scores [batch, heads, queries, keys] in a softmax that has a further score of each head."""
    shape, element = g.shape_of(scores), element_of(scores)
    if element_of(sinks) != element:
        sinks = new(g.CastOp(sinks, result_type=tensor_type(g.shape_of(sinks), element)))
    column = (*shape[:3], 1)
    own = new(g.BroadcastOp(viewed(sinks, (1, shape[1], 1, 1), new), result_type=tensor_type(column, element)))
    weights = new(g.SoftmaxOp(new(g.ConcatOp(scores, own, axis=3)), axis=-1))
    return new(g.SliceOp(weights, starts=[0, 0, 0, 0], ends=[*shape]))


def _last_rows(cache: SSAValue, rows: int) -> g.SliceOp:
    """The last rows of a cache [batch, heads, keys, elements], as they lie."""
    b, groups, keys, width = g.shape_of(cache)
    shown = g.SliceOp(cache, starts=[0, 0, keys - rows, 0], ends=[b, groups, keys, width])
    shown.in_place = flag(True)
    return shown


_WRITTEN: Table = ((g.AttentionOp, _written),)
