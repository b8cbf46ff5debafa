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
from dialects.graph.rules import Replacement, RuleBuilder, Table, patterns
from interp.walk.caches import cache_rows
from lowering.graph.rewriting import apply_patterns
from lowering.graph.rules.attention import RULES, attention_at, found_at
from lowering.graph.rules.order import viewed


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
    limits = found.limits
    if limits.causal or limits.window or limits.lengths is not None or limits.seen:
        return None
    return attention_at(op, new)


def _written(op: g.AttentionOp, new: RuleBuilder) -> Replacement:
    if not any(cache_rows(value) for value in (op.k, op.v)) or op.lengths is not None or op.causal.value.data:
        return None
    (b, h, length, d), (_, groups, keys, e) = g.shape_of(op.q), g.shape_of(op.v)
    element, mask = element_of(op.q), op.mask
    if op.window.value.data or (mask is not None and element_of(mask) != element):
        return None
    rows = h // groups * length

    def times(value: SSAValue, number: float) -> SSAValue:
        return new(g.MulOp(value, new(filled(tensor_type((), element), number))))

    scale, cap = op.scale.value.data or 1 / sqrt(d), op.softcap.value.data
    q = viewed(op.q if scale == 1 else times(op.q, scale), (b, groups, rows, d), new)
    scores = new(g.MatmulOp(q, op.k, transpose_b=True))
    if cap:
        scores = times(new(g.TanhOp(times(scores, 1 / cap))), cap)
    if mask is not None:
        scores = new(g.AddOp(viewed(scores, (b, h, length, keys), new), mask))
    weights = viewed(new(g.SoftmaxOp(scores, axis=-1)), (b, groups, rows, keys), new)
    return viewed(new(g.MatmulOp(weights, op.v)), (b, h, length, e), new)


_WRITTEN: Table = ((g.AttentionOp, _written),)
