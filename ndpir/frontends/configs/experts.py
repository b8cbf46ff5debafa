"""Mixtures of experts: the router, which chooses a few experts for each token, and the products of these."""

from __future__ import annotations

from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import element_type_named
from ndpir.frontends.configs.building import StepBuilder
from ndpir.frontends.configs.config import Experts
from ndpir.frontends.configs.feed_forward import activated, feed_forward
from ndpir.frontends.configs.products import grouped, product
from ndpir.frontends.configs.weights import BIASES


def mixture(b: StepBuilder, x: SSAValue, experts: Experts) -> SSAValue:
    """The block's result for the rows of `x`: the sum of the chosen experts' results, each times its weight, and of the
    block that all tokens pass.

    Roles: `router`, `router_correction`; `expert_gate`, `expert_up` and `expert_down` of each expert, or
    `expert_gate_up` and `expert_down` of all; `shared_gate`, `shared_up`, `shared_down`, `shared_share`.
    """
    ids, shares = _routed(b, x, experts)
    tokens, hidden = g.shape_of(x)
    inner = _inner(b, b.reshaped(x, (tokens, 1, hidden)), ids, experts)
    each = grouped(b, inner, ids, ("expert_down",), (experts.count, hidden, experts.width), experts.biased)
    weighted = b.build(g.MulOp, each, b.reshaped(shares, (tokens, experts.chosen, 1)))
    total = b.build(g.ReduceOp, weighted, kind="sum", axes=(1,))
    if not experts.shared_width:
        return total
    shared = feed_forward(b, x, "shared_", experts.shared_width)
    if b.has("shared_share"):
        shared = b.build(g.MulOp, shared, b.build(g.SigmoidOp, product(b, x, "shared_share", 1)))
    return b.build(g.AddOp, total, shared)


def _inner(b: StepBuilder, x: SSAValue, ids: SSAValue, experts: Experts) -> SSAValue:
    """The inner values of the chosen experts, [tokens, chosen, width]."""
    width = experts.width
    roles = ("expert_gate_up",) if b.has("expert_gate_up") else ("expert_gate", "expert_up")
    both = grouped(b, x, ids, roles, (experts.count, 2 * width, g.shape_of(x)[2]), experts.biased)
    rows = g.shape_of(both)[:2]
    if not experts.clamp:
        gate, up = (b.sliced(both, (0, 0, at), (*rows, at + width)) for at in (0, width))
        return b.build(g.MulOp, activated(b, gate), up)
    gate, up = (b.sliced(both, (0, 0, at), (*rows, 2 * width), (1, 1, 2)) for at in (0, 1))
    gate = b.build(g.ClipOp, gate, max=experts.clamp)
    up = b.build(g.AddOp, b.build(g.ClipOp, up, min=-experts.clamp, max=experts.clamp), b.number(1, up))
    opened = b.build(g.SigmoidOp, b.build(g.MulOp, gate, b.number(1.702, gate)))
    return b.build(g.MulOp, up, b.build(g.MulOp, gate, opened))


def _routed(b: StepBuilder, x: SSAValue, experts: Experts) -> tuple[SSAValue, SSAValue]:
    """The numbers of the experts that each token chooses, and their weights, [tokens, chosen]; computed in f32."""
    f32 = element_type_named("f32")
    logits = b.cast(product(b, x, "router", experts.count, experts.biased), f32)
    b.part(f"layers.{b.layer}.router")
    if experts.scores == "softmax of chosen":
        ids = _best(b, logits, experts.chosen)
        return ids, b.cast(b.build(g.SoftmaxOp, _picked(b, logits, ids)), b.element)
    scores = b.build(g.SoftmaxOp if experts.scores == "softmax" else g.SigmoidOp, logits)
    choice = scores
    if experts.corrected:
        choice = b.build(g.AddOp, scores, b.cast(b.weight(b.name("router_correction"), (experts.count,), BIASES), f32))
    ids = _best(b, _in_best_groups(b, choice, experts), experts.chosen)
    shares = _picked(b, scores, ids)
    if experts.normalised:
        total = b.build(g.ReduceOp, shares, kind="sum", axes=(1,), keep_dims=True)
        shares = b.build(g.DivOp, shares, total)
    if experts.factor != 1:
        shares = b.build(g.MulOp, shares, b.number(experts.factor, shares))
    return ids, b.cast(shares, b.element)


def _in_best_groups(b: StepBuilder, choice: SSAValue, experts: Experts) -> SSAValue:
    """The scores of the experts in the best groups; those of others are -inf."""
    groups, (tokens, count) = experts.groups, g.shape_of(choice)
    if groups == experts.chosen_groups:
        return choice
    apart = b.reshaped(choice, (tokens, groups, count // groups))
    if experts.corrected:
        best = b.build(g.ReduceOp, _picked(b, apart, _best(b, apart, 2)), kind="sum", axes=(2,))
    else:
        best = b.build(g.ReduceOp, apart, kind="max", axes=(2,))
    order = b.build(g.ArgsortOp, best, axis=1, descending=True)
    rank = b.build(g.ArgsortOp, order, axis=1)
    last = b.integer(experts.chosen_groups, g.tensor_of(rank).element_type)
    kept = b.reshaped(b.build(g.CompareOp, rank, last, kind="lt"), (tokens, groups, 1))
    return b.reshaped(b.build(g.SelectOp, kept, apart, b.number(float("-inf"), apart)), (tokens, count))


def _best(b: StepBuilder, scores: SSAValue, count: int) -> SSAValue:
    """The numbers of the largest scores along the last axis, the largest first."""
    order = b.build(g.ArgsortOp, scores, axis=-1, descending=True)
    *rows, _ = g.shape_of(order)
    return b.sliced(order, (0,) * (len(rows) + 1), (*rows, count))


def _picked(b: StepBuilder, scores: SSAValue, ids: SSAValue) -> SSAValue:
    """The scores with some numbers along the last axis."""
    return b.build(g.GatherElementsOp, scores, ids, axis=-1)
